"""Fusion: several runs become one list of candidates by reciprocal rank, equal resources merged. Pure.

score(candidate) = sum over runs of 1 / (k + rank), the best rank of each run only (Cormack, Clarke and Büttcher 2009).
Scores are added exactly, so neither the order of addition nor the machine can change a ranking.

Two results are one resource when their comparison keys are equal. The key is used for nothing else: the URL shown and
fetched is always the original. It forgets the scheme among http and https, a default port, the case of scheme and host,
the way of writing percent escapes, and known trackers. It keeps everything that can name another page: `www.` (often
another server, and not ours to judge), trailing slashes, fragments (single-page sites), parameters such as `ref`,
`source` and `token`, their order and repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import repeat
from urllib.parse import urlsplit

from searchlog.canon import decimal_string
from searchlog.search.decision import Decision, Step
from searchlog.search.run import Result, Run

__all__ = ["RRF_K", "Candidate", "comparison_key", "fuse"]

RRF_K = 60
RULE = "rrf/1 key/1"

_TRACKERS_LIST = (
    "_ga _gl _hsenc _hsmi dclid fbclid gad_source gbraid gclid gclsrc igsh igshid li_fat_id mc_cid mc_eid mkt_tok "
    "msclkid oly_anon_id oly_enc_id rb_clickid s_kwcid srsltid ttclid twclid vero_id wbraid wickedid yclid ysclid"
)
_TRACKERS = frozenset(_TRACKERS_LIST.split())
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DEFAULT_PORT = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One resource after the results of all runs are merged."""

    rank: int
    """1-based place after fusion; filters do not renumber."""
    key: str
    """The comparison key; equal for no other candidate of one fusion."""
    url: str
    """The original URL of its best-ranked result."""
    title: str
    snippet: str
    published: str | None
    """As its best-ranked result with a date gave it."""
    score: str
    """Decimal string, comparable only within this fusion."""
    positions: tuple[tuple[str, int], ...]
    """(provider, rank) of every result merged into it, in the order of the runs."""
    query_numbers: tuple[int, ...] = ()
    """Which text of the query each of `positions` was found by; empty where all were by the first."""
    other_urls: tuple[str, ...] = ()
    """Original URLs of merged results that are written differently."""
    extra: dict[str, str] = field(default_factory=dict)
    """Facts of its results, the best-ranked one first to speak; `capture_session` and `capture_seq` of a local hit."""
    published_source: str | None = None
    """Provider and field that say so: `brave:page_age`."""
    crawled: str | None = None
    """When a provider read the page, as it gave it."""
    crawled_source: str | None = None
    text: str = ""
    """The text of the page as a provider gives it, that of the best-ranked result with one; never a capture."""
    text_type: str = ""
    text_provider: str = ""
    text_query: int = 1
    """Which text of the query that provider was asked."""

    @property
    def found_by(self) -> set[tuple[str, int]]:
        """Return the runs that found it: each as its provider and the number of the query's text."""
        numbers = self.query_numbers or repeat(1)
        return {(provider, number) for (provider, _), number in zip(self.positions, numbers, strict=False)}


def comparison_key(url: str) -> str:
    """Return the key under which two URLs count as one resource; a URL that cannot be read is its own key."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    host = (host or "").rstrip(".")
    if scheme not in _DEFAULT_PORT or not host:
        return url
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            pass
    user = parts.netloc.rpartition("@")[0]
    netloc = (user + "@" if user else "") + host
    if port is not None and port != _DEFAULT_PORT[scheme]:
        netloc += f":{port}"
    pairs = [pair for pair in parts.query.split("&") if not _is_tracker(pair)]
    query = "?" + "&".join(pairs) if any(pairs) else ""
    fragment = "#" + parts.fragment if parts.fragment else ""
    return "//" + netloc + _escapes(parts.path or "/") + _escapes(query) + _escapes(fragment)


def _is_tracker(pair: str) -> bool:
    name = pair.partition("=")[0].lower()
    return name in _TRACKERS or name.startswith("utm_")


def _escapes(part: str) -> str:
    """Write percent escapes one way (RFC 3986 section 6.2.2): upper-case digits, none for unreserved characters."""

    def one(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char in _UNRESERVED else match[0].upper()

    return _ESCAPE.sub(one, part)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One result where it stood."""

    run: int
    provider: str
    query_number: int
    result: Result

    @property
    def place(self) -> str:
        """The run and the rank in it: `brave:3`, and `brave#2:3` for the second text of a query."""
        number = f"#{self.query_number}" if self.query_number > 1 else ""
        return f"{self.provider}{number}:{self.result.rank}"


