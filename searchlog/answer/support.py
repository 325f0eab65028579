"""Whether a quantity of an answer stands in the evidence that is cited for it. Pure.

Looked for are its value and unit, in any spelling. A number that is the evidence's rounded to fewer figures is borne
out when the answer says so (`about`, `约`) or writes it with a scale or a decimal point; one that stands there in other
words (`31` where `13` stands in the very same sentence) is not, though the number be elsewhere. What would
take reckoning (another unit of the same kind, a sum) is not checked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from searchlog.answer.held import Held
from searchlog.answer.tokens import Token
from searchlog.wording.calendar import Day
from searchlog.wording.numerals import plain_digits
from searchlog.wording.quantities import Quantity
from searchlog.wording.units import common, converted

__all__ = ["Judgement", "Place", "judge"]

_HEDGE = re.compile(
    r"\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca?\.|close to|more or less|"
    r"an estimated|over|more than|"
    r"above|under|less than|below|fewer than|exceed(?:s|ed|ing)?|just|upwards of|in excess of|nearing|"
    r"etwa|rund|ungefähr|fast|über|mehr als|knapp|gut|environ|près de|plus de|presque|unos|unas|casi|más de|"
    r"alrededor de|cerca de|"
    r"circa|quasi|oltre|più di|mais de|quase|ongeveer|bijna|meer dan|около|примерно|почти|более|свыше|"
    r"yaklaşık|khoảng|hơn|sekitar)"
    r"[\s*_]+(?:the |a |an |of )?[$€£¥]?$|[~≈≃><≥≤][\s]?$|(?:约|大约|近|将近|接近|超过|逾|超|"
    r"不到|不足|几乎|大概|约为|达到?|حوالي|نحو|लगभग|करीब|約|およそ)[\s*_]*[$€£¥]?$",
    re.IGNORECASE,
)
_HEDGE_AFTER = re.compile(r"\s?(?:多|余|左右|上下|\+|or so|or more|plus\b|odd\b|ish\b)", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:over|more than|above|exceed(?:s|ed|ing)?|upwards of|in excess of|über|mehr als|plus de|más de|oltre|più di|"
    r"mais de|meer dan|более|свыше|hơn)[\s*_]+(?:the |a |an )?[$€£¥]?$|[>≥][\s]?$|(?<!不)(?:超过|逾|超)[\s*_]*[$€£¥]?$",
    re.IGNORECASE,
)
_MORE_AFTER = re.compile(r"\s?(?:多|余|\+|or more|plus\b)", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:nearly|almost|under|less than|below|fewer than|nearing|fast|knapp|presque|casi|quasi|quase|bijna|почти)"
    r"[\s*_]+(?:the |a |an )?[$€£¥]?$|[<≤][\s]?$|(?:将近|接近|不到|不足|不超过)[\s*_]*[$€£¥]?$",
    re.IGNORECASE,
)
_RECKONED = re.compile(
    r"\b(?:total(?:s|ling|ed)?|combined|altogether|sum|together|difference|gap|more than|fewer than|less than|"
    r"increase[ds]?|rose|grew|decrease[ds]?|fell|dropped|declined|points? (?:more|less|higher|lower|ahead|apart)|"
    r"by(?= \W?\d)|"
    r"average|times|ratio|double|twice|apart|span(?:ned|s)?|lasted|later|years? (?:old|later|"
    r"apart|after|before)|margin)\b|合计|总计|总共|一共|共计|相差|差距|增加|减少|平均|倍|之和|"
    r"历时|持续|年后",
    re.IGNORECASE,
)
_AFTER_YEARS = re.compile(r"\b(?:later|earlier|years? (?:after|before))\b|年[之以]?[后前]", re.IGNORECASE)
_SIGNS = {"percent": r"[%％]|percent|per cent|百分|成|pct|prozent", "permille": "‰"}


@dataclass(frozen=True, slots=True)
class Place:
    """A quantity where it stands: in the answer or in evidence, with the words around it."""

    text: str
    quantity: Quantity
    tokens: Sequence[Token]
    begins: Sequence[int]
    """Where the tokens begin."""
    within: tuple[int, int] | None = None
    """Of the answer: its stretch. What another sentence says is not what stands around this number."""

    def left(self, most: int) -> list[str]:
        """Return the words before it, the nearest first."""
        n = bisect_left(self.begins, self.quantity.start)
        first = self.within[0] if self.within else 0
        return [token.word for token in reversed(self.tokens[max(0, n - most) : n]) if token.start >= first]

    def right(self, most: int) -> list[str]:
        """Return the words after it."""
        n = bisect_left(self.begins, self.quantity.end)
        last = self.within[1] if self.within else len(self.text)
        return [token.word for token in self.tokens[n : n + most] if token.start < last]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the evidence says of one quantity."""

    state: str
    """`supported`, `unsupported`, `unit-differs`, `not-checked`."""
    evidence: str = ""
    found: str = ""
    """What the evidence has in its place, if anything is clearly that."""
    notes: tuple[str, ...] = ()


