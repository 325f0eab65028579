"""What a person sees of a session: searches, funnels, pages, and what became of one URL. Pure.

Everything here is computed from records alone, for a search that has just run as for one of last year.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog import records
from searchlog.ledger import Record
from searchlog.search.provider import APPLIED_HERE

__all__ = [
    "Event",
    "Said",
    "ToolUse",
    "TurnView",
    "call_json",
    "page_json",
    "said_json",
    "text_asked",
    "turn_views",
    "why",
]

Load = Callable[[Any], Any]
"""Returns a field that may have been spilled into a blob; it may give None for one that cannot be read."""


@dataclass(slots=True)
class ToolUse:
    """One call of a tool with its result; one of the two may not be there to read."""

    seq: int
    """Of the call's record, or of the result's where the call is not there."""
    call: records.ToolCall | None = None
    result: records.ToolResult | None = None

    @property
    def said(self) -> records.ToolCall | records.ToolResult:
        """What of it is there."""
        said = self.call or self.result
        assert said is not None
        return said


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said."""

    seq: int
    message: records.Message


@dataclass(slots=True)
class TurnView:
    """One turn, read back from its records."""

    session: str
    number: int
    purpose: str = ""
    state: str = "open"
    """`open`, `end` or `discarded`."""
    outcome: str = ""
    detail: str = ""
    began_at: str = ""
    ended_at: str = ""
    query: records.Query | None = None
    runs: list[records.Run] = field(default_factory=list)
    steps: list[records.Decision] = field(default_factory=list)
    captures: list[records.Capture] = field(default_factory=list)
    conversions: list[records.Conversion] = field(default_factory=list)
    selection: records.Selection | None = None
    evidence: list[records.Evidence] = field(default_factory=list)
    rendering: records.Rendering | None = None
    verification: records.Verification | None = None
    calls: list[ToolUse] = field(default_factory=list)
    messages: list[Said] = field(default_factory=list)

    @property
    def ended(self) -> str:
        """How it ended, in a word; `open` while it goes on, nothing where its beginning is not here to tell."""
        return self.outcome or (self.state if self.began_at else "")

    @property
    def handed(self) -> records.BlobRef | None:
        """What a model was given in this turn, as it was given; None when it was given nothing."""
        if self.rendering is not None:
            return self.rendering.text
        results = (item.result for item in self.calls)
        return next((result.content for result in results if result is not None and result.content is not None), None)

    def to_json(self, load: Load) -> dict[str, Any]:
        """Return the documented shape of `--json` (README, "JSON")."""
        query = self.query
        return {
            "session": self.session,
            "turn": self.number,
            "purpose": self.purpose,
            "state": self.state,
            "outcome": self.outcome,
            "detail": self.detail,
            "began_at": self.began_at,
            "ended_at": self.ended_at,
            "query": query.text if query else None,
            "also": query.also or [] if query else [],
            "focus": query.focus if query else None,
            "options": query.options if query else {},
            "providers": query.providers if query else [],
            "runs": [run_json(run, load, query) for run in self.runs],
            "funnel": [step_json(step) for step in self.steps],
            "pages": [page_json(item, self.conversions) for item in self.captures if item.final],
            "evidence": [evidence_json(item, load) for item in self.evidence],
            "calls": [call_json(item, load) for item in self.calls],
            "messages": [said_json(item, load) for item in self.messages],
        }


def turn_views(items: Iterable[Record]) -> list[TurnView]:
    """Return the turns of a session, in order."""
    views: dict[int, TurnView] = {}
    for record in items:
        number = record.envelope.turn
        if number is not None:
            view = views.setdefault(number, TurnView(record.envelope.session, number))
            _add(view, record)
    return [views[number] for number in sorted(views)]


