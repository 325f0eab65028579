"""Whether a page is a soft 404: status 200, and the structure of the page says that there is nothing here. Pure.

What the page says to machines (a status for renderers, a canonical address of the error page, the address a redirect
led to) weighs most. A heading that is wholly one of not finding counts with little prose and a sign of another kind;
title and heading that say the same are one sign. A page about not finding has prose, listings or an address that names
its subject; so may a poem of two lines, which is why a page that only says so is believed to be the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from searchlog.suspect.address import split
from searchlog.suspect.outline import Outline, weight
from searchlog.suspect.phrases import missing_heading, missing_lines, missing_ways, names

__all__ = ["missing_redirect_tests", "missing_tests", "redirected_home"]

_PROSE_MAX = 1_200
_LITTLE = 450
_TINY = 200
_NO_TEXT = 40
"""The weight of a server's name, or of an invitation to search."""
_SLUG_MIN = 3
_SPACES_MIN = 5
"""No title is a sentence to the visitor, such as "we could not find the page you are looking for"."""
_ERROR_WORDS = names(
    """
    404 404error 404-error 404page error404 error-404 error_404 404-not-found 404_not_found 404notfound not-found
    not_found notfound page-not-found page_not_found pagenotfound page-404 page404 http404 http-404 soft404
    errors-404 file-not-found filenotfound 410 gone seite-nicht-gefunden page-introuvable pagina-no-encontrada
    """
)
_ERROR_LOOSE = names(
    """
    error errors errorpage error-page error_page errordocument customerror oops unavailable
    """
)
_SUFFIX = re.compile(r"\.(?:php|html?|aspx?|jsp|do|shtml)$")
_HOME = names(
    """
    index home default main main_page mainpage main-page startseite start welcome portal homepage accueil inicio
    hauptseite
    """
)
_LED_HOME = names(
    """
    go r l s c lp to out link links redirect click campaign campaigns promo promos offer offers qr tag ref
    """
)
"""Folders of short links, which lead on purpose."""
_LANGUAGE = re.compile(r"^[a-z]{2}(?:[-_][a-z]{2,4})?$")
_CLASSES = names(
    """
    error404 error-404 error_404 page-404 page404 template-404 is-404 http-404 status-404 not-found notfound
    page-not-found page_not_found pagenotfound page-notfound error-page-404 path-404 page-error-404 single-404 pg-404
    is-not-found
    """
)
_STRONG = frozenset(("class:not-found", "script:status-404"))
_SCRIPT = re.compile(
    r'"(?:page|route|routeName)"\s{0,3}:\s{0,3}"/?(?:404|_error|_not-found|not-found)"|"?statusCode"?\s{0,3}:\s{0,3}404\b'
    r'|"?(?:httpStatus|pageStatus|errorCode|pageType|page_type)"?\s{0,3}:\s{0,3}["\']?(?:404|not.?found|error.?404)\b',
    re.IGNORECASE,
)
_LEAD = re.compile("[.!?] |\n|\u3002")
_SEARCH_FIELD = re.compile(r"^(?:s|q|query|keywords?)\b|search")
_WORD = re.compile(r"[^\W\d_]{4,}")


def missing_redirect_tests(urls: Sequence[str]) -> list[str]:
    """Return what says that a fetch was led to an error page. urls: as asked for first, final last."""
    asked, final = split(urls[0]), split(urls[-1])
    if asked is None or final is None or asked.path == final.path or _names_error(asked.path):
        return []
    if _names_error(final.path):
        return ["redirect:not-found"]
    if (
        _last(final.path) in _ERROR_LOOSE
        or "aspxerrorpath=" in final.query.lower()
        or "error=404" in final.query.lower()
    ):
        return ["redirect:error"]
    return []


def redirected_home(urls: Sequence[str], said: str) -> list[str]:
    """Return the tests by which the address of one page led to its site's home, which is about something else; or none.

    said: title and text of the home. Only an address that says in three words what it is of can be told from a short
    link made to lead home; one of its words on the page, nearly, is enough to believe the page.
    """
    asked, final = split(urls[0]), split(urls[-1])
    if asked is None or final is None or len(urls) < 2 or _site(asked) != _site(final) or final.query:
        return []
    words = [_SUFFIX.sub("", word) for word in asked.path.lower().split("/") if word]
    home = [_SUFFIX.sub("", word) for word in final.path.lower().split("/") if word]
    if home and home[0] in words[:1] and _LANGUAGE.match(home[0]):
        del home[0]  # the home of another language says the same in other words
    if not words or any(word not in _HOME for word in home) or not _LED_HOME.isdisjoint(words):
        return []
    slug = set(_WORD.findall(unquote(words[-1]).casefold().replace("-", " ").replace("_", " ")))
    seen = said.casefold()
    if len(slug) < _SLUG_MIN or any(word[: max(4, len(word) - 2)] in seen for word in slug):
        return []
    return ["redirect:home", "asked-words:absent"]


