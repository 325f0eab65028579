"""Writing: data to stdout, talk to stderr, tables for people. Knows terminals; decides nothing else.

Into a pipe or file data goes byte for byte, but for keys of ours, should an old archive hold one. On a terminal harmful
characters are shown as escapes (`safe`). rich is imported only where a terminal is.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any, TextIO

import click

from searchlog import keyring
from searchlog.capture.guard import safe_url
from searchlog.cli.safe import dump_json, one_line, visible

__all__ = ["NUMBERS", "data", "error", "hidden", "json", "line", "say", "table"]

NUMBERS = frozenset({"seq", "turn", "in", "kept", "dropped", "tokens", "chars", "bytes", "turns", "records", "rank"})
"""Columns that stand flush right."""

_LOGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s]*@\S*\Z")
_CELL_MAX, _LAST_MAX = 100, 300
"""Columns of a terminal that a cell takes at most; the last one of a row pads nothing, and may be longer."""


def data(content: str | bytes) -> None:
    """Write to stdout exactly this; on a terminal with escapes made visible and a line feed at the end."""
    if sys.stdout.isatty():
        text = content if isinstance(content, str) else content.decode("utf-8", "backslashreplace")
        click.echo(visible(text), nl=not text.endswith("\n"))
        return
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    _write(keyring.known().replace(raw))


def json(value: Any) -> None:
    """Write one JSON value to stdout; an address in it is shown without user name and password."""
    text = dump_json(hidden(value)) + "\n"
    if sys.stdout.isatty():
        click.echo(text, nl=False)
    else:
        _write(text.encode("utf-8", "backslashreplace"))


def hidden(value: Any) -> Any:
    """Return a JSON value with addresses without user name and password."""
    return keyring.hide_in(value, _shown)


def line(text: str = "") -> None:
    """Write one line for people to stdout."""
    click.echo(one_line(text))


def say(text: str = "", quiet: bool = False) -> None:
    """Write one line of talk to stderr, unless quiet; passwords in addresses are left out."""
    if not quiet:
        click.echo(one_line(keyring.hide(text)), err=True)


def error(text: str) -> None:
    """Write one line to stderr that says what went wrong, quiet or not; passwords in addresses are left out."""
    click.echo(f"error: {one_line(keyring.hide(text))}", err=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, err: bool = False) -> None:
    """Write a table for people: by rich on a terminal, plain and aligned elsewhere. Empty cells for None.

    A cell that is very long is cut, and ends with `…`; `--json` has it whole.
    """
    stream = sys.stderr if err else sys.stdout
    last = len(columns) - 1
    cells = [
        [
            _cut(one_line("" if cell is None else str(cell)), _LAST_MAX if n == last else _CELL_MAX)
            for n, cell in enumerate(row)
        ]
        for row in rows
    ]
    if stream.isatty():
        _rich_table(columns, cells, stream)
    else:
        for row in _aligned([list(columns), *cells], [name in NUMBERS for name in columns]):
            click.echo(row, err=err)


def _write(raw: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def _shown(text: str) -> str:
    return safe_url(text) if _LOGIN.match(text) else text


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text that takes at most so many columns."""
    if len(text) * 2 <= most or _width(text) <= most:
        return text
    end = min(len(text), most)
    while _width(text[:end]) > most - 1:
        end -= 1
    return text[:end] + "…"


def _rich_table(columns: Sequence[str], rows: Sequence[Sequence[str]], stream: TextIO) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(name, justify="right" if name in NUMBERS else "left", overflow="fold")
    for row in rows:
        made.add_row(*map(Text, row))
    Console(file=stream, highlight=False, markup=False, emoji=False).print(made)


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    out = []
    for row in rows:
        parts = []
        for cell, width, flush in zip(row, widths, right, strict=True):
            blanks = " " * (width - _width(cell))
            parts.append(blanks + cell if flush else cell + blanks)
        out.append("  ".join(parts).rstrip())
    return out


def _width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
