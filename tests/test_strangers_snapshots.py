"""Snapshots that a stranger wrote to end a reader with a traceback, or to cost it its memory or a day: told, and cheap.

Each is made around the log of a sound one, with head, description and manifest that fit it.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from searchlog import canon
from searchlog.digest import digest
from searchlog.errors import FormatError, IntegrityError, SearchlogError, UsageError
from searchlog.foreign_captures import import_captures
from searchlog.ledger import Draft
from searchlog.records import Import, Note
from searchlog.redaction.rules import parse_rule
from searchlog.sharing import SESSION as SHARING
from searchlog.snapshot import layout
from searchlog.snapshot.check import Verdict, check_snapshot, open_sound
from searchlog.snapshot.layout import Scope
from searchlog.snapshot.opened import open_snapshot
from searchlog.snapshot.plan import Choice
from tests.searches import opened
from tests.snapshots import SITE, exported, members_of, odd_session, pack, warc_of, warc_records, with_log

LOG, WARC, ABOUT = "searchlog/session.log", "archive/data.warc", "searchlog/snapshot.json"
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def sound() -> dict[str, bytes]:
    """The members of a sound snapshot."""
    return members_of(exported(odd_session()))


def records(members: dict[str, bytes], change: Callable[[Lines], Any]) -> dict[str, bytes]:
    """Return the members with records changed, added or taken away."""

    def apply(lines: list[bytes]) -> list[bytes]:
        values = [json.loads(line) for line in lines]
        change(values)
        return [canon.dumps({**value, "seq": seq}) for seq, value in enumerate(values)]

    return with_log(members, apply)


def of_kind(lines: Lines, kind: str, number: int = 0) -> dict[str, Any]:
    return [line for line in lines if line["kind"] == kind][number]["body"]  # type: ignore[no-any-return]


def verdict_on(members: dict[str, bytes], folder: Path) -> Verdict:
    """Return the verdict, and see that the file is refused where a snapshot is read or taken in."""
    path = folder / "stranger.wacz"
    path.write_bytes(pack(members))
    with pytest.raises((IntegrityError, FormatError)), open_sound(path):
        pass
    return check_snapshot(path)


def told(verdict: Verdict) -> str:
    """Return what was found in the file, a line each.

    Not told: its manifest, which `pack` makes with a title of its own; and what is found in the session, which was made
    by hand, and its rendering shows nobody's passage.
    """
    found = (one for one in verdict.report.findings if one.where != "datapackage.json")
    return "\n".join(f"{one.code} {one.where} {one.message}" for one in found)


@pytest.mark.parametrize("name", [[1], {"a": 1}, None, 7, True], ids=str)
def test_evidence_whose_id_is_no_text(sound: dict[str, bytes], tmp_path: Path, name: Any) -> None:
    members = records(sound, lambda lines: of_kind(lines, "evidence").update(id=name))
    about = json.loads(members[ABOUT])
    about["scope"] = {"kind": "evidence", "evidence": ["e2"]}
    found = told(verdict_on({**members, ABOUT: canon.dumps(about)}, tmp_path))
    assert f"document-differs {ABOUT} records" in found


@pytest.mark.parametrize("text", ["9" * 5000, "1" * 60_000, "\u0664", "-1", "1.0", ""], ids=lambda text: text[:5])
def test_number_of_a_record_that_is_none(sound: dict[str, bytes], tmp_path: Path, text: str) -> None:
    field = b"Searchlog-Record: "
    items = [
        (b"\r\n".join(line if not line.startswith(field) else field + text.encode() for line in head.split(b"\r\n")), b)
        for head, b in warc_records(sound[WARC])
    ]
    assert f"archive-differs {WARC}" in told(verdict_on({**sound, WARC: warc_of(items)}, tmp_path))


@pytest.mark.parametrize("kind", ["capture", "conversion"])
def test_line_break_where_the_archive_has_a_field(sound: dict[str, bytes], tmp_path: Path, kind: str) -> None:
    def change(lines: Lines) -> None:
        body = of_kind(lines, kind)
        body["url"] = SITE + "/a\r\nWARC-Type: warcinfo"
        if kind == "capture":
            body["exchange"]["url"] = body["url"]

    verdict = verdict_on(records(sound, change), tmp_path)
    assert "line break" in told(verdict)
    assert verdict.store is not None, "the session in it is looked at all the same"


def test_passages_that_one_blob_would_fill_the_memory_with(tmp_path: Path) -> None:
    """One blob of a megabyte, that 400 pieces of evidence name: a document of 400 MB."""
    ledger = odd_session()
    exact = canon.dumps("x" * 2**20)
    ledger.blobs.put([exact])

    def change(lines: Lines) -> None:
        one = next(line for line in lines if line["kind"] == "evidence")
        one["body"]["exact"] = {"blob": digest(exact), "bytes": len(exact)}
        lines += [{**one, "body": {**one["body"], "id": f"e{number}"}} for number in range(3, 400)]

    members = records(members_of(exported(ledger)), change)
    (_, _), *rest = warc_records(members[WARC])
    head = next(head for head, _ in rest if b"Type: resource" in head)
    url = b"WARC-Target-URI: urn:searchlog:blob:" + digest(exact).encode()
    fields = [url if line.startswith(b"WARC-Target-URI") else line for line in head.split(b"\r\n")]
    members[WARC] += warc_of([(b"\r\n".join(fields), exact)])
    tracemalloc.start()
    try:
        assert "evidence.json would be larger than 67108864 bytes" in told(verdict_on(members, tmp_path))
        assert tracemalloc.get_traced_memory()[1] < 200 * 2**20
    finally:
        tracemalloc.stop()


def test_one_payload_that_many_records_name_is_not_read_for_each(tmp_path: Path) -> None:
    ledger = odd_session()
    members = members_of(exported(ledger))
    path = tmp_path / "sound.wacz"
    path.write_bytes(pack(members))
    with open_snapshot(path) as snapshot:
        (largest,) = sorted(snapshot.blobs.digests(), key=lambda name: len(snapshot.blobs.get(name)))[-1:]
        size = path.stat().st_size
        times = (16 * size + 64 * 2**20) // len(snapshot.blobs.get(largest))
        with snapshot.blobs.bounded():
            for _ in range(times):
                snapshot.blobs.get(largest)
            with pytest.raises(FormatError, match="name the same bytes too often"):
                snapshot.blobs.get(largest)
        snapshot.blobs.get(largest)  # nobody counts outside


def test_a_record_that_redacting_makes_too_long_leaves_as_its_hash(tmp_path: Path) -> None:
    """Each letter becomes `[redacted]`: the copy would be longer than a line of the log may be."""
    path = tmp_path / "long.wacz"
    with opened(tmp_path / "archive") as archive:
        ledger = archive.session().ledger
        ledger.add([Draft(Note(text="~ ^ " * 14_000))])
        path.write_bytes(exported(ledger, Choice(rules=(parse_rule("pattern:[~^]"),))))
    verdict = check_snapshot(path)
    assert (told(verdict), verdict.outcome) == ("", "verified")
    with open_snapshot(path) as snapshot:
        last = max(seq for first, end, _ in snapshot.description.left_out.records for seq in (first, end))
        assert last == snapshot.description.size - 1
        assert last not in snapshot.copies


@pytest.mark.parametrize(
    "name", ["x" * 300 + ".wacz", "a\0b.wacz", "folder", "nowhere/x.wacz"], ids=["long", "nul", "folder", "nowhere"]
)
def test_place_that_cannot_be_written_to_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with opened(tmp_path / "archive") as archive:
        session = archive.session()
        session.ledger.add([Draft(Note(text="x"))])
        with pytest.raises(SearchlogError):
            archive.write_export(archive.plan_export(session.id), tmp_path / name, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "folder"]
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_snapshot_is_no_archive_of_another_tool(sound: dict[str, bytes], tmp_path: Path) -> None:
    """Its pages would become captures of one's own, without the log that vouches for them."""
    path = tmp_path / "snapshot.wacz"
    path.write_bytes(pack(sound))
    with opened(tmp_path / "archive") as archive:
        session = archive.session()
        with pytest.raises(UsageError, match="snapshot of searchlog"):
            import_captures(session, path)
        assert all(record.kind == "session" for record in session.records())


def test_an_import_that_cannot_be_read_costs_no_other_session_anything(tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive:
        archive.session().ledger.add([Draft(Note(text="of one's own"))])
        lost = Import(
            session="s20260101-000000-0000000a",
            snapshot=digest(b"x"),
            size=1,
            root="",
            scope={"kind": "session"},
            profile="full",
            left_out={"records": "not a list", "blobs": {}},
            signed_by=[],
            file="x.wacz",
        )
        archive.sharing.note(lost)
        assert len(archive.sessions()) == 2
        assert archive.sharing.imported()["s20260101-000000-0000000a"].absence.lines == frozenset()
        assert archive.find("latest") != SHARING
        archive.session().ledger.add([Draft(Note(text="goes on"))])


def test_bounds_are_those_of_the_writer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MEMBERS_MAX", 5)
    with pytest.raises(UsageError, match="more than 5 members"):
        exported(odd_session())
    monkeypatch.undo()
    monkeypatch.setattr(layout, "BLOCK_MAX", 50)
    with pytest.raises(UsageError, match="leave its turn out"):
        exported(odd_session(), Choice(Scope(turns=(1,))))
