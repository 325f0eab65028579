"""Held over the whole run: what searchlog connects to is dialled by the guarded wire, at a checked address.

A run of a folder, and so of everything, is shared out to the processors when pytest-xdist is there, file by file; one
of named files stays in one process, where a debugger and `-s` work. `-n 0` and `-n 8` say otherwise. What takes long
comes first, so that no processor waits for it at the end. The hostile cases hold each page to its time and memory:
they come one after the other wherever they run, for two hundred fetches at once are among them.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import audit

WORKERS_MAX = 4
"""More cost more than they save: each collects every test for itself, and is some 400 MB large."""
LONG = ("tests/e2e/", "tests/hostile/")


@pytest.fixture(autouse=True)
def _every_connection_is_guarded() -> Iterator[None]:
    before = len(audit.violations)
    yield
    assert audit.violations[before:] == []


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    option = config.option
    if hasattr(config, "workerinput") or getattr(option, "numprocesses", 0) is not None:
        return  # a worker itself, or told how many, or without pytest-xdist
    by_hand = option.usepdb or option.trace or option.capture == "no"
    if by_hand or not any(Path(arg).is_dir() for arg in config.args):
        return
    option.numprocesses = min(WORKERS_MAX, _processors())
    if option.dist == "no":
        option.dist, option.loadscopereorder = "loadfile", False


def _processors() -> int:
    """Return how many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what gives a worker one file after the other, and all hostile cases to the same one."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "hostile" if nodeid.startswith("tests/hostile/") else super()._split_scope(nodeid)

    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is collected alone: it all stays, and looking at it again and again took as long as making it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
