"""`show` of a turn in which a model was told something, or said it: the text, what it cites, and the very bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from searchlog.cli import cli
from searchlog.digest import Digest
from searchlog.records import Evidence, Message, ToolResult
from searchlog.session import Session
from searchlog.tool.apis.known import APIS
from searchlog.tool.face import Tool
from tests.cli.conftest import Kept, call
from tests.hook_inputs import FILES, agent_of, given
from tests.searches import TEXTS, bodies, opened
from tests.test_tool_loops import SEARCH, asked, client_of, loop
from tests.test_tool_search import at_work

Show = Callable[..., Result]


@pytest.fixture
def talked(tmp_path: Path) -> Iterator[tuple[Session, Tool, Show]]:
    """A session on disk with its tool, and `show` of it."""
    place = tmp_path / "archive"
    with at_work(place) as (_, _, session, tool):
        yield session, tool, lambda *args: call("show", session.id, *args, "--archive", str(place))


def hooked(name: str, place: str) -> None:
    """Keep what a hook was given on stdin."""
    made = CliRunner().invoke(cli, ["hook", agent_of(name), "--archive", place], input=given(name))
    assert made.exit_code == 0, made.output


def turn_of(session: Session, body: object) -> str:
    return str(next(record.envelope.turn for record in session.records() if record.body == body))


def stored(session: Session, body: Message | ToolResult) -> bytes:
    assert body.content is not None
    return session.ledger.blobs.get(Digest(body.content.blob))


@pytest.mark.parametrize("api", APIS)
def test_what_a_model_was_handed_and_what_it_said_are_shown_whatever_the_api(
    api: str, talked: tuple[Session, Tool, Show]
) -> None:
    """A turn of a call told only how many bytes there were, and an answer nothing at all."""
    session, tool, show = talked
    with client_of([SEARCH]) as client:
        loop(client, api, tool, asked(api))
    (told,) = bodies(session, ToolResult)
    first, answer = bodies(session, Message)

    shown = show(turn_of(session, told)).stdout
    assert f"What was handed back ({api})" in shown
    assert all(text in shown for text in TEXTS.values())
    assert show(turn_of(session, told), "--rendering").stdout_bytes == stored(session, told)

    shown = show(turn_of(session, answer)).stdout
    (said,) = {one["evidence"] for one in session.ledger.load(answer.citations)}
    assert 'A page says "' in shown
    _, _, cited = shown.partition("What it cites\n")
    assert cited.splitlines()[1].split()[0] == said
    assert show(turn_of(session, answer), "--rendering").stdout_bytes == stored(session, answer)

    rows = show().stdout.splitlines()
    first_row, last_row = (row.split(None, 4)[4] for row in rows if " answer " in row)
    assert first_row == "calls 1 tool"
    assert last_row.startswith('“A page says "')
    turns: list[dict[str, Any]] = json.loads(show("--json").stdout)["turns"]
    messages = [one for turn in turns for one in turn["messages"]]
    assert [(one["form"], one["calls"], one["content"]) for one in messages] == [
        (api, 1, first.content.blob),
        (api, 0, answer.content.blob),
    ]
    assert [one["evidence"] for one in messages[1]["citations"]] == [said] * len(messages[1]["citations"])


def test_answer_that_was_kept_by_hand_is_shown(talked: tuple[Session, Tool, Show]) -> None:
    """Nobody looked at what it cites when it came: that is read when it is shown."""
    session, tool, show = talked
    session.keep_answer("The gate shuts.\n\nSee [e1].")
    lines = show("1").stdout.splitlines()
    at = lines.index("What the assistant said (text, record 2)")
    assert lines[at + 1 : at + 4] == ["  The gate shuts.", "", "  See [e1]."]
    assert lines[lines.index("What it cites") + 2].split(None, 3) == ["none", "given", "e1", "See"]
    tool.call("web_search", {"query": "tide mill pond"})
    assert "\ne1        e1          See\n" in show("1").stdout
    session.keep_answer("I do not know.")
    assert "What it cites" not in show("4").stdout


def test_citation_of_what_was_never_given_is_named(talked: tuple[Session, Tool, Show]) -> None:
    _, tool, show = talked
    tool.handle("openai-chat", {"choices": [{"message": {"role": "assistant", "content": "So it is [e9]."}}]})
    assert show("1").stdout.partition("What it cites\n")[2].splitlines()[1].split() == [
        "none", "given", "e9", "So", "it", "is",
    ]  # fmt: skip


def test_long_result_is_cut_with_the_way_to_all_of_it(talked: tuple[Session, Tool, Show]) -> None:
    session, _, show = talked
    session.keep_answer("\n".join(f"line {number}" for number in range(250)))
    shown = show("1").stdout
    assert "  line 199\n  … 50 more lines: --rendering prints all of it\n" in shown
    assert show("1", "--rendering").stdout.endswith("line 249")


def test_bytes_that_are_gone_are_named_and_the_rest_is_shown(
    talked: tuple[Session, Tool, Show], tmp_path: Path
) -> None:
    session, _, show = talked
    session.keep_answer("The gate shuts [e1].")
    blob = bodies(session, Message)[0].content.blob.removeprefix("sha256:")
    (tmp_path / "archive" / "blobs" / "sha256" / blob[:2] / blob).unlink()
    for args in ([], ["1"]):
        result = show(*args)
        assert result.exit_code == 7
        assert "cannot be read]" in result.stdout
        assert blob in result.stderr


def test_rendering_of_a_session_with_calls_alone_is_what_the_last_one_handed_back(
    talked: tuple[Session, Tool, Show],
) -> None:
    _, tool, show = talked
    told = tool.call("find_in_page", {"page": "e1", "words": "gate"})
    tool.handle("openai-chat", {"choices": [{"message": {"role": "assistant", "content": "I do not know."}}]})
    assert show("--rendering").stdout == told.text


def test_what_a_sender_left_out_is_called_so(tmp_path: Path) -> None:
    place, file = str(tmp_path / "a"), str(tmp_path / "passed-on.wacz")
    hooked(FILES[0], place)
    made = call("export", "latest", "--profile", "evidence", "-o", file, "--archive", place)
    assert made.exit_code == 0, made.output
    result = call("show", "latest", "1", "--archive", file)
    assert result.exit_code == 0
    assert "What was handed back (json)\n  [left out by the sender]\n" in result.stdout


@pytest.mark.parametrize("name", FILES)
def test_what_an_agents_own_tool_gave_is_shown(name: str, tmp_path: Path) -> None:
    """`show` told how many bytes a hook had kept; only the blob's file showed them."""
    place = str(tmp_path / "a")
    hooked(name, place)
    with opened(place) as archive:
        (result,) = bodies(archive.session("latest"), ToolResult)
        content = stored(archive.session("latest"), result)
    assert call("show", "latest", "1", "--rendering", "--archive", place).stdout_bytes == content
    shown = call("show", "latest", "1", "--archive", place).stdout
    _, _, told = shown.partition(f"What was handed back ({result.form})\n")
    assert told.startswith("  ")


