"""The Merkle tree over a session's lines: heads, inclusion proofs, consistency proofs.

Pure: hashes in, hashes out. A prover is given a `reader` that returns leaf hashes for a range, so that nothing here
opens a file. `Frontier` is the state that an append needs: the hashes of the complete subtrees, largest first, at
most 64. Spec: RFC 6962 section 2.1 (the same tree as RFC 9162 section 2.1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from searchlog.errors import IntegrityError, UsageError

__all__ = [
    "EMPTY_ROOT",
    "Frontier",
    "LeafReader",
    "Prover",
    "check_consistency",
    "check_inclusion",
    "leaf_hash",
    "node_hash",
    "prove_consistency",
    "prove_inclusion",
    "root_of",
]

EMPTY_ROOT = hashlib.sha256(b"").digest()
LeafReader = Callable[[int, int], Sequence[bytes]]
"""`reader(start, end)` returns the leaf hashes `[start, end)`."""


def leaf_hash(line: bytes) -> bytes:
    """Return the leaf hash of one record: 32 bytes.

    line: the stored bytes, without the final newline; never re-serialised.
    Spec: RFC 6962 section 2.1.  Shown by test_tree.py::test_roots_match_public_vectors.
    """
    return hashlib.sha256(b"\x00" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """A tree of `size` leaves, as the roots of its complete subtrees, largest first: one for each bit set in size."""

    size: int = 0
    nodes: tuple[bytes, ...] = ()

    def extend(self, leaves: Iterable[bytes]) -> Frontier:
        """Return the frontier after these leaf hashes."""
        size, nodes = self.size, list(self.nodes)
        for leaf in leaves:
            carry, rest = leaf, size
            while rest & 1:
                carry = node_hash(nodes.pop(), carry)
                rest >>= 1
            nodes.append(carry)
            size += 1
        return Frontier(size, tuple(nodes))

    @property
    def root(self) -> bytes:
        """Return the tree head."""
        if not self.nodes:
            return EMPTY_ROOT
        root = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            root = node_hash(node, root)
        return root

    def to_bytes(self) -> bytes:
        """Return the nodes as stored beside the size."""
        return b"".join(self.nodes)

    @classmethod
    def from_bytes(cls, size: int, data: bytes) -> Frontier:
        """Return the stored frontier; raises IntegrityError when the node count does not fit the size."""
        if size < 0 or len(data) != 32 * size.bit_count():
            raise IntegrityError(
                f"a frontier of {len(data)} bytes for {size} records", expected=32 * abs(size).bit_count()
            )
        return cls(size, tuple(data[i : i + 32] for i in range(0, len(data), 32)))


def _split(size: int) -> int:
    """Return the largest power of two smaller than size."""
    return 1 << (size - 1).bit_length() - 1


def _are_hashes(*values: bytes) -> bool:
    """Whether each is 32 bytes: a node hashes two end to end, so a byte could else move from one to the other."""
    return all(len(value) == 32 for value in values)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the head of the tree over these leaf hashes."""
    return Frontier().extend(leaves).root


def prove_inclusion(index: int, size: int, reader: LeafReader) -> tuple[bytes, ...]:
    """Return the audit path of leaf `index` in the tree of `size` leaves, lowest sibling first.

    Spec: RFC 6962 section 2.1.1. Raises UsageError when index is not below size.
    """
    if not 0 <= index < size:
        raise UsageError(f"no record {index} in a tree of {size}")
    return Prover(reader(0, size)).inclusion(index)


class Prover:
    """Makes inclusion proofs of several leaves of one tree; what two of them share is computed once."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._leaves = leaves
        self._roots: dict[tuple[int, int], bytes] = {}

    def inclusion(self, index: int) -> tuple[bytes, ...]:
        """Return the audit path of a leaf, as `prove_inclusion` does. Raises UsageError for none of the tree."""
        size = len(self._leaves)
        if not 0 <= index < size:
            raise UsageError(f"no record {index} in a tree of {size}")
        path: list[bytes] = []
        low, high = 0, size
        while high - low > 1:
            middle = low + _split(high - low)
            if index < middle:
                path.append(self._root(middle, high))
                high = middle
            else:
                path.append(self._root(low, middle))
                low = middle
        return tuple(reversed(path))

    def _root(self, low: int, high: int) -> bytes:
        if (low, high) not in self._roots:
            self._roots[low, high] = root_of(self._leaves[low:high])
        return self._roots[low, high]


def check_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether the path proves that `leaf` is at `index` of the tree with this size and root.

    Spec: RFC 9162 section 2.1.3.2.
    """
    if not 0 <= index < size or not _are_hashes(leaf, *path):
        return False
    at, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(sibling, found)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            found = node_hash(found, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and found == root


def prove_consistency(old: int, new: int, reader: LeafReader) -> tuple[bytes, ...]:
    """Return the proof that the tree of `new` leaves extends the tree of its first `old`.

    Spec: RFC 6962 section 2.1.2. Raises UsageError unless 0 < old <= new.
    """
    if not 0 < old <= new:
        raise UsageError(f"no consistency proof from {old} to {new}")
    leaves = reader(0, new)

    def walk(count: int, low: int, high: int, complete: bool) -> list[bytes]:
        if count == high - low:
            return [] if complete else [root_of(leaves[low:high])]
        middle = _split(high - low)
        if count <= middle:
            return [*walk(count, low, low + middle, complete), root_of(leaves[low + middle : high])]
        return [*walk(count - middle, low + middle, high, False), root_of(leaves[low : low + middle])]

    return tuple(walk(old, 0, new, True))


def check_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Return whether the proof shows that the new tree extends the old one.

    Spec: RFC 9162 section 2.1.4.2.
    """
    if not 0 < old <= new or not _are_hashes(old_root, *proof):
        return False
    if old == new:
        return not proof and old_root == new_root
    steps = list(proof)
    if old & (old - 1) == 0:  # the old tree is one complete subtree: its root starts the path
        steps.insert(0, old_root)
    if not steps:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at >>= 1
        last >>= 1
    found_old = found_new = steps[0]
    for sibling in steps[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            found_old = node_hash(sibling, found_old)
            found_new = node_hash(sibling, found_new)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            found_new = node_hash(found_new, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and found_old == old_root and found_new == new_root
