"""HTML and XHTML to the whole visible text and blocks over it: our own walk of the tree that lexbor builds. Pure.

Nothing is chosen here: navigation, footers and banners are labelled, hidden text is labelled, and all of it is text.
The walk keeps its own stack, so depth costs nothing; pages that no tree builder survives take the linear reading of
`flat.py`. Both are deterministic: the same text gives the same blocks on every machine and in every order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import selectolax
from selectolax.lexbor import LEXBOR_VERSION_MAJOR, LEXBOR_VERSION_MINOR, LexborHTMLParser, SelectolaxError

from searchlog.extract import metadata
from searchlog.extract.builder import INLINE, PASSED, TURNED, Builder, Built
from searchlog.extract.conversion import BLOCKS_MAX, Metadata
from searchlog.extract.flat import hazard, read_flat
from searchlog.extract.style import Sheet
from searchlog.extract.tags import SKIPPED
from searchlog.extract.verbatim import in_order, squeezed, strip, tree_text

__all__ = ["CONVERTER", "CONVERTER_LINEAR", "Page", "engine", "parse", "read_html"]

CONVERTER = "html/3"
CONVERTER_LINEAR = "html-linear/3"


def engine() -> str:
    """Return the names and versions of the parser and its engine."""
    return f"selectolax {selectolax.__version__} (lexbor {LEXBOR_VERSION_MAJOR}.{LEXBOR_VERSION_MINOR})"


@dataclass(frozen=True, slots=True)
class Page:
    """What `read_html` found."""

    built: Built
    metadata: Metadata
    verbatim: bool | None
    warnings: tuple[str, ...]
    tree: bool = True
    """Whether a tree was built; False for the linear reading."""


def read_html(
    text: str, url: str, chars_max: int, *, linear: bool = False, late: Callable[[], bool] = lambda: False
) -> Page:
    """Return the page's text, blocks and claims.

    text: decoded, without NUL. linear: never build a tree (asked for after a worker died of this page). late: when it
    says so, the text up to there is all that is read.
    """
    reason = "linear" if linear else hazard(text)
    if reason is not None:
        return _read_flat(text, chars_max, reason, late)
    page = _read_tree(text, url, chars_max, late, scripting=True)
    seen = _visible_count(page.built)
    if seen < _BARE_CHARS and "<noscript" in text:
        # a page that is empty without its scripts may hold the same content for readers without scripts, as we are one
        plain = _read_tree(text, url, chars_max, late, scripting=False)
        if _visible_count(plain.built) > 2 * seen + 200:
            return replace(plain, warnings=(*plain.warnings, "noscript"))
    return page


def _read_flat(text: str, chars_max: int, reason: str, late: Callable[[], bool]) -> Page:
    """Read in one pass. Once a worker has died of the page, it may have been of its styles: then of less of them."""
    hurried = reason == "linear"
    styles = list(_style_texts(text))
    cut = hurried and sum(map(len, styles)) > _HURRIED_STYLE_CHARS_MAX
    if cut:
        styles = ["\n".join(styles)[:_HURRIED_STYLE_CHARS_MAX]]
    builder = Builder(Sheet(map(_rules, styles)), blocks_max=BLOCKS_MAX // 4 if hurried else BLOCKS_MAX)
    whole = read_flat(text, builder, lambda: builder.char_count > chars_max, late)
    built = builder.finish(chars_max)
    warnings = [] if hurried else [reason]
    if cut:
        warnings.append("styles-cut")
    if not whole and "text-cut" not in built.warnings:
        warnings.append("text-cut")
    if not whole and late():
        warnings.append("extract-timeout")
    return Page(built, metadata.from_head(text), None, (*warnings, *built.warnings), tree=False)


_HURRIED_STYLE_CHARS_MAX = 16_000
_STYLE_CHARS_MAX = 1_000_000
_STYLE_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_BARE_CHARS = 400
_NODES_MAX = 1_500_000
_LOOK_EVERY = 1_024
_NO_ELEMENTS = frozenset(("-comment", "-doctype", "-document", None))
"""What selectolax calls nodes that are neither elements nor text."""
_STREAMED = re.compile(r"<div hidden(?:=\"\")? id=\"(S:[0-9a-f]{1,4})\"")
_STREAM_MARK = re.compile(r"<template id=\"[BP]:[0-9a-f]{1,4}\"|\$R[A-Z]\(\"")
"""A page streamed by React sends parts as `<div hidden id="S:0">` and moves each to its template by a script."""


def _visible_count(built: Built) -> int:
    return sum(block.end - block.start for block in built.blocks if block.hidden is None)


def parse(text: str, *, scripting: bool) -> LexborHTMLParser:
    """Return the tree. Raises MemoryError, the only thing the parser fails for."""
    try:
        return LexborHTMLParser(text, scripting=scripting)
    except SelectolaxError as error:
        raise MemoryError(str(error)) from None


def _read_tree(text: str, url: str, chars_max: int, late: Callable[[], bool], *, scripting: bool) -> Page:
    tree = parse(text, scripting=scripting)
    meta = metadata.from_tree(tree, url)
    builder = _builder(tree, text, scripting=scripting)
    body = tree.body
    if body is None:
        return Page(builder.finish(chars_max), meta, None, ())
    turned: list[Any] = []
    met: set[str] = set()
    warnings = _walk(body, builder, turned, met, full=lambda: builder.char_count > chars_max, late=late)
    built = builder.finish(chars_max)
    if builder.ground and _coloured_count(built) > _visible_count(built):
        # not a sentence slipped into the page: something that is not seen here gives it another background
        turned, met = [], set()
        builder = _builder(tree, text, scripting=scripting, is_alone=False)
        warnings = _walk(body, builder, turned, met, full=lambda: builder.char_count > chars_max, late=late)
        built = builder.finish(chars_max)
    verbatim = None
    if not warnings and "text-cut" not in built.warnings:
        strip(tree, met, noscript=scripting)
        verbatim = _check(tree, turned, built)
        warnings = () if verbatim else ("not-verbatim",)
    return Page(built, meta, verbatim, (*warnings, *built.warnings))


def _coloured_count(built: Built) -> int:
    return sum(block.end - block.start for block in built.blocks if block.hidden == "colour")


def _builder(tree: LexborHTMLParser, text: str, *, scripting: bool, is_alone: bool = True) -> Builder:
    """is_alone: whether the page's colours may be judged, if it has no other style sheets."""
    streamed = 'id="S:' in text and _STREAM_MARK.search(text)
    shown = frozenset(_STREAMED.findall(text)) if streamed else frozenset[str]()
    passed = SKIPPED if scripting else SKIPPED - {"noscript"}
    styles = tree.css("style")
    sheet = Sheet(_rules(node.text()) for node in styles)
    ground = ""
    if (
        is_alone
        and tree.body is not None
        and tree.root is not None
        and not _has_other_styles(text, styled=bool(styles))
    ):
        ground = sheet.ground(tree.root.attributes, tree.body.attributes)
    return Builder(sheet, passed=passed, shown=shown, ground=ground)