def fuse(runs: Sequence[Run], k: int = RRF_K) -> tuple[tuple[Candidate, ...], Step]:
    """Return the candidates of these runs, best first, and the step that accounts for every result.

    Ties are broken by the best single rank, then by the order of the runs, then by the key.
    """
    groups: dict[str, list[_Seen]] = {}
    for number, run in enumerate(runs):
        for result in run.results:
            seen = _Seen(number, run.provider, run.query_number, result)
            groups.setdefault(comparison_key(result.url), []).append(seen)

    def order(item: tuple[str, list[_Seen]]) -> tuple[Fraction, int, int, str]:
        best = _best(item[1])
        return (-_score(item[1], k), best.result.rank, best.run, item[0])

    ranked = sorted(groups.items(), key=order)
    candidates = tuple(_candidate(rank, key, seen, k) for rank, (key, seen) in enumerate(ranked, 1))
    decisions = [d for candidate, (_, seen) in zip(candidates, ranked, strict=True) for d in _decide(candidate, seen)]
    in_count = sum(len(run.results) for run in runs)
    step = Step("fuse", f"{RULE} k={k}", in_count, len(candidates), in_count - len(candidates), tuple(decisions))
    return candidates, step


def _best(seen: list[_Seen]) -> _Seen:
    return min(seen, key=lambda one: (one.result.rank, one.run))


def _score(seen: list[_Seen], k: int) -> Fraction:
    best: dict[int, int] = {}
    for one in seen:
        best[one.run] = min(one.result.rank, best.get(one.run, one.result.rank))
    return sum((Fraction(1, k + rank) for rank in best.values()), Fraction(0))


def _candidate(rank: int, key: str, seen: list[_Seen], k: int) -> Candidate:
    best_first = sorted(seen, key=lambda one: (one.result.rank, one.run))
    results = [one.result for one in best_first]
    published = next(((r.published, s) for r, s in _with_source(best_first, "published") if r.published), (None, None))
    crawled = next(((r.crawled, s) for r, s in _with_source(best_first, "crawled") if r.crawled), (None, None))
    extra: dict[str, str] = {}
    for result in results:
        for name, value in result.extra.items():
            extra.setdefault(name, value)
    given = next((one for one in best_first if one.result.text), None)
    url = results[0].url
    numbers = tuple(one.query_number for one in seen)
    return Candidate(
        rank=rank,
        key=key,
        url=url,
        title=next((r.title for r in results if r.title), ""),
        snippet=next((r.snippet for r in results if r.snippet), ""),
        published=published[0],
        published_source=published[1],
        crawled=crawled[0],
        crawled_source=crawled[1],
        score=decimal_string(float(_score(seen, k)), 9),
        text=given.result.text if given else "",
        text_type=given.result.text_type if given else "",
        text_provider=given.provider if given else "",
        text_query=given.query_number if given else 1,
        positions=tuple((one.provider, one.result.rank) for one in seen),
        query_numbers=numbers if any(number > 1 for number in numbers) else (),
        other_urls=tuple(dict.fromkeys(r.url for r in results if r.url != url)),
        extra=extra,
    )


def _with_source(seen: Sequence[_Seen], what: str) -> Iterator[tuple[Result, str]]:
    """Yield each result with the words for who says its date and where: `brave:page_age`, or `brave` alone."""
    for one in seen:
        field_name = getattr(one.result, f"{what}_source")
        yield one.result, f"{one.provider}:{field_name}" if field_name else one.provider


def _decide(candidate: Candidate, seen: list[_Seen]) -> list[Decision]:
    """Return one decision a result: the best one stands for the candidate, the others are merged into it."""
    ranks = " ".join(one.place for one in seen)
    best = _best(seen)
    out = []
    for one in sorted(seen, key=lambda one: one is not best):
        numbers: dict[str, str | int] = {"provider": one.provider, "rank": one.result.rank}
        numbers |= {"query_number": one.query_number} if one.query_number > 1 else {}
        if one is best:
            numbers |= {"fused_rank": candidate.rank, "score": candidate.score, "ranks": ranks}
            out.append(Decision("fuse", one.result.url, True, "kept", numbers))
        else:
            numbers |= {"into": candidate.url, "fused_rank": candidate.rank, "ranks": ranks}
            out.append(Decision("fuse", one.result.url, False, "merged-into", numbers))
    return out
