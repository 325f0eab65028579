"""The providers' answers: one run for each provider and text of the query. Pure."""

from __future__ import annotations

from typing import Any

from searchlog.compare.section import Section, Side, Things, differing, section_of
from searchlog.records import Run
from searchlog.search.fuse import comparison_key

__all__ = ["results_of_runs", "runs_here", "runs_section"]


def _label(run: Run) -> str:
    """Return the name of a run as ranks have it: `brave`, and `brave#2` for the second text of a query."""
    return f"{run.provider}#{run.query_number}" if (run.query_number or 1) > 1 else run.provider


def results_of_runs(side: Side) -> dict[str, dict[str, dict[str, Any]]] | None:
    """Return the results of each run by key, the best-ranked where two have one key; None when one cannot be read."""
    out: dict[str, dict[str, dict[str, Any]]] = {}
    for run in side.view.runs:
        results = side.load(run.results)
        if not isinstance(results, list):
            return None
        mine = out.setdefault(_label(run), {})
        for item in results:
            if isinstance(item, dict) and isinstance(url := item.get("url"), str):
                mine.setdefault(comparison_key(url), item)
    return out


def runs_here(side: Side) -> bool:
    """Whether the run of each provider is here, for each text of the query, or it is known that there are no more."""
    if not side.incomplete:
        return True
    query = side.view.query
    if query is None:
        return False
    wanted = {(provider, number) for provider in query.providers for number in range(1, len(query.phrasings) + 1)}
    return wanted <= {(run.provider, run.query_number or 1) for run in side.view.runs}


def runs_section(a: Side, b: Side) -> Section:
    """Return the runs of both sides."""

    def of(side: Side) -> Things:
        out = Things(runs_here(side))
        for run in side.view.runs:
            results = side.load(run.results)
            count = len(results) if isinstance(results, list) else None
            told = {"outcome": run.outcome, "detail": run.detail, "results": count, "ignored": run.ignored}
            out.add(_label(run), {"run": _label(run), **told}, stands=False)
        return out

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = differing(mine, other, ("outcome", "results", "ignored"))
        if mine["results"] is None or other["results"] is None:  # it is not known how many there are
            names = [name for name in names if name != "results"]
        return ("changed" if names else "same"), names

    return section_of(of(a), of(b), judge, lambda run: {"run": run["run"]})
