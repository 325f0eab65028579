"""Reads an Atom feed that anybody may have written: bounded, and without a document type. Pure.

Entities are declared in a document type, so one is refused before any can be: nothing is expanded, and nothing is
fetched. Only the names that a search answer has are kept. Spec: RFC 4287, OpenSearch 1.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from searchlog.errors import FormatError

__all__ = ["Entry", "Feed", "read_feed"]

BYTES_MAX = 5_000_000
ELEMENTS_MAX = 100_000
DEPTH_MAX = 30
VALUE_MAX = 20_000
"""Characters kept of one value."""
VALUES_MAX = 1_000
"""Values kept of one name in one entry."""

_ATOM = "http://www.w3.org/2005/Atom "
_SPACES = {
    _ATOM: "",
    "http://a9.com/-/spec/opensearch/1.1/ ": "opensearch:",
    "http://arxiv.org/schemas/atom ": "arxiv:",
}


@dataclass(slots=True)
class Entry:
    """What stands in one entry, or in the feed outside of its entries."""

    values: dict[str, list[str]] = field(default_factory=dict)
    """Texts by name, in order: `title`, `author/name`, `arxiv:doi`."""
    links: list[dict[str, str]] = field(default_factory=list)
    """Attributes of each `link`."""
    terms: list[str] = field(default_factory=list)
    """Terms of each `category`."""

    def first(self, name: str) -> str:
        """Return the first text of this name, or nothing."""
        return next(iter(self.values.get(name, ())), "")


@dataclass(slots=True)
class Feed(Entry):
    """A feed and its entries."""

    entries: list[Entry] = field(default_factory=list)


def read_feed(body: bytes) -> Feed:
    """Return the feed. Raises FormatError for what is no Atom feed, and for one over the limits."""
    if len(body) > BYTES_MAX:
        raise FormatError(f"{len(body)} bytes of XML, over {BYTES_MAX}")
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        raise FormatError(f"the answer is no whole XML (line {error.lineno})") from None
    except (ValueError, LookupError):  # a character encoding that does not exist
        raise FormatError("the XML is in an encoding that cannot be read") from None
    return reader.feed


class _Reader:
    """Follows the elements of one document."""

    def __init__(self) -> None:
        self.feed = Feed()
        self._path: list[str] = []
        self._texts: list[list[str]] = []
        self._sizes: list[int] = []
        self._count = 0

    def doctype(self, *args: object) -> None:
        raise FormatError("the XML has a document type, which no feed needs: not read")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > ELEMENTS_MAX or len(self._path) >= DEPTH_MAX:
            raise FormatError(f"the XML has over {ELEMENTS_MAX} elements, or is nested over {DEPTH_MAX} deep")
        if not self._path and name != f"{_ATOM}feed":
            raise FormatError("the answer is XML, but no Atom feed")
        name = _short(name)
        if name == "entry" and len(self._path) == 1:
            self.feed.entries.append(Entry())
        self._path.append(name)
        self._texts.append([])
        self._sizes.append(0)
        entry, depth = self._entry(), len(self._path) - self._base()
        if depth == 1 and name == "link" and len(entry.links) < VALUES_MAX:
            entry.links.append({key: value[:VALUE_MAX] for key, value in attributes.items()})
        if depth == 1 and name == "category" and len(entry.terms) < VALUES_MAX:
            entry.terms.append(attributes.get("term", "")[:VALUE_MAX])

    def end(self, name: str) -> None:
        names = self._path[self._base() :]
        text = "".join(self._texts.pop())
        self._sizes.pop()
        if 1 <= len(names) <= 2:
            values = self._entry().values.setdefault("/".join(names), [])
            if len(values) < VALUES_MAX:
                values.append(text)
        self._path.pop()

    def characters(self, data: str) -> None:
        # what stands inside a child belongs to its parent too: a title may hold marked-up words
        for depth in range(len(self._texts)):
            room = VALUE_MAX - self._sizes[depth]
            if room > 0 and depth >= self._base():
                self._texts[depth].append(data[:room])
                self._sizes[depth] += min(room, len(data))

    def _base(self) -> int:
        """Return how many names of the path lead to the entry, or to the feed outside of entries."""
        return 2 if len(self._path) >= 2 and self._path[1] == "entry" else 1

    def _entry(self) -> Entry:
        return self.feed.entries[-1] if self._base() == 2 else self.feed


def _short(name: str) -> str:
    """Return a name with the prefix that we use for its namespace; one of an unknown namespace stays as it is."""
    space, blank, local = name.rpartition(" ")
    return _SPACES.get(space + blank, space + blank) + local
