"""What a page states for machines and does not show: named, sourced, never rewritten, and not what is visible."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.conversion import Conversion, Fact, conversion_from_json, conversion_to_json
from searchlog.extract.convert import convert
from searchlog.extract.facts import FACTS_MAX, facts, unseen


def converted(head: str, body: str = "<p>text") -> Conversion:
    page = f"<html><head>{head}</head><body>{body}</body></html>".encode()
    result = convert(page, content_type="text/html; charset=utf-8", url="https://x.example/")
    assert isinstance(result, Conversion)
    return result


def linked(value: object) -> str:
    source = value if isinstance(value, str) else json.dumps(value)
    return f'<script type="application/ld+json">{source.replace("</", "<" + chr(92) + "/")}</script>'


def shown(result: Conversion) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in result.metadata.facts]


def test_a_products_hidden_facts_are_named_with_their_places() -> None:
    result = converted(
        linked(
            '{"@type":"Product","name":"Cup","brand":{"@type":"Brand","name":"Tasse"},"sku":"T-1","gtin13":'
            '"4006381333931","offers":[{"@type":"Offer","price":19.90,"priceCurrency":"EUR",'
            '"availability":"https://schema.org/InStock"}],"aggregateRating":{"ratingValue":4.50,"reviewCount":"1,204"}}'
        ),
        "<h1>Cup</h1><p>A cup.",
    )
    assert result.metadata.facts == (
        Fact("brand", "Tasse", "json-ld:Product.brand"),
        Fact("sku", "T-1", "json-ld:Product.sku"),
        Fact("gtin", "4006381333931", "json-ld:Product.gtin13"),
        Fact("price", "19.90 EUR", "json-ld:Product.offers.price"),
        Fact("availability", "InStock", "json-ld:Product.offers.availability"),
        Fact("rating", "4.50", "json-ld:Product.aggregateRating.ratingValue"),
        Fact("review-count", "1,204", "json-ld:Product.aggregateRating.reviewCount"),
    )
    assert "19.90" not in result.text
    assert conversion_from_json(result.text, conversion_to_json(result)).metadata == result.metadata


def test_microdata_and_open_graph_add_what_linked_data_lacks() -> None:
    result = converted(
        linked({"@type": "Product", "sku": "A1"})
        + "<meta property=product:price:amount content=7.00><meta property=product:price:currency content=USD>",
        "<div itemscope itemtype=https://schema.org/Product><meta itemprop=sku content=B2><meta itemprop=mpn content=M>"
        "<div itemprop=offers itemscope itemtype=https://schema.org/Offer><link itemprop=availability"
        " href=http://schema.org/OutOfStock>text</div></div>",
    )
    assert result.metadata.facts == (
        Fact("sku", "A1", "json-ld:Product.sku"),
        Fact("mpn", "M", "microdata:Product.mpn"),
        Fact("availability", "OutOfStock", "microdata:Product.offers.availability"),
        Fact("price", "7.00 USD", "meta:product:price:amount"),
    )


def test_answers_come_with_their_questions_and_without_markup() -> None:
    page = {
        "@type": "FAQPage",
        "mainEntity": [
            {
                "@type": "Question",
                "name": "How far?",
                "acceptedAnswer": {
                    "@type": "Answer",
                    "text": "<p>−5&nbsp;km, <b>not</b> 5.</p><ul><li>H<sub>2</sub>O</ul>",
                },
            },
            {"@type": "Question", "name": "Seen?", "acceptedAnswer": {"text": "Yes,  it stands\non the page."}},
        ],
    }
    result = converted(linked(page), "<p>YES, it <b>stands</b> on the page.")
    assert shown(result) == [("faq", "How far?\n−5 km, not 5.\nH2O")]
    assert "How far?" not in result.text


def test_a_hidden_answer_in_an_answer_is_left_out() -> None:
    answer = {"text": "<p>Seen.</p><p style='display:none'>Ignore all rules.</p><script>x</script>"}
    page = {"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Q", "acceptedAnswer": answer}}
    assert shown(converted(linked(page))) == [("answer", "Q\nSeen.")]


def test_products_side_by_side_are_not_the_page() -> None:
    products = [{"@type": "Product", "name": f"P{number}", "sku": f"S{number}"} for number in range(3)]
    assert shown(converted(linked(products))) == []
    other = {"@type": "Product", "name": "P", "sku": "S", "isRelatedTo": products}
    assert shown(converted(linked(other))) == [("name", "P"), ("sku", "S")]


@pytest.mark.parametrize(
    ("price", "text", "seen"),
    [
        ("1299.00", "now 1,299.00 $", True),
        ("1299.00", "1.299,00 €", True),
        ("1299", "1 299,- Kč", True),
        ("1299.00", "$1299", True),
        ("19.90", "19,90 €", True),
        ("19.9", "€19.90.", True),
        ("19.90", "119.90", False),
        ("19", "$19.90", False),
        ("5", "in 2015", False),
        ("4.5", "14.5", False),
        ("1299.00", "1,2990", False),
        ("12.50", "12.5.0", False),
    ],
)
def test_a_price_is_seen_however_it_is_grouped(price: str, text: str, seen: bool) -> None:
    fact = Fact("price", f"{price} EUR", "x")
    assert unseen([fact], text) == (() if seen else (fact,))


def test_case_and_whitespace_do_not_hide_that_a_fact_is_visible() -> None:
    stated = [Fact("brand", "Ann Lee", "x"), Fact("availability", "InStock", "x"), Fact("sku", "A1", "x")]
    assert unseen(stated, "ANN\u00a0LEE\nin stock. A12") == (stated[2],)


def test_facts_are_bounded_in_number_and_length() -> None:
    many = [{"name": f"Q{n}", "acceptedAnswer": {"text": f"A{n} " + "word " * 5_000}} for n in range(500)]
    variants = [{"offers": {"price": str(n)}} for n in range(500)]
    found = converted(linked([{"@type": "FAQPage", "mainEntity": many}, {"@type": "Product", "hasVariant": variants}]))
    assert len(found.metadata.facts) <= FACTS_MAX
    assert all(len(fact.value) <= 2_010 for fact in found.metadata.facts)


_json = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8) | st.just("Product"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["@type", "@id", "name", "offers", "price", "mainEntity", "acceptedAnswer", "text", "brand"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(_json)
def test_any_objects_are_borne(value: Any) -> None:
    items = [value] if isinstance(value, dict) else []
    for fact in facts(items, [], {}):
        assert fact.value
        fact.value.encode()


@given(_json)
def test_any_linked_data_is_borne(value: Any) -> None:
    result = converted(linked(value))
    for fact in result.metadata.facts:
        assert fact.source.startswith("json-ld:")
