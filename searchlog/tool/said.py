"""What a model said, with what it cites: which evidence, by what mark, for which words. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from searchlog.answer.citations import Citation, citations_of
from searchlog.answer.text import FORMS, parse_answer
from searchlog.errors import FormatError
from searchlog.records import Evidence

__all__ = ["citations_in", "model_of"]

Native = Callable[[Citation], list[str]]
"""Evidence ids that a citation beside the text stands for."""


def model_of(response: Any) -> str | None:
    """Return which model a response says it is of."""
    if not isinstance(response, Mapping):
        return None
    for name in ("model", "modelVersion", "model_version"):
        if isinstance(response.get(name), str) and response[name]:
            return str(response[name])
    return None


def citations_in(
    data: bytes, form: str, evidence: Mapping[str, Evidence], aliases: Mapping[str, str], native: Native
) -> list[dict[str, Any]] | None:
    """Return what a response cites, one object a citation; None when it is in no form that has a text.

    evidence: what was given, by id. aliases: other names of evidence. native: what marks beside the text stand for.
    """
    try:
        answer = parse_answer(data, form if form in FORMS else None)
    except FormatError:
        return None
    out: list[dict[str, Any]] = []
    for one in citations_of(answer):
        for name in native(one) or [aliases.get(one.target, one.target)]:
            known = evidence.get(name)
            out.append(
                {
                    "form": one.native.form if one.form == "native" and one.native else one.form,
                    "target": one.target[:500],
                    "evidence": name if known is not None else None,
                    "digest": known.digest if known is not None else None,
                    "start": one.claim[0],
                    "end": one.claim[1],
                }
            )
    return out
