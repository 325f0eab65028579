"""What each HTML element means for text: which are blocks, which are empty, which are never text. Pure.

Spec: HTML Living Standard section 15.3 (rendering of flow content); an element that is not listed is inline, as in
CSS.
"""

from __future__ import annotations

__all__ = ["BLOCK", "NEUTRAL", "PREFORMATTED", "SKIPPED", "VOID"]


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEUTRAL = _names(
    "address article body center details dialog div fieldset figure footer form header hgroup html main nav p search "
    "section"
)
"""Blocks that only end a run of text, and leave what is inside them to be what it was."""

PREFORMATTED = _names("listing plaintext pre xmp")

BLOCK = (
    NEUTRAL
    | PREFORMATTED
    | _names("aside blockquote button caption dd dir dl dt figcaption frameset h1 h2 h3 h4 h5 h6 hr legend li menu ol")
    | _names("optgroup summary table tbody td tfoot th thead tr ul")
)

VOID = _names("area base br col embed hr img input link meta param source track wbr")

SKIPPED = _names(
    "annotation annotation-xml audio canvas datalist head iframe noembed noframes noscript option optgroup script "
    "select style svg template textarea title video"
)
"""Elements whose text is never on the page: scripts, styles, fallbacks, form values, drawings, TeX of formulas."""
