"""`searchlog fetch`: pages kept, their text on stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit

if TYPE_CHECKING:
    from searchlog.extract.conversion import Conversion, Dated, Fact
    from searchlog.mementos.save import Saved
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
@click.option("--all", "form", flag_value="all", help="Print the whole visible text, menus too, without marks.")
@click.option("--raw", "--html", "form", flag_value="raw", help="Print the page as it came, content codings removed.")
@click.option(
    "--via",
    metavar="PROVIDER",
    help="Ask this provider for its text of the pages, fetch none of them: tavily, exa, firecrawl, jina, parallel.",
)
@click.option(
    "--save-to",
    metavar="NAME|ADDRESS",
    help="Ask a web archive to capture the pages as well: `wayback`. It learns the addresses, and may take minutes.",
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
    save_to: str | None,
    session_id: str,
    archive: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Fetch pages, keep them, and print their main text.

    The main text is told block by block from the layout of the page and its type (an article, say, a forum, a product);
    where that leaves doubts of an article or of documentation trafilatura is asked as well. Headings, list items,
    quotes and code are marked as in Markdown. stderr says how much of the visible text that is; --all prints all of it,
    without marks.

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
    if save_to is not None:
        from searchlog.mementos.save import expect_service
        from searchlog.mementos.source import parse_source

        expect_service(parse_source(save_to))  # told before a page is fetched
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
        saved = _save(session, save_to, urls, given["allow_private"], quiet) if save_to is not None else []
        printed = [_printed(page, session, form) for page in pages]
        if as_json:
            shown = [_page_json(page, what) for page, what in zip(pages, printed, strict=True)]
            copies = {"saved": list(map(_saved_json, saved))} if save_to is not None else {}
            out.json({"archive": opened.described, "session": session.id, "turn": turn, "pages": shown, **copies})
        else:
            _print(pages, printed)
        failed = [page for page, what in zip(pages, printed, strict=True) if what.content is None or page.suspected]
        for page in failed:
            out.error(_failure(page))
        for page, what in zip(pages, printed, strict=True):
            if page not in failed:
                for said in (_about(page, what), _oddities(page, what)):
                    out.say(f"{page.asked}: {said}", quiet or not said)
        out.say(f"session {session.id} turn {turn}, stored in {opened.described}", quiet)
        out.say(head_line(session.head), quiet)
    return Exit.PAGE if failed or any(one.memento is None for one in saved) else Exit.OK


def _save(
    session: Session, archive: str, urls: Sequence[str], allow_private: tuple[str, ...], quiet: bool
) -> list[Saved]:
    """Ask a web archive for captures, and say what came of it."""
    from searchlog.cli import progress

    with progress.shown(quiet) as listener:
        saved = session.save_pages(urls, archive, allow_private=allow_private, progress=listener)
    for url, one in zip(urls, saved, strict=True):
        said = one.memento.uri if one.memento is not None else one.detail
        (out.error if one.memento is None else lambda text: out.say(text, quiet))(f"{url}: {one.outcome}: {said}")
    return saved


def _saved_json(saved: Saved) -> dict[str, Any]:
    from searchlog.clock import format_time

    memento = saved.memento
    return {
        "outcome": saved.outcome,
        "detail": saved.detail,
        "memento": memento.uri if memento is not None else None,
        "captured_at": format_time(memento.at) if memento is not None else None,
        "job": saved.job,
    }


@dataclass(frozen=True, slots=True)
class _Printed:
    """What is printed of a page: text, or bytes for `raw`; None when there is nothing to print."""

    content: str | bytes | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Characters that a reader of the page cannot see, by kind."""
    facts: tuple[Fact, ...] = ()
    conversion: Conversion | None = None
    main_percent: int | None = None
    """Share of the visible characters that is labelled main text."""
    share: str = ""
    """How much of the visible text the content is, where it is not all of it."""


def _printed(page: Page, session: Session, form: str | None) -> _Printed:
    if form == "raw":
        good = page.capture is not None and page.status is not None and 200 <= page.status < 300
        return _Printed(session.body(page) if good else None)
    suspected_text = page.suspected is not None and page.converted is not None and page.converted.text is not None
    if page.reason is not None and not suspected_text:
        return _Printed()
    from searchlog.extract.conversion import main_percent, visible_text
    from searchlog.extract.reading import reading_view
    from searchlog.spoofing.invisible import sanitise

    conversion = session.conversion(page)
    text, left_out = sanitise(visible_text(conversion) if form == "all" else reading_view(conversion))
    percent = main_percent(conversion.blocks)
    share = "" if form == "all" or percent in (None, 100) else _SHARE.format(percent, conversion.labels)
    if not text.strip():  # no view is empty of a page that has visible text
        text, left_out = sanitise(visible_text(conversion))
        share = "" if form == "all" else _NO_SHARE
    facts = tuple(replace(fact, value=sanitise(fact.value)[0]) for fact in conversion.metadata.facts)
    return _Printed(text if text.endswith("\n") else text + "\n", left_out, facts, conversion, percent, share)


_SHARE = "main text: {} % of the visible text, by {}; --all shows the rest"
_NO_SHARE = "no main text was found, so this is the whole visible text"


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


def _about(page: Page, what: _Printed) -> str:
    """Return what a page says that it is, and when it says it was published; empty where nothing is known."""
    from searchlog.cli.tell import brief

    made, title = what.conversion, brief(page.title or "", _TITLE_CHARS)
    if made is None:
        return title
    dates = (("published", made.metadata.published), ("modified", made.metadata.modified))
    said = [f"{name} {date.date} ({_found_in(date)})" for name, date in dates if date is not None]
    return " · ".join(filter(None, (title, made.page_type, *said)))


_TITLE_CHARS = 120


def _found_in(date: Dated) -> str:
    return f"{date.source}: {date.sure}" if date.sure else date.source


def _oddities(page: Page, what: _Printed) -> str:
    """Return what else is to be known of a page that is printed: that it was cut, say, or holds what nobody sees."""
    left_out = [f"{count} {kind}" for kind, count in what.left_out.items()]
    said = [
        what.share,
        ", ".join(page.warnings),
        f"left out: {', '.join(left_out)} characters" if left_out else "",
        page.detail,
    ]
    return "; ".join(filter(None, said))


def _page_json(page: Page, what: _Printed) -> dict[str, Any]:
    """Return the documented shape of one page of `fetch --json`."""
    content, made = what.content, what.conversion
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
        "published": _dated(made.metadata.published) if made else None,
        "modified": _dated(made.metadata.modified) if made else None,
        "page_type": made.page_type or None if made else None,
        "labels": made.labels if made else None,
        "main_percent": what.main_percent,
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


def _dated(date: Dated | None) -> dict[str, str] | None:
    return asdict(date) if date is not None else None
