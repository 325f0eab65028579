"""Asking a web archive to capture pages now, and recording all that was asked and answered.

What the archive says is its word: a third party captured the page, at about the time when we did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from searchlog.capture.deadline import Deadline
from searchlog.desk import Desk, Listener, Progress
from searchlog.flow.settings import Settings
from searchlog.ledger import Draft, TurnWriter
from searchlog.mementos.save import Saved, keys_of, save
from searchlog.mementos.source import WebArchive
from searchlog.recording import capture_bodies

__all__ = ["save_pages"]


def save_pages(
    desk: Desk, turn: TurnWriter, archive: WebArchive, urls: Sequence[str], *, settings: Settings, progress: Listener
) -> Iterator[Saved]:
    """Yield what came of asking an archive to capture each page, one after the other, each recorded when it is yielded.

    `settings.deadline_s` bounds each. Raises UsageError for an archive without such a service, or half a pair of keys.
    """
    keys, client = keys_of(desk.resources.env), desk.resources.client(settings)
    for number, url in enumerate(urls, 1):
        done = save(archive, url, client, Deadline(settings.deadline_s, desk.resources.clock), keys=keys)
        for fetch in done.fetches:
            drafts: list[Draft] = []
            for stored in capture_bodies(fetch, "web-archive"):
                drafts.append(desk.draft(stored, *(drafts[-1:] or [turn.begin])))
            turn.add(drafts)
        progress(Progress("archive", f"{url}: {done.outcome}", number, len(urls)))
        yield done