def test_turn_whose_beginning_was_left_out_is_not_called_open(kept: Kept, tmp_path: Path) -> None:
    """A snapshot of one passage showed `turn 1,  (open), `, and its session as one with erased records."""
    file = str(tmp_path / "passage.wacz")
    made = kept("export", "latest", "--evidence", "e1", "-o", file)
    assert made.exit_code == 0, made.output
    shown = call("show", "--archive", file).stdout
    assert "\nturn 1, of which not all is here" in shown
    assert "open" not in shown.partition("Pages")[0]
    listed = call("sessions", "--archive", file).stdout
    assert "left out" in listed
    assert "erased" not in listed


def test_answer_whose_bytes_were_left_out_is_named_when_answers_are_verified(
    talked: tuple[Session, Tool, Show], tmp_path: Path
) -> None:
    session, *_ = talked
    session.keep_answer("The gate shuts [e1].")
    file = str(tmp_path / "passed-on.wacz")
    call("export", session.id, "--profile", "evidence", "-o", file, "--archive", str(tmp_path / "archive"))
    result = call("verify", file, "--answers", "--no-keep")
    assert f"the answer of record 2 of {session.id} not checked: its bytes are not here" in result.stderr
    assert result.exit_code == 3


def test_turns_without_a_query_say_what_they_are_about(talked: tuple[Session, Tool, Show], tmp_path: Path) -> None:
    """A reading and a check had an empty cell there."""
    session, tool, show = talked
    tool.call("web_search", {"query": "tide mill pond"})
    tool.call("find_in_page", {"page": "e1", "words": "tide mill"})
    rows = show().stdout.splitlines()
    (reading,) = (row.split(None, 4)[4] for row in rows if " read " in row)
    url = next(record.body.url for record in session.records() if isinstance(record.body, Evidence))
    assert reading == f"{url}: 1 passage"
    call("verify", session.id, "--archive", str(tmp_path / "archive"))
    assert (
        "verify   ok       0         store verified"
        in call("show", "checks", "--archive", str(tmp_path / "archive")).stdout
    )
