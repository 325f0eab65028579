"""`searchlog key`: make the key that signs heads, and show its public half."""

from __future__ import annotations

import click

from searchlog.cli import options, out


@click.command("key", epilog=options.examples("key new", "key new --name example.com/me", "key show --json"))
@click.argument("what", type=click.Choice(["new", "show"]))
@click.option("--name", metavar="NAME", help="Name of a new key, such as an address of yours without https://.")
@options.json_option
def key_command(what: str, name: str | None, as_json: bool) -> None:
    """Make the key that signs heads, or show its verifier key: the public half, which others check signatures with.

    The key is kept in the file that SEARCHLOG_SIGNING_KEY names, else in `signing.key` of the settings folder, where
    only you can read it. It is never shown and never overwritten. A signature says that a holder of the key wrote it:
    others need to know the verifier key from elsewhere than the file that is signed.
    """
    from searchlog.signing import default_place, load_key, new_key

    if name is not None and what != "new":
        raise click.UsageError("--name is for `searchlog key new`: the name is part of a key")
    place = default_place()
    vkey = new_key(place, name) if what == "new" else load_key(place).vkey
    if as_json:
        out.json({"vkey": vkey, "path": str(place)})
    else:
        out.data(f"{vkey}\n")
        if what == "new":
            out.say(f"the private half is in {place}; keep a copy of it where nobody else can read it")
