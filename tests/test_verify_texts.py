"""The derivation axis by passage: each state is told of the passages that are in it, and of no others."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from searchlog import records
from searchlog.digest import digest
from searchlog.extract.conversion import Block, Conversion, ConversionFailure, Metadata
from searchlog.extract.pool import InProcess
from searchlog.ledger import Draft
from searchlog.session import Session
from searchlog.verify.derivation import verify_passages
from searchlog.verify.finding import Report
from searchlog.verify.texts import Found, Texts
from searchlog.verify.verdict import DERIVATION, PassageVerdict
from tests.searches import HTML, TEXTS, ask, bodies, opened, pages
from tests.sites import serve

PAGE = """<h1>Tide mills</h1><p>The tide mill stores the flood in a pond of 12 hectares.</p>
<h2>Gates</h2><p>The gate of the tide mill does not open at low water.</p>"""
"""Each paragraph with the headings over it is a passage of a search for a tide mill."""


class Altered(InProcess):
    """A converter whose texts are changed on their way, as another version would make them."""

    def __init__(self, change: Callable[[Conversion], Conversion]) -> None:
        self.change = change

    def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
        made = super().convert(*args, **options)
        return self.change(made) if isinstance(made, Conversion) else made


def newer(made: Conversion, old: str = "", new: str = "") -> Conversion:
    """Return what a later version makes of a page: one text in place of another, blocks moved along."""
    at = made.text.index(old)
    by = len(new) - len(old)

    def moved(place: int) -> int:
        return place + by if place >= at + len(old) else place

    blocks = tuple(replace(block, start=moved(block.start), end=moved(block.end)) for block in made.blocks)
    text = made.text[:at] + new + made.text[at + len(old) :]
    return replace(made, text=text, blocks=blocks, converter="html/999", structure=None)


def run(session: Session, converter: Any = None, **options: Any) -> tuple[Report, list[PassageVerdict]]:
    told: list[PassageVerdict] = []
    report = verify_passages(session.ledger, converter or InProcess(), told=told.append, **options)
    assert Counter(one.state for one in told) == report.states
    assert all((one.axis, one.session) == ("derivation", session.id) and one.state in DERIVATION for one in told)
    checked = report.checked.get("passages", 0)
    assert checked + sum(n for why, n in report.not_checked.items() if why.startswith("passage")) == len(told)
    return report, told


def searched(archive: Any, site: Any, page: str | None = PAGE) -> Session:
    session: Session = archive.session()
    if page is not None:
        site.pages["/mill"] = (200, HTML, f"<title>Mills</title><body>{page}</body>")
    assert ask(session, site, places=["/mill"]).evidence
    return session


def states(page: str, converter: Any = None) -> tuple[Report, list[PassageVerdict]]:
    with serve(pages()) as site, opened() as archive:
        return run(searched(archive, site, page), converter)


def test_passage_at_its_offsets_is_told_with_them():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        report, told = run(session, checked_at="2026-01-02T03:04:05Z")
        found = {body.id: body for body in bodies(session, records.Evidence)}
    assert report.states == {"at-offsets": len(found)}
    for one in told:
        body = found[one.evidence]
        assert (one.start, one.end, one.digest, one.url) == (body.start, body.end, body.digest, body.url)
        assert (one.outcome, one.checked_at) == ("verified", "2026-01-02T03:04:05Z")


def test_same_converter_with_another_text_is_told_of_each_passage():
    report, told = states(
        PAGE, Altered(lambda made: replace(made, text=made.text.replace("12 hectares", "12\xa0hectares")))
    )
    assert {one.state for one in told} == {"text-differs"}
    assert [finding.code for finding in report.findings] == ["text-differs"]


def test_other_converter_with_the_same_text_changes_nothing():
    report, told = states(PAGE, Altered(newer))
    assert ({one.state for one in told}, report.findings) == ({"at-offsets"}, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tide mills", "Menu\n\nTide mills"),
        ("12 hectares", "12\u00a0hectares"),
        ("pond of", "pond\nof"),
        ("pond of", "pond \u200b of"),
    ],
)
def test_other_converter_whose_text_holds_the_passage_is_told_with_the_new_place(old: str, new: str):
    kept: list[Conversion] = []
    with serve(pages()) as site, opened() as archive:
        session = searched(archive, site)
        report, told = run(
            session, Altered(lambda made: newer(made, old, new)), new_text=lambda record, made: kept.append(made)
        )
        exact = {body.id: body.exact for body in bodies(session, records.Evidence)}
    assert ({one.state for one in told}, report.findings, report.outcome) == ({"extractor-changed"}, [], "verified")
    (made,) = kept
    for one in told:
        words = made.text[one.start : one.end].replace("\u200b", "")
        assert words.split() == exact[one.evidence].split()
        assert one.detail == "text made by another version of the converter"


@pytest.mark.parametrize(
    ("old", "new", "mark"),
    [("12 hectares", "17 hectares", "number"), ("does not open", "does open", "negation")],
)
def test_other_converter_without_the_passage_is_a_finding_with_what_changed(old: str, new: str, mark: str):
    report, told = states(PAGE, Altered(lambda made: newer(made, old, new)))
    wrong = [one for one in told if one.state == "not-in-new-text"]
    assert wrong
    assert [finding.code for finding in report.findings] == ["passage-not-visible"] * len(wrong)
    for one in wrong:
        assert one.outcome == "failed"
        assert mark in {word for change in one.changes for word in change.marks}


def test_letters_alone_are_found_where_blanks_went():
    """White space is the one folding of this axis, so words that ran together are still the page's words."""
    report, told = states(PAGE, Altered(lambda made: newer(made, "pond of 12", "pondof 12")))
    assert report.findings == []
    assert {one.state for one in told} == {"extractor-changed"}
    assert "blanks-differ" in {note for one in told for note in one.notes}


