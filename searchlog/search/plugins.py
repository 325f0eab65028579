"""Providers from other packages, by the entry point group `searchlog.providers`. Effects: reads what is installed.

    [project.entry-points."searchlog.providers"]
    example = "example_package:Example"

The object is a class below `searchlog.search.service.Service`, or one of its shape: `FACTS`, whose name is the entry
point's, and a constructor that takes `key`, `base_url` and `contact`. A package that fails to load costs its own
provider and nothing else. Such a provider is asked only when it is named: that a package is installed sends no query
to anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

from searchlog.search.provider import Facts

__all__ = ["GROUP", "Plugin", "plugins"]

GROUP = "searchlog.providers"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One provider of another package."""

    name: str
    package: str
    """Name and version of the package."""
    made: Any = None
    """Its class; None when it could not be loaded."""
    fault: str = ""
    """Why it could not be loaded, or is none."""


@cache
def plugins() -> dict[str, Plugin]:
    """Return the providers of other packages by name, in the order of their names; of two of one name the first."""
    out: dict[str, Plugin] = {}
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        if point.name not in out:
            out[point.name] = _loaded(point)
    return out


def _loaded(point: metadata.EntryPoint) -> Plugin:
    package = f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unnamed package"
    try:
        made = point.load()
    # the border: whatever a stranger's module raises on import costs that package alone
    except Exception as error:
        return Plugin(point.name, package, fault=f"{package} cannot be loaded: {type(error).__name__}")
    facts = getattr(made, "FACTS", None)
    if not (callable(made) and isinstance(facts, Facts)):
        return Plugin(point.name, package, fault=f"{package}: {point.value} is no provider: it has no FACTS")
    if facts.name != point.name:
        return Plugin(point.name, package, fault=f"{package}: its entry point and its FACTS give different names")
    return Plugin(point.name, package, made)
