"""Targets of the log: lines, bodies, checkpoints, and a database that somebody else wrote."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from functools import cache
from pathlib import Path

from searchlog import canon
from searchlog.errors import FormatError, SearchlogError
from searchlog.log.checkpoint import Checkpoint, format_checkpoint, head_line, parse_checkpoint
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.store.sqlite import SqliteLogStore
from searchlog.records import KINDS, Unknown, parse_body
from searchlog.verify.store import verify_session
from tests.fuzz import target as fuzz
from tests.specimens import specimen_session

__all__ = ["TARGETS"]


@cache
def _lines() -> list[bytes]:
    ledger = specimen_session()
    return [item.line for item in ledger.log.get(ledger.session) if item.line is not None]


def check_canon(data: bytes) -> None:
    """What is read strictly is written again to something that is read the same."""
    try:
        value = canon.loads(data)
    except FormatError:
        return
    line = canon.dumps(value)
    assert canon.loads(line) == value
    assert canon.dumps(canon.loads(line)) == line


def check_line(data: bytes) -> None:
    """A line is a record, which is written again to one that says the same, or a FormatError."""
    try:
        envelope = decode(data)
    except FormatError:
        return
    line = encode(envelope)
    assert decode(line) == envelope
    try:
        body = parse_body(envelope.kind, envelope.body)
    except FormatError:
        return
    assert isinstance(body, KINDS.get(envelope.kind, Unknown))
    written = body.to_json()
    assert canon.loads(canon.dumps(written)) == written
    assert parse_body(envelope.kind, written) == body


def check_session(data: bytes) -> None:
    """A session of any lines is verified to the end: a report, whatever they say."""
    ledger = specimen_session()
    log = MemoryLogStore()
    lines = [line for line in data.split(b"\n") if line][:40]
    if not lines:
        return
    log.append(ledger.session, lines, 0)
    report = verify_session(log, ledger.blobs, ledger.session)
    assert report.checked["lines"] == len(lines)
    assert report.outcome in ("verified", "failed", "not checked")
    json.dumps(report.to_json()).encode("utf-8")


def sessions() -> list[bytes]:
    lines = _lines()
    return [b"\n".join(lines), b"\n".join(lines[5:]), b"\n".join(line for line in lines for _ in (0, 1))]


def check_checkpoint(data: bytes) -> None:
    """A text is a checkpoint, which is the beginning of what is written of it, or a FormatError."""
    text = data.decode("utf-8", "replace")
    try:
        found = parse_checkpoint(text)
    except FormatError:
        return
    assert text.startswith(format_checkpoint(found))
    assert "\n" not in head_line(found)


def checkpoints() -> list[bytes]:
    text = format_checkpoint(Checkpoint("searchlog/s20260102-030405-00000001", 14, b"\x07" * 32))
    return [text.encode(), (text + "extension x\n").encode(), text.replace("14", "0").encode()]


@cache
def _database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        store, ledger = SqliteLogStore(path), specimen_session()
        store.append(ledger.session, _lines(), 0)
        store.close()
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size=512")
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("VACUUM")
        db.close()
        return path.read_bytes()


def check_database(data: bytes) -> None:
    """A database that somebody changed is read as far as it goes: a report, or an error of ours."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        path.write_bytes(data)
        ledger = specimen_session()
        try:
            store = SqliteLogStore(path, create=False, write=False)
        except SearchlogError:
            return
        try:
            names = store.sessions()
            for name in {*names[:3], ledger.session}:
                json.dumps(verify_session(store, ledger.blobs, name).to_json())
        except SearchlogError:
            pass
        finally:
            store.close()


def envelopes() -> list[bytes]:
    later = Envelope("s1", 3, "2026-01-02T03:04:05Z", "later-kind", {"a": [1]}, "0" * 32, extra={"more": {"x": 1}})
    return [*_lines(), encode(later)]


TARGETS = [
    fuzz.Target("canon", "json", check_canon, envelopes),
    fuzz.Target("line", "json", check_line, envelopes),
    fuzz.Target("session", "json", check_session, sessions),
    fuzz.Target("checkpoint", "text", check_checkpoint, checkpoints),
    fuzz.Target("database", "bytes", check_database, lambda: [_database()]),
]
