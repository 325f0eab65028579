"""One session: searches and fetches from the query to the evidence, and everything that goes wrong on the way."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from searchlog import records
from searchlog.capture.exchange import Limits
from searchlog.digest import digest, text_digest
from searchlog.errors import FormatError, ProviderError, UsageError
from searchlog.flow.settings import Settings
from searchlog.records import BlobRef, Capture, Conversion, Decision, Evidence, Query, Rendering, Run, Turn
from searchlog.search.query import Query as Asked
from searchlog.search.run import Result, RunOutcome
from searchlog.search.run import Run as RunValue
from searchlog.search.whom import keyless_order
from searchlog.session import Progress, Session
from searchlog.verify.derivation import verify_passages
from tests.searches import (
    FRESH,
    HTML,
    TEXTS,
    ask,
    bodies,
    check_clean,
    check_counts,
    findings,
    html,
    no_network,
    opened,
    pages,
    reasons,
    short,
    whole,
)
from tests.sites import serve

PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


# --- a search


def test_search_keeps_everything_from_query_to_rendering(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path) as archive:
        session = archive.session(title="mills")
        search = ask(session, site, places=list(TEXTS))
        kinds = [record.kind for record in session.records()]
        assert kinds == [
            "session", "turn", "query", "provider-exchange", "run", "decision", "decision", "decision",
            *kinds[8:-9 - len(search.evidence)],
            *["decision"] * 6, "selection", *["evidence"] * len(search.evidence), "rendering", "turn",
        ]  # fmt: skip
        assert set(kinds[8 : -9 - len(search.evidence)]) == {"capture", "conversion", "decision"}
        assert search.outcome is RunOutcome.OK
        assert len(search.evidence) >= 3
        check_counts(search)
        assert (search.head.size, search.head) == (len(kinds), session.head)
        check_clean(session)


def test_records_of_a_search_follow_from_one_another():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        found = {record.seq: record for record in session.records()}
        follows = {
            "query": {"turn"},
            "provider-exchange": {"query"},
            "run": {"provider-exchange"},
            "capture": {"query", "capture"},
            "conversion": {"capture"},
            "selection": {"decision"},
            "evidence": {"conversion", "selection"},
            "rendering": {"selection", "evidence"},
        }
        for record in found.values():
            causes = {found[cause].kind for cause in record.envelope.causes}
            assert causes <= follows.get(record.kind, {"turn", "query", "conversion"}), record
            assert causes or record.kind in ("session", "turn")
            assert record.kind == "session" or record.envelope.turn == 1


def test_evidence_is_a_slice_of_stored_text_of_a_stored_payload():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=list(TEXTS))
        blobs = session.ledger.blobs
        for item in bodies(session, Evidence):
            text = blobs.get(item.text).decode()
            assert text[item.start : item.end] == session.ledger.load(item.exact)
            assert item.digest == text_digest(text[item.start : item.end])
            assert text[: item.start].endswith(item.prefix)
            assert text[item.end :].startswith(item.suffix)
            assert site.pages[short(item.url)][2].encode() == blobs.get(item.payload)
            assert item.captured_at == next(c.captured_at for c in bodies(session, Capture) if c.url == item.url)
        assert [item.id for item in search.evidence] == [item.id for item in bodies(session, Evidence)]


def test_rendering_is_stored_byte_for_byte():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=list(TEXTS))
        (rendering,) = bodies(session, Rendering)
        assert session.ledger.blobs.get(rendering.text.blob) == search.rendering.encode()
        assert rendering.text.blob == search.rendering_digest == text_digest(search.rendering)
        assert rendering.evidence == [item.id for item in search.evidence]
        for item in search.evidence:
            assert item.id in search.rendering
            assert item.text in search.rendering


def test_settings_and_query_are_recorded_and_come_back():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, Asked("tide mill", count=7, language="en"), ["/mill"], pages=3, budget_tokens=500)
        (query,) = bodies(session, Query)
        assert (query.text, query.options) == ("tide mill", {"count": 7, "page": 1, "language": "en"})
        assert (query.providers, query.mode) == (["searxng"], "fuse")
        settings = Settings.from_json(query.policy)
        assert (settings.pages, settings.budget_tokens, settings.allow_private) == (3, 500, ("127.0.0.1",))


def test_option_that_nobody_has_is_refused_before_a_turn_begins():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        for options in ({"colour": "red"}, {"count": 0}, {"count": 51}):
            with pytest.raises(UsageError):
                ask(session, site, places=[], **options)
        with pytest.raises(UsageError):
            ask(session, site, "  ", [])
        assert [record.kind for record in session.records()] == ["session"]


def test_progress_tells_each_stage():
    with serve(pages()) as site, opened() as archive:
        told: list[Progress] = []
        ask(archive.session(), site, places=["/mill", "/absent"], progress=told.append)
        assert [item.stage for item in told] == ["ask", "read", "read", "choose"]
        assert [(item.done, item.total) for item in told[1:3]] == [(1, 2), (2, 2)]
        assert any("http-404" in item.text for item in told)


# --- pages that fail


def hosts_that_fail(site) -> dict[str, str]:
    """Return places that give no text, and the reason in the read step."""
    site.pages |= {
        "/robots.txt": (200, PLAIN, "User-agent: *\nDisallow: /private/\n"),
        "/private/a": (200, HTML, html("tide mill")),
        "/gone": (410, HTML, html("tide mill")),
        "/empty": (200, HTML, ""),
        "/script": (200, HTML, "<script>tide()</script>"),
        "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(64)),
        "/loop": (302, {"Location": "/loop"}, ""),
        "/away": (302, {"Location": "http://10.0.0.1/"}, ""),
        "/bad": (302, {"Location": "file:///etc/passwd"}, ""),
    }
    return {
        "/absent": "http-404",
        "/gone": "http-410",
        "/private/a": "refused-robots",
        "/empty": "no-text",
        "/script": "no-text",
        "/image": "no-text-unsupported-type",
        "/loop": "failed-redirect-limit",
        "/away": "refused-address",
        "/bad": "refused-scheme",
        "/reset": "failed-disconnect",
        "/hang": "failed-timeout",
    }


def test_each_way_to_fail_is_told_apart_and_costs_no_other_page():
    with serve(pages(), hang={"/hang"}, reset={"/reset"}) as site, opened() as archive:
        session = archive.session()
        wanted = hosts_that_fail(site)
        places = [*wanted, "http://10.1.2.3/", "http://0x7f000001/", "http://localhost/", *TEXTS]
        search = ask(session, site, places=places, pages=50, count=50, limits=Limits(idle_s=0.4, total_s=3))
        refused = {place: reason for place, reason in reasons(session, "filter").items() if reason != "kept"}
        assert set(refused) == {"http://10.1.2.3/", "http://0x7f000001/", "http://localhost/"}
        assert all(reason.startswith("refused-") for reason in refused.values())
        assert reasons(session) == wanted | dict.fromkeys(TEXTS, "kept")
        check_counts(search)
        assert {short(item.source.url) for item in search.evidence} >= {"/mill", "/gate", "/pond"}
        check_clean(session)


def test_page_whose_body_ends_early_gives_the_text_that_came():
    with serve(pages(), reset={"/half"}) as site, opened() as archive:
        site.pages["/half"] = (200, HTML, "<p>tide mill half. " + "x" * 4000)
        session = archive.session()
        ask(session, site, places=["/half", "/mill"])
        (half,) = [body for body in bodies(session, Capture) if short(body.url) == "/half"]
        assert (half.outcome, half.reason, half.payload.bytes) == ("truncated", "disconnect", 2009)
        assert reasons(session)["/half"] == "kept"
        check_clean(session)


def test_soft_deadline_brings_the_good_pages_while_others_hang_drip_and_fail():
    texts = {f"/good{n}": f"Tide mill number {n}: the pond of mill {n} holds {n + 2} hours of ebb." for n in range(7)}
    with serve(pages(texts), hang={"/hang"}, drip={"/drip": 0.05}, reset={"/fail"}) as site, opened() as archive:
        site.pages["/drip"] = (200, HTML, html("tide mill " * 400))
        session = archive.session()
        begin = time.monotonic()
        search = ask(session, site, places=["/hang", "/drip", "/fail", *texts], pages=10, soft_s=0.4)
        assert time.monotonic() - begin < 3
        assert {short(item.source.url) for item in search.evidence} == set(texts)
        assert reasons(session) == dict.fromkeys(texts, "kept") | {
            "/hang": "cut-deadline",
            "/drip": "cut-deadline",
            "/fail": "failed-disconnect",
        }
        check_counts(search)
        captured = {short(body.url): body for body in bodies(session, Capture) if body.purpose == "page"}
        assert 0 < captured["/drip"].payload.bytes < 4000  # what arrived is kept
        check_clean(session)


def test_hard_deadline_cuts_what_is_left_and_gives_what_came():
    with serve(pages(), hang={"/hang", "/hang2", "/hang3"}) as site, opened() as archive:
        session = archive.session()
        begin = time.monotonic()
        search = ask(session, site, places=["/hang", "/mill", "/hang2", "/hang3"], soft_s=0.2, deadline_s=1.0)
        assert 0.9 < time.monotonic() - begin < 3  # one page of four is not enough for the soft deadline
        hung = dict.fromkeys(("/hang", "/hang2", "/hang3"), "cut-deadline")
        assert reasons(session) == hung | {"/mill": "kept"}
        assert {short(item.source.url) for item in search.evidence} == {"/mill"}
        check_clean(session)


def test_every_page_is_accounted_for_when_more_are_waiting_than_there_are_threads():
    hang = {f"/hang{n}" for n in range(6)}
    with serve(pages(), hang=hang) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=[*sorted(hang), "/mill"], pages=7, threads=1, deadline_s=0.6)
        assert search.outcome is RunOutcome.DEGRADED
        assert reasons(session) == dict.fromkeys([*hang, "/mill"], "cut-deadline")
        check_counts(search)
        check_clean(session)


def test_search_whose_pages_all_fail_is_degraded_not_empty():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=["/absent", "/absent2"])
        assert (search.outcome, search.evidence) == (RunOutcome.DEGRADED, ())
        assert bodies(session, Turn)[-1].outcome == "degraded"
        check_clean(session)


def test_page_that_kills_its_converter_costs_only_itself(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path, in_process=False) as archive:
        site.pages["/deep"] = (200, HTML, "<div>" * 300_000 + "tide mill")
        session = archive.session()
        search = ask(session, site, places=["/deep", "/mill"], deadline_s=15)
        assert {short(item.source.url) for item in search.evidence} >= {"/mill"}
        check_counts(search)
        check_clean(session)


LONG = "tide mill " * 20_000


@pytest.mark.parametrize(
    "page",
    [
        html("The tide mill.", title=LONG),
        f"<h1>{LONG}</h1><p>The tide mill.",
        f"<h1>a</h1><h2>{LONG}</h2><h3>{LONG}</h3><p>The tide mill stands.",
        f"<meta name=author content='{LONG}'><title>t</title><p>The tide mill.",
        f"<meta property='article:published_time' content='{LONG}'><p>The tide mill.",
        f"<table><tr><th>{LONG}<tr><td>The tide mill.</table>",
        f"<p>{LONG.replace(' ', '')} tide mill",
        f"<html lang='{LONG}'><p>The tide mill.",
        f"<link rel=canonical href='http://127.0.0.1/{LONG}'><p>The tide mill.",
        "<p>" + "tide\u200bmill " * 30_000,
    ],
    ids=["title", "heading", "headings", "author", "published", "table-head", "word", "lang", "canonical", "invisible"],
)
def test_page_with_an_endless_field_is_searched_like_any_other(page: str):
    with serve(pages()) as site, opened() as archive:
        site.pages["/long"] = (200, HTML, page)
        session = archive.session()
        search = ask(session, site, places=["/long", "/mill"])
        assert search.outcome is RunOutcome.OK
        check_counts(search)
        check_clean(session)


def test_date_without_end_from_a_provider_is_none():
    """It stood in the record of each passage, which was over its limit, and the whole search was lost."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        result = {"url": whole(site, "/mill"), "title": "t", "publishedDate": "2024-01-01" + "x" * 100_000}
        search = ask(session, site, places=[result])
        assert [item.source.published for item in search.evidence] == [None]
        check_clean(session)