def judge(place: Place, held: Sequence[Held], asked: Sequence[Quantity] = ()) -> Judgement:
    """Return whether a quantity of an answer stands in any of these pieces of evidence.

    asked: quantities of the question; an answer may repeat them.
    """
    quantity = place.quantity
    if quantity.kind == "name":
        told = _name(place, held)
    elif quantity.kind == "date":
        told = _date(place, held)
    elif quantity.kind == "time":
        told = _time(place, held)
    else:
        told = _number(place, held)
    rival = _rival(place, held, is_there=told.state == "supported") or _other_second(place, held)
    if rival and not set(told.notes) & {"rounded", "converted", "share"}:
        return Judgement("unit-differs" if rival[2] else "unsupported", *rival[:2], ("same-words",))
    if told.state == "supported":
        return told
    if any(_same(quantity, other) for other in asked):
        return Judgement("supported", "", "", ("question",))
    if told.state == "unsupported" and _is_small(quantity):
        other = _other_count(place, held)
        return Judgement("unsupported", *other) if other else Judgement("not-checked", notes=("small-number",))
    return told


def _is_small(quantity: Quantity) -> bool:
    """Return whether it is a small count in words, which may be the answer's own counting."""
    if not quantity.is_spelled or quantity.kind != "number":
        return False
    return all(v <= 1 for v in quantity.values) or (not quantity.unit and all(v <= 10 for v in quantity.values))


_OF_ALL = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from had has have if in is it its not of on one or other our "
        "than that the their them there these they this those to was we were which who will with would you "
        "your things ways parts times types kinds points people more most such all",
    )
)
"""Words that say nothing of what is counted."""


_LABELS = frozenset(
    [
        "appendix",
        "article",
        "chapter",
        "figure",
        "grade",
        "level",
        "page",
        "phase",
        "section",
        "stage",
        "table",
        "volume",
    ]
)
"""Words that a number follows as a name."""


def _other_count(place: Place, held: Sequence[Held]) -> tuple[str, str] | None:
    """Return how many the evidence has of what a small number counts: `eight games` for `nine games`."""
    if place.quantity.values and place.quantity.values[0] < 1:
        return _other_fraction(place.quantity, held)
    label = place.left(1)
    if label and label[0] in _LABELS:
        for one in held:
            for other in one.quantities:
                if Place(one.text, other, one.tokens, one.begins).left(1) == label:
                    return one.given.id, _said(one, other, False)
    right = place.right(2)
    if not right or (not _EAST.match(right[0]) and (right[0] in _OF_ALL or len(right[0]) < 3)):
        return None
    east = bool(_EAST.match(right[0]))
    for one in held:
        for other in one.quantities:
            if other.kind != "number" or other.unit:
                continue
            theirs = Place(one.text, other, one.tokens, one.begins).right(2)
            if (len(right) > 1 and theirs == right) if east else theirs[:1] == right[:1]:
                return one.given.id, _said(one, other, False)
    return None


def _other_fraction(quantity: Quantity, held: Sequence[Held]) -> tuple[str, str] | None:
    """Return the fraction that the evidence has when it has one and not this; `half` is said of much."""
    if quantity.values[0] == Fraction(1, 2):
        return None
    for one in held:
        for other in one.quantities:
            if other.kind == "number" and other.is_spelled and other.values and 0 < other.values[0] < 1:
                return one.given.id, _said(one, other, False)
    return None


