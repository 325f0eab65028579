"""What holds for every network provider: samples, outcomes of the transport, and any bytes at all."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import canon
from searchlog.capture.exchange import Decoded, Exchange, Outcome
from searchlog.search.provider import OPTIONS, NetworkProvider, Response, run_of
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from tests.providers.conftest import (
    ALL_ENTRIES,
    ENTRIES,
    KEY,
    QUERY,
    SAMPLES,
    Ask,
    every,
    exchange_of,
    query_for,
    sample,
)

PROVIDERS = every()
EVERY = pytest.mark.parametrize("provider", PROVIDERS.values(), ids=PROVIDERS.keys())
FULL = Query(
    "潮汐 tide & table",
    count=50,
    page=3,
    language="zh-Hant",
    country="TW",
    freshness="week",
    safe="strict",
    include_domains=("a.example",),
    exclude_domains=("b.example",),
)


MEANINGS: dict[tuple[str, int], RunOutcome] = {
    ("marginalia", 503): RunOutcome.RATE_LIMITED,  # the sign of its shared limit
    ("commoncrawl", 503): RunOutcome.RATE_LIMITED,  # it asks to slow down
}
"""Where a provider's documentation gives a status another meaning than it has elsewhere."""


def meaning(provider: NetworkProvider, status: int, usual: RunOutcome) -> RunOutcome:
    return MEANINGS.get((provider.facts.name, status), usual)


def check(run: Run) -> None:
    """Assert what every run promises, whatever the bytes were."""
    assert [result.rank for result in run.results] == list(range(1, len(run.results) + 1))
    assert run.parser
    if run.outcome is RunOutcome.OK:
        assert run.results
    if run.outcome is RunOutcome.EMPTY:
        assert not run.results
    if run.outcome not in (RunOutcome.OK, RunOutcome.EMPTY):
        assert run.detail.startswith(run.provider + ": ")
    canon.dumps(json.loads(json.dumps(dataclasses.asdict(run))))  # no float, no lone surrogate: fit for a record


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["id"] for entry in ENTRIES])
def test_each_sample_is_read_as_expected(entry: dict[str, Any]) -> None:
    run = PROVIDERS[entry["provider"]].parse(sample(entry["id"]), QUERY)
    check(run)
    assert run.outcome == entry["outcome"]
    assert len(run.results) == entry["results"]
    for expected, result in zip(entry["first"], run.results, strict=False):
        assert expected["title"] is None or result.title == expected["title"]
        assert expected["url"] is None or result.url == expected["url"]
        assert "url_has" not in expected or any(part in result.url for part in expected["url_has"])
    dates = [result for result in run.results if result.published or result.crawled or result.extra.get("modified")]
    assert len(dates) == entry["dates"]
    if entry["scores"] is not None:
        assert any(result.score for result in run.results) == entry["scores"]


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["id"] for entry in ENTRIES])
def test_each_sample_over_the_wire_is_read_as_expected(
    entry: dict[str, Any], ask: Ask, respx_mock: respx.Router
) -> None:
    answer, provider = sample(entry["id"]), PROVIDERS[entry["provider"]]
    respx_mock.route().mock(return_value=httpx.Response(answer.status, headers=answer.headers, content=answer.body))
    run = ask(provider)
    assert run.outcome == entry["outcome"]
    assert len(run.results) == entry["results"]


def test_each_sample_says_where_it_comes_from() -> None:
    told = (SAMPLES / "README.md").read_text(encoding="utf-8")
    for entry in ALL_ENTRIES:
        assert entry["kind"] in ("recorded", "documented", "first-party test", "made"), entry["id"]
        assert entry["origin"], entry["id"]
        assert entry["licence"], entry["id"]
        if entry["licence"] != "ours":
            assert f"| {entry['file']} | {entry['kind']} |" in told, entry["id"]


@EVERY
def test_there_is_a_sample_with_results_and_one_without(provider: NetworkProvider) -> None:
    outcomes = {entry["outcome"] for entry in ENTRIES if PROVIDERS[entry["provider"]] is provider}
    assert {"ok", "empty"} <= outcomes


@EVERY
def test_a_malformed_answer_over_the_wire_is_a_parse_error(
    provider: NetworkProvider, ask: Ask, respx_mock: respx.Router
) -> None:
    respx_mock.route().mock(return_value=httpx.Response(200, content=BAD_BODIES["html"]))
    run = ask(provider)
    assert (run.outcome, run.results) == (RunOutcome.PARSE_ERROR, ())


