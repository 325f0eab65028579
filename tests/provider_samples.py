"""Every network provider and every service for texts of the catalogue, with its samples as the suite takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from searchlog.search.catalogue import EXTRACTORS, SERVICES
from searchlog.search.provider import Facts
from searchlog.search.providers.searxng import Searxng
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from searchlog.testing import Sample
from tests.providers.conftest import ALL_ENTRIES, KEY, sample

__all__ = ["CASES", "Case", "entries_of", "samples_of"]

ADDRESS = "https://a.example/tide"
"""What an index of captures is asked for."""


@dataclass(frozen=True)
class Case:
    """One thing that is asked over HTTP."""

    name: str
    """As its samples are called: those of a service for texts end in `_extract`."""
    known: Facts

    @property
    def is_extractor(self) -> bool:
        return self.name.endswith("_extract")

    def make(self, keyed: bool = True) -> Any:
        """Return it, with a key where it takes one."""
        if self.name == "searxng":
            return Searxng("https://searx.example")
        made = EXTRACTORS[self.known.name] if self.is_extractor else SERVICES[self.name]
        return made(KEY if keyed and self.known.key != "none" else None)


def _cases() -> Iterator[Case]:
    yield Case("searxng", Searxng.FACTS)
    for name, made in SERVICES.items():
        yield Case(name, made.FACTS)
    for name, made in EXTRACTORS.items():
        yield Case(f"{name}_extract", made.FACTS)


CASES: dict[str, Case] = {case.name: case for case in _cases()}


def entries_of(name: str) -> list[dict[str, Any]]:
    """Return what `expected.json` says of the samples of one of them."""
    return [entry for entry in ALL_ENTRIES if entry["provider"] == name]


@cache
def samples_of(name: str) -> tuple[Sample, ...]:
    """Return its samples, with what was asked and what each should be read as."""
    text = ADDRESS if CASES[name].known.scope == "captures" else "tide table"
    out = []
    for entry in entries_of(name):
        fields = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.get("query", {}).items()
        }
        urls = tuple(entry.get("urls", ())) or tuple(row["url"] for row in entry["first"] if row["url"]) or (ADDRESS,)
        query = Query(**({"text": text} | fields))
        out.append(Sample(sample(entry["id"]), RunOutcome(entry["outcome"]), entry["results"], query, urls))
    return tuple(out)
