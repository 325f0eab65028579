"""A hook's result becomes one turn of the session that belongs to the agent's, whoever else writes at the moment."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import searchlog
from searchlog import records
from searchlog.clock import FixedClock, FixedIds, SystemClock, SystemIds
from searchlog.digest import digest
from searchlog.errors import StoreError
from searchlog.hooks.event import parse_event
from searchlog.hooks.keep import Keeper, Kept
from searchlog.ledger import Ledger, Record
from searchlog.search.fuse import comparison_key
from searchlog.storage import Storage, open_storage
from searchlog.verify.store import verify_session
from searchlog.view import turn_views, why
from tests.hook_inputs import FILES, SESSION, agent_of, given, made
from tests.searches import opened

KEY = "tvly-Qx7pLm29ZkRt48Wv"
URL = "https://example.org/mill"


@contextmanager
def keeping(place: Path | str = "memory:") -> Iterator[Keeper]:
    storage = open_storage(place)
    try:
        yield Keeper(storage, SystemClock(), SystemIds())
    finally:
        storage.close()


def keep(keeper: Keeper, data: bytes, agent: str = "claude-code") -> Kept:
    return keeper.keep(agent, parse_event(data))


def ledger(keeper: Keeper, session: str) -> Ledger:
    storage = keeper.storage
    return Ledger(session, storage.log, storage.blobs, clock=keeper.clock, ids=keeper.ids, leases=storage.leases)


def stored(keeper: Keeper, kept: Kept) -> list[Record]:
    """Return the records of what was kept: its turn's begin, call, result and end."""
    return [record for record in ledger(keeper, kept.session).records() if record.envelope.turn == kept.turn]


def check_clean(storage: Storage, session: str) -> None:
    report = verify_session(storage.log, storage.blobs, session)
    assert report.findings == []
    assert report.outcome == "verified"


@pytest.mark.parametrize("name", FILES)
def test_result_is_one_turn_with_its_call(name: str, tmp_path: Path) -> None:
    whole, agent = json.loads(given(name)), agent_of(name)
    with keeping(tmp_path) as keeper:
        kept = keep(keeper, given(name), agent)
        begin, called, answered, end = stored(keeper, kept)
        assert isinstance(begin.body, records.Turn)
        assert isinstance(end.body, records.Turn)
        assert (begin.body.state, begin.body.purpose, end.body.state) == ("begin", "hook", "end")
        call, result = called.body, answered.body
        assert isinstance(call, records.ToolCall)
        assert isinstance(result, records.ToolResult)
        assert (call.name, call.api, call.call_id) == (whole["tool_name"], agent, whole["tool_use_id"])
        assert isinstance(call.arguments, str)
        assert json.loads(call.arguments) == whole["tool_input"]
        assert call.client is not None
        assert (call.client["name"], call.client.get("model")) == (agent, whole.get("model"))
        assert (result.name, result.api, result.call_id) == (call.name, agent, call.call_id)
        assert (result.fidelity, result.form, answered.seq) == (kept.fidelity, "json", kept.seq)
        assert answered.envelope.causes == (called.seq,)
        assert called.envelope.causes == end.envelope.causes == (begin.seq,)
        assert result.content is not None
        content = keeper.storage.blobs.get(result.content.blob)
        assert content == parse_event(given(name)).result
        assert content in given(name)
        check_clean(keeper.storage, kept.session)


def test_error_and_interruption_are_outcomes() -> None:
    with keeping() as keeper:
        stopped = made("WebFetch", {}, None, hook_event_name="PostToolUseFailure", error="no", is_interrupt=True)
        for data, outcome, error, end in (
            (given("claude-code-web-fetch-404.json"), "error", "http-404", "failed"),
            (given("claude-code-web-fetch-failed.json"), "error", "tool-failed", "failed"),
            (stopped, "interrupted", None, "failed"),
            (given("claude-code-web-fetch.json"), "ok", None, "ok"),
        ):
            *_, answered, ended = stored(keeper, keep(keeper, data))
            assert isinstance(answered.body, records.ToolResult)
            assert isinstance(ended.body, records.Turn)
            assert (answered.body.outcome, answered.body.error, ended.body.outcome) == (outcome, error, end)


