"""What a check of an answer says of sentences that people write: in other words, rounded, in other forms; and wrong."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.answer.check import Given, Known, check_answer
from searchlog.answer.text import Answer, Native, parse_answer
from searchlog.errors import FormatError

EVIDENCE = {
    "e1": (
        "The Old Mill Bridge opened on 3 May 1932 and cost $4,217,300. "
        "It is 503 metres long and carries about 31 % of the city's traffic, or 48,250 vehicles a day. "
        "Nineteen workers died. "
        "Temperatures reach 38 °C. "
        '"We built it in eighteen months," the engineer John Bradfield said.'
    ),
    "e2": (
        "大桥于1932年5月3日开通，造价约3482113元，全长503米，每天有4."
        "8万辆车通过，占全市交通的百分之三十一。"
        "工程师说：“我们用了十八个月建成了它。"
        "”共有十九名工人死亡。"
        "桥宽48."
        "8米，两侧各有三座塔。"
    ),
    "e3": (
        "Unemployment fell from 7."
        "9 percent in 2019 to 5."
        "2 percent in 2021, while GDP grew by 2."
        "1 billion euros. "
        "Between 1914 and 1918 output halved. "
        "The B-52 flew 6."
        "2 miles. "
        "Python 3."
        "12 was released in October 2023. "
        "Two-thirds of respondents agreed. "
        "The sample had 1,204 people aged 18–65."
    ),
    "e4": (
        "Population (2020 census): 3,482,113. "
        "Area: 1,285 km2. "
        "Elevation 21 m (69 ft). "
        "Density 2,700/km2. "
        "Mayor: Ana Silva. "
        "Founded 25 January 1554. "
        "The city is not the capital."
    ),
}


def known() -> Known:
    evidence = {
        id: Given(id, f"https://www.site{id}.org/page", f"Title {id}", text, published="2024-02-11")
        for id, text in EVIDENCE.items()
    }
    opened = frozenset(one.url for one in evidence.values()) | {"https://read.org/a"}
    return Known(evidence, opened, frozenset({"https://found.org/x"}), asked="When did the bridge open, before 1950?")


CLEAN = [
    "The bridge opened in May 1932 [e1].",
    "It was opened on May 3rd, 1932 [e1], and cost roughly $4.2 million [e1].",
    "It opened on 1932-05-03 [e1].",
    "Its length is 503 m [e1], about half a kilometre.",
    "It carries almost a third of traffic (31 percent) [e1].",
    "Some 48,000 vehicles use it daily [e1].",
    "19 workers died building it [e1].",
    "It gets as hot as 38 degrees Celsius [e1].",
    "The engineer said “we built it in eighteen months” [e1].",
    'Bradfield: "We built it in eighteen months." [e1]',
    "They needed 18 months [e1].",
    "大桥于一九三二年五月三日开通[e2]。",
    "造价约348万元[e2]，全长503米。",
    "每天约48000辆车通过[e2]，占31%[e2]。",
    "共有19名工人死亡【e2】。",
    "他们用18个月建成[e2]。",
    "It opened in 1932 and is 503 metres long [e1][e2].",
    "三成多的交通经过大桥[e2]。",
    "工程师表示：“我们用了十八个月建成了它”[e2]。",
    "Unemployment dropped by 2.7 percentage points, from 7.9% to 5.2% [e3].",
    "GDP grew by €2.1bn [e3].",
    "The plane flew about 10 km [e3].",
    "A B-52 flew [e3]. Python 3.12 came out in Oct 2023 [e3].",
    "From 1914–1918 output was cut in half [e3].",
    "About 67% of respondents agreed [e3].",
    "The survey covered 1204 people between 18 and 65 [e3].",
    "Some 1,200 people were surveyed [e3].",
    "The city has nearly 3.5 million people [e4].",
    "It has 3.48 million inhabitants [e4] on 1,285 square kilometres.",
    "It was founded in the 16th century [e4].",
    "The city, founded in the 1550s, has 3,482,113 people [e4].",
    "该市人口约348万[e4]。",
    "The density is 2,700 people per square kilometre [e4].",
    "It sits at 21 metres (69 feet) [e4].",
    "There are three reasons: first, it is big [e4]. Second, it is old [e4].",
    "1. The bridge opened in 1932 [e1]\n2. It is 503 metres long [e1]\n\n**Step 2**: look up. In the 2024 "
    "article [e1].",
    "In 1950 it was already open [e1].",
    "As of February 2024, it is open [e1].",
    "The article says “Title e1” [e1].",
    "Half of output vanished between 1914 and 1918 [e3].",
    "It is 0.5 km long [e1].",
    "It's 503-metre-long [e1].",
    "The 503m bridge [e1].",
    "Workers who died: nineteen (19) [e1].",
    "The so-called “mill bridge” is long [e1].",
    "| Item | Value |\n|---|---|\n| Opened | 1932 [e1] |\n| Length | 503 m [e1] |",
    "According to [e1], the bridge is 503 m long, while [e4] gives 1,285 km² for the city.",
    "The bridge is 503 m long ([Title e1](https://sitee1.org/page?utm_source=openai)). The city has 3,482,113 "
    "people ([source](http://sitee4.org/page/)).",
    "2019年失业率为7.9%，2021年为5.2%[e3]。",
    "The share of people aged 18 to 65 ... [e3].",
    "Unemployment was five point two percent [e3].",
    "Cost: 4,217,300 USD [e1].",
    "The cost was 4.2173 million dollars [e1].",
    "The bridge cost over $4 million [e1].",
    "Fewer than 20 workers died [e1]?",
    "In the early 1930s the bridge opened [e1].",
    "the 2010s? no: In Q2 1932 it opened [e1].",
    "桥宽近49米[e2]。",
    "桥的每侧有3座塔[e2]。",
    "The bridge is 503 m (1,650 ft) long [e1].",
    "It opened on the third of May 1932 [e1].",
    "On 3.5.1932 it opened [e1].",
    "Am 3. Mai 1932 wurde die Brücke eröffnet [e1]; sie kostete 4.217.300 Dollar [e1].",
    "Le pont mesure 503 mètres [e1] et a coûté 4 217 300 dollars [e1].",
    "人口3,482,113（2020年人口普查）[e4]。",
    "The census of 2020 counted 3 482 113 people [e4].",
]


WRONG = [
    ("The bridge opened in 1923 [e1].", "1923"),
    ("It carries 13 % of traffic [e1].", "13 %"),
    ("It was opened on 5 May 1932 [e1].", "5 May 1932"),
    ("It is 503 miles long [e1].", "503 miles"),
    ("It cost $4.7 million [e1].", "4.7"),
    ("造价约438万元[e2]。", "438"),
    ("大桥于1932年5月8日开通[e2]。", "8日"),
    ("占全市交通的百分之十三[e2]。", "百分之十三"),
    ("共有二十九名工人死亡[e2]。", "二十九"),
    ("Unemployment fell to 2.5 percent in 2021 [e3].", "2.5"),
    ("The B-57 flew [e3].", "B-57"),
    ("Python 3.13 was released [e3].", "3.13"),
    ("GDP grew by 2.1 million euros [e3].", "2.1 million"),
    ("The city has 3.8 million people [e4].", "3.8"),
    ("It was founded in the 17th century [e4].", "17th"),
    ("It was founded on 25 January 1545 [e4].", "1545"),
    ("He said “We built it in sixteen months” [e1].", "We"),
    ("他说：“我们用了十六个月建成了它。”[e2]", "我们"),
    ("He said “The city is the capital” [e4].", "The city"),
    ("The bridge is 503 m long [e9].", "e9"),
    ("It is long [see](https://found.org/x).", "found"),
    ("It is long (https://other.org/x).", "other"),
    ("“Unemployment fell from 7.9 percent in 2019 to 5.2 percent” [e1].", "Unemployment"),
    ("Unemployment fell from 5.2 percent in 2019 [e3].", "5.2"),
    ("It is 503 km long [e1].", "503 km"),
    ("每天有48万辆车通过[e2]。", "48"),
    ("造价约3482113美元[e2]。", "3482113"),
    ("The bridge cost €4,217,300 [e1].", "4,217,300"),
    ("Eighteen workers died [e1].", "Eighteen"),
    ("Temperatures reach 38 °F [e1].", "38"),
    ("桥宽84.8米[e2]。", "84.8"),
    ("Elevation is 12 m [e4].", "12"),
    ("两侧各有五座塔[e2]。", "五"),
    ("Three-quarters of respondents agreed [e3].", "Three"),
]


def codes(text: str) -> list[str]:
    return [finding.code for finding in check_answer(Answer(text), known()).findings]


@pytest.mark.parametrize("text", CLEAN)
def test_other_words_for_the_same_are_no_finding(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(("text", "place"), WRONG)
def test_what_the_evidence_does_not_say_is_found_where_it_stands(text: str, place: str) -> None:
    at = text.index(place)
    findings = check_answer(Answer(text), known()).findings
    assert [f for f in findings if f.start < at + len(place) and f.end > at]
    assert len(findings) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("It is long [e99].", "unknown-evidence"),
        ("It is long [e1, e99].", "unknown-evidence"),
        ("It is long \ue200cite\ue202e99\ue201.", "unknown-evidence"),
        ("It is long \ue200cite\ue202turn0search3\ue201.", "unknown-evidence"),
        ("It is long ([x](https://found.org/x)).", "page-not-opened"),
        ("It is long https://www.found.org/x/?utm_source=openai.", "page-not-opened"),
        ("It is long https://found.org/y.", "unknown-page"),
        ("It is long [1].\n\nSources:\n1. https://nowhere.org/", "unknown-page"),
        ("It is long [^1].\n\n[^1]: https://nowhere.org/", "unknown-page"),
        ("It is long [^2].\n\n[^1]: https://read.org/a", "citation-malformed"),
        ("It is long [e1 and more", "citation-malformed"),
        ("It is long [e9–e2].", "citation-malformed"),
        ("He said “We built it in sixteen months” [e1].", "quote-altered"),
        ("He said “We built it in eighteen months” [e4].", "quote-elsewhere"),
        ("He said “Nobody ever saw such a wonder in this town” [e1].", "quote-absent"),
        ("It is 503 miles long [e1].", "unit-differs"),
        ("It opened in 1923 [e1].", "date-unsupported"),
        ("It carries 13 % of traffic [e1].", "number-unsupported"),
    ],
)
def test_each_finding_has_an_answer_that_causes_it_and_no_other(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_a_heading_with_a_citation_is_a_claim_and_one_without_is_not() -> None:
    assert codes("**Opened: 1933 [e1]**") == ["date-unsupported"]
    assert codes("### Opened in '33 [e1]") == ["date-unsupported"]
    assert codes("### Opened in '32 [e1]") == []
    assert codes("## Bridges of 1999\n\nIt is 503 m long [e1].") == []


def test_a_round_id_is_a_citation_only_where_ids_are_written_so() -> None:
    assert codes("White answers (e4) and wins.") == []
    assert codes("The bridge is long (e1), they say (e99).") == ["unknown-evidence"]
    assert codes("White answers (e5) and (e9).") == []


def test_an_altered_quotation_comes_with_its_word_diff() -> None:
    (finding,) = check_answer(Answer("He said “We built it in sixteen months” [e1]."), known()).findings
    assert ("+", "sixteen ") in finding.changes
    assert ("-", "eighteen ") in finding.changes
    assert finding.evidence == ("e1",)


def test_a_number_of_an_uncited_sentence_is_not_checked_unless_the_sentence_is_the_evidences_own() -> None:
    report = check_answer(Answer("Some towns have 77 bridges. This one is 503 m long [e1]."), known())
    assert report.findings == ()
    assert [u.reason for u in report.unchecked] == ["number-uncited"]
    assert codes("It is 530 metres long and carries about 31 % of the city's traffic. Nineteen workers died [e1].")


def test_what_nothing_was_looked_up_of_is_listed() -> None:
    report = check_answer(Answer("The bridge is a marvel [e1]. Everyone loves it."), known())
    assert report.outcome == "verified"
    assert [(u.reason, u.text) for u in report.unchecked] == [
        ("judgement", "The bridge is a marvel"),
        ("uncited", "Everyone loves it."),
    ]
    assert check_answer(Answer("Nothing to see."), known()).outcome == "not checked"


def test_a_quotation_beyond_the_passage_is_told_apart_when_the_page_is_here() -> None:
    pages = {"https://www.sitee1.org/page": EVIDENCE["e1"] + " Trams never crossed the bridge again."}
    one = Known(known().evidence, pages=pages)
    report = check_answer(Answer("It says “Trams never crossed the bridge again” [e1]."), one)
    assert report.findings == ()
    assert report.counts["quotations_beyond"] == 1


# --- citations beside the text ---------------------------------------------------------------------------------------


def native(text: str, cited: dict[str, object]) -> list[str]:
    body = {"role": "assistant", "content": [{"type": "text", "text": text, "citations": [cited]}]}
    return [f.code for f in check_answer(parse_answer(json.dumps(body).encode()), known()).findings]


def test_anthropic_citations_are_held_against_the_evidence_they_quote() -> None:
    good = {
        "type": "search_result_location",
        "source": "https://www.sitee1.org/page",
        "cited_text": "It is 503 metres long",
    }
    assert native("The bridge is 503 m long.", good) == []
    assert native("The bridge is 530 m long.", good) == ["number-unsupported"]
    assert native("The bridge is long.", good | {"cited_text": "It is 530 metres long"}) == ["native-quote-differs"]
    assert native("The bridge is long.", good | {"source": "https://nowhere.org"}) == ["unknown-page"]
    cut = good | {
        "type": "web_search_result_location",
        "url": "https://www.sitee1.org/page",
        "cited_text": "It is 503 metres lo...",
    }
    assert (
        native(
            "The bridge is 503 m long.",
            {k: v for k, v in cut.items() if k != "source"} | {"cited_text": "It is 503 metres..."},
        )
        == []
    )


def test_citation_of_several_passages_quotes_them_one_behind_the_other() -> None:
    """Anthropic joins the blocks that a citation covers, with nothing between: that was told as a false quotation."""
    texts = ["The bridge opened in 1932.", "Nineteen workers died, and none was named", "It is 503 metres long"]
    evidence = {f"e{n}": Given(f"e{n}", "https://www.a.org/page", "A", text) for n, text in enumerate(texts, 1)}

    def codes(*words: str) -> list[str]:
        cited = {"type": "search_result_location", "source": "https://www.a.org/page", "cited_text": "".join(words)}
        body = {"role": "assistant", "content": [{"type": "text", "text": "The bridge is long.", "citations": [cited]}]}
        report = check_answer(parse_answer(json.dumps(body).encode()), Known(evidence))
        return [finding.code for finding in report.findings]

    assert codes(*texts) == []
    assert codes(texts[2], texts[1]) == []
    altered = ["native-quote-differs"]
    assert codes(texts[0], texts[1].replace("none", "each"), texts[2]) == altered
    assert codes(*texts, "It is 530 metres long") == altered
    assert codes(texts[0], texts[2][:9]) == altered, "a block is cited whole"


def test_sentence_that_a_citation_beside_the_text_covers_is_not_called_uncited() -> None:
    """Each was listed twice: once with its citation, and once as a sentence without one."""
    cited = {"type": "search_result_location", "source": "https://www.sitee1.org/page", "cited_text": EVIDENCE["e1"]}
    content = [
        {"type": "text", "text": "The bridge is old. ", "citations": [cited]},
        {"type": "text", "text": "According to the page, "},
        {"type": "text", "text": "many people died", "citations": [cited]},
        {"type": "text", "text": ".\n\nI like bridges a lot."},
    ]
    report = check_answer(parse_answer(json.dumps({"role": "assistant", "content": content}).encode()), known())
    assert [(one.reason, one.text) for one in report.unchecked] == [
        ("judgement", "The bridge is old."),
        ("judgement", "many people died"),
        ("uncited", "I like bridges a lot."),
    ]
    assert (report.findings, report.counts["sentences"]) == ((), 3)


def test_a_span_of_openai_covers_the_link_and_the_claim_is_the_sentence_before() -> None:
    text = "The bridge is 530 m long. ([sitee1.org](https://www.sitee1.org/page?utm_source=openai))"
    span = {
        "type": "url_citation",
        "start_index": 26,
        "end_index": len(text),
        "url": "https://www.sitee1.org/page?utm_source=openai",
    }
    body = {
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": [span]}],
            }
        ]
    }
    report = check_answer(parse_answer(json.dumps(body).encode()), known())
    assert [(f.code, f.text) for f in report.findings] == [("number-unsupported", "530 m")]


def test_gemini_counts_bytes() -> None:
    text = "Größe über alles. The bridge is 530 m long."
    start, end = len("Größe über alles. ".encode()), len(text.encode())
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://www.sitee1.org/page"}}],
        "groundingSupports": [{"segment": {"startIndex": start, "endIndex": end}, "groundingChunkIndices": [0]}],
    }
    body = {"candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": grounding}]}
    answer = parse_answer(json.dumps(body).encode())
    assert answer.native == (Native(18, 43, url="https://www.sitee1.org/page", form="grounding-support"),)
    assert [f.code for f in check_answer(answer, known()).findings] == ["number-unsupported"]


def test_perplexity_numbers_its_sources_beside_the_text() -> None:
    body = {
        "choices": [{"message": {"content": "It is 503 m long.[1] It is 530 m long.[2]"}}],
        "citations": ["https://www.sitee1.org/page"] * 2,
    }
    report = check_answer(parse_answer(json.dumps(body).encode()), known())
    assert [f.text for f in report.findings] == ["530 m"]


def test_a_quotation_whose_citation_leads_nowhere_is_one_finding_not_two() -> None:
    report = check_answer(Answer("He said “Nobody ever saw such a wonder in this town” [e99]."), known())
    assert [f.code for f in report.findings] == ["unknown-evidence"]
    assert "citation-unresolved" in [u.reason for u in report.unchecked]


def test_a_clients_own_names_of_evidence_are_resolved() -> None:
    one = Known(known().evidence, aliases={"turn0search0": "e1"})
    assert check_answer(Answer("It is 503 m long \ue200cite\ue202turn0search0\ue201."), one).outcome == "verified"


# --- anything at all -------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "[e1]",
                "[e",
                "(e2)",
                "“",
                "”",
                '"',
                "「",
                "5",
                "1932",
                " ",
                "\n",
                "> ",
                "| ",
                "。",
                ". ",
                "a",
                "三",
                "%",
                "`",
                "[^1]",
                "]",
                "https://a.org",
                "\ue200",
                "\ue201",
                "*",
                "年",
                "½",
                "٣",
            ]
        )
        | st.text(max_size=6),
        max_size=40,
    )
)
def test_no_text_makes_it_raise_and_ranges_are_of_the_answer(pieces: list[str]) -> None:
    text = "".join(pieces)
    report = check_answer(Answer(text), known())
    for one in (*report.findings, *report.unchecked):
        assert 0 <= one.start <= one.end <= len(text)
        assert text[one.start : one.end] == one.text
    json.dumps(report.to_json())


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "content",
                        "text",
                        "type",
                        "output",
                        "choices",
                        "message",
                        "citations",
                        "candidates",
                        "parts",
                        "groundingMetadata",
                        "groundingSupports",
                        "segment",
                        "annotations",
                        "steps",
                        "outputs",
                        "start",
                        "end",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_makes_the_reader_raise(value: object) -> None:
    check_answer(parse_answer(json.dumps(value).encode()), Known())


def codes_of(text: str, *, asked: str = "", **evidence: str) -> list[str]:
    held = {id: Given(id, f"https://{id}.org/", "", words) for id, words in evidence.items()}
    report = check_answer(Answer(text), Known(held, frozenset(g.url for g in held.values()), asked=asked))
    return [finding.code for finding in report.findings]


def test_a_capital_put_in_brackets_is_no_citation() -> None:
    """`[e]xplicitly`, whose first letter was `E`, was told as a citation that names nothing, and the quotation as
    altered."""
    quote = 'It says "[e]xplicitly writing redundant clones looks silly" [e1].'
    assert codes_of(quote, e1="Explicitly writing redundant clones looks silly.") == []
    assert codes_of("It is so [e].", e1="It is so.") == ["citation-malformed"]


def test_a_citation_that_begins_the_next_sentence_is_not_of_the_sentence_before() -> None:
    """`… [e2]. [e3] says` was read as two citations side by side, and what e3 says was held against what follows."""
    evidence = {"e2": "It opened in 1932.", "e3": "Trams never crossed the bridge again.", "e4": "It cost 900 pounds."}
    english = "It opened in 1932 [e2]. [e3] states: “Trams never crossed the bridge again”. It cost 900 pounds [e4]."
    chinese = "开通于1932年[e2]。[e3]指出：“Trams never crossed the bridge again”。造价900英镑[e4]。"
    assert codes_of(english, **evidence) == codes_of(chinese, **evidence) == []
    assert codes_of(english.replace("1932", "1933"), **evidence) == ["date-unsupported"]


def test_a_semicolon_ends_no_sentence() -> None:
    """A wrong number before a semicolon, with the citation after it, was only listed as a number without a citation."""
    assert codes_of("Its default is 5 minutes; this matters [e1].", e1="The default is 30 seconds.") != []
    assert codes_of("默认值为5分钟；这一点很重要[e1]。", e1="默认值为30秒。") != []


def test_a_unit_is_wrong_though_the_bare_number_stands_elsewhere() -> None:
    """`17 months` was supported by a date on the 17th, and by any 17 without a unit, though the same words had `17
    years`."""
    passage = "On 17 May 2024 she solved the problem at just 17 years old, in room 17."
    assert codes_of("She solved it at just 17 months old [e1].", e1=passage) == ["unit-differs"]
    assert codes_of("She solved it at just 17 years old [e1].", e1=passage) == []
    assert codes_of("5月3日开通，用时18个月[e1]。", e1="1932年5月3日开通，用了18个月。") == []
    assert codes_of("大约过了七年[e1]。", e1="2015.07.21开通") == ["number-unsupported"]


def test_a_small_count_is_wrong_where_the_evidence_counts_the_same_things() -> None:
    """`nine` for `eight` was left as the answer's own counting, unless several words around it agreed."""
    assert codes_of("In total, nine games were won by them [e1].", e1="They won eight games.") == ["number-unsupported"]
    assert codes_of("Functions are in Chapter eight [e1].", e1="See Chapter 9 for them.") == ["number-unsupported"]
    assert codes_of("There are two reasons to care [e1].", e1="They won eight games.") == []


