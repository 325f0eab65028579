"""`searchlog doctor`: whether this machine, the archive, the settings and the providers are fit to work."""

from __future__ import annotations

import os
from dataclasses import asdict
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlog.checkup import Check, check_settings, check_standings, named_by_setting, setting_of
from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.search.whom import CHOICE_ENV

if TYPE_CHECKING:
    from searchlog.flow.standing import Standings

_DEPENDENCIES = ("httpx", "httpcore", "h11", "selectolax", "trafilatura", "diskcache", "pydantic", "protego")
_EXTRAS = {
    "pypdfium2": ("pdf", "text of PDF files"),
    "model2vec": ("static", "word vectors (--scorer)"),
    "sentence_transformers": ("encoders", "networks (--scorer)"),
    "cryptography": ("sign", "signing heads (export --sign)"),
    "rfc3161_client": ("time", "signatures of time-stamp tokens (verify --tsa-root)"),
}
_SAFE_WAL = (3, 51, 3)


@click.command("doctor", epilog=options.examples("doctor", "doctor --offline --json"))
@click.option("--online/--offline", default=True, help="Whether to ask each configured provider one small query.")
@options.archive_option
@options.json_option
def doctor_command(online: bool, archive: str | None, as_json: bool) -> int:
    """Check Python, SQLite, libraries, the archive, the settings and the providers that are configured.

    Each configured provider is asked one small query, which counts as any other; with --offline the network is not
    touched. Where one setting helps, it is named. Of keys only the names of their variables are shown.
    """
    standings = options.standings_of(archive)
    kept, settings = check_standings(standings), check_settings(os.environ, standings)
    local = [*_machine(), *_extras(), *_archive(archive), *kept, *_providers(), *settings]
    asked = _ask_providers(standings) if online and not (kept or settings) else []
    checks = local + asked
    if as_json:
        out.json({"checks": [asdict(check) for check in checks]})
    else:
        out.table(("check", "state", "detail"), [(check.name, check.state, _said(check)) for check in checks])
    if any(check.state == "failed" for check in local):
        return Exit.MACHINE
    return Exit.NO_PROVIDER if any(check.state == "failed" for check in asked) else Exit.OK


def _said(check: Check) -> str:
    """Return what was found, after the one setting to change where there is one."""
    return f"change {check.change}: {check.detail}" if check.change else check.detail


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
    if folder.is_file():
        return [Check("archive", "note", f"{folder} is a file: a snapshot can be read, and nothing is added to it")]
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
    """Look at the providers that are configured, or meant to be; how many others there are is said in a line."""
    checks, others = [], 0
    named = named_by_setting(os.environ)
    for item in options.providers_now(os.environ):
        if item.state == "broken":
            checks.append(Check(f"provider {item.name}", "failed", item.how, f"the package {item.package}"))
        elif item.state == "misconfigured":
            checks.append(Check(f"provider {item.name}", "failed", item.how, setting_of(item.facts, os.environ)))
        elif item.state == "configured":
            checks.append(Check(f"provider {item.name}", "ok", item.how))
        elif item.name in named and item.state == "needs-configuration":
            variable = setting_of(item.facts, os.environ) or CHOICE_ENV
            checks.append(Check(f"provider {item.name}", "failed", f"{CHOICE_ENV} names it; {item.how}", variable))
        elif item.name in named and item.name == "site":
            said = f"{CHOICE_ENV} names it, but it needs a folder or an address each time: `--site PATH-OR-URL`"
            checks.append(Check("provider site", "failed", said, CHOICE_ENV))
        elif item.name in named:
            checks.append(Check(f"provider {item.name}", "ok", f"{CHOICE_ENV} names it; {item.how}"))
        else:
            others += 1
    told = f"{others} more can be asked as they are, or need a key: `searchlog providers` lists them"
    return [*checks, Check("other providers", "ok", told)]


def _ask_providers(standings: Standings) -> list[Check]:
    """Ask each provider that is configured, or named by the setting, one small query; nothing is stored but what it
    says of leaving it alone."""
    from searchlog.archive import open_archive
    from searchlog.checkup import check_providers
    from searchlog.storage import MEMORY

    named = named_by_setting(os.environ)
    names = [
        item.name
        for item in options.providers_now(os.environ)
        if item.state == "configured" or (item.state == "keyless" and item.name in named)
        # a second service of one account would cost a second request, and tell the same of the key
        if item.facts is not None and (not item.facts.account or item.name in named)
    ]
    if not names:
        return [Check("online", "note", "no provider is configured, so nobody was asked")]
    with open_archive(MEMORY) as opened:
        return check_providers(opened.resources, names, standings)