def test_answers_with_long_urls_are_searched_like_any_other():
    """The URLs of the sources stand in each step of the selection: eight of 8 kB made a record over its limit."""
    with serve(pages()) as site, opened() as archive:
        places = []
        for number, text in enumerate(list(TEXTS.values()) * 3):
            path = f"/{number}/" + "x" * 8000
            site.pages[path] = (200, HTML, html(text.replace("tide", f"tide{number} tide")))
            places.append(path)
        session = archive.session()
        search = ask(session, site, places=places, pages=12)
        assert search.outcome is RunOutcome.OK
        check_counts(search)
        check_clean(session)


def test_head_of_sixty_kilobytes_is_kept():
    with serve(pages()) as site, opened() as archive:
        site.pages["/mill"] = (200, HTML | {f"X-{n}": "\xff" * 5000 for n in range(11)}, html(TEXTS["/mill"]))
        session = archive.session()
        search = ask(session, site, places=["/mill"])
        (capture,) = [body for body in bodies(session, Capture) if body.purpose == "page"]
        assert isinstance(capture.exchange, BlobRef)
        assert search.evidence
        check_clean(session)


@pytest.mark.parametrize("cap", [1_500, 40_000_000])
def test_page_over_the_decoded_limit_verifies(cap: int):
    """Verification decoded the payload again under the usual limit: a page cut at another one gave another text."""
    body = "".join(f"<p>The tide mill {n} stands by the water.\n" for n in range(400))
    if cap > Limits().decoded_bytes_max:
        body = f"<!-- {' ' * Limits().decoded_bytes_max} -->" + body
    with serve(pages()) as site, opened() as archive:
        site.pages["/zip"] = (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(body.encode()))
        session = archive.session()
        search = ask(session, site, places=["/zip"], limits=Limits(decoded_bytes_max=cap))
        assert search.evidence
        check_clean(session)


