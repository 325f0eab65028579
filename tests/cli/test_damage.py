"""What the commands say of an archive in which something is erased, damaged, gone or forged."""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchlog.log.envelope import decode, encode
from searchlog.log.tree import Frontier, leaf_hash
from tests.cli.conftest import Kept, call

READING = [["show"], ["show", "--json"], ["show", "--records"], ["show", "--records", "--json"], ["evidence"]]


def head_of(kept: Kept) -> str:
    return next(line for line in kept.stderr.splitlines() if line.startswith("searchlog head: "))


@pytest.fixture
def damaged(kept: Kept, tmp_path: Path) -> Kept:
    """A copy of the archive, to be changed."""
    shutil.copytree(kept.archive, tmp_path / "copy")
    return replace(kept, archive=tmp_path / "copy")


def sql(kept: Kept, statement: str, *values: object) -> None:
    db = sqlite3.connect(kept.archive / "log.db", isolation_level=None)
    db.execute(statement, values)
    db.close()


def lines_of(kept: Kept) -> list[bytes | None]:
    db = sqlite3.connect(kept.archive / "log.db")
    rows = [row[0] for row in db.execute("SELECT line FROM records ORDER BY seq")]
    db.close()
    return rows


def seq_of(kept: Kept, kind: str) -> int:
    return next(seq for seq, line in enumerate(lines_of(kept)) if line and decode(line).kind == kind)


def rewrite(kept: Kept, seq: int, body: dict[str, Any]) -> None:
    """Give a record another body, and compute leaf and frontier anew."""
    lines = lines_of(kept)
    line = encode(replace(decode(lines[seq] or b""), body=body))
    lines[seq] = line
    frontier = Frontier().extend(leaf_hash(item or b"") for item in lines)
    sql(kept, "UPDATE records SET line = ?, leaf = ? WHERE seq = ?", line, leaf_hash(line), seq)
    sql(kept, "UPDATE sessions SET frontier = ?", frontier.to_bytes())


# --- heads


def test_verify_prints_the_head_as_a_line_to_keep(kept: Kept) -> None:
    """It printed root and size, and no line that `--head` takes."""
    shown = kept("verify").stdout
    (line,) = [line.strip() for line in shown.splitlines() if "searchlog head: " in line]
    assert line == head_of(kept)
    assert "L2" in kept("verify", "--head", line).stdout


def test_head_of_a_session_that_is_gone_is_found(damaged: Kept) -> None:
    """It was ignored: the newest session was verified, with exit code 0."""
    sql(damaged, "DELETE FROM records")
    sql(damaged, "DELETE FROM sessions")
    for args in ([], ["--all"], [damaged.session]):
        result = damaged("verify", "--head", head_of(damaged), *args)
        assert result.exit_code == 6, result.output
        assert "finding truncated" in result.stdout
        assert "the archive holds 0 records of it" in result.stdout
        assert "records, found 0" in result.stdout


def test_head_of_another_session_than_the_newest_is_checked(fresh: Kept) -> None:
    """Only the newest session was checked, and a forged head of an older one passed unsaid."""
    assert fresh.search("lens").exit_code in (0, 3)
    assert fresh("verify").stdout.split()[1].strip(",") != fresh.session
    checked = fresh("verify", "--head", head_of(fresh))
    assert (checked.exit_code, checked.stdout.split()[1].strip(",")) == (0, fresh.session)
    words = head_of(fresh).split()
    words[-1] = base64.b64encode(bytes(32)).decode()
    forged = " ".join(words)
    for args in ([], ["--all"]):
        assert fresh("verify", "--head", forged, *args).exit_code == 6
    both = fresh("verify", "--all", "--head", head_of(fresh))
    assert both.exit_code == 0
    assert both.stdout.count("axis store: verified") == 2
    assert both.stdout.count("L2 for the first ") == 1


def test_head_of_another_session_than_the_one_asked_for_is_a_usage_error(kept: Kept) -> None:
    other = head_of(kept).replace(kept.session, "s-other")
    result = kept("verify", kept.session, "--head", other)
    assert result.exit_code == 2
    assert "s-other" in result.stderr
    assert kept.session in result.stderr


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "searchlog head: searchlog/s 1", "other/s 1 " + "A" * 43 + "=", "searchlog/s x " + "A" * 43 + "="],
    ids=["empty", "word", "two-words", "other-origin", "size"],
)
def test_what_is_no_head_is_told_as_the_line_that_it_should_be(kept: Kept, text: str) -> None:
    """The answer spoke of the three lines of a checkpoint."""
    result = kept("verify", "--head", text)
    assert result.exit_code == 2
    assert "searchlog head: searchlog/SESSION SIZE ROOT" in " ".join(result.stderr.split())
    assert "three lines" not in result.stderr


# --- erased lines


def test_erased_lines_are_said_wherever_they_are_missing(damaged: Kept) -> None:
    """Lines set to NULL passed as verified, and no command said that they were missing."""
    seq = seq_of(damaged, "evidence")
    sql(damaged, "UPDATE records SET line = NULL WHERE seq IN (?, ?)", seq, seq + 1)
    result = damaged("verify")
    assert result.exit_code == 6
    assert f"finding erased-unexplained: records {seq} to {seq + 1}" in result.stdout
    for args in READING:
        result = damaged(*args)
        assert result.exit_code == 0, result.output
        assert f"record {seq}-{seq + 1} of session {damaged.session}" in result.stderr
    assert "(2 erased: not shown)" in damaged("show").stdout
    assert "2 erased" in damaged("sessions").stdout
    (info,) = json.loads(damaged("sessions", "--json").stdout)["sessions"]
    assert (info["erased_count"], info["damaged"]) == (2, [])
    assert json.loads(damaged("show", "--json").stdout)["erased"] == [seq, seq + 1]
    replayed = damaged("replay")
    assert replayed.exit_code == 6
    assert f"records {seq} to {seq + 1} are erased or left out" in replayed.stdout


