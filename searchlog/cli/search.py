"""`searchlog search`: the evidence on stdout, how it came about on stderr."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import ProviderError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from searchlog.archive import Archive
    from searchlog.flow.settings import Settings
    from searchlog.search.query import Query
    from searchlog.session import Search, Session
    from searchlog.view import TurnView

_SECONDS_MAX = 86_400.0


def _seconds(_: click.Context, param: click.Parameter, value: float) -> float:
    """Return a time as given; `nan` passes every comparison, so a range alone does not keep it out."""
    if not 0 <= value <= _SECONDS_MAX:
        raise click.BadParameter(f"it goes up to {_SECONDS_MAX:.0f} seconds", param=param)
    return value


_query_options = options.together(
    click.option("--count", type=click.IntRange(1, 50), default=10, show_default=True, help="Results from each."),
    click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="Page of results."),
    click.option("--language", metavar="TAG", help="Such as `en` or `zh-Hans`."),
    click.option("--country", metavar="CODE", help="Such as `JP`."),
    click.option(
        "--freshness",
        type=click.Choice(("day", "week", "month", "year")),
        help="Not older than this; in place of --after and --before.",
    ),
    click.option("--after", metavar="DAY", help="Published on this day or later: `2026-01-31`."),
    click.option("--before", metavar="DAY", help="Published on this day or earlier."),
    click.option("--safe", type=click.Choice(("off", "moderate", "strict")), help="Filter of the provider."),
    click.option("--include-domain", multiple=True, metavar="DOMAIN", help="Only this one and below. Repeatable."),
    click.option("--exclude-domain", multiple=True, metavar="DOMAIN", help="Not this one nor below. Repeatable."),
)
_SCORERS = "`static:`, `vectors:` or `cross:` and the model's folder"
_limit_options = options.together(
    click.option("--pages", type=click.IntRange(1, 50), default=8, show_default=True, help="Pages to read."),
    click.option(
        "--budget",
        type=click.IntRange(50),
        default=4000,
        show_default=True,
        metavar="TOKENS",
        help="Size of the evidence.",
    ),
    click.option(
        "--deadline",
        type=click.FloatRange(0.1),
        callback=_seconds,
        default=20.0,
        show_default=True,
        metavar="SECONDS",
        help="Longest time in all.",
    ),
    click.option(
        "--soft-deadline",
        type=click.FloatRange(0),
        callback=_seconds,
        default=2.0,
        show_default=True,
        metavar="SECONDS",
        help="Time for reading after which half of the pages are enough.",
    ),
    click.option(
        "--scorer",
        callback=options.as_text,
        metavar="KIND:FOLDER",
        help=f"Rank passages with a model of your own as well: {_SCORERS}.",
    ),
)


def _buildable(env: Mapping[str, str], names: Sequence[str]) -> None:
    """Raise UsageError when a provider lacks its key or address: before a session is begun that would stay empty."""
    from searchlog.search import registry, whom

    for name in whom.choose(env, names).names:
        if name not in ("archive", "site"):
            registry.build(name, env)


@click.command(
    "search",
    epilog=options.examples(
        "search how do tide mills work -p tavily -p wikipedia",
        "search tide mill restoration --after 2026-01-01 --before 2026-06-30",
        'search "retry policy" --site ./docs --budget 1500',
        'search "tide mill gate" --from colleague.wacz',
        'search fresnel lens history --also "who invented the fresnel lens" -p wikipedia',
        'search fresnel lens --focus "How much glass does a Fresnel lens save?" -p wikipedia',
        "search fresnel lens --scorer static:./my-model -p wikipedia",
    ),
)
@click.argument("words", nargs=-1, required=True, callback=options.as_text, metavar="QUERY...")
@click.option(
    "--also",
    multiple=True,
    callback=options.as_text,
    metavar="TEXT",
    help="The same in other words: asked as well, and the results fused. Repeatable.",
)
@click.option(
    "--focus",
    callback=options.as_text,
    metavar="TEXT",
    help="The question by which passages are chosen, in place of the queries; no provider sees it.",
)
@click.option(
    "--provider",
    "-p",
    "providers",
    multiple=True,
    metavar="NAME",
    help="Whom to ask, as `providers` lists them. Repeatable.",
)
@click.option("--in-turn", is_flag=True, help="Ask one after another, until one answers; not all at once.")
@click.option(
    "--provider-text",
    type=click.Choice(("never", "fallback", "prefer")),
    default="never",
    show_default=True,
    help="Take texts of pages from providers that have them, as evidence of its own kind.",
)
@click.option("--site", metavar="PATH-OR-URL", help="Search a folder, or the pages below an address.")
@click.option(
    "--from",
    "shelves",
    multiple=True,
    metavar="FILE",
    help="Search the pages of a snapshot; nobody is asked.",
)
@_query_options
@_limit_options
@options.web_options
@options.session_option("new", ", or `new`")
@options.archive_option
@options.json_option
@options.quiet_option
def search_command(
    *,
    words: tuple[str, ...],
    providers: tuple[str, ...],
    in_turn: bool,
    site: str | None,
    shelves: tuple[str, ...],
    session_id: str,
    archive: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Search, read the pages found, and print the evidence.

    stdout gets exactly the text that a model would be given. With no --provider those that SEARCHLOG_PROVIDERS names
    are asked, else those with a key in the environment, else keyless ones in turn; `searchlog providers` lists them.

    The words of QUERY are one text; each --also is another, and goes to every provider by itself. Passages are chosen
    by all of them, or by --focus alone: a whole question, for what is best asked of a search engine is seldom that.

    With --provider-text fallback a provider's own text of a page stands in where the page gave none; with prefer the
    page is not even fetched. Such evidence is labelled `provider-text`: nobody can check it against the page.

    With --scorer a local model's scores are mixed into the ranking: word vectors (`static:`; pip install
    'searchlog[static]'), a sentence encoder (`vectors:`) or a cross-encoder (`cross:`; pip install
    'searchlog[encoders]'). Nothing is downloaded, and a replay needs the same model.
    """
    from searchlog.archive import open_archive
    from searchlog.cli import progress
    from searchlog.cli.shape import search_json
    from searchlog.models.load import loaded
    from searchlog.search import whom

    if len(shelves) > 1:
        raise click.UsageError("one --from at a time: `searchlog import` the files, and search with --provider archive")
    query, settings = _asked(" ".join(words), given)
    names = _names(providers, site)
    loaded(settings.scorer)  # what is wrong with it is told before there is a session that would stay empty
    with open_archive(archive) as opened, ExitStack() as stack:
        env = opened.resources.env
        asked: list[Any] = list(names)
        for shelf in shelves:
            from searchlog.shelf import open_shelf

            with progress.counting(f"checking {shelf}", quiet) as counted:
                asked.append(stack.enter_context(open_shelf(shelf, progress=counted)))
        if names or not asked:
            _buildable(env, names)
            notice = whom.who_sees(env, whom.choose(env, names, in_turn=in_turn))
            if notice is not None:
                out.say(notice, quiet)
        session = opened.session(None if session_id == "new" else session_id)
        listener = stack.enter_context(progress.shown(quiet))
        extra: dict[str, Any] = {}
        if site is not None:
            from searchlog.site import open_site

            refresh = bool(given["no_cache"])
            place = stack.enter_context(open_site(session, site, settings, progress=listener, refresh=refresh))
            settings, extra = place.settings, {"registry_options": place.options}
        try:
            found = session.search(
                query, providers=asked or None, settings=settings, progress=listener, in_turn=in_turn, **extra
            )
        except ProviderError as error:
            stack.close()
            if len(error.attempts) > 1 and any(attempt["outcome"] != "offline" for attempt in error.attempts):
                told = (one["detail"] or f"{one['provider']}: {one['outcome']}" for one in error.attempts)
                for detail in dict.fromkeys(told):
                    out.say(detail, quiet)
            out.say(f"each attempt is kept: searchlog show {session.id} {error.fields.get('turn', '')}", quiet)
            raise
        stack.close()
        if as_json:
            out.json(search_json(opened, session, found))
        else:
            out.data(found.rendering)
        if not quiet:
            _report(opened, session, found)
    read = next(step for step in found.steps if step.name == "read")
    if found.outcome == "degraded" and not read.in_count:
        failed = ", ".join(dict.fromkeys(f"{run.provider}: {run.outcome}" for run in found.runs))
        out.error(f"nothing was found, and not by all who were asked ({failed})")
        return Exit.NO_PROVIDER
    return _exit_of(found)


