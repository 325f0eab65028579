"""`searchlog why`: what became of one URL, and because of what."""

from __future__ import annotations

from dataclasses import asdict

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit


@click.command(
    "why", epilog=options.examples("why https://example.org/page", "why https://example.org/page --session all")
)
@click.argument("url", callback=options.as_text)
@options.session_option("latest", ", or `all`")
@options.archive_option
@options.json_option
def why_command(url: str, session_id: str, archive: str | None, as_json: bool) -> int:
    """Tell what became of a URL: who found it, each decision about it, its fetch, its evidence.

    URLs are compared as a search compares them: without trackers, scheme and default port. Redirects are followed.
    """
    from searchlog.capture.shown import public_url, shown_url
    from searchlog.cli.reading import Reading
    from searchlog.search.fuse import comparison_key
    from searchlog.view import why

    # a provider's answer holds a URL as it is, a fetch of the user's without its credentials
    asked = {comparison_key(one): comparison_key(url) for one in (url, public_url(url), shown_url(url))}

    def key(url: str) -> str:
        found = comparison_key(url)
        return asked.get(found, found)

    told = []
    code = Exit.OK
    with options.open_existing(archive) as opened:
        known = opened.resources.storage.log.sessions()
        names = known if session_id == "all" else [opened.find(session_id)]
        for name in names:
            reading = Reading(opened.ledger(name), opened.absence(name))
            told.append((name, why(url, reading.records, reading.load, key)))
            code = max(code, reading.tell())
        count = sum(len(events) for _, events in told)
        if as_json:
            events = [{"session": name, **asdict(event)} for name, events in told for event in events]
            out.json({"archive": opened.described, "url": shown_url(url), "events": events})
        elif count:
            for name, found in told:
                if found:
                    out.line(f"session {name}")
                    out.table(("turn", "seq", "what", "told"), [(e.turn, e.seq, e.kind, e.text) for e in found])
    if not count:
        where = "any session" if session_id == "all" else f"session {names[0]}"
        more = "" if session_id == "all" else "; `--session all` looks in every session"
        out.error(f"nothing about {shown_url(url)!r} in {where}{more}")
    # what cannot be read may have told of it: that it is not there cannot be said then
    return code or (Exit.OK if count else Exit.NOTHING)