@pytest.mark.parametrize(
    "data",
    [b"no JSON", b"\xff\x00", b"[]", b'{"session_id":"s","tool_name":"WebSearch","tool_response":{"res'],
    ids=repr,
)
def test_input_in_no_known_form_is_kept_as_it_is(data: bytes) -> None:
    with keeping() as keeper:
        kept = keep(keeper, data)
        _, call, result, end = (record.body for record in stored(keeper, kept))
        assert isinstance(call, records.ToolCall)
        assert isinstance(result, records.ToolResult)
        assert isinstance(end, records.Turn)
        assert result.content is not None
        assert keeper.storage.blobs.get(result.content.blob) == data
        assert (result.fidelity, result.form, result.outcome) == ("unknown", "input", "ok")
        assert "all of it is kept" in (end.detail or "")
        assert call.name == ("WebSearch" if b"WebSearch" in data else "unknown")
        check_clean(keeper.storage, kept.session)


def test_large_arguments_and_results_are_kept_whole() -> None:
    asked = {"query": "m" * 200_000}
    with keeping() as keeper:
        kept = keep(keeper, made("WebSearch", asked, {"results": ["w" * 3_000_000]}))
        _, call, _, _ = (record.body for record in stored(keeper, kept))
        assert isinstance(call, records.ToolCall)
        assert json.loads(ledger(keeper, kept.session).load(call.arguments)) == asked
        assert kept.bytes > 3_000_000
        check_clean(keeper.storage, kept.session)


# --- the session


def test_session_of_an_agent_is_found_again_and_named_after_it(tmp_path: Path) -> None:
    with keeping(tmp_path) as keeper:
        first = keep(keeper, made("WebSearch", {}, "a"))
        other = keep(keeper, made("WebSearch", {}, "a", session_id="another"))
        codex = keep(keeper, made("webrun", {}, "a"), "codex")
    with keeping(tmp_path) as keeper:
        again = keep(keeper, made("WebFetch", {}, "b"))
        assert keeper.storage.log.sessions() == [first.session, other.session, codex.session]
        title = next(iter(ledger(keeper, first.session).records())).body
    assert (first.session, first.turn, again.turn) == (again.session, 1, 2)
    assert first.session.startswith(f"claude-code-{SESSION}.")
    assert isinstance(title, records.Session)
    assert title.title == f"claude-code {SESSION}"


@pytest.mark.parametrize("name", ["", "a/b", "x" * 500, "ä", "..", "a.b", "\ud800", "a\nb"], ids=ascii)
def test_session_whose_id_cannot_be_a_name_is_found_again(name: str) -> None:
    with keeping() as keeper:
        kept = [keep(keeper, made("T", {}, 1, session_id=name)) for _ in range(2)]
        assert kept[0].session == kept[1].session
        assert len(keeper.storage.log.sessions()) == 1
        assert ("-unnamed." in kept[0].session) is (name == "")
        check_clean(keeper.storage, kept[0].session)


def test_two_archives_give_one_session_two_names(tmp_path: Path) -> None:
    """Each keeps a part of it, and logs of one name that differ would be a fork when one is taken in by the other."""
    names = set()
    for place in ("a", "b"):
        with keeping(tmp_path / place) as keeper:
            names.add(keep(keeper, made("T", {}, 1)).session)
    assert len(names) == 2


def test_hooks_that_run_side_by_side_lose_nothing(tmp_path: Path) -> None:
    threads, each = 8, 5
    kept: list[Kept] = []
    ready = threading.Barrier(threads)

    def run(number: int) -> None:
        with keeping(tmp_path) as keeper:
            ready.wait()
            kept.extend(keep(keeper, made("WebSearch", {"n": number}, f"{number}-{n}")) for n in range(each))

    runs = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    with keeping(tmp_path) as keeper:
        (session,) = keeper.storage.log.sessions()
        views = turn_views(ledger(keeper, session).records())
        assert sorted(view.number for view in views) == list(range(1, threads * each + 1))
        assert all(len(view.calls) == 1 and view.calls[0].result and view.state == "end" for view in views)
        blobs = [view.calls[0].result.content for view in views if view.calls[0].result]
        texts = {keeper.storage.blobs.get(ref.blob) for ref in blobs if ref is not None}
        assert len(texts) == len(kept) == threads * each
        check_clean(keeper.storage, session)