def _add(view: TurnView, record: Record) -> None:
    match record.body:
        case records.Turn() as body if body.state == "begin":
            view.purpose, view.began_at = body.purpose or "", record.envelope.at
        case records.Turn() as body:
            view.state, view.ended_at = body.state, record.envelope.at
            view.outcome, view.detail = body.outcome or "", body.detail or body.reason or ""
        case records.Query() as body:
            view.query = body
        case records.Run() as body:
            view.runs.append(body)
        case records.Decision() as body:
            view.steps.append(body)
        case records.Capture() as body:
            view.captures.append(body)
        case records.Conversion() as body:
            view.conversions.append(body)
        case records.Selection() as body:
            view.selection = body
        case records.Evidence() as body:
            view.evidence.append(body)
        case records.Rendering() as body:
            view.rendering = body
        case records.Verification() as body:
            view.verification = body
        case records.Message() as body:
            view.messages.append(Said(record.seq, body))
        case records.ToolCall() as body:
            view.calls.append(ToolUse(record.seq, call=body))
        case records.ToolResult() as body:
            call = next(
                (item for item in view.calls if item.result is None and item.seq in record.envelope.causes), None
            )
            if call is None:
                view.calls.append(ToolUse(record.seq, result=body))
            else:
                call.result = body
        case _:
            pass


def call_json(item: ToolUse, load: Load) -> dict[str, Any]:
    """Return one call of a tool and what came of it; the outcome is null while there is no result."""
    said, result = item.said, item.result
    return {
        "name": said.name,
        "api": said.api,
        "call_id": said.call_id,
        "outcome": result.outcome if result else None,
        "error": result.error if result else None,
        "evidence": load(result.evidence) if result else [],
        "fidelity": result.fidelity if result else None,
        "bytes": result.content.bytes if result and result.content else 0,
        "content": result.content.blob if result and result.content else None,
    }


def said_json(item: Said, load: Load) -> dict[str, Any]:
    """Return what a model said, its bytes as a digest; citations are null where nobody looked for them."""
    message = item.message
    return {
        "seq": item.seq,
        "role": message.role,
        "form": message.form,
        "model": message.model,
        "calls": message.calls or 0,
        "citations": load(message.citations),
        "bytes": message.content.bytes,
        "content": message.content.blob,
    }


def text_asked(run: records.Run, query: records.Query | None) -> str | None:
    """Return the text that a run answers; None when the query's record is not there, or has no such text."""
    texts, number = query.phrasings if query else [], run.query_number or 1
    return texts[number - 1] if 0 < number <= len(texts) else None


def run_json(run: records.Run, load: Load, query: records.Query | None) -> dict[str, Any]:
    """Return one provider's answer to one text of a query."""
    return {
        "provider": run.provider,
        "query": text_asked(run, query),
        "outcome": run.outcome,
        "detail": run.detail,
        "ignored": run.ignored,
        "applied_here": [option for option in run.ignored if option in APPLIED_HERE],
        "notes": run.notes,
        "results": load(run.results),
    }


def step_json(step: records.Decision) -> dict[str, Any]:
    """Return one step of the funnel."""
    return {
        "step": step.step,
        "rule": step.rule,
        "in": step.in_count,
        "kept": step.kept_count,
        "dropped": step.dropped_count,
        "reasons": step.reasons,
    }


def page_json(capture: records.Capture, conversions: Sequence[records.Conversion]) -> dict[str, Any]:
    """Return one page: its capture and what was made of it."""
    payload = capture.payload.blob if capture.payload else None
    made = next((c for c in conversions if c.payload == payload and c.url == capture.url), None)
    suspected = capture.suspected or (made.suspected if made else None)
    return {
        "url": capture.url,
        "asked": capture.asked,
        "outcome": capture.outcome,
        "reason": capture.reason,
        "detail": capture.detail,
        "status": capture.status,
        "captured_at": capture.captured_at,
        "payload": payload,
        "payload_bytes": capture.payload.bytes if capture.payload else 0,
        "suspected": suspected.model_dump() if suspected else None,
        "reused": capture.reused,
        "title": made.title if made else None,
        "published": made.published if made else None,
        "media_type": made.media_type if made else None,
        "text": made.text.blob if made and made.text else None,
        "char_count": made.char_count if made else None,
        "no_text": made.failure if made else None,
    }


