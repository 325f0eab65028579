"""Make an Exchange from what was recorded: decide how it ended, and take the secrets out.

Pure but for the secrets that this process knows (`keyring`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from searchlog import keyring
from searchlog.capture.exchange import Decoded, Exchange, Framing, Outcome, Peer, Request, header
from searchlog.capture.message import Message
from searchlog.capture.redact import Draft, clean
from searchlog.capture.shown import public_url, shown_url
from searchlog.secrecy import secrets_of

__all__ = ["Timing", "assemble", "judge", "refused"]

_REFUSED = ("url", "scheme", "credentials", "address", "rate-limited")
_DETAIL_MAX = 500
_CUT = {"timeout": "time", "length": "length", "disconnect": "disconnect", "protocol": "protocol"}


@dataclass(frozen=True, slots=True)
class Timing:
    """When an exchange began, and how long it took."""

    started_at: datetime
    duration_ms: int


def judge(message: Message, decoded: Decoded, reason: str | None, detail: str) -> tuple[Outcome, str | None, str]:
    """Return outcome, reason code and detail.

    reason: what ended the exchange before the message did, or None. Our reading of the bytes comes first: a message
    that is whole stays whole although h11 refused it or the peer reset the connection after it.
    """
    if message.status is None:
        code = reason or "protocol"
        if code in _REFUSED:
            return Outcome.REFUSED, code, detail
        return Outcome.FAILED, code, message.problem or detail or "the answer has no head"
    if reason == "header-too-large":
        return Outcome.FAILED, reason, detail
    if not message.complete:
        if message.problem and message.framing.kind != "chunked":
            return Outcome.FAILED, "protocol", message.problem
        code = _CUT.get(reason or "", "protocol" if message.problem else "unspecified")
        return Outcome.TRUNCATED, code, message.problem or detail or "the answer ended before it was whole"
    if decoded.reason == "unknown-coding":
        return Outcome.TRUNCATED, "coding", f"content coding {', '.join(decoded.codings)} is not one we can decode"
    if decoded.reason == "coding":
        return Outcome.TRUNCATED, "coding", f"the {', '.join(decoded.codings)} coding is cut short or corrupt"
    if decoded.reason == "length":
        return Outcome.TRUNCATED, "length", f"the decoded payload is longer than {len(decoded.data)} bytes"
    if decoded.reason is not None:
        return Outcome.TRUNCATED, decoded.reason, "the deadline came while decoding"
    return Outcome.COMPLETE, None, ""


def assemble(
    request: Request,
    draft: Draft,
    peer: Peer | None,
    timing: Timing,
    *,
    reason: str | None = None,
    departures: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Exchange:
    """Return the exchange of a request that was sent, or was stopped on its way."""
    location = header(draft.message.headers, "location")
    outcome, code, detail = judge(draft.message, draft.decoded, reason, draft.detail)
    draft = Draft(draft.url, draft.request_head, draft.request_body, draft.message, draft.decoded, detail)
    draft, redacted = clean(draft, request.secrets, keyring.values(), request.public)
    message = draft.message
    odd = [*message.warnings, *warnings]
    if outcome is Outcome.COMPLETE and reason is not None:
        odd.append(f"after-{reason}")
    return Exchange(
        method=request.method,
        url=draft.url,
        request_head=draft.request_head,
        request_body=draft.request_body,
        response_head=message.head,
        status=message.status,
        reason_phrase=message.reason_phrase,
        headers=message.headers,
        payload=message.payload,
        framing=message.framing,
        started_at=timing.started_at,
        duration_ms=timing.duration_ms,
        peer=peer,
        outcome=outcome,
        reason=code,
        detail=draft.detail[:_DETAIL_MAX],
        http_version=message.http_version,
        departures=departures + redacted,
        warnings=tuple(dict.fromkeys(odd)),
        decoded=draft.decoded,
        location=location,
    )


def refused(request: Request, reason: str, detail: str, timing: Timing) -> Exchange:
    """Return the exchange of a request that was never sent."""
    secrets = secrets_of((*request.secrets, *keyring.values()))
    url = public_url(request.url) if request.public == request.url else shown_url(request.url)
    return Exchange(
        method=request.method,
        url=secrets.replace_text(url),
        request_head=b"",
        request_body=b"",
        response_head=b"",
        status=None,
        reason_phrase="",
        headers=(),
        payload=b"",
        framing=Framing("none"),
        started_at=timing.started_at,
        duration_ms=timing.duration_ms,
        peer=None,
        outcome=Outcome.REFUSED,
        reason=reason,
        detail=secrets.replace_text(detail),
    )
