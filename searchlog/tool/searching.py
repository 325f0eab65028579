"""`web_search`: a search in the session, or the evidence of an equal query that was answered before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from searchlog import records
from searchlog.desk import Listener
from searchlog.errors import ProviderError
from searchlog.evidence.render import RENDERER, safe_line
from searchlog.flow.settings import split_options
from searchlog.recording import query_options
from searchlog.search.filters import domain_of
from searchlog.search.query import Query
from searchlog.tool.result import Result, plain
from searchlog.tool.seen import Answered, question_key
from searchlog.tool.shown import shown_result
from searchlog.tool.workplace import Workplace

if TYPE_CHECKING:
    from searchlog.searching import Search

__all__ = ["web_search"]


def web_search(work: Workplace, given: Mapping[str, Any], progress: Listener) -> Result:
    """Return the evidence for a query. Raises UsageError for a query that cannot be, StoreError."""
    options = _asked(work, given)
    asked, _ = split_options(given["query"], work.settings, options)
    if asked.freshness:
        asked = replace(asked, asked_on=work.session.resources.clock.now().date().isoformat())
    earlier = None if given["fresh"] else work.seen.refresh().answered(question_key(_body(asked)))
    if earlier is not None:
        again = _again(work, earlier)
        if again is not None:
            return again
    try:
        found = work.session.search(
            given["query"],
            providers=work.providers,
            settings=work.settings,
            progress=progress,
            registry_options=work.registry_options,
            **options,
        )
    except ProviderError as error:
        return _nobody(work, error)
    work.seen.refresh()
    return shown_result(
        "web_search",
        found.rendering,
        RENDERER,
        work.seen.evidence,
        work.session.head,
        before=_unread(found),
        query=safe_line(given["query"]),
        outcome=str(found.outcome),
    )


def _unread(found: Search) -> str:
    """Return a line on why nothing was found, where that is for who runs this to change."""
    private = sum(item.reason == "refused-address" for step in found.steps for item in step.decisions)
    if found.evidence or not private:
        return ""
    return f"{private} of the pages found are at private addresses, which may not be read as this search is set up.\n"


def _asked(work: Workplace, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a search: what the caller fixed stands, the model may only narrow it.

    Raises UsageError for domains that are none.
    """
    options = dict(work.options)
    fixed = options.get("include_domains") or ()
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    wanted = tuple(given["domains"])
    if wanted and fixed:
        allowed = [domain_of(rule) for rule in fixed]
        wanted = tuple(name for name in wanted if _within(domain_of(name), allowed)) or fixed
    if wanted:
        options["include_domains"] = wanted
    dated = {"freshness", "after", "before"} & {name for name, value in options.items() if value is not None}
    if given["freshness"] != "any" and not dated:
        options["freshness"] = given["freshness"]
    return options


def _within(name: str, allowed: list[str]) -> bool:
    return any(name == one or name.endswith(f".{one}") for one in allowed)


def _body(asked: Query) -> records.Query:
    """Return a query as it would be recorded, as far as it says what is asked."""
    options = query_options(asked)
    return records.Query(
        text=asked.text,
        options=options,
        providers=[],
        mode="fuse",
        policy={},
        also=list(asked.also) or None,
        focus=asked.focus,
    )


def _again(work: Workplace, earlier: Answered) -> Result | None:
    """Return the evidence of an earlier search; None when it cannot be read back, so that the web is asked."""
    rendering = work.seen.text_of(earlier.rendering)
    if rendering is None or any(name not in work.seen.evidence for name in earlier.rendering.evidence):
        return None
    before = (
        f"This was answered before in this session (turn {earlier.turn}, {earlier.at}); the same evidence follows, "
        "nothing was asked anew. To ask the web again, set fresh to true.\n"
    )
    return shown_result(
        "web_search",
        rendering,
        earlier.rendering.form,
        work.seen.evidence,
        work.session.head,
        before=before,
        reused=earlier.turn,
        query=safe_line(earlier.query),
        outcome=earlier.outcome,
        answered_before={"turn": earlier.turn, "at": earlier.at},
    )


def _nobody(work: Workplace, error: ProviderError) -> Result:
    """Return what a model is told when no provider answered: that is a failure, and not that there is nothing."""
    told = str(error)
    said = [told[:1].upper() + told[1:], *map(_attempt, error.attempts)]
    said.append("This is a failure of the search, not a sign that nothing is known. Try again later, or say so.")
    return plain("web_search", "\n".join(said), work.session.head, error="no-answer", notes=said, evidence=[])


def _attempt(attempt: Mapping[str, Any]) -> str:
    detail = safe_line(str(attempt.get("detail") or "")).removeprefix(f"{attempt.get('provider')}: ")
    return f"{attempt.get('provider')}: {attempt.get('outcome')}" + (f": {detail}" if detail else "")
