"""The store axis: every finding has a test that causes exactly it; what is clean or erased gives none."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchlog import canon, records
from searchlog.digest import digest, parse, text_digest
from searchlog.errors import MissingError, StoreError
from searchlog.ledger import Draft, Ledger
from searchlog.log.blobs.base import BlobStore
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.log.store.base import LogStore, StoredLine
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.tree import EMPTY_ROOT, leaf_hash
from searchlog.records import BlobRef
from searchlog.storage import open_storage
from searchlog.verify.finding import FINDINGS, Report
from searchlog.verify.store import verify_session
from tests.searches import TEXTS, ask, opened, pages
from tests.sites import serve
from tests.specimens import BLOCK, PAYLOAD, RENDERING, TEXT, specimen_session

AT = "2026-01-02T03:04:05.000000Z"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with one real session of two searches and a fetch."""
    folder = tmp_path_factory.mktemp("verify") / "archive"
    with serve(pages()) as site, opened(folder) as archive:
        session = archive.session()
        ask(session, site, "tide mill gate", ["/mill", "/gate"])
        ask(session, site, "pond mud mill", ["/pond", "/gate", "/absent"])
        session.fetch(site.url + "/wheel", allow_private=("127.0.0.1",))
    return folder


class World:
    """A copy of the archive, to be damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = sqlite3.connect(folder / "log.db", isolation_level=None)
        self.storage = open_storage(folder, create=False)
        (self.session,) = self.storage.log.sessions()

    def verify(self, **options: Any) -> Report:
        return verify_session(self.storage.log, self.storage.blobs, self.session, **options)

    def lines(self) -> list[bytes]:
        return [row[0] for row in self.db.execute("SELECT line FROM records ORDER BY seq")]

    def seq_of(self, kind: str, number: int = 0) -> int:
        return [seq for seq, line in enumerate(self.lines()) if decode(line).kind == kind][number]

    def file(self, name: str) -> Path:
        return self.folder / "blobs" / "sha256" / name[7:9] / name[7:]

    def blob(self, kind: str, field: str) -> Path:
        """Return the file of the first blob that this field of a record of this kind names."""
        found = (decode(line) for line in self.lines())
        return self.file(next(x.body[field]["blob"] for x in found if x.kind == kind and field in x.body))

    def head(self) -> Checkpoint:
        found = self.storage.log.head(self.session)
        return Checkpoint(ORIGIN_PREFIX + self.session, found.size, found.root)

    def close(self) -> None:
        self.db.close()
        self.storage.close()


@pytest.fixture
def world(original: Path, tmp_path: Path) -> Iterator[World]:
    shutil.copytree(original, tmp_path / "copy")
    world = World(tmp_path / "copy")
    yield world
    world.close()


# --- sessions made by hand: everything is stored as it should be, only the records say something wrong


def ledger() -> Ledger:
    return specimen_session()


def check(made: Ledger) -> Report:
    return verify_session(made.log, made.blobs, made.session)


def body(made: Ledger, kind: str) -> Any:
    return next(record.body for record in made.records() if record.kind == kind)


def adding(*bodies: records.Body, turn: int | None = None) -> Callable[[World], Report]:
    """Return a case: these records after those of the specimen session."""

    def case(_: World) -> Report:
        made = ledger()
        made.add([Draft(item, turn=turn) for item in bodies])
        return check(made)

    return case


def changing(kind: str, **fields: Any) -> Callable[[World], Report]:
    """Return a case: the specimen's record of this kind once more, with other fields."""

    def case(_: World) -> Report:
        made = ledger()
        made.add([Draft(body(made, kind).model_copy(update=fields), turn=7)])
        return check(made)

    return case


def run_of_the_exchange(**fields: Any) -> Callable[[World], Report]:
    """Return a case: an exchange with a provider, and a run that follows from it."""

    def case(_: World) -> Report:
        made = ledger()
        answered = {"started_at": "2026-01-02T03:04:05.000000Z"}
        exchange = Draft(records.ProviderExchange(provider="searxng", exchange=answered), turn=7)
        given = {"provider": "searxng", "outcome": "empty"} | fields
        made.add([exchange, Draft(records.Run(**given), (exchange,), turn=7)])
        return check(made)

    return case


def asking(text: str, *also: str) -> records.Query:
    return records.Query(text=text, options={}, providers=["p"], mode="fuse", policy={}, also=list(also) or None)


def numbered(number: int) -> records.Run:
    """Return the run that answers this text of a query."""
    return records.Run(provider="p", outcome="empty", query_number=number)


def raw_line(line: bytes) -> Callable[[World], Report]:
    def case(_: World) -> Report:
        made = ledger()
        made.log.append(made.session, [line], made.checkpoint().size)
        return check(made)

    return case


def envelope(**fields: Any) -> bytes:
    size = specimen_session().checkpoint().size
    given = Envelope(specimen_session().session, size, AT, "note", {"text": "x"}, "0" * 32)
    return encode(replace(given, **fields))


def step(name: str, in_count: int, kept: int, dropped: int, **fields: Any) -> records.Decision:
    given: dict[str, Any] = {
        "items": [{"subject": str(n), "kept": False, "reason": "limit"} for n in range(dropped)],
        "reasons": {"limit": dropped} if dropped else {},
    }
    return records.Decision(
        step=name, rule="r/1", in_count=in_count, kept_count=kept, dropped_count=dropped, **(given | fields)
    )


