"""Which state a page on the live web is in, and a passage with it. Pure.

A page that gave its text is judged by that text, passage by passage; where the passage is not there, what else is known
of the answer (a redirect, a suspicion, a part that is missing) tells more than its absence. Nothing here is decided by
how alike two texts are.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from searchlog.drift.drift import Drift, State
from searchlog.suspect.judge import Suspicion

__all__ = ["Look", "Told", "passage_state", "redirect_of"]

_STATUSES = {404: "http-404", 410: "http-410", 451: "http-451", 403: "http-403", 401: "http-401", 429: "http-429"}
_FAILED = {"dns": "dns", "tls": "tls", "timeout": "timeout"}
_REFUSED = {"robots": "robots", "robots-unreachable": "robots", "rate-limited": "http-429"}
_OF_THE_MOMENT = frozenset(("timeout", "memory", "crash", "needs-extra", "internal-error", "secret"))
"""Why a text could not be made for reasons of this machine: they say nothing of the page."""
_SUSPECTED = ("bot-challenge", "login-wall", "soft-404", "paywall", "needs-javascript")
_GONE = (State.ABSENT, State.PARTIAL, State.CHANGED)
_HOME = frozenset(("", "index", "home", "default", "main", "start", "welcome", "startseite", "accueil", "inicio"))


@dataclass(frozen=True, slots=True)
class Look:
    """One fetch of a page, as far as its states need it."""

    outcome: str
    """`complete`, `truncated`, `failed` or `refused`."""
    reason: str | None
    detail: str
    status: int | None
    asked: str
    final: str
    """The address that answered."""
    same_bytes: bool = False
    has_text: bool = False
    text_cut: bool = False
    """Whether the text is that of a part of the page, since all of it would have been too much."""
    failure: str | None = None
    """Why there is no text of an answer."""
    suspicion: Suspicion | None = None
    held_back: Suspicion | None = None
    """`paywall` or `needs-javascript`: looked for only where a passage is not found."""


@dataclass(frozen=True, slots=True)
class Told:
    """A state, with what there is to know of it."""

    state: str
    detail: str = ""
    notes: tuple[str, ...] = ()


def passage_state(look: Look, drift: Drift | None) -> Told:
    """Return the live state of one passage. drift: what became of it in the text; None when there is no text."""
    if look.same_bytes:
        return Told("same-bytes")
    led = redirect_of(look.asked, look.final)
    notes = (f"redirected-{led}",) if led else ()
    if drift is not None and drift.state not in _GONE:
        return Told(drift.state.value, look.final if led else "", notes)
    named = _named(look, led)
    if named is not None:
        return Told(named.state, named.detail, notes)
    if drift is None:
        return Told("not-checked", look.detail or look.failure or "", notes)
    if drift.state is State.ABSENT and led:
        return Told(f"redirected-{led}", look.final)
    if drift.state is not State.CHANGED and (look.outcome == "truncated" or look.text_cut):
        return Told("truncated", look.reason or "text-cut", notes)
    return Told(drift.state.value, look.final if led else "", notes)


def _named(look: Look, led: str) -> Told | None:
    """Return the state of a page that is not the one asked for, or did not come; None when its text is all there is."""
    suspicion = look.suspicion
    if suspicion is not None:
        if suspicion.kind == "soft-404" and "redirect:home" in suspicion.tests:
            return Told("redirected-home", look.final)
        if suspicion.kind in _SUSPECTED:
            return Told(suspicion.kind, _tests(suspicion))
    if look.outcome == "refused":
        return Told(_REFUSED.get(look.reason or "", "refused"), _said(look))
    if look.outcome == "failed":
        return Told(_FAILED.get(look.reason or "", "connect"), _said(look))
    if look.status is not None and not 200 <= look.status < 300:
        return Told(_of_status(look.status), f"status {look.status}")
    if look.held_back is not None:
        return Told(look.held_back.kind, _tests(look.held_back))
    if not look.has_text:
        if look.outcome == "truncated":
            return Told("truncated", look.reason or "")
        if look.failure in _OF_THE_MOMENT or look.failure is None:
            return Told("not-checked", look.failure or look.detail)
        if led == "home":
            return Told("redirected-home", look.final)
        return Told("type-changed", look.failure)
    return None


def _of_status(status: int) -> str:
    return _STATUSES.get(status) or ("http-5xx" if 500 <= status < 600 else "http-other")


def _tests(suspicion: Suspicion) -> str:
    return ", ".join(suspicion.tests)


def _said(look: Look) -> str:
    return ": ".join(part for part in (look.reason, look.detail) if part)


def redirect_of(asked: str, final: str) -> str:
    """Return where a redirect led: `home`, `same-site` or `elsewhere`; empty when the same page answered.

    Another scheme, `www.` and a slash at the end make no other page; nor does a home page that was asked for.
    """
    one, other = _parts(asked), _parts(final)
    if one is None or other is None or _page(one) == _page(other):
        return ""
    if not _is_home(one) and _is_home(other):
        return "home"
    return "same-site" if _site(one) == _site(other) else "elsewhere"


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        parts.hostname  # noqa: B018  raises for brackets that hold no address
    except ValueError:
        return None
    return parts


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").rstrip(".").removeprefix("www.")


def _page(parts: SplitResult) -> tuple[str, str, str, int | None]:
    try:
        port = parts.port
    except ValueError:
        port = None
    return _host(parts), parts.path.rstrip("/"), parts.query, None if port in (80, 443) else port


def _is_home(parts: SplitResult) -> bool:
    names = [name.partition(".")[0].lower() for name in parts.path.split("/") if name]
    if names and len(names[0]) in (2, 5) and names[0][:2].isalpha() and names[0][2:3] in ("", "-", "_"):
        del names[0]  # the home of one language
    return not parts.query and all(name in _HOME for name in names)


def _site(parts: SplitResult) -> str:
    """Return the part of a host that one owner has, as near as can be told without a list of all registries."""
    host = _host(parts)
    labels = host.split(".")
    if host.replace(".", "").isdigit() or ":" in host or len(labels) < 3:
        return f"{host}:{_page(parts)[3] or ''}" if len(labels) == 1 or host.replace(".", "").isdigit() else host
    second_level = len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if second_level else labels[-2:])
