"""A whole response handled: replies in each API's form, what was said kept, one session shared by several models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from searchlog import records
from searchlog.digest import Digest
from searchlog.errors import UsageError
from searchlog.evidence.render import parse_rendering
from searchlog.session import Session
from searchlog.tool.apis.known import APIS
from searchlog.tool.apis.markers import parse_markers
from searchlog.tool.face import Tool
from tests.adapters import QUERIES, Meeting
from tests.searches import HTML, bodies, findings, opened
from tests.sites import serve
from tests.test_tool_search import asked, at_work, tool_of

Made = Mapping[str, Any]


def calling(api: str, *calls: tuple[str, Any]) -> Made:
    """Return a response of this API that makes these calls, ids counted from 1."""
    numbered = [(f"call_{n}", name, arguments) for n, (name, arguments) in enumerate(calls, 1)]
    match api:
        case "anthropic":
            blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in numbered]
            return {"model": "claude-x", "role": "assistant", "content": blocks, "stop_reason": "tool_use"}
        case "openai-responses":
            items = [
                {"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": n, "arguments": json.dumps(a)}
                for i, n, a in numbered
            ]
            return {"model": "gpt-x", "object": "response", "output": items}
        case "openai-chat":
            made = [
                {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
                for i, n, a in numbered
            ]
            message = {"role": "assistant", "content": None, "tool_calls": made}
            return {"model": "llama-x", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
        case "gemini":
            parts = [{"functionCall": {"id": i, "name": n, "args": a}} for i, n, a in numbered]
            return {"modelVersion": "gemini-x", "candidates": [{"content": {"role": "model", "parts": parts}}]}
        case _:
            steps = [{"type": "function_call", "id": i, "name": n, "arguments": a} for i, n, a in numbered]
            return {"model": "gemini-y", "object": "interaction", "steps": steps}


def saying(api: str, text: str) -> Made:
    """Return a response of this API that is a final text."""
    match api:
        case "anthropic":
            return {"model": "claude-x", "role": "assistant", "content": [{"type": "text", "text": text}]}
        case "openai-responses":
            content = [{"type": "output_text", "text": text, "annotations": []}]
            return {"model": "gpt-x", "output": [{"type": "message", "role": "assistant", "content": content}]}
        case "openai-chat":
            return {"model": "llama-x", "choices": [{"message": {"role": "assistant", "content": text}}]}
        case "gemini":
            content = {"role": "model", "parts": [{"text": text}]}
            return {"modelVersion": "gemini-x", "candidates": [{"content": content}]}
        case _:
            content = [{"type": "text", "text": text}]
            return {"model": "gemini-y", "steps": [{"type": "model_output", "content": content}]}


def shown(api: str, messages: list[dict[str, Any]], tool: Tool) -> dict[str, str]:
    """Return the text of each passage in the messages, by id, as the model of this API reads it."""
    match api:
        case "anthropic":
            texts = [
                block["text"]
                for message in messages
                for reply in message["content"]
                for result in reply["content"]
                if result["type"] == "search_result"
                for block in result["content"]
            ]
            ids = [name for body in bodies(tool.session, records.ToolResult)[-1:] for one in body.index for name in one]
            return dict(zip(ids, texts, strict=True))
        case "openai-responses":
            return _in_text(messages[0]["output"], tool)
        case "openai-chat":
            return _in_text(messages[0]["content"], tool)
        case "gemini":
            answers = [part["functionResponse"]["response"] for message in messages for part in message["parts"]]
            return {one["id"]: one["text"] for answer in answers for one in answer["output"]["evidence"]}
        case _:
            results = [message["result"] for message in messages]
            values = [json.loads(result) if isinstance(result, str) else result for result in results]
            return {one["id"]: one["text"] for value in values for one in value["evidence"]}


def _in_text(text: str, tool: Tool) -> dict[str, str]:
    if tool.citations == "markers":
        return {one.id: one.text for one in parse_markers(text)}
    return {one.id: one.shown for one in parse_rendering(text)}


def kept(session: Session) -> list[tuple[records.Message, Any]]:
    return [
        (body, json.loads(session.ledger.blobs.get(Digest(body.content.blob))))
        for body in bodies(session, records.Message)
    ]


SEARCH = ("web_search", {"query": "tide mill pond gate", "domains": [], "freshness": "any", "fresh": False})
FORMS = [(api, "ids") for api in APIS] + [("openai-responses", "markers"), ("openai-chat", "markers")]


@pytest.mark.parametrize(("api", "citations"), FORMS, ids=["-".join(form) for form in FORMS])
def test_two_vendors_on_one_session_are_given_equal_bytes(api: str, citations: str) -> None:
    with at_work() as (site, _, session, tool):
        first = tool.call("web_search", SEARCH[1])
        other = Tool(session, citations=citations)
        messages = other.handle(api, calling(api, SEARCH))
        assert shown(api, messages, other) == {one.id: one.text for one in first.passages}
        assert len(asked(site)) == 1
        (_, told) = bodies(session, records.ToolResult)
        assert (told.reused, told.form, told.evidence) == (2, api, first.evidence)
        assert findings(session) == []


@pytest.mark.parametrize("api", APIS)
def test_what_was_handed_back_is_stored_byte_for_byte(api: str) -> None:
    with at_work() as (_, _, session, tool):
        messages = tool.handle(api, calling(api, SEARCH))
        (told,) = bodies(session, records.ToolResult)
        reply = session.ledger.blobs.get(Digest(told.content.blob)).decode()
        assert json.loads(reply) in _replies(api, messages)
        line = f"searchlog head: searchlog/{session.id} {told.head['size']} {told.head['root']}"
        assert line in reply
        assert session.ledger.load(told.evidence) == ["e1", "e2", "e3", "e4"]


def _replies(api: str, messages: list[dict[str, Any]]) -> list[Any]:
    inside = {"anthropic": "content", "gemini": "parts"}.get(api)
    return [reply for message in messages for reply in (message[inside] if inside else [message])]


@pytest.mark.parametrize("api", APIS)
def test_every_call_of_a_response_is_answered_once_and_in_order(api: str) -> None:
    with at_work() as (site, _, session, tool):
        response = calling(
            api,
            SEARCH,
            ("open_page", {"page": site.url + "/wheel", "start": 0}),
            SEARCH,
            ("find_in_page", {}),
            ("no_such_tool", {"a": 1}),
            ("verify_evidence", {"ids": ["e1"], "live": "perhaps"}),
        )
        messages = tool.handle(api, response)
        replies = _replies(api, messages)
        assert len(replies) == 6
        assert [_id(api, reply) for reply in replies] == [f"call_{n}" for n in range(1, 7)]
        assert len(asked(site)) == 1
        outcomes = {body.call_id: (body.name, body.error) for body in bodies(session, records.ToolResult)}
        assert outcomes == {
            "call_1": ("web_search", None),
            "call_2": ("open_page", None),
            "call_3": ("web_search", None),
            "call_4": ("find_in_page", "bad-arguments"),
            "call_5": ("no_such_tool", "unknown-tool"),
            "call_6": ("verify_evidence", "bad-arguments"),
        }
        assert findings(session) == []


def test_different_calls_of_a_response_run_side_by_side() -> None:
    together = Meeting(len(QUERIES))
    with at_work(progress=together) as (_, _, session, tool):
        calls = [("web_search", {"query": query}) for query in QUERIES]
        replies = tool.handle("openai-chat", calling("openai-chat", *calls))
        assert together.happened
        assert [reply["tool_call_id"] for reply in replies] == ["call_1", "call_2", "call_3"]
        assert {body.outcome for body in bodies(session, records.ToolResult)} == {"ok"}
        assert findings(session) == []


def _id(api: str, reply: Mapping[str, Any]) -> Any:
    where: dict[str, Callable[[Mapping[str, Any]], Any]] = {
        "anthropic": lambda one: one["tool_use_id"],
        "openai-responses": lambda one: one["call_id"],
        "openai-chat": lambda one: one["tool_call_id"],
        "gemini": lambda one: one["functionResponse"]["id"],
        "gemini-interactions": lambda one: one["call_id"],
    }
    return where[api](reply)


@pytest.mark.parametrize("api", APIS)
def test_an_answer_is_kept_with_what_it_cites_and_ends_the_loop(api: str) -> None:
    with at_work() as (_, _, session, tool):
        tool.handle(api, calling(api, SEARCH))
        text = "The pond stores the flood [e1]. Its gate needs no keeper [e3] [e77]."
        assert tool.handle(api, saying(api, text)) == []
        (first, _), (last, value) = kept(session)
        assert (first.calls, first.citations) == (1, [])
        assert value == saying(api, text)
        assert (last.role, last.form, last.calls) == ("assistant", api, None)
        assert last.model == {**calling(api), **saying(api, text)}.get("model", "gemini-x")
        given = {body.id: body.digest for body in bodies(session, records.Evidence)}
        told = [(one["form"], one["target"], one["evidence"], one["digest"]) for one in last.citations]
        assert told == [("id", "e1", "e1", given["e1"]), ("id", "e3", "e3", given["e3"]), ("id", "e77", None, None)]
        assert text[last.citations[0]["start"] : last.citations[0]["end"]].startswith("The pond stores")
        (answer,) = session.verify(kept_answers=True).answers
        assert answer.answer.text == text
        assert findings(session) == []


def test_markers_are_read_back_as_evidence() -> None:
    with at_work(citations="markers") as (_, _, session, tool):
        tool.handle("openai-responses", calling("openai-responses", SEARCH))
        text = "The pond stores the flood \ue200cite\ue202turn0block1\ue202turn0block3\ue201."
        tool.handle("openai-responses", saying("openai-responses", text))
        (_, _), (last, _) = kept(session)
        assert [(one["form"], one["evidence"]) for one in last.citations] == [("marker", "e1"), ("marker", "e3")]
        (answer,) = session.verify(kept_answers=True).answers
        assert not [finding for finding in answer.report.findings if finding.code == "unknown-evidence"]


def citing(messages: list[Any], *places: tuple[int, int, int]) -> Made:
    """Return an answer of Anthropic's API that cites blocks of the request by number, as the API makes them."""
    results = [
        result
        for message in messages
        for block in (message["content"] if isinstance(message["content"], list) else [])
        for result in (block["content"] if block["type"] == "tool_result" else [block])
        if result["type"] == "search_result"
    ]
    content: list[Any] = []
    for number, first, last in places:
        result = results[number]
        location = {
            "type": "search_result_location",
            "source": result["source"],
            "title": result["title"],
            "cited_text": "".join(block["text"] for block in result["content"][first:last]),
            "search_result_index": number,
            "start_block_index": first,
            "end_block_index": last,
        }
        content += [{"type": "text", "text": "It is so.", "citations": [location]}, {"type": "text", "text": " And "}]
    return {"model": "claude-x", "role": "assistant", "content": content}


