"""The derivation axis: pages converted again from stored bytes, and passages looked for in what a reader would see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from searchlog import records
from searchlog.digest import digest
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.pool import InProcess
from searchlog.ledger import Draft, Ledger
from searchlog.log.envelope import Envelope, encode
from searchlog.recording import blob_ref
from searchlog.session import Session
from searchlog.verify.derivation import verify_passages
from searchlog.verify.finding import Report
from searchlog.verify.store import verify_session
from tests.searches import HTML, TEXTS, ask, bodies, opened, pages
from tests.sites import serve


class Altered(InProcess):
    """A converter whose conversions are changed on their way."""

    def __init__(self, **changes: Any) -> None:
        self.changes = changes

    def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
        made = super().convert(*args, **options)
        if not isinstance(made, Conversion):
            return made
        return replace(made, **{k: v(made) if callable(v) else v for k, v in self.changes.items()})


def check(session: Session, converter: Any = None) -> Report:
    return verify_passages(session.ledger, converter or InProcess())


def searched(converter: Any, page: str | None = None) -> Report:
    """Search with this converter, and verify with the honest one. The store axis finds nothing."""
    with serve(pages()) as site, opened() as archive:
        archive.resources._pool = converter
        session = archive.session()
        if page is not None:
            site.pages["/mill"] = (200, HTML, page)
        assert ask(session, site, places=["/mill"]).evidence
        assert verify_session(session.ledger.log, session.ledger.blobs, session.id).findings == []
        return check(session)


# --- the findings


def test_text_that_does_not_come_out_again_is_found():
    report = searched(Altered(text=lambda made: made.text.replace("pond. Its", "pond.\tIts")))
    assert [finding.code for finding in report.findings] == ["text-differs"]
    (finding,) = report.findings
    assert finding.where.endswith("/mill")
    assert (finding.expected, finding.found) == (f"{len(TEXTS['/mill'])} characters", str(len(TEXTS["/mill"])))


def test_passage_that_the_page_does_not_hold_is_found_whatever_the_converters_version():
    report = searched(Altered(text=lambda made: made.text.replace("flood", "storm"), converter="html/0"))
    assert [finding.code for finding in report.findings] == ["passage-not-visible"]
    assert report.findings[0].where.startswith("e1 http://127.0.0.1:")
    assert report.not_checked == {"text made by another version of the converter": 1}


def test_passage_of_a_page_whose_reading_fails_its_check_is_found():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        report = check(session, Altered(verbatim=False))
    assert [finding.code for finding in report.findings] == ["passage-not-visible"]


# --- what is clean, and what cannot be looked at


def test_clean_passages_give_none_on_either_axis():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=list(TEXTS))
        report = check(session)
        assert (report.findings, report.outcome, report.not_checked) == ([], "verified", {})
        assert report.checked["passages"] == len(search.evidence)
        assert report.axis == "derivation"


def test_session_without_evidence_is_not_checked():
    with opened() as archive:
        report = check(archive.session())
        assert (report.outcome, report.checked) == ("not checked", {})


def test_whitespace_is_the_one_folding():
    report = searched(Altered(text=lambda made: made.text.replace(" ", "\u00a0"), converter="html/0"))
    assert report.findings == []


def test_another_converter_is_not_checked_and_its_passages_are():
    report = searched(Altered(converter="html/0"))
    assert (report.findings, report.checked["passages"]) == ([], 1)
    assert report.not_checked == {"text made by another version of the converter": 1}


def test_page_that_is_not_converted_again_is_not_checked():
    class Dead(InProcess):
        def convert(self, *args: Any, **options: Any) -> ConversionFailure:
            return ConversionFailure("timeout", "too slow")

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        report = check(session, Dead())
    assert (report.findings, report.outcome) == ([], "not checked")
    assert report.not_checked == {"passage of a page not converted again: timeout": 1}


def test_page_without_a_second_reading_is_not_checked():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        report = check(session, Altered(verbatim=None))
    assert (report.findings, report.not_checked) == ([], {"passage of a page whose text has no second reading": 1})


@pytest.mark.parametrize("kind", ["capture", "conversion"])
def test_page_without_its_stored_bytes_is_not_checked(kind: str):
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        body = next(b for b in bodies(session, records.Capture) if b.final and b.purpose == "page")
        conversion = bodies(session, records.Conversion)[0]
        gone = body.payload.blob if kind == "capture" else conversion.text.blob
        del session.ledger.blobs._blobs[gone]  # type: ignore[attr-defined]
        report = check(session)
    assert (report.findings, report.not_checked) == ([], {"passage of a page without its stored bytes": 1})


@pytest.mark.parametrize(
    "structure", [b"{}", b"[]", b"no json", b'{"metadata":{},"blocks":[[1,2]]}', b'{"metadata":[],"blocks":[]}']
)
def test_structure_that_is_none_is_not_checked(structure: bytes):
    """Blocks in another form than ours ended the verification with a KeyError."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        conversion = bodies(session, records.Conversion)[0]
        evidence = bodies(session, records.Evidence)[0]
        text = b"another text"
        session.ledger.blobs.put([structure, text])
        odd = conversion.model_copy(update={"structure": blob_ref(structure), "text": blob_ref(text)})
        session.ledger.add([Draft(odd), Draft(evidence.model_copy(update={"text": blob_ref(text).blob}))])
        report = check(session)
    assert report.findings == []
    assert report.not_checked == {"passage of a page without its stored bytes": 1}


