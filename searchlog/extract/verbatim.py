"""The independent check that our text is the page's text, whitespace aside. Pure.

Our walk assembles text out of blocks, rows and folded spaces. The reading here knows none of that: the tree
builder's own concatenation of all text nodes, in C, after scripts and the like are gone. With every whitespace
character taken out of both, the two must be the same characters in the same order.
"""

from __future__ import annotations

from typing import Any

from searchlog.extract.tags import SKIPPED

__all__ = ["in_order", "squeezed", "strip", "tree_text"]

_STRIPPED = ", ".join(sorted(SKIPPED - {"head"}))
_STRIPPED_BARE = ", ".join(sorted(SKIPPED - {"head", "noscript"}))


def squeezed(text: str) -> str:
    """Return the text without any whitespace, as Unicode defines it."""
    return "".join(text.split())


def strip(tree: Any, *, noscript: bool = True) -> None:
    """Take out of the tree what is never text: scripts, styles, fallbacks, form values."""
    for node in tree.css(_STRIPPED if noscript else _STRIPPED_BARE):
        node.decompose()


def tree_text(tree: Any) -> str:
    """Return the concatenated text nodes of the body."""
    body = tree.body
    return "" if body is None else str(body.text())


def in_order(part: str, whole: str) -> bool:
    """Return whether the characters of `part` stand in `whole` in this order, others between them."""
    rest = iter(whole)
    return all(char in rest for char in part)
