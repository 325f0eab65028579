"""The record kinds: golden lines, and bodies that come back from their lines as they went in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from searchlog import canon, records
from searchlog.errors import FormatError
from searchlog.log.envelope import decode, encode
from searchlog.records import KINDS, parse_body
from searchlog.verify.store import verify_session
from tests.specimens import specimen_session

GOLDEN = Path(__file__).parent / "golden" / "records.jsonl"
LINES = GOLDEN.read_bytes().splitlines()
BLOB = {"blob": "sha256:" + "0" * 64, "bytes": 3}


def body_of(kind: str) -> dict[str, Any]:
    """Return the body of the specimen of this kind."""
    return next(decode(line).body for line in LINES if decode(line).kind == kind)


def test_specimens_are_the_golden_lines_byte_for_byte():
    ledger = specimen_session()
    assert b"".join(item.line + b"\n" for item in ledger.log.get(ledger.session)) == GOLDEN.read_bytes()


def test_every_kind_has_a_golden_line():
    assert {decode(line).kind for line in LINES} == set(KINDS)


@pytest.mark.parametrize("line", LINES, ids=[f"{decode(line).seq}-{decode(line).kind}" for line in LINES])
def test_golden_line_comes_back_from_its_typed_body(line: bytes):
    envelope = decode(line)
    body = parse_body(envelope.kind, envelope.body)
    assert type(body) is KINDS[envelope.kind]
    assert not body.model_extra
    assert body.to_json() == envelope.body
    assert encode(envelope) == line == canon.dumps(canon.loads(line))


def test_kinds_are_told_by_their_tag_alone():
    assert all(cls.kind == kind for kind, cls in KINDS.items())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_fields_of_a_later_version_survive(kind: str):
    """A field of a later version whose value was null did not come back."""
    body = body_of(kind) | {"later": {"a": [1, None, {"b": None}]}, "later_null": None, "kind": "other", "spill": [1]}
    assert parse_body(kind, body).to_json() == body


def test_fields_inside_references_survive():
    body = body_of("rendering") | {"text": BLOB | {"media_type": "text/plain"}}
    assert parse_body("rendering", body).to_json() == body


def test_kinds_of_a_later_version_survive():
    body = {"text": "x", "deep": {"list": [{"n": None}]}, "none": None, "blob": BLOB}
    read = parse_body("compaction", body)
    assert isinstance(read, records.Unknown)
    assert read.to_json() == body
    assert parse_body("compaction", {}).to_json() == {}


def test_nulls_inside_values_are_kept():
    body = body_of("note") | {"fields": {"ticket": None, "list": [None]}}
    assert parse_body("note", body).to_json() == body


def test_absent_fields_are_not_written():
    assert records.Turn(state="begin").to_json() == {"state": "begin"}
    assert parse_body("turn", {"state": "begin", "outcome": None}).to_json() == {"state": "begin"}


@pytest.mark.parametrize("kind", ["capture", "provider-exchange"])
def test_reference_is_told_from_an_exchange(kind: str):
    assert parse_body(kind, body_of(kind) | {"exchange": BLOB}).exchange == records.BlobRef(**BLOB)
    other = {"blob": "not a digest", "bytes": 3}
    assert parse_body(kind, body_of(kind) | {"exchange": other}).exchange == other


SPILLED = [
    ("run", "results"),
    ("run", "dropped"),
    ("decision", "items"),
    ("decision", "sources"),
    ("selection", "chosen"),
    ("evidence", "exact"),
    ("verification", "verdicts"),
    ("verification", "findings"),
    ("capture", "exchange"),
    ("provider-exchange", "exchange"),
    ("import", "left_out"),
    ("message", "citations"),
    ("message", "index"),
    ("tool-call", "arguments"),
    ("tool-result", "evidence"),
    ("tool-result", "index"),
]


def test_list_of_fields_that_may_be_spilled_is_whole():
    assert sorted(SPILLED) == sorted((kind, name) for kind, cls in KINDS.items() for name in cls.spill)


@pytest.mark.parametrize(("kind", "name"), SPILLED)
def test_spilled_field_is_read_as_a_reference(kind: str, name: str):
    body = body_of(kind) | {name: BLOB}
    read = parse_body(kind, body)
    assert getattr(read, name) == records.BlobRef(**BLOB)
    assert read.to_json() == body


BAD = [
    ("session", {"origin": None}, "origin"),
    ("session", {"software": 1}, "software"),
    ("turn", {"state": "over"}, "state"),
    ("query", {"mode": "any"}, "mode"),
    ("query", {"providers": "searxng"}, "providers"),
    ("provider-exchange", {"exchange": 3}, "exchange"),
    ("provider-exchange", {"payload": {"blob": "sha256:0", "bytes": 3}}, "payload.blob"),
    ("run", {"results": [3]}, "results"),
    ("decision", {"in_count": "many"}, "in_count"),
    ("decision", {"reasons": {"limit": "x"}}, "reasons.limit"),
    ("capture", {"outcome": "fine"}, "outcome"),
    ("capture", {"payload": {"blob": BLOB["blob"]}}, "payload.bytes"),
    ("conversion", {"text": "the text itself"}, "text"),
    ("selection", {"budget_tokens": None}, "budget_tokens"),
    ("evidence", {"start": "x"}, "start"),
    ("rendering", {"evidence": {}}, "evidence"),
    ("message", {"content": "the answer itself"}, "content"),
    ("tool-call", {"arguments": 3}, "arguments"),
    ("tool-result", {"outcome": "fine"}, "outcome"),
    ("verification", {"checked": []}, "checked"),
    ("export", {"snapshot": None}, "snapshot"),
    ("import", {"scope": "session"}, "scope"),
    ("note", {"fields": []}, "fields"),
]


def test_every_kind_has_a_bad_body():
    assert {kind for kind, _, _ in BAD} == set(KINDS)


@pytest.mark.parametrize(("kind", "change", "field"), BAD, ids=[f"{kind}-{field}" for kind, _, field in BAD])
def test_bad_body_names_its_field(kind: str, change: dict[str, Any], field: str):
    with pytest.raises(FormatError) as caught:
        parse_body(kind, body_of(kind) | change)
    assert str(caught.value.fields["field"]).startswith(field)
    assert str(caught.value).startswith(f"{kind} record: {field}")


@pytest.mark.parametrize("kind", sorted(set(KINDS)))
def test_empty_body_names_the_first_field_that_is_missing(kind: str):
    with pytest.raises(FormatError, match="required"):
        parse_body(kind, {})


def test_bodies_do_not_change():
    body = parse_body("note", body_of("note"))
    with pytest.raises(ValueError, match="frozen"):
        body.text = "other"  # type: ignore[attr-defined]


def test_specimen_session_verifies():
    ledger = specimen_session()
    assert verify_session(ledger.log, ledger.blobs, ledger.session).findings == []
