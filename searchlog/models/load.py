"""From a specification such as `static:/path/to/folder` to a scorer. Never downloads anything.

A model is a folder, or the name of one that a hub's client has put into its local cache before. The libraries that
could fetch one are told to stay offline before they are imported, for the whole process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from searchlog.errors import UsageError
from searchlog.evidence.scorer import Scorer

__all__ = ["KINDS", "load", "loaded"]

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
_WEIGHTS = ("*.safetensors", "*.bin", "*.onnx", "*.json", "*.txt")
"""Files that say what a model is; all of those in its folder and the folders in it are digested."""

KINDS: Mapping[str, str] = {
    "static": "word vectors, averaged: fast, through model2vec",
    "vectors": "a sentence encoder, through sentence-transformers",
    "cross": "a cross-encoder, which reads query and text together: slow, through sentence-transformers",
}
_MODULES = {"static": "static", "vectors": "encoders", "cross": "encoders"}
_LIBRARIES = {"static": "model2vec", "vectors": "sentence_transformers", "cross": "sentence_transformers"}


def load(spec: str) -> Scorer:
    """Return the scorer that a specification names: `KIND:FOLDER` or `KIND:NAME` of a model in the local cache.

    Raises UsageError where the kind is none of KINDS, its library is not installed, or there is no such model; the
    message says what to do.
    """
    kind, _, where = spec.partition(":")
    if kind not in KINDS or not where:
        known = ", ".join(f"{name}:FOLDER ({what})" for name, what in KINDS.items())
        raise UsageError(f"no scorer {spec!r}; expected one of {known}", found=spec)
    for name in _OFFLINE:
        os.environ[name] = "1"
    try:
        import_module(_LIBRARIES[kind])
    except ImportError as error:
        extra = "static" if kind == "static" else "encoders"
        raise UsageError(
            f"scorer {spec!r} needs {_LIBRARIES[kind]}, which cannot be imported ({error}); "
            f"install it: pip install 'searchlog[{extra}]'",
            found=spec,
        ) from None
    folder = _folder(spec, where)
    make: Callable[[Path, str], Scorer] = getattr(import_module(f"searchlog.models.{_MODULES[kind]}"), kind)
    try:
        return make(folder, f"{kind}:{_label(where)}@{_digest(folder)}")
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        reason = str(error).split("\n", 1)[0][:200]
        raise UsageError(f"{folder} holds no model for {kind!r}: {reason}", found=spec) from None


@lru_cache(maxsize=2)
def _loaded(spec: str) -> Scorer:
    return load(spec)


def loaded(spec: str | None) -> Scorer | None:
    """Return the scorer of a specification, loaded once in this process; of None, none. Raises as `load` does."""
    return None if spec is None else _loaded(spec)


def _folder(spec: str, where: str) -> Path:
    folder = Path(where).expanduser()
    if folder.is_dir():
        return folder
    if where.count("/") != 1 or where.startswith(("/", ".", "~")):
        raise UsageError(f"no model for scorer {spec!r}: there is no folder {where}", found=spec)
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(where, local_files_only=True))
    except ImportError as error:
        raise UsageError(
            f"no model for scorer {spec!r}: there is no folder {where}, and the local cache cannot be asked ({error}); "
            "name the model's folder",
            found=spec,
        ) from None
    # not there, no name that a model can have, or not there and not to be fetched
    except (FileNotFoundError, ValueError, ConnectionError):
        raise UsageError(
            f"no model for scorer {spec!r}: {where} is neither a folder nor in the local cache, and nothing is "
            f"downloaded; fetch it yourself (such as: hf download {where}) and name it again, or name its folder",
            found=spec,
        ) from None
    except OSError as error:
        raise UsageError(f"the local cache of models cannot be read for scorer {spec!r}: {error}", found=spec) from None


def _label(where: str) -> str:
    """Return the last part of a model's name or path, as one word: it stands in the rule of a step."""
    return "_".join(where.rstrip("/").rpartition("/")[2].split())


def _digest(folder: Path) -> str:
    """Return the first 12 hex digits of the digest of a model's files, by which its scores are known again."""
    whole = sha256()
    for path in sorted({path for pattern in _WEIGHTS for path in folder.rglob(pattern) if path.is_file()}):
        whole.update(path.relative_to(folder).as_posix().encode() + b"\0")
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                whole.update(part)
        whole.update(b"\0")
    return whole.hexdigest()[:12]
