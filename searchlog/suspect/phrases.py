"""Whole headings by which a page says that it is not the page asked for, in several languages.

A heading counts only as a whole: "Page not found" does, "Why a page is not found" does not. Of a title that names the
site beside it, each part is a heading. What a heading says is never enough by itself; see `judge.py`.

The headings stand in `phrases.txt`, which is read once, where it is first needed:
`missing`, nothing was found; `challenge`, the visitor is checked; `challenge-weak`, the same, but other pages say so
too; `challenge-text`, phrases that may stand anywhere in a short text of a check; `login`, a form to log in;
`paywall`, that a text is for those who pay; `reading-on` with `subscribing`, the same in two phrases of one short line,
where it names no `newsletter`; `enable-javascript`, that scripts must be allowed; `loading`, a word of waiting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

__all__ = [
    "asks_for_scripts",
    "asks_to_pay",
    "challenge_heading",
    "challenge_text",
    "login_heading",
    "missing_heading",
    "missing_lines",
    "missing_ways",
    "names",
    "parts",
    "waits",
]

_PART = re.compile(r"\s[|·•–—»«›‹:~/-]{1,2}\s|[|»«›‹]|:\s")
_SIGNS = re.compile(r"[^\w']+")
_SENTENCE = re.compile(r"[.!?\n]\s?|[\u3002\uff01\uff1f\uff0c,]")
_LONGEST = 160


def _plain(text: str) -> str:
    """Return a heading in small letters, without signs, apostrophes straight."""
    folded = text[:_LONGEST].casefold().replace("\u2019", "'").replace("\u02bc", "'")
    return " ".join(_SIGNS.sub(" ", folded).replace("'", "").split())


def parts(title: str) -> list[str]:
    """Return a title and its parts, each in plain form; the whole first."""
    text = title[:_LONGEST]
    found = [_plain(text), *(_plain(part) for part in _PART.split(text))]
    return [part for part in dict.fromkeys(found) if part]


def names(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


@cache
def _list(name: str) -> frozenset[str]:
    """Return a list of `phrases.txt`, in plain form."""
    text = files("searchlog.suspect").joinpath("phrases.txt").read_text("utf-8")
    body = text.partition(f"\n[{name}]\n")[2].partition("\n[")[0]
    found = frozenset(filter(None, map(_plain, body.splitlines())))
    assert found, f"phrases.txt has no list {name}"
    return found


_THING = (
    "page|webpage|web page|site|website|repository|project|blog"
    "|article|product|item|content|post|story|document|file|resource|object|url|address|listing"
    "|video|topic|thread|job|offer|event|profile|user|account|recipe|entry|record|report|image|category|link"
)
_WANTED = r"requested|seeking|looking (?:for|at)|tried to (?:reach|open|access|view)"
_NOT_FOUND = re.compile(
    rf"(?:(?:the|this|that|your) )?(?:requested |specified )?(?:{_THING})"
    rf"(?: (?:that )?you(?:re| are| were| have)? (?:{_WANTED}))? "
    r"(?:(?:was |is |were |could |can |can)?not (?:be )?(?:found|available|located)"
    r"|(?:couldnt|cant|wasnt|isnt) (?:be )?(?:found|available|located|here)"
    r"|(?:does not|doesnt) exist|(?:is )?no longer (?:exists?|available|here)|(?:is )?gone|(?:is )?missing"
    r"|(?:is )?unavailable|(?:has )?expired"
    r"|(?:has been|was|is|may have been|might have been) (?:moved|removed|deleted|archived))"
    r"(?: on this server| anymore| any more| right now| or (?:has been )?(?:moved|removed|deleted))?"
)
_SEARCHED = re.compile(
    r"we (?:could not|couldnt|cannot|cant|can not) (?:find|locate) "
    r"(?:what you|(?:the|this|that|your) (?:[a-z]{1,20} )?page)[a-z ]{0,40}"
)

_AROUND = names(
    """
    404 410 error http status code oops whoops ooops uh oh ohh sorry hmm hmmm ops ups fehler erreur errore erro
    foutmelding ошибка 错误 エラー 오류 hoppla désolé lo siento desculpe entschuldigung извините
    抱歉 很抱歉 对不起 sayfa hata
    """
)
"""Words that may stand before or after it and say nothing more."""
_NUMBERS = names("404 410")


def missing_heading(heading: str) -> int:
    """Return how plainly a heading, or a part of a title, says as a whole that something was not found: 2, 1 or 0.

    1 is a bare number: it may be the page's subject.
    """
    found = missing_ways(heading)
    return 2 if found.difference(_NUMBERS) else len(found)


def missing_ways(heading: str) -> set[str]:
    """Return in which ways a heading, or a part of a title, says it, without what stands around the words."""
    found = parts(heading)
    said = {_bare(part) or part for part in found if _missing(part) or _missing(_bare(part))}
    return said or set(_NUMBERS.intersection(found))


def missing_lines(text: str) -> set[str]:
    """Return in which ways a sentence of a short text says as a whole that something was not found.

    A site's menu may stand before them, with a line for each of its links.
    """
    sentences = [sentence for sentence in _SENTENCE.split(text[:4_000])[:200] if 2 < len(sentence) <= _LONGEST]
    return {way for sentence in sentences for way in missing_ways(sentence)} - _NUMBERS


def _missing(part: str) -> bool:
    return part in _list("missing") or _NOT_FOUND.fullmatch(part) is not None or _SEARCHED.fullmatch(part) is not None


def _bare(part: str) -> str:
    """Return a plain heading without the words around it that say nothing more."""
    words = part.split()
    if len(words) > 1 and "404" in words and all(word in _AROUND for word in words):
        return "http 404"
    while words and words[0] in _AROUND:
        del words[0]
    while words and words[-1] in _AROUND:
        del words[-1]
    return " ".join(words)


def challenge_heading(heading: str) -> int:
    """Return how plainly a heading says that the visitor is being checked: 2, 1 (other pages say so too) or 0."""
    found = parts(heading)
    if any(part in _list("challenge") for part in found):
        return 2
    return 1 if any(part in _list("challenge-weak") for part in found) else 0


def challenge_text(text: str) -> bool:
    """Return whether a short text speaks of the visitor being checked."""
    plain = _plain_text(text[:3_000])
    return any(phrase in plain for phrase in _list("challenge-text"))


def login_heading(headings: Iterable[str]) -> bool:
    """Return whether a heading, or a part of a title, asks as a whole to log in."""
    return any(_logs_in(part) for heading in headings for part in parts(heading))


def _logs_in(part: str) -> bool:
    words = part.split()
    # "log in to Example" names the site, and nothing but it
    cut = next((at for at, word in enumerate(words[:4]) if word in ("to", "bei", "sur", "en", "a", "в") and at), None)
    return part in _list("login") or (cut is not None and len(words) - cut <= 4 and " ".join(words[:cut]) in _SIGNS_IN)


_SIGNS_IN = frozenset(("log in", "login", "sign in", "signin", "anmelden", "connexion", "iniciar sesión", "вход"))


_LINE_MAX = 200
_SCRIPTS_TEXT = 2_000
_RESERVED = re.compile(
    r"(?:this|the(?: full| entire| whole)?) (?:article|post|story|content|page|issue|video|report|column|analysis|text)"
    r"(?: is| are)?(?: only| exclusively)?(?: available| accessible| reserved| open| visible)?(?: only| exclusively)?"
    r" (?:to|for)(?: our)?(?: paid| paying| premium| registered| logged in| full)*"
    r" (?:subscriber|member|supporter|patron)"
)
_READ_ENOUGH = re.compile(
    r"you(?:ve| have)? (?:read|reached|used|viewed|hit) (?:up )?(?:all |both )?(?:of )?(?:your|the|our|\d{1,3})"
    r"(?: of)?(?: \d{1,3})?(?: last| limit of| monthly| free| complimentary| premium)* (?:free |monthly )?"
    r"(?:article|stor|limit|view)"
)


def asks_to_pay(line: str) -> bool:
    """Return whether a short line says that reading on is for those who subscribe, register or pay.

    A line of running text that speaks of such lines is too long, and one that offers a newsletter is none, nor one that
    offers a blog's "full archive", which stands on pages that are whole.
    """
    if len(line) > _LINE_MAX:
        return False
    plain = _plain_text(line)
    if any(word in plain for word in _list("paywall")) or _RESERVED.search(plain) or _READ_ENOUGH.search(plain):
        return True
    return (
        any(phrase in plain for phrase in _list("reading-on"))
        and any(word in plain for word in _list("subscribing"))
        and not any(word in plain for word in _list("newsletter"))
    )


def asks_for_scripts(text: str) -> bool:
    """Return whether a text asks to allow scripts."""
    plain = _plain_text(text[:_SCRIPTS_TEXT])
    return any(phrase in plain for phrase in _list("enable-javascript"))


def waits(line: str) -> bool:
    """Return whether a line is wholly a word of waiting, such as "Loading…"."""
    return _plain(line) in _list("loading")


def _plain_text(text: str) -> str:
    folded = text.casefold().replace("\u2019", "'").replace("\u02bc", "'").replace("'", "")
    return " ".join(_SIGNS.sub(" ", folded).split())
