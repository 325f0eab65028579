"""Words of a text for lexical matching, in any script, the same for the index and the query.

A run is split at script boundaries. Han, Kana, Hangul, Thai, Lao, Khmer and Myanmar runs become character bigrams
(a run of one stays as it is); other runs are lower-cased words. No dictionary: an upgrade can never change a ranking.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["TOKENIZER", "token_count", "words"]

TOKENIZER = "words/1"

# scripts written without spaces, and Hangul, whose particles cling to words
_NOSPACE = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003134f"
)
# combining signs that \w leaves out but that belong to their word
_MARKS = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff"
_RUN = re.compile(rf"[{_NOSPACE}]+|(?:[^\W_{_NOSPACE}]|[{_MARKS}])+")
_IS_NOSPACE = re.compile(rf"[{_NOSPACE}]")


def words(text: str) -> list[str]:
    """Return the tokens of a text in order."""
    out: list[str] = []
    for run in _RUN.findall(text.lower()):
        if run.isascii():
            out.append(run)
        else:
            out.extend(_split(run))
    return out


@lru_cache(50_000)
def _split(run: str) -> tuple[str, ...]:
    if _IS_NOSPACE.match(run):
        return tuple(run[i : i + 2] for i in range(len(run) - 1)) or (run,)
    return (run,)


def token_count(text: str) -> int:
    """Return about how many model tokens a text costs: script-aware weights, rounded up.

    ASCII 4 characters a token, other alphabets 2.5, scripts without spaces 1.
    """
    ascii_count = sum(map(len, re.findall(r"[\x00-\x7f]+", text)))
    dense = sum(map(len, _DENSE.findall(text)))
    other = len(text) - ascii_count - dense
    return -(-(ascii_count * 10 + other * 16 + dense * 40) // 40)


_DENSE = re.compile(rf"[{_NOSPACE}]+")