def test_over_means_more_and_nearly_means_less() -> None:
    """`over 50` was a rounding of 45, and `100+` one of 99."""
    assert codes_of("It took over 50 days [e1].", e1="It took 45 days.") == ["number-unsupported"]
    assert codes_of("It took over 50 days [e1].", e1="It took 53 days.") == []
    assert codes_of("It took nearly 50 days [e1].", e1="It took 53 days.") == ["number-unsupported"]
    assert codes_of("It took nearly 50 days [e1].", e1="It took 48 days.") == []
    assert codes_of("Over 70% of them died [e1].", e1="Over 60% died; so in 1576–77.") == ["number-unsupported"]
    assert codes_of("用了50多天[e1]。", e1="用了48天。") == ["number-unsupported"]


def test_a_year_is_no_sum_unless_years_are_counted_to_it() -> None:
    """`opened by the Queen in 1982` was left as what may be a difference of 1991 and 9."""
    passage = "Opened by the Queen in 1981; extended in 1991, after 9 years."
    assert codes_of("The Queen came for the opening by boat in 1982 [e1].", e1=passage) == ["date-unsupported"]
    assert codes_of("It closed nine years later, in 1990 [e1].", e1=passage) == []


def test_a_name_with_digits_is_found_behind_another_script_and_on_the_line_below() -> None:
    """`关闭UDP135` did not have `UDP135`, and `3` on a line below a word was the name `word 3`."""
    assert codes_of("请关闭 UDP135 端口[e1]。", e1="关闭UDP135、445、137端口") == []
    assert codes_of("设备为NW-5001[e1]。", e1="医用雾化器NW-5001\n10. 其他") == []
    assert codes_of("2to3 translates code [e1].", e1="see\n2to3 translates code") == []


