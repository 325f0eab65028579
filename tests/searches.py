"""Searches over loopback for the tests of the joining parts: a site, a scripted SearXNG answer, an archive.

with serve(pages) as site, opened(tmp_path) as archive:
    search = ask(archive.session(), site, "tide mill", ["/a", "/b"])
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from searchlog.archive import Archive, open_archive
from searchlog.errors import SearchlogError
from searchlog.extract.pool import InProcess
from searchlog.records import Decision
from searchlog.search import registry
from searchlog.search.provider import Facts
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.session import Search, Session
from searchlog.verify.derivation import verify_passages
from searchlog.verify.finding import Finding
from searchlog.verify.store import verify_session
from tests.sites import Answer, Site

HTML = {"Content-Type": "text/html; charset=utf-8"}
FRESH = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "max-age=600"}
JSON = {"Content-Type": "application/json"}
TEXTS = {
    "/mill": "The tide mill stores the flood in a pond. Its gate shuts at high water by itself.",
    "/gate": "A sluice gate of the tide mill is hung so that the ebb closes it. No keeper is needed.",
    "/pond": "The pond of a tide mill silts up. Every spring the mud is flushed out at low water.",
    "/wheel": "An undershot wheel turns for six hours a tide, so the miller works by the moon.",
}


@contextmanager
def opened(location: Path | str = "memory:", *, in_process: bool = True, **options: Any) -> Iterator[Archive]:
    """Open an archive that asks nobody unless told; pages are converted in this process, without start-up cost."""
    with open_archive(location, env={}, **options) as archive:
        if in_process:
            archive.resources._pool = InProcess()  # type: ignore[assignment]
        yield archive


class Free:
    """A door that is open: everybody may be asked, and nothing is kept."""

    def skips(self, wanted: Sequence[Facts], query: Query, *, named: bool) -> dict[str, Run]:
        return {}

    def reserve(self, facts: Facts, query: Query, within_s: float) -> Run | float:
        return 0.0

    def note(self, facts: Facts, run: Run) -> None:
        pass


def html(text: str, title: str = "", head: str = "") -> str:
    """Return a page of one paragraph."""
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><p>{text}</p></body></html>"


def pages(texts: Mapping[str, str] = TEXTS, headers: Mapping[str, str] = HTML) -> dict[str, Answer]:
    """Return answers for these texts, and a robots.txt that allows all."""
    served: dict[str, Answer] = {path: (200, headers, html(text, path[1:])) for path, text in texts.items()}
    return served | {"/robots.txt": (404, {"Content-Type": "text/plain"}, "")}


def answer(urls: Sequence[str | Mapping[str, Any]]) -> Answer:
    """Return a SearXNG answer with these results."""
    results = [{"url": url, "title": f"Result {n}"} if isinstance(url, str) else url for n, url in enumerate(urls, 1)]
    return 200, JSON, json.dumps({"results": results})


def found(site: Site, places: Sequence[str | Mapping[str, Any]]) -> None:
    """Let the site's search find these paths or URLs."""
    site.pages["/search"] = answer([place if isinstance(place, Mapping) else whole(site, place) for place in places])


def whole(site: Site, place: str) -> str:
    """Return the URL of a path; a URL as it is."""
    return site.url + place if place.startswith("/") else place


def ask(
    session: Session,
    site: Site,
    query: str = "tide mill",
    places: Sequence[str | Mapping[str, Any]] | None = None,
    **options: Any,
) -> Search:
    """Search through the site's scripted SearXNG."""
    if places is not None:
        found(site, places)
    options.setdefault("allow_private", ("127.0.0.1",))
    options.setdefault("providers", ["searxng"])
    endpoints = registry.Options(endpoints={"searxng": site.url})
    return session.search(query, registry_options=endpoints, **options)


def bodies(session: Session, kind: type, turn: int | None = None) -> list[Any]:
    """Return the bodies of one kind, of all turns or one."""
    return [
        record.body
        for record in session.records()
        if isinstance(record.body, kind) and (turn is None or record.envelope.turn == turn)
    ]


def reasons(session: Session, step: str = "read", turn: int | None = None) -> dict[str, str]:
    """Return what a step of the last search (or that of a turn) decided, by the path or URL it is about."""
    last = [body for body in bodies(session, Decision, turn) if body.step == step][-1]
    return {short(item["subject"]): item["reason"] for item in session.ledger.load(last.items)}


def short(url: str) -> str:
    """Return the path of a loopback URL; another URL as it is."""
    head, _, path = url.removeprefix("http://").partition("/")
    return "/" + path if head.startswith("127.0.0.1:") else url


def check_counts(search: Search) -> None:
    """Assert that in = kept + dropped at every step, and that each step takes in what the one before kept."""
    for step in search.steps:
        assert step.in_count == step.kept_count + step.dropped_count, step
        assert step.dropped_count == sum(not decision.kept for decision in step.decisions), step
    by_name = {step.name: step for step in search.steps}
    assert list(by_name) == [*PAGE_STEPS, *PASSAGE_STEPS]
    for chain in (PAGE_STEPS, PASSAGE_STEPS):
        for before, after in pairwise(chain):
            assert by_name[after].in_count == by_name[before].kept_count, (before, after)
    assert by_name["budget"].kept_count == len(search.evidence)
    assert by_name["parse"].kept_count == sum(len(run.results) for run in search.runs)


PAGE_STEPS = ("parse", "fuse", "filter", "read", "sources")
PASSAGE_STEPS = ("visible", "match", "rank", "distinct", "budget")


def findings(session: Session, **options: Any) -> list[Finding]:
    """Return what both axes of verification find."""
    storage = session.resources.storage
    store = verify_session(storage.log, storage.blobs, session.id, **options)
    return store.findings + verify_passages(session.ledger, session.resources.pool).findings


def check_clean(session: Session) -> None:
    """Assert that nothing is found, and that something was looked at."""
    storage = session.resources.storage
    report = verify_session(storage.log, storage.blobs, session.id)
    assert report.findings == []
    assert report.outcome == "verified"
    assert verify_passages(session.ledger, session.resources.pool).findings == []


def no_network(*_: object, **__: object) -> None:
    """Stands for `socket.socket.connect` where nothing may be asked."""
    raise AssertionError("the network was used")


class Told(SearchlogError):
    """Raised by tests in the middle of a search."""
