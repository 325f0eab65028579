"""Time-stamp tokens (RFC 3161): what one says, and whether it says it of a given text. Pure.

A token binds the digest of a text to a time: a time-stamping authority says that the text existed by then, never that
it did not exist before. `read_token` reads what it says with a small DER reader of its own, so that everybody can be
told; nothing of that is proven without the authority's signature, which is `check_token`'s to check through the extra
`time` (rfc3161-client) and root certificates that the user trusts. Certificates need to be valid at the token's time,
not now. Taken is a response (`.tsr`) or the token alone. Spec: RFC 3161 section 2.4.2, RFC 5652 section 5.1, X.690.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from searchlog.errors import FormatError, UsageError

__all__ = ["TOKEN_BYTES_MAX", "TokenCheck", "TokenFacts", "check_token", "read_token"]

TOKEN_BYTES_MAX = 1 << 20
"""A token with its chain of certificates has a few kilobytes."""
_PARTS_MAX = 1000

_SEQUENCE, _SET, _OCTETS, _INTEGER, _OID, _TIME = 0x30, 0x31, 0x04, 0x02, 0x06, 0x18
_SIGNED_DATA = "1.2.840.113549.1.7.2"
_TST_INFO = "1.2.840.113549.1.9.16.1.4"
_HASHES: dict[str, tuple[str, Callable[[bytes], hashlib._Hash]]] = {
    "2.16.840.1.101.3.4.2.1": ("sha256", hashlib.sha256),
    "2.16.840.1.101.3.4.2.2": ("sha384", hashlib.sha384),
    "2.16.840.1.101.3.4.2.3": ("sha512", hashlib.sha512),
}
_NAMES = {"2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU"}
_TEXTS = {0x0C: "utf-8", 0x13: "ascii", 0x14: "latin-1", 0x16: "ascii", 0x1E: "utf-16-be", 0x1C: "utf-32-be"}
_WHEN = re.compile(rb"([0-9]{14})(\.[0-9]{0,8}[1-9])?Z")


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """What a token says. Without a check of its signature it is hearsay."""

    imprint_ok: bool
    """Whether its message imprint is the digest of the given text."""
    time: str
    """`genTime`, RFC 3339 UTC: the text existed by then."""
    algorithm: str
    """Of the imprint: `sha256`, `sha384` or `sha512`."""
    serial: int
    """Of the token, unique at its authority."""
    policy: str
    """Object identifier of the policy it was made under."""
    authority: str | None
    """Name of the authority, where the token has it."""


@dataclass(frozen=True, slots=True)
class TokenCheck:
    """Whether an authority that chains to a trusted root signed the token."""

    outcome: Literal["verified", "failed", "not checked"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """One DER value."""

    tag: int
    body: bytes


def read_token(data: bytes, text: str) -> TokenFacts:
    """Return what a token says, and whether it says it of this text (its UTF-8 bytes).

    Raises FormatError for anything that is no token of ours to read: not DER, a refusal, another digest algorithm.
    """
    info = _info(_content(data))
    _expect(info, 0, _INTEGER, b"\1", "version")
    imprint = _children(_at(info, 2, _SEQUENCE, "imprint"))
    algorithm = _oid(_at(_children(_at(imprint, 0, _SEQUENCE, "imprint")), 0, _OID, "imprint"))
    if algorithm not in _HASHES:
        raise FormatError(f"the imprint of a time-stamp token is made with {algorithm}; expected SHA-256, -384 or -512")
    name, hashed = _HASHES[algorithm]
    found = _at(imprint, 1, _OCTETS, "imprint").body
    authority = next((part for part in info[5:] if part.tag == 0xA0), None)
    return TokenFacts(
        imprint_ok=found == hashed(text.encode("utf-8")).digest(),
        time=_time(_at(info, 4, _TIME, "time").body),
        algorithm=name,
        serial=int.from_bytes(_at(info, 3, _INTEGER, "serial number").body, "big", signed=True),
        policy=_oid(_at(info, 1, _OID, "policy")),
        authority=_name(authority) if authority else None,
    )


def check_token(data: bytes, text: str, roots: Sequence[bytes]) -> TokenCheck:
    """Return whether a root that the user trusts vouches for the authority that signed this token over this text.

    roots: certificates, PEM (one or more each) or DER. Not checked without roots, without the extra, and where the
    library cannot read what this module can (`openssl ts -verify` may). Raises FormatError as `read_token` does,
    UsageError for a root that is no certificate.
    """
    facts = read_token(data, text)
    if not facts.imprint_ok:
        return TokenCheck("failed", f"it is a token for another text: its {facts.algorithm} imprint differs")
    if not roots:
        return TokenCheck("not checked", "no root certificate of a time-stamping authority was given")
    try:
        from cryptography import x509
        from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response
    except ImportError:
        return TokenCheck("not checked", "the signature of a token needs an extra: pip install 'searchlog[time]'")
    trusted = []
    for root in roots:
        try:
            pem = b"-----BEGIN" in root
            trusted += x509.load_pem_x509_certificates(root) if pem else [x509.load_der_x509_certificate(root)]
        except ValueError as error:
            raise UsageError(f"a root certificate cannot be read: {error!s:.120}") from None
    try:
        ready = _sorted(data)
        response = decode_timestamp_response(ready if _is_response(ready) else _as_response(ready))
        verifier = VerifierBuilder(roots=list(dict.fromkeys(trusted))).build()
    except ValueError as error:
        return TokenCheck("not checked", f"rfc3161-client cannot read it ({error!s:.120}); try `openssl ts -verify`")
    try:
        verifier.verify_message(response, text.encode("utf-8"))
    except (VerificationError, ValueError) as error:
        return TokenCheck("failed", _reason(str(error)))
    if not facts.time.startswith(response.tst_info.gen_time.strftime("%Y-%m-%dT%H:%M:%S")):
        return TokenCheck("failed", "its time is read in two ways")
    return TokenCheck("verified", f"signed by {facts.authority or 'the authority'} at {facts.time}")


def _reason(said: str) -> str:
    """Return what a library of C says went wrong, in its own words but without its places."""
    found = re.search(r'data: "(?:Verify error: ?)?([^"]+)"', said) or re.search(r'reason: "([^"]+)"', said)
    return f"{found[1] if found else said:.200}"


# --- the parts of a token


def _content(data: bytes) -> _Part:
    """Return the ContentInfo of a response or a token."""
    if len(data) > TOKEN_BYTES_MAX:
        raise FormatError(f"a time-stamp token of {len(data)} bytes; at most {TOKEN_BYTES_MAX}")
    whole = _whole(data, _SEQUENCE)
    if not _is_response(data):
        return whole
    parts = _children(whole)
    status = _at(_children(parts[0]), 0, _INTEGER, "status").body
    if status not in (b"\0", b"\1"):
        raise FormatError(f"a time-stamping authority refused: status {int.from_bytes(status, 'big')}")
    return _at(parts, 1, _SEQUENCE, "token")


def _is_response(data: bytes) -> bool:
    """Whether this is a TimeStampResp, which begins with a status, and no ContentInfo, which begins with its type."""
    parts = _children(_whole(data, _SEQUENCE))
    return bool(parts) and parts[0].tag == _SEQUENCE


def _as_response(data: bytes) -> bytes:
    """Return a token as the response that granted it."""
    return _value(_Part(_SEQUENCE, bytes.fromhex("3003020100") + data))


def _sorted(data: bytes) -> bytes:
    """Return the token with its certificates in the order of DER, which OpenSSL does not keep and the library demands.

    No signature covers that order, and the bytes that are kept stay as they are.
    """
    for part in _signed(_content(data))[3:]:
        if part.tag == 0xA0:
            whole = [_value(inner) for inner in _parts(part.body)]
            return data.replace(part.body, b"".join(sorted(whole)), 1)
    return data


def _signed(content: _Part) -> list[_Part]:
    """Return the fields of the SignedData in a ContentInfo."""
    parts = _children(content)
    if _oid(_at(parts, 0, _OID, "type")) != _SIGNED_DATA:
        raise FormatError("a time-stamp token is signed data, and this is not")
    return _children(_whole(_at(parts, 1, 0xA0, "content").body, _SEQUENCE))


def _info(content: _Part) -> list[_Part]:
    """Return the fields of the TSTInfo in a ContentInfo."""
    signed = _signed(content)
    inner = _children(_at(signed, 2, _SEQUENCE, "content"))
    if _oid(_at(inner, 0, _OID, "type of content")) != _TST_INFO:
        raise FormatError("what is signed in this token is no time stamp")
    octets = _whole(_at(inner, 1, 0xA0, "content").body, _OCTETS)
    if len([part for part in signed if part.tag == _SET]) != 2:
        raise FormatError("a time-stamp token has digest algorithms and signers, and this has not")
    return _children(_whole(octets.body, _SEQUENCE))


def _name(wrapped: _Part) -> str:
    """Return a GeneralName for people: a directory name as `O=…, CN=…`, another one as its text."""
    general = next(iter(_parts(wrapped.body)), _Part(0, b""))
    if general.tag != 0xA4:
        return general.body.decode("utf-8", "backslashreplace")[:200]
    out = []
    for group in _children(_whole(general.body, _SEQUENCE)):
        for pair in _children(group):
            name = _oid(_at(_children(pair), 0, _OID, "name"))
            value = _children(pair)[-1]
            text = value.body.decode(_TEXTS.get(value.tag, "latin-1"), "backslashreplace")
            out.append(f"{_NAMES.get(name, name)}={text}")
    return ", ".join(out)[:500]


def _time(raw: bytes) -> str:
    found = _WHEN.fullmatch(raw)
    try:
        if found:
            moment = datetime.strptime(found[1].decode("ascii"), "%Y%m%d%H%M%S")
            return moment.isoformat() + (found[2] or b"").decode("ascii") + "Z"
    except ValueError:
        pass
    raise FormatError(f"the time of a time-stamp token is {raw!a:.40}")


# --- DER


def _value(part: _Part) -> bytes:
    """Return a part as the bytes that it was read from."""
    size = len(part.body).to_bytes(4, "big").lstrip(b"\0")
    length = bytes([len(part.body)]) if len(part.body) < 0x80 else bytes([0x80 | len(size)]) + size
    return bytes([part.tag]) + length + part.body


def _parts(data: bytes) -> list[_Part]:
    """Return the DER values that stand end to end in these bytes. Spec: X.690 sections 8.1 and 10.1."""
    out: list[_Part] = []
    at = 0
    while at < len(data):
        if len(out) == _PARTS_MAX:
            raise FormatError(f"a time-stamp token with more than {_PARTS_MAX} parts in one place")
        if len(data) - at < 2 or data[at] & 0x1F == 0x1F:
            raise FormatError("a time-stamp token is cut, or is not DER")
        tag, size = data[at], data[at + 1]
        at += 2
        if size & 0x80:
            count = size & 0x7F
            size = int.from_bytes(data[at : at + count], "big")
            if not 0 < count <= 4 or len(data) - at < count or size < 0x80 or size >> 8 * (count - 1) == 0:
                raise FormatError("a length in a time-stamp token is not DER")
            at += count
        if len(data) - at < size:
            raise FormatError("a time-stamp token is cut")
        out.append(_Part(tag, data[at : at + size]))
        at += size
    return out


def _whole(data: bytes, tag: int) -> _Part:
    """Return the one value that these bytes are."""
    parts = _parts(data)
    if len(parts) != 1 or parts[0].tag != tag:
        raise FormatError("what should be a time-stamp token is none, or has bytes behind it")
    return parts[0]


def _children(part: _Part) -> list[_Part]:
    if not part.tag & 0x20:
        raise FormatError("a part of a time-stamp token holds no others, and should")
    return _parts(part.body)


def _at(parts: Sequence[_Part], index: int, tag: int, what: str) -> _Part:
    if index >= len(parts) or parts[index].tag != tag or (tag in (_INTEGER, _OID) and not parts[index].body):
        raise FormatError(f"a time-stamp token without {what}, or with one of another kind")
    return parts[index]


def _expect(parts: Sequence[_Part], index: int, tag: int, body: bytes, what: str) -> None:
    if _at(parts, index, tag, what).body != body:
        raise FormatError(f"a time-stamp token of an unknown {what}")


def _oid(part: _Part) -> str:
    """Return an object identifier with dots. Spec: X.690 section 8.19."""
    if part.tag != _OID or not part.body or part.body[-1] & 0x80 or len(part.body) > 40:
        raise FormatError("an object identifier in a time-stamp token is none")
    arcs, arc = [], 0
    for byte in part.body:
        if byte == 0x80 and arc == 0:
            raise FormatError("an object identifier in a time-stamp token is not DER")
        arc = arc << 7 | byte & 0x7F
        if not byte & 0x80:
            arcs.append(arc)
            arc = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))
