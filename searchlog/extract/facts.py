"""Facts that a page states for machines: of its product, its event, its questions and answers. Pure.

They are claims of the page, named and with the place where each stands; `unseen` keeps those that the visible text
does not show anyway. Numbers, units and names are never rewritten. A page of several products side by side has no
product of its own, and gives none. Spec: schema.org Product, Offer, AggregateRating, Event, FAQPage, QAPage; the Open
Graph product namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from typing import Any

from searchlog.extract.builder import Builder
from searchlog.extract.conversion import Fact
from searchlog.extract.flat import read_flat
from searchlog.extract.structured import type_names
from searchlog.extract.style import Sheet

__all__ = ["FACTS_MAX", "facts", "unseen"]

FACTS_MAX = 60
_VALUE_CHARS_MAX = 2_000
_MARKUP_CHARS_MAX = 8_000
"""Of an answer's source."""
_VALUES_MAX = 10
"""Of one name."""
_ANSWERS_MAX = 40

_PRODUCTS = frozenset(
    ("Product", "ProductGroup", "ProductModel", "IndividualProduct", "Vehicle", "Car", "SoftwareApplication")
) | frozenset(("MobileApplication", "WebApplication", "VideoGame"))
_EVENT = re.compile(r"Event$|Festival$|Hackathon$")
_PRODUCT_KEYS = {
    "name": "name",
    "brand": "brand",
    "manufacturer": "manufacturer",
    "sku": "sku",
    "mpn": "mpn",
    **dict.fromkeys(("gtin", "gtin8", "gtin12", "gtin13", "gtin14", "isbn"), "gtin"),
    "description": "description",
}
_OFFER_KEYS = (("price", "price"), ("lowPrice", "price-low"), ("highPrice", "price-high"))
_RATING_KEYS = (
    ("ratingValue", "rating"),
    ("bestRating", "rating-best"),
    ("ratingCount", "rating-count"),
    ("reviewCount", "review-count"),
)
_EVENT_KEYS = {"name": "name", "startDate": "start", "endDate": "end", "location": "location"}
_META_KEYS = (
    ("product:brand", "brand"),
    ("product:retailer_item_id", "sku"),
    ("product:availability", "availability"),
    ("og:availability", "availability"),
)
_META_PRICES = (("product:price:amount", "product:price:currency"), ("og:price:amount", "og:price:currency"))
_TERM = re.compile(r"https?://(?:www\.)?schema\.org/(\w+)/?")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def facts(
    linked: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]], metas: Mapping[str, Sequence[str]]
) -> tuple[Fact, ...]:
    """Return what the page states, each name from the first syntax that has it, bounded in number and length.

    linked, items: as `structured.py` gives them. metas: values of `meta` elements by name.
    """
    out: list[Fact] = []
    for found in (list(_of_objects("json-ld", linked)), list(_of_objects("microdata", items)), list(_of_metas(metas))):
        given = {fact.name for fact in out}
        out += (fact for fact in found if fact.name not in given)
    counts: dict[str, int] = {}
    kept: dict[tuple[str, str], Fact] = {}
    for fact in out:
        counts[fact.name] = counts.get(fact.name, 0) + 1
        if counts[fact.name] <= (_ANSWERS_MAX if fact.name in _ANSWERS else _VALUES_MAX):
            kept.setdefault((fact.name, fact.value), fact)
    return tuple(kept.values())[:FACTS_MAX]


_ANSWERS = ("faq", "answer")


def _of_objects(syntax: str, objects: Sequence[Mapping[str, Any]]) -> Iterator[Fact]:
    own = [item for item in objects if not item.get("@nested")]
    products = [item for item in own if not _PRODUCTS.isdisjoint(type_names(item))]
    if len({_text(item.get("name")) for item in products}) == 1:
        yield from _of_product(syntax, products[0])
    events = [item for item in own if any(map(_EVENT.search, type_names(item)))]
    if len(events) == 1:
        yield from _of_keys(events[0], _EVENT_KEYS, f"{syntax}:{_kind(events[0])}")
    read: set[int] = set()
    for item in own:
        names = type_names(item)
        if "FAQPage" in names:
            yield from _of_questions(item, "faq", f"{syntax}:FAQPage.mainEntity", read)
        elif "QAPage" in names:
            yield from _of_questions(item, "answer", f"{syntax}:QAPage.mainEntity", read)


