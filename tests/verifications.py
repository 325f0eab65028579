"""Verifications made up for the tests of the report: one small, and one of every state in several languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from searchlog.verify.verdict import STATES, outcome_of

SESSION = "s20260102-030405-00000001"
URL = "https://example.org/tide-mills"
MILL = "The pond fills with the tide. Its gate shuts at high water."


def verdict(axis: str, state: str, **more: Any) -> dict[str, Any]:
    """Return a verdict as `PassageVerdict.to_json` writes it."""
    return {
        "session": SESSION,
        "evidence": "e1",
        "digest": "sha256:" + "0" * 64,
        "axis": axis,
        "state": state,
        "outcome": outcome_of(axis, state),
        "url": URL,
        "checked_at": "2026-02-03T04:05:06.000000Z",
        **more,
    }


def passage(number: int, verdicts: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a passage with its verdicts."""
    return {
        "session": SESSION,
        "evidence": f"e{number}",
        "digest": "sha256:" + f"{number:064x}",
        "url": URL,
        "title": "Tide mills",
        "captured_at": "2026-01-02T03:04:05.000000Z",
        "exact": MILL,
        "prefix": "Tide mills\n",
        "suffix": " Few of them are left.",
        "heading_path": ["Tide mills"],
        "link": URL + "#:~:text=The%20pond%20fills",
        "verdicts": {one["axis"]: one for one in verdicts},
        **more,
    }


