"""Asking archives that speak well and archives that do not: what is found, what is a no, what is no answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Fetch, Outcome
from searchlog.mementos.ask import Asked, ask, fetch_memento
from searchlog.mementos.hops import HOPS_MAX
from searchlog.mementos.memento import Memento, format_http_date
from searchlog.mementos.pace import Pace
from searchlog.mementos.served import Answer, Served, judge
from searchlog.mementos.source import announced
from searchlog.recording import capture_bodies
from tests.memento_server import (
    CLOCK,
    INDEXES,
    TIMEGATES,
    TIMEMAPS,
    Captured,
    Fault,
    MementoServer,
    moment,
    refusing,
    reply,
    saying,
)
from tests.wire_server import HANG, RESET

PAGE = "https://mill.example/tide?a=1,2"
FIRST, SECOND, THIRD = map(moment, ("2020-03-01T10:00:00", "2022-06-15T12:30:45", "2024-09-30T23:59:59"))
CAPTURES = [
    Captured(PAGE, FIRST, b"<p>40 tons"),
    Captured(PAGE, SECOND, b"<p>40 tons a day"),
    Captured(PAGE, THIRD, b"<p>14 tons"),
]
NEAR = SECOND - timedelta(days=2)


def asked_of(server: MementoServer, url: str = PAGE, near: datetime = NEAR, seconds: float = 10) -> Asked:
    with server.client() as client:
        return ask(server.source(), url, near, client, Deadline(seconds, CLOCK), pace=Pace(CLOCK))


def fetched(server: MementoServer, memento: Memento, *others: MementoServer) -> tuple[Fetch, Served]:
    with server.client(*others) as client:
        fetch = fetch_memento(memento, client, Deadline(10, CLOCK), pace=Pace(CLOCK))
    return fetch, judge(memento, fetch)


def only(service: str, way: str | None = "", **more: object) -> dict[str, object]:
    """Return the options of a server that has one service only."""
    return dict.fromkeys(("timegate", "timemap", "cdx")) | {service: way} | more


ALL = [
    *(pytest.param(only("timegate", way), id=f"timegate-{way}") for way in TIMEGATES),
    *(pytest.param(only("timemap", way), id=f"timemap-{way}") for way in TIMEMAPS),
    *(pytest.param(only("cdx", way), id=f"cdx-{way}") for way in INDEXES),
]


# -- what archives do


@pytest.mark.parametrize("options", ALL)
@pytest.mark.parametrize(
    ("near", "at"),
    [(FIRST - timedelta(days=9_000), FIRST), (SECOND, SECOND), (SECOND - timedelta(days=2), SECOND), (THIRD, THIRD)],
)
def test_nearest_capture_is_found_and_fetched_as_it_was(
    options: Mapping[str, str], near: datetime, at: datetime
) -> None:
    with MementoServer(CAPTURES, **options) as server:
        asked = asked_of(server, near=near)
        assert (asked.outcome, asked.mementos[0].at, asked.mementos[0].original) == (Answer.FOUND, at, PAGE)
        fetch, served = fetched(server, asked.mementos[0])
    assert fetch.final is not None
    assert fetch.final.decoded.data == next(item.body for item in CAPTURES if item.at == at)
    assert (served.outcome, served.reason, served.memento.at, served.is_raw) == (Answer.FOUND, None, at, True)


@pytest.mark.parametrize("options", ALL)
def test_page_that_was_never_captured_is_none(options: Mapping[str, str]) -> None:
    with MementoServer(CAPTURES, **options) as server:
        asked = asked_of(server, "https://mill.example/other")
    assert (asked.outcome, asked.reason, asked.mementos) == (Answer.NONE, None, ())
    assert asked.fetches


def test_timegate_that_answers_is_all_that_is_asked() -> None:
    with MementoServer(CAPTURES) as server:
        asked_of(server)
        assert server.services == ["GET timegate"]
        assert f"Accept-Datetime: {format_http_date(NEAR)}".encode() in server.requests[0]


def test_no_of_a_timegate_is_held_against_the_index() -> None:
    """Archives answer 404 for pages that they have."""
    with MementoServer(CAPTURES, faults={"timegate": refusing(404)}) as server:
        asked = asked_of(server)
        assert server.services == ["GET timegate", "GET cdx"]
    assert (asked.outcome, asked.mementos[0].at, asked.mementos[0].via) == (Answer.FOUND, SECOND, "cdx")


def test_capture_far_from_the_moment_is_held_against_the_index() -> None:
    def far(request: bytes) -> list[bytes]:
        return reply(302, f"Location: {server.url('/web/20200301100000/' + PAGE)}")

    with MementoServer(CAPTURES, faults={"timegate": far}) as server:
        asked = asked_of(server)
    assert [item.at for item in asked.mementos] == sorted((FIRST, SECOND, THIRD), key=lambda at: abs(at - NEAR))
    assert "2 days after" in asked.detail


def test_index_that_does_not_sort_is_asked_for_a_window() -> None:
    old = [Captured(PAGE, FIRST + timedelta(hours=hour)) for hour in range(200)]
    with MementoServer([*old, *CAPTURES], **only("cdx", "unsorted")) as server:
        asked = asked_of(server)
        assert server.services == ["GET cdx", "GET cdx"]
    assert asked.mementos[0].at == SECOND


def test_timemap_that_the_timegate_names_is_asked_when_there_is_no_index() -> None:
    with MementoServer(CAPTURES, timemap=None, cdx=None, timegate="redirect") as server:
        server.ways["timemap"] = None
        source = replace(server.source(), timemap=None)
        server.ways["timemap"] = "link"
        with server.client() as client:
            near = SECOND + timedelta(days=300)
            asked = ask(source, PAGE, near, client, Deadline(10, CLOCK), pace=Pace(CLOCK))
        assert server.services == ["GET timegate", "GET timemap"]
    assert len(asked.mementos) == 3


@pytest.mark.parametrize("way", ["paged", "index"])
def test_only_the_parts_of_a_timemap_that_may_be_nearer_are_asked_for(way: str) -> None:
    many = [Captured(PAGE, FIRST + timedelta(days=10 * number)) for number in range(40)]
    with MementoServer(many, **only("timemap", way)) as server:
        asked = asked_of(server, near=many[30].at + timedelta(days=1))
        assert asked.mementos[0].at == many[30].at
        assert len(server.requests) == 2


def test_endless_timemap_ends() -> None:
    def endless(request: bytes) -> list[bytes]:
        path = request.split(b" ")[1].decode()
        number = len(server.requests)
        listed = f'<{server.url(f"/timemap/{number}/" + path)}>; rel="timemap", <{PAGE}>; rel="original"'
        return reply(body=listed.encode())

    with MementoServer(CAPTURES, **only("timemap", "link"), faults={"timemap": endless}) as server:
        asked = asked_of(server)
        assert len(server.requests) == 4
    assert asked.outcome is Answer.NONE


def test_archive_without_a_raw_view_shows_what_it_shows() -> None:
    with MementoServer(CAPTURES, raw=False, cdx=None, timegate="redirect") as server:
        asked = asked_of(server)
        fetch, served = fetched(server, asked.mementos[0])
    assert fetch.final is not None
    assert b"added by the archive" in fetch.final.decoded.data
    assert (served.outcome, served.is_raw) == (Answer.FOUND, False)


def test_captured_error_pages_are_no_captures_of_the_page() -> None:
    with MementoServer([Captured(PAGE, SECOND, b"gone", 404)], **only("cdx", "table")) as server:
        asked = asked_of(server)
    assert (asked.outcome, asked.reason, asked.mementos) == (Answer.NONE, "captured-error", ())


def test_page_that_is_its_own_timegate_is_asked_with_a_moment() -> None:
    """RFC 7089 pattern 1: original, TimeGate and captures on one site, with an address for a capture or without."""
    told = (f"Memento-Datetime: {format_http_date(SECOND)}", "Vary: accept-datetime")

    def old(request: bytes) -> list[bytes]:
        return reply(200, *told, body=b"as it was")

    with MementoServer() as server, server.client() as client:
        page, deadline = server.url("/wiki/mill"), Deadline(5, CLOCK)
        archive = announced((("Link", f'<{page}>; rel="original timegate"'),), page)
        assert archive is not None
        server.faults |= {
            "wiki": lambda request: old(request) if b"Accept-Datetime" in request else reply(),
            "old": old,
        }
        asked = ask(archive, page, NEAR, client, deadline, pace=Pace(CLOCK))
        assert (asked.outcome, asked.mementos[0].at, asked.mementos[0].uri) == (Answer.FOUND, SECOND, page)
        fetch = fetch_memento(asked.mementos[0], client, deadline, pace=Pace(CLOCK))
        assert judge(asked.mementos[0], fetch).outcome is Answer.FOUND
        links = f"Link: <{page}>; rel=original"
        server.faults["wiki"] = lambda request: reply(302, "Location: /old/7", links)
        asked = ask(archive, page, NEAR, client, deadline, pace=Pace(CLOCK))
        assert (asked.outcome, asked.mementos[0].uri) == (Answer.FOUND, server.url("/old/7"))
        fetch = fetch_memento(asked.mementos[0], client, deadline, pace=Pace(CLOCK))
        assert judge(asked.mementos[0], fetch).outcome is Answer.FOUND


# -- what goes wrong while asking


def _wait(request: bytes) -> Sequence[bytes | float | str]:
    return [HANG]


def _reset(request: bytes) -> Sequence[bytes | float | str]:
    return [b"HTTP/1.1 ", RESET]


TROUBLES: dict[str, tuple[Fault, str]] = {
    "500": (refusing(500), "http-500"),
    "502": (refusing(502), "http-502"),
    "503": (refusing(503), "rate-limited"),
    "429": (refusing(429), "rate-limited"),
    "429-wait": (refusing(429, "Retry-After: 30"), "rate-limited"),
    "400": (refusing(400), "http-400"),
    "401": (refusing(401), "http-401"),
    "403": (refusing(403), "http-403"),
    "left-out": (refusing(403, "X-Archive-Wayback-Runtime-Error: RobotAccessControlException: x"), "left-out"),
    "451": (refusing(451), "http-451"),
    "reset": (_reset, "disconnect"),
    "page": (saying(b"<!DOCTYPE html><html><h1>Welcome to the archive"), ""),
    "loop": (lambda request: reply(302, "Location: " + request.split(b" ")[1].decode()), "redirect-limit"),
    "nowhere": (lambda request: reply(302, "Location: http://10.0.0.1/x"), "address"),
    "odd-scheme": (lambda request: reply(302, "Location: javascript:alert(1)"), "scheme"),
}


@pytest.mark.parametrize("fault", TROUBLES)
@pytest.mark.parametrize("service", ["timegate", "timemap", "cdx"])
def test_error_is_unavailable_and_never_none(service: str, fault: str) -> None:
    answer, reason = TROUBLES[fault]
    options = only(service, "redirect" if service == "timegate" else "table", faults={service: answer})
    with MementoServer(CAPTURES, **options) as server:
        asked = asked_of(server)
    assert asked.outcome is Answer.UNAVAILABLE, asked
    assert asked.mementos == ()
    assert asked.detail
    if reason:
        assert asked.reason == reason
    if fault == "429-wait":
        assert "Retry-After 30" in asked.detail


def test_no_of_one_service_and_an_error_of_another_is_no_no() -> None:
    faults = {"timegate": refusing(404), "cdx": refusing(500), "timemap": refusing(404)}
    with MementoServer(CAPTURES, faults=faults) as server:
        asked = asked_of(server)
        assert server.services == ["GET timegate", "GET cdx", "GET timemap"]
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, "http-500")


def test_find_of_one_service_counts_whatever_another_says() -> None:
    with MementoServer(CAPTURES, faults={"timegate": refusing(500)}) as server:
        asked = asked_of(server)
    assert asked.outcome is Answer.FOUND
    assert "timegate: the archive answered 500" in asked.detail


@pytest.mark.parametrize("headers", [(), ("Retry-After: 30",)], ids=["plain", "wait"])
def test_busy_archive_is_left_alone(headers: tuple[str, ...]) -> None:
    with MementoServer(CAPTURES, faults={"timegate": refusing(429, *headers)}) as server:
        asked = asked_of(server)
        assert server.services == ["GET timegate"]
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, "rate-limited")


def test_archive_that_hangs_costs_no_more_than_the_deadline() -> None:
    start = time.monotonic()
    with MementoServer(CAPTURES, faults={"timegate": _wait}) as server:
        asked = asked_of(server, seconds=1)
    assert time.monotonic() - start < 8
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, "timeout")


def test_timegates_that_send_round_and_round_end() -> None:
    def on(request: bytes) -> list[bytes]:
        return reply(302, f"Location: /timegate/{len(server.requests)}/")

    with MementoServer(CAPTURES, **only("timegate", "redirect"), faults={"timegate": on}) as server:
        asked = asked_of(server)
        assert len(server.requests) == HOPS_MAX
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, "redirect-limit")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("soon", "bad-memento-datetime"),
        ("Tue, 31 Feb 2022 10:00:00 GMT", "bad-memento-datetime"),
        ("Tue, 11 Sep 2199 20:30:51 GMT", "future-memento"),
        ("", "bad-memento-datetime"),
    ],
)
def test_moment_that_cannot_be_is_not_believed(value: str, reason: str) -> None:
    options = only("timegate", "content", faults={"timegate": saying(b"", f"Memento-Datetime: {value}")})
    with MementoServer(CAPTURES, **options) as server:
        asked = asked_of(server)
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, reason)


def test_captures_from_the_future_are_left_out_of_every_list() -> None:
    later = [Captured(PAGE, datetime.now(UTC).replace(microsecond=0) + timedelta(days=400))]
    for service, way in (("timemap", "link"), ("cdx", "table"), ("timegate", "redirect")):
        with MementoServer(later, **only(service, way)) as server:
            asked = asked_of(server)
        assert asked.mementos == ()
        assert asked.outcome is not Answer.FOUND


def test_captures_of_another_page_are_not_taken_for_it() -> None:
    other = "https://mill.example/Tide"

    def swap(request: bytes) -> list[bytes]:
        path = request.split(b" ")[1].decode().replace(PAGE, other)
        path = path.replace(quote(PAGE, safe=""), quote(other, safe=""))
        return list(server.answer_as(request, path))

    for service, way in (("timegate", "redirect"), ("timegate", "content"), ("timemap", "link"), ("cdx", "lines")):
        with MementoServer([Captured(other, SECOND)], **only(service, way), faults={service: swap}) as server:
            asked = asked_of(server)
        assert (asked.outcome, asked.mementos) == (Answer.NONE, ()), (service, way, asked)


def test_long_list_is_read_in_time_and_little_of_it_is_kept() -> None:
    lines = [f'<{PAGE}>; rel="original"']
    lines += [
        f'<https://w.example/{number}/{PAGE}>; rel="memento"; datetime="{format_http_date(at)}"'
        for number, at in enumerate(FIRST + timedelta(hours=number) for number in range(60_000))
    ]
    body = ",\n".join(lines).encode()
    assert len(body) > 6_000_000
    with MementoServer([], **only("timemap", "link"), faults={"timemap": saying(body)}) as server:
        start = time.thread_time()
        asked = asked_of(server, seconds=60)
        assert time.thread_time() - start < 10
    assert asked.mementos[0].distance(NEAR) <= timedelta(hours=1)
    assert len(asked.mementos) == 5


def test_list_that_is_longer_than_any_body_is_read_as_far_as_it_came() -> None:
    first = (
        f'<{PAGE}>; rel="original", <https://w.example/1/{PAGE}>; rel="memento"; datetime="{format_http_date(FIRST)}"'
    )
    body = (first + f", <https://w.example/{'x' * 60}>; rel=other" * 200_000).encode()
    with MementoServer([], **only("timemap", "link"), faults={"timemap": saying(body)}) as server:
        asked = asked_of(server, seconds=60)
    assert [item.at for item in asked.mementos] == [FIRST]


# -- whom nothing is told


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://user:secret-word@mill.example/", "credentials"),
        ("https://mill.example/?access_token=0123456789abcdef0123", "credentials"),
        ("http://127.0.0.1/x", "address"),
        ("http://10.1.2.3/x", "address"),
        ("http://[::1]/x", "address"),
        ("http://localhost/x", "address"),
        ("http://wiki/x", "address"),
        ("http://wiki.corp/x", "address"),
        ("http://printer.local/x", "address"),
        ("file:///etc/passwd", "scheme"),
        ("mill.example", "scheme"),
        ("http://mill.example/a b", "url"),
    ],
)
def test_what_is_not_for_others_is_told_to_no_archive(url: str, reason: str) -> None:
    with MementoServer(CAPTURES) as server:
        archive = replace(server.source(), third_party="somebody else")
        with server.client() as client:
            asked = ask(archive, url, NEAR, client, Deadline(5, CLOCK), pace=Pace(CLOCK))
        assert server.requests == []
    assert (asked.outcome, asked.reason, asked.fetches) == (Answer.REFUSED, reason, ())
    assert "secret-word" not in asked.detail


def test_own_archive_may_know_pages_of_the_own_network() -> None:
    page = "http://wiki.corp/x"
    with MementoServer([Captured(page, SECOND)]) as server:
        assert asked_of(server, page).outcome is Answer.FOUND


def test_fragment_is_not_told() -> None:
    with MementoServer(CAPTURES) as server:
        assert asked_of(server, PAGE + "#:~:text=tons").outcome is Answer.FOUND
        assert all(b"text=" not in request for request in server.requests)


def test_archive_on_a_private_address_is_not_asked_unless_it_is_allowed() -> None:
    with MementoServer(CAPTURES) as server, Client(clock=CLOCK) as client:
        asked = ask(server.source(), PAGE, NEAR, client, Deadline(5, CLOCK), pace=Pace(CLOCK))
        assert server.requests == []
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, "address")


# -- fetching


def promised(server: MementoServer, at: datetime = SECOND, page: str = PAGE) -> Memento:
    source = server.source()
    uri = source.view_of(Captured(page, at).stamp, page)
    assert uri is not None
    return Memento(uri, page, at, source, "cdx")


def test_archive_that_serves_another_moment_says_so_and_so_do_we() -> None:
    with MementoServer(CAPTURES) as server:
        fetch, served = fetched(server, promised(server, SECOND - timedelta(days=1)))
    assert fetch.outcome is Outcome.COMPLETE
    assert (served.outcome, served.reason, served.memento.at) == (Answer.FOUND, "other-moment", THIRD)


def test_archive_that_leads_out_of_its_raw_view_is_asked_for_it_again() -> None:
    def lead(request: bytes) -> Sequence[bytes | float | str]:
        path = request.split(b" ")[1].decode()
        if path.startswith("/web/20220615"):
            return reply(302, f"Location: /web/20200301100000/{PAGE}")
        return server._web(path, False)

    with MementoServer(CAPTURES, faults={"web": lead}) as server:
        fetch, served = fetched(server, promised(server))
    assert fetch.final is not None
    assert fetch.final.decoded.data == b"<p>40 tons"
    assert (served.is_raw, served.reason, served.memento.at) == (True, "other-moment", FIRST)


@pytest.mark.parametrize(
    ("fault", "outcome", "reason"),
    [
        (saying(b"<h1>Oops, our own page"), Answer.UNAVAILABLE, "no-memento-datetime"),
        (saying(b"x", "Memento-Datetime: soon"), Answer.UNAVAILABLE, "bad-memento-datetime"),
        (saying(b"x", "Memento-Datetime: Tue, 11 Sep 2199 20:30:51 GMT"), Answer.UNAVAILABLE, "future-memento"),
        (
            saying(
                b"x", f"Memento-Datetime: {format_http_date(SECOND)}", 'Link: <https://evil.example/>; rel="original"'
            ),
            Answer.NONE,
            "other-page",
        ),
        (refusing(404), Answer.NONE, "not-served"),
        (refusing(410), Answer.NONE, "not-served"),
        (refusing(500), Answer.UNAVAILABLE, "http-500"),
        (refusing(429, "Retry-After: 20"), Answer.UNAVAILABLE, "rate-limited"),
        (refusing(403, body=b"AdministrativeAccessControlException"), Answer.UNAVAILABLE, "left-out"),
        (_reset, Answer.UNAVAILABLE, "disconnect"),
        (lambda request: reply(302, "Location: http://10.0.0.1/"), Answer.UNAVAILABLE, "address"),
        (lambda request: reply(302, f"Location: {PAGE}"), Answer.UNAVAILABLE, "no-memento-datetime"),
        (
            lambda request: reply(302, "Location: " + request.split(b" ")[1].decode()),
            Answer.UNAVAILABLE,
            "redirect-limit",
        ),
    ],
)
def test_what_is_no_memento_of_the_page_is_not_taken_for_it(fault: Fault, outcome: Answer, reason: str) -> None:
    with MementoServer(CAPTURES, faults={"web": fault}) as server:
        memento = promised(server)
        fetch, served = fetched(server, memento)
        assert len(server.requests) == 1
    assert (served.outcome, served.reason) == (outcome, reason)
    assert fetch.outcome in (Outcome.FAILED, Outcome.REFUSED)
    assert fetch.reason == reason
    assert judge(memento, fetch) == served
    assert [stored.body.final for stored in capture_bodies(fetch, "memento")][-1] is True


def test_captured_error_is_a_faithful_fetch_and_no_page() -> None:
    with MementoServer([Captured(PAGE, SECOND, b"gone", 410)]) as server:
        fetch, served = fetched(server, promised(server))
    assert fetch.outcome is Outcome.COMPLETE
    assert (served.outcome, served.reason, served.status) == (Answer.NONE, "captured-error", 410)


@pytest.mark.parametrize(
    "location", ["https://mill.example/new", "/new", "http://www.mill.example/new"], ids=["whole", "path", "http"]
)
def test_redirect_of_the_page_as_received_is_followed_in_the_archive(location: str) -> None:
    new = location if "www" in location else "https://mill.example/new"
    old = Captured(PAGE, SECOND, b"", 301, (f"Location: {location}",))
    with MementoServer([old, Captured(new, SECOND, b"moved here")]) as server:
        fetch, served = fetched(server, promised(server))
    assert fetch.final is not None
    assert (fetch.final.decoded.data, len(fetch.hops)) == (b"moved here", 2)
    assert (served.outcome, served.memento.original) == (Answer.FOUND, new)


def test_archive_that_leads_to_another_page_by_itself_is_not_followed_in_thought() -> None:
    """Its redirect is no memento: the page did not make it."""
    other = "https://mill.example/other"

    def lead(request: bytes) -> Sequence[bytes | float | str]:
        if PAGE.encode() in request:
            return reply(302, f"Location: /web/20220615123045/{other}")
        return server._web(request.split(b" ")[1].decode(), False)

    with MementoServer([Captured(other, SECOND)], faults={"web": lead}) as server:
        _, served = fetched(server, promised(server))
    assert (served.outcome, served.reason) == (Answer.NONE, "other-page")


def test_archive_that_strays_after_a_redirect_of_the_page_is_not_believed() -> None:
    new, other = "https://mill.example/new", "https://mill.example/other"

    def lead(request: bytes) -> Sequence[bytes | float | str]:
        path = request.split(b" ")[1].decode()
        return reply(302, f"Location: /web/20220615123045/{other}") if path.endswith(new) else server._web(path, False)

    old = Captured(PAGE, SECOND, b"", 301, ("Location: /new",))
    with MementoServer([old, Captured(other, SECOND)], faults={"web": lead}) as server:
        fetch, served = fetched(server, promised(server))
    assert len(fetch.hops) == 3
    assert (served.outcome, served.reason) == (Answer.NONE, "other-page")


def test_memento_that_is_cut_is_found_and_its_fetch_says_so() -> None:
    def cut(request: bytes) -> list[bytes]:
        told = f"Memento-Datetime: {format_http_date(SECOND)}"
        return [f"HTTP/1.1 200 X\r\n{told}\r\nContent-Length: 100\r\n\r\nhalf".encode()]

    with MementoServer(CAPTURES, faults={"web": cut}) as server:
        fetch, served = fetched(server, promised(server))
    assert (fetch.outcome, served.outcome) == (Outcome.TRUNCATED, Answer.FOUND)


# -- politeness


def test_each_request_waits_its_turn_at_the_archive() -> None:
    slept: list[float] = []
    with MementoServer(CAPTURES, faults={"timegate": refusing(404)}) as server, server.client() as client:
        archive = replace(server.source(), pause_s=2.5)
        pace = Pace(CLOCK, lambda seconds, deadline: slept.append(seconds))
        deadline = Deadline(60, CLOCK)
        asked = ask(archive, PAGE, NEAR, client, deadline, pace=pace)
        fetch_memento(asked.mementos[0], client, deadline, pace=pace)
    assert [round(seconds) for seconds in slept] == [2, 5]


def test_turn_that_does_not_come_in_time_is_unavailable() -> None:
    with MementoServer(CAPTURES) as server, server.client() as client:
        archive, pace = replace(server.source(), pause_s=100.0), Pace(CLOCK)
        assert ask(archive, PAGE, NEAR, client, Deadline(5, CLOCK), pace=pace).outcome is Answer.FOUND
        asked = ask(archive, PAGE, NEAR, client, Deadline(5, CLOCK), pace=pace)
    assert (asked.outcome, asked.reason) == (Answer.UNAVAILABLE, "rate-limited")
    assert "no turn at" in asked.detail
