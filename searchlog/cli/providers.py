"""`searchlog providers`: whom a search can ask, how each stands, and who sees the query."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out

if TYPE_CHECKING:
    from searchlog.search.registry import Available


@click.command("providers", epilog=options.examples("providers", "providers --json"))
@options.json_option
def providers_command(as_json: bool) -> None:
    """List search providers: how each is configured, who sees the query, what may be kept.

    With none configured, keyless ones are asked one after another until one answers. Keys are read from the
    environment and are never stored or shown.
    """
    from searchlog.search import registry

    found = options.providers_now(os.environ)
    chosen = registry.choose(os.environ)
    if as_json:
        mode = "together" if chosen.together else "in-turn"
        out.json({"asked": list(chosen.names), "mode": mode, "providers": [_json(item) for item in found]})
        return
    rows = []
    for item in found:
        facts = item.facts
        rows.append((item.name, item.state, item.how, facts.third_party if facts else None))
    out.table(("provider", "state", "how", "who sees the query"), rows)
    out.line()
    out.table(
        ("provider", "applies", "keeping answers"),
        [
            (item.name, ", ".join(item.facts.applies), f"{item.facts.terms.retention} {item.facts.terms.url}".strip())
            for item in found
            if item.facts is not None
        ],
    )
    how = "all at once" if chosen.together else "one after another until one answers"
    out.say(f"without --provider these are asked, {how}: {', '.join(chosen.names)}")


def _json(item: Available) -> dict[str, Any]:
    """Return the documented shape of one provider."""
    facts = asdict(item.facts) if item.facts is not None else None
    if facts is not None:
        del facts["name"]
    return {"name": item.name, "state": item.state, "how": item.how, "facts": facts}
