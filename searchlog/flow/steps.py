"""The steps of a search that belong to no single stage: what an answer held, what is read, how it all ended. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from searchlog.capture import guard
from searchlog.clock import format_time
from searchlog.digest import digest
from searchlog.evidence.passage import Evidence
from searchlog.evidence.render import Notes
from searchlog.extract.conversion import Conversion
from searchlog.flow.choose import TextPage
from searchlog.flow.read import PageRead, unread_reason
from searchlog.flow.settings import Settings
from searchlog.search.decision import Decision, Step
from searchlog.search.filters import Policy, filter_candidates, settle
from searchlog.search.fuse import Candidate, fuse
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.suspect import judge

__all__ = ["answered", "notes_of", "outcome_of", "read_step", "shortlist", "text_pages"]

_PARSE_RULE = "parse/1"
_READ_RULE = f"read/2 {judge.RULE}"
_ANSWERS = frozenset({RunOutcome.OK, RunOutcome.EMPTY, RunOutcome.FILTERED_TO_EMPTY})


def answered(runs: Sequence[Run]) -> bool:
    """Return whether any provider gave an answer, if only that there is nothing."""
    return any(run.outcome in _ANSWERS or run.results for run in runs)


def shortlist(
    runs: Sequence[Run], query: Query, settings: Settings
) -> tuple[tuple[Candidate, ...], tuple[Run, ...], tuple[Step, ...]]:
    """Return the candidates to read, the runs as the filters leave them, and the steps that led there."""
    runs, parsed = _within_count(runs, query.count)
    candidates, fused = fuse(runs)
    policy = Policy(
        limit=settings.pages,
        per_host_max=settings.per_host_max,
        include_domains=query.include_domains,
        exclude_domains=query.exclude_domains,
    )
    # a page that would be refused anyhow must not take the place of one that can be read
    allow = guard.Allow.parse(settings.allow_private)
    kept, filtered = filter_candidates(candidates, policy, lambda url: guard.refusal(url, allow))
    return kept, settle(runs, candidates, filtered), (parsed, fused, filtered)


def _within_count(runs: Sequence[Run], count: int) -> tuple[list[Run], Step]:
    """Return the runs with at most `count` results each, and the account of every item of the answers.

    What is no result, such as an advertisement, leaves here as well.
    """
    decisions: list[Decision] = []
    for run in runs:
        numbers: dict[str, str | int] = {"provider": run.provider}
        decisions += [Decision("parse", what, False, reason, numbers) for what, reason in run.dropped]
        for result in run.results[count:]:
            decisions.append(Decision("parse", result.url, False, "over-count", {**numbers, "rank": result.rank}))
    within = [replace(run, results=run.results[:count]) for run in runs]
    kept = sum(len(run.results) for run in within)
    rule = f"{_PARSE_RULE} count={count}"
    return within, Step("parse", rule, kept + len(decisions), kept, len(decisions), tuple(decisions))


def read_step(candidates: Sequence[Candidate], pages: Mapping[int, PageRead]) -> Step:
    """Account for the candidates: which pages gave text, and why the others did not."""
    decisions = []
    for number, candidate in enumerate(candidates):
        page = pages[number]
        reason = unread_reason(page)
        numbers: dict[str, str | int] = {"rank": candidate.rank}
        final = page.exchange
        if final is not None:
            numbers |= {"final_url": final.url, "payload_bytes": len(final.payload)}
            if page.fetch is not None and page.fetch.reason:
                numbers["capture"] = page.fetch.reason
            if page.suspicion is not None and not page.cut:
                numbers |= {"status": final.status or 0, "tests": " ".join(page.suspicion.tests)}
        decisions.append(Decision("read", candidate.url, reason is None, reason or "kept", numbers))
    kept = sum(decision.kept for decision in decisions)
    return Step("read", _READ_RULE, len(decisions), kept, len(decisions) - kept, tuple(decisions))


def text_pages(candidates: Sequence[Candidate], pages: Mapping[int, PageRead]) -> list[tuple[int, TextPage]]:
    """Return the pages that gave text, in candidate order, each with its candidate's place."""
    out = []
    for number, candidate in enumerate(candidates):
        page, final = pages[number], pages[number].exchange
        if unread_reason(page) is None and isinstance(page.conversion, Conversion) and final is not None:
            text = TextPage(
                url=final.url,
                conversion=page.conversion,
                payload_digest=digest(final.payload),
                captured_at=format_time(final.started_at),
                title=candidate.title,
                published=candidate.published,
                cut=page.passages,
            )
            out.append((number, text))
    return out


def notes_of(runs: Sequence[Run], steps: Sequence[Step]) -> Notes:
    """Return how the search went, for the head of the rendering."""
    searched = []
    for run in runs:
        said = f"{run.provider} {len(run.results)} results" if run.results else f"{run.provider} {run.outcome}"
        ignored = f" (could not apply {', '.join(run.ignored)})" if run.ignored else ""
        searched.append(said + ignored)
    read = next((step for step in steps if step.name == "read"), None)
    return Notes(
        searched=tuple(searched),
        pages_read=read.kept_count if read else None,
        pages_dropped=read.dropped_count if read else None,
        steps=tuple(steps),
    )


def outcome_of(
    runs: Sequence[Run], candidates: Sequence[Candidate], pages: Sequence[TextPage], evidence: Sequence[Evidence]
) -> RunOutcome:
    """Return how a search that was answered ended: ok with evidence, else why there is none."""
    if evidence:
        return RunOutcome.OK
    if pages:
        return RunOutcome.FILTERED_TO_EMPTY  # all text of the pages is hidden, and hidden text is no evidence
    if candidates:
        return RunOutcome.DEGRADED  # there are results, but no page of theirs could be read
    if any(run.outcome is RunOutcome.FILTERED_TO_EMPTY for run in runs):
        return RunOutcome.FILTERED_TO_EMPTY
    return RunOutcome.EMPTY
