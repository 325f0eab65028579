"""`archive`: your own past captures, on this machine. Nobody else sees the query."""

from __future__ import annotations

from searchlog.canon import decimal_string
from searchlog.search.provider import Facts, Terms
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.search.textindex import Hit, TextIndex

__all__ = ["PARSER", "Archive", "run_of_hits"]

PARSER = "textindex/1"

OWN_TERMS = Terms("", "2026-11-29", "your own captures; the rights of the pages' owners apply when you share them")


class Archive:
    """All indexed pages."""

    FACTS = Facts(
        name="archive",
        title="Your own past captures",
        endpoint="",
        third_party="nobody: it is answered on this machine",
        terms=OWN_TERMS,
        applies=("count", "page"),
        returns=("snippet", "score"),
        count_max=50,
        scope="archive",
        by_name=True,
    )

    def __init__(self, index: TextIndex) -> None:
        self._index = index
        self.facts = self.FACTS

    def answer(self, query: Query) -> Run:
        """Return the run. Raises StoreError when the index cannot be read."""
        if self._index.count() == 0:
            return Run(
                "archive",
                RunOutcome.EMPTY,
                detail="archive: it holds no pages yet; they come in with every search that fetches pages, and with "
                "`searchlog fetch URL`",
                ignored=self.facts.ignored(query),
                parser=PARSER,
            )
        count = min(query.count, self.facts.count_max)
        hits = self._index.search(query.text, count * query.page)
        return run_of_hits(self.facts, query, hits[count * (query.page - 1) :])


def run_of_hits(facts: Facts, query: Query, hits: list[Hit]) -> Run:
    """Return the run of these hits; each says where the page is stored."""
    results = tuple(
        Result(
            rank,
            hit.document.url,
            hit.document.title,
            hit.snippet,
            score=decimal_string(hit.score),
            extra={
                "capture_session": hit.document.session,
                "capture_seq": str(hit.document.seq),
                "captured_at": hit.document.captured_at,
            }
            | ({"language": hit.document.language} if hit.document.language else {}),
        )
        for rank, hit in enumerate(hits, 1)
    )
    outcome = RunOutcome.OK if results else RunOutcome.EMPTY
    return Run(facts.name, outcome, results, ignored=facts.ignored(query), parser=PARSER)
