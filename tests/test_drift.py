"""One page, edited in one place at a time: what is said of each of its passages, with and without the page of then."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from searchlog.drift.compare import compare
from searchlog.drift.drift import Drift, State
from searchlog.drift.page import Page, outline_free
from searchlog.drift.then import Then
from searchlog.evidence.selector import describe
from searchlog.extract.conversion import Block, Conversion, Metadata
from tests.drift.trees import converted, taken

FIRST = (
    "<p>Aspirin lowers the risk of heart attack by 25 percent in adults who have had one before, according to a trial "
    "that followed nine thousand people for five years in three countries. The dose was 81 mg. It was well tolerated "
    "by most of them and few stopped.</p>"
)
PAGE = (
    "<html><head><title>Aspirin</title></head><body><nav><a href=/>Home</a> <a href=/b>News</a></nav><main>"
    f"<h1>Aspirin in practice</h1>{FIRST}"
    "<h2>Adults</h2><p>The recommended dose is 500 mg every six hours, with plenty of water, and no more than four "
    "grams in a day. Longer use needs a doctor's advice and tests of the blood and kidneys twice a year.</p>"
    "<p>Side effects:</p><ul><li>stomach pain in one of ten</li><li>bleeding in one of a hundred people who take it "
    "daily</li><li>ringing in the ears at high doses that lasts for some days</li></ul>"
    "<table><tr><th>Drug<th>Dose</tr><tr><td>Aspirin tablets<td>5 mg</tr><tr><td>Other tablets<td>7 mg</tr>"
    "</table></main><footer>Imprint</footer></body></html>"
)
SOUND = {State.INTACT, State.MOVED}


def page_of(markup: str) -> Page:
    conversion = converted(markup)
    assert conversion is not None
    return Page.of(conversion)


def said(old: str, new: str, *, known: bool = True, markup: str = PAGE) -> list[Drift]:
    """Return what is said of each passage when one piece of markup stands in place of another."""
    assert old in markup
    page, now = page_of(markup), page_of(markup.replace(old, new, 1))
    every = taken(page.conversion, page, main_only=False, chars_min=15)
    assert len(every) >= 3 or markup is not PAGE
    return [compare(one.then if known else replace(one.then, page=None), now) for one in every]


@pytest.mark.parametrize("known", [True, False], ids=["page-known", "selectors-only"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("25 percent", "25&nbsp;percent"),
        ("doctor's", "doctor&rsquo;s"),
        ("The dose was 81 mg", "<strong>The dose</strong><br>was <em>81</em> mg"),
        (". The dose", ".</p><p>The dose"),
        (". The dose", '.<sup><a href="#1">[1]</a></sup> The dose'),
        ("<p>Side", "<div class=ad><p>Advertisement: don't miss our shoes for $20</p></div><p>Side"),
        ("<p>Side", "<div class=advert><h3>Sponsored</h3><p>Don't miss out. No card needed.</p></div><p>Side"),
        ("<li>bleeding", '<li class=ad><a href="/x">Buy vitamins now</a></li><li>bleeding'),
        (
            "<h2>Adults</h2>",
            "<h2>Adults</h2><aside><h3>Read next</h3><ul><li><a href=/q>On sleep</a></li></ul></aside>",
        ),
        ("<p>Aspirin", "<p>Last viewed 3 minutes ago</p><p>Aspirin"),
        ("<main>", "<main><div style='display:none'>This article has been retracted.</div>"),
        ("<th>Drug<th>Dose", "<td>Drug<td>Dose"),
        ("<h2>Adults</h2>", "</main><section><h2>Adults</h2>"),
        ("<main>", "<div class=crumbs><a href=/>Home</a> › <a href=/h>Health</a></div><main>"),
        ("</main>", "</main><div class=comments><h3>3 comments</h3><p>This is wrong, my doctor said so.</p></div>"),
        (
            "<body>",
            "<body><div class=gdpr><h1>Your privacy</h1><p>You may withdraw your consent at any time.</p></div>",
        ),
        ("<p>Aspirin", "<p>Updated: 3 May 2021</p><p>Aspirin"),
    ],
)
def test_what_says_the_same_is_intact_or_moved(old: str, new: str, known: bool) -> None:
    drifts = said(old, new, known=known)
    told = [
        drift for drift in drifts if known or "lead-in-unknown" not in drift.notes
    ]  # it is too far above to be known
    assert {drift.state for drift in told} <= SOUND, drifts
    assert len(told) >= 3


@pytest.mark.parametrize("known", [True, False], ids=["page-known", "selectors-only"])
@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ("81 mg", "81 g", State.CHANGED),
        ("500 mg", "500 µg", State.CHANGED),
        ("500 mg", "-500 mg", State.CHANGED),
        ("25 percent", "25 percentage points", State.CHANGED),
        ("was well", "was not well", State.CHANGED),
        ("few stopped", "Few stopped", State.CHANGED),
        ("<td>Aspirin tablets<td>5 mg", "<td>5 mg<td>Aspirin tablets", State.CHANGED),
        ("<li>bleeding in one of a hundred people who take it daily</li>", "", State.PARTIAL),
        (" The dose was 81 mg.", "", State.PARTIAL),
        ("<main>", "<main><aside>Correction: the dose in this article was wrong.</aside>", State.CONTEXT_CHANGED),
        ("<footer>", "<footer><p>This article was withdrawn by its authors.</p>", State.CONTEXT_CHANGED),
        ("<title>", "<title>[Retracted] ", State.CONTEXT_CHANGED),
        ("few stopped.</p>", "few stopped.</p><p>This was later refuted by other trials.</p>", State.CONTEXT_CHANGED),
        ("<main>", "<main><p>Diese Seite ist veraltet.</p>", State.CONTEXT_CHANGED),
        (FIRST, f"<p>Opponents claim:</p>{FIRST}", State.CONTEXT_CHANGED),
        ("<h2>Adults</h2>", "<h2>Children</h2>", State.CONTEXT_CHANGED),
        ("<p>Side effects", "<h2>Myths</h2><p>Side effects", State.CONTEXT_CHANGED),
    ],
)
def test_what_says_something_else_is_told(old: str, new: str, state: State, known: bool) -> None:
    states = {drift.state for drift in said(old, new, known=known)}
    assert state in states


def test_a_line_that_leads_in_to_a_list_is_part_of_what_its_items_say() -> None:
    assert State.CONTEXT_CHANGED in {drift.state for drift in said("Side effects:", "Not side effects:")}


def test_a_quote_in_a_comment_is_not_the_passage() -> None:
    page = page_of(PAGE)
    comment = f"</main><div class=c><h3>Comments</h3><blockquote>{FIRST}</blockquote></div>"
    now = page_of(PAGE.replace(FIRST, "").replace("</main>", comment))
    first = next(one for one in taken(page.conversion, page) if "25 percent" in one.text)
    for then in (first.then, replace(first.then, page=None)):
        assert compare(then, now).state not in SOUND


def test_reference_marks_may_be_added_but_not_changed() -> None:
    marked = PAGE.replace("81 mg.", "81 mg.<sup>[3]</sup>")
    assert {drift.state for drift in said("[3]", "[3]</sup><sup>[4]", markup=marked)} <= SOUND
    changed = [drift for drift in said("[3]", "[8]", markup=marked) if drift.state not in SOUND]
    assert [drift.state for drift in changed] == [State.CHANGED]
    assert [step.words for step in changed[0].changes] == ["[3]", "[8]"]


def test_a_notice_that_stood_there_then_is_no_change() -> None:
    old = PAGE.replace("<main>", "<main><p>This article has been retracted.</p>")
    assert {drift.state for drift in said("News", "Sport", markup=old)} <= SOUND


def test_changes_name_what_of_weight_is_in_them() -> None:
    drift = next(drift for drift in said("81 mg", "18 mg") if drift.state is State.CHANGED)
    assert [(step.sign, step.words, step.marks) for step in drift.changes if step.sign != "="] == [
        ("-", "81", ("number",)),
        ("+", "18", ("number",)),
    ]
    drift = next(drift for drift in said("was well", "was not well") if drift.state is State.CHANGED)
    assert [(step.sign, step.words, step.marks) for step in drift.changes if step.sign != "="] == [
        ("+", "not", ("negation",))
    ]


def test_the_range_is_where_the_passage_stands_now() -> None:
    page, now = page_of(PAGE), page_of(PAGE.replace("<main>", "<main><p>A line that stands before all else.</p>"))
    for one in taken(page.conversion, page):
        drift = compare(one.then, now)
        assert drift.start is not None
        assert now.conversion.text[drift.start : drift.end] == one.text or "block-inserted" in drift.notes


# --- copies ----------------------------------------------------------------------------------------------------------


def lines(*texts: str, kind: str = "paragraph") -> Page:
    """Return a page with a block a line."""
    blocks, at = [], 0
    for text in texts:
        blocks.append(
            Block("heading" if text.startswith("# ") else kind, at, at + len(text), 2 if text.startswith("# ") else 0)
        )
        at += len(text) + 1
    return Page.of(Conversion("\n".join(texts), tuple(blocks), Metadata(), "made"))


def recorded(page: Page, text: str, number: int = 0) -> Then:
    whole = page.conversion.text
    start = -1
    for _ in range(number + 1):
        start = whole.index(text, start + 1)
    return Then(describe(whole, start, start + len(text)), (), None, None, page)


def test_of_two_copies_the_one_that_changed_is_the_passage() -> None:
    copy = "The limit for this road is 50 miles an hour."
    page = lines("# North", "Before the bridge.", copy, "Behind it.", "# South", "In the village.", copy, "At the end.")
    now = lines(
        "# North",
        "Before the bridge.",
        copy.replace("50", "30"),
        "Behind it.",
        "# South",
        "In the village.",
        copy,
        "At the end.",
    )
    assert compare(recorded(page, copy), now).state is State.CHANGED
    assert compare(recorded(page, copy, 1), now).state is State.INTACT


def test_a_passage_that_is_gone_is_absent_though_a_copy_of_then_stays() -> None:
    copy = "The limit for this road is 50 miles an hour."
    page = lines("# North", "Before the bridge.", copy, "Behind it.", "# South", "In the village.", copy, "At the end.")
    now = lines("# North", "Before the bridge.", "Behind it.", "# South", "In the village.", copy, "At the end.")
    assert compare(recorded(page, copy), now).state not in SOUND


def test_two_places_that_fit_equally_well_are_ambiguous() -> None:
    text = "All of the rooms have a view of the sea and a balcony."
    page = lines("# Rooms", text, "Ask at the desk.")
    now = lines("# Rooms", text, "Ask at the desk.", "# Rooms", text, "Ask at the desk.")
    assert compare(recorded(page, text), now).state is State.AMBIGUOUS


def test_the_same_words_under_another_heading_are_not_the_passage() -> None:
    page = lines("# Adults", "Take two tablets each day with water.", "# Children", "Ask a doctor first.")
    now = lines("# Adults", "Ask a doctor first.", "# Children", "Take two tablets each day with water.")
    assert compare(recorded(page, "Take two tablets each day with water."), now).state is State.CONTEXT_CHANGED


def test_a_short_passage_needs_what_stands_before_it() -> None:
    page = lines("Is the water safe to drink?", "Yes.", "Is the lake safe to swim in?", "No.")
    now = lines("Is the water unsafe to drink?", "Yes.", "Is the lake safe to swim in?", "No.")
    assert compare(recorded(page, "Yes."), now).state not in SOUND
    assert compare(recorded(page, "Yes."), page).state is State.INTACT


def test_cells_under_other_heads_are_told_though_their_words_are_the_same() -> None:
    page = lines("Drug\tMorning\tEvening", "Aspirin for adults\t5 mg\t", kind="table-row")
    now = lines("Drug\tMorning\tEvening", "Aspirin for adults\t\t5 mg", kind="table-row")
    assert compare(recorded(page, "Aspirin for adults\t5 mg"), now).state is State.CONTEXT_CHANGED


def test_outline_numbers_are_left_out_where_neighbours_show_them() -> None:
    outline = frozenset(((3, 1), (3, 2), (3, 3)))
    assert outline_free("3.2 Methods", outline) == "Methods"
    assert outline_free("3.2 Methods", frozenset(((3, 2),))) == "3.2 Methods"
    assert outline_free("5 mg tablets", frozenset(((5,), (6,)))) == "5 mg tablets"
    assert outline_free("2019 Results", frozenset()) == "2019 Results"


# --- cost ------------------------------------------------------------------------------------------------------------


def test_ten_thousand_copies_and_a_megabyte_take_bounded_time() -> None:
    """Copies are counted up to a thousand and a few dozen of them are held against the old place."""
    text = "The same sentence stands here again and again, in each of the lines."
    page = lines(*[text] * 10_000)
    began = time.process_time()
    assert compare(recorded(page, text, 500), page).state in (State.INTACT, State.AMBIGUOUS)
    long = lines(
        *[f"Line {n} of a long page about rivers, mills and bridges, with number {n * 7}." for n in range(14_000)]
    )
    now = lines(*[part.text.replace("number 7007.", "number 7008.") for part in long.parts])
    for n in range(1_000, 1_020):
        drift = compare(
            recorded(long, f"Line {n} of a long page about rivers, mills and bridges, with number {n * 7}."), now
        )
        assert drift.state is (State.CHANGED if n == 1_001 else State.INTACT)
    assert time.process_time() - began < 30


@pytest.mark.parametrize("unit", ["a ", "的", "[1]", ". ", "(retracted) "])
def test_hostile_repetition_is_bounded(unit: str) -> None:
    page = lines(unit * (300_000 // len(unit)), "The passage stands at the end of it all, in a line of its own.")
    then = recorded(page, "The passage stands at the end of it all, in a line of its own.")
    began = time.process_time()
    assert compare(then, page).state in SOUND
    assert compare(then, lines(unit * (300_000 // len(unit)))).state not in SOUND
    assert time.process_time() - began < 20


# --- edits of real pages ---------------------------------------------------------------------------------------------

ARTICLE = (
    "<html><head><title>Mills</title></head><body><article><h1>Mills of the coast</h1><p>A tide mill stores the flood "
    "in a pond and lets it out again by way of its wheel when the sea has fallen.</p><h2>Wheels</h2><p>An undershot "
    "wheel turns for six hours a tide, so the miller works by the moon and sleeps when the water allows it.</p>"
    "<h2>Gates</h2><p>A gate is hung so that the ebb closes it, and nobody has to stand there in the night.</p>"
    "<h2>Ponds</h2><p>A pond silts up, and every spring the mud is flushed out at low water with all gates open.</p>"
    "</article></body></html>"
)
BOX = "<div class=newsletter><h3>Newsletter</h3><p>Sign up and read the news of mills every week.</p></div>"


def test_a_copy_elsewhere_does_not_stand_in_for_a_passage_with_blocks_put_in() -> None:
    """A post that was changed was called intact when a later post quoted its old words: the search for passages with
    blocks put in took the quote, which the search for whole passages had left to the copy of then."""
    post = "The one issue I had with it was in sending documents. That was some years ago."
    page = lines(
        *["A question."], "Anna wrote on Monday in the evening:", post, "I copied the text into an editor.", "A."
    )
    quoted = lines(
        *[part.text for part in page.parts],
        "Jim wrote on Tuesday:",
        "Anna said in her post:",
        post,
        "I copied the text.",
    )
    now = lines(
        *[part.text.replace("was some", "was not some") if n == 2 else part.text for n, part in enumerate(quoted.parts)]
    )
    assert compare(recorded(quoted, post), now).state not in SOUND


def test_where_one_of_several_copies_in_equal_surroundings_is_gone_nothing_says_which() -> None:
    """Of a page that shows its text twice, for two sizes of screen, one copy was changed: the other was intact."""
    text = "Bags of 22 by 14 by 9 inches fit into most of the cabins, with wheels and handles."
    filler = [f"Line {n} of the page, which says little about bags and much about their colours." for n in range(12)]
    page = lines(*filler, text, *filler, *filler, text, *filler)
    now = lines(*filler, text.replace("14", "24"), *filler, *filler, text, *filler)
    assert compare(recorded(page, text), now).state is State.AMBIGUOUS
    assert compare(recorded(page, text), page).state is State.INTACT


def test_a_chance_likeness_of_a_few_characters_does_not_choose_between_copies() -> None:
    """Two copies without any of the old neighbours: the one whose neighbour ended in the same letters was `moved`."""
    text = "All of the rooms have a view of the sea and a balcony."
    page = lines("# Rooms", "The house stands on a hill.", text, "Ask at the desk.")
    now = lines("# Rooms", "Nobody goes up the hill.", text, "Breakfast is at eight.", "It rains.", text, "We swim.")
    assert compare(recorded(page, text), now).state is State.AMBIGUOUS


def test_teasers_in_a_list_of_links_are_no_notices() -> None:
    """ "Fact check: …" in a list of other articles changed the context of all of the page."""
    teasers = "".join(
        f"<li><a href=/{n}>{line}</a></li>"
        for n, line in enumerate(
            ["Fact check: did the minister really say that?", "Night trains are back", "New frogs"]
        )
    )
    assert {drift.state for drift in said("</article>", f"</article><ul>{teasers}</ul>", markup=ARTICLE)} <= SOUND
    notice = (
        "<ul><li><a href=/r>Retraction notice</a></li><li><a href=/2>Cite</a></li><li><a href=/3>Print</a></li></ul>"
    )
    assert State.CONTEXT_CHANGED in {d.state for d in said("<h1>", f"{notice}<h1>", markup=ARTICLE)}


@pytest.mark.parametrize("sign", ["<a href=#x>#</a>", "¶<a href=#x>#</a>", " <a href=#x>§</a>", "<span>[edit]</span>"])
def test_a_link_to_itself_behind_a_heading_is_not_part_of_it(sign: str) -> None:
    """Passages that hold a heading were `changed` when the site put a sign for its link behind it."""
    page = said("</h2>", f"{sign}</h2>", markup=ARTICLE)
    assert {drift.state for drift in page} <= SOUND
    marked = ARTICLE.replace("</h2>", f"{sign}</h2>")
    assert {drift.state for drift in said(f"Wheels{sign}", "Wheels", markup=marked)} <= SOUND
    assert not {drift.state for drift in said("Wheels", "Wheels without water", markup=marked)} <= SOUND


def test_a_box_with_a_heading_may_go_as_well_as_come() -> None:
    """A newsletter's heading stood over all below it; when the box went, the heading of all of that had changed."""
    inside = ARTICLE.replace("<p>A gate", f"{BOX}<p>A gate")
    page, bare = page_of(inside), page_of(ARTICLE)
    for one, other in ((page, bare), (bare, page)):
        text = one.conversion.text
        start = text.index("A gate is hung")
        then = Then(describe(text, start, text.index("Ponds") - 1), (), None, None, one)
        assert compare(then, other).state is State.INTACT


