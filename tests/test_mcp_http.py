"""The MCP server by HTTP, request by request: who is let in, what is refused, and what comes back."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_servers import HELLO, TOKEN, HttpServer, call, http_server, kept, run, web

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
NEWEST = {"mcp_protocol_version": "2026-07-28"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("http") / "archive"


@pytest.fixture(scope="module")
def server(archive: Path) -> Iterator[HttpServer]:
    with web() as site, http_server(archive, site, "--token-in-url", "--allow-host", "search.example.org") as running:
        yield running


def modern(name: str, arguments: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a call of the stateless protocol, and its headers."""
    return call(name, arguments, _meta=MODERN), {**NEWEST, "mcp_method": "tools/call", "mcp_name": name}


def greeted(server: HttpServer, **headers: str) -> str:
    """Shake hands; return the id of the connection."""
    status, told, body = server.raw(HELLO[0], **headers)
    assert status == 200, body
    assert server.raw(HELLO[1], mcp_session_id=told["mcp-session-id"], **headers)[0] == 202
    return told["mcp-session-id"]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "PUT"])
@pytest.mark.parametrize(
    ("headers", "drop", "status", "says"),
    [
        ({"host": "evil.example"}, (), 421, "--allow-host"),
        ({"host": "127.0.0.1.evil.example:80"}, (), 421, "--allow-host"),
        ({"origin": "https://evil.example"}, (), 403, "another origin"),
        ({"origin": "null"}, (), 403, "another origin"),
        ({"sec_fetch_site": "cross-site"}, (), 403, "another origin"),
        ({}, ("authorization",), 401, "Authorization: Bearer"),
        ({"authorization": "Bearer wrong"}, (), 401, "not the token"),
        ({"authorization": f"Basic {TOKEN}"}, (), 401, "Authorization: Bearer"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_strangers_are_refused(
    server: HttpServer, method: str, headers: dict[str, str], drop: tuple[str, ...], status: int, says: str
) -> None:
    body = HELLO[0] if method == "POST" else None
    got, told, raw = server.raw(body, method=method, drop=drop, **headers)
    assert got == status
    assert says in json.loads(raw)["error"]["message"]
    assert ("www-authenticate" in told) is (status == 401)
    assert not any(name.startswith("access-control-") for name in told)
    assert TOKEN.encode() not in raw


def test_a_page_is_never_told_that_it_may(server: HttpServer) -> None:
    """No CORS: a preflight is refused, and no answer carries a header that lets a page read it."""
    asked = {"origin": "http://localhost:3000", "access_control_request_method": "POST"}
    assert server.raw(method="OPTIONS", **asked)[0] == 403
    status, told, _ = server.raw(HELLO[0])
    assert status == 200
    assert not any(name.startswith("access-control-") for name in told)


def test_other_paths_are_told_where_the_server_is(server: HttpServer) -> None:
    for path in ("/", "/mcp/", "//mcp", "/sse", "/.well-known/oauth-protected-resource", "/mcp/wrong"):
        status, _, body = server.raw(HELLO[0], path=path, drop=("authorization",))
        assert status in (401, 404)
        assert json.loads(body)["error"]["message"]
    assert server.raw(HELLO[0], path="/mcp?x=1")[0] == 200


def test_token_in_the_address_lets_in_who_can_send_no_header(server: HttpServer) -> None:
    for host in ("search.example.org", "127.0.0.1"):
        status, _, body = server.raw(HELLO[0], path=f"/mcp/{TOKEN}", drop=("authorization",), host=host)
        assert status == 200
        assert json.loads(body)["result"]["serverInfo"]["name"] == "searchlog"


@pytest.mark.parametrize("newest", [False, True], ids=["handshake", "stateless"])
@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"{not json", {400}),
        (b"", {400}),
        (b"[" * 50_000, {400}),
        (b"\xff\xfe{", {400}),
        (b"[]", {400}),
        (b"7", {400}),
        (b'{"jsonrpc":"2.0","id":1}', {400}),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', {400, 404}),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_broken_bodies_get_an_error_as_json(server: HttpServer, body: bytes, statuses: set[int], newest: bool) -> None:
    headers = NEWEST | {"mcp_method": "no/such"} if newest else {}
    status, told, raw = server.raw(body, **headers)
    assert status in statuses, raw
    assert told["content-type"].startswith("application/json")
    assert isinstance(json.loads(raw)["error"]["code"], int)


def test_bodies_that_are_too_large_are_refused(server: HttpServer) -> None:
    assert server.raw(b" " * ((1 << 20) + 1))[0] == 413
    chunks = b"".join(b"10000\r\n" + b" " * 0x10000 + b"\r\n" for _ in range(17)) + b"0\r\n\r\n"
    status, _, body = server.raw(chunks, transfer_encoding="chunked")
    assert status == 413
    assert "larger than 1048576" in json.loads(body)["error"]["message"]


def test_body_of_another_type_is_refused(server: HttpServer) -> None:
    """A form or a text can be sent by any page without asking first."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert server.raw(HELLO[0], content_type=kind)[0] == 415


@pytest.mark.parametrize("newest", [False, True], ids=["handshake", "stateless"])
def test_half_of_a_surrogate_pair_gets_a_reply(server: HttpServer, newest: bool) -> None:
    message, headers = modern("web_search", {"query": "tide HALF mill"})
    if not newest:
        message, headers = call("web_search", {"query": "tide HALF mill"}), {"mcp_session_id": greeted(server)}
    for half in (b"\\ud83d", b"\\udc00", b"\xed\xa0\x80"):
        status, told, raw = server.raw(json.dumps(message).encode().replace(b"HALF", half), **headers)
        assert (status, told["content-type"]) == (200, "application/json")
        told_query = json.loads(raw)["result"]["structuredContent"]["query"]
        assert told_query.strip("\ufffd") == "tide " + told_query[5:-5].strip() + " mill"
        assert "\ufffd" in told_query


def test_reply_is_one_json_body_unless_progress_was_wanted(server: HttpServer) -> None:
    """An event stream would be cut by clients at 1 MiB."""
    connection = {"mcp_session_id": greeted(server)}
    for headers, meta in ((connection, {}), (modern("web_search", {})[1], MODERN)):
        for token, kind in ((None, "application/json"), ("p1", "text/event-stream")):
            wanted = {"_meta": {**meta, **({"progressToken": token} if token else {})}}
            message = call("web_search", {"query": "tide mill", "fresh": True}, **wanted)
            status, told, raw = server.raw(message, **headers)
            assert status == 200
            assert told["content-type"].split(";")[0] == kind
            assert (b"notifications/progress" in raw) is (token is not None)
            assert b'"structuredContent"' in raw


def test_arguments_of_any_type_get_a_result(server: HttpServer) -> None:
    connection = {"mcp_session_id": greeted(server)}
    for arguments in ("not json", ["a"], 7, True):
        for message, headers in ((call("open_page", arguments), connection), modern("open_page", arguments)):
            status, _, raw = server.raw(message, **headers)
            assert status == 200
            result = json.loads(raw)["result"]
            assert result["isError"] is True
            assert "open_page" in result["content"][0]["text"]


def test_connections_end_and_unknown_ones_are_told(server: HttpServer) -> None:
    connection = greeted(server)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert server.raw(ping, mcp_session_id=connection)[0] == 200
    assert server.raw(method="DELETE", mcp_session_id=connection)[0] == 200
    assert server.raw(ping, mcp_session_id=connection)[0] == 404
    assert server.raw(ping, mcp_session_id="never")[0] == 404


def test_all_clients_share_one_session_and_the_token_is_nowhere(server: HttpServer, archive: Path) -> None:
    message, headers = modern("verify_evidence", {"ids": [TOKEN]})
    first = json.loads(server.raw(message, **headers)[2])["result"]["structuredContent"]["head"]
    other = call("verify_evidence", {"ids": ["e1"]})
    second = json.loads(server.raw(other, mcp_session_id=greeted(server))[2])["result"]["structuredContent"]["head"]
    assert first.split()[2] == second.split()[2]
    assert not any(TOKEN in line for line in server.said)
    held = [path for path in archive.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert held == []


def test_slow_and_silent_strangers_do_not_keep_others_waiting(server: HttpServer) -> None:
    host, port = server.url.split("/")[2].split(":")
    idle = [socket.create_connection((host, int(port))) for _ in range(20)]
    try:
        for one in idle:
            one.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        assert server.raw(HELLO[0])[0] == 200
    finally:
        for one in idle:
            one.close()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_official_client_without_the_token_is_refused(server: HttpServer, mode: str) -> None:
    async def use(client: Any) -> None:
        await client.list_tools()

    with pytest.raises(BaseExceptionGroup) as caught:
        run(server.client(mode, token="wrong"), use)
    assert caught.group_contains(Exception)


def test_what_was_recorded_verifies(server: HttpServer, archive: Path) -> None:
    message, headers = modern("web_search", {"query": "tide mill"})
    _, _, raw = server.raw(message, **headers)
    sent = json.loads(raw)["result"]
    call_, result, content = kept(archive)[-1]
    assert content == {name: sent[name] for name in ("content", "structuredContent", "isError")}
    assert call_.client == {"protocol": "2026-07-28", "name": "raw", "version": "1"}
    assert result.outcome == "ok"


@pytest.mark.parametrize(
    ("how", "newest"),
    [(signal.SIGINT, False), (signal.SIGTERM, True)],
    ids=["ctrl-c handshake", "terminated stateless"],
)
def test_it_ends_in_the_middle_of_a_call_with_all_turns_closed(tmp_path: Path, how: int, newest: bool) -> None:
    with web(delay={"/search": 1.0}) as site, http_server(tmp_path / "archive", site) as running:
        message, headers = modern("web_search", {"query": "tide mill"})
        if not newest:
            message, headers = call("web_search", {"query": "tide mill"}), {"mcp_session_id": greeted(running)}

        def ask() -> None:
            with suppress(OSError, HTTPException):
                running.raw(message, **headers)

        asking = threading.Thread(target=ask)
        asking.start()
        until = time.monotonic() + 30
        while not any(path.startswith("/search") for path in site.paths) and time.monotonic() < until:
            time.sleep(0.02)
        running.process.send_signal(how)
        assert running.process.wait(30) == 0
        asking.join()
    ((asked, result, _),) = kept(tmp_path / "archive")
    assert asked.name == "web_search"
    # it may still be done while the server waits for its clients to leave
    assert result.outcome in ("cancelled", "ok")
    assert not any("Traceback" in line for line in running.said)
