"""Providers from other packages, by the entry point group `searchlog.providers`. Effects: reads and runs what is
installed.

    [project.entry-points."searchlog.providers"]
    example = "example_package:Example"

The object is a class below `Service`, or one of its shape: `FACTS`, whose name is the entry point's, and a constructor
that takes `key`, `base_url` and `contact`. `searchlog.providing` has the parts of one and says how to write it;
`searchlog.testing` checks one. A package that fails costs its own provider and nothing else: whatever it raises, its
fault is told in words. Such a provider is asked only when it is named: that a package is installed sends no query to
anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.checks import find_fault
from searchlog.errors import UsageError
from searchlog.search.provider import Facts, FollowingProvider, NetworkProvider, Response
from searchlog.search.query import Query
from searchlog.search.run import Run

__all__ = ["GROUP", "Plugin", "found", "make", "plugins"]

GROUP = "searchlog.providers"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_MAX = 40


@dataclass(frozen=True, slots=True)
class Plugin:
    """One provider of another package."""

    name: str
    package: str
    """Name and version of the package."""
    made: Any = None
    """Its class; None when it could not be loaded."""
    fault: str = ""
    """Why it could not be loaded, or is not asked."""


def plugins() -> dict[str, Plugin]:
    """Return the providers of other packages by name, in the order of their names: of each name the one asked."""
    out: dict[str, Plugin] = {}
    for plugin in found():
        out.setdefault(plugin.name, plugin)
    return out


@cache
def found() -> tuple[Plugin, ...]:
    """Return every provider that an installed package says it has, those that can be loaded first within a name.

    Of two of one name the first is asked; the other says so in its fault.
    """
    loaded = [_loaded(name, value, package, point) for name, value, package, point in sorted(_points(), key=_place)]
    loaded.sort(key=lambda plugin: (plugin.name, plugin.made is None))
    first: dict[str, Plugin] = {}
    out = []
    for plugin in loaded:
        asked = first.setdefault(plugin.name, plugin)
        if plugin is not asked and plugin.made is not None:
            fault = f"{plugin.package}: its name is that of a provider of {asked.package}, which is asked instead"
            out.append(replace(plugin, made=None, fault=fault))
        else:
            out.append(plugin)
    return tuple(out)


def _place(point: tuple[str, str, str, Any]) -> tuple[str, ...]:
    return point[:3]


def _points() -> Iterator[tuple[str, str, str, metadata.EntryPoint]]:
    """Yield name, value, package and entry point. A package whose own description cannot be read has none."""
    try:
        points = list(metadata.entry_points(group=GROUP))
    # the border: one package that is damaged on disk would hide all others
    except Exception:
        points = [point for distribution in metadata.distributions() for point in _points_of(distribution)]
    for point in points:
        yield point.name, point.value, _package(point), point


def _points_of(distribution: metadata.Distribution) -> list[metadata.EntryPoint]:
    try:
        return list(distribution.entry_points.select(group=GROUP))
    except Exception:  # as above
        return []


def _package(point: metadata.EntryPoint) -> str:
    try:
        assert point.dist is not None
        return f"{point.dist.name} {point.dist.version}"
    except Exception:  # its METADATA is missing or damaged
        return "an unnamed package"


def _loaded(name: str, value: str, package: str, point: metadata.EntryPoint) -> Plugin:
    if not _NAME.fullmatch(name) or len(name) > _NAME_MAX:
        shown = "".join(char if char.isprintable() else "?" for char in name)[:_NAME_MAX]
        return Plugin(shown, package, fault=f"{package}: its name is not lower-case words joined by hyphens")
    try:
        made = point.load()
        facts = getattr(made, "FACTS", None)
    # the border: whatever a stranger's module raises on import, an exit too, costs that package alone
    except (Exception, SystemExit) as error:
        return Plugin(name, package, fault=f"{package} cannot be loaded: {type(error).__name__}")
    if not (callable(made) and isinstance(facts, Facts)):
        return Plugin(name, package, fault=f"{package}: {value} is no provider: it has no FACTS")
    fault = _facts_fault(facts, name)
    return Plugin(name, package, fault=f"{package}: {fault}") if fault else Plugin(name, package, made)


def _facts_fault(facts: Facts, name: str) -> str:
    """Return why facts cannot be used; empty when they can."""
    fault = find_fault(facts, Facts, "FACTS")
    if fault is not None:
        return f"{fault.path} must be {fault.allowed}, not of type {type(fault.found).__name__}"
    if facts.name != name:
        return "its entry point and its FACTS give different names"
    if not facts.endpoint.startswith(("https://", "http://")):
        return "FACTS.endpoint is no http(s) address"
    if facts.key not in ("none", "optional", "required"):
        return f"FACTS.key is {facts.key!r:.40}, not none, optional or required"
    if facts.key == "required" and not facts.key_env:
        return "FACTS.key_env is empty, although it needs a key"
    return ""


def make(plugin: Plugin, key: str | None, base_url: str | None, contact: str | None) -> NetworkProvider:
    """Return the provider of a package. Raises UsageError, with the field `broken` when the package is at fault."""
    name = plugin.name
    try:
        provider: Any = plugin.made(key=key, base_url=base_url, contact=contact)
        facts: Any = provider.facts
        whole = isinstance(provider, NetworkProvider)
    except UsageError as error:
        if key and key in str(error):
            raise UsageError(f"{name}: {plugin.package} does not take the key that is set", provider=name) from None
        raise
    # the border: what it raises may hold the key, so only its kind is told
    except (Exception, SystemExit) as error:
        said = f"{name}: {plugin.package} raised {type(error).__name__} when it was made"
        raise UsageError(said, provider=name, broken=True) from None
    if not (whole and isinstance(facts, Facts)):
        said = f"{name}: what {plugin.package} makes has not facts, request and parse"
        raise UsageError(said, provider=name, broken=True)
    fault = _facts_fault(facts, name)
    if fault:
        raise UsageError(f"{name}: of what {plugin.package} makes {fault}", provider=name, broken=True)
    made: NetworkProvider = provider
    return _Keyed(made, key) if key else made


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A provider of a package with a key: a secret of each request, whether the package says so or not."""

    provider: NetworkProvider
    key: str = field(repr=False)

    @property
    def facts(self) -> Facts:
        return self.provider.facts

    def request(self, query: Query) -> Request:
        return self._with_secret(self.provider.request(query))

    def follow(self, query: Query, response: Response) -> Request | None:
        if not isinstance(self.provider, FollowingProvider):
            return None
        request = self.provider.follow(query, response)
        return None if request is None else self._with_secret(request)

    def parse(self, response: Response, query: Query) -> Run:
        return self.provider.parse(response, query)

    def _with_secret(self, request: Request) -> Request:
        # what is no request is left to whoever checks that
        if not (isinstance(request, Request) and isinstance(request.secrets, tuple)) or self.key in request.secrets:
            return request
        return replace(request, secrets=(*request.secrets, self.key))