def _same(a: Quantity, b: Quantity) -> bool:
    return (a.kind == b.kind and bool(set(a.values) & set(b.values))) or any(
        d.within(o) for d in a.days for o in b.days
    )


def _all(held: Sequence[Held]) -> Iterator[tuple[Held, Quantity, bool]]:
    for one in held:
        yield from ((one, quantity, False) for quantity in one.quantities)
        yield from ((one, quantity, True) for quantity in one.aside_quantities)


def _said(one: Held, quantity: Quantity, aside: bool) -> str:
    return (one.aside if aside else one.text)[quantity.start : quantity.end].strip()


# --- numbers ---------------------------------------------------------------------------------------------------------


def _number(place: Place, held: Sequence[Held]) -> Judgement:
    quantity = place.quantity
    wanted = set(quantity.values)
    differing: Judgement | None = None
    for one, other, aside in _all(held):
        notes = ("aside",) if aside else ()
        if other.kind == "date":
            if wanted & _parts_meant(place, other.days):
                return Judgement("supported", one.given.id, _said(one, other, aside), notes)
            continue
        if other.kind not in ("number", "time") or not wanted & {*other.values, *other.pieces}:
            continue
        fit = _fits(quantity.unit, other.unit, one)
        if fit is not None:
            return Judgement("supported", one.given.id, _said(one, other, aside), (*notes, *fit))
        differing = differing or Judgement("unit-differs", one.given.id, _said(one, other, aside))
    if literal := _literal(place, held) or _apart(place, held):
        return literal
    if equal := _converted(place, held):
        return equal
    if differing:
        return differing
    return (
        _rounded(place, held)
        or _shared(quantity, held)
        or _reckoned(place, held)
        or _quotient(quantity, held)
        or _nearest(quantity, held)
    )


def _parts_meant(place: Place, days: Sequence[Day]) -> set[Fraction]:
    """Return what of dates a number may be: any part without a unit, else the one that it is written as (`5日`)."""
    quantity = place.quantity
    if not quantity.unit:
        return _parts(days)
    written = place.text[quantity.start : quantity.end].rstrip()
    if quantity.unit not in ("year", "month", "day") or written[-1:] not in tuple("年月日년월일"):
        return set()
    return {Fraction(n) for n in (getattr(day, quantity.unit) for day in days) if n is not None}


def _parts(days: Sequence[Day]) -> set[Fraction]:
    return {Fraction(n) for day in days for n in (day.year, day.month, day.day) if n is not None}


def _fits(mine: str, other: str, one: Held) -> tuple[str, ...] | None:
    """Return the notes with which two units may be one, or None."""
    if not mine or common(mine, other):
        return ()
    if other.startswith(mine + "/") or (mine.startswith(other + "/") and other):
        return ("per-unit",)
    if other:
        return None
    signs = _SIGNS.get(mine)
    if signs:
        return ("unit-apart",) if re.search(signs, one.plain) else None
    if converted(Fraction(1), mine, mine) is None:  # money
        named = any(q.unit and common(q.unit, mine) for q in (*one.quantities, *one.aside_quantities))
        return (
            ("unit-apart",)
            if named or re.search(r"[$€£¥₹元]|dollar|euro|pound|yen|yuan|usd|eur|gbp|cny", one.plain)
            else None
        )
    return ("unit-apart",)


def _literal(place: Place, held: Sequence[Held]) -> Judgement | None:
    """Return support by the very characters, whatever they were read as."""
    quantity = place.quantity
    written = plain_digits(place.text[quantity.start : quantity.end]).strip().casefold()
    if not any(char.isdigit() for char in written):
        return None
    before = r"(?<![\d.,])" if written[0].isdigit() else r"(?<![a-z\u00c0-\u052f])" if written[0].isascii() else ""
    after = r"(?![^\W\d_]|\d|[.,]\d)" if written[-1].isascii() else r"(?!\d|[.,]\d)"
    pattern = re.compile(before + re.escape(re.sub(r"[‐‑‒–—−]", "-", written)) + after)
    for one in held:
        if pattern.search(plain_digits(one.plain)):
            return Judgement("supported", one.given.id, written, ("literal",))
    return None


