"""Cosignatures: a witness says that it saw a head at a time, and that the log only grew up to it. Pure.

    searchlog/s20260102-030405-00000001
    14
    QuJs00JHbU8TBVL5a/eq6iokXky1YC9mTEUTIBjP84o=

    — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+…

A cosignature stands among the signatures of a note, under a key of its own type. Its value is the time, eight bytes
of POSIX seconds, and an Ed25519 signature over two lines, `cosignature/v1` and `time SECONDS`, and the note's text.
A witness signs no head of a log that does not extend the heads which it signed before: so two people who trust it
are not shown two logs. Whether it may be trusted with that, a person has to know; so only witnesses that were named
count. Spec: C2SP tlog-cosignature, type 0x04 (its type for ML-DSA-44 is not read, and listed as unknown).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from searchlog.log import ed25519
from searchlog.log.note import Note, Verdict, key_id, name_vkey, split_vkey

__all__ = ["COSIGNATURE", "Cosigned", "WitnessKey", "cosigned_text", "format_witness", "judge_cosignature"]
__all__ += ["parse_witness"]

COSIGNATURE = 4
"""The signature type of cosignatures with Ed25519."""
_TIME_BYTES, _SIGNATURE_BYTES = 8, 64
_TIME_MAX = 253_402_300_799
"""The last second of the year 9999: the standard allows more, and lets who checks refuse a time in the future."""


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """An Ed25519 key that cosignatures are checked with."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        return key_id(self.name, self.public, COSIGNATURE)


@dataclass(frozen=True, slots=True)
class Cosigned:
    """What became of a witness's cosignatures of a note."""

    verdict: Verdict
    """`absent` where it made none, `failed` where one of them is wrong."""
    times: tuple[str, ...] = ()
    """When it says that it saw the head, RFC 3339 UTC, earliest first; empty unless all are right."""


def cosigned_text(text: str, seconds: int) -> bytes:
    """Return what a witness signs of a note's text. seconds: POSIX time."""
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def judge_cosignature(note: Note, key: WitnessKey) -> Cosigned:
    """Return what a witness says of a note. A key is known by name and id together."""
    mine = [one.value for one in note.signatures if one.name == key.name and one.key_id == key.id]
    if not mine:
        return Cosigned("absent")
    times = [_time(note.text, value, key) for value in mine]
    held = sorted(time for time in times if time is not None)
    if len(held) != len(times):
        return Cosigned("failed")
    return Cosigned(
        "verified", tuple(datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for time in held)
    )


def _time(text: str, value: bytes, key: WitnessKey) -> int | None:
    """Return the time of a cosignature; None where it is none of this text by this key."""
    if len(value) != _TIME_BYTES + _SIGNATURE_BYTES:
        return None
    seconds = int.from_bytes(value[:_TIME_BYTES], "big")
    if seconds > _TIME_MAX:
        return None
    return seconds if ed25519.verify(key.public, cosigned_text(text, seconds), value[_TIME_BYTES:]) else None


def format_witness(key: WitnessKey) -> str:
    """Return the key of a witness as one line, without newline."""
    return name_vkey(key.name, key.public, COSIGNATURE)


def parse_witness(text: str) -> WitnessKey:
    """Return the key of a witness from its line `NAME+ID+KEY`. Raises FormatError; a signer's key is none."""
    return WitnessKey(*split_vkey(text, COSIGNATURE, "cosignatures"))
