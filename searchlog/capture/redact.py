"""Take secrets out of an exchange before it becomes a value that can be stored.

By name: the values of header fields that carry credentials or cookies, in both directions, trailers included. By
place: passwords in addresses, in header fields and where a payload links to them. By value, wherever it stands: each
secret that the request declares or this process knows, the credentials of this exchange's own headers and addresses
(`secrecy` says in which spellings). Every departure from the wire's bytes is named, and heads, payload and framing
still add up. Pure.  Shown by test_redact.py and test_secrets.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from searchlog.capture.credentials import credentials, without_credentials
from searchlog.capture.exchange import Decoded, Framing
from searchlog.capture.message import Message, parse
from searchlog.secrecy import MARKER, Secrets, secrets_of
from searchlog.shape import is_mixed, is_strong

__all__ = ["Draft", "clean", "header_fields", "is_credential_field", "without_link_passwords"]

_MARK = MARKER.encode("ascii")

_NAMES = frozenset(
    {
        "api-key",
        "apikey",
        "authentication-info",
        "authorization",
        "cookie",
        "cookie2",
        "php-auth-pw",
        "proxy-authentication-info",
        "proxy-authorization",
        "set-cookie",
        "set-cookie2",
        "x-auth",
        "x-session",
        "x-session-id",
        "x-sessionid",
    }
)
_NAME_END = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|access[-_]?key|secret[-_]?key|auth[-_]?key|subscription[-_]?key|(?:auth|access|csrf|xsrf)?"
    r"token|secret|passw(?:or)?d|credentials?|cookie|authorization|jwt|jwt-assertion)$"
)
"""How the name of a field ends that carries a credential: `X-Vault-Token`, `CF-Access-Client-Secret`."""
_FIELD = re.compile(rb"(?m)^([ \t]*)([!#$%&'*+\-.^_`|~0-9A-Za-z]+)([ \t]*:[ \t]*)([^\n]*(?:\n[ \t][^\n]*)*)")
_WITH_ADDRESSES = frozenset({"location", "content-location", "link", "refresh", "referer", "uri"})
_LOCATION_USER = re.compile(rb"(?i)\A((?:[a-z][a-z0-9+.-]*:)?//)([^/?#\s]+)@")
_PASSWORD = re.compile(rb"(//)([^/?#\s\"'<>@:]*:[^/?#\s\"'<>@]+)@")
_LENGTH = re.compile(rb"(?im)^(content-length[ \t]*:[ \t]*)[0-9]+")
_TRAILER = re.compile(rb"\r?\n?0+[^\n]*\n(.*)\Z", re.DOTALL)
_LINK_PASSWORD = re.compile(
    rb"//[^/?#\s\\\"'<>@:]{0,256}:[^/?#\s\\\"'<>@]{1,256}@|\\/\\/[^/?#\s\\\"'<>@:]{0,256}:[^/?#\s\\\"'<>@]{1,256}@"
)
_LINK_BEFORE = re.compile(
    rb"(?i)(?:href|src|srcset|action|cite|data|poster|url)\s{0,9}=\s{0,9}[\"']?\s{0,9}(?:(?:https?|ftp):)?\Z"
)
_JSON_BEFORE = re.compile(rb"(?i)\"(?:https?|ftp):\Z")
_STRING = re.compile(rb"\"(?:[^\"\\]|\\.)*+(?:\"(\s*:)?|\Z)", re.DOTALL)
"""A string of JSON; group 1 where it is the name of a member. One without an end goes on to the end of the text."""
_LOGIN_MIN = 4
_TOKEN = re.compile(rb"[A-Za-z0-9._~+=%-]{16,}")
"""What a cookie or a credential of the answer looks like when it is searched for in the rest of the answer."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was recorded, before secrets are out."""

    url: str
    request_head: bytes
    request_body: bytes
    message: Message
    decoded: Decoded
    detail: str = ""