def test_a_citation_beside_the_text_may_cover_a_sentence_in_brackets() -> None:
    """A `url_citation` over `(Note that … [e1].)` was taken for a marker, and nobody asked for its page."""
    held = Known({"e1": Given("e1", "https://e1.org/", "", "It opened in 1932.")})
    for text in (
        "(Note that it opened in 1932 [e1].)",
        "[e1] says it opened in 1932.",
        "It opened in 1932 【3†source】",
    ):
        start = text.find("【") if "【" in text else 0
        native = Native(start, len(text), url="https://nobody.org/", form="url_citation")
        assert [f.code for f in check_answer(Answer(text, native=(native,)), held).findings] == ["unknown-page"]


def test_the_same_year_is_the_year_before_it() -> None:
    """`December of the same year` was no date, and an answer that wrote the year was told wrong."""
    passage = "Toyota spoke in February 2014. Holden spoke in May 2013, followed by Ford in December of the same year."
    assert codes_of("Ford followed in December 2013 [e1].", e1=passage) == []
    assert codes_of("Ford followed in December of that year [e1].", e1=passage) == []
    assert codes_of("Ford followed in December 2014 [e1].", e1=passage) == ["date-unsupported"]
    assert codes_of("福特于2013年12月决定[e1]。", e1="霍顿于2013年5月宣布，福特在同年12月决定") == []


