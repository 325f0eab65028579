"""HTML and XHTML to the whole visible text and blocks over it: our own walk of the tree that lexbor builds. Pure.

Nothing is chosen here: navigation, footers and banners are labelled, hidden text is labelled, and all of it is text.
The walk keeps its own stack, so depth costs nothing; pages that no tree builder survives take the linear reading of
`flat.py`. Both are deterministic: the same text gives the same blocks on every machine and in every order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LEXBOR_VERSION_MAJOR, LEXBOR_VERSION_MINOR, LexborHTMLParser, SelectolaxError

from searchlog.extract import metadata
from searchlog.extract.builder import SKIPPED, Builder, Built
from searchlog.extract.conversion import Metadata
from searchlog.extract.flat import hazard, read_flat
from searchlog.extract.style import Sheet
from searchlog.extract.verbatim import in_order, squeezed, tree_text

__all__ = ["CONVERTER", "CONVERTER_LINEAR", "Page", "engine", "read_html"]

CONVERTER = "html/1"
CONVERTER_LINEAR = "html-linear/1"

_NODES_MAX = 2_000_000


def engine() -> str:
    """Return the name and version of the tree builder."""
    return f"lexbor {LEXBOR_VERSION_MAJOR}.{LEXBOR_VERSION_MINOR}"


@dataclass(frozen=True, slots=True)
class Page:
    """What `read_html` found."""

    built: Built
    metadata: Metadata
    verbatim: bool | None
    warnings: tuple[str, ...]
    tree: bool = True
    """Whether a tree was built; False for the linear reading."""


def read_html(text: str, url: str, chars_max: int, *, linear: bool = False) -> Page:
    """Return the page's text, blocks and claims.

    text: decoded, without NUL. linear: never build a tree (asked for after a worker died of this page).
    """
    reason = "linear" if linear else hazard(text)
    if reason is not None:
        builder = Builder(Sheet(_style_texts(text)))
        read_flat(text, builder)
        built = builder.finish(chars_max)
        return Page(
            built,
            metadata.from_head(text),
            None,
            (*((reason,) if reason != "linear" else ()), *built.warnings),
            tree=False,
        )
    try:
        tree = LexborHTMLParser(text, scripting=True)
    except SelectolaxError as error:
        # the parser accepts every input: what it fails for is memory
        raise MemoryError(str(error)) from None
    meta = metadata.from_tree(tree, url)
    builder = Builder(Sheet(node.text() for node in tree.css("style")))
    body = tree.body
    hidden: list[Any] = []
    warnings: tuple[str, ...] = ()
    if body is not None:
        warnings = _walk(body, builder, hidden)
    built = builder.finish(chars_max)
    verbatim = None
    if body is not None and not warnings and "text-cut" not in built.warnings:
        verbatim = _check(tree, hidden, built)
    if verbatim is False:
        warnings = (*warnings, "not-verbatim")
    return Page(built, meta, verbatim, (*warnings, *built.warnings))


def _walk(body: Any, builder: Builder, hidden: list[Any]) -> tuple[str, ...]:
    """Send the tree's events to the builder; collect the nodes that turn hidden or visible again."""
    text, start, end = builder.text, builder.start, builder.end
    stack: list[tuple[Any, str]] = []
    node = body.first_child
    count = 0
    while True:
        if node is None:
            if not stack:
                return ()
            node, tag = stack.pop()
            end(tag)
            node = node.next
            continue
        count += 1
        if count > _NODES_MAX:
            return ("too-many-nodes",)
        tag = node.tag
        if tag == "-text":
            text(node.text_content)
        elif tag is not None and tag[0] not in "-!":
            before = builder.hidden
            if start(tag, node.attributes):
                after = builder.hidden
                if after != before and (before is None or after is None):
                    hidden.append((node, after))
                stack.append((node, tag))
                node = node.first_child
                continue
        node = node.next


def _check(tree: LexborHTMLParser, hidden: list[Any], built: Built) -> bool:
    """Compare with a reading of the tree that knows nothing of blocks; see `verbatim.py`. Takes the tree apart."""
    tree.strip_tags(sorted(SKIPPED - {"head"}), recursive=True)
    whole = squeezed(tree_text(tree))
    visible = "".join(built.text[block.start : block.end] for block in built.blocks if block.hidden is None)
    unseen = [squeezed(built.text[block.start : block.end]) for block in built.blocks if block.hidden is not None]
    if not unseen:
        return squeezed(visible) == whole
    # text that shows itself inside a hidden element keeps its place when the rest around it goes
    if any(reason is None for _, reason in hidden):
        return len(squeezed(visible)) + sum(map(len, unseen)) == len(whole) and in_order(squeezed(visible), whole)
    for node, _ in hidden:
        node.decompose()
    seen = squeezed(tree_text(tree))
    return (
        squeezed(visible) == seen
        and len(seen) + sum(map(len, unseen)) == len(whole)
        and all(u in whole for u in unseen)
    )


def _style_texts(text: str) -> list[str]:
    return re.findall(r"<style\b[^>]{0,500}>(.{0,200000}?)</style", text, re.S | re.I)[:50]
