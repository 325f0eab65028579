"""Whether what is beside a passage, and what was put in next to it or within it, says something else. Pure."""

from __future__ import annotations

from collections.abc import Callable

from searchlog.drift.over import own_parts
from searchlog.drift.page import Part, is_lead_in
from searchlog.drift.standing import BESIDE_MAX, LINKED_PERCENT, SAME_CHARS, Old, Standing
from searchlog.wording.alignment import aligned, tokens_of
from searchlog.wording.notices import is_rebuttal

__all__ = [
    "attribution_differs",
    "became_a_quote",
    "begins",
    "beside",
    "ends",
    "gaps_say_otherwise",
    "is_alike_past_boxes",
    "is_neighbour",
    "passed",
    "same_start",
    "same_tail",
    "says_otherwise",
    "up_to_heading",
]

_SAYING_CHARS_MAX = 500
_CHANGED_CHARS_MAX = 4_000
_ATTRIBUTION_CHARS_MAX = 80
_NEAR_MAX = 3
"""Parts in a row that may have been put in next to a passage of which no more than its selectors is known."""
_FEW_WORDS = 2
"""So few are alike by chance."""


def ends(text: str, part: str) -> bool:
    return text.endswith(part)


def begins(text: str, part: str) -> bool:
    return text.startswith(part)


def beside(
    then: tuple[str, str],
    new_in: str,
    new_alls: tuple[str, ...],
    *,
    whole: bool,
    holds: Callable[[str, str], bool],
) -> bool:
    """Return whether the same words stand beside a passage in its own block, then and now.

    A block may have been joined to its neighbour or cut in two: what is in the block now must have been in the stream
    then, and the other way round. What is beyond the characters that are known is not compared.
    """
    old_in, old_all = then
    if old_in == new_in:
        return True
    ending = holds is ends

    def reaches(all_of_it: str, part: str, cut: bool) -> bool:
        part = part.strip()
        all_of_it = all_of_it.strip()
        if cut and len(part) > len(all_of_it):
            part = part[len(part) - len(all_of_it) :] if ending else part[: len(all_of_it)]
        return holds(all_of_it, part)

    cut = not whole or len(old_all) >= BESIDE_MAX
    return reaches(old_all, new_in, cut) and any(
        reaches(new_all, old_in, len(new_all) >= BESIDE_MAX) for new_all in new_alls
    )


def is_neighbour(then: Standing, place: Standing, step: int, same: int, old: Old) -> bool:
    known = then.left if step < 0 else then.right
    if same >= min(SAME_CHARS, max(1, len(known.strip()))):
        return True
    if not known.strip():
        return place.beside_part(step, old.is_fresh) is None or not old.whole
    number = (then.first.number if step < 0 else then.last.number) + step
    own = then.left_in if step < 0 else then.right_in
    if own or not 0 <= number < len(then.page.parts) or not old.whole:
        return False
    beside = place.beside_part(step, old.is_fresh)
    return beside is not None and beside.text == then.page.parts[number].text


def is_alike_past_boxes(old: Old, place: Standing, step: int) -> bool:
    """Whether the neighbour is there when lists of links, and what only one of the two pages has, are looked past."""
    texts = place.page.texts
    then, _ = old.standing.beyond(step, lambda part: part.link >= LINKED_PERCENT or part.text not in texts)
    now, _ = place.beyond(step, lambda part: part.link >= LINKED_PERCENT or old.is_fresh(part))
    return (same_tail(then, now) if step < 0 else same_start(then, now)) >= SAME_CHARS


def same_tail(one: str, other: str) -> int:
    """Return how many characters at the ends of two texts are the same."""
    return same_start(one.rstrip()[::-1], other.rstrip()[::-1])


def same_start(one: str, other: str) -> int:
    one, other = one.lstrip(), other.lstrip()
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def up_to_heading(passed: list[Part]) -> list[Part]:
    """Return the fresh parts that stand next to a passage in its own section: those before a heading."""
    out: list[Part] = []
    for part in passed[:3]:
        if part.kind == "heading":
            break
        out.append(part)
    return out


