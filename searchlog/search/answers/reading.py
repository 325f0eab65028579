"""What the parsers of provider answers share: strict about shape, tolerant of what is new, silent about nothing. Pure.

Values from the far end are hostile: wrong types, lone surrogates, NaN, integers of a thousand digits, nesting without
end, a million items. None of it may raise past a parser or reach a record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from searchlog.capture.exchange import Header, header
from searchlog.errors import FormatError
from searchlog.search.answers.values import (
    json_object,
    seconds,
    text,
    without_surrogates,
)
from searchlog.search.provider import Facts, Response
from searchlog.search.query import Query
from searchlog.search.run import ITEMS_HARD_MAX, NOTES_BYTES_MAX, Result, Run, RunOutcome, json_bytes

__all__ = [
    "ITEMS_MAX",
    "TITLE_MAX",
    "Reader",
    "check_key",
    "code_of_tag",
    "error_text",
    "fit",
    "is_challenge",
    "retry_after",
    "rows",
    "site_operators",
    "wanted",
]

TITLE_MAX = 500
SNIPPET_MAX = 4_000
NOTES_MAX = 50
TEXT_MAX, TEXTS_MAX = 1_000_000, 50
"""Characters of one page's text that are taken from a provider, and texts of one answer."""
URL_MAX = 8_192
ITEMS_MAX = 500
"""Results taken from one answer; each further item is dropped, and counted."""


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


def code_of_tag(tag: str | None, known: Collection[str], alias: Mapping[str, str]) -> str | None:
    """Return a service's code of a language tag: of the whole tag, else of its first two parts, else of the first.

    None when it has none. known: its codes, in lower case. alias: what it calls otherwise, which counts first.
    """
    name = (tag or "").lower().replace("_", "-")
    parts = name.split("-")
    codes = (alias.get(part, part) for part in (name, "-".join(parts[:2]), parts[0]))
    return next((code for code in codes if code in known), None)


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


def _meaning(status: int) -> tuple[RunOutcome, str]:
    """Return what a status says that is none of success."""
    if status in _STATUS:
        return _STATUS[status]
    if 300 <= status < 400:
        return RunOutcome.UNAVAILABLE, "it redirects elsewhere; set the provider's address to the new one"
    if 400 <= status < 500:
        return RunOutcome.BAD_REQUEST, "it does not accept the request"
    return RunOutcome.UNAVAILABLE, "its server failed"


def check_key(facts: Facts) -> str:
    """Return what to do about a key that is refused, or that would help."""
    return f"{'set' if facts.keyless else 'check'} {facts.key_env[0]}"


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

    def refused(self, response: Response) -> Run | None:
        """Return the run that the status alone tells; None for 2xx, where the body decides.

        403 is `auth` when a key was sent, else `blocked`; a challenge that the server itself declares is always
        `blocked`. What is wrong with a key names the variable to look at.
        """
        status = response.status
        if 200 <= status < 300:
            return None
        if is_challenge(response):
            outcome, meaning = RunOutcome.BLOCKED, "a bot challenge"
        elif status == 403:
            keyed = self.facts.key != "none" and not self.facts.keyless
            outcome, meaning = RunOutcome.AUTH if keyed else RunOutcome.BLOCKED, "not allowed"
        else:
            outcome, meaning = _meaning(status)
        wait = retry_after(response.headers) if outcome in (RunOutcome.RATE_LIMITED, RunOutcome.UNAVAILABLE) else None
        said = error_text(response.body)
        name = self.facts.name
        detail = f"{name}: status {status}, {meaning}" + (f" ({said})" if said else "")
        if outcome is RunOutcome.AUTH and self.facts.key != "none":
            detail += f"; {check_key(self.facts)}"
        return Run(name, outcome, detail=detail, retry_after_s=wait, ignored=self.ignored, parser=self.parser)

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
