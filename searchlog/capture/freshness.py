"""Whether an answer may be kept by a private cache, and for how long it is fresh. Pure.

Only what the answer says itself counts: no heuristics, and `no-cache` is treated as not to be kept, since this cache
does not revalidate. Spec: RFC 9111 sections 3, 4.2, 5.2.  Shown by test_cache.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from searchlog.capture.exchange import Exchange, Fetch, Outcome, header

__all__ = ["age_s", "fetch_age_s", "fetch_lifetime_s", "lifetime_s", "storable", "vary"]

_PERMANENT = (301, 308)


def storable(fetch: Fetch) -> bool:
    """Whether a fetch may be kept: it ended in a complete 200 to GET, and no hop forbids it."""
    final = fetch.final
    if final is None or fetch.outcome is not Outcome.COMPLETE or final.status != 200 or fetch.cache_hit is not None:
        return False
    return all(_hop_storable(hop) for hop in fetch.hops)


def _hop_storable(hop: Exchange) -> bool:
    directives = _directives(hop)
    if hop.method != "GET" or "*" in vary(hop) or hop.status in (429, 503):
        return False
    return not {"no-store", "no-cache"} & directives.keys()


def fetch_lifetime_s(fetch: Fetch) -> int:
    """Return for how long all hops of a fetch are fresh, in seconds."""
    return min((lifetime_s(hop) for hop in fetch.hops), default=0)


def fetch_age_s(fetch: Fetch, now: datetime) -> int:
    """Return the age of the oldest hop."""
    return max((age_s(hop, now) for hop in fetch.hops), default=0)


def lifetime_s(exchange: Exchange) -> int:
    """Return the freshness lifetime: max-age, else Expires less Date, else 0 (a year for a permanent redirect)."""
    directives = _directives(exchange)
    if "max-age" in directives:
        return _seconds(directives["max-age"])
    expires = header(exchange.headers, "expires")
    if expires is not None:
        until = _date(expires)
        since = _date(header(exchange.headers, "date")) or exchange.started_at
        # an Expires that is no date means already expired (RFC 9111 section 5.3)
        return 0 if until is None else max(0, int((until - since).total_seconds()))
    return 365 * 86_400 if exchange.status in _PERMANENT else 0


def age_s(exchange: Exchange, now: datetime) -> int:
    """Return the current age. Spec: RFC 9111 section 4.2.3."""
    delay = exchange.duration_ms // 1000
    date = _date(header(exchange.headers, "date"))
    apparent = 0 if date is None else max(0, int((exchange.started_at - date).total_seconds()) + delay)
    initial = max(apparent, _seconds(header(exchange.headers, "age")) + delay)
    return initial + max(0, int((now - exchange.started_at).total_seconds()) - delay)


def vary(exchange: Exchange) -> tuple[str, ...]:
    """Return the names of request fields that chose this answer, lower case."""
    values = [value for name, value in exchange.headers if name.lower() == "vary"]
    return tuple(part.strip().lower() for value in values for part in value.split(",") if part.strip())


def _directives(exchange: Exchange) -> dict[str, str]:
    out: dict[str, str] = {}
    for name, value in exchange.headers:
        if name.lower() == "cache-control":
            for part in value.split(","):
                key, _, argument = part.strip().partition("=")
                out.setdefault(key.strip().lower(), argument.strip().strip('"'))
    return out


def _seconds(value: str | None) -> int:
    """Return delta-seconds; what is not a number is 0 (stale), what is too large is 2**31 (RFC 9111 section 1.2.2)."""
    if value is None or not value.isascii() or not value.isdigit():
        return 0
    return min(int(value), 2**31) if len(value) < 12 else 2**31


def _date(value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
