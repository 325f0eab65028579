"""The report page: what it says, that no text of a web page acts in it, that it asks for nothing, and its colours."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import time
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.drift.drift import Change
from searchlog.recheck.result import CheckedPassage, Verification
from searchlog.spoofing.invisible import sanitise
from searchlog.ui.meanings import AXES
from searchlog.ui.page import element, foreign, link
from searchlog.ui.report import report_page
from searchlog.ui.seen import Seen, direction, language
from searchlog.ui.style import DARK, LIGHT, STYLE
from searchlog.verify.finding import Report
from searchlog.verify.verdict import STATES, PassageVerdict
from tests.verifications import MILL, map_texts, passage, rich, small, verdict, whole

GOLDEN = Path(__file__).parent / "golden" / "report.html"
_TAGS = """html head meta title style body header main footer nav section article div h1 h2 h3 h4 p ul ol li dl dt dd
a b bdi span table caption thead tbody tr th td blockquote figure figcaption del ins small mark sup time details summary
svg rect"""
TAGS = frozenset(_TAGS.split())
_ATTRIBUTES = """lang dir class id href rel datetime charset content http-equiv name scope data-label aria-label
aria-hidden focusable viewbox preserveaspectratio x y width height"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
VOID = frozenset({"meta"})
HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    "--><svg onload=alert(1)>",
    '"><a href="javascript:alert(1)">x</a>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<b>x</b>",
    'https://example.org/" onclick="alert(1)',
    "https://example.org/'><script>",
    "&lt;b&gt; &amp;amp; &#60;i&#62;",
    "\x00\x01\x1b[31m\x7f\x9f",
    "\u202egnp.exe\u202c \u2066\u2067\u2069",
    "a\u200bb\ufeffc\U000e0041",
    "\ud800 \udfff",
    "]]>\r\n\x85\u2028\u2029",
    "{{7*7}} ${7*7} {% x %}",
    "e\u0301" * 500,
]


