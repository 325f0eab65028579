"""README is true: its examples run, its tables are those of the code."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from searchlog.cli import cli, exits
from searchlog.demo.server import DemoSite
from searchlog.search import registry, whom
from searchlog.search.run import RunOutcome
from tests.readme_tables import provider_table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = [code for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "tool.handle(" not in code]
"""Chat loops apart: `test_recipes` runs those."""
COMMANDS = re.findall(r"^\$ (.*)$", README, re.MULTILINE)


def test_python_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run against the demo site: the two names that need the network are replaced by a loopback stand-in."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "searchlog" / "demo" / "site" / "en", tmp_path / "docs")
    with DemoSite() as site:
        host = site.url.removeprefix("http://")
        allow = f'allow_private=["{host}"]'
        assert len(PYTHON) == 6
        names: dict[str, object] = {}
        for example in PYTHON:
            code = example.replace('providers=["wikipedia"]', f"providers=[provider], {allow}")
            code = code.replace(
                '"https://en.wikipedia.org/wiki/Fresnel_lens"', f'"{site.url}/en/fresnel-lens.html", {allow}'
            )
            names["provider"] = registry.build("searxng", {}, registry.Options(endpoints={"searxng": site.search_url}))
            exec(compile(code, "README.md", "exec"), names)


def test_first_screen_shows_what_it_is_and_the_two_commands() -> None:
    screen = "\n".join(README.splitlines()[:32])
    assert "$ pip install . && searchlog demo" in screen
    assert "$ pip install '.[test]' && python -m pytest" in screen


def test_continuous_integration_runs_the_very_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "pip install --quiet '.[test]' && python -m pytest" in script


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("searchlog ")])
def test_commands_are_ones_the_program_has(command: str) -> None:
    name = shlex.split(command)[1]
    assert name in cli.list_commands(click.Context(cli))


def test_folder_example_finds_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (command,) = [c for c in COMMANDS if "--site" in c]
    monkeypatch.chdir(ROOT)
    arguments = [*shlex.split(command)[1:], "--archive", str(tmp_path / "archive")]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.stderr
    assert "<evidence e1 " in result.stdout


def test_exit_codes_are_those_of_the_program() -> None:
    table = README.split("## Exit codes")[1].split("##")[0]
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", table, re.MULTILINE)
    assert {int(code): text for code, text in rows} == {int(code): text for code, text in exits.MEANINGS.items()}


def test_outcomes_and_providers_are_those_of_the_program() -> None:
    assert all(f"`{outcome}`" in README for outcome in RunOutcome)
    assert provider_table() in README, "print it with: python -m tests.readme_tables"
    keyless = " ".join(whom.keyless_order({}))
    assert f"by default `{keyless}`" in README


def _fields(row: str) -> list[str]:
    (cells,) = re.findall(rf"^\| {re.escape(row)} \| (.*) \|$", README, re.MULTILINE)
    return re.findall(r"`(\w+)`", cells.split(" (")[0])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The output of `demo --json`, and where its archive is."""
    place = str(tmp_path_factory.mktemp("demo") / "archive")
    return _json("demo", "--archive", place) | {"place": place}


def _json(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, [*arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


def test_json_of_reading_commands_has_the_fields_of_the_table(demo: dict[str, Any], tmp_path: Path) -> None:
    file = str(tmp_path / "demo.wacz")
    where = ("--archive", demo["place"])
    url = demo["searches"][0]["evidence"][0]["url"]
    outputs = {
        "demo": {name: value for name, value in demo.items() if name != "place"},
        "search": _json("search", "lens", "-p", "archive", *where),
        "show": _json("show", *where),
        "why": _json("why", url, "--session", demo["session"], *where),
        "evidence": _json("evidence", "--session", demo["session"], *where),
        "sessions": _json("sessions", *where),
        "verify": _json("verify", *where),
        "history": _json("history", *where),
        "answer": _json("answer", str(ROOT / "CHANGELOG.md"), *where),
        "replay": _json("replay", demo["session"], *where),
        "reparse": _json("reparse", demo["session"], *where),
        "export": _json("export", demo["session"], "-o", file, *where),
        "export --preview": _json("export", demo["session"], "--redact", "email", "--preview", *where),
        "verify FILE": _json("verify", file),
        "replay FILE": _json("replay", file),
        "import": _json("import", file, "--archive", str(tmp_path / "other")),
        "diff": _json("diff", demo["session"], file, *where),
        "providers": _json("providers"),
        "doctor": _json("doctor", *where),
    }
    for name, value in outputs.items():
        assert list(value) == _fields(f"`{name}`"), name
    search = outputs["search"]
    for name, key, element in (
        ("reparse", "runs", "of `runs` in `reparse`"),
        ("providers", "providers", "of `providers`"),
        ("doctor", "checks", "of `checks`"),
    ):
        assert set(outputs[name][key][0]) == set(_fields(element)), name
    for name, element in (("runs", "of `runs`"), ("funnel", "of `funnel`"), ("pages", "of `pages` in `search`")):
        assert list(search[name][0]) == _fields(element), name
    assert set(outputs["verify"]["passages"][0]) == set(_fields("of `passages` in `verify`"))
    assert set(outputs["history"]["checks"][0]) <= set(_fields("of `verdicts`, and of `checks` in `history`"))
    assert set(outputs["verify"]["reports"][0]) <= set(_fields("of `reports`"))
    assert list(outputs["why"]["events"][0]) == _fields("of `events`")
    assert list(outputs["sessions"]["sessions"][0]) == _fields("of `sessions`")
    assert list(outputs["verify"]["reports"][0]) == _fields("of `reports`")
    assert {"turn", "seq", "files"} <= set(outputs["evidence"]["evidence"][0])


def test_json_of_fetch_has_the_fields_of_the_table(tmp_path: Path) -> None:
    """`facts` was in none of them."""
    with DemoSite() as site:
        url = f"{site.url}/en/fresnel-lens.html"
        allow = ("--allow-private", site.url.removeprefix("http://"))
        told = _json("fetch", url, *allow, "--archive", str(tmp_path / "archive"))
    (cells,) = re.findall(r"^\| of `pages` in `fetch` \| (.*) \|$", README, re.MULTILINE)
    named = re.findall(r"`(\w+)`", re.sub(r" \([^)]*\)", "", cells))
    assert (list(told), list(told["pages"][0])) == (_fields("`fetch`"), named)
    assert told["pages"][0]["published"].keys() == {"date", "source", "sure"}
