"""Heads from elsewhere, and what others say of them: signatures, time stamps, cosignatures. Pure.

A head that somebody kept holds the session to its first records; a signature, a token or a cosignature of it says more,
and only where whoever asks named the key, the authority or the witness: whose they are, a person has to know. What
holds is listed by its level, one beside the other; what does not hold is a finding.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from searchlog.checks import expect_list
from searchlog.errors import FormatError
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint, format_checkpoint, parse_checkpoint
from searchlog.log.cosignature import WitnessKey, judge_cosignature, parse_witness
from searchlog.log.note import Note, VerifierKey, judge_signature, parse_vkey, read_note
from searchlog.log.token import check_token, read_token
from searchlog.verify.finding import Report, Support

__all__ = ["NOBODY", "Seen", "Trust", "judge_heads", "read_seen"]

_LINE = "searchlog head:"


@dataclass(frozen=True, slots=True)
class Seen:
    """A head from elsewhere, with what others say of it."""

    head: Checkpoint
    note: Note
    """The text that is signed and stamped: that of the head, and maybe more lines."""
    tokens: tuple[bytes, ...] = ()
    """Time-stamp tokens over the note's text."""
    kept_outside: bool = True
    """Whether somebody kept it where who writes the archive cannot change it; else it shows no more than its
    signatures."""

    @property
    def origin(self) -> str:
        return self.head.origin

    @property
    def session(self) -> str:
        return self.head.session

    @classmethod
    def of(cls, head: Checkpoint | Seen) -> Seen:
        """Return a bare head as one of which nobody says anything."""
        return head if isinstance(head, Seen) else cls(head, Note(format_checkpoint(head)))


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom whoever asks trusts."""

    keys: tuple[VerifierKey, ...] = ()
    """Of signers: each has to have signed a head that is given of the session."""
    witnesses: tuple[WitnessKey, ...] = ()
    """Each has to have cosigned one."""
    roots: tuple[bytes, ...] = ()
    """Certificates of time-stamping authorities, PEM or DER."""

    @classmethod
    def of(cls, keys: Collection[str] = (), witnesses: Collection[str] = (), roots: Sequence[bytes] = ()) -> Trust:
        """Return the trust in keys of signers and of witnesses, each a line NAME+ID+KEY. Raises FormatError."""
        for name, value in (("keys", keys), ("witnesses", witnesses), ("roots", roots)):
            expect_list(name, value)
        signers, others = dict.fromkeys(map(parse_vkey, keys)), dict.fromkeys(map(parse_witness, witnesses))
        return cls(tuple(signers), tuple(others), tuple(roots))


NOBODY = Trust()


def read_seen(text: str, tokens: Sequence[bytes] = (), *, kept_outside: bool = True) -> Seen:
    """Return the head in a text: a line `searchlog head: ORIGIN SIZE ROOT`, or a note, signed or not.

    tokens: time-stamp tokens over the text of the note, or over the checkpoint that the line tells. Raises FormatError.
    """
    words = text.removeprefix(_LINE).split()
    if "\n" not in text.strip() and len(words) == 3 and words[0].startswith(ORIGIN_PREFIX):
        head = parse_checkpoint("\n".join(words) + "\n")
        return Seen(head, Note(format_checkpoint(head)), tuple(tokens), kept_outside)
    note = read_note(text)
    head = parse_checkpoint(note.text)
    if not head.origin.startswith(ORIGIN_PREFIX):
        raise FormatError(f"a head of {head.origin:.120}, which is no session of searchlog")
    return Seen(head, note, tuple(tokens), kept_outside)


def judge_heads(report: Report, heads: Sequence[Seen], held: Collection[int], trust: Trust) -> None:
    """List what others say of these heads of one session; what does not hold is a finding.

    held: places in `heads` of those that the session extends: the others support nothing, and what is wrong with their
    signatures is told all the same. A key that was named and signed none of them is a finding.
    """
    signed: set[VerifierKey | WitnessKey] = set()
    for number, seen in enumerate(heads):
        supports = [Support("L2", seen.head.size)] if seen.kept_outside else []
        supports += _signatures(report, seen, trust, signed)
        supports += _cosignatures(report, seen, trust, signed)
        for token in seen.tokens:
            supports += _stamped(report, seen, token, trust)
        if number in held and seen.head.size:
            report.support += [item for item in supports if item not in report.support]
    if not heads:
        return
    where = f"session {report.session}"
    for key in trust.keys:
        if key not in signed:
            message = f"the key {key.name} has signed none of the heads that were given"
            report.add("signature-invalid", where, message)
    for witness in trust.witnesses:
        if witness not in signed:
            message = f"the witness {witness.name} has cosigned none of the heads that were given"
            report.add("cosignature-invalid", where, message)


def _where(seen: Seen) -> str:
    return f"head of {seen.head.size} records"


def _signatures(report: Report, seen: Seen, trust: Trust, signed: set[VerifierKey | WitnessKey]) -> list[Support]:
    found = []
    for key in trust.keys:
        verdict = judge_signature(seen.note, key)
        if verdict != "absent":
            signed.add(key)
            report.count("signatures")
        if verdict == "verified":
            found.append(Support("L1", seen.head.size, key.name))
        elif verdict == "failed":
            message = "its signature is not one of this head"
            report.add("signature-invalid", f"{_where(seen)}, key {key.name}", message)
    known = {(key.name, key.id) for key in trust.keys} | {(key.name, key.id) for key in trust.witnesses}
    for signature in seen.note.signatures:
        if (signature.name, signature.key_id) not in known:
            report.skip("signatures of keys that are not here")
    return found


def _cosignatures(report: Report, seen: Seen, trust: Trust, signed: set[VerifierKey | WitnessKey]) -> list[Support]:
    found = []
    for key in trust.witnesses:
        judged = judge_cosignature(seen.note, key)
        if judged.verdict != "absent":
            signed.add(key)
            report.count("cosignatures")
        if judged.verdict == "failed":
            message = "its cosignature is not one of this head"
            report.add("cosignature-invalid", f"{_where(seen)}, witness {key.name}", message)
        found += [Support("L4", seen.head.size, key.name, at) for at in judged.times]
    return found


def _stamped(report: Report, seen: Seen, token: bytes, trust: Trust) -> list[Support]:
    text = seen.note.text
    try:
        facts = read_token(token, text)
        checked = check_token(token, text, trust.roots)
    except FormatError as error:
        report.add("token-invalid", _where(seen), str(error))
        return []
    if checked.outcome == "failed":
        report.add("token-invalid", _where(seen), checked.why)
        return []
    if checked.outcome == "not checked":
        report.skip(f"signature of a time-stamp token: {checked.why}")
        return []
    report.count("tokens")
    return [Support("L3", seen.head.size, facts.authority or "", facts.time)]
