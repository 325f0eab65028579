"""How a search is run: one frozen value, logged with the query. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from typing import Any

from searchlog.canon import decimal_string
from searchlog.capture.exchange import Limits
from searchlog.capture.guard import Allow
from searchlog.checks import Form, Rule, Span, Words, checked, expect, shown
from searchlog.errors import UsageError
from searchlog.evidence.policy import Policy
from searchlog.extract.convert import ConvertOptions
from searchlog.search.filters import domain_of
from searchlog.search.query import Query

__all__ = ["Settings", "split_options"]

_QUERY_CHARS_MAX = 8_000
_TEXTS_MAX = 10
_SECONDS = Span(0.0, 86_400.0, "seconds", above=True)
_BYTES = Span(1, 2**31)
_DAY = Form(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as '2026-01-31'")
_RULES: Mapping[str, Rule] = {
    # of the query
    "count": Span(1, 50),
    "page": Span(1, 1_000),
    "language": Form(r"[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8}){0,6}", "a language tag such as 'en' or 'zh-Hans'"),
    "country": Form(r"[A-Z]{2}", "two capital letters of ISO 3166-1 such as 'JP'"),
    "freshness": Words(("day", "week", "month", "year")),
    "after": _DAY,
    "before": _DAY,
    "asked_on": _DAY,
    "safe": Words(("off", "moderate", "strict")),
    # of the settings
    "pages": Span(1, 200),
    "deadline_s": _SECONDS,
    "provider_s": _SECONDS,
    "soft_s": Span(0.0, 86_400.0, "seconds"),
    "budget_tokens": Span(1, 1_000_000),
    "passages_max": Span(1, 10_000),
    "per_host_max": Span(1, 200),
    "robots": Words(("obey", "ignore")),
    "provider_text": Words(("never", "fallback", "prefer")),
    "cache_max_age_s": Span(0, 2**31, "seconds"),
    "threads": Span(1, 128),
    # of the limits and of what conversions are told
    "total_s": _SECONDS,
    "connect_s": _SECONDS,
    "idle_s": _SECONDS,
    "coded_bytes_max": _BYTES,
    "decoded_bytes_max": _BYTES,
    "header_bytes_max": _BYTES,
    "redirects_max": Span(0, 100),
    "url_bytes_max": Span(1, 65_536),
    "codings_max": Span(0, 100),
    "text_chars_max": Span(1, 2**31),
    "pdf_pages_max": Span(1, 1_000_000),
}
"""What may be asked for beyond its type. What has no bound in itself has one that no search needs to pass."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What shapes a search besides the query. Seconds, tokens and counts."""

    pages: int = 8
    """Candidates that are fetched and read, best first."""
    deadline_s: float = 20.0
    """Asking and reading end after this; indexing before it and choosing after it are work, not waiting."""
    provider_s: float = 8.0
    """One provider has this long to answer."""
    soft_s: float = 2.0
    """Seconds after which what is late is cut: providers once another gave results, pages once half of them gave
    text."""
    budget_tokens: int = 4000
    """Size of the evidence; the best passage is taken even when it alone is larger."""
    passages_max: int = 60
    include_hidden: bool = False
    per_host_max: int | None = None
    """Candidates of one host at most."""
    robots: str = "obey"
    """`obey` or `ignore`; recorded with each capture."""
    cache_max_age_s: int | None = None
    """Take an answer or a page from the HTTP cache when it is younger than this, whatever its headers say; 0 never.
    None leaves it to the headers."""
    allow_private: tuple[str, ...] = ()
    """Hosts (`HOST` or `HOST:PORT`) that may be reached though their address is not public."""
    provider_text: str = "never"
    """Whether texts of pages that providers give may be evidence, as `provider-text`: `never`; `fallback`, where the
    page itself gave none; `prefer`, where there is one, and the page is not fetched then."""
    threads: int = 16
    scorer: str | None = None
    """A model of one's own whose score is mixed into the ranking of passages, such as `static:/path/to/folder`; see
    `models/load.py`. A replay needs the same model."""
    limits: Limits = field(default_factory=Limits)
    convert: ConvertOptions = field(default_factory=ConvertOptions)

    def policy(self) -> Policy:
        """Return the policy of the selection."""
        return Policy(
            budget_tokens=self.budget_tokens, passages_max=self.passages_max, include_hidden=self.include_hidden
        )

    def to_json(self) -> dict[str, Any]:
        """Return all of it as stored: fractions as decimal strings."""
        out: dict[str, Any] = _plain(asdict(self))
        out["selection"] = _plain(asdict(self.policy()))
        return out

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Settings:
        """Return the settings that `to_json` wrote, to run a search again; unknown fields are left aside."""
        own = {f.name: value[f.name] for f in fields(cls) if f.name in value and f.name not in ("limits", "convert")}
        for name in ("deadline_s", "provider_s", "soft_s"):
            if name in own:
                own[name] = float(own[name])
        own["allow_private"] = tuple(own.get("allow_private", ()))
        known = {f.name: f.type for f in fields(ConvertOptions)}
        convert = {name: item for name, item in value.get("convert", {}).items() if name in known}
        return cls(**own, convert=ConvertOptions(**convert))


