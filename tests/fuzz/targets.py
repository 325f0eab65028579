"""Every target by its name."""

from __future__ import annotations

from tests.fuzz import on_answers, on_pages, on_records, on_wire
from tests.fuzz.target import Target

__all__ = ["TARGETS"]

TARGETS: dict[str, Target] = {
    target.name: target
    for targets in (on_wire.TARGETS, on_pages.TARGETS, on_answers.TARGETS, on_records.TARGETS)
    for target in targets
}
