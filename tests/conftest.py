"""Held over the whole run: what searchlog connects to is dialled by the guarded wire, at a checked address.

The hostile cases come last: they hold each page to its time and memory, and by then nothing else that was begun with
the run, such as the long kill test of `.ci/run`, has a share of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import audit


@pytest.fixture(autouse=True)
def _every_connection_is_guarded() -> Iterator[None]:
    before = len(audit.violations)
    yield
    assert audit.violations[before:] == []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.nodeid.startswith("tests/hostile/"))
