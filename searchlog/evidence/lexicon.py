"""The words of passages, each split once however many steps look at them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from searchlog import tokens
from searchlog.evidence.passage import Passage, Source

__all__ = ["Lexicon"]


class Lexicon:
    """Words of passages by `tokens.words`, remembered for one selection."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._words: dict[tuple[int, int], list[str]] = {}

    def text(self, passage: Passage) -> str:
        """Return the exact text of a passage."""
        return self._sources[passage.source].text[passage.start : passage.end]

    def words(self, passage: Passage) -> list[str]:
        """Return the words of a passage in order; not to be changed."""
        key = (passage.source, passage.start)
        words = self._words.get(key)
        if words is None:
            words = self._words[key] = tokens.words(_plain(self.text(passage)))
        return words


def _plain(text: str) -> str:
    """Return the text with a space for each typographic mark, where that makes it ASCII: of the same words.

    These alone keep most passages of the web from being ASCII, which `tokens.words` reads in a quarter of the time.
    """
    if text.isascii():
        return text
    plain = text
    for mark in _MARKS:
        plain = plain.replace(mark, " ")
    return plain if plain.isascii() else text


_MARKS = "\u00a0\u2019\u2013\u2014\u201c\u201d\u2018\u2022\u2026\u00b7\u00bb\u00ab\u2192\u00a9\u00ae"
"""Marks that part words and become no letter or digit under NFKC: quotes, dashes, bullets, spaces that do not break."""
