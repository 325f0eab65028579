"""The program's outermost layer: runs the command, turns whatever ends it into one line on stderr and an exit code.

No traceback reaches a user; SEARCHLOG_DEBUG=1 shows that of a bug.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from searchlog.cli.exits import Exit, exit_of
from searchlog.cli.lazy import LazyGroup
from searchlog.errors import SearchlogError

__all__ = ["JSON_WANTED", "Front"]

JSON_WANTED = "searchlog.json"
"""Key of `Context.meta`: set when the command was asked for JSON, so that errors are JSON too."""


class Front(LazyGroup):
    """The root command. A command returns its exit code, or None for 0."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = False,  # a query with a star in it is no file name
        **extra: Any,
    ) -> NoReturn:
        """Run and leave the process with an exit code of the table in `exits`."""
        _ready_streams()
        wanted: dict[str, Any] = {}
        try:
            code = super().main(
                args,
                prog_name,
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                obj=wanted,
                **extra,
            )
            sys.stdout.flush()
            code = int(code or Exit.OK)
        except BrokenPipeError:
            code = _reader_left()
        except click.ClickException as error:
            code = _misused(error)
        except click.Abort:
            code = _say("interrupted", Exit.INTERRUPTED)
        except SearchlogError as error:
            code = _failed(error, bool(wanted.get(JSON_WANTED)))
        except OSError as error:  # a full disk under a redirected stdout; the stores tell theirs as StoreError
            code = _say(f"error: {error.strerror or error}", Exit.MACHINE)
            _silence()
        except Exception as error:  # the last stop: nothing is swallowed, and there is nobody above to tell
            code = _bug(error)
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # click would say 1, which here means a bug
            return _reader_left()


def _ready_streams() -> None:
    """Let every text be written: UTF-8 into pipes and files, what a terminal cannot show as an escape."""
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started us
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (for as long as the process lives)
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def _say(text: str, code: Exit) -> int:
    from searchlog.cli.safe import one_line
    from searchlog.keyring import hide

    try:
        click.echo(one_line(hide(text)), err=True)
    except BrokenPipeError:
        pass  # nobody is left to tell
    return code


def _misused(error: click.ClickException) -> int:
    """Show usage and what is wrong with it: it may quote what was typed, or what stands in an archive."""
    from searchlog.cli.safe import visible
    from searchlog.keyring import hide

    shown = io.StringIO()
    error.show(shown)
    try:
        click.echo(visible(hide(shown.getvalue())), err=True, nl=False)
    except BrokenPipeError:
        pass  # nobody is left to tell
    return error.exit_code


def _failed(error: SearchlogError, as_json: bool) -> int:
    if as_json:
        from searchlog.cli.safe import dump_json

        try:
            click.echo(
                dump_json({"error": {"code": error.code, "message": str(error), "fields": _plain(error.fields)}})
            )
        except BrokenPipeError:
            _reader_left()
    return _say(f"error: {error}", exit_of(error))


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, str | int | float | bool | None):
        return value
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else str(value)


def _bug(error: Exception) -> int:
    if os.environ.get("SEARCHLOG_DEBUG"):
        import traceback

        from searchlog.cli.safe import visible
        from searchlog.keyring import hide

        click.echo(visible(hide("".join(traceback.format_exception(error)))), err=True, nl=False)
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return _say(
        f"error: {said:.300}: this is a bug in searchlog; please report it with what the same command prints "
        "under SEARCHLOG_DEBUG=1",
        Exit.BUG,
    )


def _reader_left() -> int:
    """Return the code for a reader that went away."""
    _silence()
    return Exit.READER_LEFT


def _silence() -> None:
    """Send to nowhere what cannot be written, so that the interpreter does not complain when it flushes at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
