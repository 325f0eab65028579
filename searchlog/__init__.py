"""searchlog: web search on your own machine that keeps every byte a model was shown.

import searchlog

with searchlog.open("./archive") as archive:
    search = archive.session().search("how do tide mills work")
    print(search.rendering)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "Archive",
    "Page",
    "Query",
    "Search",
    "Session",
    "Settings",
    "Tool",
    "__version__",
    "errors",
    "open",
    "open_shelf",
    "open_site",
    "verify_snapshot",
]

if TYPE_CHECKING:
    from searchlog import errors
    from searchlog.archive import Archive
    from searchlog.archive import open_archive as open
    from searchlog.flow.settings import Settings
    from searchlog.search.query import Query
    from searchlog.session import Page, Search, Session
    from searchlog.tool.face import Tool

_WHERE = {
    "Archive": ("searchlog.archive", "Archive"),
    "open": ("searchlog.archive", "open_archive"),
    "open_site": ("searchlog.site", "open_site"),
    "open_shelf": ("searchlog.shelf", "open_shelf"),
    "verify_snapshot": ("searchlog.snapshot.check", "check_snapshot"),
    "Settings": ("searchlog.flow.settings", "Settings"),
    "Query": ("searchlog.search.query", "Query"),
    "Page": ("searchlog.session", "Page"),
    "Search": ("searchlog.session", "Search"),
    "Session": ("searchlog.session", "Session"),
    "Tool": ("searchlog.tool.face", "Tool"),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for on first use: `import searchlog` alone costs next to nothing."""
    import importlib

    if name == "errors":
        return importlib.import_module("searchlog.errors")
    if name not in _WHERE:
        raise AttributeError(f"module 'searchlog' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value
