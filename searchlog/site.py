"""A folder or a site of one's own, read into the archive on its first use, so that the `site` provider can search it.

    import searchlog

    with searchlog.open() as archive:
        session = archive.session()
        with searchlog.open_site(session, "docs/") as site:
            found = session.search(
                "retry policy", providers="site", registry_options=site.options, settings=site.settings
            )
        print(found.rendering)

A folder is served on loopback and read over HTTP, so it takes the same path as the web: captured, converted, logged.
Its port is derived from its path, so that its addresses stay the same from one use to the next. Files that changed
since they were read are read again, and those that are gone are no longer found. An address is crawled: links at or
below it, breadth first.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from searchlog.capture.guard import Refusal, check_url
from searchlog.checks import expect
from searchlog.errors import StoreError, UsageError
from searchlog.flow.indexing import index_captures
from searchlog.flow.settings import Settings, split_options
from searchlog.search import registry
from searchlog.search.textindex import TextIndex
from searchlog.session import Page, Progress, Session
from searchlog.site_server import FolderSite

__all__ = ["OpenSite", "open_site"]

PAGES_MAX = 1000
"""Pages of one site that are read at most, at one time."""

_PORTS = range(20_000, 40_000)
_GONE = ("http-404", "http-410")

Listener = Callable[[Progress], None]


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
    place: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    progress: Listener = lambda _: None,
    refresh: bool = False,
) -> Iterator[OpenSite]:
    """Make a folder or an http(s) address ready to be searched, for as long as the block lasts.

        with open_site(session, "docs/") as site:
            session.search("retry policy", providers="site", registry_options=site.options, settings=site.settings)

    refresh: read every page again. progress: hears of each page read, of files left aside, and of a port that somebody
    else holds. Raises UsageError when there is no such folder or nothing in it to read, StoreError.
    """
    expect("session", session, Session)
    expect("place", place, str | os.PathLike)
    _, chosen = split_options("site", settings, {})
    place = os.fsdecode(place)
    with ExitStack() as stack:
        index = _up_to_date(session)
        if place.lower().startswith(("http://", "https://")):
            prefix = _address(place)
            chosen = replace(chosen, allow_private=(*chosen.allow_private, urlsplit(prefix).netloc))
            read = _crawl(session, prefix, chosen, progress, refresh)
        else:
            folder = _Folder.open(place, index, progress)
            stack.callback(folder.site.close)
            prefix = folder.site.url
            chosen = replace(chosen, allow_private=(*chosen.allow_private, f"127.0.0.1:{folder.site.port}"))
            read = folder.read(session, chosen, refresh)
        yield OpenSite(prefix, registry.Options(index=_up_to_date(session), site_prefix=prefix), chosen, read)


def _address(place: str) -> str:
    """Return an address without its fragment. Raises UsageError for one that cannot be asked."""
    target = check_url(place)
    if isinstance(target, Refusal):
        raise UsageError(f"cannot read {place}: {target.detail}")
    return urldefrag(place).url


def _up_to_date(session: Session) -> TextIndex:
    storage, index = session.resources.storage, session.resources.index
    index_captures(index, storage.log, storage.blobs)
    return index


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is served, and what the index says of it.

    The index notes under the site's address which folder it was last, since one port may serve several in turn; and
    under each page's address the file's state when it was read, since a page without text leaves no other trace.
    """

    site: FolderSite
    owner: str
    """Stands for the folder's path."""
    index: TextIndex
    progress: Listener

    @classmethod
    def open(cls, place: str, index: TextIndex, progress: Listener) -> _Folder:
        """Return the folder, served at the port where it was last, else at the first free one of its own."""
        path = Path(place)
        if "\0" in place or not path.is_dir():
            raise UsageError(f"no folder {place}: give a folder, or an address that begins with http:// or https://")
        key = hashlib.sha256(os.fsencode(path.resolve()))
        owner, own = key.hexdigest()[:32], _ports(key.digest())
        # a stable sort: where it was read before comes first, so that nothing is read again
        ports = sorted(own, key=lambda port: index.noted(f"http://127.0.0.1:{port}") != owner)
        for port in (*ports, 0):
            try:
                site = FolderSite(path, port).open()
            except StoreError:  # somebody else listens there
                continue
            if port != ports[0]:
                said = "one of its own" if port else f"any, since all {len(ports)} of its own are"
                text = f"{place}: port {ports[0]} is busy, served at port {site.port}, {said}"
                progress(Progress("index", text))
            return cls(site, owner, index, progress)
        raise StoreError(f"cannot serve {place}: no port of 127.0.0.1 is free")

    def read(self, session: Session, settings: Settings, refresh: bool) -> int:
        """Read what is new or changed, forget what is gone; return how many pages were read."""
        survey, site, index = self.site.survey(), self.site, self.index
        if survey.left_aside:
            count = sum(survey.left_aside.values())
            kinds = ", ".join(f"{number} {kind}" for kind, number in survey.left_aside.items())
            self.progress(Progress("index", f"{count} files left aside: {kinds}"))
        held = index.urls(site.url)
        if index.noted(site.url) != self.owner:
            index.forget(held)  # pages of another folder that was served here
            index.note({site.url: self.owner})
        index.forget(url for url in held if site.locate(urlsplit(url).path) is None)
        if not survey.pages:
            raise UsageError(f"nothing to read in {site.folder}: no HTML, Markdown, text or PDF files")
        states = {url: self._state(url) for url in survey.pages}
        wanted = [url for url, state in states.items() if refresh or not self._is_read(url, state)]
        if len(wanted) > PAGES_MAX:
            more = f"{len(wanted)} pages to read, of which {PAGES_MAX} are read now: open the folder again for the rest"
            self.progress(Progress("index", more))
        # what an HTTP cache holds of a file is older than the state that is noted here
        pages = _index(session, wanted[:PAGES_MAX], replace(settings, cache_max_age_s=0), self.progress)
        done = [page for page in pages if page.reason is None or page.reason.startswith("no-text")]
        index.note({page.asked: f"{states[page.asked]} {_kind(page)}" for page in done})
        return len(pages)

    def _state(self, url: str) -> str:
        """Return what changes when a file changes."""
        path = self.site.locate(urlsplit(url).path)
        try:
            facts = path.stat() if path is not None else None
        except OSError:
            facts = None
        return f"{self.owner} {facts.st_mtime_ns} {facts.st_size}" if facts else f"{self.owner} gone"

    def _is_read(self, url: str, state: str) -> bool:
        noted = self.index.noted(url)
        if noted == f"{state} text":
            return self.index.captured_at(url) is not None  # unless its session was removed from the index
        return noted == f"{state} none"


