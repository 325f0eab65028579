"""Take secrets out of an exchange before it becomes a value that can be stored.

By name: the values of header fields that carry credentials or cookies, in both directions, trailers included. By
value: each secret the request declares, in the forms in which servers echo it (plain in any case, or with characters
escaped for URLs, JSON or HTML in any mixture, or hexadecimal, or base64 at any alignment), wherever it stands. Every
departure from the wire's bytes is named, and heads, payload and framing still add up. Pure.  Shown by test_redact.py.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from searchlog.capture.exchange import Decoded, Framing
from searchlog.capture.message import Message, parse

__all__ = ["MARKER", "Draft", "Secrets", "clean"]

MARKER = "[redacted]"
_MARK = MARKER.encode("ascii")

_NAMES = frozenset(
    {
        "api-key",
        "apikey",
        "authentication-info",
        "authorization",
        "cookie",
        "cookie2",
        "ocp-apim-subscription-key",
        "proxy-authentication-info",
        "proxy-authorization",
        "set-cookie",
        "set-cookie2",
        "x-access-token",
        "x-amz-security-token",
        "x-api-key",
        "x-auth-token",
        "x-csrf-token",
        "x-goog-api-key",
        "x-subscription-token",
        "x-xsrf-token",
    }
)
_FIELD = re.compile(rb"(?m)^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)([ \t]*:[ \t]*)([^\n]*(?:\n[ \t][^\n]*)*)")
_LOCATION_USER = re.compile(rb"(?im)^((?:content-)?location[ \t]*:[ \t]*(?:[a-z][a-z0-9+.-]*:)?//)([^/?#\s]+)@")
_LENGTH = re.compile(rb"(?im)^(content-length[ \t]*:[ \t]*)[0-9]+")
_TRAILER = re.compile(rb"\r?\n?0+[^\n]*\n(.*)\Z", re.DOTALL)
_ENTITIES = {"&": b"&amp;", '"': b"&quot;", "'": b"&apos;", "<": b"&lt;", ">": b"&gt;"}
_FRAGMENT_MIN = 8
"""Shortest piece of base64 or hexadecimal that is searched for; shorter ones occur in honest text."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was recorded, before secrets are out."""

    url: str
    request_head: bytes
    request_body: bytes
    message: Message
    decoded: Decoded
    detail: str = ""


class Secrets:
    """The secrets of one request, ready to be found."""

    def __init__(self, values: Iterable[str]) -> None:
        # longest first, so that a secret inside another does not leave the rest of it behind
        ordered = sorted({value for value in values if value}, key=lambda value: (-len(value), value))
        # without regard to case, which counts for base64 alone; the letters of escapes may be of either case anyhow
        forms = [b"(?i:" + b"|".join([_spelled(value), *_hex_forms(value)]) + b")" for value in ordered]
        for value in ordered:
            forms += map(re.escape, sorted(_base64_forms(value.encode("utf-8", "surrogatepass"))))
        self._pattern = re.compile(b"|".join(forms)) if forms else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def found_in(self, data: bytes) -> bool:
        """Whether a secret stands in these bytes, in any of its forms."""
        return self._pattern is not None and self._pattern.search(data) is not None

    def replace(self, data: bytes) -> bytes:
        """Return the bytes with each secret replaced by the marker."""
        return data if self._pattern is None else self._pattern.sub(_MARK, data)

    def replace_text(self, text: str) -> str:
        """Return the text with each secret replaced by the marker."""
        return text if self._pattern is None else self.replace(text.encode("utf-8", "surrogatepass")).decode("utf-8")