# --- providers that fail


class Local:
    """A provider on this machine with a scripted run."""

    def __init__(self, name: str, run: RunValue) -> None:
        from searchlog.search.provider import Facts, Terms

        self.facts = Facts(name, name, "", "nobody", Terms("", "2026-01-01", ""))
        self.run = run

    def answer(self, query: Asked) -> RunValue:
        return self.run


def local(name: str, *urls: str, outcome: RunOutcome = RunOutcome.OK, **fields: Any) -> Local:
    results = tuple(Result(rank, url, f"Result {rank}") for rank, url in enumerate(urls, 1))
    return Local(name, RunValue(name, outcome, results, **fields))


@pytest.mark.parametrize(
    ("served", "outcome"),
    [
        ((500, PLAIN, "no"), "unavailable"),
        ((429, PLAIN | {"Retry-After": "7"}, "slow down"), "rate_limited"),
        ((401, PLAIN, "key?"), "auth"),
        ((403, PLAIN, "json is off"), "not_enabled"),
        ((200, PLAIN, "<html>"), "parse_error"),
    ],
    ids=["500", "429", "401", "403", "not-json"],
)
def test_no_answer_is_an_error_with_its_attempts_and_nothing_is_lost(served: Any, outcome: str):
    with serve(pages() | {"/search": served}) as site, opened() as archive:
        session = archive.session()
        with pytest.raises(ProviderError) as caught:
            ask(session, site)
        (attempt,) = caught.value.attempts
        assert (attempt["provider"], attempt["outcome"]) == ("searxng", outcome)
        assert caught.value.fields["turn"] == 1
        kinds = [record.kind for record in session.records()]
        assert kinds == ["session", "turn", "query", "provider-exchange", "run", *["decision"] * 3, "turn"]
        end = bodies(session, Turn)[-1]
        assert (end.state, end.outcome, end.detail) == ("end", outcome, str(caught.value))
        (exchange,) = bodies(session, records.ProviderExchange)
        assert session.ledger.blobs.get(exchange.payload.blob) == served[2].encode()
        check_clean(session)


