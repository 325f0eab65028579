"""A scorer of static word vectors through model2vec: a text is the mean of its tokens' vectors, no network is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import model2vec

from searchlog.evidence.scorer import Scorer

__all__ = ["static"]


def static(folder: Path, name: str) -> Scorer:
    """Return the scorer of the model in a folder. Raises what the library does where there is none."""
    return _Static(model2vec.StaticModel.from_pretrained(str(folder)), f"{name}/model2vec-{model2vec.__version__}")


class _Static:
    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self.name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text with the query; 0 where either has no token that the model knows."""
        if not texts:
            return []
        vectors = self._model.encode([query, *texts], show_progress_bar=False, use_multiprocessing=False)
        lengths = (vectors**2).sum(axis=1) ** 0.5
        dots = vectors[1:] @ vectors[0]
        return [
            float(dot) / float(length * lengths[0]) if length and lengths[0] else 0.0
            for dot, length in zip(dots, lengths[1:], strict=True)
        ]
