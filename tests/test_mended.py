"""What a review found in the joining parts: each test says what went wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from searchlog import records
from searchlog.errors import StoreError, UsageError
from searchlog.ledger import Draft, Ledger, State
from searchlog.log import durable
from searchlog.log.envelope import decode
from searchlog.search.run import RunOutcome
from searchlog.storage import open_storage
from tests.searches import HTML, ask, bodies, check_clean, html, opened, reasons
from tests.sites import serve
from tests.specimens import specimen_session


def erased(ledger: Ledger, kind: str) -> State:
    """Return the state read from a session in which every line of a kind is erased."""
    state = State()
    for seq, item in enumerate(ledger.log.get(ledger.session)):
        assert item.line is not None
        envelope = decode(item.line)
        if envelope.kind == kind:
            state.version, state.erased = seq + 1, True
        else:
            state.add(envelope)
    return state


def test_id_of_erased_evidence_is_not_given_again() -> None:
    """An erased evidence record freed its number, and e1 was given to another passage."""
    assert erased(specimen_session(), "evidence").next_evidence == 2


def test_number_of_a_turn_whose_begin_is_erased_is_not_used_again() -> None:
    state = erased(specimen_session(), "turn")
    assert (state.last_turn, state.open_turns) == (1, {})


def test_turn_is_not_discarded_when_its_end_may_be_erased(tmp_path: Path) -> None:
    """Opening a session whose turn end was erased appended `discarded` to a turn that had ended."""
    import sqlite3

    with opened(tmp_path / "a") as archive, serve({"/mill": (200, HTML, html("The tide mill."))}) as site:
        session = archive.session()
        ask(session, site, "tide mill", ["/mill"])
        name, size = session.id, session.head.size
    database = sqlite3.connect(tmp_path / "a" / "log.db")
    database.execute("UPDATE records SET line = NULL WHERE seq = ?", (size - 1,))
    database.commit()
    database.close()
    with opened(tmp_path / "a") as archive:
        assert archive.session(name).head.size == size


def test_first_error_is_told_when_the_turn_cannot_be_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk while discarding replaced what had gone wrong first, a pressed key included."""
    ledger = specimen_session()

    def full(*_: object) -> None:
        raise StoreError("no space left on device")

    def press() -> None:
        with ledger.turn("search"):
            monkeypatch.setattr(ledger.log, "append", full)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        press()


def test_end_of_a_turn_may_depend_on_what_was_made() -> None:
    ledger = specimen_session()
    with ledger.turn("search") as turn:
        note = [Draft(records.Note(text="x"))]
        turn.end(lambda _: ("empty", note), lambda made: records.Turn(state="end", outcome=made))
    assert list(ledger.records())[-1].body == records.Turn(state="end", outcome="empty")


def test_closed_archive_makes_nothing_anew(tmp_path: Path) -> None:
    """A search after `close` started new worker processes that nobody ended."""
    with opened(tmp_path / "a", in_process=False) as archive:
        session = archive.session()
    with pytest.raises(UsageError, match="is closed: open it again"):
        session.search("tide", providers=["archive"])
    with pytest.raises(UsageError, match="is closed"):
        archive.resources.later(lambda: None)
    archive.close()


def test_closing_goes_on_when_a_part_fails(tmp_path: Path) -> None:
    class Broken:
        def close(self) -> None:
            raise StoreError("a part that does not close")

    archive_of = opened(tmp_path / "a")
    archive = archive_of.__enter__()
    archive.resources._index = Broken()  # type: ignore[assignment]
    with pytest.raises(StoreError, match="does not close"):
        archive.close()
    with pytest.raises(StoreError, match="is closed"):
        archive.resources.storage.log.sessions()


def test_clients_of_an_archive_count_requests_to_a_host_together() -> None:
    """Each set of settings had a gate of its own, so two searches sent twice as many requests at once to a host."""
    from searchlog.flow.settings import Settings

    with opened() as archive:
        one = archive.resources.client(Settings())
        other = archive.resources.client(Settings(allow_private=("127.0.0.1",)))
        assert one is not other
        assert one._policy.gate is other._policy.gate
        assert one._policy.book is other._policy.book


def test_damaged_page_of_the_archive_costs_itself_and_asks_nobody(tmp_path: Path) -> None:
    """A missing payload sent the `archive` provider to the web, and an altered one ended the search."""
    pages = {"/mill": (200, HTML, html("The tide mill shuts its gate.")), "/pond": (200, HTML, html("The tide pond."))}
    with serve(pages) as site, opened(tmp_path / "a") as archive:
        session = archive.session()
        session.fetch_many([site.url + "/mill", site.url + "/pond"], allow_private=("127.0.0.1",))
        search = session.search("tide", providers=["archive"])
        assert reasons(session) == {"/mill": "kept", "/pond": "kept"}
        capture = next(c for c in bodies(session, records.Capture) if c.url.endswith("/mill") and c.payload)
        blob = Path(session.ledger.blobs.where(capture.payload.blob))
        asked = len(site.hits)
        for damage in (lambda: blob.write_bytes(b"x"), blob.unlink):
            damage()
            search = session.search("tide", providers=["archive"])
            assert reasons(session) == {"/mill": "failed-stored-bytes-gone", "/pond": "kept"}
            assert search.outcome is RunOutcome.OK
        assert len(site.hits) == asked


def test_search_whose_text_is_all_hidden_is_not_ok() -> None:
    """Its outcome was `ok` with no evidence at all."""
    page = '<p style="display:none">The tide mill shuts its gate at high water.</p>'
    with serve({"/mill": (200, HTML, page)}) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "tide mill", ["/mill"])
        assert (search.evidence, search.outcome) == ((), RunOutcome.FILTERED_TO_EMPTY)
        assert bodies(session, records.Turn)[-1].outcome == "filtered_to_empty"
        check_clean(session)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files and folders that are made durable, in order."""
    seen: list[str] = []
    fsync = os.fsync

    def watch(fd: int) -> None:
        seen.append(os.readlink(f"/proc/self/fd/{fd}"))
        fsync(fd)

    monkeypatch.setattr(durable.os, "fsync", watch)
    return seen


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="tells a file by its descriptor")
def test_description_and_names_of_a_new_archive_are_durable(tmp_path: Path, synced: list[str]) -> None:
    """After a power cut the description could be empty, and the whole archive was refused."""
    open_storage(tmp_path / "deep" / "archive").close()
    assert json.loads((tmp_path / "deep" / "archive" / "searchlog.json").read_bytes())["version"] == 1
    assert ".searchlog.json" in Path(synced[0]).name
    assert {str(tmp_path / "deep" / "archive"), str(tmp_path / "deep"), str(tmp_path)} <= set(synced)