def test_server_that_is_not_there_is_offline():
    with serve({}) as site, opened() as archive:
        session = archive.session()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            site.port = taken.getsockname()[1]
            with pytest.raises(ProviderError, match="is this machine online, and the address right") as caught:
                ask(session, site)
        assert caught.value.attempts[0]["outcome"] == "offline"
        check_clean(session)


def test_all_attempts_are_told_when_several_fail():
    with serve({"/search": (500, PLAIN, "")}) as site, opened() as archive:
        session = archive.session()
        blocked = local("other", outcome=RunOutcome.BLOCKED, detail="other: a challenge")
        with pytest.raises(ProviderError, match="other: blocked") as caught:
            ask(session, site, providers=["searxng", blocked])
        assert [a["outcome"] for a in caught.value.attempts] == ["unavailable", "blocked"]
        assert caught.value.attempts[1]["detail"] == "other: a challenge"
        assert len(bodies(session, Run)) == 2


def test_one_provider_that_fails_does_not_keep_another_from_answering():
    with serve(pages() | {"/search": (500, PLAIN, "")}) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, providers=["searxng", local("other", whole(site, "/mill"))])
        assert search.outcome is RunOutcome.OK
        assert [run.outcome for run in search.runs] == ["unavailable", "ok"]
        check_counts(search)
        check_clean(session)


