"""`searchlog providers`: whom a search can ask, how each stands, and who sees the query."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.clock import format_time

if TYPE_CHECKING:
    from searchlog.search.cooldown import Cooldown
    from searchlog.search.registry import Available


@click.command("providers", epilog=options.examples("providers", "providers --json", "providers --forget duckduckgo"))
@click.option("--forget", multiple=True, metavar="NAME", help="End the cool-down of this one. Repeatable.")
@options.archive_option
@options.json_option
def providers_command(forget: tuple[str, ...], archive: str | None, as_json: bool) -> None:
    """List search providers: how each is configured, what it can do, who sees the query, what may be kept.

    With none configured, keyless ones are asked one after another until one answers. Keys are read from the
    environment and are never stored or shown. A provider that failed is left alone for a while, which the archive
    remembers; --forget ends that.
    """
    from searchlog.errors import UsageError
    from searchlog.search import registry
    from searchlog.search.cooldown import day_max

    standings = options.standings_of(archive)
    for name in forget:
        if registry.facts_of(name) is None:
            raise UsageError(f"no provider is called {name!r:.40}; `searchlog providers` lists them", provider=name)
    for name in standings.forget(forget):
        out.say(f"{name} may be asked again")
    found = options.providers_now(os.environ)
    chosen = registry.choose(os.environ)
    limits, spent = standings.limits(), standings.asked_today()
    cooling = {item.provider: item for item in standings.cooldowns()}
    most = {item.name: day_max(item.facts, limits) for item in found if item.facts is not None}
    if as_json:
        mode = "together" if chosen.together else "in-turn"
        rows = [_json(item, cooling.get(item.name), spent.get(item.name, 0), most.get(item.name)) for item in found]
        out.json({"asked": list(chosen.names), "mode": mode, "providers": rows})
        return
    shown = []
    for item in found:
        stands = _standing(cooling.get(item.name), spent.get(item.name, 0), most.get(item.name))
        how = "; ".join(part for part in (item.how, item.package and f"from {item.package}", stands) if part)
        shown.append((item.name, item.state, how, item.facts.third_party if item.facts else None))
    out.table(("provider", "state", "how", "who sees the query"), shown)
    known = [item.facts for item in found if item.facts is not None]
    out.line()
    out.table(
        ("provider", "applies", "returns", "limits"),
        [(facts.name, ", ".join(facts.applies), ", ".join(facts.returns), facts.limits) for facts in known],
    )
    out.line()
    out.table(
        ("provider", "keeping answers", "noted"),
        [(facts.name, f"{facts.terms.retention} {facts.terms.url}".strip(), facts.terms.noted_on) for facts in known],
    )
    how = "all at once" if chosen.together else "one after another until one answers"
    out.say(f"without --provider these are asked, {how}: {', '.join(chosen.names)}")


def _standing(cooldown: Cooldown | None, spent: int, most: int | None) -> str:
    """Return what speaks against asking a provider now, in words."""
    parts = [f"{spent} of {most} requests of today are spent"] if spent and most is not None else []
    if cooldown is not None:
        until = cooldown.until.strftime("%Y-%m-%d %H:%M:%SZ")
        parts.append(f"left alone until {until} ({cooldown.outcome})")
    return "; ".join(parts)


def _json(item: Available, cooldown: Cooldown | None, spent: int, most: int | None) -> dict[str, Any]:
    """Return the documented shape of one provider."""
    facts = asdict(item.facts) if item.facts is not None else None
    if facts is not None:
        del facts["name"]
        facts["pause_s"] = str(facts["pause_s"])
    resting = None
    if cooldown is not None:
        resting = {
            "until": format_time(cooldown.until),
            "outcome": str(cooldown.outcome),
            "detail": cooldown.detail,
            "told": cooldown.told,
        }
    return {
        "name": item.name,
        "state": item.state,
        "how": item.how,
        "package": item.package or None,
        "cooldown": resting,
        "asked_today": spent,
        "day_max": most,
        "facts": facts,
    }
