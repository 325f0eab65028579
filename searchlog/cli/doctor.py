"""`searchlog doctor`: whether this machine, the archive and the settings are fit to work. Offline unless told."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from importlib import metadata, util
from pathlib import Path

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit

_DEPENDENCIES = ("httpx", "httpcore", "h11", "selectolax", "trafilatura", "diskcache", "pydantic", "protego")
_EXTRAS = {"pypdfium2": ("pdf", "text of PDF files")}
_SAFE_WAL = (3, 51, 3)
_QUESTION = "lighthouse"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    state: str
    """`ok`, `note` (works, but know this) or `failed`."""
    detail: str


@click.command("doctor", epilog=options.examples("doctor", "doctor --json"))
@click.option("--online", is_flag=True, help="Ask each configured provider one small query.")
@options.archive_option
@options.json_option
def doctor_command(online: bool, archive: str | None, as_json: bool) -> int:
    """Check Python, SQLite, libraries, the archive and the providers' settings.

    The network is not touched without --online. Of keys only the names of their variables are shown.
    """
    local = [*_machine(), *_extras(), *_archive(archive), *_providers()]
    asked = _ask_providers() if online else []
    checks = local + asked
    if as_json:
        out.json({"checks": [asdict(check) for check in checks]})
    else:
        out.table(("check", "state", "detail"), [(check.name, check.state, check.detail) for check in checks])
    if any(check.state == "failed" for check in local):
        return Exit.MACHINE
    return Exit.NO_PROVIDER if any(check.state == "failed" for check in asked) else Exit.OK


def _machine() -> list[Check]:
    import platform
    import sqlite3

    from searchlog import __version__

    versions = ", ".join(f"{name} {metadata.version(name)}" for name in _DEPENDENCIES)
    has_fts = sqlite3.connect(":memory:")
    try:
        has_fts.execute("CREATE VIRTUAL TABLE words USING fts5 (word)")
        fts = Check("full-text index", "ok", "SQLite has FTS5")
    except sqlite3.OperationalError:
        fts = Check("full-text index", "failed", "this SQLite lacks FTS5: providers `archive` and `site` cannot work")
    finally:
        has_fts.close()
    sqlite = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < _SAFE_WAL:
        said = f"{sqlite} has the WAL-reset bug of versions before 3.51.3; searchlog writes under a lock that avoids it"
        database = Check("sqlite", "note", f"{said}: let no other program write to log.db")
    else:
        database = Check("sqlite", "ok", sqlite)
    return [
        Check("searchlog", "ok", f"{__version__}, Python {platform.python_version()}, {platform.platform()}"),
        Check("libraries", "ok", versions),
        database,
        fts,
    ]


def _extras() -> list[Check]:
    checks = []
    for module, (extra, what) in _EXTRAS.items():
        if util.find_spec(module) is not None:
            checks.append(Check(what, "ok", f"{module} {metadata.version(module)}"))
        else:
            checks.append(Check(what, "note", f"not installed: pip install 'searchlog[{extra}]'"))
    return checks


def _archive(location: str | None) -> list[Check]:
    """Look at the archive without making one."""
    import shutil

    from searchlog.archive import open_archive
    from searchlog.errors import SearchlogError, UsageError
    from searchlog.storage import MEMORY, default_folder

    if location == MEMORY:
        return [Check("archive", "note", "in memory: nothing is kept")]
    folder = Path(location) if location else default_folder()
    if not (folder / "searchlog.json").exists() and not (folder.is_dir() and any(folder.iterdir())):
        parent = next(above for above in (folder, *folder.absolute().parents) if above.exists())
        if not os.access(parent, os.W_OK):
            return [Check("archive", "failed", f"{folder} cannot be made: {parent} is not writable")]
        return [Check("archive", "ok", f"{folder}: not there yet, made by the first search")]
    try:
        with open_archive(folder, create=False, write=False) as opened:
            log = opened.resources.storage.log
            names = log.sessions()
            count = sum(log.head(name).size for name in names)
    except UsageError as error:
        return [Check("archive", "failed", str(error))]
    except SearchlogError as error:
        return [Check("archive", "failed", f"{folder}: {error}")]
    free = shutil.disk_usage(folder).free // 1_000_000
    state = "ok" if os.access(folder, os.W_OK) and free >= 100 else "failed"
    said = f"{folder}: {len(names)} sessions, {count} records, {free} MB free"
    return [Check("archive", state, said if os.access(folder, os.W_OK) else f"{said}; not writable")]


def _providers() -> list[Check]:
    checks = []
    for item in options.providers_now(os.environ):
        state = "note" if item.state == "needs-configuration" else "ok"
        checks.append(Check(f"provider {item.name}", state, f"{item.state}: {item.how}"))
    return checks


def _ask_providers() -> list[Check]:
    """Ask each configured provider one small query; nothing is stored."""
    from urllib.parse import urlsplit

    from searchlog.archive import open_archive
    from searchlog.capture.deadline import Deadline
    from searchlog.flow.gather import gather
    from searchlog.flow.settings import Settings
    from searchlog.search import registry
    from searchlog.search.query import Query
    from searchlog.storage import MEMORY

    names = [item.name for item in options.providers_now(os.environ) if item.state == "configured"]
    if not names:
        return [Check("online", "note", "no provider is configured, so nobody was asked")]
    with open_archive(MEMORY) as opened:
        asked = [registry.build(name, os.environ) for name in names]
        own = tuple(urlsplit(p.facts.endpoint).netloc.rpartition("@")[2] for p in asked if p.facts.own_server)
        client = opened.resources.client(Settings(allow_private=own))
        deadline = Deadline(10.0, opened.resources.clock)
        attempts = gather(asked, Query(_QUESTION, count=1), client, deadline, fuse=True)
    checks = []
    for attempt in attempts:
        run = attempt.run
        good = run.outcome in ("ok", "empty")
        said = f"{run.outcome}, {len(run.results)} results" if good else run.detail or str(run.outcome)
        checks.append(Check(f"online {run.provider}", "ok" if good else "failed", said))
    return checks
