"""Whether a page is a soft 404: status 200, and the structure of the page says that there is nothing here. Pure.

What the page says to machines (a status for renderers, a canonical address of the error page, the address a redirect
led to) weighs most. A heading that is wholly one of not finding counts with little prose and a second sign. A page
about not finding has prose, listings or an address that names its subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from searchlog.suspect.address import split
from searchlog.suspect.outline import Outline
from searchlog.suspect.phrases import missing_heading, missing_text, names

__all__ = ["missing_redirect_tests", "missing_tests", "strayed_home"]

_PROSE_MAX = 1_200
_LITTLE = 450
_TINY = 200
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
_LANGUAGE = re.compile(r"^[a-z]{2}(?:[-_][a-z]{2,4})?$")
_CLASSES = names(
    """
    error404 error-404 error_404 page-404 page404 template-404 is-404 http-404 status-404 not-found notfound page-
    not-found page_not_found pagenotfound page-notfound error-page-404 path-404 page-error-404 single-404 pg-404
    is-not-found
    """
)
_SCRIPT = re.compile(
    r'"(?:page|route|routeName)"\s{0,3}:\s{0,3}"/?(?:404|_error|_not-found|not-found)"|"?statusCode"?\s{0,3}:\s{0,3}404\b'
    r'|"?(?:httpStatus|pageStatus|errorCode|pageType|page_type)"?\s{0,3}:\s{0,3}["\']?(?:404|not.?found|error.?404)\b',
    re.IGNORECASE,
)
_LEAD = re.compile("[.!?] |\n|\u3002")
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


def strayed_home(urls: Sequence[str], said: str) -> list[str]:
    """Return the tests by which a deep address led to its site's home, which is about something else; else none.

    said: title and beginning of what the home says.
    """
    asked, final = split(urls[0]), split(urls[-1])
    if asked is None or final is None or len(urls) < 2 or _site(asked) != _site(final) or final.query:
        return []
    words = [_SUFFIX.sub("", word) for word in asked.path.lower().split("/") if word]
    while words and _LANGUAGE.match(words[0]):
        del words[0]
    home = [_SUFFIX.sub("", word) for word in final.path.lower().split("/") if word]
    if not words or words[-1] in _HOME or any(word not in _HOME and not _LANGUAGE.match(word) for word in home):
        return []
    slug = set(_WORD.findall(unquote(" ".join(words)).casefold().replace("-", " ").replace("_", " ")))
    deep = len(words) > 1 or len(_WORD.findall(words[-1])) > 1 or bool(asked.query)
    if not deep or not slug or any(word in said.casefold() for word in slug):
        return []
    return ["redirect:home", "asked-words:absent"]


def missing_tests(urls: Sequence[str], outline: Outline, title: str, headings: Sequence[str]) -> list[str] | None:
    """Return the tests by which a page is a soft 404, or None."""
    if outline.prose > _PROSE_MAX:
        return None
    told = _told(urls, outline)
    said, plain = _said(outline, title, headings)
    signs = _signs(outline)
    little = outline.prose <= _LITTLE
    size = ["tiny-text" if outline.prose <= _TINY else "little-text"] if little else []
    if said and not plain and not told and not signs:
        return None
    if told and (said or (little and told != ["redirect:error"])):
        return [*told, *said, *signs, *size]
    if not said or outline.listings or _about_it(urls[-1], outline):
        return None
    if little and (len(said) > 1 or signs or (size == ["tiny-text"] and len(outline.headings) <= 3)):
        return [*said, *signs, *size]
    return [*said, *signs] if len(said) > 1 and signs else None


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


def _said(outline: Outline, title: str, headings: Sequence[str]) -> tuple[list[str], bool]:
    """Return where a heading says as a whole that nothing was found, and whether that is said in words."""
    found, plain = [], False
    heads = [*headings[:3], *outline.headings[:3]]
    for test, texts in (
        ("title:not-found", [title or outline.title]),
        ("heading:not-found", heads),
        ("og-title:not-found", [outline.metas.get("og:title", "")]),
    ):
        told = max(map(missing_heading, texts), default=0)
        plain = plain or told == 2
        if told:
            found.append(test)
    if not heads and _lead_says(outline):
        return [*found, "lead:not-found"], True
    if found and missing_text(outline.said):
        return [*found, "text:not-found"], True
    return found, plain


def _lead_says(outline: Outline) -> bool:
    """Return whether the page, where it is a few words long, begins with such a sentence."""
    return outline.total <= _TINY and missing_heading(_LEAD.split(outline.text, 1)[0].rstrip(".")) == 2


def _signs(outline: Outline) -> list[str]:
    """Return weaker signs."""
    found = []
    if "noindex" in outline.metas.get("robots", "").lower():
        found.append("meta:noindex")
    if not _CLASSES.isdisjoint(outline.root_classes) or not _CLASSES.isdisjoint(outline.marks):
        found.append("class:not-found")
    if any(_SCRIPT.search(script) for script in outline.scripts):
        found.append("script:status-404")
    return found


def _about_it(url: str, outline: Outline) -> bool:
    """Return whether the address names not finding as the subject of the page, and the page says something of it."""
    parts = split(url)
    return parts is not None and _names_error(parts.path) and outline.prose > 80


def _names_error(path: str) -> bool:
    return _last(path) in _ERROR_WORDS


def _last(path: str) -> str:
    words = [word for word in path.lower().split("/") if word]
    return _SUFFIX.sub("", words[-1]) if words else ""


def _site(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.")
