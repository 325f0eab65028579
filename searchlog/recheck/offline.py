"""The axes that need no network: is the record intact, and does the stored page really hold the passage?

Searches are run again as a part of the derivation: selection and rendering must come out byte for byte. Where today's
converter makes another text of a stored page, that text is kept beside the one that was stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, MissingError, UsageError
from searchlog.extract.conversion import Conversion
from searchlog.extract.converter import Converter
from searchlog.ledger import Record
from searchlog.log.checkpoint import Checkpoint
from searchlog.recheck.subjects import Subject
from searchlog.recording import Stored, conversion_body
from searchlog.records import Conversion as ConversionRecord
from searchlog.records import Rendering, Turn
from searchlog.replay import Past, replay
from searchlog.verify.derivation import verify_passages
from searchlog.verify.finding import Report
from searchlog.verify.heads import Seen, Trust
from searchlog.verify.passages import store_verdicts
from searchlog.verify.reruns import add_rerun, rerun_failed
from searchlog.verify.store import verify_session
from searchlog.verify.verdict import PassageVerdict

__all__ = ["check_derivation", "check_store"]

Counting = Callable[[int, int], None]
"""Called with how many are done, and of how many."""
Told = Callable[[PassageVerdict], None]


def check_store(
    subject: Subject,
    heads: Sequence[Checkpoint | Seen],
    trust: Trust,
    *,
    at: str,
    told: Told,
    progress: Counting,
) -> Report:
    """Return the store axis of a session. told: takes the verdict on each of its passages. at: the time now."""
    ledger = subject.ledger
    mine = [head for head in heads if head.session == subject.session]
    report = verify_session(
        ledger.log, ledger.blobs, subject.session, heads=mine, trust=trust, absent=subject.absent, progress=progress
    )
    for verdict in store_verdicts(report, ledger, checked_at=at):
        told(verdict)
    return report


def check_derivation(
    subject: Subject,
    converter: Converter,
    turns: Collection[int],
    *,
    at: str,
    told: Told,
    keep: Callable[[Stored], None],
    progress: Counting,
) -> Report:
    """Return the derivation axis of a session.

    turns: those whose searches are run again; all where none is named. told: takes the verdict on each passage. keep:
    takes new texts of stored pages, one at a time.
    """

    def new_text(record: ConversionRecord, made: Conversion) -> None:
        keep(conversion_body(record.url, Digest(record.payload), made))

    report = verify_passages(subject.ledger, converter, progress, told=told, new_text=new_text, checked_at=at)
    searches = searches_of(subject, turns)
    past = Past.of(subject.ledger) if searches else None
    for turn in searches:
        try:
            add_rerun(report, replay(subject.ledger, turn, converter, absent=subject.absent, past=past))
        except (UsageError, MissingError, IntegrityError, FormatError) as error:
            rerun_failed(report, turn, str(error))
    return report


def searches_of(subject: Subject, turns: Collection[int]) -> list[int]:
    """Return the finished searches of a session, by their turn's number; readings of a page are none."""
    rendered: set[int] = set()
    readings: set[int] = set()
    ended: list[int] = []
    for entry in subject.ledger.entries():
        number = entry.envelope.turn if isinstance(entry, Record) else None
        if not isinstance(entry, Record) or number is None or (turns and number not in turns):
            continue
        if isinstance(entry.body, Turn) and entry.body.purpose == "read":
            readings.add(number)
        elif isinstance(entry.body, Rendering) and number not in readings:
            rendered.add(number)
        elif isinstance(entry.body, Turn) and entry.body.state == "end" and number in rendered:
            ended.append(number)
    return ended