def clean(
    draft: Draft, declared: Iterable[str], known: Iterable[str] = (), public: str = ""
) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without secrets, and the departures this made, in order.

    declared: the secrets of the request itself. known: others that are searched for. What the heads of this exchange
    hold is added. public: a URL whose parameters are no secret (`Request.public`).
    """
    sent = tuple(declared)
    told = tuple(_told(draft, public))
    secrets = _Secrets(
        secrets_of((*sent, *known)),
        secrets_of(told),
        secrets_of(tuple(filter(is_strong, (*sent, *known, *told)))),
        public,
        bool(sent),
    )
    labels: list[str] = []
    url = without_credentials(secrets.replace_text(draft.url), public)
    if url != draft.url:
        labels.append("redacted:request:url")
    line, rest = _split_line(draft.request_head)
    request_head = _without_credentials(secrets.replace(line), public) + _clean_head(rest, secrets, "request", labels)
    request_body = secrets.replace(draft.request_body)
    if request_body != draft.request_body:
        labels.append("redacted:request:body")
    message, decoded = _clean_message(draft.message, draft.decoded, secrets, labels)
    detail = secrets.replace_text(draft.detail)
    return Draft(url, request_head, request_body, message, decoded, detail), tuple(dict.fromkeys(labels))


@dataclass(frozen=True, slots=True)
class _Secrets:
    """The secrets of every exchange, made ready once, and those of this one."""

    known: Secrets
    told: Secrets
    strong: Secrets
    """Those of both that no word can be."""
    public: str
    sent: bool
    """Whether the far end was sent one of them, and so may repeat it where we do not look."""

    def replace(self, data: bytes) -> bytes:
        return self.told.replace(self.known.replace(data))

    def replace_payload(self, data: bytes) -> bytes:
        """Return a payload without secrets; in JSON the names of members lose only what no word can be."""
        if not _is_json(data):
            return self.replace(data)
        out, at = [], 0
        for found in _STRING.finditer(data):
            if found[1]:
                out += [self.replace(data[at : found.start()]), self.strong.replace(found[0])]
                at = found.end()
        joined = b"".join([*out, self.replace(data[at:])])
        return data if joined == data else joined

    def replace_text(self, text: str) -> str:
        return self.told.replace_text(self.known.replace_text(text))


def _told(draft: Draft, public: str) -> list[str]:
    """Return the secrets that the heads themselves tell, since the rest of the exchange may repeat them.

    User names with passwords in Location values; of the values of credentials those that look like a token: a word,
    or the name of a page, in a cookie must not be taken out of the page.
    """
    no_secret = set(credentials(public))
    out: list[bytes] = [_encoded(value) for value in credentials(draft.url)]
    framing = draft.message.framing
    for head in (draft.request_head, draft.message.head, framing.tail if framing.kind == "chunked" else b""):
        for name, value in header_fields(head):
            if is_credential_field(name):
                out += filter(_is_mixed, _TOKEN.findall(_cookie(value) if "cookie" in name else value))
            elif name in ("location", "content-location"):
                user = _LOCATION_USER.match(value)
                out += [user[2]] if user and b":" in user[2] and len(user[2]) >= _LOGIN_MIN else []
                out += [_encoded(found) for found in credentials(value.decode("latin-1"))]
    told = (value.decode("utf-8", "surrogateescape") for value in dict.fromkeys(out))
    return [value for value in told if value not in no_secret]


def _encoded(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def _split_line(head: bytes) -> tuple[bytes, bytes]:
    end = head.find(b"\n") + 1 or len(head)
    return head[:end], head[end:]


def _without_credentials(value: bytes, public: str) -> bytes:
    return without_credentials(value.decode("latin-1"), public).encode("latin-1")


def _cookie(value: bytes) -> bytes:
    """Return the value of a cookie, without its name and attributes."""
    return value.partition(b";")[0].partition(b"=")[2]


def _is_mixed(value: bytes) -> bool:
    return is_mixed(value.decode("ascii"))


def _is_json(data: bytes) -> bool:
    return data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def is_credential_field(name: str) -> bool:
    """Whether a field of this name, in small letters, carries a credential."""
    return name in _NAMES or _NAME_END.search(name) is not None


def header_fields(head: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the fields of a head, or of several, in order: name in small letters, value without blanks around it."""
    for field in _FIELD.finditer(head):
        yield field[2].decode("ascii").lower(), field[4].strip()


def _clean_message(message: Message, decoded: Decoded, secrets: _Secrets, labels: list[str]) -> tuple[Message, Decoded]:
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


def _clean_payload(payload: bytes, decoded: Decoded, secrets: _Secrets, labels: list[str]) -> tuple[bytes, Decoded]:
    """Return payload and decoded payload without secrets; the payload itself where nothing was found."""
    # what lies behind a size cut of a compressed body was never looked at, so it may not be kept
    unseen = secrets.sent and bool(decoded.codings) and decoded.reason in ("length", "time")
    data = without_link_passwords(secrets.replace_payload(decoded.data)) if decoded.codings else payload
    if decoded.codings and (unseen or data is not decoded.data):
        labels += ["redacted:payload", "decoded:payload"]
        return data, replace(decoded, data=data)
    data = without_link_passwords(secrets.replace_payload(payload))
    if data is payload:
        return payload, decoded
    labels.append("redacted:payload")
    return data, decoded if decoded.codings else replace(decoded, data=data)


def without_link_passwords(data: bytes) -> bytes:
    """Return the bytes without user names and passwords in addresses that HTML links to, or that are JSON strings.

    What stands in running text is an example, and stays.
    """
    before = _JSON_BEFORE if _is_json(data) else _LINK_BEFORE
    out, at = [], 0
    for found in _LINK_PASSWORD.finditer(data):
        if before.search(data, max(0, found.start() - 60), found.start()):
            slashes = b"\\/\\/" if found[0].startswith(b"\\") else b"//"
            out += [data[at : found.start()], slashes, _MARK, b"@"]
            at = found.end()
    return b"".join([*out, data[at:]]) if out else data


def _clean_head(head: bytes, secrets: _Secrets, side: str, labels: list[str]) -> bytes:
    """Return a head, or several, with credentials replaced by name and secrets by value."""

    def field(found: re.Match[bytes]) -> bytes:
        name, value = found[2].decode("ascii").lower(), found[4]
        if is_credential_field(name):
            value = _MARK + (b"\r" if value.endswith(b"\r") else b"")
        else:
            if name in ("location", "content-location"):
                value = _LOCATION_USER.sub(rb"\1%b@" % _MARK, value)
            value = _PASSWORD.sub(rb"\1%b@" % _MARK, value)
            if name in _WITH_ADDRESSES:
                value = _without_credentials(secrets.replace(value), secrets.public)
        if value != found[4]:
            labels.append(f"redacted:{side}:{name}")
        return found[1] + found[2] + found[3] + value

    head = _FIELD.sub(field, head)
    out = secrets.replace(head)
    if out != head:
        labels.append(f"redacted:{side}:head")
    return out


def _clean_framing(framing: Framing, secrets: _Secrets, labels: list[str]) -> Framing:
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
