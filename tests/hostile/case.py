"""A hostile behaviour and what is right for it, as values, with the few words to build answers from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.hostile.server import Asked, Connection

    Serve = Callable[["Connection", "Asked"], None]

CAPTURED, WARNED, FAILED, REFUSED = "captured", "captured-with-warning", "failed", "refused"
"""Stored whole, with nothing to say against it; stored, and the record says what is wrong; no usable answer, and the
record says why; not asked, and the record says why."""


@dataclass(frozen=True)
class Case:
    """One behaviour. What is not named is not demanded."""

    id: str
    kind: str
    """`control`, `time`, `framing`, `size`, `coding`, `target`, `content`, `lie`, `deception`, `provider`."""
    what: str
    expect: tuple[str, ...]
    serve: Serve | None = None
    url: str = "{a}/{id}"
    reason: tuple[str, ...] = ()
    """Reason codes of which one must be given."""
    warns: tuple[str, ...] = ()
    """Warning codes of which one must be given."""
    text_has: tuple[str, ...] = ()
    text_lacks: tuple[str, ...] = ()
    raw_has: tuple[str, ...] = ()
    """Marks that the stored body holds."""
    final_url: str | None = None
    requests_max: int | None = None
    seconds_max: float = 4.0
    growth_mb_max: float = 96.0
    stored_bytes_max: int = 12_000_000
    total_s: float = 2.0
    """Time limit of the fetch."""
    never: tuple[str, ...] = ()
    """Strings that no written byte may hold."""
    provider: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    """Whether a process that had this case may be of no use for others: it has been told to wait."""
    rendering_has: tuple[str, ...] = ()
    rendering_lacks: tuple[str, ...] = ()

    @property
    def fresh(self) -> bool:
        """Whether it is visited by a process of its own: where memory is the point, for instance."""
        return self.kind in ("size", "coding", "content") or bool(self.environment) or self.alone


CASES: list[Case] = []


def case(id: str, expect: str | tuple[str, ...], what: str, *, kind: str, **facts: object) -> Callable[[Serve], Serve]:
    """Register the behaviour that the decorated function serves."""

    def register(serve: Serve) -> Serve:
        wanted = (expect,) if isinstance(expect, str) else expect
        assert id not in {known.id for known in CASES}, id
        CASES.append(Case(id, kind, what, wanted, serve, **facts))  # type: ignore[arg-type]
        return serve

    return register


# -- answers -------------------------------------------------------------------------------------------------------

HTML = "text/html; charset=utf-8"
LEAD = (
    "A ferry crosses the sound every half hour from six in the morning. When the wind stands in the north for three "
    "days, the master puts the fares up by a tenth and writes the reason on the board beside the gangway."
)
MORE = (
    "Travellers who keep their tickets may return the same week without paying again. Nobody checks the dates very "
    "closely, and the office sells a calendar with the tides and the feast days of every village on the shore."
)


def page(mark: str, body: str = "", head: str = "", title: str = "The ferry across the sound") -> bytes:
    """Return an ordinary article that shows the mark near its beginning and at its end."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body><main>'
        f"<h1>The ferry across the sound</h1><p>{LEAD}</p><p>Everybody can read the word SEEN-{mark} in this line.</p>"
        f"{body}<p>{MORE} The last word of the page is LAST-{mark}.</p></main></body></html>"
    ).encode()


def answer(
    body: bytes = b"", *fields: tuple[str, str], status: str = "200 OK", type: str | None = HTML, length: bool = True
) -> bytes:
    """Return a whole HTTP/1.1 answer."""
    lines = [f"HTTP/1.1 {status}"]
    lines += [f"Content-Type: {type}"] if type else []
    lines += [f"{name}: {value}" for name, value in fields]
    lines += [f"Content-Length: {len(body)}"] if length else []
    return "\r\n".join([*lines, "Connection: close"]).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def head(*fields: str, type: str = HTML) -> bytes:
    """Return the head of a good answer with these fields."""
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {type}", *fields]).encode() + b"\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def redirect(to: str, status: str = "302 Found", *fields: tuple[str, str]) -> bytes:
    return answer(b"moved", ("Location", to), *fields, status=status)
