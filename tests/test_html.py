"""HTML to the whole visible text and its blocks."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.extract.conversion import (
    Block,
    Conversion,
    ConversionFailure,
    Metadata,
    conversion_from_json,
    conversion_to_json,
)
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.elements import places_of
from searchlog.extract.flat import hazard
from searchlog.extract.html import read_html
from searchlog.extract.reading import reading_view


def page(markup: str, **options: object) -> Conversion:
    result = convert(
        markup.encode(),
        content_type="text/html; charset=utf-8",
        url="https://x.example/",
        options=ConvertOptions(**options),  # type: ignore[arg-type]
    )
    assert isinstance(result, Conversion), result
    assert result.verbatim is not False
    check_blocks(result)
    return result


def check_blocks(result: Conversion) -> None:
    at = 0
    for block in result.blocks:
        assert at <= block.start < block.end <= len(result.text)
        assert not result.text[at : block.start].strip(), "text outside blocks"
        at = block.end
    assert not result.text[at:].strip()


def texts(result: Conversion, **wanted: object) -> list[str]:
    return [
        result.text[b.start : b.end]
        for b in result.blocks
        if all(getattr(b, name) == value for name, value in wanted.items())
    ]


def shape(result: Conversion) -> list[tuple[str, int, str]]:
    return [(b.kind, b.level, result.text[b.start : b.end]) for b in result.blocks]


def test_blocks_have_kinds_and_levels_in_document_order() -> None:
    result = page(
        "<h1>Title</h1><p>One <b>two</b> three.</p><h2>Sub</h2><blockquote><p>Said.</p></blockquote>"
        "<ul><li>a<ul><li>b</li></ul></li></ul><dl><dt>T</dt><dd>D</dd></dl>"
        "<figure><img alt=no><figcaption>Cap</figcaption></figure><button>Go</button>"
    )
    assert shape(result) == [
        ("heading", 1, "Title"),
        ("paragraph", 0, "One two three."),
        ("heading", 2, "Sub"),
        ("quote", 0, "Said."),
        ("list-item", 1, "a"),
        ("list-item", 2, "b"),
        ("term", 0, "T"),
        ("term", 0, "D"),
        ("caption", 0, "Cap"),
        ("other", 0, "Go"),
    ]
    assert result.text == "\n".join(text for _, _, text in shape(result))


def test_whitespace_folds_as_css_says() -> None:
    result = page("<p>  a\n\t b <span> c</span>d<b>e</b>\f f\u00a0 g\u3000h </p>")
    assert result.text == "a b cde f\u00a0 g\u3000h"


def test_inline_elements_add_no_space_and_invisible_letters_stay() -> None:
    assert page("<p>un<i>break</i>able co\u00adop \u200bx\u200dy").text == "unbreakable co\u00adop \u200bx\u200dy"


def test_br_breaks_a_line_and_two_begin_a_block() -> None:
    assert texts(page("<p>one<br> two<br/><br>three<br></p>")) == ["one\ntwo", "three"]


def test_pre_keeps_every_space() -> None:
    code = "def f():\n\n    return  1\t# x\n"
    result = page(f"<p>see</p><pre><code>{code}</code></pre><p>end")
    assert texts(result, kind="code") == [code]
    assert [b.group for b in result.blocks if b.kind == "code"] == [1]


def test_bare_text_between_blocks_is_a_paragraph() -> None:
    assert shape(page("<div>a<div>b</div>c</div>d")) == [("paragraph", 0, t) for t in "abcd"]


def test_table_rows_are_cells_with_tabs_and_share_a_group() -> None:
    result = page(
        "<table><caption>C</caption><thead><tr><td>Name<td>Born</thead><tr><td><p>Ada</p><td>1815<br>London"
        "<tr><td colspan=2>both<tr><td><td>x</table><table><tr><th>k<th>v</table>"
    )
    rows = [b for b in result.blocks if b.kind == "table-row"]
    assert texts(result, kind="table-row") == ["Name\tBorn", "Ada\t1815 London", "both", "\tx", "k\tv"]
    assert [b.head for b in rows] == [True, False, False, False, True]
    assert len({b.group for b in rows[:4]}) == 1
    assert rows[4].group != rows[0].group
    assert texts(result, kind="caption", group=rows[0].group) == ["C"]


def test_layout_table_keeps_its_blocks() -> None:
    result = page("<table><tr><td><h2>Head</h2><p>Long.</p><td><ul><li>x</ul></table>")
    assert shape(result) == [("heading", 2, "Head"), ("paragraph", 0, "Long."), ("list-item", 1, "x")]


def test_nested_lists_share_a_group_and_count_depth() -> None:
    result = page("<ol><li>1<li>2<ul><li>2a<ul><li>2ai</ul></ul></ol><ul><li>other</ul>")
    assert [(b.level, b.group) for b in result.blocks] == [(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)]


def test_scripts_and_the_like_are_not_text() -> None:
    result = page(
        "<title>no</title><style>no{}</style><p>yes</p><script>no</script><noscript>no</noscript>"
        "<template>no</template>"
        "<svg><text>no</text></svg><iframe>no</iframe><select><option>no</select><textarea>no</textarea>"
        "<input value=no>"
        "<video>no</video><canvas>no</canvas><math><semantics><mi>x</mi><annotation>no</annotation></semantics></math>"
        "<!-- no --><img alt=no><details><summary>more</summary>inside</details><object>fall</object>"
    )
    assert result.text.replace("\n", "|") == "yes|x|more|inside|fall"


def test_entities_are_read_and_marks_stay() -> None:
    assert page("<p>a &lt;b&gt; &amp;amp; &eacute; &#x4e2d; &unknown;").text == "a <b> &amp; é 中 &unknown;"


def test_other_scripts_and_ruby_stay_as_written() -> None:
    text = "中文\u3000字 العربية \u202bעברית\u202c ไทย हिन्दी 👩‍👩‍👧"
    assert page(f"<p>{text}").text == text
    assert page("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby>です").text == "漢(かん)字です"


HIDDEN = {
    "attribute": ["<p hidden>X</p>", "<dialog>X</dialog>", "<div popover>X</div>"],
    "style": [
        "<p style='display:none'>X</p>",
        "<p style='DISPLAY : none !important'>X</p>",
        r"<p style='disp\6c ay:none'>X</p>",
        "<p style='display:/* */none'>X</p>",
        "<style>.a{display:none}</style><p class='b a'>X</p>",
        "<style>#q.z , u{display:none}</style><p id=q class=z>X</p>",
        "<style>@media screen{x-y{display:none}}</style><p><x-y>X</x-y></p>",
        "<div style='display:none'><p style='display:block'>X</p></div>",
    ],
    "visibility": ["<p style='visibility:hidden'>X</p>"],
    "opacity": ["<p aria-hidden=true style='opacity:0'>X</p>", "<p style='opacity:.0'>X</p>"],
    "size": ["<p style='font-size:0'>X</p>", "<p style='font-size:1px'>X</p>", "<p style='font:0/0 a'>X</p>"],
    "colour": [
        "<p style='color:#fff;background:#fff'>X</p>",
        "<p style='color:white;background-color:rgb(255, 255,255)'>X</p>",
        "<p style='color:transparent'>X</p>",
        "<p style='color:rgba(0,0,0,0)'>X</p>",
    ],
    "offscreen": [
        "<p style='position:absolute;left:-9999px'>X</p>",
        "<p style='position:fixed;top:-100em'>X</p>",
        "<p style='text-indent:-999px'>X</p>",
        "<p style='position:absolute;clip:rect(0,0,0,0)'>X</p>",
        "<p style='clip-path:inset(50%)'>X</p>",
        "<p style='height:0;overflow:hidden'>X</p>",
        "<p style='transform:scale(0)'>X</p>",
    ],
}


@pytest.mark.parametrize(("reason", "markup"), [(r, m) for r, all_of in HIDDEN.items() for m in all_of])
def test_hidden_text_is_kept_and_labelled(reason: str, markup: str) -> None:
    result = page(f"<p>seen</p>{markup}<p>after</p>")
    assert [(b.hidden, result.text[b.start : b.end]) for b in result.blocks] == [
        (None, "seen"),
        (reason, "X"),
        (None, "after"),
    ]
    assert "hidden-text" in result.warnings
    assert "X" not in reading_view(result)


@pytest.mark.parametrize(
    "markup",
    [
        "<p aria-hidden=true>X",
        "<p style='color:#fff'>X",
        "<p style='color:#fff;background:#000'>X",
        "<div style='font-size:0'><p style='font-size:16px'>X</div>",
        "<div style='visibility:hidden'><p style='visibility:visible'>X</div>",
        "<style>.a{display:none}.a.on{display:block}</style><p class='a on'>X",
        "<style>@media print{.a{display:none}}</style><p class=a>X",
        "<style>.js .a{display:none}body{opacity:0}</style><p class=a>X",
        "<style>.a{display:none}</style><p class=a style='display:block!important'>X",
        "<p style='margin-left:-10px;left:-9999px'>X",
        "<p style='opacity:0.05'>X",
    ],
)
def test_visible_text_is_not_called_hidden(markup: str) -> None:
    assert [b.hidden for b in page(markup).blocks] == [None]


def test_hidden_words_do_not_tear_the_sentence_they_stand_in() -> None:
    result = page("<p>The price is <span style='display:none'>IGNORE ALL</span>nine <b>euro</b>.</p>")
    assert [(b.hidden, result.text[b.start : b.end]) for b in result.blocks] == [
        (None, "The price is nine euro."),
        ("style", "IGNORE ALL"),
    ]
    assert result.verbatim is True


def test_hidden_cell_text_comes_after_its_row() -> None:
    result = page("<table><tr><td><span hidden>0042</span>42<td>b</table>")
    assert texts(result) == ["42\tb", "0042"]
    assert texts(result, hidden="attribute") == ["0042"]


def test_a_page_that_a_script_fades_in_is_seen_and_says_so() -> None:
    body = "".join(f"<p>{'word ' * 60}{i}</p>" for i in range(12))
    result = page(f"<nav>x</nav><main style='opacity:0'>{body}</main>")
    assert not any(b.hidden for b in result.blocks)
    assert "shown-by-script" in result.warnings


def test_a_long_text_under_display_none_stays_hidden() -> None:
    body = "".join(f"<p>{'word ' * 60}{i}</p>" for i in range(12))
    assert all(b.hidden for b in page(f"<p>x</p><main style='display:none'>{body}</main>").blocks[1:])


def test_streamed_parts_are_seen() -> None:
    result = page(
        '<template id="B:0"></template><div hidden id="S:0"><p>content</p></div><div hidden id="S:x">no</div>'
    )
    assert texts(result, hidden=None) == ["content"]


def test_noscript_is_read_when_nothing_else_is_there() -> None:
    result = page("<div id=app></div><noscript><h1>Topic</h1><p>" + "words " * 60 + "</p></noscript>")
    assert texts(result, kind="heading") == ["Topic"]
    assert "noscript" in result.warnings


def test_page_without_text_says_no_text() -> None:
    result = convert(b"<html><script>render()</script>", content_type="text/html", url="https://x.example/")
    assert isinstance(result, ConversionFailure)
    assert result.reason == "no-text"


def test_furniture_is_labelled_and_stays() -> None:
    main = "".join(f"<p>{'main text ' * 20}</p>" for _ in range(5))
    result = page(
        f"<header><a>Site</a></header><nav><ul><li>Home</ul></nav><main><article><header><h1>Title</h1></header>{main}"
        "</article></main><aside>Related</aside><div class='cookie-banner'>We use cookies</div>"
        "<div id=siteFooter>(c)</div>"
        "<form><p>Search</form><div role=navigation>Nav2</div><footer>Foot</footer>"
    )
    labels = {result.text[b.start : b.end]: b.furniture for b in result.blocks}
    assert labels["Site"] == "header"
    assert labels["Home"] == "nav"
    assert labels["Title"] is None
    assert labels["Related"] == "aside"
    assert labels["We use cookies"] == "boilerplate"
    assert labels["(c)"] == "footer"
    assert labels["Search"] == "form"
    assert labels["Nav2"] == "nav"
    assert labels["Foot"] == "footer"
    assert {b.furniture for b in result.blocks if b.kind == "paragraph" and b.end - b.start > 100} == {None}
    assert reading_view(result).startswith("# Title\n\nmain text")


def test_container_of_most_of_the_page_is_no_furniture() -> None:
    body = "".join(f"<p>{'words ' * 30}</p>" for _ in range(6))
    result = page(f"<form id=aspnetForm class=menu-page>{body}</form><p>x", labels="structure")
    assert {b.furniture for b in result.blocks} == {None}


def test_text_300_levels_deep_is_kept() -> None:
    result = page("<p>top</p>" + "<div>" * 300 + "deep" + "</div>" * 300 + "<p>after")
    assert texts(result) == ["top", "deep", "after"]
    assert result.converter == "html/3"


def test_a_hundred_thousand_spans_are_one_paragraph() -> None:
    result = page("<p>" + "<span>a</span>" * 100_000)
    assert result.text == "a" * 100_000
    assert len(result.blocks) == 1


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("<p>top</p>" + "<div>" * 100_000 + "deep" + "</div>" * 100_000 + "<p>after", "too-deep"),
        (
            "<p>top" + "".join(f"<font color=c{i}>" for i in range(1000)) + "deep" + "</p><p>x" * 4000 + "after",
            "too-many-nodes",
        ),
        ("<p>top<p " + " ".join(f"a{i}=1" for i in range(50_000)) + ">deep</p>after", "too-many-attributes"),
    ],
    ids=["nesting", "formatting", "attributes"],
)
def test_pages_that_no_tree_survives_are_read_without_one(markup: str, reason: str) -> None:
    result = page(markup)
    assert reason in result.warnings
    assert result.converter == "html-linear/3"
    assert all(word in result.text for word in ("top", "deep", "after"))


def test_linear_reading_keeps_hidden_text_hidden() -> None:
    result = page(
        "<style>.z{display:none}</style><p>seen<p style='display:none'>A<div class=z><b>B</i></div><svg><text>no</svg>"
        "<script>no</script><!-- no --><table><tr><td>1<td>2</table><h2>Head</h2><pre>a\n  b</pre>"
        "<a title='>'>link</a>",
        linear=True,
    )
    assert texts(result, hidden="style") == ["A", "B"]
    assert texts(result, hidden=None) == ["seen", "1\t2", "Head", "a\n  b", "link"]
    assert "no" not in result.text.split()


def test_linear_reading_agrees_with_the_tree_on_plain_pages() -> None:
    markup = "<h1>T</h1><p>One <b>two</b><p>three<ul><li>a<li>b</ul><table><tr><td>x<td>y<tr><td>1<td>2</table>end"
    assert shape(page(markup)) == shape(page(markup, linear=True))


_TAGS = (
    "p",
    "div",
    "b",
    "br",
    "li",
    "ul",
    "td",
    "tr",
    "table",
    "svg",
    "title",
    "script",
    "textarea",
    "annotation",
    "head",
    "body",
    "html",
    "option",
    "select",
    "h1",
    "pre",
)
_MARKUP_PARTS = st.one_of(
    st.builds("<{}{}>word".format, st.sampled_from(["", "/"]), st.sampled_from([*_TAGS, *map(str.upper, _TAGS)])),
    st.sampled_from(["word ", "&amp;", "<", "<!-- c -->", "<!x>", "<a<b>", "<p class=x>", "\n"]),
)


@given(st.lists(_MARKUP_PARTS, max_size=40))
def test_linear_reading_takes_bare_tags_as_any_others(parts: list[str]) -> None:
    bare = "seen" + "".join(parts)
    spaced = re.sub(r"<(/?\w+)>", r"<\1 >", bare)
    found = [read_html(markup, "", 10_000, linear=True).built for markup in (bare, spaced)]
    assert [(built.text, built.blocks, built.warnings) for built in found[:1]] == [
        (built.text, built.blocks, built.warnings) for built in found[1:]
    ]
    assert places_of(found[0].blocks, found[0].layout) == places_of(found[1].blocks, found[1].layout)


@pytest.mark.parametrize(
    "markup", ["<", "<a", "<a '<b", "</", "<!--", "<!", "<![CDATA[x", "<p a='", "<script>x", "<>x</>"]
)
def test_linear_reading_bears_broken_markup(markup: str) -> None:
    convert(markup.encode(), content_type="text/html", url="", options=ConvertOptions(linear=True))


def test_honest_pages_show_no_hazard() -> None:
    assert hazard("<p>hello <b>world</b></p>" * 20_000) is None
    assert hazard("<div>" * 200 + "<a href=x>y</a>" * 5000) is None
    assert hazard('<img src="data:image/png;base64,' + "A" * 500_000 + '">') is None


def test_text_beyond_the_limit_is_cut_with_a_warning() -> None:
    result = page("<p>" + "a" * 60 + "<p>" + "b" * 60 + "<p>c", text_chars_max=100)
    assert len(result.text) == 100
    assert "text-cut" in result.warnings


def test_conversion_survives_json() -> None:
    result = page(
        "<title>T</title><time itemprop=datePublished datetime=2024-05-06>x</time><p hidden>y"
        "<table><tr><th>a<th>b</table>"
    )
    assert conversion_from_json(result.text, conversion_to_json(result)) == result


def test_crlf_in_markup_is_one_line_end() -> None:
    assert texts(page("<pre>a\r\n b\rc</pre>")) == ["a\n b\nc"]


PIECES = """
<p> <div> </div> </p> <b> </b> <table> <tr> <td> <th> </table> <ul> <li> </ul> <pre> </pre> <br> <br><br> text &amp; é
中
<i_x> <span_hidden> </span> <div_style='display:none'> <p_style='visibility:hidden'> <b_style='visibility:visible'> <h2>
</h2> <select> <option> </select> <svg> <title> </svg> <form> <nav> </nav> <template> </template> <noscript> </noscript>
<button> <dl> <dt> <dd> <blockquote> <caption> <style> </style> <dialog> <a> </a> <ruby> <rt> <body> </html> <math>
<annotation> <!-- --> <script> </script>
"""
MARKUP = st.lists(
    st.sampled_from([*(piece.replace("_", " ") for piece in PIECES.split()), " ", "\n", "\t", "\0", "\ufeff", "\xa0"]),
    max_size=30,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(MARKUP)
def test_any_markup_gives_ordered_blocks_and_verbatim_text(markup: str) -> None:
    for linear in (False, True):
        result = convert(
            markup.encode(),
            content_type="text/html; charset=utf-8",
            url="https://x.example/",
            options=ConvertOptions(linear=linear),
        )
        if isinstance(result, Conversion):
            check_blocks(result)
            assert result.verbatim is (None if linear else True)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.binary(max_size=400), st.text(max_size=400).map(str.encode)),
    st.sampled_from([None, "text/html", "text/plain"]),
)
def test_conversion_never_raises_and_is_repeatable(data: bytes, content_type: str | None) -> None:
    first = convert(data, content_type=content_type, url="https://x.example/")
    assert first == convert(data, content_type=content_type, url="https://x.example/")
    if isinstance(first, Conversion):
        check_blocks(first)
        first.text.encode()


def test_default_conversion_loads_no_heavy_library() -> None:
    code = (
        "import sys; from searchlog.extract.convert import convert\n"
        "r = convert(b'<title>T</title><p>x <b>y</b>', content_type='text/html', url='https://x.example/')\n"
        "assert r.text == 'x y'\n"
        "heavy = ('trafilatura', 'lxml', 'htmldate', 'charset_normalizer', 'httpx', 'pydantic')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


ARTICLE = (
    "<html><head><title>On tides</title></head><body><div class=menu-x>Home About Contact</div>"
    "<article><h1>On tides</h1>"
    + "".join(
        f"<p>The tide in harbour number {i} rises twice a day, and the fishermen who live there have kept careful "
        "tables of its height for more than two hundred years.</p>"
        for i in range(12)
    )
    + "</article><div><p>Sign in now</p></div></body></html>"
)


def test_labels_change_no_text() -> None:
    by_names, plain = page(ARTICLE, labels="structure"), page(ARTICLE)
    assert (by_names.labels, plain.labels) == ("structure", "main/1")
    assert plain.text == by_names.text
    assert [replace(b, furniture=None) for b in plain.blocks] == [replace(b, furniture=None) for b in by_names.blocks]
    labels = {plain.text[b.start : b.end]: b.furniture for b in plain.blocks}
    assert labels["Sign in now"] == "boilerplate"
    assert labels["Home About Contact"] == "nav"
    assert sum(label is None for label in labels.values()) >= 12
    assert plain.page_type == "article"
    assert plain.main_percent is not None
    assert plain.main_percent >= 95


def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the trees be unsure of every block of an article, by a little for it."""
    monkeypatch.setattr("searchlog.extract.trees.block_score", lambda _: 100)
    monkeypatch.setattr("searchlog.extract.trees.type_scores", lambda _: (1, 0, 0, 0, 0, 0, 0))


