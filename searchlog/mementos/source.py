"""Web archives: which one is asked, at which addresses, and who learns of it. Pure.

    wayback                                                   the Wayback Machine
    pywb=http://127.0.0.1:8080/my-web                         a collection of pywb, or of what has its addresses
    https://archive.example/timegate/                         a TimeGate
    timegate=https://.. timemap=https://.. cdx=https://..     each by itself; also raw=, save= and name=

An address of a page follows that of the service as it is (RFC 7089 asks for no form, archives use this one), or stands
for `{url}` in it. Spec: RFC 7089; CDX server API; Save Page Now 2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from searchlog.capture.exchange import Header
from searchlog.capture.guard import Refusal, Target, check_address, check_url, is_loopback_name
from searchlog.errors import UsageError
from searchlog.mementos.links import header_links

__all__ = ["WAYBACK", "WebArchive", "announced", "is_own_host", "parse_source"]

_PAUSE_S = 1.0
_STAMP = re.compile(r"(\d{14}|\d{4,12})(?:[a-z]{2}_)?/", re.ASCII)
_NAMES = ("name", "timegate", "timemap", "cdx", "raw", "save", "pywb")
_EXPECTED = (
    "a web archive is `wayback`, the address of a TimeGate, `pywb=ADDRESS` of a collection, "
    "or some of `timegate=`, `timemap=` and `cdx=` with an address each"
)


@dataclass(frozen=True, slots=True)
class WebArchive:
    """One web archive: the addresses of its services, None for those that it does not have."""

    name: str
    timegate: str | None = None
    """URI-G: answers for the capture nearest to a moment."""
    timemap: str | None = None
    """URI-T: lists all captures."""
    cdx: str | None = None
    """The index of captures, without its query."""
    raw: str | None = None
    """A capture as it was received, without what archives add: an address with `{timestamp}` and `{url}`."""
    save: str | None = None
    """Where the archive is asked to capture a page now."""
    third_party: str = ""
    """Who learns which page is asked for; empty when the archive is on this machine or in its own network."""
    pause_s: float = _PAUSE_S
    """Seconds between the starts of two requests."""
    page: str | None = None
    """The only page that it is for: TimeGate and TimeMap are complete addresses then."""

    def timegate_of(self, page: str) -> str | None:
        """Return the address that is asked for the capture of a page nearest to a moment."""
        return self._of(self.timegate, page)

    def timemap_of(self, page: str) -> str | None:
        """Return the address of the first list of a page's captures."""
        return self._of(self.timemap, page)

    def _of(self, service: str | None, page: str) -> str | None:
        if self.page is None:
            return _address(service, page)
        return service if page == self.page else None

    def home_of(self, uri: str) -> WebArchive:
        """Return the archive whose form a URI-M has: this one, or another known one that an aggregator leads to."""
        known = next((archive for archive in (self, WAYBACK) if archive.split_memento(uri) is not None), None)
        return known or self

    def raw_of(self, timestamp: str, page: str) -> str | None:
        """Return the address of a page as it was captured at this timestamp of 14 digits."""
        return None if self.raw is None else self.raw.replace("{timestamp}", timestamp).replace("{url}", page)

    def view_of(self, timestamp: str, page: str) -> str | None:
        """Return the address of a capture as the archive shows it to people."""
        raw = self.raw_of(timestamp, page)
        return None if raw is None else raw.replace(f"{timestamp}id_/", f"{timestamp}/", 1)

    def is_raw(self, uri: str) -> bool:
        """Whether a URI-M is that of a page as it was received."""
        place = self.split_memento(uri)
        return place is not None and _bare(self.raw_of(*place) or "") == _bare(uri)

    def split_memento(self, uri: str) -> tuple[str, str] | None:
        """Return timestamp and address of the page of a URI-M in the archive's own form; None for any other address.

        Views are told from one another by two letters and `_` after the timestamp; the view does not matter here.
        """
        if self.raw is None:
            return None
        start, rest = _bare(self.raw.partition("{timestamp}")[0]), _bare(uri)
        if not rest.startswith(start):
            return None
        stamp = _STAMP.match(rest, len(start))
        page = rest[stamp.end() :] if stamp else ""
        return (stamp[1], page) if stamp and page else None


