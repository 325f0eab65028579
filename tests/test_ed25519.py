"""Ed25519 signatures: what others published is accepted or refused as the module says, and nothing else is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.log import ed25519

VECTORS = Path(__file__).parent / "vectors"
RFC: list[dict[str, str]] = json.loads((VECTORS / "rfc8032.json").read_text("utf-8"))
ODD: list[dict[str, Any]] = json.loads((VECTORS / "cctv-ed25519.json").read_text("utf-8"))
ORDER = 2**252 + 27742317777372353535851937790883648493
REFUSED = {"low_order_A", "non_canonical_A", "non_canonical_R", "low_order_residue", "reencoded_k"}
SMALL = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]
"""All eight points of small order."""


def parts(vector: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    return bytes.fromhex(vector["key"]), bytes.fromhex(vector["message"]), bytes.fromhex(vector["signature"])


@pytest.mark.parametrize("vector", RFC, ids=lambda v: v["name"])
def test_the_signatures_of_the_rfc_are_verified(vector: dict[str, str]) -> None:
    assert ed25519.verify(*parts(vector))
    assert ed25519.is_key(parts(vector)[0])


@pytest.mark.parametrize("vector", ODD, ids=lambda v: str(v["number"]))
def test_odd_points_are_accepted_and_refused_as_the_module_says(vector: dict[str, Any]) -> None:
    assert ed25519.verify(*parts(vector)) == (not REFUSED & set(vector["flags"]))


@pytest.mark.parametrize("key", SMALL)
def test_a_key_of_small_order_is_none(key: str) -> None:
    """Under it, S = 0 and R = the neutral point is a signature of every message with a fitting k."""
    data = bytes.fromhex(key)
    assert not ed25519.is_key(data)
    neutral = bytes.fromhex(SMALL[2])
    assert not any(ed25519.verify(data, bytes([n]), neutral + bytes(32)) for n in range(16))


@pytest.mark.parametrize(
    "key",
    [
        "",
        "00" * 31,
        "00" * 33,
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  # y is the field's prime
        "0100000000000000000000000000000000000000000000000000000000000080",  # x is minus zero
        "0200000000000000000000000000000000000000000000000000000000000000",  # no point has this y
        "ff" * 32,
    ],
)
def test_what_is_no_point_is_no_key(key: str) -> None:
    assert not ed25519.is_key(bytes.fromhex(key))
    assert not ed25519.verify(bytes.fromhex(key), b"", bytes(64))


@pytest.mark.parametrize("vector", RFC, ids=lambda v: v["name"])
def test_a_signature_has_one_form(vector: dict[str, str]) -> None:
    """S plus the order of the group satisfies the same equation (malleability)."""
    key, message, signature = parts(vector)
    larger = int.from_bytes(signature[32:], "little") + ORDER
    assert not ed25519.verify(key, message, signature[:32] + larger.to_bytes(32, "little"))
    for size in (0, 32, 63):
        assert not ed25519.verify(key, message, signature[:size])
    assert not ed25519.verify(key, message, signature + b"\0")


@pytest.mark.parametrize("vector", RFC, ids=lambda v: v["name"])
def test_every_changed_bit_of_key_and_signature_is_noticed(vector: dict[str, str]) -> None:
    key, message, signature = parts(vector)
    whole = key + signature
    for bit in range(0, 8 * len(whole), 5):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not ed25519.verify(bytes(flipped[:32]), message, bytes(flipped[32:]))
    assert not ed25519.verify(key, message + b"\0", signature)


@settings(deadline=None, max_examples=50)
@given(seed=st.binary(min_size=32, max_size=32), message=st.binary(max_size=200), bit=st.integers(0, 64 * 8 - 1))
def test_it_agrees_with_a_library(seed: bytes, message: bytes, bit: int) -> None:
    ed = pytest.importorskip(
        "cryptography.hazmat.primitives.asymmetric.ed25519", reason="compared where the extra `sign` is installed"
    )
    private = ed.Ed25519PrivateKey.from_private_bytes(seed)
    key, signature = private.public_key().public_bytes_raw(), private.sign(message)
    assert ed25519.verify(key, message, signature)
    flipped = bytearray(signature)
    flipped[bit // 8] ^= 1 << bit % 8
    assert not ed25519.verify(key, message, bytes(flipped))


@settings(deadline=None)
@given(st.binary(max_size=70), st.binary(max_size=20), st.binary(max_size=70))
def test_any_bytes_give_an_answer(key: bytes, message: bytes, signature: bytes) -> None:
    assert ed25519.verify(key, message, signature) is False