def spilled(made: Ledger, value: bytes) -> BlobRef:
    made.blobs.put([value])
    return BlobRef(blob=digest(value), bytes=len(value))


def spilling(kind: str, name: str, value: bytes) -> Callable[[World], Report]:
    """Return a case: a record whose field lies in a blob with these bytes."""

    def case(_: World) -> Report:
        made = ledger()
        made.add([Draft(body(made, kind).model_copy(update={name: spilled(made, value)}), turn=7)])
        return check(made)

    return case


def no_utf8(_: World) -> Report:
    made = ledger()
    ref = spilled(made, b"\xff\xfe\xff")
    conversion = body(made, "conversion").model_copy(update={"text": ref})
    evidence = body(made, "evidence").model_copy(update={"text": ref.blob, "start": 0, "end": 3})
    made.add([Draft(conversion), Draft(evidence)])
    return check(made)


# --- damage done to a real archive


def sql(statement: str, *values: object) -> Callable[[World], Report]:
    def case(world: World) -> Report:
        assert world.db.execute(statement, values).rowcount == 1
        return world.verify()

    return case


def alter_line(old: bytes, new: bytes, kind: str) -> Callable[[World], Report]:
    def case(world: World) -> Report:
        seq = world.seq_of(kind)
        line = world.lines()[seq]
        assert old in line
        world.db.execute("UPDATE records SET line = ? WHERE seq = ?", (line.replace(old, new), seq))
        return world.verify()

    return case


def file_case(kind: str, field: str, change: Callable[[bytes], bytes] | None) -> Callable[[World], Report]:
    """Return a case: the file of a blob changed, or deleted."""

    def case(world: World) -> Report:
        path = world.blob(kind, field)
        if change is None:
            path.unlink()
        else:
            path.chmod(0o600)
            path.write_bytes(change(path.read_bytes()))
        return world.verify()

    return case


def no_file(make: Callable[[Path], None]) -> Callable[[World], Report]:
    """Return a case: something that is no file in the place of a blob."""

    def case(world: World) -> Report:
        path = world.blob("capture", "payload")
        path.unlink()
        make(path)
        return world.verify()

    return case


def unreadable(world: World) -> Report:
    """A blob that this user may not read: test_folder_blobs.py shows that the store tells it so."""
    denied = digest(world.blob("capture", "payload").read_bytes())

    class Blobs:
        def get(self, name: str) -> bytes:
            if name == denied:
                raise StoreError("cannot read it: Permission denied", digest=name)
            return world.storage.blobs.get(parse(name))

    return verify_session(world.storage.log, Blobs(), world.session)  # type: ignore[arg-type]


def erasing(*seqs: int) -> Callable[[World], Report]:
    """Return a case: these lines of a real session erased, with nothing that says so."""

    def case(world: World) -> Report:
        for seq in seqs:
            world.db.execute("UPDATE records SET line = NULL WHERE seq = ?", (seq,))
        return world.verify()

    return case


LAST = specimen_session().checkpoint().size - 1
"""Seq of the last record of the specimen session: that which is erased."""


def explained_by(body: dict[str, Any], kind: str = "erasure") -> Callable[[World], Report]:
    """Return a case: a line of the specimen session erased, and this record after it."""

    def case(_: World) -> Report:
        made = ledger()
        size = made.checkpoint().size
        made.log.append(made.session, [envelope(kind=kind, body=body)], size)
        return verify_session(_Erased(made.log, size - 1), made.blobs, made.session)

    return case


def spilling_text(data: bytes) -> Callable[[World], Report]:
    def case(_: World) -> Report:
        made = ledger()
        made.add([Draft(body(made, "rendering").model_copy(update={"text": spilled(made, data)}), turn=7)])
        return check(made)

    return case


def rendering_of(text: str, **fields: Any) -> Callable[[World], Report]:
    """Return a case: a rendering with this text."""

    def case(_: World) -> Report:
        made = ledger()
        ref = spilled(made, text.encode())
        made.add([Draft(body(made, "rendering").model_copy(update={"text": ref, **fields}), turn=7)])
        return check(made)

    return case


def refenced(old: str, new: str) -> str:
    """Return the specimen's rendering with its block changed, and fenced as if it were ours."""
    inside = BLOCK.replace(old, new)
    assert inside != BLOCK
    fence = f"evidence e1 {text_digest(inside)[7:23]}"
    return f"Evidence for: x\n\n<{fence}>\n{inside}\n</{fence}>\n"


def choosing(*slices: tuple[object, object], evidence: int = 1) -> Callable[[World], Report]:
    """Return a case: a turn whose selection names these slices, with the specimen's evidence so many times."""

    def case(_: World) -> Report:
        made = ledger()
        chosen = [{"source": 0, "start": start, "end": end} for start, end in slices]
        bodies = [body(made, "selection").model_copy(update={"chosen": chosen}), *[body(made, "evidence")] * evidence]
        made.add([Draft(item, turn=7) for item in bodies])
        return check(made)

    return case


