"""A proof, in one small file, that a record belongs to a session: its index, the audit path, and the checkpoint.

    c2sp.org/tlog-proof@v1
    index 3
    gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
    B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=

    searchlog/s20260102-030405-00000001
    14
    QuJs00JHbU8TBVL5a/eq6iokXky1YC9mTEUTIBjP84o=

Pure. What the leaf hash is a hash of, the reader has to know: the record's line. The checkpoint stands verbatim, signed
or not; without a signature the proof is as good as the checkpoint is known from elsewhere. Spec: C2SP tlog-proof, v1.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from searchlog.errors import FormatError, IntegrityError
from searchlog.log.checkpoint import Checkpoint, parse_checkpoint
from searchlog.log.note import read_note, strict_base64
from searchlog.log.tree import check_inclusion

__all__ = ["Proof", "check_proof", "format_proof", "parse_proof"]

_FIRST = "c2sp.org/tlog-proof@v1"
_PATH_MAX = 63
_EXTRA_MAX = 65_536
_TEXT_MAX = 1_200_000
_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class Proof:
    """What such a file says; nothing of it is checked yet."""

    index: int
    path: tuple[bytes, ...]
    """The sibling of the leaf first."""
    note: str
    """The checkpoint, as it stands there: note text alone, or with signatures."""
    extra: bytes | None = None
    """Opaque, and covered by nothing."""

    @property
    def checkpoint(self) -> Checkpoint:
        return parse_checkpoint(read_note(self.note).text)


def format_proof(index: int, path: Sequence[bytes], checkpoint_note: str, extra: bytes | None = None) -> str:
    """Return the proof's text. Raises FormatError for what could not be read again."""
    lines = [_FIRST]
    if extra is not None:
        lines.append(f"extra {base64.b64encode(extra).decode('ascii')}")
    lines.append(f"index {index}")
    lines += [base64.b64encode(node).decode("ascii") for node in path]
    text = "\n".join(lines) + f"\n\n{checkpoint_note}"
    if parse_proof(text) != Proof(index, tuple(path), checkpoint_note, extra):
        raise FormatError("a proof that would be read as another")
    return text


def parse_proof(text: str) -> Proof:
    """Return what the text of a proof says. Raises FormatError naming the line that is wrong."""
    if len(text) > _TEXT_MAX:
        raise FormatError(f"a proof of {len(text)} characters; at most {_TEXT_MAX}")
    head, blank, note = text.partition("\n\n")
    first, *lines = head.split("\n")
    if first != _FIRST or not blank:
        raise FormatError(f"a proof begins with {_FIRST} and has an empty line before its checkpoint")
    extra = None
    if lines and lines[0].startswith("extra "):
        extra = strict_base64(lines.pop(0)[6:])
        if extra is None or len(extra) > _EXTRA_MAX:
            raise FormatError(f"line 2 of a proof is no base64, or holds more than {_EXTRA_MAX} bytes")
    shown = 2 if extra is None else 3
    found = _INDEX.fullmatch(lines[0]) if lines else None
    if not found:
        raise FormatError(f"line {shown} of a proof is not its index")
    path: list[bytes] = []
    for number, line in enumerate(lines[1:], shown + 1):
        node = strict_base64(line)
        if node is None or len(node) != 32 or len(path) == _PATH_MAX:
            raise FormatError(f"line {number} of a proof is no hash of 32 bytes, or one too many")
        path.append(node)
    proof = Proof(int(found[1]), tuple(path), note, extra)
    if proof.index >= proof.checkpoint.size:
        raise FormatError(f"a proof for record {proof.index} of {proof.checkpoint.size}")
    return proof


def check_proof(proof: Proof, leaf: bytes) -> Checkpoint:
    """Return the checkpoint under which the record with this leaf hash is proven to be at the proof's index.

    Raises IntegrityError when it is not proven, FormatError when the checkpoint is none. Whether the checkpoint is to
    be believed is the caller's to say: its origin, and its signatures (`log.note`).
    """
    checkpoint = proof.checkpoint
    if not check_inclusion(leaf, proof.index, checkpoint.size, proof.path, checkpoint.root):
        raise IntegrityError(
            f"the proof does not lead from record {proof.index} to the head of {checkpoint.origin}",
            index=proof.index,
            expected=checkpoint.root.hex(),
        )
    return checkpoint
