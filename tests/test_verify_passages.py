"""The store axis by passage: damage reaches the passages that rest on it, and no others."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchlog import records
from searchlog.archive import open_archive
from searchlog.ledger import Draft, Ledger
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.log.tree import leaf_hash
from searchlog.verify.absence import Absence
from searchlog.verify.damage import WORST, Damage, worse
from searchlog.verify.finding import Report
from searchlog.verify.passages import store_verdicts
from searchlog.verify.store import verify_session
from searchlog.verify.verdict import STORE, PassageVerdict
from tests.searches import ask, opened, pages
from tests.sites import serve

AT = "2026-01-02T03:04:05.000000Z"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a session of two searches over three pages."""
    folder = tmp_path_factory.mktemp("passages") / "archive"
    with serve(pages()) as site, opened(folder) as archive:
        session = archive.session()
        ask(session, site, "tide mill gate", ["/mill", "/gate"])
        ask(session, site, "pond mud mill", ["/pond"])
    return folder


class World:
    """A copy of the archive, to be damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.archive = open_archive(folder, env={})
        (self.session,) = self.archive.resources.storage.log.sessions()
        self.ledger: Ledger = self.archive.ledger(self.session)
        self.db = sqlite3.connect(folder / "log.db", isolation_level=None)
        self.entries = [(record.seq, record.envelope, record.body) for record in self.ledger.records()]

    def find(self, kind: type, path: str = "") -> tuple[int, Any]:
        """Return the seq and the body of the first record of a kind, of a page."""
        return next(
            (seq, body)
            for seq, _, body in self.entries
            if isinstance(body, kind) and body.to_json().get("url", "").endswith(path) and robots(body)
        )

    def ids(self, path: str) -> set[str]:
        return {body.id for _, _, body in self.entries if isinstance(body, records.Evidence) and path in body.url}

    @property
    def all(self) -> set[str]:
        return self.ids("/")

    def file(self, name: str) -> Path:
        return self.folder / "blobs" / "sha256" / name[7:9] / name[7:]

    def report(self, **options: Any) -> Report:
        storage = self.archive.resources.storage
        return verify_session(storage.log, storage.blobs, self.session, **options)

    def verdicts(self, **options: Any) -> dict[str, PassageVerdict]:
        report = self.report(**options)
        found = list(store_verdicts(report, self.ledger))
        assert Counter(one.state for one in found) == report.states
        assert all(one.axis == "store" and one.state in STORE and one.session == self.session for one in found)
        assert len({one.evidence for one in found}) == len(found)
        return {one.evidence: one for one in found}

    def states(self, **options: Any) -> dict[str, str]:
        return {name: one.state for name, one in self.verdicts(**options).items()}

    def alter(self, seq: int, change: Callable[[Envelope], Envelope]) -> None:
        """Change a line and not its hash."""
        (line,) = self.db.execute("SELECT line FROM records WHERE seq = ?", (seq,)).fetchone()
        self.db.execute("UPDATE records SET line = ? WHERE seq = ?", (encode(change(decode(line))), seq))

    def erase(self, *seqs: int, explained: bool = True) -> None:
        if explained:
            size = self.ledger.checkpoint().size
            line = encode(Envelope(self.session, size, AT, "erasure", {"seqs": list(seqs)}, "0" * 32))
            self.archive.resources.storage.log.append(self.session, [line], size)
        for seq in seqs:
            self.db.execute("UPDATE records SET line = NULL WHERE seq = ?", (seq,))

    def close(self) -> None:
        self.db.close()
        self.archive.close()


def robots(body: Any) -> bool:
    return not (isinstance(body, records.Capture) and body.purpose != "page")


@pytest.fixture
def world(original: Path, tmp_path: Path) -> Iterator[World]:
    shutil.copytree(original, tmp_path / "copy")
    made = World(tmp_path / "copy")
    yield made
    made.close()


def only(world: World, names: set[str], state: str) -> dict[str, str]:
    assert names
    return {name: state if name in names else "intact" for name in world.all}


def test_sound_session_has_every_passage_intact_with_its_place(world: World):
    found = world.verdicts()
    assert {name: one.state for name, one in found.items()} == only(world, {"e0"}, "intact")
    body = world.find(records.Evidence, "/mill")[1]
    one = found[body.id]
    assert (one.digest, one.url, one.outcome, one.detail) == (body.digest, body.url, "verified", "")
    assert next(iter(store_verdicts(world.report(), world.ledger, checked_at=AT))).checked_at == AT


@pytest.mark.parametrize("what", ["text", "structure", "payload"])
@pytest.mark.parametrize("how", ["altered", "missing"])
def test_damaged_blob_reaches_the_passages_of_its_page_alone(world: World, what: str, how: str):
    conversion = world.find(records.Conversion, "/gate")[1]
    name = conversion.payload if what == "payload" else getattr(conversion, what).blob
    file = world.file(name)
    if how == "missing":
        file.unlink()
    else:
        file.write_bytes(b"x" + file.read_bytes()[1:])
    assert world.states() == only(world, world.ids("/gate"), how)
    (id_,) = world.ids("/gate")
    assert world.verdicts()[id_].detail == f"blob-{how}: {name}"


@pytest.mark.parametrize("kind", [records.Evidence, records.Conversion, records.Capture])
def test_altered_record_reaches_what_follows_from_it(world: World, kind: type):
    seq, _ = world.find(kind, "/gate")
    world.alter(seq, lambda envelope: replace(envelope, at=AT))
    assert world.states() == only(world, world.ids("/gate"), "altered")


@pytest.mark.parametrize("kind", [records.Conversion, records.Capture])
@pytest.mark.parametrize("explained", [True, False])
def test_erased_record_reaches_what_follows_from_it(world: World, kind: type, explained: bool):
    world.erase(world.find(kind, "/gate")[0], explained=explained)
    assert world.states() == only(world, world.ids("/gate"), "erased" if explained else "missing")


@pytest.mark.parametrize("explained", [True, False])
def test_evidence_whose_record_is_erased_is_known_by_its_rendering(world: World, explained: bool):
    world.erase(world.find(records.Evidence, "/gate")[0], explained=explained)
    found = world.verdicts()
    (name,) = world.ids("/gate")
    assert (found[name].state, found[name].url) == ("erased" if explained else "missing", "")
    assert {found[other].state for other in world.all - {name}} == {"intact"}


def test_left_out_record_and_blob_are_told_as_that(world: World):
    (seq, capture), conversion = world.find(records.Capture, "/gate"), world.find(records.Conversion, "/gate")[1]
    world.file(conversion.payload).unlink()
    assert world.states(absent=Absence(blobs=frozenset({conversion.payload}))) == only(
        world, world.ids("/gate"), "left-out"
    )
    assert world.report(absent=Absence(blobs=frozenset({conversion.payload}))).state == "left-out"
    world.erase(seq, explained=False)
    absent = Absence(frozenset({seq}), frozenset({capture.payload.blob}))
    assert world.states(absent=absent) == only(world, world.ids("/gate"), "left-out")


def test_damaged_rendering_reaches_the_passages_that_it_shows(world: World):
    rendering = world.find(records.Rendering)[1]
    world.file(rendering.text.blob).unlink()
    assert world.states() == only(world, set(rendering.evidence), "missing")


def test_record_that_no_passage_rests_on_reaches_none(world: World):
    seq, _ = world.find(records.Query)
    world.alter(seq, lambda envelope: replace(envelope, at=AT))
    assert world.report().state == "altered"
    assert set(world.states().values()) == {"intact"}


@pytest.mark.parametrize("state", ["fork", "truncated"])
def test_head_that_is_not_extended_reaches_every_passage(world: World, state: str):
    size = world.ledger.checkpoint().size + (state == "truncated")
    seen = Checkpoint(ORIGIN_PREFIX + world.session, size, bytes(32))
    assert set(world.states(heads=[seen]).values()) == {state}


def test_line_and_hash_changed_together_reach_every_passage(world: World):
    seq, _ = world.find(records.Query)
    world.alter(seq, lambda envelope: replace(envelope, at=AT))
    (line,) = world.db.execute("SELECT line FROM records WHERE seq = ?", (seq,)).fetchone()
    world.db.execute("UPDATE records SET leaf = ? WHERE seq = ?", (leaf_hash(line), seq))
    assert set(world.states().values()) == {"altered"}


def test_passage_that_is_no_slice_of_its_text_is_altered(world: World):
    _, body = world.find(records.Evidence, "/gate")
    conversion, _ = world.find(records.Conversion, "/gate")
    odd = body.model_copy(update={"id": "e90", "start": body.start + 1, "end": body.end + 1})
    world.ledger.add([Draft(odd, (conversion,))])
    assert world.states() == only(world, {"e90"}, "altered") | {"e90": "altered"} | dict.fromkeys(world.all, "intact")


def test_worst_of_several_records_of_one_id_is_told(world: World):
    """A piece that is handed over again has a record in each turn."""
    _, body = world.find(records.Evidence, "/gate")
    conversion, _ = world.find(records.Conversion, "/gate")
    world.ledger.add([Draft(body, (conversion,))])
    assert world.states() == only(world, {"e0"}, "intact")
    world.alter(world.ledger.checkpoint().size - 1, lambda envelope: replace(envelope, at=AT))
    assert world.states() == only(world, {body.id}, "altered")


def test_selection_that_differs_reaches_its_turn(world: World):
    _, body = world.find(records.Selection)
    other = world.find(records.Evidence, "/pond")[1].id
    odd = body.model_copy(update={"chosen": [{**item, "start": 5} for item in body.chosen]})
    world.ledger.append(lambda state: (None, [Draft(odd, turn=1)]))
    report = world.report()
    assert [finding.code for finding in report.findings] == ["selection-differs"]
    found = world.states()
    assert found[other] == "intact"
    assert {found[name] for name in world.all - {other}} == {"altered"}


def test_records_that_were_appended_after_the_check_are_left_aside(world: World):
    report = world.report()
    conversion, _ = world.find(records.Conversion, "/gate")
    odd = world.find(records.Evidence, "/gate")[1].model_copy(update={"id": "e90"})
    world.ledger.add([Draft(odd, (conversion,))])
    assert {one.evidence for one in store_verdicts(report, world.ledger)} == world.all


def test_states_have_one_order_and_damage_keeps_the_worst():
    assert set(WORST) == set(STORE)
    damage = Damage()
    for state in ("erased", "altered", "missing"):
        damage.note(state, state, 3)
        damage.note(state, state, "sha256:x")
        damage.note_turn(state, state, 1)
        damage.note(state, state)
    kept = (damage.records[3], damage.blobs["sha256:x"], damage.turns[1], damage.session)
    assert {one[0] for one in kept} == {"altered"} == {damage.worst}
    assert worse("fork", "intact") == worse("intact", "fork") == "fork"
