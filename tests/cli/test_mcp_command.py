"""`searchlog mcp`: what it says before it serves, and how it ends when it cannot. Its work is in tests/test_mcp_*."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from searchlog.cli.exits import Exit
from tests.cli.conftest import Kept, call, spawn
from tests.mcp_servers import TOKEN, command, environment, http_server


def test_help_shows_how_clients_start_it() -> None:
    result = call("mcp", "--help")
    assert result.exit_code == 0
    for said in (
        "claude mcp add searchlog -- searchlog mcp",
        "codex mcp add searchlog -- searchlog mcp",
        "--profile",
        "--http",
    ):
        assert said in result.stdout
    assert "mcp" in call("--help").stdout


def test_without_the_extra_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    """The library is hidden as if it were not installed."""
    code = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('mcp', 'mcp_types', 'uvicorn', 'anyio'):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "from searchlog.cli import main\n"
        "sys.argv = ['searchlog', *sys.argv[1:]]\n"
        "main()\n"
    )
    place = str(tmp_path / "archive")
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp", "--archive", place], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "pip install 'searchlog[mcp]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path(place).exists()


def test_nothing_else_imports_the_library() -> None:
    code = "import sys, searchlog.cli.mcp, searchlog.tool.face, searchlog.mcp.service; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"


def test_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = call(
            "mcp", "--http", "--port", port, "--archive", str(tmp_path / "a"), env={"SEARCHLOG_MCP_TOKEN": TOKEN}
        )
    assert result.exit_code == Exit.MACHINE
    assert f"cannot listen on 127.0.0.1 port {port}: it is taken; --port names another" in result.stderr


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--archive", "FILE"], Exit.BYTES, "not a ZIP file"),
        (["--archive", "/dev/null/x"], Exit.MACHINE, "/dev/null/x"),
        (["--session", "s-none"], Exit.NOTHING, "no session s-none"),
        (["--provider", "nobody"], Exit.USAGE, "nobody"),
        (["--provider", "searxng"], Exit.USAGE, "SEARCHLOG_SEARXNG_URL"),
        (["--provider", "site"], Exit.USAGE, "--site"),
        (["--allow-host", "x"], Exit.USAGE, "--http"),
        (["--port", "8756"], Exit.USAGE, "belong to --http"),
        (["--host", "127.0.0.1"], Exit.USAGE, "belong to --http"),
        (["--json"], Exit.USAGE, "stdout carries the protocol"),
        (["--http", "--host", "example.org"], Exit.USAGE, "IP address"),
        (["--http", "--token-file", "FOLDER"], Exit.USAGE, "is no file"),
        (["--allow-private", "http://x"], Exit.USAGE, "http://x"),
        (["--no-cache", "--max-age", "5"], Exit.USAGE, "exclude"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_told_before_anything_is_served(
    tmp_path: Path, args: list[str], code: int, says: str
) -> None:
    (tmp_path / "file").write_text("no archive")
    named = {"FILE": str(tmp_path / "file"), "FOLDER": str(tmp_path)}
    given = [named.get(arg, arg) for arg in args]
    place = [] if "--archive" in args else ["--archive", str(tmp_path / "archive")]
    result = call("mcp", *given, *place)
    assert result.exit_code == code, result.stderr
    assert result.stdout == ""
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("token", ["short", "with blanks in it here", "nöt-ascii-but-long-enough", "x" * 15])
def test_token_that_cannot_be_one_is_refused_and_not_shown(tmp_path: Path, token: str) -> None:
    result = call("mcp", "--http", "--archive", str(tmp_path / "a"), env={"SEARCHLOG_MCP_TOKEN": token})
    assert result.exit_code == Exit.USAGE
    assert "SEARCHLOG_MCP_TOKEN" in result.stderr
    assert token not in result.stderr


def test_token_is_made_once_and_kept_in_its_file(tmp_path: Path) -> None:
    place = tmp_path / "token"
    for first in (True, False):
        with http_server(tmp_path / "archive", None, "--token-file", str(place), SEARCHLOG_MCP_TOKEN="") as server:
            token = place.read_text().strip()
            assert len(token) >= 40
            assert stat.S_IMODE(os.stat(place).st_mode) == 0o600
            server.token = token
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            assert server.raw(ping)[0] == 400  # no connection, but let in
            assert server.raw(ping, authorization=f"Bearer {token}x")[0] == 401
        assert any(token in line for line in server.said) is first


def test_token_is_made_and_told_where_none_is_given(tmp_path: Path) -> None:
    with http_server(tmp_path / "archive", None, "--quiet", SEARCHLOG_MCP_TOKEN="") as server:
        until = time.monotonic() + 30
        while len(server.said) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        (line,) = (line for line in server.said if line.startswith("token "))
        server.token = line.split()[1]
        assert server.raw({"jsonrpc": "2.0", "id": 1, "method": "ping"})[0] == 400


@pytest.mark.parametrize("host", [None, "search.example.org"])
def test_address_that_holds_the_token_is_told_whole(tmp_path: Path, host: str | None) -> None:
    more = ["--allow-host", host] if host else []
    with http_server(tmp_path / "archive", None, "--token-in-url", *more, SEARCHLOG_MCP_TOKEN="") as server:
        until = time.monotonic() + 30
        while len(server.said) < 3 and time.monotonic() < until:
            time.sleep(0.02)
        token, whole = (line.split() for line in server.said[-2:])
        place = f"https://{host}/mcp" if host else server.url
        assert " ".join(whole) == f"for clients that send no header: {place}/{token[1]}"


def test_json_says_where_it_is_and_nothing_of_a_token_that_was_given(tmp_path: Path) -> None:
    """Whoever reads that line may end the server with the next breath; a signal at the very start was once lost."""
    line = [sys.executable, *command(tmp_path / "a", None, "--http", "--port", "0", "--json")]
    for given in (TOKEN, ""):
        env = environment(None, SEARCHLOG_MCP_TOKEN=given)
        with subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                told = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")
                server.send_signal(signal.SIGTERM)
                printed, said = server.communicate(timeout=30)
            finally:
                server.kill()
        assert (server.returncode, printed) == (0, "")
        assert set(told) == {"url", "token", "archive"}
        assert f" at {told['url']}," in said
        assert (told["token"] is None) is bool(given)
        assert given == "" or given not in said


def test_snapshot_is_no_place_for_a_server(kept: Kept, tmp_path: Path) -> None:
    place = str(tmp_path / "one.wacz")
    assert kept("export", kept.session, "-o", place).exit_code == 0
    result = call("mcp", "--archive", place)
    assert result.exit_code == Exit.USAGE
    assert "is a snapshot: it can only be read" in result.stderr


def test_closed_stdin_ends_it_at_once(tmp_path: Path) -> None:
    done = spawn("mcp", "--archive", str(tmp_path / "archive"), "--quiet", "-p", "wikipedia")
    assert (done.returncode, done.stdout) == (0, b"")