def test_both_texts_are_handed_over_once_a_page_and_only_where_they_differ():
    kept: list[tuple[str, str]] = []
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))

        def keep(record: records.Conversion, made: Conversion) -> None:
            kept.append((record.url.rsplit("/", 1)[1], made.text))

        change = Altered(lambda made: newer(made, "flood", "tide") if "flood" in made.text else made)
        run(session, change, new_text=keep)
    assert kept == [
        ("mill", TEXTS["/mill"].replace("flood", "tide")),
    ]


def added(session: Session, **fields: Any) -> str:
    """Hand over a piece of evidence once more under another id, and otherwise."""
    body = bodies(session, records.Evidence)[0]
    session.ledger.add([Draft(body.model_copy(update={"id": "e90", **fields}))])
    return "e90"


def state_of(told: list[PassageVerdict], name: str) -> PassageVerdict:
    return next(one for one in told if one.evidence == name)


def test_passage_at_other_offsets_is_elsewhere():
    with serve(pages()) as site, opened() as archive:
        session = searched(archive, site)
        first = bodies(session, records.Evidence)[0]
        name = added(session, start=first.start + 3, end=first.end + 3)
        report, told = run(session)
        one = state_of(told, name)
        assert (one.state, one.start, one.end) == ("elsewhere", first.start, first.end)
        assert (one.outcome, report.findings) == ("failed", [])  # the store axis has the finding


@pytest.mark.parametrize("exact", ["The tide mill stores the ebb in a pond.", "", "tide tide"])
def test_passage_of_other_words_is_not_in_the_page(exact: str):
    with serve(pages()) as site, opened() as archive:
        session = searched(archive, site)
        name = added(session, exact=exact)
        report, told = run(session)
        assert state_of(told, name).state == "not-in-page"
        assert [(finding.code, finding.where[:4]) for finding in report.findings] == [("passage-not-visible", "e90 ")]


def test_page_whose_reading_fails_holds_nothing():
    report, told = states(PAGE, Altered(lambda made: replace(made, verbatim=False)))
    assert {one.state for one in told} == {"not-in-page"}
    assert {one.detail for one in told} == {"the page's own reading does not bear out its text"}
    assert report.outcome == "failed"


class Dead(InProcess):
    def convert(self, *args: Any, **options: Any) -> ConversionFailure:
        return ConversionFailure("timeout", "too slow")


