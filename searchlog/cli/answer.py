"""`searchlog answer`: keep a model's final text in the session whose evidence it was given."""

from __future__ import annotations

import sys

import click

from searchlog.cli import options, out


@click.command("answer", epilog=options.examples("answer answer.md", "answer answer.json --session latest"))
@click.argument("path", metavar="PATH", callback=options.as_text)
@options.session_option("latest")
@options.archive_option
@options.json_option
@options.quiet_option
def answer_command(path: str, session_id: str, archive: str | None, as_json: bool, quiet: bool) -> int:
    """Keep a model's final text in a session, byte for byte; `searchlog verify --answers` checks it.

    PATH is a file with text, Markdown, or the JSON of a vendor's API (Anthropic, OpenAI, Gemini, Perplexity,
    Mistral, Cohere); `-` reads stdin.
    """
    data = sys.stdin.buffer.read() if path == "-" else options.read_file(path)
    with options.open_existing(archive, write=True) as opened:
        session = opened.session(session_id)
        seq = session.keep_answer(data)
        if as_json:
            out.json({"archive": opened.described, "session": session.id, "seq": seq, "bytes": len(data)})
        else:
            out.say(f"kept in session {session.id} as record {seq}: `searchlog verify --answers` checks it", quiet)
    return 0
