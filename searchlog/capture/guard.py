"""Where requests may go: one reading of a URL, and one judgement of an address.

`check_url` is the only parser; what it returns is what is connected to, so check and use cannot disagree.
`check_address` judges one resolved address against our own list of IANA special-purpose blocks, not against
`ipaddress.is_private`, whose tables have been wrong or old (CVE-2024-4032, cpython issues 119812 and 151749).
Pure: looks nothing up, and knows no secrets.
Spec: RFC 3986, RFC 6890 and the IANA special-purpose address registries, RFC 6052, RFC 7526.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from searchlog.errors import UsageError

__all__ = [
    "Allow",
    "Refusal",
    "Target",
    "check_address",
    "check_url",
    "is_local_address",
    "is_loopback_name",
    "join_url",
    "refusal",
    "safe_url",
]

_IPv4 = ipaddress.IPv4Address
_IPv6 = ipaddress.IPv6Address

_PORTS = {"http": 80, "https": 443}
_FORBIDDEN = re.compile(
    r"[\x00-\x20\x7f-\xa0\\\u1680\u180e\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\ud800-\udfff]"
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_USERINFO = re.compile(r"^([\x00-\x20]*+(?:[A-Za-z][A-Za-z0-9+.-]*:)?[\\/\s]*+)(?:[^/?#\\\s][^/?#]*)?@")
_PASSWORD = re.compile(r"([\\/]{2})[^\\/?#@:]*:[^\\/?#]*@")
_BAD_PORT = re.compile(
    r"^([\x00-\x20]*(?:[A-Za-z][A-Za-z0-9+.-]*:)?[\\/]{2})[^\\/?#@:\[\]]*:(?![0-9]{0,5}(?:[\\/?#]|$)).*@", re.DOTALL
)
"""A password in which a slash, question mark or hash was not escaped: its rest stands behind the authority."""
_CUT_PASSWORD = re.compile(
    r"^([\x00-\x20]*(?:[A-Za-z][A-Za-z0-9+.-]*:)?[\\/]{2})[^\\/?#@:\[\]]*:(?![0-9]{0,5}[\\/?#])[^@]*\Z", re.DOTALL
)
"""What may be a user name and password whose @ was cut off."""
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_QUAD = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")
_BAD_ESCAPE = re.compile(rb"[^!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~\[\]|]")


@dataclass(frozen=True, slots=True)
class Target:
    """A URL that may be asked for, in the one form used for check, connect, Host and SNI."""

    scheme: str
    """`http` or `https`."""
    host: str
    """A-label, or an address in its shortest form without brackets."""
    port: int
    path: str
    """The request target: path and query, ASCII, starting with `/`."""
    literal: bool
    """Whether the host is an address."""

    @property
    def host_header(self) -> str:
        """The value of the Host field: brackets round IPv6, the port unless it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port as in RFC 6454 section 6.2."""
        return f"{self.scheme}://{self.host_header}"

    @property
    def url(self) -> str:
        """The normal URL, without a fragment."""
        return self.origin + self.path


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a URL or an address is not asked: a reason code of `Exchange.reason`, and a sentence for people."""

    reason: str
    detail: str


