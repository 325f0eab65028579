"""The pages that a result names are captured anew into its session: exact, refused where they must be, and told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from searchlog import records
from searchlog.archive import Archive
from searchlog.clock import SystemClock
from searchlog.errors import MissingError, UsageError
from searchlog.hooks.event import parse_event
from searchlog.hooks.keep import Keeper, Kept
from searchlog.hooks.recapture import PAGES_MAX, recapture
from searchlog.session import Session
from tests.hook_inputs import made
from tests.searches import TEXTS, bodies, check_clean, opened, pages
from tests.sites import Site, serve

OWN = ("127.0.0.1",)


@contextmanager
def at_work() -> Iterator[tuple[Site, Archive]]:
    with serve(pages()) as site, opened() as archive:
        yield site, archive


def searched(archive: Archive, urls: list[str]) -> Kept:
    """Keep a search that found these pages."""
    hits = [{"title": "t", "url": url} for url in urls]
    response = {"query": "q", "results": [{"tool_use_id": "s", "content": hits}], "durationSeconds": 1}
    storage = archive.resources.storage
    keeper = Keeper(storage, archive.resources.clock, archive.resources.ids)
    return keeper.keep("claude-code", parse_event(made("WebSearch", {"query": "q"}, response)))


def session_of(archive: Archive, kept: Kept) -> Session:
    return archive.session(kept.session)


def test_pages_are_captured_and_the_note_says_for_which_result() -> None:
    with at_work() as (site, archive):
        kept = searched(archive, [site.url + "/mill", site.url + "/absent", site.url + "/gate"])
        assert recapture(archive, kept.session, kept.seq, allow_private=OWN) == 2
        session = session_of(archive, kept)
        final = {body.url: body for body in bodies(session, records.Capture) if body.final}
        assert session.ledger.blobs.get(final[site.url + "/mill"].payload.blob) == site.pages["/mill"][2].encode()
        begin = [record for record in session.records() if isinstance(record.body, records.Turn)][2]
        assert (begin.envelope.turn, begin.body.purpose) == (2, "fetch")
        (note,) = [record for record in session.records() if isinstance(record.body, records.Note)]
        assert note.envelope.causes == (kept.seq,)
        assert note.body.text == "recapture: 2 of 3 pages gave text"
        assert note.body.fields["pages"] == [
            {"url": site.url + "/mill", "said": f"{len(TEXTS['/mill'])} characters"},
            {"url": site.url + "/absent", "said": "http-404"},
            {"url": site.url + "/gate", "said": f"{len(TEXTS['/gate'])} characters"},
        ]
        check_clean(session)


def test_addresses_that_are_not_public_are_refused() -> None:
    with at_work() as (site, archive):
        kept = searched(archive, [site.url + "/mill", "http://169.254.169.254/latest/meta-data"])
        assert recapture(archive, kept.session, kept.seq) == 0
        captures = bodies(session_of(archive, kept), records.Capture)
        assert [(body.outcome, body.reason) for body in captures] == [("refused", "address")] * 2
        assert site.paths == []


def test_so_many_pages_of_one_result_and_no_more() -> None:
    with at_work() as (site, archive):
        kept = searched(archive, [f"{site.url}/{n}" for n in range(PAGES_MAX + 5)])
        recapture(archive, kept.session, kept.seq, allow_private=OWN)
        assert len([body for body in bodies(session_of(archive, kept), records.Capture) if body.final]) == PAGES_MAX


def test_address_of_which_a_secret_was_taken_out_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-Qx7pLm29ZkRt48Wv")
    with at_work() as (site, archive):
        kept = searched(archive, [f"{site.url}/mill?key=tvly-Qx7pLm29ZkRt48Wv"])
        assert kept.urls == (f"{site.url}/mill?key=[redacted]",)
        assert recapture(archive, kept.session, kept.seq, allow_private=OWN) == 0
        assert site.paths == []


def test_result_without_pages_begins_no_turn() -> None:
    with at_work() as (_, archive):
        kept = searched(archive, [])
        assert recapture(archive, kept.session, kept.seq) == 0
        assert len(session_of(archive, kept).records()) == 5


def test_page_that_was_captured_a_moment_ago_is_not_asked_for_again() -> None:
    with at_work() as (site, archive):
        first = searched(archive, [site.url + "/mill", site.url + "/absent"])
        recapture(archive, first.session, first.seq, allow_private=OWN)
        second = searched(archive, [site.url + "/mill", site.url + "/gate"])
        third = searched(archive, [site.url + "/mill"])
        assert recapture(archive, first.session, second.seq, allow_private=OWN) == 1
        assert recapture(archive, first.session, third.seq, allow_private=OWN) == 0
        assert [site.paths.count(path) for path in ("/mill", "/gate", "/absent")] == [1, 1, 1]
        session = session_of(archive, first)
        notes = [record for record in session.records() if isinstance(record.body, records.Note)]
        captures = {record.body.asked: record.seq for record in session.records() if record.kind == "capture"}
        assert [note.body.text for note in notes] == [
            "recapture: 1 of 2 pages gave text",
            "recapture: 1 of 1 pages gave text, 1 captured before",
            "recapture: its pages were captured before",
        ]
        mill = captures[site.url + "/mill"]
        assert [note.envelope.causes for note in notes[1:]] == [(mill, second.seq), (mill, third.seq)]
        check_clean(session)


def test_page_that_was_captured_long_ago_is_captured_again() -> None:
    clock = Later()
    with serve(pages()) as site, opened(clock=clock) as archive:
        for _ in range(2):
            kept = searched(archive, [site.url + "/mill"])
            recapture(archive, kept.session, kept.seq, allow_private=OWN)
            clock.ahead += timedelta(hours=2)
        assert site.paths.count("/mill") == 2


class Later(SystemClock):
    """The clock of this machine, put forward."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


def test_recaptures_of_one_archive_wait_for_one_another(tmp_path: Path) -> None:
    with serve(pages(), delay={"/mill": 0.3, "/gate": 0.3}) as site:
        kept = []
        with opened(tmp_path) as archive:
            kept += [searched(archive, [site.url + path]) for path in ("/mill", "/gate")]

        def run(one: Kept) -> None:
            with opened(tmp_path) as archive:
                recapture(archive, one.session, one.seq, allow_private=OWN)

        threads = [threading.Thread(target=run, args=(one,)) for one in kept]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with opened(tmp_path) as archive:
            session = session_of(archive, kept[0])
            fetches = [
                (record.envelope.turn, record.body.state)
                for record in session.records()
                if isinstance(record.body, records.Turn) and record.envelope.turn in (3, 4)
            ]
            assert fetches == [(3, "begin"), (3, "end"), (4, "begin"), (4, "end")]
            check_clean(session)


def test_what_cannot_be_fetched_at_all_is_noted() -> None:
    with at_work() as (site, archive):
        kept = searched(archive, [site.url + "/mill"])
        with pytest.raises(UsageError):
            recapture(archive, kept.session, kept.seq, allow_private=("no host",))
        (note,) = bodies(session_of(archive, kept), records.Note)
        assert note.text.startswith("recapture failed: ")


@pytest.mark.parametrize("seq", [0, 1, 4, 99])
def test_only_results_are_recaptured(seq: int) -> None:
    with at_work() as (site, archive):
        kept = searched(archive, [site.url + "/mill"])
        with pytest.raises(UsageError, match="no tool's result"):
            recapture(archive, kept.session, seq)
        with pytest.raises(MissingError):
            recapture(archive, "claude-code-none", seq)
