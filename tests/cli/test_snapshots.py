"""Snapshots from the command line: out, looked at, checked, run again, asked, taken in."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from searchlog.recheck.keep import is_checks
from tests.cli.conftest import Kept, call
from tests.warcs import page, plain

HELD = "searchlog head: searchlog/"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("snapshots")


@pytest.fixture(scope="module")
def file(kept: Kept, folder: Path) -> str:
    path = str(folder / "whole.wacz")
    result = kept("export", kept.session, "-o", path)
    assert result.exit_code == 0, result.output
    return path


def edited(file: str, folder: Path, member: str, old: bytes, new: bytes) -> str:
    """Return a copy of a snapshot in which a member was changed, and nothing made to fit."""
    path = folder / "edited.wacz"
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(path, "w") as after:
        for info in before.infolist():
            data = before.read(info)
            assert info.filename != member or old in data
            after.writestr(info, data.replace(old, new) if info.filename == member else data)
    return str(path)


# --- export


def test_export_prints_the_file_and_says_what_is_in_it(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = kept("export")
    assert result.exit_code == 0
    assert result.stdout == f"{kept.session}.wacz\n"
    assert "none found" in result.stderr
    assert "snapshot sha256:" in result.stderr
    assert HELD + kept.session in result.stderr
    again = kept("export")
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    before = (tmp_path / f"{kept.session}.wacz").read_bytes()
    assert kept("export", "--force", "-q").stderr == ""
    assert (tmp_path / f"{kept.session}.wacz").read_bytes() == before


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--turn", "9"], 3, "no turn 9"),
        (["--evidence", "e99"], 3, "no evidence e99"),
        (["--turn", "1", "--evidence", "e1"], 2, "turns or evidence"),
        (["--redact", "emails"], 2, "not a rule of redaction"),
        (["--redact", "pattern:("], 2, "not a regular expression"),
        (["-o", "/nowhere/at/all.wacz"], 8, "cannot write /nowhere/at/all.wacz"),
        (["-o", "/dev/null"], 2, "is no file"),
        (["-o", "/dev/null", "--force"], 2, "is no file"),
        (["-o", "-"], 2, "give its name"),
        (["no-such-session"], 3, "no session no-such-session"),
        (["--token", __file__], 7, ""),
    ],
)
def test_export_tells_what_cannot_be(kept: Kept, tmp_path: Path, args: list[str], code: int, says: str) -> None:
    where = [] if "-o" in args else ["-o", str(tmp_path / "x.wacz")]
    result = kept("export", *args, *where)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_preview_shows_what_rules_meet_and_writes_nothing(kept: Kept, tmp_path: Path) -> None:
    result = kept("export", "--redact", "text:lens", "--preview", "-o", str(tmp_path / "x.wacz"))
    assert result.exit_code == 0
    assert "met by a rule of redaction" in result.stdout
    assert "text:lens" in result.stdout
    assert list(tmp_path.iterdir()) == []
    told = json.loads(kept("export", "--redact", "text:lens", "--preview", "--json").stdout)
    assert {item["rule"] for item in told["found"]} == {"text:lens"}
    assert told["left_out"]["records"]


def test_the_verifier_that_is_printed_takes_the_snapshot(kept: Kept, file: str, tmp_path: Path) -> None:
    script = tmp_path / "verify_snapshot.py"
    script.write_text(kept("export", "--verifier").stdout, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(script), file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_printed_checkpoint_is_the_one_in_the_snapshot(kept: Kept, file: str) -> None:
    with zipfile.ZipFile(file) as zipped:
        assert kept("export", "--checkpoint").stdout.encode() == zipped.read("searchlog/checkpoint.txt")


# --- verify


def test_verify_needs_no_archive_and_says_name_head_and_level(kept: Kept, file: str) -> None:
    told = json.loads(kept("export", "-o", file, "--force", "--json").stdout)
    result = call("verify", file, "--name", told["snapshot"], "--head", told["head"])
    assert result.exit_code == 0, result.output
    assert f"snapshot {told['snapshot']}: verified" in result.stdout
    assert "level    L2: it agrees with itself, and extends a head that was seen elsewhere" in result.stdout
    assert told["head"] in result.stdout


def test_verify_of_hashes_alone_says_that_no_record_was_looked_at(kept: Kept, tmp_path: Path) -> None:
    path = str(tmp_path / "hashes.wacz")
    assert kept("export", kept.session, "--profile", "hashes", "-o", path).exit_code == 0
    result = call("verify", path)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith(": not checked")
    assert "level    none: no record of it is here" in result.stdout
    told = json.loads(call("verify", path, "--json").stdout)
    assert (told["outcome"], told["level"]) == ("not checked", "none")
    assert call("verify", path, "--passages").exit_code == 0


def test_verify_tells_every_finding_of_a_changed_file(file: str, tmp_path: Path) -> None:
    path = edited(file, tmp_path, "archive/data.warc", b"Fresnel", b"Frisnel")
    result = call("verify", path)
    assert result.exit_code == 6
    for code in ("member-differs", "archive-differs", "blob-missing"):
        assert f"finding {code}: " in result.stdout
    assert "failed" in result.stdout.splitlines()[0]
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--name", "sha256:" + "0" * 64], "finding name-differs"),
        (["--key", "me+cd4ac4a2+AQICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="], None),
    ],
)
def test_verify_holds_a_file_against_what_it_should_be(file: str, args: list[str], says: str | None) -> None:
    result = call("verify", file, *args)
    assert result.exit_code == (6 if says else 7)
    assert says is None or says in result.stdout


@pytest.mark.parametrize("args", [["missing.wacz"], ["missing.wacz", "--json"], ["folder/missing"]])
def test_a_file_that_is_not_there_is_told(args: list[str]) -> None:
    for command in ("verify", "replay", "import"):
        result = call(command, *args)
        assert result.exit_code == 2
        assert "no file" in result.stderr


def test_options_of_files_need_a_file(kept: Kept) -> None:
    result = kept("verify", kept.session, "--name", "sha256:" + "0" * 64)
    assert result.exit_code == 2
    assert "--name is about a FILE" in result.stderr
    result = kept("verify", kept.session, "--key", "a+00000000+AA==")
    assert result.exit_code == 2
    assert "about a FILE or a --head" in result.stderr


# --- replay, reading, asking


def test_replay_of_a_file_runs_every_search_in_it(file: str) -> None:
    result = call("replay", file)
    assert result.exit_code == 0, result.output
    assert "equal byte for byte" in result.stdout
    assert call("replay", file, "1").exit_code == 0
    assert call("replay", file, "7").exit_code == 2


@pytest.mark.parametrize("command", [["show"], ["show", "--rendering"], ["evidence"], ["evidence", "e1"]])
def test_reading_commands_say_of_a_file_what_they_say_of_its_archive(kept: Kept, file: str, command: list[str]) -> None:
    theirs = call(*command, "--archive", file)
    assert theirs.exit_code == 0, theirs.output
    if command[-1] != "e1":  # it tells where the bytes lie
        assert theirs.stdout == kept(*command).stdout


def test_nothing_is_written_to_a_file(kept: Kept, file: str) -> None:
    before = Path(file).read_bytes()
    result = kept.search("lens", "--archive", file)
    assert result.exit_code == 8
    assert "is a snapshot, and can only be read" in result.stderr
    assert Path(file).read_bytes() == before


def test_search_from_a_file_asks_nobody_else(file: str, tmp_path: Path) -> None:
    where = ("--archive", str(tmp_path / "archive"))
    result = call("search", "first Fresnel lens", "--from", file, *where)
    assert result.exit_code == 0, result.output
    assert "Searched: snapshot" in result.stdout
    assert "<evidence e1 " in result.stdout
    assert "offline" not in result.stderr
    shown = json.loads(call("show", "--json", *where).stdout)["turns"][0]
    told = json.loads(call("verify", file, "--json").stdout)
    assert {page["reused"]["snapshot"] for page in shown["pages"]} == {told["snapshot"]}
    Path(file).rename(file + ".gone")
    try:
        assert call("verify", *where, "--passages").exit_code == 0
        assert call("replay", *where).exit_code == 0
        again = call("search", "first Fresnel lens", "-p", "archive", *where)
        assert again.exit_code == 0, again.output
    finally:
        Path(file + ".gone").rename(file)


def test_search_from_a_file_that_is_not_sound_is_refused_before_a_session(file: str, tmp_path: Path) -> None:
    path = edited(file, tmp_path, "searchlog/evidence.json", b"lens", b"lans")
    where = ("--archive", str(tmp_path / "archive"))
    result = call("search", "lens", "--from", path, *where)
    assert result.exit_code == 7
    assert "is refused" in result.stderr
    assert json.loads(call("sessions", "--json", *where).stdout)["sessions"] == []


def test_search_from_a_file_without_pages_says_so(kept: Kept, tmp_path: Path) -> None:
    path = str(tmp_path / "evidence.wacz")
    assert kept("export", "--profile", "evidence", "-o", path, "-q").exit_code == 0
    result = call("search", "lens", "--from", path, "--archive", str(tmp_path / "archive"))
    assert result.exit_code == 2
    assert "holds no page with its text (profile evidence)" in result.stderr


# --- import


def test_import_says_what_was_new_and_again_that_nothing_was(kept: Kept, file: str, tmp_path: Path) -> None:
    where = ("--archive", str(tmp_path / "archive"))
    first = call("import", file, *where)
    assert first.exit_code == 0, first.output
    assert f"session {kept.session} from whole.wacz: " in first.stdout
    assert "nothing of it was new" in call("import", file, *where).stdout
    (told,) = json.loads(call("import", file, "--json", *where).stdout)["files"]
    assert (told["kind"], told["known"], told["records"]) == ("snapshot", True, 0)
    assert call("verify", *where).exit_code == 0
    assert call("show", kept.session, *where).stdout == kept("show", kept.session).stdout
    rows = json.loads(call("sessions", "--json", *where).stdout)["sessions"]
    imported = {row["id"]: row["imported"] for row in rows if not is_checks(row["id"])}
    assert imported == {"sharing": False, kept.session: True}


def test_import_of_a_changed_file_stores_nothing_and_names_what_differs(file: str, tmp_path: Path) -> None:
    path = edited(file, tmp_path, "searchlog/session.log", b"Fresnel", b"Frisnel")
    where = ("--archive", str(tmp_path / "archive"))
    result = call("import", path, *where)
    assert result.exit_code == 7
    assert "head-mismatch: searchlog/session.log" in result.stderr
    assert f"nothing of {Path(path).name} was stored" in result.stderr
    assert json.loads(call("sessions", "--json", *where).stdout)["sessions"] == []


def test_an_imported_session_is_its_senders(file: str, kept: Kept, tmp_path: Path) -> None:
    where = ("--archive", str(tmp_path / "archive"))
    call("import", file, *where)
    for name in (kept.session, "latest", "sharing"):
        result = call("search", "lens", "-p", "archive", "-s", name, *where)
        assert result.exit_code == 2, name
        assert "nothing is added to it" in result.stderr


def test_pages_of_another_tool_are_imported_beside_a_snapshot(file: str, tmp_path: Path) -> None:
    warc = tmp_path / "other.warc"
    warc.write_bytes(plain([page("https://site.example/mill", "The tide mill gate shuts at high water.")]))
    where = ("--archive", str(tmp_path / "archive"))
    result = call("import", file, str(warc), *where)
    assert result.exit_code == 0, result.output
    assert "1 captures of other.warc, 1 of them with text" in result.stdout
    assert "other.warc: nothing of it was new" in call("import", str(warc), *where).stdout
    found = call("search", "tide mill gate", "-p", "archive", *where)
    assert "page captured elsewhere" in found.stdout
    shown = call("evidence", "e1", *where)
    assert "captured by another tool" in shown.stdout


def test_a_file_of_another_tool_with_faults_is_imported_as_far_as_it_is_sound(tmp_path: Path) -> None:
    warc = tmp_path / "cut.warc"
    whole = plain([page("https://site.example/a", "One page."), page("https://site.example/b", "Another page.")])
    warc.write_bytes(whole[:-40])
    result = call("import", str(warc), "--archive", str(tmp_path / "archive"))
    assert result.exit_code == 6
    assert "1 captures of cut.warc" in result.stdout
    assert "error: cut.warc, byte " in result.stderr
    assert "Traceback" not in result.stderr
