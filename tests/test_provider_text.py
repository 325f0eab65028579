"""Texts of pages that providers give: evidence only by choice, labelled, never a capture, from stored bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from searchlog.errors import UsageError
from searchlog.ledger import Record
from searchlog.records import Capture, Conversion, Evidence, ProviderExchange, Run, Turn
from searchlog.replay import replay
from searchlog.search import registry
from searchlog.session import Page, Search, Session
from searchlog.verify.derivation import verify_passages
from searchlog.verify.store import verify_session
from tests.searches import JSON, bodies, check_clean, html, opened, reasons
from tests.sites import Site, serve

GIVEN = "# Tide mills\n\nThe tide mill of the provider stores the flood.\n"
OWN = "The tide mill of the page stores the flood in a pond."


@pytest.fixture
def site() -> Iterator[Site]:
    own = (200, {"Content-Type": "text/html"}, html(OWN, "Mill"))
    with serve({"/mill": own, "/robots.txt": (404, {}, ""), "/gone": (410, {}, "")}) as made:
        results = [
            {"url": made.url + "/mill", "title": "Mill", "content": "tide", "raw_content": GIVEN},
            {"url": made.url + "/gone", "title": "Gone", "content": "tide", "raw_content": GIVEN.replace("of", "at")},
            {"url": made.url + "/away", "title": "Away", "content": "tide"},
        ]
        made.pages["/t/search"] = (200, JSON, json.dumps({"results": results}))
        yield made


def options(site: Site) -> dict[str, Any]:
    endpoints = registry.Options(endpoints={"tavily": f"{site.url}/t"})
    return {"registry_options": endpoints, "allow_private": ("127.0.0.1",)}


def search(session: Session, site: Site, choice: str) -> Search:
    return session.search("tide mill", providers=["tavily"], provider_text=choice, **options(site))


def kinds(made: Search) -> set[tuple[str, str]]:
    return {(item.source.url.rpartition("/")[2], item.source.kind) for item in made.evidence}


def test_it_is_neither_asked_for_nor_used_unless_chosen(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "never")
        assert kinds(made) == {("mill", "page")}
        (hit,) = (hit for hit in site.hits if hit.target == "/t/search")
        assert json.loads(hit.body)["include_raw_content"] is False


def test_as_a_fallback_it_stands_in_where_the_page_gave_no_text(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "fallback")
        assert kinds(made) == {("mill", "page"), ("gone", "provider-text")}
        assert reasons(session) == {"/mill": "kept", "/gone": "kept", "/away": "http-404"}
        (read,) = (step for step in made.steps if step.name == "read")
        assert read.decisions[1].numbers["page"] == "http-410"
        assert read.decisions[1].numbers["text_by"] == "tavily"
        check_clean(session)
        assert replay(session.ledger, made.turn, archive.resources.pool).equal


def test_preferred_it_is_taken_and_the_page_is_not_even_fetched(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "prefer")
        assert kinds(made) == {("mill", "provider-text"), ("gone", "provider-text")}
        assert {hit.target for hit in site.hits} == {"/t/search", "/robots.txt", "/away"}
        assert [capture.url for capture in bodies(session, Capture) if capture.purpose == "page"] == [
            site.url + "/away"
        ]
        check_clean(session)
        again = replay(session.ledger, made.turn, archive.resources.pool)
        assert again.equal
        assert again.differences == []


def test_evidence_of_it_says_so_and_rests_on_the_stored_bytes_of_the_answer(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "prefer")
        item = bodies(session, Evidence)[0]
        (run,) = bodies(session, Run)
        (exchange,) = bodies(session, ProviderExchange)
        blob = run.results[0]["text"]["blob"]
        assert (item.source_kind, item.payload, item.captured_at) == ("provider-text", blob, run.answered_at)
        assert session.ledger.blobs.get(blob) == GIVEN.encode()
        assert GIVEN in json.loads(session.ledger.blobs.get(exchange.payload.blob))["results"][0]["raw_content"]
        assert run.answered_at == exchange.exchange["started_at"]
        assert "provider-text from the search provider, not the page itself" in made.rendering
        assert [ref.blob for ref in run.texts] == [result["text"]["blob"] for result in run.results[:2]]


def test_it_is_not_found_in_the_archive_later(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        session = archive.session()
        search(session, site, "prefer")
        made = session.search("tide mill provider", providers=["archive"])
        assert made.outcome == "empty"


def test_text_passed_off_as_a_page_or_as_another_providers_is_found(site: Site) -> None:
    """Evidence of a provider's text that calls itself a page, or names bytes that no answer held, is a finding."""
    from searchlog.log.envelope import decode, encode

    with opened() as archive:
        session = archive.session()
        search(session, site, "prefer")
        log = session.resources.storage.log
        (record,) = [r for r in session.records() if isinstance(r.body, Evidence) and r.body.id == "e1"]
        assert isinstance(record, Record)
        for change in ({"source_kind": "page"}, {"captured_at": "2026-01-01T00:00:00.000000Z"}):
            line = log.get(session.id, record.seq, record.seq + 1)[0].line
            assert line is not None
            envelope = decode(line)
            forged = encode(envelope.__class__(**{**_fields(envelope), "body": {**envelope.body, **change}}))
            found = _with_line(session, record.seq, forged)
            assert "evidence-differs" in found


