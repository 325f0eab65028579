"""The front door: open an archive, get its sessions."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import searchlog
from searchlog.archive import Archive, open_archive
from searchlog.clock import FixedClock, FixedIds
from searchlog.errors import MissingError, StoreError, UsageError
from searchlog.ledger import Draft
from searchlog.log.envelope import Envelope, encode
from searchlog.log.store.base import StoredLine
from searchlog.records import Turn
from tests.searches import HTML, ask, bodies, check_clean, opened, pages
from tests.sites import serve
from tests.specimens import specimen_session


def test_package_opens_archives(tmp_path: Path):
    with searchlog.open(tmp_path / "a") as archive:
        assert isinstance(archive, Archive)
        assert archive.described == str((tmp_path / "a").resolve())
        session = archive.session(title="mills")
    with searchlog.open(tmp_path / "a", create=False) as archive:
        assert archive.session("latest").id == session.id


def test_ids_and_times_come_from_what_is_given():
    with open_archive("memory:", clock=FixedClock(), ids=FixedIds(), env={}) as archive:
        session = archive.session()
        assert session.id == "s20260102-030405-00000001"
        (record,) = session.records()
        assert (record.envelope.at, record.envelope.salt) == ("2026-01-02T03:04:05.000000Z", "0" * 31 + "1")
        assert record.body.software == f"searchlog/{searchlog.__version__}"


def test_session_is_found_by_its_id_its_beginning_or_as_the_latest():
    with open_archive("memory:", clock=FixedClock(), ids=FixedIds(), env={}) as archive:
        one, two = archive.session().id, archive.session().id
        assert archive.find(one) == one
        assert archive.find("latest") == two
        assert archive.find(two[:-1] + "2") == two
        for name, says in ((one[:10], "beginning of 2 sessions"), ("s-none", "`searchlog sessions` lists them")):
            with pytest.raises(MissingError, match=says):
                archive.find(name)
        assert archive.session(one).id == one


def test_id_that_is_the_beginning_of_another_is_itself():
    with open_archive("memory:", env={}) as archive:
        storage = archive.resources.storage
        from searchlog.session import Session

        for name in ("s1", "s12"):
            Session(name, archive.resources)
        assert storage.log.sessions() == ["s1", "s12"]
        assert archive.find("s1") == "s1"


def test_empty_archive_says_so():
    with open_archive("memory:", env={}) as archive:
        assert archive.sessions() == []
        for name in ("latest", "s1"):
            with pytest.raises(MissingError, match="it holds none yet"):
                archive.session(name)


def test_sessions_are_listed_oldest_first_with_what_they_hold(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path / "a") as archive:
        first = archive.session(title="mills")
        search = ask(first, site, "tide mill", ["/mill"])
        ask(first, site, "gate", ["/gate"])
        second = archive.session()
        one, two = archive.sessions()
        assert (one.id, two.id) == (first.id, second.id)
        assert (one.title, two.title) == ("mills", None)
        assert (one.record_count, one.turns, one.queries) == (first.head.size, 2, ("tide mill", "gate"))
        assert one.evidence_count == len(search.evidence) + 1
        assert one.began_at == first.records()[0].envelope.at
        assert (two.record_count, two.turns, two.queries) == (1, 0, ())


def test_reading_a_session_does_not_touch_it(tmp_path: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        cut = Draft(Turn(state="begin", purpose="search", lease="00000000000000aa"), turn=1)
        session.ledger.add([cut])
        head = session.head
        ledger = archive.ledger("latest")
        assert (ledger.checkpoint(), len(list(ledger.records()))) == (head, 2)
        archive.sessions()
        assert archive.ledger(session.id).checkpoint() == head
        archive.session(session.id)
        assert [body.state for body in bodies(session, Turn)] == ["begin", "discarded"]


def test_archive_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(UsageError, match="no archive at"):
        open_archive(tmp_path / "a", create=False)


def test_closed_archive_refuses_and_closing_twice_is_no_error(tmp_path: Path):
    archive = open_archive(tmp_path / "a", env={})
    session = archive.session()
    archive.close()
    archive.close()
    with pytest.raises(StoreError):
        session.records()


def test_two_archives_on_one_folder_see_each_other(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path / "a") as one, opened(tmp_path / "a") as two:
        here = one.session()
        there = two.session(here.id)
        ask(here, site, places=["/mill"])
        search = ask(there, site, places=["/gate"])
        assert (search.turn, search.evidence[0].id) == (2, "e2")
        assert len(here.records()) == len(there.records()) == search.head.size
        check_clean(here)


def test_environment_that_is_given_is_the_only_one(monkeypatch: pytest.MonkeyPatch):
    with serve(pages() | {"/search": (200, HTML, "")}) as site:
        monkeypatch.setenv("SEARCHLOG_SEARXNG_URL", "http://127.0.0.1:1/")
        with open_archive("memory:", env={"SEARCHLOG_SEARXNG_URL": site.url}) as archive:
            from tests.searches import found

            found(site, ["/mill"])
            search = archive.session().search("tide mill", allow_private=("127.0.0.1",))
            assert [run.provider for run in search.runs] == ["searxng"]


def test_damaged_session_is_listed_with_the_others():
    """One record with a bad body, or a head that is none, made the list of all sessions impossible."""
    with serve(pages()) as site, opened() as archive:
        ask(archive.session(title="mills"), site, "tide mill", ["/mill"])
        other = archive.session(title="gates")
        log = archive.resources.storage.log
        line = Envelope(other.id, 1, "2026-01-02T03:04:05.000000Z", "query", {"text": 3}, "0" * 32, turn=1)
        log.append(other.id, [encode(line)], 1)
        good, bad = archive.sessions()
        assert (good.title, good.damaged, good.erased_count) == ("mills", (), 0)
        assert (bad.title, bad.record_count, len(bad.damaged)) == ("gates", 2, 1)
        assert f"record 1 of session {other.id}" in bad.damaged[0]


def test_session_whose_head_is_none_is_listed(tmp_path: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with sqlite3.connect(tmp_path / "a" / "log.db") as db:
            db.execute("UPDATE sessions SET size = 'many'")
        db.close()
        (info,) = archive.sessions()
        assert (info.id, info.record_count) == (session.id, 1)
        assert info.damaged[0].startswith(f"the head of session {session.id} cannot be read")


def test_title_is_that_of_the_session_record_alone():
    """When that is erased, the title of the page that came next stood in its place."""
    with opened() as archive:
        made = specimen_session()
        lines = made.log.snapshot(made.session).lines
        kept = tuple(
            StoredLine(item.leaf, item.line if b'"kind":"conversion"' in (item.line or b"") else None) for item in lines
        )
        snapshot = made.log.snapshot(made.session)
        archive.resources.storage.log.restore(replace(snapshot, lines=kept))
        (info,) = archive.sessions()
        assert (info.title, info.erased_count) == (None, len(lines) - 1)


def test_a_list_of_many_sessions_reads_each_name_once(tmp_path: Path):
    """Each of the sessions was looked for in the list of all: 20,000 of them took more than 40 s."""
    folder = tmp_path / "a"
    with open_archive(folder, env={}) as archive:
        archive.resources.storage.log.append("s1", [b"a"], 0)
    with contextlib.closing(sqlite3.connect(folder / "log.db")) as db, db:
        rows = [(f"x{number:03}",) for number in range(300)]
        db.executemany("INSERT INTO sessions (session, size, frontier) VALUES (?, 0, x'')", rows)
    with open_archive(folder, write=False, env={}) as archive:
        log = archive.resources.storage.log
        listed: list[int] = []
        known = log.sessions()
        log.sessions = lambda: listed.append(1) or known
        assert [info.id for info in archive.sessions()] == ["s1", *(name for (name,) in rows)]
        for name in reversed(known):
            archive.ledger(name)
        assert len(listed) == 1
        assert archive.find("latest") == "x299"