def says_otherwise(part: Part, old: Old) -> bool:
    """Whether fresh text takes back what stands beside it: of a part that was only changed, what was put in counts."""
    then = old.standing
    if part.link >= LINKED_PERCENT and then.first.link < LINKED_PERCENT:
        return False
    numbers = range(max(0, then.first.number - 3), min(len(then.page.parts), then.last.number + 4))
    words = [token.text for token in tokens_of(part.text[:_CHANGED_CHARS_MAX])]
    for number in numbers if old.whole else ():
        known = [token.text for token in tokens_of(then.page.parts[number].text[:_CHANGED_CHARS_MAX])]
        pairs = aligned(known, words)
        if 2 * len(pairs) > len(words):
            kept = {two for _, two in pairs}
            return is_rebuttal(" ".join([word for n, word in enumerate(words) if n not in kept]))
    return len(part.text) <= _SAYING_CHARS_MAX and is_rebuttal(part.text)


def gaps_say_otherwise(gaps: tuple[Part, ...], old: Old, place: Standing) -> bool:
    """Whether parts between the passage's own blocks speak of it: not those under a heading of their own."""
    numbers = {part.number for part in gaps}
    apart = False
    for part in gaps:
        if part.number - 1 not in numbers:
            apart = False
        if part.kind == "heading":
            apart = True
            if part.number + 1 not in numbers and not part.furniture:
                return True  # it stands over the passage's next block
            continue
        if not apart and (says_otherwise(part, old) or (is_lead_in(part) and not part.furniture)):
            return True
        if _is_of_the_same(part, place) or _is_own_with_other_words(part, old):
            return True
        if len(gaps) == 1 and len(part.text) <= _ATTRIBUTION_CHARS_MAX:
            continue  # a label such as "advertisement" that stood elsewhere
        if old.whole and not part.furniture and part.link < LINKED_PERCENT and not old.is_fresh(part):
            return True  # other text of then: the rest of the passage stands beyond it, elsewhere
    return False


def _is_own_with_other_words(part: Part, old: Old) -> bool:
    """Whether a part is one of the passage's own with other words: the one that reads as it did is then a copy."""
    words = [token.text for token in tokens_of(part.text[:_CHANGED_CHARS_MAX])]
    for own in own_parts(old.standing):
        known = [token.text for token in tokens_of(own.text[:_CHANGED_CHARS_MAX])]
        if len(words) > _FEW_WORDS and own.text != part.text and 3 * len(aligned(known, words)) > 2 * len(words):
            return True
    return False


def passed(old: Old, place: Standing, step: int) -> list[Part]:
    """Return the parts between a passage and what its selectors say stood beside it, when that is near."""
    then = old.standing
    known = then.left.strip() if step < 0 else then.right.strip()
    if (then.left_in if step < 0 else then.right_in) or not known:
        return []
    parts = place.page.parts
    number = (place.first.number if step < 0 else place.last.number) + step
    passed: list[Part] = []
    while 0 <= number < len(parts) and len(passed) < _NEAR_MAX:
        text = parts[number].text
        if step < 0 and (text.endswith(known[-SAME_CHARS:]) or known.endswith(text)):
            return passed
        if step > 0 and (text.startswith(known[:SAME_CHARS]) or known.startswith(text)):
            return passed
        passed.append(parts[number])
        number += step
    return []


def _is_of_the_same(part: Part, place: Standing) -> bool:
    """Whether a part between the passage's blocks is one more item or row of the same list or table."""
    if part.kind not in ("list-item", "table-row", "term"):
        return False  # an advertisement within an item
    return part.group is not None and part.group in (place.first.group, place.last.group) and not part.furniture


def became_a_quote(then: Part, now: Part, passed: list[Part]) -> bool:
    """Whether fresh text stands before what is a quote now, or furniture under a fresh heading, and was neither."""
    if now.kind == "quote" and then.kind != "quote":
        return True
    return bool(now.furniture and not then.furniture) and any(part.kind == "heading" for part in passed)


def attribution_differs(old: Old, place: Standing) -> bool:
    """Whether the line behind a quote that says whose words it is, is not that line any more."""
    then = old.standing
    number = then.last.number + 1
    if not old.whole or number >= len(then.page.parts) or then.right_in:
        return False
    line = then.page.parts[number]
    if len(line.text) > _ATTRIBUTION_CHARS_MAX or not (line.text[0] in "-~" or then.last.kind == "quote"):
        return False
    after = place.page.parts[place.last.number : place.last.number + 4]
    return all(line.text not in part.text for part in after)
