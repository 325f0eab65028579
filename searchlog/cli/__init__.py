"""The command line: one file a command, each imported only when it is called.

stdout is data, stderr is talk. Commands parse, call the Python API and print; they decide nothing.
"""

from __future__ import annotations

import click

from searchlog import __version__
from searchlog.cli.front import Front
from searchlog.cli.lazy import Entry

__all__ = ["cli", "main"]

_SUMMARIES = {
    "search": "Search, read the pages found, print the evidence.",
    "fetch": "Fetch pages, keep them, print their text.",
    "show": "Show a session, or one search with its funnel.",
    "why": "Tell what became of a URL, and because of what.",
    "evidence": "List evidence, or show one piece and where it lies.",
    "sessions": "List the sessions of the archive.",
    "verify": "Verify past evidence: stored, live, and in answers.",
    "history": "Tell what checks of a passage found, over time.",
    "answer": "Keep what a model said, to be verified with its evidence.",
    "hook": "Keep what an agent's own web tools gave it, as its hook.",
    "replay": "Run a stored search again without the network.",
    "diff": "Tell what differs between two searches.",
    "reparse": "Parse stored answers of providers again.",
    "key": "Make the key that signs heads, or show its public half.",
    "export": "Write a session or a search to one file that others can open.",
    "import": "Take in a snapshot, or pages that other tools archived.",
    "mcp": "Give web search to MCP clients, such as Claude Code.",
    "providers": "List search providers and who sees the query.",
    "doctor": "Check this machine, the archive and the settings.",
    "demo": "See all of it work, with no key and no network.",
}

_MODULES = {"import": "import_"}
"""Commands whose name no module can have."""


@click.command(
    cls=Front,
    entries={
        name: Entry(f"searchlog.cli.{_MODULES.get(name, name)}", f"{name}_command", summary)
        for name, summary in _SUMMARIES.items()
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExamples:\n  searchlog demo\n  searchlog search how do tide mills work",
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="searchlog", message="%(prog)s %(version)s")
def cli() -> None:
    """Search the web on your own machine, and keep every byte that mattered.

    What a model would be given goes to stdout, everything else to stderr. All of it is kept in an archive: the
    folder named by SEARCHLOG_ARCHIVE or --archive, else the nearest `.searchlog` upward, else one in your data folder.
    """


def main() -> None:
    """Run the program."""
    cli.main(prog_name="searchlog")
