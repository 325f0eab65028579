"""Whether a page that arrived holds its text back: for those who pay, or until its scripts run. Pure.

Asked only of pages on which a passage was looked for in vain: many a page carries the marks of a wall and gives all its
text. `judge.suspect` is asked before, as a page that stands in for another is not this page at all.
"""

from __future__ import annotations

from searchlog.extract import sniff
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.suspect.judge import JUDGED, Arrived, Suspicion, markup_of
from searchlog.suspect.outline import PREFIX_CHARS, outline_of
from searchlog.suspect.paywall import paywall_tests
from searchlog.suspect.scripted import scripted_tests

__all__ = ["RULE", "held_back"]

RULE = "held/1"
"""The name of these tests, written down where their outcome is; a change of what they tell changes it."""

_MARKUP_CHARS = 2_000_000
"""How much is looked at for data that may stand at a page's end."""


def held_back(arrived: Arrived, conversion: Conversion | ConversionFailure | None) -> Suspicion | None:
    """Return that a page is suspected to hold its text back (`paywall`, `needs-javascript`), or None.

    Never raises on any bytes. conversion: what was made of the payload; None where that is not known.
    """
    if not 200 <= arrived.status < 300:
        return None
    if isinstance(conversion, ConversionFailure) and conversion.reason not in JUDGED:
        return None
    kind = sniff.sniff(arrived.data[:2_000], arrived.content_type, arrived.urls[-1])
    if not sniff.is_html(conversion.media_type if conversion is not None else kind):
        return None
    made = conversion if isinstance(conversion, Conversion) else None
    markup = markup_of(arrived.data, made.charset if made else None, _MARKUP_CHARS)
    outline = outline_of(markup[:PREFIX_CHARS])
    if found := scripted_tests(outline, markup, conversion):
        return Suspicion("needs-javascript", tuple(found))
    if found := paywall_tests(outline, markup, made):
        return Suspicion("paywall", tuple(found))
    return None
