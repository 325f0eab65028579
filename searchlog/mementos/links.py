"""The links of a Link header, and of a TimeMap in application/link-format: both have one grammar. Pure.

    <http://a.example/>; rel="original",
    <http://archive.example/web/2020/http://a.example/>; rel="first memento"; datetime="Tue, 11 Sep 2001 20:30:51 GMT"

Commas stand in dates and in addresses as well, so nothing is split at commas: each link is read to its end. The time
is linear in the text, whatever it is. Spec: RFC 8288 section 3, RFC 6690 section 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from searchlog.capture.exchange import Header
from searchlog.errors import FormatError

__all__ = ["LINKS_MAX", "Link", "header_links", "links"]

LINKS_MAX = 100_000
"""Links read of one text: about as many as the largest body that is fetched can hold."""
_URI_MAX = 8_192

_START = re.compile(r"[\s,]*+")
_URI = re.compile(r"<([^<>\x00-\x1f]*+)>")
_NAME = re.compile(r"\s*+;\s*+([!#$%&'*+\-.^_`|~0-9A-Za-z]*+)\s*+")
_VALUE = re.compile(r"=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s,;\"<>]*+))", re.DOTALL)
_END = re.compile(r"\s*+(?:,|\Z)")
_NEXT = re.compile(r",\s*+<")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """One link."""

    uri: str
    """As it is written: it may be relative."""
    relations: frozenset[str]
    """The words of `rel`, in small letters."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The other fields, names in small letters; of a repeated one the first counts."""


def links(text: str, *, cut: bool = False) -> Iterator[Link]:
    """Yield the links of a text in their order, each as soon as it is read.

    cut: the text ends somewhere, so what is left of its last link is let go, and what follows after LINKS_MAX links.
    Raises FormatError where the text is no list of links, and for more links than that in a text that is whole.
    """
    at = _skip(text, 0)
    for _ in range(LINKS_MAX):
        if at >= len(text):
            return
        read = _link(text, at)
        if read is None:
            if cut and _NEXT.search(text, at) is None:
                return
            raise FormatError(f"no list of links: at character {at} stands {text[at : at + 40]!r}", offset=at)
        link, at = read
        if cut and at >= len(text) and not text.rstrip().endswith(","):
            return  # more of it may have stood there
        yield link
        at = _skip(text, at)
    if at < len(text) and not cut:
        raise FormatError(f"more than {LINKS_MAX} links in one list")


def header_links(headers: tuple[Header, ...]) -> tuple[Link, ...]:
    """Return the links of all Link fields of a response, up to the first fault of each field."""
    found: list[Link] = []
    for name, value in headers:
        if name.lower() == "link":
            try:
                found.extend(links(value))
            except FormatError:
                continue
    return tuple(found)


def _skip(text: str, at: int) -> int:
    """Return where the next link starts: blanks and commas that separate nothing are passed over."""
    found = _START.match(text, at)
    return found.end() if found else at


def _link(text: str, at: int) -> tuple[Link, int] | None:
    """Return the link that starts here and where it ends, or None where there is none."""
    start = _URI.match(text, at)
    if start is None or len(start[1]) > _URI_MAX:
        return None
    at, fields = start.end(), dict[str, str]()
    while name := _NAME.match(text, at):
        at, value = name.end(), ""
        if text.startswith("=", at):
            given = _VALUE.match(text, at)
            if given is None:
                return None
            at = given.end()
            value = given[2] if given[1] is None else given[1]
            value = _ESCAPE.sub(r"\1", value) if "\\" in value else value
        if name[1]:
            fields.setdefault(name[1].lower(), value)
    end = _END.match(text, at)
    if end is None:
        return None
    relations = frozenset(fields.pop("rel", "").lower().split())
    return Link(start[1].strip(), relations, fields), end.end()
