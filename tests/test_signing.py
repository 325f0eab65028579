"""The key that signs heads: kept in a file of its own, never shown, never overwritten, never in a record."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchlog import keyring
from searchlog.errors import FormatError, MissingError, StoreError, UsageError
from searchlog.log.checkpoint import parse_checkpoint
from searchlog.log.note import check_signature, parse_note, parse_vkey
from searchlog.signing import default_place, load_key, new_key
from tests.cli.conftest import call, clean_env

TEXT = "searchlog/s1\n1\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
GO_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n"
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
"""The key of the package documentation of golang.org/x/mod/sumdb/note."""
SECRET = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"


@pytest.fixture(autouse=True)
def _nothing_held() -> Iterator[None]:
    """What one test made known is not known to the next."""
    before = dict(keyring._learned)
    yield
    keyring._learned.clear()
    keyring._learned.update(before)
    keyring._seen.clear()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "signing.key"


def written(path: Path, text: str = GO_KEY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    return path


def test_a_key_of_go_is_read_and_signs_as_go_does(place: Path) -> None:
    """The signature is that of the example in Go's documentation: Ed25519 has one for each text."""
    signer = load_key(written(place))
    assert signer.vkey == GO_VKEY
    text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    line = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    assert signer.sign(text) == f"{text}\n— PeterNeumann {line}\n"


def test_a_new_key_signs_and_its_verifier_key_checks(place: Path) -> None:
    vkey = new_key(place, "example.com/me")
    assert vkey.startswith("example.com/me+")
    signer = load_key(place)
    assert signer.vkey == vkey
    note = parse_note(signer.sign(TEXT))
    assert check_signature(note, parse_vkey(vkey))
    assert parse_checkpoint(note.text).size == 1


def test_a_key_without_a_name_is_named_after_itself(place: Path) -> None:
    assert re.match(r"searchlog-key-[0-9a-f]{8}\+", new_key(place))


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_only_its_owner_can_read_a_key(place: Path) -> None:
    new_key(place)
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700
    place.chmod(0o640)
    with pytest.raises(UsageError, match="others may read the key"):
        load_key(place)


def test_a_key_is_never_overwritten(place: Path) -> None:
    new_key(place)
    before = place.read_bytes()
    with pytest.raises(UsageError, match="never overwritten"):
        new_key(place)
    assert place.read_bytes() == before
    assert [item.name for item in place.parent.iterdir()] == ["signing.key"]


@pytest.mark.skipif(os.name != "posix", reason="links need no privilege there")
def test_a_key_is_not_written_through_a_link(place: Path, tmp_path: Path) -> None:
    place.parent.mkdir()
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="never overwritten"):
        new_key(place)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "x" * 501, "a\u2003b"])
def test_a_name_that_no_key_can_have_is_refused_before_anything_is_written(place: Path, name: str) -> None:
    with pytest.raises(FormatError):
        new_key(place, name)
    assert not place.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no key\n",
        GO_KEY + "\n",
        GO_KEY.replace("AYEK", "AoEK"),
        GO_KEY.replace("c74f20a3", "c74f20a4"),
        GO_KEY.replace("PeterNeumann", "Peter Neumann"),
        GO_KEY[:-3],
        GO_VKEY,
        "x" * 10_000,
    ],
)
def test_a_file_without_a_key_is_refused(place: Path, text: str) -> None:
    with pytest.raises(FormatError) as told:
        load_key(written(place, text))
    assert SECRET[4:] not in str(told.value)


def test_no_key_is_told_as_such(place: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="searchlog key new"):
        load_key(place)
    with pytest.raises((StoreError, FormatError)):
        load_key(tmp_path)
    with pytest.raises(StoreError):
        new_key(written(place) / "below")


def test_a_text_that_no_note_can_hold_is_not_signed(place: Path) -> None:
    signer = load_key(written(place))
    for text in ("", "a", "a\r\n", "a\ud800\n"):
        with pytest.raises(FormatError):
            signer.sign(text)


def test_a_signer_does_not_show_its_secret(place: Path) -> None:
    signer = load_key(written(place))
    assert SECRET not in repr(signer) + str(signer)
    assert base64.b64decode(SECRET)[1:].hex() not in repr(signer)


def test_a_key_that_is_made_or_read_is_known_to_the_keyring(place: Path, tmp_path: Path) -> None:
    new_key(place)
    line = place.read_text("utf-8").strip()
    secret = line[-44:]
    assert secret in keyring.values()
    assert "[redacted]" in keyring.hide(line)
    assert secret not in keyring.hide(f"look: {line}")
    load_key(written(tmp_path / "other.key"))
    assert SECRET in keyring.values()


def test_the_key_of_this_machine_is_known_to_a_process_that_never_signs(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCHLOG_SIGNING_KEY", str(place))
    assert SECRET not in keyring.values()
    written(place)
    assert SECRET in keyring.values()
    assert keyring.hide(GO_KEY) == "PRIVATE+KEY+PeterNeumann+c74f20a3+[redacted]\n"
    assert str(place) not in keyring.values()


def test_a_key_in_the_place_of_its_path_is_known_as_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCHLOG_SIGNING_KEY", GO_KEY.strip())
    assert SECRET in keyring.values()
    result = call("key", "show", env={"SEARCHLOG_SIGNING_KEY": GO_KEY.strip()})
    assert result.exit_code != 0
    assert SECRET not in result.output + result.stderr


def test_the_place_is_named_by_the_environment_or_in_the_settings_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCHLOG_SIGNING_KEY", "keys/mine")
    assert default_place() == Path("keys/mine")
    monkeypatch.delenv("SEARCHLOG_SIGNING_KEY")
    assert default_place().name == "signing.key"
    assert "searchlog" in default_place().parts


# --- the command


def test_the_command_makes_a_key_and_shows_only_its_public_half(place: Path) -> None:
    env = {"SEARCHLOG_SIGNING_KEY": str(place)}
    made = call("key", "new", "--name", "example.com/me", env=env)
    assert made.exit_code == 0, made.output
    shown = call("key", "show", env=env)
    assert shown.stdout == made.stdout
    assert parse_vkey(shown.stdout.strip()).name == "example.com/me"
    line = place.read_text("utf-8")
    secret = line.strip().removeprefix("PRIVATE+KEY+example.com/me+")[9:]
    assert len(secret) == 44
    for result in (made, shown, call("key", "show", "--json", env=env), call("key", "new", env=env)):
        assert secret not in result.output + result.stderr
    assert call("key", "new", env=env).exit_code == 2
    assert place.read_text("utf-8") == line


def test_the_command_says_what_cannot_be(place: Path) -> None:
    env = {"SEARCHLOG_SIGNING_KEY": str(place)}
    assert call("key", "show", env=env).exit_code == 3
    assert call("key", "show", "--name", "x", env=env).exit_code == 2
    assert call("key", env=env).exit_code == 2
    written(place, "nothing")
    assert call("key", "show", env=env).exit_code == 7


def test_without_the_extra_the_command_says_what_to_install(place: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from searchlog.cli import cli\n"
        "cli.main(['key', 'new'], prog_name='searchlog')"
    )
    env = clean_env(SEARCHLOG_SIGNING_KEY=str(place))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "pip install 'searchlog[sign]'" in done.stderr
    assert not place.exists()
