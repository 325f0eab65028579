"""Which declarations may hide or show, by what a look hides, and what is hidden only for a while. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from searchlog.extract.look import Look

__all__ = ["FADED_IN", "UNDOING", "bearing", "hides", "reasons", "to_be_opened"]

_HIDING = (
    *(
        "display:none",
        "hidden",
        "opacity",
        "transparent",
        "collapse",
        "clip",
        "indent",
        "scale",
        "translate",
        "\\",
        "var(",
    ),
    *(
        ":-",
        "font-size:0",
        "font-size:1",
        "font-size:.",
        "font:0",
        "font:1",
        "mask",
        "zoom:0",
        "height:0",
        "rotate",
        "matrix",
    ),
)
"""One of them is in each rule that hides, white space aside."""
_SHOWING = ("display", "visib", "position")
_PLACED = ("left", "right", "top", "bottom", "inset", "position", "margin", "indent", "clip", "overflow", "height")
UNDOING = {
    "style": ("display", "content-vis", "all:"),
    "opacity": ("opacity", "filter", "mask", "animation", "transition", "all:"),
    "offscreen": (*_PLACED, "width", "transform", "translate", "scale", "zoom", "size", "all:"),
    "visibility": ("visib", "all:"),
    "size": ("font", "spacing", "all:"),
    "colour": ("color", "background", "shadow", "all:"),
}
"""By what hides text, what a rule has to speak of to undo it."""


@lru_cache(256)
def bearing(body: str) -> tuple[bool, bool]:
    """Return whether declarations may hide, and whether they may show what others hide."""
    bare = "".join(body.lower().split())
    may = any(hint in bare for hint in _HIDING) or ("background" in bare and ";color:" in f";{bare}")
    return may, any(hint in bare for hint in _SHOWING)


FADED_IN = re.compile(r"lazy|aos\b|wow\b|reveal|anim|fade|invisible|scroll|in-?view|motion|sal\b", re.I)
"""Names of what is faded in as one scrolls."""
_OPENED = re.compile(r"accordion|collaps|toggle|faq|answer|panel|expand|drop-?down|details|\btab", re.I)


def to_be_opened(look: Look, names: str, attributes: Mapping[str, str | None]) -> bool:
    """Return whether an element is closed until a reader opens it, such as an answer under its question."""
    closed = look.gone == "style" or (look.gone is None and look.visibility is False)
    return closed and (_OPENED.search(names) is not None or attributes.get("itemprop") == "acceptedAnswer")


def reasons(look: Look) -> list[str]:
    """Return all that a look hides its element by."""
    found = [] if look.gone is None else [look.gone]
    stated = (("visibility", look.visibility), ("size", look.sized), ("colour", look.coloured))
    return found + [why for why, seen in stated if seen is False]


def hides(look: Look) -> bool:
    """Return whether a look hides its element."""
    return look.gone is not None or False in (look.visibility, look.sized, look.coloured)
