"""`searchlog search`: data on stdout, talk on stderr, an exit code for each outcome."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from searchlog.digest import digest
from searchlog.models import load
from tests.cli.conftest import Kept, call

TURN = {
    "archive", "session", "turn", "purpose", "state", "outcome", "detail", "began_at", "ended_at", "query", "also",
    "focus", "options", "providers", "runs", "funnel", "pages", "evidence", "rendering", "rendering_digest", "head",
}  # fmt: skip


def test_stdout_is_the_stored_rendering_and_nothing_else(kept: Kept) -> None:
    stored = kept("show", kept.session, "1", "--rendering").stdout_bytes
    assert kept.stdout == stored
    assert str(digest(stored)) in kept.stderr


def test_stderr_tells_the_funnel_the_place_the_session_and_the_head(kept: Kept) -> None:
    for said in ("dropped", "merged-into", "refused-robots", str(kept.archive), kept.session, "searchlog head: "):
        assert said in kept.stderr


def test_quiet_says_nothing(fresh: Kept) -> None:
    result = fresh.search("how high is the Jeddah Light", "--quiet")
    assert result.exit_code == 0
    assert result.stderr == ""


def test_json_is_one_object_of_the_documented_shape(fresh: Kept) -> None:
    result = fresh.search("how high is the Jeddah Light", "--json", "--quiet", "--budget", "200")
    told = json.loads(result.stdout)
    assert set(told) == TURN
    assert told["outcome"] == "ok"
    assert digest(told["rendering"].encode()) == told["rendering_digest"]
    assert {step["step"] for step in told["funnel"]} >= {"parse", "fuse", "filter", "read", "budget"}
    assert all(step["in"] == step["kept"] + step["dropped"] for step in told["funnel"])
    assert told["evidence"][0]["exact"] in told["rendering"]


def test_options_of_the_query_are_recorded(fresh: Kept) -> None:
    result = fresh.search(
        "lens", "--count", "7", "--language", "en", "--country", "gb", "--freshness", "year", "--safe", "strict",
        "--exclude-domain", "example.org", "--json", "-q",
    )  # fmt: skip
    options = json.loads(result.stdout)["options"]
    assert date.fromisoformat(options.pop("asked_on"))  # the day from which the freshness counts
    assert options == {
        "count": 7,
        "page": 1,
        "language": "en",
        "country": "GB",
        "freshness": "year",
        "safe": "strict",
        "exclude_domains": ["example.org"],
    }


def test_several_texts_and_a_focus_are_asked_recorded_and_shown(fresh: Kept) -> None:
    other, focus = "who invented the lighthouse lens", "Who closed the fog signal of the Jeddah Light?"
    result = fresh.search("Fresnel", "lens", "history", "--also", other, "--also", other, "--focus", focus, "--json")
    told = json.loads(result.stdout)
    assert (told["query"], told["also"], told["focus"]) == ("Fresnel lens history", [other], focus)
    assert [(run["provider"], run["query"]) for run in told["runs"]] == [
        ("searxng", "Fresnel lens history"),
        ("searxng", other),
    ]
    assert "also" not in told["options"]
    assert told["rendering"].startswith(f"Evidence for: Fresnel lens history\nAlso asked: {other}\nFocus: {focus}\n")
    assert other in result.stderr  # the table of runs says which text each answers
    shown = fresh("show", told["session"]).stdout
    assert f"  also: {other}\n" in shown
    assert f"  focus: {focus}\n" in shown
    assert "Fresnel lens history (and 1 more)" in shown
    told_why = fresh("why", told["pages"][0]["url"], "-s", told["session"]).stdout
    assert "for “who invented the lighthouse lens”" in told_why
    assert "equal byte for byte" in fresh("replay", told["session"]).stdout
    assert fresh("verify", told["session"], "--passages").exit_code == 0
    assert fresh("reparse", told["session"], "--keep").exit_code == 0
    assert fresh("verify", told["session"]).exit_code == 0


class Lamps:
    """A model that looks for lamps."""

    name = "lamps/1"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float("lamp" in text) for text in texts]


def test_a_model_of_ones_own_ranks_is_shown_and_a_replay_without_it_is_not_checked(
    fresh: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_loaded", lambda spec: Lamps())
    told = json.loads(fresh.search("lens", "--scorer", "static:/lamps", "--json", "-q").stdout)
    assert "scorer=lamps/1 " in next(step["rule"] for step in told["funnel"] if step["step"] == "rank")
    assert "  scorer: static:/lamps\n" in fresh("show", told["session"]).stdout
    assert "equal byte for byte" in fresh("replay", told["session"]).stdout
    monkeypatch.undo()
    again = fresh("replay", told["session"])
    assert again.exit_code == 9
    assert f"session {told['session']} turn 1: not checked\n" in again.stdout
    assert "  now       not made: the passages were ranked with lamps/1: " in again.stdout
    shape = json.loads(fresh("replay", told["session"], "--json").stdout)
    assert (shape["outcome"], shape["equal"], shape["found"]) == ("not checked", None, None)
    assert shape["expected"] == told["rendering_digest"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [("magic:/x", "expected one of static:FOLDER"), ("static", "no scorer 'static'"), ("cross:/no/such", "cross:/no")],
)
def test_a_model_that_is_not_there_is_exit_code_2_before_there_is_a_session(
    tmp_path: Path, kept: Kept, spec: str, said: str
) -> None:
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "a"), "SEARCHLOG_SEARXNG_URL": kept.site.search_url}
    result = call("search", "lens", "--scorer", spec, env=env)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "a").exists()


def test_a_session_is_new_unless_one_is_named(fresh: Kept) -> None:
    other = json.loads(fresh.search("lens", "--json", "-q").stdout)
    same = json.loads(fresh.search("lens", "--json", "-q", "--session", fresh.session).stdout)
    again = json.loads(fresh.search("lens", "--json", "-q", "--session", "latest").stdout)
    assert (other["turn"], same["turn"], again["turn"]) == (1, 2, 2)
    assert same["session"] == fresh.session
    assert again["session"] == other["session"] != fresh.session


def test_an_empty_answer_is_exit_code_3_and_still_a_rendering(fresh: Kept) -> None:
    result = fresh.search("xyzzy plugh frobnicate")
    assert result.exit_code == 3
    assert "empty" in result.stdout


def test_ones_own_server_is_asked_but_private_pages_are_not_read_without_leave(tmp_path: Path, kept: Kept) -> None:
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "a"), "SEARCHLOG_SEARXNG_URL": kept.site.search_url}
    result = call("search", "lens", env=env)
    assert result.exit_code == 3
    assert "refused-address" in result.stderr


def test_no_provider_that_answers_is_exit_code_4_and_says_where_the_attempts_are(tmp_path: Path) -> None:
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "a"), "SEARCHLOG_SEARXNG_URL": "http://127.0.0.1:9"}
    result = call("search", "anything", env=env)
    assert result.exit_code == 4
    assert result.stdout == ""
    assert "error: no search provider answered (searxng" in result.stderr
    shown = call("show", env=env)
    assert "offline" in shown.stdout


@pytest.mark.parametrize(
    "args",
    [
        ["x", "--provider", "nobody"],
        ["  "],
        [],
        ["x", "--count", "0"],
        ["x", "--deadline", "nan", "-p", "archive"],
        ["x", "--soft-deadline", "inf", "-p", "archive"],
        ["x", "--provider", "site"],
        ["x", "--site", "no-such-folder"],
        ["x", "--no-cache", "--max-age", "5", "-p", "archive"],
        ["x", "--allow-private", "http://a/", "-p", "archive"],
        ["x\udc80", "-p", "archive"],
        ["x", "--include-domain", "a b", "-p", "archive"],
        ["x", "--also", " ", "-p", "archive"],
        ["x", "--focus", "", "-p", "archive"],
        ["x", "--focus", "x\udc80", "-p", "archive"],
        ["x", "--also", "x\udc80", "-p", "archive"],
        ["x", *(word for n in range(10) for word in ("--also", f"y{n}")), "-p", "archive"],
    ],
    ids=lambda args: " ".join(args).encode("ascii", "backslashreplace").decode() or "nothing",
)
def test_a_call_that_cannot_be_is_exit_code_2(args: list[str], tmp_path: Path) -> None:
    result = call("search", *args, env={"SEARCHLOG_ARCHIVE": str(tmp_path / "a")})
    assert result.exit_code == 2, result.output
    assert result.stdout == ""


@pytest.mark.parametrize("args", [["x", "--provider", "nobody"], ["  "], ["x", "--site", "no-such-folder"]], ids=str)
def test_a_call_that_cannot_be_leaves_no_session(args: list[str], tmp_path: Path) -> None:
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "a")}
    call("search", *args, env=env)
    listed = call("sessions", "--json", env=env)
    assert listed.exit_code == 2 or json.loads(listed.stdout)["sessions"] == []


def test_an_unknown_session_is_exit_code_3(kept: Kept) -> None:
    assert kept("search", "x", "--session", "s0", "-p", "archive").exit_code == 3


def test_past_captures_are_searched_without_a_server(fresh: Kept) -> None:
    result = fresh("search", "hydraulic lime lens", "--provider", "archive", "--json", "-q")
    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert all(page["reused"]["via"] == "archive" for page in told["pages"])


def test_a_folder_is_searched(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Retry policy\n\nWe retry three times, with a pause of two seconds.\n")
    (docs / "b.html").write_text("<title>Other</title><p>Nothing about that here.</p>")
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "archive")}
    result = call("search", "retry policy pause", "--site", str(docs), env=env)
    assert result.exit_code == 0, result.output
    assert "We retry three times" in result.stdout


def test_provider_without_its_key_leaves_no_session_behind(tmp_path: Path) -> None:
    """An empty session was begun first, and stood as `latest` afterwards."""
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "a")}
    result = call("search", "tide", "-p", "brave", env=env)
    assert result.exit_code == 2
    assert "BRAVE_API_KEY" in result.stderr
    assert json.loads(call("sessions", "--json", env=env).stdout)["sessions"] == []
