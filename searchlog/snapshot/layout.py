"""What a snapshot is called inside: its members in order, and the two documents that describe it. Pure.

Spec: FORMAT.md section 14; WACZ 1.1.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from searchlog import canon, digest
from searchlog.errors import FormatError, UsageError

__all__ = [
    "BLOCK_MAX",
    "CHECKPOINT",
    "DESCRIPTION",
    "EVIDENCE",
    "INDEX",
    "KEYS",
    "LOG",
    "MANIFEST",
    "MANIFEST_DIGEST",
    "PAGES",
    "PROFILES",
    "RECORDS_MAX",
    "RULES_MAX",
    "WARC",
    "Description",
    "LeftOut",
    "Profile",
    "Resource",
    "Scope",
    "Why",
    "manifest",
    "manifest_digest",
    "proof_name",
    "read_manifest",
    "rendering_name",
    "size_max",
    "token_name",
]

WARC = "archive/data.warc"
INDEX = "indexes/index.cdx"
PAGES = "pages/pages.jsonl"
DESCRIPTION = "searchlog/snapshot.json"
LOG = "searchlog/session.log"
CHECKPOINT = "searchlog/checkpoint.txt"
KEYS = "searchlog/keys.txt"
EVIDENCE = "searchlog/evidence.json"
MANIFEST = "datapackage.json"
MANIFEST_DIGEST = "datapackage-digest.json"

VERSION = 1
RECORDS_MAX = 500_000
"""Records of a session in a snapshot, here or not: a reader holds a leaf hash of each."""
MEMBERS_MAX = 10_000
BLOCK_MAX = 64 * 2**20
"""Bytes of the block of a WARC record."""
_DOCUMENT_MAX, _SMALL_MAX, _LISTS_MAX = 64 * 2**20, 65_536, 16 * 2**20
_SIZES = {
    LOG: 2**30,
    CHECKPOINT: _SMALL_MAX,
    KEYS: _SMALL_MAX,
    MANIFEST_DIGEST: _SMALL_MAX,
    DESCRIPTION: _LISTS_MAX,
    MANIFEST: _LISTS_MAX,
}
RULES_MAX = 100
SCOPE_MAX = 1_000
"""Turns, or pieces of evidence, that a snapshot may name; a record of it has to fit into a line."""
_FORMAT = "searchlog snapshot"

Profile = Literal["full", "evidence", "hashes"]
PROFILES: tuple[Profile, ...] = ("full", "evidence", "hashes")
Why = Literal["scope", "profile", "redacted", "secret", "missing"]
_WHYS: tuple[Why, ...] = ("scope", "profile", "redacted", "secret", "missing")
_KINDS = {"session": None, "search": "turns", "evidence": "evidence"}
_EVIDENCE_ID = re.compile(r"e[1-9][0-9]{0,14}")


def size_max(name: str) -> int:
    """Return how many bytes a member other than the archive has at most."""
    return _SIZES.get(name, _DOCUMENT_MAX)


def rendering_name(turn: int) -> str:
    """Return the member that holds what a model was given in this turn."""
    return f"searchlog/rendering-{turn}.txt"


def proof_name(evidence: str) -> str:
    """Return the member that proves that this evidence is a record of the session."""
    return f"searchlog/{evidence}.tlog-proof"


def token_name(number: int) -> str:
    """Return the member of a time-stamp token; they count from 1."""
    return f"searchlog/token-{number}.tsr"


@dataclass(frozen=True, slots=True)
class Scope:
    """What part of a session leaves: all of it, some of its turns, or chosen evidence."""

    turns: tuple[int, ...] = ()
    evidence: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """`session`, `search` or `evidence`."""
        return "evidence" if self.evidence else "search" if self.turns else "session"

    def to_json(self) -> dict[str, Any]:
        """Return it as `snapshot.json` has it."""
        lists = {"turns": list(self.turns), "evidence": list(self.evidence)}
        return {"kind": self.kind} | {name: items for name, items in lists.items() if items}

    @classmethod
    def from_json(cls, value: Any) -> Scope:
        """Return the scope of a JSON value; raises FormatError otherwise."""
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in _KINDS:
            raise FormatError(f"the scope of a snapshot is {kind!r:.40}; expected {', '.join(_KINDS)}")
        name = _KINDS[kind]
        items = value.get(name) if name else []
        if set(value) - {"kind", name} or not isinstance(items, list) or bool(items) != bool(name):
            raise FormatError(f"the scope {kind} of a snapshot does not say what it holds")
        if len(items) > SCOPE_MAX:
            raise FormatError(f"the scope {kind} of a snapshot names {len(items)}; at most {SCOPE_MAX}")
        good = all(type(item) is int and item > 0 if name == "turns" else _is_evidence_id(item) for item in items)
        if not good or items != sorted(set(items), key=_order):
            raise FormatError(f"the scope {kind} of a snapshot names {items!r:.80}")
        return cls(**{name: tuple(items)}) if name else cls()

    @classmethod
    def of(cls, turns: Iterable[int] = (), evidence: Iterable[str] = ()) -> Scope:
        """Return the scope of these turns, or of this evidence, in its one order. Raises UsageError."""
        chosen = cls(tuple(sorted(set(turns))), tuple(sorted(set(evidence), key=_order)))
        if chosen.turns and chosen.evidence:
            raise UsageError("give turns or evidence, not both")
        if not all(type(turn) is int and turn > 0 for turn in chosen.turns):
            raise UsageError(f"a turn is a number from 1 on; these are {turns!r:.80}")
        if not all(map(_is_evidence_id, chosen.evidence)):
            raise UsageError(f"evidence has ids such as e1; these are {evidence!r:.80}")
        if len(chosen.turns) + len(chosen.evidence) > SCOPE_MAX:
            raise UsageError(f"a snapshot is of at most {SCOPE_MAX} turns or pieces of evidence, or of a whole session")
        return chosen


def _order(item: Any) -> Any:
    """Return what turns and ids of evidence are sorted by: their number."""
    return int(item[1:]) if _is_evidence_id(item) else item if type(item) is int else 0


def _is_evidence_id(value: Any) -> bool:
    return isinstance(value, str) and _EVIDENCE_ID.fullmatch(value) is not None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of the session is not in the snapshot, and why. What was erased at the sender's is not listed."""

    records: tuple[tuple[int, int, Why], ...] = ()
    """First and last seq of each run, in order, and why."""
    blobs: Mapping[str, Why] = field(default_factory=dict)
    """By digest; in the order of the digests."""

    @property
    def record_count(self) -> int:
        return sum(last - first + 1 for first, last, _ in self.records)

    def seqs(self) -> frozenset[int]:
        """Return the seqs of all records that were left out."""
        return frozenset(seq for first, last, _ in self.records for seq in range(first, last + 1))

    def within(self, size: int) -> LeftOut:
        """Return what of it is about the first `size` records: whoever wrote a file may have claimed any number."""
        runs = [(first, min(last, size - 1), why) for first, last, why in self.records if first < size]
        return LeftOut(tuple(runs), self.blobs)

    def counts(self) -> dict[str, int]:
        """Return how many records and blobs were left out for each reason: `records scope`, `blobs profile`."""
        found: dict[str, int] = {}
        for first, last, why in self.records:
            found[f"records {why}"] = found.get(f"records {why}", 0) + last - first + 1
        for why in self.blobs.values():
            found[f"blobs {why}"] = found.get(f"blobs {why}", 0) + 1
        return found

    def to_json(self) -> dict[str, Any]:
        """Return it as `snapshot.json` has it."""
        return {"records": [list(run) for run in self.records], "blobs": dict(sorted(self.blobs.items()))}

    @classmethod
    def of(cls, records: Mapping[int, Why], blobs: Mapping[str, Why]) -> LeftOut:
        """Return what was left out, by seq and by digest, in its shortest form."""
        runs: list[tuple[int, int, Why]] = []
        for seq in sorted(records):
            if runs and runs[-1][1] + 1 == seq and runs[-1][2] == records[seq]:
                runs[-1] = (runs[-1][0], seq, records[seq])
            else:
                runs.append((seq, seq, records[seq]))
        return cls(tuple(runs), dict(sorted(blobs.items())))

    @classmethod
    def from_json(cls, value: Any, size: int) -> LeftOut:
        """Return what a JSON value says was left out of a session of `size` records; raises FormatError."""
        if not isinstance(value, dict) or set(value) != {"records", "blobs"}:
            raise FormatError("what a snapshot left out has the members records and blobs")
        at, runs = 0, []
        for run in _list(value["records"]):
            match run:
                case [int(first), int(last), str(why)] if (
                    type(first) is int and type(last) is int and at <= first <= last < size and why in _WHYS
                ):
                    runs.append((first, last, why))
                    at = last + 1
                case _:
                    raise FormatError(f"a run of left-out records is {run!r:.80}")
        blobs = value["blobs"]
        if not isinstance(blobs, dict) or any(why not in _WHYS for why in blobs.values()):
            raise FormatError("the blobs that were left out are not named with a reason each")
        return cls(tuple(runs), {digest.parse(name): why for name, why in blobs.items()})


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{value!r:.40} where a list was expected")
    return value


