"""Answers as providers give them, with a value somewhere that does not belong there: no parser may raise."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.search.provider import FollowingProvider, Response
from tests.providers.conftest import ENTRIES, QUERY, SAMPLES
from tests.providers.test_every import PROVIDERS, check

ODD: list[Any] = [
    None, True, False, 0, -1, 10**400, 1e999, float("nan"), 2**63, "", "0", "\ud800", "x" * 5_000, "a\x00\x1b[31m",
    "<b>t</b>", "javascript:alert(1)", [], {}, [[]], [None], {"": None}, {"date-parts": [[None]]}, ["\udfff"], [[[1]]],
]  # fmt: skip


def _read(name: str) -> list[Any]:
    """Return the JSON of a sample: one value, or one a line; nothing for other samples."""
    try:
        text = (SAMPLES / name).read_text("utf-8")
    except UnicodeDecodeError:
        return []
    for parts in ([text], text.splitlines()):
        try:
            return [json.loads(part) for part in parts]
        except ValueError:
            continue
    return []


JSON = {entry["file"]: found for entry in ENTRIES if (found := _read(entry["file"]))}
CASES = [entry for entry in ENTRIES if entry["file"] in JSON]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return each container of a value with each of its keys."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_no_odd_value_in_a_real_answer_makes_a_parser_raise(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(CASES))
    answer = copy.deepcopy(JSON[entry["file"]])
    for _ in range(data.draw(st.integers(1, 4))):
        places = _places(answer)
        if places:
            container, key = data.draw(st.sampled_from(places))
            container[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    response = Response(entry["status"], (), "\n".join(json.dumps(part) for part in answer).encode())
    provider = PROVIDERS[entry["provider"]]
    check(provider.parse(response, QUERY))
    if isinstance(provider, FollowingProvider):
        provider.follow(QUERY, response)
