"""A provider whose address carries a user name and password: they become a header of each request. Pure.

An address with a password is never asked for, stored or shown. The header is a secret of each request; the password
alone only where no word can be it, since a word would be taken out of every answer. Spec: RFC 7617 section 2.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from searchlog.capture.exchange import Request
from searchlog.search.provider import Facts, FollowingProvider, NetworkProvider, Response
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.shape import is_strong

__all__ = ["LoggedIn", "split_login"]

_LOGIN = re.compile(r"((?:[A-Za-z][A-Za-z0-9+.-]*:)?/{0,2})([^/?#@\s]*)@(.+)", re.DOTALL)

_TOKEN_MIN = 8
"""Shorter ones occur in honest text."""


def split_login(address: str | None) -> tuple[str | None, tuple[str, str] | None]:
    """Return an address without user name and password, and these two, escapes undone; None where it has none."""
    found = _LOGIN.fullmatch(address or "")
    if found is None:
        return address, None
    user, _, password = found[2].partition(":")
    return found[1] + found[3], (unquote(user), unquote(password))


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A provider that is asked with a user name and password."""

    provider: NetworkProvider
    user: str = field(repr=False)
    password: str = field(repr=False)

    @property
    def facts(self) -> Facts:
        return self.provider.facts

    def request(self, query: Query) -> Request:
        """Return the provider's request with the login, unless it carries an Authorization of its own."""
        return self._logged_in(self.provider.request(query))

    def follow(self, query: Query, response: Response) -> Request | None:
        """Return the provider's second request, if it has one, with the login."""
        if not isinstance(self.provider, FollowingProvider):
            return None
        request = self.provider.follow(query, response)
        return None if request is None else self._logged_in(request)

    def _logged_in(self, request: Request) -> Request:
        if any(name.lower() == "authorization" for name, _ in request.headers):
            return request
        token = b64encode(f"{self.user}:{self.password}".encode()).decode("ascii")
        headers = (*request.headers, ("Authorization", f"Basic {token}"))
        secrets = [token] if len(token) >= _TOKEN_MIN else []
        secrets += filter(is_strong, (self.password or self.user,))
        return replace(request, headers=headers, secrets=(*request.secrets, *secrets))

    def parse(self, response: Response, query: Query) -> Run:
        """Return the run that these bytes tell."""
        return self.provider.parse(response, query)
