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
        self._plain: dict[int, str] = {}
        self._words: dict[tuple[int, int], list[str]] = {}

    def text(self, passage: Passage) -> str:
        """Return the exact text of a passage."""
        return self._sources[passage.source].text[passage.start : passage.end]

    def words(self, passage: Passage) -> list[str]:
        """Return the words of a passage in order; not to be changed."""
        key = (passage.source, passage.start)
        words = self._words.get(key)
        if words is None:
            words = self._words[key] = self.words_at(passage.source, passage.start, passage.end)
        return words

    def words_at(self, source: int, start: int, end: int) -> list[str]:
        """Return the words of a range of a source, in order."""
        plain = self._plain.get(source)
        if plain is None:
            plain = self._plain[source] = _plain(self._sources[source].text)
        part = plain[start:end]
        return tokens.words(part if part.isascii() else self._sources[source].text[start:end])


def _plain(text: str) -> str:
    """Return the text with a space for each typographic mark: of the same words wherever that makes it ASCII.

    These alone keep most passages of the web from being ASCII, which `tokens.words` reads in a fraction of the time.
    """
    if not text.isascii():
        for mark in _MARKS:
            text = text.replace(mark, " ")
    return text


_MARKS = (
    "\u00a0\u00a7\u00a9\u00ab\u00ae\u00b0\u00b6\u00b7\u00bb\u00d7\u200b\u2013\u2014\u2018\u2019\u201c\u201d"
    "\u2022\u2026\u20ac\u2190\u2192\u2212\u2713"
)
"""Marks that part words and become no letter or digit under NFKC: quotes, dashes, bullets, signs of documentation."""
