"""What the layout of a page says about each of its blocks, as whole numbers: the input of `main_text.py`. Pure.

Shares are percent, sizes are steps of a logarithm, distances are counts. Nothing depends on one language: sizes count
an ideograph as three letters, and the few words looked for stand in many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from searchlog.extract.conversion import Block, Metadata
from searchlog.extract.elements import Layout
from searchlog.extract.surroundings import NAMES, Sizes, Surroundings, percent, steps

__all__ = ["BLOCK_FEATURES", "PAGE_FEATURES", "Features", "features"]

_KINDS = ("heading", "paragraph", "list-item", "table-row", "code", "quote", "caption", "term", "other")
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_FURNITURE_NUMBERS = {None: 0, "nav": 1, "header": 2, "footer": 3, "aside": 4, "form": 5, "boilerplate": 6}
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_IDEOGRAPH = re.compile(f"[{_CJK}]")
_TITLE_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\d:\d\d\b|\bago\b|[年前月]|назад|\bvor \d|\bhace\b|\bil y a\b")
"""Looked for where there are digits."""
_SECTIONS = (
    re.compile(
        r"\bcomments?\b|leave a (?:reply|comment)|\brepl(?:y|ies)\b|\bresponses?\b|kommentar|commentaire|comentario|"
        "коммент|评论|留言|回复|コメント|댓글",
        re.I,
    ),
    re.compile(
        r"\brelated\b|recommended|you (?:may|might)|\bmore (?:from|in|on|stories|articles|posts)\b|also (?:like|read)|"
        r"\blatest\b|\brecent\b|popular|trending|(?:read|up) next|keep reading|\bsimilar\b|ähnliche|weitere|verwandt|"
        "à lire|relacionad|похож|相关|推荐|热门|最新|関連|인기|추천",
        re.I,
    ),
    re.compile(
        r"newsletter|subscribe|sign ?up|follow us|about the author|\bshare\b|\bcontact\b|\bcategories\b|\barchives\b|"
        r"\btags\b|\bsearch\b|\bcart\b|\bmenu\b|订阅|分享|关于|联系|标签",
        re.I,
    ),
)
"""Headings over comments, over links to other pages, and over what a site says everywhere."""
_PRICE = re.compile(r"[$€£¥₹₩]\s?\d|\d\s?(?:USD|EUR|€|£|元|円|₽|zł|kr\b)")
_ADDRESSES = {
    "forum": re.compile(r"forum|thread|topic|discuss|communit|question|/t/|comments", re.I),
    "reference": re.compile(
        r"\bdocs?\b|documentation|reference|manual|\bapi\b|guide|wiki|\bhelp\b|tutorial|\blearn", re.I
    ),
    "product": re.compile(r"product|/p/|/dp/|/items?/|\bbuy\b|/app/", re.I),
    "collection": re.compile(r"collection|categor|/c/|/cat|shop|store|browse|department", re.I),
    "article": re.compile(r"blog|news|article|post|story|/20\d\d/|magazine|stories", re.I),
    "service": re.compile(r"service|pricing|solution|feature|about|contact|plans|enterprise|platform|software", re.I),
    "listing": re.compile(
        r"jobs?\b|list|search|director|rank|top-|best-|recipes|courses|events|archive|\btags?\b|\?", re.I
    ),
}
"""Words of addresses by the type of page that they suggest."""
_DIGIT = re.compile(r"\d")
_HEADING_WIDTH_MAX = 90
_TITLE_WIDTH_MAX = 150
_TEXT_LOOKED_AT = 400
_LONG = 100
"""Width from which a block with few links is running text."""
_NEAR, _WIDE = 5, 15
"""How many blocks on each side make up what is near, and what is around."""
_NO_TITLE = -99


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_SHARED_FEATURES = _names(
    "page_width page_blocks page_link page_long page_item page_row page_code page_heading page_dated page_main "
    "page_articles page_forum_type page_article_type address_depth best_record_width best_record_number "
    "best_record_blocks"
)
"""What every block of a page is told of it. All of `PAGE_FEATURES` made the choice of blocks worse: too few pages to
learn from."""
PAGE_FEATURES = (
    *_SHARED_FEATURES,
    *_names("page_product_type page_list_type page_firm_type page_faq_type page_site_type page_priced page_asking"),
    *_names("page_linked page_comment page_prose_average page_prose_longest"),
    *(f"address_{kind}" for kind in _ADDRESSES),
)
BLOCK_FEATURES = (
    *_names("furniture kind level width link title_words repeats same_path_number same_path_width same_path_average"),
    *_names("at at_block from_start from_end from_title long_before near_link wide_link"),
    *_names("section section_width section_link from_heading"),
    *NAMES,
    *_SHARED_FEATURES,
)


@dataclass(frozen=True, slots=True)
class Features:
    """Of one page."""

    page: tuple[int, ...]
    """In the order of `PAGE_FEATURES`."""
    rows: list[tuple[int, ...]]
    """For each visible block, in the order of `BLOCK_FEATURES`."""
    visible: list[int]
    """Indices of the visible blocks."""
    widths: list[int]
    """Of each visible block: its size in letters, an ideograph as three."""


def features(text: str, blocks: Sequence[Block], layout: Layout, metadata: Metadata, url: str) -> Features:
    """Return the features of a page's visible blocks. layout: of these blocks, as the walk met them."""
    page = _Page(text, blocks, layout, metadata, url)
    whole = page.whole()
    return Features(whole, page.rows(whole[: len(_SHARED_FEATURES)]), page.visible, page.visible_widths())


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text) + 2 * len(_IDEOGRAPH.findall(text))


