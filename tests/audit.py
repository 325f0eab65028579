"""What this process connects to and looks up, seen from below: an audit hook that cannot be gone around.

A connect that comes from our package by another way than the guarded wire, or goes where the address guard says no,
is a violation; so is a name look-up outside of `capture/resolve.py`. conftest.py fails the test that it happens in.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import searchlog

_PACKAGE = str(Path(searchlog.__file__).parent)
_WIRE, _RESOLVE = str(Path(_PACKAGE, "capture", "wire.py")), str(Path(_PACKAGE, "capture", "resolve.py"))
dialled: list[str] = []
"""Addresses that our wire connected to, in order."""
violations: list[str] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        frame = _ours(sys._getframe(1))
        if frame is not None:
            _check_connect(frame, arguments[1])
    elif event == "socket.getaddrinfo":
        frame = _ours(sys._getframe(1))
        if frame is not None and frame.f_code.co_filename != _RESOLVE:
            violations.append(f"{frame.f_code.co_filename} looks up {arguments[0]!r} by itself")


def _ours(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame that is searchlog's, if any."""
    while frame is not None and not frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def _check_connect(frame: FrameType, address: Any) -> None:
    if frame.f_code.co_filename != _WIRE:
        violations.append(f"{frame.f_code.co_filename} connects to {address!r} by itself")
        return
    wire = frame.f_locals["self"]
    why = wire._allow.check(wire.target, address[0])
    if why is not None or address[0] not in wire._pins.get(wire.target.host, ()):
        violations.append(f"dialled {address!r} for {wire.target.host}: {why or 'it was not among the checked ones'}")
    dialled.append(str(address[0]))


sys.addaudithook(_audit)
