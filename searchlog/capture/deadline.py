"""One deadline over everything a fetch does, and a way to end it early from another thread."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable

from searchlog.clock import Clock

__all__ = ["Deadline"]


class Deadline:
    """A moment on the monotonic clock after which nothing may block.

    `cut()` moves the moment to now and wakes what is blocked: each socket in use has left a callback.
    A child ends no later than its parent and is cut with it.
    """

    def __init__(self, seconds: float, clock: Clock, parent: Deadline | None = None) -> None:
        self._clock = clock
        self._at = clock.monotonic() + seconds
        if parent is not None:
            self._at = min(self._at, parent._at)
        self._lock = threading.Lock()
        self._wake: set[Callable[[], None]] = set()
        self._cut = False
        if parent is not None:
            # a parent may outlive thousands of children: it must not keep them, nor their callbacks
            cut = weakref.WeakMethod(self.cut)
            undo = parent.on_cut(lambda: _call(cut))
            weakref.finalize(self, undo).atexit = False

    def remaining(self) -> float:
        """Return the seconds left, never below zero."""
        return 0.0 if self._cut else max(0.0, self._at - self._clock.monotonic())

    @property
    def expired(self) -> bool:
        return self.remaining() <= 0.0

    @property
    def was_cut(self) -> bool:
        """Whether somebody ended it before its time."""
        return self._cut

    def child(self, seconds: float) -> Deadline:
        """Return a deadline of its own that ends no later than this one."""
        return Deadline(seconds, self._clock, self)

    def on_cut(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` when cut (at once if it already is); return a function that takes the callback back."""
        with self._lock:
            if not self._cut:
                self._wake.add(wake)
                return lambda: self._wake.discard(wake)
        wake()
        return lambda: None

    def cut(self) -> None:
        """End now. Safe from any thread, any number of times."""
        with self._lock:
            self._cut = True
            wakes, self._wake = list(self._wake), set()
        for wake in wakes:
            wake()


def _call(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    bound = method()
    if bound is not None:
        bound()