_AS_GIVEN = (
    *("also", "focus", "count", "page", "pages"),
    *("language", "freshness", "after", "before", "safe", "provider_text", "scorer"),
)


def _asked(text: str, given: dict[str, Any]) -> tuple[Query, Settings]:
    """Return query and settings, checked before anything is stored."""
    from searchlog.flow.settings import split_options

    country = given["country"]
    web = {name: given[name] for name in ("allow_private", "ignore_robots", "max_age", "no_cache")}
    return split_options(
        text,
        None,
        {
            **{name: given[name] for name in _AS_GIVEN},
            "country": country.upper() if country else None,
            "budget_tokens": given["budget"],
            "include_domains": given["include_domain"],
            "exclude_domains": given["exclude_domain"],
            "deadline_s": given["deadline"],
            "soft_s": given["soft_deadline"],
            **options.cache_settings(**web),
        },
    )


def _names(providers: tuple[str, ...], site: str | None) -> list[str]:
    """Return whom to ask: `--site` asks the site, alone unless others are named."""
    if site is None and "site" in providers:
        raise click.UsageError("--provider site needs --site PATH-OR-URL")
    if site is not None and "://" not in site and not Path(site).is_dir():
        # told here, before a session is begun for it
        raise UsageError(f"no folder {site}: give a folder, or an address that begins with http:// or https://")
    return list(dict.fromkeys((*providers, *(("site",) if site is not None else ()))))


def _report(archive: Archive, session: Session, found: Search) -> None:
    """Say how it came about, where it is, and how to look at it."""
    from searchlog.cli import tell
    from searchlog.log.checkpoint import head_line
    from searchlog.view import turn_views

    view = options.turn_of(turn_views(session.records()), found.turn, session.id)
    load = session.ledger.load
    out.say()
    tell.runs(view, load, err=True)
    out.say()
    tell.funnel(view, err=True)
    tokens = sum(item.tokens for item in found.evidence)
    pages = len({item.source.url for item in found.evidence})
    private = _filtered(view).get("refused-address", 0)
    if private and not found.evidence:
        out.say(f"{private} pages are at private addresses: --allow-private HOST[:PORT] permits your own")
    out.say()
    out.say(f"{len(found.evidence)} passages of {pages} pages, {tokens} tokens, rendering {found.rendering_digest}")
    out.say(f"session {session.id} turn {found.turn}, stored in {archive.described}")
    out.say(head_line(found.head))
    if archive.resources.storage.folder is not None:
        out.say(f"look closer: searchlog show {session.id} {found.turn}")


def _filtered(view: TurnView) -> dict[str, int]:
    """Return how many candidates the filter of a search dropped, by reason."""
    return next((dict(step.reasons) for step in view.steps if step.step == "filter"), {})


def _exit_of(found: Search) -> Exit:
    if found.evidence:
        return Exit.OK
    # results there were, but no page of theirs could be read
    return Exit.PAGE if found.outcome == "degraded" else Exit.NOTHING
