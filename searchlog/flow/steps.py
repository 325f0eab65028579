"""The steps of a search that belong to no single stage: what an answer held, what is read, how it all ended. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from searchlog.capture import guard
from searchlog.clock import format_time
from searchlog.digest import digest
from searchlog.evidence.passage import IMPORTED, Evidence
from searchlog.evidence.render import Notes
from searchlog.extract.conversion import Conversion
from searchlog.flow.choose import TextPage
from searchlog.flow.given import KIND
from searchlog.flow.read import PageRead, unread_reason
from searchlog.flow.settings import Settings
from searchlog.search.dates import DATE_OPTIONS, hold_to_dates, outside
from searchlog.search.dates import RULE as DATES_RULE
from searchlog.search.decision import Decision, Step
from searchlog.search.filters import Policy, filter_candidates, settle
from searchlog.search.fuse import Candidate, fuse
from searchlog.search.provider import APPLIED_HERE, Facts
from searchlog.search.query import Query
from searchlog.search.run import ANSWERS, Run, RunOutcome
from searchlog.search.whom import lets_next_be_asked
from searchlog.suspect import judge

__all__ = ["answered", "is_whole", "notes_of", "outcome_of", "page_dates_step", "read_step", "shortlist", "text_pages"]

_PARSE_RULE = "parse/1"
_READ_RULE = f"read/2 {judge.RULE}"


def answered(runs: Sequence[Run]) -> bool:
    """Return whether any provider gave an answer, if only that there is nothing."""
    return any(run.outcome in ANSWERS or run.results for run in runs)


def shortlist(
    runs: Sequence[Run], query: Query, settings: Settings
) -> tuple[tuple[Candidate, ...], tuple[Run, ...], tuple[Step, ...]]:
    """Return the candidates to read, the runs as the filters leave them, and the steps that led there."""
    runs, parsed = _within_count(runs, query)
    dated_runs, dated = hold_to_dates(runs, query)
    candidates, fused = fuse(dated_runs)
    policy = Policy(
        limit=settings.pages,
        per_host_max=settings.per_host_max,
        include_domains=query.include_domains,
        exclude_domains=query.exclude_domains,
    )
    # a page that would be refused anyhow must not take the place of one that can be read
    allow = guard.Allow.parse(settings.allow_private)
    kept, filtered = filter_candidates(candidates, policy, lambda url: guard.refusal(url, allow))
    steps = (parsed, dated, fused, filtered) if dated else (parsed, fused, filtered)
    return kept, settle(runs, candidates, filtered), steps


def _within_count(runs: Sequence[Run], query: Query) -> tuple[list[Run], Step]:
    """Return the runs with the `count` results each of the wanted page, and the account of every item of the answers.

    A provider without pages was asked for the results of the pages before as well. What is no result, such as an
    advertisement, leaves here too.
    """
    count = query.count
    decisions: list[Decision] = []
    for run in runs:
        numbers: dict[str, str | int] = {"provider": run.provider}
        numbers |= {"query_number": run.query_number} if run.query_number > 1 else {}
        decisions += [Decision("parse", what, False, reason, numbers) for what, reason in run.dropped]
        first = _first(run, query)
        for place, result in enumerate(run.results):
            if not first <= place < first + count:
                why = "before-page" if place < first else "over-count"
                decisions.append(Decision("parse", result.url, False, why, {**numbers, "rank": result.rank}))
    within = [_page_of(run, _first(run, query), count) for run in runs]
    kept = sum(len(run.results) for run in within)
    rule = f"{_PARSE_RULE} count={count}"
    return within, Step("parse", rule, kept + len(decisions), kept, len(decisions), tuple(decisions))


def _first(run: Run, query: Query) -> int:
    """Return how many results of a run belong to pages before the wanted one."""
    return (query.page - 1) * query.count if "page" in run.ignored else 0


def _page_of(run: Run, first: int, count: int) -> Run:
    """Return a run with the results of one page, ranked from 1."""
    shown = run.results[first : first + count]
    if not first:
        return replace(run, results=shown)
    results = tuple(replace(result, rank=place) for place, result in enumerate(shown, 1))
    if run.outcome is RunOutcome.OK and not results:
        detail = f"{run.provider}: it gives {len(run.results)} results and no pages, so there is none this far"
        return replace(run, results=(), outcome=RunOutcome.FILTERED_TO_EMPTY, detail=detail)
    return replace(run, results=results)


def read_step(candidates: Sequence[Candidate], pages: Mapping[int, PageRead]) -> Step:
    """Account for the candidates: which pages gave text, and why the others did not."""
    decisions = []
    for number, candidate in enumerate(candidates):
        page = pages[number]
        reason = unread_reason(page)
        numbers: dict[str, str | int] = {"rank": candidate.rank}
        final = page.exchange
        if page.given is not None:
            numbers |= {"text_by": page.given.provider, "payload_bytes": len(page.given.data)}
            numbers |= {"page": page.instead_of} if page.instead_of else {}
        elif final is not None:
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
        page, final, given = pages[number], pages[number].exchange, pages[number].given
        if unread_reason(page) is not None or not isinstance(page.conversion, Conversion):
            continue
        if given is not None:
            url, payload, at, kind = candidate.url, given.data, given.answered_at, KIND
        elif final is not None:
            url, payload, at = final.url, final.payload, format_time(final.started_at)
            kind = IMPORTED if (page.task.reused or {}).get("imported") else "page"
        else:
            continue
        text = TextPage(
            url=url,
            conversion=page.conversion,
            payload_digest=digest(payload),
            captured_at=at,
            title=candidate.title,
            published=candidate.published,
            published_source=candidate.published_source,
            crawled=candidate.crawled,
            crawled_source=candidate.crawled_source,
            kind=kind,
            cut=page.passages,
        )
        out.append((number, text))
    return out


def page_dates_step(
    pages: Sequence[tuple[int, TextPage]], candidates: Sequence[Candidate], runs: Sequence[Run], query: Query
) -> tuple[list[tuple[int, TextPage]], Step | None]:
    """Return the pages without those that themselves say a date outside of what was asked for, and the step.

    Looked at are only pages that no provider found by date. No step when no dates were asked for.
    """
    after, before = query.span()
    if after is None and before is None:
        return list(pages), None
    by_date = {run.provider for run in runs if not DATE_OPTIONS.intersection(run.ignored)}
    decisions, kept = [], []
    for number, page in pages:
        said = page.conversion.metadata.published
        found_by = {provider for provider, _ in candidates[number].positions}
        reason = outside(said.date, query) if said is not None and not by_date & found_by else None
        if reason is None:
            kept.append((number, page))
        else:
            assert said is not None
            numbers: dict[str, str | int] = {"published": said.date, "published_source": said.source}
            numbers |= {"final_url": page.url} if page.url != candidates[number].url else {}
            decisions.append(Decision("page-dates", candidates[number].url, False, reason, numbers))
    rule = f"{DATES_RULE} after={after} before={before}"
    return kept, Step("page-dates", rule, len(pages), len(kept), len(decisions), tuple(decisions))


def notes_of(runs: Sequence[Run], steps: Sequence[Step]) -> Notes:
    """Return how the search went, for the head of the rendering."""
    by_provider: dict[str, list[Run]] = {}
    for run in runs:
        by_provider.setdefault(run.provider, []).append(run)
    searched = [_searched(provider, own) for provider, own in by_provider.items()]
    read = next((step for step in steps if step.name == "read"), None)
    given = sum(d.kept and "text_by" in d.numbers for d in read.decisions) if read else 0
    return Notes(
        searched=tuple(searched),
        pages_read=read.kept_count - given if read else None,
        texts_given=given,
        pages_dropped=read.dropped_count if read else None,
        steps=tuple(steps),
    )


def _searched(provider: str, runs: Sequence[Run]) -> str:
    """Return what a provider answered to each text of the query: `brave 10+8 results, timeout`."""
    good = [run for run in runs if run.results]
    failed = Counter(run.outcome for run in runs if not run.results)
    told = [f"{'+'.join(str(len(run.results)) for run in good)} results"] if good else []
    told += [f"{count} {outcome}" if count > 1 else str(outcome) for outcome, count in failed.items()]
    said = f"{provider} {', '.join(told)}"
    ignored = good[0].ignored if good else ()
    lost = [option for option in ignored if option not in APPLIED_HERE]
    here = [option for option in ignored if option in APPLIED_HERE]
    parts = [f"{', '.join(here)} applied here"] if here else []
    parts += [f"could not apply {', '.join(lost)}"] if lost else []
    return said + (f" ({'; '.join(parts)})" if parts else "")


def is_whole(runs: Sequence[Run], facts: Mapping[str, Facts], *, together: bool) -> bool:
    """Return whether those who answered answered for all who were asked: nothing found is then nothing there.

    Asked together, everybody has to; asked in turn, the last one, unless it covers less than the web.
    """
    if all(run.outcome in ANSWERS for run in runs):
        return True
    last = runs[-1].provider
    return not together and not any(lets_next_be_asked(facts[last], run) for run in runs if run.provider == last)


def outcome_of(
    runs: Sequence[Run],
    candidates: Sequence[Candidate],
    pages: Sequence[TextPage],
    evidence: Sequence[Evidence],
    *,
    whole: bool = True,
) -> RunOutcome:
    """Return how a search that was answered ended: ok with evidence, else why there is none. whole: of `is_whole`."""
    if evidence:
        return RunOutcome.OK
    if pages:
        return RunOutcome.FILTERED_TO_EMPTY  # all text of the pages is hidden, and hidden text is no evidence
    if candidates:
        return RunOutcome.DEGRADED  # there are results, but no page of theirs could be read
    if not whole:
        return RunOutcome.DEGRADED  # nothing found, but not by all: a failure is never told as nothing there
    if any(run.outcome is RunOutcome.FILTERED_TO_EMPTY for run in runs):
        return RunOutcome.FILTERED_TO_EMPTY
    return RunOutcome.EMPTY
