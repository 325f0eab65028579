"""What other libraries say of a page: trafilatura of its main text, htmldate of its date. Imported only when asked for.

Both get the text that we decoded (from raw bytes they ignore declared charsets), and no option that remembers earlier
pages: `deduplicate` is never set. A page nested deeper than lxml reads would lose its end in silence, so trafilatura is
not asked about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from searchlog.extract.conversion import Dated
from searchlog.extract.dates import iso_date
from searchlog.extract.flat import nesting

__all__ = ["find_published", "is_readable", "kept", "name"]

_LXML_DEPTH = 250
_MARKUP_CHARS_MAX = 3_000_000
_BETWEEN = re.compile(r"[\W_]+")


def is_readable(markup: str) -> bool:
    """Return whether lxml reads the page to its end, and in a time that somebody may wait for."""
    return len(markup) <= _MARKUP_CHARS_MAX and nesting(markup) < _LXML_DEPTH


def name() -> str:
    """Return who is asked, with its version."""
    import trafilatura

    return f"trafilatura {trafilatura.__version__}"


def kept(markup: str, texts: Sequence[str]) -> list[bool] | None:
    """Return for each text of a block whether trafilatura takes it for main text; None where it finds nothing."""
    import trafilatura
    from lxml.etree import LxmlError  # type: ignore[import-untyped]

    try:
        main = trafilatura.extract(
            markup, output_format="txt", favor_recall=True, fast=True, include_comments=False, include_tables=True
        )
    except (LxmlError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return None
    if not main:
        return None
    whole = _BETWEEN.sub("", main)
    return [_BETWEEN.sub("", text) in whole for text in texts]


def find_published(markup: str) -> Dated | None:
    """Return htmldate's reading of when the page was published, or None.

    The latest date allowed is fixed, not today's: the answer must be the same on every day.
    """
    from htmldate import find_date

    try:
        found = find_date(
            markup,
            original_date=True,
            outputformat="%Y-%m-%d",
            min_date="1995-01-01",
            max_date="2099-12-31",
            deferred_url_extractor=True,
        )
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return None
    date = iso_date(found) if found else None
    return Dated(date, "htmldate", "guessed") if date else None