def test_provider_that_hangs_leaves_time_for_the_pages():
    with serve(pages(), hang={"/search"}) as site, opened() as archive:
        session = archive.session()
        search = ask(
            session,
            site,
            providers=["searxng", local("other", whole(site, "/mill"))],
            limits=Limits(idle_s=0.3),
            deadline_s=3,
        )
        assert [run.outcome for run in search.runs] == ["timeout", "ok"]
        assert search.evidence


def test_providers_are_fused_and_duplicates_told():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        other = local("other", whole(site, "/mill?utm_source=x"), whole(site, "/gate"), "ftp://127.0.0.1/a")
        search = ask(session, site, places=["/mill", "/pond"], providers=["searxng", other])
        check_counts(search)
        counts = {step.name: (step.in_count, step.kept_count) for step in search.steps}
        assert (counts["parse"], counts["fuse"], counts["filter"]) == ((5, 5), (5, 4), (4, 3))
        assert reasons(session, "fuse")["/mill?utm_source=x"] == "merged-into"
        assert reasons(session, "filter")["ftp://127.0.0.1/a"] == "unsafe-scheme"
        check_clean(session)


def test_empty_answer_is_empty_and_no_error():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=[])
        assert (search.outcome, search.evidence) == (RunOutcome.EMPTY, ())
        check_counts(search)
        assert session.ledger.blobs.get(search.rendering_digest) == search.rendering.encode()
        check_clean(session)


def test_answer_of_which_nothing_may_be_fetched_is_filtered_to_empty():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=["ftp://127.0.0.1/a", "javascript:alert(1)"])
        assert search.outcome is RunOutcome.FILTERED_TO_EMPTY
        check_counts(search)
        check_clean(session)


