"""The table of providers in README.md, as the facts of the code give it. `python -m tests.readme_tables` prints it."""

from __future__ import annotations

from searchlog.search.catalogue import FACTS
from searchlog.search.provider import Facts

__all__ = ["provider_table"]

_HEAD = "| provider | key | who sees the query | applies | returns | keeping answers |\n|---|---|---|---|---|---|\n"
_DATES = ("freshness", "after", "before")
_DOMAINS = ("include_domains", "exclude_domains")


def provider_table() -> str:
    """Return the whole table, a row a provider, in the order in which they are shown and asked."""
    return _HEAD + "".join(_row(facts) for facts in FACTS.values())


def _row(facts: Facts) -> str:
    star = "" if not facts.by_name else " \\*"
    keep = facts.terms.retention
    keep += f" ([terms]({facts.terms.url}))" if facts.terms.url else ""
    cells = (f"`{facts.name}`{star}", _key(facts), facts.third_party, _applies(facts), _returns(facts), keep)
    return f"| {' | '.join(cells)} |\n"


def _key(facts: Facts) -> str:
    if facts.own_server:
        return f"`{facts.key_env[0]}`"
    if facts.key == "none":
        return "none"
    return f"`{facts.key_env[0]}`" + ("" if facts.key == "required" else "; works without")


def _applies(facts: Facts) -> str:
    """Return the options it applies; those of one kind as one word where it applies all of them."""
    words = list(facts.applies)
    for kind, options in (("dates", _DATES), ("domains", _DOMAINS)):
        if all(option in words for option in options):
            words = [kind if word == options[0] else word for word in words if word not in options[1:]]
    return ", ".join(words).replace("include_domains", "domains to include") or "nothing"


def _returns(facts: Facts) -> str:
    return ", ".join(facts.returns) or "addresses and titles"


if __name__ == "__main__":
    print(provider_table(), end="")
