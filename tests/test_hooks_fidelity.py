"""How true a result is to what was read is told from its content, and never more than that allows."""

from __future__ import annotations

from typing import Any

import pytest

from searchlog.hooks.agents import AGENTS
from searchlog.hooks.event import parse_event
from searchlog.hooks.shapes import urls_within
from tests.hook_inputs import agent_of, event, given

URL = "https://example.org/mill"
HIT = {"title": "Tide mill", "url": URL}
SEALED = {"type": "encrypted_content", "encrypted_content": "gAAAAABqSEAL"}


def found(*results: Any, **more: Any) -> dict[str, Any]:
    return {"query": "tide mills", "results": list(results), "durationSeconds": 1.5, **more}


def hits(*items: Any) -> dict[str, Any]:
    return {"tool_use_id": "srvtoolu_1", "content": list(items)}


def fetched(**more: Any) -> dict[str, Any]:
    return {"bytes": 9, "code": 200, "codeText": "OK", "result": "It mills.", "durationMs": 3, "url": URL, **more}


@pytest.mark.parametrize(
    ("name", "fidelity", "urls", "error"),
    [
        ("claude-code-web-search.json", "readable-derived", (URL, "https://example.org/gate"), None),
        ("claude-code-web-fetch.json", "readable-derived", ("https://127.0.0.1:18443/x",), None),
        (
            "claude-code-web-fetch-redirect.json",
            "pointer",
            ("https://127.0.0.1:18443/r", "https://other.example/elsewhere"),
            None,
        ),
        ("claude-code-web-fetch-404.json", "withheld", ("https://127.0.0.1:18443/404",), "http-404"),
        ("claude-code-web-fetch-failed.json", "unknown", ("https://127.0.0.1:18443/x",), "tool-failed"),
        ("codex-webrun.json", "verbatim", ("https://www.iana.org/help/example-domains",), None),
        ("codex-webrun-in-exec.json", "verbatim", ("https://www.iana.org/help/example-domains",), None),
        ("codex-webrun-empty.json", "withheld", (), None),
    ],
)
def test_results_that_agents_gave(name: str, fidelity: str, urls: tuple[str, ...], error: str | None) -> None:
    judged = AGENTS[agent_of(name)].judge(parse_event(given(name)))
    assert (judged.fidelity, judged.urls, judged.error) == (fidelity, urls, error)


@pytest.mark.parametrize(
    ("response", "fidelity", "urls"),
    [
        (found(hits(HIT)), "pointer", (URL,)),
        (found(hits({**HIT, "snippet": "The mill stores the flood."})), "readable-derived", (URL,)),
        (found(hits({**HIT, "snippet": " "})), "pointer", (URL,)),
        (found(hits(HIT), "Mills store the flood."), "readable-derived", (URL,)),
        (found(hits({**HIT, "encrypted_content": "RW5j"})), "sealed", (URL,)),
        (found(hits({**HIT, "encrypted_content": "RW5j"}), "Mills."), "readable-derived", (URL,)),
        (found(hits(HIT), "Web search error: max_uses_exceeded"), "pointer", (URL,)),
        (found(hits(), "  "), "unknown", ()),
        (found(), "unknown", ()),
        (found(HIT), "pointer", (URL,)),
        ({"results": [{**HIT, "snippet": "Words."}], "total_results": 1, "query": "q"}, "readable-derived", (URL,)),
        ({"detachedToolCall": True}, "withheld", ()),
        ("Web search results: none", "readable-derived", ()),
        ("", "unknown", ()),
        ({"results": "soon"}, "unknown", ()),
        ({"results": [None, 7, [HIT]]}, "pointer", (URL,)),
        (None, "unknown", ()),
        ([SEALED], "sealed", ()),
        (found(hits({"title": "x", "url": 7}, {"url": "javascript:alert(1)"})), "unknown", ()),
    ],
    ids=lambda value: repr(value)[:70],
)
def test_searches_of_claude_code(response: Any, fidelity: str, urls: tuple[str, ...]) -> None:
    judged = AGENTS["claude-code"].judge(event("WebSearch", {"query": "tide mills"}, response))
    assert (judged.fidelity, judged.urls) == (fidelity, urls)


def test_search_that_failed_is_an_error() -> None:
    judged = AGENTS["claude-code"].judge(event("WebSearch", {}, found("Web search error: unavailable")))
    assert (judged.fidelity, judged.error) == ("unknown", "tool-failed")