def test_a_heading_that_was_changed_does_not_live_on_in_the_table_of_contents() -> None:
    """A heading's old words in a list of contents above made it count as still there."""
    contents = "<ul><li>Wheels</li><li>Gates</li><li>Ponds</li></ul>"
    markup = ARTICLE.replace("</h1>", f"</h1>{contents}")
    page, now = page_of(markup), page_of(markup.replace("<h2>Gates", "<h2>Gates that were never built"))
    start = page.conversion.text.index("A gate is hung")
    then = Then(describe(page.conversion.text, start, start + 80), ("Mills of the coast", "Gates"), None, None, page)
    assert compare(then, now).state is State.CONTEXT_CHANGED


def test_a_passage_of_several_sections_may_be_taken_apart() -> None:
    """Short sections share a passage; when they changed places it was `changed`, though each stood as it was."""
    page = page_of(ARTICLE)
    text = page.conversion.text
    start, end = text.index("Wheels"), text.index("Ponds") - 1
    then = Then(describe(text, start, end), ("Mills of the coast",), None, None, page)
    sections = ARTICLE.split("<h2>")
    apart = "<h2>".join([sections[0], sections[2], sections[3].replace("</article></body></html>", ""), sections[1]])
    drift = compare(then, page_of(f"{apart}</article></body></html>"))
    assert (drift.state, "sections-apart" in drift.notes) == (State.MOVED, True)
    assert compare(then, page_of(apart.replace("six hours", "two hours"))).state not in SOUND
    start = text.index("Mills of the coast")
    then = Then(describe(text, start, text.index("Gates") - 1), (), None, None, page)
    first, rest = ARTICLE.split("<h2>", 1)[0], ARTICLE.split("<h2>", 1)[1]
    assert compare(then, page_of(f"{first}<h2>{rest}".replace("<h2>Wheels", "<h2>Sails"))).state not in SOUND


