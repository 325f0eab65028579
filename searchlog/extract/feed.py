"""Feeds as values: RSS 0.9x, 1.0 (RDF) and 2.0, Atom 1.0, JSON Feed 1.1. Pure.

XML is read by lxml, which trafilatura brings along: unlike expat it goes on after an error, as feeds need. Where it
would go on by leaving text out (a bare `&`, an entity of HTML, a control character, a bare `<`), the text is mended
first. No document type is read, so there are no entities to expand or to fetch; nothing is loaded, nothing is deeper
than 256. What is read of each entry is what people read: title, author, date, summary, content. Not read: enclosures,
categories, ratings. Spec: RSS 2.0.11, RSS 1.0 with the modules content and Dublin Core, RFC 4287, JSON Feed 1.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape, unescape
from html.entities import html5
from typing import Any
from urllib.parse import urljoin

__all__ = ["ENTRIES_MAX", "Entry", "Feed", "Rich", "engine", "mended", "read_json", "read_xml"]

ENTRIES_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Rich:
    """Text of a feed, and what it is."""

    text: str = ""
    kind: str = "plain"
    """`plain`, `html` (markup), or `unsaid`: RSS does not tell; markup when it looks like some."""

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; absent parts are empty."""

    title: Rich = Rich()
    author: str = ""
    published: str = ""
    """As the feed writes it."""
    published_in: str = ""
    """The element: `item.pubDate`."""
    updated: str = ""
    updated_in: str = ""
    summary: Rich = Rich()
    content: Rich = Rich()
    link: str = ""
    """Absolute."""
    base: str = ""
    """What relative addresses in the content are relative to."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed with its entries in their order."""

    title: Rich = Rich()
    summary: Rich = Rich()
    author: str = ""
    language: str = ""
    link: str = ""
    updated: str = ""
    updated_in: str = ""
    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()


_SPACES = {
    "http://www.w3.org/2005/Atom": "atom.",
    "http://purl.org/atom/ns#": "atom.",
    "http://purl.org/rss/1.0/": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://channel.netscape.com/rdf/simple/0.9/": "",
    "http://backend.userland.com/rss2": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
    "http://purl.org/rss/1.0/modules/content/": "content.",
    "http://purl.org/dc/elements/1.1/": "dc.",
    "http://purl.org/dc/terms/": "dcterms.",
    "http://search.yahoo.com/mrss/": "media.",
    "http://search.yahoo.com/mrss": "media.",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes.",
    "http://www.w3.org/1999/xhtml": "xhtml.",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf.",
}
_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ADDRESS_CHARS_MAX = 8_192
_LINE_CHARS_MAX = 500

# --- XML

_MENDED = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"  # stands as it is
    r"|&(?:#[xX]?[0-9a-fA-F]{1,8};|[A-Za-z][A-Za-z0-9]{1,31};)?"
    r"|<(?![A-Za-z_/!?])",
    re.S,
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BEFORE_ROOT = re.compile(r"(?>\s+|<!--.*?-->|<\?.*?\?>)+", re.S)
_DOCTYPE = re.compile(
    r"<!DOCTYPE[^\[>]{0,2000}+(?:\[(?:[^\]\"'<]|<!--.*?-->|<(?!!--)|\"[^\"]*+\"|'[^']*+')*+\]\s*)?>", re.I | re.S
)
_STORABLE = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_XML_NAMES = frozenset(("lt", "gt", "amp", "quot", "apos"))


def engine() -> str:
    """Return the names and versions of the XML library, and of the reader of the markup in entries."""
    from lxml import etree  # type: ignore[import-untyped]

    from searchlog.extract import html

    lxml, libxml = (".".join(map(str, version)) for version in (etree.LXML_VERSION, etree.LIBXML_VERSION))
    return f"lxml {lxml} (libxml2 {libxml}), {html.engine()}"


def mended(text: str) -> str:
    """Return the document so that a reader that goes on after errors leaves no text out of it.

    Outside CDATA: references become the characters that they are in HTML, other `&` and bare `<` are escaped.
    Everywhere: characters that XML does not allow become U+FFFD.
    """
    before = _BEFORE_ROOT.match(text)
    at = before.end() if before else 0
    doctype = _DOCTYPE.match(text, at)
    text = text[doctype.end() if doctype else at :]
    return _CONTROL.sub("\ufffd", _MENDED.sub(_mend, text))


