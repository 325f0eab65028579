"""Names whose answers are hostile: every address is judged, and only a judged one is dialled."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import pytest

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.wire import Wire
from searchlog.clock import SystemClock
from tests.hostile.case import answer, page

CLOCK = SystemClock()
PUBLIC, OTHER = "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"
NAMES: dict[str, tuple[list[list[str]], str, str | None, list[str]]] = {
    # answers of each look-up in turn, outcome, reason, what may be dialled
    "public": ([[PUBLIC]], "complete", None, [PUBLIC]),
    "public-v6": ([[OTHER]], "complete", None, [OTHER]),
    "rebound": ([[PUBLIC], ["127.0.0.3"]], "complete", None, [PUBLIC]),
    "rebound-to-metadata": ([[PUBLIC], ["169.254.169.254"]], "complete", None, [PUBLIC]),
    "mixed": ([[PUBLIC, "10.0.0.5"]], "refused", "address", []),
    "mixed-last-of-many": ([[PUBLIC] * 200 + ["127.0.0.1"]], "refused", "address", []),
    "mixed-families": ([[PUBLIC, "::1"]], "refused", "address", []),
    "loopback": ([["127.0.0.3"]], "refused", "address", []),
    "mapped": ([["::ffff:169.254.169.254"]], "refused", "address", []),
    "compatible": ([["::127.0.0.3"]], "refused", "address", []),
    "nat64": ([["64:ff9b::a9fe:a9fe"]], "refused", "address", []),
    "local-nat64": ([["64:ff9b:1::7f00:1"]], "refused", "address", []),
    "6to4": ([["2002:7f00:3::1"]], "refused", "address", []),
    "teredo": ([["2001:0:7f00:1::80ff:fffc"]], "refused", "address", []),
    "unspecified": ([["0.0.0.0"]], "refused", "address", []),
    "this-network": ([["0.1.2.3"]], "refused", "address", []),
    "multicast": ([["224.0.0.1"]], "refused", "address", []),
    "broadcast": ([["255.255.255.255"]], "refused", "address", []),
    "shared": ([["100.64.0.1"]], "refused", "address", []),
    "unique-local": ([["fd00:ec2::254"]], "refused", "address", []),
    "zone": ([["fe80::1%lo"]], "refused", "address", []),
    "no-address": ([[]], "failed", "dns", []),
    "not-an-address": ([["somewhere"]], "refused", "address", []),
}


def resolver(answers: list[list[str]]) -> Callable[[str, int], list[str]]:
    left = list(answers)

    def look_up(host: str, port: int) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return look_up


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put a page where the wire dials, and note what it dialled."""
    seen: list[str] = []

    def dial(wire: Wire, address: str, seconds: float) -> socket.socket:
        seen.append(address)
        ours, theirs = socket.socketpair()

        def serve() -> None:
            with theirs:
                theirs.recv(65_536)
                theirs.sendall(answer(page("dialled")))

        threading.Thread(target=serve, daemon=True).start()
        wire.watch(ours)
        return ours

    monkeypatch.setattr(Wire, "_dial", dial)
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_name_is_dialled_only_at_an_address_that_was_judged(name: str, dialled: list[str]) -> None:
    answers, outcome, reason, may = NAMES[name]
    with Client(clock=CLOCK, resolver=resolver(answers), robots="ignore") as client:
        found = client.fetch(f"http://{name}.example/", Deadline(5, CLOCK))
    assert (found.outcome, found.reason) == (outcome, reason)
    assert dialled == may


def test_name_that_changes_its_answer_between_two_fetches_is_judged_again(dialled: list[str]) -> None:
    with Client(clock=CLOCK, resolver=resolver(NAMES["rebound"][0]), robots="ignore") as client:
        ends = [client.fetch("http://rebound.example/", Deadline(5, CLOCK)).reason for _ in range(2)]
    assert (ends, dialled) == ([None, "address"], [PUBLIC])


def test_robots_and_page_share_one_look_up(dialled: list[str]) -> None:
    """Between robots.txt and the page a name could have moved."""
    with Client(clock=CLOCK, resolver=resolver(NAMES["rebound"][0])) as client:
        found = client.fetch("http://rebound.example/", Deadline(5, CLOCK))
    assert found.outcome == "complete"
    assert set(dialled) == {PUBLIC}


def test_resolver_that_breaks_is_a_failed_look_up() -> None:
    """An odd error of a resolver was a traceback of a thread, and looked like a deadline that had passed."""

    def broken(host: str, port: int) -> list[str]:
        raise KeyError("no\nsuch\nthing")

    with Client(clock=CLOCK, resolver=broken, robots="ignore") as client:
        found = client.fetch("http://broken.example/", Deadline(5, CLOCK))
    assert (found.outcome, found.reason) == ("failed", "dns")
    assert "\n" not in found.detail


def test_name_with_a_million_addresses_is_not_judged_for_minutes() -> None:
    with Client(clock=CLOCK, resolver=resolver([[PUBLIC] * 100_000]), robots="ignore") as client:
        found = client.fetch("http://many.example/", Deadline(5, CLOCK))
    assert (found.outcome, found.reason) == ("failed", "dns")
