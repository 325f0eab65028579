"""An outcome as a sign and a word. Pure."""

from __future__ import annotations

from searchlog.ui.meanings import SYMBOLS
from searchlog.ui.page import Piece, element

__all__ = ["chip"]


def chip(outcome: str) -> Piece:
    """Return one of the three outcomes; the word says it, sign and colour repeat it."""
    sign = element("span", SYMBOLS[outcome], aria_hidden="true")
    return element("span", sign, " ", outcome, class_=f"chip {outcome.replace(' ', '-')}")
