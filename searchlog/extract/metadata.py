"""What a page says of itself: title, author, site, language, dates, canonical address. Claims, not facts. Pure.

Read from the one tree that the text was read from: JSON-LD (strict JSON, bounded), `meta` elements (Open Graph,
Dublin Core, Highwire citation tags, microdata), `time` elements, `html lang`. Each date names where it was found.
The first source that states a readable value wins, in the order of the tables below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from searchlog.extract.conversion import Dated, Metadata
from searchlog.extract.dates import iso_date
from searchlog.extract.structured import Number, linked_data, microdata, page_types, type_names

__all__ = ["from_head", "from_tree"]

_TITLE = ("citation_title", "og:title", "dc.title", "dcterms.title", "twitter:title")
_AUTHOR = (
    "author",
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "parsely-author",
    "byl",
    "sailthru.author",
)
_SITE = ("og:site_name", "application-name", "citation_journal_title", "apple-mobile-web-app-title")
_PUBLISHED = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dc.date",
    "dcterms.date",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "datecreated",
    "date",
)
_MODIFIED = (
    "article:modified_time",
    "og:updated_time",
    "og:modified_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "revised",
)
_META_MAX = 300
_TIMES_MAX = 40
_FIELD_CHARS_MAX = 500
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""What an escape in JSON can make and no text of ours may hold."""
_ARTICLE = re.compile(
    r"Article|Posting|Report|Review|Recipe|HowTo|FAQ|QAPage|NewsItem|Event|VideoObject|Book|Dataset|Course"
)


def from_tree(tree: Any, url: str) -> Metadata:
    """Return the claims of a parsed page; a relative canonical address is resolved against `url`."""
    metas = _metas(tree)
    linked, items = linked_data(tree), microdata(tree)
    article = _article(linked)
    times = tree.css("time")[:_TIMES_MAX]
    return Metadata(
        title=_clean(_first(metas, _TITLE))
        or _node_text(tree, "title")
        or _clean(_string(article.get("headline")))
        or _node_text(tree, "h1"),
        author=_authors(metas, article),
        site=_clean(_first(metas, _SITE)) or _clean(_name(article.get("publisher"))),
        language=_language(tree, metas),
        published=_dated(
            article, ("datePublished", "uploadDate", "dateCreated"), metas, _PUBLISHED, _published_times(tree, times)
        ),
        modified=_dated(article, ("dateModified",), metas, _MODIFIED, _modified_times(times)),
        canonical=_canonical(tree, metas, url),
        types=page_types(linked, items, metas),
    )


def from_head(text: str) -> Metadata:
    """Return the title alone, from markup that no tree is built of."""
    match = re.search(r"<title[^>]{0,200}>([^<]{0,2000})", text[:200_000], re.I)
    return Metadata(title=_clean(unescape(match[1])) if match else None)


def _clean(value: str | None) -> str | None:
    """Return the value in one line and of bounded length; None when nothing is left."""
    return (_UNSTORABLE.sub("\ufffd", " ".join(value.split()))[:_FIELD_CHARS_MAX] or None) if value else None


def _metas(tree: Any) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    # walked, not selected: a selection makes an object of each of a hundred thousand before the bound is looked at
    for node in islice((node for node in tree.root.traverse() if node.tag == "meta"), _META_MAX):
        attributes = node.attributes
        content = attributes.get("content")
        if not content:
            continue
        for key in ("property", "name", "itemprop", "http-equiv"):
            name = attributes.get(key)
            if name:
                out.setdefault(name.strip().lower(), []).append(content)
    return out


def _first(metas: Mapping[str, list[str]], names: tuple[str, ...]) -> str | None:
    for name in names:
        for value in metas.get(name, ()):
            if value.strip():
                return value
    return None


def _node_text(tree: Any, selector: str) -> str | None:
    node = tree.css_first(selector)
    return _clean(node.text()) if node is not None else None


