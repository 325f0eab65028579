"""Verifying past evidence: axes side by side, live pages, keeping, going on, and history; over loopback."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from searchlog import records
from searchlog.archive import Archive
from searchlog.errors import MissingError, StoreError, UsageError
from searchlog.ledger import Ledger
from searchlog.recheck.keep import is_checks
from searchlog.recheck.subjects import Choice, Subject, by_page, passages_of, sampled
from searchlog.session import Session
from searchlog.verify.store import verify_session
from searchlog.verify.verdict import PassageVerdict
from tests import searches
from tests.searches import HTML, TEXTS, ask, html, opened, pages
from tests.sites import Site, serve

OWN: dict[str, Any] = {"allow_private": ("127.0.0.1",)}


@contextmanager
def searched(place: Path | str = "memory:") -> Iterator[tuple[Site, Archive, Session]]:
    """Yield a site, an archive and a session with a search that read all pages of the site."""
    with serve(pages()) as site, opened(place) as archive:
        session = archive.session()
        ask(session, site, "tide mill pond gate", list(TEXTS))
        yield site, archive, session


def states(found: Any, axis: str = "live") -> dict[str, str]:
    """Return the states of an axis by the path of the page."""
    return {searches.short(p.url): p.verdicts[axis].state for p in found.passages if axis in p.verdicts}


def change(site: Site, path: str, old: str, new: str) -> None:
    assert old in TEXTS[path]
    site.pages[path] = (200, HTML, html(TEXTS[path].replace(old, new), path[1:]))


def test_pages_as_they_were_are_the_same_bytes() -> None:
    with searched() as (_, _, session):
        found = session.verify(axes=["store", "derivation", "live"], **OWN)
        assert set(states(found).values()) == {"same-bytes"}
        assert set(found.outcomes.values()) == {"verified"}
        assert found.findings == ()


def test_each_page_is_told_by_itself() -> None:
    with searched() as (site, _, session):
        change(site, "/mill", "in a pond", "in a barn")
        site.pages["/gate"] = (410, HTML, "gone")
        site.pages["/pond"] = (200, HTML, "<nav>Home About</nav>" + html(TEXTS["/pond"], "pond"))
        found = session.verify(axes=["live"], **OWN)
        assert states(found) == {"/mill": "changed", "/gate": "http-410", "/pond": "intact", "/wheel": "same-bytes"}
        assert found.outcomes == {"live": "failed"}
        assert sorted(f.state for f in found.findings if isinstance(f, PassageVerdict)) == ["changed", "http-410"]
        (changed,) = (p.verdicts["live"] for p in found.passages if p.url.endswith("/mill"))
        assert ("-", "pond") in {(step.sign, step.words.strip(" .")) for step in changed.changes}


def test_live_check_is_a_capture_of_its_own_and_changes_nothing_of_what_is_verified() -> None:
    with searched() as (_, archive, session):
        before = [item.line for item in session.ledger.log.get(session.id)]
        found = session.verify(axes=["live"], **OWN)
        assert [item.line for item in session.ledger.log.get(session.id)] == before
        (kept,) = [name for name in archive.resources.storage.log.sessions() if is_checks(name)]
        assert found.kept_in == f"{kept} turn 1"
        ledger = archive.ledger(kept)
        captured = [r for r in ledger.records() if isinstance(r.body, records.Capture) and r.body.purpose == "page"]
        assert {searches.short(r.body.url) for r in captured} == set(TEXTS)
        for passage in found.passages:
            verdict = passage.verdicts["live"]
            (record,) = ledger.records(verdict.capture, verdict.capture + 1)
            assert record.body.url == passage.url
        assert verify_session(ledger.log, ledger.blobs, kept).findings == []
        assert archive.find("latest") == session.id
        with pytest.raises(UsageError, match="keeps checks"):
            archive.session(kept)


def test_turn_of_a_check_ends_as_its_pages_were_found() -> None:
    """It ended before the verdicts on passages were counted: `ok`, and not a word on the live axis."""
    with searched() as (site, archive, session):
        session.verify(axes=["store", "live"], **OWN)
        change(site, "/mill", "in a pond", "in a barn")
        found = session.verify(axes=["store", "live"], **OWN)
        assert found.kept_in is not None
        ends = [
            (record.body.outcome, record.body.detail)
            for record in archive.ledger(found.kept_in.split()[0]).records()
            if isinstance(record.body, records.Turn) and record.body.state == "end"
        ]
    assert ends == [("ok", "store verified, live verified"), ("failed", "store verified, live failed")]


def test_page_is_never_taken_from_the_cache(tmp_path: Path) -> None:
    with serve(pages(headers=searches.FRESH)) as site, opened(tmp_path) as archive:
        session = archive.session()
        ask(session, site, "tide mill", ["/mill"])
        archive.resources.later(lambda: None)
        count = site.paths.count("/mill")
        site.pages["/mill"] = (404, HTML, "gone")
        assert states(session.verify(axes=["live"], **OWN)) == {"/mill": "http-404"}
        assert site.paths.count("/mill") == count + 1


def test_two_fetches_that_differ_are_told_as_personalised() -> None:
    with searched() as (site, _, session):
        answers = iter(("in a barn", "in a church", "in a tower"))

        class Moody(dict[str, Any]):
            def __getitem__(self, key: str) -> Any:
                if key == "/mill":
                    return 200, HTML, html(TEXTS["/mill"].replace("in a pond", next(answers)), "mill")
                return super().__getitem__(key)

            def get(self, key: str, default: Any = None) -> Any:
                return self[key] if key in self else default  # noqa: SIM401

        site.pages = Moody(site.pages)
        found = session.verify(axes=["live"], **OWN)
        assert states(found)["/mill"] == "personalised"
        assert found.outcomes["live"] == "not checked"


def test_changed_page_is_fetched_twice_and_an_unchanged_one_once() -> None:
    with searched() as (site, _, session):
        change(site, "/mill", "in a pond", "in a barn")
        site.hits.clear()
        session.verify(axes=["live"], **OWN)
        assert {path: site.paths.count(path) for path in TEXTS} == {"/mill": 2, "/gate": 1, "/pond": 1, "/wheel": 1}


def test_check_that_was_cut_off_keeps_what_it_found_and_goes_on(tmp_path: Path) -> None:
    with searched(tmp_path) as (site, _, session):
        site.hits.clear()
        done: list[str] = []

        def stop(event: Any) -> None:
            if event.stage == "check":
                done.append(event.text)
                if len(done) == 2:
                    raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            session.verify(axes=["live"], progress=stop, threads=1, **OWN)
        first = [path for path in site.paths if path in TEXTS]
        site.hits.clear()
        found = session.verify(axes=["live"], max_age_s=3600, **OWN)
        assert set(states(found)) == set(TEXTS)
        again = {path for path in site.paths if path in TEXTS}
        assert len(again) == 2
        assert sorted(passage.earlier == {"live"} for passage in found.passages) == [False, False, True, True]
        assert set(first) >= set(TEXTS) - again


def test_verdict_that_says_nothing_is_asked_again() -> None:
    with searched() as (site, _, session):
        site.pages["/mill"] = (503, HTML, "later")
        assert states(session.verify(axes=["live"], **OWN))["/mill"] == "http-5xx"
        site.pages["/mill"] = pages()["/mill"]
        assert states(session.verify(axes=["live"], max_age_s=3600, **OWN))["/mill"] == "same-bytes"


def test_history_tells_every_check_and_a_failure_does_not_overwrite_an_older_verdict() -> None:
    with searched() as (site, archive, session):
        session.verify(axes=["live"], **OWN)
        site.pages["/mill"] = (503, HTML, "later")
        session.verify(axes=["live"], **OWN)
        (mill,) = [p.id for p in passages_of(Subject(session.ledger), Choice()) if p.url.endswith("/mill")]
        assert [v.state for _, v in archive.checks.history(session.id, mill)] == ["same-bytes", "http-5xx"]
        assert len(archive.checks.history(session.id)) == 2 * len(TEXTS)


def test_check_that_is_not_to_be_kept_leaves_nothing(tmp_path: Path) -> None:
    with searched(tmp_path) as (_, archive, session):
        names = archive.resources.storage.log.sessions()
        found = session.verify(axes=["store", "live"], keep=False, **OWN)
        assert set(states(found).values()) == {"same-bytes"}
        assert found.kept_in is None
        assert archive.resources.storage.log.sessions() == names


def test_passages_can_be_chosen() -> None:
    with searched() as (site, _, session):
        site.hits.clear()
        (mill,) = [p.id for p in passages_of(Subject(session.ledger), Choice()) if p.url.endswith("/mill")]
        assert set(states(session.verify(axes=["live"], evidence=[mill], **OWN))) == {"/mill"}
        assert "/gate" not in site.paths
        assert session.verify(axes=["live"], turns=[7], **OWN).passages == []
        assert session.verify(axes=["live"], since="2030-01-01", **OWN).passages == []
        assert len(session.verify(axes=["live"], sample=2, **OWN).passages) == 2


def test_sample_is_the_same_for_the_same_seed_and_another_for_others() -> None:
    with searched() as (_, _, session):
        subject = Subject(session.ledger)
        found = list(passages_of(subject, Choice()))

        def drawn(seed: str) -> tuple[str, ...]:
            return tuple(p.id for p in sampled(found, Choice(sample=2, seed=seed)))

        assert drawn("a") == drawn("a")
        assert len({drawn(str(n)) for n in range(20)}) > 1


def test_hosts_take_turns() -> None:
    with searched() as (_, _, session):
        (one, *_) = passages_of(Subject(session.ledger), Choice())
        made = [
            type(one)(one.subject, f"e{n}", n, 1, one.digest, url, one.captured_at)
            for n, url in enumerate(
                ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://a.example/1"]
            )
        ]
        order = by_page(made)
        assert list(order) == ["http://a.example/1", "http://b.example/1", "http://a.example/2"]
        assert [p.id for p in order["http://a.example/1"]] == ["e0", "e3"]


def test_damaged_session_is_told_and_its_check_is_kept_beside_it(tmp_path: Path) -> None:
    with searched(tmp_path) as (_, _, session):
        (first, *_) = passages_of(Subject(session.ledger), Choice())
        text = first.record().text
        blob = tmp_path / "blobs" / "sha256" / text[7:9] / text[7:]
        blob.chmod(0o600)
        blob.write_bytes(b"something else")
        found = session.verify(axes=["store", "derivation", "live"], **OWN)
        assert found.outcomes["store"] == "failed"
        assert "derivation" not in found.outcomes
        assert set(states(found).values()) == {"same-bytes"}
        assert found.kept_in is not None


def test_whole_archive_is_verified_with_one_fetch_a_page(tmp_path: Path) -> None:
    with searched(tmp_path) as (site, archive, session):
        other = archive.session()
        ask(other, site, "tide mill pond gate", list(TEXTS))
        site.hits.clear()
        from searchlog.flow.settings import Settings
        from searchlog.recheck.wanted import Wanted

        found = archive.verify(wanted=Wanted(axes=("store", "live"), settings=Settings(**OWN)))
        assert {p.session for p in found.passages} == {session.id, other.id}
        assert len(found.passages) == 2 * len(TEXTS)
        assert all(site.paths.count(path) == 1 for path in TEXTS)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"axes": ["truth"]}, "no axis is called 'truth'"),
        ({"axes": "store"}, "axes"),
        ({"sample": 0}, "sample"),
        ({"since": "yesterday"}, "no moment"),
        ({"web_archives": ["wayback"]}, "live"),
        ({"axes": ["live"], "web_archives": ["nonsense"]}, "web archive"),
        ({"max_age_s": -1, "axes": ["live"]}, "max_age_s"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_asked_is_said(options: dict[str, Any], says: str) -> None:
    with opened() as archive, pytest.raises(UsageError, match=says):
        archive.session().verify(**options)


def test_session_that_is_not_there_is_missing() -> None:
    with opened() as archive, pytest.raises(MissingError):
        archive.verify(["s20200101-000000-00000000"])


def test_archive_that_cannot_be_written_is_verified_offline_all_the_same(tmp_path: Path) -> None:
    with searched(tmp_path) as (_, archive, session):
        name = session.id
    with opened(tmp_path, write=False) as archive:
        found = archive.verify([name])
        assert found.outcomes["store"] == "verified"
        assert found.kept_in is None
        assert found.not_kept
        from searchlog.recheck.wanted import Wanted

        with pytest.raises(StoreError):
            archive.verify([name], wanted=Wanted(axes=("live",)))


def test_root_that_a_check_names_is_the_head_that_was_checked() -> None:
    with searched() as (_, archive, session):
        session.verify(axes=["store"])
        (kept,) = [k for k in archive.checks.kept() if k.body.axis == "store"]
        head = session.head
        assert (kept.body.session, kept.body.version) == (session.id, head.size)
        assert kept.body.root == base64.b64encode(head.root).decode()


def test_passage_that_finds_a_bug_of_ours_does_not_take_the_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """One page that the comparison could not bear ended the whole campaign."""
    from searchlog.recheck import live

    real = live.compare

    def compare(then: Any, now: Any) -> Any:
        if "undershot" in then.selectors.exact:
            raise RuntimeError("a bug")
        return real(then, now)

    monkeypatch.setattr(live, "compare", compare)
    with searched() as (site, _, session):
        for path in TEXTS:
            site.pages[path] = (200, HTML, "<nav>Home</nav>" + html(TEXTS[path], path[1:]))
        found = session.verify(axes=["live"], **OWN)
        assert states(found) == {"/mill": "intact", "/gate": "intact", "/pond": "intact", "/wheel": "not-checked"}
        (wheel,) = (p.verdicts["live"] for p in found.passages if p.url.endswith("/wheel"))
        assert wheel.detail == "internal-error: RuntimeError: a bug"


def test_records_are_read_a_few_times_however_many_searches_are_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole log was read for each search: 41 seconds for a session of 150."""
    read = 0
    decoded = Ledger._decoded

    def counted(ledger: Ledger, seq: int, line: bytes) -> Any:
        nonlocal read
        read += 1
        return decoded(ledger, seq, line)

    with searched() as (site, _, session):
        for number in range(12):
            ask(session, site, f"tide mill {number}")
        monkeypatch.setattr(Ledger, "_decoded", counted)
        found = session.verify(axes=("derivation",))
        assert found.outcomes == {"derivation": "verified"}
        assert [report.checked["searches run again"] for report in found.reports] == [13]
        assert read < 8 * session.head.size
