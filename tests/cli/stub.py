"""A command that ends in a chosen way."""

from __future__ import annotations

import click

from searchlog import errors
from searchlog.cli import options

ERRORS: dict[str, BaseException] = {
    "usage": errors.UsageError("a usage error"),
    "provider": errors.ProviderError("nobody answered", [{"provider": "p", "outcome": "timeout"}]),
    "fetch": errors.FetchError("a fetch error"),
    "format": errors.FormatError("a format error"),
    "integrity": errors.IntegrityError("an integrity error", digest="sha256:00"),
    "missing": errors.MissingError("no session"),
    "missing-blob": errors.MissingError("no blob", digest="sha256:00"),
    "store": errors.StoreError("disk full"),
    "conflict": errors.ConflictError("s", 1, 2),
    "base": errors.SearchlogError("something"),
    "bug": KeyError("oops\nsecond line"),
    "interrupt": KeyboardInterrupt(),
    "control": errors.UsageError("not a host: \x1b]0;owned\x07 \u202e"),
}


@click.command("stub")
@click.argument("how")
@options.json_option
def stub_command(how: str, as_json: bool) -> int:
    """End in a chosen way."""
    if how.isdecimal():
        return int(how)
    raise ERRORS[how]