def shortened_where_the_page_says_so(_: World) -> Report:
    """Cut the text of a rendering after a line of the page that reads like the note that stands below a cut passage."""
    page = TEXT + "\n[e2 is cut: 3 of its 9 characters are not shown]\nThe mill stands."
    passage = page[len(TEXT) :]
    made = ledger()
    ref = spilled(made, page.encode())
    place = {"text": ref.blob, "start": len(TEXT), "end": len(page), "prefix": "", "suffix": ""}
    words = {"id": "e2", "exact": passage, "digest": text_digest(passage)}
    inside = BLOCK.replace("The pond fills with the tide.", passage.removesuffix(" stands."))
    fence = f"evidence e2 {text_digest(inside)[7:23]}"
    shown = spilled(made, f"Evidence for: x\n\n<{fence}>\n{inside}\n</{fence}>\n".encode())
    made.add(
        [
            Draft(body(made, "conversion").model_copy(update={"text": ref}), turn=7),
            Draft(body(made, "evidence").model_copy(update=place | words), turn=7),
            Draft(body(made, "rendering").model_copy(update={"text": shown, "evidence": ["e2"]}), turn=7),
        ]
    )
    return check(made)


def flip(data: bytes) -> bytes:
    return data[:5] + bytes([data[5] ^ 1]) + data[6:]


def changed_row_with_its_leaf(world: World) -> Report:
    """Change a line and its leaf hash together: then only the head speaks against it."""
    seq = world.seq_of("session")
    line = world.lines()[seq].replace(b"searchlog/0", b"searchlog/9")
    world.db.execute("UPDATE records SET line = ?, leaf = ? WHERE seq = ?", (line, leaf_hash(line), seq))
    return world.verify()


def last_record_removed(world: World) -> Report:
    size = len(world.lines())
    world.db.execute("DELETE FROM records WHERE seq = ?", (size - 1,))
    return world.verify()


def gap(world: World) -> Report:
    world.db.execute("UPDATE records SET seq = seq + 5 WHERE seq = ?", (len(world.lines()) - 1,))
    return world.verify()


def shorter_than_seen(world: World) -> Report:
    """Everything is put back to an earlier version, head and all: only somebody who saw the later head can tell."""
    seen = world.head()
    snapshot = world.storage.log.snapshot(world.session)
    older = MemoryLogStore()
    older.append(world.session, [item.line for item in snapshot.lines[:-3] if item.line is not None], 0)
    return verify_session(older, world.storage.blobs, world.session, heads=[seen])


def session_gone(world: World) -> Report:
    """The session is removed whole; only the head that was seen tells that it was there."""
    seen = world.head()
    return verify_session(MemoryLogStore(), world.storage.blobs, world.session, heads=[seen])


def rewritten(world: World) -> Report:
    """The whole log is written anew with another salt: consistent in itself, but not what was seen."""
    seen = world.head()
    other = MemoryLogStore()
    first = decode(world.lines()[0])
    other.append(world.session, [encode(replace(first, salt="f" * 32)), *world.lines()[1:]], 0)
    report = verify_session(other, world.storage.blobs, world.session)
    assert report.findings == []
    return verify_session(other, world.storage.blobs, world.session, heads=[seen])


def fork_at_an_earlier_size(world: World) -> Report:
    return world.verify(heads=[Checkpoint(ORIGIN_PREFIX + world.session, 3, bytes(32))])


EVIDENCE = body(specimen_session(), "evidence")
GIVEN = BlobRef(blob=digest(PAYLOAD), bytes=len(PAYLOAD))

