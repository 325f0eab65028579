"""The independent check that our text is the page's text, whitespace aside. Pure.

Our walk assembles text out of blocks, rows and folded spaces. The reading here knows none of that: the tree
builder's own concatenation of all text nodes, in C, after scripts and the like are gone. With every whitespace
character taken out of both, the two must be the same characters in the same order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from searchlog.extract.tags import SKIPPED

__all__ = ["in_order", "squeezed", "strip", "tree_text"]

_STRIPPED = SKIPPED - {"head"}
_ASCII_SPACE = bytes(code for code in range(128) if chr(code).isspace())


def squeezed(text: str) -> str:
    """Return the text without any whitespace, as Unicode defines it."""
    # bytes lose single characters three times as fast as `split` and `join` take a text apart at each
    bare = text.encode("utf-8", "surrogatepass").translate(None, _ASCII_SPACE).decode("utf-8", "surrogatepass")
    return "".join(bare.split())


def strip(tree: Any, met: Collection[str], *, noscript: bool = True) -> None:
    """Take out of the tree what is never text: scripts, styles, fallbacks, form values.

    met: names of all elements of the body, those inside what is stripped aside; looking for few names takes a quarter
    of the time.
    """
    names = _STRIPPED.intersection(met) if noscript else _STRIPPED.intersection(met) - {"noscript"}
    if names:
        for node in tree.css(", ".join(sorted(names))):
            node.decompose()


def tree_text(tree: Any) -> str:
    """Return the concatenated text nodes of the body."""
    body = tree.body
    return "" if body is None else str(body.text())


def in_order(parts: Sequence[str], whole: str) -> bool:
    """Return whether the characters of all parts stand in `whole` in this order, others between them."""
    at = 0
    for part in parts:
        found = whole.find(part, at)
        if found < 0:
            break
        at = found + len(part)
    else:
        return True
    # a part may be interrupted: then each character is looked for alone
    rest = iter(whole)
    return all(char in rest for part in parts for char in part)