@EVERY
@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (httpx.ReadTimeout("slow"), RunOutcome.TIMEOUT),
        (httpx.ConnectTimeout("slow"), RunOutcome.TIMEOUT),
        (httpx.ConnectError("refused"), RunOutcome.OFFLINE),
    ],
    ids=["read-timeout", "connect-timeout", "refused"],
)
def test_a_failing_wire_is_a_typed_outcome(
    provider: NetworkProvider, ask: Ask, respx_mock: respx.Router, error: Exception, outcome: RunOutcome
) -> None:
    respx_mock.route().mock(side_effect=error)
    run = ask(provider)
    assert run.outcome is outcome
    assert run.results == ()
    assert run.detail.startswith(provider.facts.name)


@EVERY
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_is_unavailable_and_says_when_to_come_back(
    provider: NetworkProvider, ask: Ask, respx_mock: respx.Router, status: int
) -> None:
    respx_mock.route().mock(return_value=httpx.Response(status, headers={"Retry-After": "17"}, text="<h1>Oops</h1>"))
    run = ask(provider)
    assert run.outcome is meaning(provider, status, RunOutcome.UNAVAILABLE)
    assert run.retry_after_s == 17


@EVERY
def test_too_many_requests_is_rate_limited_and_says_for_how_long(
    provider: NetworkProvider, ask: Ask, respx_mock: respx.Router
) -> None:
    headers = {"Retry-After": "Thu, 01 Jan 2026 00:02:00 GMT", "Date": "Thu, 01 Jan 2026 00:00:00 GMT"}
    respx_mock.route().mock(return_value=httpx.Response(429, headers=headers))
    run = ask(provider)
    assert run.outcome is RunOutcome.RATE_LIMITED
    assert run.retry_after_s == 120


