"""Checkpoints: the text of C2SP tlog-checkpoint."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.errors import FormatError
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint, format_checkpoint, head_line, parse_checkpoint

VECTORS = Path(__file__).parent / "vectors"
ROOT = bytes(range(32))
ROOT_TEXT = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
TEXT = f"searchlog/s1\n17\n{ROOT_TEXT}\n"


def test_a_checkpoint_is_three_lines() -> None:
    checkpoint = Checkpoint("searchlog/s1", 17, ROOT)
    assert format_checkpoint(checkpoint) == TEXT
    assert parse_checkpoint(TEXT) == checkpoint
    assert checkpoint.session == "s1"


def test_the_specification_example_is_read_and_written_back() -> None:
    signed = (VECTORS / "c2sp-checkpoint.txt").read_text("utf-8")
    note, signatures = signed.split("\n\n")
    checkpoint = parse_checkpoint(note + "\n")
    assert checkpoint.origin == "example.com/behind-the-sofa"
    assert checkpoint.size == 20852163
    assert checkpoint.root == base64.b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
    assert format_checkpoint(checkpoint) == note + "\n"
    assert signatures.startswith("— example.com/behind-the-sofa ")


def test_the_checkpoint_of_a_public_log_is_read_and_written_back() -> None:
    vector = json.loads((VECTORS / "rekor-v2-inclusion.json").read_bytes())
    checkpoint = parse_checkpoint(vector["checkpoint"])
    assert (checkpoint.size, checkpoint.root) == (vector["size"], bytes.fromhex(vector["root"]))
    assert format_checkpoint(checkpoint) == vector["checkpoint"]


@given(
    origin=st.from_regex(r"[^\x00-\x1f\ud800-\udfff]{1,60}", fullmatch=True),
    size=st.integers(0, 10**19 - 1),
    root=st.binary(min_size=32, max_size=32),
)
@settings(deadline=None)
def test_checkpoints_round_trip(origin: str, size: int, root: bytes) -> None:
    checkpoint = Checkpoint(origin, size, root)
    assert parse_checkpoint(format_checkpoint(checkpoint)) == checkpoint


@pytest.mark.parametrize("extension", ["timestamp 1", "a\nb", "— looks like a signature", " ", ROOT_TEXT])
def test_extension_lines_are_left_aside(extension: str) -> None:
    assert parse_checkpoint(TEXT + extension + "\n") == parse_checkpoint(TEXT)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "three lines"),
        ("\n", "three lines"),
        ("\n\n\n", "line 1"),
        (TEXT[:-1], "newline"),
        (TEXT + "extension", "newline"),
        ("searchlog/s1\n17\n", "three lines"),
        (f"\n17\n{ROOT_TEXT}\n", "line 1"),
        (f"search\tlog\n17\n{ROOT_TEXT}\n", "line 1"),
        (f"searchlog/s1\r\n17\n{ROOT_TEXT}\n", "line 1"),
        (f"searchlog/s1\n\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n017\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n00\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n-1\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n+17\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n 17\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n1_7\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n0x11\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n17.0\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n١٧\n{ROOT_TEXT}\n", "line 2"),
        (f"searchlog/s1\n{'9' * 20}\n{ROOT_TEXT}\n", "line 2"),
        ("searchlog/s1\n17\n\n", "line 3"),
        ("searchlog/s1\n17\nnot base64!\n", "line 3"),
        (f"searchlog/s1\n17\n{ROOT_TEXT[:-1]}\n", "line 3"),
        (f"searchlog/s1\n17\n{ROOT_TEXT}=\n", "line 3"),
        (f"searchlog/s1\n17\n {ROOT_TEXT}\n", "line 3"),
        (f"searchlog/s1\n17\n{ROOT_TEXT[:-2]}9=\n", "line 3"),
        (f"searchlog/s1\n17\n{base64.b64encode(ROOT[:31]).decode()}\n", "line 3"),
        (f"searchlog/s1\n17\n{base64.b64encode(ROOT + b'!').decode()}\n", "line 3"),
        (f"searchlog/s1\n17\n{ROOT.hex()}\n", "line 3"),
        (f"searchlog/s1\n17\n{'é' * 44}\n", "line 3"),
        (f"searchlog/s1\n17\n{base64.urlsafe_b64encode(b'?' * 2 + bytes([255]) * 30).decode()}\n", "line 3"),
    ],
    ids=ascii,
)
def test_a_malformed_checkpoint_is_refused_by_line(text: str, line: str) -> None:
    with pytest.raises(FormatError, match=line):
        parse_checkpoint(text)


@pytest.mark.parametrize("extension", ["\n", "a\n\nb\n", "\n— name c2lnbmF0dXJl\n", "a\rb\n", "\x00\n"], ids=ascii)
def test_extension_lines_that_c2sp_forbids_are_refused(extension: str) -> None:
    """An empty line was taken for an extension, so a whole signed note passed for its text and lost its signatures."""
    with pytest.raises(FormatError, match=r"line [45]"):
        parse_checkpoint(TEXT + extension)


def test_the_head_line_is_one_short_line_with_all_three_parts() -> None:
    checkpoint = Checkpoint(ORIGIN_PREFIX + "s20260102-030405-00000001", 17, ROOT)
    line = head_line(checkpoint)
    assert line == f"searchlog head: searchlog/s20260102-030405-00000001 17 {ROOT_TEXT}"
    assert parse_checkpoint("\n".join(line.removeprefix("searchlog head: ").split(" ")) + "\n") == checkpoint
