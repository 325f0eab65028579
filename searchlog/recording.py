"""From the stages' values to record bodies. Pure: blobs are named here and stored by the caller.

The one place that knows both sides. What is computed here twice from equal values is equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from searchlog import canon, records
from searchlog.capture.codec import exchange_to_json, robots_to_json
from searchlog.capture.exchange import Exchange, Fetch, Outcome
from searchlog.clock import format_time
from searchlog.digest import Digest, digest
from searchlog.evidence.passage import Evidence, Source
from searchlog.extract.conversion import Conversion, ConversionFailure, structure_of
from searchlog.search.decision import Step
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.suspect.judge import Suspicion

__all__ = [
    "Stored",
    "blob_ref",
    "capture_bodies",
    "conversion_body",
    "decision_body",
    "evidence_body",
    "provider_exchange_body",
    "query_of",
    "query_options",
    "run_body",
    "suspicion_body",
]


_TEXTS = ("text", "also", "focus")
"""Fields of a query that its record holds by themselves."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A record body and the blobs that must be durable before it is appended."""

    body: records.Body
    blobs: tuple[bytes, ...] = ()


def blob_ref(data: bytes) -> records.BlobRef:
    """Return the reference to these bytes."""
    return records.BlobRef(blob=digest(data), bytes=len(data))


def query_options(query: Query) -> dict[str, Any]:
    """Return the options of a query that are set, as stored."""
    options = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(query).items()}
    for name in _TEXTS:
        del options[name]
    options["texts"] = options["texts"] or None
    return {name: value for name, value in options.items() if value not in (None, [])}


def query_of(body: records.Query) -> Query:
    """Return a recorded query as far as this version knows its options; its values are as they are recorded."""
    known = {f.name for f in fields(Query)}.difference(_TEXTS)
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in body.options.items()
        if name in known
    }
    return Query(body.text, **options, also=tuple(body.also or ()), focus=body.focus)


def provider_exchange_body(provider: str, exchange: Exchange, urls: Sequence[str] = ()) -> Stored:
    """Return the record of one exchange with a provider. urls: the pages whose texts it was asked for."""
    payload = exchange.payload
    body = records.ProviderExchange(
        provider=provider,
        exchange=exchange_to_json(exchange),
        payload=blob_ref(payload) if payload else None,
        decoded_bytes=_decoded_bytes(exchange),
        urls=list(urls) or None,
    )
    return Stored(body, (payload,) if payload else ())


def run_body(run: Run, answered_at: datetime | None = None) -> Stored:
    """Return the record of one provider's parsed answer; the texts of pages that it holds become blobs.

    answered_at: when its first request was made.
    """
    blobs: list[bytes] = []
    results = []
    for result in run.results:
        item: dict[str, Any] = {n: value for n, value in asdict(result).items() if value not in (None, "", {})}
        if result.text:
            blobs.append(result.text.encode("utf-8"))
            item["text"] = blob_ref(blobs[-1]).model_dump()
        else:
            item.pop("text_type", None)
        results.append(item)
    body = records.Run(
        provider=run.provider,
        outcome=run.outcome,
        detail=run.detail or None,
        results=results,
        texts=list(map(blob_ref, blobs)) or None,
        dropped=[list(item) for item in run.dropped],
        ignored=list(run.ignored),
        notes=list(run.notes),
        parser=run.parser or None,
        retry_after_s=run.retry_after_s,
        answered_at=format_time(answered_at) if answered_at is not None else None,
        query_number=run.query_number if run.query_number != 1 else None,
    )
    return Stored(body, tuple(blobs))


def decision_body(step: Step, sources: Sequence[Source] = ()) -> records.Decision:
    """Return the record of one step. sources: the pages that subjects of the form `index:start-end` count in."""
    reasons: dict[str, int] = {}
    for item in step.decisions:
        if not item.kept:
            reasons[item.reason] = reasons.get(item.reason, 0) + 1
    return records.Decision(
        step=step.name,
        rule=step.rule,
        in_count=step.in_count,
        kept_count=step.kept_count,
        dropped_count=step.dropped_count,
        reasons=reasons,
        items=[
            {"subject": item.subject, "kept": item.kept, "reason": item.reason, **item.numbers}
            for item in step.decisions
        ],
        sources=[source.url for source in sources] or None,
    )


def capture_bodies(fetch: Fetch, purpose: str, reused: dict[str, Any] | None = None) -> list[Stored]:
    """Return the records of one fetch, hop by hop: robots.txt first when this fetch asked for it.

    A fetch that was refused, or failed, after a redirect or before any request ends in a record without an exchange.
    """
    out: list[Stored] = []
    for number, exchange in enumerate(fetch.robots_exchanges):
        out.append(_hop(exchange, fetch.url, "robots", number))
    if fetch.cache_hit is not None:
        reused = {"via": "cache", **fetch.cache_hit, "seq": int(fetch.cache_hit["seq"])}
    robots = _plain(robots_to_json(fetch.robots)) if fetch.robots else None
    last = len(fetch.hops) - 1
    ended = bool(fetch.hops) and fetch.outcome is not Outcome.REFUSED
    for hop, exchange in enumerate(fetch.hops):
        stored = _hop(exchange, fetch.url, purpose, hop)
        if hop == last and ended:
            extra = {
                "final": True,
                "outcome": fetch.outcome.value,
                "reason": fetch.reason,
                "detail": fetch.detail or None,
                "robots": robots,
            }
            stored = Stored(stored.body.model_copy(update=extra), stored.blobs)
        if reused is not None:
            stored = Stored(stored.body.model_copy(update={"reused": reused}), stored.blobs)
        out.append(stored)
    if not ended:
        body = records.Capture(
            url=_next_url(fetch),
            asked=fetch.url,
            purpose=purpose,
            hop=len(fetch.hops),
            final=True,
            outcome=fetch.outcome.value,
            reason=fetch.reason,
            detail=fetch.detail or None,
            robots=robots,
        )
        out.append(Stored(body))
    return out


