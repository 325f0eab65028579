"""What the layout of a page says about each of its blocks, as whole numbers: the input of `main_text.py`. Pure.

Shares are percent, sizes are steps of a logarithm to the base of about 1.5 (`_steps`), distances are counts. Nothing
depends on one language: sizes count an ideograph as three letters, and the few words looked for stand in many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from searchlog.extract.conversion import Block, Metadata
from searchlog.extract.elements import Elements, Layout

__all__ = ["BLOCK_FEATURES", "PAGE_FEATURES", "Features", "features"]

_KINDS = ("heading", "paragraph", "list-item", "table-row", "code", "quote", "caption", "term", "other")
_FURNITURE = (None, "nav", "header", "footer", "aside", "form", "boilerplate")
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_FURNITURE_NUMBERS = {furniture: number for number, furniture in enumerate(_FURNITURE)}
_PARENTS = ("div", "p", "li", "td", "section", "article", "main", "body")
_TAGS = ("ol", "main", "figure", "section", "footer", "form")
_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "comment comments reply replies message messages thread topic discussion answer answers question review "
            "reviews forum postbody",
            "search searchform searchbox login signup form signin filter filters sort facet facets refine modal popup "
            "dialog",
            "meta byline author date tags tag category categories avatar user profile info details actions action "
            "button buttons btn cta vote votes score stats rating",
            "footer colophon copyright bottombar legal",
            "sidebar aside side secondary widget widgets rail",
            "cookie cookies consent gdpr newsletter subscribe share sharing social ad ads advert adverts advertisement "
            "sponsored promo promotion paywall backtotop tooltip skip hidden",
            "header masthead topbar siteheader banner hero logo",
            "product item card tile listing result row grid list collection price title name",
            "content article post entry story body main text copy prose markdown richtext description desc detail "
            "summary",
            "nav navbar navigation menu submenu breadcrumb breadcrumbs topnav toolbar sitemap tabs tab dropdown",
            "related recommended recommendations trending mostread more similar also popular upsell crosssell latest "
            "recent carousel slider",
        )
    )
    for word in words.split()
}
_WORD_KINDS = ("comment", "form", "meta", "foot", "side", "junk", "head", "item", "content", "nav", "related")
"""Of the words in classes and ids: how many elements up the nearest element with one of them is."""
_FAR = 20
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_TITLE_WORD = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\\W\u3040-\u9fff\uac00-\ud7af]+")
_SENTENCE_END = re.compile("[.!?…。！？؟।]")
_COMMA = re.compile("[,;，；、،؛]")
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
_ROOT = re.compile(r"(?:^|\s)(?:main|content|main-?content|page-?content|primary)(?:\s|$)", re.I)
_DIGIT = re.compile(r"\d")
_HEADING_WIDTH_MAX = 90
_TITLE_WIDTH_MAX = 150
_TEXT_LOOKED_AT = 400
_LONG = 100
"""Width from which a block with few links is running text."""
_RECORD_MIN = 20
_RECORDS_MIN = 3


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


class _Stats(NamedTuple):
    """What an element holds."""

    width: int
    link: int
    long: int
    blocks: int
    start: int


class _Repeated(NamedTuple):
    """All elements of one path."""

    width: int
    number: int
    average: int
    link: int
    depth: int
    long_before: int
    before: int


_NEVER_REPEATED = _Repeated(0, 0, 0, 0, 0, -1, -1)
_ANCESTORS = ("c3", "c10", "s10", "s33")
"""The nearest element with three blocks, with ten, with a tenth of the page's text, with a third."""

