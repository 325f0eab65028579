"""Cosignatures of witnesses: a public log's, ours made with another library, and each way in which one is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from searchlog.errors import FormatError
from searchlog.log.cosignature import Cosigned, WitnessKey, format_witness, judge_cosignature, parse_witness
from searchlog.log.note import (
    SIGNATURES_MAX,
    Note,
    Signature,
    check_signature,
    format_note,
    merged,
    parse_note,
    parse_vkey,
)
from tests.cosigning import TIME, signer, witness

VECTOR = json.loads((Path(__file__).parent / "vectors" / "c2sp-cosignature.json").read_text("utf-8"))
TEXT = "searchlog/s1\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"


def note(*signatures: Signature, text: str = TEXT) -> Note:
    return Note(text, signatures)


@pytest.mark.parametrize("key", VECTOR["witnesses"])
def test_cosignatures_of_a_public_log_hold(key: str):
    found = parse_note(VECTOR["note"])
    assert judge_cosignature(found, parse_witness(key)) == Cosigned("verified", ("2026-05-23T21:50:24Z",))
    assert format_witness(parse_witness(key)) == key
    assert check_signature(found, parse_vkey(VECTOR["log"]))


@pytest.mark.parametrize("key", VECTOR["witnesses"])
def test_cosignatures_are_of_one_text_alone(key: str):
    found = parse_note(VECTOR["note"].replace("1432088532", "1432088533"))
    assert judge_cosignature(found, parse_witness(key)) == Cosigned("failed")


def test_what_another_library_signs_is_read():
    one = witness()
    assert judge_cosignature(note(one.cosigns(TEXT)), one.witness) == Cosigned("verified", ("2026-01-02T03:04:05Z",))


def test_times_are_told_earliest_first():
    one = witness()
    found = judge_cosignature(note(one.cosigns(TEXT, TIME), one.cosigns(TEXT, 0)), one.witness)
    assert found.times == ("1970-01-01T00:00:00Z", "2026-01-02T03:04:05Z")


def test_extension_lines_are_signed_as_well():
    one, more = witness(), TEXT + "more\n"
    assert judge_cosignature(note(one.cosigns(more), text=more), one.witness).verdict == "verified"
    assert judge_cosignature(note(one.cosigns(TEXT), text=more), one.witness).verdict == "failed"


def altered(value: bytes, at: int) -> bytes:
    return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]


@pytest.mark.parametrize("at", [0, 7, 8, 40, 71])
def test_each_part_of_a_cosignature_is_signed(at: int):
    one = witness()
    right = one.cosigns(TEXT)
    wrong = Signature(right.name, right.key_id, altered(right.value, at))
    assert judge_cosignature(note(wrong), one.witness).verdict == "failed"
    assert judge_cosignature(note(right, wrong), one.witness) == Cosigned("failed")


@pytest.mark.parametrize("value", [b"x", b"\0" * 71, b"\0" * 73, b"\0" * 72])
def test_what_is_no_cosignature_fails(value: bytes):
    one = witness()
    assert judge_cosignature(note(Signature(one.name, one.witness.id, value)), one.witness).verdict == "failed"


@pytest.mark.parametrize("seconds", [253_402_300_800, 2**63 - 1, 2**63, 2**64 - 1])
def test_times_beyond_the_year_9999_fail_though_they_are_signed(seconds: int):
    one = witness()
    assert judge_cosignature(note(one.cosigns(TEXT, seconds)), one.witness).verdict == "failed"
    assert judge_cosignature(note(one.cosigns(TEXT, 253_402_300_799)), one.witness).verdict == "verified"


def test_signature_of_the_same_key_as_a_signer_is_no_cosignature():
    """The type of a key is part of its id, and of what is signed."""
    one = witness()
    assert judge_cosignature(note(one.signs(TEXT)), one.witness).verdict == "absent"
    disguised = Signature(one.name, one.witness.id, TIME.to_bytes(8, "big") + one.signs(TEXT).value)
    assert judge_cosignature(note(disguised), one.witness).verdict == "failed"
    assert not check_signature(note(Signature(one.name, one.key.id, one.cosigns(TEXT).value[8:])), one.key)


def test_another_witness_of_the_same_name_is_absent():
    one = witness()
    other = WitnessKey(one.name, signer().public)
    assert judge_cosignature(note(one.cosigns(TEXT)), other).verdict == "absent"


def test_keys_of_witnesses_and_signers_are_not_taken_for_each_other():
    with pytest.raises(FormatError, match="is not for cosignatures: type 01"):
        parse_witness(witness().vkey)
    with pytest.raises(FormatError, match="is not for Ed25519: type 04"):
        parse_vkey(witness().witness_vkey)


@pytest.mark.parametrize("text", ["", "name", "w+00000000+BA==", "a b+00000000+BAAA", VECTOR["witnesses"][0] + "\n"])
def test_what_is_no_key_of_a_witness_is_refused(text: str):
    with pytest.raises(FormatError):
        parse_witness(text)


def test_id_that_does_not_fit_is_refused():
    name, _, public = witness().witness_vkey.split("+", 2)
    with pytest.raises(FormatError, match="has the id 00000000; expected"):
        parse_witness(f"{name}+00000000+{public}")


# --- signatures of several together


def test_notes_of_one_text_are_put_together():
    one, other = signer(), witness()
    mine, theirs = note(one.signs(TEXT)), note(one.signs(TEXT), other.cosigns(TEXT))
    both = merged(mine, theirs)
    assert both.signatures == (one.signs(TEXT), other.cosigns(TEXT))
    assert parse_note(format_note(both)) == both
    assert check_signature(both, one.key)
    assert judge_cosignature(both, other.witness).verdict == "verified"
    assert merged(Note(TEXT), mine) == mine


def test_notes_that_cannot_be_put_together_are_refused():
    with pytest.raises(FormatError, match="different texts"):
        merged(note(), note(text="another\n"))
    many = [Signature("w", b"abcd", bytes([number])) for number in range(SIGNATURES_MAX)]
    with pytest.raises(FormatError, match="65 signatures"):
        merged(note(*many), note(witness().cosigns(TEXT)))
