"""Ed25519 signatures, checked in plain Python. Verification only: nothing here is safe to handle a private key with.

Small rather than fast: about five milliseconds a signature, and a note has a few. Spec: RFC 8032 section 5.1.7, with
these choices where it leaves one or others differ:

    S                     must be below L (RFC 8032), so that a signature has one form
    public key            must be the canonical form of a point that is not of small order: under a key of small order
                          one signature fits many messages
    R                     compared as bytes with the form that was computed, so it must be canonical
    equation              the one without the cofactor, [S]B = R + [k]A, as Go and OpenSSL have it; what is accepted
                          here is accepted by those that multiply by eight as well

Signatures made as RFC 8032 section 5.1.6 says pass each of these.
"""

from __future__ import annotations

import hashlib

__all__ = ["is_key", "verify"]

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
"""A square root of -1."""

_Point = tuple[int, int, int, int]
"""X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z (RFC 8032 section 5.1.4)."""
_NEUTRAL: _Point = (0, 1, 1, 0)


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether this is the signature of the message by the key; False as well for what is no key or signature."""
    point = _decode(key)
    if point is None or _is_small(point) or len(signature) != 64:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= _L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _L
    return _encode(_sum_of(scalar, _BASE, k, _minus(point))) == signature[:32]


def is_key(key: bytes) -> bool:
    """Return whether these bytes are a public key that signatures can be checked with."""
    point = _decode(key)
    return point is not None and not _is_small(point)


def _decode(data: bytes) -> _Point | None:
    """Return the point of 32 bytes; None when they are the canonical form of none. Spec: RFC 8032 section 5.1.3."""
    if len(data) != 32:
        return None
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x - u) % _P:
        x = x * _ROOT % _P
        if (v * x * x - u) % _P:
            return None
    if x == 0 and sign:
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _encode(point: _Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _P)
    return (y * inverse % _P | (x * inverse % _P & 1) << 255).to_bytes(32, "little")


def _add(one: _Point, other: _Point) -> _Point:
    """Return the sum; complete, so one may be the other. Spec: RFC 8032 section 5.1.4."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _minus(point: _Point) -> _Point:
    return -point[0] % _P, point[1], point[2], -point[3] % _P


def _is_small(point: _Point) -> bool:
    """Whether the order of a point divides eight."""
    for _ in range(3):
        point = _add(point, point)
    return point[0] == 0 and point[1] == point[2]


def _sum_of(a: int, one: _Point, b: int, other: _Point) -> _Point:
    """Return [a]one + [b]other, both at once from the highest bit down."""
    both = (_NEUTRAL, one, other, _add(one, other))
    out = _NEUTRAL
    for bit in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        out = _add(out, out)
        chosen = a >> bit & 1 | (b >> bit & 1) << 1
        if chosen:
            out = _add(out, both[chosen])
    return out


def _base() -> _Point:
    point = _decode((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    if point is None:
        raise AssertionError("the base point is a point")
    return point


_BASE = _base()
