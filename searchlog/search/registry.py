"""Which providers there are, how each stands, and how one is built from the environment.

Those of other packages are found when they are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from searchlog.errors import UsageError
from searchlog.search.catalogue import EXTRACTORS, FACTS, SERVICES
from searchlog.search.extractor import Extractor
from searchlog.search.login import LoggedIn, split_login
from searchlog.search.plugins import found, make, plugins
from searchlog.search.provider import Facts, NetworkProvider, Provider
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.site import Site
from searchlog.search.textindex import TextIndex

__all__ = [
    "NAMES",
    "Available",
    "Options",
    "available",
    "build",
    "build_extractor",
    "facts_of",
    "known",
    "unknown",
    "variable_of",
]

NAMES = tuple(FACTS)
"""The providers of this package."""
CONTACT_ENV = "SEARCHLOG_CONTACT"


@dataclass(frozen=True, slots=True)
class Options:
    """What a provider may need besides the environment."""

    endpoints: Mapping[str, str] = field(default_factory=dict)
    """Base URLs in place of the usual ones, by provider name: mirrors, other wikis, tests."""
    index: TextIndex | None = None
    """For `archive` and `site`."""
    site_prefix: str | None = None
    """For `site`: the URL prefix that it searches."""


@dataclass(frozen=True, slots=True)
class Available:
    """One provider as things stand."""

    name: str
    state: str
    """`configured`, `keyless` (can be asked as it is), `local`, `needs-configuration`, `misconfigured` (what is set
    cannot be used), or `broken` (a package that cannot be loaded)."""
    how: str
    """For people: which variable configures it, or why it can be asked as it is."""
    facts: Facts | None
    """As things are configured; before that as they usually are. None of one that is broken."""
    package: str = ""
    """Which package brings it, when it is not this one."""


def available(env: Mapping[str, str], options: Options | None = None) -> tuple[Available, ...]:
    """Return every provider and how it stands, those of other packages last."""
    options = options or Options()
    out = [_available(name, FACTS[name], env, options) for name in NAMES]
    for plugin in found():
        if plugin.name in FACTS:
            fault = f"{plugin.package}: its name is that of a provider of searchlog, which is asked instead"
            out.append(Available(plugin.name, "broken", fault, None, plugin.package))
        elif plugin.made is None:
            out.append(Available(plugin.name, "broken", plugin.fault, None, plugin.package))
        else:
            out.append(_available(plugin.name, plugin.made.FACTS, env, options, plugin.package))
    return tuple(out)


def _available(name: str, facts: Facts, env: Mapping[str, str], options: Options, package: str = "") -> Available:
    try:
        facts = build(name, env, options).facts
    except UsageError as error:
        state = "needs-configuration" if facts.endpoint else "local"
        state = "misconfigured" if variable_of(facts, env) is not None else state
        state = "broken" if error.fields.get("broken") else state
        return Available(name, state, str(error), facts, package)
    variable = variable_of(facts, env)
    if variable is not None:
        return Available(name, "configured", f"{variable} is set", facts, package)
    if not facts.endpoint:
        return Available(name, "local", "answered on this machine", facts, package)
    if name in options.endpoints:
        return Available(name, "configured", "its address is given", facts, package)
    hint = f"; set {facts.key_env[0]} for a limit of your own" if facts.key_env else ""
    return Available(name, "keyless", "needs no key" + hint, facts, package)


def facts_of(name: str) -> Facts | None:
    """Return what is known of a provider before anything is configured; None when there is none of this name."""
    if name in FACTS:
        return FACTS[name]
    plugin = plugins().get(name)
    return plugin.made.FACTS if plugin is not None and plugin.made is not None else None


def known(name: str) -> Facts:
    """Return the facts of a provider of this name. Raises UsageError, with the nearest name, when there is none."""
    facts = facts_of(name)
    if facts is None:
        raise unknown(name)
    return facts


def build(name: str, env: Mapping[str, str], options: Options | None = None) -> Provider:
    """Return the provider of this name.

    A user name and password in an address are sent as HTTP Basic authentication, and stand in no fact, record or
    message.

    Raises UsageError for an unknown name, and when something that it needs is missing: the message says what to set.
    """
    options = options or Options()
    facts = facts_of(name)
    if facts is None:
        raise unknown(name)
    given = options.endpoints.get(name) or (_value(facts.key_env, env) if name == "searxng" else None)
    at, login = split_login(given)
    made = _build(facts, env, options, at)
    return LoggedIn(made, *login) if login is not None and isinstance(made, NetworkProvider) else made


def _build(facts: Facts, env: Mapping[str, str], options: Options, at: str | None) -> Provider:
    name = facts.name
    if name == "searxng":
        if not at:
            raise UsageError(f"searxng: set {facts.key_env[0]} to the address of your server", provider=name)
        return Searxng(at)
    if name == "archive":
        if options.index is None:
            raise UsageError("archive: needs an open archive with its text index", provider=name)
        return Archive(options.index)
    if name == "site":
        if options.index is None or not options.site_prefix:
            raise UsageError("site: needs a folder or an address: `--site PATH-OR-URL`", provider=name)
        return Site(options.index, options.site_prefix)
    key, contact = _value(facts.key_env, env), _value((CONTACT_ENV,), env)
    if name in SERVICES:
        made: Provider = SERVICES[name](key, at, contact)  # type: ignore[assignment]
        return made
    return _built_elsewhere(facts, key, at, contact)


def _built_elsewhere(facts: Facts, key: str | None, at: str | None, contact: str | None) -> Provider:
    """Return a provider of another package. Raises UsageError for one that cannot be made."""
    if facts.key == "required" and not key:
        raise UsageError(f"{facts.name}: set {facts.key_env[0]} to your key", provider=facts.name)
    return make(plugins()[facts.name], key, at, contact)


def build_extractor(name: str, env: Mapping[str, str], options: Options | None = None) -> Extractor:
    """Return the service of this provider that gives the texts of pages.

    Raises UsageError when it has none, and when its key is missing.
    """
    if name not in EXTRACTORS:
        raise UsageError(f"{name!r:.40} gives no texts of pages; those that do: {', '.join(EXTRACTORS)}", provider=name)
    made = EXTRACTORS[name]
    at = (options or Options()).endpoints.get(name)
    extractor: Extractor = made(  # type: ignore[assignment]
        _value(made.FACTS.key_env, env), at, _value((CONTACT_ENV,), env)
    )
    return extractor


def unknown(name: str, given_by: str = "") -> UsageError:
    """Return what to tell of a name that cannot be asked: why not, or who can."""
    plugin = plugins().get(name)
    if plugin is not None:
        return UsageError(f"{name} cannot be asked: {plugin.fault}", provider=name, broken=True)
    names = (*NAMES, *(other.name for other in plugins().values() if other.made and other.name not in FACTS))
    said = f"{given_by}: " if given_by else ""
    near = get_close_matches(name.strip().lower(), names, 1)
    if "," in name:
        advice = "name each by itself, as in `-p brave -p wikipedia`"
    else:
        advice = (
            f"did you mean {near[0]}? `searchlog providers` lists them" if near else f"there are: {', '.join(names)}"
        )
    return UsageError(f"{said}no provider is called {name!r:.40}; {advice}", provider=name)


def variable_of(facts: Facts, env: Mapping[str, str]) -> str | None:
    """Return the environment variable that configures this provider, if one is set."""
    return next((variable for variable in facts.key_env if env.get(variable, "").strip()), None)


def _value(variables: Sequence[str], env: Mapping[str, str]) -> str | None:
    return next((env[v].strip() for v in variables if env.get(v, "").strip()), None)
