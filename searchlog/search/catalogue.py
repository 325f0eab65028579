"""The providers of this package, in the order in which they are shown and asked. Pure."""

from __future__ import annotations

from searchlog.search.provider import Facts
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.arxiv import Arxiv
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.brave_context import BraveContext
from searchlog.search.providers.commoncrawl import CommonCrawl
from searchlog.search.providers.crossref import Crossref
from searchlog.search.providers.duckduckgo import DuckDuckGo
from searchlog.search.providers.duckduckgo_lite import DuckDuckGoLite
from searchlog.search.providers.exa import Exa
from searchlog.search.providers.exa_contents import ExaContents
from searchlog.search.providers.firecrawl import Firecrawl
from searchlog.search.providers.firecrawl_scrape import FirecrawlScrape
from searchlog.search.providers.github import GitHub
from searchlog.search.providers.hackernews import HackerNews
from searchlog.search.providers.jina import Jina
from searchlog.search.providers.jina_reader import JinaReader
from searchlog.search.providers.kagi import Kagi
from searchlog.search.providers.linkup import Linkup
from searchlog.search.providers.marginalia import Marginalia
from searchlog.search.providers.mojeek import Mojeek
from searchlog.search.providers.openalex import OpenAlex
from searchlog.search.providers.parallel import Parallel
from searchlog.search.providers.parallel_extract import ParallelExtract
from searchlog.search.providers.perplexity import Perplexity
from searchlog.search.providers.pubmed import PubMed
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.semanticscholar import SemanticScholar
from searchlog.search.providers.serpapi import SerpApi
from searchlog.search.providers.serper import Serper
from searchlog.search.providers.site import Site
from searchlog.search.providers.stackexchange import StackExchange
from searchlog.search.providers.tavily import Tavily
from searchlog.search.providers.tavily_extract import TavilyExtract
from searchlog.search.providers.wayback import Wayback
from searchlog.search.providers.wikipedia import Wikipedia
from searchlog.search.providers.you import You
from searchlog.search.service import Service

__all__ = ["EXTRACTORS", "FACTS", "SERVICES"]

SERVICES: dict[str, type[Service]] = {
    made.FACTS.name: made
    for made in (
        # the web
        Tavily,
        Brave,
        Exa,
        Firecrawl,
        You,
        Parallel,
        Jina,
        Perplexity,
        Linkup,
        Kagi,
        Mojeek,
        Serper,
        SerpApi,
        BraveContext,
        DuckDuckGo,
        DuckDuckGoLite,
        # less than the web
        Marginalia,
        Wikipedia,
        HackerNews,
        StackExchange,
        GitHub,
        Arxiv,
        Crossref,
        OpenAlex,
        SemanticScholar,
        PubMed,
        Wayback,
        CommonCrawl,
    )
}
"""Those that are asked at a known address."""

FACTS: dict[str, Facts] = {
    facts.name: facts
    for facts in (Searxng.FACTS, *(made.FACTS for made in SERVICES.values()), Archive.FACTS, Site.FACTS)
}
"""What is known of each before anything is configured."""

_EXTRACTORS: tuple[type[Service], ...] = (TavilyExtract, ExaContents, FirecrawlScrape, JinaReader, ParallelExtract)
EXTRACTORS: dict[str, type[Service]] = {made.FACTS.name: made for made in _EXTRACTORS}
"""Services that give the texts of pages one names: see `extractor`. By the name of the provider that runs them."""
