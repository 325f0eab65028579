"""The sentences of a folded text, in scripts with and without blanks between words. Pure."""

from __future__ import annotations

import re

__all__ = ["sentences_of"]

_BLANKLESS = "\u0e00-\u0eff\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff"
_END = re.compile(rf"[.!?\u061f\u06d4\u0964\u0965\u2026]+[\"')\]]*(?: |(?=[{_BLANKLESS}]))|[\u3002\uff61]+[\"')\]]*|\n")


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the sentences, without the blanks between them. What looks like an abbreviation ends one."""
    out: list[tuple[int, int]] = []
    at = 0
    for match in _END.finditer(text):
        out.append((at, match.end()))
        at = match.end()
    out.append((at, len(text)))
    return [
        (start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip()))
        for start, end in out
        if (part := text[start:end]).strip()
    ]
