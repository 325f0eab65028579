"""The recording network backend under httpcore: every plaintext byte of one connection, both ways.

One `Wire` carries one exchange over one connection. It resolves and checks at the moment of connecting, dials only
checked addresses, holds each operation to the deadline, stops at the byte caps, and can be woken from another thread
when the deadline is cut. Effects: sockets.  Shown by test_wire.py and test_client.py.
"""

from __future__ import annotations

import os
import selectors
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Limits, Peer
from searchlog.capture.guard import Allow, Refusal, Target
from searchlog.capture.message import Scanner
from searchlog.capture.resolve import Resolver, not_public, resolve

__all__ = ["Stopped", "Wire"]

_SLICE_S = 0.05
_READ_BYTES = 65_536
_REDIRECT_BODY_S, _REDIRECT_BODY_BYTES = 1.0, 65_536
"""How long, and for how much, the body of a redirect is waited for: nobody reads it, and the page lies behind it."""


class Stopped(Exception):
    """The wire ended the exchange; `reason` is a reason code, or one of the address guard."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Wire(httpcore.NetworkBackend):
    """Connects for one exchange and records it.

    pins: addresses already resolved and checked for `host:port` in this fetch; nothing is looked up twice.
    """

    def __init__(
        self,
        target: Target,
        method: str,
        *,
        limits: Limits,
        deadline: Deadline,
        allow: Allow,
        resolver: Resolver,
        pins: dict[str, tuple[str, ...]],
    ) -> None:
        self.target = target
        self.limits = limits
        self.deadline = deadline
        self.written = bytearray()
        self.scanner = Scanner(method)
        self.eof = False
        """Whether the peer ended the connection in an orderly way."""
        self.warnings: list[str] = []
        self.peer: Peer | None = None
        self.connected = False
        self.stopped: Stopped | None = None
        """Set when a cap or the deadline ended the exchange, whatever httpcore made of it."""
        self._method = method
        self._allow = allow
        self._resolver = resolver
        self._pins = pins
        self._sock: socket.socket | None = None
        self._stream: _Stream | None = None
        self._undo: Callable[[], None] | None = None
        self._redirected_at: float | None = None
        """Seconds that were left when the head of a redirect was there."""

    # -- connecting ------------------------------------------------------------------------------------------------

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Resolve, check and dial this wire's target; host and port as httpcore read them are not used."""
        addresses = self._addresses()
        budget = self.limits.connect_s
        failures = []
        for index, address in enumerate(addresses):
            share = budget / (len(addresses) - index)
            start = self.deadline.remaining()
            try:
                sock = self._dial(address, share)
            except OSError as error:
                failures.append(f"{address}: {error.strerror or error}")
                budget = max(0.5, budget - max(0.0, start - self.deadline.remaining()))
                continue
            self.peer = Peer(address, self.target.port)
            self.connected = True
            self._stream = _Stream(self, sock)
            return self._stream
        timed_out = all(failure.endswith("timed out") for failure in failures)
        raise self.stop("timeout" if timed_out else "connect", "no connection: " + "; ".join(failures))

    def _addresses(self) -> tuple[str, ...]:
        key = self.target.host
        if key not in self._pins:
            found = resolve(self.target, self._allow, self.deadline, self._resolver)
            if isinstance(found, Refusal):
                raise self.stop(found.reason, found.detail)
            self._pins[key] = found
        for address in self._pins[key]:
            # a pin was checked for another port of this host; permission may be for one port only
            if why := self._allow.check(self.target, address):
                raise self.stop("address", not_public(self.target, address, why))
        return self._pins[key]

    def _dial(self, address: str, seconds: float) -> socket.socket:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._wait_connected(sock, (address, self.target.port), seconds)
        except BaseException:
            sock.close()
            raise
        self.watch(sock)
        return sock

    def _wait_connected(self, sock: socket.socket, address: tuple[str, int], seconds: float) -> None:
        """Connect in small slices, so that a cut is seen at once although nothing can wake a connect."""
        try:
            sock.connect(address)
            return
        except BlockingIOError:
            pass
        with selectors.DefaultSelector() as selector:
            selector.register(sock, selectors.EVENT_WRITE)
            while not selector.select(min(_SLICE_S, max(0.0, seconds))):
                seconds -= _SLICE_S
                self.check_time("connecting")
                if seconds <= 0:
                    raise TimeoutError("timed out")
        if code := sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(code, os.strerror(code))

    def watch(self, sock: socket.socket) -> None:
        """Let a cut of the deadline shut this socket down, which ends whatever blocks on it."""
        if self._undo is not None:
            self._undo()
        self._sock = sock
        self._undo = self.deadline.on_cut(self._wake)

    def _wake(self) -> None:
        sock = self._sock
        if sock is None:
            return
        try:
            # not SSLSocket.shutdown: that forgets the TLS layer while another thread is inside it
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            pass  # already closed: nothing blocks on it

    # -- bytes -----------------------------------------------------------------------------------------------------

    def allowed(self, seconds: float, doing: str) -> float:
        """Return how long the next operation may block; raise Stopped when there is no time left."""
        self.check_time(doing)
        return max(0.001, min(seconds, self.deadline.remaining()))

    def patience(self) -> float:
        """Return how long the next read may last; raise Stopped when the body of a redirect has had its time."""
        left = self.allowed(self.limits.idle_s, "reading")
        if not self.scanner.leads_on:
            return left
        now = self.deadline.remaining()
        if self._redirected_at is None:
            self._redirected_at = now
        rest = _REDIRECT_BODY_S - (self._redirected_at - now)
        if rest <= 0:
            raise self.stop("timeout", f"the body of the redirect did not end within {_REDIRECT_BODY_S:g} s")
        return min(left, rest)

    def check_time(self, doing: str) -> None:
        """Raise Stopped when the deadline has come."""
        if self.deadline.expired:
            how = "was cut" if self.deadline.was_cut else "came"
            raise self.stop("timeout", f"the deadline {how} while {doing}")

    def record(self, data: bytes) -> None:
        """Keep bytes read, up to the caps; raise Stopped at a cap."""
        scanner, limits = self.scanner, self.limits
        cap = None if scanner.head_end is None else scanner.head_end + self._body_max
        if cap is not None and len(scanner.data) + len(data) > cap:
            scanner.feed(data[: cap - len(scanner.data)])
            raise self._too_long()
        scanner.feed(data)
        head = len(scanner.data) if scanner.head_end is None else scanner.head_end
        if head > limits.header_bytes_max:
            raise self.stop("header-too-large", f"the heads are longer than {limits.header_bytes_max} bytes")
        if len(scanner.data) - head > self._body_max:  # head and too much of a body in one read
            self.scanner = Scanner(self._method)
            self.scanner.feed(bytes(scanner.data[: head + self._body_max]))
            raise self._too_long()
        if scanner.excessive:
            raise self.stop("length", f"the body has {scanner.problem}")

    @property
    def _body_max(self) -> int:
        most = self.limits.coded_bytes_max
        return min(most, _REDIRECT_BODY_BYTES) if self.scanner.leads_on else most

    def _too_long(self) -> Stopped:
        return self.stop("length", f"the body is longer than {self._body_max} bytes on the wire")

    def stop(self, reason: str, detail: str) -> Stopped:
        """Note why the exchange ends here, and return the exception to raise."""
        self.stopped = Stopped(reason, detail)
        return self.stopped

    def drain(self) -> None:
        """Read on to the end of a message whose head we understand although h11 refused it.

        Raises Stopped or an httpcore error, as reading does.
        """
        scanner = self.scanner
        while self._stream is not None and scanner.head_end is not None and not scanner.done and not scanner.problem:
            if not self._stream.read(_READ_BYTES):
                return

    def close(self) -> None:
        """End the connection; safe to call at any time, any number of times."""
        if self._undo is not None:
            self._undo()
            self._undo = None
        if self._sock is not None:
            self._sock.close()
            self._sock = None

    def sleep(self, seconds: float) -> None:
        """Never called: the pool is told not to retry."""
        raise AssertionError("the pool retries although retries=0")