def _day(value: str | None, name: str) -> date:
    """Return a day, of None the one that bounds nothing. Raises UsageError for a day that no calendar has."""
    if value is None:
        return date.min if name == "after" else date.max
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{name}: {value} is no day of the calendar", argument=name) from None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return decimal_string(value) if isinstance(value, float) else value


def _query_of(texts: str | Sequence[str], options: Mapping[str, Any]) -> Query:
    """Return the query that asks these texts. Raises UsageError when there are none, and when `also` names more."""
    if isinstance(texts, str):
        return Query(texts)
    if not texts:
        raise UsageError("an empty list of queries: say what to search for", argument="query")
    if "also" in options:
        raise UsageError("several queries are given twice: in the list, or as also", argument="also")
    for number, text in enumerate(texts):
        expect(f"query[{number}]", text, str)
    return Query(texts[0], also=tuple(texts[1:]))


def _checked_texts(asked: Query) -> Query:
    """Return the query with each of its texts once. Raises UsageError on a blank one, and on too much of them."""
    if not all(text.strip() for text in asked.phrasings):
        raise UsageError("an empty query: say what to search for")
    if asked.focus is not None and not asked.focus.strip():
        raise UsageError("an empty focus: say what to look for on the pages, or leave it out", argument="focus")
    asked = asked.reworded(lambda text: text)
    if len(asked.phrasings) > _TEXTS_MAX:
        raise UsageError(f"{len(asked.phrasings)} queries in one call; at most {_TEXTS_MAX}", argument="also")
    # all of them stand in one line of the log
    length = sum(map(len, asked.phrasings)) + len(asked.focus or "")
    if length > _QUERY_CHARS_MAX:
        what = "a query" if asked.focus is None and not asked.also else "queries and a focus"
        raise UsageError(f"{what} of {length} characters; at most {_QUERY_CHARS_MAX}")
    return asked


def split_options(
    query: str | Sequence[str] | Query, settings: Settings | None, options: dict[str, Any]
) -> tuple[Query, Settings]:
    """Return the query and the settings with these options put in by name.

    query: one text, a list of texts that ask the same, or both and more as a value. A list is as good as a tuple, one
    string as a list of it. Raises UsageError on a name that neither has, and on a value that cannot be searched with,
    naming it and what is allowed.
    """
    if not isinstance(query, str | list | tuple | Query):
        said = f"query must be a string, a list of strings or a Query, not {shown(query)}"
        raise UsageError(said, argument="query")
    expect("settings", settings, Settings | None)
    asked = query if isinstance(query, Query) else _query_of(query, options)
    chosen = settings or Settings()
    values = dict(options)
    for_query: dict[str, Any] = {f.name: values.pop(f.name) for f in fields(Query) if f.name in values}
    for_settings: dict[str, Any] = {f.name: values.pop(f.name) for f in fields(Settings) if f.name in values}
    if values:
        known = ", ".join(sorted(f.name for f in (*fields(Query), *fields(Settings))))
        raise UsageError(f"no option {', '.join(sorted(values))}; there are: {known}", options=sorted(values))
    asked, chosen = replace(asked, **for_query), replace(chosen, **for_settings)
    if isinstance(asked.country, str):
        asked = replace(asked, country=asked.country.upper())
    asked, chosen = checked(asked, _RULES), checked(chosen, _RULES)
    asked = _checked_texts(asked)
    if asked.freshness and (asked.after or asked.before):
        raise UsageError("freshness and a range of dates exclude each other: give one of them")
    if _day(asked.after, "after") > _day(asked.before, "before"):
        raise UsageError(f"after {asked.after} and before {asked.before}: no day is both")
    # read here and thrown away, so that a wrong one is told before anybody is asked
    for rule in (*asked.include_domains, *asked.exclude_domains):
        domain_of(rule)
    Allow.parse(chosen.allow_private)
    return asked, chosen
