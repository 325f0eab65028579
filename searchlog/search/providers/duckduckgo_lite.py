"""DuckDuckGo Lite: the same search as `duckduckgo` on a plainer page, which may still answer when that one is blocked.

A last resort as that one is. Traps: a result is three table rows that only their order ties together; an advertisement
has the class on its row, and its "more info" link looks like a result; the mark of an empty list is a sentence in a
cell, in English, so another wording is `parse_error` and never `empty`.
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
from searchlog.search.answers.values import text
from searchlog.search.provider import Facts, Response
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.search.service import Service

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["DuckDuckGoLite"]

PARSER = "duckduckgo-lite/1"

_NOTHING = ".no-results, .no-results__message, .result--no-result"


class DuckDuckGoLite(Service):
    """The Lite form of DuckDuckGo."""

    FACTS = Facts(
        name="duckduckgo-lite",
        title="DuckDuckGo Lite (last resort)",
        endpoint="https://lite.duckduckgo.com/lite/",
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
        return form(query, self.facts)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, ignored(query, self.facts))
        return read_page(response, reader, query, _rows, _says_nothing)


def _rows(tree: LexborHTMLParser, reader: Reader) -> None:
    """Add the results of the page to the reader: each link, and the snippet in the cell after it, if there is one."""
    found = tree.css("a.result-link, td.result-snippet")  # in the order of the page
    place = 0
    for index, node in enumerate(found):
        if node.tag != "a":
            continue
        place += 1
        if place > ITEMS_MAX:
            reader.drop(f"row {place}", "over-items-limit")
            continue
        title, url = node_text(node), unwrap(node)
        after = found[index + 1] if index + 1 < len(found) else None
        if _is_sponsored(node) or is_advertisement(url):
            reader.drop(title or f"row {place}", "advertisement")
        elif title in NO_ROWS:
            reader.drop(title, "not-a-result")
        else:
            has_snippet = after is not None and after.tag == "td" and not _is_sponsored(after)
            reader.add(place, url, title, node_text(after) if has_snippet else "")


def _is_sponsored(node: LexborNode) -> bool:
    """Say whether the table row that this stands in is marked as an advertisement."""
    for _ in range(4):
        parent = node.parent
        if parent is None:
            return False
        node = parent
        if node.tag == "tr":
            return "result-sponsored" in (node.attributes.get("class") or "").split()
    return False


def _says_nothing(tree: LexborHTMLParser) -> bool:
    """Say whether the page has the mark of an empty list: a class of the HTML page, or a cell that says so by itself.

    The query is repeated in inputs and in the title, never in a cell's own text.
    """
    if tree.css_first(_NOTHING) is not None:
        return True
    for cell in tree.css("td"):
        said = text(cell.text(deep=False))
        if said in ("No results.", "No more results.") or said.startswith("No results found for"):
            return True
    return False
