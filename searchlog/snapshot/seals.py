"""What others say of a snapshot's head: signatures, cosignatures and time-stamp tokens, held against that very head.

A signature proves that a holder of its key signed this head, no more: whose key it is, a person has to know. So one by
a key that merely came with the file is told, and raises no level; and witnesses count only where they were named. Spec:
C2SP signed-note and tlog-cosignature, RFC 3161; FORMAT.md section 14.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from searchlog.errors import FormatError
from searchlog.log.cosignature import format_witness, judge_cosignature, parse_witness
from searchlog.log.note import VerifierKey, format_keys, format_vkey, judge_signature, parse_keys, parse_vkey
from searchlog.log.token import check_token, read_token
from searchlog.snapshot import layout
from searchlog.snapshot.opened import Opened
from searchlog.verify.finding import Report

__all__ = ["Cosigned", "Seals", "Signed", "Stamped", "check_seals", "is_seal"]

_TOKEN = re.compile(r"searchlog/token-[1-9][0-9]{0,2}\.tsr")


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature that holds."""

    key: str
    """Its verifier key."""
    trusted: bool
    """Whether whoever asked named the key; else it came with the file."""


@dataclass(frozen=True, slots=True)
class Cosigned:
    """A cosignature that holds, by a witness that whoever asked named."""

    witness: str
    """Its verifier key."""
    time: str
    """When the witness says that it saw the head."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A time-stamp token over this head."""

    member: str
    time: str
    """When its authority says that the head existed."""
    authority: str | None
    outcome: str
    """Of its own signature: `verified` or `not checked`."""
    detail: str = ""


@dataclass(slots=True)
class Seals:
    """What is known of a head beyond the file."""

    signed: list[Signed] = field(default_factory=list)
    tokens: list[Stamped] = field(default_factory=list)
    cosigned: list[Cosigned] = field(default_factory=list)

    @property
    def holding(self) -> list[str]:
        """Verifier keys of the signatures that hold."""
        return [item.key for item in self.signed]

    @property
    def level(self) -> str:
        """L4 with a cosignature of a trusted witness that holds, L3 with a token whose own signature holds, L1 with a
        signature of a trusted key that holds, else L0."""
        if self.cosigned:
            return "L4"
        if any(token.outcome == "verified" for token in self.tokens):
            return "L3"
        return "L1" if any(item.trusted for item in self.signed) else "L0"

    def to_json(self) -> dict[str, Any]:
        """Return it as `verify FILE --json` has it."""
        signed = [{"key": item.key, "trusted": item.trusted} for item in self.signed]
        more = {"cosignatures": [asdict(item) for item in self.cosigned]} if self.cosigned else {}
        return {"signatures": signed, "tokens": [asdict(token) for token in self.tokens], **more}


def is_seal(name: str) -> bool:
    """Whether a member holds what others say of the head."""
    return name == layout.KEYS or _TOKEN.fullmatch(name) is not None


def check_seals(
    opened: Opened, report: Report, keys: Collection[str], roots: Sequence[bytes], witnesses: Collection[str] = ()
) -> Seals:
    """Return the signatures, cosignatures and tokens that hold; those that do not are findings of the report.

    keys: verifier keys that are trusted; each must have signed. roots: certificates of time-stamp authorities.
    witnesses: verifier keys of witnesses that are trusted; each must have cosigned.
    """
    seals = Seals()
    own = _own_keys(opened, report)
    trusted = [parse_vkey(key) for key in keys]
    for key in dict.fromkeys((*trusted, *own)):
        verdict = judge_signature(opened.note, key)
        if verdict == "verified":
            seals.signed.append(Signed(format_vkey(key), key in trusted))
        elif verdict == "failed" or key in trusted or key in own:
            message = "its signature is not one of this head" if verdict == "failed" else "it has not signed this head"
            report.add("signature-invalid", f"{layout.CHECKPOINT}, key {key.name}", message)
    known = {(key.name, key.id) for key in (*trusted, *own)} | _cosigned(opened, report, witnesses, seals)
    for signature in opened.note.signatures:
        if (signature.name, signature.key_id) not in known:
            report.skip("signatures of keys that are not here")
    for name in opened.zip.members:
        if _TOKEN.fullmatch(name):
            _stamped(opened, name, roots, report, seals)
    return seals


def _cosigned(opened: Opened, report: Report, witnesses: Collection[str], seals: Seals) -> set[tuple[str, bytes]]:
    """Take in what witnesses signed, or say what is wrong with it. Return the names and ids of their keys."""
    known = dict.fromkeys(map(parse_witness, witnesses))
    for key in known:
        judged = judge_cosignature(opened.note, key)
        seals.cosigned += [Cosigned(format_witness(key), at) for at in judged.times]
        if judged.verdict != "verified":
            failed = judged.verdict == "failed"
            message = "its cosignature is not one of this head" if failed else "it has not cosigned this head"
            report.add("cosignature-invalid", f"{layout.CHECKPOINT}, witness {key.name}", message)
    return {(key.name, key.id) for key in known}


def _stamped(opened: Opened, name: str, roots: Sequence[bytes], report: Report, seals: Seals) -> None:
    """Take in a token, or say what is wrong with it."""
    try:
        data = opened.read(name)
        facts = read_token(data, opened.note.text)
        checked = check_token(data, opened.note.text, roots)
    except FormatError as error:
        report.add("token-invalid", name, str(error))
        return
    if checked.outcome == "failed":
        report.add("token-invalid", name, checked.why)
    else:
        report.count("tokens")
        seals.tokens.append(Stamped(name, facts.time, facts.authority, checked.outcome, checked.why))


def _own_keys(opened: Opened, report: Report) -> tuple[VerifierKey, ...]:
    """Return the keys that came with the file."""
    if layout.KEYS not in opened.zip.members:
        return ()
    try:
        data = opened.read(layout.KEYS)
        keys = parse_keys(data.decode("utf-8"))
    except (FormatError, UnicodeDecodeError) as error:
        report.add("signature-invalid", layout.KEYS, str(error))
        return ()
    if format_keys(keys).encode("utf-8") != data or not keys:
        report.add("signature-invalid", layout.KEYS, "it does not list verifier keys, one a line")
    return keys