WAYBACK = WebArchive(
    name="wayback",
    timegate="https://web.archive.org/web/",
    timemap="https://web.archive.org/web/timemap/link/",
    cdx="https://web.archive.org/cdx/search/cdx",
    raw="https://web.archive.org/web/{timestamp}id_/{url}",
    save="https://web.archive.org/save",
    third_party="the Internet Archive (archive.org)",
    pause_s=2.5,
)
"""The Wayback Machine of the Internet Archive; it asks programs for at most 24 requests a minute."""


def parse_source(text: str) -> WebArchive:
    """Return the archive that a text names, as at the top of this module; raise UsageError for any other text."""
    words = text.split()
    if len(words) == 1 and words[0].lower() == WAYBACK.name:
        return WAYBACK
    given: dict[str, str] = {}
    for word in words:
        name, value = _named(word, text)
        if name in given:
            raise UsageError(f"web archive: {name} is given twice", value=text)
        given[name] = value
    name = given.pop("name", "")
    pywb = given.pop("pywb", None)
    if pywb is not None:
        given = _collection(pywb) | given
    if not {"timegate", "timemap", "cdx"} & given.keys():
        raise UsageError(_EXPECTED, value=text)
    if "cdx" in given and "raw" not in given:
        raise UsageError("web archive: cdx= needs raw=, since an index has no addresses of captures", value=text)
    hosts = [_target(value, text).host for value in given.values()]
    own = all(map(is_own_host, hosts))
    return WebArchive(
        name or hosts[0],
        third_party="" if own else ", ".join(dict.fromkeys(hosts)),
        pause_s=0.0 if own else _PAUSE_S,
        **given,
    )


def announced(headers: tuple[Header, ...], page: str) -> WebArchive | None:
    """Return the archive that a live page names for itself in its Link fields, as wikis and journals do; or None.

    page: the final address of the page. Spec: RFC 7089 sections 2.2.1 and 4.1 (a page may be its own TimeGate).
    """
    told: dict[str, str] = {}
    for link in header_links(headers):
        for name in ("timegate", "timemap"):
            if name in link.relations and link.uri:
                told.setdefault(name, _joined(page, link.uri))
    here, targets = check_url(page), [check_url(address) for address in told.values()]
    hosts = [target.host for target in targets if isinstance(target, Target)]
    if isinstance(here, Refusal) or not hosts or len(hosts) != len(told):
        return None
    others = dict.fromkeys(host for host in hosts if host != here.host)
    return WebArchive(
        hosts[0],
        timegate=told.get("timegate"),
        timemap=told.get("timemap"),
        third_party=", ".join(others),
        page=here.url,
    )


def is_own_host(host: str) -> bool:
    """Whether a host is this machine, or an address of a network of one's own; a name is not looked up."""
    if is_loopback_name(host):
        return True
    return bool(re.fullmatch(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:.]*", host)) and check_address(host) is not None


def _bare(address: str) -> str:
    """Return an address without its scheme: archives name themselves by either."""
    return re.sub(r"^https?:", "", address)


def _named(word: str, text: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if equals and name.lower() in _NAMES:
        return name.lower(), value
    if re.match(r"https?://", word, re.IGNORECASE):
        return "timegate", word
    raise UsageError(f"web archive {text!r:.200}: {word!r:.200} is no address; {_EXPECTED}", value=word)


def _collection(base: str) -> dict[str, str]:
    base = base.rstrip("/")
    return {
        "timegate": f"{base}/",
        "timemap": f"{base}/timemap/link/",
        "cdx": f"{base}/cdx",
        "raw": f"{base}/{{timestamp}}id_/{{url}}",
    }


def _target(address: str, text: str) -> Target:
    """Return the target of a service's address, or raise."""
    if "{timestamp}" in address and "{url}" not in address:
        raise UsageError("web archive: raw= needs both {timestamp} and {url}", value=text)
    target = check_url(address.replace("{timestamp}", "20200101000000").replace("{url}", "x"))
    if isinstance(target, Refusal):
        raise UsageError(f"web archive: {target.detail}", value=text)
    return target


def _joined(base: str, uri: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError:
        return uri


def _address(service: str | None, page: str) -> str | None:
    """Return a service's address for a page."""
    if service is None:
        return None
    before, place, after = service.partition("{url}")
    if not place:
        return service + page
    return before + (quote(page, safe="") if "?" in before else page) + after
