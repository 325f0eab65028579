"""Signed notes: a text, an empty line, and a line for each signature. Pure; a signature is made in `signing`.

    searchlog/s20260102-030405-00000001
    14
    QuJs00JHbU8TBVL5a/eq6iokXky1YC9mTEUTIBjP84o=

    — example.com/me Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=

A key is known by its name and an id of four bytes; as text it is `NAME+ID+KEY`, a verifier key. Read strictly: a note
has one form, so that what is read and written again is the same. Signatures of keys that nobody here knows are
listed, and prove nothing. Spec: C2SP signed-note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from searchlog.errors import FormatError
from searchlog.log import ed25519

__all__ = [
    "ED25519",
    "SIGNATURES_MAX",
    "Note",
    "Signature",
    "VerifierKey",
    "check_name",
    "check_signature",
    "format_keys",
    "format_note",
    "format_vkey",
    "judge_signature",
    "key_id",
    "merged",
    "name_vkey",
    "parse_keys",
    "parse_note",
    "parse_vkey",
    "read_note",
    "split_vkey",
    "strict_base64",
]

ED25519 = 1
"""The signature type of Ed25519."""
SIGNATURES_MAX = 64
_TEXT_MAX = 1_000_000
_NAME_MAX = 500
_DASH = "— "
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f]")
_VKEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)")
Verdict = Literal["verified", "failed", "absent"]


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line."""

    name: str
    """Of the key."""
    key_id: bytes
    value: bytes
    """What the key's algorithm made of the text."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text and its signatures. The text ends with a newline."""

    text: str
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """An Ed25519 key that signatures are checked with."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        return key_id(self.name, self.public)


def key_id(name: str, public: bytes, kind: int = ED25519) -> bytes:
    """Return the four bytes by which a key of this name is found. kind: the signature type that it is for."""
    return hashlib.sha256(name.encode("utf-8") + b"\n" + bytes([kind]) + public).digest()[:4]


# --- notes


def format_note(note: Note) -> str:
    """Return the note as text. Raises FormatError for what could not be read again."""
    lines = (
        f"{_DASH}{one.name} {base64.b64encode(one.key_id + one.value).decode('ascii')}\n" for one in note.signatures
    )
    text = f"{note.text}\n{''.join(lines)}"
    if parse_note(text) != note:
        raise FormatError("a note whose text or signatures would be read as others")
    return text


def parse_note(text: str) -> Note:
    """Return the note of a text. Raises FormatError, saying where, on anything but the one form that a note has."""
    _check_text(text)
    split = text.rfind("\n\n")
    if split < 0 or not text.endswith("\n"):
        raise FormatError("a signed note is a text, an empty line, and signature lines, each ended by a newline")
    lines = text[split + 2 :].split("\n")[:-1]
    if not 1 <= len(lines) <= SIGNATURES_MAX:
        raise FormatError(f"a note of {len(lines)} signatures; expected 1 to {SIGNATURES_MAX}")
    return Note(text[: split + 1], tuple(_signature(number, line) for number, line in enumerate(lines, 1)))


def read_note(text: str) -> Note:
    """Return a note that may be unsigned: a text without an empty line, such as a checkpoint, has no signatures.

    Raises FormatError as `parse_note` does.
    """
    if "\n\n" in text:
        return parse_note(text)
    _check_text(text)
    if not text.endswith("\n"):
        raise FormatError("a note's text ends with a newline")
    return Note(text)


def merged(one: Note, other: Note) -> Note:
    """Return a note with the signatures of both, each once, those of the first before.

    So the cosignatures of witnesses, who each hand back a note of their own, come together. Raises FormatError where
    the texts differ, or where there are more signatures than a note can have.
    """
    if one.text != other.text:
        raise FormatError("two notes of different texts: what was signed of one says nothing of the other")
    signatures = tuple(dict.fromkeys((*one.signatures, *other.signatures)))
    if len(signatures) > SIGNATURES_MAX:
        raise FormatError(f"a note of {len(signatures)} signatures; expected 1 to {SIGNATURES_MAX}")
    return Note(one.text, signatures)


def _check_text(text: str) -> None:
    if len(text) > _TEXT_MAX:
        raise FormatError(f"a note of {len(text)} characters; at most {_TEXT_MAX}")
    if found := _CONTROL.search(text):
        raise FormatError(f"a note holds the control character {found[0]!a} at {found.start()}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"a note holds a lone surrogate at {error.start}") from None


def _signature(number: int, line: str) -> Signature:
    name, space, coded = line.removeprefix(_DASH).partition(" ")
    raw = strict_base64(coded)
    if not line.startswith(_DASH) or not space or not _is_name(name) or raw is None or len(raw) < 5:
        raise FormatError(f"signature line {number} of a note is {line!a:.80}", line=number)
    return Signature(name, raw[:4], raw[4:])


def judge_signature(note: Note, key: VerifierKey) -> Verdict:
    """Return `absent` where the key signed nothing, `failed` where a signature of it is wrong.

    A key is known by name and id together.
    """
    mine = [one for one in note.signatures if one.name == key.name and one.key_id == key.id]
    if not mine:
        return "absent"
    text = note.text.encode("utf-8")
    return "verified" if all(ed25519.verify(key.public, text, one.value) for one in mine) else "failed"


def check_signature(note: Note, key: VerifierKey) -> bool:
    """Return whether the key signed the note; False as well where one of several signatures of it is wrong."""
    return judge_signature(note, key) == "verified"


# --- keys


def check_name(name: str) -> None:
    """Raise FormatError for what cannot be the name of a key."""
    if not _is_name(name):
        raise FormatError(
            f"{name!a:.80} cannot be the name of a key: 1 to {_NAME_MAX} characters without blanks, plus or controls"
        )


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _NAME_MAX and not any(c.isspace() or c == "+" or c < " " for c in name)


def format_vkey(key: VerifierKey) -> str:
    """Return the verifier key as one line, without newline."""
    return name_vkey(key.name, key.public, ED25519)


def name_vkey(name: str, public: bytes, kind: int) -> str:
    """Return a key for signatures of this type as one line, without newline."""
    return f"{name}+{key_id(name, public, kind).hex()}+{base64.b64encode(bytes([kind]) + public).decode('ascii')}"


def parse_vkey(text: str) -> VerifierKey:
    """Return the key of a verifier key. Raises FormatError; of signature types only Ed25519 is known."""
    return VerifierKey(*split_vkey(text, ED25519, "Ed25519"))


def split_vkey(text: str, kind: int, what: str) -> tuple[str, bytes]:
    """Return name and public half of a verifier key. Raises FormatError for a key of another signature type.

    kind: the signature type, all of which are over Ed25519 here; what: how messages call it.
    """
    found = _VKEY.fullmatch(text)
    raw = strict_base64(found[3]) if found else None
    if not found or raw is None or not _is_name(found[1]):
        raise FormatError(f"{text!a:.120} is no verifier key: expected NAME+ID+KEY, as `searchlog key show` prints it")
    if raw[:1] != bytes([kind]):
        raise FormatError(f"the verifier key {found[1]!a:.80} is not for {what}: type {raw[:1].hex()}")
    name, public = found[1], raw[1:]
    if not ed25519.is_key(public):
        raise FormatError(f"the verifier key {name!a:.80} holds no public key that can be used")
    if (own := key_id(name, public, kind).hex()) != found[2]:
        raise FormatError(f"the verifier key {name!a:.80} has the id {found[2]}; expected {own}")
    return name, public


def format_keys(keys: Iterable[VerifierKey]) -> str:
    """Return verifier keys, one a line."""
    return "".join(f"{format_vkey(key)}\n" for key in keys)


def parse_keys(text: str) -> tuple[VerifierKey, ...]:
    """Return the keys of a text of verifier keys, one a line, at most 64. Raises FormatError."""
    lines = text.split("\n")
    if lines.pop() or len(lines) > SIGNATURES_MAX:
        raise FormatError(f"verifier keys stand one a line, each ended by a newline, at most {SIGNATURES_MAX}")
    return tuple(map(parse_vkey, lines))


def strict_base64(text: str) -> bytes | None:
    """Return the bytes of base64 in its one form, None for anything else."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if base64.b64encode(raw).decode("ascii") == text else None
