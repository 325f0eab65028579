"""What leaves with a snapshot and what does not, and what an archive makes of one that comes in.

`uncovered` returns the bytes of a file together with what its gzip streams hold: what must not leave is looked for
there, byte by byte.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from searchlog.archive import open_archive
from searchlog.errors import IntegrityError, MissingError, SearchlogError, StoreError, UsageError
from searchlog.ledger import Draft
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.log.tree import leaf_hash
from searchlog.records import Capture, Export, Import, Note
from searchlog.search import registry
from searchlog.sharing import SESSION as SHARING
from searchlog.sharing import Sharing
from searchlog.shelf import open_shelf
from searchlog.snapshot.check import Verdict, check_snapshot
from searchlog.snapshot.export import Seal, write_snapshot
from searchlog.snapshot.layout import Scope
from searchlog.snapshot.opened import open_snapshot
from searchlog.snapshot.scope import records_in
from searchlog.verify.store import verify_session
from tests.searches import HTML, JSON, ask, html, opened
from tests.sites import Answer, serve
from tests.snapshots import signed
from tests.tampering import WARC, Parts, contents, record_of, warcs

MAIL, HOST, KEY = "keeper.of.gates@mills.example", "wiki.corp.internal", "tvly-canary7Hq2ZsX9bW4mKp1TfR8v"
AT = "2026-12-01T00:00:00.000000Z"
FIRST, SECOND = "lantern oil trimmed nightly by hand", "windlass chain greased with tallow"


def site_pages() -> dict[str, Answer]:
    """Return pages for two searches that have nothing to do with one another, and one full of what is private."""
    private = html(f"Write to {MAIL} or see http://{HOST}/gates about the keeper. The key is {KEY} for now.", "contact")
    return {
        "/robots.txt": (404, {"Content-Type": "text/plain"}, ""),
        "/alpha": (200, HTML, html(f"The keeper of the light says: {FIRST}.", "alpha")),
        "/beta": (
            200,
            {**HTML, "Content-Encoding": "gzip", "Set-Cookie": "sid=canary-cookie-9c2e"},
            gzip.compress(html(f"The keeper of the dock says: {SECOND}.", "beta").encode(), mtime=0),
        ),
        "/contact": (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(private.encode(), mtime=0)),
        "/plain": (200, HTML, private),
    }


@dataclass(frozen=True)
class Sender:
    """An archive with two sessions: `public`, two searches; `private`, with what is to be hidden."""

    folder: Path
    public: str
    private: str


@pytest.fixture(scope="module")
def sender(tmp_path_factory: pytest.TempPathFactory) -> Sender:
    folder = tmp_path_factory.mktemp("sender") / "archive"
    with serve(site_pages()) as site, opened(folder) as archive:
        public = archive.session(title="keepers")
        ask(public, site, "alpha keeper light", ["/alpha"])
        ask(public, site, "beta keeper dock", ["/beta"])
        private = archive.session(title=f"of {MAIL}")
        shown = {"url": site.url + "/contact", "title": f"Mail {MAIL}", "content": f"see {HOST} keeper"}
        ask(private, site, f"keeper {MAIL} {HOST}", [shown, "/plain"])
        given = {"url": site.url + "/plain", "title": "Keeper", "content": "", "raw_content": f"# Keeper\n\n{MAIL}\n"}
        site.pages["/t/search"] = (200, JSON, json.dumps({"results": [given]}))
        private.search(
            "keeper",
            providers=["tavily"],
            provider_text="prefer",
            registry_options=registry.Options(endpoints={"tavily": f"{site.url}/t"}),
            allow_private=("127.0.0.1",),
        )
        private.ledger.add([Draft(Note(text=f"asked {MAIL}", fields={MAIL: HOST}))])
        return Sender(folder, public.id, private.id)


def export(folder: Path, session: str, to: Path, **choice: Any) -> Path:
    with opened(folder) as archive:
        archive.write_export(archive.plan_export(session, **choice), to, overwrite=True)
    return to


def checked(path: Path) -> Verdict:
    """Return the verdict of a snapshot that has to be sound."""
    verdict = check_snapshot(path)
    assert [one for report in verdict.reports for one in report.findings] == []
    with open_snapshot(path) as opened:
        looked_at = any(item.line for item in opened.lines)
    assert verdict.outcome == ("verified" if looked_at else "not checked")
    return verdict


def uncovered(path: Path) -> bytes:
    """Return the bytes of a file, and after them what each gzip stream in it holds."""
    data = path.read_bytes()
    out, at = [data], data.find(b"\x1f\x8b\x08")
    while at >= 0:
        try:
            out.append(zlib.decompressobj(31).decompress(data[at:]))
        except zlib.error:
            out.append(b"")
        at = data.find(b"\x1f\x8b\x08", at + 1)
    return b"\n".join(out)


def spellings(text: str) -> Iterator[bytes]:
    """Yield what a text may look like in a file: plain, in JSON, in an address, in base64."""
    raw = text.encode()
    yield raw
    yield text.replace("@", "%40").encode()
    yield text.replace(" ", "+").encode()
    yield text.replace(" ", "%20").encode()
    yield json.dumps(text)[1:-1].encode()
    for skip in range(3 if len(raw) >= 12 else 0):
        yield base64.b64encode(b"x" * skip + raw)[4:-4]


def assert_absent(path: Path, *texts: str) -> None:
    data = uncovered(path).lower()
    for text in texts:
        for form in spellings(text):
            assert form.lower() not in data, (text, form)


def salts_of(folder: Path, session: str, seqs: set[int]) -> list[str]:
    with opened(folder) as archive:
        lines = archive.resources.storage.log.get(session)
    return [decode(item.line).salt for seq, item in enumerate(lines) if item.line is not None and seq in seqs]


def left_out(parts: Parts) -> set[int]:
    return {seq for seq, line in enumerate(parts.lines) if line[:1] != b"{"}


@pytest.fixture
def receiver(tmp_path: Path) -> Path:
    return tmp_path / "receiver"


def take_in(folder: Path, path: Path) -> Any:
    with open_archive(folder, env={}) as archive:
        return archive.take_in(path)


def verified(folder: Path, session: str) -> Any:
    """Return the report on an imported session, which has to be sound."""
    with open_archive(folder, env={}) as archive:
        storage = archive.resources.storage
        report = verify_session(storage.log, storage.blobs, session, absent=archive.sharing.absence(session))
    assert report.findings == []
    return report


# --- scopes and profiles

CHOICES: dict[str, dict[str, Any]] = {
    "session": {},
    "turn-1": {"turns": [1]},
    "turn-2": {"turns": [2]},
    "both": {"turns": [1, 2]},
    "one": {"evidence": ["e1"]},
    "two": {"evidence": ["e1", "e2"]},
}


@pytest.mark.parametrize("profile", ["full", "evidence", "hashes"])
@pytest.mark.parametrize("name", CHOICES)
def test_every_part_verifies_and_belongs_to_the_whole(sender: Sender, tmp_path: Path, name: str, profile: str) -> None:
    whole = checked(export(sender.folder, sender.public, tmp_path / "whole.wacz"))
    path = export(sender.folder, sender.public, tmp_path / "part.wacz", profile=profile, **CHOICES[name])
    part = checked(path)
    assert part.checkpoint == whole.checkpoint
    assert whole.checkpoint is not None
    again = check_snapshot(path, heads=[whole.checkpoint])
    assert (again.outcome, again.level) == (("not checked", "none") if profile == "hashes" else ("verified", "L2"))


def test_nothing_of_another_turn_leaves_with_a_turn(sender: Sender, tmp_path: Path) -> None:
    for turn, absent, there in ((2, [FIRST, "alpha keeper light", "/alpha"], SECOND), (1, [SECOND, "/beta"], FIRST)):
        path = export(sender.folder, sender.public, tmp_path / "part.wacz", turns=[turn])
        assert there.encode() in uncovered(path)
        assert_absent(path, *absent)
        parts = Parts.of(path.read_bytes())
        salts = salts_of(sender.folder, sender.public, left_out(parts))
        assert salts
        assert_absent(path, *salts)


def test_nothing_but_what_evidence_rests_on_leaves_with_evidence(sender: Sender, tmp_path: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "part.wacz", evidence=["e1"])
    assert FIRST.encode() in uncovered(path)
    assert_absent(path, SECOND, "alpha keeper light", "beta keeper dock", "pageno", "/beta")
    parts = Parts.of(path.read_bytes())
    assert_absent(path, *salts_of(sender.folder, sender.public, left_out(parts)))
    assert "searchlog/e1.tlog-proof" in parts.members


def test_no_page_and_no_answer_of_a_provider_leaves_in_the_evidence_profile(sender: Sender, tmp_path: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "part.wacz", profile="evidence")
    assert FIRST.encode() in uncovered(path)  # the passage
    with opened(sender.folder) as archive:
        ledger = archive.ledger(sender.public)
        payloads = [
            ledger.blobs.get(record.body.payload.blob)  # type: ignore[arg-type]
            for record in ledger.records()
            if isinstance(record.body, Capture) and record.body.payload is not None
        ]
    data = path.read_bytes()
    assert any(len(payload) > 40 for payload in payloads)
    assert not any(payload in data for payload in payloads if payload)
    assert b"<p>" not in uncovered(path)
    assert b'"results":[{"url"' not in b"".join(item.block for item in warcs(Parts.of(data)[WARC]))


def test_hashes_tell_nothing(sender: Sender, tmp_path: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "part.wacz", profile="hashes")
    assert_absent(path, FIRST, SECOND, "keeper", "alpha", "127.0.0.1", "keepers")
    parts = Parts.of(path.read_bytes())
    assert len(left_out(parts)) == len(parts.lines)
    assert_absent(path, *salts_of(sender.folder, sender.public, left_out(parts)))


# --- redaction and secrets


def test_what_is_redacted_is_nowhere_in_the_file(sender: Sender, tmp_path: Path) -> None:
    rules = ["email", "private-hosts", f"text:{KEY}"]
    path = export(sender.folder, sender.private, tmp_path / "part.wacz", redact=rules)
    checked(path)
    assert MAIL.encode() in uncovered(export(sender.folder, sender.private, tmp_path / "whole.wacz"))
    assert_absent(path, MAIL, HOST, KEY, "127.0.0.1")
    parts, whole = Parts.of(path.read_bytes()), Parts.of((tmp_path / "whole.wacz").read_bytes())
    copies = 0
    with opened(sender.folder) as archive:
        stored = archive.resources.storage.log.get(sender.private)
    for line, item in zip(parts.lines, stored, strict=True):
        leaf = leaf_hash(line) if line[:1] == b"{" else bytes.fromhex(line[:64].decode())
        assert leaf == item.leaf
        if line[64:65] == b" ":
            copies += 1
            assert "salt" not in record_of(line[65:])
    assert copies
    assert parts["searchlog/checkpoint.txt"] == whole["searchlog/checkpoint.txt"]
    assert parts.about["redaction"] == ["email", "private-hosts", "text"]  # and not what the last one hides
    assert_absent(path, *salts_of(sender.folder, sender.private, left_out(parts)))


@pytest.mark.parametrize("profile", ["full", "evidence"])
@pytest.mark.parametrize("choice", [{}, {"turns": [1]}, {"turns": [2]}], ids=str)
def test_every_redacted_part_verifies(
    sender: Sender, tmp_path: Path, choice: dict[str, Any], profile: str, receiver: Path
) -> None:
    path = export(sender.folder, sender.private, tmp_path / "p.wacz", redact=["email"], profile=profile, **choice)
    checked(path)
    assert_absent(path, MAIL)
    take_in(receiver, path)
    verified(receiver, sender.private)


def searchlog(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, which knows the secrets of its environment and no others."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SEARCHLOG", "TAVILY"))}
    return subprocess.run(
        [sys.executable, "-m", "searchlog", *args],
        capture_output=True,
        text=True,
        env=clean | env,
        timeout=60,
        check=False,
    )


def test_a_key_that_became_known_after_the_capture_does_not_leave(sender: Sender, tmp_path: Path) -> None:
    path = tmp_path / "part.wacz"
    args = ("export", sender.private, "--archive", str(sender.folder), "-o", str(path))
    done = searchlog(*args, TAVILY_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert "for 1 secret" in done.stderr + done.stdout
    assert "left out" in done.stderr + done.stdout
    assert KEY not in done.stderr + done.stdout
    assert_absent(path, KEY)
    assert "secret" in {why for *_, why in Parts.of(path.read_bytes()).about["left_out"]["records"]} | set(
        Parts.of(path.read_bytes()).about["left_out"]["blobs"].values()
    )
    checked(path)
    done = searchlog(*args, "--force")
    assert "none found" in done.stderr + done.stdout
    assert KEY.encode() in uncovered(path)


def test_cookies_never_leave(sender: Sender, tmp_path: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    assert_absent(path, "canary-cookie-9c2e")
    assert b"redacted:response:set-cookie" in path.read_bytes()


# --- the same session gives the same bytes


def test_the_same_session_gives_the_same_bytes(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    good = export(sender.folder, sender.public, tmp_path / "one.wacz").read_bytes()
    assert export(sender.folder, sender.public, tmp_path / "two.wacz").read_bytes() == good
    shutil.copytree(sender.folder, tmp_path / "copy")
    assert export(tmp_path / "copy", sender.public, tmp_path / "three.wacz").read_bytes() == good
    for seed in ("1", "4242"):
        path = tmp_path / f"seed-{seed}.wacz"
        done = searchlog(
            *("export", sender.public, "--archive", str(sender.folder), "-o", str(path), "--quiet"),
            PYTHONHASHSEED=seed,
            TZ="Asia/Kathmandu",
            LC_ALL="C",
        )
        assert done.returncode == 0, done.stderr
        assert path.read_bytes() == good
    take_in(receiver, tmp_path / "one.wacz")
    assert export(receiver, sender.public, tmp_path / "four.wacz").read_bytes() == good


@pytest.mark.parametrize("choice", [{"turns": [2]}, {"evidence": ["e1"]}, {"profile": "evidence"}], ids=str)
def test_a_part_gives_the_same_bytes_from_the_whole_that_was_imported(
    sender: Sender, tmp_path: Path, receiver: Path, choice: dict[str, Any]
) -> None:
    good = export(sender.folder, sender.public, tmp_path / "one.wacz", **choice).read_bytes()
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "whole.wacz"))
    assert export(receiver, sender.public, tmp_path / "two.wacz", **choice).read_bytes() == good


@pytest.mark.parametrize("choice", [{"turns": [2]}, {"evidence": ["e1"]}, {"profile": "evidence"}], ids=str)
def test_a_part_that_was_imported_can_be_shared_further(
    sender: Sender, tmp_path: Path, receiver: Path, choice: dict[str, Any]
) -> None:
    """What the sender left out is missing here, and is said to be; it is not taken for erased."""
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "part.wacz", **choice))
    path = export(receiver, sender.public, tmp_path / "further.wacz", **choice)
    checked(path)
    take_in(tmp_path / "third", path)
    verified(tmp_path / "third", sender.public)


# --- importing


def test_importing_again_changes_nothing(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    first = take_in(receiver, path)
    assert (first.known, first.session) == (False, sender.public)
    before = contents(receiver)
    again = take_in(receiver, path)
    assert (again.known, again.records, again.blobs) == (True, 0, 0)
    assert contents(receiver) == before


def test_parts_grow_into_the_whole(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    whole = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    parts = [
        export(sender.folder, sender.public, tmp_path / "h.wacz", profile="hashes"),
        export(sender.folder, sender.public, tmp_path / "e.wacz", evidence=["e1"]),
        export(sender.folder, sender.public, tmp_path / "t.wacz", turns=[2]),
        export(sender.folder, sender.public, tmp_path / "p.wacz", profile="evidence"),
        whole,
    ]
    held = -1
    for path in parts:
        assert not take_in(receiver, path).known
        report = verified(receiver, sender.public)
        assert report.checked.get("records", 0) >= held
        held = report.checked.get("records", 0)
    assert report.not_checked == {}
    assert export(receiver, sender.public, tmp_path / "again.wacz").read_bytes() == whole.read_bytes()
    for path in parts:
        assert take_in(receiver, path).known


def test_the_order_of_parts_does_not_matter(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    whole = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    take_in(receiver, whole)
    for choice in ({"evidence": ["e1"]}, {"turns": [1]}, {"profile": "hashes"}):
        done = take_in(receiver, export(sender.folder, sender.public, tmp_path / "part.wacz", **choice))
        assert done.known
        assert done.left_out == {}
    assert verified(receiver, sender.public).not_checked == {}


def longer(folder: Path, session: str, text: str) -> None:
    """Add a record to a session."""
    with opened(folder) as archive:
        archive.session(session).ledger.add([Draft(Note(text=text))])


def test_two_histories_of_one_session_are_not_both_taken(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(sender.folder, tmp_path / name)
        longer(tmp_path / name, sender.public, f"went on as {name}")
        export(tmp_path / name, sender.public, tmp_path / f"{name}.wacz")
    take_in(receiver, tmp_path / "one.wacz")
    before = contents(receiver)
    with pytest.raises(IntegrityError, match="fork") as caught:
        take_in(receiver, tmp_path / "two.wacz")
    assert isinstance(caught.value.fields["fork"], int)
    assert contents(receiver) == before
    before = contents(tmp_path / "two")
    with pytest.raises(IntegrityError, match="fork"):
        take_in(tmp_path / "two", tmp_path / "one.wacz")  # its own session there
    assert contents(tmp_path / "two") == before


def test_a_session_that_went_on_is_taken_in_as_far_as_it_went(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    early = export(tmp_path / "copy", sender.public, tmp_path / "early.wacz")
    longer(tmp_path / "copy", sender.public, "went on")
    late = export(tmp_path / "copy", sender.public, tmp_path / "late.wacz")
    assert take_in(receiver, early).records > 1
    assert take_in(receiver, late).records == 1
    assert take_in(receiver, early).known
    assert export(receiver, sender.public, tmp_path / "again.wacz").read_bytes() == late.read_bytes()
    before = contents(sender.folder)
    with pytest.raises(UsageError, match="own"):
        take_in(sender.folder, late)
    assert contents(sender.folder) == before


def test_ones_own_session_comes_back_as_what_it_is(sender: Sender, tmp_path: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    path = export(tmp_path / "copy", sender.public, tmp_path / "whole.wacz")
    before = contents(tmp_path / "copy")
    assert take_in(tmp_path / "copy", path).known
    assert contents(tmp_path / "copy") == before
    longer(tmp_path / "copy", sender.public, "it is still mine")


def test_an_imported_session_is_its_senders(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "whole.wacz"))
    before = contents(receiver)
    with opened(receiver) as archive:
        for name in (sender.public, sender.public[:-2], "latest", SHARING):
            with pytest.raises((UsageError, MissingError)):
                archive.session(name)
        assert archive.find("latest") == sender.public
        assert SHARING in archive.resources.storage.log.sessions()
        mine = archive.session(title="mine")
        mine.ledger.begin_session("searchlog/0", "mine")
        assert archive.session("latest").id == mine.id
    assert all(data == before[name] for name, data in contents(receiver).items() if name.startswith("blobs/"))


def test_the_log_of_exports_and_imports_stays_at_home(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    with opened(sender.folder) as archive:
        assert archive.find("latest") != SHARING
        try:
            plan = archive.plan_export(SHARING)
        except UsageError:
            return
        archive.write_export(plan, tmp_path / "sharing.wacz")
    take_in(receiver, path)
    before = contents(receiver)
    with pytest.raises((UsageError, IntegrityError)):
        take_in(receiver, tmp_path / "sharing.wacz")
    assert contents(receiver) == before


class Cut(StoreError):
    """The process ends here."""


@pytest.mark.parametrize("step", ["first-blobs", "after-blobs", "after-note", "after-lines"])
def test_an_import_that_was_cut_off_can_be_finished(
    sender: Sender, tmp_path: Path, receiver: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    with open_archive(receiver, env={}) as archive:
        archive.session(title="mine").ledger.begin_session("searchlog/0", "mine")
        storage, note = archive.resources.storage, Sharing.note

        def cut(*_: object, **__: object) -> Any:
            raise Cut("cut")

        def noted(sharing: Sharing, body: Any) -> None:
            note(sharing, body)
            raise Cut("cut")

        if step == "first-blobs":
            put = storage.blobs.put
            monkeypatch.setattr(storage.blobs, "put", lambda blobs: (put(list(blobs)[:2]), cut()))
        if step == "after-blobs":
            monkeypatch.setattr(Sharing, "note", cut)
        if step == "after-note":
            monkeypatch.setattr(Sharing, "note", noted)
        if step == "after-lines":
            merge = storage.log.merge
            monkeypatch.setattr(storage.log, "merge", lambda snapshot: (merge(snapshot), cut()))
        with pytest.raises(Cut):
            archive.take_in(path)
    monkeypatch.undo()
    with open_archive(receiver, env={}) as archive:
        for info in archive.sessions():
            assert info.damaged == ()
        if archive.resources.storage.log.has(sender.public):
            with pytest.raises(UsageError):
                archive.session(sender.public)
    done = take_in(receiver, path)
    assert done.session == sender.public
    assert verified(receiver, sender.public).not_checked == {}
    assert export(receiver, sender.public, tmp_path / "again.wacz").read_bytes() == path.read_bytes()
    assert take_in(receiver, path).known
    with open_archive(receiver, env={}) as archive, pytest.raises(UsageError):
        archive.session(sender.public)


# --- erasure


def erase(folder: Path, session: str, explained: bool) -> int:
    """Take the line of a note away, as somebody does who has to; return its seq."""
    with opened(folder) as archive:
        ledger = archive.session(session).ledger
        ledger.add([Draft(Note(text="the name of a person"))])
        size = ledger.checkpoint().size
        if explained:
            at = decode(ledger.log.get(session, size - 1, size)[0].line or b"").at
            body = {"seqs": [size - 1], "reason": "asked for"}
            ledger.log.append(session, [encode(Envelope(session, size, at, "erasure", body, f"{7:032x}"))], size)
    forget(folder, session, size - 1)
    return size - 1


def forget(folder: Path, session: str, seq: int) -> None:
    """Take the line of a record out of the store."""
    with sqlite3.connect(folder / "log.db") as db:
        number = db.execute("SELECT number FROM sessions WHERE session = ?", (session,)).fetchone()[0]
        db.execute("UPDATE records SET line = NULL WHERE number = ? AND seq = ?", (number, seq))
    db.close()


def test_an_erased_record_that_is_explained_is_shared_as_such(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    erase(tmp_path / "copy", sender.public, explained=True)
    path = export(tmp_path / "copy", sender.public, tmp_path / "whole.wacz")
    verdict = checked(path)
    assert verdict.store is not None
    assert verdict.store.not_checked == {"erased": 1}
    assert_absent(path, "the name of a person")
    assert Parts.of(path.read_bytes()).about["left_out"]["records"] == []
    take_in(receiver, path)
    assert verified(receiver, sender.public).not_checked == {"erased": 1}
    again = export(receiver, sender.public, tmp_path / "again.wacz")
    assert again.read_bytes() == path.read_bytes()


def test_an_erased_record_that_nothing_explains_is_found(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    seq = erase(tmp_path / "copy", sender.public, explained=False)
    path = export(tmp_path / "copy", sender.public, tmp_path / "whole.wacz")
    verdict = check_snapshot(path)
    assert [(one.code, one.where) for report in verdict.reports for one in report.findings] == [
        ("erased-unexplained", f"record {seq}")
    ]
    with pytest.raises(IntegrityError):
        take_in(receiver, path)


def test_what_was_erased_at_the_senders_is_not_taken_away_here(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    """Whoever imported a record before it was erased still has it: an import never takes away."""
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "early.wacz"))
    shutil.copytree(sender.folder, tmp_path / "copy")
    erase(tmp_path / "copy", sender.public, explained=True)
    forget(tmp_path / "copy", sender.public, 1)
    late = tmp_path / "late.wacz"
    export(tmp_path / "copy", sender.public, late)
    with pytest.raises(SearchlogError):
        take_in(receiver, late)  # record 1 is erased, and nothing says so
    with opened(receiver) as archive:
        assert all(item.line is not None for item in archive.resources.storage.log.get(sender.public))


# --- what an archive keeps of it


def findings_in(folder: Path, session: str) -> set[tuple[str, str]]:
    with open_archive(folder, env={}) as archive:
        storage = archive.resources.storage
        report = verify_session(storage.log, storage.blobs, session, absent=archive.sharing.absence(session))
    return {(one.code, one.where) for one in report.findings}


@pytest.mark.parametrize("choice", [{}, {"turns": [2]}, {"profile": "evidence"}], ids=str)
def test_what_goes_missing_after_an_import_is_not_taken_for_left_out(
    sender: Sender, tmp_path: Path, receiver: Path, choice: dict[str, Any]
) -> None:
    path = export(sender.folder, sender.public, tmp_path / "part.wacz", **choice)
    take_in(receiver, path)
    here = max(seq for seq, line in enumerate(Parts.of(path.read_bytes()).lines) if line[:1] == b"{")
    forget(receiver, sender.public, here - 1)
    assert ("erased-unexplained", f"record {here - 1}") in findings_in(receiver, sender.public)
    take_in(receiver, path)  # and the next import brings it back
    assert findings_in(receiver, sender.public) == set()
    blobs = sorted((receiver / "blobs").rglob("*"))
    gone = next(path for path in blobs if path.is_file())
    gone.unlink()
    assert ("blob-missing", f"sha256:{gone.name}") in findings_in(receiver, sender.public)
    take_in(receiver, path)
    assert findings_in(receiver, sender.public) == set()


@pytest.mark.parametrize("first", [{"turns": [2]}, {"evidence": ["e1"]}, {"profile": "hashes"}], ids=str)
def test_what_was_shared_further_grows_into_the_whole_as_well(
    sender: Sender, tmp_path: Path, receiver: Path, first: dict[str, Any]
) -> None:
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "part.wacz", **first))
    further = export(receiver, sender.public, tmp_path / "further.wacz")
    checked(further)
    take_in(tmp_path / "third", further)
    whole = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    assert not take_in(tmp_path / "third", whole).known
    assert verified(tmp_path / "third", sender.public).not_checked == {}
    assert export(tmp_path / "third", sender.public, tmp_path / "again.wacz").read_bytes() == whole.read_bytes()


class Signs:
    """A signer with a key that everybody knows."""

    vkey = signed("a\n", "example.com/sender")[1]

    def sign(self, text: str) -> str:
        return signed(text, "example.com/sender")[0]


def signed_export(folder: Path, session: str, to: Path, signer: Signs | SignsToo | None = None) -> Path:
    with opened(folder) as archive:
        archive.write_export(archive.plan_export(session), to, signer=signer or Signs())
    return to


@pytest.mark.parametrize("unsigned_first", [False, True])
def test_a_signed_session_is_continued_by_its_signer_alone(
    sender: Sender, tmp_path: Path, receiver: Path, unsigned_first: bool
) -> None:
    """Anybody can write records after a signed head; taken in, they would make a fork of what the signer writes."""
    shutil.copytree(sender.folder, tmp_path / "copy")
    if unsigned_first:
        take_in(receiver, export(tmp_path / "copy", sender.public, tmp_path / "unsigned.wacz"))
    done = take_in(receiver, signed_export(tmp_path / "copy", sender.public, tmp_path / "signed.wacz"))
    assert done.warnings == ()
    again = take_in(receiver, export(tmp_path / "copy", sender.public, tmp_path / "again.wacz"))
    assert any(Signs.vkey in text for text in again.warnings)
    longer(tmp_path / "copy", sender.public, "went on")
    before = contents(receiver)
    with pytest.raises(IntegrityError, match="that session is signed by") as caught:
        take_in(receiver, export(tmp_path / "copy", sender.public, tmp_path / "later.wacz"))
    assert caught.value.fields["signed_by"] == [Signs.vkey]
    assert contents(receiver) == before
    assert take_in(receiver, signed_export(tmp_path / "copy", sender.public, tmp_path / "later-signed.wacz")).records


class SignsToo:
    """Somebody else's signer."""

    vkey = signed("a\n", "example.com/other")[1]

    def sign(self, text: str) -> str:
        return signed(text, "example.com/other")[0]


