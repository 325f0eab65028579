"""All that a client can ask, over both transports and in both generations of the protocol, by the official client."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from searchlog import records
from searchlog.archive import open_archive
from tests.mcp_servers import GENERATIONS, PROTOCOLS, calls_of, http_server, kept, run, stdio, web
from tests.searches import HTML, TEXTS, html
from tests.sites import Site


class Place:
    """A transport and a generation, with the archive that the server writes."""

    def __init__(self, kind: str, mode: str, archive: Path, site: Site, stack: ExitStack) -> None:
        self.kind, self.mode, self.archive, self.site = kind, mode, archive, site
        self._stack = stack

    def client(self, *args: str) -> AbstractAsyncContextManager[Client]:
        """Return the official client with a server that was started with these options."""
        if self.kind == "stdio":
            return stdio(self.archive, self.site, self.mode, *args)
        return self._stack.enter_context(http_server(self.archive, self.site, *args)).client(self.mode)


@pytest.fixture(params=[(kind, mode) for kind in ("stdio", "http") for mode in GENERATIONS], ids=" ".join)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with web() as site, ExitStack() as stack:
        yield Place(*request.param, tmp_path / "archive", site, stack)


def said(result: Any) -> str:
    """Return the text of a result, which is one."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def test_every_tool_does_its_work_and_what_was_sent_is_stored(place: Place) -> None:
    sent: list[dict[str, Any]] = []

    async def use(client: Client) -> None:
        assert client.session.protocol_version == PROTOCOLS[place.mode]
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["web_search", "open_page", "find_in_page", "verify_evidence"]
        for tool in tools:
            assert tool.output_schema
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
        required = {tool.name: tool.input_schema["required"] for tool in tools}
        assert required == {
            "web_search": ["query"],
            "open_page": ["page"],
            "find_in_page": ["page", "words"],
            "verify_evidence": [],
        }

        async def ask(name: str, arguments: dict[str, Any] | None) -> Any:
            result = await client.call_tool(name, arguments)
            sent.append(
                {
                    "content": [{"type": "text", "text": said(result)}],
                    "structuredContent": result.structured_content,
                    "isError": result.is_error,
                }
            )
            return result

        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["cite"]
        (message,) = (await client.get_prompt("cite")).messages
        assert isinstance(message.content, types.TextContent)
        assert "[e7]" in message.content.text
        assert "[e7]" in (client.instructions or "")
        with pytest.raises(MCPError):
            await client.get_prompt("other")
        found = await ask("web_search", {"query": "tide mill pond"})
        assert not found.is_error
        passages = found.structured_content["evidence"]
        assert {passage["text"] for passage in passages} == set(TEXTS.values())
        assert all(text in said(found) for text in TEXTS.values())
        first = passages[0]
        page = await ask("open_page", {"page": first["id"]})
        assert page.structured_content["stored"] is True
        words = await ask("find_in_page", {"page": first["url"], "words": first["text"][:12]})
        assert words.structured_content["count"] == 1
        checked = await ask("verify_evidence", {})
        assert set(checked.structured_content["outcomes"].values()) == {"verified"}
        for name, arguments in [
            ("web_search", {"query": 7}),
            ("web_search", {"query": ["a", {}]}),
            ("web_search", {"freshness": "week"}),
            ("web_search", None),
            ("open_page", {"page": "e99"}),
            ("find_in_page", {"page": first["id"]}),
            ("verify_evidence", {"ids": ["e99"]}),
            ("no_such_tool", {"a": 1}),
        ]:
            result = await ask(name, arguments)
            assert result.is_error or (name == "web_search" and arguments == {"query": 7})
            assert said(result).strip()

    run(place.client(), use)
    calls = kept(place.archive)
    assert [value for _, _, value in calls] == sent
    assert {call.api for call, _, _ in calls} == {"mcp"}
    assert {result.form for _, result, _ in calls} == {"mcp"}
    client = calls[0][0].client
    assert client is not None
    assert client["protocol"] == PROTOCOLS[place.mode]
    assert client["name"] == "mcp"
    assert calls[0][1].evidence == [passage["id"] for passage in sent[0]["structuredContent"]["evidence"]]


def test_evidence_and_pages_are_resources(place: Place) -> None:
    async def use(client: Client) -> None:
        assert (await client.list_resources()).resources == []
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == [
            "searchlog://evidence/{id}",
            "searchlog://page/{id}{?start}",
        ]
        found = await client.call_tool("web_search", {"query": "tide mill pond"})
        passages = {passage["id"]: passage for passage in found.structured_content["evidence"]}
        resources = (await client.list_resources()).resources
        assert [resource.name for resource in resources] == list(passages)
        for resource in resources:
            text, facts = (await client.read_resource(resource.uri)).contents
            assert isinstance(text, types.TextResourceContents)
            assert isinstance(facts, types.TextResourceContents)
            assert text.text in said(found)
            assert text.text.startswith(f"<evidence {resource.name} ")
            assert json.loads(facts.text) == passages[resource.name]
        (page,) = (await client.read_resource("searchlog://page/e1")).contents
        assert isinstance(page, types.TextResourceContents)
        assert page.text == passages["e1"]["text"]
        assert page.meta is not None
        (same,) = (await client.read_resource(f"searchlog://page/{page.meta['searchlog/digest']}?start=4")).contents
        assert isinstance(same, types.TextResourceContents)
        assert same.text == page.text[4:]
        for bad in (
            "searchlog://evidence/e99",
            "searchlog://page/e1?end=2",
            "searchlog://page/sha256:12",
            "file:///etc",
        ):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(bad)
            assert caught.value.code == types.INVALID_PARAMS
        with pytest.raises(MCPError):
            await client.list_resources(cursor="never given")

    run(place.client(), use)
    calls = kept(place.archive)
    assert [call.name for call, _, _ in calls] == ["web_search", *["resources/read"] * (len(TEXTS) + 2)]
    assert [json.loads(str(call.arguments))["uri"] for call, _, _ in calls[1:3]] == [
        "searchlog://evidence/e1",
        "searchlog://evidence/e2",
    ]
    assert calls[1][1].evidence == ["e1"]
    assert calls[1][2]["contents"][0]["text"].startswith("<evidence e1 ")