def _kind(item: Mapping[str, Any]) -> str:
    return next((name for name in type_names(item) if name.isprintable()), "")[:40]


def _of_keys(item: Mapping[str, Any], keys: Mapping[str, str], source: str) -> Iterator[Fact]:
    for key, name in keys.items():
        for value in _list(item.get(key)):
            text = _text(value) or (_text(value.get("name")) if isinstance(value, Mapping) else "")
            yield from _fact(name, text, f"{source}.{key}")


def _of_product(syntax: str, item: Mapping[str, Any]) -> Iterator[Fact]:
    source = f"{syntax}:{_kind(item)}"
    yield from _of_keys(item, _PRODUCT_KEYS, source)
    holders = [(source, item)]
    holders += [(f"{source}.hasVariant", one) for one in _list(item.get("hasVariant")) if isinstance(one, Mapping)]
    for place, holder in holders:
        for offer in _list(holder.get("offers")):
            if isinstance(offer, Mapping):
                yield from _of_offer(offer, f"{place}.offers", nested=True)
    for rating in _list(item.get("aggregateRating"))[:1]:
        if isinstance(rating, Mapping):
            yield from _of_keys(rating, dict(_RATING_KEYS), f"{source}.aggregateRating")


def _of_offer(offer: Mapping[str, Any], source: str, *, nested: bool) -> Iterator[Fact]:
    currency = _text(offer.get("priceCurrency"))
    for key, name in _OFFER_KEYS:
        for price in _list(offer.get(key))[:1]:
            if _text(price):
                yield from _fact(name, f"{_text(price)} {currency}", f"{source}.{key}")
    if "price" not in offer:
        for given in _list(offer.get("priceSpecification"))[:1]:
            if isinstance(given, Mapping) and _text(given.get("price")):
                with_currency = f"{_text(given.get('price'))} {_text(given.get('priceCurrency')) or currency}"
                yield from _fact("price", with_currency, f"{source}.priceSpecification.price")
    yield from _of_keys(offer, {"availability": "availability"}, source)
    if nested:
        for inner in _list(offer.get("offers")):
            if isinstance(inner, Mapping):
                yield from _of_offer(inner, f"{source}.offers", nested=False)


def _of_questions(item: Mapping[str, Any], name: str, source: str, read: set[int]) -> Iterator[Fact]:
    """Yield each question and its answer, on two lines; each object once, however often an `@id` refers to it."""
    for question in _list(item.get("mainEntity"), _ANSWERS_MAX):
        if not isinstance(question, Mapping) or id(question) in read or len(read) >= _ANSWERS_MAX:
            continue
        read.add(id(question))
        asked = _plain(question.get("name")) or _plain(question.get("text"))
        for key in ("acceptedAnswer", "suggestedAnswer"):
            count_max = 1 if key == "acceptedAnswer" else 3
            answers = [one for one in _list(question.get(key)) if isinstance(one, Mapping)][:count_max]
            for answer in filter(None, [_plain(one.get("text")) for one in answers]):
                yield from _fact(name, f"{asked}\n{answer}", f"{source}.{key}", fold=False)


def _of_metas(metas: Mapping[str, Sequence[str]]) -> Iterator[Fact]:
    for key, name in _META_KEYS:
        for value in metas.get(key, ())[:1]:
            yield from _fact(name, value, f"meta:{key}")
    for amount, currency in _META_PRICES:
        for value in metas.get(amount, ())[:1]:
            if value.strip():
                yield from _fact("price", f"{value} {next(iter(metas.get(currency, ())), '')}", f"meta:{amount}")


def _fact(name: str, value: str, source: str, *, fold: bool = True) -> Iterator[Fact]:
    value = _UNSTORABLE.sub("\ufffd", " ".join(value.split()) if fold else value.strip())
    term = _TERM.fullmatch(value)
    value = term[1] if term else value
    if len(value) > _VALUE_CHARS_MAX:
        value = value[:_VALUE_CHARS_MAX].rsplit(None, 1)[0] + " …"
    if value:
        yield Fact(name, value, source)


