"""`searchlog hook`: an agent calls it and feels nothing; what it was given can be shown, verified and explained."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from searchlog.cli import cli, hook
from searchlog.records import Note, ToolResult
from tests.cli.conftest import call, clean_env
from tests.hook_inputs import FILES, SESSION, agent_of, given, made
from tests.searches import TEXTS, opened, pages
from tests.sites import serve

HEAVY = {"httpx", "trafilatura", "pypdfium2", "lxml", "selectolax", "rich", "multiprocessing", "asyncio"}


def hooked(data: bytes, archive: Path | str, *args: str, agent: str = "claude-code") -> Result:
    """Call the hook in this process."""
    runner = CliRunner()
    return runner.invoke(cli, ["hook", agent, "--archive", str(archive), *args], input=data, prog_name="searchlog")


def spawned(data: bytes, archive: Path, *args: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Call the hook as an agent does."""
    command = [sys.executable, "-m", "searchlog", "hook", "claude-code", "--archive", str(archive), *args]
    return subprocess.run(command, input=data, capture_output=True, env=clean_env(**env), timeout=60, check=False)


def results(archive: Path) -> list[ToolResult]:
    with opened(archive) as there:
        names = there.resources.storage.log.sessions()
        found = [record.body for name in names for record in there.ledger(name).records()]
    return [body for body in found if isinstance(body, ToolResult)]


@pytest.mark.parametrize("name", FILES)
def test_agent_hears_nothing_and_the_result_is_kept(name: str, tmp_path: Path) -> None:
    result = hooked(given(name), tmp_path / "a", agent=agent_of(name))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert len(results(tmp_path / "a")) == 1


def test_process_of_its_own_says_nothing_either(tmp_path: Path) -> None:
    done = spawned(given("claude-code-web-search.json"), tmp_path / "a")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_was_kept_is_told_when_asked(tmp_path: Path) -> None:
    told = json.loads(hooked(given("claude-code-web-search.json"), tmp_path / "a", "--json").stdout)
    assert list(told) == ["session", "turn", "seq", "fidelity", "bytes", "urls"]
    assert (told["turn"], told["fidelity"]) == (1, "readable-derived")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "nothing arrived on stdin"),
        (b" \n", "nothing arrived on stdin"),
        (made("T", {}, 0).replace(b'"tool_response":0,', b"").replace(b"PostToolUse", b"PreToolUse"), "PreToolUse"),
    ],
    ids=["nothing", "blanks", "before the tool"],
)
def test_what_is_no_result_is_said_and_passed_over(data: bytes, says: str, tmp_path: Path) -> None:
    result = hooked(data, tmp_path / "a")
    assert (result.exit_code, result.stdout) == (1, "")
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("data", [b"{", b"\xff", b'{"tool_response":1', b"[]"], ids=repr)
def test_input_in_no_known_form_is_kept_without_a_word(data: bytes, tmp_path: Path) -> None:
    result = hooked(data, tmp_path / "a")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    (kept,) = results(tmp_path / "a")
    assert (kept.fidelity, kept.form) == ("unknown", "input")


@pytest.mark.parametrize(
    "args",
    [
        ["hook"],
        ["hook", "emacs"],
        ["hook", "claude-code", "--no-such-option"],
        ["hook", "claude-code", "--install", "everybody"],
        ["hook", "claude-code", "--finish", "x"],
        ["hook", "claude-code", "--archive", "redis://x"],
        ["hook", "claude-code", "--archive", f"{__file__}/x"],
        ["hook", "claude-code", "extra"],
    ],
    ids=lambda args: " ".join(args).replace(__file__, "FILE"),
)
def test_no_misuse_ends_with_the_code_that_agents_take_for_an_objection(args: list[str]) -> None:
    result = CliRunner().invoke(cli, args, input=given("claude-code-web-search.json"), prog_name="searchlog")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr


def test_damaged_archive_is_said_in_one_line(tmp_path: Path) -> None:
    assert hooked(given("claude-code-web-search.json"), tmp_path / "a").exit_code == 0
    (tmp_path / "a" / "log.db").write_bytes(b"no database" * 500)
    result = hooked(given("claude-code-web-search.json"), tmp_path / "a")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("searchlog hook: error: ")
    assert result.stderr.count("\n") == 1


def test_input_larger_than_any_result_is_read_to_its_end_and_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "_STDIN_BYTES_MAX", 3_000)
    monkeypatch.setattr(hook, "_CHUNK", 700)
    data = made("WebSearch", {"query": "q"}, {"results": ["w" * 9_000]})
    result = hooked(data, tmp_path / "a", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["fidelity"], told["bytes"]) == ("unknown", 3_000)
    assert told["session"].startswith(f"claude-code-{SESSION}.")


def test_hooks_of_one_session_that_run_at_once_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "searchlog", "hook", "claude-code", "--archive", str(tmp_path / "a")]
    running = []
    for number in range(6):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_env())
        running.append((process, made("WebSearch", {"n": number}, f"answer {number}")))
    said = [process.communicate(data, timeout=60)[1] for process, data in running]
    assert said == [b""] * 6
    with opened(tmp_path / "a") as archive:
        assert len(archive.resources.storage.log.sessions()) == 1
    assert len(results(tmp_path / "a")) == 6


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys, json\nfrom searchlog.cli import cli\n"
        "try:\n    cli.main(sys.argv[1:], prog_name='searchlog')\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    command = [sys.executable, "-c", code, "hook", "claude-code", "--archive", str(tmp_path / "a")]
    data = given("claude-code-web-search.json")
    done = subprocess.run(command, input=data, capture_output=True, env=clean_env(), timeout=60, check=True)
    modules = set(json.loads(done.stdout))
    assert modules & HEAVY == set()
    assert not {
        name for name in modules if name.startswith(("searchlog.capture", "searchlog.extract", "searchlog.flow"))
    }


