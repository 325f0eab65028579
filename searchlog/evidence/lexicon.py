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
            words = self._words[key] = tokens.words(self.text(passage))
        return words
