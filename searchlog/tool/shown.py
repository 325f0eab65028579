"""From a stored rendering to what a model is shown: what stands above, the passages, what stands below. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from searchlog.errors import FormatError
from searchlog.evidence.render import Parsed, parse_rendering, safe_line
from searchlog.log.checkpoint import Checkpoint, head_line
from searchlog.records import Evidence
from searchlog.tool.result import Result, Shown

__all__ = ["shown_result"]


def shown_result(
    tool: str,
    rendering: str,
    form: str,
    evidence: Mapping[str, Evidence],
    head: Checkpoint,
    *,
    before: str = "",
    reused: int | None = None,
    **structured: Any,
) -> Result:
    """Return what a model is told by a rendering: its text, the passages in it, and the same as an object.

    form: the renderer that made it. evidence: the records of what it shows. before: lines to put above it.
    Raises FormatError when a passage in it has no record.
    """
    parsed = parse_rendering(rendering, form)
    absent = [one.id for one in parsed if one.id not in evidence]
    if absent:
        raise FormatError(f"no record of evidence {', '.join(absent)} is in this session", ids=absent)
    lead, tail = _around(rendering, parsed)
    lead = before + lead
    tail += head_line(head) + "\n"
    passages = tuple(_shown(one, evidence[one.id]) for one in parsed)
    told = {
        **{name: value for name, value in structured.items() if value is not None},
        "notes": [line for line in lead.split("\n") if line],
        "evidence": [dict(passage.facts) for passage in passages],
        "head": head_line(head),
    }
    fences = "".join(rendering[one.start : one.end] for one in parsed)
    return Result(tool, lead + fences + tail, lead, tail, head, passages, told, reused=reused)


def _around(rendering: str, parsed: list[Parsed]) -> tuple[str, str]:
    """Return what stands above the first passage, and all that stands between and below."""
    if not parsed:
        return rendering, ""
    ends = [one.end for one in parsed]
    starts = [*(one.start for one in parsed[1:]), len(rendering)]
    between = "".join(rendering[end:start] for end, start in zip(ends, starts, strict=True))
    return rendering[: parsed[0].start], between


def _shown(one: Parsed, record: Evidence) -> Shown:
    facts: dict[str, Any] = {
        "id": one.id,
        "url": safe_line(one.url),
        "title": safe_line(one.title),
        "text": one.shown,
        "kind": record.source_kind,
        "fetched_at": record.captured_at,
        "start": record.start,
        "end": record.end,
        "digest": record.digest,
    }
    if record.published:
        facts["published"] = safe_line(record.published)
        facts["published_from"] = safe_line(record.published_source or "")
    if record.heading_path:
        facts["under"] = [safe_line(heading) for heading in record.heading_path]
    for line in one.about:
        for name, key in (("columns", "columns"), ("lead-in", "lead_in")):
            if line.startswith(f"{name}: "):
                facts[key] = line.removeprefix(f"{name}: ")
    if record.flags:
        facts["flags"] = list(record.flags)
    return Shown(one.id, facts["url"], facts["title"], one.shown, one.about, record.digest, facts)
