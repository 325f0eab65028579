"""Hostile shapes for answers whose lists stand elsewhere than in `results`: none may make a parser raise."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from searchlog.search.provider import NetworkProvider, Response
from searchlog.search.query import Query
from tests.providers.test_every import check

__all__ = ["BLOCK", "JSON", "ROWS", "STATUS", "survives"]

_TEXT = st.text(max_size=12) | st.sampled_from(["\ud800", "t\udfff<b>", "https://a.example/", "\x00", "2024-03-04"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_NAMES = (
    "url link title name snippet snippets content desc date time published last_updated source t list type question "
    "pdate cdate cdatetimestamp timestamp places"
)
_ROW = st.dictionaries(st.sampled_from(_NAMES.split()), JSON, max_size=6) | JSON
ROWS = st.lists(_ROW, max_size=4) | JSON
BLOCK = _ROW | ROWS
STATUS = st.sampled_from([200, 200, 200, 400, 401, 403, 422, 429, 500, 503])
_FULL = Query("tide", count=7, page=3, language="zh-Hant", country="TW", freshness="week", safe="strict", texts=True)


def survives(provider: NetworkProvider, value: Any, status: int = 200) -> None:
    """Parse this value as an answer, and check what every run promises."""
    check(provider.parse(Response(status, (), json.dumps(value).encode()), _FULL))
