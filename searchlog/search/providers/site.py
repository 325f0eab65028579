"""`site`: the indexed pages below one address, such as a folder or a server on this machine."""

from __future__ import annotations

from dataclasses import replace

from searchlog.search.providers.archive import PARSER, Archive, run_of_hits
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.textindex import TextIndex

__all__ = ["Site"]


class Site:
    """The pages at and below one URL prefix. Whoever makes it has the site indexed first."""

    FACTS = replace(Archive.FACTS, name="site", title="A folder or a site", scope="site")

    def __init__(self, index: TextIndex, url_prefix: str) -> None:
        self._index = index
        self._prefix = url_prefix
        self.facts = replace(self.FACTS, title=f"Pages below {url_prefix}")

    def answer(self, query: Query) -> Run:
        """Return the run. Raises StoreError when the index cannot be read."""
        if self._index.count(self._prefix) == 0:
            return Run(
                "site",
                RunOutcome.EMPTY,
                detail=f"site: no page below {self._prefix} is indexed; a site is read on its first search, so nothing "
                "was found there to read",
                ignored=self.facts.ignored(query),
                parser=PARSER,
            )
        count = min(query.count, self.facts.count_max)
        hits = self._index.search(query.text, count * query.page, url_prefix=self._prefix)
        return run_of_hits(self.facts, query, hits[count * (query.page - 1) :])