# --- reading back


def test_session_is_shown_verified_and_explained(tmp_path: Path) -> None:
    place = ("--archive", str(tmp_path / "a"))
    for name in FILES:
        if agent_of(name) == "claude-code":
            assert hooked(given(name), tmp_path / "a").exit_code == 0
    mine = f"claude-code-{SESSION}"
    shown = call("show", mine, *place)
    assert "WebFetch" in shown.stdout
    assert "pointer" in shown.stdout
    one = call("show", mine, "1", *place)
    header, row = one.stdout.split("Calls\n")[1].splitlines()[:2]
    assert header.split() == ["tool", "by", "outcome", "bytes", "what", "it", "is", "arguments"]
    assert row.split()[:3] == ["WebFetch", "claude-code", "http-404"]
    told = json.loads(call("show", mine, "--json", *place).stdout)
    calls: list[dict[str, Any]] = [one for turn in told["turns"] for one in turn["calls"]]
    assert [one["fidelity"] for one in calls] == ["withheld", "pointer", "readable-derived"]
    assert call("verify", *place).exit_code == 0
    why = call("why", "https://example.org/mill", "--session", "all", *place)
    assert (why.exit_code, "names it (readable-derived)" in why.stdout) == (0, True)
    assert f"claude-code {SESSION}" in call("sessions", *place).stdout


# --- capturing anew


def note_of(archive: Path, within_s: float = 60.0) -> str:
    """Return what is noted of the recapture, once it is."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        with opened(archive, create=False) as there:
            found = [record.body for record in there.ledger("latest").records()]
        notes = [body.text for body in found if isinstance(body, Note)]
        if notes:
            return notes[0]
        time.sleep(0.2)
    raise AssertionError("nothing was noted")


def test_pages_are_captured_in_the_background_after_the_agent_went_on(tmp_path: Path) -> None:
    with serve(pages(), delay={"/mill": 2.0}) as site:
        data = made("WebFetch", {"url": site.url + "/mill", "prompt": "what"}, {"result": "It mills.", "code": 200})
        host = site.url.removeprefix("http://")
        done = spawned(data, tmp_path / "a", "--recapture", "--allow-private", host)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        with opened(tmp_path / "a") as there:
            assert not [record for record in there.ledger("latest").records() if record.kind == "note"]
        assert note_of(tmp_path / "a") == "recapture: 1 of 1 pages gave text"
        assert "/mill" in site.paths
    told = json.loads(call("show", "latest", "2", "--json", "--archive", str(tmp_path / "a")).stdout)["turns"][0]
    assert (told["purpose"], told["pages"][0]["char_count"]) == ("fetch", len(TEXTS["/mill"]))
    assert call("verify", "--archive", str(tmp_path / "a")).exit_code == 0


def test_pages_are_waited_for_when_asked(tmp_path: Path) -> None:
    with serve(pages()) as site:
        data = made("WebFetch", {"url": site.url + "/mill"}, {"result": "It mills.", "code": 200})
        refused = hooked(data, tmp_path / "a", "--recapture", "--wait")
        assert (refused.exit_code, refused.stdout) == (0, "")
        assert site.paths == []
        host = site.url.removeprefix("http://")
        assert hooked(data, tmp_path / "b", "--recapture", "--wait", "--allow-private", host).exit_code == 0
        assert "/mill" in site.paths
    assert note_of(tmp_path / "a") == "recapture: 0 of 1 pages gave text"
    assert note_of(tmp_path / "b") == "recapture: 1 of 1 pages gave text"


# --- settings


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_config_is_printed_with_the_options_it_is_asked_with(agent: str, tmp_path: Path) -> None:
    args = ["hook", agent, "--print-config", "--recapture", "--allow-private", "localhost"]
    result = call(*args, env={"SEARCHLOG_ARCHIVE": str(tmp_path / "env")})
    handler = json.loads(result.stdout)["hooks"]["PostToolUse"][0]["hooks"][0]
    assert result.exit_code == 0
    assert handler["command"].endswith(f"searchlog hook {agent} --recapture --allow-private localhost")
    named = json.loads(call(*args, "--archive", str(tmp_path)).stdout)
    assert f"--archive {tmp_path}" in named["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
    assert list(tmp_path.iterdir()) == []


def test_settings_are_written_when_asked_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "home"))
    first = call("hook", "claude-code", "--install", "user")
    again = call("hook", "claude-code", "--install", "user")
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert "already" in again.stderr
    assert "/hooks" in call("hook", "codex", "--install", "project").stderr
    told = json.loads(call("hook", "claude-code", "--install", "project", "--json").stdout)
    assert (told["path"], told["changed"]) == (str(tmp_path / ".claude" / "settings.json"), True)
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json"))
    assert written == [".claude/settings.json", ".codex/hooks.json", "home/settings.json"]


def test_settings_that_cannot_be_read_are_left_and_that_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "settings.json").write_text("{ // mine\n}", "utf-8")
    result = call("hook", "claude-code", "--install", "user")
    assert result.exit_code == 7
    assert "left as it is" in result.stderr


def test_options_that_do_nothing_are_told_and_the_result_is_kept(tmp_path: Path) -> None:
    data = made("WebFetch", {"url": "https://example.org/"}, {"result": "Words.", "code": 200})
    result = hooked(data, tmp_path, "--wait")
    assert result.exit_code == 0
    assert "do nothing without --recapture" in result.stderr
    assert [body.fidelity for body in results(tmp_path)] == ["readable-derived"]
