"""Is every passage the page's own text? Two independent readers say so, and each miss is printed with its reason.

    python -m tests.bench.verbatim PAGES… [--count 2000] [--no-browser] [--show 20]

PAGES are folders as in `stored_pages.py`. Compared is what is left of passage and page when all white space is taken
out, as `extract/verbatim.py` and `verify` do; nothing else is folded. The readers: `tree`, all text nodes of the body
after scripts and the like are taken out, in the tree builder's own words; and `browser`, headless Chromium's
`innerText` of the same bytes with scripts off and without its linked style sheets. What the browser shows otherwise is
told apart: in capitals by a style, hidden by a style, read in another charset, with other text in between.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from searchlog.extract import charset
from searchlog.extract.html import parse
from searchlog.extract.verbatim import in_order, squeezed, strip, tree_text
from tests import chromium
from tests.bench.stored_pages import CONTENT_TYPE, Chosen, StoredPage, load, sample

FOUND = "found"
WITHIN = "hidden text stands within it"
MISSED = "NOT FOUND"
_WITHOUT_CONTROLS = """(() => {
  const body = document.body.cloneNode(true);
  const silent = 'script, style, noscript, template, select, option, datalist, textarea, svg, title, video, audio';
  for (const element of body.querySelectorAll(silent)) element.remove();
  return body.textContent;
})()"""


def tree_reading(page: StoredPage, *, noscript: bool) -> str:
    tree = parse(charset.decode(page.data, CONTENT_TYPE).text, scripting=not noscript)
    strip(tree, {node.tag for node in tree.css("*")}, noscript=not noscript)
    return squeezed(tree_text(tree))


def of_tree(chosen: Chosen, whole: str) -> str:
    if squeezed(chosen.exact) in whole:
        return FOUND
    if in_order(lines(chosen.exact), whole) and chosen.conversion.verbatim:
        return WITHIN
    return MISSED


def of_browser(chosen: Chosen, shown: str, held: str, bare: str) -> str:
    exact = squeezed(chosen.exact)
    if exact in shown:
        return FOUND
    if exact.casefold() in shown.casefold():
        return "in other case by a style (text-transform)"
    if exact in held:
        return "hidden by a style of the page (in textContent)"
    if exact in bare:
        return "values of a form control, or what is for readers without scripts, stand within it"
    misread = squeezed(as_windows_1252(chosen.exact))
    if misread in held or misread in bare:
        return "read by the browser in a charset that the page is not in and does not name"
    parts = lines(chosen.exact)
    if in_order([part.casefold() for part in parts], shown.casefold()) and near(parts, shown):
        return "shown with other text between its lines"
    if near(parts, held):
        return "partly hidden by a style of the page, other text between its lines"
    return MISSED


def as_windows_1252(text: str) -> str:
    """Return UTF-8 as a browser reads it that was not told so. Spec: WHATWG Encoding, index windows-1252."""
    out = bytearray(text.encode()).decode("latin-1")
    return "".join(c.encode("latin-1").decode("cp1252", "replace").replace("\ufffd", c) for c in out)


def lines(exact: str) -> list[str]:
    return [part for part in map(squeezed, exact.split("\n")) if part]


def near(parts: Sequence[str], whole: str) -> bool:
    """Whether all lines stand whole and in order from some place of the first on."""
    whole = whole.casefold()
    at = whole.find(parts[0].casefold())
    while at >= 0:
        here = at
        for part in parts:
            here = whole.find(part.casefold(), here)
            if here < 0:
                break
            here += len(part)
        else:
            return True
        at = whole.find(parts[0].casefold(), at + 1)
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--show", type=int, default=20, help="how many misses of each reader to print")
    a = parser.parse_args()
    check(a.pages, a.count, browser=not a.no_browser, show=a.show)


def by_page(chosen: Sequence[Chosen]) -> list[list[Chosen]]:
    ordered = sorted(chosen, key=lambda one: (one.page.tag, one.page.name))
    return [list(group) for _, group in groupby(ordered, key=lambda one: (one.page.tag, one.page.name))]


def read_by_tree(groups: Sequence[Sequence[Chosen]]) -> list[tuple[Chosen, str]]:
    """Return what the tree's reading says of each passage; a group is of one page."""
    out: list[tuple[Chosen, str]] = []
    for group in groups:
        whole = tree_reading(group[0].page, noscript="noscript" in group[0].conversion.warnings)
        out += [(one, of_tree(one, whole)) for one in group]
    return out


def check(folders: Sequence[Path], count: int, *, browser: bool, show: int) -> None:
    """Print what both readers say of `count` passages; the browser where it is wanted and there."""
    groups = by_page(sample(load(folders), count))
    by_tree = read_by_tree(groups)
    report("tree", by_tree, len(groups), show)
    if not browser or chromium.path() is None:
        return
    by_browser = []
    with chromium.serving([group[0].page.data for group in groups]) as base, chromium.running() as chrome:
        for i, group in enumerate(groups):
            chrome.open(f"{base}{i}")
            shown, held = squeezed(chrome.visible_text()), squeezed(chrome.all_text())
            bare = squeezed(str(chrome.evaluate(_WITHOUT_CONTROLS)))
            by_browser += [(one, of_browser(one, shown, held, bare)) for one in group]
    said = {id(one): reason for one, reason in by_tree}
    by_browser = [
        (one, said[id(one)] if reason == MISSED and said[id(one)] == WITHIN else reason) for one, reason in by_browser
    ]
    report("browser", by_browser, len(groups), show)


def report(name: str, found: Sequence[tuple[Chosen, str]], pages: int, show: int) -> None:
    counts: Mapping[str, int] = Counter(reason for _, reason in found)
    print(f"{name}: {counts.get(FOUND, 0)} of {len(found)} passages of {pages} pages found as they are")
    for reason, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"  {count:>5}  {reason}")
    misses = sorted((one for one in found if one[1] != FOUND), key=lambda one: one[1] != MISSED)
    for chosen, reason in misses[:show]:
        where = f"{chosen.page.tag} {chosen.page.name} {chosen.passage.start}-{chosen.passage.end}"
        print(f"    {where}: {reason}: {chosen.exact[:100]!r}")


if __name__ == "__main__":
    main()
