"""The tree of RFC 6962: vectors of others, every proof of small trees, and everything that must not pass."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.errors import IntegrityError, UsageError
from searchlog.log import tree
from searchlog.log.tree import Frontier

VECTORS = Path(__file__).parent / "vectors"
RFC6962: dict[str, Any] = json.loads((VECTORS / "rfc6962-tree.json").read_bytes())
REKOR: dict[str, Any] = json.loads((VECTORS / "rekor-v2-inclusion.json").read_bytes())
LEAVES = [tree.leaf_hash(bytes.fromhex(text)) for text in RFC6962["leaves"]]
ROOTS = [bytes.fromhex(text) for text in RFC6962["roots"]]
MANY = [tree.leaf_hash(b"record %d" % number) for number in range(70)]
SOME_HASH = bytes.fromhex("abacaba000000000000000000000000000000000000000000060061e00123456")


def reader(leaves: Sequence[bytes]) -> tree.LeafReader:
    return lambda start, end: leaves[start:end]


def hashes(texts: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(map(bytes.fromhex, texts))


def bit_flips(value: bytes) -> Iterator[bytes]:
    """Every value that differs in one bit."""
    for bit in range(8 * len(value)):
        yield (int.from_bytes(value, "big") ^ 1 << bit).to_bytes(len(value), "big")


def recursive_root(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962 section 2.1, word for word: slow, and written apart from the code under test."""
    if not leaves:
        return tree.EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return tree.node_hash(recursive_root(leaves[:split]), recursive_root(leaves[split:]))


# --- vectors


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_match_public_vectors(size: int) -> None:
    assert tree.root_of(LEAVES[:size]) == ROOTS[size - 1]


def test_empty_root_matches_public_vector() -> None:
    assert tree.root_of([]) == Frontier().root == bytes.fromhex(RFC6962["empty_root"])


@pytest.mark.parametrize("case", RFC6962["inclusion"], ids=lambda case: f"{case['index']}-of-{case['size']}")
def test_inclusion_proofs_match_public_vectors(case: dict[str, Any]) -> None:
    index, size, path = case["index"], case["size"], hashes(case["path"])
    assert tree.prove_inclusion(index, size, reader(LEAVES)) == path
    assert tree.check_inclusion(LEAVES[index], index, size, path, ROOTS[size - 1])


@pytest.mark.parametrize("case", RFC6962["consistency"], ids=lambda case: f"{case['old']}-to-{case['new']}")
def test_consistency_proofs_match_public_vectors(case: dict[str, Any]) -> None:
    old, new, proof = case["old"], case["new"], hashes(case["proof"])
    assert tree.prove_consistency(old, new, reader(LEAVES)) == proof
    assert tree.check_consistency(old, new, proof, ROOTS[old - 1], ROOTS[new - 1])


def test_inclusion_proof_of_a_public_log_is_accepted_and_its_bit_flips_are_not() -> None:
    """Leaf 645 of 646 has a path of 4 where the tree is 10 high: the ragged right edge."""
    leaf, root, path = bytes.fromhex(REKOR["leaf"]), bytes.fromhex(REKOR["root"]), hashes(REKOR["path"])
    assert tree.check_inclusion(leaf, REKOR["index"], REKOR["size"], path, root)
    for wrong in bit_flips(leaf):
        assert not tree.check_inclusion(wrong, REKOR["index"], REKOR["size"], path, root)


# --- every proof of every small tree


@pytest.mark.parametrize("size", range(1, 71))
def test_every_record_of_every_small_tree_proves_and_checks(size: int) -> None:
    root = tree.root_of(MANY[:size])
    assert root == recursive_root(MANY[:size])
    for index in range(size):
        path = tree.prove_inclusion(index, size, reader(MANY))
        assert tree.check_inclusion(MANY[index], index, size, path, root)
        assert not tree.check_inclusion(SOME_HASH, index, size, path, root)


@pytest.mark.parametrize("new", range(1, 71))
def test_every_older_tree_of_every_small_tree_proves_and_checks(new: int) -> None:
    root = tree.root_of(MANY[:new])
    for old in range(1, new + 1):
        old_root = tree.root_of(MANY[:old])
        proof = tree.prove_consistency(old, new, reader(MANY))
        assert tree.check_consistency(old, new, proof, old_root, root)
        assert not tree.check_consistency(old, new, proof, SOME_HASH, root)
        assert not tree.check_consistency(old, new, proof, old_root, SOME_HASH)


# --- what must not pass