def test_a_changed_heading_of_a_passage_does_not_live_on_elsewhere() -> None:
    """The maker's name over a product was changed, and a heading with the old one further down stood in for it."""
    shop = "<h2>Atelier North</h2><h1>A necklace of gold</h1><p>It comes in a box of wood with a certificate.</p>"
    markup = f"<main>{shop}<h2>Atelier North</h2><p>Other works of this maker are shown in town.</p></main>"
    page = page_of(markup)
    text = page.conversion.text
    then = Then(describe(text, 0, text.index("certificate.") + 12), (), None, None, page)
    assert compare(then, page_of(markup.replace("<h2>Atelier", "<h2>Not Atelier", 1))).state not in SOUND


def test_a_long_table_of_contents_may_be_put_in_within_a_passage() -> None:
    """Eight parts were looked past; and the line of the contents was taken for the heading that it names."""
    page = page_of(ARTICLE)
    text = page.conversion.text
    then = Then(describe(text, 0, text.index("An undershot")), (), None, None, page)
    items = "".join(f"<li><a href=#{n}>{line}</a></li>" for n, line in enumerate(["Wheels", *map(str, range(30))]))
    now = page_of(ARTICLE.replace("<h2>Wheels", f"<ul>{items}</ul><h2>Wheels"))
    assert compare(then, now).state in SOUND