@EVERY
def test_payment_required_is_quota(provider: NetworkProvider, ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.route().mock(return_value=httpx.Response(402, json={"error": "no credit"}))
    run = ask(provider)
    assert run.outcome is meaning(provider, 402, RunOutcome.QUOTA)
    assert "no credit" in run.detail


@EVERY
def test_unauthorised_is_auth(provider: NetworkProvider, ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.route().mock(return_value=httpx.Response(401, json={"detail": {"error": "bad key"}}))
    run = ask(provider)
    assert run.outcome is RunOutcome.AUTH
    assert "bad key" in run.detail


@EVERY
def test_a_redirect_is_not_an_empty_answer(provider: NetworkProvider, ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.route().mock(return_value=httpx.Response(301, headers={"Location": "https://elsewhere.example/"}))
    assert ask(provider).outcome is RunOutcome.UNAVAILABLE


@EVERY
def test_a_declared_challenge_is_blocked(provider: NetworkProvider) -> None:
    answer = Response(403, (("CF-Mitigated", "challenge"),), b"<html>Just a moment</html>")
    assert provider.parse(answer, QUERY).outcome is RunOutcome.BLOCKED


BODIES = {("wayback", b"[]"): RunOutcome.EMPTY}
"""What is a whole answer of a provider, although it cannot be one of others."""
BAD_BODIES = {
    "nothing": b"",
    "cut": b'{"results": [{"url": "https://a.example/',
    "html": b"<!doctype html><title>Prove you are human</title>" + b"<p>x</p>" * 2_000,
    "deep-json": b"[" * 200_000,
    "deep-object": b'{"results":' * 80_000,
    "list": b"[]",
    "number": b"1e999",
    "long-number": b'{"results": ' + b"9" * 10_000 + b"}",
    "no-results-key": b"{}",
    "results-null": b'{"results": null, "web": {"results": 3}, "query": {"search": {}}}',
    "rows-of-nothing": b'{"results": [null, 7, "x", []], "web": {"results": [null, {}]}, "query": {"search": [{}]}}',
    "nul": b"\x00" * 100,
    "latin-1": '{"r\xe9sultats": []}'.encode("latin-1"),
}


@EVERY
@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_body_that_cannot_be_read_is_a_parse_error(provider: NetworkProvider, body: bytes) -> None:
    run = provider.parse(Response(200, (), body), QUERY)
    check(run)
    assert run.outcome is BODIES.get((provider.facts.name, body), RunOutcome.PARSE_ERROR)


def _failed(outcome: Outcome, reason: str, **changes: Any) -> Exchange:
    base = {"status": None, "headers": (), "payload": b"", "outcome": outcome, "reason": reason}
    facts = {
        "method": "GET",
        "url": "https://x.example",
        "request_head": b"",
        "request_body": b"",
        "response_head": b"",
    }
    return Exchange(**facts, **(base | changes), **_REST)


_REST: dict[str, Any] = {"reason_phrase": "", "framing": None, "started_at": None, "duration_ms": 0, "peer": None}
TRANSPORT = [
    (Outcome.FAILED, "dns", RunOutcome.OFFLINE),
    (Outcome.FAILED, "connect", RunOutcome.OFFLINE),
    (Outcome.FAILED, "tls", RunOutcome.OFFLINE),
    (Outcome.FAILED, "timeout", RunOutcome.TIMEOUT),
    (Outcome.FAILED, "disconnect", RunOutcome.UNAVAILABLE),
    (Outcome.FAILED, "protocol", RunOutcome.PARSE_ERROR),
    (Outcome.FAILED, "header-too-large", RunOutcome.TOO_LARGE),
    (Outcome.FAILED, "something-new", RunOutcome.UNAVAILABLE),
    (Outcome.REFUSED, "address", RunOutcome.REFUSED),
    (Outcome.REFUSED, "rate-limited", RunOutcome.RATE_LIMITED),
]


@pytest.mark.parametrize(("outcome", "reason", "expected"), TRANSPORT, ids=[f"{o}-{r}" for o, r, _ in TRANSPORT])
def test_each_way_a_transport_fails_has_its_outcome(outcome: Outcome, reason: str, expected: RunOutcome) -> None:
    run = run_of(PROVIDERS["searxng"], QUERY, _failed(outcome, reason, detail="said so"))
    assert run.outcome is expected
    assert "said so" in run.detail


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("length", RunOutcome.TOO_LARGE),
        ("time", RunOutcome.TIMEOUT),
        ("disconnect", RunOutcome.UNAVAILABLE),
        ("coding", RunOutcome.PARSE_ERROR),
        ("unspecified", RunOutcome.PARSE_ERROR),
    ],
)
def test_a_cut_answer_has_no_results_and_says_why(reason: str, expected: RunOutcome) -> None:
    body = sample("searxng-ok").body
    cut = _failed(Outcome.TRUNCATED, reason, status=200, decoded=Decoded(body))
    run = run_of(PROVIDERS["searxng"], QUERY, cut)
    assert run.outcome is expected
    assert run.results == ()


def test_a_decoder_that_did_not_reach_its_end_is_not_parsed() -> None:
    exchange = _failed(Outcome.COMPLETE, "", status=200, decoded=Decoded(b'{"results": []}', ("gzip",), "coding"))
    assert run_of(PROVIDERS["searxng"], QUERY, exchange).outcome is RunOutcome.PARSE_ERROR


def test_the_status_of_a_cut_error_answer_still_counts() -> None:
    exchange = _failed(Outcome.TRUNCATED, "disconnect", status=429, headers=(("Retry-After", "9"),))
    run = run_of(PROVIDERS["brave"], QUERY, exchange)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 9)


@EVERY
def test_options_are_applied_or_said_to_be_ignored(provider: NetworkProvider) -> None:
    facts = provider.facts
    assert set(facts.applies) | set(facts.ignores) == set(OPTIONS)
    run = provider.parse(Response(200, (), b""), FULL)
    assert set(facts.ignored(FULL)) - {"count"} <= set(run.ignored)
    assert provider.parse(Response(200, (), b""), QUERY).ignored == ()


@EVERY
def test_requests_hold_the_key_only_where_it_is_named_a_secret(provider: NetworkProvider) -> None:
    full = query_for(provider, FULL)
    request = provider.request(full)
    held = request.url.encode() + request.body + b"".join(value.encode() for _, value in request.headers)
    assert request.secrets == ((KEY,) if KEY.encode() in held else ())
    request.url.encode("ascii")
    assert provider.request(full) == request


