"""The client against servers that misbehave: the world going wrong is data, in time, and nothing private is reached."""

from __future__ import annotations

import gzip
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
import respx

import searchlog
from searchlog.capture import wire
from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Limits, Outcome, Request, header, wire_response
from searchlog.capture.guard import Allow
from searchlog.clock import SystemClock
from searchlog.errors import UsageError
from tests.wire_server import HANG, Script, WireServer, client_context

CLOCK = SystemClock()
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>hi</p>"


def redirect(to: str, status: int = 302, extra: bytes = b"") -> list[bytes]:
    return [b"HTTP/1.1 %d Go\r\nLocation: %s\r\n%sContent-Length: 0\r\n\r\n" % (status, to.encode("latin-1"), extra)]


def client(*servers: WireServer, robots: str = "ignore", **options: object) -> Client:
    allow = Allow.parse([f"{server.address}:{server.port}" for server in servers])
    options.setdefault("allow", allow)
    return Client(clock=CLOCK, robots=robots, ssl_context=client_context(), **options)  # type: ignore[arg-type]


def fetch(server: WireServer, path: str = "/", seconds: float = 5, **options: object) -> Fetch:
    with client(server, **options) as door:
        return door.fetch(server.url(path), Deadline(seconds, CLOCK))


def ended(found: Fetch | Exchange) -> tuple[Outcome, str | None]:
    return found.outcome, found.reason


class Resolver:
    """Gives scripted answers in turn, the last one for ever, and notes what it was asked."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every address that is dialled."""
    seen: list[str] = []
    real = wire.Wire._dial

    def dial(self: wire.Wire, address: str, seconds: float) -> socket.socket:
        seen.append(address)
        return real(self, address, seconds)

    monkeypatch.setattr(wire.Wire, "_dial", dial)
    return seen


# -- requests ------------------------------------------------------------------------------------------------------


def test_request_carries_plain_fields_in_a_fixed_order() -> None:
    with WireServer({"/": [PAGE]}) as server:
        found = fetch(server)
    lines = server.requests[0].decode("ascii").split("\r\n")
    assert lines == [
        "GET / HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"User-Agent: searchlog/{searchlog.__version__}",
        "Accept: text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.8",
        "Accept-Language: en;q=0.9, *;q=0.8",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Connection: close",
        "",
        "",
    ]
    assert found.final is not None
    assert found.final.request_head == server.requests[0]
    assert ended(found) == (Outcome.COMPLETE, None)


def test_fields_of_the_request_keep_case_and_order_and_replace_the_usual_ones() -> None:
    request_headers = (("X-B", "2"), ("x-a", "1"), ("user-agent", "me"), ("ACCEPT", "application/json"))
    with WireServer({"/": [PAGE]}) as server, client(server) as door:
        exchange = door.exchange(
            Request("POST", server.url("/"), request_headers, b'{"q":"caf\xc3\xa9"}'), Deadline(5, CLOCK)
        )
    head, body = exchange.request_head.decode("latin-1"), exchange.request_body
    assert "\r\nX-B: 2\r\nx-a: 1\r\nuser-agent: me\r\nACCEPT: application/json\r\n" in head
    assert head.lower().count("user-agent:") == head.lower().count("accept:") == 1
    assert "\r\nContent-Length: 13\r\n" in head
    assert body == b'{"q":"caf\xc3\xa9"}'
    assert (exchange.request_head + body).startswith(server.requests[0])


@pytest.mark.parametrize(
    "field", [("X-A", "sk-Canary\r\nX-B: c"), ("X-A", "sk-Canary日本"), ("Ä", "sk-Canary"), ("X A", "sk-Canary")]
)
def test_field_that_http_cannot_carry_is_the_callers_error(field: tuple[str, str]) -> None:
    with WireServer({"/": [PAGE]}) as server, client(server) as door:
        with pytest.raises(UsageError) as caught:
            door.exchange(Request("GET", server.url("/"), (field,)), Deadline(5, CLOCK))
    assert "Canary" not in repr(caught.value)
    assert server.requests == []