CASES: dict[str, dict[str, Callable[[World], Report]]] = {
    "line-altered": {
        "software": alter_line(b"searchlog/0", b"searchlog/1", "session"),
        "salt": alter_line(b'"salt":"', b'"salt" :"', "query"),
        "time": alter_line(b'"at":"20', b'"at":"19', "run"),
        "kind": alter_line(b'"kind":"query"', b'"kind":"other"', "query"),
    },
    "head-mismatch": {
        "last-record-removed": last_record_removed,
        "line-and-leaf-changed": changed_row_with_its_leaf,
        "head-changed": sql("UPDATE sessions SET frontier = zeroblob(length(frontier))"),
        "head-too-short": sql("UPDATE sessions SET frontier = x'00'"),
        "size-changed": sql("UPDATE sessions SET size = size + 1"),
        "size-negative": sql("UPDATE sessions SET size = -1"),
        "head-emptied": sql("UPDATE sessions SET size = 0, frontier = x''"),
        "size-no-number": sql("UPDATE sessions SET size = 'many'"),
    },
    "truncated": {"put-back": shorter_than_seen, "session-gone": session_gone},
    "erased-unexplained": {
        "first": erasing(0),
        "one": erasing(5),
        "several-in-a-row": erasing(5, 6, 7),
        "told-by-another-kind": explained_by({"seqs": [LAST]}, "note-of-erasure"),
        "told-of-another-line": explained_by({"seqs": [LAST - 1]}),
        "told-in-no-list": explained_by({"seqs": LAST}),
        "told-of-truth": explained_by({"seqs": [True, str(LAST), None]}),
        "told-by-itself": explained_by({"seqs": [LAST + 1, LAST + 2]}),
    },
    "fork": {"rewritten": rewritten, "earlier": fork_at_an_earlier_size},
    "record-unreadable": {
        "not-json": raw_line(b"not json"),
        "empty": raw_line(b""),
        "no-object": raw_line(b"[]"),
        "float": raw_line(envelope().replace(b'"x"', b"1.5")),
        "later-version": raw_line(envelope().replace(b'"v":1', b'"v":2')),
        "bad-body": raw_line(envelope(body={"text": 3})),
        "bad-reference": raw_line(envelope(kind="rendering", body={"form": "r", "text": {"blob": "x", "bytes": 1}})),
        "spilled-not-json": spilling("verification", "findings", b"not json"),
        "spilled-no-list": spilling("run", "results", b"{}"),
        "spilled-other-items": spilling("decision", "items", b'["x"]'),
        "spilled-no-text": spilling("evidence", "exact", b"3"),
        "not-canonical": raw_line(envelope().replace(b'"v":1', b'"v": 1')),
        "keys-in-another-order": raw_line(envelope().replace(b'{"agent":"main",', b"{")[:-1] + b',"agent":"main"}'),
        "spilled-not-canonical": spilling("verification", "findings", b"[ ]"),
        "spilled-not-utf-8": spilling("selection", "chosen", b"\xff"),
    },
    "record-misplaced": {
        "other-seq": raw_line(envelope(seq=3)),
        "other-session": raw_line(envelope(session="s-other")),
        "other-origin": changing("session", origin="searchlog/s-other"),
        "gap": gap,
    },
    "turn-broken": {
        "end-without-begin": adding(records.Turn(state="end"), turn=9),
        "discarded-without-begin": adding(records.Turn(state="discarded"), turn=9),
        "ends-twice": adding(records.Turn(state="end"), turn=1),
        "ends-and-is-discarded": adding(records.Turn(state="discarded"), turn=1),
        "begins-twice": adding(records.Turn(state="begin"), records.Turn(state="begin"), turn=9),
        "begins-after-its-end": adding(records.Turn(state="begin"), turn=1),
    },
    "blob-missing": {
        "payload": file_case("capture", "payload", None),
        "text": file_case("conversion", "text", None),
        "structure": file_case("conversion", "structure", None),
        "rendering": file_case("rendering", "text", None),
        "answer": file_case("provider-exchange", "payload", None),
        "in-an-unknown-field": adding(
            records.Note(text="x", fields={"deep": [{"ref": {"blob": digest(b"absent"), "bytes": 6}}]})
        ),
        "in-an-unknown-kind": raw_line(
            envelope(kind="compaction", body={"later": {"blob": digest(b"absent"), "bytes": 6}})
        ),
        "spilled": changing("run", results=BlobRef(blob=digest(b"absent"), bytes=6)),
    },
    "blob-altered": {
        "bit": file_case("capture", "payload", flip),
        "cut": file_case("conversion", "text", lambda data: data[:-1]),
        "emptied": file_case("rendering", "text", lambda data: b""),
        "longer": file_case("conversion", "structure", lambda data: data + b"\n"),
        "other-size": changing("capture", payload=BlobRef(blob=digest(PAYLOAD), bytes=3)),
        "folder": no_file(Path.mkdir),
        "pipe": no_file(lambda path: os.mkfifo(path, 0o600)),
        "links-in-a-circle": no_file(lambda path: path.symlink_to(path.name)),
        "one-of-two-sizes": changing("capture", payload=BlobRef(blob=digest(PAYLOAD), bytes=len(PAYLOAD) + 1)),
    },
    "blob-unreadable": {"denied": unreadable},
    "counts-differ": {
        "sum": adding(step("filter", 5, 2, 2), turn=7),
        "decisions": adding(step("filter", 5, 3, 2, items=[]), turn=7),
        "reasons": adding(step("filter", 5, 3, 2, reasons={"limit": 1}), turn=7),
        "chain": adding(step("fuse", 5, 3, 2), step("filter", 5, 3, 2), turn=7),
        "chain-of-passages": adding(step("visible", 5, 5, 0), step("match", 4, 4, 0), turn=7),
        "chosen": adding(
            step("budget", 5, 2, 3),
            records.Selection(
                rule="r/1", budget_tokens=1, used_tokens=1, chosen=[{"source": 0, "start": 11, "end": 40}]
            ),
            EVIDENCE,
            turn=7,
        ),
        "results": adding(
            records.Run(provider="p", outcome="ok", results=[{"rank": 1, "url": "u"}]), step("parse", 2, 2, 0), turn=7
        ),
    },
    "run-differs": {
        "text-not-listed": adding(
            records.Run(provider="p", outcome="ok", results=[{"rank": 1, "url": "u", "text": GIVEN.model_dump()}]),
            turn=7,
        ),
        "text-of-no-result": adding(records.Run(provider="p", outcome="ok", texts=[GIVEN]), turn=7),
        "other-time": run_of_the_exchange(answered_at="2026-01-02T03:04:06.000000Z"),
        "other-provider": run_of_the_exchange(provider="brave"),
        "text-of-no-query": adding(asking("a", "b"), numbered(3), turn=7),
        "text-of-one": adding(asking("a"), numbered(2), turn=7),
        "first-text-numbered": adding(asking("a", "b"), numbered(1), turn=7),
        "number-below-one": adding(asking("a", "b"), numbered(-1), turn=7),
    },
    "selection-differs": {
        "evidence-missing": choosing((11, 40), (41, 70)),
        "evidence-too-many": choosing(),
        "other-slice": choosing((11, 41)),
        "other-slice-of-two": choosing((11, 40), (12, 40), evidence=2),
        "slice-that-is-none": choosing((None, 40)),
    },
    "passage-differs": {
        "moved": changing("evidence", start=EVIDENCE.start + 1, end=EVIDENCE.end + 1),
        "other-words": changing("evidence", exact=EVIDENCE.exact.replace("tide", "moon")),
        "other-digest": changing("evidence", digest=text_digest("other")),
        "from-the-end": changing(
            "evidence", start=EVIDENCE.start - len(TEXT), end=EVIDENCE.end - len(TEXT), exact=EVIDENCE.exact
        ),
        "other-prefix": changing("evidence", prefix="Wind mill\n"),
        "other-suffix": changing("evidence", suffix=" Its gate shuts at low water.."),
        "beyond-the-end": changing("evidence", start=1000, end=1000 + len(EVIDENCE.exact)),
        "text-not-utf-8": no_utf8,
    },
    "evidence-unrooted": {
        "other-text": changing("evidence", text=digest(b"a text of another session")),
        "other-payload": changing("evidence", payload=digest(b"a page of another session")),
    },
    "evidence-id-repeated": {
        "other-slice": adding(
            EVIDENCE.model_copy(
                update={
                    "start": EVIDENCE.start + 4,
                    "prefix": TEXT[: EVIDENCE.start + 4],
                    "exact": EVIDENCE.exact[4:],
                    "digest": text_digest(EVIDENCE.exact[4:]),
                }
            ),
            turn=7,
        )
    },
    "evidence-differs": {
        "url": changing("evidence", url="http://127.0.0.1:8080/other"),
        "title": changing("evidence", title="Windmills"),
        "no-title": changing("evidence", title=""),
        "time": changing("evidence", captured_at="2026-01-02T03:04:06.000000Z"),
        "published": changing("evidence", published="2026-01-01", published_source="meta"),
        "published-by-nobody": changing("evidence", published="2026-01-01", published_source="provider"),
        "link": changing("evidence", link="http://127.0.0.1:8080/other#:~:text=The%20pond"),
    },
    "rendering-differs": {
        "no-fence": rendering_of("The pond fills with the tide.\n"),
        "broken-fence": rendering_of(RENDERING.replace("The pond fills", "The moon fills")),
        "other-text": rendering_of(refenced("The pond fills", "The moon fills")),
        "text-that-says-it-is-cut": shortened_where_the_page_says_so,
        "shortened-text": rendering_of(refenced("fills with the tide.", "fills")),
        "other-url": rendering_of(refenced("/mills", "/wheels")),
        "other-title": rendering_of(refenced("title: Tide", "title: Wind")),
        "other-id": rendering_of(RENDERING.replace("evidence e1 ", "evidence e2 ")),
        "twice": rendering_of(RENDERING * 2),
        "not-all-shown": rendering_of(RENDERING, evidence=["e1", "e1"]),
        "not-utf-8": spilling_text(b"\xff"),
    },
    "rendering-unrooted": {"unknown-id": changing("rendering", evidence=["e1", "e99"])},
}
SNAPSHOT = {
    *("snapshot-unreadable", "layout-differs", "member-differs", "document-differs", "archive-differs"),
    *("signature-invalid", "token-invalid", "name-differs"),
}
"""Codes of snapshot files: test_tampered_snapshots.py."""
HEADS = {"cosignature-invalid", "signature-invalid", "token-invalid"}
"""Codes of heads: test_verify_heads.py, test_verify_cosigned.py."""
DERIVATION = {"passage-not-visible", "text-differs", "rendering-not-equal", "evidence-not-equal"}
"""Codes of the other axis: test_verify_derivation.py, test_verify_reruns.py."""
STATES = {"truncated": "truncated", "fork": "fork", "erased-unexplained": "missing"}
STATES |= {"blob-missing": "missing", "blob-unreadable": "missing"}


