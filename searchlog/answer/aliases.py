"""The names that evidence has in citation markers of the private use area, and back. Pure.

    \\ue200cite\\ue202turn0block7\\ue201     evidence e7

The number is that of the evidence id, so a marker means the same in every turn of a session. `turn0block` is of the
kind that models know from markers of their own tools, and none that those tools use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["BETWEEN", "CLOSE", "OPEN", "aliases", "marker", "marker_name"]

OPEN, BETWEEN, CLOSE = "\ue200", "\ue202", "\ue201"
_ID = re.compile(r"e(\d{1,9})")


def marker_name(evidence_id: str) -> str:
    """Return what evidence is called in a marker: `turn0block7` for `e7`."""
    match = _ID.fullmatch(evidence_id)
    return f"turn0block{match[1]}" if match else evidence_id


def marker(*names: str) -> str:
    """Return the marker that cites what these names stand for; a range of lines such as `L8-L13` stands behind one."""
    return f"{OPEN}cite{BETWEEN}{BETWEEN.join(names)}{CLOSE}"


def aliases(ids: Iterable[str]) -> dict[str, str]:
    """Return the evidence ids by their names in markers."""
    return {marker_name(one): one for one in ids}
