"""What robots.txt says, how its answer is read, and what a fetch does about it."""

from __future__ import annotations

import gzip
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Fetch, Limits, Outcome
from searchlog.capture.guard import Allow, Target, check_url
from searchlog.capture.robots import Book, Rules, _parse
from searchlog.clock import FixedClock, SystemClock
from searchlog.digest import digest
from tests.wire_server import HANG, RESET, Script, WireServer

CLOCK = SystemClock()
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"


def answer(body: bytes, status: int = 200, extra: bytes = b"") -> list[bytes]:
    return [b"HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n" % (status, extra, len(body)), body]


def fetch(
    script: dict[str, Script], path: str = "/x", seconds: float = 5, **options: object
) -> tuple[Fetch, list[str]]:
    with WireServer({"/x": [PAGE], "/private/x": [PAGE], **script}) as server:
        allow = Allow.parse([f"127.0.0.1:{server.port}"])
        with Client(clock=CLOCK, allow=allow, **options) as client:  # type: ignore[arg-type]
            return client.fetch(server.url(path), Deadline(seconds, CLOCK)), server.paths


RULES = (
    b"User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 0.05\n\nUser-agent: other\nDisallow: /\n"
)


def test_allowed_page_is_fetched_and_the_decision_kept() -> None:
    found, paths = fetch({"/robots.txt": answer(RULES)})
    assert paths == ["/robots.txt", "/x"]
    assert found.outcome is Outcome.COMPLETE
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule) == (True, "allowed")
    assert found.robots.payload_digest == digest(RULES)
    assert found.robots.crawl_delay_s == 0.05
    assert found.robots.robots_url.endswith("/robots.txt")
    assert found.robots_exchange is not None
    assert found.robots_exchange.payload == RULES
    assert found.robots_exchanges == (found.robots_exchange,)
    assert [hop.status for hop in found.hops] == [200]


def test_disallowed_page_is_not_asked_for() -> None:
    found, paths = fetch({"/robots.txt": answer(RULES)}, "/private/x")
    assert paths == ["/robots.txt"]
    assert (found.outcome, found.reason, found.hops) == (Outcome.REFUSED, "robots", ())
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule) == (False, "disallowed")


def test_rules_for_our_name_come_before_rules_for_all() -> None:
    rules = b"User-agent: *\nDisallow:\n\nUser-agent: searchlog\nDisallow: /x\n"
    assert fetch({"/robots.txt": answer(rules)})[0].reason == "robots"
    assert fetch({"/robots.txt": answer(rules)}, user_agent="other/1")[0].outcome is Outcome.COMPLETE


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429, 451])
def test_four_hundreds_mean_no_rules(status: int) -> None:
    found, paths = fetch({"/robots.txt": answer(b"User-agent: *\nDisallow: /", status)})
    assert found.outcome is Outcome.COMPLETE
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule) == (True, "no-robots")
    assert paths[-1] == "/x"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_five_hundreds_mean_nothing_may_be_asked(status: int) -> None:
    found, paths = fetch({"/robots.txt": answer(b"", status)})
    assert (found.outcome, found.reason) == (Outcome.REFUSED, "robots-unreachable")
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule) == (False, "unreachable")
    assert paths == ["/robots.txt"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([RESET], (Outcome.FAILED, "disconnect")),
        ([HANG], (Outcome.FAILED, "timeout")),
        ([b"SSH-2.0\r\n\r\n"], (Outcome.FAILED, "protocol")),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nUser-agent: *"], (Outcome.REFUSED, "robots-unreachable")),
        ([b"HTTP/1.1 200 OK\r\n\r\nUser-agent", HANG], (Outcome.REFUSED, "robots-unreachable")),
    ],
    ids=["reset", "silent", "not-http", "cut", "half"],
)
def test_host_that_gives_no_whole_answer_is_not_asked_further(script: Script, expected: tuple[Outcome, str]) -> None:
    found, paths = fetch({"/robots.txt": script}, seconds=0.4)
    assert (found.outcome, found.reason) == expected
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule) == (False, "unreachable")
    assert "/x" not in paths


def test_rules_are_decoded_like_any_payload() -> None:
    rules = "\ufeffUser-agent: *\nDisallow: /x\n".encode()
    found, _ = fetch({"/robots.txt": answer(gzip.compress(rules), extra=b"Content-Encoding: gzip\r\n")})
    assert found.reason == "robots"


