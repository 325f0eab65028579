"""DuckDuckGo's HTML page, read as a person's browser would show it: the last resort.

No published terms allow automated use, and addresses of data centres meet a challenge after a few calls. A challenge is
`blocked`, and nothing here tries to get around it.

Traps: links may be wrapped (`/l/?uddg=`, decoded once); advertisements stand among the rows and are wrapped too; a
challenge is status 202 or 200, and the page repeats the query, so only structure tells one from results: rows first,
then the challenge's form, then the marker of an empty list. A long page with none of these is `parse_error`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from searchlog.capture.exchange import Request
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.reading import ITEMS_MAX, Reader, fit, site_operators, status_run, text
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["DuckDuckGo"]

PARSER = "duckduckgo-html/1"

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
_NOTHING = ".result--no-result, .no-results, .no-results__message, .no-results-message"


class DuckDuckGo(Service):
    """The HTML form of DuckDuckGo."""

    FACTS = Facts(
        name="duckduckgo",
        title="DuckDuckGo HTML (last resort)",
        endpoint="https://html.duckduckgo.com/html/",
        third_party="DuckDuckGo (duckduckgo.com)",
        terms=Terms(
            "https://duckduckgo.com/terms",
            "2026-11-29",
            "no published terms allow automated use of the page: for occasional personal use only",
        ),
        applies=("country", "freshness", "include_domains", "exclude_domains"),
        returns=("snippet",),
        keyless=True,
        count_max=30,
        limits="unknown; addresses of data centres meet a challenge after a few calls; 499 characters",
        last_resort=True,
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {"q": _asked(query)[0], "b": "", "kl": _region(query) or "wt-wt"}
        if query.freshness in _DATE:
            fields["df"] = _DATE[query.freshness]
        headers = (
            ("Accept", "text/html"),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Referer", self.facts.endpoint.removesuffix("html/")),
        )
        return Request("POST", self.facts.endpoint, headers, urlencode(fields).encode("ascii"))

    def parse(self, response: Response, query: Query) -> Run:
        from selectolax.lexbor import LexborHTMLParser

        reader = Reader(self.facts, PARSER, self._ignored(query))
        if len(response.body) > _BYTES_MAX:
            return reader.run(RunOutcome.TOO_LARGE, f"{len(response.body)} bytes of HTML, over {_BYTES_MAX}")
        if response.body.count(b"<") > _TAGS_MAX:
            return reader.run(RunOutcome.PARSE_ERROR, f"more than {_TAGS_MAX} HTML tags in one page")
        tree = LexborHTMLParser(response.body.decode("utf-8", "replace"))
        for note in _asked(query)[1]:
            reader.note(note)
        # rows first: a query about challenges would fool every test that came before them
        _rows(tree, reader)
        if reader.results:
            return reader.run()
        if tree.css_first(_CHALLENGE) is not None:
            return reader.run(RunOutcome.BLOCKED, f"status {response.status}, a bot challenge; ask another provider")
        if response.status in (202, 403):
            return reader.run(RunOutcome.BLOCKED, f"status {response.status} without results; ask another provider")
        refused = status_run(self.facts, response, PARSER, reader.ignored)
        if refused is not None:
            return refused
        if tree.css_first(_NOTHING) is not None:
            return reader.run(RunOutcome.EMPTY)
        if reader.dropped:
            return reader.run()
        size = len(response.body)
        return reader.run(RunOutcome.PARSE_ERROR, f"{size} bytes without a row, a challenge or a no-results mark")

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = list(site_operators(query)[1])
        unsaid += ["country"] if query.country and not _region(query) else []
        return self.facts.ignored(query) + tuple(unsaid)


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


def _rows(tree: LexborHTMLParser, reader: Reader) -> None:
    """Add the rows of the page to the reader, advertisements and other things dropped with a reason."""
    if tree.css_first("#zero_click_abstract") is not None:
        reader.note("an instant answer stood above the results")
    for place, row in enumerate(tree.css("#links div.result"), 1):
        if place > ITEMS_MAX:
            reader.drop(f"row {place}", "over-items-limit")
            continue
        classes = set((row.attributes.get("class") or "").split())
        if "result--no-result" in classes:
            continue
        link = row.css_first("a.result__a")
        title = _text(link)
        url = _unwrap(link.attributes.get("href") or "") if link is not None else ""
        if "result--ad" in classes or _is_advertisement(url):
            reader.drop(title or f"row {place}", "advertisement")
        elif title == "EOF":
            reader.drop(title, "not-a-result")
        else:
            reader.add(place, url, title, _text(row.css_first(".result__snippet")))


def _text(node: LexborNode | None) -> str:
    return text(node.text(deep=True)) if node is not None else ""


def _unwrap(href: str) -> str:
    """Return the address that a link leads to: the value of `uddg`, decoded once, or the link itself."""
    if href.startswith("//"):
        href = "https:" + href
    try:
        parts = urlsplit(href)
        if (parts.hostname or "").endswith("duckduckgo.com") and parts.path == "/l/":
            return parse_qs(parts.query, errors="replace").get("uddg", [""])[0]
    except ValueError:
        return href
    return "" if href.startswith("/") else href


def _is_advertisement(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").endswith("duckduckgo.com") and parts.path == "/y.js"
    except ValueError:
        return False