def _apart(place: Place, held: Sequence[Held]) -> Judgement | None:
    """Return support for what was read as one number and may be several: `1914 500`, `12,5`, `3/4`."""
    pieces = set(place.quantity.pieces)
    there = {v for _, other, _ in _all(held) for v in (*other.values, *other.pieces, *_parts(other.days))}
    return Judgement("supported", notes=("apart",)) if pieces and pieces <= there else None


def _converted(place: Place, held: Sequence[Held]) -> Judgement | None:
    """Return what another unit of the same kind says: the same worth exactly, or about."""
    quantity = place.quantity
    if not quantity.unit or not quantity.values:
        return None
    value = quantity.values[0]
    exact_unit = any(q.kind == "number" and q.unit == quantity.unit for _, q, _ in _all(held))
    for one, other, aside in _all(held):
        if not other.unit or other.kind != "number" or common(other.unit, quantity.unit):
            continue
        for theirs in other.values:
            there = converted(theirs, other.unit, quantity.unit)
            if there is None:
                continue
            if there == value:
                return Judgement("supported", one.given.id, _said(one, other, aside), ("converted",))
            if exact_unit:
                continue
            slack = max(quantity.place * Fraction(6, 10), abs(value) * Fraction(1, 100))
            if value and abs(there - value) <= min(slack, abs(value) * Fraction(1, 10)):
                return Judgement("not-checked", one.given.id, _said(one, other, aside), ("converted",))
    return None


def _hedged(place: Place) -> bool:
    head = place.text[max(0, place.quantity.start - 28) : place.quantity.start]
    return bool(_HEDGE.search(head) or _HEDGE_AFTER.match(place.text, place.quantity.end))


def _leans(place: Place, apart: Fraction) -> bool:
    """Return whether what the evidence has is on the side that the answer says: more for `over`, less for `nearly`."""
    head = place.text[max(0, place.quantity.start - 28) : place.quantity.start]
    if _MORE.search(head) or _MORE_AFTER.match(place.text, place.quantity.end):
        return apart >= 0
    return apart <= 0 or not _LESS.search(head)


def _rounded(place: Place, held: Sequence[Held]) -> Judgement | None:
    """Return support by a number of more figures that this one is rounded from."""
    quantity = place.quantity
    hedged = _hedged(place)
    for value in quantity.values[:1]:
        for one, other, aside in _all(held):
            if other.kind != "number" or _fits(quantity.unit, other.unit, one) is None:
                continue
            for theirs in other.values[:1]:
                if quantity.unit and not other.unit and value < 1000:
                    continue  # a number without its unit is not one to round as well
                if not value or theirs % quantity.place == 0 or not _leans(place, theirs - value):
                    continue
                apart = abs(theirs - value)
                if apart * 3 > abs(theirs):
                    continue
                if value < 100 and value <= quantity.place * 9 and apart > theirs / 10:
                    continue  # "about 10" of 12 is another number, not a rounding
                fewer = (
                    quantity.scaled
                    or (quantity.place >= 1000 and value >= 10_000)
                    or (theirs.denominator > 1 and value >= 10)
                )
                if (apart <= quantity.place / 2 and (hedged or (fewer and value >= 10 * quantity.place))) or (
                    hedged and apart < quantity.place and apart <= theirs / 5
                ):
                    return Judgement("supported", one.given.id, _said(one, other, aside), ("rounded",))
    return None


def _shared(quantity: Quantity, held: Sequence[Held]) -> Judgement | None:
    """Return support between shares and fractions: half and 50 %, three in four and 75 %."""
    for one, other, aside in _all(held):
        pairs = ((a, b) for a in quantity.values for b in other.values)
        if other.kind == "number" and (quantity.unit == "percent") != (other.unit == "percent"):
            for mine, theirs in pairs:
                share, whole = (mine, theirs) if quantity.unit == "percent" else (theirs, mine)
                if 0 < whole < 1 and abs(share - whole * 100) < Fraction(1, 2):
                    return Judgement("supported", one.given.id, _said(one, other, aside), ("share",))
    return None


