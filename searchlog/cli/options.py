"""Options that several commands share, and how an archive and its turns are found from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchlog.cli.front import JSON_WANTED
from searchlog.errors import MissingError, UsageError

if TYPE_CHECKING:
    from searchlog.archive import Archive
    from searchlog.flow.standing import Standings
    from searchlog.search.registry import Available
    from searchlog.view import TurnView

__all__ = [
    "archive_option",
    "as_text",
    "cache_settings",
    "examples",
    "json_option",
    "last_turn",
    "names_file",
    "newest_search",
    "open_existing",
    "providers_now",
    "quiet_option",
    "read_file",
    "session_option",
    "standings_of",
    "together",
    "turn_of",
    "web_options",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def as_text(_: click.Context, param: click.Parameter, value: Any) -> Any:
    """Return an argument, or a tuple of them, as it is. Raises a usage error when it cannot stand in a record."""
    for text in (value,) if isinstance(value, str) else value or ():
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise click.BadParameter("it holds bytes that are not UTF-8", param=param)
    return value


def examples(*lines: str) -> str:
    """Return the examples of a command's help, for its `epilog`."""
    return "\b\nExamples:\n" + "\n".join(f"  searchlog {line}" for line in lines)


def _note_json(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    wanted = ctx.find_root().obj
    if value and isinstance(wanted, dict):
        wanted[JSON_WANTED] = True
    return value


archive_option = click.option(
    "--archive",
    metavar="PATH",
    envvar="SEARCHLOG_ARCHIVE",
    show_envvar=True,
    help="Folder of the archive; `memory:` keeps nothing.",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    callback=_note_json,
    # before the other options, so that what they find wrong is told as JSON too
    is_eager=True,
    help="Print one JSON object.",
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")


def session_option(default: str | None, more: str = "") -> Callable[[_F], _F]:
    """Return `--session`, which is `default` when not given."""
    return click.option(
        "--session",
        "-s",
        "session_id",
        default=default,
        show_default=True,
        metavar="ID",
        help=f"A session's id, a beginning of one, or `latest`{more}.",
    )


def together(*decorators: Callable[[Any], Any]) -> Callable[[_F], _F]:
    """Return one decorator that adds these options, in this order."""

    def add(command: _F) -> _F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


web_options = together(
    click.option(
        "--allow-private",
        multiple=True,
        metavar="HOST[:PORT]",
        help="A host that may be reached though its address is not public. Repeatable.",
    ),
    click.option("--ignore-robots", is_flag=True, help="Fetch what robots.txt asks not to; recorded."),
    click.option(
        "--max-age", type=click.IntRange(0), metavar="SECONDS", help="Take cached answers and pages younger than this."
    ),
    click.option("--no-cache", is_flag=True, help="Take nothing from the cache."),
)
"""Options of every command that reaches the web."""


def cache_settings(
    allow_private: tuple[str, ...], ignore_robots: bool, max_age: int | None, no_cache: bool
) -> dict[str, Any]:
    """Return the settings that `web_options` stand for."""
    if no_cache and max_age:
        raise click.UsageError("--no-cache and --max-age exclude each other")
    return {
        "allow_private": allow_private,
        "robots": "ignore" if ignore_robots else "obey",
        "cache_max_age_s": 0 if no_cache else max_age,
    }


def open_existing(location: str | None, *, write: bool = False) -> Archive:
    """Return an archive that is there already, or the one in a snapshot, for a command that reads and makes no file.

    write: for a command that may add to it. Raises UsageError when it is not there.
    """
    from searchlog.archive import open_archive

    if location is not None and location.lower().endswith((".wacz", ".zip")) and not os.path.exists(location):
        raise UsageError(f"no file {location}", path=location)

    return open_archive(location, create=False, write=write)


def read_file(place: str) -> bytes:
    """Return the bytes of a file that was named. Raises UsageError for what is no file: a pipe would be waited for."""
    if not os.path.isfile(place):
        raise UsageError(f"{place} is no file", path=place)
    with open(place, "rb") as file:
        return file.read()


def names_file(place: str) -> bool:
    """Return whether an argument names a snapshot, and no session: by its suffix, by a folder in it, or as it is there.

    A session's id has no slash.
    """
    return place.lower().endswith((".wacz", ".zip")) or os.sep in place or os.path.isfile(place)


def newest_search(archive: Archive) -> str:
    """Return the newest session that holds a search, else the newest. Raises MissingError when there is none."""
    from searchlog.ledger import Record
    from searchlog.records import Query

    for name in reversed(archive.resources.storage.log.sessions()):
        entries = archive.ledger(name).entries()
        if any(isinstance(entry, Record) and isinstance(entry.body, Query) for entry in entries):
            return name
    return archive.find("latest")


def providers_now(env: Mapping[str, str]) -> tuple[Available, ...]:
    """Return every provider and how it stands; the local ones as they are with an archive and a site."""
    from searchlog.search import registry
    from searchlog.search.textindex import TextIndex

    with TextIndex() as index:
        return registry.available(env, registry.Options(index=index, site_prefix="the address given with --site"))


def standings_of(location: str | None) -> Standings:
    """Return how providers stand by the archive at a place; of one that is not there, that nobody failed."""
    from pathlib import Path

    from searchlog.clock import SystemClock
    from searchlog.flow.standing import Standings
    from searchlog.storage import MEMORY, default_folder

    folder = None if location == MEMORY else Path(location) if location else default_folder()
    path = folder / "providers.db" if folder is not None and folder.is_dir() else None
    return Standings(path, SystemClock(), os.environ)


def turn_of(views: list[TurnView], number: int, session: str) -> TurnView:
    """Return the turn of this number. Raises MissingError."""
    for view in views:
        if view.number == number:
            return view
    have = f"it has turns {views[0].number} to {views[-1].number}" if views else "it has none"
    raise MissingError(f"no turn {number} in session {session}: {have}", session=session, turn=number)


def last_turn(views: list[TurnView], session: str) -> TurnView:
    """Return the newest search of a session, else its newest turn. Raises MissingError when it has none."""
    if not views:
        raise MissingError(f"session {session} holds no turn yet", session=session)
    return next((view for view in reversed(views) if view.query is not None), views[-1])
