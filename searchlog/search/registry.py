"""Which providers there are, which of them a search asks, and what happens when one does not answer.

    named by the caller      exactly these, nobody else
    SEARCHLOG_PROVIDERS      exactly these, nobody else
    something is configured  everything configured that searches the web, nobody else: a query goes to no third party
                             unasked
    nothing is configured    one after another, in the order of keyless.txt, until one answers

Keyless offers come and go, so their order is data. Those of other packages are found when they are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import resources

from searchlog.errors import UsageError
from searchlog.search.catalogue import EXTRACTORS, FACTS, SERVICES
from searchlog.search.extractor import Extractor
from searchlog.search.login import LoggedIn, split_login
from searchlog.search.plugins import found, make, plugins
from searchlog.search.provider import Facts, NetworkProvider, Provider
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.site import Site
from searchlog.search.run import Run, RunOutcome
from searchlog.search.textindex import TextIndex

__all__ = [
    "CHOICE_ENV",
    "NAMES",
    "Available",
    "Choice",
    "Options",
    "available",
    "build",
    "build_extractor",
    "choose",
    "facts_of",
    "keyless_order",
    "known",
    "lets_next_be_asked",
    "nothing_answered_message",
    "nothing_configured_message",
    "who_sees",
]

NAMES = tuple(FACTS)
"""The providers of this package."""
CHOICE_ENV = "SEARCHLOG_PROVIDERS"
KEYLESS_ENV = "SEARCHLOG_KEYLESS"
CONTACT_ENV = "SEARCHLOG_CONTACT"

_ANSWERED = frozenset({RunOutcome.OK, RunOutcome.FILTERED_TO_EMPTY})


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


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom a search asks."""

    names: tuple[str, ...]
    together: bool
    """True: all of them, their runs fused. False: one after another while `lets_next_be_asked`."""
    why: str
    """`named`, `configured` or `keyless`."""
    given_by: str = ""
    """The variable that named them."""


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
        state = "misconfigured" if _variable(facts, env) is not None else state
        state = "broken" if error.fields.get("broken") else state
        return Available(name, state, str(error), facts, package)
    variable = _variable(facts, env)
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
        raise _unknown(name)
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
        raise _unknown(name)
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


def choose(env: Mapping[str, str], names: Sequence[str] = (), *, in_turn: bool = False) -> Choice:
    """Return whom to ask: those named, else those that SEARCHLOG_PROVIDERS names, else those configured, else the
    keyless ones in turn.

    in_turn: ask one after another, in this order, until one answers. Raises UsageError for a name that is none.
    """
    given_by = "" if names else CHOICE_ENV
    named = list(names) or _words(env.get(CHOICE_ENV, ""))
    if named:
        for name in named:
            if facts_of(name) is None:
                raise _unknown(name, given_by)
        return Choice(tuple(dict.fromkeys(named)), not in_turn, "named", given_by)
    configured = tuple(name for name, facts in FACTS.items() if not facts.by_name and _variable(facts, env) is not None)
    if configured:
        return Choice(configured, not in_turn, "configured")
    return Choice(keyless_order(env), False, "keyless")


def keyless_order(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return whom to ask when nothing is configured, in order: SEARCHLOG_KEYLESS, else the table keyless.txt.

    Raises UsageError for a name that is none, or that cannot be asked without a key.
    """
    named = _words(env.get(KEYLESS_ENV, ""))
    for name in named:
        facts = facts_of(name)
        if facts is None:
            raise _unknown(name, KEYLESS_ENV)
        if not facts.keyless:
            raise UsageError(f"{KEYLESS_ENV}: {name} cannot be asked without a key", provider=name)
    return tuple(dict.fromkeys(named)) or _table()


@cache
def _table() -> tuple[str, ...]:
    lines = resources.files(__package__).joinpath("keyless.txt").read_text(encoding="utf-8").splitlines()
    return tuple(name for line in lines for name in line.partition("#")[0].split())


def who_sees(env: Mapping[str, str], choice: Choice, options: Options | None = None) -> str | None:
    """Return a sentence on the third parties that get the query although no key or address of theirs is configured.

    None when there is nobody like that.
    """
    given = (options or Options()).endpoints
    seen_by = []
    for name in choice.names:
        facts = facts_of(name)
        known = facts is None or facts.own_server or name in given or _variable(facts, env) is not None
        if facts is not None and facts.endpoint and not known:
            seen_by.append(f"{name} ({facts.third_party})")
    how = "" if choice.together or len(seen_by) < 2 else ", one after another until one answers"
    return f"this query goes to {', '.join(seen_by)}{how}" if seen_by else None


def lets_next_be_asked(facts: Facts, run: Run) -> bool:
    """Say whether the next provider in turn may be asked after this run.

    No answer, whatever the reason, lets it. An answer does not; an empty one only when the provider covers less than
    the web. A degraded run counts as an answer when it has results.
    """
    if run.outcome in _ANSWERED:
        return False
    if run.outcome is RunOutcome.DEGRADED:
        return not run.results
    if run.outcome is RunOutcome.EMPTY:
        return facts.scope != "web"
    return True


def nothing_configured_message() -> str:
    """Return what to do when no provider is configured and none without a key answers."""
    return (
        "no search provider is configured: set SEARCHLOG_SEARXNG_URL (your own SearXNG server), TAVILY_API_KEY or "
        "BRAVE_API_KEY, or name one that needs no key: `--provider wikipedia`, `--provider tavily`, "
        "`--provider archive` (your own past captures), `--provider site --site PATH-OR-URL` (a folder or a local site)"
    )


def nothing_answered_message(runs: Sequence[Run], why: str) -> str:
    """Return what to tell a person when no run has an answer: how each attempt ended, then what to do.

    why: of the `Choice`. A single attempt is told in full; of several the runs hold the details.
    """
    attempts = ", ".join(f"{run.provider}: {run.outcome}" for run in runs) or "nobody was asked"
    if len(runs) == 1 and runs[0].detail:
        attempts = runs[0].detail
    # of one's own server the network is not to blame before its address is
    offline = bool(runs) and all(run.outcome is RunOutcome.OFFLINE and not _is_own(run.provider) for run in runs)
    advice = (
        "no network: `--provider archive` searches your own past captures, `--provider site` a folder"
        if offline
        else ""
    )
    if not advice and why == "keyless":
        advice = nothing_configured_message()
    return f"no search provider answered ({attempts})" + (f"; {advice}" if advice else "")


def _is_own(name: str) -> bool:
    facts = facts_of(name)
    return facts is not None and facts.own_server


def _unknown(name: str, given_by: str = "") -> UsageError:
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


def _words(value: str) -> list[str]:
    return value.replace(",", " ").split()


def _variable(facts: Facts, env: Mapping[str, str]) -> str | None:
    """Return the environment variable that configures this provider, if one is set."""
    return next((variable for variable in facts.key_env if env.get(variable, "").strip()), None)


def _value(variables: Sequence[str], env: Mapping[str, str]) -> str | None:
    return next((env[v].strip() for v in variables if env.get(v, "").strip()), None)