def _kind(page: Page) -> str:
    return "text" if page.reason is None else "none"


def _ports(key: bytes) -> list[int]:
    """Return the ports of a folder, in the order in which they are tried."""
    numbers = (int.from_bytes(key[at : at + 4], "big") for at in range(0, len(key), 4))
    return list(dict.fromkeys(_PORTS[number % len(_PORTS)] for number in numbers))


def _crawl(session: Session, prefix: str, settings: Settings, progress: Listener, refresh: bool) -> int:
    """Read an address and what it leads to, once; return how many pages were read."""
    index, mark = session.resources.index, f"site {prefix}"
    if index.known(mark) is not None and not refresh:
        return 0
    linked = replace(settings, convert=replace(settings.convert, links=True))
    if refresh:
        linked = replace(linked, cache_max_age_s=0)
    seen, level = {prefix}, [prefix]
    while level:
        pages = _index(session, level, linked, progress)
        found = [link for page in pages for link in _links(session, page) if _below(link, prefix)]
        new = [link for link in dict.fromkeys(found) if link not in seen]
        level = new[: PAGES_MAX - len(seen)]
        if len(new) > len(level):
            progress(Progress("index", f"{len(new) - len(level)} links left unread: {PAGES_MAX} pages is the most"))
        seen.update(level)
    index.mark(mark, 0)
    return len(seen)


def _index(session: Session, urls: list[str], settings: Settings, progress: Listener) -> list[Page]:
    """Read these pages; what was found under their addresses before is forgotten where that is gone or has no text."""
    if not urls:
        return []
    pages = session.fetch_many(urls, settings=settings, progress=progress, purpose="index")
    gone = [page for page in pages if page.reason in _GONE or (page.reason or "").startswith("no-text")]
    session.resources.index.forget(url for page in gone for url in {page.asked, page.url})
    return pages


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
