"""Where e-mail addresses and private hosts stand in a text. Pure, and linear in the length of the text.

    e-mail          `alice@example.org`, the @ escaped for URLs, JSON or HTML; after `mailto:` a host of one label too;
                    and as Cloudflare hides it (`data-cfemail`). Not `logo@2x.png`, nor what is spelled out (`at`)
    private hosts   addresses of people's own networks (`guard.is_local_address`), `localhost`, names that no public
                    resolver answers (RFC 6761, RFC 6762 appendix G, RFC 8375, ICANN's `internal`), and in URLs and Host
                    fields names of one label and odd spellings of addresses

Bare names count by the plainest endings only, for `this.private` and `go.home` are code. Too much is found rather than
too little: whoever shares sees a preview. What stands here undone, or in pieces, is for the caller to make a text of.
Shown by test_redaction.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from searchlog.capture.guard import is_local_address, is_loopback_name

__all__ = ["Span", "emails", "merged", "private_hosts"]

Span = tuple[int, int]

# -- e-mail --------------------------------------------------------------------------------------------------------

_AT = re.compile(r"@|%(?:25)*40|\\u0040|\\x40|&#0{0,6}64;?|&#x0{0,6}40;?|&commat;|\uff20|\ufe6b", re.IGNORECASE)
_LOCAL_BACK = re.compile(r"(?:(?:[B4E]2|D2|F5|E7|[1-3]2|72|[0-9A-F][89A-F])(?:52)*%|[\w.!#$*^`{|}~'+-]){1,64}", re.I)
"""The part before the @, read from its end; percent escapes of what may stand in it as well."""
_DOMAIN = re.compile(
    r"(?:[\w-]{1,63}(?:\.|%2e)){1,20}(?:xn--[\w-]{1,59}|[^\W\d_]{2,63})|\[(?:ipv6:)?[0-9a-f:.]{3,45}\]", re.IGNORECASE
)
_LABEL = re.compile(r"[\w-]{1,63}")
_PICTURE = re.compile(r"[0-9.]{1,4}x\.(?:png|jpe?g|gif|webp|avif|svg)\b", re.IGNORECASE)
_MAILTO_BACK = re.compile(r"(?::|a3(?:52)*%)otliam", re.IGNORECASE)
_LOCAL_MAX = 192
_CLOUDFLARE = re.compile(r"(?:data-cfemail\s?=\s?[\"']?|email-protection#)([0-9a-f]{8,512})", re.IGNORECASE)


def emails(text: str) -> list[Span]:
    """Return where e-mail addresses stand, in order."""
    return merged([*_written(text), *_hidden(text)])


def _written(text: str) -> Iterator[Span]:
    last = 0
    for at in _AT.finditer(text):
        back = text[max(last, at.start() - _LOCAL_MAX) : at.start()][::-1]
        local = _LOCAL_BACK.match(back)
        if local is None:
            continue
        start = at.start() - local.end()
        if text[max(0, start - 1) : start] == "%" and re.match("[0-9A-Fa-f]{2}", text[start : at.start()]):
            start += 2  # they belong to the escape of the character before
        domain = _DOMAIN.match(text, at.end())
        if domain is None and _MAILTO_BACK.match(back, local.end()):
            domain = _LABEL.match(text, at.end())
        if domain is not None and start < at.start() and not _PICTURE.match(domain[0]):
            yield start, domain.end()
            last = domain.end()


def _hidden(text: str) -> Iterator[Span]:
    """Yield where Cloudflare's script finds an address: the first byte of the digits is XORed with each other one."""
    for found in _CLOUDFLARE.finditer(text):
        coded = bytes.fromhex(found[1][: len(found[1]) & ~1])
        if ord("@") ^ coded[0] in coded[1:]:
            yield found.span(1)


# -- hosts ---------------------------------------------------------------------------------------------------------

_SCHEMES_LIST = (
    "http https ws wss ftp ftps sftp ssh git svn rsync telnet ldap ldaps smb cifs nfs afp imap imaps pop3 smtp smtps "
    "rtsp rtmp sip sips redis rediss postgres postgresql mysql mariadb mongodb amqp amqps mqtt kafka nats tcp "
    "udp vnc rdp"
)
_HOST_OF_URL = re.compile(
    rf"(?<![a-z0-9+.-])(?:{'|'.join(_SCHEMES_LIST.split())})://"
    r"(?:[^\s/?#@\"'<>\\]{0,256}@)?(\[[0-9a-f:.]{2,45}\]|[\w.-]{1,253})",
    re.IGNORECASE,
)
_HOST_FIELD = re.compile(r"(?im)^:?(?:host|authority):[ \t]*(\[[0-9a-f:.]{2,45}\]|[\w.-]{1,253})")
_ENDINGS = ("local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa")
_BARE_NAME = re.compile(
    r"(?:\.(?:local(?:host|domain)?|internal|lan|corp|home\.arpa)|(?<![\w.-])localhost)(?![\w-]|\.\w|[(\[])",
    re.IGNORECASE,
)
_NAME_BACK = re.compile(r"[\w.-]{1,253}")
_BARE_IPV4 = re.compile(r"(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\w|\.[0-9])")
_BARE_IPV6 = re.compile(r"(?<![\w:.])[0-9a-f]{0,4}:[0-9a-f:.]{1,41}(?![\w:])", re.IGNORECASE)
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*", re.IGNORECASE)
_QUAD = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")


def private_hosts(text: str) -> list[Span]:
    """Return where private hosts stand, in order: the host alone, without scheme, port and path."""
    return merged([*_asked_for(text), *_bare(text)])


def _asked_for(text: str) -> Iterator[Span]:
    for pattern in (_HOST_OF_URL, _HOST_FIELD):
        for found in pattern.finditer(text):
            if _is_private(found[1]):
                yield found.span(1)


def _bare(text: str) -> Iterator[Span]:
    last = 0
    for found in _BARE_NAME.finditer(text):
        back = _NAME_BACK.match(text[max(last, found.start() - 253) : found.start()][::-1])
        if back is not None or found[0][0] != ".":
            yield found.start() - (back.end() if back else 0), found.end()
            last = found.end()
    for found in _BARE_IPV4.finditer(text):
        if is_local_address(found[0]):
            yield found.span()
    for found in _BARE_IPV6.finditer(text):
        address = found[0].rstrip(":.") if not found[0].endswith("::") else found[0]
        if address.count(":") > 1 and is_local_address(address):
            yield found.start(), found.start() + len(address)


def _is_private(host: str) -> bool:
    """Whether a host that a URL names is none of the public web."""
    if host.startswith("["):
        return is_local_address(host[1:-1])
    name = host.lower().rstrip(".")
    if _QUAD.fullmatch(name):
        return is_local_address(name)
    if _NUMBERS.fullmatch(name):
        return True  # an address in a spelling that nobody public uses
    return "." not in name or is_loopback_name(name) or name.endswith(tuple(f".{ending}" for ending in _ENDINGS))


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that touch or overlap as one."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
