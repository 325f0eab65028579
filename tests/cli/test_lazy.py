"""What the program costs before it does anything, and that the list of commands is true."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import click
import pytest

from searchlog.cli import cli
from tests.cli.conftest import call, clean_env

HEAVY = {
    "httpx",
    "httpcore",
    "pydantic",
    "trafilatura",
    "selectolax",
    "lxml",
    "rich",
    "sqlite3",
    "diskcache",
    "protego",
}
_LISTING = """
import json, sys
from searchlog.cli import cli
try:
    cli.main(sys.argv[1:], prog_name="searchlog")
except SystemExit:
    pass
sys.stderr.write(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize(
    "args", [["--help"], ["--version"], ["search", "--help"], ["show", "--help"], ["bad"]], ids=" ".join
)
def test_no_heavy_library_is_imported_to_show_help(args: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LISTING, *args], capture_output=True, env=clean_env(), timeout=30, check=True
    )
    modules = set(json.loads(done.stderr[done.stderr.rindex(b"[") :]))
    assert modules & HEAVY == set()
    if args == ["--help"]:
        assert {name for name in modules if name.startswith("searchlog.")} <= {
            "searchlog.errors",
            "searchlog.cli",
            "searchlog.cli.exits",
            "searchlog.cli.front",
            "searchlog.cli.lazy",
        }


@pytest.mark.parametrize("name", list(cli.entries))
def test_every_command_of_the_list_exists_and_explains_itself(name: str) -> None:
    entry = cli.entries[name]
    command = getattr(importlib.import_module(entry.module), entry.attribute)
    assert isinstance(command, click.Command)
    assert command.name == name
    result = call(name, "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.output
    assert f"searchlog {name}" in result.output


@pytest.mark.parametrize("name", list(cli.entries))
def test_every_command_speaks_json(name: str) -> None:
    assert "--json" in call(name, "--help").output


def test_the_version_is_printed() -> None:
    from searchlog import __version__

    assert call("--version").output == f"searchlog {__version__}\n"


def test_python_m_searchlog_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "searchlog", "--version"], capture_output=True, env=clean_env(), timeout=30, check=True
    )
    assert done.stdout.startswith(b"searchlog ")
