"""Services that give the texts of pages one names: what holds for all, and the traps of each.

Answers are built after the documentation of each service; the samples say where theirs come from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture.exchange import header
from searchlog.errors import UsageError
from searchlog.search.answers.asked import Asked, code_of
from searchlog.search.catalogue import EXTRACTORS, SERVICES
from searchlog.search.extractor import Extractor, run_of_texts
from searchlog.search.provider import Response
from searchlog.search.run import ITEMS_HARD_MAX, Run, RunOutcome
from tests.providers.conftest import ALL_ENTRIES, KEY, exchange_of, json_response, sample
from tests.providers.test_every import BAD_BODIES, check

A, B, C = "https://tides.example/tables", "https://gone.example/", "https://slow.example/a?b=1"
TEXT = "# Tide tables\n\nHigh water at noon."
MADE: dict[str, Extractor] = {name: made(KEY) for name, made in EXTRACTORS.items()}  # type: ignore[misc]
EVERY = pytest.mark.parametrize("extractor", MADE.values(), ids=MADE.keys())
MANY = ("tavily", "exa", "parallel")
ONE = ("firecrawl", "jina")
OF_MANY = pytest.mark.parametrize("extractor", [MADE[name] for name in MANY], ids=MANY)
OF_ONE = pytest.mark.parametrize("extractor", [MADE[name] for name in ONE], ids=ONE)


def tavily(texts: Mapping[str, str], failed: Mapping[str, str]) -> Response:
    rows = [{"url": url, "raw_content": content} for url, content in texts.items()]
    return json_response(
        {"results": rows, "failed_results": [{"url": url, "error": why} for url, why in failed.items()]}
    )


def exa(texts: Mapping[str, str], failed: Mapping[str, str]) -> Response:
    rows = [{"id": url, "url": url, "title": "t", "text": content} for url, content in texts.items()]
    good = [{"id": url, "status": "success"} for url in texts]
    bad = [{"id": url, "status": "error", "error": {"tag": why}} for url, why in failed.items()]
    return json_response({"results": rows, "statuses": good + bad})


def parallel(texts: Mapping[str, str], failed: Mapping[str, str]) -> Response:
    rows = [{"url": url, "excerpts": ["e"], "full_content": content} for url, content in texts.items()]
    errors = [{"url": url, "error_type": why, "http_status_code": 404} for url, why in failed.items()]
    return json_response({"results": rows, "errors": errors})


def firecrawl(texts: Mapping[str, str], failed: Mapping[str, str]) -> Response:
    if failed:
        return json_response({"success": False, "code": "SCRAPE_SITE_ERROR", "error": "no"}, 500)
    url, content = next(iter(texts.items()))
    page = {"markdown": content, "metadata": {"title": "t", "sourceURL": url, "url": url, "statusCode": 200}}
    return json_response({"success": True, "data": page})


def jina(texts: Mapping[str, str], failed: Mapping[str, str]) -> Response:
    if failed:
        body = {"data": None, "code": 422, "name": "AssertionFailureError", "status": 42206, "message": "no content"}
        return json_response(body, 422)
    url, content = next(iter(texts.items()))
    return json_response({"code": 200, "status": 20000, "data": {"url": url, "title": "t", "content": content}})


ANSWERS: dict[str, Callable[[Mapping[str, str], Mapping[str, str]], Response]] = {
    "tavily": tavily,
    "exa": exa,
    "parallel": parallel,
    "firecrawl": firecrawl,
    "jina": jina,
}


def answer(extractor: Extractor, texts: Mapping[str, str], failed: Mapping[str, str] | None = None) -> Response:
    return ANSWERS[extractor.facts.name](texts, failed or {})


def urls_of(extractor: Extractor) -> tuple[str, ...]:
    return (A, B, C)[: extractor.facts.count_max]


def check_texts(run: Run, urls: tuple[str, ...]) -> None:
    """Assert what every run of texts promises, whatever the bytes were."""
    check(run)
    assert run.outcome is not RunOutcome.EMPTY
    assert all(result.text for result in run.results)
    if run.outcome is RunOutcome.OK:
        assert {result.url for result in run.results} >= set(urls)
        assert run.dropped == ()


@EVERY
def test_a_text_of_each_page_is_ok(extractor: Extractor) -> None:
    urls = urls_of(extractor)
    run = extractor.parse(answer(extractor, dict.fromkeys(urls, TEXT)), urls)
    check_texts(run, urls)
    assert run.outcome is RunOutcome.OK
    assert [(result.url, result.text) for result in run.results] == [(url, TEXT) for url in urls]


@OF_MANY
def test_some_texts_are_degraded_and_each_other_page_is_dropped_with_a_code(extractor: Extractor) -> None:
    run = extractor.parse(answer(extractor, {A: TEXT}, {B: "CRAWL_NOT_FOUND"}), (A, B, C))
    check_texts(run, (A, B, C))
    assert run.outcome is RunOutcome.DEGRADED
    assert [result.url for result in run.results] == [A]
    assert [what for what, _ in run.dropped] == [B, C]
    assert run.dropped[0][1] == ("failed" if extractor.facts.name == "tavily" else "crawl-not-found")
    assert run.dropped[1][1] == "not-in-answer"
    assert "no text of 2 of 3 pages" in run.detail


@EVERY
def test_no_text_of_any_page_is_degraded_and_never_empty(extractor: Extractor) -> None:
    urls = urls_of(extractor)
    run = extractor.parse(answer(extractor, {}, dict.fromkeys(urls, "TIMEOUT")), urls)
    check_texts(run, urls)
    assert run.outcome is RunOutcome.DEGRADED
    assert run.results == ()
    assert [what for what, _ in run.dropped] == list(urls)


@OF_MANY
def test_an_answer_that_says_nothing_of_a_page_is_degraded(extractor: Extractor) -> None:
    run = extractor.parse(answer(extractor, {}), (A, B))
    assert run.outcome is RunOutcome.DEGRADED
    assert run.dropped == ((A, "not-in-answer"), (B, "not-in-answer"))


@EVERY
def test_a_page_without_a_word_is_no_text(extractor: Extractor) -> None:
    run = extractor.parse(answer(extractor, {A: " \n"}), (A,))
    assert (run.outcome, run.results) == (RunOutcome.DEGRADED, ())
    assert run.dropped == ((A, "no-text"),)


@OF_MANY
def test_a_page_named_a_little_otherwise_has_the_address_that_was_asked_for(extractor: Extractor) -> None:
    run = extractor.parse(
        answer(extractor, {"HTTPS://Tides.example/tables/": TEXT, "https://gone.example": "x"}), (A, B)
    )
    assert run.outcome is RunOutcome.OK
    assert [result.url for result in run.results] == [A, B]


@OF_MANY
def test_a_text_of_another_page_does_not_pass_for_that_of_one_asked_for(extractor: Extractor) -> None:
    run = extractor.parse(answer(extractor, {"https://elsewhere.example/": TEXT}), (A,))
    check_texts(run, (A,))
    assert run.outcome is RunOutcome.DEGRADED
    assert [result.url for result in run.results] == ["https://elsewhere.example/"]
    assert run.dropped == ((A, "not-in-answer"),)


@OF_ONE
def test_where_a_page_was_found_stands_beside_the_address_that_was_asked_for(extractor: Extractor) -> None:
    run = extractor.parse(answer(extractor, {"https://elsewhere.example/": TEXT}), (A,))
    assert run.outcome is RunOutcome.OK
    assert run.results[0].url == A
    assert run.results[0].extra == {"final_url": "https://elsewhere.example/"}


REFUSALS = [
    (401, {"error": "bad key"}, RunOutcome.AUTH),
    (402, {"error": "no credit"}, RunOutcome.QUOTA),
    (403, {"error": "not yours"}, RunOutcome.AUTH),
    (429, {"error": "slow down"}, RunOutcome.RATE_LIMITED),
    (400, {"error": "no such field"}, RunOutcome.BAD_REQUEST),
    (500, {"error": "broken"}, RunOutcome.UNAVAILABLE),
    (503, {"error": "away"}, RunOutcome.UNAVAILABLE),
    (301, {}, RunOutcome.UNAVAILABLE),
]


@EVERY
@pytest.mark.parametrize(("status", "body", "outcome"), REFUSALS, ids=[str(status) for status, _, _ in REFUSALS])
def test_a_refusal_of_the_service_is_a_typed_outcome(
    extractor: Extractor, respx_mock: respx.Router, status: int, body: dict[str, str], outcome: RunOutcome
) -> None:
    route = respx_mock.post(extractor.facts.endpoint)
    route.mock(return_value=httpx.Response(status, json=body, headers={"Retry-After": "9"}))
    run = run_of_texts(extractor, (A,), exchange_of(extractor.request((A,))))
    check_texts(run, (A,))
    assert (run.outcome, run.results) == (outcome, ())
    assert body.get("error", "") in run.detail
    waits = (RunOutcome.RATE_LIMITED, RunOutcome.UNAVAILABLE)
    assert run.retry_after_s == (9 if outcome in waits else None)


@pytest.mark.parametrize("name", ["tavily", "firecrawl", "jina"])
@pytest.mark.parametrize("status", [401, 403, 429])
def test_without_a_key_a_refusal_says_which_to_set(name: str, status: int) -> None:
    run = EXTRACTORS[name]().parse(json_response({"error": "no"}, status), (A,))  # type: ignore[attr-defined]
    assert run.outcome is (RunOutcome.RATE_LIMITED if status == 429 else RunOutcome.AUTH)
    assert f"set {EXTRACTORS[name].FACTS.key_env[0]}" in run.detail


@EVERY
@pytest.mark.parametrize(
    ("error", "outcome"),
    [(httpx.ReadTimeout("slow"), RunOutcome.TIMEOUT), (httpx.ConnectError("refused"), RunOutcome.OFFLINE)],
    ids=["timeout", "refused"],
)
def test_a_failing_wire_is_a_typed_outcome(
    extractor: Extractor, respx_mock: respx.Router, error: Exception, outcome: RunOutcome
) -> None:
    respx_mock.route().mock(side_effect=error)
    assert run_of_texts(extractor, (A,), exchange_of(extractor.request((A,)))).outcome is outcome


@EVERY
@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_body_that_cannot_be_read_is_a_parse_error(extractor: Extractor, body: bytes) -> None:
    run = extractor.parse(Response(200, (), body), (A,))
    check_texts(run, (A,))
    assert run.outcome is RunOutcome.PARSE_ERROR


@EVERY
def test_a_declared_challenge_is_blocked(extractor: Extractor) -> None:
    challenge = Response(403, (("CF-Mitigated", "challenge"),), b"<html>Just a moment</html>")
    expected = RunOutcome.BLOCKED
    assert extractor.parse(challenge, (A,)).outcome is expected


@OF_MANY
def test_an_answer_of_absurd_length_is_too_large(extractor: Extractor) -> None:
    run = extractor.parse(json_response({"results": [0] * (ITEMS_HARD_MAX + 1)}), (A,))
    assert (run.outcome, run.results) == (RunOutcome.TOO_LARGE, ())


SAMPLES = [entry for entry in ALL_ENTRIES if entry["provider"].endswith("_extract")]
SAMPLES = [entry for entry in SAMPLES if entry["provider"].removesuffix("_extract") in EXTRACTORS]


@pytest.mark.parametrize("entry", SAMPLES, ids=[entry["id"] for entry in SAMPLES])
def test_each_sample_is_read_as_expected(entry: dict[str, Any]) -> None:
    extractor = MADE[entry["provider"].removesuffix("_extract")]
    urls = tuple(expected["url"] for expected in entry["first"]) or (B,)
    if entry["outcome"] == "degraded" and entry["results"]:
        urls = (*urls, B)
    run = extractor.parse(sample(entry["id"]), urls)
    check_texts(run, urls)
    assert (run.outcome, len(run.results)) == (entry["outcome"], entry["results"])
    for expected, result in zip(entry["first"], run.results, strict=True):
        assert result.url == expected["url"]
        assert expected["title"] is None or result.title == expected["title"]
    assert sum(bool(result.published) for result in run.results) == entry["dates"]


def test_every_service_for_texts_has_samples() -> None:
    assert {entry["provider"].removesuffix("_extract") for entry in SAMPLES} == set(EXTRACTORS)


@EVERY
def test_the_key_stands_in_one_header_and_is_named_a_secret(extractor: Extractor) -> None:
    request = extractor.request((A,))
    assert request.secrets == (KEY,)
    assert sum(KEY in value for _, value in request.headers) == 1
    assert KEY not in request.url
    assert KEY.encode() not in request.body
    request.url.encode("ascii")
    request.body.decode("ascii")
    assert extractor.request((A,)) == request


@EVERY
def test_a_key_that_the_answer_repeats_reaches_no_run(extractor: Extractor, respx_mock: respx.Router) -> None:
    echo = {"error": f"bad key {KEY}", "message": f"bad key {KEY}"}
    respx_mock.route().mock(return_value=httpx.Response(400, json=echo))
    run = run_of_texts(extractor, (A,), exchange_of(extractor.request((A,))))
    assert "bad key" in run.detail
    assert KEY not in repr(run)


@pytest.mark.parametrize("name", EXTRACTORS)
def test_who_needs_a_key_says_which_and_who_needs_none_sends_none(name: str) -> None:
    made, facts = EXTRACTORS[name], EXTRACTORS[name].FACTS
    if facts.key == "required":
        with pytest.raises(UsageError, match=f"set {facts.key_env[0]}"):
            made()
        return
    keyless = made()
    request = keyless.request((A,))  # type: ignore[attr-defined]
    assert request.secrets == ()
    assert header(request.headers, "Authorization") is None
    assert keyless.facts.keyless


def test_each_bears_the_name_of_the_provider_that_runs_it() -> None:
    assert set(EXTRACTORS) == {"tavily", "exa", "firecrawl", "jina", "parallel"}
    for name, made in EXTRACTORS.items():
        assert name in SERVICES
        assert made.FACTS.key_env == SERVICES[name].FACTS.key_env
        assert "text" in made.FACTS.returns
        assert made.FACTS.endpoint != SERVICES[name].FACTS.endpoint


@pytest.mark.parametrize(("name", "path"), [("tavily", "/extract"), ("exa", "/contents"), ("jina", "/")])
def test_another_address_can_be_given(name: str, path: str) -> None:
    made = EXTRACTORS[name](KEY, "http://127.0.0.1:9/")
    assert made.request((A,)).url == "http://127.0.0.1:9" + path  # type: ignore[attr-defined]


def test_requests_name_their_pages() -> None:
    bodies = {name: json.loads(made.request(urls_of(made)).body) for name, made in MADE.items()}
    assert bodies == {
        "tavily": {"urls": [A, B, C], "extract_depth": "basic", "format": "markdown", "include_images": False},
        "exa": {"urls": [A, B, C], "text": True},
        "parallel": {"urls": [A, B, C], "advanced_settings": {"full_content": True}},
        "firecrawl": {"url": A, "formats": ["markdown"], "onlyMainContent": True, "skipTlsVerification": False},
        "jina": {"url": A},
    }


# what is of one service only


@pytest.mark.parametrize("status", [432, 433])
def test_tavilys_money_codes_are_quota(status: int) -> None:
    run = MADE["tavily"].parse(json_response({"detail": {"error": "over the plan"}}, status), (A,))
    assert run.outcome is RunOutcome.QUOTA
    assert "over the plan" in run.detail


def test_what_tavily_says_of_a_failure_is_kept() -> None:
    run = MADE["tavily"].parse(tavily({}, {A: "no <b>answer</b>"}), (A,))
    assert run.dropped == ((A, "failed"),)
    assert run.notes == (f"{A}: no <b>answer</b>",)


@pytest.mark.parametrize(
    ("error", "code"),
    [({"tag": "CRAWL_LIVECRAWL_TIMEOUT"}, "crawl-livecrawl-timeout"), ({"tag": 7}, "failed"), (None, "failed")],
    ids=["tag", "odd-tag", "no-tag"],
)
def test_exas_status_of_a_page_is_its_code(error: object, code: str) -> None:
    rows = [{"id": A, "status": "error", "error": error}]
    run = MADE["exa"].parse(json_response({"results": [], "statuses": rows}), (A,))
    assert run.dropped == ((A, code),)


def test_a_page_that_exa_calls_read_without_a_text_is_not_in_the_answer() -> None:
    run = MADE["exa"].parse(json_response({"results": [], "statuses": [{"id": A, "status": "success"}]}), (A,))
    assert run.dropped == ((A, "not-in-answer"),)


def test_exa_names_the_page_asked_for_in_its_id_when_the_address_is_another() -> None:
    row = {"id": A, "url": "https://elsewhere.example/", "text": TEXT}
    run = MADE["exa"].parse(json_response({"results": [row], "statuses": []}), (A,))
    assert (run.outcome, run.results[0].url) == (RunOutcome.OK, A)


def test_an_excerpt_of_parallel_is_no_text_of_a_page() -> None:
    row = {"url": A, "excerpts": ["a part"], "full_content": None}
    run = MADE["parallel"].parse(json_response({"results": [row], "errors": []}), (A,))
    assert run.dropped == ((A, "no-text"),)


@pytest.mark.parametrize("status", [400, 404, 503])
def test_the_text_of_an_error_page_is_no_text_of_the_page(status: int) -> None:
    page = {"markdown": "# Not here", "metadata": {"statusCode": status, "url": A}}
    run = MADE["firecrawl"].parse(json_response({"success": True, "data": page}), (A,))
    assert (run.outcome, run.dropped) == (RunOutcome.DEGRADED, ((A, f"http-{status}"),))
    warned = {"content": "# Not here", "url": A, "warning": f"Target URL returned error {status}: Not here"}
    run = MADE["jina"].parse(json_response({"code": 200, "data": warned}), (A,))
    assert (run.outcome, run.dropped) == (RunOutcome.DEGRADED, ((A, f"http-{status}"),))


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (
            500,
            {"success": False, "code": "SCRAPE_DNS_RESOLUTION_ERROR", "error": "no such host"},
            "scrape-dns-resolution-error",
        ),
        (200, {"success": False, "code": "SCRAPE_SSL_ERROR", "error": "bad certificate"}, "scrape-ssl-error"),
        (408, {"success": False, "error": "Request timed out"}, "scrape-timeout"),
    ],
    ids=["dns", "tls-in-200", "timeout"],
)
def test_what_firecrawl_could_not_read_is_no_failure_of_firecrawl(status: int, body: dict[str, Any], code: str) -> None:
    run = MADE["firecrawl"].parse(json_response(body, status), (A,))
    assert (run.outcome, run.dropped) == (RunOutcome.DEGRADED, ((A, code),))
    assert body["error"] in run.notes


@pytest.mark.parametrize(
    ("status", "name", "code"),
    [
        (422, "AssertionFailureError", "assertion-failure"),
        (400, "ParamValidationError", "param-validation"),
        (451, "SecurityCompromiseError", "security-compromise"),
        (403, "OperationNotAllowedError", "operation-not-allowed"),
        (503, "ServiceBadAttemptError", "service-bad-attempt"),
    ],
)
def test_what_jina_could_not_read_is_no_failure_of_jina(status: int, name: str, code: str) -> None:
    run = MADE["jina"].parse(json_response({"data": None, "name": name, "message": "said why"}, status), (A,))
    assert (run.outcome, run.dropped) == (RunOutcome.DEGRADED, ((A, code),))
    assert run.notes == ("said why",)


def test_a_name_of_a_page_failure_in_a_good_answer_of_jina_means_nothing() -> None:
    body = {"name": "AssertionFailureError", "data": {"url": A, "content": TEXT}}
    assert MADE["jina"].parse(json_response(body), (A,)).outcome is RunOutcome.OK


# which page a row is about


@pytest.mark.parametrize(
    ("urls", "name", "found"),
    [
        ((A,), A, A),
        ((A,), A + "/", A),
        ((A,), A + "#top", A),
        ((A,), A + "?x=1", None),
        ((A,), "http://tides.example/tables", None),
        ((A, A + "/"), A + "/", A + "/"),
        ((A, A + "/"), A + "#top", None),
        (("http://[::1",), "http://[::1", "http://[::1"),
        ((A,), "http://[::1", None),
        ((A,), 7, None),
        ((A,), "", None),
    ],
    ids=[
        "same",
        "slash",
        "fragment",
        "query",
        "scheme",
        "exact-first",
        "two-alike",
        "odd",
        "odd-other",
        "type",
        "none",
    ],
)
def test_a_page_is_found_by_its_own_address_only(urls: tuple[str, ...], name: object, found: str | None) -> None:
    assert Asked(urls).find(name) == found


@pytest.mark.parametrize(
    ("name", "code"),
    [("CRAWL_NOT_FOUND", "crawl-not-found"), ("fetch_error", "fetch-error"), ("BadAttempt", "bad-attempt"),
     ("../é\ud800", "failed"), ("", "failed"), (None, "failed"), ("a" * 500, "a" * 60)],
    ids=["upper", "snake", "camel", "odd", "empty", "none", "long"],
)  # fmt: skip
def test_a_code_is_short_and_plain(name: object, code: str) -> None:
    assert code_of(name) == code


# hostile answers

_TEXT = st.text(max_size=20) | st.sampled_from(["\ud800", "t\udfff", A, A + "/", B, "javascript:x", "\x00", "SCRAPE_X"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=10,
)
_FIELDS = ["url", "id", "title", "text", "raw_content", "full_content", "status", "error", "error_type", "author",
           "http_status_code", "publishedDate", "publish_date", "excerpts"]  # fmt: skip
_ROW = st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=6) | _JSON
_ROWS = st.lists(_ROW, max_size=4) | _JSON
_PAGE = st.fixed_dictionaries(
    {},
    optional={
        "markdown": _JSON,
        "content": _JSON,
        "url": _JSON,
        "title": _JSON,
        "warning": _JSON,
        "publishedTime": _JSON,
        "metadata": st.fixed_dictionaries({}, optional={"statusCode": _JSON, "url": _JSON, "title": _JSON}) | _JSON,
    },
)
_PARTS = st.fixed_dictionaries(
    {},
    optional={
        "results": _ROWS,
        "failed_results": _ROWS,
        "statuses": _ROWS,
        "errors": _ROWS,
        "warnings": _ROWS,
        "data": _PAGE | _JSON,
        "success": st.booleans() | _JSON,
        "code": _JSON,
        "name": st.sampled_from(["AssertionFailureError", "x"]) | _JSON,
        "error": st.fixed_dictionaries({"message": _JSON, "retry_after_seconds": _JSON}) | _JSON,
        "tag": _JSON,
        "retryAfter": _JSON,
    },
)
_STATUS = st.sampled_from([200, 200, 200, 204, 301, 400, 401, 402, 403, 404, 408, 422, 429, 432, 451, 500, 503, 999])


@settings(max_examples=150, deadline=None)
@given(value=_PARTS, status=_STATUS)
def test_no_json_of_any_shape_makes_a_parser_raise(value: Any, status: int) -> None:
    body = json.dumps(value).encode()
    for extractor in MADE.values():
        check_texts(extractor.parse(Response(status, (), body), (A, B)), (A, B))


@settings(max_examples=100, deadline=None)
@given(body=st.binary(max_size=400), status=_STATUS)
def test_no_bytes_make_a_parser_raise(body: bytes, status: int) -> None:
    for extractor in MADE.values():
        check_texts(extractor.parse(Response(status, (), body), (A,)), (A,))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_damage_to_an_answer_makes_a_parser_raise(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(SAMPLES))
    body = bytearray(sample(entry["id"]).body)
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(body)))
        body[start : start + data.draw(st.integers(0, 50))] = data.draw(st.binary(max_size=20))
    extractor = MADE[entry["provider"].removesuffix("_extract")]
    check_texts(extractor.parse(Response(entry["status"], (), bytes(body)), (A, B)), (A, B))
