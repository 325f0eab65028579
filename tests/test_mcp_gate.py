"""Who gets through to the MCP server by HTTP: every method, Host, Origin and token against each other."""

from __future__ import annotations

from itertools import product

import pytest

from searchlog.mcp.gate import Gate

TOKEN = "a-token-for-tests-0123456789"
GATE = Gate(TOKEN, ("search.example.org", "box:9000"))
METHODS = ("GET", "POST", "DELETE")
HOSTS = {
    "127.0.0.1:8756": True,
    "127.0.0.1": True,
    "localhost:1": True,
    "LocalHost:8756": True,
    "[::1]:8756": True,
    "search.example.org": True,
    "search.example.org:443": True,
    "box:9000": True,
    "box": False,
    "box:9001": False,
    "evil.example": False,
    "127.0.0.1.evil.example:8756": False,
    "localhost.evil.example": False,
    "evil.example:8756@localhost": False,
    "localhost:8756/../x": False,
    "localhost:99999": False,
    "localhost:٣": False,
    "localhost ": False,
    "": False,
}
ORIGINS = {None: True, "own": True, "https own": True, "null": False, "http://evil.example": False, "other port": False}
ALLOWED = {"https://search.example.org": True, "http://box:9000": True, "http://box": False}


def headers(**given: str | None) -> list[tuple[bytes, bytes]]:
    usual: dict[str, str | None] = {
        "host": "127.0.0.1:8756",
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
    }
    usual |= {name.replace("_", "-"): value for name, value in given.items()}
    return [(name.encode(), value.encode()) for name, value in usual.items() if value is not None]


def status(method: str = "POST", path: bytes = b"/mcp", gate: Gate = GATE, **given: str | None) -> int:
    refused = gate.refusal(method, path, headers(**given))
    return 200 if refused is None else refused.status


def test_only_names_of_this_machine_and_allowed_ones_get_through() -> None:
    for (host, good), (origin, fits), method, token in product(
        HOSTS.items(), (ORIGINS | ALLOWED).items(), METHODS, (TOKEN, "wrong", None)
    ):
        named = {
            None: None,
            "own": f"http://{host}",
            "https own": f"https://{host}",
            "other port": f"http://{host.rpartition(':')[0]}:1234",
        }
        sent = named.get(origin, origin)
        got = status(method, host=host, origin=sent, authorization=None if token is None else f"Bearer {token}")
        want = 421 if not good else 403 if not fits else 200 if token == TOKEN else 401
        assert got == want, (host, sent, method, token)


@pytest.mark.parametrize("method", [*METHODS, "OPTIONS", "PUT"])
def test_a_host_named_twice_or_not_at_all_is_refused(method: str) -> None:
    twice = [*headers(), (b"host", b"127.0.0.1:8756")]
    for given in (twice, headers(host=None)):
        refused = GATE.refusal(method, b"/mcp", given)
        assert refused is not None
        assert refused.status == 421
        assert "--allow-host" in refused.message


def test_requests_of_pages_elsewhere_are_refused_without_an_origin_too() -> None:
    assert [status(sec_fetch_site=site) for site in ("cross-site", "same-site", "same-origin", "none")] == [
        403,
        403,
        200,
        200,
    ]


@pytest.mark.parametrize(
    ("authorization", "error"),
    [(None, False), ("", False), ("Basic abc", False), (f"bearer {TOKEN}x", True), (f"Bearer {TOKEN[:-1]}", True)],
)
def test_who_has_no_token_is_told_how_to_give_it_and_never_what_it_is(authorization: str | None, error: bool) -> None:
    refused = GATE.refusal("POST", b"/mcp", headers(authorization=authorization))
    assert refused is not None
    assert refused.status == 401
    (name, value) = refused.headers[0]
    assert name == "WWW-Authenticate"
    assert ('error="invalid_token"' in value) is error
    assert TOKEN not in refused.message + value


def test_two_tokens_are_none() -> None:
    both = [*headers(), (b"authorization", b"Bearer other")]
    refused = GATE.refusal("POST", b"/mcp", both)
    assert refused is not None
    assert refused.status == 401


def test_scheme_of_the_token_is_read_in_any_case() -> None:
    assert status(authorization=f"bEARER  {TOKEN}") == 200


def test_other_paths_methods_and_types_are_refused() -> None:
    assert [status(path=path) for path in (b"/", b"/mcp/", b"/mcp/x", b"//mcp", b"/MCP", b"/mcp%2f")] == [404] * 6
    assert [status(method) for method in ("OPTIONS", "PUT", "HEAD", "TRACE", "PATCH")] == [405] * 5
    kinds = ("text/plain", "application/jsonp", "application/x-www-form-urlencoded", None, "")
    assert [status(content_type=kind) for kind in kinds] == [415] * 5
    assert status(content_type="Application/JSON; charset=utf-8") == 200
    assert status("GET", content_type=None) == 200


def test_bodies_that_say_that_they_are_too_large_are_refused() -> None:
    assert status(content_length=str(1 << 20)) == 200
    assert [status(content_length=size) for size in (str((1 << 20) + 1), "9" * 5000, "-1", "1e3", "")] == [413] * 5


def test_token_in_the_address_only_where_it_was_asked_for() -> None:
    given = {"authorization": None}
    place = f"/mcp/{TOKEN}".encode()
    assert status(path=place, **given) == 404
    open_gate = Gate(TOKEN, token_in_url=True)
    assert status(path=place, gate=open_gate, **given) == 200
    assert [status(path=path, gate=open_gate, **given) for path in (b"/mcp", b"/mcp/", place + b"x")] == [401] * 3
    assert status(path=place, gate=open_gate, host="evil.example") == 421
    assert status(gate=open_gate) == 200