def test_what_the_answer_reckons_is_not_checked_and_what_it_does_not_is() -> None:
    """A rounded sum and an exact share were told as wrong; a small number off by one or two was left as a sum."""
    towns = "Los Angeles has 17,786,419 people and San Diego 5,105,768. It scored 2 points, then 10."
    assert codes_of("Together they have around 22.9 million people [e1].", e1=towns) == []
    assert codes_of("Together they have around 23.9 million people [e1].", e1=towns) == ["number-unsupported"]
    troops = "8,000 of the 20,000 troops were Normans."
    assert codes_of("Of the troops, 40% were Normans [e1].", e1=troops) == []
    assert codes_of("Of the troops, 45% were Normans [e1].", e1=troops) == ["number-unsupported"]
    assert codes_of("They got 12 points by luck [e1].", e1=towns) == ["number-unsupported"]
    assert codes_of("It was named 17 years after he died [e1].", e1="He died in 1943; in 1960 it was named.") == []


def test_half_a_million_is_a_number_and_a_million_no_rounding_of_it() -> None:
    assert codes_of("Some half a million fled [e1].", e1="Roughly 500,000 fled.") == []
    assert codes_of("Roughly a million fled [e1].", e1="Roughly 500,000 fled.") == ["number-unsupported"]


def test_another_fraction_than_the_evidence_has_is_wrong() -> None:
    """`三分之二` for `四分之三` was left as a small count in words."""
    assert codes_of("约三分之二的信徒屈从[e1]。", e1="近四分之三的信徒最终屈从") == ["number-unsupported"]
    assert codes_of("Two thirds gave in [e1].", e1="Nearly three-quarters gave in.") == ["number-unsupported"]
    assert codes_of("Nearly 75% gave in [e1].", e1="Nearly three-quarters gave in.") == []


