"""`show`, `why`, `evidence`, `sessions`, `verify`, `replay`: what is stored, told exactly."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from searchlog.archive import open_archive
from tests.cli.conftest import Kept, call


def stored_lines(kept: Kept) -> list[bytes]:
    with open_archive(kept.archive, create=False) as archive:
        return [item.line for item in archive.resources.storage.log.get(kept.session) if item.line is not None]


def test_records_are_printed_byte_for_byte(kept: Kept) -> None:
    shown = kept("show", kept.session, "--records").stdout_bytes
    assert shown == b"".join(line + b"\n" for line in stored_lines(kept))


def test_records_of_one_turn_alone_can_be_printed(kept: Kept) -> None:
    lines = kept("show", kept.session, "1", "--records").stdout_bytes.splitlines()
    assert {json.loads(line)["turn"] for line in lines} == {1}
    assert len(lines) == len(stored_lines(kept)) - 1


def test_a_session_of_one_search_is_shown_in_full(kept: Kept) -> None:
    shown = kept("show", kept.session).stdout
    for part in ("Providers", "Funnel", "Pages", "Evidence", "refused", "merged-into", kept.session):
        assert part in shown
    assert shown == kept("show", kept.session[:-2]).stdout, "a beginning of an id names it"


def test_a_session_as_json(kept: Kept) -> None:
    told = json.loads(kept("show", kept.session, "--json").stdout)
    assert set(told) == {"archive", "session", "record_count", "head", "erased", "left_out", "damaged", "turns"}
    assert [turn["turn"] for turn in told["turns"]] == [1]
    assert told["record_count"] == len(stored_lines(kept))


@pytest.mark.parametrize("args", [["latest", "9"], ["s0"], ["9"]], ids=str)
def test_what_is_not_there_is_exit_code_3(kept: Kept, args: list[str]) -> None:
    result = kept("show", *args)
    assert result.exit_code == 3
    assert result.stderr.startswith("error: no ")


def test_a_number_alone_is_a_turn_of_the_newest_session(kept: Kept) -> None:
    assert kept("show", "1", "--rendering").stdout_bytes == kept.stdout


def test_no_archive_is_exit_code_2_and_none_is_made(tmp_path: Path) -> None:
    result = call("show", "--archive", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert not (tmp_path / "none").exists()


def test_why_tells_each_step_of_a_page(kept: Kept) -> None:
    shown = kept("why", f"{kept.site.url}/en/cordouan.html").stdout
    for part in ("searxng gave it at rank", "filter", "complete", "characters", "are evidence"):
        assert part in shown


def test_why_tells_why_a_page_was_not_read(kept: Kept) -> None:
    told = json.loads(kept("why", f"{kept.site.url}/private/keepers-diary.html", "--json").stdout)
    assert set(told) == {"archive", "url", "events"}
    assert set(told["events"][0]) == {"session", "seq", "turn", "kind", "text", "fields"}
    assert any("refused-robots" in event["text"] for event in told["events"])


def test_why_of_a_url_that_never_came_up_is_exit_code_3(kept: Kept) -> None:
    result = kept("why", "https://example.org/never")
    assert result.exit_code == 3
    assert result.stdout == ""
    assert "--session all" in result.stderr


def test_evidence_lies_where_it_says(kept: Kept) -> None:
    told = json.loads(kept("evidence", "e1", "--json").stdout)
    (piece,) = told["evidence"]
    text = Path(piece["files"]["text"]).read_bytes()
    payload = Path(piece["files"]["payload"]).read_bytes()
    assert text.decode()[piece["start"] : piece["end"]] == piece["exact"]
    assert "sha256:" + hashlib.sha256(payload).hexdigest() == piece["payload"]
    shown = kept("evidence", "e1").stdout
    for part in (piece["exact"], piece["files"]["text"], piece["digest"], piece["link"], piece["url"]):
        assert part in shown


def test_evidence_is_listed(kept: Kept) -> None:
    lines = kept("evidence").stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["id", "e1", "e2"]
    assert len(json.loads(kept("evidence", "--json").stdout)["evidence"]) == len(lines) - 1


def test_evidence_that_is_not_there_is_exit_code_3(kept: Kept) -> None:
    assert kept("evidence", "e999").exit_code == 3


def test_sessions_are_listed(kept: Kept) -> None:
    shown = kept("sessions").stdout
    assert kept.session in shown
    told = json.loads(kept("sessions", "--json").stdout)
    assert set(told) == {"archive", "sessions"}
    assert set(told["sessions"][0]) == {
        "id", "record_count", "title", "began_at", "turns", "queries", "evidence_count", "erased_count", "damaged",
        "imported",
    }  # fmt: skip


@pytest.mark.parametrize("args", [[], ["--all"], ["--passages"]], ids=str)
def test_an_intact_session_verifies_with_its_level_and_head(kept: Kept, args: list[str]) -> None:
    result = kept("verify", *args)
    assert result.exit_code == 0, result.output
    assert "verified" in result.stdout
    assert "L0" in result.stdout
    assert f"{len(stored_lines(kept))} records, root " in result.stdout


def test_verify_as_json(kept: Kept) -> None:
    told = json.loads(kept("verify", "--json").stdout)
    (report,) = told["reports"]
    assert set(report) == {
        "session", "axis", "outcome", "state", "level", "seen_size", "size", "root", "checked", "not_checked",
        "states", "untold", "findings",
    }  # fmt: skip


def test_a_head_that_was_seen_elsewhere_raises_the_level(kept: Kept) -> None:
    head = next(line for line in kept.stderr.splitlines() if line.startswith("searchlog head: "))
    assert "L2" in kept("verify", "--head", head).stdout


def test_a_head_of_another_history_is_found(kept: Kept) -> None:
    words = next(line for line in kept.stderr.splitlines() if line.startswith("searchlog head: ")).split()
    words[-1] = "q" * 42 + "o="
    result = kept("verify", "--head", " ".join(words))
    assert result.exit_code == 6
    assert "fork" in result.stdout


def test_text_that_is_no_head_is_a_usage_error(kept: Kept) -> None:
    assert kept("verify", "--head", "nonsense").exit_code == 2


def test_an_altered_blob_is_found_and_named(fresh: Kept) -> None:
    piece = json.loads(fresh("evidence", "e1", "--json").stdout)["evidence"][0]
    path = Path(piece["files"]["payload"])
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"e", b"3", 1))
    result = fresh("verify")
    assert result.exit_code == 6
    assert "blob-altered" in result.stdout
    assert piece["payload"] in result.stdout
    assert json.loads(fresh("verify", "--json").stdout)["reports"][0]["outcome"] == "failed"


def test_an_altered_rendering_is_not_shown_as_if_it_were_whole(fresh: Kept) -> None:
    told = json.loads(fresh("show", "1", "--records").stdout.splitlines()[-2])
    assert told["kind"] == "rendering"
    name = told["body"]["text"]["blob"].removeprefix("sha256:")
    path = fresh.archive / "blobs" / "sha256" / name[:2] / name
    path.chmod(0o600)
    path.write_bytes(b"something else")
    result = fresh("show", "1", "--rendering")
    assert result.exit_code == 7
    assert result.stdout == ""
    path.unlink()
    assert fresh("show", "1", "--rendering").exit_code == 7


@pytest.mark.parametrize("args", [["verify"], ["verify", "--help"], ["verify", "--json"]], ids=str)
def test_a_verdict_never_claims_more_than_it_proves(kept: Kept, args: list[str]) -> None:
    assert not re.search(r"(?i)\b(authentic|true|deleted)\b", kept(*args).output)


def test_replay_gives_the_same_bytes(kept: Kept) -> None:
    result = kept("replay", kept.session, "1", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert set(told) == {
        "session", "turn", "outcome", "not_checked", "equal", "expected", "found", "differences", "notes",
    }  # fmt: skip
    assert (told["outcome"], told["not_checked"], told["equal"]) == ("verified", None, True)
    assert "equal byte for byte" in kept("replay").stdout


def test_a_fetch_cannot_be_replayed_and_says_so(fresh: Kept) -> None:
    fresh("fetch", f"{fresh.site.url}/en/table.html", "--allow-private", "127.0.0.1", "-s", fresh.session)
    assert fresh("replay", fresh.session, "2").exit_code == 2