_SHARED_FEATURES = (
    *("page_width", "page_blocks", "page_link", "page_long", "page_item", "page_row", "page_code", "page_heading"),
    *("page_dated", "page_main", "page_articles", "page_forum_type", "page_product_type", "page_article_type"),
    *("page_list_type", "address_depth", "best_record_width", "best_record_count", "best_record_blocks"),
)
"""What every block of a page is told of it. All of `PAGE_FEATURES` made the choice of blocks worse: too few pages to
learn from."""
PAGE_FEATURES = (
    *_SHARED_FEATURES,
    *("page_firm_type", "page_faq_type", "page_site_type", "page_priced", "page_asking", "page_linked", "page_comment"),
    *("page_prose_average", "page_prose_longest"),
    *(f"address_{kind}" for kind in _ADDRESSES),
)
BLOCK_FEATURES = (
    *("furniture", "kind", "level", "width", "link", "sentence_ends", "ends_sentence", "capitals", "digits"),
    *("title_words", "repeats", "same_path_count", "same_path_width", "same_path_average"),
    *(
        "at",
        "at_block",
        "from_start",
        "from_end",
        "from_title",
        "long_before",
        "near_average",
        "near_link",
        "wide_link",
    ),
    *("section", "section_width", "section_link", "from_heading"),
    *(f"{name}_at" for name in _ANCESTORS),
    "in_best_record",
    "beside_best_record",
    *(f"far_{kind}" for kind in _WORD_KINDS),
    *(f"in_{tag}" for tag in _TAGS),
    *("depth", "parent"),
    *("in_main", "in_root"),
    *("from_top", "candidate"),
    *(f"{name}_{what}" for name in _ANCESTORS for what in ("width", "link", "long", "blocks", "average", "depth")),
    *(f"{name}_{what}" for name in ("repeated", "most_repeated") for what in _Repeated._fields),
    *_SHARED_FEATURES,
)


def _steps(value: int) -> int:
    """Return twice the length in bits, and one more in the upper half between two powers of two."""
    length = value.bit_length()
    return 2 * length + (value >> (length - 2) & 1) if length > 1 else 2 * length


def _percent(part: int, whole: int) -> int:
    return 100 * part // whole if whole > 0 else 0


@lru_cache(8192)
def _kinds_of(names: str) -> tuple[int, ...]:
    found = {_WORDS[word] for word in map(str.lower, _NAME.findall(names)) if word in _WORDS}
    return tuple(sorted(found))


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text) + 2 * len(_IDEOGRAPH.findall(text))


def features(text: str, blocks: Sequence[Block], layout: Layout, metadata: Metadata, url: str) -> Features:
    """Return the features of a page's visible blocks. layout: of these blocks, as the walk met them."""
    return _Page(text, blocks, layout, metadata, url).features()


class _Inside(NamedTuple):
    """What holds for all that is directly in one element: its nearest ancestors of `_ANCESTORS`, itself among them."""

    c3: int
    c10: int
    s10: int
    s33: int
    near: _Repeated
    """The nearest repeated path around."""
    most: _Repeated
    """The repeated path around that holds most."""
    from_top: int
    """How many elements up from the best candidate the first is that holds this one as well, 15 at most."""
    in_record: bool
    beside_record: bool


class _Path(NamedTuple):
    """What a path says of the blocks in it: distances to class words, tags around, depth, the element's own name."""

    far: tuple[int, ...]
    inside: tuple[int, ...]
    depth: int
    parent: int


