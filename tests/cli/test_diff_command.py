"""`diff`: two searches held against each other, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Kept, call
from tests.cli.test_damage import sql


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, site) -> Kept:
    """An archive with the demo's question asked twice in one session, and a third time for less in another."""
    kept = Kept(tmp_path_factory.mktemp("twice") / "archive", "", site, b"", "")
    query = site.queries[0].query
    assert kept.search(query).exit_code == 0
    session = json.loads(kept("sessions", "--json").stdout)["sessions"][0]["id"]
    assert kept.search(query, "--session", session).exit_code == 0
    assert kept.search(query, "--pages", "3", "--budget", "300").exit_code == 0
    return Kept(kept.archive, session, site, b"", "")


def test_search_does_not_differ_from_itself_or_its_repeat(twice: Kept) -> None:
    for other in (f"{twice.session}:1", f"{twice.session}:2", twice.session):
        result = twice("diff", f"{twice.session}:1", other)
        assert result.exit_code == 0, result.output
        assert result.stdout.endswith("\nno difference\n")
        assert result.stderr == ""


def test_searches_that_differ_end_with_6_and_say_what(twice: Kept) -> None:
    result = twice("diff", twice.session, "latest")
    assert result.exit_code == 6
    first, second, *_ = result.stdout.splitlines()
    assert first.startswith(f"a  {twice.session} turn 2, search (ok)")
    assert second.startswith("b  s")
    for part in ("Asked", "policy.budget_tokens", "Funnel: ", "Pages: ", "Evidence: ", "only in a", "only-a"):
        assert part in result.stdout
    assert "no difference" not in result.stdout


def test_diff_as_json(twice: Kept) -> None:
    told = json.loads(twice("diff", f"{twice.session}:1", "latest", "--json").stdout)
    assert set(told) == {
        "equal", "a", "b", "asked", "runs", "steps", "results", "pages", "evidence", "not_compared",
    }  # fmt: skip
    assert told["equal"] is False
    assert set(told["a"]) == {
        "session", "turn", "purpose", "state", "outcome", "began_at", "query", "providers", "incomplete",
    }  # fmt: skip
    assert set(told["evidence"]["items"][0]) == {"state", "key", "a", "b", "changed", "words"}
    assert set(told["pages"]["items"][0]) == {"state", "key", "a", "b", "changed"}
    same = json.loads(twice("diff", "latest", "latest", "--json").stdout)
    assert same["equal"] is True
    assert all(same[name]["items"] == [] for name in ("runs", "steps", "results", "pages", "evidence"))


def test_number_alone_is_a_turn_of_the_newest_session(twice: Kept) -> None:
    assert twice("diff", "1", "latest").exit_code == 0
    result = twice("diff", "2", "latest")
    assert result.exit_code == 3
    assert "no turn 2" in result.stderr


@pytest.mark.parametrize("name", ["zzz", "latest:9", "9", "zzz:1", ":1x"])
def test_what_is_not_there_ends_with_3(twice: Kept, name: str) -> None:
    result = twice("diff", "latest", name)
    assert result.exit_code == 3
    assert result.stderr.startswith("error: no ")
    assert result.stdout == ""


def test_no_archive_is_a_usage_error(tmp_path: Path) -> None:
    assert call("diff", "1", "2", "--archive", str(tmp_path / "none")).exit_code == 2


# --- what is not there


def snapshot(kept: Kept, path: Path, *args: str) -> str:
    result = kept("export", kept.session, "--output", str(path), "--quiet", *args)
    assert result.exit_code == 0, result.output
    return str(path)


def test_snapshot_is_compared_as_the_session_that_it_was_made_of(twice: Kept, tmp_path: Path) -> None:
    file = snapshot(twice, tmp_path / "a.wacz")
    assert twice("diff", file, twice.session).exit_code == 0
    assert twice("diff", f"{file}:1", f"{twice.session}:1").exit_code == 0
    assert call("diff", file, f"{file}:1").exit_code == 0, "no archive is needed"
    assert twice("diff", file, "latest").exit_code == 6
    assert twice("diff", f"{file}:9", "latest").exit_code == 3


def test_snapshot_of_one_turn_is_complete_for_that_turn(twice: Kept, tmp_path: Path) -> None:
    """What was left out stands before its begin or after its end."""
    file = snapshot(twice, tmp_path / "one.wacz", "--turn", "1")
    result = twice("diff", file, f"{twice.session}:1")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "no difference")


@pytest.mark.parametrize("name", ["absent.wacz", "absent.wacz:1"])
def test_snapshot_that_is_not_there_is_named(twice: Kept, name: str) -> None:
    result = twice("diff", name, "1")
    assert (result.exit_code, result.stderr) == (2, "error: no file absent.wacz\n")


def test_erased_record_is_neither_difference_nor_equality(fresh: Kept) -> None:
    kinds = [json.loads(line)["kind"] for line in fresh("show", "--records").stdout.splitlines()]
    sql(fresh, "UPDATE records SET line = NULL WHERE seq = ?", kinds.index("selection"))
    result = fresh("diff", "1", "1")
    assert result.exit_code == 9
    assert result.stdout.endswith("\nno difference in what is there\n")
    assert result.stderr.count("not shown") == 1
    assert json.loads(fresh("diff", "1", "1", "--json").stdout)["a"]["incomplete"] is True


def test_damaged_record_ends_with_7(fresh: Kept) -> None:
    kinds = [json.loads(line)["kind"] for line in fresh("show", "--records").stdout.splitlines()]
    sql(fresh, "UPDATE records SET line = ? WHERE seq = ?", b"{}", kinds.index("selection"))
    assert fresh("diff", "1", "1").exit_code == 7
