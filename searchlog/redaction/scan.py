"""Look once more for secrets in what is about to leave this machine. Pure: the caller gives the secrets.

Nothing should be found: secrets were taken out before anything was stored (`capture.redact`). But a key may have become
known since, an archive may be older than a rule, and records may have been written by another program.

    known-secret           a secret of this machine, by value, in the spellings of `secrecy`
    credential-field       a header field that carries a credential or a cookie, with its value
    address-password       user name and password in an address: of a record, a head, or what a page links to
    issued-token           a warning: what looks like a key of a well-known issuer
    credential-parameter   a warning: what looks like a credential among the parameters of an address

Warnings leave nothing out: pages print keys as examples, and addresses are published with tokens in them.
Shown by test_scan.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from searchlog import canon
from searchlog.capture.credentials import without_credentials
from searchlog.capture.redact import header_fields, is_credential_field, without_link_passwords
from searchlog.errors import FormatError
from searchlog.secrecy import MARKER, Secrets
from searchlog.shape import ISSUED_STARTS, is_issued, is_mixed, without_passwords

__all__ = ["Reason", "Scan"]

_MARK = MARKER.encode("ascii")
_WARNINGS = frozenset({"issued-token", "credential-parameter"})
_RUN = re.compile(rb"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{16,}+")
_RUN_MAX = 512
_STARTS = tuple(start.encode("ascii") for start in ISSUED_STARTS)
_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:)?//")
_HEADS = frozenset({"request_head", "response_head", "framing"})


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that was found. It never holds the secret itself."""

    code: str
    where: str
    """Dotted path in a record, with the field's name where it is one (`body.exchange.request_head cookie`); `byte 120`
    of a blob; empty for the whole."""

    @property
    def certain(self) -> bool:
        """Whether what holds it must not be shared; else it is a warning."""
        return self.code not in _WARNINGS


class Scan:
    """One scan: what was looked at, and in how much of it something was found."""

    def __init__(self, known: Secrets) -> None:
        self._known = known
        self.records = self.blobs = self.bytes = 0
        self.held_records = self.held_blobs = self.warned = 0
        """Records and blobs with something certain, and those with warnings alone."""

    def line(self, data: bytes) -> tuple[Reason, ...]:
        """Return what is found in one record of a session log, as stored."""
        self.records += 1
        reasons = self._count(self._in_json(data))
        self.held_records += any(reason.certain for reason in reasons)
        return reasons

    def copy(self, data: bytes) -> tuple[Reason, ...]:
        """Return what is found in the redacted copy of a record; it is not counted as another one."""
        return tuple(dict.fromkeys(self._in_json(data)))

    def blob(self, data: bytes, decoded: bytes | None = None) -> tuple[Reason, ...]:
        """Return what is found in a blob. decoded: of a payload with a content coding, what is in it."""
        self.blobs += 1
        self.bytes += len(data)
        found: list[Reason] = []
        for part in (data,) if decoded is None or decoded == data else (data, decoded):
            if part[:1] == b"{" and b'_head"' in part:
                found += self._in_json(part)  # an exchange that was spilled
            else:
                found += self._by_value(part)
                if part is not data or decoded is None:  # packed bytes look like anything
                    found += _issued(part)
                if without_link_passwords(part) is not part:
                    found.append(Reason("address-password", ""))
        reasons = self._count(found)
        self.held_blobs += any(reason.certain for reason in reasons)
        return reasons

    def summary(self) -> str:
        """Return one line for people: how much was looked at, for how many secrets, and whether any was found."""
        looked = (
            f"{_counted(self.records, 'record')} and {_counted(self.blobs, 'blob')} ({_counted(self.bytes, 'byte')})"
        )
        held = [
            _counted(count, what) for count, what in ((self.held_records, "record"), (self.held_blobs, "blob")) if count
        ]
        found = f"found in {' and '.join(held)}, left out" if held else "none found"
        looks = f"; in {self.warned} more there is what looks like a key" if self.warned else ""
        known = _counted(len(self._known), "secret") if self._known else "credentials (no key of this machine is known)"
        return f"scanned {looked} for {known}: {found}{looks}"

    def _count(self, found: list[Reason]) -> tuple[Reason, ...]:
        reasons = tuple(dict.fromkeys(found))
        self.warned += bool(reasons) and not any(reason.certain for reason in reasons)
        return reasons

    def _by_value(self, data: bytes) -> list[Reason]:
        places = self._known.places(data)
        return [Reason("known-secret", f"byte {places[0][0]}")] if places else []

    def _in_json(self, data: bytes) -> list[Reason]:
        try:
            value = canon.loads(data)
        except FormatError:
            return [*self._by_value(data), *_issued(data)]
        out: list[Reason] = []
        # a name may be what is looked for
        strings = [(path, text, self._known.replace_text(".".join(path))) for path, text in _strings(value, ())]
        if self._known.found_in(data):
            out += [
                Reason("known-secret", where)
                for _, text, where in strings
                if self._known.found_in(text.encode("utf-8"))
            ] or [Reason("known-secret", "")]
        for path, text, where in strings:
            out += [Reason("issued-token", where) for _ in _issued(text.encode("utf-8"))]
            if _HEADS.isdisjoint(path):
                if _ADDRESS.match(text):
                    out += _of_address(text, where)
                continue
            out += [Reason("credential-field", f"{where} {name}") for name in _fields(text)]
            out += [Reason("address-password", where)] if without_passwords(text) != text else []
        return out


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _strings(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every string of a value, with the path to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, (*path, str(index)))


def _fields(head: str) -> list[str]:
    """Return the names of fields in a head, or in what frames a payload, that carry a credential with its value."""
    data = head.encode("latin-1", "replace")
    return [name for name, value in header_fields(data) if is_credential_field(name) and value not in (b"", _MARK)]


def _of_address(text: str, where: str) -> list[Reason]:
    out = [Reason("address-password", where)] if without_passwords(text) != text else []
    return [*out, Reason("credential-parameter", where)] if without_credentials(text) != text else out


def _issued(data: bytes) -> list[Reason]:
    """Return a warning for the first thing that looks like a key of a well-known issuer."""
    if not any(start in data for start in _STARTS):
        return []
    for found in _RUN.finditer(data):
        value = data[found.start() : min(found.end(), found.start() + _RUN_MAX)].decode("ascii")
        if is_issued(value) and is_mixed(value):
            return [Reason("issued-token", f"byte {found.start()}")]
    return []