def test_pages_are_told_apart_where_their_bytes_are_the_same():
    """One payload served as two types is converted again as the type that it came as."""
    page = "# Mills\n\nThe tide mill &amp; its gate.\n"
    with serve(pages()) as site, opened() as archive:
        site.pages["/a"] = (200, {"Content-Type": "text/plain"}, page)
        site.pages["/b"] = (200, {"Content-Type": "text/markdown"}, page)
        site.pages["/c"] = (200, HTML, page)
        for places in (["/a", "/b", "/c"], ["/c", "/b", "/a"]):
            session = archive.session()
            ask(session, site, places=places)
            assert len({body.media_type for body in bodies(session, records.Conversion)}) > 1
            report = check(session)
            assert (report.findings, report.not_checked) == ([], {})


@pytest.mark.parametrize("gone", ["conversion", "capture", "another page's text", "line", "stored bytes"])
def test_each_passage_is_checked_or_said_not_to_be(gone: str):
    """Evidence whose conversion is not there was dropped in silence, one page counted for all its passages, and a
    record that cannot be read ended the verification with a FormatError."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        evidence = bodies(session, records.Evidence)
        first = evidence[0]
        odd = {"conversion": {"text": digest(b"no text")}, "capture": {"payload": digest(b"no page")}}
        odd["another page's text"] = {"payload": evidence[1].payload}
        session.ledger.add([Draft(first.model_copy(update=odd.get(gone, {})))])
        if gone == "line":
            line = encode(
                Envelope(session.id, session.head.size, "2026-01-02T03:04:05.000000Z", "evidence", {"id": 1}, "0" * 32)
            )
            session.ledger.log.append(session.id, [line], session.head.size)
        if gone == "stored bytes":
            del session.ledger.blobs._blobs[first.text]  # type: ignore[attr-defined]
        report = check(session)
    skipped = {what: count for what, count in report.not_checked.items() if what.startswith("passage")}
    assert report.checked["passages"] + sum(skipped.values()) == len(evidence) + 1
    assert report.findings == []
    if gone == "line":
        assert report.not_checked == {"record that is erased or cannot be read": 1}
    elif gone == "stored bytes":
        assert skipped == {"passage of a page without its stored bytes": 2}
    else:
        assert skipped == {"passage whose page is not there": 1}


def test_two_payloads_that_give_one_text_are_two_pages():
    """Pages were told apart by their text alone: the second payload took the place of the first."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/a"] = (200, HTML, "<p>The tide mill and its gate.</p>")
        site.pages["/b"] = (200, HTML, "<p >The tide mill and its gate.</p >")
        for path in ("/a", "/b"):
            ask(session, site, places=[path])
        evidence = bodies(session, records.Evidence)
        assert len({item.text for item in evidence}) == 1
        assert len({item.payload for item in evidence}) == 2
        report = check(session)
    assert (report.findings, report.not_checked, report.checked["pages"]) == ([], {}, 2)


def test_progress_counts_pages():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=list(TEXTS))
        seen: list[tuple[int, int]] = []
        verify_passages(session.ledger, InProcess(), lambda done, total: seen.append((done, total)))
        count = len({item.source.url for item in search.evidence})
        assert seen == [(n, count) for n in range(1, count + 1)]


def test_the_workers_give_the_same_verdict(tmp_path):
    with serve(pages()) as site, opened(tmp_path, in_process=False) as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        assert isinstance(session.ledger, Ledger)
        here, there = check(session), verify_passages(session.ledger, archive.resources.pool)
        assert here == there
