"""`searchlog fetch`: pages kept, their text on stdout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit

if TYPE_CHECKING:
    from searchlog.extract.conversion import Fact
    from searchlog.session import Page, Session


@click.command(
    "fetch",
    epilog=options.examples(
        "fetch https://www.rfc-editor.org/rfc/rfc6962.txt",
        "fetch http://localhost:8000/ --allow-private localhost",
        "fetch https://example.org/ --via tavily",
    ),
)
@click.argument("urls", nargs=-1, required=True, callback=options.as_text, metavar="URL...")
@click.option("--all", "form", flag_value="all", help="Print the whole visible text, menus and footers too.")
@click.option("--raw", "--html", "form", flag_value="raw", help="Print the page as it came, content codings removed.")
@click.option(
    "--via",
    metavar="PROVIDER",
    help="Ask this provider for its text of the pages, fetch none of them: tavily, exa, firecrawl, jina, parallel.",
)
@options.web_options
@options.session_option("new", ", or `new`")
@options.archive_option
@options.json_option
@options.quiet_option
def fetch_command(
    *,
    urls: tuple[str, ...],
    form: str | None,
    via: str | None,
    session_id: str,
    archive: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Fetch pages, keep them, and print their main text.

    What the main text is, trafilatura says; where it finds too little, the structure of the page does. Headings, list
    items and quotes are marked as in Markdown. The whole visible text is stored in any case.

    What the page states for machines and shows nowhere (a price, answers to questions) follows below a line that says
    so: it is the page's claim, and no part of its text.

    Several pages are told apart by a line `==> URL <==` above each.

    Characters that a reader of the page cannot see are left out, and counted; `--raw` and the stored text have them.

    A page that looks like a bot challenge, a login wall or an error page instead of the page asked for is printed as
    well; stderr says what it is suspected to be, and by which tests, and the exit code is that of a page that failed.

    With --via the text is a provider's, made on its machine from bytes that nobody here has seen: it is kept as
    `provider-text`, and never as a capture of the page.
    """
    from searchlog.archive import open_archive
    from searchlog.cli import progress
    from searchlog.extract.convert import ConvertOptions
    from searchlog.flow.settings import split_options
    from searchlog.log.checkpoint import head_line
    from searchlog.search import registry

    convert = ConvertOptions() if form else ConvertOptions(labels="trafilatura", dates="htmldate")
    _, settings = split_options("fetch", None, {**options.cache_settings(**given), "convert": convert})
    if via is not None and form == "raw":
        raise click.UsageError("--raw needs the page itself, and --via fetches none")
    with open_archive(archive) as opened:
        if via is not None:
            # told before a session is begun that would stay empty
            registry.build_extractor(via, opened.resources.env)
        session = opened.session(None if session_id == "new" else session_id)
        with progress.shown(quiet) as listener:
            if via is None:
                pages = session.fetch_many(urls, settings=settings, progress=listener)
            else:
                pages = session.provider_texts(urls, via, settings=settings, progress=listener)
        turn = session.ledger.refresh().last_turn
        printed = [_printed(page, session, form) for page in pages]
        if as_json:
            shown = [_page_json(page, what) for page, what in zip(pages, printed, strict=True)]
            out.json({"archive": opened.described, "session": session.id, "turn": turn, "pages": shown})
        else:
            _print(pages, printed)
        failed = [page for page, what in zip(pages, printed, strict=True) if what.content is None or page.suspected]
        for page in failed:
            out.error(_failure(page))
        for page, what in zip(pages, printed, strict=True):
            if page not in failed and (page.warnings or what.left_out):
                out.say(_oddities(page, what), quiet)
        out.say(f"session {session.id} turn {turn}, stored in {opened.described}", quiet)
        out.say(head_line(session.head), quiet)
    return Exit.PAGE if failed else Exit.OK


@dataclass(frozen=True, slots=True)
class _Printed:
    """What is printed of a page: text, or bytes for `raw`; None when there is nothing to print."""

    content: str | bytes | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Characters that a reader of the page cannot see, by kind."""
    facts: tuple[Fact, ...] = ()


def _printed(page: Page, session: Session, form: str | None) -> _Printed:
    if form == "raw":
        good = page.capture is not None and page.status is not None and 200 <= page.status < 300
        return _Printed(session.body(page) if good else None)
    suspected_text = page.suspected is not None and page.converted is not None and page.converted.text is not None
    if page.reason is not None and not suspected_text:
        return _Printed()
    from searchlog.extract.conversion import visible_text
    from searchlog.extract.reading import reading_view
    from searchlog.spoofing.invisible import sanitise

    conversion = session.conversion(page)
    text = ("" if form == "all" else reading_view(conversion)) or visible_text(conversion)
    facts = tuple(replace(fact, value=sanitise(fact.value)[0]) for fact in conversion.metadata.facts)
    return _Printed(*sanitise(text if text.endswith("\n") else text + "\n"), facts)


def _print(pages: list[Page], printed: list[_Printed]) -> None:
    for page, what in zip(pages, printed, strict=True):
        if len(pages) > 1:
            out.data(f"==> {page.asked} <==\n")
        if what.content is not None:
            out.data(what.content)
        if what.facts:
            out.data(f"\n{_FACTS_LINE}\n{''.join(map(_fact_line, what.facts))}")


_FACTS_LINE = "Stated by the page for machines, not shown in its text (claims, no evidence):"


def _fact_line(fact: Fact) -> str:
    value = fact.value.replace("\n", "\n  ")
    return f"- {fact.name}: {value} ({fact.source})\n"


def _failure(page: Page) -> str:
    said = f": {page.detail}" if page.detail else ""
    return f"{page.asked}: {page.reason or page.outcome}{said}"


def _oddities(page: Page, what: _Printed) -> str:
    """Return what is to be known of a page that is printed: it was cut, say, or holds what nobody sees."""
    left_out = [f"{count} {kind}" for kind, count in what.left_out.items()]
    said = [", ".join(page.warnings), f"left out: {', '.join(left_out)} characters" if left_out else "", page.detail]
    return f"{page.asked}: {'; '.join(filter(None, said))}"


def _page_json(page: Page, what: _Printed) -> dict[str, Any]:
    """Return the documented shape of one page of `fetch --json`."""
    content = what.content
    return {
        "asked": page.asked,
        "kind": page.kind,
        "url": page.url,
        "outcome": page.outcome,
        "reason": page.reason,
        "detail": page.detail,
        "status": page.status,
        "captured_at": page.captured_at,
        "title": page.title,
        "char_count": page.char_count,
        "warnings": list(page.warnings),
        "suspected": (
            {"kind": page.suspected.kind, "tests": list(page.suspected.tests)} if page.suspected is not None else None
        ),
        "payload": page.payload,
        "text": page.converted.text.blob if page.converted and page.converted.text else None,
        "content": content.decode("utf-8", "replace") if isinstance(content, bytes) else content,
        "left_out": dict(what.left_out),
        "facts": [asdict(fact) for fact in what.facts],
    }
