"""Numbers written as words or in the digits of any script, and the words that scale a number. Pure.

`3.5 million`, `三百五十万` and `३५ लाख` are one number. Words of numbers are read in English and Chinese (and so in
Japanese where it writes the same characters), small ones in a dozen more languages; scales in about twenty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

__all__ = ["CHINESE", "CHINESE_RUN", "ENGLISH", "SCALES", "SMALL", "chinese_number", "english_number", "plain_digits"]

_PLAIN = {
    **{ord(char): chr(ord(char) - 0xFEE0) for char in "．％＋－＝／（）＄＃：～"},
    **{ord("٫"): ".", ord("٬"): ",", ord("٪"): "%", ord("−"): "-", ord("￥"): "¥"},
}


def plain_digits(text: str) -> str:
    """Return the text with every decimal digit as 0 to 9 and full-width signs as plain ones; as long as it was."""
    if text.isascii():
        return text
    text = text.translate(_PLAIN)
    return "".join(str(int(char)) if not char.isascii() and char.isdecimal() else char for char in text)


# --- scales --------------------------------------------------------------------------------------------------------

_TABLE = {
    100: "hundred honderd hundert cent cien",
    1_000: (
        "thousand thousands k tausend mille mil mila duizend тысяча тысячи тысяч тыс тыс. ألف آلاف हज़ार हजार bin "
        "nghìn ngàn tysiąc tysiące tysięcy ribu χιλιάδες 千 仟 천 พัน tusen tuhatta"
    ),
    10_000: "万 萬 만 หมื่น",
    100_000: "lakh lakhs लाख แสน 十万 十萬",
    1_000_000: (
        "million millions mn mln millionen mio mio. millón millones milione milioni milhão milhões miljoen "
        "миллион миллиона миллионов млн млн. مليون ملايين मिलियन milyon triệu milion milionów miliony juta "
        "εκατομμύρια εκατ. 百万 百萬 백만 ล้าน miljoner millioner miljoonaa"
    ),
    10_000_000: "crore crores करोड़ 千万 千萬 천만",
    100_000_000: "亿 億 억",
    1_000_000_000: (
        "billion billions bn milliarde milliarden mrd mrd. milliard milliards miliardo miliardi miljard миллиард "
        "миллиарда миллиардов млрд млрд. مليار مليارات अरब milyar tỷ tỉ miliard miliardów miliardy miliar "
        "δισεκατομμύρια 十亿 十億 십억 miljarder milliarder miljardia bilhão bilhões"
    ),
    1_000_000_000_000: "trillion trillions tn trn billionen billones триллион триллионов трлн 万亿 兆 조",
}
SCALES: Mapping[str, int] = {word: value for value, words in _TABLE.items() for word in words.split()}
"""By word in small letters. `m`, `b` and `M` are not here: they scale money and measure lengths."""

# --- English -------------------------------------------------------------------------------------------------------

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENTHS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
_UNITS: Mapping[str, int] = {
    **{word: n for n, word in enumerate(_ONES.split())},
    **{word: 20 + 10 * n for n, word in enumerate(_TENS.split())},
    **{word: n for n, word in enumerate(_ORDINALS.split())},
    **{word: 20 + 10 * n for n, word in enumerate(_TENTHS.split())},
}
_BIG: Mapping[str, int] = {
    **{"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12},
    **{"hundredth": 100, "thousandth": 10**3, "millionth": 10**6},
}
_NAME = "|".join(sorted({*_UNITS, *_BIG}, key=len, reverse=True))
_ORDINAL = "|".join(rf"(?<=\b{word})" for word in (*_ORDINALS.split(), *_TENTHS.split()))
ENGLISH = re.compile(
    rf"\b(?:{_NAME})\b(?:(?!{_ORDINAL})"
    rf"(?:[ \u00a0-]|(?<=hundred) and |(?<=thousand) and |(?<=million) and )(?:{_NAME})\b)*+"
    r"(?: point(?: (?:zero|one|two|three|four|five|six|seven|eight|nine))+)?\b",
    re.IGNORECASE,
)
_FIRST_UNIT = frozenset(_UNITS)


def english_number(words: str) -> list[Fraction]:
    """Return the number that a match of `ENGLISH` spells; for years said in two halves both readings.

    No number when it begins with a scale (`million dollar question`): nothing says how many.
    """
    words, _, after = words.lower().partition(" point ")
    parts = [word for word in re.split(r"[\s-]+", words) if word != "and"]
    if after:
        whole = english_number(words)
        digits = "".join(str(_UNITS[word]) for word in after.split())
        return [whole[0] + Fraction(int(digits), 10 ** len(digits))] if whole else []
    if parts[0] not in _FIRST_UNIT:
        return [Fraction(12)] if parts == ["dozen"] else []
    total = run = 0
    halves: list[int] = []
    for word in parts:
        if word in _UNITS:
            value = _UNITS[word]
            if (run % 100 >= 20 and value < 10 and run % 10 == 0) or run % 100 == 0:
                run += value
            else:  # "nineteen thirty-two", "one two three"
                halves.append(run)
                run = value
        elif _BIG[word] in (12, 100):
            run *= _BIG[word]
        else:
            total += run * _BIG[word]
            run = 0
    value = total + run
    if not halves:
        return [Fraction(value)]
    if len(halves) == 1 and not total and 10 <= halves[0] < 100 and 10 <= run < 100:
        return [Fraction(halves[0] * 100 + run)]
    return []


# --- Chinese -------------------------------------------------------------------------------------------------------

_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九")}
_DIGITS |= {
    "〇": 0,
    "○": 0,
    "两": 2,
    "兩": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
    "伍": 5,
    "陆": 6,
    "柒": 7,
    "捌": 8,
    "玖": 9,
}
_SMALL_SCALES = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_BIG_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_CLASS = "".join([*_DIGITS, *_SMALL_SCALES, *_BIG_SCALES])
CHINESE_RUN = f"[{_CLASS}]{{1,20}}"
"""Part of a pattern: a number in Chinese characters, of bounded length."""
CHINESE = re.compile(rf"[{_CLASS}]++(?:点[零〇一二三四五六七八九]++)?")


def chinese_number(text: str) -> Fraction | None:
    """Return the number that a match of `CHINESE` spells, or None.

    `三千五百万`, `二〇一五`, `一百零五`, `两万三`, `三点五`. A run that begins with a scale other than ten (`千万`)
    says no number, nor does one like `三四` (three or four).
    """
    whole, _, after = text.partition("点")
    fraction = Fraction(int("".join(str(_DIGITS[char]) for char in after)), 10 ** len(after)) if after else Fraction(0)
    if all(char in _DIGITS for char in whole):
        if len(whole) > 1 and not after and len(whole) < 3 and "零" not in whole and "〇" not in whole:
            return None
        return int("".join(str(_DIGITS[char]) for char in whole)) + fraction
    if whole[0] not in _DIGITS and whole[0] not in "十拾":
        return None
    total = section = 0
    digit: int | None = None
    last = 1
    for char in whole:
        if char in _DIGITS:
            if digit:  # two digits side by side: no such number
                return None
            digit, last = _DIGITS[char], last if char not in "零〇" else 1
        elif char in _SMALL_SCALES:
            last = _SMALL_SCALES[char]
            section += (1 if digit is None else digit) * last
            digit = None
        else:
            last = _BIG_SCALES[char]
            section += digit or 0
            if not total + section:
                return None
            total = total + section * last if total >= last and total % last == 0 else (total + section) * last
            section, digit = 0, None
    if digit and last >= 100:  # "两万三": twenty-three thousand
        return Fraction(total + section + digit * last // 10) + fraction
    return Fraction(total + section + (digit or 0)) + fraction


# --- small numbers in more languages -------------------------------------------------------------------------------

_MORE = {
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "it": "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "um dois três quatro cinco seis sete oito nove dez onze doze",
    "nl": "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "ru": "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "tr": "bir iki üç dört beş altı yedi sekiz dokuz on",
    "vi": "một hai ba bốn năm sáu bảy tám chín mười",
    "id": "satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas",
    "ar": "واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "hi": "एक दो तीन चार पांच छह सात आठ नौ दस ग्यारह बारह",
    "el": "ένα δύο τρία τέσσερα πέντε έξι επτά οκτώ εννέα δέκα",
    "pl": "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "sv": "ett två tre fyra fem sex sju åtta nio tio elva tolv",
    "he": "אחד שניים שלושה ארבעה חמישה שישה שבעה שמונה תשעה עשרה",
}
_EXTRA: Mapping[str, int | Fraction] = {
    **{"zwo": 2, "dwie": 2, "две": 2, "двух": 2, "трёх": 3, "трех": 3, "четырех": 4, "duas": 2, "eine": 1, "twice": 2},
    **{"once": 1, "thrice": 3, "ثلاث": 3, "أربع": 4, "خمس": 5, "ست": 6, "سبع": 7, "ثماني": 8, "تسع": 9, "عشر": 10},
    **{"primer": 1, "half": Fraction(1, 2), "double": 2, "triple": 3},
}


def _small() -> dict[str, tuple[Fraction, ...]]:
    found: dict[str, set[Fraction]] = {}
    for words in _MORE.values():
        for n, word in enumerate(words.split(), 1):
            found.setdefault(word, set()).add(Fraction(n))
    for word, value in _EXTRA.items():
        found.setdefault(word, set()).add(Fraction(value))
    return {word: tuple(sorted(values)) for word, values in found.items()}


SMALL: Mapping[str, tuple[Fraction, ...]] = _small()
"""By word: what it may stand for, in any of these languages (`once` is 1 in English and 11 in Spanish)."""
