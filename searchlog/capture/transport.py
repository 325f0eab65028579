"""The httpx transport of this package, and one call that sends a request through a transport and names what went wrong.

The transport is a thin httpx layer over an httpcore pool of one connection that is never kept: the bytes recorded are
then exactly one exchange. It is the seam where a replaying or mocking transport can stand. We drive the transport
itself and not `httpx.Client`, which keeps cookies, writes URLs (and so keys in them) to its log, and loads the CA
bundle at each start. Effects: the network, through `Wire`.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import certifi
import httpcore
import httpx

from searchlog.capture.exchange import Header
from searchlog.capture.wire import Stopped, Wire
from searchlog.errors import UsageError

__all__ = ["Failure", "Transport", "send", "shared_ssl_context"]

_context_lock = threading.Lock()
_context: ssl.SSLContext | None = None


def shared_ssl_context() -> ssl.SSLContext:
    """Return the one verifying TLS context of this process; made at first use, since it costs 22 ms of CPU.

    It trusts the authorities that certifi lists, and takes nothing from the environment: a context as the libraries
    make it writes the keys of each connection into the file that SSLKEYLOGFILE names, and fails when it cannot.
    """
    global _context  # noqa: PLW0603
    with _context_lock:
        if _context is None:
            _context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # checks names and certificates
            _context.load_verify_locations(certifi.where())
        return _context


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an exchange ended before its message did: a reason code and a sentence."""

    reason: str
    detail: str


class Transport(httpx.BaseTransport):
    """Carries a request over the `Wire` in its extensions."""

    def __init__(self, ssl_context: ssl.SSLContext | None = None) -> None:
        self._ssl_context = ssl_context

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; errors are httpcore's, or Stopped."""
        wire: Wire = request.extensions["searchlog"]
        target = wire.target
        context = None
        if target.scheme == "https":
            context = self._ssl_context or shared_ssl_context()
        pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=1,
            max_keepalive_connections=0,
            retries=0,
            network_backend=wire,
        )
        assert isinstance(request.stream, httpx.SyncByteStream)
        response = pool.handle_request(
            httpcore.Request(
                method=request.method.encode("ascii"),
                url=httpcore.URL(
                    scheme=target.scheme.encode("ascii"),
                    host=target.host.encode("ascii"),
                    port=target.port,
                    target=target.path.encode("ascii"),
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions={},
            )
        )
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response, pool),
            extensions=response.extensions,
        )


class _Body(httpx.SyncByteStream):
    """The body as httpcore gives it; closing it closes the pool."""

    def __init__(self, response: httpcore.Response, pool: httpcore.ConnectionPool) -> None:
        self._response = response
        self._pool = pool

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()
        self._pool.close()


def send(
    transport: httpx.BaseTransport, wire: Wire, method: str, headers: tuple[Header, ...], body: bytes
) -> Failure | None:
    """Send one request and read the answer to its end; the bytes are then in the wire. Return what went wrong.

    Where the transport is not ours and the wire saw nothing, an answer is rebuilt in the wire from what it returned.
    Raises UsageError when the request itself cannot be written as HTTP/1.1.
    """
    try:
        raw_headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers]
        request = httpx.Request(
            method, wire.target.url, headers=raw_headers, content=body, extensions={"searchlog": wire}
        )
    except httpx.InvalidURL as error:
        return Failure("url", f"not a URL: {error}")
    except UnicodeError:
        raise UsageError("a request header is not Latin-1 text; HTTP/1.1 cannot carry it") from None
    try:
        response = transport.handle_request(request)
        try:
            _read(response, wire)
        finally:
            response.close()
        return None
    except (Stopped, httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException) as error:
        return _explain(error, wire)
    except (httpx.TransportError, OSError) as error:
        return _explain(error, wire)
    finally:
        wire.close()


def _read(response: httpx.Response, wire: Wire) -> None:
    assert isinstance(response.stream, httpx.SyncByteStream)
    if wire.connected:
        for _ in response.stream:
            pass  # recorded below, byte for byte
        return
    version = response.extensions.get("http_version", b"HTTP/1.1").decode("ascii")
    phrase = response.extensions.get("reason_phrase", response.reason_phrase.encode("ascii", "replace"))
    head = [f"{version} {response.status_code} ".encode("ascii") + phrase]
    # the pieces below are free of transfer coding, so a field that names one would be false
    head += [name + b": " + value for name, value in response.headers.raw if name.lower() != b"transfer-encoding"]
    wire.record(b"\r\n".join(head) + b"\r\n\r\n")
    for piece in response.stream:
        wire.record(piece)
    wire.eof = True


def _explain(error: Exception, wire: Wire) -> Failure:
    """Name a failure in our words; for bytes that h11 refuses and we can read, read on first."""
    if wire.stopped is not None:
        return Failure(wire.stopped.reason, wire.stopped.detail)
    if isinstance(error, httpcore.LocalProtocolError | httpx.LocalProtocolError):
        # the library's message would show the value, which may be an API key
        raise UsageError("the request cannot be written as HTTP/1.1: a field name or value that it forbids") from None
    if isinstance(error, httpcore.TimeoutException | httpx.TimeoutException):
        return Failure("timeout", str(error))
    if isinstance(error, httpcore.ProtocolError | httpx.ProtocolError):
        if wire.eof or not wire.scanner.data:
            return Failure("disconnect", "the peer closed the connection before the answer was whole")
        try:
            wire.drain()
        except (Stopped, httpcore.NetworkError, httpcore.TimeoutException) as later:
            return _explain(later, wire)
        return Failure("protocol", str(error))
    if isinstance(error, httpcore.ConnectError | httpx.ConnectError):
        return Failure("connect", str(error))
    return Failure("disconnect", str(error))