@dataclass(frozen=True, slots=True)
class Description:
    """`searchlog/snapshot.json`: what the file holds, and what not."""

    session: str
    size: int
    """Records of the session, here or not."""
    scope: Scope = Scope()
    profile: Profile = "full"
    left_out: LeftOut = LeftOut()
    redaction: tuple[str, ...] = ()
    """The rules by which it was redacted; of one that names what it hides its kind alone."""
    version: int = VERSION

    def to_bytes(self) -> bytes:
        """Return the member's bytes."""
        return canon.dumps(
            {
                "format": _FORMAT,
                "version": self.version,
                "session": self.session,
                "size": self.size,
                "scope": self.scope.to_json(),
                "profile": self.profile,
                "left_out": self.left_out.to_json(),
                "redaction": list(self.redaction),
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Description:
        """Return the description that a member's bytes are. Raises FormatError, also for a later version."""
        value = canon.loads(data)
        if not isinstance(value, dict) or value.get("format") != _FORMAT:
            raise FormatError(f"{DESCRIPTION} does not say that this is a {_FORMAT}")
        version = value.get("version")
        if type(version) is not int or version < 1:
            raise FormatError(f"{DESCRIPTION}: its version is {version!r:.40}")
        if version > VERSION:
            raise FormatError(f"a snapshot of version {version}; this searchlog knows {VERSION}: upgrade it")
        known = {"format", "version", "session", "size", "scope", "profile", "left_out", "redaction"}
        if set(value) != known:
            odd = sorted(known ^ set(value))
            raise FormatError(f"{DESCRIPTION}: members {', '.join(odd):.200} are missing or unknown")
        session, size, profile, rules = (value[name] for name in ("session", "size", "profile", "redaction"))
        if not isinstance(session, str) or type(size) is not int or size < 1:
            raise FormatError(f"{DESCRIPTION} names session {session!r:.80} of {size!r:.40} records")
        if profile not in PROFILES:
            raise FormatError(f"{DESCRIPTION}: profile {profile!r:.40}; expected {', '.join(PROFILES)}")
        if not all(isinstance(rule, str) for rule in _list(rules)) or len(rules) > RULES_MAX:
            raise FormatError(f"{DESCRIPTION}: a rule of redaction is no text, or there are more than {RULES_MAX}")
        left_out = LeftOut.from_json(value["left_out"], size)
        return cls(session, size, Scope.from_json(value["scope"]), profile, left_out, tuple(rules), version)


@dataclass(frozen=True, slots=True)
class Resource:
    """One member as the manifest lists it."""

    path: str
    hash: str
    bytes: int

    @property
    def name(self) -> str:
        """A name without folders, unique in a snapshot."""
        return self.path.rsplit("/", 1)[-1]


def manifest(resources: Iterable[Resource], session: str, created: str | None) -> bytes:
    """Return `datapackage.json`. created: when the last record that is here was made."""
    value: dict[str, Any] = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": f"searchlog session {session}",
        "software": "searchlog",
        "resources": [
            {"name": item.name, "path": item.path, "hash": item.hash, "bytes": item.bytes} for item in resources
        ],
    }
    return canon.dumps(value | ({"created": created} if created else {}))


def manifest_digest(data: bytes) -> bytes:
    """Return `datapackage-digest.json` for a manifest."""
    return canon.dumps({"path": MANIFEST, "hash": digest.digest(data)})


def read_manifest(data: bytes) -> tuple[Resource, ...]:
    """Return the members that a manifest of ours lists, in its order. Raises FormatError."""
    value = canon.loads(data)
    if not isinstance(value, dict) or not isinstance(value.get("resources"), list):
        raise FormatError(f"{MANIFEST} lists no resources")
    if len(value["resources"]) > MEMBERS_MAX:
        raise FormatError(f"{MANIFEST} lists {len(value['resources'])} members; at most {MEMBERS_MAX}")
    out: dict[str, Resource] = {}
    for item in value["resources"]:
        match item:
            case {"name": str(name), "path": str(path), "hash": str(hash_), "bytes": int(size)} if (
                type(size) is int and size >= 0 and len(item) == 4
            ):
                resource = Resource(path, digest.parse(hash_), size)
                if path in out or name != resource.name:
                    raise FormatError(f"{MANIFEST} lists {path:.100} twice, or under another name")
                out[path] = resource
            case _:
                raise FormatError(f"{MANIFEST} lists {item!r:.120}: expected name, path, hash and bytes")
    return tuple(out.values())
