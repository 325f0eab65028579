"""Archives that may only be looked at, and those whose log is gone: what each command says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Kept, call

READING = [
    ["show"],
    ["show", "--records"],
    ["show", "1", "--rendering"],
    ["sessions"],
    ["evidence"],
    ["evidence", "e1"],
    ["verify"],
    ["verify", "--all", "--passages"],
    ["replay"],
]


@pytest.fixture(scope="module")
def mounted(kept: Kept, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The archive on a read-only disk: the same folder, mounted a second time."""
    place = tmp_path_factory.mktemp("disk")
    mount = shutil.which("mount")
    if not sys.platform.startswith("linux") or mount is None:
        pytest.skip("mounts are made otherwise here")
    done = subprocess.run([mount, "--bind", kept.archive, place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("may not mount here")
    try:
        subprocess.run([mount, "-o", "remount,bind,ro", place], capture_output=True, check=True)
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("args", READING, ids=" ".join)
def test_every_command_that_reads_works_on_a_read_only_disk(mounted: Path, args: list[str]) -> None:
    """All ended with exit code 8: the lock file could not be opened for writing."""
    result = call(*args, "--archive", str(mounted))
    assert result.exit_code == 0, result.output
    assert result.stdout


def test_writing_to_a_read_only_disk_says_so(mounted: Path) -> None:
    result = call("fetch", "http://127.0.0.1:9/", "--archive", str(mounted))
    assert result.exit_code == 8
    assert "it can only be read" in result.stderr
    assert "Read-only file system" in result.stderr


@pytest.mark.parametrize(
    "args", [*READING, ["why", "http://a.example/"], ["fetch", "http://127.0.0.1:9/"]], ids=" ".join
)
@pytest.mark.parametrize("how", ["removed", "emptied"])
def test_a_log_that_is_gone_is_damage_for_every_command(kept: Kept, tmp_path: Path, args: list[str], how: str) -> None:
    """It passed for an empty archive: `verify --all` printed nothing and ended with exit code 0."""
    copy = tmp_path / "copy"
    shutil.copytree(kept.archive, copy)
    (copy / "log.db").unlink()
    if how == "emptied":
        (copy / "log.db").touch()
    result = call(*args, "--archive", str(copy))
    assert result.exit_code == 7
    assert "put back the file" in result.stderr
    assert result.stdout == ""
    assert not (copy / "log.db").exists() or (copy / "log.db").stat().st_size == 0


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_verifying_all_of_no_session_is_exit_code_3_and_says_so(tmp_path: Path, form: list[str]) -> None:
    """Nothing was printed, and the exit code was 0, as if all were well."""
    place = str(tmp_path / "a")
    call("fetch", "http://127.0.0.1:9/", "--archive", place)
    log = tmp_path / "a" / "log.db"
    assert call("verify", "--all", "--archive", place).exit_code == 0
    subprocess.run(
        [sys.executable, "-c", f"import sqlite3; sqlite3.connect({str(log)!r}).executescript('DELETE FROM sessions')"],
        check=True,
    )
    result = call("verify", "--all", "--archive", place, *form)
    assert result.exit_code == 3
    assert "no session" in result.stderr
    assert not form or json.loads(result.stdout)["reports"] == []
