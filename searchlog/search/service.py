"""What providers asked over HTTP have in common: an address, a key or none, and how both get into a request. Pure.

A provider is a file in `providers/`: a class below this one with its `FACTS`, its `request` and its `parse`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

from searchlog.capture.exchange import Header, Request
from searchlog.errors import UsageError
from searchlog.search.provider import Facts

__all__ = ["Service", "moved"]


class Service:
    """One service at its usual address, or at another; with a key, or without where it can be asked so."""

    FACTS: ClassVar[Facts]
    """What is known of it before anything is configured: its usual endpoint, and no key."""

    def __init__(self, key: str | None = None, base_url: str | None = None, contact: str | None = None) -> None:
        """key: its API key. base_url: in place of the scheme and host of its usual endpoint: a mirror, a test.
        contact: an address for the service to write to, where it asks for one.

        Raises UsageError when it needs a key and there is none; the message names the variable to set.
        """
        facts = self.FACTS
        if facts.key == "required" and not key:
            raise UsageError(f"{facts.name}: set {facts.key_env[0]} to your key", provider=facts.name)
        self._key = key or None
        self._contact = contact or None
        endpoint = moved(facts.endpoint, base_url) if base_url else facts.endpoint
        self.facts = replace(facts, endpoint=endpoint, keyed=bool(key))

    @property
    def _secrets(self) -> tuple[str, ...]:
        return (self._key,) if self._key else ()

    def _get(self, fields: Mapping[str, str], *headers: Header) -> Request:
        """Return a GET of the endpoint with these fields as its query. The key, if it has one, is a secret of it."""
        url = self.facts.endpoint + ("?" + urlencode(fields) if fields else "")
        return Request("GET", url, (("Accept", "application/json"), *headers), secrets=self._secrets)

    def _post(self, body: Mapping[str, Any], *headers: Header) -> Request:
        """Return a POST of this JSON object to the endpoint. The key, if it has one, is a secret of it."""
        data = json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        fields = (("Accept", "application/json"), ("Content-Type", "application/json"), *headers)
        return Request("POST", self.facts.endpoint, fields, data, secrets=self._secrets)


def moved(endpoint: str, base_url: str) -> str:
    """Return an endpoint at another address: its path below `base_url`."""
    return base_url.rstrip("/") + urlsplit(endpoint).path
