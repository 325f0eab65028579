"""What state a live page is in: from one fetch and what became of the passage, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from searchlog.drift.drift import Drift, State
from searchlog.recheck.states import Look, Told, passage_state, redirect_of
from searchlog.suspect.judge import Suspicion
from searchlog.verify.verdict import LIVE

PAGE = "https://mills.example/tide/gate"
FINE = Look("complete", None, "", 200, PAGE, PAGE, has_text=True)
GONE = Drift(State.ABSENT)


@pytest.mark.parametrize("state", list(State))
def test_page_with_text_is_in_the_state_of_its_text(state: State) -> None:
    assert passage_state(FINE, Drift(state)).state == state.value


def test_same_bytes_come_before_all() -> None:
    assert passage_state(replace(FINE, same_bytes=True), None).state == "same-bytes"


NO_PAGE = [
    ("robots", Look("refused", "robots", "", None, PAGE, PAGE)),
    ("robots", Look("refused", "robots-unreachable", "", None, PAGE, PAGE)),
    ("http-429", Look("refused", "rate-limited", "", None, PAGE, PAGE)),
    ("refused", Look("refused", "address", "", None, PAGE, PAGE)),
    ("dns", Look("failed", "dns", "", None, PAGE, PAGE)),
    ("tls", Look("failed", "tls", "", None, PAGE, PAGE)),
    ("timeout", Look("failed", "timeout", "", None, PAGE, PAGE)),
    ("connect", Look("failed", "connect", "", None, PAGE, PAGE)),
    ("connect", Look("failed", "disconnect", "", None, PAGE, PAGE)),
    *((f"http-{n}", replace(FINE, status=n, has_text=False)) for n in (404, 410, 451, 403, 401, 429)),
    *(("http-5xx", replace(FINE, status=n, has_text=False)) for n in (500, 502, 503, 504, 599)),
    *(("http-other", replace(FINE, status=n, has_text=False)) for n in (418, 406, 304, 600)),
    ("not-checked", replace(FINE, has_text=False, failure="timeout")),
    ("type-changed", replace(FINE, has_text=False, failure="no-text")),
    ("truncated", replace(FINE, has_text=False, outcome="truncated", reason="disconnect", failure="no-text")),
]


@pytest.mark.parametrize(("state", "look"), NO_PAGE, ids=lambda value: value if isinstance(value, str) else "")
def test_page_that_did_not_come_is_told_by_why(state: str, look: Look) -> None:
    assert passage_state(look, None).state == state


@pytest.mark.parametrize("kind", ["bot-challenge", "login-wall", "soft-404"])
def test_suspicion_is_told_where_the_passage_is_not_there(kind: str) -> None:
    told = passage_state(replace(FINE, suspicion=Suspicion(kind, ("form:password",))), GONE)
    assert (told.state, told.detail) == (kind, "form:password")


@pytest.mark.parametrize("kind", ["paywall", "needs-javascript"])
def test_page_that_holds_its_text_back_is_told_so(kind: str) -> None:
    told = passage_state(replace(FINE, held_back=Suspicion(kind, ("class:paywall",))), GONE)
    assert (told.state, told.detail) == (kind, "class:paywall")


def test_challenge_under_an_error_status_is_a_challenge() -> None:
    look = replace(FINE, status=403, has_text=False, suspicion=Suspicion("bot-challenge", ("header:cf-mitigated",)))
    assert passage_state(look, None).state == "bot-challenge"


def test_passage_that_is_there_outweighs_every_suspicion() -> None:
    look = replace(FINE, suspicion=Suspicion("login-wall", ()), held_back=Suspicion("paywall", ()))
    assert passage_state(look, Drift(State.INTACT)).state == "intact"


@pytest.mark.parametrize(
    ("final", "where"),
    [
        (PAGE, ""),
        ("http://www.mills.example/tide/gate/", ""),
        ("https://mills.example:443/tide/gate#top", ""),
        ("https://mills.example/", "home"),
        ("https://mills.example/en/", "home"),
        ("https://mills.example/index.html", "home"),
        ("https://other.example/", "home"),
        ("https://mills.example/tide", "same-site"),
        ("https://mills.example/tide/gate?page=2", "same-site"),
        ("https://archive.mills.example/tide/gate", "same-site"),
        ("https://other.example/tide/gate", "elsewhere"),
        ("https://notmills.example/tide/gate", "elsewhere"),
    ],
)
def test_where_a_redirect_led(final: str, where: str) -> None:
    assert redirect_of(PAGE, final) == where


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ("https://a.co.uk/x", "https://b.co.uk/x", "elsewhere"),
        ("https://shop.a.co.uk/x", "https://www.a.co.uk/y", "same-site"),
        ("http://127.0.0.1:8000/x", "http://127.0.0.1:8001/y", "elsewhere"),
        ("http://[::1]/x", "http://[::1]/y", "same-site"),
        ("https://a.example/", "https://a.example/en", ""),
        ("https://a.example/?q=1", "https://a.example/", "home"),
        ("http://[bad/x", "https://a.example/", ""),
    ],
)
def test_site_is_what_one_owner_has(one: str, other: str, where: str) -> None:
    if one == "https://a.example/":
        assert redirect_of(one, other) in ("", "same-site")
        return
    assert redirect_of(one, other) == where


@pytest.mark.parametrize("where", ["same-site", "elsewhere", "home"])
def test_redirect_tells_more_than_absence(where: str) -> None:
    final = {"same-site": PAGE + "/old", "elsewhere": "https://other.example/x", "home": "https://mills.example/"}[
        where
    ]
    look = replace(FINE, final=final)
    assert passage_state(look, GONE).state == f"redirected-{where}"
    changed = passage_state(look, Drift(State.CHANGED))
    assert (changed.state, changed.notes) == ("changed", (f"redirected-{where}",))
    there = passage_state(look, Drift(State.INTACT))
    assert (there.state, there.notes, there.detail) == ("intact", (f"redirected-{where}",), final)


def test_part_without_the_passage_is_truncated_and_never_absent() -> None:
    look = replace(FINE, outcome="truncated", reason="disconnect")
    assert passage_state(look, GONE).state == "truncated"
    assert passage_state(look, Drift(State.PARTIAL)).state == "truncated"
    assert passage_state(look, Drift(State.CHANGED)).state == "changed"
    assert passage_state(look, Drift(State.INTACT)).state == "intact"


def test_passage_that_may_stand_behind_the_end_of_a_cut_text_is_not_absent() -> None:
    """Of a page of more than two million characters the text is cut, and what stood behind the cut was `absent`."""
    look = replace(FINE, text_cut=True)
    assert passage_state(look, GONE) == Told("truncated", "text-cut")
    assert passage_state(look, Drift(State.PARTIAL)).state == "truncated"
    assert passage_state(look, Drift(State.INTACT)).state == "intact"


def test_every_state_that_is_told_has_a_meaning() -> None:
    told = {passage_state(look, None).state for _, look in NO_PAGE} | {state.value for state in State}
    assert told <= LIVE.keys()