@pytest.mark.parametrize(("index", "size"), [(0, 1), (0, 8), (5, 8), (2, 3), (1, 5), (6, 7)])
def test_every_flipped_bit_of_an_inclusion_proof_is_refused(index: int, size: int) -> None:
    leaf, root = MANY[index], tree.root_of(MANY[:size])
    path = tree.prove_inclusion(index, size, reader(MANY))
    for wrong in bit_flips(leaf):
        assert not tree.check_inclusion(wrong, index, size, path, root)
    for wrong in bit_flips(root):
        assert not tree.check_inclusion(leaf, index, size, path, wrong)
    for at in range(len(path)):
        for wrong in bit_flips(path[at]):
            assert not tree.check_inclusion(leaf, index, size, (*path[:at], wrong, *path[at + 1 :]), root)


@pytest.mark.parametrize("size", range(1, 34))
def test_a_proof_is_refused_at_every_other_index(size: int) -> None:
    root = tree.root_of(MANY[:size])
    for index in range(size):
        path = tree.prove_inclusion(index, size, reader(MANY))
        for other in {*range(-1, size + 2), *(index ^ 1 << bit for bit in range(20))} - {index}:
            assert not tree.check_inclusion(MANY[index], other, size, path, root)


def sides(index: int, size: int) -> list[str]:
    """On which side each sibling of a path stands, lowest first: all that a path tells of the tree's size."""
    if size <= 1:
        return []
    split = 1
    while split * 2 < size:
        split *= 2
    return [*sides(index, split), "right"] if index < split else [*sides(index - split, size - split), "left"]


@pytest.mark.parametrize(("index", "size"), [(0, 1), (0, 8), (5, 8), (2, 3), (1, 5), (6, 7), (32, 33), (68, 69)])
def test_a_proof_is_refused_under_every_size_that_gives_it_another_shape(index: int, size: int) -> None:
    """Sizes with one shape cannot be told apart by a path; the checkpoint ties the size to the root."""
    root = tree.root_of(MANY[:size])
    path = tree.prove_inclusion(index, size, reader(MANY))
    for other in {*range(-1, 140), *(size ^ 1 << bit for bit in range(40))} - {size}:
        same = other > index and sides(index, other) == sides(index, size)
        assert tree.check_inclusion(MANY[index], index, other, path, root) is same
        assert not tree.check_inclusion(SOME_HASH, index, other, path, root)


@pytest.mark.parametrize(("index", "size"), [(0, 1), (0, 8), (5, 8), (2, 3), (1, 5)])
def test_longer_shorter_and_shifted_paths_are_refused(index: int, size: int) -> None:
    leaf, root = MANY[index], tree.root_of(MANY[:size])
    path = tree.prove_inclusion(index, size, reader(MANY))
    wrong = [(*path, root), (*path, b""), (root, *path), (b"", *path), (*path, SOME_HASH), (*path, tree.EMPTY_ROOT)]
    if path:
        wrong += [path[:-1], path[1:], (path[0], SOME_HASH, *path[1:]), (path[0], *path)]
    if len(set(path)) > 1:
        wrong.append(path[::-1])
    for other in wrong:
        assert not tree.check_inclusion(leaf, index, size, other, root)
    for other_size in (size * 2, size // 2):
        assert not tree.check_inclusion(leaf, index, other_size, path, root)


def test_a_byte_moved_between_leaf_and_sibling_is_refused() -> None:
    """A node hashes its two children end to end, so a leaf of 33 bytes and a sibling of 31 gave the same root.

    The check took them, and a "proof" of something that is no leaf hash passed.
    """
    root, path = tree.root_of(MANY[:2]), tree.prove_inclusion(0, 2, reader(MANY))
    assert not tree.check_inclusion(MANY[0] + path[0][:1], 0, 2, (path[0][1:],), root)
    assert not tree.check_inclusion(MANY[0][:-1], 0, 2, (MANY[0][-1:] + path[0],), root)
    proof = tree.prove_consistency(1, 2, reader(MANY))
    assert not tree.check_consistency(1, 2, (proof[0][1:],), MANY[0] + proof[0][:1], root)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 3), (2, 1)])
def test_index_outside_of_the_tree_is_refused(index: int, size: int) -> None:
    assert not tree.check_inclusion(MANY[0], index, size, (), MANY[0])
    with pytest.raises(UsageError):
        tree.prove_inclusion(index, size, reader(MANY))


@pytest.mark.parametrize(("old", "new"), [(1, 8), (6, 8), (2, 5), (6, 7), (4, 4), (3, 33)])
def test_every_flipped_bit_of_a_consistency_proof_is_refused(old: int, new: int) -> None:
    old_root, root = tree.root_of(MANY[:old]), tree.root_of(MANY[:new])
    proof = tree.prove_consistency(old, new, reader(MANY))
    for wrong in bit_flips(old_root):
        assert not tree.check_consistency(old, new, proof, wrong, root)
    for wrong in bit_flips(root):
        assert not tree.check_consistency(old, new, proof, old_root, wrong)
    for at in range(len(proof)):
        for wrong in bit_flips(proof[at]):
            assert not tree.check_consistency(old, new, (*proof[:at], wrong, *proof[at + 1 :]), old_root, root)


