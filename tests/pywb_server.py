"""pywb serving a folder of collections on loopback; it is none of our dependencies, and lives in SEARCHLOG_TOOLS."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["TOOLS", "WAIT_S", "pywb"]

TOOLS = Path(os.environ.get("SEARCHLOG_TOOLS") or "/nowhere")
WAIT_S = 60.0


@contextmanager
def pywb(folder: Path) -> Iterator[int]:
    """Serve the collections in a folder; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [TOOLS / "bin" / "wayback", "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stdout=log, stderr=log
        )
        try:
            _await_port(port, process, folder / "log.txt")
            yield port
        finally:
            process.terminate()
            process.wait()


def _await_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"pywb did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