def test_native_citations_are_mapped_to_evidence_by_the_request_they_answer() -> None:
    with at_work() as (_, _, session, tool):
        messages: list[Any] = [{"role": "user", "content": "tide mills?"}]
        for response in (calling("anthropic", SEARCH), calling("anthropic", ("open_page", {"page": "e3"}))):
            messages.append({"role": "assistant", "content": response["content"]})
            messages += tool.handle("anthropic", response, messages=messages)
        answer = citing(messages, (2, 0, 1), (4, 0, 1))
        assert tool.handle("anthropic", answer, messages=messages) == []
        body = kept(session)[-1][0]
        assert [(one["evidence"], one["state"]) for one in body.citations] == [("e3", "exact"), ("e3", "exact")]
        assert [[block["evidence"] for block in one["blocks"]] for one in body.index] == [
            ["e1"],
            ["e2"],
            ["e3"],
            ["e4"],
            ["e3"],
        ]
        # history was cut short: the same numbers mean other blocks now
        shorter = [messages[0], *messages[3:]]
        tool.handle("anthropic", citing(shorter, (0, 0, 1)), messages=shorter)
        assert [one["evidence"] for one in kept(session)[-1][0].citations] == ["e3"]
        # without the request, numbers count all that this tool handed over
        tool.handle("anthropic", citing(messages, (1, 0, 1)))
        assert [one["evidence"] for one in kept(session)[-1][0].citations] == ["e2"]
        assert findings(session) == []


