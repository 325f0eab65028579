"""A model's final text held against the evidence of the sessions that it was given."""

from __future__ import annotations

from collections.abc import Sequence

from searchlog.recheck.result import AnswerReport
from searchlog.recheck.subjects import Subject

__all__ = ["check_answer_of"]


def check_answer_of(subjects: Sequence[Subject], data: bytes) -> AnswerReport:
    """Return what is found of an answer. Raises FormatError when it is in no form that is known."""
    raise NotImplementedError
