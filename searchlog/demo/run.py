"""The demo: real searches over real HTTP against the demo site, with no key and no network.

Nothing here is staged: the searches go through the same code, the same guard and the same log as those of the web. Only
the server is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from searchlog.demo.manifest import DemoQuery
from searchlog.demo.server import DemoSite
from searchlog.flow.settings import Settings
from searchlog.search import registry
from searchlog.session import Progress, Search, Session

__all__ = ["Part", "run_demo"]

_BUDGET_TOKENS = 300


@dataclass(frozen=True, slots=True)
class Part:
    """One search of the demo, as it ended."""

    title: str
    """What it shows."""
    provider: str
    search: Search
    answer: str
    """Stands word for word on a page of the site."""
    answered_by: tuple[str, ...]
    """Ids of the evidence that holds the answer."""


def run_demo(
    session: Session, *, port: int = 0, progress: Callable[[Progress], None] = lambda _: None
) -> Iterator[Part]:
    """Yield each search of the demo as it ends. The site is open until the iterator is at its end or closed.

    Raises StoreError when no port can be had.
    """
    with DemoSite(port) as site:
        settings = Settings(budget_tokens=_BUDGET_TOKENS, allow_private=(f"127.0.0.1:{site.port}",))
        web = registry.Options(endpoints={"searxng": site.search_url})
        by_path = {query.path: query for query in reversed(site.queries)}
        for title, path in (
            ("A search service is asked, and the pages it names are read", "/en/fresnel-lens.html"),
            ("A query in a script without spaces between words", "/zh/dengta.html"),
        ):
            yield _part(
                session, title, "searxng", by_path[path], settings=settings, registry_options=web, progress=progress
            )
        yield from _own(session, site, settings, by_path, progress)


def _own(
    session: Session,
    site: DemoSite,
    settings: Settings,
    by_path: dict[str, DemoQuery],
    progress: Callable[[Progress], None],
) -> Iterator[Part]:
    """Yield the searches that no search service is needed for."""
    from searchlog.site import open_site

    # refresh: the pages that the searches above have read are not the whole site
    with open_site(session, site.url, settings, progress=progress, refresh=True) as own:
        yield _part(
            session,
            "A whole site is read, indexed here and searched, with no search service",
            "site",
            by_path["/en/eddystone.html"],
            settings=own.settings,
            registry_options=own.options,
            progress=progress,
        )
    yield _part(
        session,
        "Pages captured before are searched again, and nothing is fetched",
        "archive",
        by_path["/en/table.html"],
        settings=settings,
        progress=progress,
    )


def _part(session: Session, title: str, provider: str, asked: DemoQuery, **options: Any) -> Part:
    search = session.search(asked.query, providers=[provider], **options)
    wanted = _squeezed(asked.answer)
    holders = tuple(item.id for item in search.evidence if wanted in _squeezed(item.text))
    return Part(title, provider, search, asked.answer, holders)


def _squeezed(text: str) -> str:
    """Return the text without whitespace, which differs between a page's source and its text."""
    return "".join(text.split())
