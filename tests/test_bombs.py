"""Payloads that cost far more to read than to send: each ends typed, in time and memory, and costs no other page.

The bombs are those of `bombs.py` at a small part of their size. Growth is held by comparing sizes or kinds, never by
a time alone.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from searchlog.digest import digest
from searchlog.errors import FormatError
from searchlog.evidence import passages as cutting
from searchlog.evidence.passages import passages
from searchlog.evidence.policy import Policy
from searchlog.extract import charset, flat, frames, links
from searchlog.extract.builder import Builder
from searchlog.extract.conversion import (
    BLOCKS_MAX,
    Block,
    Conversion,
    ConversionFailure,
    Metadata,
    bounded,
    conversion_from_json,
    conversion_to_json,
    structure_of,
)
from searchlog.extract.convert import ConvertOptions, Result, convert
from searchlog.extract.html import read_html
from searchlog.extract.markdown import markdown_blocks
from searchlog.extract.pool import ExtractPool, memory_for
from searchlog.extract.reading import reading_view
from searchlog.extract.style import Sheet
from searchlog.extract.text import text_blocks
from searchlog.flow.choose import TextPage, choose
from searchlog.search.query import Query
from searchlog.tokens import fitting, token_count, words
from tests import bombs

OPTIONS = ConvertOptions()
URL = "https://x.example/"
SCALE = 0.03
NEVER_TEXT = {
    "deep-frameset": "frames hold no text",
    "pdf-cut": "at this size the file is empty",
    "pdf-encrypted": "needs a password",
    "pdf-tounicode-range": "its font says that its letters are others",
    "charset-bom-lie": "its first bytes say UTF-16",
    "nul": "is no text",
    "text-blank": "is blank",
}
MAY_FAIL = ("pdf-",)
TYPED = {"timeout", "memory", "crash", "no-text", "malformed", "unsupported-type", "needs-extra"}


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[str, Result]]:
    """Every bomb, and an honest page after every fifth, through two workers at once."""
    jobs: dict[str, tuple[str, bytes]] = {}
    for number, (name, (content_type, make)) in enumerate(bombs.BOMBS.items()):
        jobs[name] = content_type, make(SCALE)
        if number % 5 == 0:
            jobs[f"honest {number}"] = bombs.HTML, bombs.honest(20)
    with ExtractPool(workers=2) as pool, ThreadPoolExecutor(2) as threads:
        pool.warm()
        found = threads.map(lambda job: pool.convert(job[1], job[0], URL, OPTIONS), jobs.values())
        yield dict(zip(jobs, found, strict=True))


@pytest.mark.parametrize("name", list(bombs.BOMBS))
def test_bomb_ends_typed_and_its_visible_text_is_kept(outcomes: dict[str, Result], name: str) -> None:
    if name.startswith("pdf-"):
        pytest.importorskip("pypdfium2")
    result = outcomes[name]
    if isinstance(result, ConversionFailure):
        assert result.reason in TYPED
        assert result.detail
        assert name in NEVER_TEXT or name.startswith(MAY_FAIL), result
    elif name not in NEVER_TEXT:
        assert "SEEN" in result.text
        assert result.verbatim is not False
        assert len(result.blocks) <= BLOCKS_MAX + 2
        if not result.text.rstrip().endswith("END") and "END" in result.text:
            assert result.blocks


def test_honest_pages_between_the_bombs_are_read_whole(outcomes: dict[str, Result]) -> None:
    expected = convert(bombs.honest(20), content_type=bombs.HTML, url=URL)
    honest = [result for name, result in outcomes.items() if name.startswith("honest ")]
    assert len(honest) > 20
    assert all(result == expected for result in honest)


@pytest.mark.skipif(sys.platform != "linux", reason="memory limits and their measure are Linux's")
@pytest.mark.parametrize("name", ["fonts-masked", "fonts-100", "pdf-text-200mb", "pdf-forms", "elements-1m-p"])
def test_workers_peak_stays_small(name: str) -> None:
    """A page of 50 KB grew its worker to a gigabyte before it died of the limit that all pages had in common."""
    if name.startswith("pdf-"):
        pytest.importorskip("pypdfium2")
    code = (
        "import resource, sys\n"
        "from searchlog.extract.pool import ExtractPool\n"
        "from searchlog.extract.convert import ConvertOptions\n"
        "from tests import bombs\n"
        "kind, make = bombs.BOMBS[sys.argv[1]]\n"
        "with ExtractPool(workers=1) as pool:\n"
        "    pool.convert(b'<p>x', None, 'https://x.example/', ConvertOptions())  # before this process is large\n"
        "    result = pool.convert(make(1.0), kind, 'https://x.example/', ConvertOptions())\n"
        "print(type(result).__name__, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    kind, megabytes = done.stdout.split()
    assert kind in ("Conversion", "ConversionFailure")
    assert int(megabytes) < 220


def test_room_of_a_page_grows_with_its_size_up_to_a_bound() -> None:
    most = 160 << 20
    small, middle, large = (memory_for(size, most) for size in (50_000, 3_000_000, 10_000_000))
    assert small < middle < large == most
    assert small < 100 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="resident sizes are read from /proc")
def test_worker_that_a_page_made_large_is_replaced_after_its_answer() -> None:
    """The heap that one page needs is seldom given back: each further page then stood on top of it."""
    page = bombs.many_attributed(25_000, 10)
    with ExtractPool(workers=1) as pool:
        assert isinstance(pool.convert(b"<p>x", None, URL, OPTIONS), Conversion)
        (before,) = pool._alive
        assert isinstance(pool.convert(page, bombs.HTML, URL, OPTIONS), Conversion)
        result = pool.convert(b"<p>after", None, URL, OPTIONS)
        assert isinstance(result, Conversion)
        assert result.text == "after"
        assert pool._alive
        assert before not in pool._alive


def test_both_readings_share_the_time_of_one_page() -> None:
    """A page that died late had its whole time once more for the second reading."""
    slow = bombs.attributes(150_000, '="> <"')
    with ExtractPool(workers=1, time_s=2.0) as pool:
        pool.warm()
        assert isinstance(pool.convert(b"<p>x", None, URL, OPTIONS), Conversion)
        begin = time.monotonic()
        result = pool.convert(slow, bombs.HTML, URL, OPTIONS)
        assert time.monotonic() - begin < 2.0 + 2.0  # a new process is started in between
    assert isinstance(result, Conversion)
    assert "extract-timeout" in result.warnings
    assert "SEEN" in result.text


def test_answer_larger_than_it_can_be_is_not_read() -> None:
    asked = []

    def take(count: int) -> bytes:
        asked.append(count)
        return (2).to_bytes(4, "big") + (10**9).to_bytes(8, "big")

    with pytest.raises(FormatError):
        frames.read(take, frames.answer_bytes_max(2_000_000))
    assert asked == [frames.HEAD_BYTES]


# --- what is kept of a page that is too much --------------------------------------------------------------------


def test_reader_that_is_late_hands_on_what_it_has() -> None:
    """A page that was nearly read in time was killed with all of its text."""
    page = bombs.beside("<p>word</p>", 30_000)
    for linear in (False, True):
        result = convert(
            page, content_type=bombs.HTML, url=URL, options=ConvertOptions(linear=linear), late=lambda: True
        )
        assert isinstance(result, Conversion)
        assert result.text.startswith("SEEN\nword")
        assert "text-cut" in result.warnings


def test_pages_of_a_pdf_read_in_time_are_kept() -> None:
    pytest.importorskip("pypdfium2")
    calls = iter([False, False, True])
    result = convert(bombs.pdf_real_pages(5), content_type=bombs.PDF, url=URL, late=lambda: next(calls))
    assert isinstance(result, Conversion)
    assert {block.page for block in result.blocks} == {1, 2}
    assert set(result.warnings) == {"extract-timeout", "pages-cut"}


def test_one_broken_page_of_a_pdf_loses_no_other() -> None:
    """A page tree that names a page which is none made the whole document unreadable."""
    pytest.importorskip("pypdfium2")
    broken = bombs.pdf_real_pages(3).replace(b"12 0 obj\n<</Type/Page/", b"12 0 obj\n<</Type/Xage/")
    result = convert(broken, content_type=bombs.PDF, url=URL)
    assert isinstance(result, Conversion)
    assert "SEEN" in result.text


def test_blocks_beyond_the_bound_are_joined_and_hidden_ones_stay_hidden() -> None:
    builder = Builder(Sheet(), blocks_max=3)
    for number in range(8):
        builder.start("p", {"hidden": ""} if number % 2 else {})
        builder.text(f"w{number}")
        builder.end("p")
    built = builder.finish(1_000)
    parts = [(built.text[block.start : block.end], block.hidden) for block in built.blocks]
    assert parts == [
        ("w0", None),
        ("w1", "attribute"),
        ("w2", None),
        ("w4\nw6", None),
        ("w3\nw5\nw7", "attribute"),
    ]
    assert built.warnings == ("blocks-joined",)


@pytest.mark.parametrize("make", [pytest.param(text_blocks, id="text"), pytest.param(markdown_blocks, id="markdown")])
def test_text_of_very_many_blocks_is_covered_by_few(make: Callable[[str], tuple[Block, ...]]) -> None:
    text = "x\n\n" * 200_000 + "END"
    blocks = make(text)
    assert len(blocks) <= BLOCKS_MAX + 1
    assert text[blocks[-1].start : blocks[-1].end].endswith("END")
    assert sum(text.count("x", block.start, block.end) for block in blocks) == 200_000
    assert len(bounded(tuple(Block("paragraph", i, i + 1) for i in range(BLOCKS_MAX + 9)))) == BLOCKS_MAX


def test_structure_written_in_parts_is_the_canonical_one() -> None:
    blocks = tuple(Block("paragraph", i, i + 1, hidden="style" if i % 3 else None) for i in range(12_000))
    for some in (blocks, blocks[:1], ()):
        value = Conversion("x" * 12_000, some, Metadata(title="T"), "html/1", options={"a": 1}, charset="utf-8")
        from searchlog import canon

        assert structure_of(value) == canon.dumps(conversion_to_json(value))
        assert conversion_from_json(value.text, canon.loads(structure_of(value))) == value


def test_linear_reading_ends_tags_and_comments_where_a_browser_does() -> None:
    """Marks inside quoted values ended a tag, and what stood in the value came out as text that people see."""
    page = (
        '<p>SEEN<p a=\'1>2\' b="3>4" c=5\'6>in</p><!-->one<!--->two<!-- x --!>three<!-- > --><p title=">">four'
        "<p a='never closed> <p>lost"
    )
    read = read_html(page, URL, 1_000, linear=True)
    assert read.built.text.split() == ["SEEN", "in", "onetwothree", "four"]
    many = "<p " + " ".join(f'a{i}="> <b>no</b>"' for i in range(20)) + ">yes"
    assert read_html(many, URL, 1_000, linear=True).built.text == "yes"


def test_styles_without_a_brace_are_read_once() -> None:
    """From each place of a style without braces the reader went to its end: 1 MB took the whole time of a page."""
    for style in ("a" * 400_000, "/*" * 200_000, "p{color:red}" + "b" * 400_000):
        read = read_html(f"<style>{style}</style><p>x", URL, 1_000)
        assert read.built.text == "x"


def test_address_of_megabytes_does_not_come_back_with_every_link() -> None:
    base = f"<base href='https://h.example/{'a/' * 500_000}'>"
    page = base + "".join(f"<a href='p{i}'>l</a>" for i in range(500))
    assert max(map(len, links.links(page, URL))) < 100
    assert links.links("<a href='/p'>l</a>", URL) == ("https://x.example/p",)


def test_hazards_are_seen_by_count_not_by_lists() -> None:
    assert flat.hazard("<select>" + "<option>x" * 30_000) == "too-many-nodes"
    assert flat.hazard("<div>" * 20_000) == "too-deep"
    assert flat.hazard("<p>x</p>" * 100_000) is None
    assert flat.hazard("<b>" * 101 + "<p>x" * 12_000) == "too-many-nodes"


def test_undecodable_bytes_are_marked_in_one_go_when_there_are_very_many() -> None:
    """Each of millions of bad bytes cost a call, so a page could take its whole time by them."""
    for label, data in (("euc-jp", b"\xa1\xff" * 60_000), ("windows-1253", b"\xd2" * 200_000)):
        decoded = charset.decode(b"<p>SEEN " + data, f"text/html; charset={label}")
        assert decoded.text.startswith("<p>SEEN \ufffd")
        assert decoded.replaced_count >= 60_000
    assert charset.decode(b"a\x81\x80b", "text/html; charset=windows-1252").text == "a\x81€b"


# --- the stages after it ----------------------------------------------------------------------------------------


def conversion(
    parts: list[str], block: Callable[[int], dict[str, object]] = lambda _: {}, sep: str = "\n"
) -> Conversion:
    blocks, at = [], 0
    for number, part in enumerate(parts):
        given: dict[str, object] = {"kind": "paragraph", **block(number)}
        blocks.append(Block(start=at, end=at + len(part), **given))  # type: ignore[arg-type]
        at += len(part) + len(sep)
    return Conversion(sep.join(parts), tuple(blocks), Metadata(), "html/1")


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of the quickest of three."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: conversion(["." * 300_000]), id="full-stops"),
        pytest.param(lambda: conversion(["漢x" * 150_000]), id="mixed-scripts"),
        pytest.param(lambda: conversion(["a" + "\u0301" * 299_999]), id="combining-marks"),
        pytest.param(
            lambda: conversion(["h"] * 60_000, lambda i: {"kind": "heading", "level": i % 6 + 1}), id="headings"
        ),
        pytest.param(lambda: conversion(["h"] * 60_000, lambda i: {"kind": "heading", "level": i + 1}), id="levels"),
        pytest.param(
            lambda: Conversion(
                "word " * 60_000, tuple(Block("paragraph", i, 300_000) for i in range(8_000)), Metadata(), "x"
            ),
            id="overlapping",
        ),
    ],
)
def test_passages_of_hostile_text_take_no_more_than_a_few_times_those_of_words(
    make: Callable[[], Conversion],
) -> None:
    """A text of full stops took 160 times the time of words, headings of any level and overlaps grew by the square."""
    hostile, plain = make(), conversion(["word " * 60_000])
    assert seconds(lambda: passages(0, hostile)) < 40 * seconds(lambda: passages(0, plain)) + 0.05
    cut = passages(0, hostile)
    covered = "".join(hostile.text[p.start : p.end] for p in cut)
    assert "".join(covered.split()) == "".join(hostile.text.split())


def test_blanks_between_words_count_against_a_passage() -> None:
    """Two words a million blanks apart were one passage, taken alone although it was far over any budget."""
    for kind in ("paragraph", "heading", "code"):
        far = conversion(["one" + " " * 500_000 + "two", "three"], lambda _, kind=kind: {"kind": kind})
        cut = passages(0, far)
        assert max(p.end - p.start for p in cut) < 2_000
    page = TextPage(URL, conversion(["one" + " " * 500_000 + "two"]), digest(b"x"), "2026-01-01T00:00:00Z")
    made = choose(Query("one"), [page], Policy(budget_tokens=500), known_ids={}, first_number=1)
    assert made.evidence
    assert len(made.rendering.text) < 5_000


def test_headings_and_table_heads_that_go_with_a_passage_are_short() -> None:
    """A heading of a megabyte stood above each passage of its section, outside of any budget."""
    parts = ["bridge " * 20_000, *["the bridge stands here " * 12 for _ in range(30)]]
    headed = conversion(parts, lambda i: {"kind": "heading", "level": 1} if i == 0 else {})
    rows = conversion(parts, lambda i: {"kind": "table-row", "group": 1, "head": i == 0})
    for value in (headed, rows):
        page = TextPage(URL, value, digest(b"x"), "2026-01-01T00:00:00Z")
        made = choose(Query("bridge stands"), [page], Policy(budget_tokens=1_000), known_ids={}, first_number=1)
        assert made.evidence
        assert len(made.rendering.text) < 40_000
    assert any(item.heading_path and item.heading_path[0].endswith("…") for item in _evidence(headed))


def _evidence(value: Conversion) -> tuple[object, ...]:
    page = TextPage(URL, value, digest(b"x"), "2026-01-01T00:00:00Z")
    return choose(Query("stands here"), [page], Policy(budget_tokens=1_000), known_ids={}, first_number=1).evidence


def test_turns_between_seen_and_hidden_are_bounded_and_never_show_what_is_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each turn was a passage and each a decision: 100,000 a page, chosen from when no deadline held any more."""
    monkeypatch.setattr(cutting, "_PASSAGES_MAX", 50)
    value = conversion([f"word{i}" for i in range(4_000)], lambda i: {"hidden": "style"} if i % 2 else {})
    cut = passages(0, value)
    assert len(cut) < 250
    covered = [value.text[p.start : p.end].split() for p in cut]
    assert [word for part in covered for word in part] == value.text.split()
    for part, passage in zip(covered, cut, strict=True):
        if any(int(word[4:]) % 2 for word in part):
            assert any(label.startswith("hidden:") for label in passage.labels)
    page = TextPage(URL, value, digest(b"x"), "2026-01-01T00:00:00Z")
    made = choose(Query("word1 word3"), [page], Policy(), known_ids={}, first_number=1)
    for step in made.selection.steps:
        assert step.in_count == step.kept_count + step.dropped_count
    assert not any(int(word[4:]) % 2 for item in made.evidence for word in item.text.split())


