"""Which records and blobs of a session a scope and a profile take in. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from searchlog.errors import MissingError
from searchlog.log.envelope import Envelope
from searchlog.records import (
    Body,
    Capture,
    Conversion,
    Decision,
    Evidence,
    ProviderExchange,
    Query,
    Rendering,
    Run,
    Selection,
    ToolCall,
    ToolResult,
    parse_body,
)
from searchlog.snapshot.layout import Profile, Scope
from searchlog.verify.contents import blob_refs

__all__ = ["ERASURE", "ORIGINS", "blobs_of", "records_in"]

ERASURE = "erasure"
ORIGINS = (Evidence.kind, Conversion.kind, Capture.kind)
"""Evidence, and what it rests on: the text that it is a slice of, and the page that gave it."""
_OURS = (
    Capture,
    ProviderExchange,
    Conversion,
    Run,
    Decision,
    Query,
    Selection,
    Evidence,
    Rendering,
    ToolCall,
    ToolResult,
)
"""Kinds of which it is known what their blobs hold."""


def records_in(envelopes: Mapping[int, Envelope], scope: Scope) -> frozenset[int]:
    """Return the seqs of the records that a scope takes in, of those that can be read.

    The first record belongs to every scope: it says whose session it is. So do those that explain erased lines. Raises
    MissingError for a turn or a piece of evidence that the session does not have.
    """
    if scope.kind == "session":
        return frozenset(envelopes)
    if scope.kind == "search":
        found = {seq for seq, envelope in envelopes.items() if envelope.turn in scope.turns}
        there = {envelopes[seq].turn for seq in found}
        for turn in scope.turns:
            if turn not in there:
                raise MissingError(f"the session has no turn {turn} that can be read", turn=turn)
    else:
        chosen = frozenset(scope.evidence)
        named = [e for e in envelopes.values() if _evidence_id(e) in chosen]
        ids = {_evidence_id(envelope) for envelope in named}
        for name in scope.evidence:
            if name not in ids:
                raise MissingError(f"the session has no evidence {name} that can be read", evidence=name)
        found = _rests_on(envelopes, named)
    erasures = {seq for seq, envelope in envelopes.items() if envelope.kind == ERASURE}
    return frozenset(found | erasures | ({0} & envelopes.keys()))


def _evidence_id(envelope: Envelope) -> str | None:
    """Return the id of a piece of evidence; None of another record, and of one that has no id of ours."""
    name = envelope.body.get("id") if envelope.kind == Evidence.kind else None
    return name if isinstance(name, str) else None


def _rests_on(envelopes: Mapping[int, Envelope], evidence: Sequence[Envelope]) -> set[int]:
    """Return the seqs of these records, of the conversions that they follow from, and of the captures of those."""
    found, waiting = {envelope.seq for envelope in evidence}, list(evidence)
    while waiting:
        causes = {seq for seq in waiting.pop().causes if seq in envelopes} - found
        fresh = [envelope for seq in causes if (envelope := envelopes[seq]).kind in ORIGINS[1:]]
        found |= {envelope.seq for envelope in fresh}
        waiting += fresh
    return found


def blobs_of(envelope: Envelope, profile: Profile) -> Iterator[tuple[str, bool]]:
    """Yield each blob that a record names, and whether the profile takes it in.

    `evidence` leaves out what a page or a provider sent, and whole texts; passages, decisions and renderings stay.
    """
    foreign = set() if profile == "full" else set(_foreign(envelope))
    for ref in blob_refs(envelope.body):
        yield ref["blob"], ref["blob"] not in foreign


def _foreign(envelope: Envelope) -> Iterator[str]:
    """Yield the blobs that hold pages or answers of others."""
    body: Body = parse_body(envelope.kind, envelope.body)
    match body:
        case Capture() | ProviderExchange():
            names = [body.payload]
        case Conversion():
            names = [body.text, body.structure]
        case Run():
            names = list(body.texts or ())
            yield from (ref["blob"] for ref in blob_refs(envelope.body.get("results")) if _in_result(envelope, ref))
        case ToolResult() if body.fidelity is not None:
            names = [body.content]  # another program's tool gave it
        case _ if not isinstance(body, _OURS):
            yield from (ref["blob"] for ref in blob_refs(envelope.body))  # nobody here knows what they hold
            return
        case _:
            return
    yield from (ref.blob for ref in names if ref is not None)


def _in_result(envelope: Envelope, ref: dict[str, object]) -> bool:
    """Whether a reference stands inside a result; the list itself may be a reference as well."""
    return envelope.body.get("results") != ref