class _Stream(httpcore.NetworkStream):
    """One socket, plain or TLS, whose bytes go through a Wire."""

    def __init__(self, wire: Wire, sock: socket.socket) -> None:
        self._wire = wire
        self._sock = sock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        wire = self._wire
        self._sock.settimeout(wire.patience())
        try:
            data = self._sock.recv(min(max_bytes, _READ_BYTES))
        except TimeoutError:
            wire.check_time("reading")
            wire.patience()
            raise httpcore.ReadTimeout(f"nothing arrived for {wire.limits.idle_s:g} s") from None
        except ssl.SSLEOFError:
            wire.check_time("reading")
            wire.warnings.append("no-close-notify")
            data = b""
        except OSError as error:
            wire.check_time("reading")
            raise httpcore.ReadError(f"the connection broke: {error}") from None
        if data:
            wire.record(data)
        else:
            wire.check_time("reading")  # a cut shuts the socket down, which reads as an end
            wire.eof = True
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        wire = self._wire
        view = memoryview(buffer)
        while view:
            self._sock.settimeout(wire.allowed(wire.limits.idle_s, "sending"))
            try:
                count = self._sock.send(view)
            except TimeoutError:
                wire.check_time("sending")
                raise httpcore.WriteTimeout(f"nothing could be sent for {wire.limits.idle_s:g} s") from None
            except OSError as error:
                wire.check_time("sending")
                raise httpcore.WriteError(f"the connection broke: {error}") from None
            wire.written += view[:count]
            view = view[count:]

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        wire = self._wire
        seconds = wire.allowed(wire.limits.connect_s, "starting TLS")
        try:
            # the handshake starts only when the new socket object is the one that a cut shuts down
            sock = ssl_context.wrap_socket(
                self._sock,
                server_hostname=wire.target.host,
                do_handshake_on_connect=False,
                suppress_ragged_eofs=False,
            )
            self._sock = sock
            wire.watch(sock)
            sock.settimeout(seconds)
            sock.do_handshake()
        except TimeoutError:
            wire.check_time("starting TLS")
            raise httpcore.ConnectTimeout(f"no TLS handshake within {wire.limits.connect_s:g} s") from None
        except (OSError, ValueError) as error:
            wire.check_time("starting TLS")
            raise wire.stop("tls", f"TLS with {wire.target.host} failed: {_tls_words(error)}") from None
        cipher = sock.cipher()
        assert wire.peer is not None
        wire.peer = Peer(
            wire.peer.address,
            wire.peer.port,
            sock.version(),
            cipher[0] if cipher else None,
            sock.getpeercert(binary_form=True),
        )
        return self

    def close(self) -> None:
        """Leave the socket open: `Wire.close` ends it, so that bytes httpcore gave up on can still be read."""

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object" and isinstance(self._sock, ssl.SSLSocket):
            return self._sock
        return None


def _tls_words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not trusted ({error.verify_message})"
    return str(error)