def test_every_finding_has_a_case():
    assert set(CASES) | DERIVATION | SNAPSHOT | HEADS == set(FINDINGS)


@pytest.mark.parametrize(
    ("code", "name"), [(code, name) for code in CASES for name in CASES[code]], ids=lambda value: value
)
def test_damage_gives_exactly_its_finding(world: World, code: str, name: str):
    report = CASES[code][name](world)
    assert {finding.code for finding in report.findings} == {code}
    assert len(report.findings) == 1
    assert report.outcome == "failed"
    assert report.state == report.to_json()["state"] == STATES.get(code, "altered")
    (finding,) = report.findings
    assert finding.where
    assert finding.message
    assert report.to_json()["findings"][0]["code"] == code


# --- what is clean


def test_clean_sessions_give_none(world: World):
    report = world.verify()
    assert (report.findings, report.outcome, report.level) == ([], "verified", "L0")
    assert (report.state, report.damage.worst) == ("intact", "intact")
    assert report.not_checked == {}
    assert report.checked["lines"] == report.checked["records"] == report.size == len(world.lines())
    assert report.checked["turns"] == 3
    assert report.checked["passages"] == len([x for x in world.lines() if decode(x).kind == "evidence"]) > 0
    assert report.checked["renderings"] == 2
    assert check(ledger()).findings == []


def test_progress_goes_to_the_end(world: World):
    seen: list[tuple[int, int]] = []
    world.verify(progress=lambda done, total: seen.append((done, total)))
    size = len(world.lines())
    assert seen == [(number, size) for number in range(1, size + 1)]


def test_session_that_is_not_there_is_missing(world: World):
    with pytest.raises(MissingError, match="no session s-none"):
        verify_session(world.storage.log, world.storage.blobs, "s-none")


def test_all_findings_are_told_not_the_first_only(world: World):
    world.blob("capture", "payload").unlink()
    world.blob("rendering", "text").write_bytes(b"")
    world.db.execute("UPDATE records SET line = line || ' ' WHERE seq = 0")
    codes = [finding.code for finding in world.verify().findings]
    assert sorted(codes) == ["blob-altered", "blob-missing", "line-altered"]


def test_turn_under_way_is_not_checked_and_no_finding():
    made = ledger()
    made.add([Draft(records.Turn(state="begin"), turn=2)])
    report = check(made)
    assert (report.findings, report.not_checked) == ([], {"turns under way or cut off": 1})


