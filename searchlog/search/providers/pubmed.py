"""PubMed, through NCBI's E-utilities: esearch gives ids, esummary what they stand for. A key is optional.

Asked twice: `follow` makes the second request, and `parse` reads both answers; that of esearch alone gives results
without titles. Traps: esearch tells an error inside status 200; esummary can tell one inside a single item, or say
nothing of an id; titles are escaped once more than elsewhere; both ends of a span of dates must be given; the key
stands in the query string.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.prose import joined, prose, unescaped
from searchlog.search.answers.reading import ITEMS_MAX, Reader, error_text, fit
from searchlog.search.answers.values import items, json_object, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["PubMed"]

PARSER = "pubmed/1"

_QUERY_MAX = 2_000
_FOLLOWED_MAX = 200
"""Ids that one GET of esummary may name."""
_PAGE = "https://pubmed.ncbi.nlm.nih.gov/"
_FIRST_DAY, _LAST_DAY = "1800-01-01", "3000-12-31"
_ID = re.compile("[0-9]{1,12}")
_DATE = re.compile(r"(\d{4})(?: ([A-Z][a-z]{2})(?: (\d{1,2}))?)?")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class PubMed(Service):
    """The articles of PubMed. contact: sent as `email`, which NCBI asks for."""

    FACTS = Facts(
        name="pubmed",
        title="PubMed",
        endpoint="https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi",
        third_party="the U.S. National Library of Medicine (NCBI)",
        terms=Terms(
            "https://www.ncbi.nlm.nih.gov/home/about/policies/",
            "2026-11-30",
            "facts about articles may be kept and shared; abstracts may be the publishers' own",
        ),
        applies=("count", "page", "freshness", "after", "before"),
        returns=("published",),
        key="optional",
        key_env=("NCBI_API_KEY",),
        count_max=200,
        limits="3 requests a second and address, 10 with a key; two requests a search; the first 10,000 articles",
        pause_s=0.34,
        scope="papers",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        count = min(query.count, self.facts.count_max)
        fields = {
            "db": "pubmed",
            "term": fit(query.text, _QUERY_MAX)[0],
            "retmode": "json",
            "retstart": str((query.page - 1) * count),
            "retmax": str(count),
            "sort": "relevance",
        }
        first, last = query.span()
        if first or last:
            fields["datetype"] = "pdat"
            fields["mindate"] = (first or _FIRST_DAY).replace("-", "/")
            fields["maxdate"] = (last or _LAST_DAY).replace("-", "/")
        return self._get(fields | self._who())

    def follow(self, query: Query, response: Response) -> Request | None:
        """Return the request for what the ids of an answer of esearch stand for, or None when it has none."""
        if not 200 <= response.status < 300:
            return None
        try:
            found = json_object(response.body).get("esearchresult")
        except FormatError:
            return None
        given = items(found.get("idlist")) if isinstance(found, dict) else []
        ids = [uid for uid in given[:_FOLLOWED_MAX] if _is_id(uid)]
        if not ids:
            return None
        url = self.facts.endpoint.removesuffix("esearch.fcgi") + "esummary.fcgi?"
        fields = {"db": "pubmed", "id": ",".join(ids), "retmode": "json"} | self._who()
        return Request("GET", url + urlencode(fields), (("Accept", "application/json"),), secrets=self._secrets)

    def _who(self) -> dict[str, str]:
        """Return the fields that say who asks."""
        told = {"tool": "searchlog", "email": self._contact, "api_key": self._key}
        return {name: value for name, value in told.items() if value}

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        refused = self._refused(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        found, summaries = answer.get("esearchresult"), answer.get("result")
        if isinstance(found, dict):
            return _ids_run(found, reader)
        if isinstance(summaries, dict) and isinstance(summaries.get("uids"), list):
            return _summaries_run(summaries, reader)
        said = (
            error_text(response.body) or "; ".join(filter(None, map(text, items(answer.get("esummaryresult")))))[:300]
        )
        if said:
            return reader.run(RunOutcome.BAD_REQUEST, f"status {response.status} with an error ({said})")
        return reader.run(RunOutcome.PARSE_ERROR, "the answer has neither `esearchresult` nor `result`")

    def _refused(self, response: Response, reader: Reader) -> Run | None:
        said = error_text(response.body)
        if response.status == 400 and "api key" in said.lower():
            return reader.run(RunOutcome.AUTH, f"status 400, the key is wrong ({said}); check NCBI_API_KEY")
        return reader.refused(response)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _link(uid: object) -> str | None:
    return f"{_PAGE}{uid}/" if _is_id(uid) else None


def _ids_run(found: dict[str, Any], reader: Reader) -> Run:
    """Return the run of an answer of esearch: addresses only."""
    said = text(found.get("ERROR"))[:300]
    if said:
        failed = "backend" in said.lower() or "unavailable" in said.lower()
        return reader.run(
            RunOutcome.UNAVAILABLE if failed else RunOutcome.BAD_REQUEST, f"error inside the answer ({said})"
        )
    ids = found.get("idlist")
    if not isinstance(ids, list):
        return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `esearchresult.idlist`")
    for name in ("warninglist", "errorlist"):
        lists = found.get(name)
        for kind, told in lists.items() if isinstance(lists, dict) else ():
            for item in items(told)[:10]:
                reader.note(f"{text(kind)}: {text(item)}")
    reader.walk([{"uid": uid} for uid in ids], lambda row: {"url": _link(row["uid"])})
    return reader.run()


def _summaries_run(summaries: dict[str, Any], reader: Reader) -> Run:
    """Return the run of an answer of esummary."""
    uids = summaries["uids"]
    if reader.is_over(len(uids)):
        return reader.run()
    unknown = 0
    for place, uid in enumerate(uids, 1):
        row = summaries.get(uid) if isinstance(uid, str) else None
        if place > ITEMS_MAX:
            reader.drop(f"item {place}", "over-items-limit")
        elif isinstance(row, dict) and not row.get("error"):
            reader.add(place, _link(uid), prose(unescaped(row.get("title"))), **_published(row), extra=_extra(row))
        else:
            said = text(row.get("error")) if isinstance(row, dict) else ""
            reader.drop(f"{text(uid) or f'item {place}'}: {said or 'nothing is said of it'}", "no-summary")
            unknown += 1
    if unknown and not reader.results:
        return reader.run(
            RunOutcome.UNAVAILABLE, f"none of {unknown} articles could be summed up ({reader.dropped[0][0]})"
        )
    return reader.run()


def _published(row: dict[str, Any]) -> dict[str, str]:
    """Return the date of publication; NLM's `2017 Aug 14` is written as ISO 8601, all else stays as it is given."""
    for name in ("epubdate", "pubdate"):
        said = text(row.get(name))[:60]
        found = _DATE.fullmatch(said)
        if found is not None and (found[2] is None or found[2] in _MONTHS) and int(found[3] or 1) <= 31:
            parts = [found[1]]
            parts += [f"{_MONTHS.index(found[2]) + 1:02}"] if found[2] else []
            parts += [f"{int(found[3]):02}"] if found[3] else []
            said = "-".join(parts)
        if said:
            return {"published": said, "published_source": name}
    return {}


def _extra(row: dict[str, Any]) -> dict[str, str]:
    known = {
        text(item.get("idtype")): text(item.get("value"))
        for item in items(row.get("articleids"))
        if isinstance(item, dict)
    }
    return {
        "journal": text(row.get("fulljournalname") or row.get("source"))[:200],
        "authors": joined(item.get("name") for item in items(row.get("authors")) if isinstance(item, dict)),
        "doi": known.get("doi", "")[:200],
        "pmc": known.get("pmc", "")[:40],
        "type": joined(items(row.get("pubtype"))),
    }
