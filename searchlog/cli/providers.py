"""`searchlog providers`: whom a search can ask, how each stands, and who sees the query."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.clock import format_time
from searchlog.search.provider import APPLIED_HERE

if TYPE_CHECKING:
    from searchlog.flow.standing import Standings
    from searchlog.search.cooldown import Cooldown
    from searchlog.search.registry import Available


@click.command(
    "providers",
    epilog=options.examples("providers", "providers brave", "providers --forget duckduckgo", "providers --json"),
)
@click.argument("name", required=False)
@click.option("--forget", multiple=True, metavar="NAME", help="End the cool-down of this one. Repeatable.")
@options.archive_option
@options.json_option
def providers_command(name: str | None, forget: tuple[str, ...], archive: str | None, as_json: bool) -> None:
    """List search providers, or tell all that is known of one: its key, what it can do, who sees the query, its terms.

    With none configured, keyless ones are asked one after another until one answers. Keys are read from the
    environment and are never stored or shown. A provider that failed is left alone for a while, which the archive
    remembers; --forget ends that.
    """
    from searchlog.search import registry, whom

    standings = options.standings_of(archive)
    for asked in (*forget, *((name,) if name else ())):
        registry.known(asked)
    for ended in standings.forget(forget):
        out.say(f"{ended} may be asked again")
    found = [one for one in _stand(options.providers_now(os.environ), standings) if name in (None, one.item.name)]
    if as_json:
        chosen = whom.choose(os.environ)
        mode = "together" if chosen.together else "in-turn"
        out.json({"asked": list(chosen.names), "mode": mode, "providers": [one.to_json() for one in found]})
    elif name:
        for one in found:
            _tell(one)
    else:
        _list(found)
        chosen = whom.choose(os.environ)
        how = "all at once" if chosen.together else "one after another until one answers"
        out.say(f"without --provider these are asked, {how}: {', '.join(chosen.names)}")
        out.say("all that is known of one: searchlog providers NAME")


@dataclass(frozen=True, slots=True)
class _Stands:
    """One provider as it stands at this moment."""

    item: Available
    cooldown: Cooldown | None
    spent: int
    most: int | None

    @property
    def now(self) -> str:
        """What speaks against asking it now, in words."""
        parts = [f"{self.spent} of {self.most} today"] if self.spent and self.most is not None else []
        if self.cooldown is not None:
            until = self.cooldown.until.strftime("%Y-%m-%d %H:%M:%SZ")
            parts.append(f"left alone until {until} ({self.cooldown.outcome})")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of one provider."""
        known, facts = self.item.facts, None
        if known is not None:
            facts = asdict(known) | {"keyless": known.keyless}
            del facts["name"], facts["keyed"]
            facts["pause_s"] = str(facts["pause_s"])
        resting = None
        if self.cooldown is not None:
            resting = {
                "until": format_time(self.cooldown.until),
                "outcome": str(self.cooldown.outcome),
                "detail": self.cooldown.detail,
                "told": self.cooldown.told,
            }
        return {
            "name": self.item.name,
            "state": self.item.state,
            "how": self.item.how,
            "package": self.item.package or None,
            "cooldown": resting,
            "asked_today": self.spent,
            "day_max": self.most,
            "facts": facts,
        }


def _stand(items: Iterable[Available], standings: Standings) -> Iterator[_Stands]:
    """Yield how each provider stands. Raises UsageError for a limit that cannot be read."""
    from searchlog.search.cooldown import day_max

    cooling = {one.provider: one for one in standings.cooldowns()}
    limits, spent = standings.limits(), standings.asked_today()
    for item in items:
        facts = item.facts
        budget = facts.budget if facts is not None else item.name
        most = day_max(facts, limits) if facts is not None else None
        yield _Stands(item, cooling.get(item.name), spent.get(budget, 0), most)


_ORDER = ("configured", "misconfigured", "broken", "keyless", "local", "needs-configuration")


_TOLD = ("configured", "misconfigured", "broken")


def _list(found: list[_Stands]) -> None:
    """Print a line each, those that can be asked first."""
    rows = []
    for one in sorted(found, key=lambda one: _ORDER.index(one.item.state)):
        facts = one.item.facts
        key = facts.key_env[0] if facts is not None and facts.key_env else ""
        kind = "" if facts is None or facts.scope in ("web", "site", "archive") else facts.scope
        rows.append(
            (
                one.item.name,
                one.item.state,
                key,
                kind,
                one.now or (one.item.how if one.item.state in _TOLD else ""),
            )
        )
    out.table(("provider", "state", "key or address", "covers", "now"), rows)


def _tell(one: _Stands) -> None:
    """Print all that is known of one provider, a line each."""
    item, facts = one.item, one.item.facts
    rows: list[tuple[str, str]] = [
        ("provider", item.name),
        ("state", f"{item.state}: {item.how.removeprefix(item.name + ': ')}"),
        ("package", item.package),
        ("now", one.now),
    ]
    if facts is not None:
        rows += [
            ("title", facts.title),
            ("asked at", facts.endpoint),
            ("who sees", facts.third_party),
            ("key", ", ".join(facts.key_env) + {"optional": " (works without)"}.get(facts.key, "")),
            ("covers", facts.scope),
            ("applies", ", ".join(facts.applies)),
            ("ignores", ", ".join(o + (" (applied here)" if o in APPLIED_HERE else "") for o in facts.ignores)),
            ("returns", ", ".join(("address", "title", *facts.returns))),
            ("results", f"{facts.count_max} at most"),
            ("limits", facts.limits),
            ("a day", f"{one.most} requests (SEARCHLOG_DAY_MAX)" if one.most is not None else "no limit here"),
            ("keeping", facts.terms.retention),
            ("terms", f"{facts.terms.url} (noted {facts.terms.noted_on})" if facts.terms.url else ""),
        ]
    for title, value in rows:
        if value:
            out.line(f"{title:<9} {value}")