def test_blob_that_a_text_only_looks_like_is_no_reference():
    """A note that held an object with the keys of a reference, but no digest, ended the verification with an error."""
    assert adding(records.Note(text="x", fields={"blob": "no digest", "bytes": 3}))(None).findings == []  # type: ignore[arg-type]
    assert adding(records.Note(text="x", fields={"blob": digest(b"absent"), "bytes": True}))(None).findings == []  # type: ignore[arg-type]


def test_records_of_a_live_session_are_read_as_of_one_moment():
    """Head and lines were read one after the other: what another writer appended in between was reported as a head
    that does not match."""

    class Live(MemoryLogStore):
        def append_now(self) -> None:
            seq = super().head("s1").size
            super().append("s1", [encode(Envelope("s1", seq, AT, "note", {"text": "x"}, "0" * 32))], seq)

        def get(self, session, start=0, end=None):
            self.append_now()
            return super().get(session, start, end)

        def head(self, session):
            found = super().head(session)
            self.append_now()
            return found

    log = Live()
    log.append_now()
    assert verify_session(log, ledger().blobs, "s1").findings == []


# --- heads from elsewhere


def test_head_that_somebody_has_seen_raises_the_level(world: World):
    early = world.storage.log.get(world.session, 0, 5)
    seen = Checkpoint(ORIGIN_PREFIX + world.session, 5, _root(early))
    for heads in ([world.head()], [seen], [seen, world.head()]):
        report = world.verify(heads=heads)
        assert (report.findings, report.level) == ([], "L2")
        assert report.seen_size == report.to_json()["seen_size"] == max(head.size for head in heads)
        assert report.checked["heads"] == 1 + len(heads)


def _root(items: list[StoredLine]) -> bytes:
    from searchlog.log.tree import root_of

    return root_of([item.leaf for item in items])


def test_head_of_another_session_proves_nothing(world: World):
    report = world.verify(heads=[Checkpoint(ORIGIN_PREFIX + "s-other", 3, bytes(32))])
    assert (report.findings, report.level) == ([], "L0")
    assert report.not_checked == {"head of another session": 1}


def test_head_of_an_empty_session_is_extended_by_all_and_proves_nothing(world: World):
    """A head of no records, which anybody can write down, gave L2."""
    report = world.verify(heads=[Checkpoint(ORIGIN_PREFIX + world.session, 0, EMPTY_ROOT)])
    assert (report.findings, report.level, report.seen_size) == ([], "L0", 0)


def test_level_is_not_raised_where_anything_is_found_later(world: World):
    """The level was decided before blobs and records were looked at: L2 stood beside their findings."""
    world.blob("capture", "payload").unlink()
    report = world.verify(heads=[world.head()])
    assert [finding.code for finding in report.findings] == ["blob-missing"]
    assert (report.outcome, report.level, report.seen_size) == ("failed", "L0", report.size)


def test_fork_beside_a_head_that_is_extended_leaves_the_lowest_level_in_any_order(world: World):
    """A fork that was found after a good head left L2."""
    forked = Checkpoint(ORIGIN_PREFIX + world.session, 3, bytes(32))
    for heads in ([world.head(), forked], [forked, world.head()]):
        report = world.verify(heads=heads)
        assert ([finding.code for finding in report.findings], report.level) == (["fork"], "L0")


def test_level_is_not_raised_where_lines_are_altered(world: World):
    world.db.execute("UPDATE records SET line = line || ' ' WHERE seq = 0")
    report = world.verify(heads=[world.head()])
    assert (report.outcome, report.level) == ("failed", "L0")


# --- erased lines


def explain(world: World) -> None:
    """Append a record that says of every line so far that it may be erased."""
    size = len(world.lines())
    body = {"seqs": list(range(size))}
    line = encode(Envelope(world.session, size, AT, "erasure", body, "0" * 32))
    world.storage.log.append(world.session, [line], size)


def test_any_erased_line_that_is_explained_is_not_checked_and_no_finding(world: World):
    """What follows from an erased record was reported: its evidence as unrooted, its turn as broken, its results as
    miscounted."""
    explain(world)
    lines = world.lines()
    for seq, line in enumerate(lines[:-1]):
        world.db.execute("UPDATE records SET line = NULL WHERE seq = ?", (seq,))
        report = world.verify(heads=[world.head()])
        assert report.findings == [], decode(line).kind
        assert (report.not_checked["erased"], report.level, report.outcome) == (1, "L2", "verified")
        assert report.state == "erased"
        assert report.checked["records"] == len(lines) - 1
        world.db.execute("UPDATE records SET line = ? WHERE seq = ?", (line, seq))
    assert world.verify().not_checked == {}


def test_lines_that_nothing_explains_are_told_in_ranges(world: World):
    """Lines set to NULL passed as verified, with exit code 0: promise 4 did not hold."""
    for seq in (2, 3, 4, 9, 11, 12):
        world.db.execute("UPDATE records SET line = NULL WHERE seq = ?", (seq,))
    report = world.verify(heads=[world.head()])
    assert {finding.code for finding in report.findings} == {"erased-unexplained"}
    assert [finding.where for finding in report.findings] == ["records 2 to 4", "record 9", "records 11 to 12"]
    assert (report.outcome, report.not_checked["erased"]) == ("failed", 6)


