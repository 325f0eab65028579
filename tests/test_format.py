"""FORMAT.md is true: its specimens are what the code writes, its lists are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import searchlog
from searchlog import records
from searchlog.answer.report import FINDINGS
from searchlog.log.checkpoint import format_checkpoint, parse_checkpoint
from searchlog.log.envelope import LINE_BYTES_MAX, decode, encode
from searchlog.search.run import RunOutcome
from searchlog.verify.verdict import STATES
from tests.specimens import specimen_session

PAGE = (Path(searchlog.__file__).parent / "FORMAT.md").read_text(encoding="utf-8")
SPECIMENS = re.findall(r"```json\n(.*?)\n```", PAGE, re.DOTALL)


def test_every_kind_has_exactly_one_specimen() -> None:
    assert sorted(json.loads(line)["kind"] for line in SPECIMENS) == sorted(records.KINDS)


@pytest.mark.parametrize("line", SPECIMENS, ids=lambda line: json.loads(line)["kind"])
def test_specimen_is_a_line_that_the_code_writes(line: str) -> None:
    ledger = specimen_session()
    written = [item.line for item in ledger.log.get(ledger.session)]
    assert line.encode() in written


@pytest.mark.parametrize("line", SPECIMENS, ids=lambda line: json.loads(line)["kind"])
def test_specimen_reads_and_writes_to_the_same_bytes(line: str) -> None:
    envelope = decode(line.encode())
    body = records.parse_body(envelope.kind, envelope.body)
    assert not isinstance(body, records.Unknown)
    assert body.to_json() == envelope.body
    assert encode(envelope) == line.encode()


def test_checkpoint_specimen_is_the_head_of_the_specimen_session() -> None:
    (text,) = re.findall(r"```text\n(searchlog/.*?\n)```", PAGE, re.DOTALL)
    head = specimen_session().checkpoint()
    assert text == format_checkpoint(head)
    assert parse_checkpoint(text) == head


def test_outcomes_and_spilled_members_are_those_of_the_code() -> None:
    assert all(f"`{outcome}`" in PAGE for outcome in RunOutcome)
    spilled = {name for kind in records.KINDS.values() for name in kind.spill}
    sentence = re.search(r"These are (.*?)\.", PAGE, re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[1])) == spilled


def test_states_of_checks_and_codes_of_answers_are_those_of_the_code() -> None:
    table = PAGE.split("## 15. Checks")[1]
    for axis, states in STATES.items():
        (row,) = re.findall(rf"^\| {axis} \| (.*) \| (.*) \| (.*) \|$", table, re.MULTILINE)
        for cell, outcome in zip(row, ("verified", "failed", "not checked"), strict=True):
            assert re.findall(r"`([\w-]+)`", cell) == [s for s, (told, _) in states.items() if told == outcome]
    assert set(re.findall(r"`([\w-]+)`", table.split("Codes: ")[1].split(".")[0])) == set(FINDINGS)


def test_size_limit_is_that_of_the_code() -> None:
    assert f"shorter than {LINE_BYTES_MAX + 1:,} bytes" in PAGE


def test_envelope_table_names_every_member() -> None:
    table = PAGE.split("## 4. The envelope")[1].split("## 5.")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [
        *("v", "session", "seq", "at", "kind", "turn", "agent", "causes", "salt", "body")
    ]


def test_warnings_of_conversions_are_those_of_the_code() -> None:
    table = PAGE.split("`warnings`, codes of what is odd about the text:")[1].split("`failure` is")[0]
    named = {
        code for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for code in re.findall(r"`([a-z-]+)`", row)
    }
    source = "".join(
        path.read_text("utf-8") for path in Path(searchlog.__file__).parent.joinpath("extract").glob("*.py")
    )
    endings = "characters|forgery|contradicted|unknown|mismatch|deep|nodes|attributes|cut|joined|unreadable|malformed"
    known = rf"\"((?:[a-z]+-)+(?:{endings}|timeout|failed|verbatim|without-text)|noscript|hidden-text)\""
    assert named == set(re.findall(known, source))
