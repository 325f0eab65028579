"""`searchlog hook`: keep what an agent's own web tools gave it, called by the agent itself after each tool.

The agent must not feel it: nothing on stdout, one line on stderr when something cannot be kept, and exit code 1 then,
which agents tell and pass over. Never 2: by that code they take a hook's words for an objection.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options

if TYPE_CHECKING:
    from searchlog.hooks.event import Event
    from searchlog.hooks.install import Scope
    from searchlog.hooks.keep import Kept

_STDIN_BYTES_MAX = 32 << 20
_CHUNK = 1 << 20
_FAILED = 1


class _Hook(click.Command):
    """A command whose misuse ends with 1, since it may be an agent that calls it so."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            error.exit_code = _FAILED  # type: ignore[misc]
            raise


@click.command(
    "hook",
    cls=_Hook,
    epilog=options.examples(
        "hook claude-code --print-config",
        "hook claude-code --install user",
        "hook codex --print-config --recapture",
    ),
)
@click.argument("agent", type=click.Choice(["claude-code", "codex"]))
@click.option("--recapture", is_flag=True, help="Fetch the pages that a result names, in the background; recorded.")
@click.option(
    "--allow-private",
    multiple=True,
    metavar="HOST[:PORT]",
    callback=options.as_text,
    help="With --recapture: a host that may be reached though its address is not public. Repeatable.",
)
@click.option("--wait", is_flag=True, help="With --recapture: return when it is done.")
@click.option("--print-config", is_flag=True, help="Print what the agent's settings must hold, and keep nothing.")
@click.option(
    "--install",
    "scope",
    type=click.Choice(["user", "project"]),
    help="Put that into the settings of the user, or of the project in this folder.",
)
@click.option("--finish", metavar="SESSION:SEQ", hidden=True, help="Recapture the pages of a result that was kept.")
@options.archive_option
@options.json_option
@click.pass_context
def hook_command(
    ctx: click.Context,
    *,
    agent: str,
    recapture: bool,
    allow_private: tuple[str, ...],
    wait: bool,
    print_config: bool,
    scope: Scope | None,
    finish: str | None,
    archive: str | None,
    as_json: bool,
) -> int:
    """Keep what an agent's web tools gave it: what its hook is told on stdin becomes records of a session.

    The session is named after the agent's own; `searchlog sessions` lists it, `searchlog show` shows it. A result is
    kept byte for byte, but for secrets, and labelled with how true it is to what was read: `verbatim`,
    `readable-derived` (a model's words about a page), `pointer`, `sealed`, `withheld`, `unknown`.
    """
    if print_config or scope is not None:
        named = ctx.get_parameter_source("archive") is click.core.ParameterSource.COMMANDLINE
        return _configure(agent, scope, _options(archive if named else None, recapture, allow_private), as_json)
    from searchlog.errors import SearchlogError

    if (wait or allow_private) and not recapture and finish is None:
        _say("--wait and --allow-private do nothing without --recapture")  # and what was given is kept all the same
    try:
        if finish is not None:
            _finish(finish, archive, allow_private, in_background=True)
            return 0
        event = _event()
        if event is None:
            return _say("nothing arrived on stdin: an agent calls this; --print-config shows how it is told to")
        if not event.is_result:
            return _say(f"{event.name} tells of no result, so nothing is kept: it is for PostToolUse")
        kept = _keep(agent, event, archive)
        if recapture and kept.urls:
            _recapture(agent, kept, archive, allow_private, wait)
    except SearchlogError as error:
        return _say(f"error: {error}")
    if as_json:
        from dataclasses import asdict

        from searchlog.cli import out

        out.json(asdict(kept))
    return 0


def _say(text: str) -> int:
    from searchlog.cli import out

    out.say(f"searchlog hook: {text}")
    return _FAILED


def _event() -> Event | None:
    """Return what stands on stdin; None when nobody is at its other end, or nothing comes.

    All of it is read, whatever its size: an agent may take a pipe that closes early for a fault of its own.
    """
    from searchlog.hooks.event import parse_event

    stream = sys.stdin
    if stream is None or stream.isatty():
        return None
    kept, size = [], 0
    while chunk := stream.buffer.read(_CHUNK):
        kept += [chunk[: max(0, _STDIN_BYTES_MAX - size)]]
        size += len(chunk)
    data = b"".join(kept)
    return parse_event(data, is_cut=size > len(data)) if data.strip() else None


def _keep(agent: str, event: Event, archive: str | None) -> Kept:
    """Keep it, without the parts of an archive that only a search needs."""
    from searchlog.clock import SystemClock, SystemIds
    from searchlog.hooks.keep import Keeper
    from searchlog.storage import open_storage

    storage = open_storage(archive)
    try:
        return Keeper(storage, SystemClock(), SystemIds()).keep(agent, event)
    finally:
        storage.close()


def _recapture(agent: str, kept: Kept, archive: str | None, allow_private: tuple[str, ...], wait: bool) -> None:
    from searchlog.hooks.recapture import later

    place = f"{kept.session}:{kept.seq}"
    if wait:
        _finish(place, archive, allow_private)
    else:
        later(["hook", agent, "--finish", place, *_options(archive, False, allow_private)])


def _finish(place: str, archive: str | None, allow_private: tuple[str, ...], *, in_background: bool = False) -> None:
    from searchlog.archive import open_archive
    from searchlog.errors import UsageError
    from searchlog.hooks.recapture import recapture

    session, _, seq = place.rpartition(":")
    if not (session and seq.isascii() and seq.isdecimal()):
        raise UsageError(f"--finish takes SESSION:SEQ, not {place!r:.80}")
    if in_background and hasattr(os, "nice"):
        os.nice(10)  # the agent goes on meanwhile
    with open_archive(archive, create=False) as opened:
        recapture(opened, session, int(seq), allow_private=allow_private)


def _options(archive: str | None, recapture: bool, allow_private: tuple[str, ...]) -> list[str]:
    """Return these options as they are typed; the archive's place from wherever it is called."""
    place = ["--archive", os.path.abspath(archive)] if archive else []
    allowed = [word for host in allow_private for word in ("--allow-private", host)]
    return [*place, *(["--recapture"] if recapture else []), *allowed]


def _configure(agent: str, scope: Scope | None, wanted: list[str], as_json: bool) -> int:
    """Print the settings, or put them where they belong."""
    from searchlog.cli import out
    from searchlog.hooks.agents import AGENTS
    from searchlog.hooks.config import config, config_text
    from searchlog.hooks.install import command_line, install, settings_place

    about = AGENTS[agent]
    command = command_line(about, wanted)
    if scope is None:
        out.data(config_text(config(about, command)))
        out.say(f"put this into {settings_place(about, 'user', os.environ)}, beside what it holds; or --install user")
        return 0
    place = settings_place(about, scope, os.environ)
    changed = install(place, about, command)
    if as_json:
        out.json({"path": str(place), "changed": changed, "command": command})
    else:
        out.say(f"{about.title} calls `{command}` by {place}" if changed else f"it is in {place} already")
        if agent == "codex" and changed:
            out.say("Codex asks before it runs a new hook: look at it with /hooks and trust it there")
    return 0
