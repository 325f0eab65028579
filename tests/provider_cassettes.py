"""Cassettes of providers: each sample of a provider as a search would have recorded it, from the bytes of the wire on.

    cassettes/NAME/   as `tests.cassette` says; one turn a sample: query, provider-exchange, run

The real capture client asks the address of the service, over TLS, and is led to a stand-in on loopback that sends the
sample: its status, headers and bytes. Framing headers are the stand-in's own, as a sample is a decoded payload. What
would differ each time is fixed or left out: clock and ids are fixed, no peer is recorded, the key is the tests' own.

Run `python -m tests.provider_cassettes` to record all anew, or with names to record these; then look at the difference.
"""

from __future__ import annotations

import socket
import ssl
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from searchlog import recording, records
from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Request
from searchlog.capture.guard import Allow
from searchlog.capture.wire import Wire
from searchlog.clock import FixedClock, FixedIds
from searchlog.flow import foreign
from searchlog.ledger import Draft, Ledger
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.log.store.memory import MemoryLogStore
from searchlog.search.extractor import run_of_texts
from searchlog.search.provider import FollowingProvider, Response, response_of
from searchlog.search.run import Run, RunOutcome
from searchlog.testing import Sample
from tests.cassette import CASSETTES, write
from tests.provider_samples import CASES, Case, entries_of, samples_of
from tests.wire_server import client_context, server_context

__all__ = ["BYTES_MAX", "record", "recorded_names"]

BYTES_MAX = 2_200_000
"""Size of all cassettes together. As snapshots they are a tenth to a half larger than as a folder of blobs: a request
and its answer stand in the archive and, without payload, in the log."""

AGENT = "searchlog (recording a cassette)"
_FRAMING = ("connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding")


def recorded_names() -> list[str]:
    """Return the names of those that have samples, each of which has a cassette."""
    return [name for name in CASES if entries_of(name)]


def record(name: str, folder: Path) -> None:
    """Write the cassette of one provider into this folder, named after it, in place of what is there."""
    case, samples = CASES[name], samples_of(name)
    made = case.make()
    ledger = Ledger(
        f"s20261130-000000-{name}",
        MemoryLogStore(),
        MemoryBlobStore(),
        clock=FixedClock(),
        ids=FixedIds(),
        leases=_CountedLeases(),
    )
    ledger.begin_session("searchlog, recording a cassette", f"answers of {name}")
    with _stand_in(_hosts(case, made, samples)) as server:
        for entry, sample in zip(entries_of(name), samples, strict=True):
            _turn(ledger, case, made, sample, samples, server, entry["id"])
    write(ledger, folder, _readme(case))


def _turn(
    ledger: Ledger, case: Case, made: Any, sample: Sample, samples: Sequence[Sample], server: _Server, sample_id: str
) -> None:
    """Record one sample as a search, or a request for texts, would record it."""
    if case.is_extractor:
        exchanges = [_exchange(made.request(sample.urls), sample.response, server)]
        run = run_of_texts(made, sample.urls, exchanges[0])
    else:
        exchanges, run = _asked(made, sample, samples, server)
    with ledger.turn("fetch" if case.is_extractor else "search") as turn:
        drafts: list[Draft] = []
        if not case.is_extractor:
            body = records.Query(
                text=sample.query.text,
                options=recording.query_options(sample.query),
                providers=[made.facts.name],
                mode="fuse",
                policy={},
            )
            drafts.append(Draft(body, (turn.begin,)))
        for exchange in exchanges:
            urls = sample.urls if case.is_extractor else ()
            stored = recording.provider_exchange_body(made.facts.name, exchange, urls)
            ledger.blobs.put(stored.blobs)
            drafts.append(Draft(stored.body, (drafts[-1] if drafts else turn.begin,)))
        stored = recording.run_body(run, exchanges[0].started_at)
        ledger.blobs.put(stored.blobs)
        turn.add([*drafts, Draft(stored.body, tuple(drafts[-len(exchanges) :]))])
        turn.end(
            lambda _: (None, []), records.Turn(state="end", outcome=str(run.outcome), detail=f"sample {sample_id}")
        )


def _asked(made: Any, sample: Sample, samples: Sequence[Sample], server: _Server) -> tuple[list[Exchange], Run]:
    """Return the exchanges of one answer, and of the one after it where the provider asks twice, and their run."""
    query = sample.query
    first = _exchange(made.request(query), sample.response, server)
    run = foreign.parsed(made, query, first)
    if not (run.results and isinstance(made, FollowingProvider)):
        return [first], run
    more = foreign.follow_of(made, query, response_of(first))
    if not isinstance(more, Request):
        return [first], run
    place = [other.response for other in samples].index(sample.response)
    answer = next(other.response for other in samples[place + 1 :] if other.outcome is RunOutcome.OK)
    second = _exchange(more, answer, server)
    return [first, second], foreign.parsed_again(made, query, run, second)