class _Page:
    """A page's numbers, each computed once."""

    def __init__(self, text: str, blocks: Sequence[Block], layout: Layout, metadata: Metadata, url: str) -> None:
        self.blocks = blocks
        self.elements: Elements = layout.elements
        self.element_of = layout.element_of
        self.texts = [text[block.start : block.end] for block in blocks]
        self.metadata, self.url = metadata, url
        self.visible = [i for i, block in enumerate(blocks) if block.hidden is None]
        size = len(blocks)
        self.width, self.link, self.long, one = [0] * size, [0] * size, [0] * size, [0] * size
        self.digits = [0] * size
        for i in self.visible:
            width = self.width[i] = _width(self.texts[i])
            link = self.link[i] = min(width, width * layout.linked[i] // len(self.texts[i]))
            self.long[i] = width if width >= _LONG and 3 * link < width else 0
            one[i] = 1
            self.digits[i] = len(_DIGIT.findall(self.texts[i], 0, _TEXT_LOOKED_AT))
        self.widths, self.links, self.longs, self.counts = (
            [0, *accumulate(values)] for values in (self.width, self.link, self.long, one)
        )
        self.total = self.widths[-1] or 1
        self.paths = self._paths()
        self.stats = [self._stats(element.start, min(element.end, size)) for element in self.elements]
        self.repeated = self._repeated()
        self._roots()
        self._candidates()
        self._records()

    def _roots(self) -> None:
        """Note for each element whether it is in one that calls itself main, and in a big one that does."""
        self.in_main: list[bool] = []
        self.in_root: list[bool] = []
        roots = [_ROOT.search(path.names) is not None for path in self.elements.paths]
        for element, stats in zip(self.elements, self.stats, strict=True):
            around = element.around
            named = element.label == "main" or roots[element.path]
            self.in_main.append(element.label == "main" or (around >= 0 and self.in_main[around]))
            self.in_root.append(
                (named and 10 * stats.width >= 4 * self.total) or (around >= 0 and self.in_root[around])
            )

    def _stats(self, start: int, end: int) -> _Stats:
        start = min(start, end)
        return _Stats(
            self.widths[end] - self.widths[start],
            self.links[end] - self.links[start],
            self.longs[end] - self.longs[start],
            self.counts[end] - self.counts[start],
            start,
        )

    def _paths(self) -> list[_Path]:
        out: list[_Path] = []
        for path in self.elements.paths:
            if path.around < 0:
                far, inside, depth = [_FAR] * len(_WORD_KINDS), [0] * len(_TAGS), 0
            else:
                outer = out[path.around]
                far = [min(steps + 1, _FAR) for steps in outer.far]
                inside, depth = list(outer.inside), outer.depth + 1
            for kind in _kinds_of(path.names):
                far[kind] = 0
            if path.tag in _TAGS:
                inside[_TAGS.index(path.tag)] = 1
            parent = _PARENTS.index(path.tag) if path.tag in _PARENTS else len(_PARENTS)
            out.append(_Path(tuple(far), tuple(inside), depth, parent))
        return out

    def _repeated(self) -> list[_Repeated]:
        """Return for each path what its elements hold together; those without text do not count."""
        size = len(self.paths)
        width, count, link, first = [0] * size, [0] * size, [0] * size, [-1] * size
        for element, stats in zip(self.elements, self.stats, strict=True):
            path = element.path
            if first[path] < 0:
                first[path] = stats.start
            if stats.width:
                width[path] += stats.width
                count[path] += 1
                link[path] += stats.link
        return [
            _Repeated(
                _percent(width[i], self.total),
                _steps(count[i]),
                _steps(width[i] // count[i]),
                _percent(link[i], width[i]),
                self.paths[i].depth,
                _percent(self.longs[first[i]], self.longs[-1]),
                _percent(self.widths[first[i]], self.total),
            )
            if count[i] >= _RECORDS_MIN
            else _NEVER_REPEATED
            for i in range(size)
        ]

    def _candidates(self) -> None:
        """Score elements by the running text near below them, as reading modes of browsers do."""
        scores = [0] * len(self.elements)
        for i in self.visible:
            free = self.width[i] - self.link[i]
            if free < 40 or self.blocks[i].kind in ("heading", "table-row"):
                continue
            score = 2 + 2 * len(_COMMA.findall(self.texts[i], 0, 2_000)) + 2 * min(free // 100, 3)
            at = self.element_of[i]
            element = self.elements[at]
            if self.elements.paths[element.path].tag in ("p", "li", "pre", "blockquote", "td") and element.around >= 0:
                at = element.around
            scores[at] += score
            outer = self.elements[at].around
            if outer >= 0:
                scores[outer] += score // 2
        for at, score in enumerate(scores):
            if score:
                stats = self.stats[at]
                scores[at] = score * 100 * (stats.width - stats.link) // (stats.width or 1)
        self.scores = scores
        self.best_score = max(scores) or 1
        top = scores.index(max(scores))
        self.above_top: dict[int, int] = {}
        while top >= 0:
            self.above_top[top] = min(len(self.above_top), 15)
            top = self.elements[top].around

    def _records(self) -> None:
        """Find the siblings of one path that hold most text: the posts of a thread, the products of a list."""
        groups: dict[tuple[int, int], list[int]] = {}
        for element, stats in zip(self.elements, self.stats, strict=True):
            if stats.width >= _RECORD_MIN:
                group = groups.setdefault((element.around, element.path), [0, 0, 0, 0])
                for place, value in enumerate((1, stats.width, stats.blocks, stats.link)):
                    group[place] += value
        best, self.record, worth = [0, 0, 0, 0], (-2, -2), 0
        for key, group in groups.items():
            if group[0] >= _RECORDS_MIN and group[2] >= 2 * group[0] and 2 * group[1] - group[3] > worth:
                best, self.record, worth = group, key, 2 * group[1] - group[3]
        self.record_features = (
            _percent(best[1], self.total),
            _steps(best[0]),
            _steps(best[2] // best[0]) if best[0] else -1,
        )

    def _page(self) -> tuple[int, ...]:
        kinds = dict.fromkeys(_KINDS, 0)
        headings = dated = priced = asking = linked = comment = long = 0
        for i in self.visible:
            kinds[self.blocks[i].kind] += self.width[i]
            headings += self.blocks[i].kind == "heading"
            asking += self.blocks[i].kind == "heading" and self.texts[i].rstrip().endswith(("?", "？"))
            linked += 2 * self.link[i] > self.width[i]
            long += self.long[i] > 0
            if self.digits[i]:
                priced += _PRICE.search(self.texts[i], 0, _TEXT_LOOKED_AT) is not None
                dated += _DATE.search(self.texts[i], 0, _TEXT_LOOKED_AT) is not None
            comment += self.width[i] * (self.paths[self.elements[self.element_of[i]].path].far[0] < _FAR)
        main_width = articles = until = 0
        for element, stats in zip(self.elements, self.stats, strict=True):
            articles += self.elements.paths[element.path].tag == "article"
            if element.label == "main" and element.start >= until:
                main_width += stats.width
                until = element.end
        types = " ".join(self.metadata.types).lower()
        count = self.counts[-1] or 1
        return (
            _steps(self.total),
            _steps(count),
            _percent(self.links[-1], self.total),
            _percent(self.longs[-1], self.total),
            _percent(kinds["list-item"], self.total),
            _percent(kinds["table-row"], self.total),
            _percent(kinds["code"], self.total),
            _percent(headings, count),
            _percent(dated, count),
            _percent(main_width, self.total),
            min(articles, 30),
            int(any(word in types for word in ("forum", "question", "qapage"))),
            int("product" in types),
            int(any(word in types for word in ("article", "posting", "recipe"))),
            int(any(word in types for word in ("itemlist", "collection"))),
            min(self.url.rstrip("/").count("/"), 10),
            *self.record_features,
            int(any(word in types for word in ("organization", "business", "service", "softwareapplication"))),
            int("faq" in types),
            int("og:website" in types),
            _percent(priced, count),
            _percent(asking, headings or 1),
            _percent(linked, count),
            _percent(comment, self.total),
            _steps(self.longs[-1] // (long or 1)),
            _steps(max(self.long, default=0)),
            *(int(pattern.search(self.url, 0, 300) is not None) for pattern in _ADDRESSES.values()),
        )

    def _inherited(self) -> list[_Inside]:
        """Return for each element what holds for all that is directly in it, from the outside in."""
        out: list[_Inside] = []
        for at, (element, stats) in enumerate(zip(self.elements, self.stats, strict=True)):
            repeated = self.repeated[element.path]
            key = (element.around, element.path)
            if element.around < 0:
                out.append(_Inside(0, 0, 0, 0, repeated, repeated, self.above_top[at], key == self.record, False))
                continue
            outer = out[element.around]
            out.append(
                _Inside(
                    at if stats.blocks >= 3 else outer.c3,
                    at if stats.blocks >= 10 else outer.c10,
                    at if 10 * stats.width >= self.total else outer.s10,
                    at if 3 * stats.width >= self.total else outer.s33,
                    repeated if repeated.number else outer.near,
                    max(outer.most, repeated),
                    self.above_top.get(at, outer.from_top),
                    outer.in_record or key == self.record,
                    outer.beside_record or element.around == self.record[0],
                )
            )
        return out

    def _element_row(self, at: int, inside: _Inside) -> tuple[int, ...]:
        """Return what all blocks directly in one element have in common."""
        path = self.elements[at].path
        own = self.path_rows.get(path)
        if own is None:
            far, tags, depth, parent = self.paths[path]
            own = self.path_rows[path] = (*far, *tags, min(depth, 40), parent)
        outer = self.elements[at].around
        beyond = self.elements[outer].around if outer >= 0 else -1
        score = max(self.scores[at], self.scores[outer] if outer >= 0 else 0, self.scores[beyond] if beyond >= 0 else 0)
        return (
            *own,
            self.in_main[at],
            self.in_root[at],
            inside.from_top,
            100 * score // self.best_score,
            *self._ancestor(inside.c3),
            *self._ancestor(inside.c10),
            *self._ancestor(inside.s10),
            *self._ancestor(inside.s33),
            *inside.near,
            *inside.most,
        )

    def _ancestor(self, at: int) -> tuple[int, ...]:
        row = self.ancestor_rows.get(at)
        if row is None:
            stats = self.stats[at]
            row = self.ancestor_rows[at] = (
                _percent(stats.width, self.total),
                _percent(stats.link, stats.width),
                _percent(stats.long, stats.width),
                _steps(stats.blocks),
                _steps(stats.width // (stats.blocks or 1)),
                self.paths[self.elements[at].path].depth,
            )
        return row

    def _sections(self) -> None:
        """Note for each visible block its heading, what the headings above it announce, and how long sections are."""
        size = len(self.blocks)
        self.heading_of, self.announced = [-1] * size, [0] * size
        self.section = [[0, 0] for _ in range(size)]
        path: list[tuple[int, int]] = []
        heading = -1
        for i in self.visible:
            block = self.blocks[i]
            if block.kind == "heading":
                level = block.level or 1
                while path and path[-1][0] >= level:
                    path.pop()
                path.append((level, self._announces(i)))
                heading = i
            elif heading >= 0:
                self.section[heading][0] += self.width[i]
                self.section[heading][1] += self.link[i]
            self.heading_of[i] = heading
            self.announced[i] = next((kind for _, kind in reversed(path) if kind), 0)

    def _announces(self, i: int) -> int:
        if self.width[i] > _HEADING_WIDTH_MAX:
            return 0
        return next((n for n, pattern in enumerate(_SECTIONS, 1) if pattern.search(self.texts[i])), 0)

    def _title(self, title: set[str]) -> int:
        """Return the heading most like the page's title, else the first of level 1, else -1."""
        best, found = 0, -1
        for i in self.visible:
            if self.blocks[i].kind == "heading" and title:
                words = set(_TITLE_WORD.findall(self.texts[i][:_TEXT_LOOKED_AT].lower()))
                like = _percent(len(words & title), len(words | title))
                if like > best:
                    best, found = like, i
        if best >= 30:
            return found
        return next((i for i in self.visible if self.blocks[i].kind == "heading" and self.blocks[i].level == 1), -1)

    def features(self) -> Features:
        self._sections()
        page = self._page()
        shared = page[: len(_SHARED_FEATURES)]
        title = set(_TITLE_WORD.findall((self.metadata.title or "").lower()))
        heading = self._title(title)
        insides = self._inherited()
        self.path_rows: dict[int, tuple[int, ...]] = {}
        self.ancestor_rows: dict[int, tuple[int, ...]] = {}
        repeats = Counter([self.texts[i] for i in self.visible])
        alike: dict[tuple[int, str], list[int]] = {}
        for i in self.visible:
            group = alike.setdefault((self.elements[self.element_of[i]].path, self.blocks[i].kind), [0, 0])
            group[0] += 1
            group[1] += self.width[i]
        alike_rows = {
            key: (_steps(count), _percent(width, self.total), _steps(width // count))
            for key, (count, width) in alike.items()
        }
        element_rows: dict[int, tuple[int, ...]] = {}
        rows = []
        for place, i in enumerate(self.visible):
            at = self.element_of[i]
            inside = insides[at]
            element_row = element_rows.get(at)
            if element_row is None:
                element_row = element_rows[at] = self._element_row(at, inside)
            rows.append(
                (
                    *self._own(i, title, repeats[self.texts[i]]),
                    *alike_rows[self.elements[at].path, self.blocks[i].kind],
                    *self._place(place, i, heading),
                    *self._in_section(i),
                    *[self._at(i, step) for step in inside[:4]],
                    inside.in_record,
                    inside.beside_record,
                    *element_row,
                    *shared,
                )
            )
        return Features(page, rows, self.visible, [self.width[i] for i in self.visible])

    def _at(self, i: int, element: int) -> int:
        stats = self.stats[element]
        return _percent(self.widths[i] - self.widths[stats.start], stats.width)

    def _own(self, i: int, title: set[str], repeats: int) -> tuple[int, ...]:
        """Return what the block itself says."""
        block, width = self.blocks[i], self.width[i]
        text = self.texts[i][:_TEXT_LOOKED_AT]
        words = text.split(None, 60)[:60]
        named = 0
        if title and width < _TITLE_WIDTH_MAX:
            named = 100 * len(title.intersection(_TITLE_WORD.findall(text.lower()))) // len(title)
        return (
            _FURNITURE_NUMBERS[block.furniture],
            _KIND_NUMBERS[block.kind],
            block.level,
            _steps(width),
            _percent(self.link[i], width),
            min(len(_SENTENCE_END.findall(text)), 10),
            _SENTENCE_END.match(text[-1:]) is not None,
            100 * len([word for word in words if word[0].isupper()]) // (len(words) or 1),
            100 * self.digits[i] // len(text),
            named,
            min(repeats, 5),
        )

    def _place(self, place: int, i: int, heading: int) -> tuple[int, ...]:
        """Return where the block stands, and what stands around it."""
        widths, links, visible = self.widths, self.links, self.visible
        before = widths[i]
        last = len(visible) - 1
        from_title = -99
        if heading >= 0:
            apart = before - widths[heading]
            from_title = _steps(apart) if apart >= 0 else -_steps(-apart)
        first, end = visible[max(0, place - 5)], visible[min(last, place + 5)] + 1
        near_width = widths[end] - widths[first]
        wide_first, wide_end = visible[max(0, place - 15)], visible[min(last, place + 15)] + 1
        return (
            100 * before // self.total,
            100 * place // (last + 1),
            _steps(before),
            _steps(self.total - before),
            from_title,
            _percent(self.longs[i], self.longs[-1]),
            _steps(near_width // (self.counts[end] - self.counts[first])),
            _percent(links[end] - links[first], near_width),
            _percent(links[wide_end] - links[wide_first], widths[wide_end] - widths[wide_first]),
        )

    def _in_section(self, i: int) -> tuple[int, ...]:
        heading = self.heading_of[i]
        if heading < 0:
            return (self.announced[i], -1, -1, -1)
        width, link = self.section[heading]
        return (
            self.announced[i],
            _steps(width),
            _percent(link, width),
            _steps(self.widths[i] - self.widths[heading]),
        )
