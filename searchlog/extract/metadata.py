"""What a page says of itself: title, author, site, language, dates, canonical address, types. Claims, not facts. Pure.

Read from the one tree that the text was read from: JSON-LD, `meta` elements (Open Graph, Dublin Core, Highwire
citation tags), microdata, `time` elements, `html lang`. The first source that states a readable value wins, in the
order of the tables below. Each date names where it was found and how sure that is: the other sources are looked at
too, and one that states another day is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date as day
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from searchlog.extract.conversion import Dated, Metadata
from searchlog.extract.dates import iso_date
from searchlog.extract.facts import facts
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
_PUBLISHED_KEYS = ("datePublished", "uploadDate", "dateCreated")
_META_MAX = 300
_TIMES_MAX = 40
_FIELD_CHARS_MAX = 500
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""What an escape in JSON can make and no text of ours may hold."""
_KINDS = (
    re.compile(r"Article|Posting|Report|Recipe|HowTo|FAQ|QAPage|NewsItem|Event|VideoObject|Book|Dataset|Course"),
    re.compile(r"Product|Vehicle|Application|Question"),
    re.compile(r"Review$|Page|WebSite"),
)
"""Types of the object that stands for the page, best first. A product's reviews are not the page's own."""


def from_tree(tree: Any, url: str) -> Metadata:
    """Return the claims of a parsed page; a relative canonical address is resolved against `url`.

    Its facts are all that it states: what the text shows is to be taken out (`facts.unseen`).
    """
    metas = _metas(tree)
    linked, items = linked_data(tree), microdata(tree)
    article, item = _article(linked), _one(items)
    times = tree.css("time")[:_TIMES_MAX]
    published = _dated(_stated(article, metas, item, _PUBLISHED_KEYS, _PUBLISHED), _published_times(tree, times))
    modified = _dated(_stated(article, metas, item, ("dateModified",), _MODIFIED), _modified_times(times))
    if published and modified and _days_between(modified.date, published.date) > _SAME_DAYS:
        published, modified = (
            replace(one, sure="conflicting") if one.sure == "stated" else one for one in (published, modified)
        )
    return Metadata(
        title=_clean(_first(metas, _TITLE))
        or _node_text(tree, "title")
        or _clean(_string(article.get("headline")))
        or _clean(_string(item.get("headline")))
        or _node_text(tree, "h1"),
        author=_authors(metas, article, item),
        site=_clean(_first(metas, _SITE))
        or _clean(_name(article.get("publisher")))
        or _clean(_name(item.get("publisher"))),
        language=_language(tree, metas),
        published=published,
        modified=modified,
        canonical=_canonical(tree, metas, url),
        types=page_types(linked, items, metas),
        facts=facts(linked, items, metas),
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
    """Return the object that describes the page's own content: an article before a page.

    What a page of a question does not say of itself, the question says.
    """
    for wanted in _KINDS:
        for item in objects:
            if any(wanted.search(name) for name in type_names(item)):
                entity = item.get("mainEntity")
                return {**entity, **item} if isinstance(entity, dict) else item
    return {}


def _one(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the microdata object that describes the page's content; none where several of the kind stand beside it."""
    own = [item for item in items if not item["@nested"]]
    article = _article(own)
    kind = article.get("@type")
    return article if sum(item["@type"] == kind for item in own) == 1 else {}


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


def _authors(metas: Mapping[str, list[str]], article: Mapping[str, Any], item: Mapping[str, Any]) -> str | None:
    named = _clean(_name(article.get("author")))
    if named and not named.startswith(("http:", "https:")):
        return named
    for name in _AUTHOR:
        values = [
            v for v in (_clean(value) for value in metas.get(name, ())) if v and not v.startswith(("http:", "https:"))
        ]
        if values:
            return _clean(", ".join(dict.fromkeys(values[:20])))
    named = _clean(_name(item.get("author")))
    return named if named and not named.startswith(("http:", "https:")) else None


def _language(tree: Any, metas: Mapping[str, list[str]]) -> str | None:
    attributes = tree.root.attributes if tree.root is not None else {}
    for value in (attributes.get("lang"), attributes.get("xml:lang"), _first(metas, ("content-language", "og:locale"))):
        tag = (value or "").split(",")[0].strip().replace("_", "-")
        if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}", tag):
            return tag
    return None


def _stated(
    article: Mapping[str, Any],
    metas: Mapping[str, list[str]],
    item: Mapping[str, Any],
    keys: tuple[str, ...],
    names: tuple[str, ...],
) -> Iterator[tuple[str, str]]:
    """Yield what may be a date, and its source, best first."""
    yield from (("json-ld", value) for key in keys if (value := _string(article.get(key))))
    yield from ((f"meta:{name}", value) for name in names for value in metas.get(name, ()))
    yield from (("microdata", value) for key in keys if (value := _string(item.get(key))))


_SAME_DAYS = 1
"""Days by which statements of one date may differ: time zones, and pages made at night."""


def _dated(stated: Iterable[tuple[str, str]], times: Iterator[tuple[str, bool]]) -> Dated | None:
    """Return the first date that is stated; compared with the first of each other source.

    stated: sources and values. times: values of `time` elements, and whether they say which date they hold.
    """
    found = [(source, date) for source, value in stated if (date := iso_date(value))]
    guess: str | None = None
    for value, marked in times:
        date = iso_date(value)
        if date and marked:
            found.append(("time", date))
            break
        guess = guess or date
    if not found:
        return Dated(guess, "time", "guessed") if guess else None
    source, date = found[0]
    firsts = dict(reversed(found)).values()
    apart = any(abs(_days_between(date, other)) > _SAME_DAYS for other in firsts)
    return Dated(date, source, "conflicting" if apart else "stated")


def _days_between(first: str, second: str) -> int:
    """Return how many days the second ISO date is after the first; 0 where one is within the other's month or year."""
    shared = min(len(first), len(second), len("2024-05-06"))
    if first[:shared] == second[:shared]:
        return 0
    one, two = (day.fromisoformat(f"{date[:10]}-01-01"[:10]) for date in (first, second))
    return (two - one).days


_PUBLISH_MARK = re.compile(r"publi|posted|entry-date|created|dateline|byline|post-?date", re.I)
_MODIFY_MARK = re.compile(r"modif|updat|revis", re.I)


def _published_times(tree: Any, times: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the values of `time` elements that say they are this date, then that of the article's first, which does
    not."""
    for node in times:
        attributes = node.attributes
        if "pubdate" in attributes or _PUBLISH_MARK.search(_marks(attributes)):
            yield attributes.get("datetime") or node.text(), True
    for node in tree.css("article time[datetime], main time[datetime]")[:1] if times else ():
        attributes = node.attributes
        if not _MODIFY_MARK.search(attributes.get("class") or ""):
            yield attributes.get("datetime") or "", False


def _modified_times(times: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the values of `time` elements that say they are this date."""
    for node in times:
        attributes = node.attributes
        if _MODIFY_MARK.search(_marks(attributes)):
            yield attributes.get("datetime") or node.text(), True


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
