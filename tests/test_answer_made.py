"""Answers made out of real pages' passages: no false alarm on clean ones, every planted error found where it is."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from searchlog.answer.check import check_answer
from searchlog.answer.held import Given
from searchlog.answer.text import Answer
from tests.answers.evidence import case, passages_by_kind
from tests.answers.maker import ERRORS, Made, Maker

CODES = {
    "wrong-number": {"number-unsupported", "date-unsupported", "unit-differs"},
    "altered-quote": {"quote-altered", "quote-absent"},
    "unknown-id": {"unknown-evidence", "unknown-page"},
    "wrong-id": {"quote-elsewhere"},
}
COUNT = 300


@cache
def passages(kind: str) -> list[Given]:
    return passages_by_kind(kinds={kind})[kind]


def makers(kind: str, count: int, seed: int) -> list[Maker]:
    rng = random.Random(seed)
    made: list[Maker] = []
    while len(made) < count:
        maker = Maker(case(passages(kind), rng), rng, east=kind == "zh")
        if len(maker.sentences) > 2:
            made.append(maker)
    return made


def told(made: Made) -> list[tuple[str, str]]:
    report = check_answer(Answer(made.text), made.known)
    return [(finding.code, finding.text) for finding in report.findings]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "count"), [("en", COUNT), ("zh", COUNT), ("ar", 60), ("hi", 60), ("docs", 60), ("headq", 60)]
)
def test_clean_answers_have_no_finding(kind: str, count: int) -> None:
    alarms = [(made.text, found) for maker in makers(kind, count, 1) if (found := told(made := maker.clean()))]
    assert alarms == []


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(
    ("kind", "count"), [("en", COUNT), ("zh", COUNT), ("ar", 40), ("hi", 40), ("docs", 40), ("headq", 40)]
)
def test_every_planted_error_is_found_where_it_is_and_nothing_else(kind: str, count: int, error: str) -> None:
    counts: Counter[str] = Counter()
    for maker in makers(kind, count // 2, 2):
        made = maker.wrong(error)
        if made is None:
            continue
        findings = check_answer(Answer(made.text), made.known).findings
        at = [f for f in findings if f.start < made.end and f.end > made.start]
        assert [f for f in at if f.code in CODES[error]], (made.text, made.text[made.start : made.end], findings)
        assert len(at) == len(findings), (made.text, findings)
        counts[error] += 1
    assert counts[error] >= count // 10