def _article(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the object that describes the page's own content: an article before a page."""
    for wanted in (_ARTICLE, re.compile("Page|Product|WebSite")):
        for item in objects:
            if any(wanted.search(name) for name in type_names(item)):
                return item
    return {}


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and not isinstance(value, Number) else None


def _name(value: Any) -> str | None:
    """Return the name of a JSON-LD person or organisation, however it is wrapped; several joined by commas."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        return _string(value.get("name"))
    if isinstance(value, list):
        names = [name for name in map(_name, (item for item in value[:20] if not isinstance(item, list))) if name]
        return ", ".join(names) or None
    return None


def _authors(metas: Mapping[str, list[str]], article: Mapping[str, Any]) -> str | None:
    named = _clean(_name(article.get("author")))
    if named and not named.startswith(("http:", "https:")):
        return named
    for name in _AUTHOR:
        values = [
            v for v in (_clean(value) for value in metas.get(name, ())) if v and not v.startswith(("http:", "https:"))
        ]
        if values:
            return _clean(", ".join(dict.fromkeys(values[:20])))
    return None


def _language(tree: Any, metas: Mapping[str, list[str]]) -> str | None:
    attributes = tree.root.attributes if tree.root is not None else {}
    for value in (attributes.get("lang"), attributes.get("xml:lang"), _first(metas, ("content-language", "og:locale"))):
        tag = (value or "").split(",")[0].strip().replace("_", "-")
        if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}", tag):
            return tag
    return None


def _dated(
    article: Mapping[str, Any],
    keys: tuple[str, ...],
    metas: Mapping[str, list[str]],
    names: tuple[str, ...],
    times: Iterator[str],
) -> Dated | None:
    for key in keys:
        found = iso_date(_string(article.get(key)) or "")
        if found:
            return Dated(found, "json-ld")
    for name in names:
        for value in metas.get(name, ()):
            found = iso_date(value)
            if found:
                return Dated(found, f"meta:{name}")
    for value in times:
        found = iso_date(value)
        if found:
            return Dated(found, "time")
    return None


_PUBLISH_MARK = re.compile(r"publi|posted|entry-date|created|dateline|byline|post-?date", re.I)
_MODIFY_MARK = re.compile(r"modif|updat|revis", re.I)


def _published_times(tree: Any, times: Sequence[Any]) -> Iterator[str]:
    """Yield the values of `time` elements that say they are this date, then that of the article's first."""
    for node in times:
        attributes = node.attributes
        if "pubdate" in attributes or _PUBLISH_MARK.search(_marks(attributes)):
            yield attributes.get("datetime") or node.text()
    for node in tree.css("article time[datetime], main time[datetime]")[:1] if times else ():
        attributes = node.attributes
        if not _MODIFY_MARK.search(attributes.get("class") or ""):
            yield attributes.get("datetime") or ""


def _modified_times(times: Sequence[Any]) -> Iterator[str]:
    """Yield the values of `time` elements that say they are this date."""
    for node in times:
        attributes = node.attributes
        if _MODIFY_MARK.search(_marks(attributes)):
            yield attributes.get("datetime") or node.text()


def _marks(attributes: Mapping[str, str | None]) -> str:
    """Return what may say which date a `time` element holds."""
    return " ".join(attributes.get(key) or "" for key in ("itemprop", "class", "id"))


_CANONICAL = "link[rel~='canonical' i]"


def _canonical(tree: Any, metas: Mapping[str, list[str]], url: str) -> str | None:
    # the head holds it nearly always, and is small
    first = tree.head and tree.head.css_first(_CANONICAL)
    first = first or tree.css_first(_CANONICAL)
    found = _absolute(first.attributes.get("href"), url) if first else None
    if found:
        return found
    return _absolute(_first(metas, ("og:url",)), url)


def _absolute(href: str | None, url: str) -> str | None:
    if not href or len(href) > 4_000:
        return None
    try:
        joined = urljoin(url, href.strip())
        parts = urlsplit(joined)
    except ValueError:
        return None
    return joined if parts.scheme in ("http", "https") and parts.netloc else None
