"""The quantities of a text: numbers with their units, dates, times, and names that hold numbers, by normal value. Pure.

`3,500,000`, `3.5 million`, `350万` and `三百五十万` are one number; `31 %` and `百分之三十一` one share. What can be
read in two ways has both values (`1.234` in English and in German). Nothing is left to judge here: whether one
quantity bears out another is for who compares them. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from searchlog.wording.calendar import Day, days_in, moments_in
from searchlog.wording.numerals import (
    CHINESE,
    CHINESE_RUN,
    ENGLISH,
    SCALES,
    SMALL,
    chinese_number,
    english_number,
    plain_digits,
)
from searchlog.wording.units import CURRENCY_BEFORE, UNIT_AFTER, unit_of

__all__ = ["Quantity", "quantities"]

_DIGITS_MAX = 40
"""Of one number; a longer run of digits is a name, not a number."""
_G = "\u00a0\u202f\u2009"
_NUMBER = re.compile(
    rf"(?P<name>\d++(?:\.\d++){{2,}}+)(?![\d,])|"
    rf"(?P<grouped>\d{{1,3}}(?:(?:,\d{{3}})++|(?:['’]\d{{3}})++|(?:,\d{{2}}){{1,6}},\d{{3}})(?:\.\d++)?)(?!\d)|"
    rf"(?P<spaced>[1-9]\d{{0,2}}(?:(?:[{_G}]\d{{3}})++|(?: \d{{3}})++)(?:[.,]\d++)?)(?![\d]|[.,-]\d)|"
    rf"(?P<decimal>\d++[.,]\d++)|"
    rf"(?P<whole>\d++)"
)
_POINTED = re.compile(r"\d{1,3}(?:\.\d{3}){2,}+(?:,\d+)?(?!\d)|\d{1,3}(?:\.\d{3})++,\d+(?!\d)")
"""A number grouped by points, as German and Spanish write it."""
_VULGAR = {
    **{"½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4)},
    **{"⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6)},
    **{"⅚": Fraction(5, 6), "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8)},
}
_VULGAR_CLASS = "".join(_VULGAR)
_VULGAR_ALONE = re.compile(rf"(?<!\d)[{_VULGAR_CLASS}]")
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile(r"(?:\s?[×x*·]\s?10)?(?:\^\{?(-?\d{1,3})\}?|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))|[eE]([+-]?\d{1,3})(?![\w.])")
_SCALE_WORDS = sorted(SCALES, key=len, reverse=True)
_SPACED_SCALES = "|".join(re.escape(w) for w in _SCALE_WORDS if (w[-1].isalpha() and w[0] < "\u2e80") or w[-1] == ".")
_TIGHT_SCALES = "|".join(re.escape(w) for w in _SCALE_WORDS if w[0] >= "\u2e80")
_SCALE = re.compile(
    rf"(?:[\s\u00a0-]?(?:({_SPACED_SCALES})(?![^\W\d_])|(千万|百万|十万|[{'千百十'}]?[万萬亿億兆]|{_TIGHT_SCALES})))",
    re.IGNORECASE,
)
_MONEY_SCALE = re.compile(r"\s?([mMbB]|mm|MM)(?![\w²³/])")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![^\W\d_])", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:-|–|—|~|～|to|and|or|bis|至|到|和|或)\s?", re.IGNORECASE)
_SLASH = re.compile(r"(?<![\d/.])(\d{1,3})/(\d{1,3})(?![\d/])")
_CHINESE_SHARE = re.compile(
    rf"(百|千|万)分之(\d{{1,20}}(?:\.\d{{1,20}})?|{CHINESE_RUN}(?:点[零〇一二三四五六七八九]{{1,12}})?)"
)
_CHINESE_FRACTION = re.compile(rf"(?<!\d)({CHINESE_RUN}|\d{{1,20}})分之({CHINESE_RUN}|\d{{1,20}})")
_CHINESE_TENTHS = re.compile(
    r"([一二三四五六七八九]|\d)成(?:([一二三四五六七八九])|半)?(?![立为功本员长果年分就人都了语绩效交])"
)
_FRACTION_WORDS = re.compile(
    r"\b(?:(?P<top>one|two|three|four|five|a|(?<![\d.,])[1-9])[\s-])?(?P<part>half|halves|thirds?|quarters?|fourths?|fifths?|"
    r"sixths?|eighths?|tenths?)\b",
    re.IGNORECASE,
)
_PARTS = {"hal": 2, "thi": 3, "qua": 4, "fou": 4, "fif": 5, "six": 6, "eig": 8, "ten": 10}
_TOPS = {"one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_PART_OF_SCALE = re.compile(
    r"\b(half a|half|an?) (hundred|thousand|million|billion|trillion)(?![\w-]| (?:dollar|and)\b)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
_NAME_BEFORE = re.compile(r"[A-Za-z\u0370-\u052f][A-Za-z\u0370-\u052f\d_]*[-._]?\Z")
_NAME_AFTER = re.compile(r"[A-Za-z_\u0370-\u052f][\w]*")
_NAME_REST = re.compile(r"[\w.-]{0,80}(?<=\w)")
_EAST = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text, at `[start, end)` in code points."""

    start: int
    end: int
    kind: str
    """`number`, `date`, `time`, or `name`: digits that are part of a name (`B-52`, `3.11.2`, `CO2`)."""
    values: tuple[Fraction, ...] = ()
    """What the number may be, the likeliest first; minutes of the day for a time."""
    pieces: tuple[Fraction, ...] = ()
    """Numbers that it may be instead, side by side: `1 234`, `3/4`."""
    unit: str = ""
    """Code of `units`, `""` for none."""
    days: tuple[Day, ...] = ()
    place: Fraction = Fraction(1)
    """What one stands for in the last place that is not a filling zero: 100,000 in `3.5 million`, 1/10 in `2.5`."""
    is_spelled: bool = False
    """Written in words, not in digits."""
    stem: str = ""
    """Of a name: its letters in one case, without digits."""
    scaled: bool = False
    """Written with a scale word or a decimal point: fewer figures than it might have."""
    scale: int = 1
    """What the scale words multiply it by."""


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order; none over another."""
    plain = plain_digits(text)
    found: list[Quantity] = [Quantity(m.start, m.end, "date", days=m.days) for m in days_in(plain)]
    found += [Quantity(m.start, m.end, "time", tuple(map(Fraction, m.minutes))) for m in moments_in(plain)]
    taken = bytearray(len(text))
    for quantity in found:
        taken[quantity.start : quantity.end] = b"\1" * (quantity.end - quantity.start)
    for make in (_shares, _numbers, _english, _chinese, _small_words):
        for quantity in make(plain):
            if not any(taken[quantity.start : quantity.end]):
                taken[quantity.start : quantity.end] = b"\1" * (quantity.end - quantity.start)
                found.append(quantity)
    return tuple(_ranges(plain, sorted(found, key=lambda q: q.start)))


def _shares(text: str) -> Iterator[Quantity]:
    for m in _CHINESE_SHARE.finditer(text):
        value = Fraction(m[2]) if m[2][0].isdigit() and m[2][0].isascii() else chinese_number(m[2])
        if value is not None:
            shares = {
                "百": ("percent", Fraction(1)),
                "千": ("permille", Fraction(1)),
                "万": ("percent", Fraction(1, 100)),
            }
            of = shares[m[1]]
            yield Quantity(m.start(), m.end(), "number", (value * of[1],), (), of[0], place=_place_of(m[2], value))
    for m in _CHINESE_FRACTION.finditer(text):
        if m[1] not in ("百", "千", "万"):
            below, above = (Fraction(g) if g.isdecimal() else chinese_number(g) for g in (m[1], m[2]))
            if below and above is not None and len(m[0]) < _DIGITS_MAX:
                yield Quantity(m.start(), m.end(), "number", (above / below,), is_spelled=True)
    for m in _CHINESE_TENTHS.finditer(text):
        first = Fraction(m[1]) if m[1].isdecimal() else chinese_number(m[1])
        if first:
            more = chinese_number(m[2]) or 0 if m[2] else 5 if m[0].endswith("半") else 0
            yield Quantity(
                m.start(), m.end(), "number", (first * 10 + more,), (), "percent", place=Fraction(10), is_spelled=True
            )
    for m in _FRACTION_WORDS.finditer(text):
        part, written = m["part"].lower(), (m["top"] or "one").lower()
        top = int(written) if written.isdecimal() else _TOPS[written]
        if m["top"] or part in ("half", "quarter"):
            values = [Fraction(top, _PARTS[part[:3]])]
            yield Quantity(m.start(), m.end(), "number", tuple(values), is_spelled=True)


def _numbers(text: str) -> Iterator[Quantity]:
    at = 0
    for m in _VULGAR_ALONE.finditer(text):
        unit, end = _unit_after(text, m.end())
        yield Quantity(m.start(), end, "number", (_VULGAR[m[0]],), (), unit)
    for m in _SLASH.finditer(text):
        if 0 < int(m[1]) < int(m[2]) <= 16:
            yield Quantity(
                m.start(), m.end(), "number", (Fraction(int(m[1]), int(m[2])),), (Fraction(m[1]), Fraction(m[2]))
            )
    while pointed := _POINTED.search(text, at):
        yield from _plain_numbers(text, at, pointed.start())
        if _is_inside(text, pointed.start()):
            yield from _plain_numbers(text, pointed.start(), pointed.end())
        else:
            whole, _, after = pointed[0].partition(",")
            yield _measured(text, pointed.start(), pointed.end(), [_decimal(whole.replace(".", ""), after)], after)
        at = pointed.end()
    yield from _plain_numbers(text, at, len(text))


def _plain_numbers(text: str, at: int, until: int) -> Iterator[Quantity]:
    while (m := _NUMBER.search(text, at, until)) and m.start() < until:
        quantity = _number(text, m)
        yield quantity
        at = max(m.end(), quantity.end)


def _is_inside(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isdigit() or text[start - 1] == ".")


def _number(text: str, m: re.Match[str]) -> Quantity:
    start, end, written = m.start(), m.end(), m[0]
    name = _name(text, start, end, whole=bool(m["name"]) or len(written) > _DIGITS_MAX)
    if name:
        return name
    after = ""
    pieces: tuple[Fraction, ...] = ()
    if m["grouped"]:
        whole, _, after = written.partition(".")
        values = [_decimal(re.sub(r"[,'’]", "", whole), after)]
        if not after and written.count(",") == 1 and len(written.rpartition(",")[2]) == 3:
            values.append(_decimal(*written.split(",")))
    elif m["spaced"]:
        groups = re.split(rf"[{_G} .,]", written)
        after = groups.pop() if re.search(r"[.,]", written) else ""
        values = [_decimal("".join(groups), after)]
        if " " in written:
            pieces = tuple(map(Fraction, groups))
    elif m["decimal"]:
        sign = "." if "." in written else ","
        whole, _, after = written.partition(sign)
        values = [_decimal(whole, after)]
        if len(after) == 3 and len(whole) <= 3 and whole != "0":
            values.append(_decimal(whole + after, ""))
        if sign == ",":
            pieces = Fraction(whole), Fraction(after)
    else:
        values = [Fraction(written)]
    measured = _measured(text, start, end, values, after)
    return replace(measured, pieces=pieces) if pieces else measured


def _name(text: str, start: int, end: int, *, whole: bool) -> Quantity | None:
    """Return the name that digits are part of, or None when they are a number of their own."""
    before = _NAME_BEFORE.search(text[max(0, start - 24) : start])
    after = _NAME_AFTER.match(text, end)
    if before:
        letters = re.sub(r"[\W\d_]", "", before[0])
        # "mid-1990", "pre-2008", "US$5", "Rs.5": a number behind a prefix of small letters, or behind a currency
        if (
            (before[0][-1] in "-" and letters.islower())
            or CURRENCY_BEFORE.fullmatch(before[0].strip())
            or (before[0][-1] == "." and (len(letters) > 1 or letters.islower()))
        ):
            before = None
        elif before[0][-1] == "-" and re.search(r"\d", before[0]):
            before = None  # the second of a range: "5km-10km"
        elif (
            re.fullmatch(r"[-._]?(?:[xX*])", before[0][-1])
            and start > len(before[0])
            and text[start - 2 : start - 1].isdigit()
        ):
            before = None  # "3x4"
    if after and not before and not whole:
        tail = after[0]
        ordinary = (
            _ORDINAL.match(text, end)
            or UNIT_AFTER.match(text, end)
            or _SCALE.match(text, end)
            or re.match(r"(?:x|X|er|e|E\d|[ap]m|AM|PM|s|[mMbB])(?![^\W\d_])", tail)
            or re.match(r"[xX]\d", tail)
            or (len(tail) > 3 and tail.isascii() and tail.isalpha() and tail.islower())  # a lost blank, not a name
        )
        if ordinary:
            after = None
    if not before and not after and not whole:
        return None
    first, last = start - (len(before[0]) if before else 0), end
    if (after or whole) and (more := _NAME_REST.match(text, end)):
        last = more.end()
    if east := _EAST.search(text, end, last):
        last = east.start()
    return Quantity(first, last, "name", (), stem=re.sub(r"[\W\d_]", "", text[first:last]).casefold())


def _measured(text: str, start: int, end: int, values: list[Fraction], after: str) -> Quantity:
    """Return a number with the currency before it, and the fraction, power, scale and unit after it."""
    place = Fraction(1, 10 ** len(after)) if after else _trailing(values[0])
    scaled, times = bool(after), 1
    if end < len(text) and text[end] in _VULGAR:
        values = [values[0] + _VULGAR[text[end]]]
        place, end = Fraction(1, 10), end + 1
    if power := _POWER.match(text, end):
        exponent = int((power[1] or power[2] or power[3] or "0").translate(_SUPER))
        if abs(exponent) <= 60:
            has_base = bool(re.match(r"\s?[×x*·]", power[0])) or bool(power[3])
            if has_base or values[0] == 10:
                base = values[0] if has_base else Fraction(1)
                flat = [Fraction(f"10{exponent}")] if not has_base and exponent >= 0 else []
                values = [base * Fraction(10) ** exponent, *flat]
                place, end, scaled = place * Fraction(10) ** exponent, power.end(), True
    money = _currency_before(text, start)
    while scale := _SCALE.match(text, end):
        word = (scale[1] or scale[2]).lower()
        factor = SCALES.get(word) or SCALES.get(word.rstrip(".")) or _east_scale(word)
        if not factor:
            break
        values, place, end, scaled, times = (
            [v * factor for v in values],
            place * factor,
            scale.end(),
            True,
            times * factor,
        )
    if money and (short := _MONEY_SCALE.match(text, end)):
        factor = 10**6 if short[1].lower() in ("m", "mm") else 10**9
        values, place, end, scaled, times = [v * factor for v in values], place * factor, short.end(), True, factor
    if ordinal := _ORDINAL.match(text, end):
        end = ordinal.end()
    unit, unit_end = _unit_after(text, end)
    if unit and money:
        unit, unit_end = (
            (money[0], unit_end) if unit in ("percent",) else (unit if "$" not in money[1] else money[0], unit_end)
        )
    elif money:
        unit = money[0]
    begin = start - len(money[1]) if money else start
    return Quantity(
        begin, unit_end, "number", tuple(dict.fromkeys(values)), (), unit, place=place, scaled=scaled, scale=times
    )


def _east_scale(word: str) -> int:
    value = 1
    for char in word:
        value *= SCALES.get(char) or {"十": 10, "百": 100}.get(char, 0)
    return value


def _currency_before(text: str, start: int) -> tuple[str, str] | None:
    head = text[max(0, start - 6) : start]
    found = None
    for m in CURRENCY_BEFORE.finditer(head):
        if not head[m.end() :].strip(" \u00a0"):
            found = (unit_of(m[0]), head[m.start() :])
    return found if found and found[0] else None


def _unit_after(text: str, end: int) -> tuple[str, int]:
    unit = UNIT_AFTER.match(text, end)
    if not unit:
        return "", end
    code = unit_of(unit[1], unit[2])
    if (money := CURRENCY_BEFORE.match(text, unit.start(1))) and text[money.end() : money.end() + 2].lstrip()[
        :1
    ].isdigit():
        return "", end  # of the next number
    # letters alone that are words too: "5 a", "7 t" are units only where they touch or nothing else follows them
    if unit[1] in ("in.", "st", "mi.", "ft.", "lb.") and not re.match(r"\s|$|[,;)]", text[unit.end() : unit.end() + 1]):
        return "", end
    return (code, unit.end()) if code else ("", end)


def _decimal(whole: str, after: str) -> Fraction:
    return Fraction(int((whole or "0") + after), 10 ** len(after))


def _trailing(value: Fraction) -> Fraction:
    """Return ten to the number of zeros that a whole number ends in."""
    digits = str(int(value))
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0")))) if value else Fraction(1)


def _place_of(written: str, value: Fraction) -> Fraction:
    return Fraction(1, 10 ** len(written.partition(".")[2])) if "." in written else _trailing(value)


def _english(text: str) -> Iterator[Quantity]:
    for m in _PART_OF_SCALE.finditer(text):
        unit, end = _unit_after(text, m.end())
        value = (Fraction(1, 2) if m[1][0] in "hH" else Fraction(1)) * SCALES[m[2].lower()]
        yield Quantity(m.start(), end, "number", (value,), (), unit, place=_trailing(value), is_spelled=True)
    for m in ENGLISH.finditer(text):
        values = english_number(m[0])
        if values:
            unit, end = _unit_after(text, m.end())
            yield Quantity(
                m.start(), end, "number", tuple(values), (), unit, place=_trailing(values[0]), is_spelled=True
            )


def _chinese(text: str) -> Iterator[Quantity]:
    for m in CHINESE.finditer(text):
        value = chinese_number(m[0]) if len(m[0]) < _DIGITS_MAX else None
        if value is None:
            continue
        unit, end = _unit_after(text, m.end())
        if (
            len(m[0]) == 1
            and unit
            and (m[0] in "零〇○十万千百" or text[m.start() - 1 : m.start()] in ("第", "统", "唯", "万"))
        ):
            unit, end = "", m.end()
        place = Fraction(1, 10) if value.denominator > 1 else _trailing(value)
        scaled = len(m[0]) > 1 and m[0][-1] in "万萬亿億兆"
        yield Quantity(m.start(), end, "number", (value,), (), unit, place=place, is_spelled=True, scaled=scaled)


def _small_words(text: str) -> Iterator[Quantity]:
    for m in _WORD.finditer(text):
        if len(m[0]) > 1 and (values := SMALL.get(m[0].lower())):
            unit, end = _unit_after(text, m.end())
            yield Quantity(m.start(), end, "number", values, (), unit, is_spelled=True)


def _ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first of a range the unit and the scale of the second, and `1914–18` its second year."""
    out = list(found)
    for n in range(len(out) - 2, -1, -1):
        a, b = out[n], out[n + 1]
        if a.kind != "number" or b.kind != "number" or not _RANGE.fullmatch(text, a.end, b.start):
            continue
        dash = text[a.end : b.start].strip() in ("-", "–", "—", "~")
        if dash and a.values[0].denominator == 1 and 1000 <= a.values[0] <= 2100 and b.values[0] < 100 and not b.unit:
            out[n + 1] = replace(b, values=(*b.values, a.values[0] // 100 * 100 + b.values[0]))
        if not a.unit and b.unit:
            out[n] = a = replace(a, unit=b.unit)
        elif a.unit and not b.unit:
            out[n + 1] = b = replace(b, unit=a.unit)
        if b.scale > 1 and a.scale == 1 and not a.scaled:
            out[n] = replace(a, values=(*a.values, *(v * b.scale for v in a.values)), place=a.place * b.scale)
    return out