def test_session_that_came_from_elsewhere_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "s.wacz"
    with keeping(tmp_path / "a") as keeper:
        theirs = keep(keeper, made("WebSearch", {}, "a")).session
    with opened(tmp_path / "a") as archive:
        archive.write_export(archive.plan_export(theirs), file)
    with opened(tmp_path / "b") as archive:
        archive.take_in(file)
    with keeping(tmp_path / "b") as keeper:
        mine = keep(keeper, made("WebSearch", {}, "b")).session
        assert mine != theirs
        assert keep(keeper, made("WebSearch", {}, "c")).session == mine
        assert len(list(ledger(keeper, theirs).records())) == 5


def test_archive_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with keeping(tmp_path) as keeper:
        keep(keeper, made("T", {}, 1))
    storage = open_storage(tmp_path, write=False)
    try:
        with pytest.raises(StoreError):
            keep(Keeper(storage, SystemClock(), SystemIds()), made("T", {}, 1))
    finally:
        storage.close()


def test_same_input_at_the_same_time_gives_the_same_lines() -> None:
    lines = []
    for _ in range(2):
        storage = open_storage("memory:")
        keeper = Keeper(storage, FixedClock(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)), FixedIds())
        kept = keep(keeper, given("codex-webrun.json"), "codex")
        lines.append([item.line for item in storage.log.get(kept.session)])
    assert lines[0] == lines[1]
    assert len(lines[0]) == 5


# --- secrets


def test_keys_reach_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    page = f"https://api.example/?key={KEY}"
    login = "https://ann:opensesame@example.org/x"
    asked = {"url": page, "prompt": f"use {KEY} at {login}"}
    response = {"result": f"It says {KEY} and {login}.", "url": page, "code": 200}
    more = {"session_id": KEY, "tool_use_id": KEY, "agent_id": KEY, "model": KEY}
    with keeping(tmp_path) as keeper:
        kept = keep(keeper, made("WebFetch", asked, response, **more))
        keep(keeper, f"no JSON, and {KEY}".encode())
        check_clean(keeper.storage, kept.session)
        assert KEY not in kept.session
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"[redacted]" in held
    for secret in (KEY, "opensesame"):
        assert secret.encode() not in held


def test_addresses_with_an_at_sign_are_no_secrets() -> None:
    text = '{"result": "https://medium.com/@ann/a-b and ann@example.org, https://x.example/a:b@c", "code":200}'
    data = b'{"session_id":"s","tool_name":"WebFetch","tool_response":%b}' % text.encode()
    with keeping() as keeper:
        kept = keep(keeper, data)
        assert kept.bytes == len(text)
        result = stored(keeper, kept)[2].body
        assert isinstance(result, records.ToolResult)
        assert result.content is not None
        assert keeper.storage.blobs.get(result.content.blob).decode() == text


# --- who asked


def call_line(call_id: str, model: str) -> dict[str, Any]:
    return {
        "type": "assistant",
        "version": "2.1.300",
        "message": {"model": model, "content": [{"type": "tool_use", "id": call_id, "name": "WebSearch"}]},
    }


def client(keeper: Keeper, data: bytes, agent: str = "claude-code") -> dict[str, Any]:
    call = stored(keeper, keep(keeper, data, agent))[1].body
    assert isinstance(call, records.ToolCall)
    assert call.client is not None
    return call.client


def test_version_and_model_are_those_of_the_transcript(tmp_path: Path) -> None:
    place = tmp_path / "t.jsonl"
    lines = [call_line("toolu_9", "model-a"), call_line("toolu_8", "model-b"), {"type": "user", "version": "2.1.332"}]
    place.write_text("x" * 300_000 + "\n" + "".join(json.dumps(line) + "\n" for line in lines) + '{"torn":', "utf-8")
    with keeping() as keeper:
        data = made("WebSearch", {}, "a", transcript_path=str(place))
        assert client(keeper, data) == {"name": "claude-code", "version": "2.1.332", "model": "model-a"}
        data = made("WebSearch", {}, "a", transcript_path=str(place), tool_use_id="toolu_7")
        assert client(keeper, data) == {"name": "claude-code", "version": "2.1.332"}


