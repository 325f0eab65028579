"""The store axis, passage by passage: what each piece of evidence rests on, and whether that is as it was stored.

A piece rests on its own record, the conversion and the captures that it follows from, the blobs that these name (text,
structure, payload), and the renderings that show it. What the report of `verify_session` found wrong is traced from
there; no byte is read or hashed again but the lines of the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from searchlog.ledger import Gap, Ledger, Record
from searchlog.records import Capture, Conversion, Evidence, Rendering
from searchlog.verify.blobs import blob_refs
from searchlog.verify.damage import WORST, Damage, Fault, worse
from searchlog.verify.finding import Report
from searchlog.verify.lines import entries_of
from searchlog.verify.verdict import PassageVerdict

__all__ = ["store_verdicts"]

_SOUND: Fault = (WORST[0], "")
_CHAIN = (Capture, Conversion, Evidence)


def store_verdicts(report: Report, ledger: Ledger, *, checked_at: str = "") -> Iterator[PassageVerdict]:
    """Yield the verdict on each piece of evidence, by id in the order of the log; count them in the report's states.

    report: what `verify_session` returned of this session, as it stands now: records that were appended later are left
    aside. An id that only a rendering knows, since its record is erased, has a verdict as well.
    """
    rests = _Rests(report.damage)
    if report.damage.worst != WORST[0]:
        for entry in entries_of(ledger, report.size):
            rests.take(entry)
    told: set[str] = set()
    for entry in entries_of(ledger, report.size):
        if isinstance(entry, Record) and isinstance(entry.body, Evidence) and entry.body.id not in told:
            told.add(entry.body.id)
            yield _counted(report, _verdict(ledger.session, entry.body, rests.of(entry), checked_at))
    for name in sorted(rests.shown - told, key=lambda name: (len(name), name)):
        state, why = rests.gaps if rests.gaps != _SOUND else ("missing", "no record of it is there")
        verdict = PassageVerdict(ledger.session, name, "", "store", state, "", checked_at, why)
        yield _counted(report, verdict)


@dataclass
class _Rests:
    """What of the damage is known to reach whom; empty as long as there is none."""

    damage: Damage
    records: dict[int, Fault] = field(default_factory=dict)
    """Faults of captures, conversions and evidence, those that they follow from included; and of what is unreadable."""
    pieces: dict[str, Fault] = field(default_factory=dict)
    """By evidence id: the worst of all its records and renderings."""
    shown: set[str] = field(default_factory=set)
    """Ids that renderings name."""
    gaps: Fault = _SOUND
    """The worst of what cannot be read: a record of evidence may have stood there."""

    def take(self, entry: Record | Gap) -> None:
        """Take in the next entry of the log."""
        known = self.damage.records.get(entry.seq)
        if isinstance(entry, Gap):
            self.records[entry.seq] = fault = known or ("altered", f"record {entry.seq} cannot be read")
            self.gaps = _worst(self.gaps, fault)
            return
        if isinstance(entry.body, Rendering):
            self.shown.update(entry.body.evidence)
            fault = self._own(entry)
            for name in entry.body.evidence if fault != _SOUND else ():
                self._piece(name, fault)
        elif isinstance(entry.body, _CHAIN):
            fault = self._own(entry)
            for cause in entry.envelope.causes:
                fault = _worst(fault, self.records.get(cause, _SOUND))
            if isinstance(entry.body, Evidence):
                fault = self._evidence(entry, entry.body, fault)
            if fault != _SOUND:
                self.records[entry.seq] = fault

    def _own(self, entry: Record) -> Fault:
        """Return the fault of a record and of the blobs that it names."""
        fault = self.damage.records.get(entry.seq, _SOUND)
        for ref in blob_refs(entry.envelope.body) if self.damage.blobs else ():
            fault = _worst(fault, self.damage.blobs.get(ref["blob"], _SOUND))
        return fault

    def _evidence(self, entry: Record, body: Evidence, fault: Fault) -> Fault:
        for name in (body.text, body.payload):
            fault = _worst(fault, self.damage.blobs.get(name, _SOUND))
        fault = _worst(fault, self.damage.turns.get(entry.envelope.turn or 0, _SOUND))
        if fault != _SOUND:
            self._piece(body.id, fault)
        return fault

    def _piece(self, name: str, fault: Fault) -> None:
        self.pieces[name] = _worst(self.pieces.get(name, _SOUND), fault)

    def of(self, entry: Record) -> Fault:
        """Return the fault of a piece of evidence."""
        assert isinstance(entry.body, Evidence)
        return _worst(self.damage.session, self.pieces.get(entry.body.id, _SOUND))


def _worst(one: Fault, other: Fault) -> Fault:
    return one if worse(one[0], other[0]) == one[0] else other


def _verdict(session: str, body: Evidence, fault: Fault, checked_at: str) -> PassageVerdict:
    state, why = fault
    return PassageVerdict(session, body.id, body.digest, "store", state, body.url, checked_at, why)


def _counted(report: Report, verdict: PassageVerdict) -> PassageVerdict:
    report.states[verdict.state] = report.states.get(verdict.state, 0) + 1
    return verdict
