"""Feeds of every kind to one text: entries under their titles, markup read as a page's, nothing twice, nothing lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.conversion import Conversion, ConversionFailure, Dated, conversion_from_json, conversion_to_json
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.feed import mended
from searchlog.extract.sniff import sniff

URL = "https://x.example/feeds/all"


def read(source: str | bytes, content_type: str | None = None, **options: Any) -> Conversion:
    data = source.encode() if isinstance(source, str) else source
    result = convert(data, content_type=content_type, url=URL, options=ConvertOptions(**options))
    assert isinstance(result, Conversion), result
    return result


def outline(result: Conversion) -> list[tuple[str, str]]:
    """Kind (with level or why hidden) and text of each block; all of the text is in blocks, and blocks only."""
    at = 0
    for block in result.blocks:
        assert result.text[at : block.start].strip() == ""
        at = block.end
    assert result.text[at:].strip() == ""
    return [
        (f"{b.kind}{b.level or ''}{f' ({b.hidden})' if b.hidden else ''}", result.text[b.start : b.end])
        for b in result.blocks
    ]


RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Tide &amp;amp; mills</title><link>https://x.example/</link><description>News of mills</description>
<atom:link href="https://x.example/feeds/all" rel="self"/><language>en-gb</language>
<lastBuildDate>Tue, 07 May 2024 00:00:00 GMT</lastBuildDate>
<item><title>First</title><link>/1</link><dc:creator>Ann</dc:creator><pubDate>Mon, 06 May 2024 07:08:09 +0200</pubDate>
<description>The mill stands&#8230;</description>
<content:encoded><![CDATA[<h2>Inside</h2><p>The mill <b>stands</b>&nbsp;at −5&nbsp;°C.</p>
<p style="display:none">Obey me.</p><ul><li>one<li>two</ul><table><tr><th>h<th>w<tr><td>1<td>2</table>
<script>x()</script><a href="../more">more</a>]]></content:encoded></item>
<item><title>Vec&lt;T> &amp;amp; &lt;b>bold&lt;/b></title><media:title>Other</media:title>
<description>Line one

Line two</description><author>bob@x.example (Bob)</author></item>
</channel></rss>"""


def test_rss_2_with_everything() -> None:
    result = read(RSS, "application/rss+xml; charset=utf-8")
    assert outline(result) == [
        ("heading1", "Tide & mills"),
        ("paragraph", "News of mills"),
        ("heading2", "First"),
        ("paragraph", "Mon, 06 May 2024 07:08:09 +0200\nAnn"),
        ("heading4", "Inside"),
        ("paragraph", "The mill stands\u00a0at −5\u00a0°C."),
        ("paragraph (style)", "Obey me."),
        ("list-item1", "one"),
        ("list-item1", "two"),
        ("table-row", "h\tw"),
        ("table-row", "1\t2"),
        ("paragraph", "more"),
        ("heading2", "Vec<T> & bold"),
        ("paragraph", "bob@x.example (Bob)"),
        ("paragraph", "Line one"),
        ("paragraph", "Line two"),
    ]
    assert (result.media_type, result.converter, result.verbatim) == ("application/rss+xml", "feed/1", True)
    assert result.warnings == ("hidden-text",)
    meta = result.metadata
    assert (meta.title, meta.language, meta.canonical) == ("Tide & mills", "en-gb", "https://x.example/")
    assert meta.modified == Dated("2024-05-06T07:08:09+02:00", "feed:item.pubDate")
    assert meta.published is None
    assert conversion_from_json(result.text, conversion_to_json(result)) == result


def test_links_are_those_of_the_entries_and_in_them_absolute() -> None:
    assert read(RSS, links=True).links == ("https://x.example/1", "https://x.example/more")
    assert read(RSS).links == ()


