"""`diff`: two searches held against each other, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
        assert ("a and b are the same turn of one session\n" in result.stdout) == other.endswith(":1")
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
        "not_here",
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
    assert "\nof a is not all here: funnel, pages\nof b is not all here: funnel, pages\n" in result.stdout
    assert result.stdout.endswith("\nno difference in what is there\n")
    assert result.stderr.count("not shown") == 1
    assert json.loads(fresh("diff", "1", "1", "--json").stdout)["a"]["incomplete"] is True


def test_damaged_record_ends_with_7(fresh: Kept) -> None:
    kinds = [json.loads(line)["kind"] for line in fresh("show", "--records").stdout.splitlines()]
    sql(fresh, "UPDATE records SET line = ? WHERE seq = ?", b"{}", kinds.index("selection"))
    assert fresh("diff", "1", "1").exit_code == 7


def test_number_of_a_turn_that_is_none_is_refused(twice: Kept, tmp_path: Path) -> None:
    """`FILE:x` was compared as FILE."""
    file = snapshot(twice, tmp_path / "a.wacz")
    for text in ("x", "", "1.0", "-1", "9" * 5000):
        result = twice("diff", f"{file}:{text}", "latest")
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {file}:")
        assert "the number of a turn" in result.stderr
    assert twice("diff", "absent.wacz:x", "latest").stderr == "error: no file absent.wacz\n"
    assert twice("diff", "9" * 5000, "latest").exit_code == 3


def test_part_of_a_snapshot_is_said_to_be_a_part(twice: Kept, tmp_path: Path) -> None:
    """Of a passage that was shared alone, forty parts of the query were told as `none`, and a provider as missing."""
    file = snapshot(twice, tmp_path / "a.wacz", "--evidence", "e1")
    result = twice("diff", f"{twice.session}:2", f"{file}:2")
    assert result.exit_code == 9
    assert "of b is not all here: what was asked, how it ended, providers, funnel, results, pages" in result.stdout
    assert "in a, and maybe among what is not here of b: providers 1, funnel " in result.stdout
    assert "not compared, since it is not here or cannot be read: what was asked\n" in result.stdout
    assert result.stdout.endswith("\nno difference in what is there\n")
    for word in ("none", "policy", "only", "()"):
        assert word not in result.stdout
    told = json.loads(twice("diff", f"{file}:2", f"{twice.session}:2", "--json").stdout)
    assert told["equal"] is False
    assert (told["asked"], told["not_compared"]) == ([], ["asked"])
    assert told["a"]["not_here"][:3] == ["asked", "outcome", "runs"]
    assert told["b"]["not_here"] == []
    assert told["runs"]["counts"]["unknown_b"] == 1
    assert {item["state"] for item in told["runs"]["items"]} == {"unknown"}


def test_difference_beside_what_is_not_here_ends_with_6(twice: Kept, tmp_path: Path) -> None:
    file = snapshot(
        twice, tmp_path / "a.wacz", "--turn", "1", "--redact", "field:query_number", "--redact", "field:mode"
    )
    result = twice("diff", file, "latest")
    assert result.exit_code == 6
    assert "of a is not all here: what was asked" in result.stdout
    assert "Asked" not in result.stdout
    assert "only-a" in result.stdout


def test_newest_search_is_found_though_its_query_is_not_here(fresh: Kept) -> None:
    query = fresh.site.queries[0].query
    assert fresh.search(query, "--session", fresh.session).exit_code == 0
    stored = [json.loads(line) for line in fresh("show", fresh.session, "--records").stdout.splitlines()]
    queries = [record["seq"] for record in stored if record["kind"] == "query" and record["turn"] == 2]
    sql(fresh, "UPDATE records SET line = NULL WHERE seq = ?", *queries)
    assert json.loads(fresh("diff", fresh.session, "1", "--json").stdout)["a"]["turn"] == 2


def test_snapshot_of_hashes_alone_is_no_difference(twice: Kept, tmp_path: Path) -> None:
    file = snapshot(twice, tmp_path / "a.wacz", "--profile", "hashes")
    for name in (file, f"{file}:1"):
        result = twice("diff", name, f"{twice.session}:1")
        assert result.exit_code == 9
        assert result.stdout.endswith("\nno difference in what is there\n")
    assert json.loads(twice("diff", file, "1", "--json").stdout)["a"]["turn"] is None
    assert twice("diff", f"{file}:99999", "1").exit_code == 3, "more turns than records"


WORDS = ["lens", "1822", "tower", "the", "http", "Fresnel", "ok", "rank", "searxng", "fuse"]
FIELDS = ["text", "results", "items", "exact", "payload", "status", "title", "rule", "form", "outcome", "state"]
RULES = st.sampled_from([*(f"text:{word}" for word in WORDS), *(f"field:{name}" for name in FIELDS)])
WHAT = st.one_of(
    st.tuples(st.just("--turn"), st.sampled_from(["1", "2"])),
    st.tuples(st.just("--evidence"), st.sampled_from(["e1", "e2", "e1,e3,e7"])),
    st.just(()),
)


@given(WHAT, st.lists(RULES, max_size=2), st.sampled_from(["full", "evidence"]))
@settings(deadline=None, max_examples=25)
def test_no_part_of_a_session_differs_from_it(
    twice: Kept, what: tuple[str, ...], rules: list[str], profile: str
) -> None:
    redact = [word for rule in rules for word in ("--redact", rule)]
    file = snapshot(twice, twice.archive.parent / "part.wacz", "--force", "--profile", profile, *what, *redact)
    for turn in ("1", "2"):
        for pair in ((f"{twice.session}:{turn}", f"{file}:{turn}"), (f"{file}:{turn}", f"{twice.session}:{turn}")):
            result = twice("diff", *pair)
            assert result.exit_code in (0, 9), result.output
            assert "only" not in result.stdout


def test_page_that_led_elsewhere_is_shown_by_what_was_asked_for(twice: Kept, tmp_path: Path) -> None:
    """Two rows of one URL stood in the table of pages: it had been asked for under two."""
    own = f"127.0.0.1:{twice.site.port}"
    kept = Kept(tmp_path / "archive", "", twice.site, b"", "")
    for path in ("/go/cordouan", "/en/cordouan.html"):
        address = f"http://{own}{path}"
        assert kept("fetch", address, "--allow-private", own).exit_code == 0
    first, second = (item["id"] for item in json.loads(kept("sessions", "--json").stdout)["sessions"])
    result = kept("diff", first, second)
    assert result.exit_code == 6
    asked, led = f"http://{own}/go/cordouan", f"http://{own}/en/cordouan.html"
    assert f"{asked} → {led}" in result.stdout
    assert [line.split()[0] for line in result.stdout.splitlines() if led in line] == ["only-a", "only-b"]
