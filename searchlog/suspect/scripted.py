"""Whether a page has no text before its scripts run. Pure.

For pages on which something was looked for in vain. What counts is that there is next to no prose and that scripts
would bring it: the element that they fill stands empty, the page asks to allow them, or it carries its content as data
for them. A short page of words with a script beside it is a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.tags import VOID
from searchlog.suspect.outline import Outline, weight
from searchlog.suspect.phrases import asks_for_scripts, waits

__all__ = ["scripted_tests"]

_LITTLE = 350
"""The weight of a sentence or two, as a shell without its content has them beside its menu."""
_TINY = 80
_LINES_MAX = 400
_LINK_PERCENT_MAX = 50
_TEXT_MAX = 4_000
_ROOTS_MAX = 60
_TOKENS_MAX = 200
_SCRIPT = re.compile(r"<script(?=[\s>])(?![^<>]{0,200}?/(?:ld\+)?json)", re.IGNORECASE)
_ROOT = re.compile(
    r"<(?:main\b|body\b[^<>]{0,300}?\sng-app|[a-z][a-z0-9]{0,30}-(?:root|app|shell|application)\b"
    r"|(?:div|section|article|span|body)\b[^<>]{0,300}?\s(?:id\s{0,3}=\s{0,3}[\"']?(?:root|app|main-app|mount|react-root"
    r"|react-app|vue-app|ng-app|q-app|svelte|app-?root|app-?mount|app-?container|application|__next|__nuxt|___gatsby"
    r"|ember-app|spa|app-?shell|main-root|page-root|root-app)[\"'\s>]"
    r"|role\s{0,3}=\s{0,3}[\"']?main\b|data-reactroot\b|(?:data-)?ng-app\b|data-server-rendered\b))[^<>]{0,300}>",
    re.IGNORECASE,
)
"""The element that an application fills, by the names that frameworks and their templates give it."""
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,60})[^<>]{0,2000}>")
_BESIDE = frozenset(("nav", "footer"))
_SILENT = frozenset(("script", "style", "noscript", "template", "svg"))
_NAMED = re.compile(r"java ?script|자바 ?스크립트|جافا ?سكر|जावास्क्रिप्ट|จาวาสคริปต์|ג'אווה", re.IGNORECASE)
"""What is said to those without scripts and names them asks to allow them, in whatever words."""
_STATE = re.compile(
    r"__next_data__|__next_f|__nuxt__|__(?:initial|preloaded|apollo|redux)_state__|__remix|__sveltekit|ytinitialdata"
    r"|window\.__[a-z_]{3,40}\s{0,3}=",
    re.IGNORECASE,
)
"""Data that an application brings along, to be shown by its scripts."""


def scripted_tests(outline: Outline, markup: str, conversion: Conversion | ConversionFailure | None) -> list[str]:
    """Return the tests by which a page has no text before its scripts run; none: it is not suspected to be one.

    markup: of the whole page, or as much of it as may be looked at; the time grows with its length only.
    """
    count = sum(1 for _ in _SCRIPT.finditer(markup))
    lines = _lines(outline, conversion)
    prose = sum(weight(line) for line, running in lines if running)
    if not count or prose > _LITTLE:
        return []
    bare = not any(weight(line) for line, _ in lines)
    says = list(_signs(outline, markup, conversion))
    # the outline may take for text what the conversion takes for furniture, such as a notice on cookies
    if not (bare or "root:empty" in says or (outline.prose <= _LITTLE and _enough(says, prose))):
        return []
    return [*says, "no-text" if bare else "tiny-text" if prose <= _TINY else "little-text", f"scripts:{count}"]


def _enough(says: Sequence[str], prose: int) -> bool:
    """Return whether these signs tell a page that is not there yet from a short one."""
    # a page of a few words may ask for scripts because of its chart
    most = _TINY // 2 if says == ["noscript:enable-javascript"] else _TINY
    return len(says) > 1 or (bool(says) and prose <= most)


def _lines(outline: Outline, conversion: Conversion | ConversionFailure | None) -> list[tuple[str, bool]]:
    """Return the lines of main text, each with whether it is running text; not those of waiting or about scripts."""
    if isinstance(conversion, Conversion):
        found = list(_main(conversion))
    else:
        found = [(line, weight(line) > _TINY or not outline.links) for line in outline.said.split("\n")[:_LINES_MAX]]
    return [(line, running) for line, running in found if not (waits(line) or asks_for_scripts(line))]


def _main(conversion: Conversion) -> Iterator[tuple[str, bool]]:
    for at, block in enumerate(conversion.blocks[:_LINES_MAX]):
        if block.hidden is None and block.furniture is None:
            place = conversion.places[at] if at < len(conversion.places) else None
            # on a page without main text, what is left may be taken for it
            around = place.path.split("/") if place is not None else []
            if around[:1] != ["header"] and _BESIDE.isdisjoint(around):
                linked = place is not None and place.link > _LINK_PERCENT_MAX
                yield conversion.text[block.start : block.end], block.kind != "heading" and not linked


def _signs(outline: Outline, markup: str, conversion: Conversion | ConversionFailure | None) -> Iterator[str]:
    text = conversion.text[:_TEXT_MAX] if isinstance(conversion, Conversion) else outline.text
    lines = [line for line in text.split("\n")[:_LINES_MAX] if line]
    if _root_empty(markup):
        yield "root:empty"
    if _NAMED.search(outline.noscript):
        yield "noscript:enable-javascript"
    elif any(len(line) <= _LITTLE and asks_for_scripts(line) for line in lines):
        yield "text:enable-javascript"
    if any(map(waits, lines)):
        yield "text:loading"
    if _STATE.search(markup):
        yield "script:state"


def _root_empty(markup: str) -> bool:
    """Return whether an element that scripts fill stands there and none of them has text."""
    found = [root.end() for _, root in zip(range(_ROOTS_MAX), _ROOT.finditer(markup), strict=False)]
    return bool(found) and not any(_filled(markup, at) for at in found)


def _filled(markup: str, at: int) -> bool:
    """Return whether an element that begins before this offset has text inside; a word of waiting is none."""
    depth = 0
    for _ in range(_TOKENS_MAX):
        begin = markup.find("<", at)
        text = markup[at : begin if begin >= 0 else len(markup)].strip()
        if text and not waits(text) and not asks_for_scripts(text):
            return True
        if begin < 0:
            return False
        if markup.startswith("<!--", begin):
            end = markup.find("-->", begin)
            if end < 0:
                return False
            at = end + 3
            continue
        tag = _TAG.match(markup, begin)
        if tag is None:
            at = begin + 1
            continue
        name, at = tag[2].lower(), tag.end()
        if tag[1]:
            depth -= 1
            if depth < 0:
                return False
        elif name in _SILENT:
            at = _after(markup, name, at)
        elif name not in VOID and not tag[0].endswith("/>"):
            depth += 1
    return False


def _after(markup: str, name: str, at: int) -> int:
    """Return the offset after the end tag of an element that holds no text, or the end of the markup."""
    low = f"</{name}"
    while (end := markup.find("</", at)) >= 0:
        at = end + len(low)
        if markup[end:at].lower() == low:
            close = markup.find(">", at)
            return close + 1 if close >= 0 else len(markup)
    return len(markup)