def test_page_of_html_holds_no_rules() -> None:
    found, _ = fetch({"/robots.txt": answer(b"<!DOCTYPE html><html><body>Disallow all of it</body></html>")})
    assert found.outcome is Outcome.COMPLETE


def test_only_the_first_half_megabyte_is_read() -> None:
    long = b"User-agent: *\nDisallow: /private\n" + b"# filler\n" * 60_000 + b"Disallow: /x\n"
    assert fetch({"/robots.txt": answer(long)})[0].outcome is Outcome.COMPLETE
    assert fetch({"/robots.txt": answer(long)}, "/private/x")[0].reason == "robots"


def test_redirect_of_robots_is_followed_and_every_exchange_kept() -> None:
    go = [b"HTTP/1.1 301 Go\r\nLocation: /r2\r\nContent-Length: 0\r\n\r\n"]
    found, paths = fetch({"/robots.txt": go, "/r2": answer(RULES)}, "/private/x")
    assert paths == ["/robots.txt", "/r2"]
    assert found.reason == "robots"
    assert [exchange.status for exchange in found.robots_exchanges] == [301, 200]
    assert found.robots_exchange == found.robots_exchanges[-1]


@pytest.mark.parametrize("target", ["/robots.txt", "http://169.254.169.254/robots.txt", "file:///etc/passwd"])
def test_redirect_that_leads_nowhere_means_no_rules(target: str) -> None:
    go = [b"HTTP/1.1 301 Go\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % target.encode()]
    found, paths = fetch({"/robots.txt": go})
    assert found.outcome is Outcome.COMPLETE
    assert found.robots is not None
    assert found.robots.rule == "no-robots"
    assert len(paths) <= 7


def test_redirect_of_the_page_is_judged_by_the_rules_of_where_it_leads() -> None:
    go = [b"HTTP/1.1 302 Go\r\nLocation: /private/x\r\nContent-Length: 0\r\n\r\n"]
    found, paths = fetch({"/robots.txt": answer(RULES), "/go": go}, "/go")
    assert paths == ["/robots.txt", "/go"]
    assert (found.outcome, found.reason) == (Outcome.REFUSED, "robots")
    assert [hop.status for hop in found.hops] == [302]


def test_caller_may_choose_to_ignore_the_rules_and_that_is_recorded() -> None:
    found, paths = fetch({"/robots.txt": answer(RULES)}, "/private/x", robots="ignore")
    assert paths == ["/private/x"]
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.rule) == (True, "ignored")


