"""Signed notes: one form, read strictly, and signatures that bind a text to a key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.errors import FormatError
from searchlog.log.checkpoint import parse_checkpoint
from searchlog.log.note import (
    SIGNATURES_MAX,
    Note,
    Signature,
    VerifierKey,
    check_signature,
    format_keys,
    format_note,
    format_vkey,
    judge_signature,
    parse_keys,
    parse_note,
    parse_vkey,
    read_note,
)

VECTORS = Path(__file__).parent / "vectors"
EXAMPLE = json.loads((VECTORS / "c2sp-note.json").read_text("utf-8"))
NOTE: str = EXAMPLE["note"]
VKEY: str = EXAMPLE["vkey"]
LINE = (
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
OTHER = "— example.com/other AAAAAQECAw==\n"


def test_the_example_of_the_specification_is_verified_and_written_back() -> None:
    note, key = parse_note(NOTE), parse_vkey(VKEY)
    assert note.text == "This is an example message.\n"
    assert [one.name for one in note.signatures] == ["example.com/foo"]
    assert check_signature(note, key)
    assert format_note(note) == NOTE
    assert format_vkey(key) == VKEY
    assert key.id.hex() == "530d903a"


def test_the_checkpoint_of_the_specification_is_a_note() -> None:
    text = (VECTORS / "c2sp-checkpoint.txt").read_text("utf-8")
    note = parse_note(text)
    assert parse_checkpoint(note.text).size == 20852163
    assert format_note(note) == text
    assert read_note(note.text) == Note(note.text)
    assert read_note(text) == note


def test_signatures_of_other_keys_are_listed_and_prove_nothing() -> None:
    key = parse_vkey(VKEY)
    note = parse_note(NOTE + OTHER)
    assert [one.name for one in note.signatures] == ["example.com/foo", "example.com/other"]
    assert check_signature(note, key)
    assert judge_signature(parse_note(f"This is an example message.\n\n{OTHER}"), key) == "absent"


def test_the_same_name_or_the_same_id_alone_is_another_key() -> None:
    key = parse_vkey(VKEY)
    value = parse_note(NOTE).signatures[0].value
    for other in (Signature(key.name, b"\0\0\0\1", value), Signature("example.com/bar", key.id, value)):
        assert judge_signature(Note("This is an example message.\n", (other,)), key) == "absent"


def test_one_wrong_signature_of_the_key_spoils_a_right_one() -> None:
    key, note = parse_vkey(VKEY), parse_note(NOTE)
    wrong = Signature(key.name, key.id, bytes(64))
    assert judge_signature(Note(note.text, (*note.signatures, wrong)), key) == "failed"
    assert judge_signature(Note(note.text, (wrong, *note.signatures)), key) == "failed"


def test_a_signature_moved_to_another_text_fails() -> None:
    assert judge_signature(parse_note(NOTE.replace("example message", "other message")), parse_vkey(VKEY)) == "failed"


def test_the_text_is_split_off_at_the_last_empty_line() -> None:
    note = parse_note(f"a\n\nb\n\n\n{OTHER}")
    assert note.text == "a\n\nb\n\n"
    assert format_note(note) == f"a\n\nb\n\n\n{OTHER}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        LINE,
        f"a\n{LINE}",
        f"a\n\n{LINE}"[:-1],
        f"a\r\n\r\n{LINE}",
        f"a\n\n{LINE[:-1]}\r\n",
        f"a\tb\n\n{LINE}",
        f"a\x00\n\n{LINE}",
        f"a\ud800\n\n{LINE}",
        "a\n\n",
        f"a\n\n{LINE}b\n",
        f"a\n\n{LINE} \n",
        f"a\n\n-{LINE[1:]}",
        f"a\n\n–{LINE[1:]}",
        f"a\n\n {LINE}",
        f"a\n\n—{LINE[2:]}",
        "a\n\n— x\n",
        "a\n\n— x \n",
        "a\n\n— x AAAAAQ==\n",
        "a\n\n— x AAAAAQECAw=\n",
        "a\n\n— x AAAAAQECAx==\n",
        "a\n\n— x AAAAAQEC-w==\n",
        "a\n\n— x AAAAAQECAw==  \n",
        "a\n\n— x AAAA\u2003AQECAw==\n",
        "a\n\n—  AAAAAQECAw==\n",
        "a\n\n— x+y AAAAAQECAw==\n",
        "a\n\n— x\u00a0y AAAAAQECAw==\n",
        "a\n\n— x y AAAAAQECAw==\n",
        "a\n\n" + OTHER * (SIGNATURES_MAX + 1),
        "a" * 1_000_000 + f"\n\n{LINE}",
    ],
)
def test_anything_but_the_one_form_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_note(text)


def test_as_many_signatures_as_allowed_are_read() -> None:
    assert len(parse_note("a\n\n" + OTHER * SIGNATURES_MAX).signatures) == SIGNATURES_MAX


@pytest.mark.parametrize(
    "note",
    [
        Note("no newline", (Signature("x", b"abcd", b"1"),)),
        Note("a\n"),
        Note("a\n", (Signature("x y", b"abcd", b"1"),)),
        Note("a\n", (Signature("x", b"abcd", b""),)),
        Note("a\n", (Signature("x\n— y", b"abcd", b"1"),)),
        Note("a\n", (Signature("x", b"abc", b"1234"),)),
    ],
)
def test_nothing_is_written_that_would_be_read_as_something_else(note: Note) -> None:
    with pytest.raises(FormatError):
        format_note(note)


names = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), exclude_characters="+\x85"),
    min_size=1,
    max_size=20,
).filter(lambda name: not any(c.isspace() for c in name))
signatures = st.builds(Signature, names, st.binary(min_size=4, max_size=4), st.binary(min_size=1, max_size=70))
texts = st.text(st.characters(exclude_categories=("Cs",), min_codepoint=0x20) | st.just("\n"), max_size=80)


@settings(deadline=None)
@given(texts, st.lists(signatures, min_size=1, max_size=5))
def test_what_is_written_is_read_again(text: str, found: list[Signature]) -> None:
    note = Note(text + "\n", tuple(found))
    assert parse_note(format_note(note)) == note


@settings(deadline=None)
@given(st.text(max_size=60) | st.text("a\n— +=/AQ", max_size=60))
def test_what_is_read_is_written_again(text: str) -> None:
    try:
        note = parse_note(text)
    except FormatError:
        return
    assert format_note(note) == text


# --- verifier keys

BASE = "AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"


@pytest.mark.parametrize(
    "text",
    [
        "",
        VKEY + "\n",
        VKEY + "=",
        " " + VKEY,
        VKEY.replace("530d903a", "530D903A"),
        VKEY.replace("530d903a", "530d903b"),
        VKEY.replace("foo", "fop"),
        VKEY.replace("/foo", "/f o"),
        VKEY.replace("AekyeRrm", "BOkyeRrm"),
        f"example.com/foo+530d903a+{BASE[:-4]}",
        f"example.com/foo+{BASE}",
        f"+530d903a+{BASE}",
        "PRIVATE+KEY+" + VKEY,
        "a+b7406ac9+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ],
)
def test_what_is_no_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_vkey(text)


def test_keys_stand_one_a_line() -> None:
    key = parse_vkey(VKEY)
    other = VerifierKey("other", key.public)
    text = format_keys([key, other])
    assert parse_keys(text) == (key, other)
    assert parse_keys("") == ()
    for bad in (text[:-1], text + "\n", text.replace("\n", "\r\n"), text * 40):
        with pytest.raises(FormatError):
            parse_keys(bad)