def test_robots_policy_is_one_of_two_words() -> None:
    with pytest.raises(UsageError, match="'obey' or 'ignore'"):
        Client(clock=CLOCK, robots="maybe")


def test_importing_and_making_a_client_loads_no_http_library() -> None:
    code = (
        "import sys\nfrom searchlog.capture.client import Client\nfrom searchlog.clock import SystemClock\n"
        "Client(clock=SystemClock())\n"
        "assert not {'httpx', 'httpcore', 'h11', 'brotli', 'zstandard', 'diskcache', 'protego'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_proxy_variables_are_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    with WireServer({}) as canary, WireServer({"/": [PAGE]}) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
        assert fetch(server).outcome is Outcome.COMPLETE
    assert canary.requests == []


def test_requests_at_once_from_many_threads_keep_their_own_answers() -> None:
    def echo(request: bytes) -> list[bytes]:
        path = request.split(b" ", 2)[1]
        return [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(path), path]

    paths = [f"/{number}" for number in range(40)]
    with WireServer(dict.fromkeys(paths, echo)) as server, client(server) as door:
        found: dict[str, bytes] = {}

        def work(path: str) -> None:
            final = door.fetch(server.url(path), Deadline(10, CLOCK)).final
            found[path] = final.payload if final else b""

        threads = [threading.Thread(target=work, args=(path,)) for path in paths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {path: path.encode() for path in paths}


# -- redirects -----------------------------------------------------------------------------------------------------


def test_redirects_of_every_kind_are_followed_and_kept_in_order() -> None:
    script: dict[str, Script] = {
        "/a": redirect("/b", 301),
        "/b": redirect("c", 302),
        "/c": redirect("/d?x=1", 303),
        "/d?x=1": redirect("//127.0.0.1:{port}/e", 307),
        "/end": [PAGE],
    }
    with WireServer(script) as server:
        server.script["/d?x=1"] = redirect(f"//127.0.0.1:{server.port}/e#frag", 307)
        server.script["/e"] = redirect(server.url("/end"), 308)
        found = fetch(server, "/a")
    assert [hop.status for hop in found.hops] == [301, 302, 303, 307, 308, 200]
    assert found.url == server.url("/a")
    assert found.final is not None
    assert found.final.url == server.url("/end")


def test_redirect_to_a_private_address_is_refused_and_not_dialled(dialled: list[str]) -> None:
    with WireServer({"/": [PAGE]}, address="127.0.0.3") as canary, WireServer({}) as server:
        for number, target in enumerate([canary.url("/"), "http://169.254.169.254/", "http://localhost:1/"]):
            server.script["/"] = redirect(target)
            found = fetch(server)
            assert ended(found) == (Outcome.REFUSED, "address"), target
            assert len(found.hops) == 1
            assert found.hops[0].status == 302
            assert dialled == ["127.0.0.1"] * (number + 1)
    assert canary.requests == []


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/hostname", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("http://2130706433/", "url"),
        ("http://a\\b/", "url"),
        ("http://user:hunter2-in-url@127.0.0.1/", "credentials"),
        ("//hunter2-in-url:x@127.0.0.1/", "credentials"),
    ],
)
def test_redirect_passes_the_whole_url_check(location: str, reason: str) -> None:
    with WireServer({"/": redirect(location)}) as server:
        found = fetch(server)
    assert ended(found) == (Outcome.REFUSED, reason)
    assert len(found.hops) == 1
    assert "hunter2-in-url" not in repr(found)


def test_redirects_in_a_circle_end_at_once() -> None:
    with WireServer({"/a": redirect("/b"), "/b": redirect("/a")}) as server:
        found = fetch(server, "/a")
    assert ended(found) == (Outcome.FAILED, "redirect-limit")
    assert server.paths == ["/a", "/b"]


def test_endless_redirects_end_at_the_limit() -> None:
    with WireServer({f"/{number}": redirect(f"/{number + 1}") for number in range(30)}) as server:
        found = fetch(server, "/0")
    assert ended(found) == (Outcome.FAILED, "redirect-limit")
    assert len(found.hops) == len(server.requests) == 11