def test_no_key_and_no_network_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    def unreachable(*_: object, **__: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    monkeypatch.setattr(socket.socket, "connect", unreachable)
    with opened() as archive:
        session = archive.session()
        with pytest.raises(ProviderError) as caught:
            session.search("tide mill", deadline_s=3)
        assert [a["provider"] for a in caught.value.attempts] == list(keyless_order({}))
        assert "--provider archive" in str(caught.value)
        assert bodies(session, Query)[0].mode == "fallback"
        check_clean(session)


# --- ids, cache, archive


def test_evidence_ids_are_session_wide_and_the_same_passage_keeps_its_own(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path) as archive:
        session = archive.session()
        first = ask(session, site, "tide mill gate", ["/mill", "/gate"])
        second = ask(session, site, "tide mill pond gate", ["/pond", "/gate"])
        keys: dict[str, tuple[str, int, int]] = {}
        for item in (*first.evidence, *second.evidence):
            key = (item.source.text_digest, item.passage.start, item.passage.end)
            assert keys.setdefault(item.id, key) == key
        assert len(set(keys.values())) == len(keys)
        assert {i.id for i in first.evidence} & {i.id for i in second.evidence}
        assert sorted(keys) == [f"e{n}" for n in range(1, len(keys) + 1)]
        check_clean(session)
    with opened(tmp_path) as archive, serve(pages()) as site:
        again = archive.session(session.id)
        third = ask(again, site, "wheel moon", ["/wheel"])
        assert {item.id for item in third.evidence}.isdisjoint(keys)
        check_clean(again)


def test_another_session_counts_anew():
    with serve(pages()) as site, opened() as archive:
        assert ask(archive.session(), site, places=["/mill"]).evidence[0].id == "e1"
        assert ask(archive.session(), site, places=["/mill"]).evidence[0].id == "e1"


def test_second_search_takes_fresh_pages_from_the_cache_and_says_so(tmp_path: Path):
    with serve(pages(headers=FRESH)) as site, opened(tmp_path) as archive:
        session = archive.session()
        site.pages["/gate"] = (200, HTML | {"Cache-Control": "no-store"}, html(TEXTS["/gate"]))
        first = ask(session, site, places=["/mill", "/gate"])
        site.hits.clear()
        second = ask(session, site, places=["/mill", "/gate"])
        assert sorted(path for path in site.paths if not path.startswith("/search")) == ["/gate"]
        captured = {short(body.url): body for body in bodies(session, Capture, second.turn)}
        assert captured["/gate"].reused is None
        reused = captured["/mill"].reused
        (earlier,) = [r for r in session.records() if r.seq == reused["seq"]]
        assert (reused["via"], reused["session"]) == ("cache", session.id)
        assert isinstance(earlier.body, Capture)
        assert (earlier.body.payload, earlier.body.captured_at) == (captured["/mill"].payload, reused["captured_at"])
        assert captured["/mill"].revisit
        assert [item.id for item in first.evidence] == [item.id for item in second.evidence]
        check_counts(second)
        check_clean(session)


def test_cache_is_left_aside_when_told_and_may_be_deleted(tmp_path: Path):
    with serve(pages(headers=FRESH)) as site, opened(tmp_path) as archive:
        session = archive.session()
        first = ask(session, site, places=["/mill"])
        site.hits.clear()
        second = ask(session, site, places=["/mill"], cache_max_age_s=0)
        assert "/mill" in site.paths
        assert bodies(session, Capture, second.turn)[-1].reused is None
        assert [item.digest for item in first.evidence] == [item.digest for item in second.evidence]


def test_archive_answers_from_stored_captures_without_any_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with serve(pages()) as site, opened(tmp_path) as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        first = session.id
    monkeypatch.setattr(socket.socket, "connect", no_network)
    with opened(tmp_path) as archive:
        session = archive.session()
        search = session.search("tide mill gate", providers=["archive"])
        assert search.outcome is RunOutcome.OK
        assert search.evidence
        for body in bodies(session, Capture):
            assert (body.reused["via"], body.reused["session"]) == ("archive", first)
            (source,) = archive.ledger(first).records(body.reused["seq"], body.reused["seq"] + 1)
            assert (source.body.url, source.body.payload) == (body.url, body.payload)
            assert source.body.captured_at == body.captured_at
        assert {item.source.url for item in search.evidence} <= {body.url for body in bodies(session, Capture)}
        check_counts(search)
        check_clean(session)


def test_empty_archive_gives_an_empty_answer():
    with opened() as archive:
        search = archive.session().search("tide mill", providers=["archive"])
        assert search.outcome is RunOutcome.EMPTY
        assert "holds no pages yet" in search.runs[0].detail


def test_text_of_two_pages_may_be_the_same():
    """Two pages with one text but other bytes in one search: evidence of the first was reported as unrooted when the
    second was converted after it."""
    with serve(pages(), delay={"/late": 0.3}) as site, opened() as archive:
        site.pages["/early"] = (200, HTML, html(TEXTS["/mill"], head="<!-- served at noon -->"))
        site.pages["/late"] = (200, HTML, html(TEXTS["/mill"], head="<!-- served at one -->"))
        for places in (["/early", "/late"], ["/late", "/early"]):
            session = archive.session()
            search = ask(session, site, places=places)
            assert {short(item.source.url) for item in search.evidence} == {places[0]}
            check_clean(session)


# --- fetching


def test_fetch_gives_a_page_with_its_text_and_bytes():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        page = session.fetch(whole(site, "/mill"), allow_private=("127.0.0.1",))
        assert (page.outcome, page.reason, page.status, page.title) == ("complete", None, 200, "mill")
        assert session.text(page) == TEXTS["/mill"]
        assert page.char_count == len(TEXTS["/mill"])
        assert session.body(page).decode() == site.pages["/mill"][2]
        assert session.conversion(page).blocks
        assert [record.kind for record in session.records()] == [
            "session", "turn", "capture", "capture", "conversion", "turn",
        ]  # fmt: skip
        check_clean(session)


def test_fetch_of_coded_bytes_gives_the_decoded_body():
    with serve(pages()) as site, opened() as archive:
        text = html(TEXTS["/mill"])
        site.pages["/zip"] = (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(text.encode()))
        session = archive.session()
        page = session.fetch(whole(site, "/zip"), allow_private=("127.0.0.1",))
        assert session.body(page).decode() == text
        assert page.capture.decoded_digest == digest(text.encode())
        check_clean(session)


def test_fetch_follows_redirects_and_keeps_each_hop():
    with serve(pages()) as site, opened() as archive:
        site.pages["/old"] = (301, {"Location": "/mid"}, "")
        site.pages["/mid"] = (302, {"Location": "/mill"}, "moved")
        session = archive.session()
        page = session.fetch(whole(site, "/old"), allow_private=("127.0.0.1",))
        assert (short(page.asked), short(page.url), page.reason) == ("/old", "/mill", None)
        hops = [body for body in bodies(session, Capture) if body.purpose == "page"]
        assert [(short(hop.url), hop.status, hop.final, hop.hop) for hop in hops] == [
            ("/old", 301, False, 0),
            ("/mid", 302, False, 1),
            ("/mill", 200, True, 2),
        ]
        check_clean(session)


def test_fetch_that_fails_says_why_and_holds_nothing():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        for url, outcome, reason in (
            (whole(site, "/absent"), "complete", "http-404"),
            ("http://10.0.0.1/", "refused", "refused-address"),
            ("ftp://127.0.0.1/", "refused", "refused-scheme"),
            ("not a url", "refused", "refused-url"),
            ("", "refused", "refused-scheme"),
        ):
            page = session.fetch(url, allow_private=("127.0.0.1",))
            assert (page.outcome, page.reason) == (outcome, reason), url
            with pytest.raises(FormatError, match="no text"):
                session.text(page)
        refused = session.fetch("http://10.0.0.1/")
        with pytest.raises(FormatError):
            session.body(refused)
        assert bodies(session, Turn)[-1].outcome == "failed"
        check_clean(session)


def test_fetch_many_keeps_the_order_and_asks_once_for_what_is_named_twice():
    with serve(pages(), delay={"/mill": 0.2}) as site, opened() as archive:
        session = archive.session()
        urls = [whole(site, path) for path in ("/mill", "/gate", "/absent", "/mill", "/gate")]
        told: list[Progress] = []
        got = session.fetch_many(urls, allow_private=("127.0.0.1",), progress=told.append)
        assert [page.asked for page in got] == urls
        assert got[0] is got[3]
        assert sorted(path for path in site.paths if path != "/robots.txt") == ["/absent", "/gate", "/mill"]
        assert [(item.done, item.total) for item in told] == [(1, 3), (2, 3), (3, 3)]
        end = bodies(session, Turn)[-1]
        assert (end.outcome, end.detail) == ("partial", "2 of 3 pages gave text")
        check_clean(session)


def test_fetch_many_of_nothing_is_nothing():
    with opened() as archive:
        session = archive.session()
        assert session.fetch_many([]) == []
        check_clean(session)


def test_fetch_many_goes_on_past_more_pages_than_threads():
    texts = {f"/{n}": f"page number {n}" for n in range(40)}
    with serve(pages(texts)) as site, opened() as archive:
        session = archive.session()
        got = session.fetch_many([whole(site, path) for path in texts], allow_private=("127.0.0.1",), threads=2)
        assert [session.text(page) for page in got] == list(texts.values())
        check_clean(session)


# --- several at once, and interruptions


def test_two_searches_at_the_same_time_on_one_session(tmp_path: Path):
    with serve(pages(), delay=dict.fromkeys(TEXTS, 0.05)) as site, opened(tmp_path) as archive:
        session = archive.session()
        searches: list[Any] = []
        asked = ["tide mill gate", "tide mill pond", "wheel moon", "mill"]
        site.pages["/search"] = site.pages["/search?"] = (200, PLAIN, "")
        from tests.searches import found

        found(site, list(TEXTS))
        threads = [threading.Thread(target=lambda q=q: searches.append(ask(session, site, q))) for q in asked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(search.query.text for search in searches) == sorted(asked)
        assert sorted(search.turn for search in searches) == [1, 2, 3, 4]
        keys: dict[str, tuple[str, int, int]] = {}
        for search in searches:
            check_counts(search)
            for item in search.evidence:
                key = (item.source.text_digest, item.passage.start, item.passage.end)
                assert keys.setdefault(item.id, key) == key
        assert len(set(keys.values())) == len(keys)
        check_clean(session)


@pytest.mark.parametrize("stage", ["ask", "read", "choose"])
def test_key_pressed_in_the_middle_closes_the_turn_and_the_next_search_works(stage: str):
    def press(progress: Progress) -> None:
        if progress.stage == stage:
            raise KeyboardInterrupt

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        with pytest.raises(KeyboardInterrupt):
            ask(session, site, places=list(TEXTS), progress=press)
        end = bodies(session, Turn)[-1]
        assert (end.state, end.reason) == ("discarded", "interrupted")
        assert bodies(session, Evidence) == []
        search = ask(session, site, places=list(TEXTS))
        assert (search.turn, search.evidence[0].id) == (2, "e1")
        check_clean(session)


def test_turn_cut_off_by_a_crash_is_closed_when_the_session_is_opened(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path) as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        from searchlog.ledger import Draft

        session.ledger.add([Draft(Turn(state="begin", purpose="search", lease="00000000000000aa"), turn=2)])
        again = archive.session(session.id)
        end = bodies(again, Turn)[-1]
        assert (end.state, end.reason) == ("discarded", "interrupted")
        assert ask(again, site, places=["/mill"]).turn == 3
        check_clean(again)


def test_steps_recorded_are_the_steps_returned():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=[*TEXTS, "/absent", "/mill?fbclid=1"])
        stored = bodies(session, Decision)
        assert [(s.step, s.rule, s.in_count, s.kept_count) for s in stored] == [
            (s.name, s.rule, s.in_count, s.kept_count) for s in search.steps
        ]


def test_passages_are_looked_for_on_stored_pages_only():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=list(TEXTS))
        report = verify_passages(session.ledger, archive.resources.pool)
        assert report.checked == {
            "pages": len({i.source.url for i in search.evidence}),
            "passages": len(search.evidence),
        }
        assert (report.size, report.root != "") == (session.head.size, True)


def test_sessions_of_one_archive_do_not_mix(tmp_path: Path):
    with serve(pages()) as site, opened(tmp_path) as archive:
        one, two = archive.session(), archive.session()
        ask(one, site, places=["/mill"])
        ask(two, site, places=["/gate"])
        assert isinstance(one, Session)
        assert findings(one) == findings(two) == []
        assert {short(c.url) for c in bodies(one, Conversion)} == {"/mill"}
        assert {short(c.url) for c in bodies(two, Conversion)} == {"/gate"}
