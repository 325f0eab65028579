"""Scorers of networks through sentence-transformers: a sentence encoder, and a cross-encoder. On the processor only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sentence_transformers
from torch.nn import Sigmoid

from searchlog.evidence.scorer import Scorer

__all__ = ["cross", "vectors"]

_LIBRARY = f"sentence-transformers-{sentence_transformers.__version__}"


def vectors(folder: Path, name: str) -> Scorer:
    """Return the scorer of the sentence encoder in a folder. Raises what the library does where there is none."""
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return _Vectors(model, f"{name}/{_LIBRARY}")


def cross(folder: Path, name: str) -> Scorer:
    """Return the scorer of the cross-encoder in a folder, which has one output. Raises as `vectors` does."""
    model = sentence_transformers.CrossEncoder(str(folder), device="cpu", local_files_only=True)
    if model.num_labels != 1:
        raise ValueError(f"it gives {model.num_labels} numbers for a pair, where a score is one")
    return _Cross(model, f"{name}/{_LIBRARY}")


class _Vectors:
    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self.name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text with the query."""
        if not texts:
            return []
        found = self._model.encode([query, *texts], normalize_embeddings=True, show_progress_bar=False)
        return [float(value) for value in found[1:] @ found[0]]


class _Cross:
    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self.name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return what the model says of each pair, put to 0 to 1 by the logistic function."""
        if not texts:
            return []
        pairs = [(query, text) for text in texts]
        found = self._model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)
        return [float(value) for value in found]
