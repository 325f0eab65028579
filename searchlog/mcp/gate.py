"""Who may talk to the server over HTTP, and what is said to others. Pure.

A page in a browser can make requests to this machine, and by a rebound name (DNS rebinding) even read the replies. So
the Host must be a name of this machine or one that was allowed, an Origin that of the server itself or of an allowed
name, on every route; and every request carries the token, which no page knows. Specs: RFC 9110 sections 7.4 and 11,
RFC 6750; MCP 2025-11-25, Streamable HTTP, security warning.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["PATH", "Gate", "Refusal"]

PATH = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?", re.ASCII)
_METHODS = ("GET", "POST", "DELETE")
_REALM = 'Bearer realm="searchlog"'

Headers = Sequence[tuple[bytes, bytes]]
"""Names in lower case, as ASGI has them."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer in place of the server's."""

    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """What every request is held to before the server sees it."""

    token: str
    hosts: tuple[str, ...] = ()
    """Names besides those of this machine, each with its port or for any."""
    token_in_url: bool = False
    """Whether `/mcp/TOKEN` will do, for clients that can send no header."""
    body_bytes_max: int = 1 << 20

    def refusal(self, method: str, path: bytes, headers: Headers) -> Refusal | None:
        """Return why a request is refused, or None. path: as on the wire, without the query."""
        named = [value for name, value in headers if name == b"host"]
        host = named[0].decode("latin-1").lower() if len(named) == 1 else ""
        if not self._serves(host):
            return Refusal(
                421,
                "the Host of this request is no name of this server; if it is how you reach it, start it with "
                "--allow-host NAME[:PORT]",
            )
        origins = {value.decode("latin-1").lower() for name, value in headers if name == b"origin"}
        foreign = any(name == b"sec-fetch-site" and value not in (b"same-origin", b"none") for name, value in headers)
        if foreign or origins - {f"{scheme}://{name}" for scheme in ("http", "https") for name in (host, *self.hosts)}:
            return Refusal(
                403, "a page of another origin may not use this server; --allow-host NAME lets in a service of yours"
            )
        in_url = self.token_in_url and path.startswith(PATH.encode() + b"/")
        if path != PATH.encode() and not in_url:
            return Refusal(404, f"the server is at {PATH}")
        refused = self._unknown([path[len(PATH) + 1 :]] if in_url else self._tokens(headers))
        if refused is not None:
            return refused
        if method not in _METHODS:
            return Refusal(405, f"{method[:20]} does nothing here", (("Allow", ", ".join(_METHODS)),))
        return self._body(method, headers)

    def _serves(self, host: str) -> bool:
        found = _AUTHORITY.fullmatch(host)
        if found is None or int(found[2] or 0) > 65_535:
            return False
        return found[1] in _LOOPBACK or host in self.hosts or found[1] in self.hosts

    def _tokens(self, headers: Headers) -> list[bytes]:
        given = [value for name, value in headers if name == b"authorization"]
        return [value[7:].strip() for value in given if value[:7].lower() == b"bearer "]

    def _unknown(self, tokens: list[bytes]) -> Refusal | None:
        if not tokens:
            said = "this server wants its token: Authorization: Bearer TOKEN, as it was printed or given at its start"
            return Refusal(401, said, (("WWW-Authenticate", _REALM),))
        wanted = self.token.encode("utf-8")
        # in the same time whatever is given
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0], wanted):
            said = "this is not the token of this server; a new one is made at each start unless you give it one"
            return Refusal(401, said, (("WWW-Authenticate", f'{_REALM}, error="invalid_token"'),))
        return None

    def _body(self, method: str, headers: Headers) -> Refusal | None:
        if method != "POST":
            return None
        kinds = [value.split(b";")[0].strip().lower() for name, value in headers if name == b"content-type"]
        if kinds != [b"application/json"]:
            return Refusal(415, "the body must be application/json")
        for name, value in headers:
            if name == b"content-length" and (not value.isdigit() or int(value[:20]) > self.body_bytes_max):
                return self.too_large()
        return None

    def too_large(self) -> Refusal:
        """Return what is said of a body that is larger than allowed."""
        return Refusal(413, f"the body is larger than {self.body_bytes_max} bytes")