def _fields(envelope: Any) -> dict[str, Any]:
    from dataclasses import fields

    return {f.name: getattr(envelope, f.name) for f in fields(envelope)}


def _with_line(session: Session, seq: int, line: bytes) -> set[str]:
    """Return the findings of the session with one line exchanged."""
    from searchlog.log.store.memory import MemoryLogStore

    storage = session.resources.storage
    lines = [item.line for item in storage.log.get(session.id)]
    lines[seq] = line
    log = MemoryLogStore()
    log.append(session.id, [item for item in lines if item is not None], 0)
    return {finding.code for finding in verify_session(log, storage.blobs, session.id).findings}


def test_changed_text_of_a_provider_is_found(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        session = archive.session()
        search(session, site, "prefer")
        blob = bodies(session, Run)[0].results[0]["text"]["blob"].removeprefix("sha256:")
        path = tmp_path / "blobs" / "sha256" / blob[:2] / blob
        path.chmod(0o600)
        path.write_bytes(GIVEN.replace("flood", "blood").encode())
        storage = session.resources.storage
        codes = {finding.code for finding in verify_session(storage.log, storage.blobs, session.id).findings}
        assert "blob-altered" in codes
        assert verify_passages(session.ledger, archive.resources.pool).not_checked


# --- fetch through a provider


def extract(site: Site, answer: dict[str, Any], status: int = 200) -> None:
    site.pages["/t/extract"] = (status, JSON, json.dumps(answer))


def texts(session: Session, site: Site, *paths: str) -> list[Page]:
    return session.provider_texts([site.url + path for path in paths], "tavily", **options(site))


def test_texts_asked_for_by_address_are_kept_with_their_label_and_each_failure(site: Site) -> None:
    extract(
        site,
        {
            "results": [{"url": site.url + "/mill", "raw_content": GIVEN}],
            "failed_results": [{"url": site.url + "/gone", "error": "not found"}],
        },
    )
    with opened() as archive:
        session = archive.session()
        mill, gone = texts(session, site, "/mill", "/gone")
        assert (mill.kind, mill.reason, mill.capture) == ("provider-text", None, None)
        assert session.text(mill) == GIVEN
        assert gone.reason is not None
        assert gone.kind == "provider-text"
        assert bodies(session, Capture) == []
        assert [turn.outcome for turn in bodies(session, Turn)] == [None, "partial"]
        (conversion,) = bodies(session, Conversion)
        assert conversion.payload == mill.payload
        assert site.paths == ["/t/extract"]
        check_clean(session)


@pytest.mark.parametrize(
    ("status", "answer", "reason"),
    [
        (401, {"detail": {"error": "no"}}, "auth"),
        (432, {"detail": {"error": "plan"}}, "quota"),
        (429, {"detail": {"error": "slow"}}, "rate_limited"),
        (500, {}, "unavailable"),
        (200, {"nothing": 1}, "parse_error"),
    ],
)
def test_what_went_wrong_is_the_reason_of_each_page(
    site: Site, status: int, answer: dict[str, Any], reason: str
) -> None:
    extract(site, answer, status)
    with opened() as archive:
        session = archive.session()
        pages = texts(session, site, "/mill", "/gone")
        assert [page.reason for page in pages] == [reason, reason]
        assert bodies(session, Turn)[-1].outcome == "failed"
        check_clean(session)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://a.example/?access_token=0123456789abcdef", "refused-credentials"),
        ("https://me:hunter2@a.example/", "refused-credentials"),
        ("http://192.168.1.1/", "refused-address"),
        ("ftp://a.example/", "refused-scheme"),
        ("nonsense", "refused-scheme"),
    ],
)
def test_an_address_that_is_nobodys_business_is_told_to_nobody(site: Site, url: str, reason: str) -> None:
    extract(site, {"results": []})
    with opened() as archive:
        session = archive.session()
        refused, asked = session.provider_texts([url, site.url + "/mill"], "tavily", **options(site))
        assert (refused.outcome, refused.reason) == ("refused", reason)
        assert asked.reason == "not-in-answer"
        assert [hit.body.decode() for hit in site.hits if url in hit.body.decode()] == []
        assert all(url not in line.line.decode() for line in session.ledger.log.get(session.id) if line.line)


def test_a_provider_that_gives_no_texts_says_which_do() -> None:
    with opened() as archive, pytest.raises(UsageError, match="those that do: tavily"):
        archive.session().provider_texts(["https://a.example/"], "wikipedia")


def test_many_addresses_are_asked_for_in_as_few_requests_as_it_takes(site: Site) -> None:
    extract(site, {"results": []})
    with opened() as archive:
        session = archive.session()
        pages = texts(session, site, *(f"/{number}" for number in range(45)))
        assert len(pages) == 45
        assert [page.reason for page in pages] == ["not-in-answer"] * 45
        assert site.paths == ["/t/extract"] * 3
