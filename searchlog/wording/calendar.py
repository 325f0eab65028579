"""Dates and times of day in a text, as numbers. Pure.

Months are read in a dozen languages. `03/05/1932` is read both ways. Days of the week, eras and calendars other than
the Gregorian one are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from searchlog.wording.numerals import CHINESE_RUN, chinese_number

__all__ = ["Day", "Moment", "days_in", "moments_in"]


class Day(NamedTuple):
    """A date as far as it is told."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    years: int = 1
    """How many years from `year` on it names: 10 for a decade, 100 for a century."""
    quarter: int | None = None

    def within(self, other: Day) -> bool:
        """Return whether all that this one tells is told by the other."""
        if self.years > 1:
            return other.year is not None and self.year is not None and self.year <= other.year < self.year + self.years
        if self.quarter is not None:
            same = other.quarter == self.quarter or (other.month is not None and (other.month + 2) // 3 == self.quarter)
            return same and (self.year is None or self.year == other.year)
        told = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return other.years == 1 and all(mine is None or mine == its for mine, its in told)


class Moment(NamedTuple):
    """A date or a time of day where it stands; every reading it may have."""

    start: int
    end: int
    days: tuple[Day, ...] = ()
    minutes: tuple[int, ...] = ()


_MONTH_TABLE = """
january jan jan. januar jänner janvier enero gennaio janeiro januari января январь يناير जनवरी ocak stycznia
february feb feb. februar février febrero febbraio fevereiro februari февраля февраль فبراير फरवरी şubat lutego
march mar mar. märz mars marzo março maart марта март مارس मार्च mart marca
april apr apr. april avril abril aprile апреля апрель أبريل अप्रैल nisan kwietnia
may mai mayo maggio maio mei мая май مايو मई mayıs maja
june jun jun. juni juin junio giugno junho июня июнь يونيو जून haziran czerwca
july jul jul. juli juillet julio luglio julho июля июль يوليو जुलाई temmuz lipca
august aug aug. août agosto augustus августа август أغسطس अगस्त ağustos sierpnia
september sep sep. sept sept. septembre septiembre settembre setembro сентября سبتمبر सितंबर सितम्बर eylül września
october oct oct. oktober octobre octubre ottobre outubro октября октябрь أكتوبر अक्टूबर ekim października
november nov nov. novembre noviembre novembro ноября ноябрь نوفمبر नवंबर नवम्बर kasım listopada
december dec dec. dezember décembre diciembre dicembre dezembro декабря декабрь ديسمبر दिसंबर दिसम्बर aralık grudnia
"""
_MONTHS: Mapping[str, int] = {
    name.replace("_", " "): n for n, line in enumerate(_MONTH_TABLE.strip().splitlines(), 1) for name in line.split()
}
_MONTH = "|".join(re.escape(name) for name in sorted(_MONTHS, key=len, reverse=True))
_D = r"(\d{1,2})"
_DAYS = rf"{_D}(?:\s?[–-]\s?{_D})?"
_Y = r"(\d{4})"
_SUFFIX = r"(?:st|nd|rd|th|er|º|ª|\.)?"
_BETWEEN = r"[\s\u00a0]"
_DAY_FIRST = re.compile(
    rf"(?<![\d.,])(?:{_DAYS}{_SUFFIX}{_BETWEEN}?(?:of |de |"
    rf"di )?)(?<!\w\.)({_MONTH})(?![^\W\d_])(?:,?{_BETWEEN}?(?:de |del |of )?{_Y}(?!\d))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?<![^\W_])({_MONTH}){_BETWEEN}{_DAYS}(?:st|nd|rd|th)?(?![\d%]|[.,]\d)(?:,?{_BETWEEN}{_Y}(?!\d))?", re.IGNORECASE
)
_MONTH_YEAR = re.compile(rf"(?<![^\W_])({_MONTH}),?{_BETWEEN}(?:de |del |of )?{_Y}(?!\d)", re.IGNORECASE)
_ISO = re.compile(r"(?<![\d./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d]|[-/]\d)")
_ISO_MONTH = re.compile(r"(?<![\d./-])([12]\d{3})-(0[1-9]|1[0-2])(?![\d-])")
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d]|[-/.]\d)")
_N = rf"(\d{{1,4}}|{CHINESE_RUN})"
_EAST = re.compile(
    rf"(?:(?<!\d)(\d{{4}}|"
    rf"[零〇○一二三四五六七八九]{{4}})\s?[年년]\s?)?(?<!\d){_N}\s?[月월]\s?(?:份)?(?:{_N}\s?[日号號일])?"
)
_EAST_YEAR = re.compile(r"(?<!\d)(\d{4}|[零〇○一二三四五六七八九]{4})\s?[年년](?!\s?代|[间間])")
_QUARTER = re.compile(
    r"(?<!\w)Q([1-4])(?:[\s,]*(?:of |FY)?(\d{4}))?(?!\w)|(\d{4})\s?Q([1-4])(?!\w)|"
    r"(?<!\w)(first|second|third|fourth) quarter(?: of (?:fiscal )?(\d{4}))?|(?:(\d{4})年)?第?([一二三四1-4])季度",
    re.IGNORECASE,
)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}
_SHORT_YEAR = re.compile(r"(?<![\w'’])['’‘](\d{2})(s?)(?![\w'’]|[.,]\d)")
_DECADE = re.compile(
    r"(?<!\d)([12]\d{2}0)(?:['’]?s(?![^\W\d_])|er(?: Jahre)?|\s?年代)|"
    r"(?<!\d)(\d{1,2}|[一二三四五六七八九十]{1,3})\s?世[纪紀]\s?([1-9]0|"
    r"[一二三四五六七八九]十)\s?年代"
)
_ORDINAL_WORDS = {
    word: n
    for n, word in enumerate(
        [
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        10,
    )
} | {"twenty-first": 21, "ninth": 9, "eighth": 8, "seventh": 7, "sixth": 6, "fifth": 5}
_CENTURY = re.compile(
    rf"(?<!\w)(\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-](?:century|centuries|Jahrhunderts?|siècle|secolo)|"
    rf"(?<!\w)({'|'.join(sorted(_ORDINAL_WORDS, key=len, reverse=True))})[\s-](?:century|centuries)|"
    r"(?<!\d)(\d{1,2}|[一二三四五六七八九十]{1,3})\s?世[纪紀](?!\d)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?\s?([ap])\.?m\b\.?|"
    r"(?<![\d:.])(\d{1,2}):(\d{2})(?::\d{2})?(?![\d:])(?:\s?(?:uhr|h)\b)?|"
    r"(上午|下午|晚上|凌晨|早上|中午)?(?<!\d)(\d{1,2})[点點时時](?:(\d{1,2})分|(半))?(?![间間\d])",
    re.IGNORECASE,
)


def _number(text: str | None) -> int | None:
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    value = chinese_number(text)
    return int(value) if value is not None and value.denominator == 1 and value < 10_000 else None


def _sound(*days: Day) -> tuple[Day, ...]:
    """Return those that can be: a month from 1 to 12, a day from 1 to 31."""
    return tuple(d for d in days if (d.month is None or 1 <= d.month <= 12) and (d.day is None or 1 <= d.day <= 31))


def _named(month: str) -> int:
    return _MONTHS[month.lower()]


_SAME_YEAR = re.compile(
    rf"(?<![^\W_])({_MONTH})(?: {_D})?(?:st|nd|rd|th)?,? (?:of |in )?(?:the same|that) year\b|"
    rf"(?:同年|当年|當年|该年|該年)(?:的)?\s?{_N}\s?[月월](?:\s?{_N}\s?[日号號])?",
    re.IGNORECASE,
)
_PLAIN_YEAR = re.compile(r"(?<![\d.,])[12]\d{3}(?!\d|[.,]\d)")
_SAME_YEAR_WITHIN = 400


def _same_year(text: str) -> Iterator[Moment]:
    """Yield `December of the same year` and `同年12月`: of the last year that is told before, and of any."""
    for m in _SAME_YEAR.finditer(text):
        years = _PLAIN_YEAR.findall(text, max(0, m.start() - _SAME_YEAR_WITHIN), m.start())
        month = _named(m[1]) if m[1] else _number(m[3])
        if years and month:
            day = _number(m[2] or m[4])
            yield Moment(*m.span(), _sound(Day(int(years[-1]), month, day), Day(None, month, day)))


def days_in(text: str) -> list[Moment]:
    """Return the dates of a text whose digits are plain, in order, none over another; years alone are numbers."""
    found = [moment for make in (_east, _western, _numeric, _spans, _same_year) for moment in make(text) if moment.days]
    found.sort(key=lambda m: (m.start, -m.end))
    kept: list[Moment] = []
    for moment in found:
        if not kept or moment.start >= kept[-1].end:
            kept.append(moment)
        elif moment.end - moment.start > kept[-1].end - kept[-1].start:
            kept[-1] = moment
    return kept


def _western(text: str) -> Iterator[Moment]:
    for m in _DAY_FIRST.finditer(text):
        if m[3] in ("may", "mar", "mart", "mars"):  # "of those 5 may come" is no date
            continue
        year, month = _number(m[4]), _named(m[3])
        yield Moment(*m.span(), _sound(*(Day(year, month, int(d)) for d in m.group(1, 2) if d)))
    for m in _MONTH_FIRST.finditer(text):
        if not m[1].islower() or m[1] not in ("may", "mar", "dec", "jan", "sep"):
            year = _number(m[4])
            yield Moment(*m.span(), _sound(*(Day(year, _named(m[1]), int(d)) for d in m.group(2, 3) if d)))
    for m in _MONTH_YEAR.finditer(text):
        yield Moment(*m.span(), (Day(int(m[2]), _named(m[1])),))


def _numeric(text: str) -> Iterator[Moment]:
    for m in _ISO.finditer(text):
        yield Moment(*m.span(), _sound(Day(int(m[1]), int(m[3]), int(m[4]))))
    for m in _ISO_MONTH.finditer(text):
        yield Moment(*m.span(), (Day(int(m[1]), int(m[2])),))
    for m in _NUMERIC.finditer(text):
        a, b, year = int(m[1]), int(m[3]), int(m[4])
        if len(m[4]) == 4 or m[2] == "/":
            years = (year,) if len(m[4]) == 4 else (1900 + year, 2000 + year)
            days = [day for one in years for day in (Day(one, b, a), Day(one, a, b))]
            yield Moment(*m.span(), tuple(dict.fromkeys(_sound(*days))))


def _east(text: str) -> Iterator[Moment]:
    for m in _EAST.finditer(text):
        if m[1] or m[3]:
            year, month, day = _number(m[1]), _number(m[2]), _number(m[3])
            if month is not None and (m[3] is None or day is not None):
                yield Moment(*m.span(), _sound(Day(year, month, day)))
    for m in _EAST_YEAR.finditer(text):
        yield Moment(*m.span(), (Day(_number(m[1])),))


def _spans(text: str) -> Iterator[Moment]:
    for m in _QUARTER.finditer(text):
        quarter = m[1] or m[4] or m[5] or m[8]
        year = _number(m[2] or m[3] or m[6] or m[7])
        yield Moment(*m.span(), (Day(year, quarter=_QUARTERS.get(quarter.lower()) or int(quarter)),))
    for m in _SHORT_YEAR.finditer(text):
        years, span = int(m[1]), 10 if m[2] else 1
        yield Moment(*m.span(), tuple(Day(century + years, years=span) for century in (1900, 2000, 1800)))
    for m in _DECADE.finditer(text):
        century = _number(m[2])
        first = int(m[1]) if m[1] else (century - 1) * 100 + (_number(m[3]) or 0) if century else None
        yield Moment(*m.span(), (Day(first, years=10),) if first is not None else ())
    for m in _CENTURY.finditer(text):
        number = _ORDINAL_WORDS.get(m[2].lower()) if m[2] else _number(m[1] or m[3])
        yield Moment(*m.span(), (Day((number - 1) * 100, years=100),) if number else ())


def moments_in(text: str) -> list[Moment]:
    """Return the times of day of a text whose digits are plain; `2:30` is both of its times."""
    found = []
    for m in _CLOCK.finditer(text):
        hour, minute = int(m[1] or m[4] or m[7]), int(m[2] or m[5] or m[8] or (30 if m[9] else 0))
        if hour > 24 or minute > 59:
            continue
        if m[3]:
            hours = {hour % 12 + (12 if m[3].lower() == "p" else 0)}
        elif m[6]:
            hours = {hour if hour > 12 or m[6] in ("上午", "凌晨", "早上", "中午") else hour % 12 + 12}
        else:
            hours = {hour, hour + 12} if 0 < hour < 13 else {hour}
        found.append(Moment(*m.span(), minutes=tuple(sorted(h * 60 + minute for h in hours))))
    return found
