"""The axes that need no network: is the record intact, and does the stored page really hold the passage?

Searches are run again here as a part of the derivation: selection and rendering must come out byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from searchlog.extract.converter import Converter
from searchlog.ledger import Draft, Record
from searchlog.log.checkpoint import Checkpoint
from searchlog.recheck.subjects import Subject
from searchlog.records import Rendering, Turn
from searchlog.verify.derivation import verify_passages
from searchlog.verify.finding import Report
from searchlog.verify.store import verify_session
from searchlog.verify.verdict import PassageVerdict

__all__ = ["check_derivation", "check_store"]

Counting = Callable[[int, int], None]
"""Called with how many are done, and of how many."""


def check_store(
    subject: Subject, heads: Sequence[Checkpoint], progress: Counting
) -> tuple[Report, list[PassageVerdict]]:
    """Return the store axis of a session, and of each of its passages."""
    ledger = subject.ledger
    mine = [head for head in heads if head.session == subject.session]
    report = verify_session(
        ledger.log, ledger.blobs, subject.session, heads=mine, absent=subject.absent, progress=progress
    )
    return report, []


def check_derivation(
    subject: Subject,
    converter: Converter,
    turns: Collection[int],
    keep: Callable[[Sequence[Draft]], None],
    progress: Counting,
) -> tuple[Report, list[PassageVerdict]]:
    """Return the derivation axis of a session, and of each of its passages.

    turns: those whose searches are run again; all where none is named. keep: takes drafts of new texts of stored pages.
    """
    report = verify_passages(subject.ledger, converter, progress)
    return report, []


def searches_of(subject: Subject, turns: Collection[int]) -> list[int]:
    """Return the finished searches of a session, by their turn's number."""
    rendered: set[int] = set()
    ended: list[int] = []
    for entry in subject.ledger.entries():
        if not isinstance(entry, Record) or entry.envelope.turn is None:
            continue
        number = entry.envelope.turn
        if turns and number not in turns:
            continue
        if isinstance(entry.body, Rendering):
            rendered.add(number)
        elif isinstance(entry.body, Turn) and entry.body.state == "end" and number in rendered:
            ended.append(number)
    return ended