def _has_other_styles(text: str, *, styled: bool) -> bool:
    """Return whether a page may have style sheets that are not in it: linked, imported, or by a script."""
    if not styled and "class=" in text:
        return True  # taken from a page that had some
    if "stylesheet" in text or ".css" in text:
        return True
    lower = text.lower()
    return any(word in lower for word in ("stylesheet", ".css", "@import", "insertrule"))


def _rules(style: str) -> str:
    """Return a style sheet without its comments and without what follows its last brace, where no rule can end.

    Whoever looks for the next brace from each place on would look through that again and again.
    """
    style = _STYLE_COMMENT.sub("", style[:_STYLE_CHARS_MAX])
    if "<!--" in style or "-->" in style:
        style = style.replace("<!--", " ").replace("-->", " ")  # passed over between rules, since the first browsers
    return style[: max(style.rfind("{"), style.rfind("}")) + 1]


def _walk(
    body: Any,
    builder: Builder,
    turned: list[Any],
    met: set[str],
    *,
    full: Callable[[], bool],
    late: Callable[[], bool],
) -> tuple[str, ...]:
    """Send the tree's events to the builder, until one of `full` and `late` says that it is enough.

    turned, met: to collect the nodes that turn hidden or visible again, and the names of all elements.
    """
    text, start, end = builder.text, builder.start, builder.end
    silent = builder.silent | _NO_ELEMENTS
    stack: list[tuple[Any, str | None]] = []
    node = body.first_child
    count = 0
    while True:
        if node is None:
            if not stack:
                return ()
            node, tag = stack.pop()
            if tag is not None:
                end(tag)
            node = node.next
            continue
        count += 1
        if count % _LOOK_EVERY == 0:
            if full():
                return ()
            if count > _NODES_MAX:
                return ("too-many-nodes", "text-cut")
            if late():
                return ("extract-timeout", "text-cut")
        tag = node.tag
        if tag == "-text":
            text(node.text_content)
        else:
            met.add(tag)
            if tag not in silent and (answer := start(tag, node.attributes, node)) != PASSED:
                if answer == TURNED:
                    turned.append((node, builder.hidden))
                stack.append((node, None if answer == INLINE else tag))
                node = node.first_child
                continue
        node = node.next


def _check(tree: LexborHTMLParser, turned: list[Any], built: Built) -> bool:
    """Compare with a reading of the stripped tree that knows nothing of blocks; see `verbatim.py`.

    Takes the tree apart.
    """
    whole = squeezed(tree_text(tree))
    text = built.text
    hidden = [squeezed(text[block.start : block.end]) for block in built.blocks if block.hidden is not None]
    if not any(hidden):
        return squeezed(text) == whole
    seen = [text[block.start : block.end] for block in built.blocks if block.hidden is None]
    visible = squeezed("".join(seen))
    if len(visible) + sum(map(len, hidden)) != len(whole) or not in_order(hidden, whole):
        return False
    if "shown-by-script" in built.warnings or any(reason is None for _, reason in turned):
        # taking a hidden element out would take out what shows itself inside it
        return in_order([squeezed(part) for part in seen], whole)
    for node, _ in turned:
        node.decompose()
    return visible == squeezed(tree_text(tree))


def _style_texts(text: str) -> Iterator[str]:
    """Yield the contents of `<style>` elements without a parser; linear in the length of the text."""
    at = 0
    lower = text.lower() if text.isascii() else text
    while (begin := lower.find("<style", at)) >= 0:
        begin = lower.find(">", begin) + 1
        end = lower.find("</style", begin)
        if begin == 0 or end < 0:
            return
        yield text[begin:end]
        at = end
