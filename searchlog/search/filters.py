"""Filters over candidates: which may be fetched, each drop with a reason code. Pure.

The address guard is not here: whether a host is public is decided at connect time, in capture, for every hop. What can
be said of a URL without the network, the caller's `refusal` says, so that what is refused anyhow takes nobody's place.

| reason | why a candidate is dropped |
|---|---|
| `bad-url` | no scheme or host; a blank, control character or backslash in it; a bad port; over the length limit |
| `unsafe-scheme` | not http or https |
| `credentials-in-url` | a user name or password before the host |
| `refused-address`, `refused-url`, … | capture would not ask: `refused-` and the reason that `refusal` gives |
| `domain-excluded`, `domain-not-included` | the query's domain rules |
| `duplicate-url` | an earlier candidate has the same comparison key |
| `per-host-limit`, `limit` | enough already |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from searchlog.errors import UsageError
from searchlog.search.decision import Decision, Step
from searchlog.search.fuse import Candidate
from searchlog.search.run import Run, RunOutcome

__all__ = ["Policy", "domain_of", "filter_candidates", "settle"]

RULE = "filter/1"

_BROKEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\u200b-\u200f\u2028-\u202e\u2066-\u2069\u3000\ufeff\ufffd]")
_ENOUGH = frozenset({"limit", "per-host-limit", "duplicate-url"})


@dataclass(frozen=True, slots=True)
class Policy:
    """What may pass; logged with every search."""

    limit: int | None = 10
    """Candidates kept at most; None for no limit."""
    per_host_max: int | None = None
    include_domains: tuple[str, ...] = ()
    """When given, only these domains and those below them."""
    exclude_domains: tuple[str, ...] = ()
    url_chars_max: int = 8_192

    def rule(self) -> str:
        """Return the rule with its options, for the step."""
        parts = [
            RULE,
            f"limit={self.limit}",
            f"per_host_max={self.per_host_max}",
            f"url_chars_max={self.url_chars_max}",
        ]
        parts += ["include=" + ",".join(self.include_domains)] if self.include_domains else []
        parts += ["exclude=" + ",".join(self.exclude_domains)] if self.exclude_domains else []
        return " ".join(parts)


def _never(url: str) -> None:
    """Refuse no URL."""


def filter_candidates(
    candidates: Sequence[Candidate], policy: Policy, refusal: Callable[[str], str | None] = _never
) -> tuple[tuple[Candidate, ...], Step]:
    """Return the candidates that pass, in their order, and the step with one decision a candidate.

    refusal: says of a URL why it would not be asked for, as a code, or None; a candidate that is stored already is
    not asked for. Raises UsageError on a domain rule that is no domain.
    """
    include = tuple(domain_of(domain) for domain in policy.include_domains)
    exclude = tuple(domain_of(domain) for domain in policy.exclude_domains)
    kept: list[Candidate] = []
    decisions: list[Decision] = []
    keys: set[str] = set()
    hosts: Counter[str] = Counter()
    for candidate in candidates:
        host, reason = _read(candidate.url, policy.url_chars_max)
        numbers: dict[str, str | int] = {"rank": candidate.rank}
        if reason is None:
            reason = _rules(host, include, exclude)
        if reason is None and "capture_session" not in candidate.extra and (why := refusal(candidate.url)) is not None:
            reason = f"refused-{why}"
        if reason is None and candidate.key in keys:
            reason = "duplicate-url"
        if reason is None and policy.per_host_max is not None and hosts[host] >= policy.per_host_max:
            reason, numbers["limit"] = "per-host-limit", policy.per_host_max
        if reason is None and policy.limit is not None and len(kept) >= policy.limit:
            reason, numbers["limit"] = "limit", policy.limit
        if reason is None:
            kept.append(candidate)
            keys.add(candidate.key)
            hosts[host] += 1
        decisions.append(Decision("filter", candidate.url, reason is None, reason or "kept", numbers))
    dropped = sum(not decision.kept for decision in decisions)
    return tuple(kept), Step("filter", policy.rule(), len(candidates), len(kept), dropped, tuple(decisions))


def settle(runs: Sequence[Run], candidates: Sequence[Candidate], step: Step) -> tuple[Run, ...]:
    """Return the runs with `filtered_to_empty` where a filter, other than a limit, dropped all that a provider gave."""
    alive: set[tuple[str, int]] = set()
    for candidate, decision in zip(candidates, step.decisions, strict=True):
        if decision.kept or decision.reason in _ENOUGH:
            alive |= candidate.found_by
    out = []
    for run in runs:
        if run.outcome is RunOutcome.OK and (run.provider, run.query_number) not in alive:
            count = len(run.results)
            detail = f"{run.provider}: answered with {count} results, and the filters dropped every one"
            out.append(replace(run, outcome=RunOutcome.FILTERED_TO_EMPTY, detail=detail))
        else:
            out.append(run)
    return tuple(out)


def _read(url: str, chars_max: int) -> tuple[str, str | None]:
    """Return the host in lower case, and the reason why this URL may not be fetched, if there is one."""
    # before urlsplit, which drops tabs and line breaks without a word
    if not url or len(url) > chars_max or _BROKEN.search(url):
        return "", "bad-url"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "", "bad-url"
    if not parts.scheme:
        return "", "bad-url"
    if parts.scheme.lower() not in ("http", "https"):
        return "", "unsafe-scheme"
    if "@" in parts.netloc:
        return "", "credentials-in-url"
    host = _ascii(host)
    return host, None if host and port != 0 else "bad-url"


def _rules(host: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> str | None:
    if any(_below(host, domain) for domain in exclude):
        return "domain-excluded"
    if include and not any(_below(host, domain) for domain in include):
        return "domain-not-included"
    return None


def _below(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)


def domain_of(rule: str) -> str:
    """Return a domain rule as a host in ASCII; `*.example.org` and `.example.org` mean the same as `example.org`.

    Raises UsageError when it is no domain.
    """
    host = _ascii(rule.strip().removeprefix("*").removeprefix("."))
    if not host or re.search(r"[\s/:@?#]", host):
        raise UsageError(f"not a domain: {rule!r:.80}; write it like example.org", domain=rule)
    return host


def _ascii(host: str) -> str:
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
