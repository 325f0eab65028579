"""What all adapters share: the hint when a framework is missing, and calls from threads and from event loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from searchlog.desk import Listener, Progress
from searchlog.errors import CancelledError, UsageError
from searchlog.tool.definition import Definition
from searchlog.tool.face import Carry, Tool
from searchlog.tool.result import Result

__all__ = ["Caller", "needed", "schema"]


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Import a framework inside: UsageError says how to install it when it cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise UsageError(
            f"the adapter for {extra} cannot import it ({error}); install it: pip install 'searchlog[{extra}]'",
            extra=extra,
        ) from error


def schema(definition: Definition) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, for a framework to keep and to change."""
    return deepcopy(dict(definition.parameters))


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls the tools of a session for one framework."""

    tool: Tool
    api: str
    """What the framework is called in records."""
    distribution: str
    """What it is installed as; its version is recorded with each call."""
    carry: Carry | None = None
    """What the framework makes of the text before a model gets it; None when it hands it on as it is."""

    def call(
        self,
        name: str,
        arguments: Any,
        call_id: str | None = None,
        *,
        progress: Listener | None = None,
        **client: Any,
    ) -> Result:
        """Return what a call comes to, whatever its arguments are. client: what else is known of who calls."""
        return self.tool.call(
            name,
            arguments,
            api=self.api,
            call_id=call_id,
            client={**self._framework(), **client},
            progress=progress,
            carry=self.carry,
        )

    async def acall(self, name: str, arguments: Any, call_id: str | None = None, **client: Any) -> Result:
        """Return the same, worked on in a thread, so that calls run side by side.

        Cancelled, it returns at once; the work ends at its next step, and what it was about is closed as discarded.
        """
        gone = threading.Event()

        def listen(progress: Progress) -> None:
            if gone.is_set():
                raise CancelledError("whoever called does not wait for the result any longer")
            self.tool.progress(progress)

        try:
            return await asyncio.to_thread(self.call, name, arguments, call_id, progress=listen, **client)
        finally:
            gone.set()

    def _framework(self) -> Mapping[str, Any]:
        try:
            return {"name": self.distribution, "version": version(self.distribution)}
        except PackageNotFoundError:
            return {"name": self.distribution}