def test_trafilatura_is_heard_where_the_trees_are_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    assert page(ARTICLE, labels="trafilatura").labels == "main/1"  # sure
    unsure(monkeypatch)
    assert page(ARTICLE).labels == "main/1"
    labelled = page(ARTICLE, labels="trafilatura")
    assert labelled.labels.startswith("main/1 trafilatura ")
    labels = {labelled.text[b.start : b.end]: b.furniture for b in labelled.blocks}
    assert labels["Sign in now"] == "boilerplate"
    assert sum(label is None for label in labels.values()) >= 12
    assert labelled == page(ARTICLE, labels="trafilatura")


def test_trafilatura_is_not_asked_about_what_lxml_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    unsure(monkeypatch)
    result = page("<div>" * 260 + ARTICLE + "</div>" * 260, labels="trafilatura")
    assert result.labels == "main/1"
    assert "labels-too-deep" in result.warnings


def test_trafilatura_may_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    unsure(monkeypatch)
    monkeypatch.setattr("trafilatura.extract", lambda *_, **__: None)
    assert page(ARTICLE, labels="trafilatura").labels == "main/1"


def test_places_say_where_blocks_stand() -> None:
    result = page("<main><ul><li>one<li><a href=/2>two</a></ul><p>say <a href=/3>more</a> now</main>")
    assert result.places == (("main/ul/li", 0, 2), ("main/ul/li", 100, 2), ("main/p", 33, 1))
    stored = conversion_to_json(result)
    assert (stored["paths"], stored["places"]) == (["main/ul/li", "main/p"], [0, 0, 2, 0, 100, 2, 1, 33, 1])
    assert conversion_from_json(result.text, stored) == result


