"""What the tools of one face work with: the session, what it has given so far, and what the caller fixed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from searchlog.evidence.passage import Passage
from searchlog.evidence.passages import passages
from searchlog.evidence.policy import is_hidden
from searchlog.extract.conversion import Conversion
from searchlog.flow.settings import Settings
from searchlog.search.query import Query
from searchlog.stored import stored_conversion
from searchlog.tool.seen import Seen, StoredText

if TYPE_CHECKING:
    from searchlog.search import registry
    from searchlog.search.provider import Provider
    from searchlog.session import Session

__all__ = ["Cut", "Workplace"]

_KEPT = 8
"""Pages whose passages are held, for a model that reads on."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A page cut into passages."""

    conversion: Conversion
    visible: tuple[Passage, ...]
    """In the order of the text."""
    hidden: tuple[Passage, ...]


@dataclass
class Workplace:
    """What is shared by the calls of one `Tool`."""

    session: Session
    seen: Seen
    providers: str | Provider | Iterable[str | Provider] | None = None
    settings: Settings | None = None
    registry_options: registry.Options | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Query` and `Settings` for every search, by name."""
    _cut: OrderedDict[int, Cut] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def settings_options(self) -> dict[str, Any]:
        """Return the options that are no part of a query."""
        of_query = {f.name for f in fields(Query)}
        return {name: value for name, value in self.options.items() if name not in of_query}

    def cut(self, stored: StoredText) -> Cut:
        """Return the passages of a stored text. Raises MissingError, IntegrityError, FormatError when it is gone."""
        with self._lock:
            if stored.seq in self._cut:
                self._cut.move_to_end(stored.seq)
                return self._cut[stored.seq]
        conversion = stored_conversion(stored.made, self.session.ledger.blobs)
        made = passages(0, conversion)
        cut = Cut(
            conversion,
            tuple(passage for passage in made if not is_hidden(passage)),
            tuple(passage for passage in made if is_hidden(passage)),
        )
        with self._lock:
            self._cut[stored.seq] = cut
            while len(self._cut) > _KEPT:
                self._cut.popitem(last=False)
        return cut