def test_a_line_with_other_words_is_not_put_in_before_a_copy_of_it() -> None:
    """The last line of an entry was changed, and the same line of the next entry was taken for it."""
    entry = ["Glendale is served from the yard in the south.", "Service: the same day or two business days"]
    page = lines("# Los Angeles", *entry, "# Orange", entry[1], "The end.")
    now = lines("# Los Angeles", entry[0], entry[1].replace("two", "nine"), entry[1], "# Orange", "The end.")
    start = page.conversion.text.index(entry[0])
    then = Then(describe(page.conversion.text, start, start + len("\n".join(entry))), (), None, None, page)
    assert compare(then, now).state not in SOUND


def test_what_cannot_be_compared_without_the_page_of_then_is_not_called_the_same() -> None:
    """The head of a table and the line over a list are ranges of a text that may not be here: rows under other heads
    were intact. So with a notice of which nobody knows whether it is new."""
    page = page_of(PAGE)
    text = page.conversion.text
    start = text.index("The recommended")
    then = Then(describe(text, start, start + 120), ("Aspirin in practice", "Adults"), (0, 5), None, None)
    assert (compare(then, page).state, compare(then, page).notes) == (State.AMBIGUOUS, ("table-head-unknown",))
    then = Then(describe(text, start, start + 120), ("Aspirin in practice", "Adults"), None, None, None)
    assert compare(then, page).state in SOUND
    notice = "<p>Please note: the numbers given below have been found to be incorrect.</p>"
    assert compare(then, page_of(PAGE.replace("<footer>", f"{notice}<footer>"))).state is State.AMBIGUOUS


def test_an_item_far_down_a_list_has_the_line_that_leads_in_to_it() -> None:
    """The line was looked for among eighty blocks above an item: in a longer list it had changed on the same page."""
    items = "".join(f"<li>Item {n} of the list, which is a long one</li>" for n in range(200))
    page = page_of(f"<h1>Index</h1><p>All of the chapters, by their names:</p><ul>{items}</ul>")
    text = page.conversion.text
    start, lead_in = text.index("Item 150"), text.index("All of")
    span = (lead_in, text.index("\n", lead_in))
    then = Then(describe(text, start, text.index("\n", start)), ("Index",), None, span, page)
    assert compare(then, page).state is State.INTACT
    other = page_of(f"<h1>Index</h1><p>None of the chapters, by their names:</p><ul>{items}</ul>")
    assert compare(then, other).state is State.CONTEXT_CHANGED
