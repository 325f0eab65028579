"""The manifest of a WACZ file that another tool wrote: what it says of the members, held against each other.

A signature is not checked here (`seals` of our own snapshots are another matter); but one over another manifest than
this is refused, since it was copied from elsewhere. Pure.
Spec: WACZ 1.1.1 sections 3 and 5, wacz-auth 0.1.  Shown by test_foreign_captures.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from searchlog.errors import FormatError, IntegrityError

__all__ = ["DIGEST", "MANIFEST", "Listed", "Package", "read_package", "warcs_of"]

MANIFEST, DIGEST = "datapackage.json", "datapackage-digest.json"
_HASH = re.compile(r"(?:(sha256|sha512|sha1|md5):)?([0-9a-fA-F]{32,128})")
_SIZES = {"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}
_WARC = re.compile(r"archive/[^/]+\.warc(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class Listed:
    """What the manifest says of one member."""

    algorithm: str | None
    """A name that `hashlib` knows; None where no digest is stated."""
    digest: str
    """Lower-case hex digits."""
    size: int | None

    def differs(self, data_digest: str, size: int) -> str | None:
        """Return how a member with this digest and size is not the one that is listed, or None."""
        if self.size is not None and self.size != size:
            return f"it has {size} bytes, and the manifest says {self.size}"
        if self.algorithm is not None and data_digest != self.digest:
            return f"its digest is {self.algorithm}:{data_digest}, and the manifest says {self.algorithm}:{self.digest}"
        return None


@dataclass(frozen=True, slots=True)
class Package:
    """A manifest, read."""

    members: dict[str, Listed]
    """By path."""
    notes: tuple[str, ...] = ()
    """What is missing of the proofs that a WACZ file may hold."""


def warcs_of(names: Collection[str]) -> list[str]:
    """Return which members are WARC files, in order of their names."""
    return sorted(name for name in names if _WARC.fullmatch(name))


def read_package(manifest: bytes, digest: bytes | None) -> Package:
    """Return what a manifest says. digest: the bytes of the digest file, when there is one.

    Raises FormatError when they are not in their form, IntegrityError when the digest file is that of another manifest.
    """
    value = _object(MANIFEST, manifest)
    resources = value.get("resources")
    if not isinstance(resources, list):
        raise FormatError(f"{MANIFEST} lists no resources", field="resources")
    members: dict[str, Listed] = {}
    for number, item in enumerate(resources):
        path, listed = _listed(number, item)
        if path in members:
            raise FormatError(f"{MANIFEST} lists {path!r:.100} twice", field="resources")
        members[path] = listed
    notes = [] if digest is not None else [f"there is no {DIGEST}, so nothing vouches for {MANIFEST}"]
    if digest is not None:
        _check_digest(manifest, _object(DIGEST, digest))
    return Package(members, tuple(notes))


def _listed(number: int, item: Any) -> tuple[str, Listed]:
    where = f"{MANIFEST}: resource {number}"
    if not isinstance(item, dict) or not isinstance(item.get("path"), str):
        raise FormatError(f"{where} has no path", field="resources")
    size, stated = item.get("bytes"), item.get("hash")
    if size is not None and (type(size) is not int or size < 0):
        raise FormatError(f"{where}: bytes is {size!r:.40}", field="resources")
    if stated is None or stated == "":
        return item["path"], Listed(None, "", size)
    found = _HASH.fullmatch(stated) if isinstance(stated, str) else None
    if found is None or len(found[2]) != _SIZES[found[1] or "md5"]:
        raise FormatError(f"{where}: hash is {stated!r:.160} and no digest that can be compared", field="resources")
    return item["path"], Listed(found[1] or "md5", found[2].lower(), size)


def _check_digest(manifest: bytes, value: dict[str, Any]) -> None:
    """Hold the digest file, and the signature in it, against the manifest itself."""
    found = "sha256:" + hashlib.sha256(manifest).hexdigest()
    if value.get("path") not in (None, MANIFEST):
        raise FormatError(f"{DIGEST} is about {value.get('path')!r:.100} and not about {MANIFEST}", field="path")
    if value.get("hash") != found:
        raise IntegrityError(
            f"{MANIFEST} does not have the digest that {DIGEST} states", expected=value.get("hash"), found=found
        )
    signed = value.get("signedData")
    if signed is None:
        return
    if not isinstance(signed, dict) or signed.get("hash") != found:
        said = signed.get("hash") if isinstance(signed, dict) else None
        raise IntegrityError(f"the signature in {DIGEST} is of another {MANIFEST}", expected=found, found=said)


def _object(name: str, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_members_once)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is not JSON: {type(error).__name__} {error}") from None
    if not isinstance(value, dict):
        raise FormatError(f"{name} is not a JSON object")
    return value


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a name stands there twice")
    return out