def test_the_second_number_of_a_score_or_range_goes_with_its_first() -> None:
    """`20–16` was supported, since 16 stands in another score."""
    passage = "They won 23–16, and then 20–18; it ran from 1914-18."
    assert codes_of("They won the next one, 20–16 [e1].", e1=passage) == ["number-unsupported"]
    assert codes_of("They won the next one, 20-18, and it ran 1914–1918 [e1].", e1=passage) == []


def test_a_unit_of_the_same_words_outweighs_a_bare_number_elsewhere() -> None:
    """`nine yards` was supported by `3rd-and-9`, though the words after it are those after `five yards`."""
    passage = "They faced 3rd-and-9. Ward returned it five yards to the Panthers 4-yard line."
    told = "Ward ran the ball back nine yards to the Panthers 4-yard line [e1]."
    assert codes_of(told, e1=passage) == ["number-unsupported"]
    assert codes_of(told.replace("nine", "five"), e1=passage) == []


def test_a_term_or_a_name_that_is_the_evidences_but_for_one_piece_is_wrong() -> None:
    """A changed word in a quoted term, and a changed letter in a name, were too little to be looked up."""
    assert codes_of('He was a "sad scientist" [e1].', e1='An archetypal "mad scientist".') == ["quote-altered"]
    assert codes_of("他是“天才科学家”[e1]。", e1="典型的“疯狂科学家”代表") == ["quote-altered"]
    assert codes_of('It is a "rule of thumb" [e1].', e1='An archetypal "mad scientist".') == []
    assert codes_of("It uses DVB-T2 [e1].", e1="It uses DVB-S2.") == ["number-unsupported"]


