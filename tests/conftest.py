"""Held over the whole run: what searchlog connects to is dialled by the guarded wire, at a checked address."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import audit


@pytest.fixture(autouse=True)
def _every_connection_is_guarded() -> Iterator[None]:
    before = len(audit.violations)
    yield
    assert audit.violations[before:] == []