def test_words_of_a_text_do_not_become_many_times_the_text() -> None:
    """One Arabic ligature is eighteen letters under NFKC: a page of them took seconds and half a gigabyte."""
    found = words("\ufdfa" * 10_000)
    assert sum(map(len, found)) <= 20_000
    assert words("قال \ufdfa ذلك")[1:5] == ["صلى", "الله", "عليه", "وسلم"]


def test_fitting_is_the_longest_beginning_that_costs_no_more() -> None:
    for text in ("a b c" * 300, "漢字 kana かな " * 60, "é\u0301x" * 300, "หนังสือ . " * 90, "😀a" * 400):
        for most in (1, 7, 100, 225):
            length = fitting(text, most)
            assert token_count(text[:length]) <= most
            assert length == len(text) or token_count(text[: length + 1]) > most


def test_reading_view_is_no_longer_than_its_text_allows() -> None:
    """A heading of level 100,000 had as many marks, and blocks over one another repeated the text."""
    deep = conversion(["h"] * 100, lambda i: {"kind": "heading", "level": 100_000})
    assert len(reading_view(deep)) < 2_000
    over = Conversion("abcdef", tuple(Block("paragraph", 0, 6) for _ in range(50)), Metadata(), "x")
    assert reading_view(over) == "abcdef"