@pytest.mark.parametrize(("old", "new"), [(1, 8), (6, 8), (2, 5), (6, 7), (3, 33)])
def test_wrong_sizes_and_shapes_of_a_consistency_proof_are_refused(old: int, new: int) -> None:
    old_root, root = tree.root_of(MANY[:old]), tree.root_of(MANY[:new])
    proof = tree.prove_consistency(old, new, reader(MANY))
    for other in {old - 1, old + 1, old ^ 2} - {old}:
        assert not tree.check_consistency(other, new, proof, old_root, root)
    assert not tree.check_consistency(old, new * 2, proof, old_root, root)
    assert not tree.check_consistency(old, new // 2, proof, old_root, root)
    assert not tree.check_consistency(old, new, proof, root, old_root)
    for wrong in ((), proof[:-1], (*proof, b""), (*proof, root), (*proof, old_root), (b"", *proof), (root, *proof)):
        assert not tree.check_consistency(old, new, wrong, old_root, root)
    assert not tree.check_consistency(old, new, (proof[0], *proof), old_root, root)


def test_equal_sizes_are_consistent_only_with_equal_roots_and_no_proof() -> None:
    assert tree.check_consistency(1, 1, (), MANY[0], MANY[0])
    assert not tree.check_consistency(1, 1, (), MANY[0], MANY[1])
    assert not tree.check_consistency(1, 1, (MANY[0],), MANY[0], MANY[0])


@pytest.mark.parametrize(("old", "new"), [(0, 0), (0, 1), (-1, 1), (2, 1), (1, 0)])
def test_consistency_with_nothing_or_with_the_past_is_refused(old: int, new: int) -> None:
    """An empty tree is consistent with every tree: there is nothing to prove, so a proof is asked for by mistake."""
    assert not tree.check_consistency(old, new, (), MANY[0], MANY[0])
    with pytest.raises(UsageError):
        tree.prove_consistency(old, new, reader(MANY))


def test_a_changed_removed_or_swapped_record_changes_the_root() -> None:
    root = tree.root_of(MANY[:9])
    for at in range(9):
        assert tree.root_of([*MANY[:at], SOME_HASH, *MANY[at + 1 : 9]]) != root
        assert tree.root_of([*MANY[:at], *MANY[at + 1 : 9]]) != root
        assert tree.root_of([*MANY[:at], SOME_HASH, *MANY[at:9]]) != root
    for at in range(8):
        assert tree.root_of([*MANY[:at], MANY[at + 1], MANY[at], *MANY[at + 2 : 9]]) != root


def test_leaf_and_node_hashes_live_in_different_domains() -> None:
    """Without the two prefixes an inner node could be shown as a record (RFC 6962 section 2.1)."""
    assert tree.leaf_hash(MANY[0] + MANY[1]) != tree.node_hash(MANY[0], MANY[1])
    assert tree.leaf_hash(b"") != tree.EMPTY_ROOT


# --- frontier


@settings(deadline=None)
@given(count=st.integers(0, 200), cuts=st.lists(st.integers(0, 200), max_size=8))
def test_a_frontier_extended_in_any_batches_equals_the_root(count: int, cuts: list[int]) -> None:
    leaves = [tree.leaf_hash(b"%d" % number) for number in range(count)]
    frontier = Frontier()
    edges = [0, *sorted(min(cut, count) for cut in cuts), count]
    for start, end in itertools.pairwise(edges):
        frontier = frontier.extend(leaves[start:end])
    assert frontier.size == count
    assert frontier.root == recursive_root(leaves)
    assert len(frontier.nodes) == count.bit_count()


@settings(deadline=None)
@given(st.integers(0, 300))
def test_a_frontier_round_trips_and_goes_on_from_its_bytes(count: int) -> None:
    leaves = [tree.leaf_hash(b"%d" % number) for number in range(count)]
    frontier = Frontier().extend(leaves)
    again = Frontier.from_bytes(frontier.size, frontier.to_bytes())
    assert again == frontier
    assert again.extend(MANY[:3]).root == tree.root_of([*leaves, *MANY[:3]])


@pytest.mark.parametrize(
    ("size", "data"),
    [(1, b""), (0, b"\0" * 32), (3, b"\0" * 32), (2, b"\0" * 31), (4, b"\0" * 64), (-1, b"\0" * 32)],
    ids=["missing", "surplus", "one-of-two", "cut", "two-of-one", "negative-size"],
)
def test_a_frontier_that_does_not_fit_its_size_is_damage(size: int, data: bytes) -> None:
    """A negative size with one node was taken, because -1 has one bit set."""
    with pytest.raises(IntegrityError):
        Frontier.from_bytes(size, data)