def _list(value: Any, count_max: int = _VALUES_MAX) -> list[Any]:
    if value is None:
        return []
    return value[:count_max] if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    """Return a string or a number as it stands, the first of a list of them; empty for anything else.

    Character references are resolved twice: publishing software writes them where JSON has no need of them.
    """
    value = value[0] if isinstance(value, list) and value else value
    return unescape(unescape(value)) if isinstance(value, str) else ""


def _plain(value: Any) -> str:
    """Return text in which markup may stand without it, by the linear reading of a page."""
    text = _text(value)[:_MARKUP_CHARS_MAX]
    if "<" in text:
        text = _without_markup(text)
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


@lru_cache(256)
def _without_markup(text: str) -> str:
    builder = Builder(Sheet())
    read_flat(text, builder, full=lambda: False, late=lambda: False)
    built = builder.finish(_MARKUP_CHARS_MAX)
    return "\n".join(built.text[block.start : block.end] for block in built.blocks if block.hidden is None)


def unseen(stated: Sequence[Fact], text: str) -> tuple[Fact, ...]:
    """Return the facts whose value is not in the visible text, whitespace and case aside.

    A price is seen where its number is, however that is grouped; an answer where it is, whatever the question.
    """
    if not stated:
        return ()
    spaced = " ".join(text.casefold().split())
    squeezed = spaced.replace(" ", "")
    return tuple(fact for fact in stated if not _is_seen(fact, spaced, squeezed))


_WHOLE_WORD_CHARS_MAX = 24
"""Shorter values must stand alone: the `5` of a rating is not seen in `2015`."""


def _is_seen(fact: Fact, spaced: str, squeezed: str) -> bool:
    value = fact.value.casefold()
    if fact.name.startswith("price"):
        return any(_stands_in(form, spaced) for form in _number_forms(value.split(" ")[0]))
    if fact.name in _ANSWERS:
        value = value.partition("\n")[2]
    value = " ".join(value.removesuffix(" …").split())
    if fact.name == "availability" or len(value) > _WHOLE_WORD_CHARS_MAX:
        return value.replace(" ", "") in squeezed
    return any(_stands_in(form, spaced) for form in _number_forms(value))


def _stands_in(value: str, text: str) -> bool:
    """Return whether the value stands in the text as a whole; what is there very often is taken to be."""
    at = text.find(value)
    for _ in range(_PLACES_MAX):
        if at < 0:
            return False
        before, after = text[at - 1 : at], text[at + len(value) : at + len(value) + 2]
        if not before.isalnum() and not after[:1].isalnum() and not _goes_on(text[max(0, at - 2) : at], after):
            return True
        at = text.find(value, at + 1)
    return True


_PLACES_MAX = 100


def _goes_on(before: str, after: str) -> bool:
    """Return whether a number goes on beyond what was found: `4.5` in `14.5`, `19` in `19.90`."""
    return bool(re.fullmatch(r"[.,]\d", after)) or bool(re.fullmatch(r"\d[.,]", before))


_NUMBER = re.compile(r"(\d{1,12})(?:\.(\d{1,2}))?")


def _number_forms(value: str) -> list[str]:
    """Return the ways in which pages write a number: `1299.00`, `1,299.00`, `1.299,00`, `1 299`, …; else the value."""
    match = _NUMBER.fullmatch(value)
    if match is None:
        return [value]
    whole, part = match.groups()
    grouped = [whole, *(f"{int(whole):,}".replace(",", mark) for mark in (",", ".", " ", "'", "’") if len(whole) > 3)]
    forms = [value]
    for number in grouped:
        if part is None or not part.strip("0"):
            forms += [number, f"{number}.00", f"{number},00", f"{number},-", f"{number}.-"]
        if part is not None:
            forms += [f"{number}{mark}{part.ljust(2, '0')}" for mark in (".", ",")]
    return list(dict.fromkeys(forms))
