"""Settings of agents: the hook is put beside what they hold, once, and what is no settings is left alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from searchlog.errors import FormatError, StoreError
from searchlog.hooks.agents import AGENTS
from searchlog.hooks.config import config, config_text, with_hook
from searchlog.hooks.install import command_line, install, settings_place

CLAUDE, CODEX = AGENTS["claude-code"], AGENTS["codex"]
COMMAND = "searchlog hook claude-code"


def test_config_is_in_the_form_of_the_agent() -> None:
    handler = {"type": "command", "command": COMMAND, "timeout": 10}
    group = [{"matcher": "WebSearch|WebFetch", "hooks": [handler]}]
    assert config(CLAUDE, COMMAND) == {"hooks": {"PostToolUse": group, "PostToolUseFailure": group}}
    assert list(config(CODEX, "searchlog hook codex")["hooks"]) == ["PostToolUse"]


@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_settings_that_hold_nothing_get_the_hook(text: str) -> None:
    assert json.loads(with_hook(text, CLAUDE, COMMAND)) == config(CLAUDE, COMMAND)


def test_what_settings_hold_stays() -> None:
    mine = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh"}]}
    before: dict[str, Any] = {
        "model": "opus",
        "hooks": {"PostToolUse": [mine], "Stop": [{"hooks": []}]},
        "ä": [1, None, 2.5],
    }
    after = json.loads(with_hook(json.dumps(before), CLAUDE, COMMAND))
    added = config(CLAUDE, COMMAND)["hooks"]
    before["hooks"]["PostToolUse"] += added["PostToolUse"]
    before["hooks"]["PostToolUseFailure"] = added["PostToolUseFailure"]
    assert after == before
    assert list(after) == list(before)


@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
def test_second_time_changes_nothing_and_lines_stay_indented_as_they_were(indent: int | str) -> None:
    first = with_hook(config_text({"model": "opus"}, indent), CLAUDE, COMMAND)
    assert first == config_text({"model": "opus", **config(CLAUDE, COMMAND)}, indent)
    assert with_hook(first, CLAUDE, COMMAND) == first
    assert with_hook(first.rstrip(), CLAUDE, COMMAND) == first.rstrip()


@pytest.mark.parametrize(
    "was", ["/opt/x/bin/searchlog hook claude-code", "'/a b/python' -m searchlog hook claude-code"]
)
def test_other_options_take_the_place_of_those_of_before(was: str) -> None:
    before = json.loads(with_hook("{}", CLAUDE, was))
    before["hooks"]["PostToolUse"][0]["matcher"] = "WebSearch"
    after = json.loads(with_hook(json.dumps(before), CLAUDE, COMMAND + " --recapture"))
    (group,) = after["hooks"]["PostToolUse"]
    assert (group["matcher"], group["hooks"][0]["command"]) == ("WebSearch", COMMAND + " --recapture")


def test_hook_of_another_agent_or_program_is_not_taken_for_ours() -> None:
    for command in ("searchlog hook codex", "my-searchlog hook claude-codes", "echo searchlog"):
        before = json.dumps({"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": command}]}]}})
        assert len(json.loads(with_hook(before, CLAUDE, COMMAND))["hooks"]["PostToolUse"]) == 2


@pytest.mark.parametrize(
    "text",
    [
        "{ // a comment\n}",
        "[]",
        "7",
        '{"hooks": []}',
        '{"hooks": {"PostToolUse": {}}}',
        '{"a": 1, "a": 2}',
        "[" * 100_000,
        "{",
    ],
    ids=lambda text: text[:30],
)
def test_file_in_another_form_is_left_alone(text: str, tmp_path: Path) -> None:
    place = tmp_path / "settings.json"
    place.write_text(text, "utf-8")
    with pytest.raises(FormatError, match="left as it is"):
        install(place, CLAUDE, COMMAND)
    assert place.read_text("utf-8") == text
    assert list(tmp_path.iterdir()) == [place]


def test_groups_in_no_known_form_are_kept() -> None:
    odd = [7, {"hooks": 3}, {"hooks": [None, {"command": 5}]}, {}]
    after = json.loads(with_hook(json.dumps({"hooks": {"PostToolUse": odd}}), CODEX, "searchlog hook codex"))
    assert after["hooks"]["PostToolUse"][:4] == odd
    assert len(after["hooks"]["PostToolUse"]) == 5


def test_file_is_made_and_then_stays(tmp_path: Path) -> None:
    place = tmp_path / "new" / "settings.json"
    assert install(place, CLAUDE, COMMAND)
    before = place.stat().st_ino
    assert not install(place, CLAUDE, COMMAND)
    assert place.stat().st_ino == before
    assert json.loads(place.read_text("utf-8")) == config(CLAUDE, COMMAND)
    assert [path.name for path in place.parent.iterdir()] == ["settings.json"]


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_bytes(b'\xef\xbb\xbf{"model": "opus"}')
    target.chmod(0o640)
    place = tmp_path / "settings.json"
    place.symlink_to(target)
    assert install(place, CLAUDE, COMMAND)
    assert place.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert json.loads(target.read_text("utf-8"))["model"] == "opus"


def test_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(StoreError):
        install(tmp_path / "file" / "settings.json", CLAUDE, COMMAND)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(StoreError):
        install(loop, CLAUDE, COMMAND)
    with pytest.raises(StoreError):
        install(tmp_path, CLAUDE, COMMAND)
    (tmp_path / "latin").write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(FormatError):
        install(tmp_path / "latin", CLAUDE, COMMAND)


def test_places_are_those_of_the_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert settings_place(CLAUDE, "user", {}) == tmp_path / "home" / ".claude" / "settings.json"
    assert settings_place(CLAUDE, "user", {"CLAUDE_CONFIG_DIR": "/x"}) == Path("/x/settings.json")
    assert settings_place(CODEX, "user", {"CODEX_HOME": "/y"}) == Path("/y/hooks.json")
    assert settings_place(CODEX, "project", {"CODEX_HOME": "/y"}) == tmp_path / ".codex" / "hooks.json"


def test_command_is_found_by_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/" + name)
    assert command_line(CLAUDE, ["--archive", "/a b"]) == "searchlog hook claude-code --archive '/a b'"
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert command_line(CODEX, []).endswith(" -P -m searchlog hook codex")
    assert (
        json.loads(with_hook(with_hook("", CODEX, command_line(CODEX, [])), CODEX, "searchlog hook codex"))["hooks"][
            "PostToolUse"
        ]
        == config(CODEX, "searchlog hook codex")["hooks"]["PostToolUse"]
    )
