"""Edits that change what a page says: inside one passage, beside it, over it, or by a notice anywhere on the page.

Each takes the tree and one passage and returns whether it could be made; a made edit is told apart from one that left
the converted text as it was by whoever makes the pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from lxml import html as lxml_html

from tests.drift.trees import Spot, Taken, spots_in, squeezed

__all__ = ["HARMFUL", "Case"]


class Case(NamedTuple):
    """A page that an edit is made in."""

    tree: Any
    text: str
    taken: Taken
    language: str
    rng: Random

    def spots(self, chars_min: int = 12) -> Iterator[Spot]:
        return spots_in(self.tree, self.text, self.taken.text, self.rng, chars_min=chars_min)


Edit = Callable[[Case], bool]


def _in_spot(change: Callable[[str, Case], str | None]) -> Edit:
    """Return an edit that changes the first text node of the passage that it can change."""

    def edit(case: Case) -> bool:
        for spot in case.spots():
            new = change(spot.text, case)
            if new is not None and new.split() != spot.text.split():
                spot.put(new)
                return True
        return False

    return edit


def _one(pattern: str, new: Callable[[re.Match[str], Case], str]) -> Edit:
    """Return an edit that replaces one match of a pattern."""
    compiled = re.compile(pattern)

    def change(text: str, case: Case) -> str | None:
        found = list(compiled.finditer(text))
        if not found:
            return None
        match = case.rng.choice(found)
        return text[: match.start()] + new(match, case) + text[match.end() :]

    return _in_spot(change)


# --- inside: numbers -------------------------------------------------------------------------------------------------


def _other_digit(match: re.Match[str], case: Case) -> str:
    return str((int(match[0]) + case.rng.randrange(1, 9)) % 10)


def _year(match: re.Match[str], case: Case) -> str:
    return str(int(match[0]) + case.rng.choice((-1, 1, 10)))


def _grouped(match: re.Match[str], _: Case) -> str:
    return match[1] + match[3][0] + match[2] + match[3][1:]


_UNITS = {
    "mg": "g", "kg": "g", "km": "m", "cm": "mm", "km/h": "mph", "°C": "°F", "%": "", "miles": "km", "hours": "days",
    "minutes": "hours", "days": "weeks", "weeks": "months", "months": "years", "years": "months",
    "percent": "per thousand",
    "million": "billion", "billion": "million", "MB": "GB", "KB": "MB", "seconds": "milliseconds", "feet": "meters",
    "inches": "feet", "bytes": "bits", "€": "$", "$": "€", "£": "$", "Meter": "Kilometer", "Tonnen": "Kilogramm",
    "tonnes": "kilos", "euros": "francs", "Prozent": "Promille", "年": "月", "元": "美元", "公里": "米",
    "万": "亿", "岁": "个月",
    "метров": "километров", "процентов": "рублей", "日": "月", "度": "分", "년": "월", "퍼센트": "원",
    "في المئة": "في الألف",
    "días": "meses", "uur": "dagen", "euro": "dollar", "metros": "pies", "minuti": "ore", "złotych": "euro",
}  # fmt: skip


def _unit(text: str, case: Case) -> str | None:
    found = [
        (match, unit)
        for unit in _UNITS
        for match in re.finditer(
            rf"(?:(?<=\d)|(?<=\d ))({re.escape(unit)})(?![A-Za-zА-я])|({re.escape(unit)})(?=\d)", text
        )
    ]
    if not found:
        return None
    match, unit = case.rng.choice(found)
    return text[: match.start()] + _UNITS[unit] + text[match.end() :]


_WORDS = {
    "one": "two", "two": "three", "three": "four", "four": "five", "five": "six", "six": "nine", "ten": "twelve",
    "half": "third", "first": "second", "second": "third", "before": "after", "after": "before", "more": "less",
    "less": "more",
    "some": "all", "all": "some", "many": "few", "most": "some", "increase": "decrease", "increased": "decreased",
    "higher": "lower", "lower": "higher", "always": "sometimes", "must": "may", "may": "must", "should": "need",
    "and": "or",
    "or": "and", "can": "cannot", "with": "without", "up": "down", "above": "below", "below": "above",
    "minimum": "maximum",
    "he": "she", "his": "her", "January": "June", "March": "May", "April": "August", "July": "October",
    "mehr": "weniger", "mit": "ohne", "und": "oder", "avant": "après", "plus": "moins", "más": "menos",
    "antes": "después",
    "больше": "меньше", "более": "менее", "после": "до", "قبل": "بعد", "più": "meno", "meer": "minder",
    "czerwca": "lipca",
    "August": "Januar", "juillet": "juin", "mayo": "marzo", "maart": "mei", "dopo": "prima", "mais": "menos",
    "krócej": "dłużej",
}  # fmt: skip


def _word(text: str, case: Case) -> str | None:
    found = [(match, _WORDS[match[0]]) for match in re.finditer(r"[^\W\d_]+", text) if match[0] in _WORDS]
    if not found:
        return None
    match, new = case.rng.choice(found)
    return text[: match.start()] + new + text[match.end() :]


def _number_word(text: str, case: Case) -> str | None:
    found = list(re.finditer("[二三四五六七八九]", text))
    if found:
        match = case.rng.choice(found)
        new = case.rng.choice([c for c in "二三四五六七八九" if c != match[0]])
        return text[: match.start()] + new + text[match.end() :]
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "hundred")
    spelled = [match for match in re.finditer(r"\b[a-z]+\b", text) if match[0] in words]
    if not spelled:
        return None
    match = case.rng.choice(spelled)
    new = case.rng.choice([word for word in words if word != match[0]])
    return text[: match.start()] + new + text[match.end() :]


# --- inside: denial --------------------------------------------------------------------------------------------------

_BLANKLESS = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def _denied(text: str, case: Case) -> str | None:
    """Put a word of denial in: behind a verb that takes one, in each language."""
    rules: dict[str, list[tuple[str, str]]] = {
        "en": [
            (r"\b(is|are|was|were|can|will|should|must|may|could|would|has|have|does|did)\b(?! not)", r"\1 not"),
            (r"\b(to) (?=[a-z]+\b)", r"not \1 "),
        ],
        "de": [(r"\b(ist|wurde|sind|laufen|fasst|stiegen|versorgt|erzeugt)\b", r"\1 nicht")],
        "fr": [(r"\b(a été|mesure|reste|passent)\b", r"ne \1 pas")],
        "es": [(r"\b(abrió|guarda|dura|aumentó|prometió|recibe)\b", r"no \1")],
        "it": [(r"\b(fu|macina|dura|pesa|sono|costa)\b", r"non \1")],
        "pt": [(r"\b(foi|recebe|partem|volta|gastou|fica)\b", r"não \1")],
        "nl": [(r"\b(werd|wegen|opent|daalde|is)\b", r"\1 niet")],
        "pl": [(r"\b(zbudowano|mają|kosztuje|trwa|odwiedza)\b", r"nie \1")],
        "ru": [(r"\b(построили|горит|виден|выросли|займёт|проходят|составляет)\b", r"не \1")],
        "ar": [(r"(تستمر|افتتحت|تفتح|زادت)", r"لا \1")],
        "zh": [("(是|有|会|能|可以|要|在)", r"不\1")],
        "ja": [
            ("(増えた)", "増えなかった"),
            ("(である)", "ではない"),
            ("(開館し)", "開館せず"),
            ("(超える)", "超えない"),
        ],
        "ko": [
            ("(열었고)", "열지 않았고"),
            ("(늘었다)", "늘지 않았다"),
            ("(넘는다)", "넘지 않는다"),
            ("(보강되었다)", "보강되지 않았다"),
        ],
        "hi": [("(है|हैं|था|थे)(?![ं-ू])", r"नहीं \1")],
    }
    for pattern, new in rules.get(case.language, rules["en"]):
        found = list(re.finditer(pattern, text))
        if found:
            match = case.rng.choice(found)
            return text[: match.start()] + match.expand(new) + text[match.end() :]
    return None


def _undenied(text: str, case: Case) -> str | None:
    pattern = (
        r"\b(?:not|never|no|without|cannot|nicht|kein|keine|keinen|nie|ohne|ne|n'|pas|aucun|no|nunca|sin|non|não"
        r"|ninguém|niet|geen|nooit|nie|nigdy|не|никогда|ليس|لم|لا|नहीं)\b ?|n['’]t\b|[不没未无非]"
    )
    found = list(re.finditer(pattern, text))
    if not found:
        return None
    match = case.rng.choice(found)
    return text[: match.start()] + text[match.end() :]


def _prefixed(text: str, case: Case) -> str | None:
    words = ("able", "likely", "known", "safe", "necessary", "important", "common", "clear", "usual",
             "changed", "related", "limited", "complete", "correct", "direct",
             "valid", "possible", "available", "used")  # fmt: skip
    found = [match for match in re.finditer(r"\b[a-z]+\b", text) if match[0] in words]
    if not found:
        return None
    match = case.rng.choice(found)
    return text[: match.start()] + case.rng.choice(("un", "in", "non-")) + text[match.start() :]


# --- inside: names, words, order -------------------------------------------------------------------------------------


def _name(text: str, case: Case) -> str | None:
    found = list(re.finditer(r"(?<=[a-zа-яß-ÿ,] )[A-ZА-ЯÀ-Þ][a-zа-яß-ÿ]{2,}", text))
    if not found:
        return None
    match = case.rng.choice(found)
    others = ("Miller", "Johanna", "Berlin", "Peterson", "Norway", "Петров", "Osaka")
    return text[: match.start()] + case.rng.choice([o for o in others if o != match[0]]) + text[match.end() :]


def _replaced(text: str, case: Case) -> str | None:
    if _BLANKLESS.search(text):
        found = list(re.finditer("[\u3400-\u9fff]", text))
        match = case.rng.choice(found) if found else None
        new = case.rng.choice([c for c in "山水火土金木天地人手" if match is None or c != match[0]])
    else:
        found = list(re.finditer(r"[^\W\d_]{4,}", text))
        match = case.rng.choice(found) if found else None
        new = case.rng.choice(("garden", "window", "banana", "silver"))
    return text[: match.start()] + new + text[match.end() :] if match else None


def _swapped(text: str, case: Case) -> str | None:
    found = list(re.finditer(r"([^\W\d_]{3,}) ([^\W\d_]{3,}) ([^\W\d_]{3,})", text))
    if found:
        match = case.rng.choice(found)
        return text[: match.start()] + f"{match[3]} {match[2]} {match[1]}" + text[match.end() :]
    found = list(re.finditer("([\u3400-\u9fff])([\u3400-\u9fff])", text))
    found = [match for match in found if match[1] != match[2]]
    if not found:
        return None
    match = case.rng.choice(found)
    return text[: match.start()] + match[2] + match[1] + text[match.end() :]


_SENTENCE = re.compile(r"(?<=[.!?]) +(?=[^\W\d_])|(?<=[。！？])(?=.)")


def _sentence_out(text: str, case: Case) -> str | None:
    parts = [part for part in _SENTENCE.split(text) if part]
    if len(parts) < 2 or any(len(part) < 8 for part in parts):
        return None
    del parts[case.rng.randrange(len(parts))]
    return ("" if _BLANKLESS.search(text) else " ").join(parts)


def _sentence_in(text: str, case: Case) -> str | None:
    more = {
        "en": ("This was later refuted.", "It applies only to children.", "Nothing of this was shown."),
        "zh": ("后来这一说法被推翻。", "这只适用于儿童。"),
        "de": ("Das wurde später widerlegt.",), "fr": ("Cela a été démenti.",), "es": ("Esto fue desmentido después.",),
        "ru": ("Позже это было опровергнуто.",), "ar": ("وقد ثبت خطأ ذلك لاحقا.",), "ja": ("これは後に否定された。",),
    }  # fmt: skip
    sentence = case.rng.choice(more.get(case.language, more["en"]))
    return f"{text.rstrip()} {sentence}" if case.rng.random() < 0.5 else f"{sentence} {text.lstrip()}"


def _framed(text: str, case: Case) -> str | None:
    front, back = case.rng.choice(
        (("It is not true that ", ""), ("Critics once claimed that ", ""), ("", ", which was later shown to be wrong"))
    )
    bare = text.strip().rstrip(".")
    return f"{front}{bare}{back}."


# --- beside and over it ----------------------------------------------------------------------------------------------


def _block_of(element: Any) -> Any | None:
    blocks = ("p", "li", "dd", "blockquote", "td", "tr", "dt", "h1", "h2", "h3", "h4", "div")
    for one in (element, *element.iterancestors()):
        if one.tag in blocks:
            return one
    return None


def _removed(case: Case) -> bool:
    """Take every block out that holds words of the passage alone."""
    gone = {}
    for spot in case.spots(4):
        block = _block_of(spot.holder)
        if block is not None and block.tag != "div" and block.getparent() is not None:
            gone[id(block)] = block
    total = sum(len(block.text_content().strip()) for block in gone.values())
    if total < 0.9 * len(case.taken.text.strip()):
        return False
    for block in gone.values():
        if block.getparent() is not None:
            block.drop_tree()
    return True


def _to_comment(case: Case) -> bool:
    """Take the passage out and have somebody quote its longest stretch under the page."""
    body = case.tree.find("body")
    if not _removed(case) or body is None:
        return False
    section = lxml_html.fragment_fromstring(
        "<section class='comments'><h3>Comments</h3><p>They claimed this, and nobody believes it:</p></section>"
    )
    for line in case.taken.text.split("\n"):
        quote = lxml_html.Element("p")
        quote.text = line
        holder = lxml_html.Element("blockquote")
        holder.append(quote)
        section.append(holder)
    body.append(section)
    return True


def _heading(case: Case) -> bool:
    """Change a word of the heading over the passage, outside it."""
    path = case.taken.then.heading_path
    if not path or path[-1] in case.taken.text or len(path[-1]) < 3:
        return False
    wanted = " ".join(path[-1].split())
    for element in case.tree.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        if " ".join(element.text_content().split()) == wanted and case.text.count(path[-1]) == 1:
            for child in list(element):
                child.drop_tag()
            element.text = case.rng.choice(
                (f"Myths: {wanted}", f"{wanted} in children", "What is not known", "Archive of 1987")
            )
            return True
    return False


def _table_rows(case: Case) -> list[Any]:
    rows = []
    for row in case.tree.iter("tr"):
        cells = [cell.text_content().strip() for cell in row.iter("td", "th")]
        if len(cells) >= 2 and all(cells) and all(cell in case.taken.text for cell in cells):
            rows.append(row)
    return rows


def _cells_swapped(case: Case) -> bool:
    """Swap two cells of a row of the passage."""
    rows = [row for row in _table_rows(case) if len({cell.text_content() for cell in row.iter("td")}) >= 2]
    if not rows:
        return False
    row = case.rng.choice(rows)
    cells = [cell for cell in row if cell.tag == "td"]
    if len(cells) < 2 or cells[0].text_content() == cells[1].text_content():
        return False
    cells[0].addprevious(cells[1])
    return True


def _head_swapped(case: Case) -> bool:
    """Swap two cells of the head of the passage's table; the rows stay."""
    for row in _table_rows(case):
        table = next((above for above in row.iterancestors("table")), None)
        if table is None:
            continue
        head = next((one for one in table.iter("tr") if one.find("th") is not None), None)
        if head is None or head is row:
            continue
        span = case.taken.then.table_head
        known = squeezed(case.text[slice(*span)] if span else case.taken.text)
        if squeezed(" ".join(cell.text_content() for cell in head.iter("th", "td"))) not in known:
            continue
        cells = [cell for cell in head if cell.tag == "th" and cell.text_content().strip()]
        if len(cells) >= 2 and cells[0].text_content().strip() != cells[1].text_content().strip():
            cells[0].addprevious(cells[1])
            return True
    return False