def under_both(text: str) -> Seal:
    """Return a head that the sender and somebody else signed: a new key beside the old."""
    theirs = SignsToo().sign(text).removeprefix(text).lstrip("\n")
    return Seal(Signs().sign(text) + theirs, (Signs.vkey, SignsToo.vkey))


def test_to_sign_a_head_of_somebody_else_gives_no_say_in_what_goes_on_from_it(
    sender: Sender, tmp_path: Path, receiver: Path
) -> None:
    for name in ("copy", "other"):
        shutil.copytree(sender.folder, tmp_path / name)
    take_in(receiver, signed_export(tmp_path / "copy", sender.public, tmp_path / "signed.wacz"))
    counter = signed_export(tmp_path / "other", sender.public, tmp_path / "counter.wacz", SignsToo())
    done = take_in(receiver, counter)
    assert done.known
    assert any(SignsToo.vkey in text for text in done.warnings)
    before = contents(receiver)
    assert take_in(receiver, counter).known
    assert contents(receiver) == before
    longer(tmp_path / "other", sender.public, "of somebody else")
    forged = signed_export(tmp_path / "other", sender.public, tmp_path / "forged.wacz", SignsToo())
    with pytest.raises(IntegrityError, match="that session is signed by"):
        take_in(receiver, forged)
    longer(tmp_path / "copy", sender.public, "of the sender")
    assert take_in(receiver, signed_export(tmp_path / "copy", sender.public, tmp_path / "true.wacz")).records


