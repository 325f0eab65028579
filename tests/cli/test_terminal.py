"""On a terminal: progress is seen, and no byte of a page acts. Into a pipe everything goes as it is."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import clean_env
from tests.sites import Site, serve

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

EVIL = "before \x1b]0;owned\x07\x9b31m red \u202egnp.exe\u202c after"
PAGE = f"<!DOCTYPE html><meta charset=utf-8><title>{EVIL}</title><p>{EVIL}</p>"


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with serve({"/": (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE)}) as site:
        yield site


def on_terminal(*args: str, code: int = 0, **env: str) -> str:
    """Run a command with stdout and stderr on a pseudo-terminal; return all that it wrote there."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "searchlog", *args],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=clean_env(TERM="xterm", COLUMNS="200", LC_ALL="C.UTF-8", **env),
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait(timeout=30) == code, written
    return written.decode()


def without_styles(text: str) -> str:
    """Return the text without the sequences that rich writes: styles, cursor moves, line clearing, cursor shown."""
    return re.sub(r"\x1b\[(\?25[lh]|[0-9;]*[mAK])", "", text).replace("\r", "")


@pytest.mark.parametrize("form", [[], ["--all"], ["--raw"]], ids=str)
def test_a_pages_control_characters_are_never_sent(tmp_path: Path, web: Site, form: list[str]) -> None:
    allow = f"127.0.0.1:{web.port}"
    shown = on_terminal("fetch", web.url + "/", *form, "--allow-private", allow, "--archive", str(tmp_path / "a"))
    # text is given without them, bytes with each one spelled out
    assert (r"\x1b]0;owned\x07" if form == ["--raw"] else "]0;owned") in shown
    assert (r"\u202egnp.exe" if form == ["--raw"] else "gnp.exe") in shown
    assert not set("\x07\x9b\u202e") & set(shown)
    assert "\x1b" not in without_styles(shown)


def test_no_form_of_a_record_acts(tmp_path: Path, web: Site) -> None:
    place = str(tmp_path / "a")
    on_terminal("fetch", web.url + "/", "--allow-private", f"127.0.0.1:{web.port}", "--archive", place)
    for form in ([], ["--records"], ["--records", "--json"]):
        shown = on_terminal("show", *form, "--archive", place)
        assert "owned" in shown or not form
        check_harmless(shown)


def check_harmless(shown: str) -> None:
    """Assert that nothing of what is shown acts: no controls, and no line that a page or an id has begun."""
    plain = without_styles(shown)
    assert not set("\x07\x1b\x9b\u202e") & set(plain), plain
    assert "forged" not in [line.strip() for line in plain.splitlines()]


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory, web: Site) -> str:
    """An archive with a session whose id holds escapes and a line break, among others."""
    place = tmp_path_factory.mktemp("forged") / "a"
    on_terminal("fetch", web.url + "/", "--allow-private", f"127.0.0.1:{web.port}", "--archive", str(place))
    db = sqlite3.connect(place / "log.db", isolation_level=None)
    db.execute("UPDATE sessions SET session = ?", (ODD_ID,))
    db.close()
    return str(place)


ODD_ID = "s1\x1b]0;owned\x07\nforged\n\u202e\x9b31m"


@pytest.mark.parametrize(
    ("code", "args"),
    [
        (7, ["sessions"]),
        (7, ["sessions", "--json"]),
        (7, ["show"]),
        (7, ["show", "s1", "--records"]),
        (3, ["show", "\x1b[31mnone\nforged"]),
        (3, ["evidence", "\x9b31m\nforged"]),
        (7, ["why", "http://a.example/\x9b\x1b]0;owned\x07"]),
        (6, ["verify"]),
        (6, ["verify", "--all", "--json"]),
        (2, ["verify", "--head", "\x1b[31m\nforged"]),
        (2, ["verify", "s1", "--head", f"searchlog/\x1b[31mx 1 {'A' * 43}="]),
        (3, ["replay"]),
        (2, ["show", "--no-such\x1b]0;owned\x07"]),
        (2, ["\x1b]0;owned\x07"]),
    ],
    ids=lambda value: " ".join(value).encode("unicode_escape").decode() if isinstance(value, list) else "",
)
def test_no_message_acts_whatever_it_quotes(forged: str, code: int, args: list[str]) -> None:
    """Ids and arguments stood raw in errors and in talk on stderr."""
    shown = on_terminal(*args, *(["--archive", forged] if args[0].isalpha() else []), code=code)
    check_harmless(shown)


def test_traceback_of_a_bug_does_not_act() -> None:
    code = (
        "import sys; from searchlog.cli import cli; from searchlog.cli.lazy import Entry\n"
        "import tests.cli.stub as stub\n"
        "class Odd(Exception):\n    __str__ = lambda self: '\\x1b]0;owned\\x07'\n"
        "stub.ERRORS['odd'] = Odd()\n"
        "cli.entries['stub'] = Entry('tests.cli.stub', 'stub_command', '')\n"
        "cli.main(['stub', 'odd'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env=clean_env(SEARCHLOG_DEBUG="1"),
        cwd=Path(__file__).parents[2],
        timeout=30,
        check=False,
    )
    assert b"Traceback" in done.stderr
    assert b"owned" in done.stderr
    assert b"\x1b" not in done.stderr


def test_into_a_pipe_they_go_as_they_are(tmp_path: Path, web: Site) -> None:
    allow = f"127.0.0.1:{web.port}"
    args = ["fetch", web.url + "/", "--raw", "--allow-private", allow, "--archive", str(tmp_path / "a")]
    done = subprocess.run(
        [sys.executable, "-m", "searchlog", *args], capture_output=True, env=clean_env(), timeout=30, check=True
    )
    assert done.stdout == PAGE.encode()


def test_progress_is_seen_on_a_terminal_and_tables_are_drawn(tmp_path: Path, web: Site) -> None:
    allow = f"127.0.0.1:{web.port}"
    place = str(tmp_path / "a")
    assert "1/1" in on_terminal("fetch", web.url + "/", "--allow-private", allow, "--archive", place)
    shown = on_terminal("show", "--archive", place)
    assert "\x1b[1m" in shown, "headings are bold"
    assert not set("\x07\x9b\u202e") & set(shown)


def test_no_color_is_respected(tmp_path: Path, web: Site) -> None:
    allow = f"127.0.0.1:{web.port}"
    place = str(tmp_path / "a")
    shown = on_terminal("fetch", web.url + "/", "--allow-private", allow, "--archive", place, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
