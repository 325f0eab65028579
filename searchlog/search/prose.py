"""Words out of the fields that databases of papers and discussions have: marked-up text, lists of names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from searchlog.search.reading import html_text, text

__all__ = ["joined", "prose", "whole"]

NAMES_MAX = 6
MARKUP_MAX = 100_000
"""Characters of one marked-up field that are looked at."""

_BLOCK = re.compile(r"</?(?:jats:)?(?:p|title|sec|li|list-item|div|br|pre|h[1-6]|blockquote)\b", re.IGNORECASE)


def prose(value: object) -> str:
    """Return the text of a fragment of HTML or JATS; what stands in two paragraphs does not run together."""
    return html_text(_BLOCK.sub(lambda tag: " " + tag[0], value[:MARKUP_MAX])) if isinstance(value, str) else ""


def joined(names: Iterable[object]) -> str:
    """Return names as one string; of many, the first ones and how many more there are. What is no name is left out."""
    known = [name[:100] for name in map(text, names) if name]
    more = f" and {len(known) - NAMES_MAX} more" if len(known) > NAMES_MAX else ""
    return ", ".join(known[:NAMES_MAX]) + more


def whole(value: object) -> str:
    """Return a count as digits; empty for what is none."""
    return str(value) if type(value) is int and 0 <= value < 2**53 else ""
