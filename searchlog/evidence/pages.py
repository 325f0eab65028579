"""Which pages repeat an earlier one: the first step of a selection. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from searchlog.evidence.duplicates import Shingles, percent_shared, shingles
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.policy import Policy, account, is_furniture, is_hidden
from searchlog.search.decision import Decision, Step

__all__ = ["distinct_sources"]

_PAGE_WORDS_MAX = 4000
"""Words of a page that are compared with other pages."""
_SLACK = 20
"""Percent by which lengths and single words may lie under the share of word runs that is looked for."""


def distinct_sources(
    sources: Sequence[Source], passages: Sequence[Passage], lexicon: Lexicon, policy: Policy
) -> tuple[list[Passage], Step]:
    """Drop pages that repeat an earlier one. Pages go before snippets, whatever their order."""
    counts: dict[int, int] = {}
    for passage in passages:
        counts[passage.source] = counts.get(passage.source, 0) + 1
    words = _PageWords(passages, lexicon)
    kept: list[int] = []
    dropped: dict[int, Decision] = {}
    for i in sorted(range(len(sources)), key=lambda i: (sources[i].kind != "page", i)):
        reason, numbers = _repeats(sources, i, kept, words, policy) if counts.get(i) else ("no-text", {})
        if reason:
            numbers = {"source": i, "passages": counts.get(i, 0), **numbers}
            dropped[i] = Decision("sources", sources[i].url, False, reason, numbers)
        else:
            kept.append(i)
    rule = f"{policy.rule} page_duplicate={policy.page_duplicate_percent}%"
    step = account("sources", rule, len(sources), [dropped[i] for i in sorted(dropped)])
    return [passage for passage in passages if passage.source not in dropped], step


def _repeats(
    sources: Sequence[Source], i: int, kept: Sequence[int], words: _PageWords, policy: Policy
) -> tuple[str, dict[str, str | int]]:
    """Return why a source repeats an earlier one, and which; an empty reason if it does not."""
    source = sources[i]
    for j in kept:
        other = sources[j]
        naming: dict[str, str | int] = {"kept_source": j, "kept_url": other.url}
        if source.text_digest and source.text_digest == other.text_digest:
            return "duplicate-text", naming
        if source.payload_digest and source.payload_digest == other.payload_digest:
            return "duplicate-payload", naming
        share = words.percent_shared(i, j, policy.page_duplicate_percent)
        if share >= policy.page_duplicate_percent:
            return "near-duplicate-page", {**naming, "percent": share}
    return "", {}


class _PageWords:
    """The words of pages' main text, compared only where the cheaper measures leave a chance."""

    def __init__(self, passages: Sequence[Passage], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._main: dict[int, list[Passage]] = {}
        self._lengths: dict[int, int] = {}
        self._words: dict[int, list[str]] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._runs: dict[int, Shingles] = {}
        for passage in passages:
            if not passage.labels or not (is_hidden(passage) or is_furniture(passage)):
                self._main.setdefault(passage.source, []).append(passage)
                length = self._lengths.get(passage.source, 0)
                self._lengths[passage.source] = length + passage.end - passage.start

    def percent_shared(self, i: int, j: int, least: int) -> int:
        """Return the share of word runs two pages have in common; 0 where their lengths or words rule out `least`."""
        short, long = sorted((self._lengths.get(i, 0), self._lengths.get(j, 0)))
        if not short or 100 * short < (least - _SLACK) * long:
            return 0
        if percent_shared(self._set(i), self._set(j)) < least - _SLACK:
            return 0
        return percent_shared(self._run_set(i), self._run_set(j))

    def _of(self, i: int) -> list[str]:
        if i not in self._words:
            words: list[str] = []
            for passage in self._main[i]:
                words += self._lexicon.words(passage)
                if len(words) >= _PAGE_WORDS_MAX:
                    break
            self._words[i] = words[:_PAGE_WORDS_MAX]
        return self._words[i]

    def _set(self, i: int) -> frozenset[str]:
        if i not in self._sets:
            self._sets[i] = frozenset(self._of(i))
        return self._sets[i]

    def _run_set(self, i: int) -> Shingles:
        if i not in self._runs:
            self._runs[i] = shingles(self._of(i))
        return self._runs[i]
