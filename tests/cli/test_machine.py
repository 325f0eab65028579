"""`doctor` and `providers`: what there is, with no key shown and no network touched."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import NoReturn

import pytest

from tests.cli.conftest import Kept, call

SECRET = "tvly-do-not-show-this"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize(
    "args",
    [["doctor", "--offline"], ["doctor", "--offline", "--json"], ["providers"], ["providers", "--json"]],
    ids=str,
)
@pytest.mark.usefixtures("no_network")
def test_keys_are_named_and_never_shown_and_nobody_is_asked(args: list[str], tmp_path: Path) -> None:
    place = {"SEARCHLOG_ARCHIVE": str(tmp_path / "none")}
    result = call(*args, env={"TAVILY_API_KEY": SECRET, "BRAVE_API_KEY": SECRET, **place})
    assert result.exit_code == 0, result.output
    assert SECRET not in result.output
    assert "TAVILY_API_KEY is set" in result.output
    assert not (tmp_path / "none").exists()


def test_doctor_tells_of_each_extra_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    told = json.loads(call("doctor", "--offline", "--json", "--archive", str(tmp_path / "none")).stdout)
    checks = {check["name"]: check for check in told["checks"]}
    extras = {"text of PDF files": "pdf", "word vectors (--scorer)": "static", "networks (--scorer)": "encoders"}
    for name, extra in extras.items():
        assert checks[name]["state"] == "note"
        assert checks[name]["detail"] == f"not installed: pip install 'searchlog[{extra}]'"


def test_doctor_tells_of_python_sqlite_and_the_archive(kept: Kept) -> None:
    told = json.loads(kept("doctor", "--json").stdout)
    assert set(told) == {"checks"}
    checks = {check["name"]: check for check in told["checks"]}
    assert {"searchlog", "libraries", "sqlite", "archive", "other providers", "online"} <= set(checks)
    assert str(kept.archive) in checks["archive"]["detail"]
    assert set(checks["archive"]) == {"name", "state", "detail", "change"}


@pytest.mark.parametrize(
    "content", ["{", '{"format": "other", "version": 1}', '{"format": "searchlog archive", "version": 99}']
)
def test_doctor_finds_an_archive_that_cannot_be_used(tmp_path: Path, content: str) -> None:
    (tmp_path / "searchlog.json").write_text(content)
    result = call("doctor", "--archive", str(tmp_path))
    assert result.exit_code == 8
    assert "failed" in result.stdout


def test_doctor_asks_what_is_configured_and_names_what_to_change(kept: Kept) -> None:
    place = {"SEARCHLOG_ARCHIVE": str(kept.archive)}
    asked = call("doctor", env={"SEARCHLOG_SEARXNG_URL": kept.site.search_url, **place})
    assert asked.exit_code == 0, asked.output
    assert "online searxng" in asked.stdout
    silent = call("doctor", "--json", env={"SEARCHLOG_SEARXNG_URL": "http://127.0.0.1:9", **place})
    assert silent.exit_code == 4
    checks = {check["name"]: check for check in json.loads(silent.stdout)["checks"]}
    assert checks["online searxng"]["change"] == "SEARCHLOG_SEARXNG_URL"
    nobody = call("doctor", env=place)
    assert "nobody was asked" in nobody.stdout


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("env", "name", "change"),
    [
        ({"SEARXNG_URL": "nonsense"}, "provider searxng", "SEARXNG_URL"),
        ({"SEARCHLOG_DAY_MAX": "brave"}, "setting", "SEARCHLOG_DAY_MAX"),
        ({"SEARCHLOG_DAY_MAX": "gogle=3"}, "setting", "SEARCHLOG_DAY_MAX"),
        ({"SEARCHLOG_PROVIDERS": "gogle"}, "setting", "SEARCHLOG_PROVIDERS"),
        ({"SEARCHLOG_KEYLESS": "brave"}, "setting", "SEARCHLOG_KEYLESS"),
    ],
    ids=["address", "no-number", "unknown-limit", "unknown-choice", "keyless-with-key"],
)
def test_doctor_finds_a_setting_that_cannot_be_used(
    env: dict[str, str], name: str, change: str, tmp_path: Path
) -> None:
    result = call("doctor", "--json", env={**env, "SEARCHLOG_ARCHIVE": str(tmp_path / "none")})
    assert result.exit_code == 8
    checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert (checks[name]["state"], checks[name]["change"]) == ("failed", change)


def test_providers_are_listed_with_who_sees_the_query() -> None:
    shown = call("providers").stdout
    for part in ("wikipedia", "encyclopedia", "keyless", "needs-configuration", "SEARCHLOG_SEARXNG_URL"):
        assert part in shown
    one = call("providers", "wikipedia").stdout
    for part in ("the Wikimedia Foundation", "CC BY-SA", "count, page, language", "safe", "after (applied here)"):
        assert part in one
    assert max(map(len, shown.splitlines())) <= 100


def test_a_name_that_is_nearly_right_is_guessed_and_one_with_a_comma_explained() -> None:
    assert "did you mean wikipedia?" in call("providers", "Wikipdia").stderr
    assert "name each by itself" in call("search", "x", "-p", "brave,exa").stderr


def test_providers_as_json() -> None:
    told = json.loads(call("providers", "--json", env={"BRAVE_API_KEY": SECRET}).stdout)
    assert (told["asked"], told["mode"]) == (["brave"], "together")
    by_name = {item["name"]: item for item in told["providers"]}
    assert set(by_name["brave"]) == {
        "name", "state", "how", "package", "cooldown", "asked_today", "day_max", "facts",
    }  # fmt: skip
    assert (by_name["brave"]["day_max"], by_name["wikipedia"]["day_max"]) == (1_000, None)
    assert set(by_name["brave"]["facts"]) >= {
        "title", "endpoint", "third_party", "terms", "applies", "key_env", "keyless", "count_max", "scope",
        "last_resort",
    }  # fmt: skip
    assert by_name["searxng"]["facts"]["own_server"] is True
