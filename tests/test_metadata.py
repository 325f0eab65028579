"""What pages say of themselves, each date with its source."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.conversion import Conversion, Dated, Metadata
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.dates import iso_date


def claims(head: str, body: str = "<p>text", html: str = "", **options: str) -> Metadata:
    result = convert(
        f"<html {html}><head>{head}</head><body>{body}</body></html>".encode(),
        content_type="text/html; charset=utf-8",
        url="https://x.example/dir/page",
        options=ConvertOptions(**options),  # type: ignore[arg-type]
    )
    assert isinstance(result, Conversion)
    return result.metadata


def linked(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_page_that_says_nothing_has_no_claims() -> None:
    assert claims("") == Metadata()


def test_open_graph_goes_before_the_title_element_and_the_heading_is_last() -> None:
    assert claims("<title> A  | Site</title><meta property=og:title content=A>").title == "A"
    assert claims("<title> A  | Site</title>").title == "A | Site"
    assert claims("", "<h1>Head <b>line</b></h1>").title == "Head line"


def test_linked_data_gives_author_site_and_dates() -> None:
    found = claims(
        linked(
            {
                "@context": "https://schema.org",
                "@graph": [
                    {"@type": "WebSite", "name": "Wrong", "datePublished": "1999-01-01"},
                    {
                        "@type": ["NewsArticle"],
                        "headline": "H",
                        "author": [{"@type": "Person", "name": "Ann"}, {"name": "Bob"}],
                        "publisher": {"name": "The Paper"},
                        "datePublished": "2024-05-06T07:08:09+0200",
                        "dateModified": "2024-05-07",
                    },
                ],
            }
        )
    )
    assert found == Metadata(
        title="H",
        author="Ann, Bob",
        site="The Paper",
        published=Dated("2024-05-06T07:08:09+02:00", "json-ld"),
        modified=Dated("2024-05-07", "json-ld"),
        types=("json-ld:WebSite", "json-ld:NewsArticle", "json-ld:Person"),
    )


@pytest.mark.parametrize(
    "source",
    ["{", "[" * 100_000, '{"@type":"Article","datePublished":20240101}', '{"a":' * 5_000, "null", '"text"', "[[[[]]]]"],
)
def test_broken_or_deep_linked_data_is_passed_over(source: str) -> None:
    head = (
        f"<script type=application/ld+json>{source}</script><meta property=article:published_time content=2024-01-02>"
    )
    assert claims(head).published == Dated("2024-01-02", "meta:article:published_time")


@pytest.mark.parametrize(
    ("markup", "source"),
    [
        ("<meta property='article:published_time' content='2024-05-06'>", "meta:article:published_time"),
        ("<meta name=DC.date.issued content=2024-05-06>", "meta:dc.date.issued"),
        ("<meta name=citation_publication_date content=2024/05/06>", "meta:citation_publication_date"),
        ("<meta itemprop=datePublished content=2024-05-06>", "meta:datepublished"),
        ("<meta name=date content='garbage'><meta name=date content=2024-05-06>", "meta:date"),
        ("<time class=entry-date datetime=2024-05-06>x</time>", "time"),
        ("<time itemprop=datePublished>6 May 2024</time>", "time"),
        ("<article><time datetime=2024-05-06>x</time></article>", "time"),
    ],
)
def test_published_date_names_its_source(markup: str, source: str) -> None:
    if markup.startswith("<meta"):
        assert claims(markup).published == Dated("2024-05-06", source)
    else:
        sure = "guessed" if markup.startswith("<article>") else "stated"
        assert claims("", markup).published == Dated("2024-05-06", source, sure)


def test_half_a_surrogate_pair_in_linked_data_is_replaced() -> None:
    found = claims('<script type="application/ld+json">{"@type":"Article","headline":"a\\ud800b\\u0000c"}</script>')
    assert found.title == "a\ufffdb\ufffdc"


def test_modified_date_and_citation_authors() -> None:
    found = claims(
        "<meta name=citation_author content='Ann A'><meta name=citation_author content='Bob B'>"
        "<meta property=article:modified_time content=2024-05-06T07:08Z><meta property=og:site_name content=Site>"
    )
    assert (found.author, found.site) == ("Ann A, Bob B", "Site")
    assert found.modified == Dated("2024-05-06T07:08Z", "meta:article:modified_time")
    assert found.published is None


def test_an_author_that_is_an_address_is_none() -> None:
    assert claims("<meta property=article:author content=https://fb.example/ann>").author is None


def test_language_is_a_tag() -> None:
    assert claims("", html="lang=en_US").language == "en-US"
    assert claims("", html="lang='not a language'").language is None
    assert claims("<meta http-equiv=content-language content='de, en'>").language == "de"


def test_canonical_is_absolute_and_on_the_web() -> None:
    assert claims("<link rel='Canonical' href=/a?b>").canonical == "https://x.example/a?b"
    assert claims("<meta property=og:url content=https://y.example/>").canonical == "https://y.example/"
    assert claims("<link rel=canonical href=javascript:x>").canonical is None
    assert claims("<link rel=canonical href='http://[bad'>").canonical is None


def test_htmldate_is_asked_only_on_request_and_only_when_the_page_states_none() -> None:
    body = "<div class=post><p>Published on May 6, 2024 by Ann</p><p>Text of the post.</p></div>"
    assert claims("", body).published is None
    assert claims("", body, dates="htmldate").published == Dated("2024-05-06", "htmldate", "guessed")
    stated = "<meta name=date content=2020-02-02>"
    assert claims(stated, body, dates="htmldate").published == Dated("2020-02-02", "meta:date")


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2024", "2024"),
        ("2024-05", "2024-05"),
        ("2024-5-6", "2024-05-06"),
        ("2024/05/06", "2024-05-06"),
        ("20240506", "2024-05-06"),
        ("20240506T070809Z", "2024-05-06T07:08:09Z"),
        ("2024-05-06T07:08:09.123456Z", "2024-05-06T07:08:09Z"),
        ("2024-05-06 07:08", "2024-05-06T07:08"),
        ("2024-05-06T07:08:09+0200", "2024-05-06T07:08:09+02:00"),
        ("2024-05-06T07:08:09-05", "2024-05-06T07:08:09-05:00"),
        ("Mon, 06 May 2024 07:08:09 GMT", "2024-05-06T07:08:09Z"),
        ("Mon, 6 May 2024 7:08 EDT", "2024-05-06T07:08-04:00"),
        ("06 May 2024 07:08:09 +02:00", "2024-05-06T07:08:09+02:00"),
        ("06 May 2024 07:08:09 XYZ", None),
        ("6 May 2024", "2024-05-06"),
        ("May 6th, 2024", "2024-05-06"),
        ("Sept. 6, 2024", "2024-09-06"),
        ("2024年5月6日", "2024-05-06"),
        ("2024년 5월 6일", "2024-05-06"),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("2024-05-06T25:00", None),
        ("2024-05-06T07:08+99:99", None),
        ("0001-01-01", None),
        ("3024-01-01", None),
        ("1970-01-01T00:00:00Z", None),
        ("03/04/2024", None),
        ("1715000000", None),
        ("6 Foo 2024", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_become_iso_or_are_refused(written: str, iso: str | None) -> None:
    assert iso_date(written) == iso


@given(st.text(alphabet="0123456789-/T:Z+ .年月日MayGMT,", max_size=40))
def test_any_date_text_is_borne(text: str) -> None:
    found = iso_date(text)
    assert found is None or iso_date(found) == found


def test_types_are_named_with_their_syntax_once_outermost_first() -> None:
    found = claims(
        "<meta property=og:type content=Product>"
        + linked({"@type": ["schema:Product", "http://schema.org/Vehicle/"], "offers": [{"@type": "Offer"}] * 9}),
        "<div itemscope itemtype='https://schema.org/Product'><b itemprop=brand itemscope itemtype=//s.org/Brand>B</b>",
    )
    assert found.types == (
        *("og:product", "json-ld:Product", "json-ld:Vehicle", "json-ld:Offer"),
        *("microdata:Product", "microdata:Brand"),
    )


def test_types_are_bounded_and_only_names() -> None:
    many = [{"@type": f"T{number}"} for number in range(100)]
    assert len(claims(linked(many)).types) == 40
    assert claims(linked([{"@type": "a b"}, {"@type": "x" * 100}, {"@type": 7}, {"@type": "a\n"}])).types == ()


def test_microdata_gives_what_linked_data_does_not() -> None:
    found = claims(
        "",
        "<article itemscope itemtype=http://schema.org/NewsArticle><h1 itemprop=headline>H</h1>"
        "<span itemprop='author' itemscope itemtype=http://schema.org/Person><a itemprop=name>Ann</a></span>"
        "<meta itemprop=dateModified content=2024-05-08><time itemprop=datePublished datetime=2024-05-06T10:00>x</time>"
        "<div itemprop=publisher itemscope><b itemprop=name>The Paper</b></div>"
        "<div itemprop=comment itemscope itemtype=http://schema.org/Comment><i itemprop=author>Troll</i></div>",
    )
    assert (found.title, found.author, found.site) == ("H", "Ann", "The Paper")
    assert found.published == Dated("2024-05-06T10:00", "microdata")
    assert found.modified == Dated("2024-05-08", "meta:datemodified")


def test_articles_side_by_side_are_not_the_page() -> None:
    one = "<article itemscope itemtype=http://schema.org/Article><b itemprop=author>Ann</b></article>"
    assert claims("", one).author == "Ann"
    assert claims("", one * 2).author is None


def test_an_author_named_elsewhere_in_linked_data_is_found() -> None:
    graph = [
        {"@type": "Article", "author": [{"@id": "#ann"}], "publisher": {"@id": "#p"}},
        {"@type": "Person", "@id": "#ann", "name": "Ann", "worksFor": {"@id": "#p"}},
        {"@type": "Organization", "@id": "#p", "name": "P", "member": {"@id": "#ann"}},
    ]
    found = claims(linked({"@graph": graph}))
    assert (found.author, found.site) == ("Ann", "P")


def test_a_review_of_a_product_does_not_sign_the_page() -> None:
    """The review's author and date became those of the product's page: it is the first object of a known type."""
    review = {"@type": "Review", "author": "A customer", "datePublished": "2020-01-01"}
    found = claims(linked({"@type": "Product", "name": "Cup", "review": [review]}))
    assert (found.author, found.published) == (None, None)
    assert claims(linked(review)).author == "A customer"


def test_a_question_signs_its_page() -> None:
    question = {"@type": "Question", "name": "Q", "author": {"name": "Asker"}, "dateCreated": "2024-05-06"}
    found = claims(linked({"@type": "QAPage", "mainEntity": question}))
    assert (found.author, found.published) == ("Asker", Dated("2024-05-06", "json-ld"))


@pytest.mark.parametrize(
    ("first", "second", "sure"),
    [
        ("2024-05-06", "2024-05-07T01:00:00+02:00", "stated"),
        ("2024-05-06", "2024-05", "stated"),
        ("2024-05-06", "2024-05-08", "conflicting"),
        ("2024-05-06", "2023", "conflicting"),
        ("2024-05-06", "soon", "stated"),
    ],
)
def test_sources_that_state_other_days_are_told(first: str, second: str, sure: str) -> None:
    head = linked({"@type": "Article", "datePublished": first}) + f"<meta name=dc.date content='{second}'>"
    assert claims(head).published == Dated(first, "json-ld", sure)


def test_a_page_changed_before_it_was_published_is_conflicting() -> None:
    found = claims(linked({"@type": "Article", "datePublished": "2024-05-06", "dateModified": "2024-05-01"}))
    assert found.published == Dated("2024-05-06", "json-ld", "conflicting")
    assert found.modified == Dated("2024-05-01", "json-ld", "conflicting")


@pytest.mark.parametrize(
    ("before", "after"),
    [("<!--", "-->"), ("//<![CDATA[\n", "\n//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("", ";"), ("\n ", " \n")],
)
def test_linked_data_is_read_in_the_wrappings_of_old_scripts(before: str, after: str) -> None:
    source = f'{before}{{"@type":"Article","author":"Ann","headline":"a // b --> c; "}}{after}'
    assert claims(f"<script type=application/ld+json>{source}</script>").author == "Ann"


@pytest.mark.parametrize(
    "body",
    [
        "<div itemscope itemtype=x:Product>" * 4_000 + "<b itemprop=name>x" * 4_000,
        "<div itemscope itemtype=x:Product>" + "<p itemprop=name>x" * 50_000,
        "<div itemscope itemprop='" + "a " * 50_000 + "'>" * 50,
        "<b itemscope itemprop=offers>" * 3_000,
    ],
    ids=["deep", "many", "names", "items"],
)
def test_hostile_microdata_is_borne(body: str) -> None:
    assert claims("", f"<p>seen</p>{body}").title is None


def test_numbers_of_linked_data_are_not_dates() -> None:
    assert claims(linked({"@type": "Article", "datePublished": 20240506})).published is None