def test_a_native_citation_counts_for_the_passage_that_it_names_and_not_for_its_page() -> None:
    """A number that stood in another passage of the cited page passed for supported."""
    # numbers that no date, time or port of the passage's facts holds
    lines = [
        f"Wheel {7100 + n} has its own buckets, and the water of the tide turns it by day and night. " * 4
        for n in range(12)
    ]
    page = "<!DOCTYPE html><title>Wheels</title>" + "".join(f"<p>{line}</p>" for line in lines)
    with serve({"/wheels": (200, HTML, page), "/robots.txt": (404, HTML, "")}) as site, opened() as archive:
        session = archive.session()
        tool = tool_of(session, site)
        messages: list[Any] = [{"role": "user", "content": "?"}]
        response = calling("anthropic", ("open_page", {"page": site.url + "/wheels", "start": 0}))
        messages += tool.handle("anthropic", response, messages=messages)
        texts = [one["text"] for one in messages[1]["content"][0]["content"][1]["content"]]
        held = next(n for n, text in enumerate(texts) if "Wheel 7106 " in text)
        for place, expected in ((held, "verified"), (held - 3, "failed"), (held + 3, "failed")):
            answer = json.loads(json.dumps(citing(messages, (0, place, place + 1))))
            answer["content"][0]["text"] = "Wheel 7106 has its own buckets."
            answer["content"] = answer["content"][:1]
            tool.handle("anthropic", answer, messages=messages)
            assert session.verify(kept_answers=True).answers[-1].report.outcome == expected, place


