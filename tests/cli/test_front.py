"""How commands end: exit codes, one line on stderr, JSON errors, readers that leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from searchlog import errors
from searchlog.cli import cli
from searchlog.cli.exits import MEANINGS, Exit, exit_of
from searchlog.cli.lazy import Entry
from tests.cli.conftest import Kept, call, clean_env, spawn
from tests.sites import serve


@pytest.fixture(autouse=True)
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.entries, "stub", Entry("tests.cli.stub", "stub_command", "End in a chosen way."))


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("usage", 2),
        ("provider", 4),
        ("fetch", 5),
        ("format", 7),
        ("integrity", 7),
        ("missing", 3),
        ("missing-blob", 7),
        ("store", 8),
        ("conflict", 8),
        ("base", 1),
        ("bug", 1),
        ("interrupt", 130),
        ("0", 0),
        ("6", 6),
    ],
)
def test_each_way_to_end_has_its_exit_code(how: str, code: int) -> None:
    assert call("stub", how).exit_code == code


@pytest.mark.parametrize("how", ["usage", "provider", "missing", "store", "bug"])
def test_an_error_is_one_line_on_stderr_and_nothing_on_stdout(how: str) -> None:
    result = call("stub", how)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_a_bug_asks_to_be_reported_and_shows_its_traceback_when_told() -> None:
    assert "SEARCHLOG_DEBUG=1" in call("stub", "bug").stderr
    told = call("stub", "bug", env={"SEARCHLOG_DEBUG": "1"})
    assert "Traceback" in told.stderr
    assert told.exit_code == 1


def test_an_interrupt_says_so_in_one_word() -> None:
    assert call("stub", "interrupt").stderr.strip() == "interrupted"


def test_control_characters_of_a_message_are_shown_as_escapes() -> None:
    assert r"\x1b]0;owned\x07 \u202e" in call("stub", "control").stderr


def test_with_json_an_error_is_an_object_on_stdout_too() -> None:
    result = call("stub", "provider", "--json")
    assert json.loads(result.stdout) == {
        "error": {
            "code": "provider",
            "message": "nobody answered",
            "fields": {"attempts": [{"provider": "p", "outcome": "timeout"}]},
        }
    }
    assert result.stderr == "error: nobody answered\n"
    assert result.exit_code == 4


def test_every_code_has_a_meaning_and_every_error_class_a_code_of_its_own() -> None:
    assert set(MEANINGS) == set(Exit)
    classes = [errors.UsageError, errors.ProviderError, errors.FetchError, errors.FormatError, errors.StoreError]
    assert len({exit_of(cls("x")) for cls in classes}) == len(classes)


@pytest.mark.parametrize(("typed", "meant"), [("serch", "search"), ("verfy", "verify")])
def test_an_unknown_command_suggests_near_ones(typed: str, meant: str) -> None:
    result = call(typed)
    assert result.exit_code == 2
    assert meant in result.stderr


def test_no_command_shows_the_help_and_is_a_usage_error() -> None:
    result = call()
    assert result.exit_code == 2
    assert "Commands:" in result.output


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close in another way")
def test_a_reader_that_leaves_is_no_noise(kept: Kept) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "searchlog", "show", "--records", "--archive", str(kept.archive)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_env(),
    )
    assert process.stdout is not None
    process.stdout.close()
    _, said = process.communicate(timeout=30)
    assert said == b""
    assert process.returncode == Exit.READER_LEFT


def test_output_is_utf_8_whatever_the_locale_says(kept: Kept) -> None:
    result = spawn("show", "--archive", str(kept.archive), PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert result.returncode == 0
    assert "…" in result.stdout.decode("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_output_that_cannot_be_written_is_the_machines_fault(kept: Kept) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "searchlog", "sessions", "--archive", str(kept.archive)],
            stdout=full,
            stderr=subprocess.PIPE,
            env=clean_env(),
            timeout=30,
            check=False,
        )
    assert done.returncode == Exit.MACHINE
    assert b"error: No space left on device\n" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
def test_closed_streams_are_no_error(kept: Kept) -> None:
    command = f'"{sys.executable}" -m searchlog sessions --archive "{kept.archive}" >&- 2>&-'
    assert subprocess.run(command, shell=True, env=clean_env(), timeout=30, check=False).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
def test_an_interrupted_search_ends_at_once_and_its_turn_is_closed(tmp_path: Path) -> None:
    with serve({"/search": (200, {"Content-Type": "application/json"}, "")}, hang={"/slow"}) as site:
        answer = {"query": "x", "results": [{"url": f"{site.url}/slow", "title": "t", "content": "c"}]}
        site.pages["/search"] = (200, {"Content-Type": "application/json"}, json.dumps(answer))
        command = [sys.executable, "-m", "searchlog", "search", "x", "--allow-private", f"127.0.0.1:{site.port}"]
        process = subprocess.Popen(
            [*command, "--deadline", "120"],  # a busy machine has been seen not to run a new process for 20 s
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_env(SEARCHLOG_SEARXNG_URL=site.url, SEARCHLOG_ARCHIVE=str(tmp_path / "a")),
            start_new_session=True,
        )
        until = time.monotonic() + 60
        while "/slow" not in site.paths and time.monotonic() < until:
            time.sleep(0.02)
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        shown, said = process.communicate(timeout=30)
    assert process.returncode == Exit.INTERRUPTED, said
    assert time.monotonic() - began < 5
    assert (shown, said.split()) == (b"", [b"interrupted"])
    assert "discarded" in call("show", "--archive", str(tmp_path / "a")).stdout
