"""DuckDuckGo's HTML page: no key, and the last resort.

No published terms allow automated use, and addresses of data centres meet a challenge after a few calls. A challenge is
`blocked`, and nothing here tries to get around it. The traps of the page are told in `answers/duckduckgo`; here only
its rows: advertisements stand among them, and a row titled EOF is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlog.capture.exchange import Request
from searchlog.search.answers.duckduckgo import (
    LIMITS,
    NO_ROWS,
    TERMS,
    form,
    ignored,
    is_advertisement,
    node_text,
    read_page,
    unwrap,
)
from searchlog.search.answers.reading import ITEMS_MAX, Reader
from searchlog.search.provider import Facts, Response
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.search.service import Service

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

__all__ = ["DuckDuckGo"]

PARSER = "duckduckgo-html/2"

_NOTHING = ".result--no-result, .no-results, .no-results__message, .no-results-message"


class DuckDuckGo(Service):
    """The HTML form of DuckDuckGo."""

    FACTS = Facts(
        name="duckduckgo",
        title="DuckDuckGo HTML (last resort)",
        endpoint="https://html.duckduckgo.com/html/",
        third_party="DuckDuckGo (duckduckgo.com)",
        terms=TERMS,
        applies=("country", "freshness", "include_domains", "exclude_domains"),
        returns=("snippet",),
        count_max=30,
        limits=LIMITS,
        last_resort=True,
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        return form(query, self.facts, b="")

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, ignored(query, self.facts))
        return read_page(response, reader, query, _rows, lambda tree: tree.css_first(_NOTHING) is not None)


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
        title, url = node_text(link), unwrap(link)
        if "result--ad" in classes or is_advertisement(url):
            reader.drop(title or f"row {place}", "advertisement")
        elif title in NO_ROWS:
            reader.drop(title, "not-a-result")
        else:
            reader.add(place, url, title, node_text(row.css_first(".result__snippet")))