def test_erased_end_of_a_turn_is_no_equal_replay(damaged: Kept) -> None:
    sql(damaged, "UPDATE records SET line = NULL WHERE seq = ?", len(lines_of(damaged)) - 1)
    result = damaged("replay")
    assert result.exit_code == 2
    assert "has no end" in result.stderr
    assert "equal" not in result.stdout


def test_erased_rendering_is_not_called_one_that_never_was(damaged: Kept) -> None:
    sql(damaged, "UPDATE records SET line = NULL WHERE seq = ?", seq_of(damaged, "rendering"))
    result = damaged("show", "1", "--rendering")
    assert result.exit_code == 3
    assert "records of the session are erased" in result.stderr
    assert "gave a model nothing" not in result.stderr


def test_session_erased_whole_is_not_verified(damaged: Kept) -> None:
    sql(damaged, "UPDATE records SET line = NULL")
    result = damaged("verify", "--head", head_of(damaged))
    assert result.exit_code == 6
    assert "axis store: failed" in result.stdout
    assert damaged("show").exit_code == 0
    assert damaged("sessions").exit_code == 0


# --- records and blobs that cannot be read


def test_one_bad_record_costs_itself_and_is_named(damaged: Kept) -> None:
    """Nothing of the session was shown, `sessions` listed none, and the error named neither session nor record."""
    seq = seq_of(damaged, "decision")
    rewrite(damaged, seq, {"step": 3})
    named = f"record {seq} of session {damaged.session} cannot be read: decision record"
    for args in (*READING, ["sessions"], ["sessions", "--json"], ["evidence", "e1"], ["show", "1"]):
        result = damaged(*args)
        assert result.exit_code == 7, (args, result.output)
        assert named in result.stderr
        assert result.stdout
    why = damaged("why", f"{damaged.site.url}/en/cordouan.html", "--session", "all")
    assert why.exit_code == 7
    assert "are evidence" in why.stdout
    assert "(1 damaged: not shown)" in damaged("show").stdout
    assert "1 damaged" in damaged("sessions").stdout
    assert named in json.loads(damaged("show", "--json").stdout)["damaged"][0]
    assert damaged("show", "1", "--rendering").stdout_bytes == damaged.stdout
    assert damaged("verify").exit_code == 6
    assert damaged("replay").exit_code == 7


def test_url_that_a_damaged_record_may_name_is_not_said_to_be_unknown(damaged: Kept) -> None:
    rewrite(damaged, seq_of(damaged, "decision"), {"step": 3})
    assert damaged("why", "https://example.org/never").exit_code == 7


def test_blob_that_cannot_be_read_costs_what_it_held(damaged: Kept) -> None:
    """A spilled field whose blob was altered ended `show` and `why` without a word of the rest."""
    value = b'[{"rank":1,"url":"http://a.example/"}]'
    body = decode(lines_of(damaged)[seq_of(damaged, "run")] or b"").body
    absent = {"blob": "sha256:" + "0" * 64, "bytes": len(value)}
    rewrite(damaged, seq_of(damaged, "run"), {**body, "results": absent})
    for args in (["show"], ["show", "--json"], ["why", f"{damaged.site.url}/en/cordouan.html"]):
        result = damaged(*args)
        assert result.exit_code == 7, result.output
        assert absent["blob"] in result.stderr
        assert "cordouan" in result.stdout
    (turn,) = json.loads(damaged("show", "--json").stdout)["turns"]
    assert turn["runs"][0]["results"] is None


def test_many_bad_records_are_named_in_a_few_lines(damaged: Kept) -> None:
    sql(damaged, "UPDATE sessions SET session = 's-other'")
    result = damaged("show")
    assert result.exit_code == 7
    assert result.stderr.count("\n") <= 7
    assert "more cannot be read: `searchlog verify` names all of them" in result.stderr


# --- forms


def test_records_as_json(kept: Kept) -> None:
    told = json.loads(kept("show", "1", "--records", "--json").stdout)
    assert set(told) == {"archive", "session", "record_count", "head", "erased", "left_out", "damaged", "records"}
    lines = kept("show", "1", "--records").stdout_bytes.splitlines()
    assert told["records"] == [json.loads(line) for line in lines]
    assert kept("show", "1", "--rendering", "--json").exit_code == 2


def test_long_url_does_not_widen_every_row(fresh: Kept) -> None:
    """Each row of a table was padded to the longest URL: one of 5,000 characters made all of them that wide."""
    long = f"{fresh.site.url}/absent?{'x' * 5000}"
    short = f"{fresh.site.url}/en/table.html"
    call("fetch", long, short, "--allow-private", "127.0.0.1", "--archive", str(fresh.archive))
    result = fresh("show")
    assert max(map(len, result.stdout.splitlines())) < 500
    assert "x…" in result.stdout
    assert long in result.stdout or long in fresh("show", "--json").stdout
