"""Does a snapshot say of itself what it is? Its description held against the records and blobs that are here.

A description that claims less than is here, or another reason for what is not, misleads whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from searchlog.digest import Digest
from searchlog.errors import FormatError, MissingError
from searchlog.ledger import number_runs
from searchlog.redaction.rules import is_shared_rule
from searchlog.snapshot import layout
from searchlog.snapshot.opened import Opened
from searchlog.snapshot.scope import ERASURE, ORIGINS, blobs_of, records_in

__all__ = ["misdescribed"]

_HIDING = ("redacted", "secret", "profile", "missing")
"""Reasons for which a record is left out that the scope takes in."""


def misdescribed(opened: Opened) -> Iterator[tuple[str, str]]:
    """Yield the member and what is wrong, for each thing that the description or the log says and that is not so."""
    for said in (*_records(opened), *_rules(opened), *_reasons(opened), *_blobs(opened), *_scope(opened)):
        yield layout.DESCRIPTION, said
    about = opened.description
    whys = {seq: why for first, last, why in about.left_out.records for seq in range(first, last + 1)}
    for seq, copy in opened.copies.items():
        place = {name: copy.get(name) for name in ("session", "seq")}
        if whys.get(seq) != "redacted" or place != {"session": about.session, "seq": seq}:
            yield layout.LOG, f"a redacted copy stands in the place of record {seq}"


def _records(opened: Opened) -> Iterator[str]:
    for first, last, _ in opened.description.left_out.records:
        for seq in range(first, last + 1):
            if opened.lines[seq].line is not None:
                yield f"record {seq} is here, and said to be left out"


def _rules(opened: Opened) -> Iterator[str]:
    rules = opened.description.redaction
    if list(rules) != sorted(rules):
        yield "its rules of redaction stand in another order"
    for rule in rules:
        if not is_shared_rule(rule):
            yield f"no rule of redaction is {rule:.80}"


def _reasons(opened: Opened) -> Iterator[str]:
    about = opened.description
    possible = {
        "records scope": about.scope.kind != "session",
        "blobs scope": False,
        "records profile": about.profile == "hashes",
        "blobs profile": about.profile == "evidence",
        "records redacted": bool(about.redaction),
        "blobs redacted": bool(about.redaction),
    }
    for what in about.left_out.counts():
        if not possible.get(what, True):
            yield f"{what.split()[0]} are said to be left out for a reason that cannot be: {what}"


def _blobs(opened: Opened) -> Iterator[str]:
    about, named = opened.description, set()
    for envelope in opened.envelopes():
        try:
            for name, taken in blobs_of(envelope, about.profile):
                named.add(name)
                if not taken and name not in about.left_out.blobs:
                    yield f"the profile {about.profile} leaves out blob {name} of record {envelope.seq}"
        except FormatError:
            continue  # the store axis names it
    for name in about.left_out.blobs:
        if name not in named:
            yield f"no record that is here names blob {name}, which is said to be left out"
        elif opened.storage.blobs.has(Digest(name)):
            yield f"blob {name} is here, and said to be left out"


def _scope(opened: Opened) -> Iterator[str]:
    """Yield what is here and is not of the scope, and what of the scope is not here."""
    about = opened.description
    if about.profile == "hashes" and any(item.line is not None for item in opened.lines):
        yield "a snapshot of hashes holds no record"
    if about.scope.kind == "session":
        return
    turns, kinds = frozenset(about.scope.turns), (ERASURE, *(ORIGINS if about.scope.evidence else ()))
    here, kept = set(), {}
    for envelope in opened.envelopes():
        here.add(envelope.seq)
        if envelope.seq == 0 or envelope.turn in turns or envelope.kind in kinds:
            kept[envelope.seq] = envelope
    hidden = any(why in _HIDING for _, _, why in about.left_out.records)
    try:
        wanted = records_in(kept, about.scope)
    except MissingError as error:
        if not hidden:
            yield str(error)
        return
    if about.scope.evidence and hidden:
        wanted = frozenset(kept)  # what leads from one to the other may be among what is not here
    for first, last in number_runs(sorted(here - wanted)):
        yield f"records {first} to {last} are here, and the scope {about.scope.kind} has them not"
