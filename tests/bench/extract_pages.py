"""How long a conversion takes, page by page, and how many pages are verbatim.

    python tests/bench/extract_pages.py FOLDER [--peer]

FOLDER holds `*.html` or `*.html.gz`. `--peer` runs trafilatura on the same decoded text in the same process.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import time
from collections import Counter
from pathlib import Path

from searchlog.extract import charset
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert


def show(name: str, times: list[float]) -> None:
    ms = [seconds * 1000 for seconds in times]
    middle, mean = statistics.median(ms), statistics.mean(ms)
    print(f"{name:14} median {middle:7.2f}  mean {mean:7.2f}  worst {max(ms):7.2f} ms of CPU a page")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", action="store_true")
    chosen = parser.parse_args()
    pages = []
    for path in sorted(chosen.folder.iterdir()):
        if path.name.endswith((".html", ".html.gz")):
            data = path.read_bytes()
            pages.append((path.name, gzip.decompress(data) if path.name.endswith(".gz") else data))
    convert(pages[0][1], content_type="text/html", url="https://x.example/")
    times, outcomes, warnings = [], Counter[str](), Counter[str]()
    for name, data in pages:
        begin = time.process_time()
        result = convert(data, content_type="text/html", url="https://x.example/")
        times.append(time.process_time() - begin)
        if isinstance(result, Conversion):
            outcomes[f"verbatim {result.verbatim}"] += 1
            warnings.update(result.warnings)
        else:
            outcomes[result.reason] += 1
            print(f"{name}: {result.reason}: {result.detail}")
    sizes = [len(data) for _, data in pages]
    print(f"{len(pages)} pages, median {statistics.median(sizes):.0f}, mean {statistics.mean(sizes):.0f} bytes")
    show("searchlog", times)
    print("outcomes ", dict(outcomes))
    print("warnings ", dict(warnings))
    if chosen.peer:
        import trafilatura

        peer = []
        for _, data in pages:
            text = charset.decode(data, "text/html").text
            begin = time.process_time()
            trafilatura.extract(text)
            peer.append(time.process_time() - begin)
        show("trafilatura", peer)


if __name__ == "__main__":
    main()