def test_the_words_of_another_sentence_are_not_around_a_number() -> None:
    """A right number at a sentence's end was told wrong: the evidence has another before the words of the next line."""
    passage = (
        "In the other years there were fewer (see 4). Although their rates were lower than in that year, those of "
        "their peers rose more than before (26%). Further studies are needed."
    )
    told = "Those of their peers rose more (26%) [e1].\n- Although their rates were lower than in that year, they rose"
    assert codes_of(told + " [e1].", e1=passage) == []


def test_many_of_the_same_words_before_a_number_at_a_sentences_end_are_enough() -> None:
    """A wrong date was put together from a day and a year that stood apart, though all the words before it were those
    before another date."""
    passage = "May 15: last day. You will be given an automatic extension of six months to November 15, 2024. Good."
    told = "You will be given an automatic extension of six months to 15 May 2024 [e1]."
    assert codes_of(told, e1=passage) == ["date-unsupported"]
    assert codes_of(told.replace("May", "November"), e1=passage) == []


HOSTILE = {
    "brackets": "[" * 20_000,
    "quotes": '"' * 20_000,
    "opening": "“" * 20_000,
    "digits": "1" * 20_000,
    "commas": "1," * 10_000,
    "points": "1." * 10_000,
    "backticks": "`" * 20_000,
    "private": "\ue200" * 10_000,
    "chinese": "一" * 20_000,
    "scales": "十万" * 10_000,
    "links": "[a](https://x.org/" * 1_000,
    "ids": "[" + "e1," * 6_000,
    "fences": "~~~\n" * 5_000,
    "comments": "<!--" * 5_000,
    "dates": "1932年" * 4_000,
    "names": "A1" * 10_000,
    "shares": "百分之" * 6_000,
    "powers": "10^" * 6_000,
    "initials": "A. " * 6_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_cost_no_more_than_their_length(name: str) -> None:
    text = HOSTILE[name]
    begun = time.perf_counter()
    check_answer(Answer(text), known())
    assert time.perf_counter() - begun < 15


def test_text_longer_than_any_answer_is_refused() -> None:
    """Megabytes of brackets took minutes to be looked through."""
    with pytest.raises(FormatError, match="1000001 characters"):
        parse_answer(b"[" * 1_000_001)
    assert parse_answer(b"a" * 1_000_000).form == "text"
