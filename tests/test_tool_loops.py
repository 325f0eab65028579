"""Whole conversations through the vendors' SDKs: what goes wrong in a call, state that the vendor keeps, tools of one's
own beside ours, another vendor's model that goes on. The vendors are servers on loopback that check every request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import anthropic
import openai
import pytest
from google import genai

from searchlog.digest import Digest
from searchlog.records import Message, ToolResult
from searchlog.session import Session
from searchlog.tool.apis.base import plain_json
from searchlog.tool.apis.known import APIS
from searchlog.tool.apis.markers import parse_markers
from searchlog.tool.face import Tool
from tests.searches import TEXTS, bodies
from tests.test_tool_apis import asked
from tests.test_tool_search import at_work
from tests.vendors import Calls, Vendor, speaking

each_api = pytest.mark.parametrize("name", APIS)
SEARCH = ("web_search", {"query": "tide mill pond", "domains": [], "freshness": "any", "fresh": False})
OWN_TOOL = "read_thermometer"


@dataclass
class Client:
    """The SDKs of all vendors, each asked in the same words."""

    vendor: Vendor
    anthropic: anthropic.Anthropic
    openai: openai.OpenAI
    google: genai.Client
    tools: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, name: str, messages: list[Any], **more: Any) -> tuple[Any, list[Any]]:
        """Return the response, and what of it belongs into the messages of the next request."""
        match name:
            case "anthropic":
                made = self.anthropic.messages.create(
                    model="m", max_tokens=99, messages=messages, tools=self.tools, **more
                )
                return made, [{"role": "assistant", "content": made.content}]
            case "openai-responses":
                response = self.openai.responses.create(model="m", input=messages, tools=self.tools, **more)
                return response, list(response.output)
            case "openai-chat":
                chat = self.openai.chat.completions.create(model="m", messages=messages, tools=self.tools, **more)
                return chat, [chat.choices[0].message]
            case "gemini":
                content = self.google.models.generate_content(
                    model="m", contents=messages, config={"tools": self.tools, **more}
                )
                return content, [content.candidates[0].content]
            case _:
                steps = self.google.interactions.create(model="m", input=messages, tools=self.tools, **more)
                return steps, list(steps.steps)


@contextmanager
def client_of(*rounds: Calls) -> Iterator[Client]:
    with ExitStack() as stack:
        vendor = stack.enter_context(speaking(rounds))
        yield Client(
            vendor,
            stack.enter_context(anthropic.Anthropic(base_url=vendor.url, api_key="none", max_retries=0)),
            stack.enter_context(openai.OpenAI(base_url=f"{vendor.url}/v1", api_key="none", max_retries=0)),
            stack.enter_context(genai.Client(api_key="none", http_options={"base_url": vendor.url})),
        )


def loop(client: Client, name: str, tool: Tool, messages: list[Any]) -> Any:
    """Run a conversation to its end and return the last response."""
    client.tools = tool.definitions(name)
    while True:
        response, said = client.ask(name, messages)
        messages += said
        replies = tool.handle(name, response, messages=messages)
        if not replies:
            return response
        messages += replies


def last_answer(session: Session) -> tuple[str, list[str | None]]:
    """Return the bytes of the last answer as text, and what it cites."""
    answer = bodies(session, Message)[-1]
    assert answer.calls in (None, 0)
    cited = session.ledger.load(answer.citations)
    return session.ledger.blobs.get(Digest(answer.content.blob)).decode(), [one["evidence"] for one in cited]


@each_api
def test_calls_that_cannot_be_are_answered_so_that_the_vendor_goes_on(name: str) -> None:
    """A tool that is not there, arguments that are missing, of a wrong type, or of evidence that was never given."""
    bad = [
        ("look_it_up", {"query": "x"}),
        ("web_search", {}),
        ("web_search", {"query": ["a", "b"]}),
        ("open_page", {"page": "e99", "start": 0}),
        ("verify_evidence", {"ids": ["e99"], "live": False}),
    ]
    with at_work() as (_, _, session, tool), client_of(bad, [SEARCH]) as client:
        loop(client, name, tool, asked(name))
        assert client.vendor.refused == []
        results = bodies(session, ToolResult)
        assert [result.outcome for result in results] == ["error"] * len(bad) + ["ok"]
        _, cited = last_answer(session)
        assert cited
        assert None not in cited


@each_api
def test_search_that_nobody_answers_ends_in_an_answer_without_evidence(name: str) -> None:
    with at_work() as (site, _, session, tool), client_of([SEARCH, SEARCH], [SEARCH]) as client:
        site.pages["/search"] = (500, {"Content-Type": "text/plain"}, "broken")
        loop(client, name, tool, asked(name))
        assert client.vendor.refused == []
        assert {result.error for result in bodies(session, ToolResult)} == {"no-answer"}
        text, cited = last_answer(session)
        assert "Nothing was found." in text
        assert cited == []


@pytest.mark.parametrize("name", ["openai-responses", "openai-chat"])
def test_markers_are_written_by_the_model_and_read_back(name: str) -> None:
    with at_work(citations="markers") as (_, _, session, tool), client_of([SEARCH]) as client:
        messages = asked(name)
        loop(client, name, tool, messages)
        assert client.vendor.refused == []
        (output,) = [
            text
            for message in plain_json(client.vendor.bodies[-1]["input" if "responses" in name else "messages"])
            if isinstance(text := message.get("output", message.get("content")), str) and "Citation Marker" in text
        ]
        shown = parse_markers(output)
        assert [one.text for one in shown] == [TEXTS["/" + one.url.rsplit("/", 1)[1]] for one in shown]
        text, cited = last_answer(session)
        assert f"turn0block{shown[-1].id[1:]}" in text
        assert cited == [shown[-1].id]
        assert session.verify(kept_answers=True).outcomes["answer"] == "verified"


@pytest.mark.parametrize(
    ("name", "pointer"),
    [("openai-responses", "previous_response_id"), ("gemini-interactions", "previous_interaction_id")],
)
def test_only_the_replies_are_sent_where_the_vendor_keeps_the_conversation(name: str, pointer: str) -> None:
    with at_work() as (_, _, session, tool), client_of([SEARCH, SEARCH], [SEARCH]) as client:
        client.tools = tool.definitions(name)
        messages, more = asked(name), {}
        while messages:
            response, _ = client.ask(name, messages, **more)
            messages, more = tool.handle(name, response), {pointer: response.id}
        assert client.vendor.refused == []
        assert [len(body["input"]) for body in client.vendor.bodies] == [1, 2, 1]
        assert last_answer(session)[1]


@each_api
def test_tools_of_ones_own_are_answered_beside_ours(name: str) -> None:
    """All answers of a turn stand in one message where the vendor wants that."""
    with at_work() as (_, _, session, tool), client_of([SEARCH, (OWN_TOOL, {})]) as client:
        messages = asked(name)
        response, said = client.ask(name, messages)
        replies = tool.handle(name, response, messages=messages, leave={OWN_TOOL})
        (call,) = (call for call in tool._api(name).calls(plain_json(response)) if call.name == OWN_TOOL)
        own: dict[str, Any] = {
            "anthropic": {"type": "tool_result", "tool_use_id": call.id, "content": "21 °C"},
            "openai-responses": {"type": "function_call_output", "call_id": call.id, "output": "21 °C"},
            "openai-chat": {"role": "tool", "tool_call_id": call.id, "content": "21 °C"},
            "gemini": {"functionResponse": {"id": call.id, "name": OWN_TOOL, "response": {"output": "21 °C"}}},
            "gemini-interactions": {"type": "function_result", "call_id": call.id, "result": "21 °C"},
        }
        holder = {"anthropic": "content", "gemini": "parts"}.get(name)
        (replies[0][holder] if holder else replies).append(own[name])
        client.ask(name, [*messages, *said, *replies])
        assert client.vendor.refused == []
        assert [result.name for result in bodies(session, ToolResult)] == ["web_search"]


@pytest.mark.parametrize("second", APIS)
@pytest.mark.parametrize("first", APIS)
def test_model_of_another_vendor_goes_on_from_the_evidence(first: str, second: str) -> None:
    """What it cites is what the first was shown, though nothing is searched again."""
    with at_work() as (site, _, session, tool):
        with client_of([SEARCH]) as client:
            loop(client, first, tool, asked(first))
        given, places = list(session.ledger.load(bodies(session, ToolResult)[-1].evidence)), len(site.hits)
        with client_of() as client:
            handed_on = tool.evidence(second)
            response, _ = client.ask(second, [*handed_on, *asked(second)])
            assert tool.handle(second, response, messages=handed_on) == []
            assert client.vendor.refused == []
        assert len(site.hits) == places
        whole = json.dumps(client.vendor.bodies)
        assert all(json.dumps(text)[1:-1] in whole for text in TEXTS.values())
        assert last_answer(session)[1] == [given[-1]]