def test_calls_run_side_by_side(place: Place) -> None:
    """Four searches whose provider takes a second and a half each are done before one after another could be."""
    place.site.delay = {"/search": 1.5}
    took: list[float] = []

    async def use(client: Client) -> None:
        await client.call_tool("verify_evidence", {})
        began = anyio.current_time()

        async def one(number: int) -> None:
            result = await client.call_tool("web_search", {"query": f"tide mill {number}"})
            assert len(result.structured_content["evidence"]) == len(TEXTS)

        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(one, number)
        took.append(anyio.current_time() - began)

    run(place.client(), use)
    assert sum(path.startswith("/search") for path in place.site.paths) == 4
    assert took[0] < 6
    assert len(kept(place.archive)) == 5


def test_progress_is_told_to_who_asked_for_it(place: Place) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def use(client: Client) -> None:
        result = await client.call_tool("web_search", {"query": "tide mill"}, progress_callback=progress)
        assert not result.is_error
        await client.call_tool("web_search", {"query": "tide mill", "fresh": True})

    run(place.client(), use)
    assert [number for number, _, _ in told] == [float(n) for n in range(1, len(told) + 1)]
    messages = [message or "" for _, _, message in told]
    assert any(message.startswith("asking: ") for message in messages)
    assert sum(message.startswith("reading: ") for message in messages) == len(TEXTS)


def test_cancelled_call_ends_and_the_log_says_so(place: Place) -> None:
    place.site.delay = {"/search": 1.5}

    async def use(client: Client) -> None:
        await client.call_tool("verify_evidence", {})
        with anyio.move_on_after(0.7) as waiting:
            await client.call_tool("web_search", {"query": "tide mill"})
        assert waiting.cancelled_caught
        while not any(result.outcome == "cancelled" for _, result, _ in calls_of(place.archive)):
            await anyio.sleep(0.1)
        assert (await client.call_tool("verify_evidence", {})).structured_content["passages"] == []

    run(place.client(), use)
    (_, (call, cancelled, content), _) = kept(place.archive)
    assert (call.name, cancelled.outcome, content) == ("web_search", "cancelled", None)
    time.sleep(0.2)  # in which a search that went on would read pages
    assert not {path for path in place.site.paths if path in TEXTS}
    with open_archive(place.archive, create=False) as archive:
        (info,) = (info for info in archive.sessions() if info.title == "mcp")
        ends = [r.body for r in archive.ledger(info.id).records() if isinstance(r.body, records.Turn)]
        assert [(turn.state, turn.reason) for turn in ends if turn.state == "discarded"] == [
            ("discarded", "cancelled")
        ] * 2


@pytest.mark.parametrize("mode", GENERATIONS)
def test_result_above_a_mebibyte_arrives_by_http(tmp_path: Path, mode: str) -> None:
    """The official client takes no event above 1 MiB; though it wants progress, such a reply is one JSON body."""
    words = " ".join(f"word{n}" for n in range(150))
    text = "</p><p>".join(f"{n} {words}." for n in range(1_000))

    async def progress(done: float, total: float | None, message: str | None) -> None:
        pass

    async def use(client: Client) -> None:
        result = await client.call_tool("open_page", {"page": f"{site.url}/long"}, progress_callback=progress)
        assert not result.is_error, said(result)
        assert len(said(result)) > 1 << 20
        assert "999 word0" in said(result)

    with web() as site, http_server(tmp_path / "archive", site, "--budget", "1000000") as server:
        site.pages["/long"] = (200, HTML, html(text, "long"))
        run(server.client(mode), use)


def test_chatgpt_finds_its_pair_of_tools(place: Place) -> None:
    async def use(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search", "fetch"]
        assert [list(tool.input_schema["properties"]) for tool in tools] == [["query"], ["id"]]
        found = await client.call_tool("search", {"query": "tide mill pond"})
        value = json.loads(said(found))
        assert value == found.structured_content
        assert set(value) == {"results"}
        assert found.meta is not None
        assert found.meta["searchlog/head"].startswith("searchlog head: searchlog/s")
        assert [set(one) for one in value["results"]] == [{"id", "title", "url"}] * len(TEXTS)
        for one in value["results"]:
            page = await client.call_tool("fetch", {"id": one["id"]})
            whole = json.loads(said(page))
            assert whole == page.structured_content
            assert {name: whole[name] for name in ("id", "url")} == {name: one[name] for name in ("id", "url")}
            assert whole["text"] == TEXTS["/" + one["url"].rsplit("/", 1)[1]]
            assert set(whole["metadata"]) == {"characters", "fetched_at"}
        for name, arguments in [("fetch", {"id": "e99"}), ("fetch", {}), ("search", {}), ("search", {"query": ""})]:
            bad = await client.call_tool(name, arguments)
            assert bad.is_error
            assert json.loads(said(bad)) == bad.structured_content

    run(place.client("--profile", "chatgpt"), use)
    calls = kept(place.archive)
    assert [call.client["tool"] for call, _, _ in calls if call.client] == [
        "search", *["fetch"] * len(TEXTS), "fetch", "fetch", "search", "search",
    ]  # fmt: skip
    assert json.loads(calls[0][2]["content"][0]["text"]) == calls[0][2]["structuredContent"]
