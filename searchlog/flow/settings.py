"""How a search is run: one frozen value, logged with the query. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from searchlog.canon import decimal_string
from searchlog.capture.exchange import Limits
from searchlog.errors import UsageError
from searchlog.evidence.policy import Policy
from searchlog.extract.convert import ConvertOptions
from searchlog.search.query import Query

__all__ = ["Settings", "split_options"]

_SECONDS_MAX = 86_400.0
_QUERY_CHARS_MAX = 8_000


@dataclass(frozen=True, slots=True)
class Settings:
    """What shapes a search besides the query. Seconds, tokens and counts."""

    pages: int = 8
    """Candidates that are fetched and read, best first."""
    deadline_s: float = 20.0
    """Nothing of a search blocks longer than this."""
    provider_s: float = 8.0
    """One provider has this long to answer."""
    soft_s: float = 2.0
    """Seconds after which what is late is cut: providers once another gave results, pages once half of them gave
    text."""
    budget_tokens: int = 4000
    """Size of the evidence."""
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
    threads: int = 16
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


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return decimal_string(value) if isinstance(value, float) else value


def split_options(query: str | Query, settings: Settings | None, options: dict[str, Any]) -> tuple[Query, Settings]:
    """Return the query and the settings with these options put in by name.

    Raises UsageError on a name that neither has.
    """
    asked = Query(query) if isinstance(query, str) else query
    chosen = settings or Settings()
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
    }
    for_query: dict[str, Any] = {f.name: values.pop(f.name) for f in fields(Query) if f.name in values}
    for_settings: dict[str, Any] = {f.name: values.pop(f.name) for f in fields(Settings) if f.name in values}
    if values:
        known = ", ".join(sorted(f.name for f in (*fields(Query), *fields(Settings))))
        raise UsageError(f"no option {', '.join(sorted(values))}; there are: {known}", options=sorted(values))
    asked, chosen = replace(asked, **for_query), replace(chosen, **for_settings)
    _check(asked, chosen)
    return asked, chosen


def _check(query: Query, settings: Settings) -> None:
    """Raise UsageError on what cannot be searched for or recorded."""
    if not query.text.strip():
        raise UsageError("an empty query: say what to search for")
    if len(query.text) > _QUERY_CHARS_MAX:
        raise UsageError(f"a query of {len(query.text)} characters; at most {_QUERY_CHARS_MAX}")
    if any("\ud800" <= char <= "\udfff" for char in query.text):
        raise UsageError("a query with half a surrogate pair: it has no UTF-8")
    if not 1 <= query.count <= 50:
        raise UsageError(f"count is {query.count}; it goes from 1 to 50")
    if query.page < 1 or settings.pages < 1 or settings.budget_tokens < 1:
        raise UsageError("page, pages and budget_tokens count from 1")
    for name in ("deadline_s", "provider_s", "soft_s"):
        seconds = getattr(settings, name)
        if not 0 <= seconds <= _SECONDS_MAX:
            raise UsageError(f"{name} is {seconds}; it goes from 0 to {_SECONDS_MAX:.0f} seconds")