def test_cookies_are_neither_kept_nor_sent_nor_stored() -> None:
    cookie = b"Set-Cookie: sid=cookie-for-a; Path=/\r\n"
    with WireServer({"/": [PAGE]}, address="127.0.0.2") as other, WireServer({"/b": [PAGE]}) as server:
        server.script["/a"] = redirect("/b", extra=cookie)
        server.script["/c"] = redirect(other.url("/"), extra=cookie)
        with client(server, other) as door:
            found = [door.fetch(server.url(path), Deadline(5, CLOCK)) for path in ("/a", "/c", "/b")]
    for request in server.requests + other.requests:
        assert b"ookie" not in request
    assert "cookie-for-a" not in repr(found)
    assert found[0].hops[0].departures == ("redacted:response:set-cookie",)


def test_three_hundred_without_location_is_an_answer() -> None:
    with WireServer({"/": [b"HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nhi"]}) as server:
        found = fetch(server)
    assert ended(found) == (Outcome.COMPLETE, None)


@pytest.mark.parametrize("status", [404, 410, 500])
def test_error_status_is_an_answer_like_any_other(status: int) -> None:
    with WireServer({"/": [b"HTTP/1.1 %d Odd\r\nContent-Length: 2\r\n\r\nno" % status]}) as server:
        found = fetch(server)
    assert ended(found) == (Outcome.COMPLETE, None)
    assert found.final is not None
    assert (found.final.status, found.final.payload) == (status, b"no")


# -- names and addresses -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "any.thing.localhost", "localhost."])
def test_name_of_this_machine_is_refused_whatever_the_resolver_would_say(host: str) -> None:
    """A resolver that knows no such name made it look like a failure of the far end (RFC 6761 section 6.3)."""
    resolver = Resolver(["93.184.215.14"])
    with client(resolver=resolver) as door:
        found = door.fetch(f"http://{host}:8000/", Deadline(5, CLOCK))
    assert ended(found) == (Outcome.REFUSED, "address")
    assert resolver.asked == []


def test_name_is_resolved_once_and_a_later_answer_is_never_dialled(dialled: list[str]) -> None:
    """Rebinding: robots.txt, page and redirect of one fetch all use the first, checked answer."""
    resolver = Resolver(["127.0.0.1"], ["127.0.0.3"])
    with WireServer({"/": redirect("/end"), "/end": [PAGE]}) as server:
        allow = Allow.parse([f"site.example:{server.port}"])
        with client(server, robots="obey", allow=allow, resolver=resolver) as door:
            found = door.fetch(server.url("/", "site.example"), Deadline(5, CLOCK))
    assert ended(found) == (Outcome.COMPLETE, None)
    assert resolver.asked == ["site.example"]
    assert dialled == ["127.0.0.1"] * 3


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["93.184.215.14", "10.0.0.5"], (Outcome.REFUSED, "address")),
        (["10.0.0.5", "93.184.215.14"], (Outcome.REFUSED, "address")),
        (["::ffff:169.254.169.254"], (Outcome.REFUSED, "address")),
        (["64:ff9b::a9fe:a9fe"], (Outcome.REFUSED, "address")),
        (["0.0.0.0"], (Outcome.REFUSED, "address")),
        (["nonsense"], (Outcome.REFUSED, "address")),
        ([], (Outcome.FAILED, "dns")),
    ],
)
def test_one_bad_answer_refuses_them_all(answers: list[str], expected: tuple[Outcome, str], dialled: list[str]) -> None:
    with client(resolver=Resolver(answers)) as door:
        exchange = door.exchange(Request("GET", "http://mixed.example/"), Deadline(5, CLOCK))
        found = door.fetch("http://mixed.example/", Deadline(5, CLOCK))
    assert ended(exchange) == ended(found) == expected
    assert exchange.request_head == b""
    assert dialled == []