def test_a_native_citation_of_nothing_that_was_given_is_told() -> None:
    with at_work() as (_, _, session, tool):
        messages: list[Any] = [{"role": "user", "content": "?"}]
        response = calling("anthropic", SEARCH)
        messages += tool.handle("anthropic", response, messages=messages)
        answer = json.loads(json.dumps(citing(messages, (0, 0, 1))))
        answer["content"][0]["citations"][0]["cited_text"] = "The mill was built by giants."
        tool.handle("anthropic", answer, messages=messages)
        (one,) = kept(session)[-1][0].citations
        assert (one["evidence"], one["digest"], one["state"]) == (None, None, "unknown")


@pytest.mark.parametrize("api", APIS)
def test_a_second_model_goes_on_from_the_evidence_of_the_first(api: str) -> None:
    with at_work() as (site, _, session, tool):
        first = tool.call("web_search", SEARCH[1])
        site.hits.clear()
        other = Tool(session)
        messages = other.evidence(api)
        whole = json.dumps(messages, ensure_ascii=False)
        assert all(json.dumps(one.text, ensure_ascii=False)[1:-1] in whole for one in first.passages)
        other.handle(api, saying(api, "So it is [e2]."), messages=messages)
        assert [one["evidence"] for one in kept(session)[-1][0].citations] == ["e2"]
        assert site.paths == []
        assert findings(session) == []


def test_calls_of_ones_own_tools_are_left_alone() -> None:
    with at_work() as (_, _, session, tool):
        response = calling("openai-chat", ("weather", {"city": "Ulm"}), SEARCH)
        (reply,) = tool.handle("openai-chat", response, leave=("weather",))
        assert reply["tool_call_id"] == "call_2"
        assert [body.name for body in bodies(session, records.ToolCall)] == ["web_search"]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("response", ["{}", "[]", "null", "7", '{"content": 7, "output": {}, "choices": [null]}'])
def test_a_response_without_calls_of_any_shape_ends_the_loop(api: str, response: str) -> None:
    with at_work() as (_, _, session, tool):
        assert tool.handle(api, response) == []
        assert findings(session) == []


def _emptied(value: Any) -> None:
    for item in list(value.values() if isinstance(value, dict) else value):
        if isinstance(item, dict | list):
            _emptied(item)
    value.clear()


@pytest.mark.parametrize("api", APIS)
def test_definitions_that_somebody_changes_are_as_before_for_the_next(api: str) -> None:
    """A property taken out of a request's schema was gone from every later request, and from the reading of calls."""
    with at_work() as (_, _, _, tool):
        before = json.dumps(tool.definitions(api))
        _emptied(tool.definitions(api))
        assert json.dumps(tool.definitions(api)) == before
        assert tool.call("web_search", SEARCH[1]).error is None


def test_model_of_any_name_makes_calls() -> None:
    """A name of 70,000 characters made a record that is too long, half of a surrogate pair one that cannot be."""
    with at_work() as (_, _, session, tool):
        for name in ("m" * 70_000, "\ud800\n"):
            tool.handle("anthropic", {**calling("anthropic", SEARCH), "model": name})
        clients = [body.client["model"] for body in bodies(session, records.ToolCall)]
        assert clients == ["m" * 200, "\ufffd\n"]
        assert [body.model for body in bodies(session, records.Message)] == clients


