"""What of weight is in words that changed: numbers, units, negations, names, dates, notices. In many scripts. Pure.

A mark is a hint for whoever reads the difference, never a judgement: a change without any mark is a change.
"""

from __future__ import annotations

import re
from functools import cache

from searchlog.wording.notices import is_notice

__all__ = ["MARKS", "has_date", "has_name", "has_negation", "has_number", "has_unit", "marks_between", "marks_of"]

MARKS = ("number", "unit", "negation", "name", "date", "notice")

_NEGATIONS = """
not no never none nor neither cannot without nobody nothing nowhere hardly barely scarcely non except unless lack lacks
lacked absent fail fails failed refuse refused deny denies denied
nicht kein keine keinen keinem keiner keines nie niemals ohne nichts weder niemand kaum nirgends
ne pas non jamais aucun aucune rien sans ni personne nul nulle
nunca jamás ningún ninguna ninguno nada sin tampoco nadie ni
mai nessun nessuna nessuno niente senza neppure neanche
não nem nenhum nenhuma sem nunca ninguém jamais nada
niet geen nooit niets zonder noch niemand
nie nigdy bez żaden żadna żadne ani brak nikt nic
не нет ни никогда без нельзя никто ничто ничего никакой никакие невозможно
ані немає ніколи без ні
inte ingen inget inga aldrig utan ikke ingen aldri uten ej
ei ole eivät en emme mitään ilman
değil yok hiç hayır asla
nu nici niciodată fără ne není nikdy žádný bez nem nincs soha
لا لم لن ليس ليست ليسوا غير بدون دون ما بلا لست عدم
לא אין ללא אף בלי אל
نه نیست نمی بدون هیچ
नहीं न मत बिना ना
không chưa chẳng tidak bukan tanpa belum jangan
δεν μην όχι χωρίς ποτέ
안 못 아니 없다 없이
"""
_NEGATION_PIECES = re.compile(
    "[不没沒无無未非否莫勿別别]|ない|なかっ|ません|ぬ(?=[、。])|ず(?=[、。に])|없|않|아니|못하|ไม่|มิ(?=ได้)|n't\\b|n\u2019t\\b"
    "|\\b(?:im|in|un|dis|non-?|ir|il)(?=[a-z]{4})"
)
_PREFIXES = (
    "un",
    "in",
    "im",
    "ir",
    "il",
    "dis",
    "non",
    "non-",
    "anti",
    "anti-",
    "a",
    "не",
    "ne",
    "des",
    "mis",
    "contra",
)

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
januar februar märz mai juni juli oktober dezember
janvier février mars avril juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
januari februari maart mei augustus
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow
montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
понедельник вторник среда четверг пятница суббота воскресенье
"""
_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion half third
quarter dozen first second double triple twice once
null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend million millionen
milliarde milliarden billion hälfte drittel viertel
un deux trois quatre cinq sept huit neuf dix onze douze vingt trente cent mille million millions milliard milliards
moitié tiers
uno dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien ciento mil millón millones mitad
due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta cento mille milione milioni miliardo
um dois três quatro oito nove dez onze vinte cem milhão milhões bilhão bilhões metade
een twee drie vier vijf zes zeven acht negen tien honderd duizend miljoen miljard
jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć sto tysiąc tysięcy milion milionów miliard
один два три четыре пять шесть семь восемь девять десять сто тысяча тысяч миллион миллионов миллиард миллиардов половина
واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة مئة مائة ألف مليون مليار نصف
एक दो तीन चार पांच छह सात आठ नौ दस सौ हजार लाख करोड़
"""
_CJK_NUMBER = re.compile(
    "[〇零一二三四五六七八九十百千万萬亿億兆两兩半]|[일이삼사오육칠팔구십백천만억](?=[명개년월일원%])"
)
_UNITS = """
mg g kg μg ng mcg t lb lbs oz stone l ml dl cl gal km m cm mm nm μm mi mile miles ft foot feet inch inches in yard yards
s ms h hr hrs hour hours min minute minutes second seconds day days week weeks month months year years decade decades
century centuries °c °f k celsius fahrenheit kelvin w kw mw gw kwh mwh gwh j kj kcal cal v mv kv a ma hz khz mhz ghz pa
kpa mpa bar psi mmhg mol mmol μmol kb mb gb tb kib mib gib bit bits byte bytes mbps gbps percent percentage per
usd eur gbp jpy cny chf dollar dollars euro euros pound pounds yen yuan rupee rupees rub ha hectare hectares acre acres
ppm ppb iu db rpm mph kmh kph degrees degree ton tons tonne tonnes litre litres liter liters gram grams kilogram
kilograms kilometre kilometres kilometer kilometers metre metres meter meters point points
stunden stunde tage tag wochen woche monate monat jahre jahr prozent euro heures heure jours jour semaines mois ans
pourcent horas hora días día semanas meses años ore giorni settimane mesi anni dias anos uur dagen weken maanden jaar
часов часа дней дня недель месяцев лет года процентов рублей кг км м см мм мг г л мл
كجم كم متر يوم أيام سنة دولار
"""
_UNIT_SIGNS = re.compile("[%‰°$€£¥₹₩₽₪℃℉Ωμ′″]|[年月日时時分秒岁歲元円米克吨公斤里度倍]|퍼센트|킬로|미터|원\\b")
_DATE = re.compile(
    r"\b(?:1[0-9]|20|21)[0-9]{2}\b|\b[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}\b|[0-9〇零一二三四五六七八九十]+[年月日号號]|[0-9]+[년월일]"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_DIGIT = re.compile(r"\d|[\u00b2\u00b3\u00b9\u2070-\u2089\u00bc-\u00be\u2150-\u218b]")
_COMPARING = re.compile("[<>≤≥±×÷=~≈]|-(?=\\d)|(?<=\\d)-")


@cache
def _set(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def has_number(text: str) -> bool:
    """Whether it holds a digit, a sign of quantity or a word for a number."""
    if _DIGIT.search(text) or _CJK_NUMBER.search(text) or _COMPARING.search(text):
        return True
    return not _set(_NUMBER_WORDS).isdisjoint(_words(text))


def has_unit(text: str) -> bool:
    """Whether it holds a unit of measure, of money or of time."""
    return _UNIT_SIGNS.search(text) is not None or not _set(_UNITS).isdisjoint(
        [word.casefold() for word in re.findall(r"[^\W\d_]+|°[a-zA-Z]", text)]
    )


def has_negation(text: str) -> bool:
    """Whether it holds a word, or in scripts without blanks a character, that denies."""
    small = text.casefold()
    plain = re.sub(r"\b(?:im|in|un|dis|non-?|ir|il)(?=[a-z]{4})", "", small)
    return (
        _NEGATION_PIECES.search(plain) is not None
        or "n't" in small
        or not _set(_NEGATIONS).isdisjoint([*_words(text), *(word.split("'", 1)[0] for word in _words(text))])
    )


def has_date(text: str) -> bool:
    """Whether it holds a year, a date in figures, a month or a day of the week."""
    return _DATE.search(text) is not None or not _set(_MONTHS).isdisjoint(
        [word for word in _words(text) if word != "may" or "May" in text]
    )


def has_name(text: str, *, opens: bool = False) -> bool:
    """Whether it holds a word with a capital letter; opens: whether its first word opens a sentence."""
    words = _WORD.findall(text)
    named = words[1:] if opens else words
    return any(word[0].isupper() and len(word) > 1 and word.casefold() not in _set(_MONTHS) for word in named)


def marks_of(text: str, *, opens: bool = False) -> tuple[str, ...]:
    """Return the marks of words that were taken out or put in, in the order of `MARKS`."""
    found = {
        "number": has_number(text),
        "unit": has_unit(text),
        "negation": has_negation(text),
        "name": has_name(text, opens=opens),
        "date": has_date(text),
        "notice": is_notice(text) if len(text) > 8 else False,
    }
    return tuple([mark for mark in MARKS if found[mark]])


def marks_between(removed: str, added: str, *, opens: bool = False) -> tuple[str, ...]:
    """Return the marks of words that others took the place of; a prefix that denies counts: "able" to "unable"."""
    marks = {*marks_of(removed, opens=opens), *marks_of(added, opens=opens)}
    before, after = removed.casefold().split(), added.casefold().split()
    for one in before:
        for other in after:
            long, short = (one, other) if len(one) > len(other) else (other, one)
            if (len(short) >= 3 and any(long == prefix + short for prefix in _PREFIXES)) or (
                one.removesuffix("less") == other.removesuffix("ful") and one != other
            ):
                marks.add("negation")
    return tuple([mark for mark in MARKS if mark in marks])
