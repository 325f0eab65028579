"""Every hostile behaviour ends as it should: the right outcome, in time, in bounds, with the bytes kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile.case import Case
from tests.hostile.catalogue import CASES
from tests.hostile.run import run, visitor
from tests.hostile.server import HostileWeb
from tests.hostile.visit import Visitor


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    with HostileWeb(CASES) as served:
        yield served


@pytest.fixture(scope="module")
def shared(web: HostileWeb) -> Iterator[Visitor]:
    with visitor(web) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[f"{case.kind}-{case.id}" for case in CASES])
def test_case(case: Case, web: HostileWeb, shared: Visitor) -> None:
    seen, wrong = run(case, web, shared)
    assert wrong == [], seen