def _mend(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith("<!"):
        return found
    if found == "<":
        return "&lt;"
    name = found[1:-1]
    if name.startswith("#"):
        return (
            escape(unescape(found.lower()), quote=False) if _STORABLE.fullmatch(unescape(found.lower())) else "\ufffd"
        )
    if name in _XML_NAMES:
        return found
    value = html5.get(f"{name};")
    return f"&amp;{found[1:]}" if value is None or value in "<&" else value


def read_xml(text: str, url: str, late: Callable[[], bool] = lambda: False) -> Feed | None:
    """Return the feed of an RSS or Atom document; None when there is no feed in it.

    text: decoded. Warnings: `feed-malformed` when something had to be guessed, `entries-cut` beyond `ENTRIES_MAX`.
    """
    from lxml import etree

    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",  # whatever the document says: it has been decoded
    )
    try:
        root = etree.fromstring(mended(text).encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        return None
    if root is None:
        return None
    etree.strip_elements(root, etree.Entity, with_tail=False)  # of a document type that `mended` could not tell
    _name_all(root)
    reader = _Xml(root, url, late)
    feed = reader.feed()
    if feed is None:
        return None
    warnings = ("feed-malformed",) if any(entry.level > 1 for entry in parser.error_log) else ()
    return replace(feed, warnings=(*warnings, *feed.warnings))


def _name_all(root: Any) -> None:
    """Give every element the name that this module knows it by: `title`, `atom.link`, `content.encoded`."""
    local = root.tag.rpartition("}")[2].lower()
    own = "atom." if local == "feed" else ""
    # whatever the standard of its day called it
    main = root if local in ("feed", "rss") else next((node for node in root if node.tag.endswith("}channel")), root)
    spaces = {**_SPACES, main.tag.rpartition("}")[0].removeprefix("{"): own}
    for node in root.iter("*"):
        space, _, local = node.tag.rpartition("}")
        space = space.removeprefix("{")
        node.tag = f"{spaces.get(space, 'other.') if space else ''}{local.replace(':', '.')}"  # no colon is allowed


class _Xml:
    """A document and where its feed stands."""

    def __init__(self, root: Any, url: str, late: Callable[[], bool]) -> None:
        self._root = root
        self._url = url
        self._late = late

    def feed(self) -> Feed | None:
        root = self._root
        local = root.tag.rpartition(".")[2].lower()
        if local == "feed":
            return self._atom(root)
        channel = next((node for node in root if node.tag == "channel"), None)
        if local == "rdf":
            return self._rss(root if channel is None else channel, root)
        if local in ("rss", "channel"):
            return self._rss(root if channel is None else channel, root)
        return None

    def _entries(self, nodes: Iterator[Any], read: Callable[[Any], Entry]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
        """Read entries; those in an entry only where an end is missing, not those in one of its parts.

        So no part is read twice.
        """
        entries: list[Entry] = []
        seen: set[Any] = set()
        for node in nodes:
            if next(node.iterancestors(node.tag), None) is not None and node.getparent() not in seen:
                continue
            seen.add(node)
            if len(entries) == ENTRIES_MAX:
                return tuple(entries), ("entries-cut",)
            if self._late():
                return tuple(entries), ("entries-cut", "extract-timeout")
            entries.append(read(node))
        return tuple(entries), ()

    def _base(self, node: Any) -> str:
        """Return the base address of an element."""
        base = self._url
        for above in (*reversed(list(node.iterancestors())), node):
            base = _joined(base, above.get(_XML_BASE, "")) or base
        return base

    def _has_base(self, node: Any) -> bool:
        return any(above.get(_XML_BASE) for above in (node, *node.iterancestors()))

    def _rss(self, channel: Any, holder: Any) -> Feed:
        parts = _parts(channel)
        entries, warnings = self._entries(holder.iter("item"), self._item)
        updated, updated_in = _first(
            parts, ("lastBuildDate", "pubDate", "dc.date", "dcterms.modified", "atom.updated"), "channel"
        )
        return Feed(
            title=_unsaid(parts, ("title", "dc.title", "media.title")),
            summary=_unsaid(parts, ("description", "dc.description", "itunes.summary", "itunes.subtitle")),
            author=_line(_first(parts, ("itunes.author", "dc.creator", "managingEditor"))[0]),
            language=_first(parts, ("language", "dc.language"))[0] or channel.get(_XML_LANG, ""),
            link=_joined(self._base(channel), _first(parts, ("link",))[0]),
            updated=updated,
            updated_in=updated_in,
            entries=entries,
            warnings=warnings,
        )

    def _item(self, node: Any) -> Entry:
        parts = _parts(node)
        base = self._base(node)
        link = _joined(base, _first(parts, ("link",))[0]) or _joined(base, _atom_link(node)) or _guid(node)
        published, published_in = _first(
            parts, ("pubDate", "dc.date", "dcterms.created", "dcterms.issued", "atom.published"), "item"
        )
        updated, updated_in = _first(parts, ("atom.updated", "dcterms.modified"), "item")
        names = [_content(author) for key in ("dc.creator", "author", "itunes.author") for author in parts.get(key, ())]
        atom = [_person(author) for author in parts.get("atom.author", ())]
        return Entry(
            title=_unsaid(parts, ("title", "dc.title", "media.title")),
            author=_line(", ".join(dict.fromkeys(name for name in (names[:5] or atom[:5]) if name))),
            published=_line(published),
            published_in=published_in,
            updated=_line(updated),
            updated_in=updated_in,
            summary=_unsaid(parts, ("description", "dc.description", "itunes.summary", "media.description"))
            or _media(node),
            content=_unsaid(parts, ("content.encoded", "xhtml.body", "xhtml.div")) or _atom_text(parts, "atom.content"),
            link=link,
            base=link or base,
        )

    def _atom(self, root: Any) -> Feed:
        parts = _parts(root, "atom.")
        people = _people(parts)
        entries, warnings = self._entries(root.iter("entry", "atom.entry"), lambda node: self._entry(node, people))
        updated, updated_in = _first(parts, ("updated", "modified"), "feed")
        return Feed(
            title=_atom_text(parts, "title"),
            summary=_atom_text(parts, "subtitle") or _atom_text(parts, "tagline"),
            author=people,
            language=root.get(_XML_LANG, ""),
            link=_joined(self._base(root), _atom_link(root)),
            updated=updated,
            updated_in=updated_in,
            entries=entries,
            warnings=warnings,
        )

    def _entry(self, node: Any, people: str) -> Entry:
        parts = _parts(node, "atom.")
        base = self._base(node)
        link = _joined(base, _atom_link(node))
        published, published_in = _first(parts, ("published", "issued", "created", "dc.date"), "entry")
        updated, updated_in = _first(parts, ("updated", "modified"), "entry")
        (body,) = (parts.get("content") or parts.get("summary") or [node])[:1]
        return Entry(
            title=_atom_text(parts, "title"),
            author=_people(parts) or people,
            published=_line(published),
            published_in=published_in,
            updated=_line(updated),
            updated_in=updated_in,
            summary=_atom_text(parts, "summary") or _media(node),
            content=_atom_text(parts, "content"),
            link=link,
            base=self._base(body) if self._has_base(body) else (link or base),
        )


def _parts(node: Any, own: str = "") -> dict[str, list[Any]]:
    """Return the children by name, in order; `own`: the prefix to take off."""
    parts: dict[str, list[Any]] = {}
    for child in node:
        parts.setdefault(child.tag.removeprefix(own) if own else child.tag, []).append(child)
    return parts


def _content(node: Any) -> str:
    """Return the text in an element, all markup in it aside."""
    return "".join(node.itertext()).strip()


def _line(text: str) -> str:
    return " ".join(text.split())[:_LINE_CHARS_MAX]


def _first(parts: Mapping[str, list[Any]], names: tuple[str, ...], holder: str = "") -> tuple[str, str]:
    """Return the first text under one of these names, and which: `item.pubDate`."""
    for name in names:
        for node in parts.get(name, ()):
            if found := _content(node):
                return found, f"{holder}.{name.replace('.', ':')}"
    return "", ""


def _unsaid(parts: Mapping[str, list[Any]], names: tuple[str, ...]) -> Rich:
    """Return what stands under the first of these names that has any; elements in it come as markup."""
    for name in names:
        for node in parts.get(name, ()):
            if len(node):
                return Rich(_markup(node), "html")
            if found := _content(node):
                return Rich(found, "unsaid")
    return Rich()


def _atom_text(parts: Mapping[str, list[Any]], name: str) -> Rich:
    """Return an Atom text construct or content (RFC 4287 sections 3.1 and 4.1)."""
    for node in parts.get(name, ()):
        kind = (node.get("type") or "text").strip().lower()
        if kind in ("xhtml", "application/xhtml+xml") or (len(node) and "html" in kind):
            return Rich(_markup(node), "html")
        text = _content(node)
        if not text or node.get("mode") == "base64":
            continue
        if kind in ("html", "text/html"):
            return Rich(text, "html")
        if kind == "text" or kind.startswith("text/"):
            return Rich(text)
    return Rich()


def _markup(node: Any) -> str:
    """Return what is inside an element as HTML, names without prefixes."""
    from lxml import etree

    for inner in node.iter("*"):
        inner.tag = inner.tag.rpartition(".")[2]
    tail, node.tail = node.tail, None
    name = node.tag
    node.tag = "div"
    try:
        return str(etree.tostring(node, encoding="unicode", method="html"))
    finally:
        node.tail, node.tag = tail, name


def _media(node: Any) -> Rich:
    """Return the description that a feed of films keeps in a group of its own."""
    for group in node:
        if group.tag == "media.group":
            for inner in group:
                if inner.tag == "media.description" and (text := _content(inner)):
                    return Rich(text)
    return Rich()


def _person(node: Any) -> str:
    names = [_content(child) for child in node if child.tag.rpartition(".")[2] == "name"]
    return names[0] if names else ""


def _people(parts: Mapping[str, list[Any]]) -> str:
    return _line(", ".join(filter(None, [_person(node) for node in parts.get("author", ())[:5]])))


def _atom_link(node: Any) -> str:
    """Return the address of the page that an entry or a feed is about."""
    links = [child for child in node if child.tag in ("link", "atom.link") and child.get("href")]
    for child in links:
        if child.get("rel", "alternate") == "alternate":
            return str(child.get("href"))
    return ""


def _guid(node: Any) -> str:
    for child in node:
        if child.tag == "guid" and child.get("isPermaLink", "true").lower() == "true":
            return _joined("", _content(child))
    return ""


def _joined(base: str, reference: str) -> str:
    """Return an absolute address of the web, or nothing."""
    reference = reference.strip()
    if not reference or len(reference) > _ADDRESS_CHARS_MAX:
        return ""
    try:
        target = urljoin(base, reference)
    except ValueError:
        return ""
    return target if target.startswith(("http://", "https://")) and len(target) <= _ADDRESS_CHARS_MAX else ""


# --- JSON Feed


def read_json(text: str, url: str) -> Feed | None:
    """Return the feed of a JSON Feed document; None when it is none or cannot be read."""
    try:
        value = json.loads(text, strict=False, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    items = value.get("items")
    rows = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    home = _joined(url, _string(value, "home_page_url"))
    people = _json_people(value)
    return Feed(
        title=Rich(_string(value, "title")),
        summary=Rich(_string(value, "description")),
        author=people,
        language=_string(value, "language"),
        link=home,
        entries=tuple(_json_entry(item, people, url) for item in rows[:ENTRIES_MAX]),
        warnings=("entries-cut",) if len(rows) > ENTRIES_MAX else (),
    )


def _json_entry(item: Mapping[str, Any], people: str, url: str) -> Entry:
    link = _joined(url, _string(item, "url")) or _joined(url, _string(item, "external_url"))
    markup = _string(item, "content_html")
    published, updated = _line(_string(item, "date_published")), _line(_string(item, "date_modified"))
    return Entry(
        title=Rich(_string(item, "title")),
        author=_json_people(item) or people,
        published=published,
        published_in="item.date_published" if published else "",
        updated=updated,
        updated_in="item.date_modified" if updated else "",
        summary=Rich(_string(item, "summary")),
        content=Rich(markup, "html") if markup else Rich(_string(item, "content_text")),
        link=link,
        base=link or url,
    )


def _json_people(value: Mapping[str, Any]) -> str:
    people = value.get("authors")
    people = people if isinstance(people, list) else [value.get("author")]
    return _line(", ".join(filter(None, [_string(one, "name") for one in people[:5] if isinstance(one, dict)])))


def _string(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return _CONTROL.sub("\ufffd", found.strip()) if isinstance(found, str) else ""