def test_failing_look_up_fails_closed(dialled: list[str]) -> None:
    def resolver(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with client(resolver=resolver) as door:
        found = door.fetch("http://nowhere.example/", Deadline(5, CLOCK))
    assert ended(found) == (Outcome.FAILED, "dns")
    assert "nowhere.example" in found.detail
    assert dialled == []


def test_next_checked_address_is_dialled_when_the_first_does_not_answer(dialled: list[str]) -> None:
    with WireServer({"/": [PAGE]}) as server:
        allow = Allow.parse([f"site.example:{server.port}"])
        with client(server, allow=allow, resolver=Resolver(["127.0.0.9", "127.0.0.1"])) as door:
            found = door.fetch(server.url("/", "site.example"), Deadline(5, CLOCK))
    assert ended(found) == (Outcome.COMPLETE, None)
    assert dialled == ["127.0.0.9", "127.0.0.1"]
    assert found.final is not None
    assert found.final.peer is not None
    assert found.final.peer.address == "127.0.0.1"


def test_families_take_turns(dialled: list[str]) -> None:
    answers = ["::1", "fd00::1", "127.0.0.8", "127.0.0.9"]
    allow = Allow.parse(["site.example"])
    with client(allow=allow, resolver=Resolver(answers), limits=Limits(connect_s=0.4)) as door:
        found = door.exchange(Request("GET", "http://site.example:9/"), Deadline(5, CLOCK))
    assert found.outcome is Outcome.FAILED
    assert dialled == ["::1", "127.0.0.8", "fd00::1", "127.0.0.9"]


def test_host_and_sni_stay_the_names_that_were_asked_for() -> None:
    with WireServer({"/": [PAGE]}, tls=True, names=("site.example",)) as server:
        allow = Allow.parse([f"site.example:{server.port}"])
        with client(server, allow=allow, resolver=Resolver(["127.0.0.1"])) as door:
            found = door.fetch(server.url("/", "site.example"), Deadline(5, CLOCK))
    assert ended(found) == (Outcome.COMPLETE, None)
    assert f"\r\nHost: site.example:{server.port}\r\n".encode() in server.requests[0]


def test_permission_for_one_port_does_not_open_another_by_redirect() -> None:
    with WireServer({"/": [PAGE]}) as canary, WireServer({}) as server:
        server.script["/"] = redirect(canary.url("/", "site.example"))
        allow = Allow.parse([f"site.example:{server.port}"])
        with client(allow=allow, resolver=Resolver(["127.0.0.1"])) as door:
            found = door.fetch(server.url("/", "site.example"), Deadline(5, CLOCK))
    assert ended(found) == (Outcome.REFUSED, "address")
    assert canary.requests == []


def test_refused_url_is_shown_without_its_password() -> None:
    with client() as door:
        found = door.fetch("http://user:hunter2@example.com/", Deadline(5, CLOCK))
        exchange = door.exchange(Request("GET", "http://user:hunter2@example.com/"), Deadline(5, CLOCK))
    assert ended(found) == ended(exchange) == (Outcome.REFUSED, "credentials")
    assert found.url == exchange.url == "http://[redacted]@example.com/"
    assert "hunter2" not in repr((found, exchange))


# -- time ----------------------------------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n"
DRIP = [step for _ in range(200) for step in (b"x", 0.02)]
SLOW: dict[str, tuple[Script, tuple[Outcome, str]]] = {
    "drip-body": ([HEAD, *DRIP], (Outcome.TRUNCATED, "time")),
    "drip-head": ([b"HTTP/1.1 200 OK\r\nX: ", *DRIP], (Outcome.FAILED, "timeout")),
    "silent": ([HANG], (Outcome.FAILED, "timeout")),
    "silent-after-head": ([HEAD, HANG], (Outcome.TRUNCATED, "time")),
    "slow-interims": ([b"HTTP/1.1 103 Wait\r\n\r\n", 0.05] * 100, (Outcome.FAILED, "timeout")),
    "slow-chunks": (
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n", 0.02] * 100],
        (Outcome.TRUNCATED, "time"),
    ),
}


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", SLOW)
def test_slow_answer_ends_at_the_deadline_and_keeps_what_arrived(name: str, tls: bool) -> None:
    script, expected = SLOW[name]
    with WireServer({"/": script}, tls=tls) as server:
        start = time.monotonic()
        found = fetch(server, seconds=0.8)  # time enough for a busy machine to serve the beginning
        took = time.monotonic() - start
    assert ended(found) == expected
    assert 0.78 < took < 1.5
    assert found.final is not None
    assert found.detail == "the deadline came while reading"
    if name.startswith("drip"):
        assert len(wire_response(found.final.response_head, found.final.payload, found.final.framing)) > 25


def test_time_limit_of_one_fetch_holds_within_a_longer_deadline() -> None:
    with WireServer({"/": [HANG]}) as server:
        start = time.monotonic()
        found = fetch(server, limits=Limits(total_s=0.2))
        assert time.monotonic() - start < 1
    assert ended(found) == (Outcome.FAILED, "timeout")


def test_silence_longer_than_the_idle_limit_ends_the_exchange() -> None:
    with WireServer({"/": [HEAD, b"abc", HANG]}) as server:
        found = fetch(server, limits=Limits(idle_s=0.4))
    assert ended(found) == (Outcome.TRUNCATED, "time")
    assert "nothing arrived for 0.4 s" in found.detail


def test_handshake_that_stalls_ends_at_the_connect_limit() -> None:
    with WireServer({}, stall_tls=True) as server:
        found = fetch(server, limits=Limits(connect_s=0.2))
    assert ended(found) == (Outcome.FAILED, "timeout")
    assert "TLS" in found.detail


@contextmanager
def full_backlog() -> Iterator[int]:
    """Give a port whose connections are neither taken nor refused."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_connect_that_hangs_ends_at_the_connect_limit() -> None:
    with full_backlog() as port:
        allow = Allow.parse([f"127.0.0.1:{port}"])
        with client(allow=allow, limits=Limits(connect_s=0.2)) as door:
            start = time.monotonic()
            found = door.exchange(Request("GET", f"http://127.0.0.1:{port}/"), Deadline(5, CLOCK))
            assert time.monotonic() - start < 1
    assert ended(found) == (Outcome.FAILED, "timeout")


def test_connection_refused_is_a_connect_failure() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with client(allow=Allow.parse(["127.0.0.1"])) as door:
            found = door.exchange(Request("GET", f"http://127.0.0.1:{port}/"), Deadline(5, CLOCK))
    assert ended(found) == (Outcome.FAILED, "connect")
    assert "refused" in found.detail


def test_hanging_look_up_ends_at_the_deadline() -> None:
    release = threading.Event()

    def resolver(host: str, port: int) -> Sequence[str]:
        release.wait(10)
        return ["127.0.0.1"]

    with client(resolver=resolver) as door:
        start = time.monotonic()
        found = door.fetch("http://slow.example/", Deadline(0.2, CLOCK))
        assert time.monotonic() - start < 1
    release.set()
    assert ended(found) == (Outcome.FAILED, "timeout")


def returns_at_once(work: Callable[[Deadline], object], after: float = 0.2) -> bool:
    """Whether work ends within 100 ms of another thread cutting its deadline, in one of three tries.

    Three, because on a loaded machine this process may simply not be run for so long.
    """

    def seconds() -> float:
        deadline = Deadline(20, CLOCK)
        at: list[float] = []

        def cut() -> None:
            at.append(time.monotonic())
            deadline.cut()

        timer = threading.Timer(after, cut)
        timer.start()
        work(deadline)
        took = time.monotonic() - at[0]
        timer.join()
        return took

    return any(seconds() < 0.1 for _ in range(3))


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", ["silent", "drip-head", "drip-body", "silent-after-head"])
def test_cut_from_another_thread_returns_at_once(name: str, tls: bool) -> None:
    found: list[Fetch] = []
    with WireServer({"/": SLOW[name][0]}, tls=tls) as server, client(server) as door:
        assert returns_at_once(lambda deadline: found.append(door.fetch(server.url("/"), deadline)), after=0.5)
    assert ended(found[0]) == SLOW[name][1]
    assert found[0].detail == "the deadline was cut while reading"


def test_cut_ends_a_hanging_look_up() -> None:
    release = threading.Event()

    def resolver(host: str, port: int) -> Sequence[str]:
        release.wait(10)
        return ["127.0.0.1"]

    with client(resolver=resolver) as door:
        assert returns_at_once(lambda deadline: door.fetch("http://slow.example/", deadline))
    release.set()


def test_cut_ends_a_hanging_connect() -> None:
    with full_backlog() as port, client(allow=Allow.parse([f"127.0.0.1:{port}"])) as door:
        assert returns_at_once(lambda deadline: door.fetch(f"http://127.0.0.1:{port}/", deadline))


def test_cut_ends_a_stalled_handshake() -> None:
    with WireServer({}, stall_tls=True) as server, client(server) as door:
        assert returns_at_once(lambda deadline: door.fetch(server.url("/"), deadline))


def test_cut_ends_a_stalled_upload() -> None:
    def stall(request: bytes) -> list[str]:
        return [HANG]

    body = b"x" * 12_000_000  # more than the buffers on the way hold; a longer one only takes longer to read
    with WireServer({"/": stall}) as server, client(server) as door:
        request = Request("POST", server.url("/"), body=body)
        assert returns_at_once(lambda deadline: door.exchange(request, deadline), after=0.5)


def test_expired_deadline_asks_nothing() -> None:
    with WireServer({"/": [PAGE]}) as server, client(server) as door:
        deadline = Deadline(5, CLOCK)
        deadline.cut()
        found = door.fetch(server.url("/"), deadline)
    assert found.outcome in (Outcome.FAILED, Outcome.REFUSED)
    assert server.requests == []


# -- content codings -----------------------------------------------------------------------------------------------


def coded(payload: bytes, coding: bytes = b"gzip") -> list[bytes]:
    return [b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(payload)), payload]


def test_coded_payload_is_kept_as_it_came_and_decoded_beside() -> None:
    payload = gzip.compress(b"one ") + gzip.compress(b"two")
    with WireServer({"/": coded(payload)}) as server:
        final = fetch(server).final
    assert final is not None
    assert (final.payload, final.decoded.data, final.decoded.codings) == (payload, b"one two", ("gzip",))


def test_payload_cut_inside_its_coding_is_truncated_although_lengths_agree() -> None:
    payload = gzip.compress(b"The harbour keeps a paper book of tides. " * 99)
    with WireServer({"/": coded(payload[: len(payload) // 2])}) as server:
        found = fetch(server)
    assert ended(found) == (Outcome.TRUNCATED, "coding")


def test_payload_that_lies_about_its_coding_is_truncated_and_kept() -> None:
    with WireServer({"/": coded(b"<p>plain</p>")}) as server:
        found = fetch(server)
    assert ended(found) == (Outcome.TRUNCATED, "coding")
    assert found.final is not None
    assert (found.final.payload, found.final.decoded.data) == (b"<p>plain</p>", b"")


def test_bomb_is_cut_at_the_decoded_limit() -> None:
    bomb = gzip.compress(b"\0" * (64 << 20))
    with WireServer({"/": coded(bomb)}) as server:
        found = fetch(server, limits=Limits(decoded_bytes_max=1_000_000))
    assert ended(found) == (Outcome.TRUNCATED, "length")
    assert found.final is not None
    assert (found.final.payload, len(found.final.decoded.data)) == (bomb, 1_000_000)


# -- politeness ----------------------------------------------------------------------------------------------------


def busy(*waits: str) -> Callable[[bytes], list[bytes]]:
    """Answer 429 with these waits in turn, then the page."""
    left = list(waits)

    def answer(request: bytes) -> list[bytes]:
        if not left:
            return [PAGE]
        return [b"HTTP/1.1 429 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n" % left.pop(0).encode()]

    return answer


def test_retry_after_that_fits_is_obeyed_once() -> None:
    with WireServer({"/": busy("0.2")}) as server:
        start = time.monotonic()
        found = fetch(server)
        assert time.monotonic() - start >= 0.2
    assert [hop.status for hop in found.hops] == [429, 200]
    assert found.outcome is Outcome.COMPLETE


def test_second_refusal_is_the_answer() -> None:
    with WireServer({"/": busy("0", "0", "0")}) as server:
        found = fetch(server)
    assert [hop.status for hop in found.hops] == [429, 429]


@pytest.mark.parametrize("wait", ["1000000000", "Fri, 31 Dec 2099 23:59:59 GMT"])
def test_wait_of_years_is_not_waited_for_and_the_host_left_alone(wait: str) -> None:
    with WireServer({"/": busy(wait)}) as server, client(server) as door:
        first = door.fetch(server.url("/"), Deadline(2, CLOCK))
        second = door.fetch(server.url("/"), Deadline(2, CLOCK))
        third = door.exchange(Request("GET", server.url("/")), Deadline(100, CLOCK))
    assert first.final is not None
    assert first.final.status == 429
    assert ended(second) == ended(third) == (Outcome.REFUSED, "rate-limited")
    assert len(server.requests) == 1


def test_so_many_requests_a_host_run_at_once_and_no_more() -> None:
    third_is_here = threading.Barrier(3, timeout=20)
    inside: list[bytes] = []
    seen: list[int] = []

    def answer(request: bytes) -> list[bytes]:
        inside.append(request)
        third_is_here.wait()  # fewer than three at once would wait here for ever
        time.sleep(0.05)  # a fourth would come now
        seen.append(len(inside))
        inside.remove(request)  # before the answer leaves: the next may come as soon as it has arrived
        return [PAGE]

    with WireServer({f"/{number}": answer for number in range(9)}) as server:
        with client(server, per_host=2, per_own_host=3) as door:
            threads = [
                threading.Thread(target=door.fetch, args=(server.url(f"/{number}"), Deadline(60, CLOCK)))
                for number in range(9)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert len(server.requests) == 9
    assert max(seen) == 3


# -- transports that do not show the wire --------------------------------------------------------------------------


@respx.mock
def test_answer_of_a_mocked_transport_is_rebuilt_and_says_so() -> None:
    route = respx.post("https://api.example/search?key=sk-secret-123").respond(
        200, json={"echo": "sk-secret-123"}, headers={"X-One": "1"}
    )
    with Client(clock=CLOCK) as door:
        exchange = door.exchange(
            Request(
                "POST",
                "https://api.example/search?key=sk-secret-123",
                (("Authorization", "Bearer sk-secret-123"),),
                b'{"q":"x"}',
                ("sk-secret-123",),
            ),
            Deadline(5, CLOCK),
        )
    assert route.called
    assert ended(exchange) == (Outcome.COMPLETE, None)
    assert exchange.departures[0] == "rebuilt"
    assert exchange.peer is None
    assert header(exchange.headers, "x-one") == "1"
    assert exchange.payload == b'{"echo":"[redacted]"}'
    assert exchange.request_head.startswith(b"POST /search?key=[redacted] HTTP/1.1\r\nHost: api.example\r\n")
    assert "sk-secret-123" not in repr(exchange)


@respx.mock
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ConnectError, "connect"),
        (httpx.ConnectTimeout, "timeout"),
        (httpx.ReadTimeout, "timeout"),
        (httpx.ReadError, "disconnect"),
        (httpx.RemoteProtocolError, "disconnect"),
    ],
)
def test_error_of_a_mocked_transport_is_named(error: type[httpx.TransportError], reason: str) -> None:
    respx.get("https://api.example/").mock(side_effect=error)
    with Client(clock=CLOCK) as door:
        exchange = door.exchange(Request("GET", "https://api.example/"), Deadline(5, CLOCK))
    assert ended(exchange) == (Outcome.FAILED, reason)


def test_waiting_for_ones_turn_at_a_host_uses_up_no_time_of_the_fetch() -> None:
    """Of many slow pages of one host those at the end were refused or cut, since their time ran while they waited."""
    slow = [b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n", 0.3, b"\r\n<p>x"]
    with WireServer({f"/{n}": slow for n in range(8)}) as server:
        with client(server, limits=Limits(total_s=1.0), per_host=1, per_own_host=1) as door:
            with ThreadPoolExecutor(8) as threads:
                found = list(threads.map(lambda n: door.fetch(server.url(f"/{n}"), Deadline(20, CLOCK)), range(8)))
    assert {one.outcome for one in found} == {Outcome.COMPLETE}