def _reckoned(place: Place, held: Sequence[Held]) -> Judgement | None:
    """Return not checked for what may be a sum or a difference, when the answer's words say that it is one."""
    quantity = place.quantity
    around = place.text[max(0, quantity.start - 60) : quantity.end + 40]
    if not _RECKONED.search(around):
        return None
    if not quantity.unit and 1000 <= quantity.values[0] <= 2100 and not _AFTER_YEARS.search(around):
        return None  # a year, and nothing says that years were counted to it
    wanted = quantity.values[0]
    slack = quantity.place / 2 if (quantity.scaled or _hedged(place)) and wanted >= 10 * quantity.place else Fraction(0)
    there = [q for _, q, aside in _all(held) if not aside]
    values = list(dict.fromkeys(v for q in there for v in (*q.values[:1], *_parts(q.days[:1])) if v > 2))[:60]
    if not quantity.unit and 1000 <= wanted <= 2100:
        spans = {v for q in there if q.unit == "year" for v in q.values[:1]}
        pairs: Iterator[tuple[Fraction, Fraction]] = ((a, b) for a in values for b in spans)
    else:
        pairs = combinations(values, 2)
    if wanted > 2 and any(abs(a + b - wanted) <= slack or abs(abs(a - b) - wanted) <= slack for a, b in pairs):
        return Judgement("not-checked", notes=("reckoned",))
    return None


def _quotient(quantity: Quantity, held: Sequence[Held]) -> Judgement | None:
    """Return not checked for a share that is exactly what one large number of the evidence is of another."""
    if quantity.unit != "percent":
        return None
    values = {v for _, q, aside in _all(held) if not aside and q.kind == "number" and not q.days for v in q.values[:1]}
    large = sorted(v for v in values if v >= 100 and not 1000 <= v <= 2100)[:40]
    if any(a * 100 == b * quantity.values[0] for a, b in combinations(large, 2)):
        return Judgement("not-checked", notes=("reckoned",))
    return None


def _nearest(quantity: Quantity, held: Sequence[Held]) -> Judgement:
    """Return that it is not there, and the one number in the evidence that it may stand for."""
    best, score = ("", ""), 0.0
    for one, other, aside in _all(held):
        if aside or other.kind != "number" or not other.values or not quantity.values:
            continue
        mine, theirs = str(quantity.values[0]), str(other.values[0])
        alike = float(len(mine) == len(theirs)) + 2 * (bool(quantity.unit) and common(quantity.unit, other.unit))
        alike += sum(a == b for a, b in zip(mine, theirs, strict=False)) / max(len(mine), len(theirs))
        alike += sorted(mine) == sorted(theirs)
        if alike > score:
            best, score = (one.given.id, _said(one, other, aside)), alike
    return Judgement("unsupported", *(best if score >= 1.5 else ("", "")))


# --- dates, times, names ---------------------------------------------------------------------------------------------


def _date(place: Place, held: Sequence[Held]) -> Judgement:
    quantity = place.quantity
    numbers: set[Fraction] = set()
    days: list[Day] = []
    for one, other, aside in _all(held):
        if other.kind == "date":
            for day in quantity.days:
                if any(day.within(their) or day == their for their in other.days):
                    return Judgement("supported", one.given.id, _said(one, other, aside), ("aside",) if aside else ())
            days += other.days if all(day.year is None for day in other.days) or len(other.days) == 1 else ()
        elif other.kind == "number":
            numbers |= set(other.values)
            years = [Day(int(v)) for v in other.values if v.denominator == 1 and 0 < v < 3000]
            if any(day.within(year) for day in quantity.days for year in years):
                return Judgement("supported", one.given.id, _said(one, other, aside), ("aside",) if aside else ())
    if literal := _literal(place, held):
        return literal
    told = {Fraction(d.year) for d in days if d.year is not None and d.years == 1} | numbers
    if any(_assembled(day, days, told) for day in quantity.days):
        return Judgement("supported", notes=("assembled",))
    dates = [(one.given.id, _said(one, q, aside)) for one, q, aside in _all(held) if q.kind == "date" and not aside]
    nearest = max(dates, key=lambda t: _alike(t[1], place.text[quantity.start : quantity.end]), default=("", ""))
    return Judgement("unsupported", *nearest)


