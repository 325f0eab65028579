"""The providers of this package, in the order in which they are shown and asked. Pure."""

from __future__ import annotations

from searchlog.search.provider import Facts
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.duckduckgo import DuckDuckGo
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.site import Site
from searchlog.search.providers.tavily import Tavily
from searchlog.search.providers.wikipedia import Wikipedia
from searchlog.search.service import Service

__all__ = ["EXTRACTORS", "FACTS", "SERVICES"]

SERVICES: dict[str, type[Service]] = {
    made.FACTS.name: made
    for made in (
        # the web
        Tavily,
        Brave,
        DuckDuckGo,
        # less than the web
        Wikipedia,
    )
}
"""Those that are asked at a known address."""

FACTS: dict[str, Facts] = {
    facts.name: facts
    for facts in (Searxng.FACTS, *(made.FACTS for made in SERVICES.values()), Archive.FACTS, Site.FACTS)
}
"""What is known of each before anything is configured."""

_EXTRACTORS: tuple[type[Service], ...] = ()
EXTRACTORS: dict[str, type[Service]] = {made.FACTS.name: made for made in _EXTRACTORS}
"""Services that give the texts of pages one names: see `extractor`. By the name of the provider that runs them."""
