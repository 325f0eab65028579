"""All cases. Importing a kind registers what it holds."""

from __future__ import annotations

from tests.hostile import (
    kind_coding,
    kind_content,
    kind_control,
    kind_deception,
    kind_framing,
    kind_provider,
    kind_size,
    kind_target,
    kind_time,
)
from tests.hostile.case import CASES

__all__ = ["CASES", "KINDS"]

KINDS = (
    kind_control,
    kind_time,
    kind_framing,
    kind_size,
    kind_coding,
    kind_target,
    kind_content,
    kind_deception,
    kind_provider,
)