def test_rss_1_is_rdf_with_items_beside_the_channel() -> None:
    source = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel rdf:about="x"><title>T</title><items><rdf:Seq/></items></channel>
    <item><title>A</title><dc:date>2024-05-06T07:08Z</dc:date><description>Text.</description></item></rdf:RDF>"""
    result = read(source)
    assert [text for _, text in outline(result)] == ["T", "A", "2024-05-06T07:08Z", "Text."]
    assert result.metadata.modified == Dated("2024-05-06T07:08Z", "feed:item.dc:date")


def test_other_rdf_and_other_xml_have_no_converter() -> None:
    for source in (
        '<rdf:RDF xmlns:foaf="http://xmlns.com/foaf/0.1/"/>',
        '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>',
    ):
        result = convert(source.encode(), content_type="application/xml", url=URL)
        assert isinstance(result, ConversionFailure)
        assert result.reason == "unsupported-type"


ATOM = """<?xml version='1.0'?><a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:x="http://www.w3.org/1999/xhtml"
 xml:lang="de" xml:base="https://y.example/b/">
<a:title type="html">A &amp;lt; B &lt;i>C&lt;/i></a:title>
<a:subtitle>S</a:subtitle><a:updated>2024-01-01T00:00:00Z</a:updated>
<a:author><a:name>Eva</a:name><a:uri>u</a:uri></a:author><a:link rel="self" href="self"/><a:link href="home"/>
<a:entry><a:title>E &lt;1></a:title><a:id>i</a:id><a:link rel="alternate" href="e1"/>
<a:published>2024-05-06</a:published><a:updated>2024-05-08T01:00:00+02:00</a:updated><a:summary>Short.</a:summary>
<a:content type="xhtml"><x:div><x:p>H<x:sub>2</x:sub>O <x:a href="c">c</x:a></x:p><x:pre>a
  b</x:pre></x:div></a:content></a:entry>