@EVERY
def test_facts_say_who_sees_the_query_and_under_which_terms(provider: NetworkProvider) -> None:
    facts = provider.facts
    assert re.fullmatch("[a-z][a-z-]*[a-z]", facts.name)
    assert facts.third_party
    assert facts.terms.url.startswith("https://")
    assert facts.terms.retention
    assert facts.endpoint.startswith("https://")


_TEXT = st.text(max_size=20) | st.sampled_from(["\ud800", "t\udfff<b>", "https://a.example/", "javascript:x", "\x00"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)
_FIELDS = [
    "url",
    "title",
    "content",
    "description",
    "snippet",
    "score",
    "engines",
    "engine",
    "publishedDate",
    "page_age",
    "published_date",
    "age",
    "language",
    "timestamp",
    "pageid",
    "wordcount",
    "category",
    "answer",
    "infobox",
]
_ROW = st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=6) | _JSON
_ROWS = st.lists(_ROW, max_size=4) | _JSON
_PARTS = st.fixed_dictionaries(
    {},
    optional={
        "results": _ROWS,
        "web": st.fixed_dictionaries({"results": _ROWS}) | _JSON,
        "query": st.fixed_dictionaries({"search": _ROWS, "searchinfo": _JSON, "altered": _JSON}) | _JSON,
        "unresponsive_engines": _ROWS,
        "answers": _ROWS,
        "infoboxes": _ROWS,
        "suggestions": _ROWS,
        "corrections": _ROWS,
        "videos": st.fixed_dictionaries({"results": _ROWS}) | _JSON,
        "error": st.fixed_dictionaries(
            {"code": _JSON, "message": _JSON, "retry_after_seconds": _JSON, "meta": _JSON, "detail": _JSON}
        )
        | _JSON,
        "detail": _JSON,
    },
)
_STATUS = st.sampled_from([200, 200, 200, 202, 204, 301, 400, 401, 403, 404, 422, 429, 432, 433, 500, 503, 999, 100])
_HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["Retry-After", "Date", "X-RateLimit-Remaining", "X-RateLimit-Reset", "CF-Mitigated"]),
        st.text(max_size=20) | st.sampled_from(["0", "1, 0", "99999999999", "Thu, 01 Jan 2026 00:00:00 GMT", "-1"]),
    ),
    max_size=3,
)


@settings(max_examples=150, deadline=None)
@given(value=_PARTS, status=_STATUS, headers=_HEADERS)
def test_no_json_of_any_shape_makes_a_parser_raise(value: Any, status: int, headers: list[tuple[str, str]]) -> None:
    body = json.dumps(value).encode()
    for provider in PROVIDERS.values():
        check(provider.parse(Response(status, tuple(headers), body), FULL))


@settings(max_examples=100, deadline=None)
@given(body=st.binary(max_size=400), status=_STATUS)
def test_no_bytes_make_a_parser_raise(body: bytes, status: int) -> None:
    for provider in PROVIDERS.values():
        check(provider.parse(Response(status, (), body), QUERY))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_damage_to_a_real_answer_makes_a_parser_raise(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(ENTRIES))
    body = bytearray(sample(entry["id"]).body)
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(body)))
        body[start : start + data.draw(st.integers(0, 50))] = data.draw(st.binary(max_size=20))
    check(PROVIDERS[entry["provider"]].parse(Response(entry["status"], (), bytes(body)), QUERY))


def searxng_answer(count: int) -> Response:
    rows = [{"url": f"https://a.example/{i}", "title": "t"} for i in range(count)]
    return Response(200, (), json.dumps({"results": rows}).encode())


def test_each_item_over_the_limit_is_counted() -> None:
    """An answer of 10,000 results was told as 501 in, 500 kept, 1 dropped: what is cut counted as one item."""
    run = PROVIDERS["searxng"].parse(searxng_answer(10_000), QUERY)
    assert (run.outcome, len(run.results), len(run.dropped)) == (RunOutcome.OK, 500, 9_500)
    assert run.dropped[0] == ("item 501", "over-items-limit")
    assert run.dropped[-1] == ("item 10000", "over-items-limit")


def test_each_part_of_a_brave_answer_that_is_no_web_result_is_counted() -> None:
    """Of other parts of the answer only the first 50 rows were counted."""
    parts = {"videos": {"results": [{"url": f"https://v.example/{n}"} for n in range(70)]}, "faq": {"results": [1, 2]}}
    body = json.dumps({"query": {}, "web": {"results": [{"url": "https://a.example/"}]}} | parts).encode()
    run = PROVIDERS["brave"].parse(Response(200, (), body), QUERY)
    assert (len(run.results), len(run.dropped)) == (1, 72)