@pytest.mark.parametrize("api", APIS)
def test_keys_in_what_a_model_says_are_not_kept(api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in ids of calls and names of tools came back in the stored replies, those in cited sources in records."""
    key = "a-key-of-the-tests-0123456789"
    monkeypatch.setenv("BRAVE_API_KEY", key)
    source = f"https://example.org/{key}"
    request = [{"content": [{"type": "search_result", "source": source, "content": [{"type": "text", "text": key}]}]}]
    place = {"search_result_index": 0, "start_block_index": 0, "end_block_index": 1}
    location = {"type": "search_result_location", "source": source, "cited_text": key, **place}
    with at_work(tmp_path / "archive") as (_, _, session, tool):
        called = json.loads(json.dumps(calling(api, ("open_sesame", {}), SEARCH)).replace("open_sesame", key))
        replies = tool.handle(api, json.loads(json.dumps(called).replace("call_2", f"{key}-2")))
        assert f"{key}-2" in json.dumps(replies)  # the API knows its call by this alone
        tool.handle(api, saying(api, f"It says {key} [e1], see https://bob:tide-and-ebb@example.org/."))
        tool.handle(
            "anthropic", {"content": [{"type": "text", "text": key, "citations": [location]}]}, messages=request
        )
        assert findings(session) == []
    data = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"[redacted]" in data
    assert key.encode() not in data
    assert b"tide-and-ebb" not in data


def test_what_is_no_response_is_told() -> None:
    with at_work() as (_, _, _, tool):
        with pytest.raises(UsageError, match="no response of an API: object"):
            tool.handle("anthropic", object())
        with pytest.raises(UsageError, match="no JSON"):
            tool.handle("anthropic", "{")
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]
        with pytest.raises(UsageError, match="nested too deep"):
            tool.handle("anthropic", {"content": [{"type": "tool_use", "input": deep}]})
        for odd in (b"x", {1}, 10**5_000):
            with pytest.raises(UsageError, match="no JSON can hold"):
                tool.handle("gemini", {"candidates": [{"thoughtSignature": odd}]})
        with pytest.raises(UsageError, match="there are anthropic, openai-responses"):
            tool.handle("claude", {})


def test_fifty_turns_with_thirty_searches_keep_their_ids_and_their_log() -> None:
    with at_work() as (site, _, session, tool):
        words = ("pond", "gate", "wheel", "miller", "moon", "mud", "ebb", "flood", "keeper", "spring")
        apis = [api for api in APIS if api != "gemini-interactions"]
        texts: dict[str, set[str]] = {}
        searches = 0
        for number in range(50):
            api = apis[number % len(apis)]
            if number % 5 in (0, 2, 3):
                call = ("web_search", {"query": f"tide mill {words[searches // 2 % len(words)]}"})
                searches += 1
            elif number % 5 == 1:
                call = ("open_page", {"page": f"e{number % 4 + 1}"})
            else:
                call = ("find_in_page", {"page": "e1", "words": "tide"})
            messages = tool.handle(api, calling(api, call))
            for name, text in shown(api, messages, tool).items():
                texts.setdefault(name, set()).add(text)
            tool_of(session, site)  # a reader of the same log beside it
        assert searches == 30
        assert len(asked(site)) == 10
        assert sorted(texts) == ["e1", "e2", "e3", "e4"]
        assert all(len(ways) == 1 for ways in texts.values())
        assert len(bodies(session, records.ToolResult)) == len(bodies(session, records.ToolCall)) == 50
        assert findings(session) == []
        assert session.verify().outcomes == {"store": "verified", "derivation": "verified"}


@pytest.mark.parametrize(("name", "api"), [("openai-responses", "openai-chat"), ("anthropic", "openai-responses")])
def test_response_of_another_api_is_refused(name: str, api: str) -> None:
    """It was kept as an answer without a text, and the loop ended as if nothing had been called."""
    other = {
        "openai-chat": {"choices": [{"message": {"role": "assistant", "content": "So it is."}}]},
        "openai-responses": {"output": [{"type": "function_call", "call_id": "c", "name": "web_search"}]},
    }
    with at_work() as (_, _, session, tool):
        with pytest.raises(UsageError, match=f"response of {api}, and not of {name}"):
            tool.handle(name, other[api])
        assert bodies(session, records.Message) == []


def test_instructions_are_for_an_api_that_there_is() -> None:
    with at_work() as (_, _, _, tool):
        assert tool.instructions() == tool.instructions("gemini") == tool.instructions("mcp")
        with pytest.raises(UsageError, match="no API is called 'openai'"):
            tool.instructions("openai")


def test_stream_is_told_to_be_read_to_its_end() -> None:
    with at_work() as (_, _, _, tool), pytest.raises(UsageError, match="of a stream hand over its final message"):
        tool.handle("anthropic", iter([]))
