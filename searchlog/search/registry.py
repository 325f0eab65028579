"""Which providers there are, which of them a search asks, and what happens when one does not answer. Pure.

    named by the caller      exactly these, all asked, nobody else
    something is configured  everything configured, all asked, nobody else: a query goes to no third party unasked
    nothing is configured    one after another, in the order of KEYLESS, until one answers

Keyless offers come and go, so their order is data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from searchlog.errors import UsageError
from searchlog.search.login import LoggedIn, split_login
from searchlog.search.provider import Facts, NetworkProvider, Provider
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.duckduckgo import DuckDuckGo
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.site import Site
from searchlog.search.providers.tavily import Tavily
from searchlog.search.providers.wikipedia import Wikipedia
from searchlog.search.run import Run, RunOutcome
from searchlog.search.textindex import TextIndex

__all__ = [
    "KEYLESS",
    "NAMES",
    "Available",
    "Choice",
    "Options",
    "available",
    "build",
    "choose",
    "lets_next_be_asked",
    "nothing_answered_message",
    "nothing_configured_message",
]

KEYLESS = ("tavily", "wikipedia", "duckduckgo")
"""Asked in this order when nothing is configured: a documented keyless search of the web, the floor that is always
there, and the last resort."""

NAMES = ("searxng", "tavily", "brave", "wikipedia", "duckduckgo", "archive", "site")

SEARXNG_ENV = ("SEARCHLOG_SEARXNG_URL", "SEARXNG_URL")
TAVILY_ENV = ("TAVILY_API_KEY",)
BRAVE_ENV = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")

_CONFIGURES = {"searxng": SEARXNG_ENV, "tavily": TAVILY_ENV, "brave": BRAVE_ENV}

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
    """`configured`, `keyless` (can be asked as it is), `local`, or `needs-configuration`."""
    how: str
    """For people: which variable configures it, or why it can be asked as it is."""
    facts: Facts | None
    """None while it cannot be built."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom a search asks."""

    names: tuple[str, ...]
    together: bool
    """True: all of them, their runs fused. False: one after another while `lets_next_be_asked`."""
    why: str
    """`named`, `configured` or `keyless`."""


def available(env: Mapping[str, str], options: Options | None = None) -> tuple[Available, ...]:
    """Return every provider and how it stands, in the order of NAMES."""
    options = options or Options()
    out = []
    for name in NAMES:
        try:
            facts = build(name, env, options).facts
        except UsageError as error:
            state = "local" if name in ("archive", "site") else "needs-configuration"
            out.append(Available(name, state, str(error), None))
            continue
        variable = _variable(name, env)
        if variable is not None:
            out.append(Available(name, "configured", f"{variable} is set", facts))
        elif not facts.endpoint:
            out.append(Available(name, "local", "answered on this machine", facts))
        elif name in options.endpoints and name in _CONFIGURES:
            out.append(Available(name, "configured", "its address is given", facts))
        else:
            hint = f"; set {_CONFIGURES[name][0]} for a limit of your own" if name in _CONFIGURES else ""
            out.append(Available(name, "keyless", "needs no key" + hint, facts))
    return tuple(out)


def build(name: str, env: Mapping[str, str], options: Options | None = None) -> Provider:
    """Return the provider of this name.

    A user name and password in an address are sent as HTTP Basic authentication, and stand in no fact, record or
    message.

    Raises UsageError for an unknown name, and when something that it needs is missing: the message says what to set.
    """
    options = options or Options()
    at, login = split_login(options.endpoints.get(name) or (_value(SEARXNG_ENV, env) if name == "searxng" else None))
    made = _build(name, env, options, at)
    return LoggedIn(made, *login) if login is not None and isinstance(made, NetworkProvider) else made


def _build(name: str, env: Mapping[str, str], options: Options, at: str | None) -> Provider:
    if name == "searxng":
        if not at:
            raise UsageError("searxng: set SEARCHLOG_SEARXNG_URL to the address of your server", provider=name)
        return Searxng(at)
    if name == "tavily":
        key = _value(TAVILY_ENV, env)
        return Tavily(key, at) if at else Tavily(key)
    if name == "brave":
        key = _value(BRAVE_ENV, env)
        if not key:
            raise UsageError("brave: set BRAVE_API_KEY to your key", provider=name)
        return Brave(key, at) if at else Brave(key)
    if name == "wikipedia":
        return Wikipedia(at)
    if name == "duckduckgo":
        return DuckDuckGo(at) if at else DuckDuckGo()
    if name == "archive":
        if options.index is None:
            raise UsageError("archive: needs an open archive with its text index", provider=name)
        return Archive(options.index)
    if name == "site":
        if options.index is None or not options.site_prefix:
            raise UsageError("site: needs a folder or an address: `--site PATH-OR-URL`", provider=name)
        return Site(options.index, options.site_prefix)
    raise UsageError(f"no provider is called {name!r:.40}; there are: {', '.join(NAMES)}", provider=name)


def choose(env: Mapping[str, str], names: Sequence[str] = ()) -> Choice:
    """Return whom to ask: those named, else those configured, else the keyless ones in turn.

    Raises UsageError for a name that is not one of NAMES.
    """
    if names:
        for name in names:
            if name not in NAMES:
                raise UsageError(f"no provider is called {name!r:.40}; there are: {', '.join(NAMES)}", provider=name)
        return Choice(tuple(dict.fromkeys(names)), True, "named")
    configured = tuple(name for name in NAMES if _variable(name, env) is not None)
    if configured:
        return Choice(configured, True, "configured")
    return Choice(KEYLESS, False, "keyless")


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
    offline = bool(runs) and all(run.outcome is RunOutcome.OFFLINE for run in runs)
    advice = (
        "no network: `--provider archive` searches your own past captures, `--provider site` a folder"
        if offline
        else ""
    )
    if not advice and why == "keyless":
        advice = nothing_configured_message()
    return f"no search provider answered ({attempts})" + (f"; {advice}" if advice else "")


def _variable(name: str, env: Mapping[str, str]) -> str | None:
    """Return the environment variable that configures this provider, if one is set."""
    return next((variable for variable in _CONFIGURES.get(name, ()) if env.get(variable, "").strip()), None)


def _value(variables: Sequence[str], env: Mapping[str, str]) -> str | None:
    return next((env[v].strip() for v in variables if env.get(v, "").strip()), None)
