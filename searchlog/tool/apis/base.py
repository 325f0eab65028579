"""What every API's file gives, and how a response of any SDK is read. Pure.

A response is JSON as the API sends it: an object of an SDK is taken for what it dumps to, a text for the JSON in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from searchlog.errors import UsageError
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result

__all__ = ["Api", "json_bytes", "plain_json"]


class Api(Protocol):
    """One API's form. All of it is pure: the same values give the same JSON."""

    @property
    def name(self) -> str:
        """As it is named in `Tool.handle` and in records."""

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return the tools for the request's `tools`. strict: None for what the API's users would choose."""

    def calls(self, response: Any) -> list[Call]:
        """Return the calls of a response, as plain JSON, in order; of all tools, ours or not."""

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return what answers one call: an item, a block or a message, as the API wants it. This is what is stored."""

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the replies of one response as messages to append to the conversation."""

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return evidence as messages of a user, for a model that goes on from what another one was shown."""


def plain_json(response: Any) -> Any:
    """Return a response as plain JSON values: mappings, lists, texts, numbers.

    response: JSON as text or bytes, values of `json.loads`, or an object (or a list of objects) of an SDK.
    Raises UsageError for anything else.
    """
    if isinstance(response, str | bytes):
        try:
            return json.loads(response)
        except (ValueError, RecursionError):
            raise UsageError("the response is text that is no JSON", found=type(response).__name__) from None
    if isinstance(response, Mapping):
        return {str(name): plain_json(value) if _is_ours(value) else value for name, value in response.items()}
    if isinstance(response, Sequence):
        return [plain_json(item) if _is_ours(item) else item for item in response]
    dump = getattr(response, "model_dump", None)
    if callable(dump):
        # names as the API has them, where an SDK has others; what was not sent is not there
        return dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    raise UsageError(f"no response of an API: {type(response).__name__}", found=type(response).__name__)


def _is_ours(value: Any) -> bool:
    """Whether a value is one that `plain_json` has to look into: a container, or an object of an SDK."""
    return isinstance(value, Mapping | list | tuple) or callable(getattr(value, "model_dump", None))


def json_bytes(value: Any) -> bytes:
    """Return JSON as stored: UTF-8, no blanks, the order of members as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
