"""What makes text of a payload: the worker pool, or the same code in this process."""

from __future__ import annotations

from typing import Protocol

from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions

__all__ = ["Converter"]


class Converter(Protocol):
    """Whatever makes text of a payload."""

    def convert(
        self, data: bytes, content_type: str | None, url: str, options: ConvertOptions, deadline_s: float | None = None
    ) -> Conversion | ConversionFailure:
        """Return the conversion, or why there is none. content_type: the value of that header, as it came."""
