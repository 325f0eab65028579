"""A URL as the key by which web archives sort captures: the host backwards, then path and query. Pure.

    https://www.Example.com:443/B/../a/?z=1&Y=2#top   ->   com,example)/a?y=2&z=1

Addresses that mean the same page more often than not get one key: letter case, the scheme, `www.`, user and password,
default port, fragment, trailing slash, order of parameters and session ids are left out. Keys are for finding; what was
asked for stands in full beside them. Nothing specifies the form: readers look up what the Python package `surt` 0.3.1
computes (pywb, cdxj-indexer, and wabac.js in its own words), so that package is the reference, oddities included;
addresses that it raises an error for get some key here. Shown by test_surt.py, and by tests/e2e/test_other_tools.py,
which asks the package itself.
"""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

__all__ = ["surt"]

_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")
_REPEATED = re.compile(rb"(https?://)+")
_PARTS = re.compile(
    rb"(?s)(?P<scheme>[^:]*):(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#.*)?"
)
_SAFE = bytes(range(0x21, 0x7F)).translate(None, b"#%")
"""What stands in a key as it is; all else is percent-encoded."""

_PATH_SESSIONS = (
    re.compile(rb"(?i)(?P<before>.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/(?P<after>[^?]+\.aspx.*)"),
    re.compile(rb"(?i)(?P<before>.*/)\([0-9a-z]{24}\)/(?P<after>[^?]+\.aspx.*)"),
)
_QUERY_SESSIONS = tuple(
    re.compile(rb"(?i)(?P<before>.*)" + name + rb"(?:&(?P<after>.*))?")
    for name in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
    )
)
_DEFAULT_PORTS = {b"http": 80, b"https": 443}


def surt(url: str) -> str:
    """Return the key of a URL; `-` for an empty one. Takes any text, and raises nothing."""
    raw = url.encode("utf-8", "replace")
    if raw.startswith(b"filedesc"):
        return raw.decode("utf-8")
    raw = raw.strip().translate(None, b"\n\r\t")
    if not raw:
        return "-"
    if not _SCHEME.match(raw):
        raw = b"http://" + raw
    raw = _REPEATED.sub(lambda match: match[1], raw, count=1) if _REPEATED.match(raw) else raw
    parts = _PARTS.fullmatch(raw)
    assert parts is not None
    scheme, path, query = parts["scheme"], parts["path"], parts["query"]
    host, port = _host_and_port(parts["authority"] or b"")
    if scheme.startswith(b"http") and not host and path:
        host, _, path = path.lstrip(b"/").partition(b"/")
        path = b"/" + path
    host = _host(host, scheme) if host else b""
    key = b",".join(reversed(host.split(b"."))) if host else scheme + b":"
    if host and port and port != _DEFAULT_PORTS.get(scheme.lower()):
        key += b":%d" % port
    key += b")" if host else b""
    query = _query(query) if query else b""
    path = _path(_unescaped(path), bool(host))
    key += path or (b"/" if query else b"")
    return (key + (b"?" + query if query else b"")).decode("ascii")


def _host_and_port(authority: bytes) -> tuple[bytes, int]:
    """Return the host, without the brackets of IPv6, and the port; 0 when there is none that could be one."""
    place = authority.rstrip(b":").rpartition(b"@")[2] if authority.endswith(b":") else authority.rpartition(b"@")[2]
    if b"[" in place:
        host, _, rest = place.partition(b"[")[2].partition(b"]")
        port = rest.partition(b":")[2]
    else:
        host, _, port = place.partition(b":")
    # a longer number is none, and Python refuses to read very long ones
    number = int(port) if port.isdigit() and len(port) <= 20 else 0
    return host, number if number <= 0xFFFF else 0


def _host(host: bytes, scheme: bytes) -> bytes:
    host = _unescaped(host)
    if not host.isascii():
        try:
            host = host.decode("utf-8", "ignore").encode("idna")
        except UnicodeError:
            pass  # stands percent-encoded then
    host = host.replace(b"..", b".").strip(b".")
    host = _address(host) or _escaped(host.lower())
    return host if scheme == b"dns" else re.sub(rb"\Awww\d*\.", b"", host.lower())


def _address(host: bytes) -> bytes | None:
    """Return an IPv4 address in four decimal parts, however it is written; None when the host is none.

    One to four numbers, octal after a 0; the last one fills what is left. A single number is cut to 32 bits.
    """
    if host.isdigit():
        return _dotted(int(host[-32:]) & 0xFFFFFFFF)  # 10 to the 32nd ends in 32 zero bits
    parts = host.split(b".")
    if len(parts) > 4 or not all(part.isdigit() and len(part) <= 20 for part in parts):
        return None
    if any(part.startswith(b"0") and part.strip(b"01234567") for part in parts):
        return None
    numbers = [int(part, 8) if part.startswith(b"0") else int(part) for part in parts]
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        return None
    return _dotted(last + sum(number << 8 * (3 - index) for index, number in enumerate(first)))


def _dotted(number: int) -> bytes:
    return b".".join(b"%d" % byte for byte in number.to_bytes(4, "big"))


def _path(path: bytes, hosted: bool) -> bytes:
    """Return the path, unescaped, in its shortest form; one without a host is not taken apart."""
    if hosted:
        kept: list[bytes] = []
        for part in path.split(b"/")[1:]:
            if part == b".." and kept:
                kept.pop()
            elif part != b".":
                kept.append(part)
        path = b"/" + b"".join(part + b"/" for part in kept[:-1] if part) + (kept[-1] if kept else b"")
    path = _escaped(path).lower()
    for pattern in _PATH_SESSIONS:
        if match := pattern.fullmatch(path):
            path = match["before"] + match["after"]
    return path[:-1] if path.endswith(b"/") and len(path) > 1 else path


def _query(raw: bytes) -> bytes:
    """Return the parameters without session ids, in order of name and value."""
    query = _escaped(_unescaped(raw))
    for pattern in _QUERY_SESSIONS:
        if match := pattern.fullmatch(query):
            query = match["before"] + (match["after"] or b"")
    query = _without_cold_fusion(query).lower()
    return b"&".join(b"=".join(pair) for pair in sorted(item.split(b"=", 1) for item in query.split(b"&")))


def _without_cold_fusion(query: bytes) -> bytes:
    """Return the query without its last `cfid=..&cftoken=..`; what stands before `cfid` in its parameter stays."""
    parts = query.split(b"&")
    small = query.lower().split(b"&")
    for index in range(len(parts) - 2, -1, -1):
        at = small[index].rfind(b"cfid=", 0, len(small[index]) - 1)
        if at >= 0 and len(small[index + 1]) > 8 and small[index + 1].startswith(b"cftoken="):
            return b"&".join([*parts[:index], parts[index][:at]]) + b"&".join(parts[index + 2 :])
    return query


def _unescaped(data: bytes) -> bytes:
    """Return the bytes with every percent-encoding undone, also those that undoing brings to light."""
    while (plain := unquote_to_bytes(data)) != data:
        data = plain
    return data


def _escaped(data: bytes) -> bytes:
    return quote_from_bytes(data, safe=_SAFE).encode("ascii")
