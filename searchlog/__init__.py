"""searchlog: web search on your own machine that keeps every byte a model was shown."""

from __future__ import annotations

__version__ = "0.1.0"