def check_url(url: str, url_bytes_max: int = 8_192) -> Target | Refusal:
    """Return the target that a URL names, or why it is refused: reason `url`, `scheme` or `credentials`.

    Refused before any parsing: control bytes, blanks, backslashes, lone surrogates (parsers disagree about them).
    Refused after it: schemes but http and https, user names, odd spellings of addresses (`2130706433`, `0x7f.1`,
    `127.1`, leading zeros, trailing dots, wide digits, zones), ports outside 1-65535. Never raises.
    """
    if found := _FORBIDDEN.search(url):
        return Refusal("url", f"the URL holds a blank, control character or backslash at character {found.start()}")
    if len(url.encode("utf-8")) > url_bytes_max:
        return Refusal("url", f"the URL is longer than {url_bytes_max} bytes")
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme not in _PORTS:
        named = f"the scheme {scheme[:40]!r}" if scheme else "a URL without a scheme"
        return Refusal("scheme", f"{named} is not fetched; only http and https are")
    if _USERINFO.match(url):
        return Refusal("credentials", "a URL that carries a user name or password is not fetched; remove it")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return Refusal("url", f"not a URL: {error}")
    split = _split_authority(parts.netloc)
    if split is None:
        return Refusal("url", "the URL has no host, or a port that is not a number from 1 to 65535")
    host, port = _check_host(split[0]), split[1]
    if isinstance(host, Refusal):
        return host
    path = _normal_path(parts.path) + (f"?{parts.query}" if parts.query or _empty_query(url) else "")
    return Target(scheme, host[0], port or _PORTS[scheme], _escape(path), host[1])


def refusal(url: str, allow: Allow | None = None, url_bytes_max: int = 8_192) -> str | None:
    """Return why a URL is refused whatever the network says, as a reason code of `Exchange.reason`; else None.

    `url`, `scheme`, `credentials`: what `check_url` refuses, odd spellings of addresses among it. `address`: an address
    that is not public, or a name of the machine itself (RFC 6761 section 6.3). None is no promise: a name is judged
    by its addresses when it is connected to.
    """
    target = check_url(url, url_bytes_max)
    if isinstance(target, Refusal):
        return target.reason
    allow = allow or Allow()
    if target.literal:
        return "address" if allow.check(target, target.host) else None
    return "address" if is_loopback_name(target.host) and not allow.permits(target) else None


def is_loopback_name(host: str) -> bool:
    """Return whether a name means this machine whatever a resolver says (RFC 6761 section 6.3)."""
    name = host.removesuffix(".")
    return name == "localhost" or name.endswith(".localhost")


def join_url(base: Target, location: str) -> str:
    """Return the URL that a Location value names, for `check_url` to judge.

    location: Latin-1 text as it stood on the wire; UTF-8 bytes in it are read as such, blanks inside are escaped.
    """
    try:
        location = location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        pass  # then it is Latin-1, or text that was never bytes
    location = location.strip(" ").replace(" ", "%20")
    if _FORBIDDEN.search(location):
        return location  # urljoin would drop tabs and line ends; let the check see them
    try:
        return urljoin(base.url, location)
    except ValueError:  # such as an address in brackets that is none
        return f"{base.scheme}:{location}" if location.startswith("//") else location


def safe_url(url: str, url_bytes_max: int = 8_192) -> str:
    """Return a URL, whatever it is, without user name and password, lone surrogates escaped, cut where it is too long.

    What the parameters of a URL hold is left as it is: see `shown`.
    """
    most = 4 * url_bytes_max
    if len(url) > most:
        # nobody asks for it; what is left of a password that is cut has no @ behind it
        url = _CUT_PASSWORD.sub(r"\1[redacted]", url[:most])
    url = _PASSWORD.sub(r"\1[redacted]@", _USERINFO.sub(r"\1[redacted]@", url))
    url = _BAD_PORT.sub(r"\1[redacted]@", url)[:url_bytes_max]
    return url.encode("utf-8", "backslashreplace").decode("utf-8")


def _split_authority(authority: str) -> tuple[str, int | None] | None:
    """Return host (with its brackets) and port, None where the port is left out."""
    found = re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]+)(?::([0-9]{0,5}))?", authority)
    if found is None:
        return None
    if not found[2]:
        return found[1], None
    port = int(found[2])
    return (found[1], port) if 1 <= port <= 65535 else None


def _normal_ipv6(address: ipaddress.IPv6Address) -> str:
    """Return an address in one spelling on every Python: from 3.13 on `compressed` writes a mapped IPv4 with dots."""
    mapped = address.ipv4_mapped
    if mapped is None:
        return address.compressed
    high, low = divmod(int(mapped), 65_536)
    return f"::ffff:{high:x}:{low:x}"