def missing_tests(urls: Sequence[str], outline: Outline, title: str, headings: Sequence[str]) -> list[str] | None:
    """Return the tests by which a page is a soft 404, or None.

    What headings say is one sign, however often they say it: a poem, or a chapter, may be called "Page not found".
    """
    if outline.prose > _PROSE_MAX or _asked_for_it(urls[0], outline):
        return None
    told = _told(urls, outline)
    said, ways, plain = _said(outline, title, headings)
    signs = _signs(outline)
    little, tiny = outline.prose <= _LITTLE, outline.prose <= _TINY
    size = ["tiny-text" if tiny else "little-text"] if little else []
    if told and ((said and (plain or signs)) or (little and told != ["redirect:error"])):
        return [*told, *said, *signs, *size]
    if not said or not little or outline.listings:
        return None
    if _STRONG.intersection(signs) or (plain and tiny and "text:not-found" in said and len(said) > 1):
        return [*said, *signs, *size]
    lead = weight(_lead(outline)) if "lead:not-found" in said else 0
    if plain and outline.prose - lead <= _NO_TEXT and (bare := [*signs, *_bare(outline, ways)]):
        return [*said, *bare, *size]
    return None


def _bare(outline: Outline, ways: Collection[str]) -> list[str]:
    """Return signs that tell only where there is next to no main text. ways: how it says that nothing was found."""
    found = []
    if len(ways) > 1:
        found.append("said-twice")
    if any(way.count(" ") >= _SPACES_MIN for way in ways):
        found.append("said-at-length")
    if "404" in " ".join([outline.title, *outline.headings[:3]]).split():
        found.append("text:status")
    searches = any(
        kind == "search" or _SEARCH_FIELD.search(names) for form in outline.all_forms for kind, names in form.fields
    )
    if searches and any(_leads_home(link) for link in outline.links):
        found.append("form:search")
    if not outline.prose and outline.total - sum(map(weight, outline.headings)) <= _NO_TEXT:
        found.append("no-text")
    return found


def _leads_home(link: str) -> bool:
    place = split(link.strip())
    return place is not None and place.path in ("/", "") and bool(place.path or place.netloc)


def _told(urls: Sequence[str], outline: Outline) -> list[str]:
    """Return what the page says to machines."""
    found = missing_redirect_tests(urls)
    metas = outline.metas
    if metas.get("prerender-status-code", "").strip() in ("404", "410"):
        found.append("meta:prerender-status")
    if metas.get("status", "").strip()[:3] in ("404", "410") or metas.get("http-status", "").strip()[:3] == "404":
        found.append("meta:status")
    if metas.get("next-error", "").strip().lower() == "not-found":
        found.append("meta:next-error")
    final = split(urls[-1])
    for test, claim in (("canonical:not-found", outline.canonical), ("og-url:not-found", metas.get("og:url", ""))):
        try:
            claimed = urlsplit(urljoin(urls[-1], claim)) if claim else None
        except ValueError:
            continue
        if claimed is not None and final is not None and claimed.path != final.path and _names_error(claimed.path):
            found.append(test)
    return found


def _said(outline: Outline, title: str, headings: Sequence[str]) -> tuple[list[str], set[str], bool]:
    """Return where the page says as a whole that nothing was found, in which ways, and whether in words.

    A title and a heading that are the same, beside the site's name or not, say it in one way; a sentence of the text
    counts only where it says it in another.
    """
    found, plain, ways = [], False, set[str]()
    heads = [*headings[:3], *outline.headings[:3]]
    for test, texts in (
        ("title:not-found", [title or outline.title]),
        ("heading:not-found", heads),
        ("og-title:not-found", [outline.metas.get("og:title", "")]),
    ):
        telling = [text for text in texts if missing_heading(text)]
        if telling:
            found.append(test)
            plain = plain or any(missing_heading(text) == 2 for text in telling)
            ways.update(*map(missing_ways, telling))
    lead = _lead(outline)
    if not heads and lead:
        return [*found, "lead:not-found"], ways | missing_ways(lead), True
    if found and (other := missing_lines(outline.said) - ways):
        return [*found, "text:not-found"], ways | other, True
    return found, {way for way in ways if not _within(way, ways)}, plain


def _within(way: str, ways: Collection[str]) -> bool:
    """Return whether a way to say it is a part of another."""
    return any(way != other and f" {way} " in f" {other} " for other in ways)


def _lead(outline: Outline) -> str:
    """Return the first sentence of a page of a few words, where it says that nothing was found; else nothing."""
    if outline.total > _TINY:
        return ""
    first = _LEAD.split(outline.text, 1)[0].rstrip(".")
    return first if missing_heading(first) == 2 else ""


def _signs(outline: Outline) -> list[str]:
    """Return weaker signs."""
    found = []
    if "noindex" in outline.metas.get("robots", "").lower():
        found.append("meta:noindex")
    if not _CLASSES.isdisjoint(outline.root_classes):
        found.append("class:not-found")
    elif not _CLASSES.isdisjoint(outline.marks):
        found.append("element:not-found")  # a search that found nothing may be a part of any page
    if any(_SCRIPT.search(script) for script in outline.scripts):
        found.append("script:status-404")
    return found


def _asked_for_it(asked: str, outline: Outline) -> bool:
    """Return whether the address asked for names not finding as the subject of a page, which says something of it."""
    parts = split(asked)
    return parts is not None and _names_error(parts.path) and outline.prose > _NO_TEXT


def _names_error(path: str) -> bool:
    return _last(path) in _ERROR_WORDS


def _last(path: str) -> str:
    words = [word for word in path.lower().split("/") if word]
    return _SUFFIX.sub("", words[-1]) if words else ""


def _site(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.")