def test_reading_view_marks_headings_items_quotes_and_code_and_is_empty_without_main_text() -> None:
    result = page("<h2>Top</h2><blockquote><p>said</blockquote><ul><li>x</ul><pre>\n a\n\n b\n</pre>")
    assert reading_view(result) == "## Top\n\n> said\n\n- x\n\n```\n a\n\n b\n```"
    furniture = tuple(replace(block, furniture="nav") for block in result.blocks)
    assert reading_view(replace(result, blocks=furniture)) == ""


def test_reading_view_keeps_rows_and_items_together() -> None:
    result = page("<p>a</p><ul><li>1<li>2</ul><table><tr><td>x<td>y<tr><td>z<td>w</table><p hidden>no")
    assert reading_view(result) == "a\n\n- 1\n- 2\n\nx\ty\nz\tw"


def test_reading_view_fences_code_that_holds_a_fence_and_looks_like_a_heading() -> None:
    """A comment of a shell stood in the view as a heading did."""
    result = page("<p>Run:</p><pre># install\npip install x</pre><pre>a\n```\nb ````</pre>")
    assert reading_view(result) == "Run:\n\n```\n# install\npip install x\n```\n\n`````\na\n```\nb ````\n`````"


def test_reading_view_puts_the_code_of_one_listing_between_two_fences() -> None:
    blocks = (Block("code", 0, 1, group=1), Block("code", 2, 3, group=1), Block("code", 4, 5, group=2))
    assert reading_view(Conversion("a\nb\nc", blocks, Metadata(), "html/9")) == "```\na\nb\n```\n\n```\nc\n```"
    assert reading_view(Conversion("a\nb\nc", blocks, Metadata(), "text/9")) == "a\nb\n\nc"


def test_reading_view_marks_no_item_that_has_its_mark() -> None:
    result = page("<ul><li>1. one<li>\u2022 two<li>(3) three<li>4.5 litres<li>-5 degrees</ul>")
    assert reading_view(result) == "1. one\n\u2022 two\n(3) three\n- 4.5 litres\n- -5 degrees"


def test_blocks_are_plain_values() -> None:
    assert page("<p>a").blocks == (Block("paragraph", 0, 1),)