def test_version_of_codex_is_that_of_its_rollout(tmp_path: Path) -> None:
    place = tmp_path / "r.jsonl"
    meta = {"type": "session_meta", "payload": {"cli_version": "0.171.0", "base_instructions": {"text": "y" * 90_000}}}
    place.write_text(json.dumps(meta) + "\n", "utf-8")
    with keeping() as keeper:
        data = made("webrun", {}, "a", transcript_path=str(place), model="gpt-9")
        assert client(keeper, data, "codex") == {"name": "codex", "version": "0.171.0", "model": "gpt-9"}


@pytest.mark.parametrize("place", ["", "/nowhere/t.jsonl", "\0", ".", "/dev/null"])
def test_transcript_that_cannot_be_read_says_nothing(place: str) -> None:
    with keeping() as keeper:
        assert client(keeper, made("WebSearch", {}, "a", transcript_path=place)) == {"name": "claude-code"}


def test_agent_below_the_main_one_is_on_the_records() -> None:
    with keeping() as keeper:
        kept = keep(keeper, made("WebSearch", {}, "a", agent_id="a1\n", agent_type="Explore"))
        assert {record.envelope.agent for record in stored(keeper, kept)} == {"main/Explore-a1\ufffd"}
        assert {r.envelope.agent for r in stored(keeper, keep(keeper, made("T", {}, 1)))} == {"main"}


# --- what others make of it


def test_calls_are_shown_in_their_turn() -> None:
    with keeping() as keeper:
        kept = keep(keeper, given("claude-code-web-search.json"))
        log = ledger(keeper, kept.session)
        (view,) = turn_views(log.records())
        assert view.to_json(log.load)["calls"] == [
            {
                "name": "WebSearch",
                "api": "claude-code",
                "call_id": "toolu_1",
                "outcome": "ok",
                "error": None,
                "evidence": [],
                "fidelity": "readable-derived",
                "bytes": kept.bytes,
                "content": digest(parse_event(given("claude-code-web-search.json")).result),
            }
        ]


def test_call_without_a_result_and_result_without_a_call_are_shown() -> None:
    with keeping() as keeper:
        kept = keep(keeper, given("claude-code-web-search.json"))
        begin, call, result, end = stored(keeper, kept)
        for kept_records, outcomes in (([begin, call, end], [None]), ([begin, result, end], ["ok"])):
            (view,) = turn_views(kept_records)
            assert [one["outcome"] for one in view.to_json(lambda value: value)["calls"]] == outcomes


def test_why_tells_of_results_that_name_a_page() -> None:
    with keeping() as keeper:
        kept = keep(keeper, given("claude-code-web-search.json"))
        log = ledger(keeper, kept.session)
        (event,) = why("http://example.org/mill?utm_source=x", log.records(), log.load, comparison_key)
        assert event.text == "the result of WebSearch by claude-code names it (readable-derived)"
        assert (event.seq, event.turn) == (kept.seq, kept.turn)
        assert why("https://example.org/other", log.records(), log.load, comparison_key) == []


@pytest.mark.parametrize("profile", ["full", "evidence"])
def test_results_go_with_a_snapshot_as_its_profile_says(profile: Any, tmp_path: Path) -> None:
    file = tmp_path / "s.wacz"
    with keeping(tmp_path / "a") as keeper:
        kept = keep(keeper, given("claude-code-web-fetch.json"))
        session, result = kept.session, stored(keeper, kept)[2].body
        assert isinstance(result, records.ToolResult)
        assert result.content is not None
        content = keeper.storage.blobs.get(result.content.blob)
    with opened(tmp_path / "a") as archive:
        archive.write_export(archive.plan_export(session, profile=profile), file)
    assert searchlog.verify_snapshot(file).outcome == "verified"
    with opened(tmp_path / "b") as archive:
        archive.take_in(file)
        taken = archive.ledger(session)
        assert [record.kind for record in taken.records()] == ["session", "turn", "tool-call", "tool-result", "turn"]
        assert taken.blobs.has(result.content.blob) is (profile == "full")
        if profile == "full":
            assert taken.blobs.get(result.content.blob) == content
