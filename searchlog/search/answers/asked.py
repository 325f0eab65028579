"""Which of the pages that were asked for a row of an answer is about, and what becomes of each of them. Pure.

Services for page texts name the pages in their own way: with a slash added, the host in lower case, under another
field. A row is given the address that was asked for only where it names that one page; no more is guessed, such as
that a page under another address is where a redirect led.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from searchlog.search.answers.reading import ITEMS_MAX, Reader
from searchlog.search.answers.values import text
from searchlog.search.extractor import ended
from searchlog.search.run import Run

__all__ = ["Asked", "code_of", "drop_failed", "read_texts", "told"]

_UNREADABLE = ("not-an-object", "no-url", "url-too-long")


class Asked:
    """The pages of one request, to be found again under the names that an answer gives them."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = dict.fromkeys(urls)
        self._alike: dict[str, list[str]] = {}
        for url in self._urls:
            self._alike.setdefault(_form(url), []).append(url)

    def find(self, *names: object) -> str | None:
        """Return the page asked for that one of these names means, or None when none means exactly one."""
        given = [name for name in names if isinstance(name, str) and name]
        for name in given:
            if name in self._urls:
                return name
        for name in given:
            alike = self._alike.get(_form(name), [])
            if len(alike) == 1:
                return alike[0]
        return None


def _form(url: str) -> str:
    """Return an address without what makes no other page of it: case of scheme and host, last slash, fragment."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}?{parts.query}"


def read_texts(
    reader: Reader,
    asked: Asked,
    rows: Sequence[Any],
    names: Sequence[str],
    read: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    """Add a result for each row with a text, and drop each other one.

    names: the fields of a row that may name its page. read: gives `text` and other fields of `Result`, but no url.
    """
    if reader.is_over(len(rows)):
        return
    for place, row in enumerate(rows[:ITEMS_MAX], 1):
        if not isinstance(row, dict):
            reader.drop(f"item {place}", "not-an-object")
            continue
        given = [row.get(name) for name in names]
        url = asked.find(*given) or next((name for name in given if isinstance(name, str) and name.strip()), None)
        fields = read(row)
        if fields["text"].strip():
            reader.add(place, url, **fields)
        else:
            reader.drop(text(url) or f"item {place}", "no-text")
    for place in range(ITEMS_MAX + 1, len(rows) + 1):
        reader.drop(f"item {place}", "over-items-limit")


def drop_failed(
    reader: Reader,
    asked: Asked,
    rows: Sequence[Any],
    names: Sequence[str],
    why: Callable[[dict[str, Any]], tuple[str, str] | None],
) -> None:
    """Drop the page of each row that tells of a failure. why: gives its code and its words, or None for no failure."""
    if reader.is_over(len(rows)):
        return
    for place, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            reader.drop(f"item {place}", "not-an-object")
            continue
        failure = why(row)
        if failure is None:
            continue
        given = [row.get(name) for name in names]
        page = asked.find(*given) or next(filter(None, map(text, given)), f"item {place}")
        reader.drop(page, failure[0])
        if failure[1]:
            reader.note(f"{page}: {failure[1]}")


def code_of(name: object, otherwise: str = "failed") -> str:
    """Return the code that a service's own name of a failure makes: CRAWL_NOT_FOUND is `crawl-not-found`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name[:200]) if isinstance(name, str) else ""
    return "-".join(re.findall("[a-z0-9]+", spaced.lower()))[:60].strip("-") or otherwise


def told(reader: Reader, urls: Sequence[str]) -> Run:
    """Return the run of an answer whose rows were read; `parse_error` when rows came and none could be read."""
    reasons = [reason for _, reason in reader.dropped]
    if not reader.results and reasons and all(reason in _UNREADABLE for reason in reasons):
        return reader.run()
    return ended(reader, urls)
