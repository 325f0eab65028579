"""What the parsers of provider answers share: strict about shape, tolerant of what is new, silent about nothing. Pure.

Values from the far end are hostile: wrong types, lone surrogates, NaN, integers of a thousand digits, nesting without
end, a million items. None of it may raise past a parser or reach a record.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from searchlog.canon import decimal_string
from searchlog.capture.exchange import Header, header
from searchlog.errors import FormatError
from searchlog.search.provider import Facts, Response
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome

__all__ = [
    "ITEMS_HARD_MAX",
    "ITEMS_MAX",
    "NOTES_BYTES_MAX",
    "RETRY_MAX_S",
    "Reader",
    "crawled",
    "error_text",
    "fit",
    "html_text",
    "is_challenge",
    "items",
    "json_bytes",
    "json_object",
    "number",
    "page_text",
    "published",
    "retry_after",
    "rows",
    "seconds",
    "site_operators",
    "status_run",
    "text",
    "wanted",
    "without_surrogates",
]

TITLE_MAX = 500
SNIPPET_MAX = 4_000
NOTES_MAX, NOTES_BYTES_MAX = 50, 30_000
"""Notes of one answer, and bytes of them all as JSON: they stand in one line of the log."""
TEXT_MAX, TEXTS_MAX = 1_000_000, 50
"""Characters of one page's text that are taken from a provider, and texts of one answer."""
DATE_MAX = 60
URL_MAX = 8_192
ITEMS_MAX = 500
"""Results taken from one answer; each further item is dropped, and counted."""
ITEMS_HARD_MAX = 20_000
"""Items of one answer above which it is `too_large`: nobody sends as many, and each one dropped is told by itself."""
RETRY_MAX_S = 31 * 86_400

_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TAG = re.compile(r"<[/!]?[a-zA-Z-][^<>]*>")


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; of a repeated key the last counts, NaN and infinities are null.

    Raises FormatError on anything else, nesting too deep and numbers too long included.
    """
    try:
        value = json.loads(body.decode("utf-8-sig", "replace"), parse_constant=lambda _: None)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None
    except ValueError:
        start = body[:200].lstrip().lower()
        kind = "an HTML page" if start.startswith((b"<!doctype", b"<html", b"<")) else "not JSON"
        raise FormatError(f"the answer is {kind}, where JSON was asked for") from None
    if not isinstance(value, dict):
        raise FormatError(f"the answer is a JSON {type(value).__name__}, where an object was expected")
    return value


def text(value: object) -> str:
    """Return a string with blanks folded, control characters left out and lone surrogates replaced; else empty."""
    if not isinstance(value, str):
        return ""
    return _CONTROL.sub("", _SPACE.sub(" ", without_surrogates(value))).strip()


def without_surrogates(value: str) -> str:
    """Return the string with each lone surrogate replaced by U+FFFD: it has no UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def html_text(value: object) -> str:
    """Return the text of a fragment of HTML: tags and comments out, then character references resolved once."""
    return text(html.unescape(_TAG.sub("", value))) if isinstance(value, str) else ""


def number(value: object) -> str | None:
    """Return a JSON number as a decimal string; None for anything else, infinities and absurd sizes."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return decimal_string(value, 9) if abs(value) < 10**15 else None


def seconds(value: object) -> int | None:
    """Return a waiting time as whole seconds, rounded up, of a number or a string of digits; None if there is none."""
    if isinstance(value, str):
        digits = value.strip()
        value = int(digits[:20]) if re.fullmatch(r"[0-9]+", digits) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return min(math.ceil(value), RETRY_MAX_S) if value >= 0 else None


def rows(response: Response, reader: Reader, *path: str) -> tuple[dict[str, Any], list[Any]] | Run:
    """Return the JSON object of an answer and the list at this path in it, or the run `parse_error` that says why not.

    What an answer without that list says of an error is told with it.
    """
    try:
        answer = json_object(response.body)
    except FormatError as error:
        return reader.run(RunOutcome.PARSE_ERROR, str(error))
    found: Any = answer
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, list):
        said = error_text(response.body)
        detail = f"the answer has no list `{'.'.join(path)}`"
        return reader.run(RunOutcome.PARSE_ERROR, detail + (f" ({said})" if said else ""))
    return answer, found


def json_bytes(words: Sequence[str]) -> int:
    """Return how many bytes these strings take in a record."""
    return sum(len(json.dumps(word, ensure_ascii=False).encode("utf-8", "surrogatepass")) + 1 for word in words)


def items(value: object) -> list[Any]:
    """Return the list, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def retry_after(headers: tuple[Header, ...]) -> int | None:
    """Return the seconds of Retry-After. A date is measured against the answer's own Date, so no clock is needed.

    Spec: RFC 9110 section 10.2.3.
    """
    value = header(headers, "retry-after")
    if value is None:
        return None
    wait = seconds(value)
    sent = header(headers, "date")
    if wait is not None or sent is None:
        return wait
    try:
        return seconds(max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(sent)).total_seconds()))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def error_text(body: bytes) -> str:
    """Return what an error answer says for people, at most 300 characters; empty when it says nothing we can read."""
    try:
        value: Any = json_object(body[:100_000])
    except FormatError:
        return ""
    for _ in range(4):
        if not isinstance(value, dict):
            break
        value = next((value[key] for key in ("error", "detail", "message", "info") if value.get(key)), "")
    return text(value)[:300]


