"""The blobs that records name: each is read and held against its digest. Part of the store axis.

A blob is hashed once. Texts are left for the first record that needs one, or for the end, and the texts of late are
kept up to a bound, since passages of many pages stand mixed; only one that fell out of it is read a second time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from searchlog import digest
from searchlog.errors import FormatError, IntegrityError, MissingError, StoreError
from searchlog.log.blobs.base import BlobStore
from searchlog.verify.finding import Report

__all__ = ["Blobs", "blob_refs"]

_TEXTS_MAX = 8 << 20
"""Code points of all texts that are kept."""


@dataclass
class Blobs:
    """The blobs of one session, as far as they were looked at."""

    report: Report
    store: BlobStore
    left_out: AbstractSet[str] = frozenset()
    """Digests of blobs that the sender of the session left out."""
    sizes: dict[str, int | None] = field(default_factory=dict)
    """Size of each blob that was looked at; None for one that is missing, altered or unreadable."""
    waiting: dict[str, dict[int, str]] = field(default_factory=dict)
    """Texts that were named and not looked at: by digest the sizes that they should have, and who says so."""
    _texts: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _kept: int = 0
    _spilled: dict[str, bytes] = field(default_factory=dict)
    """Spilled fields of the record that is being read."""

    def name(self, body: Mapping[str, Any], where: str, spilled: Collection[str] = ()) -> None:
        """Look at the blobs that a record names. spilled: names of fields that may stand in a blob of their own."""
        later = body.get("text")
        spills = [body.get(name) for name in spilled]
        self._spilled = {}
        for ref in blob_refs(body):
            name, size = ref["blob"], ref["bytes"]
            if name in self.waiting or (ref is later and name not in self.sizes):
                self.waiting.setdefault(name, {}).setdefault(size, where)
                continue
            if name not in self.sizes:
                data = self._read(name, where)
                if data is not None and any(ref is one for one in spills):
                    self._spilled[name] = data
            self._compare(name, size, where)

    def data(self, name: str) -> bytes | None:
        """Return the bytes of a blob that was named; None where they are missing or damaged."""
        held = self._spilled.get(name)
        if held is not None:
            return held
        self._arrive(name)
        return self.store.get(digest.parse(name)) if self.sizes.get(name) is not None else None

    def text(self, name: str) -> str | None:
        """Return a stored text that was named; None where it is missing or damaged."""
        held = self._texts.get(name)
        if held is not None:
            self._texts.move_to_end(name)
            return held
        if name in self.waiting:
            data = self._arrive(name)
        else:
            data = self.data(name)
        if data is None:
            return None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = ""  # these bytes are no text, and no passage is a slice of them
        self._keep(name, text)
        return text

    def finish(self) -> None:
        """Look at the texts that nobody asked for."""
        for name in list(self.waiting):
            self._arrive(name)
        self._texts.clear()

    def _keep(self, name: str, text: str) -> None:
        self._texts[name] = text
        self._kept += len(text)
        while self._kept > _TEXTS_MAX and len(self._texts) > 1:
            self._kept -= len(self._texts.popitem(last=False)[1])

    def _arrive(self, name: str) -> bytes | None:
        """Look at a text that was named before, and return its bytes."""
        named = self.waiting.pop(name, None)
        if named is None:
            return None
        data = self._read(name, next(iter(named.values())))
        for size, where in named.items():
            self._compare(name, size, where)
        return data

    def _compare(self, name: str, size: int, where: str) -> None:
        found = self.sizes[name]
        if found is not None and found != size:
            expected = f"{size} bytes"
            self.report.add("blob-altered", name, f"named by {where}", expected=expected, found=found, about=name)

    def _read(self, name: str, where: str) -> bytes | None:
        """Return the bytes of a blob that match its digest, or report it."""
        self.sizes[name] = None
        said = f"named by {where}"
        try:
            data = self.store.get(digest.parse(name))
        except MissingError:
            if name in self.left_out:
                self.report.skip("blobs left out")
                self.report.damage.note("left-out", f"blob {name}", name)
            else:
                self.report.add("blob-missing", name, said, about=name)
            return None
        except IntegrityError as error:
            found = error.fields.get("found")
            self.report.add("blob-altered", name, said, expected=name, found=found, about=name)
            return None
        except StoreError as error:  # of this one: what can be read of the others is told all the same
            self.report.add("blob-unreadable", name, f"{said}: {error}", about=name)
            return None
        self.report.count("blobs")
        self.report.count("bytes", len(data))
        self.sizes[name] = len(data)
        return data


def blob_refs(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every reference to a blob in a body, also in fields this version does not know."""
    if isinstance(value, dict):
        if "blob" in value and type(value.get("bytes")) is int and _is_digest(value["blob"]):
            yield value
        else:
            for item in value.values():
                if isinstance(item, dict | list):
                    yield from blob_refs(item)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from blob_refs(item)


def _is_digest(value: Any) -> bool:
    try:
        digest.parse(value)
    except FormatError:
        return False
    return True
