"""A folder or a site of one's own, read into the archive on its first use, so that the `site` provider can search it.

    with open_site(session, "docs/") as site:
        session.search("retry policy", providers=["site"], registry_options=site.options, settings=site.settings)

A folder is served on loopback and read over HTTP, so it takes the same path as the web: captured, converted, logged.
Its port is derived from its path, so that its addresses stay the same from one use to the next. Files that changed
since they were read are read again. An address is crawled: links at or below it, breadth first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from searchlog.clock import parse_time
from searchlog.errors import StoreError, UsageError
from searchlog.flow.indexing import index_captures
from searchlog.flow.settings import Settings
from searchlog.search import registry
from searchlog.session import Page, Progress, Session
from searchlog.site_server import FolderSite

__all__ = ["OpenSite", "open_site"]

PAGES_MAX = 1000
"""Pages of one site that are read at most."""


@dataclass(frozen=True, slots=True)
class OpenSite:
    """A site that is ready to be searched, for as long as the block lasts."""

    prefix: str
    """Every page of it lies at or below this URL."""
    options: registry.Options
    settings: Settings
    """Those given, with leave to reach the site's own host."""
    read_count: int
    """Pages that were read now; the others were in the archive already."""


@contextmanager
def open_site(
    session: Session,
    place: str,
    settings: Settings | None = None,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
    refresh: bool = False,
) -> Iterator[OpenSite]:
    """Make a folder or an http(s) address ready to be searched.

    refresh: read every page again. Raises UsageError when there is no such folder or nothing in it to read.
    """
    chosen = settings or Settings()
    with ExitStack() as stack:
        if urlsplit(place).scheme in ("http", "https"):
            prefix = urldefrag(place).url
            chosen = replace(chosen, allow_private=(*chosen.allow_private, urlsplit(prefix).netloc))
            read = _crawl(session, prefix, chosen, progress, refresh)
        else:
            site = _serve(place)
            stack.callback(site.close)
            prefix = site.url
            chosen = replace(chosen, allow_private=(*chosen.allow_private, f"127.0.0.1:{site.port}"))
            read = _read_folder(session, site, chosen, progress, refresh)
        storage, index = session.resources.storage, session.resources.index
        index_captures(index, storage.log, storage.blobs)
        yield OpenSite(prefix, registry.Options(index=index, site_prefix=prefix), chosen, read)


def _serve(place: str) -> FolderSite:
    """Return the open site of a folder, at its own port when that is free."""
    folder = Path(place)
    if not folder.is_dir():
        raise UsageError(f"no folder {place}: give a folder, or an address that begins with http:// or https://")
    name = str(folder.resolve()).encode("utf-8", "surrogateescape")
    port = 20_000 + int.from_bytes(hashlib.sha256(name).digest()[:4], "big") % 20_000
    try:
        return FolderSite(folder, port).open()
    except StoreError:  # somebody else listens there
        return FolderSite(folder).open()


def _read_folder(
    session: Session, site: FolderSite, settings: Settings, progress: Callable[[Progress], None], refresh: bool
) -> int:
    storage, index = session.resources.storage, session.resources.index
    index_captures(index, storage.log, storage.blobs)
    urls = site.pages()
    if not urls:
        raise UsageError(f"nothing to read in {site.folder}: no HTML, Markdown, text or PDF files")
    if not refresh:
        urls = tuple(url for url in urls if _changed(site, url, index.captured_at(url)))
    return len(_index(session, list(urls)[:PAGES_MAX], settings, progress))


def _changed(site: FolderSite, url: str, captured_at: str | None) -> bool:
    path = site.locate(urlsplit(url).path)
    if captured_at is None or path is None:
        return True
    return path.stat().st_mtime > parse_time(captured_at).timestamp()


def _crawl(
    session: Session, prefix: str, settings: Settings, progress: Callable[[Progress], None], refresh: bool
) -> int:
    storage, index = session.resources.storage, session.resources.index
    index_captures(index, storage.log, storage.blobs)
    mark = f"site {prefix}"
    if index.known(mark) is not None and not refresh:
        return 0
    linked = replace(settings, convert=replace(settings.convert, links=True))
    seen, level = {prefix}, [prefix]
    while level:
        pages = _index(session, level, linked, progress)
        found = [link for page in pages for link in _links(session, page) if _below(link, prefix)]
        level = [link for link in dict.fromkeys(found) if link not in seen][: PAGES_MAX - len(seen)]
        seen.update(level)
    index.mark(mark, 0)
    return len(seen)


def _index(session: Session, urls: list[str], settings: Settings, progress: Callable[[Progress], None]) -> list[Page]:
    if not urls:
        return []
    return session.fetch_many(urls, settings=settings, progress=progress, purpose="index")


def _links(session: Session, page: Page) -> Iterator[str]:
    if page.reason is None:
        for link in session.conversion(page).links:
            yield urldefrag(link).url


def _below(url: str, prefix: str) -> bool:
    """Return whether a URL lies at or below the prefix, at a boundary of its path."""
    base = prefix if prefix.endswith("/") else prefix.rsplit("/", 1)[0] + "/"
    if urlsplit(prefix).path in ("", "/"):
        base = f"{urlsplit(prefix).scheme}://{urlsplit(prefix).netloc}/"
    return url.startswith(base)