def published(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return the date of publication in the first of these fields that has one, and which field that is."""
    return _dated("published", row, names)


def crawled(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return when the provider read the page, by the first of these fields that says so, and which field that is."""
    return _dated("crawled", row, names)


def _dated(what: str, row: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    for name in names:
        found = text(row.get(name))
        if 0 < len(found) <= DATE_MAX:
            return {what: found, f"{what}_source": name}
    return {}


def page_text(value: object) -> str:
    """Return the text of a page as it stands, line breaks kept; lone surrogates and NUL replaced; empty for no text."""
    return without_surrogates(value).replace("\0", "\ufffd") if isinstance(value, str) else ""


def fit(query: str, chars_max: int, words_max: int = 10_000) -> tuple[str, tuple[str, ...]]:
    """Return the query cut at a word to what a provider takes, with a note when it was cut."""
    parts = query.split()
    if len(query) <= chars_max and len(parts) <= words_max:
        return query, ()
    cut = " ".join(parts[:words_max])
    if len(cut) > chars_max:
        cut = cut[: chars_max + 1].rsplit(" ", 1)[0][:chars_max]
    return cut, (f"query cut from {len(query)} to {len(cut)} characters, the most this provider takes",)


def site_operators(query: Query) -> tuple[str, tuple[str, ...]]:
    """Return the `site:` operators that say the query's domain rules, and the options that they cannot say.

    One wanted domain can be said; several cannot in a form that all indexes read alike: the filters do those.
    """
    words = [f"site:{query.include_domains[0]}"] if len(query.include_domains) == 1 else []
    words += [f"-site:{domain}" for domain in query.exclude_domains[:10]]
    unsaid = ["include_domains"] if len(query.include_domains) > 1 else []
    if len(query.exclude_domains) > 10:
        unsaid.append("exclude_domains")
    return "".join(" " + word for word in words), tuple(unsaid)


def wanted(query: Query, facts: Facts) -> int:
    """Return how many results to ask for: those of all pages up to the wanted one where the provider has no pages.

    The results of the pages before are then dropped by us.
    """
    pages = 1 if "page" in facts.applies else query.page
    return min(query.count * pages, facts.count_max)


def is_challenge(response: Response) -> bool:
    """Say whether the server itself declares its answer a bot challenge; other headers of such servers say nothing."""
    return (header(response.headers, "cf-mitigated") or "").strip().lower() == "challenge"


_STATUS = {
    401: (RunOutcome.AUTH, "the key is missing or wrong"),
    402: (RunOutcome.QUOTA, "the plan or the credit is used up"),
    404: (RunOutcome.BAD_REQUEST, "there is no search at this address"),
    429: (RunOutcome.RATE_LIMITED, "too many requests"),
}


def status_run(facts: Facts, response: Response, parser: str, ignored: tuple[str, ...] = ()) -> Run | None:
    """Return the run that the status alone tells; None for 2xx, where the body decides.

    403 is `auth` when a key was sent, else `blocked`; a challenge that the server itself declares is always `blocked`.
    """
    status = response.status
    if 200 <= status < 300:
        return None
    said = error_text(response.body)
    if is_challenge(response):
        outcome, meaning = RunOutcome.BLOCKED, "a bot challenge"
    elif status == 403:
        keyed = facts.key != "none" and not facts.keyless
        outcome, meaning = (RunOutcome.AUTH, "not allowed") if keyed else (RunOutcome.BLOCKED, "not allowed")
    elif status in _STATUS:
        outcome, meaning = _STATUS[status]
    elif 300 <= status < 400:
        outcome, meaning = RunOutcome.UNAVAILABLE, "it redirects elsewhere; set the provider's address to the new one"
    elif 400 <= status < 500:
        outcome, meaning = RunOutcome.BAD_REQUEST, "it does not accept the request"
    else:
        outcome, meaning = RunOutcome.UNAVAILABLE, "its server failed"
    wait = retry_after(response.headers) if outcome in (RunOutcome.RATE_LIMITED, RunOutcome.UNAVAILABLE) else None
    detail = f"{facts.name}: status {status}, {meaning}" + (f" ({said})" if said else "")
    return Run(facts.name, outcome, detail=detail, retry_after_s=wait, ignored=ignored, parser=parser)


@dataclass
class Reader:
    """Collects the results of one answer, and what was no result, while a parser walks it."""

    facts: Facts
    parser: str
    ignored: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    item_count: int = 0

    def walk(self, rows: Sequence[Any], read: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Add each row: `read` gives `url` as it stood, and the cleaned title, snippet and other fields of `Result`."""
        if self.is_over(len(rows)):
            return
        for place, row in enumerate(rows[:ITEMS_MAX], 1):
            if isinstance(row, dict):
                self.add(place, **read(row))
            else:
                self.drop(f"item {place}", "not-an-object")
        for place in range(ITEMS_MAX + 1, len(rows) + 1):
            self.drop(f"item {place}", "over-items-limit")

    def is_over(self, count: int) -> bool:
        """Count so many more items of the answer; return whether they are too many to be told one by one."""
        self.item_count += count
        return self.item_count > ITEMS_HARD_MAX

    def add(self, place: int, url: object, title: str = "", snippet: str = "", **rest: Any) -> None:
        """Add one result, or drop it when it has no usable address; long fields are cut and say so."""
        if not isinstance(url, str) or not url.strip():
            return self.drop(title or f"item {place}", "no-url")
        if len(url) > URL_MAX:
            return self.drop(title or f"item {place}", "url-too-long")
        # an address with a control character or a lone surrogate stays broken, so that the filters see it as it is
        url = without_surrogates(url)
        extra = {key: value for key, value in rest.pop("extra", {}).items() if value}
        if len(title) > TITLE_MAX or len(snippet) > SNIPPET_MAX:
            extra["cut"] = f"title {len(title)}, snippet {len(snippet)} characters"
        if len(given := rest.get("text", "")) > TEXT_MAX or (given and len(self.results) >= TEXTS_MAX):
            extra["text_cut"] = f"{len(given)} characters"
            rest["text"] = given[:TEXT_MAX] if len(self.results) < TEXTS_MAX else ""
        result = Result(len(self.results) + 1, url, title[:TITLE_MAX], snippet[:SNIPPET_MAX], extra=extra, **rest)
        self.results.append(result)
        return None

    def drop(self, what: str, reason: str) -> None:
        """Say that an item of the answer is no result."""
        self.dropped.append((what[:TITLE_MAX], reason))

    def note(self, what: str) -> None:
        """Keep a short fact of the answer as a whole; so many of them as a record can hold."""
        if not what or len(self.notes) >= NOTES_MAX:
            return
        if json_bytes(self.notes) + json_bytes([what[:TITLE_MAX]]) <= NOTES_BYTES_MAX:
            self.notes.append(what[:TITLE_MAX])

    def run(self, outcome: RunOutcome | None = None, detail: str = "", retry_after_s: int | None = None) -> Run:
        """Return the run. Without an outcome: `ok`; or `empty`, unless rows came and none could be read.

        An answer of more than `ITEMS_HARD_MAX` items is `too_large` whatever else it is, and has no results.
        """
        if self.item_count > ITEMS_HARD_MAX:
            self.results, self.dropped = [], []
            outcome, detail = RunOutcome.TOO_LARGE, f"an answer of {self.item_count} items, over {ITEMS_HARD_MAX}"
        if outcome is None:
            outcome = RunOutcome.OK if self.results else RunOutcome.EMPTY
            unread = [reason for _, reason in self.dropped if reason in ("not-an-object", "no-url", "url-too-long")]
            if not self.results and unread:
                outcome = RunOutcome.PARSE_ERROR
                detail = f"none of {len(self.dropped)} items could be read; the answer's form may have changed"
        name = self.facts.name
        return Run(
            name,
            outcome,
            results=tuple(self.results),
            detail=f"{name}: {detail}" if detail else "",
            retry_after_s=retry_after_s,
            ignored=self.ignored,
            dropped=tuple(self.dropped),
            notes=tuple(self.notes),
            parser=self.parser,
        )