def _check_host(text: str) -> tuple[str, bool] | Refusal:
    """Return the normal host and whether it is an address."""
    if text.startswith("["):
        try:
            return _normal_ipv6(_IPv6(text[1:-1] if "%" not in text else "")), True
        except ValueError:
            return Refusal("url", "what stands in brackets is not an IPv6 address")
    host = text.lower()
    if not host.isascii():
        host_or_none = _to_ascii(host)
        if host_or_none is None:
            return Refusal("url", "the host name is not a valid internationalised name")
        host = host_or_none
        if _NUMBER.fullmatch(host.rsplit(".", 1)[-1]):
            return Refusal("url", "an address written with other than plain digits and dots")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]) or (len(labels) > 1 and labels[-1] == "" and _NUMBER.fullmatch(labels[-2])):
        # WHATWG calls a host whose last label is a number an IPv4 address, in whatever spelling
        if _QUAD.fullmatch(host) and all(int(label) <= 255 for label in labels):
            return host, True
        return Refusal("url", "an address must be written as four decimal numbers without leading zeros")
    name = host.removesuffix(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        return Refusal("url", "the host name is not valid: labels of 1-63 letters, digits and hyphens")
    return name, False


def _to_ascii(host: str) -> str | None:
    import idna

    try:
        return idna.encode(host, uts46=True, std3_rules=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return None


def _empty_query(url: str) -> bool:
    return url.partition("#")[0].endswith("?")


def _normal_path(path: str) -> str:
    """Remove dot segments (RFC 3986 section 5.2.4); an empty path is `/`."""
    if "/." not in path:
        return path or "/"
    out: list[str] = []
    segments = path.split("/")[1:]
    for index, segment in enumerate(segments):
        last = index == len(segments) - 1
        if segment == "..":
            if out:
                out.pop()
        elif segment != ".":
            out.append(segment)
            continue
        if last:
            out.append("")
    return "/" + "/".join(out)


def _escape(path: str) -> str:
    """Percent-encode what may not stand in a request target; escapes that are there stay as they are."""
    return _BAD_ESCAPE.sub(lambda found: b"%%%02X" % found[0][0], path.encode("utf-8")).decode("ascii")


# -- addresses -----------------------------------------------------------------------------------------------------

_V4_BLOCKS = tuple(
    (ipaddress.IPv4Network(block), name)
    for block, name in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private use"),
        ("100.64.0.0/10", "shared address space"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud platform of Azure"),
        ("169.254.0.0/16", "link-local, cloud metadata"),
        ("172.16.0.0/12", "private use"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112"),
        ("192.52.193.0/24", "AMT"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private use"),
        ("192.175.48.0/24", "AS112"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved, broadcast"),
    )
)
_V6_BLOCKS = tuple(
    (ipaddress.IPv6Network(block), name)
    for block, name in (
        ("2001::/23", "protocol assignments, Teredo, ORCHID"),
        ("2001:db8::/32", "documentation"),
        ("2620:4f:8000::/48", "AS112"),
        ("3fff::/20", "documentation"),
    )
)
_V6_OUTSIDE = tuple(
    (ipaddress.IPv6Network(block), name)
    for block, name in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_GLOBAL = ipaddress.IPv6Network("2000::/3")
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_6TO4 = ipaddress.IPv6Network("2002::/16")
_TEREDO = ipaddress.IPv6Network("2001::/32")

_OWN = ("private use", "shared address space", "loopback", "unique local")
"""Blocks where people's own servers live: what `--allow-private NAME` may open."""


def check_address(address: str) -> str | None:
    """Return None if a server of the public web can have this address, else what it is, for people.

    IPv4 in the private clothes of IPv6 is judged by the IPv4 address: mapped, NAT64, 6to4, Teredo, ISATAP; and
    all IPv6 outside 2000::/3 is refused but mapped and NAT64 forms of a public address.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(ip, _IPv4):
        return _check_v4(ip)
    if ip.scope_id is not None:
        return "an address with a zone"
    return _check_v6(ip)


def is_local_address(address: str) -> bool:
    """Whether an address is one of people's own machines and networks, in whatever clothes of IPv6 (`check_address`).

    Private use, shared (CGNAT), loopback, unique local, link-local and site-local; not what is reserved for examples
    or for protocols.
    """
    why = check_address(address)
    return why is not None and _inner(why).startswith((*_OWN, "link-local", "site-local"))


def _inner(why: str) -> str:
    """Return what an address is that another wraps."""
    return why.partition(": ")[2] or why


def _check_v4(ip: ipaddress.IPv4Address) -> str | None:
    for block, name in _V4_BLOCKS:
        if ip in block:
            return f"{name} ({block})"
    return None


def _check_v6(ip: ipaddress.IPv6Address) -> str | None:
    number = int(ip)
    low = _IPv4(number & 0xFFFFFFFF)
    if ip in _MAPPED or ip in _NAT64:
        return _wrapped(low)
    for block, name in _V6_OUTSIDE:
        if ip in block:
            return f"{name} ({block})"
    if ip in _COMPATIBLE:
        return _wrapped(low) or f"IPv4-compatible, deprecated ({_COMPATIBLE})"
    if ip not in _GLOBAL:
        return f"outside the global unicast block ({_GLOBAL})"
    if ip in _6TO4:
        return _wrapped(_IPv4(number >> 80 & 0xFFFFFFFF))
    if ip in _TEREDO:
        client = _IPv4(number & 0xFFFFFFFF ^ 0xFFFFFFFF)
        return _wrapped(client) or _wrapped(_IPv4(number >> 64 & 0xFFFFFFFF)) or f"Teredo tunnel ({_TEREDO})"
    for block, name in _V6_BLOCKS:
        if ip in block:
            return f"{name} ({block})"
    if number >> 32 & 0xFDFFFFFF == 0x00005EFE:  # ISATAP, with or without the universal bit (RFC 5214 section 6.1)
        return _wrapped(low)
    return None


def _wrapped(ip: ipaddress.IPv4Address) -> str | None:
    why = _check_v4(ip)
    return None if why is None else f"wraps {ip}: {why}"


@dataclass(frozen=True, slots=True)
class Allow:
    """Hosts the user permits although their addresses are not public (`--allow-private HOST[:PORT]`)."""

    entries: frozenset[tuple[str, int | None]] = frozenset()
    """Host as in `Target.host`, and the one port or None for every port."""

    @classmethod
    def parse(cls, values: Iterable[str]) -> Allow:
        """Return what values such as `localhost:8080`, `10.0.0.7`, `[::1]:80` permit; raise UsageError otherwise."""
        entries = set()
        for value in values:
            text = f"[{value}]" if value.count(":") > 1 and not value.startswith("[") else value
            split = _split_authority(text)
            host = _check_host(split[0]) if split else None
            if split is None or not isinstance(host, tuple) or _FORBIDDEN.search(value):
                raise UsageError(f"not a host to allow: {value!r}; expected HOST or HOST:PORT", value=value)
            entries.add((host[0], split[1]))
        return cls(frozenset(entries))

    def permits(self, target: Target) -> bool:
        """Whether the user named this host, at this port."""
        return (target.host, target.port) in self.entries or (target.host, None) in self.entries

    def check(self, target: Target, address: str) -> str | None:
        """Return None if this address may be dialled for this target, else why not.

        A permitted address is permitted as it stands. A permitted name may lead to people's own networks, never to
        link-local (cloud metadata), multicast or reserved blocks: whoever answers for the name is not the user.
        """
        why = check_address(address)
        if why is None or not self.permits(target):
            return why
        return None if target.literal or _inner(why).startswith(_OWN) else why
