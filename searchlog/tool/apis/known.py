"""The APIs by name. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from searchlog.errors import UsageError
from searchlog.tool.apis.anthropic import Anthropic
from searchlog.tool.apis.base import Api
from searchlog.tool.apis.gemini import Gemini
from searchlog.tool.apis.gemini_interactions import GeminiInteractions
from searchlog.tool.apis.openai_chat import OpenAIChat
from searchlog.tool.apis.openai_responses import OpenAIResponses

__all__ = ["APIS", "api_of"]

_MAKERS: Mapping[str, Callable[[str], Api]] = {
    "anthropic": lambda _: Anthropic(),
    "openai-responses": OpenAIResponses,
    "openai-chat": OpenAIChat,
    "gemini": lambda _: Gemini(),
    "gemini-interactions": lambda _: GeminiInteractions(),
}
APIS: tuple[str, ...] = tuple(_MAKERS)


def api_of(name: str, *, citations: str = "ids") -> Api:
    """Return an API's form. citations: `ids` or `markers`, where the API leaves the choice.

    Raises UsageError for a name that is not known.
    """
    maker = _MAKERS.get(name) if isinstance(name, str) else None
    if maker is None:
        raise UsageError(f"no API is called {name!r:.60}; there are {', '.join(APIS)}", argument="api", found=name)
    return maker(citations)