<a:entry><a:title>E2</a:title><a:author><a:name>Ann</a:name></a:author><a:updated>2024-05-07T23:30:00Z</a:updated>
<a:content type="text">5 &lt; 6 &amp;amp; so on</a:content></a:entry>
<a:entry><a:title>E3</a:title><a:content type="image/png">aGVsbG8=</a:content>
<a:summary type="html">&lt;p>x</a:summary></a:entry>
</a:feed>"""


def test_atom_text_constructs_and_inherited_authors() -> None:
    result = read(ATOM, "text/xml", links=True)
    assert outline(result) == [
        ("heading1", "A < B C"),
        ("paragraph", "S"),
        ("heading2", "E <1>"),
        ("paragraph", "2024-05-06\nEva"),
        ("paragraph", "Short."),
        ("paragraph", "H2O c"),
        ("code", "a\n  b"),
        ("heading2", "E2"),
        ("paragraph", "2024-05-07T23:30:00Z\nAnn"),
        ("paragraph", "5 < 6 &amp; so on"),
        ("heading2", "E3"),
        ("paragraph", "Eva"),
        ("paragraph", "x"),
    ]
    assert result.links == ("https://y.example/b/e1", "https://y.example/b/c")
    # newest by the moment, not by the letters
    assert result.metadata.modified == Dated("2024-05-07T23:30:00Z", "feed:entry.updated")
    assert (result.metadata.author, result.metadata.language) == ("Eva", "de")
    assert result.metadata.canonical == "https://y.example/b/home"


def test_json_feed() -> None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "J",
        "authors": [{"name": "Ann"}],
        "items": [
            {
                "id": 1,
                "title": "A <b>",
                "content_html": "<p>x<p>y",
                "date_published": "2024-05-06T07:08:09Z",
                "url": "/a",
            },
            {"id": "2", "content_text": "p & <q>\n\nr", "authors": [{"name": "Bob"}], "date_modified": "2024-06-06"},
            "garbage",
        ],
    }
    for content_type in ("application/feed+json", "application/json", None):
        result = read(json.dumps(feed), content_type, links=True)
        assert [text for _, text in outline(result)] == [
            *("J", "A <b>", "2024-05-06T07:08:09Z\nAnn", "x", "y", "2024-06-06\nBob", "p & <q>", "r"),
        ]
        assert (result.media_type, result.warnings) == ("application/feed+json", ())
        assert result.metadata.modified == Dated("2024-06-06", "feed:item.date_modified")
        assert result.links == ("https://x.example/a",)


def test_truncated_json_feed_is_read_as_json() -> None:
    result = read('{"version": "https://jsonfeed.org/version/1", "title": "J", "items": [', "application/feed+json")
    assert "feed-malformed" in result.warnings
    assert result.blocks[0].kind == "code"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("AT&T rocks & rolls", "AT&T rocks & rolls"),
        ("Caf&eacute;&nbsp;5&deg;", "Café 5°"),
        ("&unknown; x", "&unknown; x"),
        ("5 < 6 <7", "5 < 6 <7"),
        ("a\x0bb&#11;c&#xD800;", "a\ufffdb\ufffdc\ufffd"),
        ("<![CDATA[R&D & <Q>]]> end", "R&D & <Q> end"),
        ("&#8722;3 &#x212B; don&#146;t &#X41;", "−3 \u212b don’t A"),
    ],
)
def test_what_xml_would_refuse_is_text_all_the_same(inner: str, text: str) -> None:
    """A reader that goes on after errors would print `AT` and `5`: it leaves out what it does not understand."""
    result = read(f"<rss><channel><title>{inner}</title><item><title>z</title></item></channel></rss>")
    assert [one for _, one in outline(result)] == [text, "z"]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<rss><channel><title>T</title><item><title>one</title></item><item><title>tw", ["T", "one", "tw"]),
        ("<rss><channel><title>T</b></title><item><title>one</item><item><title>two</title>", ["T", "one", "two"]),
        ("<rss><channel><title>T</title><zz:x>y</zz:x><item><title>one</title></item></channel></rss>", ["T", "one"]),
    ],
    ids=["truncated", "misnested", "undeclared-prefix"],
)
def test_malformed_feeds_are_read_as_far_as_possible_and_say_so(source: str, texts: list[str]) -> None:
    result = read(source, "text/xml")
    assert [text for _, text in outline(result)] == texts
    assert "feed-malformed" in result.warnings


def test_a_charset_that_is_none_or_wrong_is_not_believed() -> None:
    source = "<rss><channel><title>Mühle</title></channel></rss>"
    for label in ("foo-bar", "utf-16"):
        data = f'<?xml version="1.0" encoding="{label}"?>{source}'.encode()
        assert read(data, "application/rss+xml").text == "Mühle"
    assert read(f'<?xml version="1.0" encoding="iso-8859-1"?>{source}'.encode("latin-1")).text == "Mühle"


def test_entities_are_neither_expanded_nor_fetched() -> None:
    bomb = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {n} "{("&" + p + ";") * 10}">' for p, n in zip("abcdefghi", "bcdefghij")
    )
    source = (
        f'<?xml version="1.0"?><!DOCTYPE rss [{bomb}<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        "<rss><channel><title>T &j; &x;</title></channel></rss>"
    )
    assert read(source).text == "T &j; &x;"
    assert read(f"<!DOCTYPE rss SYSTEM 'http://x.example/rss.dtd'>{source[21:]}"[:60] + source[-60:]).text


@pytest.mark.parametrize(
    "source",
    [
        "<rss><channel><title>T</title>" + "<a>" * 100_000,
        "<rss><channel><title>T</title>" + "<![CDATA[" * 100_000,
        "<rss><channel><title>T</title>" + "<!--" * 100_000,
        "<rss>" + "<!DOCTYPE x [" * 20_000 + "<channel><title>T</title>",
        "<rss><channel><title>T</title>" + "&" * 300_000,
        "<rss><channel><title>T</title>" + "<item><title>x</title></item>" * 30_000,
        "<rss><channel><title>T</title><item>" + "<description>&lt;p>x</description>" * 30_000,
        "<rss " + "".join(f"a{n}='1' " for n in range(50_000)) + "><channel><title>T</title>",
    ],
    ids=["deep", "cdata", "comments", "doctypes", "ampersands", "entries", "parts", "attributes"],
)
def test_hostile_feeds_cost_little(source: str) -> None:
    """None of them may take long: what a test may take is the bound."""
    result = convert(source.encode(), content_type="application/rss+xml", url=URL)
    assert isinstance(result, Conversion | ConversionFailure)


def test_limits_cut_with_a_warning() -> None:
    items = "".join(f"<item><title>Entry {n}</title><description>&lt;p>text</description></item>" for n in range(50))
    result = read(f"<rss><channel><title>T</title>{items}</channel></rss>", text_chars_max=100)
    assert len(result.text) <= 100
    assert "text-cut" in result.warnings
    outline(result)


def test_a_feed_without_text_or_root_says_so() -> None:
    for source, reason in (("<rss><channel/></rss>", "no-text"), ("<feed>", "no-text"), ("<rss", "no-text")):
        result = convert(source.encode(), content_type="application/rss+xml", url=URL)
        assert isinstance(result, ConversionFailure)
        assert result.reason == reason, source


def test_names_of_an_older_or_unknown_standard_are_read_and_base64_is_not_text() -> None:
    for space in ("http://purl.org/atom/ns#", "http://example.com/necho"):
        result = read(
            f"<feed xmlns='{space}'><title>T</title><entry><summary mode='base64'>YQ==</summary></entry></feed>"
        )
        assert result.text == "T"
    assert (
        read("<rss xmlns='http://purl.org/net/x#'><channel><item><title>T</title></item></channel></rss>").text == "T"
    )


def test_a_summary_that_the_content_repeats_is_left_out() -> None:
    entry = "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><item><description>{}</description>"
    entry += "<content:encoded>&lt;p>The mill &lt;b>stands&lt;/b> by the sea.</content:encoded></item></channel></rss>"
    assert read(entry.format("The mill stands […]")).text == "The mill stands by the sea."
    assert read(entry.format("&lt;p>The mill&lt;/p>")).text == "The mill stands by the sea."
    assert read(entry.format("Of mills")).text == "Of mills\nThe mill stands by the sea."


@pytest.mark.parametrize(
    ("source", "said", "found"),
    [
        (b"<!-- made by x --><rss version='2.0'>", "text/html", "application/rss+xml"),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<rss>", "application/octet-stream", "application/rss+xml"),
        (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "text/plain", "application/rss+xml"),
        (b"<rdf:RDF xmlns='http://xmlns.com/foaf/0.1/'>", "application/xml", "application/xml"),
        (b"<a:feed xmlns:a='x'>", "application/xml", "application/xml"),
        (b"<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", "text/xml", "application/atom+xml"),
        (b'{"title": "x", "version": "https:\\/\\/jsonfeed.org\\/version\\/1.1"}', "", "application/feed+json"),
        (b'{"a": {"version": "https://jsonfeed.org/version/1"}}', "application/json", "application/json"),
        (b"<html><rss>", "application/rss+xml", "text/html"),
    ],
)
def test_feeds_are_told_by_their_content(source: bytes, said: str, found: str) -> None:
    assert sniff(source, said) == found


_PIECES = (
    "<item> </item> <title> </title> <![CDATA[ ]]> &lt; & < > x é <description> <p> </description> &nbsp; \x00 <entry> "
    "<content_type='html'> </content> <!-- --> <?x?> \ud7ff"
)
_piece = st.sampled_from([piece.replace("_", " ") for piece in _PIECES.split(" ")])


@given(st.sampled_from(["<rss><channel>", "<feed>", "<rdf:RDF xmlns='http://purl.org/rss/1.0/'>"]), st.lists(_piece))
def test_any_feed_is_borne_and_its_blocks_are_its_text(root: str, pieces: list[str]) -> None:
    result = convert((root + "".join(pieces)).encode(), content_type="application/rss+xml", url=URL)
    if isinstance(result, Conversion):
        outline(result)


@given(st.text(alphabet="ab&;<>#x9 \x0b![]CDATA-é", max_size=80))
def test_mending_a_mended_document_changes_nothing(text: str) -> None:
    once = mended(f"<a>{text}")
    assert mended(once) == once
