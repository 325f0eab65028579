"""How services that need a key refuse: as others do, and naming the variable to look at when it is the key. Pure."""

from __future__ import annotations

from dataclasses import replace

from searchlog.search.provider import Facts, Response
from searchlog.search.reading import Reader, status_run
from searchlog.search.run import Run, RunOutcome

__all__ = ["check_key", "keyed_run"]


def keyed_run(response: Response, reader: Reader) -> Run | None:
    """Return the run that the status alone tells; None for 2xx, where the body decides."""
    run = status_run(reader.facts, response, reader.parser, reader.ignored)
    if run is None or run.outcome is not RunOutcome.AUTH:
        return run
    return replace(run, detail=f"{run.detail}; {check_key(reader.facts)}")


def check_key(facts: Facts) -> str:
    """Return what to do about a key that is refused."""
    return f"check {facts.key_env[0]}"