def whole(passages: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a verification of passages, with outcomes and counts that follow from them."""
    counts: dict[str, dict[str, int]] = {}
    for one in passages:
        for axis, found in one["verdicts"].items():
            states = counts.setdefault(axis, {})
            states[found["state"]] = states.get(found["state"], 0) + 1
    outcomes = {}
    for axis, states in counts.items():
        told = {outcome_of(axis, state) for state in states}
        outcomes[axis] = next((one for one in ("failed", "not checked") if one in told), "verified")
    for report in more.get("reports", ()):
        if report["findings"]:
            outcomes[report["axis"]] = "failed"
    if more.get("answers"):
        outcomes["answer"] = "failed" if any(one["findings"] for one in more["answers"]) else "verified"
    return {
        "subject": f"session {SESSION}",
        "archive": "/home/ada/.local/share/searchlog",
        "began_at": "2026-02-03T04:05:00.000000Z",
        "ended_at": "2026-02-03T04:06:30.000000Z",
        "outcomes": outcomes,
        "counts": counts,
        "reports": [],
        "passages": list(passages),
        "answers": [],
        **more,
    }


def small() -> dict[str, Any]:
    """Return one passage that changed and one that did not, a finding, and an answer with a wrong number."""
    changes = [["=", "The pond "], ["-", "fills ", "negation"], ["+", "does not fill ", "negation"], ["=", "with …"]]
    passages = [
        passage(1, [verdict("store", "intact"), verdict("derivation", "at-offsets"), verdict("live", "same-bytes")]),
        passage(
            2,
            [
                verdict("store", "intact"),
                verdict("derivation", "at-offsets"),
                verdict("live", "changed", changes=changes, similarity="0.982", notes=["folded"], start=11, end=75),
            ],
        ),
    ]
    report = {
        "session": SESSION,
        "axis": "store",
        "outcome": "failed",
        "level": "L0",
        "size": 12,
        "root": "AAAA",
        "checked": {"records": 12, "blobs": 4},
        "not_checked": {"the record was erased": 1},
        "untold": 0,
        "findings": [
            {
                "code": "blob-altered",
                "where": "sha256:" + "a" * 64,
                "message": "a blob's bytes do not match its digest or its size",
                "expected": "sha256:" + "a" * 64,
                "found": "sha256:" + "b" * 64,
            }
        ],
    }
    answer = {
        "text": "The pond holds 1,300 tonnes of water [e1].",
        "form": "text",
        "outcome": "failed",
        "findings": [
            {
                "code": "number-unsupported",
                "start": 15,
                "end": 20,
                "text": "1,300",
                "message": "no cited passage has this number",
                "evidence": ["e1"],
            }
        ],
        "not_checked": {"uncited": 3},
    }
    return whole(passages, reports=[report], answers=[answer])


CHINESE = (
    "该药物使死亡率降低了13%，但在65岁以上的患者中没有观察到显著差异。"
    "研究共纳入三千五百名受试者，随访时间为二十四个月。"
)
JAPANESE = "潮汐水車は満潮時に貯めた水を使って動く。水門は自動的に閉まるため、人手を必要としない。"
ARABIC = "لم تُظهر الدراسة أي فرق في معدل الوفيات بين المجموعتين (13% مقابل 31%)، وقد نُشرت النتائج في عام 2019."
HEBREW = "טחנת הגאות נבנתה בשנת 1170 ופעלה עד שנת 1957."


def rich() -> dict[str, Any]:
    """Return a verification with every state of every axis, and texts in several scripts."""
    store, derived = verdict("store", "intact"), verdict("derivation", "at-offsets")
    told = [
        passage(
            1,
            [
                store,
                derived,
                verdict(
                    "live",
                    "changed",
                    similarity="0.991",
                    changes=[
                        ["=", "In the treated group mortality fell by "],
                        ["-", "13%", "number"],
                        ["+", "31%", "number"],
                        ["=", ", and the committee "],
                        ["+", "did not find ", "negation"],
                        ["-", "found "],
                        ["=", "that the benefit of "],
                        ["-", "25 mg", "number", "unit"],
                        ["+", "25 µg", "unit"],
                        ["=", " outweighed its risks. "],
                        ["-", "Dr. Amara Okafor", "name"],
                        ["+", "Dr. Lena Vogt", "name"],
                        ["=", " presented the results on "],
                        ["-", "3 May 2023", "date"],
                        ["+", "3 March 2023", "date"],
                        ["=", "."],
                    ],
                    detail="the page was edited after the capture",
                    start=1204,
                    end=1533,
                    capture=41,
                ),
                verdict("web-archive", "intact", detail="https://web.archive.org/web/20260101/https://example.org/"),
            ],
            title="Mortality under treatment: results of the second trial",
            url="https://journal.example.org/2023/05/mortality-under-treatment?section=results",
            exact="In the treated group mortality fell by 13%, and the committee found that the benefit of 25 mg "
            "outweighed its risks. Dr. Amara Okafor presented the results on 3 May 2023.",
            earlier=["web-archive"],
            heading_path=["Results", "Primary outcome", "Mortality"],
        ),
        passage(
            2,
            [
                store,
                derived,
                verdict(
                    "live",
                    "context-changed",
                    notes=["notice-added", "heading-changed", "some-new-note"],
                    changes=[
                        ["+", "This article has been retracted by its authors. ", "notice"],
                        ["=", MILL + " "],
                    ],
                ),
            ],
        ),
        passage(
            3,
            [
                store,
                derived,
                verdict(
                    "live",
                    "changed",
                    changes=[
                        ["=", "该药物使死亡率降低了"],
                        ["-", "13%", "number"],
                        ["+", "31%", "number"],
                        ["=", "，"],
                        ["-", "但在65岁以上的患者中没有观察到显著差异", "number", "negation"],
                        ["+", "在65岁以上的患者中也观察到显著差异", "number"],
                        ["=", "。研究共纳入三千五百名受试者"],
                    ],
                ),
            ],
            exact=CHINESE,
            prefix="结果\n",
            suffix="不良反应见表二。",
            title="临床试验结果：死亡率与随访",
            heading_path=["结果", "主要终点"],
            url="https://例子.example/论文/结果",
        ),
        passage(
            4,
            [
                store,
                derived,
                verdict(
                    "live",
                    "changed",
                    changes=[
                        ["-", "لم تُظهر", "negation"],
                        ["+", "أظهرت"],
                        ["=", " الدراسة أي فرق في معدل الوفيات بين المجموعتين ("],
                        ["-", "13%", "number"],
                        ["+", "18%", "number"],
                        ["=", " مقابل 31%)، وقد نُشرت النتائج في عام 2019."],
                    ],
                ),
            ],
            exact=ARABIC,
            prefix="النتائج\n",
            suffix=" ولم تُسجَّل آثار جانبية.",
            title="نتائج الدراسة السريرية",
            heading_path=["النتائج"],
        ),
        passage(
            5,
            [store, derived, verdict("live", "partial", changes=[["=", MILL], ["-", " Few of them are left."]])],
            exact=MILL + " Few of them are left.",
            suffix="",
        ),
        passage(
            6,
            [store, verdict("derivation", "not-in-page")],
            exact="Invoice \u202e0001\u202c paid\u200b\u200b\u200b in full.",
        ),
    ]
    number = len(told)
    for axis, states in STATES.items():
        for state in states:
            number += 1
            texts = [MILL, CHINESE, JAPANESE, ARABIC, HEBREW, MILL * 40]
            more = {"exact": texts[number % len(texts)], "prefix": "", "suffix": ""}
            own = {"store": [], "derivation": [store]}.get(axis, [store, derived])
            told.append(passage(number, [*own, verdict(axis, state, evidence=f"e{number}")], **more))
    text = (
        "## What the trials show\n\nMortality fell by 31 % [e1], and “the gate shuts at low water” [e2]. "
        "The trial had 3,500 participants [e99].\n\nAccording to the journal, the results were presented "
        "on 3 May 2023 by Amara Okafor [e1][e3].\n\n研究共纳入三千六百名受试者【e3】。"
    )

    def at(part: str) -> dict[str, Any]:
        return {"start": text.index(part), "end": text.index(part) + len(part), "text": part}

    findings = [
        {
            "code": "number-unsupported",
            **at("31 %"),
            "message": "no cited passage has this number",
            "expected": "13%",
            "found": "31 %",
            "evidence": ["e1"],
        },
        {
            "code": "quote-altered",
            **at("the gate shuts at low water"),
            "message": "the quotation is not what the passage says",
            "evidence": ["e2"],
            "cited": ["e2", "https://example.org/tide-mills"],
            "changes": [["=", "the gate shuts at "], ["-", "high ", []], ["+", "low ", []], ["=", "water"]],
        },
        {"code": "quote-overlap", **at("shuts at low water” [e2]"), "message": "a second finding over the first"},
        {
            "code": "unknown-evidence",
            **at("[e99]"),
            "message": "no evidence of this session has this id",
            "found": "e99",
        },
        {"code": "number-unsupported", **at("三千六百名"), "message": "3600", "evidence": ["e3"]},
        {"code": "page-not-opened", "message": "a page is cited that nobody opened", "found": "https://example.net/"},
    ]
    unchecked = [
        {"reason": "uncited", "start": 4, "end": 24, "text": "What the trials show"},
        {"reason": "judgement", "start": 0, "end": 3, "text": "According to the journal", "evidence": ["e1"]},
    ]
    clean = {"text": "The pond fills with the tide [e2].", "form": "anthropic", "outcome": "verified", "findings": []}
    answers = [
        {
            "text": text,
            "form": "text",
            "outcome": "failed",
            "findings": findings,
            "not_checked": unchecked,
            "counts": {"citations": 5, "citations_resolved": 4},
        },
        clean,
    ]
    reports = [
        {"session": SESSION, "axis": "store", "outcome": "verified", "level": "L2", "size": 120, "root": "AAAA",
         "checked": {"records": 120, "blobs": 44}, "not_checked": {}, "findings": [], "untold": 0, "state": "intact",
         "support": [{"level": "L2", "size": 90}, {"level": "L1", "size": 60, "who": "ada@example.org"}]},
        {"session": SESSION, "axis": "derivation", "outcome": "failed", "level": "L0", "size": 120, "root": "AAAA",
         "checked": {"pages": 17, "passages": 66}, "not_checked": {"no converter for application/x-old": 2},
         "findings": [
             {"code": "text-differs", "where": "sha256:" + "c" * 64, "message": "html/1 made another text",
              "expected": "sha256:" + "d" * 64, "found": "sha256:" + "e" * 64},
             {"code": "passage-not-visible", "where": "e6", "message": "a passage is not found in the visible text of "
              "the stored page"},
         ], "untold": 3},
    ]  # fmt: skip
    return whole(told, reports=reports, answers=answers)


def map_texts(value: Any, change: Any) -> Any:
    """Return the same JSON with each text, other than a key, changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: map_texts(item, change) for key, item in value.items()}
    return [map_texts(item, change) for item in value] if isinstance(value, list) else value