class _Page:
    """The visible blocks of a page, their sizes and what is around them."""

    def __init__(self, text: str, blocks: Sequence[Block], layout: Layout, metadata: Metadata, url: str) -> None:
        self._blocks, self._layout, self._metadata, self._url = blocks, layout, metadata, url
        self._texts = [text[block.start : block.end] for block in blocks]
        self.visible = [i for i, block in enumerate(blocks) if block.hidden is None]
        count = len(blocks)
        self._width, self._link, self._long, ones = [0] * count, [0] * count, [0] * count, [0] * count
        for i in self.visible:
            width = self._width[i] = _width(self._texts[i])
            linked = layout.linked[i]
            link = self._link[i] = min(width, width * linked // len(self._texts[i])) if linked else 0
            self._long[i] = width if width >= _LONG and 3 * link < width else 0
            ones[i] = 1
        self._sizes = Sizes(*([0, *accumulate(each)] for each in (self._width, self._link, self._long, ones)))
        self._total = self._sizes.text[-1] or 1
        self._around = Surroundings(layout.elements, self._sizes, count)

    def visible_widths(self) -> list[int]:
        return [self._width[i] for i in self.visible]

    def whole(self) -> tuple[int, ...]:
        """Return `PAGE_FEATURES`."""
        texts, width, elements = self._texts, self._width, self._layout.elements
        kinds = dict.fromkeys(_KINDS, 0)
        headings = dated = priced = asking = linked = comment = long = 0
        for i in self.visible:
            kind = self._blocks[i].kind
            kinds[kind] += width[i]
            if kind == "heading":
                headings += 1
                asking += texts[i].endswith(("?", "？"))
            linked += 2 * self._link[i] > width[i]
            long += self._long[i] > 0
            comment += width[i] if self._around.is_comment(self._layout.element_of[i]) else 0
            if _DIGIT.search(texts[i], 0, _TEXT_LOOKED_AT):
                priced += _PRICE.search(texts[i], 0, _TEXT_LOOKED_AT) is not None
                dated += _DATE.search(texts[i], 0, _TEXT_LOOKED_AT) is not None
        articles = sum(elements.paths[element.path].tag == "article" for element in elements)
        types = " ".join(self._metadata.types).lower()
        count = len(self.visible) or 1
        return (
            steps(self._total),
            steps(count),
            percent(self._sizes.link[-1], self._total),
            percent(self._sizes.long[-1], self._total),
            percent(kinds["list-item"], self._total),
            percent(kinds["table-row"], self._total),
            percent(kinds["code"], self._total),
            percent(headings, count),
            percent(dated, count),
            self._around.main_percent(),
            min(articles, 30),
            int(any(word in types for word in ("forum", "question", "qapage"))),
            int(any(word in types for word in ("article", "posting", "recipe"))),
            min(self._url.rstrip("/").count("/"), 10),
            *self._around.record,
            int("product" in types),
            int(any(word in types for word in ("itemlist", "collection"))),
            int(any(word in types for word in ("organization", "business", "service", "softwareapplication"))),
            int("faq" in types),
            int("og:website" in types),
            percent(priced, count),
            percent(asking, headings),
            percent(linked, count),
            percent(comment, self._total),
            steps(self._sizes.long[-1] // (long or 1)),
            steps(max(self._long, default=0)),
            *(int(pattern.search(self._url, 0, 300) is not None) for pattern in _ADDRESSES.values()),
        )

    def rows(self, shared: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return `BLOCK_FEATURES` of each visible block. shared: what all are told of the page."""
        blocks, element_of, elements = self._blocks, self._layout.element_of, self._layout.elements
        around = self._around
        around.look(blocks, self._texts, element_of)
        sections = _Sections(blocks, self._texts, self._sizes, self.visible)
        title = frozenset(_TITLE_WORD.findall((self._metadata.title or "").lower()))
        heading = self._title(title)
        from_title = self._sizes.text[heading] if heading >= 0 else None
        repeats = Counter([self._texts[i] for i in self.visible])
        alike = self._alike()
        element_rows: dict[int, tuple[int, ...]] = {}
        out = []
        for place, i in enumerate(self.visible):
            at = element_of[i]
            element_row = element_rows.get(at)
            if element_row is None:
                element_row = element_rows[at] = (*around.row(at), *shared)
            block, width, before = blocks[i], self._width[i], self._sizes.text[i]
            out.append(
                (
                    _FURNITURE_NUMBERS[block.furniture],
                    _KIND_NUMBERS[block.kind],
                    block.level,
                    steps(width),
                    100 * self._link[i] // (width or 1),
                    self._titled(i, title) if title and width < _TITLE_WIDTH_MAX else 0,
                    min(repeats[self._texts[i]], 5),
                    *alike[elements[at].path, block.kind],
                    *self._place(place, before, from_title),
                    *sections.row(i),
                    *around.at(at, before),
                    *element_row,
                )
            )
        return out

    def _alike(self) -> dict[tuple[int, str], tuple[int, int, int]]:
        """Return what the blocks of one kind in elements of one path hold together."""
        groups: dict[tuple[int, str], list[int]] = {}
        for i in self.visible:
            path = self._layout.elements[self._layout.element_of[i]].path
            group = groups.setdefault((path, self._blocks[i].kind), [0, 0])
            group[0] += 1
            group[1] += self._width[i]
        return {
            key: (steps(count), percent(width, self._total), steps(width // count))
            for key, (count, width) in groups.items()
        }

    def _titled(self, i: int, title: frozenset[str]) -> int:
        return 100 * len(title.intersection(_TITLE_WORD.findall(self._texts[i].lower()))) // len(title)

    def _title(self, title: frozenset[str]) -> int:
        """Return the heading most like the page's title, else the first of level 1, else -1."""
        headings = [i for i in self.visible if self._blocks[i].kind == "heading"]
        best, found = 0, -1
        for i in headings if title else ():
            words = set(_TITLE_WORD.findall(self._texts[i][:_TEXT_LOOKED_AT].lower()))
            like = percent(len(words & title), len(words | title))
            if like > best:
                best, found = like, i
        return found if best >= 30 else next((i for i in headings if self._blocks[i].level == 1), -1)

    def _place(self, place: int, before: int, title_before: int | None) -> tuple[int, ...]:
        """Return where the block stands, and how much of what stands around it is links."""
        text, link, long, _ = self._sizes
        visible = self.visible
        last = len(visible) - 1
        from_title = _NO_TITLE
        if title_before is not None:
            apart = before - title_before
            from_title = steps(apart) if apart >= 0 else -steps(-apart)
        first, end = visible[max(0, place - _NEAR)], visible[min(last, place + _NEAR)] + 1
        wide_first, wide_end = visible[max(0, place - _WIDE)], visible[min(last, place + _WIDE)] + 1
        return (
            100 * before // self._total,
            100 * place // (last + 1),
            steps(before),
            steps(self._total - before),
            from_title,
            100 * long[visible[place]] // (long[-1] or 1),
            100 * (link[end] - link[first]) // (text[end] - text[first] or 1),
            100 * (link[wide_end] - link[wide_first]) // (text[wide_end] - text[wide_first] or 1),
        )


class _Sections:
    """What stands under each heading, and what the headings above a block announce."""

    def __init__(self, blocks: Sequence[Block], texts: Sequence[str], sizes: Sizes, visible: Sequence[int]) -> None:
        before, link = sizes.text, sizes.link
        self._before = before
        self._heading_of = [-1] * len(blocks)
        self._announced = [0] * len(blocks)
        self._held: dict[int, list[int]] = {}
        path: list[tuple[int, int]] = []
        heading, announced = -1, 0
        for i in visible:
            block = blocks[i]
            if block.kind == "heading":
                level = block.level or 1
                while path and path[-1][0] >= level:
                    path.pop()
                path.append((level, _announces(texts[i]) if before[i + 1] - before[i] <= _HEADING_WIDTH_MAX else 0))
                announced = next((kind for _, kind in reversed(path) if kind), 0)
                heading = i
                self._held[i] = [0, 0]
            elif heading >= 0:
                self._held[heading][0] += before[i + 1] - before[i]
                self._held[heading][1] += link[i + 1] - link[i]
            self._heading_of[i] = heading
            self._announced[i] = announced

    def row(self, i: int) -> tuple[int, int, int, int]:
        heading = self._heading_of[i]
        if heading < 0:
            return (self._announced[i], -1, -1, -1)
        width, link = self._held[heading]
        return (self._announced[i], steps(width), percent(link, width), steps(self._before[i] - self._before[heading]))


def _announces(heading: str) -> int:
    return next((number for number, pattern in enumerate(_SECTIONS, 1) if pattern.search(heading)), 0)
