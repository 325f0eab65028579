"""PDF libraries beside each other: order of text, speed, and what hostile files do to them.

    python -m tests.bench.pdf [FOLDER]

Ours (pypdfium2 and the layout), pypdfium2 alone, pypdf and pdfminer.six: what is not installed is said to be skipped.
Order: of the pairs of neighbouring words (characters, in scripts without spaces) of the text that a file is known to
show, the share that is found. FOLDER: PDFs of your own, for speed and failures. Each file is read in a process of its
own, with 10 s of CPU and 1.5 GB of address space.
"""

from __future__ import annotations

import io
import json
import logging
import re
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.pdf_samples import HOSTILE, make

_CPU_S_MAX = 10
_BYTES_MAX = 1_500_000_000
_PAGES_MAX = 500


class FailureSaid(Exception):
    """There is no text, and ours says why: a value, where the others raise."""


def _ours(data: bytes) -> list[str]:
    from searchlog.extract.conversion import ConversionFailure
    from searchlog.extract.pdf import read_pdf

    result = read_pdf(data, _PAGES_MAX, 2_000_000)
    if isinstance(result, ConversionFailure):
        raise FailureSaid(result.detail)
    return [result.text]


def _pdfium(data: bytes) -> list[str]:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    return [document[n].get_textpage().get_text_range() for n in range(min(len(document), _PAGES_MAX))]


def _pypdf(data: bytes) -> list[str]:
    import pypdf

    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return [pages[n].extract_text() for n in range(min(len(pages), _PAGES_MAX))]


def _pdfminer(data: bytes) -> list[str]:
    from pdfminer.high_level import extract_text

    return [extract_text(io.BytesIO(data), maxpages=_PAGES_MAX)]


_READERS: dict[str, tuple[tuple[str, ...], Callable[[bytes], list[str]]]] = {
    "ours": (("pypdfium2", "searchlog.extract.pdf"), _ours),
    "pypdfium2": (("pypdfium2",), _pdfium),
    "pypdf": (("pypdf",), _pypdf),
    "pdfminer.six": (("pdfminer", "pdfminer.high_level"), _pdfminer),
}
"""What is imported before the clock starts; the reader."""


def _one(name: str, path: str) -> None:
    """Read one file and print what came of it as JSON."""
    import resource

    logging.disable(logging.CRITICAL)
    data = Path(path).read_bytes()
    modules, reader = _READERS[name]
    for module in modules:
        import_module(module)
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S_MAX, _CPU_S_MAX))
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES_MAX, _BYTES_MAX))
    started = time.process_time()
    try:
        texts, error = reader(data), ""
    except BaseException as caught:
        texts, error = [], type(caught).__name__
    spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"s": spent, "mb": peak, "error": error, "text": "\n".join(texts)[:5_000_000]}))


def _read(name: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.pdf", "--one", name, str(path)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=6 * _CPU_S_MAX)
    except subprocess.TimeoutExpired:
        return {"s": 6 * _CPU_S_MAX, "mb": 0, "error": "no end", "text": ""}
    if not done.stdout.strip():
        killed = {-9: "killed (CPU)", -24: "killed (CPU)", -11: "crash"}
        return {"s": 0, "mb": 0, "error": killed.get(done.returncode, f"exit {done.returncode}"), "text": ""}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _pairs(text: str) -> Counter[tuple[str, str]]:
    text = unicodedata.normalize("NFKC", text.replace("\u00ad", ""))
    words = re.findall(r"[\u3040-\u9fff]|[^\W_]+|[−-]\d", text)
    return Counter(pairwise(words))


def _share(truth: str, text: str) -> float:
    known = _pairs(truth)
    return sum((known & _pairs(text)).values()) / max(1, sum(known.values()))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(list(head)))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main() -> None:
    names = [name for name, (modules, _) in _READERS.items() if find_spec(modules[0]) is not None]
    for name in _READERS.keys() - set(names):
        print(f"skipped: {name} (not installed)")
    head = ["", *names]
    with TemporaryDirectory() as folder:
        truths, left_out = make(Path(folder))
        print(*(f"left out: {what}\n" for what in left_out), sep="")
        rows = []
        for sample, truth in truths.items():
            found = [_read(name, Path(folder) / f"{sample}.pdf") for name in names]
            cells = [one["error"] or f"{_share(truth, one['text']):.2f}" for one in found]
            rows.append([sample, *(cells if truth else [one["error"] or "read" for one in found])])
        _table(["order of text", *names], rows)
        rows = []
        for what, write in HOSTILE.items():
            path = Path(folder) / "hostile.pdf"
            path.write_bytes(write())
            found = [_read(name, path) for name in names]
            rows.append([what, *(f"{one['error'] or 'read'}, {one['s']:.1f} s, {one['mb']:.0f} MB" for one in found)])
        _table(["hostile", *names], rows)
    if len(sys.argv) > 1:
        files = sorted(Path(sys.argv[1]).rglob("*.pdf"))
        results = {name: [_read(name, file) for file in files] for name in names}
        whole = [n for n in range(len(files)) if not any(results[name][n]["error"] for name in names)]
        rows = [
            ["read", *(str(sum(not one["error"] for one in results[name])) for name in names)],
            [
                "ms a file, where all read",
                *(f"{1000 * _mean(results[name][n]['s'] for n in whole):.0f}" for name in names),
            ],
            ["slowest s", *(f"{max(one['s'] for one in results[name]):.1f}" for name in names)],
            ["most MB", *(f"{max(one['mb'] for one in results[name]):.0f}" for name in names)],
        ]
        _table([f"{len(files)} files", *head[1:]], rows)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / max(1, len(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        _one(sys.argv[2], sys.argv[3])
    else:
        main()
