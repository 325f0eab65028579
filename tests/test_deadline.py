"""One moment after which nothing may block, and a way to bring it forward."""

from __future__ import annotations

import gc
import threading

from searchlog.capture.deadline import Deadline
from searchlog.clock import FixedClock


def test_time_left_falls_with_the_clock_and_never_below_zero() -> None:
    deadline = Deadline(2.5, FixedClock(step=1.0))
    assert deadline.remaining() == 1.5
    assert not deadline.expired
    assert deadline.expired
    assert deadline.remaining() == 0.0
    assert not deadline.was_cut


def test_child_ends_no_later_than_its_parent() -> None:
    clock = FixedClock()
    parent = Deadline(5, clock)
    assert parent.child(3).remaining() == 3
    assert parent.child(8).remaining() == 5


def test_cut_ends_it_and_its_children_and_not_its_parent() -> None:
    parent = Deadline(5, FixedClock())
    child = parent.child(4)
    grandchild = child.child(4)
    child.cut()
    assert (child.remaining(), grandchild.remaining(), parent.remaining()) == (0, 0, 5)
    assert child.was_cut
    assert grandchild.was_cut
    assert not parent.was_cut


def test_child_of_a_cut_deadline_is_cut() -> None:
    parent = Deadline(5, FixedClock())
    parent.cut()
    assert parent.child(3).was_cut


def test_cut_wakes_each_callback_once() -> None:
    deadline = Deadline(5, FixedClock())
    woken: list[str] = []
    deadline.on_cut(lambda: woken.append("a"))
    undo = deadline.on_cut(lambda: woken.append("b"))
    undo()
    deadline.cut()
    deadline.cut()
    assert woken == ["a"]


def test_callback_after_the_cut_is_called_at_once() -> None:
    deadline = Deadline(5, FixedClock())
    deadline.cut()
    woken = threading.Event()
    deadline.on_cut(woken.set)()
    assert woken.is_set()


def test_parent_does_not_keep_finished_children() -> None:
    """A parent kept each child's callback until it was cut, so a long crawl under one deadline grew for ever."""
    parent = Deadline(5, FixedClock())
    for _ in range(100):
        parent.child(1)
    gc.collect()
    assert len(parent._wake) == 0