def evidence_json(item: records.Evidence, load: Load) -> dict[str, Any]:
    """Return one piece of evidence, its text under `exact`."""
    return {**item.to_json(), "exact": load(item.exact)}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a URL."""

    seq: int
    turn: int | None
    kind: str
    text: str
    """For people, one line."""
    fields: dict[str, Any]


def why(url: str, items: Iterable[Record], load: Load, key: Callable[[str], str]) -> list[Event]:
    """Return all that became of a URL, in the order it happened.

    key: the comparison key of URLs. A redirect is followed: what happened to its target is told as well.
    """
    known = {key(url)}
    events: list[Event] = []
    queries: dict[int | None, records.Query] = {}
    for record in items:
        if isinstance(record.body, records.Query):
            queries[record.envelope.turn] = record.body
        events += _events(record, known, load, key, queries.get(record.envelope.turn))
    return events


def _events(
    record: Record, known: set[str], load: Load, key: Callable[[str], str], query: records.Query | None
) -> list[Event]:
    def event(text: str, fields: dict[str, Any]) -> Event:
        return Event(record.seq, record.envelope.turn, record.kind, text, fields)

    match record.body:
        case records.Run() as run:
            to = f" for “{text_asked(run, query)}”" if query is not None and query.also else ""
            return [
                event(f"{run.provider} gave it at rank {item.get('rank')}{to}: {item.get('title', '')}", item)
                for item in _objects(load(run.results))
                if isinstance(url := item.get("url"), str) and key(url) in known
            ]
        case records.Decision() as step:
            return [
                event(_decision_text(step, item), {"step": step.step, **item})
                for item in _about(step, known, load, key)
            ]
        case records.Capture() as body if key(body.url) in known or key(body.asked) in known:
            known.add(key(body.url))
            what = f"HTTP {body.status}" if body.status else body.detail or ""
            reason = f" ({body.reason})" if body.reason else ""
            return [event(f"{body.purpose} {body.url}: {body.outcome}{reason} {what}".strip(), _brief(body))]
        case records.Conversion() as body if key(body.url) in known:
            if body.failure:
                return [event(f"no text: {body.failure}: {body.detail or ''}", {"failure": body.failure})]
            fields: dict[str, Any] = {"char_count": body.char_count}
            text = f"{body.char_count} characters of text by {body.converter}"
            if body.suspected:
                fields["suspected"] = body.suspected.kind
                text += f"; suspected {body.suspected.kind}: {', '.join(body.suspected.tests)}"
            return [event(text, fields)]
        case records.Evidence() as body if key(body.url) in known:
            return [event(f"{body.id}: characters {body.start} to {body.end} are evidence", {"id": body.id})]
        case records.ToolResult() as body if any(key(url) in known for url in body.urls or ()):
            how = f" ({body.fidelity})" if body.fidelity else ""
            fields = {"name": body.name, "api": body.api, "outcome": body.outcome, "fidelity": body.fidelity}
            return [event(f"the result of {body.name} by {body.api} names it{how}", fields)]
        case _:
            return []


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list from a blob; whoever wrote that blob may have written anything."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _about(step: records.Decision, known: set[str], load: Load, key: Callable[[str], str]) -> Iterable[dict[str, Any]]:
    sources = load(step.sources)
    for item in _objects(load(step.items)):
        subject = str(item.get("subject"))
        source, _, span = subject.partition(":")
        if isinstance(sources, list) and span and source.isdecimal() and int(source) < len(sources):
            subject = str(sources[int(source)])
        # a page is known by where it led, too
        if key(subject) in known or key(str(item.get("final_url", ""))) in known:
            yield item


def _decision_text(step: records.Decision, item: dict[str, Any]) -> str:
    verb = "kept" if item.get("kept") else "dropped"
    numbers = {k: v for k, v in item.items() if k not in ("subject", "kept", "reason", "url")}
    more = ", ".join(f"{name} {value}" for name, value in numbers.items())
    said = item.get("reason", verb)
    reason = "" if said == verb else f": {said}"
    return f"{step.step}: {verb}{reason}" + (f" ({more})" if more else "")


def _brief(body: records.Capture) -> dict[str, Any]:
    return {"url": body.url, "outcome": body.outcome, "reason": body.reason, "status": body.status}