def test_who_signs_together_with_a_signer_may_go_on_alone(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    take_in(receiver, signed_export(tmp_path / "copy", sender.public, tmp_path / "signed.wacz"))
    longer(tmp_path / "copy", sender.public, "under two keys")
    with opened(tmp_path / "copy") as archive, (tmp_path / "both.wacz").open("w+b") as file:
        write_snapshot(file, archive.plan_export(sender.public), archive.resources.storage.blobs, under_both)
    take_in(receiver, tmp_path / "both.wacz")
    longer(tmp_path / "copy", sender.public, "under the new key")
    assert take_in(receiver, signed_export(tmp_path / "copy", sender.public, tmp_path / "new.wacz", SignsToo())).records


def test_a_history_that_was_cut_short_takes_nothing_away(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    early = export(tmp_path / "copy", sender.public, tmp_path / "early.wacz")
    longer(tmp_path / "copy", sender.public, "went on")
    late = export(tmp_path / "copy", sender.public, tmp_path / "late.wacz")
    take_in(receiver, late)
    before = contents(receiver)
    assert take_in(receiver, early).known
    assert contents(receiver) == before


def test_exports_and_imports_are_kept_in_the_archive(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    path = export(tmp_path / "copy", sender.public, tmp_path / "part.wacz", turns=[2], redact=["email"])
    take_in(receiver, path)
    name = checked(path).name
    with opened(tmp_path / "copy") as archive:
        (left,) = [x.body for x in archive.ledger(SHARING).records() if isinstance(x.body, Export)][-1:]
    assert (left.snapshot, left.session, left.redaction) == (name, sender.public, ["email"])
    with open_archive(receiver, env={}) as archive:
        (came,) = [x.body for x in archive.ledger(SHARING).records() if isinstance(x.body, Import)]
        assert set(archive.sharing.imported()) == {sender.public}
    assert (came.snapshot, came.session, came.root, came.size) == (name, sender.public, left.root, left.size)


# --- what came in part, and came again


@pytest.mark.parametrize(
    "rule", ["field:conversion.text", "field:structure", "field:capture.url", "field:conversion.title"]
)
def test_evidence_whose_page_met_a_rule_can_still_be_taken_in(
    sender: Sender, tmp_path: Path, receiver: Path, rule: str
) -> None:
    """What leads from the evidence to its page was left out, and the page then seemed to be one too many."""
    path = export(sender.folder, sender.public, tmp_path / "part.wacz", evidence=["e1"], redact=[rule])
    checked(path)
    assert take_in(receiver, path).records
    verified(receiver, sender.public)


@pytest.mark.parametrize("first", [{"profile": "hashes"}, {"profile": "evidence"}, {"turns": [1]}])
def test_pages_that_a_fuller_snapshot_brings_are_found(
    sender: Sender, tmp_path: Path, receiver: Path, first: dict[str, Any]
) -> None:
    """The index remembered how far it had looked, and never looked at what was filled in before that."""
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "part.wacz", **first))

    def found() -> list[str]:
        with opened(receiver) as archive:
            search = archive.session().search("windlass chain tallow", providers=["archive"])
            return [item.source.url.rsplit("/", 1)[-1] for item in search.evidence]

    assert found() == []
    take_in(receiver, export(sender.folder, sender.public, tmp_path / "whole.wacz"))
    assert found() == ["beta"]


def test_pages_that_a_search_took_from_an_earlier_one_are_found_without_it(
    sender: Sender, tmp_path: Path, receiver: Path
) -> None:
    shutil.copytree(sender.folder, tmp_path / "copy")
    with opened(tmp_path / "copy") as archive:
        later = archive.session()
        later.search("windlass chain tallow", providers=["archive"])
    path = export(tmp_path / "copy", later.id, tmp_path / "later.wacz")
    with opened(receiver) as archive, open_shelf(path) as shelf:
        assert archive.session().search("windlass chain", providers=[shelf]).evidence
    take_in(receiver, path)
    with opened(receiver) as archive:
        assert archive.session().search("windlass chain", providers=["archive"]).evidence


def test_latest_is_ones_own(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    path = export(sender.folder, sender.public, tmp_path / "whole.wacz")
    take_in(receiver, path)
    with opened(receiver) as archive:
        assert archive.find("latest") == sender.public
        mine = archive.session(title="mine").id
        assert archive.find("latest") == mine
        archive.take_in(export(sender.folder, sender.private, tmp_path / "other.wacz"))
        assert archive.find("latest") == mine


def test_what_a_sender_erased_does_not_come_back(sender: Sender, tmp_path: Path, receiver: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(sender.folder, copy)
    old = export(copy, sender.public, tmp_path / "old.wacz")
    with opened(copy) as archive:
        ledger = archive.ledger(sender.public)
        size = ledger.checkpoint().size
        body = Envelope(sender.public, size, "2026-12-01T00:00:00.000000Z", "erasure", {"seqs": [2]}, "0" * 32)
        ledger.log.append(sender.public, [encode(body)], size)
    with sqlite3.connect(copy / "log.db") as db:
        where = "seq = 2 AND number = (SELECT number FROM sessions WHERE session = ?)"
        db.execute(f"UPDATE records SET line = NULL WHERE {where}", (sender.public,))
    new = export(copy, sender.public, tmp_path / "new.wacz")
    take_in(receiver, new)
    take_in(receiver, old)
    verified(receiver, sender.public)
    with opened(receiver) as archive:
        assert archive.ledger(sender.public).log.get(sender.public, 2, 3)[0].line is None


def test_causes_in_a_lattice_are_followed_once() -> None:
    """Each capture following from the two before it was gone through as often as there are ways to it."""
    captures = {
        seq: Envelope(
            "s1", seq, "2026-12-01T00:00:00Z", "capture", {}, "0" * 32, causes=tuple(range(max(0, seq - 2), seq))
        )
        for seq in range(200)
    }
    body = {"id": "e1"}
    evidence = Envelope("s1", 200, AT, "evidence", body, "0" * 32, causes=(198, 199))
    assert records_in({**captures, 200: evidence}, Scope(evidence=("e1",))) == frozenset(range(201))
