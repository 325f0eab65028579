"""Searching as a tool: what is recorded, what is given again, what a model is told when nobody answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from searchlog import records
from searchlog.archive import Archive, open_archive
from searchlog.digest import Digest
from searchlog.errors import CancelledError, UsageError
from searchlog.evidence.render import parse_rendering
from searchlog.ledger import Draft, TurnWriter
from searchlog.log.checkpoint import head_line
from searchlog.search import registry
from searchlog.session import Session
from searchlog.tool.face import Tool
from searchlog.tool.result import Result
from tests.searches import TEXTS, bodies, findings, found, opened, pages
from tests.sites import Site, serve


@contextmanager
def at_work(place: Path | str = "memory:", **options: Any) -> Iterator[tuple[Site, Archive, Session, Tool]]:
    """Yield a site whose search finds all its pages, an archive, a session and its tool."""
    with serve(pages()) as site, opened(place) as archive:
        found(site, list(TEXTS))
        session = archive.session()
        yield site, archive, session, tool_of(session, site, **options)


def tool_of(session: Session, site: Site, **options: Any) -> Tool:
    options.setdefault("allow_private", ("127.0.0.1",))
    options.setdefault("providers", ["searxng"])
    return Tool(session, registry_options=registry.Options(endpoints={"searxng": site.url}), **options)


def asked(site: Site) -> list[str]:
    return [path for path in site.paths if path.startswith("/search")]


def stored(session: Session) -> list[bytes]:
    """Return what was handed back, call after call."""
    return [session.ledger.blobs.get(Digest(body.content.blob)) for body in bodies(session, records.ToolResult)]


def test_a_search_is_told_as_its_rendering_with_the_head_below() -> None:
    with at_work() as (_, _, session, tool):
        result = tool.call("web_search", {"query": "tide mill pond gate"})
        assert result.error is None
        (rendering,) = bodies(session, records.Rendering)
        text = session.ledger.blobs.get(Digest(rendering.text.blob)).decode()
        assert result.text.startswith(text)
        assert result.text.removeprefix(text) == head_line(result.head) + "\n"
        assert result.head.size < session.head.size
        assert [one.shown for one in parse_rendering(text)] == [one.text for one in result.passages]
        assert result.evidence == rendering.evidence == ["e1", "e2", "e3", "e4"]
        assert [item["text"] for item in result.structured["evidence"]] == [one.text for one in result.passages]
        assert result.lead + "".join(_fences(result)) + result.tail == result.text


def _fences(result: Result) -> list[str]:
    return [result.text[one.start : one.end] for one in parse_rendering(result.text)]


def test_call_and_result_are_records_of_one_turn() -> None:
    with at_work() as (_, _, session, tool):
        raw = '{"query": "tide mill", "domains": [], "freshness": "any", "fresh": false}'
        result = tool.call("web_search", raw, api="mcp", call_id="c-1", client={"name": "a client"})
        (call,), (told,) = bodies(session, records.ToolCall), bodies(session, records.ToolResult)
        assert (call.name, call.arguments, call.api, call.call_id) == ("web_search", raw, "mcp", "c-1")
        assert call.client == {"name": "a client"}
        assert (told.outcome, told.form, told.call_id, told.evidence) == ("ok", "text", "c-1", result.evidence)
        assert stored(session) == [result.text.encode()]
        assert told.head == {"size": result.head.size, "root": head_line(result.head).rsplit(" ", 1)[1]}
        turns = {record.envelope.turn for record in session.records() if record.kind.startswith("tool-")}
        assert len(turns) == 1
        assert findings(session) == []


def test_an_equal_query_is_answered_from_the_session_and_says_so() -> None:
    with at_work() as (site, _, session, tool):
        first = tool.call("web_search", {"query": "tide mill pond gate"})
        again = tool.call("web_search", {"query": "  Tide Mill  pond gate "})
        assert len(asked(site)) == 1
        assert again.text.startswith("This was answered before in this session (turn 2, ")
        assert "set fresh to true" in again.text
        assert [(one.id, one.text) for one in again.passages] == [(one.id, one.text) for one in first.passages]
        assert _fences(again) == _fences(first)
        assert again.structured["answered_before"]["turn"] == again.reused == 2
        assert [body.reused for body in bodies(session, records.ToolResult)] == [None, 2]
        anew = tool.call("web_search", {"query": "tide mill pond gate", "fresh": True})
        assert len(asked(site)) == 2
        assert anew.reused is None
        assert anew.evidence == first.evidence
        assert findings(session) == []


def test_a_search_made_without_the_tool_counts_as_well() -> None:
    with at_work() as (site, _, session, tool):
        options = registry.Options(endpoints={"searxng": site.url})
        session.search("tide mill", providers=["searxng"], registry_options=options, allow_private=("127.0.0.1",))
        assert tool.call("web_search", {"query": "tide mill"}).reused == 1
        assert len(asked(site)) == 1


@pytest.mark.parametrize(
    "other",
    [{"freshness": "week"}, {"domains": ["example.org"]}, {"query": "tide mills"}],
    ids=["freshness", "domains", "words"],
)
def test_another_question_is_asked(other: dict[str, Any]) -> None:
    with at_work() as (site, _, _, tool):
        tool.call("web_search", {"query": "tide mill"})
        tool.call("web_search", {"query": "tide mill"} | other)
        assert len(asked(site)) == 2


def test_evidence_that_was_lost_is_searched_for_again() -> None:
    with at_work() as (site, _, session, tool):
        tool.call("web_search", {"query": "tide mill"})
        (rendering,) = bodies(session, records.Rendering)
        del session.ledger.blobs._blobs[Digest(rendering.text.blob)]  # type: ignore[attr-defined]
        assert tool.call("web_search", {"query": "tide mill"}).reused is None
        assert len(asked(site)) == 2


def test_nobody_answering_is_a_failure_and_not_an_empty_result() -> None:
    with at_work() as (site, _, session, tool):
        site.pages["/search"] = (503, {"Content-Type": "text/plain"}, "busy")
        result = tool.call("web_search", {"query": "tide mill"})
        assert result.error == "no-answer"
        assert "not a sign that nothing is known" in result.text
        assert "searxng: unavailable" in result.text
        assert bodies(session, records.ToolResult)[-1].error == "no-answer"
        assert findings(session) == []
        found(site, list(TEXTS))
        assert tool.call("web_search", {"query": "tide mill"}).error is None


def test_nothing_found_is_no_error() -> None:
    with at_work() as (site, _, _, tool):
        found(site, [])
        result = tool.call("web_search", {"query": "tide mill"})
        assert (result.error, result.structured["outcome"], result.passages) == (None, "empty", ())
        assert "No passage was found." in result.text
        assert tool.call("web_search", {"query": "tide mill"}).reused is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (None, "query is missing. Call web_search as {"),
        ("", "query is missing"),
        ({"query": "  "}, "query is empty"),
        ({"query": {"text": "x"}}, "query must be a text"),
        ({"query": "x", "freshness": "decade"}, "freshness must be one of any, day, week, month, year"),
        ({"query": "x", "domains": {"a": 1}}, "domains must be a list of texts"),
        ({"query": "x", "domains": ["not a domain"]}, "not a domain"),
        ({"query": "x", "fresh": "maybe"}, "fresh must be true or false"),
        ({"query": "x" * 20_000}, "too long"),
        ('{"query": "x"', "no JSON"),
        ("[]", "must be an object"),
    ],
    ids=str,
)
def test_arguments_that_cannot_be_are_told_how_they_should_be(arguments: Any, says: str) -> None:
    with at_work() as (site, _, session, tool):
        result = tool.call("web_search", arguments)
        assert result.error == "bad-arguments"
        assert says in result.text
        assert site.paths == []
        assert result.structured["error"]["code"] == "bad-arguments"
        assert bodies(session, records.ToolResult)[0].outcome == "error"


@pytest.mark.parametrize(
    "arguments",
    [
        '"{\\"query\\": \\"tide mill\\"}"',
        '```json\n{"query": "tide mill"}\n```',
        {"q": "tide mill"},
        {"query": ["tide mill"], "fresh": "false", "domains": None, "freshness": None, "other": 7},
    ],
    ids=["json-in-json", "fenced", "another-name", "types"],
)
def test_arguments_are_read_for_what_they_mean(arguments: Any) -> None:
    with at_work() as (_, _, session, tool):
        assert tool.call("web_search", arguments).error is None
        (query,) = bodies(session, records.Query)
        assert query.text == "tide mill"


def test_a_lone_surrogate_is_replaced_wherever_it_comes_from() -> None:
    with at_work() as (_, _, session, tool):
        result = tool.call("web_search", json.loads('{"query": "tide mill \\ud800"}'), call_id="\udfff")
        assert result.error is None
        result.text.encode("utf-8")
        json.dumps(result.structured, ensure_ascii=False).encode("utf-8")
        assert tool.call("\ud800", {}).error == "unknown-tool"
        assert findings(session) == []


def test_an_unknown_tool_is_told_which_there_are() -> None:
    with at_work() as (_, _, session, tool):
        result = tool.call("search_web", {"query": "x"})
        assert result.error == "unknown-tool"
        assert "web_search, open_page, find_in_page, verify_evidence" in result.text
        assert bodies(session, records.ToolCall)[0].name == "search_web"


def test_a_model_narrows_what_the_caller_fixed_and_no_more() -> None:
    with at_work(include_domains=("127.0.0.1",), after="2020-01-01") as (_, _, session, tool):
        tool.call("web_search", {"query": "one", "domains": ["example.org"], "freshness": "day"})
        (query,) = bodies(session, records.Query)
        assert query.options["include_domains"] == ["127.0.0.1"]
        assert "freshness" not in query.options


def test_options_that_cannot_be_are_told_when_the_tool_is_made() -> None:
    with opened() as archive:
        with pytest.raises(UsageError, match="citations must be"):
            Tool(archive.session(), citations="footnotes")
        with pytest.raises(UsageError, match="budget_tokens"):
            Tool(archive.session(), budget_tokens=0)
        with pytest.raises(UsageError, match="no API is called 'opena"):
            Tool(archive.session()).definitions("openai")


def test_a_listener_that_cancels_ends_the_call_and_the_log_says_so() -> None:
    with at_work() as (_, _, session, tool):

        def cancel(_: Any) -> None:
            raise CancelledError("nobody waits any more")

        with pytest.raises(CancelledError):
            tool.call("web_search", {"query": "tide mill"}, progress=cancel)
        (told,) = bodies(session, records.ToolResult)
        assert (told.outcome, told.content) == ("cancelled", None)
        reasons = [body.reason for body in bodies(session, records.Turn) if body.state == "discarded"]
        assert reasons == ["cancelled", "cancelled"]
        assert findings(session) == []
        assert tool.call("web_search", {"query": "tide mill"}).error is None


def test_a_call_cut_off_by_a_crash_gets_an_interrupted_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_work(tmp_path / "archive") as (_, _, session, tool):
        tool.call("web_search", {"query": "tide mill"})
        name = session.id
        monkeypatch.setattr(TurnWriter, "discard", lambda *_: None)  # nobody is left to close the turn
        with suppress(_Killed), session.ledger.turn("tool") as turn:
            call = records.ToolCall(name="open_page", arguments="{}", api="anthropic", call_id="toolu_1")
            turn.add([Draft(call, (turn.begin,))])
            raise _Killed
    with opened(tmp_path / "archive") as archive:
        session = archive.session(name)
        told = bodies(session, records.ToolResult)[-1]
        assert (told.name, told.call_id, told.outcome, told.api) == ("open_page", "toolu_1", "interrupted", "anthropic")
        assert findings(session) == []
        count = session.head.size
    with opened(tmp_path / "archive") as archive:
        assert archive.session(name).head.size == count


class _Killed(BaseException):
    pass


def test_calls_side_by_side_keep_one_log() -> None:
    with at_work() as (_, _, session, tool):
        queries = [f"tide mill {word}" for word in ("pond", "gate", "wheel", "miller", "moon", "mud")]
        results: dict[str, Result] = {}

        def search(query: str) -> None:
            results[query] = tool.call("web_search", {"query": query})

        threads = [threading.Thread(target=search, args=(query,)) for query in queries]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert {result.error for result in results.values()} == {None}
        texts: dict[str, set[str]] = {}
        for result in results.values():
            for one in result.passages:
                texts.setdefault(one.id, set()).add(one.text)
        assert all(len(shown) == 1 for shown in texts.values())
        assert findings(session) == []


def test_keys_reach_neither_the_log_nor_a_blob_nor_a_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "a-key-of-the-tests-0123456789"
    monkeypatch.setenv("BRAVE_API_KEY", key)
    with at_work(tmp_path / "archive") as (site, _, _, tool):
        tool.call("open_sesame", {"key": key}, call_id=key, client={"name": key})
        told = tool.call("verify_evidence", {"ids": [key]})
        assert key not in told.text
        tool.call("web_search", {"query": f"tide mill {key}"})
        tool.call("find_in_page", {"page": "e1", "words": key})
        tool.call("open_page", f'{{"page": "{key}"')
        tool.call("web_search", {"query": "tide mill"}, api=key, client={"model": key, key: 1})
        assert not [path for path in site.paths if key in path]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if key.encode() in path.read_bytes()]


def test_password_in_an_address_is_refused_and_kept_nowhere(tmp_path: Path) -> None:
    with at_work(tmp_path / "archive") as (site, _, _, tool):
        result = tool.call("open_page", {"page": site.url.replace("http://", "http://bob:tide-and-ebb@") + "/mill"})
        assert "refused-credentials" in result.text
        assert "/mill" not in site.paths
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"tide-and-ebb" in path.read_bytes()]


def _nested(depth: int) -> Any:
    value: Any = "tide mill"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "arguments",
    [_nested(100_000), {"query": _nested(100_000)}, {"query": 10**5_000}, {"query": "x", "start": 10**5_000}],
    ids=["deep", "deep-within", "digits", "digits-beside"],
)
@pytest.mark.parametrize("name", ["web_search", "no_such_tool"])
def test_arguments_that_no_json_holds_are_told_and_kept_as_such(name: str, arguments: Any) -> None:
    """A RecursionError or a ValueError came out, from the attempt to write them down."""
    with at_work() as (site, _, session, tool):
        assert tool.call(name, arguments).error in ("bad-arguments", "unknown-tool")
        assert "no JSON can hold" in bodies(session, records.ToolCall)[0].arguments
        assert asked(site) == []
        assert findings(session) == []


# --- what is for who runs it to mend


def test_provider_that_cannot_be_asked_is_told_to_who_makes_the_tool() -> None:
    """Its name was looked at with the first search, and the model was told to call in another way."""
    with opened() as archive:
        session = archive.session()
        for provider, says in (("serxng", "did you mean searxng"), ("brave", "BRAVE_API_KEY"), ("searxng", "SEARXNG")):
            with pytest.raises(UsageError, match=says):
                Tool(session, providers=provider)
        with pytest.raises(UsageError, match="empty list"):
            Tool(session, providers=[])
        with pytest.raises(UsageError, match="session must be"):
            Tool(archive)  # type: ignore[arg-type]
        for local in ("archive", "site"):
            Tool(session, providers=[local])


def test_providers_are_those_of_every_search_however_they_were_given() -> None:
    with at_work(providers=(name for name in ["searxng"])) as (site, _, _, tool):
        for query in ("tide mill", "mill pond"):
            assert tool.call("web_search", {"query": query}).error is None
        assert len(asked(site)) == 2


def test_model_is_not_told_to_call_otherwise_where_a_setting_is_wrong() -> None:
    with open_archive("memory:", env={"SEARCHLOG_PROVIDERS": "serxng"}) as archive:
        result = Tool(archive.session()).call("web_search", {"query": "tide mill"})
    assert result.error == "misconfigured"
    assert "SEARCHLOG_PROVIDERS: no provider is called 'serxng'" in result.text
    assert "Call web_search as" not in result.text


def test_attempts_name_each_provider_once() -> None:
    with at_work() as (site, _, _, tool):
        site.pages["/search"] = (503, {"Content-Type": "text/plain"}, "busy")
        first, second, *_ = tool.call("web_search", {"query": "tide mill"}).text.splitlines()
        assert first.startswith("No search provider answered (")
        assert second.count("searxng: ") == 1


def test_pages_at_private_addresses_are_told_when_nothing_else_was_found() -> None:
    """A search of one's own site without `allow_private` said that no passage was found, and not why."""
    with at_work(allow_private=()) as (_, _, _, tool):
        result = tool.call("web_search", {"query": "tide mill"})
        first, *_ = result.text.splitlines()
        assert first.startswith(f"{len(TEXTS)} of the pages found are at private addresses, which may not be read")
        assert first in result.structured["notes"]
        assert result.evidence == []
