"""The process that test_kill.py kills: it searches without end, and prints each head once it is acknowledged.

python -m tests.e2e.kill_child ARCHIVE SESSION SITE_URL SEED
"""

from __future__ import annotations

import random
import sys

from searchlog.archive import open_archive
from searchlog.demo import manifest
from searchlog.log.checkpoint import Checkpoint, head_line
from searchlog.search import registry


def main(folder: str, session_id: str, url: str, seed: str) -> None:
    draw = random.Random(seed)
    paths = [entry.path for entry in manifest.entries() if entry.path.startswith("/") and entry.file]
    options = registry.Options(endpoints={"searxng": url})
    with open_archive(folder, env={}) as archive:
        session = archive.session(session_id)
        tell("open", session.head)
        while True:
            age = draw.choice([None, 0])
            if draw.random() < 0.25:
                urls = [url + path for path in draw.sample(paths, 3)]
                session.fetch_many(urls, allow_private=("127.0.0.1",), cache_max_age_s=age)
                tell("fetched", session.head)
                continue
            query = draw.choice(manifest.queries()).query
            search = session.search(
                query,
                providers=["searxng"],
                registry_options=options,
                allow_private=("127.0.0.1",),
                cache_max_age_s=age,
                pages=draw.choice([2, 8]),
            )
            tell("searched", search.head)


def tell(what: str, head: Checkpoint) -> None:
    print(what, head_line(head), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
