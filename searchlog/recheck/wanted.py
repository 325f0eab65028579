"""What is to be verified, as a caller says it and as the campaign takes it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from searchlog.checks import expect, expect_list
from searchlog.clock import format_time
from searchlog.errors import UsageError
from searchlog.flow.settings import Settings
from searchlog.log.checkpoint import Checkpoint
from searchlog.mementos.source import WebArchive, parse_source
from searchlog.recheck.subjects import Choice
from searchlog.verify.heads import NOBODY, Seen, Trust, read_seen

__all__ = ["CHECKS", "Wanted", "seconds_of", "since_of", "wanted_of"]

CHECKS = ("store", "derivation", "live")
"""What is asked for by name; web archives and answers are asked for by giving them."""
_SPAN = re.compile(r"([0-9]{1,6})\s*(s|m|min|h|d|w)")
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be verified."""

    axes: tuple[str, ...] = ("store", "derivation")
    choice: Choice = field(default_factory=Choice)
    heads: tuple[Checkpoint | Seen, ...] = ()
    """Heads from elsewhere."""
    trust: Trust = NOBODY
    """Whose signatures, cosignatures and time stamps of these heads count."""
    max_age_s: int | None = None
    """A live verdict that is kept and younger than this counts, and its page is not asked again."""
    web_archives: tuple[WebArchive, ...] = ()
    """Who is asked about pages that are gone or changed, in this order."""
    answers: tuple[bytes, ...] = ()
    """Final texts of models, as text or in the form of a vendor's API."""
    kept_answers: bool = False
    """Whether the answers that are kept in the sessions are checked as well."""
    keep: bool = True
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        for axis in self.axes:
            if axis not in CHECKS:
                raise UsageError(f"no axis is called {axis!r:.40}; expected some of {', '.join(CHECKS)}", axis=axis)
        if self.web_archives and "live" not in self.axes:
            raise UsageError("web archives are asked about pages that are gone or changed: check the axis live as well")
        if self.max_age_s is not None and self.max_age_s < 0:
            raise UsageError("max_age_s is a number of seconds, 0 or more")


def wanted_of(
    now: datetime,
    *,
    axes: Iterable[str] = ("store", "derivation"),
    turns: Iterable[int] = (),
    evidence: Iterable[str] = (),
    since: str | None = None,
    sample: int | None = None,
    seed: str | None = None,
    heads: Iterable[str | Checkpoint | Seen] = (),
    trust: Trust = NOBODY,
    max_age_s: int | None = None,
    web_archives: Iterable[str | WebArchive] = (),
    answers: Iterable[str | bytes] = (),
    kept_answers: bool = False,
    keep: bool = True,
    settings: Settings | None = None,
) -> Wanted:
    """Return what a caller asks for. Raises UsageError for what cannot be asked.

    seed: by default the day, so that a sample of today stays the same today, and that of tomorrow is another.
    """
    given = {"axes": axes, "turns": turns, "evidence": evidence, "web_archives": web_archives, "answers": answers}
    for name, value in given.items():
        expect_list(name, value)
    expect("keep", keep, bool)
    expect("kept_answers", kept_answers, bool)
    expect("sample", sample, int | None)
    expect("seed", seed, str | None)
    return Wanted(
        tuple(dict.fromkeys(axes)),
        Choice(
            frozenset(turns),
            frozenset(evidence),
            since_of(since, now) if since is not None else None,
            sample,
            seed if seed is not None else f"{now:%Y-%m-%d}",
        ),
        tuple(read_seen(one) if isinstance(one, str) else one for one in heads),
        trust,
        max_age_s,
        tuple(one if isinstance(one, WebArchive) else parse_source(one) for one in web_archives),
        tuple(one if isinstance(one, bytes) else one.encode("utf-8", "surrogatepass") for one in answers),
        kept_answers,
        keep,
        settings or Settings(),
    )


def seconds_of(text: str) -> int | None:
    """Return a span of time such as `90s`, `15m`, `12h`, `7d` or `2w` in seconds; None for any other text."""
    found = _SPAN.fullmatch(text.strip().lower())
    return int(found[1]) * _UNITS[found[2]] if found else None


def since_of(text: str, now: datetime) -> str:
    """Return the moment that a text names, RFC 3339 UTC: a day, a time, or a span before now. Raises UsageError."""
    expect("since", text, str)
    span = seconds_of(text)
    try:
        if span is not None:
            return format_time(now - timedelta(seconds=span))
        day = _DAY.fullmatch(text.strip()) is not None
        moment = datetime.fromisoformat(text.strip() + ("T00:00:00+00:00" if day else ""))
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r:.60} is no moment; expected a day (2026-11-30), a time (2026-11-30T12:00:00Z) or a span before "
            "now (12h, 7d, 2w)"
        ) from None
    return format_time(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