def _next_url(fetch: Fetch) -> str:
    """The URL that was not asked for: where the last redirect led, else the one the fetch began with."""
    from urllib.parse import urljoin

    from searchlog.capture.exchange import header

    if not fetch.hops:
        return fetch.url
    location = header(fetch.hops[-1].headers, "location")
    if not location:
        return fetch.hops[-1].url
    try:
        return urljoin(fetch.hops[-1].url, location)
    except ValueError:  # no URL at all, or one whose password was taken out
        return location


def _hop(exchange: Exchange, asked: str, purpose: str, hop: int) -> Stored:
    payload, decoded = exchange.payload, exchange.decoded
    return Stored(
        records.Capture(
            url=exchange.url,
            asked=asked,
            purpose=purpose,
            hop=hop,
            final=False,
            outcome=exchange.outcome.value,
            reason=exchange.reason,
            detail=exchange.detail or None,
            status=exchange.status,
            captured_at=format_time(exchange.started_at),
            exchange=exchange_to_json(exchange),
            payload=blob_ref(payload) if payload else None,
            decoded_digest=digest(decoded.data) if decoded.codings else None,
            decoded_bytes=_decoded_bytes(exchange),
        ),
        (payload,) if payload else (),
    )


def _decoded_bytes(exchange: Exchange) -> int | None:
    decoded = exchange.decoded
    return len(decoded.data) if decoded.codings or len(decoded.data) != len(exchange.payload) else None


def suspicion_body(suspicion: Suspicion | None) -> records.Suspicion | None:
    """Return a suspicion as recorded."""
    return records.Suspicion(kind=suspicion.kind, tests=list(suspicion.tests)) if suspicion is not None else None


def conversion_body(
    url: str, payload: Digest, conversion: Conversion | ConversionFailure, suspicion: Suspicion | None = None
) -> Stored:
    """Return the record of one conversion, or of why there is no text. suspicion: what the page is suspected to be."""
    if isinstance(conversion, ConversionFailure):
        failed = records.Conversion(
            url=url,
            payload=payload,
            converter=conversion.converter or None,
            media_type=conversion.media_type or None,
            failure=conversion.reason,
            detail=conversion.detail,
            suspected=suspicion_body(suspicion),
        )
        return Stored(failed)
    text = conversion.text.encode("utf-8")
    structure = structure_of(conversion)
    metadata = conversion.metadata
    body = records.Conversion(
        url=url,
        payload=payload,
        text=blob_ref(text),
        structure=blob_ref(structure),
        converter=conversion.converter,
        media_type=conversion.media_type or None,
        charset=conversion.charset,
        charset_source=conversion.charset_source,
        char_count=len(conversion.text),
        block_count=len(conversion.blocks),
        title=metadata.title,
        published=metadata.published.date if metadata.published else None,
        published_source=metadata.published.source if metadata.published else None,
        published_sure=doubt(metadata.published.sure) if metadata.published else None,
        verbatim=conversion.verbatim,
        warnings=list(conversion.warnings),
        suspected=suspicion_body(suspicion),
    )
    return Stored(body, (text, structure))


def doubt(sure: str) -> str | None:
    """Return what a record says of how sure a date is: nothing, unless there is doubt."""
    return sure if sure in ("conflicting", "guessed") else None


def evidence_body(evidence: Evidence) -> records.Evidence:
    """Return the record of one piece of evidence."""
    source, selectors = evidence.source, evidence.selectors
    return records.Evidence(
        id=evidence.id,
        exact=selectors.exact,
        prefix=selectors.prefix,
        suffix=selectors.suffix,
        start=selectors.start,
        end=selectors.end,
        digest=evidence.digest,
        text=source.text_digest,
        payload=source.payload_digest,
        url=source.url,
        title=source.title,
        source_kind=source.kind,
        captured_at=source.captured_at,
        published=source.published,
        published_source=source.published_source,
        published_sure=doubt(source.published_sure),
        crawled=source.crawled,
        crawled_source=source.crawled_source,
        heading_path=list(evidence.heading_path),
        labels=list(evidence.passage.labels),
        flags=list(evidence.flags),
        page=evidence.passage.page,
        table_head=list(evidence.passage.table_head) if evidence.passage.table_head else None,
        lead_in=list(evidence.passage.lead_in) if evidence.passage.lead_in else None,
        score=evidence.score,
        tokens=evidence.tokens,
        link=evidence.link,
    )


def _plain(value: Any) -> Any:
    """Return a value with tuples as lists, absent fields left out, and numbers with fractions as decimal strings."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [None if item is None else _plain(item) for item in value]
    return canon.decimal_string(value) if isinstance(value, float) else value
