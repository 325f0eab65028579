"""Proofs that a record belongs to a session: one form, and no line of it can be changed."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.errors import FormatError, IntegrityError
from searchlog.log.checkpoint import Checkpoint, format_checkpoint
from searchlog.log.proof import Proof, check_proof, format_proof, parse_proof
from searchlog.log.tree import leaf_hash, prove_inclusion, root_of

LEAVES = [leaf_hash(b"%d" % n) for n in range(7)]
NOTE = format_checkpoint(Checkpoint("searchlog/s1", 7, root_of(LEAVES)))
SIGNED = f"{NOTE}\n— example.com/me AAAAAQECAw==\n"
GOLDEN = """\
c2sp.org/tlog-proof@v1
index 4
UzBPXj/UvNILOave8v4RgDHMWughe86gCN6n4nhpNIo=
O/nIHCMcrnC2eNPzA4+fT21rnXrc+bN48lkZrlPRdoY=
n0o/wg1BYtw31OI9kHhIcxp2BD//9taSiL8av7z/R44=

searchlog/s1
7
o+I7Msy2v5bQktFl2KpUbgmCnejwOw6JV1gdHha5K98=
"""


def proven(index: int, note: str = NOTE, extra: bytes | None = None) -> str:
    return format_proof(index, prove_inclusion(index, 7, lambda start, end: LEAVES[start:end]), note, extra)


def test_a_proof_has_these_bytes() -> None:
    assert proven(4) == GOLDEN
    assert proven(4, extra=b"why") == GOLDEN.replace("index", "extra d2h5\nindex")
    assert proven(4, SIGNED).endswith(SIGNED)


@pytest.mark.parametrize("index", range(7))
def test_every_record_is_proven_and_no_other_in_its_place(index: int) -> None:
    proof = parse_proof(proven(index, SIGNED))
    assert check_proof(proof, LEAVES[index]) == Checkpoint("searchlog/s1", 7, root_of(LEAVES))
    for other in range(7):
        if other != index:
            with pytest.raises(IntegrityError):
                check_proof(proof, LEAVES[other])


@pytest.mark.parametrize("line", range(len(GOLDEN.splitlines())))
def test_no_line_can_be_changed(line: int) -> None:
    """The origin is not part of the tree: it counts by the signature, and by what the reader expects."""
    lines = GOLDEN.splitlines(keepends=True)
    changed = ["".join([*lines[:line], *lines[line + 1 :]]), "".join([*lines[:line], lines[line], *lines[line:]])]
    changed += ["".join([*lines[:line], text, *lines[line + 1 :]]) for text in _others(lines[line])]
    for text in changed:
        try:
            found = check_proof(parse_proof(text), LEAVES[4])
        except (FormatError, IntegrityError):
            continue
        assert found.origin != "searchlog/s1" or line in (6, 7, 8), text
        assert found.origin != "searchlog/s1" or len(text.split("\n\n")[1].splitlines()) > 3, text


def _others(line: str) -> list[str]:
    text = line[:-1]
    out = [f"{text} \n", f"{text}\r\n", f" {text}\n", f"{text}=\n", "x\n", text]
    for at in range(len(text)):
        out.append(f"{text[:at]}{'B' if text[at] != 'B' else 'C'}{text[at + 1 :]}\n")
    return out


@pytest.mark.parametrize(
    "text",
    [
        "",
        GOLDEN.replace("@v1", "@v2"),
        GOLDEN.replace("index 4", "index 04"),
        GOLDEN.replace("index 4", "index -1"),
        GOLDEN.replace("index 4", "index 7"),
        GOLDEN.replace("index 4", "index  4"),
        GOLDEN.replace("index 4", "index " + "9" * 40),
        GOLDEN.replace("index 4", "index ٤"),
        GOLDEN.replace("index", "extra !\nindex"),
        GOLDEN.replace("index", "extra\nindex"),
        GOLDEN.replace("index", "extra d2h5\nextra d2h5\nindex"),
        GOLDEN.replace("index", "extra " + base64.b64encode(bytes(70_000)).decode() + "\nindex"),
        GOLDEN.replace("\n\n", "\n" + "n0o/wg1BYtw31OI9kHhIcxp2BD//9taSiL8av7z/R44=\n" * 64 + "\n"),
        GOLDEN.replace("\n\n", "\nn0o/wg1BYtw31OI9kHhIcxp2BD//9taSiL8av7z/R4==\n\n"),
        GOLDEN.replace("\n\n", "\n"),
        GOLDEN.replace("\n\n", "\n\n\n"),
        GOLDEN[:-1],
        GOLDEN + "\n",
        GOLDEN + "\n— x\n",
        GOLDEN.replace("\n", "\r\n"),
    ],
)
def test_what_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_proof(text)


@pytest.mark.parametrize(
    ("index", "path", "note"),
    [(-1, (), NOTE), (7, (), NOTE), (0, (b"short",), NOTE), (0, (bytes(32),) * 64, NOTE), (0, (), "x\n"), (0, (), "")],
)
def test_nothing_is_written_that_could_not_be_read(index: int, path: tuple[bytes, ...], note: str) -> None:
    with pytest.raises(FormatError):
        format_proof(index, path, note)


@settings(deadline=None)
@given(st.data())
def test_what_is_proven_is_read_and_checked(data: st.DataObject) -> None:
    leaves = [leaf_hash(line) for line in data.draw(st.lists(st.binary(max_size=4), min_size=1, max_size=40))]
    index = data.draw(st.integers(0, len(leaves) - 1))
    extra = data.draw(st.none() | st.binary(max_size=10))
    checkpoint = Checkpoint("searchlog/s", len(leaves), root_of(leaves))
    path = prove_inclusion(index, len(leaves), lambda start, end: leaves[start:end])
    text = format_proof(index, path, format_checkpoint(checkpoint), extra)
    proof = parse_proof(text)
    assert proof == Proof(index, path, format_checkpoint(checkpoint), extra)
    assert check_proof(proof, leaves[index]) == checkpoint
    if path:
        place = data.draw(st.integers(0, len(path) - 1))
        changed = (*path[:place], bytes(32), *path[place + 1 :])
        with pytest.raises(IntegrityError):
            check_proof(Proof(index, changed, proof.note), leaves[index])


@settings(deadline=None)
@given(st.text(max_size=80) | st.text("c2sp.org/tlog-proof@v1\nindex 4", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        proof = parse_proof(text)
    except FormatError:
        return
    assert format_proof(proof.index, proof.path, proof.note, proof.extra) == text