class Reader(HTMLParser):
    """Reads a page strictly: what is opened is closed, in order, and the text it has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")


def read(page: str) -> Reader:
    """Return a page read, after holding it to everything that each page must keep."""
    page.encode("utf-8")
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert {tag for tag, _ in reader.tags} <= TAGS
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids)), "an id twice"
    for tag, attributes in reader.tags:
        assert attributes.keys() <= ATTRIBUTES, (tag, attributes)
        where = attributes.get("href")
        if where is not None:
            assert tag == "a"
            if where.startswith("#"):
                assert where[1:] in ids, f"{where} leads nowhere"
            else:
                assert re.match(r"https?://[^/\s]", where, re.IGNORECASE), where
                assert attributes["rel"] == "noreferrer noopener"
    assert page.count("<style>") == 1
    assert f"<style>{STYLE}</style>" in page
    return reader


def text_of(page: str) -> str:
    return "".join(read(page).text)


# --- what it says


def test_the_small_report_is_the_golden_one() -> None:
    """Look at the file in a browser when it changes on purpose, and write it anew."""
    page = report_page(small())
    assert page == GOLDEN.read_text("utf-8")


def test_every_axis_has_a_row_with_its_own_outcome_and_none_stands_for_all() -> None:
    page = report_page(small())
    text = text_of(page)
    for name in ("store", "derivation", "live", "web-archive", "answer"):
        axis = AXES[name]
        assert text.count(axis.question) == 1
        assert axis.shows_not in text
    rows = re.search(r'<ul class="axes">(.*?)</ul>', page, re.DOTALL)
    assert rows is not None
    outcomes = re.findall(r'class="chip ([a-z-]+)"', rows[1])
    assert outcomes == ["failed", "verified", "failed", "not-checked", "failed"]
    assert "nobody asked this time" in rows[1]
    for basis in ("passages: 2 verified; 1 session: 1 finding<", "passages: 1 failed, 1 verified", "answers: 1 failed"):
        assert basis in rows[1]


def test_every_state_is_told_with_its_meaning_and_its_count() -> None:
    text = text_of(report_page(rich()))
    for states in STATES.values():
        for state, (_, meaning) in states.items():
            assert state in text
            assert meaning in text


def test_passages_that_failed_come_first_and_those_that_held_are_folded() -> None:
    page = report_page(small())
    failed, verified = page.index('id="passages-failed"'), page.index('id="passages-verified"')
    assert failed < verified
    assert failed < page.index('id="passage-2"') < verified < page.index('id="passage-1"')
    assert "<details>" in page[verified:]
    assert "<details>" not in page[failed:verified]


def test_a_diff_says_with_signs_lines_and_labels_what_changed() -> None:
    page = report_page(small())
    assert (
        '<del><span class="sign">−</span>fills<small class="mark" dir="ltr" lang="en">negation</small></del> ' in page
    )
    assert '<ins><span class="sign">+</span>does not fill<small' in page


def test_the_page_never_says_what_no_check_can_show() -> None:
    text = text_of(report_page(rich())).lower()
    assert re.findall(r"\b(?:authentic|true|deleted|genuine|proven)\b", text) == []


def test_only_axes_that_were_asked_for_have_an_outcome() -> None:
    text = text_of(report_page({"subject": "the archive"}))
    assert text.count("nobody asked this time") == 5
    assert "✓" not in text
    assert "✗" not in text


def test_the_level_is_the_least_of_all_sessions_and_said_of_a_store_that_held() -> None:
    reports = [
        {"session": name, "axis": "store", "outcome": "verified", "level": level, "findings": []}
        for name, level in (("s1", "L3"), ("s2", "L1"))
    ]
    page = report_page({"outcomes": {"store": "verified"}, "reports": reports})
    assert 'at level <bdi class="level" lang="" dir="ltr">L1</bdi>: a key that was named signed its head' in page
    assert "at level" not in report_page({"outcomes": {"store": "failed"}, "reports": reports})


def test_evidence_of_an_answer_leads_to_its_passage_unless_two_sessions_have_it() -> None:
    one = small()
    assert '<a href="#passage-1"><bdi class="id"' in report_page(one)
    other = passage(1, [verdict("store", "intact")], session="s2")
    both = whole([*one["passages"], other], answers=one["answers"])
    assert '<a href="#passage-1">' not in report_page(both)
    both["answers"][0]["session"] = "s2"
    assert '<a href="#passage-3">' in report_page(both)


def test_what_was_not_checked_in_an_answer_is_counted_and_listed() -> None:
    counted = {"text": "x", "findings": [], "not_checked": {"uncited": 3}}
    items = [{"reason": "uncited", "text": "It rained."}, {"reason": "judgement", "text": "It was late."}]
    text = text_of(report_page({"answers": [counted, {"text": "y", "findings": [], "not_checked": items}]}))
    assert "Not checked: 3 uncited." in text
    assert "Not checked: 1 uncited, 1 judgement." in text
    assert "It was late." in text
    assert re.search(r"answernobody asked4 uncited1 judgement", text)


def test_what_others_say_of_a_head_and_what_an_earlier_check_said_is_told_as_such() -> None:
    text = text_of(report_page(rich()))
    assert "L1 a key that was named signed its head: ada@example.org, of the first 60 records" in text
    assert text.count("kept from an earlier check") == 1
    kept = text_of(report_page({"kept_in": "checks-1 turn 3"})), text_of(report_page({"not_kept": "it is read only"}))
    assert "kept in checks-1 turn 3" in kept[0]
    assert "not kept: it is read only" in kept[1]


def test_what_a_verification_writes_is_what_the_page_reads() -> None:
    """The specimens are made by hand; this one is made by those who write the JSON."""
    report = Report(session="s1", axis="store", size=7, checked={"records": 7})
    report.add("blob-missing", "sha256:77", expected="it", found="nothing")
    kept = PassageVerdict(
        *("s1", "e4", "sha256:44", "live", "changed", "https://example.org/p"),
        checked_at="2026-02-03T04:05:06Z",
        changes=(Change("-", "nine ", ("number",)), Change("+", "ten ", ("number",))),
        notes=("folded",),
    )
    one = CheckedPassage(
        "s1", "e4", "sha256:44", "https://example.org/p", "2026-01-02T03:04:05Z", "Tides", "nine mills"
    )
    one.verdicts["live"] = kept
    found = Verification("session s1", "/archive", reports=[report], passages=[one])
    page = report_page(json.loads(json.dumps(found.to_json())))
    text = text_of(page)
    for said in ("blob-missing", "expectedit", "foundnothing", "7 records", "Tides", "nine mills", "other words stand"):
        assert said in text
    assert "white space, quotation marks or dashes are written otherwise" in text
    assert "<del>" in page
    assert "2026-02-03 04:05:06 UTC" in text


# --- findings in the text of an answer


def answer(text: str, *ranges: tuple[object, object]) -> dict[str, Any]:
    findings = [{"code": f"code-{n}", "start": a, "end": b, "text": "x"} for n, (a, b) in enumerate(ranges, 1)]
    return whole([], answers=[{"text": text, "outcome": "failed", "findings": findings}])


def marked(page: str) -> list[str]:
    body = re.search(r'<blockquote class="text"[^>]*>(.*?)</blockquote>', page, re.DOTALL)
    assert body is not None
    plain = re.sub(r"<sup[^>]*><a[^>]*>(\d+)</a></sup>", r"{\1}", body[1])
    return re.findall(r'<mark(?: class="twice")?>.*?</mark>|\{\d+\}|[^<{]+', plain)


def test_overlapping_findings_are_cut_into_parts_and_each_keeps_its_number() -> None:
    assert marked(report_page(answer("abcdefghij", (1, 5), (3, 8), (3, 3)))) == [
        "a",
        "<mark>bc</mark>",
        "{3}",
        '<mark class="twice">de</mark>',
        "{1}",
        "<mark>fgh</mark>",
        "{2}",
        "ij",
    ]


@pytest.mark.parametrize(
    ("start", "end"), [(-1, 3), (3, 1), (0, 11), (None, 3), ("0", "3"), (True, 3), (0.0, 3), (10**30, 10**30)]
)
def test_a_range_that_does_not_fit_the_text_is_listed_and_marks_nothing(start: object, end: object) -> None:
    page = report_page(answer("abcdefghij", (start, end)))
    assert marked(page) == ["abcdefghij"]
    assert "code-1" in text_of(page)


def test_of_a_long_answer_what_is_around_findings_is_shown_and_the_rest_counted() -> None:
    text = "".join(f"sentence {n:07d}. " for n in range(60_000))
    place = text.index("sentence 0050000")
    page = report_page(answer(text, (place, place + 16), (0, len(text))))
    shown = text_of(page)
    assert "sentence 0050000" in shown
    assert "sentence 0030000" not in shown
    assert "characters not shown" in shown
    assert f"{len(text):,} characters" in shown
    assert len(page) < 100_000


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=8),
)
def test_marks_take_nothing_from_the_text(text: str, ranges: list[tuple[int, int]]) -> None:
    page = report_page(answer(f"x{text}", *ranges))
    read(page)
    body = re.search(r'<blockquote class="text"[^>]*>(.*?)</blockquote>', page, re.DOTALL)
    assert body is not None
    without = re.sub(r'<sup.*?</sup>|<span class="unseen">.*?</span>|</?mark[^>]*>', "", body[1])
    assert html.unescape(without) == sanitise(f"x{text}")[0]


# --- other people's text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_field_stays_text(text: str) -> None:
    page = report_page(map_texts(rich(), lambda value: value if value in STATES else text))
    read(page)
    assert "<script" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800-\udfff]", page)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_beside_the_words_of_every_field_stays_text(text: str) -> None:
    """The states, signs and addresses are still known when the text stands at their end."""
    read(report_page(map_texts(rich(), lambda value: value + text)))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_of_axes_states_and_counts_stay_text(text: str) -> None:
    value = small()
    value["outcomes"][text] = text
    value["counts"][text] = {text: 3}
    value["counts"]["live"][text] = 3
    value["passages"][0]["verdicts"][text] = verdict(text, text)
    value["reports"][0]["checked"][text] = 3
    value["answers"][0]["not_checked"][text] = 3
    read(report_page(value))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**12) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each member of each list and object, as its holder and its key."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        yield value, key
        yield from _places(item)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_stands_in_a_place_the_page_is_sound(data: st.DataObject) -> None:
    """Missing members, members of another form, and texts of any characters."""
    value = small()
    for _ in range(data.draw(st.integers(1, 4))):
        holder, key = data.draw(st.sampled_from(list(_places(value))))
        holder[key] = data.draw(_JSON)
    read(report_page(value))


@settings(max_examples=60, deadline=None)
@given(_JSON)
def test_any_json_gives_a_page(value: Any) -> None:
    given_ = value if isinstance(value, dict) else {"passages": value, "answers": value, "outcomes": value}
    read(report_page(given_))


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://example.org/a?b=c&d=e#f", True),
        ("HTTP://example.org", True),
        ("https://例子.example/论文", True),
        ("https://user@example.org/", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//example.org/", False),
        ("https:example.org", False),
        ("https:///example.org", False),
        ("https://", False),
        ("https://example.org/a b", False),
        ("https://example.org/\u202egnp.exe", False),
        ("https://example.org/\u200b", False),
        ("https://example.org/" + "a" * 5_000, False),
        (None, False),
        (7, False),
    ],
)
def test_only_addresses_of_the_web_become_links(url: object, linked: bool) -> None:
    assert link(url).startswith("<a href=") is linked
    assert bool(link(url, "the page")) is linked


def test_what_is_hidden_is_named_in_its_place() -> None:
    assert Seen("pay\u200b\u200bpal \u202eabc").html() == (
        'pay<span class="unseen">2 × U+200B</span>pal <span class="unseen">U+202E</span>abc'
    )
    assert Seen("a\x00\ud800b").html() == 'a<span class="unseen">U+0000 U+D800</span>b'


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d🔬 ☂\ufe0f", "عربي (١)\u200f", "ไทย\u200bไทย", "क्\u200dष"])
def test_what_a_script_needs_stays(text: str) -> None:
    assert Seen(text).html() == text


_ODD = st.sampled_from("a\u200b\u200d\u202e\r\n\u2028\ud800م👩\ufe0f")


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_characters="\ufffd") | _ODD, max_size=40), st.data())
def test_without_the_names_it_is_the_text_as_it_is_rendered(text: str, data: st.DataObject) -> None:
    """A lone surrogate is named, where a rendering puts U+FFFD."""
    cut = data.draw(st.integers(0, len(text)).filter(lambda at: text[at - 1 : at + 1] != "\r\n"))
    shown = Seen(text)
    for said in (shown.html(), shown.html(0, cut) + shown.html(cut)):
        bare = re.sub(r'<span class="unseen">[^<]*</span>', "", said)
        assert html.unescape(bare) == sanitise(text)[0].replace("\ufffd", "")


def test_long_texts_are_cut_and_their_length_is_said() -> None:
    value = whole([passage(1, [verdict("live", "absent")], exact=MILL * 1_000, title="t" * 5_000)])
    text = text_of(report_page(value))
    assert f"the first 1,500 of {len(MILL) * 1_000:,} characters" in text
    assert "the first 200 of 5,000 characters" in text


def test_texts_have_their_direction_and_language() -> None:
    assert (direction("13% من المرضى"), direction("13% of"), direction("…")) == ("rtl", "ltr", "ltr")
    assert [language(t) for t in ("研究共纳入", "水門は自動", "연구 결과는", "The 研 mill and its pond", "")] == [
        "zh",
        "ja",
        "ko",
        "",
        "",
    ]
    assert foreign("<x>") == '<bdi lang="" dir="ltr">&lt;x&gt;</bdi>'


def test_a_plain_string_joined_to_a_piece_is_escaped_again() -> None:
    """Whoever adds markup by hand gets text, not markup."""
    assert element("p", element("b", "x") + "<i>") == "<p>&lt;b&gt;x&lt;/b&gt;&lt;i&gt;</p>"


# --- nothing from elsewhere, the same each time, fast


def test_the_page_asks_for_nothing_outside_itself() -> None:
    page = report_page(rich())
    reader = read(page)
    assert not {"script", "img", "link", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in reader.tags}
    assert not re.search(r"url\(|@import|@font-face|expression\(|image-set", STYLE)
    policy = next(a["content"] for _, a in reader.tags if a.get("http-equiv") == "Content-Security-Policy")
    fingerprint = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{fingerprint}'; base-uri 'none'; form-action 'none'"


def test_equal_input_gives_equal_bytes() -> None:
    value = rich()
    before = json.dumps(value)
    assert report_page(value) == report_page(json.loads(before))
    assert json.dumps(value) == before


def test_thousands_of_passages_and_a_long_answer_stay_fast_and_bounded() -> None:
    changes = [["=", "word " * 40], ["-", "old ", "number"], ["+", "new ", "number"]] * 10
    states = [("changed", changes), ("http-403", []), ("intact", [])]
    passages = [
        passage(n, [verdict("store", "intact"), verdict("live", state, changes=steps)], exact=MILL * 20)
        for n in range(1_000)
        for state, steps in [states[n % 3]]
    ]
    text = ("The mill \u200b<b> of 1932 研究。 " * 50_000)[:1_000_000]
    findings = [{"code": "x", "start": n, "end": n + 50, "text": "y"} for n in range(0, 999_000, 1_000)]
    value = whole(passages, answers=[{"text": text, "outcome": "failed", "findings": findings}])
    start = time.process_time()
    page = report_page(value)
    assert time.process_time() - start < 10
    assert len(page) < 12_000_000
    assert len(re.findall('class="passage"', page)) == 1_000
    assert "499 more findings" in page


@pytest.mark.parametrize("unit", ["\u202e", "\u200ba", "<", "研\u200b", "é\u0301", "\ud800"])
def test_megabytes_of_one_hostile_text_stay_fast_and_bounded(unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    one = passage(1, [verdict("live", "changed", changes=[["-", text], ["+", text, text]] * 3)], exact=text, title=text)
    value = whole([one], subject=text, answers=[{"text": text, "outcome": "failed", "findings": [{"text": text}]}])
    start = time.process_time()
    page = report_page(value)
    assert time.process_time() - start < 10
    assert len(page) < 3_000_000


# --- its looks in numbers


def _light(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours. WCAG 2.2, "contrast ratio"."""
    high, low = sorted((_light(one), _light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_stand_out_from_what_is_behind_them(colours: Mapping[str, str]) -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    pairs = [(ink, ground) for ink in ("ink", "quiet", "link") for ground in ("ground", "sheet")]
    pairs += [(name, f"{name}-ground") for name in ("failed", "verified", "not-checked", "label")]
    pairs += [("ink", "mark"), ("ink", "mark-twice")]
    assert [pair for pair in pairs if contrast(colours[pair[0]], colours[pair[1]]) < 4.5] == []


def test_every_colour_that_is_used_is_given_in_both_schemes() -> None:
    used = set(re.findall(r"var\(--([a-z-]+)\)", STYLE))
    assert used == LIGHT.keys() == DARK.keys()
