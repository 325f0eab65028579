"""What DuckDuckGo's result pages without JavaScript share, HTML and Lite: the form, regions, links, challenges. Pure.

Traps: links may be wrapped (`/l/?uddg=`, decoded once), those of advertisements too; a challenge is status 202 or 200
and the page repeats the query, so only structure tells one from results: rows first, then the challenge's form, then
the mark of an empty list. A page with none of these is `parse_error`, however long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from searchlog.capture.exchange import Request
from searchlog.search.answers.reading import Reader, fit, site_operators
from searchlog.search.answers.values import text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["LIMITS", "NO_ROWS", "TERMS", "form", "ignored", "is_advertisement", "node_text", "read_page", "unwrap"]

TERMS = Terms(
    "https://duckduckgo.com/terms",
    "2026-11-30",
    "no published terms allow automated use of the page: for occasional personal use only",
)
NO_ROWS = ("EOF", "DEEP_ERROR_NO_RESULTS")
"""Titles of rows that only mark the end."""
LIMITS = "unknown; addresses of data centres meet a challenge after a few calls; 499 characters"

_QUERY_MAX = 499
_DATE = {"day": "d", "week": "w", "month": "m", "year": "y"}
_REGIONS_LIST = (
    "ar-es at-de au-en be-fr be-nl bg-bg br-pt ca-en ca-fr ch-de ch-fr cl-es cn-zh co-es ct-ca cz-cs de-de dk-da "
    "ee-et es-ca es-es fi-fi fr-fr gr-el hk-tzh hr-hr hu-hu id-en ie-en il-en in-en is-is it-it jp-jp kr-kr lt-lt "
    "lv-lv mx-es my-en nl-nl no-no nz-en pe-es ph-en pk-en pl-pl pt-pt ro-ro ru-ru se-sv sg-en sk-sk sl-sl th-en "
    "tr-tr tw-tzh ua-uk uk-en us-en us-es vn-en xa-ar za-en"
)
_REGIONS = frozenset(_REGIONS_LIST.split())
_COUNTRY = {"GB": "uk", "SI": "sl", "SA": "xa"}
_LANGUAGE = {"ja": "jp", "ko": "kr", "nb": "no"}
# A real page has 30 kB and 600 tags. An HTML parser's time grows with the square of the open elements, and what is open
# only the parser can tell, so the tags are counted: 140,000 of the worst kind took three minutes, these take a blink.
_BYTES_MAX = 1_000_000
_TAGS_MAX = 10_000
_CHALLENGE = "form#challenge-form, form[action*='/anomaly.js'], .anomaly-modal__title, .anomaly-modal__mask"


def form(query: Query, facts: Facts, **fields: str) -> Request:
    """Return the form that asks this query, posted as the page itself posts it."""
    fields = {"q": _asked(query)[0], **fields, "kl": _region(query) or "wt-wt"}
    if query.freshness in _DATE:
        fields["df"] = _DATE[query.freshness]
    parts = urlsplit(facts.endpoint)
    headers = (
        ("Accept", "text/html"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Referer", f"{parts.scheme}://{parts.netloc}/"),
    )
    return Request("POST", facts.endpoint, headers, urlencode(fields).encode("ascii"))


def ignored(query: Query, facts: Facts) -> tuple[str, ...]:
    """Return the options of this query that the form cannot say."""
    unsaid = list(site_operators(query)[1])
    unsaid += ["country"] if query.country and not _region(query) else []
    return facts.ignored(query) + tuple(unsaid)


def read_page(
    response: Response,
    reader: Reader,
    query: Query,
    rows: Callable[[LexborHTMLParser, Reader], None],
    says_nothing: Callable[[LexborHTMLParser], bool],
) -> Run:
    """Return the run of a page.

    rows: adds the rows of the page to the reader. says_nothing: whether the page has the mark of an empty list.
    """
    from selectolax.lexbor import LexborHTMLParser

    if len(response.body) > _BYTES_MAX:
        return reader.run(RunOutcome.TOO_LARGE, f"{len(response.body)} bytes of HTML, over {_BYTES_MAX}")
    if response.body.count(b"<") > _TAGS_MAX:
        return reader.run(RunOutcome.PARSE_ERROR, f"more than {_TAGS_MAX} HTML tags in one page")
    tree = LexborHTMLParser(response.body.decode("utf-8", "replace"))
    for note in _asked(query)[1]:
        reader.note(note)
    # rows first: a query about challenges would fool every test that came before them
    rows(tree, reader)
    if reader.results:
        return reader.run()
    if tree.css_first(_CHALLENGE) is not None:
        return reader.run(RunOutcome.BLOCKED, f"status {response.status}, a bot challenge; ask another provider")
    if response.status in (202, 403):
        return reader.run(RunOutcome.BLOCKED, f"status {response.status} without results; ask another provider")
    refused = reader.refused(response)
    if refused is not None:
        return refused
    # a row that stands for the end of a list is a mark as well
    if says_nothing(tree) or any(reason == "not-a-result" for _, reason in reader.dropped):
        return reader.run(RunOutcome.EMPTY)
    # advertisements alone say nothing of what was found
    size = len(response.body)
    return reader.run(RunOutcome.PARSE_ERROR, f"{size} bytes without a result, a challenge or a no-results mark")


def _asked(query: Query) -> tuple[str, tuple[str, ...]]:
    operators = site_operators(query)[0]
    cut, notes = fit(query.text, max(50, _QUERY_MAX - len(operators)))
    return cut + operators, notes


def _region(query: Query) -> str | None:
    """Return DuckDuckGo's region of the query's country, in the query's language where there is a choice."""
    if not query.country:
        return None
    country = _COUNTRY.get(query.country, query.country.lower())
    language = (query.language or "").lower().split("-")[0]
    wanted = f"{country}-{_LANGUAGE.get(language, language)}"
    if wanted in _REGIONS:
        return wanted
    choices = sorted(region for region in _REGIONS if region.startswith(country + "-"))
    # no language given: English where the country has it, then the language that is named like the country
    likely = (f"{country}-en", f"{country}-{country}", *choices)
    return next((choice for choice in likely if choice in choices), None)


def node_text(node: LexborNode | None) -> str:
    """Return the text of an element and those in it, blanks folded; empty for none."""
    return text(node.text(deep=True)) if node is not None else ""


def unwrap(link: LexborNode | None) -> str:
    """Return the address that a link leads to: the value of `uddg`, decoded once, or the link itself."""
    href = (link.attributes.get("href") or "") if link is not None else ""
    if href.startswith("//"):
        href = "https:" + href
    try:
        parts = urlsplit(href)
        if (parts.hostname or "").endswith("duckduckgo.com") and parts.path == "/l/":
            return parse_qs(parts.query, errors="replace").get("uddg", [""])[0]
    except ValueError:
        return href
    return "" if href.startswith("/") else href


def is_advertisement(url: str) -> bool:
    """Say whether an address, unwrapped, is that of an advertisement or of the page that explains them."""
    try:
        parts = urlsplit(url)
        own = (parts.hostname or "").endswith("duckduckgo.com")
        return own and (parts.path == "/y.js" or parts.path.startswith("/duckduckgo-help-pages/company/ads-by-"))
    except ValueError:
        return False