def _lead_in(case: Case) -> bool:
    """Deny the line that leads in to the passage's list."""
    span = case.taken.then.lead_in
    if span is None:
        return False
    line = case.text[slice(*span)]
    for element in case.tree.iter("p"):
        if element.text_content().strip() == line.strip() and element.text:
            element.text = "It is not so: " + element.text.lstrip()
            return True
    return False


_NOTICES = {
    "en": (
        "This article has been retracted.",
        "RETRACTED",
        "Correction: an earlier version of this page gave wrong figures.",
        "Expression of concern: the data of this study are being examined.",
        "This page is outdated and kept for historical purposes only.",
        "This guidance has been withdrawn.",
        "Editor's note: this story is satire.",
        "This document has been superseded by a newer version.",
        "The information below is no longer valid.",
    ),
    "de": ("Dieser Artikel wurde zurückgezogen.", "Diese Seite ist veraltet.",
    "Korrektur: In einer früheren Version stand etwas anderes."),
    "fr": ("Cet article a été rétracté.", "Cette page est obsolète.", "Rectificatif : les chiffres étaient erronés."),
    "es": ("Este artículo ha sido retractado.", "Esta página está desactualizada.",
    "Fe de errata: el dato era incorrecto."),
    "it": ("Questo articolo è stato ritirato.", "Errata corrige: i dati erano sbagliati."),
    "pt": ("Este artigo foi retratado.", "Esta página está desatualizada."),
    "nl": ("Dit artikel is ingetrokken.", "Deze pagina is verouderd."),
    "pl": ("Ten artykuł został wycofany.", "Sprostowanie: podano błędne dane."),
    "ru": ("Эта статья отозвана.", "Страница устарела.", "Опровержение: данные были неверны."),
    "zh": ("本文已撤稿。", "更正:此前版本的数据有误。", "本页面内容已过时。", "此消息已被辟谣。"),
    "ja": ("この記事は撤回されました。", "訂正:以前の版に誤りがありました。", "この情報は古くなっています。"),
    "ko": ("이 기사는 철회되었습니다.", "정정: 이전 버전에 오류가 있었습니다."),
    "ar": ("تم سحب هذه المقالة.", "تصحيح: كانت الأرقام خاطئة.", "هذه الصفحة قديمة."),
}  # fmt: skip
_NOTICE_FRAMES = (
    '<div class="banner">{}</div>',
    "<p><strong>{}</strong></p>",
    '<aside role="note"><p>{}</p></aside>',
    '<div class="alert alert-warning"><a href="/notice">{}</a></div>',
    "<section><h2>{}</h2></section>",
)