def test_each_row_of_a_long_html_list_is_counted() -> None:
    """Rows behind the 500th were left out without a word."""
    row = '<div class="result"><a class="result__a" href="https://a.example/{}">t</a></div>'
    body = f'<div id="links">{"".join(row.format(n) for n in range(700))}</div>'.encode()
    run = PROVIDERS["duckduckgo"].parse(Response(200, (), body), QUERY)
    assert (len(run.results), len(run.dropped)) == (500, 200)
    assert run.dropped[0] == ("row 501", "over-items-limit")


@pytest.mark.parametrize("extra", [{}, {"unresponsive_engines": [["x", "timeout"]]}], ids=["whole", "degraded"])
def test_an_answer_of_absurd_length_is_too_large(extra: dict[str, Any]) -> None:
    body = json.dumps({"results": [0] * 20_001} | extra).encode()
    run = PROVIDERS["searxng"].parse(Response(200, (), body), QUERY)
    check(run)
    assert (run.outcome, run.results, run.dropped) == (RunOutcome.TOO_LARGE, (), ())
    assert run.detail == "searxng: an answer of 20001 items, over 20000"
    within = PROVIDERS["searxng"].parse(Response(200, (), json.dumps({"results": [0] * 20_000}).encode()), QUERY)
    assert (within.outcome, len(within.dropped)) == (RunOutcome.PARSE_ERROR, 20_000)


COUNTED = (
    rb"(?:[?&](?:count|srlimit|t|num|limit|rows|pagesize|per_page|hitsPerPage|retmax|max_results)=-?|"
    rb"\"(?:max_results|maxResults|limit|count|num|numResults)\":)([0-9]+)"
)
"""Where a request says how many results are wanted."""


@pytest.mark.parametrize("count", [1, 7, 20, 50])
@EVERY
def test_as_many_results_are_asked_for_as_are_wanted(provider: NetworkProvider, count: int) -> None:
    request = provider.request(dataclasses.replace(query_for(provider), count=count))
    asked = re.search(COUNTED, request.url.encode() + request.body)
    if "count" in provider.facts.applies:
        assert asked is not None
        assert int(asked[1]) == min(count, provider.facts.count_max)
    else:
        assert asked is None


def test_odd_values_do_not_reach_results() -> None:
    body = (
        b'{"query":"a","query":"b","results":[],"number_of_results":NaN,"big":1e999,"results":['
        b'{"title":"t\\ud800<b>","url":"javascript:alert(1)","content":{"a":1},"score":1},'
        b'{"title":"u","url":null},{"title":"v","url":7},{"url":["x"]},'
        b'{"title":"w","url":"https://site.example/\\r\\nX: y","score":true,"content":"a\\u0000b"},null,"text",[]]}'
    )
    run = PROVIDERS["searxng"].parse(Response(200, (), body), QUERY)
    check(run)
    assert [(r.title, r.url, r.snippet, r.score) for r in run.results] == [
        ("t\ufffd<b>", "javascript:alert(1)", "", "1"),
        ("w", "https://site.example/\r\nX: y", "ab", None),
    ]
    assert [reason for _, reason in run.dropped] == ["no-url"] * 3 + ["not-an-object"] * 3


def test_the_exchange_of_a_mocked_wire_says_that_it_was_rebuilt(respx_mock: respx.Router) -> None:
    respx_mock.post("https://api.tavily.com/search").mock(return_value=httpx.Response(200, json={"results": []}))
    exchange = exchange_of(PROVIDERS["tavily"].request(QUERY))
    assert "rebuilt" in exchange.departures


@pytest.mark.parametrize("name", ["tavily", "brave"])
def test_a_key_that_the_answer_repeats_reaches_no_run(name: str, ask: Ask, respx_mock: respx.Router) -> None:
    echo = {"error": {"code": "X", "message": f"bad key {KEY}"}, "detail": f"bad key {KEY}"}
    route = respx_mock.route().mock(return_value=httpx.Response(400, json=echo))
    run = ask(PROVIDERS[name])
    assert any(KEY in value for value in route.calls[0].request.headers.values())
    assert "bad key" in run.detail
    assert KEY not in repr(run)
