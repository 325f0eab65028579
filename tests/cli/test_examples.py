"""The demo, and every example that a help text or the demo prints: they can be typed as they stand."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import pytest
from click.testing import Result

from searchlog.cli import cli
from tests.cli.conftest import Kept, call

LOCAL = {"show", "evidence", "sessions", "verify", "replay", "providers", "doctor", "why"}


def examples() -> list[list[str]]:
    found = []
    for name in ["", *cli.entries]:
        help_text = call(*filter(None, [name]), "--help").output
        lines = help_text.partition("Examples:")[2].splitlines()
        found += [shlex.split(line)[1:] for line in lines if line.strip().startswith("searchlog ")]
    return found


@pytest.mark.parametrize("args", examples(), ids=" ".join)
def test_an_example_is_a_call_that_can_be(
    args: list[str], kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    context = click.Context(cli, info_name="searchlog")
    command = cli.get_command(context, args[0])
    assert command is not None
    command.make_context(args[0], args[1:], parent=context)
    if args[0] in LOCAL and not {"--live", "--answer"}.intersection(args):
        for file in (arg for arg in args if arg.endswith(".wacz")):
            assert kept("export", "-o", file).exit_code == 0
        result = kept(*args)
        nothing = args[0] == "why"  # its page is nobody's
        assert result.exit_code == (3 if nothing else 0), result.output


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    place = tmp_path_factory.mktemp("demo") / "archive"
    return place, call("demo", "--archive", str(place))


def test_the_demo_finds_its_answers_and_verifies(demo: tuple[Path, Result]) -> None:
    place, result = demo
    assert result.exit_code == 0, result.output
    assert result.stdout.count("The answer, ") == 4
    assert "was not found" not in result.stdout
    for part in ("refused-robots", "unsafe-scheme", "duplicate-text", "axis store: verified", str(place)):
        assert part in result.stdout


def test_the_commands_that_the_demo_names_work(demo: tuple[Path, Result]) -> None:
    place, result = demo
    lines = [line for line in result.stdout.splitlines() if line.startswith("  searchlog ") and str(place) in line]
    assert len(lines) >= 6
    for line in lines:
        done = call(*shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output)
        assert done.stdout


def test_the_demo_as_json(tmp_path: Path) -> None:
    told = json.loads(call("demo", "--json", "--archive", str(tmp_path / "a")).stdout)
    assert set(told) == {"archive", "session", "searches", "report"}
    assert all(search["answered_by"] for search in told["searches"])
    assert told["report"]["outcome"] == "verified"


def test_the_demo_can_be_run_again_in_the_same_archive(demo: tuple[Path, Result]) -> None:
    place, _ = demo
    assert call("demo", "--archive", str(place), "-q").exit_code == 0
    assert call("verify", "--all", "--archive", str(place)).exit_code == 0
