"""`searchlog mcp`: the tools for MCP clients, by stdin and stdout or by HTTP. stdout carries the protocol alone."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlog.archive import Archive
    from searchlog.mcp.service import Service

TOKEN_ENV = "SEARCHLOG_MCP_TOKEN"
_TOKEN_CHARS_MIN = 16
_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=")
"""What a bearer token may hold: RFC 6750 section 2.1."""


@click.command(
    "mcp",
    epilog=options.examples(
        "mcp",
        "mcp -p tavily -p wikipedia --budget 2000",
        "mcp --session latest",
        "mcp --http --token-file ~/.searchlog-token",
        "mcp --http --profile chatgpt --allow-host search.example.org --token-in-url",
    )
    + "\n\n\b\nClients start it themselves:\n  claude mcp add searchlog -- searchlog mcp\n"
    "  codex mcp add searchlog -- searchlog mcp",
)
@click.option(
    "--http", "by_http", is_flag=True, help="Serve by HTTP on this machine, at /mcp; not by stdin and stdout."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8756,
    show_default=True,
    help="With --http: where; 0 takes a free one.",
)
@click.option(
    "--host",
    "address",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="With --http: the address to listen on.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME[:PORT]",
    help="With --http: a name besides those of this machine by which clients reach it. Repeatable.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help=f"With --http: a file that holds the token, made when absent; else {TOKEN_ENV}, else a new one.",
)
@click.option(
    "--token-in-url", is_flag=True, help="With --http: take /mcp/TOKEN too, from clients that send no header."
)
@click.option(
    "--profile",
    type=click.Choice(("full", "chatgpt")),
    default="full",
    show_default=True,
    help="All tools, or the pair `search` and `fetch` that ChatGPT looks for.",
)
@click.option(
    "--provider", "-p", "providers", multiple=True, metavar="NAME", help="Whom to ask, as `providers` lists them."
)
@click.option(
    "--budget",
    type=click.IntRange(50),
    default=4000,
    show_default=True,
    metavar="TOKENS",
    help="Size of the evidence of one call.",
)
@options.web_options
@options.session_option("new", ", or `new`")
@options.archive_option
@options.json_option
@options.quiet_option
def mcp_command(
    *,
    by_http: bool,
    port: int,
    address: str,
    hosts: tuple[str, ...],
    token_file: str | None,
    token_in_url: bool,
    profile: str,
    providers: tuple[str, ...],
    budget: int,
    session_id: str,
    archive: str | None,
    as_json: bool,
    quiet: bool,
    **web: Any,
) -> int:
    """Give web search to an MCP client; everything is kept.

    The client's model gets web_search, open_page, find_in_page and verify_evidence, the evidence as resources, and a
    prompt that tells how to cite. What it calls and what it is told is recorded in one session of the archive, which
    begins with the first call; the server ends when the client closes stdin, or by Ctrl-C.

    With --http every request needs the token (`Authorization: Bearer …`) and must be sent to a name of this machine.
    Behind a tunnel or a proxy name its host with --allow-host. With --json a program that starts it is told where it
    is.
    """
    from searchlog.archive import open_archive

    if not by_http and (hosts or token_file or token_in_url):
        raise click.UsageError("--allow-host, --token-file and --token-in-url belong to --http")
    source = click.get_current_context().get_parameter_source
    if not by_http and ParameterSource.COMMANDLINE in (source("port"), source("address")):
        raise click.UsageError("--port and --host belong to --http: without it no port is listened on")
    if as_json and not by_http:
        raise click.UsageError("--json belongs to --http: without it stdout carries the protocol")
    _have_extra(by_http)
    from searchlog.mcp.service import Service

    with open_archive(archive) as opened:
        _check_providers(opened.resources.env, providers, quiet)
        service = Service(
            opened,
            None if session_id == "new" else session_id,
            profile=profile,
            providers=tuple(dict.fromkeys(providers)),
            budget_tokens=budget,
            **options.cache_settings(**web),
        )
        _silence_libraries()
        try:
            if by_http:
                _by_http(
                    service,
                    opened,
                    address=address,
                    port=port,
                    hosts=hosts,
                    token_file=token_file,
                    token_in_url=token_in_url,
                    as_json=as_json,
                )
            else:
                _by_stdio(service, opened, quiet)
        except KeyboardInterrupt:
            pass  # it is how a person ends a server
        if service.session is not None:
            out.say(f"session {service.session.id}, stored in {opened.described}", quiet)
    return Exit.OK


def _have_extra(by_http: bool) -> None:
    """Raise UsageError when the extra is not installed."""
    from importlib import import_module

    try:
        import_module("searchlog.mcp.server")
        import_module("searchlog.mcp.http" if by_http else "searchlog.mcp.stdio")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("searchlog"):
            raise
        raise UsageError(f"the MCP server needs an extra ({error}): pip install 'searchlog[mcp]'") from None


def _check_providers(env: Mapping[str, str], providers: tuple[str, ...], quiet: bool) -> None:
    """Say who will see queries. Raises UsageError when a provider lacks its key or address."""
    from searchlog.search import registry, whom

    if "site" in providers:
        raise click.UsageError("--provider site is for `searchlog search --site`")
    choice = whom.choose(env, providers)
    for name in choice.names if providers else ():
        if name != "archive":
            registry.build(name, env)
    notice = whom.who_sees(env, choice)
    if notice is not None:
        out.say(notice.replace("this query goes", "queries go"), quiet)


def _by_stdio(service: Service, archive: Archive, quiet: bool) -> None:
    from searchlog.mcp.server import make_server
    from searchlog.mcp.stdio import serve_stdio

    if sys.stdin is not None and sys.stdin.isatty():
        out.say("this waits for an MCP client on stdin; Ctrl-C ends it. To let Claude Code start it:", quiet)
        out.say("  claude mcp add searchlog -- searchlog mcp", quiet)
    out.say(f"searchlog MCP server, archive {archive.described}", quiet)
    serve_stdio(make_server(service))


def _by_http(
    service: Service,
    archive: Archive,
    *,
    address: str,
    port: int,
    hosts: tuple[str, ...],
    token_file: str | None,
    token_in_url: bool,
    as_json: bool,
) -> None:
    from ipaddress import ip_address

    from searchlog import keyring
    from searchlog.mcp.gate import PATH, Gate
    from searchlog.mcp.http import listen, serve_http
    from searchlog.mcp.server import make_server

    try:
        shown = f"[{address}]" if ip_address(address).version == 6 else address
    except ValueError:
        raise UsageError(f"--host wants an IP address such as 127.0.0.1, not {address!r:.60}") from None
    token, made = _token(token_file)
    names = tuple(name.lower() for name in (*hosts, *(() if ip_address(address).is_unspecified else (shown,))))
    gate = Gate(token, names, token_in_url)
    at = listen(address, port)
    url = f"http://{shown}:{at.getsockname()[1]}{PATH}"

    def ready() -> None:
        out.say(f"searchlog MCP server at {url}, archive {archive.described}")
        if as_json:
            out.json({"url": url, "token": token if made else None, "archive": archive.described})
        if made:
            kept = f"kept in {token_file}" if token_file else "for this run; --token-file keeps one"
            # the only place where it is told, quiet or not: without it nobody gets in
            out.say(f"token {token} ({kept})")
            if token_in_url:
                for place in [f"https://{name}{PATH}" for name in hosts] or [url]:
                    out.say(f"for clients that send no header: {place}/{token}")
        keyring.hold([token])

    serve_http(make_server(service), at, gate, budget_tokens=service.budget_tokens, ready=ready)


def _token(place: str | None) -> tuple[str, bool]:
    """Return the token, and whether it was made here. Raises UsageError for one that cannot be, StoreError."""
    new = secrets.token_urlsafe(32)
    given = os.environ.get(TOKEN_ENV, "").strip()
    where = TOKEN_ENV
    if place is not None:
        where, path = place, Path(place).expanduser()
        if not path.exists():
            _keep(path, new)
            return new, True
        given = options.read_file(str(path)).decode("utf-8", "replace").strip()
    elif not given:
        return new, True
    if len(given) < _TOKEN_CHARS_MIN or not _SIGNS.issuperset(given):
        raise UsageError(
            f"the token in {where} cannot be one: it needs at least {_TOKEN_CHARS_MIN} letters, digits or -._~+/="
        )
    return given, False


def _keep(path: Path, token: str) -> None:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
    except OSError as error:
        raise StoreError(f"cannot write the token to {path}: {error.strerror or error}", path=str(path)) from None


def _silence_libraries() -> None:
    """Keep libraries from writing to stderr what is for their authors; SEARCHLOG_DEBUG=1 lets them."""
    import logging

    if not os.environ.get("SEARCHLOG_DEBUG"):
        for name in ("mcp", "uvicorn", "searchlog.mcp", "asyncio"):
            logger = logging.getLogger(name)
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