def _assembled(day: Day, days: Sequence[Day], years: set[Fraction]) -> bool:
    """Return whether the parts of a date stand apart: `in 1932 … on 3 May`; a decade by a year of it."""
    if day.year is None:
        return False
    if day.years > 1:
        return any(day.year <= year < day.year + day.years for year in years)
    loose = [d for d in days if d.year is None and d.month is not None and d.month == day.month]
    return Fraction(day.year) in years and any(day.day in (None, d.day) for d in loose)


def _alike(a: str, b: str) -> int:
    return sum(x == y for x, y in zip(a, b, strict=False)) - abs(len(a) - len(b))


def _time(place: Place, held: Sequence[Held]) -> Judgement:
    quantity = place.quantity
    for one, other, aside in _all(held):
        if other.kind == "time" and set(other.values) & set(quantity.values):
            return Judgement("supported", one.given.id, _said(one, other, aside))
    if literal := _literal(place, held):
        return literal
    told = [(one.given.id, _said(one, q, aside)) for one, q, aside in _all(held) if q.kind == "time" and not aside]
    return Judgement("unsupported", *(told[0] if told else ("", "")))


def _name(place: Place, held: Sequence[Held]) -> Judgement:
    quantity = place.quantity
    written = place.text[quantity.start : quantity.end]
    if literal := _literal(place, held):
        return literal
    bare = re.sub(r"[\W_]+", "", plain_digits(written).casefold())
    pattern = re.compile(rf"(?<!\d){re.escape(bare)}(?!\d)" if bare[:1].isdigit() else re.escape(bare) + r"(?!\d)")
    for one in held:
        if pattern.search(plain_digits(one.joined)):
            return Judgement("supported", one.given.id, written)
    for one, other, aside in _all(held):
        said = re.sub(r"[\W_]+", "", plain_digits(_said(one, other, aside)).casefold())
        if other.kind == "name" and said == bare:
            return Judgement("supported", one.given.id, written)
    if not quantity.stem:
        return Judgement("unsupported")
    for one in held:
        for other in (*one.quantities, *one.aside_quantities):
            if other.kind == "name" and other.stem == quantity.stem:
                text = one.text if other in one.quantities else one.aside
                return Judgement("unsupported", one.given.id, text[other.start : other.end])
    for one, other, aside in _all(held):
        said = _whole_name(one.aside if aside else one.text, other)
        if other.kind == "name" and _one_letter_apart(_whole_name(place.text, quantity), said):
            return Judgement("unsupported", one.given.id, said)
    if len(quantity.stem) > 1 and re.match(r"[A-Za-z]", written):
        for one in held:
            m = re.search(rf"\b{re.escape(quantity.stem)}[\s-]?\d+(?:\.\d+)*", one.plain)
            if m:
                return Judgement("unsupported", one.given.id, m[0])
    return Judgement("not-checked", notes=("name",))


def _whole_name(text: str, quantity: Quantity) -> str:
    """Return a name with what stands before it behind a hyphen: `DVB-S2`, of which `S2` was read."""
    head = re.search(r"[A-Za-z\d-]{0,24}\Z", text[max(0, quantity.start - 24) : quantity.start])
    return (head[0] if head else "") + text[quantity.start : quantity.end].strip()


def _one_letter_apart(a: str, b: str) -> bool:
    """Return whether two names are one but for a letter: `DVB-T2` and `DVB-S2`."""
    apart = [(x, y) for x, y in zip(a.casefold(), b.casefold(), strict=False) if x != y]
    return len(a) == len(b) > 3 and len(apart) == 1 and apart[0][0].isalpha() and apart[0][1].isalpha()


# --- the same words around another number ----------------------------------------------------------------------------

