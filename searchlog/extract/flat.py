"""A linear reading of HTML for pages that no tree builder survives, and the test that finds them beforehand. Pure.

The standard's tree construction takes quadratic time on deep nesting and on elements with very many attributes,
and multiplies misnested formatting elements into millions of nodes. `hazard` sees such pages by counting tags;
`read_flat` then hands the same events to the same builder from a single pass over the markup, with a simple stack
in place of a tree: nothing visible is lost, hidden marks still hold for what they enclose, and the time grows with
the length only. Deliberately not done here: foster parenting, the adoption agency, implied ends beyond the common
ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from itertools import islice

from searchlog.extract.builder import OPEN, Builder
from searchlog.extract.tags import BLOCK, SKIPPED, VOID

__all__ = ["DEPTH_MAX", "hazard", "nesting", "read_flat"]

DEPTH_MAX = 4_000
_TAGS_CHECKED_FROM = 12_000
_NODES_MAX = 200_000
_OPTIONS_MAX = 20_000
"""Starts and ends of options: each new one costs the tree a look at all before it."""
_ATTRIBUTES_MAX = 4_000
_LONG_TAG = 16_000

_TAG_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_BARE_TAG = re.compile(r"([^<]*+)<(/?)([a-zA-Z][^\s/><]*+)>")
"""Text, and a tag without attributes: most tags of a page that has very many. Read in one step, which halves the time;
`_Flat.markup` reads the same."""
# the look-aheads reject most tags at their first letter, which halves the time
_FORMATTING = re.compile(r"<(/?)(?=[biusfetc])([bius]|font|em|big|tt|code|small|strike|strong)[\s/>]", re.I)
_FORMATTING_STARTS = re.compile(r"<(?=[biusfetc])(?:[bius]|font|em|big|tt|code|small|strike|strong)[\s/>]", re.I)
_UNCLOSED_MAX = 100
_IMPLIED_END = frozenset(("p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead", "tfoot"))
_LOOK_BACK = 24
_CELLS, _LISTS = ("td", "th"), ("ul", "ol", "menu", "table", "div")
_ENDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "td": (_CELLS, ("table",)),
    "th": (_CELLS, ("table",)),
    "tr": ((*_CELLS, "tr"), ("table",)),
    "tbody": ((*_CELLS, "tr", "thead", "tbody"), ("table",)),
    "tfoot": ((*_CELLS, "tr", "thead", "tbody"), ("table",)),
    "li": (("li",), _LISTS),
    "dt": (("dt", "dd"), ("dl", "div")),
    "dd": (("dt", "dd"), ("dl", "div")),
}
"""What the start of an element ends, and where the search for it stops."""
_NEVER_OPEN = VOID | _IMPLIED_END
_RAW_TEXT = frozenset(("script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript"))
_ATTRIBUTE = re.compile(r"""([^\s"'>/=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?""")
_TAG_REST = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?)*+>""")
"""A quote counts only where a value begins; one that is never closed takes all that follows."""
_COMMENT_END = re.compile("--!?>")
"""From the second hyphen of the start on, for `<!-->` is a whole comment."""
_FOREIGN = frozenset(("svg", "annotation", "annotation-xml"))
_BREAKS_OUT = frozenset(("p", "div", "h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "body", "pre", "blockquote"))
"""What ends an unclosed drawing or formula (HTML Living Standard section 13.2.6.5)."""
_WANTED = re.compile(r"\b(?:class|id|style|hidden|popover|open|role|aria-level|colspan)\b", re.I)


def hazard(text: str) -> str | None:
    """Return why no tree should be built (`too-deep`, `too-many-nodes`, `too-many-attributes`), or None.

    A cheap estimate: what it misses is left to the worker's limits of time and memory.
    """
    many = text.count("<") > _TAGS_CHECKED_FROM or _many_unclosed(text)
    if many and (found := _count_tags(text)):
        return found
    if _has_long_tag(text):
        for piece in text.split(">"):
            if len(piece) > _LONG_TAG:
                tag = piece[piece.rfind("<") :]
                if len(tag) > _LONG_TAG and len(re.findall(r"[\s/]", re.sub(r"\"[^\"]*\"", "", tag))) > _ATTRIBUTES_MAX:
                    return "too-many-attributes"
    return None


def _many_unclosed(text: str) -> bool:
    """Return whether many formatting elements are open at the same time somewhere."""
    if next(islice(_FORMATTING_STARTS.finditer(text), _UNCLOSED_MAX, None), None) is None:
        return False
    open_formatting: Counter[str] = Counter()
    unclosed = 0
    for match in _FORMATTING.finditer(text):
        name = match[2]
        if not match[1]:
            open_formatting[name] += 1
            unclosed += 1
            if unclosed > _UNCLOSED_MAX:
                return True
        elif open_formatting[name]:
            open_formatting[name] -= 1
            unclosed -= 1
    return False


def _has_long_tag(text: str) -> bool:
    """Return whether more than `_LONG_TAG` characters stand somewhere without a `>`; looks at few of them."""
    at = 0
    while at + _LONG_TAG < len(text):
        last = text.rfind(">", at, at + _LONG_TAG + 1)
        if last < 0:
            return True
        at = last + 1
    return False


def _count_tags(text: str) -> str | None:
    """Follow starts and ends with a counter a name; return what the tree would suffer from."""
    open_by_name: dict[str, int] = {}
    depth = formatting = nodes = options = 0
    for match in _TAG_NAME.finditer(text):  # not a list of all: a page of tags alone has millions
        slash, name = match.groups()
        name = name.lower()
        if name in _NEVER_OPEN:
            # each new block opens the whole list of unclosed formatting elements again
            nodes += 1 if slash else 1 + formatting
        elif not slash:
            open_by_name[name] = open_by_name.get(name, 0) + 1
            depth += 1
            formatting += name in _FORMATTING_NAMES
            nodes += 1 + (formatting if name in BLOCK else 0)
        elif open_by_name.get(name):
            open_by_name[name] -= 1
            depth -= 1
            formatting -= name in _FORMATTING_NAMES
        options += name == "option"
        if nodes > _NODES_MAX or options > _OPTIONS_MAX:
            return "too-many-nodes"
        if depth > DEPTH_MAX and depth - formatting > DEPTH_MAX:
            return "too-deep"
    return None


_FORMATTING_NAMES = frozenset(("b", "i", "u", "s", "font", "em", "big", "tt", "code", "small", "strike", "strong"))
"""Without `a` and `nobr`: a second one closes the first."""


def nesting(text: str) -> int:
    """Return about how deep the elements of the markup are nested, from above: unclosed ones count."""
    counts: Counter[str] = Counter()
    depth = deepest = 0
    for match in _TAG_NAME.finditer(text):
        slash, name = match[1], match[2].lower()
        if name in VOID or name in _IMPLIED_END:
            continue
        if not slash:
            counts[name] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif counts[name]:
            counts[name] -= 1
            depth -= 1
    return deepest


_TAGS_MAX = 600_000
_LOOK_EVERY = 1_024


def read_flat(text: str, builder: Builder, full: Callable[[], bool], late: Callable[[], bool]) -> bool:
    """Send the page's events to the builder in one pass; return whether it was the whole page.

    Reading ends when `full` or `late` says so, and after very many tags: what follows is not given as text, because
    nobody has told its hidden parts from the rest.
    """
    reader = _Flat(builder)
    at, length, steps, tags = 0, len(text), 0, 0
    bare_tag = _BARE_TAG.match
    while at < length:
        steps += 1
        if (bare := bare_tag(text, at)) is not None:
            data, slash, name = bare.groups()
            if data:
                reader.text(data)
            at = bare.end()
            tags += 1
            if slash:
                reader.end(name.lower())
            else:
                at = reader.start(name.lower(), "", text, at)
        else:
            begin = text.find("<", at)
            if begin < 0:
                reader.text(text[at:])
                return True
            if begin > at:
                reader.text(text[at:begin])
            at = reader.markup(text, begin)
            tags += text[begin + 1 : begin + 2] != "!"
        if steps % _LOOK_EVERY == 0 and (tags >= _TAGS_MAX or full() or late()):
            return at >= length
    return True


class _Flat:
    """The open elements of the linear reading."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._skip = ""
        self._skip_depth = 0

    def text(self, data: str) -> None:
        if not self._skip:
            self._builder.text(unescape(data) if "&" in data else data)

    def markup(self, text: str, begin: int) -> int:
        """Take what begins with `<`; return where reading goes on."""
        if text.startswith("<!--", begin):
            closed = _COMMENT_END.search(text, begin + 2)
            return len(text) if closed is None else closed.end()
        match = _TAG_NAME.match(text, begin)
        if match is None:
            if text.startswith(("<!", "<?", "</"), begin):
                end = text.find(">", begin)
                return len(text) if end < 0 else end + 1
            self.text("<")
            return begin + 1
        end = _tag_end(text, match.end())
        name = match[2].lower()
        if match[1]:
            self.end(name)
            return end
        return self.start(name, text[match.end() : end - 1], text, end)

    def start(self, name: str, rest: str, text: str, end: int) -> int:
        """Take a start tag that ends there; return where reading goes on: after an element without elements in it."""
        if self._skip:
            if self._skip not in _FOREIGN or name not in _BREAKS_OUT:
                self._skip_depth += name == self._skip
                return end
            self._skip = ""
        elif name in _RAW_TEXT:
            close = re.compile(rf"</{name}(?=[\s/>])", re.I).search(text, end)
            return len(text) if close is None else _tag_end(text, close.end())
        if name in ("html", "head", "body"):
            return end
        if name in SKIPPED:
            if not rest.endswith("/"):
                self._skip, self._skip_depth = name, 1
            return end
        if self._open and name in BLOCK:
            self._imply_end(name)
        if self._builder.start(name, _attributes(rest) if rest else {}) >= OPEN:
            self._open.append(name)
            self._counts[name] += 1
        return end

    def _imply_end(self, name: str) -> None:
        """Close what the start of this block closes: a paragraph, the item before, the cells and the row before."""
        if self._open[-1] == "p":
            self._close("p")
        ended, scope = _ENDS.get(name, ((), ()))
        if not any(self._counts[other] for other in ended):
            return
        found = 0
        for back in range(1, min(len(self._open), _LOOK_BACK) + 1):
            if self._open[-back] in scope:
                break
            if self._open[-back] in ended:
                found = back
        for _ in range(found):
            self._close(self._open[-1])

    def end(self, name: str) -> None:
        """Take an end tag."""
        if self._skip:
            self._skip_depth -= name == self._skip
            if self._skip_depth == 0:
                self._skip = ""
            return
        if name == "br":
            self._builder.start("br", {})
        # the end of an inline element never closes a block around it
        elif self._counts.get(name) and (name in BLOCK or name in self._open[-6:]):
            while self._open[-1] != name:
                self._close(self._open[-1])
            self._close(name)

    def _close(self, name: str) -> None:
        self._open.pop()
        self._counts[name] -= 1
        self._builder.end(name)


def _tag_end(text: str, at: int) -> int:
    """Return the offset after the tag's `>`, which is not inside a quoted value; without one, the end of the text."""
    end = text.find(">", at)
    if end < 0:
        return len(text)
    if text.find("=", at, end) < 0:
        return end + 1  # no value, so no quotes that count
    match = _TAG_REST.match(text, at)
    return len(text) if match is None else match.end()


def _attributes(rest: str) -> dict[str, str | None]:
    if _WANTED.search(rest) is None:
        return {}
    out: dict[str, str | None] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(rest[:20_000]):
        out.setdefault(name.lower(), unescape(double or single or bare))
    return out
