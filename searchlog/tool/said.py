"""What a model said, with what it cites: which evidence, by what mark, for which words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from searchlog.answer.aliases import aliases
from searchlog.answer.citations import citations_of
from searchlog.answer.text import FORMS, parse_answer
from searchlog.errors import FormatError
from searchlog.records import Evidence
from searchlog.tool.apis.anthropic_citations import LOCATION, cited, index_map, units_of

__all__ = ["Said", "model_of", "said_of"]

_TARGET_MAX = 500


@dataclass(frozen=True, slots=True)
class Said:
    """What a response cites, as it is recorded."""

    citations: list[dict[str, Any]] | None
    """None when it is in no form that has a text."""
    index: list[dict[str, Any]] | None = None
    """What numbers of citations meant in the request."""


def model_of(response: Any) -> str | None:
    """Return which model a response says it is of."""
    if not isinstance(response, Mapping):
        return None
    names = (response.get(name) for name in ("model", "modelVersion", "model_version"))
    return next((name for name in names if isinstance(name, str) and name), None)


def said_of(
    form: str,
    data: bytes,
    response: Any,
    evidence: Mapping[str, Evidence],
    *,
    messages: Iterable[Any],
    known: Mapping[tuple[str, str], str],
) -> Said:
    """Return what a response cites.

    data: it as it is kept; response: the same as JSON values. evidence: what this session gave, by id. messages: what
    the response answers. known: ids by address and text as shown.
    """
    try:
        answer = parse_answer(data, form if form in FORMS else None)
    except FormatError:
        return Said(None)
    names = aliases(evidence)
    out: list[dict[str, Any]] = []
    for one in citations_of(answer):
        beside = one.form == "native" and one.native is not None
        written = one.native.form if one.native is not None and beside else one.form
        if written != LOCATION:
            name = names.get(one.target, one.target)
            out.append(_citation(written, one.target, name, one.claim, evidence))
    index = None
    if any(one.form == LOCATION for one in answer.native):
        units = units_of(messages)
        index = index_map(units, known) if units else None
        for found in cited(response, units, known):
            for name in found.evidence or ("",):
                place = (found.start, found.end)
                out.append({**_citation(LOCATION, found.source, name, place, evidence), "state": found.state})
    return Said(sorted(out, key=lambda one: (one["start"], one["end"])), index)


def _citation(
    form: str, target: str, name: str, place: tuple[int, int], evidence: Mapping[str, Evidence]
) -> dict[str, Any]:
    record = evidence.get(name)
    return {
        "form": form,
        "target": target[:_TARGET_MAX],
        "evidence": name if record is not None else None,
        "digest": record.digest if record is not None else None,
        "start": place[0],
        "end": place[1],
    }
