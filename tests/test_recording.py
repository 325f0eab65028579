"""From the stages' values to record bodies: what is told, what is left out, and what names which blob."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from searchlog import canon, recording
from searchlog.capture.exchange import Decoded, Exchange, Fetch, Framing, Limits, Outcome, RobotsDecision
from searchlog.digest import digest
from searchlog.extract.conversion import ConversionFailure
from searchlog.extract.pool import InProcess
from searchlog.flow.settings import Settings
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.records import Body, Capture, parse_body
from searchlog.search.decision import Decision, Step
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.stored import stored_conversion, stored_exchange, stored_fetch

ALLOWED = RobotsDecision(True, "no-robots", "http://a.example/robots.txt", digest(b"none"), 1.5)


def exchange(url: str = "http://a.example/", body: bytes = b"<p>mill", **fields: Any) -> Exchange:
    head = fields.pop("response_head", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    made = Exchange(
        method="GET",
        url=url,
        request_head=b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        request_body=b"",
        response_head=head,
        status=200,
        reason_phrase="OK",
        headers=(("Content-Type", "text/html"),),
        payload=body,
        framing=Framing("length"),
        started_at=datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=UTC),
        duration_ms=12,
        peer=None,
        outcome=Outcome.COMPLETE,
        decoded=Decoded(body),
    )
    return replace(made, **fields)


def redirect(url: str, location: str) -> Exchange:
    head = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n".encode()
    return exchange(url, b"", status=302, headers=(("Location", location),), response_head=head)


def captures(fetch: Fetch, **options: Any) -> list[Capture]:
    made = [stored.body for stored in recording.capture_bodies(fetch, "page", **options)]
    for body in made:
        assert isinstance(body, Capture)
        stays(body)
    assert [body.final for body in made] == [False] * (len(made) - 1) + [True]
    return made  # type: ignore[return-value]


def stays(body: Body) -> None:
    """Assert that a body comes back from its canonical JSON."""
    assert parse_body(body.kind, canon.loads(canon.dumps(body.to_json()))) == body


# --- fetches


def test_complete_fetch_is_one_capture():
    (body,) = captures(Fetch("http://a.example/", (exchange(),), Outcome.COMPLETE, robots=ALLOWED))
    assert (body.outcome, body.reason, body.status, body.hop) == ("complete", None, 200, 0)
    assert body.captured_at == "2026-01-02T03:04:05.000600Z"
    assert body.payload == recording.blob_ref(b"<p>mill")
    assert (body.decoded_digest, body.decoded_bytes) == (None, None)
    assert body.robots["crawl_delay_s"] == "1.5"


def test_payload_goes_to_the_store_and_an_empty_one_does_not():
    (stored,) = recording.capture_bodies(Fetch("u", (exchange(),), Outcome.COMPLETE), "page")
    assert stored.blobs == (b"<p>mill",)
    (empty,) = recording.capture_bodies(Fetch("u", (exchange(body=b""),), Outcome.COMPLETE), "page")
    assert (empty.blobs, empty.body.payload) == ((), None)


def test_each_hop_is_a_capture_and_the_last_tells_how_it_ended():
    hops = (redirect("http://a.example/", "/b"), exchange("http://a.example/b", outcome=Outcome.TRUNCATED))
    first, last = captures(Fetch("http://a.example/", hops, Outcome.TRUNCATED, "length", "over the limit"))
    assert (first.url, first.outcome, first.robots) == ("http://a.example/", "complete", None)
    assert (last.url, last.asked, last.hop) == ("http://a.example/b", "http://a.example/", 1)
    assert (last.outcome, last.reason, last.detail) == ("truncated", "length", "over the limit")


def test_refusal_before_any_request_is_a_capture_without_an_exchange():
    (body,) = captures(Fetch("http://10.0.0.1/", (), Outcome.REFUSED, "address", "not public"))
    assert (body.url, body.outcome, body.reason, body.detail) == (
        "http://10.0.0.1/",
        "refused",
        "address",
        "not public",
    )
    assert (body.exchange, body.payload, body.captured_at) == (None, None, None)


def test_refusal_after_a_redirect_names_where_it_led():
    hops = (redirect("http://a.example/x/", "../secret"),)
    hop, end = captures(Fetch("http://a.example/x/", hops, Outcome.REFUSED, "robots"))
    assert (hop.final, hop.outcome) == (False, "complete")
    assert (end.url, end.hop, end.outcome, end.reason) == ("http://a.example/secret", 1, "refused", "robots")


def test_failure_without_any_answer_is_told():
    (body,) = captures(Fetch("http://a.example/", (), Outcome.FAILED, "dns", "no such name"))
    assert (body.outcome, body.reason) == ("failed", "dns")


def test_robots_come_first_with_their_own_purpose():
    robots = (redirect("http://a.example/robots.txt", "/r"), exchange("http://a.example/r", b"User-agent: *"))
    made = captures(Fetch("http://a.example/", (exchange(),), Outcome.COMPLETE, robots_exchanges=robots))
    assert [(body.purpose, body.url) for body in made] == [
        ("robots", "http://a.example/robots.txt"),
        ("robots", "http://a.example/r"),
        ("page", "http://a.example/"),
    ]


def test_page_from_the_cache_says_where_it_comes_from():
    hit = {"session": "s1", "seq": "17", "captured_at": "2026-01-01T00:00:00.000000Z"}
    (body,) = captures(Fetch("http://a.example/", (exchange(),), Outcome.COMPLETE, cache_hit=hit))
    assert body.reused == {"via": "cache", "session": "s1", "seq": 17, "captured_at": "2026-01-01T00:00:00.000000Z"}


def test_coded_payload_is_stored_as_it_came_with_the_digest_of_what_it_decodes_to():
    import gzip

    coded = gzip.compress(b"<p>mill", mtime=0)
    made = exchange(body=coded, decoded=Decoded(b"<p>mill", ("gzip",)))
    (body,) = captures(Fetch("u", (made,), Outcome.COMPLETE))
    assert body.payload == recording.blob_ref(coded)
    assert (body.decoded_digest, body.decoded_bytes) == (digest(b"<p>mill"), 7)


@pytest.mark.parametrize("size", [0, 3, 7])
def test_exchange_comes_back_decoded_as_far_as_it_was(size: int):
    import gzip

    blobs = MemoryBlobStore()
    coded = gzip.compress(b"<p>mill", mtime=0)
    made = exchange(
        body=coded,
        decoded=Decoded(b"<p>mill"[:size], ("gzip",), None if size == 7 else "length"),
        response_head=b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
        headers=(("Content-Encoding", "gzip"),),
    )
    (stored,) = recording.capture_bodies(Fetch("u", (made,), Outcome.COMPLETE), "page")
    blobs.put(stored.blobs)
    back = stored_exchange(stored.body, blobs, lambda value: value)
    assert back.decoded.data == b"<p>mill"[:size]
    assert (back.payload, back.response_head, back.started_at) == (coded, made.response_head, made.started_at)


def test_plain_payload_over_the_usual_limit_comes_back_whole():
    blobs = MemoryBlobStore()
    data = bytes(Limits().decoded_bytes_max + 1)
    (stored,) = recording.capture_bodies(Fetch("u", (exchange(body=data),), Outcome.COMPLETE), "page")
    blobs.put(stored.blobs)
    assert len(stored_exchange(stored.body, blobs, lambda value: value).decoded.data) == len(data)


def test_fetch_comes_back_from_its_captures():
    blobs = MemoryBlobStore()
    fetch = Fetch(
        "http://a.example/",
        (redirect("http://a.example/", "/b"), exchange("http://a.example/b")),
        Outcome.COMPLETE,
        detail="fine",
    )
    stored = recording.capture_bodies(fetch, "page")
    for item in stored:
        blobs.put(item.blobs)
    back = stored_fetch([item.body for item in stored], blobs, lambda value: value)  # type: ignore[misc]
    assert back == fetch


# --- conversions


def test_conversion_comes_back_with_its_blocks_and_what_the_page_says_of_itself():
    page = (
        b"<html lang=en><head><title>Mills</title><meta name=author content=K><meta property='article:published_time' "
        b"content='2024-05-06'></head><body><h1>Mills</h1><p>tide<ul><li>a<li>b</ul><nav>x</nav>"
        b"<p hidden>secret</p></body></html>"
    )
    made = InProcess().convert(page, "text/html; charset=utf-8", "http://a.example/", Settings().convert)
    stored = recording.conversion_body("http://a.example/", digest(page), made)
    blobs = MemoryBlobStore()
    blobs.put(stored.blobs)
    stays(stored.body)
    assert stored_conversion(stored.body, blobs) == made
    assert (stored.body.title, stored.body.published) == ("Mills", "2024-05-06")
    assert stored.body.char_count == len(made.text)
    assert [recording.blob_ref(blob) for blob in stored.blobs] == [stored.body.text, stored.body.structure]


def test_failed_conversion_says_why_and_names_no_blob():
    stored = recording.conversion_body(
        "u", digest(b"x"), ConversionFailure("timeout", "over 5 s", "text/html", "html/1")
    )
    assert stored.blobs == ()
    assert stored.body.to_json() == {
        "url": "u",
        "payload": digest(b"x"),
        "converter": "html/1",
        "media_type": "text/html",
        "warnings": [],
        "failure": "timeout",
        "detail": "over 5 s",
    }


# --- queries, runs, steps


def test_options_of_a_query_that_are_not_set_are_left_out():
    assert recording.query_options(Query("mill")) == {"count": 10, "page": 1}
    assert recording.query_options(Query("mill", language="en", include_domains=("a.b",)))["include_domains"] == ["a.b"]


def test_run_keeps_every_result_and_everything_said_of_it():
    run = Run(
        "one",
        RunOutcome.DEGRADED,
        (Result(1, "http://a.example/", "t", "s", "0.5", "2024", {"language": "en"}), Result(2, "http://b.example/")),
        detail="half",
        retry_after_s=3,
        ignored=("country",),
        dropped=(("advert", "no-link"),),
        notes=("n",),
        parser="one/1",
    )
    body = recording.run_body(run).body
    stays(body)
    assert body.results[1] == {"rank": 2, "url": "http://b.example/"}
    assert (body.outcome, body.dropped, body.retry_after_s) == ("degraded", [["advert", "no-link"]], 3)


def test_step_counts_its_reasons():
    decisions = [Decision("filter", str(n), n > 2, "kept" if n > 2 else "limit", {"rank": n}) for n in range(4)]
    body = recording.decision_body(Step("filter", "filter/1", 5, 2, 3, tuple(decisions)))
    stays(body)
    assert body.reasons == {"limit": 3}
    assert body.items[0] == {"subject": "0", "kept": False, "reason": "limit", "rank": 0}
    assert body.sources is None


def test_what_is_computed_twice_is_equal():
    fetch = Fetch("u", (exchange(),), Outcome.COMPLETE, robots=ALLOWED)
    assert recording.capture_bodies(fetch, "page") == recording.capture_bodies(fetch, "page")
