"""Cosignatures in a snapshot: a witness that was named raises the level, and has to have cosigned this very head."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import searchlog
from searchlog.errors import FormatError, UsageError
from searchlog.log.note import Note, Signature, format_note, format_vkey, parse_note
from searchlog.snapshot.check import Verdict, check_snapshot
from searchlog.snapshot.export import Seal
from tests import cassette
from tests.cosigning import TIME, signer, witness
from tests.snapshots import exported, signed

W = witness()


def sealed(lines: Callable[[str], Sequence[Signature]]) -> Callable[[str], Seal]:
    """Return what seals a head with a signature and the lines that these are of its text."""

    def seal(text: str) -> Seal:
        note, key = signed(text)
        return Seal(format_note(Note(text, (*parse_note(note).signatures, *lines(text)))), (key,))

    return seal


def verdict(tmp_path: Path, lines: Callable[[str], Sequence[Signature]], **options: Any) -> Verdict:
    ledger, _ = cassette.load("lighthouse")
    path = tmp_path / "cosigned.wacz"
    path.write_bytes(exported(ledger, seal=sealed(lines)))
    return check_snapshot(path, **options)


def codes(found: Verdict) -> list[str]:
    return [finding.code for report in found.reports for finding in report.findings]


def test_cosignature_of_a_named_witness_is_the_highest_level(tmp_path: Path):
    found = verdict(tmp_path, lambda text: [W.cosigns(text, TIME)], witnesses=[W.witness_vkey])
    assert (codes(found), found.level) == ([], "L4")
    assert found.to_json()["cosignatures"] == [{"witness": W.witness_vkey, "time": "2026-01-02T03:04:05Z"}]
    assert "signatures of keys that are not here" not in found.report.not_checked


def test_witness_that_nobody_named_raises_nothing(tmp_path: Path):
    found = verdict(tmp_path, lambda text: [W.cosigns(text)])
    assert (codes(found), found.level) == ([], "L0")
    assert found.report.not_checked["signatures of keys that are not here"] == 1
    assert "cosignatures" not in found.to_json()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (lambda text: [], "it has not cosigned this head"),
        (lambda text: [W.signs(text)], "it has not cosigned this head"),
        (lambda text: [signer().cosigns(text)], "it has not cosigned this head"),
        (lambda text: [W.cosigns("searchlog/s1\n1\n" + text.split("\n")[2] + "\n")], "is not one of this head"),
        (lambda text: [W.cosigns(text), W.cosigns(text + "x")], "is not one of this head"),
    ],
)
def test_named_witness_has_to_have_cosigned_this_head(tmp_path: Path, lines: Any, said: str):
    found = verdict(tmp_path, lines, witnesses=[W.witness_vkey])
    assert (codes(found), found.level, found.outcome) == (["cosignature-invalid"], "none", "failed")
    assert said in found.report.findings[0].message
    assert found.report.findings[0].where.endswith(f"witness {W.name}")


def test_witnesses_are_given_as_their_keys(tmp_path: Path):
    with pytest.raises(FormatError, match="is not for cosignatures"):
        verdict(tmp_path, lambda text: [], witnesses=[format_vkey(W.key)])
    with pytest.raises(UsageError, match="witnesses is a list"):
        verdict(tmp_path, lambda text: [], witnesses=W.witness_vkey)


def test_the_stand_alone_script_reads_a_cosigned_head_and_judges_the_signature(tmp_path: Path):
    verdict(tmp_path, lambda text: [W.cosigns(text)])
    script = Path(searchlog.__file__).parent / "snapshot" / "verify_snapshot.py"
    key = signed("a\n")[1]
    command = [sys.executable, "-I", str(script), str(tmp_path / "cosigned.wacz"), "--key", key]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "the key that you gave signed the head" in done.stdout