def clean(draft: Draft, values: Iterable[str]) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without secrets, and the departures this made, in order."""
    secrets = Secrets((*values, *_location_users(draft.message.head)))
    labels: list[str] = []
    url = secrets.replace_text(draft.url)
    if url != draft.url:
        labels.append("redacted:request:url")
    request_head = _clean_head(draft.request_head, secrets, "request", labels)
    request_body = secrets.replace(draft.request_body)
    if request_body != draft.request_body:
        labels.append("redacted:request:body")
    message, decoded = _clean_message(draft.message, draft.decoded, secrets, labels)
    detail = secrets.replace_text(draft.detail)
    return Draft(url, request_head, request_body, message, decoded, detail), tuple(dict.fromkeys(labels))


def _clean_message(message: Message, decoded: Decoded, secrets: Secrets, labels: list[str]) -> tuple[Message, Decoded]:
    payload, decoded = _clean_payload(message.payload, decoded, secrets, labels)
    head = _clean_head(message.head, secrets, "response", labels)
    framing = _clean_framing(message.framing, secrets, labels)
    if payload is not message.payload:
        if message.framing.kind == "length" and message.complete:
            start = _final_head(head)
            head = head[:start] + _LENGTH.sub(b"\\g<1>%d" % len(payload), head[start:])
            labels.append("redacted:response:content-length")
        elif message.framing.kind == "chunked":
            framing = _one_chunk(framing, len(payload), message.complete)
            labels.append("redacted:framing")
    if head == message.head and payload is message.payload and framing == message.framing:
        return message, decoded
    headers = parse(head).headers
    phrase = secrets.replace_text(message.reason_phrase)
    return replace(message, head=head, headers=headers, payload=payload, framing=framing, reason_phrase=phrase), decoded


def _clean_payload(payload: bytes, decoded: Decoded, secrets: Secrets, labels: list[str]) -> tuple[bytes, Decoded]:
    """Return payload and decoded payload without secrets; the payload itself where nothing was found."""
    if not secrets:
        return payload, decoded
    # what lies behind a size cut of a compressed body was never looked at, so it may not be kept
    unseen = bool(decoded.codings) and decoded.reason in ("length", "time")
    if unseen or (decoded.codings and secrets.found_in(decoded.data)):
        data = secrets.replace(decoded.data)
        labels += ["redacted:payload", "decoded:payload"]
        return data, replace(decoded, data=data)
    if secrets.found_in(payload):
        labels.append("redacted:payload")
        data = secrets.replace(payload)
        return data, decoded if decoded.codings else replace(decoded, data=data)
    return payload, decoded


def _clean_head(head: bytes, secrets: Secrets, side: str, labels: list[str]) -> bytes:
    """Return a head, or several, with credentials replaced by name and secrets by value."""

    def by_name(found: re.Match[bytes]) -> bytes:
        name = found[1].decode("ascii").lower()
        if name not in _NAMES:
            return found[0]
        labels.append(f"redacted:{side}:{name}")
        return found[1] + found[2] + _MARK + (b"\r" if found[3].endswith(b"\r") else b"")

    def user(found: re.Match[bytes]) -> bytes:
        labels.append(f"redacted:{side}:location")
        return found[1] + _MARK + b"@"

    head = _LOCATION_USER.sub(user, _FIELD.sub(by_name, head))
    out = secrets.replace(head)
    if out != head:
        labels.append(f"redacted:{side}:head")
    return out


def _clean_framing(framing: Framing, secrets: Secrets, labels: list[str]) -> Framing:
    tail = framing.tail
    if found := _TRAILER.match(tail) if framing.kind == "chunked" else None:
        tail = tail[: found.start(1)] + _clean_head(found[1], secrets, "trailer", labels)
    cleaned = Framing(
        framing.kind, tuple((secrets.replace(raw), size) for raw, size in framing.segments), secrets.replace(tail)
    )
    if cleaned != framing:
        labels.append("redacted:framing")
    return cleaned


def _one_chunk(framing: Framing, size: int, complete: bool) -> Framing:
    """Return framing for a payload of another length: one chunk, the trailers kept."""
    found = _TRAILER.match(framing.tail)
    tail = b"\r\n0\r\n" + found[1] if complete and found else b""
    if not size:
        return Framing("chunked", (), tail.removeprefix(b"\r\n"))
    return Framing("chunked", ((b"%x\r\n" % size, size),), tail)


def _final_head(head: bytes) -> int:
    """Return where the last head begins among interim ones."""
    ends = [found.end() for found in re.finditer(rb"\n\r?\n", head)]
    return ends[-2] if len(ends) > 1 else 0


def _location_users(head: bytes) -> list[str]:
    """Return the user names with passwords that Location values carry: they may be repeated in the body."""
    return [
        found[2].decode("latin-1") for found in _LOCATION_USER.finditer(head) if b":" in found[2] and len(found[2]) > 3
    ]


def _spelled(value: str) -> bytes:
    """Return a pattern for a secret each of whose characters may be plain or escaped, in any mixture and any case.

    URL escapes (once or more often), JSON and string escapes, HTML character references.
    """
    return b"".join(b"(?:" + b"|".join(_spellings(char)) + b")" for char in value)


def _spellings(char: str) -> list[bytes]:
    cases = _cases(char)
    codes = [ord(case) for case in cases]
    plain = [case.encode("utf-8", "surrogatepass") for case in cases]
    # an ASCII letter only once: two branches that match the same would make the time double with each character
    out = [re.escape(case) for case in (plain if ord(char) > 127 else plain[:1])]
    out.append(_any(b"".join(b"%%(?:25)*%02x" % byte for byte in case) for case in plain))
    out.append(_any(b"".join(rb"\\x%02x" % byte for byte in case) for case in plain))
    out.append(_any(b"".join(rb"\\u%04x" % unit for unit in _units(case)) for case in cases))
    out.append(b"&#0*" + _any(b"%d" % code for code in codes) + b";")
    out.append(b"&#x0*" + _any(b"%x" % code for code in codes) + b";")
    if char == " ":
        out.append(rb"\+")
    if char in "\"\\/'":
        out.append(re.escape(b"\\" + plain[0]))
    if char in _ENTITIES:
        out.append(_ENTITIES[char])
    return out


def _cases(char: str) -> list[str]:
    """Return a character in small and capital letters, where each of them is one character."""
    return sorted({case for case in (char, char.lower(), char.upper()) if len(case) == 1})


def _any(choices: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(choices) + b")"


def _units(char: str) -> list[int]:
    """Return the UTF-16 units of a character."""
    coded = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(coded[at : at + 2], "big") for at in range(0, len(coded), 2)]


def _hex_forms(value: str) -> list[bytes]:
    """Return the pattern of a secret as hexadecimal digits of its UTF-8, whatever the case of either."""
    if len(value.encode("utf-8", "surrogatepass")) * 2 < _FRAGMENT_MIN:
        return []
    return [b"".join(_any(c.encode("utf-8", "surrogatepass").hex().encode() for c in _cases(char)) for char in value)]


def _base64_forms(plain: bytes) -> set[bytes]:
    """Return what base64 of any text around the secret must contain: one piece for each alignment."""
    forms = set()
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + plain)
        # characters that also hold bits of the neighbours are left out
        start = (shift * 8 + 5) // 6
        end = (shift + len(plain)) * 8 // 6
        piece = coded[start:end]
        if len(piece) >= _FRAGMENT_MIN:
            forms |= {piece, piece.replace(b"+", b"-").replace(b"/", b"_")}
    return forms
