"""The envelope: golden bytes, what survives, what is refused."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import clock
from searchlog.errors import FormatError
from searchlog.log.envelope import LINE_BYTES_MAX, Envelope, decode, encode

TIME = clock.FixedClock()
IDS = clock.FixedIds()
RECORD = Envelope(
    session=IDS.session(TIME.now()),
    seq=7,
    at=clock.format_time(TIME.now()),
    kind="query",
    body={"text": "naïve “search” 日本 😀", "count": 3, "nested": {"b": [None, True], "a": ""}},
    salt=IDS.salt(),
    turn=2,
    agent="main/worker",
    causes=(3, 6),
)
GOLDEN = (
    '{"agent":"main/worker","at":"2026-01-02T03:04:05.000000Z",'
    '"body":{"count":3,"nested":{"a":"","b":[null,true]},"text":"naïve “search” 日本 😀"},'
    '"causes":[3,6],"kind":"query","salt":"00000000000000000000000000000001","seq":7,'
    '"session":"s20260102-030405-00000001","turn":2,"v":1}'
).encode()


def line(**changes: Any) -> bytes:
    """The golden line with some fields changed; a field set to `...` is left out."""
    value = json.loads(GOLDEN) | changes
    return json.dumps({name: item for name, item in value.items() if item is not ...}).encode()


def test_a_record_is_written_byte_for_byte() -> None:
    assert encode(RECORD) == GOLDEN
    assert decode(GOLDEN) == RECORD


def test_a_record_outside_of_turns_has_a_null_turn() -> None:
    plain = Envelope("s1", 0, "2026-01-02T03:04:05.000000Z", "session", {}, "0" * 32)
    assert encode(plain) == (
        b'{"agent":"main","at":"2026-01-02T03:04:05.000000Z","body":{},"causes":[],"kind":"session",'
        b'"salt":"00000000000000000000000000000000","seq":0,"session":"s1","turn":null,"v":1}'
    )
    assert decode(encode(plain)) == plain


def test_unknown_fields_and_kinds_survive() -> None:
    written = line(kind="from-the-future", signed_by="k1", more={"a": [1, {"b": None}]})
    read = decode(written)
    assert read.extra == {"signed_by": "k1", "more": {"a": [1, {"b": None}]}}
    assert read.kind == "from-the-future"
    assert decode(encode(read)) == read
    assert json.loads(encode(read)) == json.loads(written)


def test_a_line_that_others_wrote_with_spaces_is_read() -> None:
    assert decode(json.dumps(json.loads(GOLDEN), indent=None).encode()) == RECORD


names = st.text(st.characters(codec="utf-8"), max_size=8)
bodies = st.dictionaries(names, st.none() | st.integers(-9, 9) | st.text(st.characters(codec="utf-8")), max_size=5)


@given(
    seq=st.integers(0, 2**53 - 1),
    kind=st.from_regex(r"[a-z][a-z0-9-]{0,39}", fullmatch=True),
    agent=st.from_regex(r"[^\x00-\x1f\ud800-\udfff]{1,200}", fullmatch=True),
    turn=st.none() | st.integers(1, 10**9),
    body=bodies,
    extra=st.dictionaries(st.from_regex(r"x_[a-z]{1,5}", fullmatch=True), bodies, max_size=2),
)
@settings(deadline=None)
def test_every_record_round_trips(
    seq: int, kind: str, agent: str, turn: int | None, body: dict[str, Any], extra: dict[str, Any]
) -> None:
    record = dataclasses.replace(
        RECORD, seq=seq, kind=kind, agent=agent, turn=turn, body=body, extra=extra, causes=tuple(range(min(seq, 3)))
    )
    written = encode(record)
    assert decode(written) == record
    assert encode(decode(written)) == written
    assert b"\n" not in written


MALFORMED: list[tuple[str, Any]] = [
    *((name, ...) for name in ("v", "session", "seq", "at", "kind", "turn", "agent", "causes", "salt", "body")),
    ("v", 0),
    ("v", -1),
    ("v", True),
    ("v", "1"),
    ("v", None),
    ("session", ""),
    ("session", "-leading"),
    ("session", "../up"),
    ("session", "a/b"),
    ("session", "a b"),
    ("session", "a\n"),
    ("session", "a" * 101),
    ("session", "é"),
    ("session", 1),
    ("seq", -1),
    ("seq", True),
    ("seq", "7"),
    ("seq", None),
    ("at", ""),
    ("at", "yesterday"),
    ("at", "2026-01-02T03:04:05"),
    ("at", "2026-01-02T03:04:05+02:00"),
    ("at", "2026-02-30T03:04:05Z"),
    ("at", 1767322800),
    ("kind", ""),
    ("kind", "Query"),
    ("kind", "1query"),
    ("kind", "tool_call"),
    ("kind", "a" * 41),
    ("kind", "query\n"),
    ("kind", None),
    ("turn", 0),
    ("turn", -1),
    ("turn", True),
    ("turn", "2"),
    ("agent", ""),
    ("agent", "main\nworker"),
    ("agent", "a" * 201),
    ("agent", None),
    ("causes", None),
    ("causes", 3),
    ("causes", "3"),
    ("causes", {}),
    ("causes", [-1]),
    ("causes", [True]),
    ("causes", ["3"]),
    ("causes", [7]),
    ("causes", [8]),
    ("salt", ""),
    ("salt", "0" * 31),
    ("salt", "0" * 33),
    ("salt", "A" * 32),
    ("salt", "g" * 32),
    ("salt", 0),
    ("body", None),
    ("body", []),
    ("body", "text"),
]


@pytest.mark.parametrize(
    ("name", "value"), MALFORMED, ids=lambda value: "missing" if value is ... else ascii(value)[:24]
)
def test_a_malformed_field_is_refused_by_name(name: str, value: Any) -> None:
    """A bad time was refused without saying that it was `at`, a late cause without saying `causes`."""
    with pytest.raises(FormatError) as caught:
        decode(line(**{name: value}))
    assert caught.value.fields["field"] == name
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, value in MALFORMED if value is not ... and name != "causes"]
    + [("causes", (7,)), ("causes", (-1,)), ("causes", ("3",))],
    ids=lambda value: ascii(value)[:24],
)
def test_nothing_is_written_that_could_not_be_read(name: str, value: Any) -> None:
    """`encode` wrote whatever it was given, so a record could be acknowledged and never be read again."""
    with pytest.raises(FormatError) as caught:
        encode(dataclasses.replace(RECORD, **{name: value}))
    assert caught.value.fields["field"] == name


@pytest.mark.parametrize("name", ["v", "seq", "body", "salt"])
def test_an_unknown_field_cannot_hide_a_known_one(name: str) -> None:
    with pytest.raises(FormatError) as caught:
        encode(dataclasses.replace(RECORD, extra={name: 1}))
    assert caught.value.fields["field"] == name


def test_a_later_version_is_told_apart_from_a_malformed_record() -> None:
    """The other fields were checked first, so a version 2 that changed one of them was called malformed."""
    with pytest.raises(FormatError, match="upgrade") as caught:
        decode(line(v=2, turn={"number": 1}, salt=...))
    assert caught.value.fields["field"] == "v"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'"record"',
        b"{}",
        b"{",
        GOLDEN[:-1],
        GOLDEN + b"x",
        GOLDEN.replace(b'"v":1', b'"v":1,"v":1'),
    ],
    ids=["empty", "null", "list", "string", "no-fields", "cut", "cut-at-end", "trailing", "key-twice"],
)
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        decode(data)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_line_break_in_a_record_is_refused(end: bytes) -> None:
    """JSON allows a line break between tokens; a record with one falls apart in every file of lines."""
    assert decode(GOLDEN.replace(b",", b", ")) == RECORD
    for data in (GOLDEN + end, GOLDEN.replace(b",", b"," + end, 1)):
        with pytest.raises(FormatError, match="line"):
            decode(data)


def test_a_line_of_65535_bytes_is_kept_and_one_more_is_refused() -> None:
    room = LINE_BYTES_MAX - len(encode(dataclasses.replace(RECORD, body={"text": ""})))
    assert LINE_BYTES_MAX == 65_535
    full = dataclasses.replace(RECORD, body={"text": "x" * room})
    assert len(encode(full)) == LINE_BYTES_MAX
    assert decode(encode(full)) == full
    for text in ("x" * (room + 1), "x" * (room - 1) + "é"):
        over = dataclasses.replace(RECORD, body={"text": text})
        with pytest.raises(FormatError, match="blob") as caught:
            encode(over)
        assert caught.value.fields["bytes"] == LINE_BYTES_MAX + 1
    with pytest.raises(FormatError) as caught:
        decode(encode(full)[:-1] + b" }")
    assert caught.value.fields["bytes"] == LINE_BYTES_MAX + 1


@given(st.integers(0, len(GOLDEN) - 1), st.integers(0, 255))
@settings(deadline=None, max_examples=300)
def test_a_changed_byte_is_read_or_refused_and_never_taken_for_the_same(at: int, byte: int) -> None:
    data = GOLDEN[:at] + bytes([byte]) + GOLDEN[at + 1 :]
    try:
        record = decode(data)
    except FormatError:
        return
    assert (record == RECORD) is (json.loads(data) == json.loads(GOLDEN))
