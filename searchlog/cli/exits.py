"""Exit codes: the one table. README shows it; an unknown code means failure."""

from __future__ import annotations

from enum import IntEnum

from searchlog.errors import (
    FetchError,
    FormatError,
    IntegrityError,
    MissingError,
    ProviderError,
    SearchlogError,
    StoreError,
    UsageError,
)

__all__ = ["MEANINGS", "Exit", "exit_of"]


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    BUG = 1
    USAGE = 2
    NOTHING = 3
    NO_PROVIDER = 4
    PAGE = 5
    FINDINGS = 6
    BYTES = 7
    MACHINE = 8
    NOT_CHECKED = 9
    INTERRUPTED = 130
    READER_LEFT = 141


MEANINGS = {
    Exit.OK: "done",
    Exit.BUG: "an unexpected error: a bug in searchlog",
    Exit.USAGE: "the command was called in a way that cannot be",
    Exit.NOTHING: "nothing found: an empty search, or no such session, turn, evidence or URL",
    Exit.NO_PROVIDER: "no search provider answered, or nothing was found and not all of them did",
    Exit.PAGE: "a page could not be fetched, or gave no text",
    Exit.FINDINGS: "verification, replay, reparse, diff or import found something",
    Exit.BYTES: "bytes are not in the form they claim, or no longer match their digest",
    Exit.MACHINE: "this machine: disk, permission, lock, database",
    Exit.NOT_CHECKED: (
        "what was to be verified could not all be looked at, or what was to be replayed or compared is not all here"
    ),
    Exit.INTERRUPTED: "interrupted",
    Exit.READER_LEFT: "whoever read the output went away before its end",
}
"""What each code means, for people."""

_BY_CLASS: tuple[tuple[type[SearchlogError], Exit], ...] = (
    # the first that fits counts, so a class stands before its base
    (UsageError, Exit.USAGE),
    (ProviderError, Exit.NO_PROVIDER),
    (FetchError, Exit.PAGE),
    (FormatError, Exit.BYTES),
    (IntegrityError, Exit.BYTES),
    (MissingError, Exit.NOTHING),
    (StoreError, Exit.MACHINE),
)


def exit_of(error: SearchlogError) -> Exit:
    """Return the exit code of an error. A blob that a record names and that is not there is damage, not absence."""
    if isinstance(error, MissingError) and "digest" in error.fields:
        return Exit.BYTES
    return next((code for cls, code in _BY_CLASS if isinstance(error, cls)), Exit.BUG)