_WINDOW = 8
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def _rival(place: Place, held: Sequence[Held], *, is_there: bool) -> tuple[str, str, bool] | None:
    """Return the quantity that the evidence has where the answer, in the same words, has this one; and whether only its
    unit is another.

    Several words must agree, on both sides or after it; the more so when this one stands elsewhere in the evidence, and
    nowhere may it stand in words as like. A bare count (`18 workers`) that stands there only with a unit (`18
    months`) is not thought to be there.
    """
    left, right = place.left(_WINDOW), place.right(_WINDOW)
    east = bool(_EAST.match((left[:1] or right[:1] or [""])[0]))
    best: tuple[int, int, str, str, bool] = (0, 0, "", "", False)
    own, is_bare = -1, bool(place.quantity.unit) or min(place.quantity.values or (0,)) >= 1000
    for one in held:
        for other in one.quantities:
            if other.kind == "name" and place.quantity.kind != "name":
                continue
            there = Place(one.text, other, one.tokens, one.begins)
            before, after = _run(left, there.left(_WINDOW)), _run(right, there.right(_WINDOW))
            if _agrees(place, other, one.text):
                own = max(own, before + after)
                is_bare = (
                    is_bare or (other.kind == "number" and not other.unit) or min(place.quantity.values or (0,)) >= 1000
                )
                continue
            is_unit = _is_other_unit(place.quantity, other)
            is_like = (before and after) or after > 1 or before > (1 if is_unit else 5)
            if is_like and before + after > best[0] and other.kind == place.quantity.kind:
                best = before + after, min(before, after), one.given.id, _said(one, other, False), is_unit
    score, both, name, found, is_unit = best
    if is_there and own == 0 and not is_bare and score > (3 if east else 1):
        return name, found, is_unit
    if is_there and is_unit and own <= 0 and score >= (4 if east else 2):
        return name, found, is_unit
    if is_there:
        need, margin, sides = (8, 4, 1) if east else (4, 2, 1)
    else:
        need, margin, sides = (5, 0, 1) if east else (3, 0, 0)
    both = max(both, sides) if score >= 2 * need - 2 else both  # so many on one side are enough
    return (name, found, is_unit) if score >= need and both >= sides and score >= own + margin else None


_DASH = r"\s?[-–—−~～:：至到比]\s?"
_FIRST = re.compile(rf"(?<![\d.,:/–—-])(\d{{1,9}}){_DASH}\Z")


def _other_second(place: Place, held: Sequence[Held]) -> tuple[str, str, bool] | None:
    """Return the second number that the evidence has after the first of a score or a range: `20–18` for `20–16`."""
    quantity = place.quantity
    written = plain_digits(place.text[quantity.start : quantity.end]).strip()
    first = _FIRST.search(plain_digits(place.text[max(0, quantity.start - 14) : quantity.start]))
    if not first or quantity.kind != "number" or not written.isdecimal():
        return None
    found = ("", "")
    for one in held:
        for m in re.finditer(rf"(?<![\d.,:/–—-]){first[1]}{_DASH}(\d{{1,9}})(?![\d:/]|[.,]\d)", plain_digits(one.text)):
            if m[1].endswith(written) or written.endswith(m[1]):
                return None
            found = found if found[0] else (one.given.id, m[0])
    return (*found, False) if found[0] else None


def _agrees(place: Place, other: Quantity, text: str) -> bool:
    mine = place.quantity
    if _is_other_unit(mine, other):
        return False
    if _same(mine, other) or (mine.values and bool(set(mine.values) & _parts(other.days))):
        return True
    if mine.kind == other.kind == "number" and mine.values and other.values:
        a, b = mine.values[0], other.values[0]
        if mine.unit and other.unit and not common(mine.unit, other.unit):
            there = converted(b, other.unit, mine.unit)
            if there is not None and a and abs(there - a) <= abs(a) / 10:
                return True
        return abs(a - b) <= mine.place / 2 and b % mine.place != 0 and (_hedged(place) or mine.scaled)
    written = place.text[mine.start : mine.end].casefold()
    if mine.kind == "name":
        strip = re.compile(r"[\W_]+")
        return strip.sub("", written) == strip.sub("", text[other.start : other.end].casefold())
    return any(a.within(b) or b.within(a) for a in mine.days for b in other.days)


def _is_other_unit(a: Quantity, b: Quantity) -> bool:
    """Return whether two quantities are one number in units that cannot be one: 17 months and 17 years."""
    if a.kind != "number" or b.kind != "number" or not a.unit or not b.unit or not set(a.values) & set(b.values):
        return False
    return not common(a.unit, b.unit) and "/" not in a.unit + b.unit


def _run(mine: Sequence[str], theirs: Sequence[str]) -> int:
    """Return how many words agree, from the number outwards."""
    count = 0
    for a, b in zip(mine, theirs, strict=False):
        if a != b:
            break
        count += 1
    return count