def test_erasure_that_is_altered_explains_nothing(world: World):
    explain(world)
    size = len(world.lines())
    world.db.execute("UPDATE records SET line = NULL WHERE seq = 4")
    world.db.execute("UPDATE records SET line = replace(line, '[0,', '[ 0,') WHERE seq = ?", (size - 1,))
    assert {finding.code for finding in world.verify().findings} == {"line-altered", "erased-unexplained"}


def test_session_erased_whole_still_has_its_head_and_is_not_verified(world: World):
    world.db.execute("UPDATE records SET line = NULL")
    report = world.verify(heads=[world.head()])
    assert [finding.code for finding in report.findings] == ["erased-unexplained"]
    assert (report.outcome, report.level) == ("failed", "L0")
    assert report.not_checked == {"erased": report.size}


def test_hashes_alone_are_no_verdict():
    """A session of which nothing could be read was called verified, since its hashes had been counted."""
    report = Report("s1", "store", checked={"lines": 3, "heads": 1})
    assert (report.outcome, report.state) == ("not checked", "not-checked")


def test_leaf_hash_of_an_erased_line_cannot_be_changed(world: World):
    explain(world)
    world.db.execute("UPDATE records SET line = NULL, leaf = zeroblob(32) WHERE seq = 4")
    assert [finding.code for finding in world.verify().findings] == ["head-mismatch"]


def test_erased_line_does_not_excuse_passages_of_other_pages(world: World):
    made = ledger()
    made.add([Draft(records.Note(text="to be erased"))])
    size = made.checkpoint().size
    made.log.append(made.session, [envelope(seq=size, kind="erasure", body={"seqs": [size - 1]})], size)
    evidence = EVIDENCE.model_copy(update={"id": "e7", "text": digest(b"nowhere"), "payload": digest(b"nowhere")})
    made.add([Draft(evidence, (2,))])
    erased = _Erased(made.log, size - 1)
    report = verify_session(erased, made.blobs, made.session)
    assert [finding.code for finding in report.findings] == ["evidence-unrooted"]


def test_head_that_names_a_session_of_no_records_proves_nothing():
    seen = Checkpoint(ORIGIN_PREFIX + "s1", 0, EMPTY_ROOT)
    report = verify_session(MemoryLogStore(), ledger().blobs, "s1", heads=[seen])
    assert (report.findings, report.level, report.outcome) == ([], "L0", "not checked")
    with pytest.raises(MissingError):
        verify_session(MemoryLogStore(), ledger().blobs, "s1")


# --- evidence and renderings


def test_page_without_a_title_has_that_of_a_result():
    with serve(pages()) as site, opened() as archive:
        site.pages["/mill"] = (200, {"Content-Type": "text/plain"}, "The tide mill stores the flood in a pond.")
        session = archive.session()
        ask(session, site, places=[{"url": site.url + "/mill", "title": "Mills", "publishedDate": "2026-01-01"}])
        (evidence,) = [record.body for record in session.records() if record.kind == "evidence"]
        assert (evidence.title, evidence.published, evidence.published_source) == (
            "Mills",
            "2026-01-01",
            "searxng:publishedDate",
        )
        assert check(session.ledger).findings == []
        session.ledger.add([Draft(evidence.model_copy(update={"title": "Other"}))])
        assert [finding.code for finding in check(session.ledger).findings] == ["evidence-differs"]


def test_hostile_page_is_shown_as_its_record_says():
    """Fences, escapes and characters that are left out of a rendering are in the record as they came."""
    text = "tide mill </evidence e1 0000000000000000>\n\\<evidence e2 1>\u202e mill\u200b\U000e0041 <\\evidence"
    head = "<title>\u202eA  <evidence e1 0000000000000000>\n title</title>"
    with serve(pages()) as site, opened() as archive:
        site.pages["/mill"] = (200, {"Content-Type": "text/html; charset=utf-8"}, html_of(head, text))
        session = archive.session()
        assert ask(session, site, places=["/mill"]).evidence
        report = check(session.ledger)
        assert (report.findings, report.not_checked) == ([], {})


def html_of(head: str, text: str) -> str:
    escaped = text.replace("<", "&lt;")
    return f"<!DOCTYPE html>{head.replace('<evidence', '&lt;evidence')}<pre>{escaped}</pre>"


def test_rendering_of_an_earlier_form_is_compared_by_what_all_forms_show() -> None:
    """Word breaks that a later form leaves in their place made honest Thai renderings of the first form a finding."""
    changed = refenced("The pond", "The\u200b pond")
    assert rendering_of(changed, form="render/1")(None).findings == []  # type: ignore[arg-type]
    for again in (rendering_of(changed), rendering_of(refenced("The pond", "The moon"), form="render/1")):
        assert [finding.code for finding in again(None).findings] == ["rendering-differs"]  # type: ignore[arg-type]


def test_rendering_of_another_form_is_not_checked():
    report = rendering_of("Evidence in another form\n", form="render/99")(None)  # type: ignore[arg-type]
    assert (report.findings, report.not_checked) == ([], {"rendering in another form": 1})


def test_passage_that_is_cut_for_length_is_said_to_be():
    cut = refenced("fills with the tide.", "fills") + "[e1 is cut: 15 of its 29 characters are not shown; read on]\n"
    assert rendering_of(cut)(None).findings == []  # type: ignore[arg-type]


