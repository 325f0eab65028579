"""Serve one case, let it be visited, judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.hostile.case import Case
from tests.hostile.judge import judge
from tests.hostile.server import HostileWeb
from tests.hostile.visit import Job, Seen, Visitor


@contextmanager
def visitor(web: HostileWeb, environment: tuple[tuple[str, str], ...] = ()) -> Iterator[Visitor]:
    """Give a process that may reach the hostile web, and has seen an ordinary page of it."""
    filled = {name: web.fill(value) for name, value in environment}
    with Visitor(f"{web.b}/ordinary", web.allow, filled) as made:
        yield made


def run(case: Case, web: HostileWeb, shared: Visitor | None) -> tuple[Seen, list[str]]:
    """Return what was seen and what was wrong with it. shared: for cases that need no process of their own."""
    if case.fresh or shared is None:
        with visitor(web, case.environment) as own:
            return _run(case, web, own)
    return _run(case, web, shared)


def _run(case: Case, web: HostileWeb, by: Visitor) -> tuple[Seen, list[str]]:
    by.visit(Job(f"{web.b}/ordinary"))  # what starting costs belongs to no case
    web.forget()
    job = Job(
        web.url(case),
        case.total_s,
        f"{web.b}/ordinary",
        case.never,
        case.raw_has,
        case.provider,
    )
    seen = by.visit(job)
    asked = [hit for hit in web.hits if hit.target != "/robots.txt" and hit.target != "/ordinary"]
    final = web.fill(case.final_url) if case.final_url else None
    return seen, judge(case, seen, requests=len(asked), canary=web.canary_hits, final_url=final)
