"""Words out of the fields that databases of papers and discussions have: marked-up text, lists of names. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from searchlog.search.answers.values import html_text, text

__all__ = ["joined", "prose", "unescaped", "whole"]

NAMES_MAX = 6
MARKUP_MAX = 100_000
"""Characters of one marked-up field that are looked at."""

_BLOCK = re.compile(r"</?(?:jats:)?(?:p|title|sec|li|list-item|div|br|pre|h[1-6]|blockquote)\b", re.IGNORECASE)


def prose(value: object) -> str:
    """Return the text of a fragment of HTML or JATS; what stands in two paragraphs does not run together."""
    return html_text(_BLOCK.sub(lambda tag: " " + tag[0], value[:MARKUP_MAX])) if isinstance(value, str) else ""


def unescaped(value: object) -> str:
    """Return a string with its character references resolved once, markup and all; empty for anything else."""
    return html.unescape(value[:MARKUP_MAX]) if isinstance(value, str) else ""


def joined(names: Iterable[object]) -> str:
    """Return names as one string; of many, the first ones and how many more there are. What is no name is left out."""
    known: list[str] = []
    more = 0
    for name in names:
        if len(known) == NAMES_MAX:
            more += isinstance(name, str)
        elif text(name):
            known.append(text(name)[:100])
    return ", ".join(known) + (f" and {more} more" if more else "")


def whole(value: object) -> str:
    """Return a count as digits; empty for what is none."""
    return str(value) if type(value) is int and 0 <= value < 2**53 else ""
