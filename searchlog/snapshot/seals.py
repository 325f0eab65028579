"""What others say of a snapshot's head: signatures and time-stamp tokens, held against the very head in the file.

A signature proves that a holder of its key signed this head, no more: whose key it is, a person has to know. Spec:
C2SP signed-note, RFC 3161; FORMAT.md section 14.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog.errors import FormatError
from searchlog.log.note import VerifierKey, format_keys, format_vkey, judge_signature, parse_keys, parse_vkey
from searchlog.snapshot import layout
from searchlog.snapshot.opened import Opened
from searchlog.verify.finding import Report

__all__ = ["Seals", "Signed", "check_seals", "is_seal"]

_TOKEN = re.compile(r"searchlog/token-[1-9][0-9]{0,2}\.tsr")


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature that holds."""

    key: str
    """Its verifier key."""
    trusted: bool
    """Whether whoever asked named the key; else it came with the file."""


@dataclass(slots=True)
class Seals:
    """What is known of a head beyond the file."""

    signed: list[Signed] = field(default_factory=list)
    tokens: list[dict[str, Any]] = field(default_factory=list)
    """Of each token its member, time, who issued it, and whether its signature was checked."""

    @property
    def holding(self) -> list[str]:
        """Verifier keys of the signatures that hold."""
        return [item.key for item in self.signed]

    @property
    def level(self) -> str:
        """L0 without a signature that holds, L1 with one, L3 with a token whose signature holds."""
        if any(token["outcome"] == "verified" for token in self.tokens):
            return "L3"
        return "L1" if self.signed else "L0"

    def to_json(self) -> dict[str, Any]:
        """Return it as `verify FILE --json` has it."""
        signed = [{"key": item.key, "trusted": item.trusted} for item in self.signed]
        return {"signatures": signed, "tokens": self.tokens}


def is_seal(name: str) -> bool:
    """Whether a member holds what others say of the head."""
    return name == layout.KEYS or _TOKEN.fullmatch(name) is not None


def check_seals(opened: Opened, report: Report, keys: Collection[str], roots: Sequence[bytes]) -> Seals:
    """Return the signatures and tokens that hold; those that do not are findings of the report.

    keys: verifier keys that are trusted; each must have signed. roots: certificates of time-stamp authorities.
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
    known = {(key.name, key.id) for key in (*trusted, *own)}
    for signature in opened.note.signatures:
        if (signature.name, signature.key_id) not in known:
            report.skip("signatures of keys that are not here")
    return seals


def _own_keys(opened: Opened, report: Report) -> tuple[VerifierKey, ...]:
    """Return the keys that came with the file."""
    if layout.KEYS not in opened.zip.members:
        return ()
    data = opened.read(layout.KEYS)
    try:
        keys = parse_keys(data.decode("utf-8"))
    except (FormatError, UnicodeDecodeError) as error:
        report.add("signature-invalid", layout.KEYS, str(error))
        return ()
    if format_keys(keys).encode("utf-8") != data or not keys:
        report.add("signature-invalid", layout.KEYS, "it does not list verifier keys, one a line")
    return keys