def test_rules_are_asked_for_once_by_many_fetches() -> None:
    script: dict[str, Script] = {f"/{number}": [PAGE] for number in range(8)}
    with WireServer({"/robots.txt": [0.1, *answer(b"")], **script}) as server:
        allow = Allow.parse([f"127.0.0.1:{server.port}"])
        with Client(clock=CLOCK, allow=allow) as client:
            found: list[Fetch] = []
            threads = [
                threading.Thread(target=lambda n=n: found.append(client.fetch(server.url(f"/{n}"), Deadline(5, CLOCK))))
                for n in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert server.paths.count("/robots.txt") == 1
    assert [one.outcome for one in found] == [Outcome.COMPLETE] * 8
    assert sum(one.robots_exchange is not None for one in found) == 1
    assert all(one.robots is not None and one.robots.rule == "allowed" for one in found)


def test_crawl_delay_spaces_requests() -> None:
    rules = b"User-agent: *\nCrawl-delay: 0.2\n"
    with WireServer({"/robots.txt": answer(rules), "/x": [PAGE]}) as server:
        allow = Allow.parse([f"127.0.0.1:{server.port}"])
        with Client(clock=CLOCK, allow=allow) as client:
            start = time.monotonic()
            for _ in range(2):
                assert client.fetch(server.url("/x"), Deadline(5, CLOCK)).outcome is Outcome.COMPLETE
            assert time.monotonic() - start >= 0.2
            late = client.fetch(server.url("/x"), Deadline(0.05, CLOCK))
    assert (late.outcome, late.reason) == (Outcome.REFUSED, "rate-limited")


def test_limits_of_the_page_stay_its_own() -> None:
    found, _ = fetch({"/robots.txt": answer(RULES)}, limits=Limits(coded_bytes_max=2))
    assert (found.outcome, found.reason) == (Outcome.TRUNCATED, "length")


def test_rules_grow_old_after_a_day() -> None:
    clock = FixedClock(step=0.0)
    book = Book(clock)
    book.put("http://a.example", Rules("u", "no-robots", 86_400))
    assert book.get("http://a.example") is not None
    old = FixedClock(step=50_000)
    book = Book(old)
    book.put("http://a.example", Rules("u", "no-robots", 86_400))
    assert book.get("http://a.example") is not None
    assert book.get("http://a.example") is None
    assert book.get("http://b.example") is None


def decide(text: str, path: str = "/a", agent: str = "searchlog/1") -> bool:
    target = check_url("http://a.example" + path)
    assert isinstance(target, Target)
    return Rules("u", "rules", 1, _parse(text)).decide(target, agent).allowed


def test_many_agents_with_many_rules_cost_no_more_than_their_length() -> None:
    """protego keeps each rule of a group for each of its agents: 66 kB of these took 5 s and 360 MB, and the size that
    is read takes 60 times as much."""
    agents = "".join(f"User-agent: a{number}\n" for number in range(15_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(15_000))
    start = time.process_time()
    assert decide(agents + rules)
    assert not decide(agents + "User-agent: searchlog\n" + rules, "/77")
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: *\nDisallow: /\nUser-agent: searchlog\nAllow: /", True),
        ("User-agent: *\nAllow: /\n\nUser-agent: SearchLog\nDisallow: /", False),
        ("User-agent: other\nUser-agent: searchlog\nUser-agent: third\nDisallow: /", False),
        ("User-agent: other\nDisallow: /\nUser-agent: third\nDisallow: /", True),
        ("User-agent: search\nDisallow: /\nUser-agent: searchlog\nAllow: /", True),
        ("User-agent: log\nDisallow: /", True),
        ("User-agent: *searchlog*\nDisallow: /", False),
        ("useragent searchlog # us\nDisallow: /", False),
        ("user agent: searchlog\nDisallow: /", False),
        ("User-agent: searchlog\nAllow: /\nUser-agent:\nDisallow: /", True),
        ("User-agents: searchlog\nDisallow: /", True),
        ("User-agent: searchlog\nDisallow: /b\n\nUser-agent: searchlog\nDisallow: /a", False),
    ],
)
def test_rules_of_the_best_fitting_agent_count(text: str, allowed: bool) -> None:
    assert decide(text) == allowed


ROBOTS = st.lists(st.sampled_from(
    ["User-agent: *", "User-agent: searchlog", "user agent: search", "User-agent: a", "useragent log/1", "User-agent:",
     "User-agent: *search*", "User-agent", "Crawl-delay: 2", "Disallow: /a", "Disallow: /", "Allow: /a", "Foo: x", "",
     "# User-agent: *", "Sitemap: x", "Disallow:"]
), max_size=12).map("\n".join)  # fmt: skip


@given(ROBOTS, st.sampled_from(["searchlog/1", "a", "s", "other"]))
def test_leaving_other_agents_out_changes_no_decision(text: str, agent: str) -> None:
    whole, ours = Protego.parse(text), _parse(text)(agent)
    for url in ("http://a.example/a", "http://a.example/b", "http://a.example/"):
        assert ours.can_fetch(url, agent) == whole.can_fetch(url, agent)
    assert ours.crawl_delay(agent) == whole.crawl_delay(agent)


@given(st.text(max_size=200) | st.lists(st.sampled_from(
    ["User-agent: *", "Disallow: /a*b$", "Allow: http://[", "Disallow: //[x", "Crawl-delay: NaN", "Crawl-delay: -1",
     "Crawl-delay: 1e999", "Sitemap: x", "Request-rate: 1/0", "Visit-time: 9", "Disallow: %zz%", "Disallow: \ud7ff"]
)).map("\n".join))  # fmt: skip
def test_any_rules_can_be_read_and_asked(text: str) -> None:
    target = check_url("http://a.example/a/b?c=[d]")
    assert isinstance(target, Target)
    decision = Rules("u", "rules", 1, _parse(text)).decide(target, "searchlog/1")
    assert decision.crawl_delay_s is None or 0 <= decision.crawl_delay_s < 1e6