@pytest.mark.parametrize(("converter", "why"), [(Dead(), "passage of a page not converted again: timeout")])
def test_what_cannot_be_looked_at_is_not_checked_with_the_reason(converter: Any, why: str):
    _, told = states(PAGE, converter)
    assert {(one.state, one.outcome, one.detail) for one in told} == {("not-checked", "not checked", why)}


def test_passage_without_its_page_or_bytes_is_not_checked_with_the_reason():
    with serve(pages()) as site, opened() as archive:
        session = searched(archive, site)
        name = added(session, payload=digest(b"no page"))
        _, told = run(session)
        assert state_of(told, name).detail == "passage whose page is not there"
        payload = bodies(session, records.Evidence)[0].payload
        del session.ledger.blobs._blobs[payload]  # type: ignore[attr-defined]
        _, told = run(session)
        assert {one.state for one in told} == {"not-checked"}


# --- several pages at once


class Slow(InProcess):
    """A converter that takes longest for what it is given first, and says how many it had at a time."""

    def __init__(self) -> None:
        self.lock, self.now, self.most, self.waits = threading.Lock(), 0, 0, [0.15, 0.01, 0.05, 0.0]

    def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            wait = self.waits.pop(0) if self.waits else 0
        time.sleep(wait)
        with self.lock:
            made = super().convert(*args, **options)
            self.now -= 1
        return made


def test_pages_are_converted_some_at_once_and_told_in_order():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        one_by_one, several = Slow(), Slow()
        first = run(session, one_by_one, at_once=1)
        second = run(session, several, at_once=3)
    assert first == second
    assert (one_by_one.most, several.most) == (1, 3)


def test_error_of_a_converter_ends_the_check():
    class Broken(InProcess):
        def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
            raise RuntimeError("broken")

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        for at_once in (1, 3):
            with pytest.raises(RuntimeError, match="broken"):
                run(session, Broken(), at_once=at_once)


# --- the texts alone


def conversion(text: str, converter: str = "html/1", verbatim: bool | None = True) -> Conversion:
    blocks = [Block("paragraph", 0, len(text))] if text else []
    return Conversion(text, tuple(blocks), Metadata(), converter, verbatim=verbatim)


def evidence(text: str, exact: str) -> records.Evidence:
    start = text.find(exact)
    return records.Evidence(
        id="e1",
        exact=exact,
        prefix=text[:start],
        suffix=text[start + len(exact) :],
        start=start,
        end=start + len(exact),
        digest=digest(exact.encode()),
        text=digest(text.encode()),
        payload=digest(b""),
        url="http://a.example/",
        title="",
        source_kind="page",
        captured_at="",
        score="1",
        tokens=1,
        link="",
    )


@pytest.mark.parametrize(
    "then", ["水车的门在退潮时不会打开。", "لا تفتح البوابة عند الجزر.", "Ворота не открываются при отливе."]
)
def test_each_script_is_found_and_missed(then: str):
    text = f"{then} x"
    body = evidence(text, then)
    assert Texts(conversion(text), conversion(text)).find(body, then) == Found("at-offsets", start=0, end=len(then))
    moved = Texts(conversion(text), conversion(f"a a a {text}", "html/2")).find(body, then)
    assert (moved.state, moved.start) == ("extractor-changed", 6)
    lost = then.replace("不", "").replace("لا ", "").replace("не ", "")
    assert Texts(conversion(text), conversion(f"{lost} x", "html/2")).find(body, then).state == "not-in-new-text"


def test_text_that_comes_out_again_and_has_no_second_reading_says_so():
    """A PDF's passages were told as not checked though its text came out again with the passage at its offsets."""
    report, told = states(PAGE, Altered(lambda made: replace(made, verbatim=None)))
    assert {(one.state, one.notes) for one in told} == {("at-offsets", ("no-second-reading",))}
    assert "passage of a page whose text has no second reading" in report.not_checked
    _, changed = states(PAGE, Altered(lambda made: replace(made, verbatim=None, text="other " + made.text)))
    assert {one.state for one in changed} == {"not-checked"}