def _exchange(request: Request, answer: Response, server: _Server) -> Exchange:
    """Ask the stand-in with the real client, one client an exchange so that none has to wait for another."""
    server.answer = answer
    clock = FixedClock()
    with Client(
        clock=clock,
        user_agent=AGENT,
        allow=Allow.parse([urlsplit(request.url).netloc]),
        resolver=lambda host, port: ["127.0.0.1"],
        ssl_context=client_context(),
    ) as client:
        exchange = client.exchange(request, Deadline(20.0, clock))
    if exchange.status != answer.status:
        raise AssertionError(f"{request.url}: {exchange.outcome} {exchange.reason} {exchange.detail}")
    # the peer is the stand-in, with a certificate that is new each time
    return replace(exchange, peer=None)


def _hosts(case: Case, made: Any, samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return the names that the requests of these samples go to."""
    asked = [sample.urls if case.is_extractor else sample.query for sample in samples]
    return tuple(sorted({urlsplit(made.request(one).url).hostname or "" for one in asked}))


def _readme(case: Case) -> str:
    """Return what a reader must know of each answer: where it is from, and under which licence."""
    rows = []
    for number, entry in enumerate(entries_of(case.name), 1):
        origin = entry["origin"] + (f"; {entry['note']}" if entry.get("note") else "")
        cells = (
            str(number),
            entry["id"],
            entry["kind"],
            f"{entry['status']}, {entry['outcome']}",
            origin,
            entry["licence"],
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    table = "\n".join(rows)
    return f"""# {case.name}

Answers of {case.known.title} as a search records them: the request of searchlog, the answer, the run that was parsed
from it. One turn an answer, in the order of the table. Recorded first on 2026-11-30.

The client is the real one; the service is a stand-in on loopback under the service's own name, over TLS, which sends
the status, the headers and the bytes of the sample. The framing headers are the stand-in's; no peer is recorded, since
it was not the service. Clock and ids are fixed, the key is a canary of the tests and taken out. An answer of the kind
`made` was written by hand after the documentation that its origin names, and proves nothing of the live service; any
other keeps the licence of its origin.

| turn | sample | kind | status, outcome | origin | licence |
| --- | --- | --- | --- | --- | --- |
{table}

Why: the parser of each version has to read from the stored bytes what was read when they were recorded.

Renew: `python -m tests.provider_cassettes {case.name}`, after a change of its samples, its request or its parser. Equal
samples and code give equal bytes.
"""


class _CountedLeases:
    """Leases with the same names each time; one turn is open at once."""

    def __init__(self) -> None:
        self._count = 0

    @contextmanager
    def held(self) -> Iterator[str]:
        self._count += 1
        yield f"{self._count:016x}"

    def is_free(self, name: str | None) -> bool:
        return True


# --- the stand-in


@dataclass
class _Server:
    """Sends one answer to whoever connects."""

    context: ssl.SSLContext
    listener: socket.socket
    answer: Response = field(default_factory=lambda: Response(500, (), b""))
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def serve(self) -> None:
        while not self.closing.is_set():
            try:
                raw, _ = self.listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            raw.settimeout(10)
            with self.context.wrap_socket(raw, server_side=True) as sock:
                self._read(sock)
                sock.sendall(self._bytes())
                with suppress(OSError):  # the client has what it wants and is gone
                    sock.unwrap()

    def _read(self, sock: ssl.SSLSocket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += sock.recv(65_536)
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        wanted = int(fields.get(b"content-length", b"0"))
        while len(body) < wanted:
            body += sock.recv(65_536)

    def _bytes(self) -> bytes:
        answer = self.answer
        fields = [(name, value) for name, value in answer.headers if name.lower() not in _FRAMING]
        fields += [("Content-Length", str(len(answer.body))), ("Connection", "close")]
        head = f"HTTP/1.1 {answer.status} Sample\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields)
        return head.encode("latin-1") + b"\r\n" + answer.body


@contextmanager
def _stand_in(hosts: tuple[str, ...]) -> Iterator[_Server]:
    """Serve on loopback under these names, with every connection of the capture client led there."""
    server = _Server(server_context(*hosts), socket.create_server(("127.0.0.1", 0)))
    server.listener.settimeout(0.2)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    connect = Wire._wait_connected

    def to_stand_in(wire: Wire, sock: socket.socket, address: tuple[str, int], seconds: float) -> None:
        connect(wire, sock, (address[0], server.port), seconds)

    try:
        with patch.object(Wire, "_wait_connected", to_stand_in):
            yield server
    finally:
        server.closing.set()
        server.listener.close()
        thread.join(5)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or recorded_names():
        record(wanted, CASSETTES / wanted)