@pytest.mark.parametrize(
    ("response", "fidelity", "error"),
    [
        (fetched(), "readable-derived", None),
        (fetched(result=" \n"), "withheld", None),
        (fetched(code=301, result="REDIRECT"), "pointer", None),
        (fetched(code=503), "withheld", "http-503"),
        (fetched(code="200"), "readable-derived", None),
        ({"response": "It mills.", "url": URL, "status_code": 200}, "readable-derived", None),
        ({"detachedToolCall": True}, "withheld", None),
        ("It mills.", "readable-derived", None),
        ("", "withheld", None),
        ({"result": {"pages": []}}, "unknown", None),
        ({"content": [SEALED]}, "sealed", None),
        (7, "unknown", None),
    ],
    ids=lambda value: repr(value)[:70],
)
def test_fetches_of_claude_code(response: Any, fidelity: str, error: str | None) -> None:
    judged = AGENTS["claude-code"].judge(event("WebFetch", {"url": URL, "prompt": "what"}, response))
    assert (judged.fidelity, judged.urls, judged.error) == (fidelity, (URL,), error)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("response", "fidelity", "error"),
    [
        ([{"type": "text", "text": "Mills."}], "verbatim", None),
        ({"content": [{"type": "text", "text": "Mills."}], "structuredContent": {}}, "verbatim", None),
        ("Mills.", "verbatim", None),
        ({"content": [{"type": "text", "text": "no"}], "isError": True}, "verbatim", "tool-failed"),
        ([{"type": "resource_link", "uri": URL, "name": "mill"}], "pointer", None),
        ([{"type": "image", "data": "aGk="}], "unknown", None),
        ([{"type": "text", "text": "Mills."}, SEALED], "sealed", None),
        ([], "unknown", None),
        (None, "unknown", None),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_results_of_mcp_tools(agent: str, response: Any, fidelity: str, error: str | None) -> None:
    judged = AGENTS[agent].judge(event("mcp__mill__find", {"q": "x"}, response))
    assert (judged.fidelity, judged.error) == (fidelity, error)


@pytest.mark.parametrize(
    ("response", "fidelity"),
    [
        ([{"type": "input_text", "text": "Mills."}], "verbatim"),
        ([SEALED], "sealed"),
        ([{"type": "input_text", "text": "Mills."}, SEALED], "sealed"),
        ({"output": "", "encrypted_output": "gAAAAABq"}, "sealed"),
        ([{"type": "input_text", "text": " "}], "withheld"),
        ([], "withheld"),
        ("", "withheld"),
        ("Mills.", "verbatim"),
        ([{"type": "input_image", "image_url": "data:"}], "unknown"),
        ({"results": []}, "unknown"),
        (None, "unknown"),
    ],
    ids=lambda value: repr(value)[:60],
)
@pytest.mark.parametrize("tool", ["webrun", "web.run", "web__run"])
def test_searches_of_codex(tool: str, response: Any, fidelity: str) -> None:
    assert AGENTS["codex"].judge(event(tool, {}, response)).fidelity == fidelity


def test_pages_that_codex_opened_or_found_are_named() -> None:
    asked = {"open": [{"ref_id": URL}, {"ref_id": "turn0search1"}, 7], "click": [{"ref_id": "turn0view0", "id": 1}]}
    marker = "\ue200cite\ue202turn0search0\ue201"
    text = f"Tide mill (https://en.example.org/wiki/Mill_(tide))\n{marker} See (https://no.example/) x"
    judged = AGENTS["codex"].judge(event("webrun", asked, [{"type": "input_text", "text": text}]))
    assert judged.urls == (URL, "https://en.example.org/wiki/Mill_(tide)")


@pytest.mark.parametrize("tool", ["Bash", "Read", "", "WebSomething"])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_other_tools_are_not_known(agent: str, tool: str) -> None:
    assert AGENTS[agent].judge(event(tool, {"url": URL}, {"result": "words", "stdout": "x"})).fidelity == "unknown"


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_could_not_be_read_is_not_known(agent: str) -> None:
    judged = AGENTS[agent].judge(parse_event(b'{"tool_name":"WebFetch","tool_response":{"result":"wor'))
    assert (judged.fidelity, judged.urls, judged.error) == ("unknown", (), None)


def test_interrupted_tool_is_told_from_one_that_failed() -> None:
    more = {"hook_event_name": "PostToolUseFailure", "error": "stopped", "is_interrupt": True}
    assert AGENTS["claude-code"].judge(event("WebFetch", {}, None, **more)).error == "interrupted"
    more["is_interrupt"] = False
    assert AGENTS["claude-code"].judge(event("WebFetch", {}, None, **more)).error == "tool-failed"


def test_addresses_fit_into_a_record() -> None:
    many = [f"https://example.org/{n}" for n in range(200)]
    assert urls_within(many) == tuple(many[:50])
    assert urls_within([URL, URL, "ftp://x/", "https://a b/", "https://a\n/", None, "https://x/" + "y" * 2_000]) == (
        URL,
    )
    assert 0 < sum(map(len, urls_within(f"https://example.org/{n}/" + "é" * 900 for n in range(50)))) < 16_000


def test_results_nested_without_end_cost_little() -> None:
    response: Any = HIT
    for _ in range(300):
        response = [response]
    assert AGENTS["claude-code"].judge(event("WebSearch", {}, found(response))).fidelity == "unknown"
