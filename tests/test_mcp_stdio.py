"""The MCP server by stdin and stdout, line by line: what no official client sends, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import types

from searchlog.archive import open_archive
from searchlog.mcp.stdio import LINE_BYTES_MAX
from tests.mcp_servers import HELLO, RawStdio, call, command, environment, kept, web
from tests.sites import Site

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def site() -> Iterator[Site]:
    with web() as running:
        yield running


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "stateless"])
def test_half_of_a_surrogate_pair_gets_a_reply(tmp_path: Path, site: Site, modern: bool) -> None:
    """The SDK drops such a line, and whoever sent it waits for ever."""
    server = RawStdio(tmp_path / "archive", site)
    if not modern:
        server.greet()
    line = json.dumps(call("web_search", {"query": "tide HALF mill"}, 7, **({"_meta": MODERN} if modern else {})))
    server.send(line.replace("HALF", "\\ud83d").encode())
    reply = server.answer()
    assert reply["id"] == 7
    assert reply["result"]["isError"] is False
    assert reply["result"]["structuredContent"]["query"] == "tide \ufffd mill"
    assert server.end()[0] == 0
    ((asked, _, _),) = kept(tmp_path / "archive")
    assert json.loads(str(asked.arguments)) == {"query": "tide \ufffd mill"}


def test_lines_that_are_no_messages_are_answered_and_the_next_is_served(tmp_path: Path, site: Site) -> None:
    server = RawStdio(tmp_path / "archive", site)
    server.greet()
    ping = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'
    for line, code, number in [
        (b"{not json", types.PARSE_ERROR, None),
        (b"[" * 100_000, types.PARSE_ERROR, None),
        (b"\xff\xfe", types.PARSE_ERROR, None),
        (b"[" + ping + b"]", types.INVALID_REQUEST, None),
        (b'{"jsonrpc":"1.0","id":4,"method":"ping"}', types.INVALID_REQUEST, 4),
        (b'{"id":"x","method":"ping"}', types.INVALID_REQUEST, "x"),
        (b"7", types.INVALID_REQUEST, None),
        (b"x" * (LINE_BYTES_MAX + 1), types.INVALID_REQUEST, None),
    ]:
        server.send(line)
        reply = server.answer()
        assert (reply["error"]["code"], reply["id"]) == (code, number), line[:40]
        server.send(ping)
        assert server.answer() == {"jsonrpc": "2.0", "id": "p", "result": {}}
    server.send(b"\r\n \n" + ping + b"\r")
    assert server.answer()["id"] == "p"
    code, rest, said = server.end()
    assert (code, rest) == (0, [])
    assert "Traceback" not in said


def test_arguments_of_any_type_get_a_result_that_tells_what_to_do(tmp_path: Path, site: Site) -> None:
    server = RawStdio(tmp_path / "archive", site)
    server.greet()
    good = '{"query": "tide mill"}'
    sent: list[Any] = [good, "not json", ["a"], 7, True, None, {"query": {"a": 1}}, {"query": "x" * 20_000}]
    for arguments in sent:
        server.send(call("web_search", arguments))
        result = server.answer()["result"]
        assert result["isError"] is (arguments != good)
        if arguments != good:
            assert result["structuredContent"]["error"]["code"] == "bad-arguments"
            said = result["content"][0]["text"]
            assert '{"query": ' in said or "too long" in said
    assert server.end()[0] == 0
    recorded = [asked.arguments for asked, _, _ in kept(tmp_path / "archive")]
    assert recorded[:-1] == [
        arguments if isinstance(arguments, str) else json.dumps(arguments or {}, separators=(",", ":"))
        for arguments in sent[:-1]
    ]


def test_what_prints_in_the_process_does_not_meet_the_wire(tmp_path: Path, site: Site) -> None:
    code = (
        "import sys, threading, os, subprocess\n"
        "from searchlog.mcp import service\n"
        "whole = service.Service.call\n"
        "def loud(self, *args, **options):\n"
        "    print('printed'); sys.stdout.flush(); os.write(1, b'written\\n')\n"
        "    subprocess.run([sys.executable, '-c', 'print(input() if 0 else \"from a child\")'])\n"
        "    assert sys.stdin.read() == ''\n"
        "    return whole(self, *args, **options)\n"
        "service.Service.call = loud\n"
        "from searchlog.cli import main\n"
        "sys.argv = ['searchlog', *sys.argv[1:]]\n"
        "main()\n"
    )
    script = tmp_path / "loud.py"
    script.write_text(code)
    server = RawStdio(tmp_path / "archive", site, program=[str(script)])
    server.greet()
    server.send(call("verify_evidence", {}))
    assert server.answer()["result"]["structuredContent"]["passages"] == []
    code_, rest, said = server.end()
    assert (code_, rest) == (0, [])
    assert all(words in said for words in ("printed", "written", "from a child"))


@pytest.mark.parametrize("how", [None, signal.SIGINT, signal.SIGTERM], ids=["closed", "ctrl-c", "terminated"])
def test_it_ends_in_the_middle_of_a_call_with_all_turns_closed(tmp_path: Path, site: Site, how: int | None) -> None:
    site.delay = {"/search": 1.0}
    server = RawStdio(tmp_path / "archive", site)
    server.greet()
    server.send(call("verify_evidence", {}, 1))
    server.answer()
    server.send(call("web_search", {"query": "tide mill"}, 2))
    until = time.monotonic() + 30
    while not any(path.startswith("/search") for path in site.paths) and time.monotonic() < until:
        time.sleep(0.02)
    code, rest, said = server.end(how)
    assert code == 0
    assert "Traceback" not in said
    assert [json.loads(line)["error"]["code"] for line in rest] in ([], [types.CONNECTION_CLOSED])
    _, (asked, result, _) = kept(tmp_path / "archive")
    assert (asked.name, result.outcome) == ("web_search", "cancelled")


def test_second_signal_ends_it_at_once_and_the_next_to_open_closes_the_turn(tmp_path: Path) -> None:
    with web(hang={"/search"}) as site:
        server = RawStdio(tmp_path / "archive", site)
        server.greet()
        server.send(call("web_search", {"query": "tide mill"}, 2))
        until = time.monotonic() + 30
        while not any(path.startswith("/search") for path in site.paths) and time.monotonic() < until:
            time.sleep(0.02)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert server.process.poll() is None
        assert server.end(signal.SIGTERM)[0] == 128 + signal.SIGTERM
    ((asked, result, _),) = kept(tmp_path / "archive")
    assert (asked.name, result.outcome) == ("web_search", "interrupted")


@pytest.mark.parametrize("how", [None, signal.SIGINT, signal.SIGTERM], ids=["closed", "ctrl-c", "terminated"])
def test_a_server_that_was_never_asked_ends_and_leaves_no_session(tmp_path: Path, how: int | None) -> None:
    server = RawStdio(tmp_path / "archive", None)
    server.greet()
    code, rest, said = server.end(how)
    assert (code, rest) == (0, [])
    assert "session" not in said
    with open_archive(tmp_path / "archive", create=False) as archive:
        assert archive.sessions() == []


def test_client_that_went_away_ends_it(tmp_path: Path, site: Site) -> None:
    pipe = subprocess.PIPE
    line = [sys.executable, *command(tmp_path / "archive", site)]
    with subprocess.Popen(line, env=environment(site), stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        for message in HELLO:
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        assert server.wait(30) == 0
