"""A turn in words and tables, for people: who was asked, the funnel, the pages, the evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from searchlog.cli import out
from searchlog.search.provider import APPLIED_HERE
from searchlog.view import TurnView, call_json, page_json, step_json, text_asked

__all__ = ["brief", "calls", "evidence_table", "funnel", "heading", "pages", "runs", "shown", "turn"]

Load = Callable[[Any], Any]

_BRIEF_CHARS = 60


def brief(text: str, chars: int = _BRIEF_CHARS) -> str:
    """Return the beginning of a text on one line, for a table."""
    flat = " ".join(text.split())
    return flat if len(flat) <= chars else flat[: chars - 1] + "…"


def shown(text: Any) -> str:
    """Return the beginning of a passage, or that it cannot be read."""
    return brief(text) if isinstance(text, str) else "[cannot be read]"


def turn(view: TurnView, load: Load) -> None:
    """Print one turn: heading, runs, funnel, pages and evidence, to stdout."""
    out.line(heading(view))
    if view.query is not None:
        for text in view.query.also or ():
            out.line(f"  also: {text}")
        if view.query.focus is not None:
            out.line(f"  focus: {view.query.focus}")
        for name, value in view.query.options.items():
            out.line(f"  {name}: {value}")
        if scorer := view.query.policy.get("scorer"):
            out.line(f"  scorer: {scorer}")
    if view.detail:
        out.line(view.detail)
    parts: tuple[tuple[str, bool, Callable[[], None]], ...] = (
        ("Providers", bool(view.runs), lambda: runs(view, load)),
        ("Funnel", bool(view.steps), lambda: funnel(view)),
        ("Pages", bool(view.captures), lambda: pages(view)),
        ("Evidence", bool(view.evidence), lambda: evidence_table(view, load)),
        ("Calls", bool(view.calls), lambda: calls(view, load)),
    )
    for title, is_there, show in parts:
        if is_there:
            out.line()
            out.line(title)
            show()


def heading(view: TurnView) -> str:
    """Return one line that says which turn this is and how it ended."""
    about = f": {view.query.text}" if view.query is not None else ""
    if not view.began_at:
        return f"turn {view.number}, of which not all is here{about}"
    return f"turn {view.number}, {view.purpose} ({view.ended}), {view.began_at}{about}"


def runs(view: TurnView, load: Load, *, err: bool = False) -> None:
    """Print who was asked and what came back."""
    rows = []
    several = view.query is not None and bool(view.query.also)
    for run in view.runs:
        results = load(run.results)
        ignored = f"could not apply: {', '.join(map(_ignored, run.ignored))}" if run.ignored and results else ""
        said = "; ".join(part for part in (run.detail or "", ignored, *run.notes) if part)
        asked = (shown(text_asked(run, view.query)),) if several else ()
        rows.append((run.provider, *asked, run.outcome, len(results) if isinstance(results, list) else "?", said))
    out.table(("provider", *(("query",) if several else ()), "outcome", "results", "notes"), rows, err=err)


def _ignored(option: str) -> str:
    return f"{option} (applied here)" if option in APPLIED_HERE else option


def funnel(view: TurnView, *, err: bool = False) -> None:
    """Print the steps: at each one in = kept + dropped."""
    rows = []
    for step in map(step_json, view.steps):
        reasons = ", ".join(f"{count} {reason}" for reason, count in step["reasons"].items())
        rows.append((step["step"], step["in"], step["kept"], step["dropped"], reasons))
    out.table(("step", "in", "kept", "dropped", "reasons"), rows, err=err)


def pages(view: TurnView) -> None:
    """Print what was fetched and what came of it."""
    rows = []
    for capture in view.captures:
        if not capture.final:
            continue
        page = page_json(capture, view.conversions)
        came = page["reason"] or (f"no text: {page['no_text']}" if page["no_text"] else page["detail"]) or ""
        if page["suspected"]:
            came = f"suspected {page['suspected']['kind']}"
        if page["reused"]:
            came = f"from {page['reused'].get('via', 'an earlier capture')}"
        if page["asked"] != page["url"]:
            came = f"asked as {page['asked']}" + (f"; {came}" if came else "")
        rows.append((page["outcome"], page["status"], page["char_count"], page["url"], came))
    out.table(("outcome", "status", "chars", "url", "notes"), rows)


def evidence_table(view: TurnView, load: Load) -> None:
    """Print the evidence of a turn, a line each."""
    rows = [(item.id, item.tokens, item.source_kind, item.url, shown(load(item.exact))) for item in view.evidence]
    out.table(("id", "tokens", "kind", "url", "text"), rows)


def calls(view: TurnView, load: Load) -> None:
    """Print the calls of tools, a line each: what was asked, and what the model was told."""
    rows = []
    for item in view.calls:
        told = call_json(item, load)
        evidence = told["evidence"]
        came = told["fidelity"] or (f"{len(evidence)} evidence" if evidence else "")
        ended = "no result" if told["outcome"] is None else told["error"] or told["outcome"]
        asked = shown(load(item.call.arguments)) if item.call else ""
        rows.append((told["name"], told["api"], ended, told["bytes"], came, asked))
    out.table(("tool", "by", "outcome", "bytes", "what it is", "arguments"), rows)
