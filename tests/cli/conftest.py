"""One archive with one real search in it, made over loopback, and ways to call the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner, Result

from searchlog.cli import cli
from searchlog.demo.server import DemoSite

_SETTINGS = (
    "SEARCHLOG_ARCHIVE",
    "SEARCHLOG_SEARXNG_URL",
    "SEARXNG_URL",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "BRAVE_SEARCH_API_KEY",
    "SEARCHLOG_DEBUG",
    "NO_COLOR",
)


def call(*args: str, env: Mapping[str, str | None] | None = None) -> Result:
    """Run the command line in this process, with none of the tester's own settings."""
    cleared: dict[str, str | None] = dict.fromkeys(_SETTINGS)
    return CliRunner().invoke(cli, list(args), env={**cleared, **(env or {})}, prog_name="searchlog")


def clean_env(**more: str) -> dict[str, str]:
    """Return the environment for a process of its own."""
    return {name: value for name, value in os.environ.items() if name not in _SETTINGS} | more


def spawn(*args: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "searchlog", *args], capture_output=True, env=clean_env(**more), timeout=60, check=False
    )


@dataclass(frozen=True)
class Kept:
    """An archive with one finished search."""

    archive: Path
    session: str
    site: DemoSite
    stdout: bytes
    stderr: str

    def __call__(self, *args: str) -> Result:
        """Call a command on this archive. A check is not kept: what the tests read is one session, as it was made."""
        args = (*args, "--no-keep") if args[:1] == ("verify",) and "--help" not in args else args
        return call(*args, env={"SEARCHLOG_ARCHIVE": str(self.archive)})

    def search(self, *args: str) -> Result:
        """Search the demo site from this archive."""
        own = f"127.0.0.1:{self.site.port}"
        env = {"SEARCHLOG_ARCHIVE": str(self.archive), "SEARCHLOG_SEARXNG_URL": self.site.search_url}
        return call("search", *args, "--allow-private", own, env=env)


class Call(Protocol):
    def __call__(self, *args: str, env: Mapping[str, str | None] | None = None) -> Result: ...


@pytest.fixture(scope="session")
def site() -> Iterator[DemoSite]:
    with DemoSite() as opened:
        yield opened


def make_kept(folder: Path, site: DemoSite) -> Kept:
    """Return a new archive in which the demo's first question was searched for."""
    kept = Kept(folder / "archive", "", site, b"", "")
    result = kept.search(site.queries[0].query)
    assert result.exit_code == 0, result.output
    session = next(words[1] for line in result.stderr.splitlines() if (words := line.split())[:1] == ["session"])
    return Kept(kept.archive, session, site, result.stdout_bytes, result.stderr)


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory, site: DemoSite) -> Kept:
    """Shared by tests that only read."""
    return make_kept(tmp_path_factory.mktemp("kept"), site)


@pytest.fixture
def fresh(tmp_path: Path, site: DemoSite) -> Kept:
    """For one test alone, to change or damage."""
    return make_kept(tmp_path, site)