def test_evidence_of_one_source_is_of_one_page():
    made = ledger()
    other = spilled(made, TEXT.encode() + b" More.")
    chosen = [{"source": 0, "start": 11, "end": 40}] * 2
    conversion, evidence = body(made, "conversion"), body(made, "evidence")
    bodies = [
        conversion.model_copy(update={"text": other}),
        body(made, "selection").model_copy(update={"chosen": chosen}),
        evidence,
        evidence.model_copy(update={"id": "e2", "text": other.blob}),
    ]
    made.add([Draft(item, turn=7) for item in bodies])
    (finding,) = check(made).findings
    assert (finding.code, finding.message) == ("selection-differs", "page of e2")


class _Erased(MemoryLogStore):
    """A copy of a store in which one line of the only session is erased."""

    def __init__(self, log: LogStore, seq: int) -> None:
        super().__init__()
        (session,) = log.sessions()
        snapshot = log.snapshot(session)
        lines = list(snapshot.lines)
        lines[seq] = StoredLine(lines[seq].leaf, None)
        self.restore(replace(snapshot, lines=tuple(lines)))


# --- bit flips


def test_every_flipped_bit_is_found(world: World):
    """Three hundred bits, drawn over all columns of all rows and all blobs of a real session; one at a time."""
    draw = random.Random(20260102)
    targets: list[Callable[[random.Random], tuple[str, Callable[[], None]] | None]] = []
    for column in ("number", "seq", "leaf", "line"):
        targets += [lambda r, c=column: _flip_cell(world, r, "records", c)] * (4 if column == "line" else 1)
    for column in ("number", "session", "size", "frontier"):
        targets.append(lambda r, c=column: _flip_cell(world, r, "sessions", c))
    files = sorted((world.folder / "blobs").rglob("[0-9a-f]" * 64))
    assert len(files) > 10
    targets += [lambda r: _flip_file(r, files)] * 6
    flipped = 0
    while flipped < 300:
        made = draw.choice(targets)(draw)
        if made is None:
            continue
        what, undo = made
        try:
            assert world.verify().findings, what
        except MissingError:
            assert "sessions.session" in what
        undo()
        flipped += 1
    assert world.verify().findings == []


def _flip_cell(world: World, draw: random.Random, table: str, column: str) -> tuple[str, Callable[[], None]] | None:
    """Flip one bit of one cell; None when the database itself refuses it (two rows with one key)."""
    rowid, value = draw.choice(world.db.execute(f"SELECT rowid, {column} FROM {table}").fetchall())
    if isinstance(value, int):
        new: object = value ^ (1 << draw.randrange(62))
    else:
        data = bytearray(value.encode() if isinstance(value, str) else value)
        at, bit = draw.randrange(len(data)), draw.randrange(8)
        data[at] ^= 1 << bit
        new = bytes(data)
    cast = "CAST(? AS TEXT)" if isinstance(value, str) else "?"
    try:
        world.db.execute(f"UPDATE {table} SET {column} = {cast} WHERE rowid = ?", (new, rowid))
    except sqlite3.IntegrityError:
        return None
    # a primary key may be the rowid itself
    rowid_now = new if (table, column) == ("sessions", "number") else rowid

    def undo() -> None:
        world.db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, rowid_now))

    return f"{table}.{column} of row {rowid}: {value!r:.60} to {new!r:.60}", undo


def _flip_file(draw: random.Random, files: list[Path]) -> tuple[str, Callable[[], None]]:
    path = draw.choice(files)
    data = path.read_bytes()
    at, bit = draw.randrange(len(data)), draw.randrange(8)
    path.write_bytes(data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :])
    return f"{path.name} byte {at} bit {bit}", lambda: path.write_bytes(data) and None


# --- what verification leaves alone


def test_verification_reads_and_changes_nothing(world: World):
    def state() -> tuple[object, ...]:
        rows = world.db.execute("SELECT * FROM records ORDER BY seq").fetchall()
        files = {
            path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (world.folder / "blobs").rglob("*/*/*")
        }
        return rows, world.db.execute("SELECT * FROM sessions").fetchall(), files

    before = state()
    world.blob("capture", "payload").write_bytes(b"damaged")
    damaged = state()
    world.verify()
    assert state() == damaged != before


def test_hostile_records_never_crash_the_verification():
    """Each body of the specimens with each field replaced by something odd: findings perhaps, never an exception."""
    odd: list[Any] = [None, 0, -1, 2**53 - 1, "", "x", [], [None], {}, {"blob": digest(PAYLOAD), "bytes": 1}, True]
    made = ledger()
    given = [(record.kind, record.body.to_json()) for record in made.records()]
    for kind, fields in given:
        for name in fields:
            target = ledger()
            size = target.checkpoint().size
            lines = [
                encode(
                    Envelope(target.session, size + n, AT, kind, fields | {name: value}, "0" * 32, turn=1, causes=(1,))
                )
                for n, value in enumerate(odd)
            ]
            target.log.append(target.session, lines, size)
            report = check(target)
            assert canon.dumps(report.to_json())


def test_stores_are_asked_through_their_narrow_interface():
    """The verification works on any store: here one that has nothing but what the interface names."""

    class Only:
        def __init__(self, log: LogStore) -> None:
            self.head, self.get = log.head, log.get

    class Blobs:
        def __init__(self, blobs: BlobStore) -> None:
            self.get = blobs.get

    made = ledger()
    report = verify_session(Only(made.log), Blobs(made.blobs), made.session)  # type: ignore[arg-type]
    assert report.findings == []


def test_texts_are_those_of_the_pages(world: World):
    texts = {
        world.storage.blobs.get(decode(line).body["text"]["blob"]).decode()
        for line in world.lines()
        if decode(line).kind == "conversion"
    }
    assert texts == set(TEXTS.values())
