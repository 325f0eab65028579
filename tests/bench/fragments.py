"""Which share of the links that passages carry highlights them in a real browser, and why the others do not.

    python -m tests.bench.fragments PAGES… [--count 200] [--scripts] [--show 20]

PAGES are folders as in `stored_pages.py`. The stored bytes are served from loopback; no other host is reached, so
the page's own style sheets, images and scripts are missing; scripts do not run unless `--scripts` lets those run that
stand in the page. Each link is opened in headless Chromium as a typed address. Whether it highlights is read off a
screenshot: the marked pixels must begin and end where the passage's own characters stand. Every fifth page is asked
for a text that it does not hold, which must not be highlighted.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from searchlog.evidence.fragment import fragment_link
from searchlog.evidence.selector import describe
from tests import chromium
from tests.bench.stored_pages import Chosen, load, sample

HIGHLIGHTED = "highlighted"
NOT_THERE = "text=zyxw%20quuxly%20vort"


@dataclass(frozen=True)
class Outcome:
    chosen: Chosen
    link: str
    reason: str
    detail: str = ""


def link_of(chosen: Chosen, url: str) -> str:
    text = chosen.conversion.text
    return fragment_link(url, describe(text, chosen.passage.start, chosen.passage.end), text)


def judged(browser: chromium.Browser, chosen: Chosen, link: str) -> Outcome:
    """Open one link and say what came of it."""
    seen = browser.highlight(link)
    text, passage = chosen.conversion.text, chosen.passage
    before = text[max(0, passage.start - 64) : passage.start]
    place = browser.place(chosen.exact, before)
    if seen.found:
        if place is None:
            ok = squeezed(seen.start)[:5] in squeezed(chosen.exact)
            return Outcome(chosen, link, HIGHLIGHTED if ok else "another place", seen.start)
        off = seen.distance(place)
        if off and squeezed(text).count(squeezed(chosen.exact)) > 1:
            off = "the very same words, further up on the page"
        return Outcome(chosen, link, off or HIGHLIGHTED, seen.start)
    if seen.scrolled:
        return Outcome(chosen, link, "found by the browser, but nothing of it is painted")
    shown, there = squeezed(browser.visible_text()), squeezed(browser.all_text())
    terms = [squeezed(unquote(term)) for term in link.rpartition(":~:text=")[2].split(",")]
    if not all(term in there for term in terms):
        reason = "not on the page as the browser reads it"
    elif not all(term in shown for term in terms):
        reason = "hidden in the browser"
    else:
        reason = "shown, but not found: a term crosses a box, or ends within a word"
    return Outcome(chosen, link, reason)


def squeezed(text: str) -> str:
    return "".join(text.split()).casefold().replace("\u00ad", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--scripts", action="store_true")
    parser.add_argument("--show", type=int, default=20, help="how many misses to print")
    a = parser.parse_args()
    check(a.pages, a.count, scripts=a.scripts, show=a.show)


def check(folders: Sequence[Path], count: int, *, scripts: bool, show: int) -> None:
    """Open as many links and print what came of them. Raises BrowserError where there is no Chromium."""
    chosen = sorted(sample(load(folders), count), key=lambda one: one.page.name)
    outcomes, false, asked = [], 0, 0
    with chromium.serving([one.page.data for one in chosen]) as base, chromium.running(scripts=scripts) as browser:
        for i, one in enumerate(chosen):
            try:
                outcomes.append(judged(browser, one, link_of(one, f"{base}{i}")))
                if i % 5 == 0:
                    asked += 1
                    false += browser.highlight(f"{base}{i}#:~:{NOT_THERE}").found
            except chromium.BrowserError as error:
                outcomes.append(Outcome(one, "", f"not opened: {error}"))
    report(outcomes, show)
    print(f"texts that are not there, highlighted: {false} of {asked}")


def report(outcomes: Sequence[Outcome], show: int) -> None:
    tags: dict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        tags[outcome.chosen.page.tag].append(outcome.reason == HIGHLIGHTED)
    for tag, hits in sorted(tags.items()):
        print(f"{tag:<36}{sum(hits):>5} of {len(hits):>4}  {sum(hits) / len(hits):.3f}")
    count, hit = len(outcomes), sum(outcome.reason == HIGHLIGHTED for outcome in outcomes)
    share = hit / count
    print(f"{'all':<36}{hit:>5} of {count:>4}  {share:.3f} ± {(share * (1 - share) / count) ** 0.5:.3f}")
    for reason, number in Counter(outcome.reason for outcome in outcomes).most_common():
        print(f"  {number:>5}  {reason}")
    misses = [outcome for outcome in outcomes if outcome.reason != HIGHLIGHTED]
    for outcome in misses[:show]:
        one = outcome.chosen
        print(f"\n{one.page.tag} {one.page.name} {one.passage.start}-{one.passage.end}: {outcome.reason}")
        print(f"  terms   {unquote(outcome.link.partition(':~:')[2])!r}")
        print(f"  passage {one.exact[:160]!r}")
        if outcome.detail:
            print(f"  marked  {outcome.detail[:80]!r}")


if __name__ == "__main__":
    main()
