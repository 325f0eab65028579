"""What a hook is given is taken as it stands, and nothing of it is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from searchlog.hooks.event import parse_event
from tests.hook_inputs import FILES, SESSION, given, made


@pytest.mark.parametrize("name", FILES)
def test_values_are_the_bytes_that_stand_in_the_input(name: str) -> None:
    data = given(name)
    whole = json.loads(data)
    event = parse_event(data)
    answer = "error" if whole["hook_event_name"].endswith("Failure") else "tool_response"
    assert event.is_read
    assert event.is_result
    assert f'"{answer}":'.encode() + event.result in data
    assert json.loads(event.result) == event.response == whole[answer]
    assert f'"tool_input":{event.arguments}'.encode() in data
    assert (event.input, event.tool) == (whole["tool_input"], whole["tool_name"])
    assert (event.session, event.call_id) == (whole["session_id"], whole["tool_use_id"])
    assert (event.model, event.transcript) == (whole.get("model"), whole["transcript_path"])


def test_spaces_numbers_and_escapes_stay_as_they_are() -> None:
    data = b' {"tool_name":"T" , "tool_response" : { "b":1.50, "a":"\\u00e9\\/", "b" :2 }\n}\n'
    event = parse_event(data)
    assert event.result == b'{ "b":1.50, "a":"\\u00e9\\/", "b" :2 }'
    assert event.response == {"a": "é/", "b": 2}


def test_of_two_members_of_one_name_the_last_counts() -> None:
    assert parse_event(b'{"tool_response":1,"tool_response":2}').result == b"2"


@pytest.mark.parametrize("name", FILES)
def test_input_that_is_cut_anywhere_is_kept_whole(name: str) -> None:
    data = given(name).rstrip()
    named = data.index(b",")
    for end in range(len(data)):
        event = parse_event(data[:end])
        assert event.result == data[:end]
        assert not event.is_read
        assert event.session == (json.loads(data)["session_id"] if end >= named else "")


def test_what_was_cut_by_its_size_is_not_taken_for_read() -> None:
    data = given("codex-webrun.json")
    event = parse_event(data, is_cut=True)
    assert (event.is_read, event.result) == (False, data)
    assert event.session


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no JSON",
        b"[1, 2]",
        b"{}",
        b'{"session_id": 7, "tool_name": null}',
        b"\xff\xfe{}",
        b'\xef\xbb\xbf{"tool_response":1}',
        b'{"tool_response":' + b"[" * 100_000,
        b'{"tool_response":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"tool_response":' + b"9" * 5_000 + b"}",
        b'{"tool_response":1}}',
        b"{1:2}",
        b'{"a":1 "b":2}',
        b'{"tool_use_id":"x"}',
    ],
    ids=lambda data: repr(data[:24]),
)
def test_input_in_no_form_that_is_known_is_the_result(data: bytes) -> None:
    event = parse_event(data)
    assert (event.is_read, event.result, event.response) == (False, data, None)
    assert event.is_result


def test_bytes_that_are_no_utf_8_come_out_as_they_went_in() -> None:
    data = b'{"session_id":"s","tool_input":"\xff","tool_response":"caf\xe9"}'
    event = parse_event(data)
    assert event.result == b'"caf\xe9"'
    assert event.arguments == '"\ufffd"'


def test_names_can_stand_in_a_record_whatever_they_are() -> None:
    event = parse_event(b'{"session_id":"a\\u0000b\\ud800","tool_name":"x\\ny","tool_response":1}')
    assert event.session == "a\ufffdb\ufffd"
    assert event.tool == "x\ufffdy"
    (event.session + event.tool).encode()
    assert len(parse_event(made("T" * 5_000, {}, 1)).tool) == 200


@pytest.mark.parametrize(
    ("name", "expected"),
    [("PreToolUse", False), ("SessionStart", False), ("UserPromptSubmit", False), ("PostToolBatch", True), ("", True)],
)
def test_events_without_a_result_are_told_from_results(name: str, expected: bool) -> None:
    data = json.dumps({"session_id": "s", "hook_event_name": name, "tool_input": {}}).encode()
    assert parse_event(data).is_result is expected


def test_event_of_a_later_version_that_has_a_result_is_one() -> None:
    data = json.dumps({"hook_event_name": "ToolDone", "tool_name": "W", "tool_output": "x"}).encode()
    event = parse_event(data)
    assert (event.is_result, event.is_read, event.result) == (True, True, b'"x"')


def test_agent_below_the_main_one_is_named() -> None:
    assert parse_event(made("T", {}, 1, agent_id="a1", agent_type="Explore")).worker == "Explore-a1"
    assert parse_event(made("T", {}, 1, agent_id="a1")).worker == "a1"
    assert parse_event(made("T", {}, 1, agent_type="main")).worker is None
    assert parse_event(made("T", {}, 1)).session == SESSION


PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    PLAIN | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.booleans() | st.none(),
    lambda value: st.lists(value, max_size=4) | st.dictionaries(PLAIN, value, max_size=4),
    max_leaves=12,
)


@drawn(VALUES, st.dictionaries(PLAIN, VALUES, max_size=4), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_response_is_found_among_whatever_stands_beside_it(
    response: object, beside: dict[str, object], indent: int | str | None, escaped: bool
) -> None:
    value = {**beside, "tool_response": response, "hook_event_name": "PostToolUse"}
    event = parse_event(json.dumps(value, indent=indent, ensure_ascii=escaped).encode())
    assert event.is_read
    assert json.loads(event.result) == event.response == response
    assert event.result.strip() == event.result


@drawn(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: ("{" + text).encode("utf-8", "surrogatepass")))
def test_no_input_is_refused(data: bytes) -> None:
    event = parse_event(data)
    assert event.result in data
    event.arguments.encode()