def _notice(case: Case) -> bool:
    words = case.rng.choice(_NOTICES.get(case.language, _NOTICES["en"]))
    banner = lxml_html.fragment_fromstring(case.rng.choice(_NOTICE_FRAMES).format(words))
    heading = next(iter(case.tree.iter("h1")), None)
    where = case.rng.randrange(4)
    body = case.tree.find("body")
    if where == 0 and heading is not None:
        heading.addprevious(banner)
    elif where == 1 and heading is not None:
        heading.addnext(banner)
    elif where == 2:
        body.append(banner)
    else:
        body.insert(0, banner)
    return True


def _in_title(case: Case) -> bool:
    title = next(iter(case.tree.iter("title")), None)
    heading = next(iter(case.tree.iter("h1")), None)
    words = {"zh": "[已撤稿] ", "de": "ZURÜCKGEZOGEN: ", "ru": "ОТОЗВАНО: ", "fr": "Rétracté : "}.get(
        case.language, "RETRACTED: "
    )
    done = False
    for element in (title, heading):
        if element is not None and element.text and element.text.strip():
            element.text = words + element.text.lstrip()
            done = True
    return done


HARMFUL: dict[str, Edit] = {
    "digit": _one(r"\d", _other_digit),
    "year": _one(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", _year),
    "decimal-point": _one(r"(?<=\d)([.])(?=\d)", lambda _, __: ""),
    "thousands": _one(r"(\d)(\d)?([.,]\d{3})", lambda m, _: m[1] + (m[2] or "") + m[3][0] + m[3][1:] + "0"),
    "unit": _in_spot(_unit),
    "number-word": _in_spot(_number_word),
    "word-of-weight": _in_spot(_word),
    "denied": _in_spot(_denied),
    "undenied": _in_spot(_undenied),
    "prefixed": _in_spot(_prefixed),
    "name": _in_spot(_name),
    "replaced": _in_spot(_replaced),
    "swapped": _in_spot(_swapped),
    "sentence-out": _in_spot(_sentence_out),
    "sentence-in": _in_spot(_sentence_in),
    "framed": _in_spot(_framed),
    "removed": _removed,
    "to-comment": _to_comment,
    "heading": _heading,
    "cells-swapped": _cells_swapped,
    "table-head": _head_swapped,
    "lead-in": _lead_in,
    "notice": _notice,
    "title": _in_title,
}
