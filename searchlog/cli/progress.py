"""What a person who waits sees: which provider, which page, how far. On stderr, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from searchlog.cli.safe import one_line

if TYPE_CHECKING:
    from searchlog.session import Progress

__all__ = ["counting", "shown"]

_DOING = {
    "ask": "asking",
    "read": "reading",
    "choose": "choosing passages",
    "index": "indexing",
    "store": "checking the store",
    "derivation": "converting again",
    "check": "looking at",
    "archive": "asking web archives",
}


@contextmanager
def shown(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield a listener for `Session.search` and `fetch_many`; what it shows is gone when the block ends."""
    with _bar(quiet) as update:
        yield lambda event: update(f"{_DOING.get(event.stage, event.stage)}  {event.text}", event.done, event.total)


@contextmanager
def counting(what: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a listener for work that is counted: (done, total)."""
    with _bar(quiet) as update:
        yield lambda done, total: update(what, done, total)


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda text, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    words = TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True))
    columns = (SpinnerColumn(), TimeElapsedColumn(), BarColumn(20), TextColumn("{task.fields[far]}"), words)
    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    with Progress(*columns, console=console, transient=True, expand=True) as bar:
        task = bar.add_task("starting", total=None, far="")

        def update(text: str, done: int, total: int) -> None:
            far = f"{done}/{total}" if total else ""
            bar.update(task, description=one_line(text), completed=done, total=total or None, far=far)

        yield update
