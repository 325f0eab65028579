"""How well `compare` tells harmless edits of pages from harmful ones: many pairs, and the confusion table.

    python -m tests.bench.drift [FOLDER] [--every 5] [--from 0] [--seed 1] [--forgotten] [--kind digit]

FOLDER is laid out like tests/data/quality. `--forgotten` compares as when the page of then is not here any more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.drift.harmful import HARMFUL
from tests.drift.harmless import HARMLESS
from tests.drift.pages import SHIPPED, samples
from tests.drift.pairs import SOUND, Judged, harmful_pairs, harmless_pairs, table_of

_SHOWN_MAX = 3


def main() -> None:
    """Make pairs, judge them, and print the table and the first mistakes of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--forgotten", action="store_true")
    parser.add_argument("--kind", action="append", default=[])
    chosen = parser.parse_args()
    pages = list(samples(chosen.folder, extra=chosen.folder == SHIPPED))[chosen.first :: chosen.every]
    kinds = set(chosen.kind) or {*HARMLESS, *HARMFUL}
    options = {"seed": chosen.seed, "known": not chosen.forgotten}
    judged = list(harmless_pairs(pages, [kind for kind in HARMLESS if kind in kinds], **options))
    judged += harmful_pairs(pages, [kind for kind in HARMFUL if kind in kinds], **options)
    print(table_of(judged))
    _summary(judged, len(pages))


def _summary(judged: list[Judged], page_count: int) -> None:
    harmless = [one for one in judged if not one.harmful]
    harmful = [one for one in judged if one.harmful]
    alarms = [one for one in harmless if one.drift.state not in SOUND]
    missed = [one for one in harmful if one.drift.state in SOUND]
    pairs = len({(one.page, one.kind, one.harmful) for one in judged})
    print(f"{page_count} pages, {pairs} pairs, {len(judged)} passages")
    print(f"harmless: {len(harmless)} passages, {len(alarms)} called otherwise; ", end="")
    print(f"harmful: {len(harmful)}, {len(missed)} called intact or moved")
    shown: dict[str, int] = {}
    for one in [*missed, *alarms]:
        shown[one.kind] = shown.get(one.kind, 0) + 1
        if shown[one.kind] <= _SHOWN_MAX:
            text = " ".join(one.taken.text.split())[:80]
            steps = [f"{step.sign}{step.words[:60]}" for step in one.drift.changes if step.sign != "="][:2]
            print(f"  {one.page} {one.kind}: {one.drift.state.value} {list(one.drift.notes)} {text!r} {steps}")


if __name__ == "__main__":
    main()
