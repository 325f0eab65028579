"""Every exception that leaves searchlog, split by whose fault it is.

    SearchlogError
    ├── UsageError        the caller asked for something that cannot be
    ├── ProviderError     no search provider could answer; holds every attempt
    ├── FetchError        the far end of a fetch failed and the caller asked for an exception
    ├── FormatError       bytes we were given are not in the form they claim
    ├── IntegrityError    bytes no longer match the digest that names them
    ├── StoreError        this machine: disk, lock, database
    │   ├── ConflictError     somebody else appended first; `current` is the version now
    │   └── MissingError      a session or blob that is not there
    └── CancelledError    whoever waited no longer does, and said so through the progress

The world going wrong during a search (a timeout, a 403, an empty page) is data in the log, not an exception.
Messages name the thing, what was expected, and the next step: lower case, no full stop. Passwords in
addresses are taken out as an error is made; whoever shows or stores one takes out the keys that it knows (`keyring`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "CancelledError",
    "ConflictError",
    "FetchError",
    "FormatError",
    "IntegrityError",
    "MissingError",
    "ProviderError",
    "SearchlogError",
    "StoreError",
    "UsageError",
]


class SearchlogError(Exception):
    """Base of all; `fields` holds what the message names, for programs."""

    code = "error"

    def __init__(self, message: str, **fields: Any) -> None:
        from searchlog.shape import without_passwords  # not loaded to show help

        super().__init__(without_passwords(message))
        self.fields: Mapping[str, Any] = {name: _shown(value) for name, value in fields.items()}


def _shown(value: Any) -> Any:
    """Return a field without passwords in addresses; an object that none stands in is the same."""
    from searchlog.shape import without_passwords

    if isinstance(value, str):
        return without_passwords(value)
    if isinstance(value, Mapping):
        return {name: _shown(item) for name, item in value.items()}
    return type(value)(map(_shown, value)) if type(value) in (list, tuple) else value


class UsageError(SearchlogError):
    """The caller asked for something that cannot be; the message says what can."""

    code = "usage"


class ProviderError(SearchlogError):
    """No provider could answer. `attempts` holds one mapping an attempt: provider, outcome, detail."""

    code = "provider"

    def __init__(self, message: str, attempts: Sequence[Mapping[str, Any]] = (), **fields: Any) -> None:
        super().__init__(message, attempts=list(attempts), **fields)
        self.attempts: list[Mapping[str, Any]] = self.fields["attempts"]


class FetchError(SearchlogError):
    """A page could not be fetched, and the caller asked for exactly that page."""

    code = "fetch"


class FormatError(SearchlogError):
    """Bytes that are not in the form they claim: a record, a checkpoint, a provider's answer."""

    code = "format"


class IntegrityError(SearchlogError):
    """Bytes that no longer match their digest; fields hold `digest`, `expected`, `found`."""

    code = "integrity"


class StoreError(SearchlogError):
    """This machine could not read or write: disk full, permission, a locked database."""

    code = "store"


class ConflictError(StoreError):
    """An append named a version that is no longer the newest; `current` is the version now."""

    code = "conflict"

    def __init__(self, session: str, expected: int, current: int) -> None:
        super().__init__(
            f"session {session} has {current} records, not {expected}: another writer came first; read again and retry",
            session=session,
            expected=expected,
            current=current,
        )
        self.current = current


class MissingError(StoreError):
    """A session, record or blob that is not in this archive."""

    code = "missing"


class CancelledError(SearchlogError):
    """Raised by a progress listener to end the work; the turn is closed as discarded, with that reason."""

    code = "cancelled"
