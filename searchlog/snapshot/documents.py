"""The documents of a snapshot that are made of its log and its archive: made when it is written, and made again when it
is verified. Pure. Spec: FORMAT.md section 14."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from searchlog import canon, digest
from searchlog.errors import FormatError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import Envelope
from searchlog.log.proof import format_proof
from searchlog.log.store.base import StoredLine
from searchlog.log.tree import Prover
from searchlog.records import BlobRef, Evidence, Rendering, parse_body
from searchlog.snapshot import layout
from searchlog.snapshot.series import Page

__all__ = ["created", "documents", "evidence_document", "pages_document"]


def created(envelopes: Iterable[Envelope]) -> str | None:
    """Return when the last record that is here was made."""
    return max((envelope.at for envelope in envelopes), default=None)


def pages_document(pages: Iterable[Page]) -> bytes:
    """Return `pages.jsonl`. Spec: WACZ 1.1.1 section 5.3."""
    lines: list[dict[str, Any]] = [{"format": "json-pages-1.0", "id": "pages", "title": "Pages"}]
    lines += [page.to_json(number) for number, page in enumerate(pages, 1)]
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8") + b"\n" for line in lines)


def evidence_document(
    items: Iterable[tuple[StoredLine, Envelope]], blobs: BlobStore, left_out: Collection[str] = ()
) -> bytes:
    """Return `evidence.json`: the evidence records that are here, a spilled passage in its place."""
    out, size = [], 0
    for item, envelope in items:
        body = dict(envelope.body)
        parsed = parse_body(envelope.kind, envelope.body)
        if isinstance(parsed, Evidence) and isinstance(parsed.exact, BlobRef) and parsed.exact.blob not in left_out:
            size += parsed.exact.bytes  # any number of records may name one passage
            if size > layout.size_max(layout.EVIDENCE):
                raise FormatError(f"{layout.EVIDENCE} would be larger than {layout.size_max(layout.EVIDENCE)} bytes")
            body["exact"] = canon.loads(blobs.get(digest.parse(parsed.exact.blob)))
        out.append({"seq": envelope.seq, "leaf": item.leaf.hex(), "body": body})
    return canon.dumps(out)


def documents(
    description: layout.Description,
    lines: Sequence[StoredLine],
    envelopes: Mapping[int, Envelope],
    blobs: BlobStore,
    note: str,
) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each member that repeats what the log holds in a form of its own, in their order.

    lines: every record; envelopes: of those that are here. note: the member with the checkpoint. Raises FormatError
    for an evidence record in no form of ours, MissingError, IntegrityError.
    """
    left_out = description.left_out.blobs
    evidence = [(lines[seq], found) for seq, found in envelopes.items() if found.kind == Evidence.kind]
    yield layout.EVIDENCE, evidence_document(evidence, blobs, left_out)
    seen: set[str] = set()
    for envelope in envelopes.values():
        if envelope.kind == Rendering.kind and envelope.turn is not None:
            body = parse_body(envelope.kind, envelope.body)
            name = layout.rendering_name(envelope.turn)
            if isinstance(body, Rendering) and body.text.blob not in left_out and name not in seen:
                seen.add(name)
                yield name, blobs.get(digest.parse(body.text.blob))
    if description.scope.kind == "evidence":
        yield from _proofs(lines, evidence, note)


def _proofs(
    lines: Sequence[StoredLine], evidence: Iterable[tuple[StoredLine, Envelope]], note: str
) -> Iterator[tuple[str, bytes]]:
    """Yield, for each piece of evidence, the member that proves that a record of the session says so, and its bytes.

    The same slice may be handed over in several turns; the first record of it is proven.
    """
    prover = Prover([item.leaf for item in lines])
    seen: set[str] = set()
    for _, envelope in evidence:
        body = parse_body(envelope.kind, envelope.body)
        if not isinstance(body, Evidence) or body.id in seen:
            continue
        seen.add(body.id)
        path = prover.inclusion(envelope.seq)
        yield layout.proof_name(body.id), format_proof(envelope.seq, path, note).encode("utf-8")
