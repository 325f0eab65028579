"""What a call comes to: the work that its name and arguments ask for, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from searchlog.desk import Listener
from searchlog.errors import CancelledError, SearchlogError, StoreError, UsageError
from searchlog.evidence.render import safe_line
from searchlog.keyring import hide
from searchlog.search.answers.values import without_surrogates
from searchlog.tool import checking, pages, searching
from searchlog.tool.arguments import read_arguments
from searchlog.tool.definition import TOOLS, Definition
from searchlog.tool.result import Result, plain
from searchlog.tool.workplace import Workplace

__all__ = ["refused", "result_of"]

_WORK: Mapping[str, Callable[[Workplace, Mapping[str, Any], Listener], Result]] = {
    "web_search": searching.web_search,
    "open_page": pages.open_page,
    "find_in_page": pages.find_in_page,
    "verify_evidence": checking.verify_evidence,
}


def result_of(work: Workplace, name: str, arguments: str, progress: Listener) -> Result:
    """Return what a call comes to; what a model wrote or the web did is never an exception.

    Raises StoreError when this machine cannot keep the record, CancelledError when the listener does.
    """
    definition = TOOLS.get(name)
    if definition is None:
        said = f"There is no tool {safe_line(name)}. There are {', '.join(TOOLS)}."
        return refused(work, name, "unknown-tool", said)
    given = read_arguments(definition, arguments)
    if isinstance(given, str):
        return refused(work, definition.name, "bad-arguments", given)
    try:
        return _WORK[definition.name](work, given, progress)
    except (StoreError, CancelledError):
        raise
    except UsageError as error:
        if "provider" in error.fields:  # nothing that a model could write would help
            said = f"{definition.name} cannot work as it is set up: {hide(str(error))}. Tell the user so."
            return refused(work, definition.name, "misconfigured", said)
        return refused(work, definition.name, "bad-arguments", _how(definition, error))
    except SearchlogError as error:
        return refused(work, definition.name, error.code, f"{definition.name} failed: {hide(str(error))}")


def refused(work: Workplace, name: str, code: str, said: str) -> Result:
    """Return a result that is an error. code: for programs; said: what a model can do about it."""
    empty: dict[str, Any] = {"passages": []} if name == "verify_evidence" else {"evidence": []}
    return plain(name, without_surrogates(safe_line(said)), work.session.head, error=code, **empty)


def _how(definition: Definition, error: UsageError) -> str:
    return f"{hide(str(error))}. Call {definition.name} as {definition.example}."
