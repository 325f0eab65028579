"""What CSS hides, as far as the page itself says it: inline styles and simple rules of its `<style>` elements. Pure.

Read: declarations of one element, and rules whose selector is a single compound of a tag, classes and an id
(`.a`, `#b`, `p.a.b`). Not read: linked style sheets, combinators, attribute selectors, scripts, print and
width-dependent rules. So text may be called visible that a style sheet elsewhere hides; never is text dropped for it.
Spec: CSS Syntax 3 section 4 (escapes, comments), CSS Display 3, CSS Color 4 (named colours: the common ones).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Look", "Sheet", "declarations", "look_of"]


class Look(NamedTuple):
    """What the declarations of one element say about seeing its text."""

    gone: str | None = None
    """Hides the element and all inside it: `style`, `opacity`, `offscreen`."""
    visibility: bool | None = None
    """Stated `visibility`: inside a hidden element a visible one is seen again."""
    sized: bool | None = None
    """Stated font size: False for nothing, True for something."""
    coloured: bool | None = None
    """Stated colour: False when the text has the colour of its own background or none at all."""
    block: bool = False
    """Stated as a block although its tag may be inline."""


PLAIN = Look()

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.S)
_ZERO = re.compile(r"[+-]?0*\.?0+(?:[a-z]+|%)?")
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|r?em|vw|vh|%|ch|pt)?")
_FAR = {"px": 400, "em": 40, "rem": 40, "vw": 100, "vh": 100, "%": 100, "ch": 80, "pt": 400, None: 400}
_HINTS = (
    *("color", "font", "left", "top", "none", "hidden", "right", "bottom", "visib", "opacity", "transparent", "clip"),
    *("indent", "collapse", "scale", "translate", "\\"),
)
"""One of them is in every style that hides or shows anything, `display` aside; the common ones first."""
_NAMED = {
    "white": "ffffffff",
    "black": "000000ff",
    "red": "ff0000ff",
    "green": "008000ff",
    "blue": "0000ffff",
    "yellow": "ffff00ff",
    "gray": "808080ff",
    "grey": "808080ff",
    "silver": "c0c0c0ff",
    "navy": "000080ff",
    "snow": "fffafaff",
    "ivory": "fffff0ff",
    "whitesmoke": "f5f5f5ff",
    "ghostwhite": "f8f8ffff",
    "floralwhite": "fffaf0ff",
}


def declarations(style: str) -> dict[str, tuple[str, bool]]:
    """Return property to (value, important), lower case, comments gone, escapes read; the last of equals wins."""
    if "/*" in style:
        style = _COMMENT.sub("", style)
    if "\\" in style:
        style = _ESCAPE.sub(_unescape, style)
    out: dict[str, tuple[str, bool]] = {}
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name, value = name.strip(), value.strip()
        important = value.endswith("important") and "!" in value
        if important:
            value = value[: value.rindex("!")].rstrip()
        if important or not out.get(name, ("", False))[1]:
            out[name] = (value, important)
    return out


def _unescape(match: re.Match[str]) -> str:
    digits, char = match.groups()
    if digits is None:
        return str(char)
    code = int(digits, 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def look_of(decl: Mapping[str, tuple[str, bool]]) -> Look:
    """Return what the declarations say; PLAIN when they say nothing about being seen."""

    def value(name: str) -> str:
        return decl[name][0] if name in decl else ""

    gone = None
    display = value("display")
    if display == "none" or value("content-visibility") == "hidden":
        gone = "style"
    elif _is_zero(value("opacity")) or re.search(r"opacity\(0*\.?0*%?\)", value("filter")):
        gone = "opacity"
    elif _offscreen(value):
        gone = "offscreen"
    visibility = {"hidden": False, "collapse": False, "visible": True}.get(value("visibility"))
    size = value("font-size") or _font_size(value("font"))
    sized = None if not size or size == "inherit" else not _tiny(size)
    return Look(gone, visibility, sized, _coloured(value), display in ("block", "flex", "grid", "list-item", "table"))


def _is_zero(value: str) -> bool:
    return bool(value) and _ZERO.fullmatch(value) is not None


def _tiny(size: str) -> bool:
    """Return whether a font size cannot be read: below 2 px."""
    match = _LENGTH.fullmatch(size)
    if match is None:
        return _is_zero(size)
    scale = {"px": 1.0, "pt": 1.33, None: 1.0, "%": 0.16}.get(match[2], 16.0)
    return abs(float(match[1])) * scale < 2


def _font_size(font: str) -> str:
    """Return the size inside a `font` shorthand."""
    for word in font.split():
        size = word.partition("/")[0]
        if _LENGTH.fullmatch(size) and not size.isdigit():
            return size
        if size == "0":
            return size
    return ""


def _offscreen(value: Callable[[str], str]) -> bool:
    position = value("position")
    if position in ("absolute", "fixed"):
        if any(_far(value(side)) for side in ("left", "right", "top", "bottom")):
            return True
        clip = value("clip").replace(" ", "")
        if re.fullmatch(r"rect\((?:[01](?:px)?[,)]?){4}\)?", clip):
            return True
    if _far(value("text-indent")) or _far(value("margin-left")) or _far(value("margin-top")):
        return True
    if re.search(r"inset\((?:50|100)%", value("clip-path")) or "circle(0" in value("clip-path"):
        return True
    transform = value("transform").replace(" ", "")
    if re.search(r"scale[xy]?\(0*\.?0+[,)]", transform) or re.search(r"translate[xy3d]*\(-\d{4,}", transform):
        return True
    box_hidden = value("overflow") in ("hidden", "clip")
    small = [
        side for side in ("height", "width", "max-height", "max-width") if _is_zero(value(side)) or value(side) == "1px"
    ]
    return box_hidden and bool(small)


def _far(length: str) -> bool:
    """Return whether a negative length moves text off any screen."""
    if not length.startswith("-"):
        return False
    match = _LENGTH.fullmatch(length)
    return match is not None and -float(match[1]) >= _FAR[match[2]]


def _coloured(value: Callable[[str], str]) -> bool | None:
    ink = value("color")
    if not ink or ink in ("inherit", "currentcolor"):
        return None
    colour = _colour(ink)
    if colour is None:
        return True
    if colour.endswith("00") and len(colour) == 8:
        return False
    ground = value("background-color") or value("background")
    if not ground or "url(" in ground or "gradient" in ground:
        return True
    return all(_colour(word) != colour for word in [ground, *ground.split()])


@lru_cache(1024)
def _colour(text: str) -> str | None:
    """Return a colour as 8 hex digits, or None for what we do not read."""
    if text == "transparent":
        return "00000000"
    if text in _NAMED:
        return _NAMED[text]
    if text.startswith("#"):
        digits = text[1:]
        if re.fullmatch(r"[0-9a-f]{3,4}", digits):
            digits = "".join(digit * 2 for digit in digits)
        if re.fullmatch(r"[0-9a-f]{6}", digits):
            return digits + "ff"
        return digits if re.fullmatch(r"[0-9a-f]{8}", digits) else None
    match = re.fullmatch(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+)(%?))?\s*\)", text)
    if match is None:
        return None
    alpha = 1.0
    if match[4] is not None:
        if match[4].count(".") > 1 or match[4] == ".":
            return None
        alpha = float(match[4]) / (100 if match[5] else 1)
    red, green, blue = (min(255, int(match[i])) for i in (1, 2, 3))
    return f"{red:02x}{green:02x}{blue:02x}{min(255, round(alpha * 255)):02x}"


_PIECE = re.compile(r"[^{}]*[{}]")
_COMPOUND = re.compile(r"([a-z][a-z0-9-]*)?((?:[.#][^\s.#:\[>+~*,()\\]+)*)", re.I)
_WIDE_MEDIA = re.compile(r"@media\s+(?:only\s+)?(?:all|screen)\s*|@layer\b[^;]*", re.I)
_SHEET_CHARS_MAX = 1_000_000
_RULES_MAX = 20_000


class _Rule(NamedTuple):
    tag: str
    classes: frozenset[str]
    id: str
    body: str
    """Its declarations, unread: few rules of a page ever meet an element."""
    order: tuple[int, int, int]


class Sheet:
    """The simple rules of a page's `<style>` elements; answers what one element looks like."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._rules: dict[str, list[_Rule]] = {}
        """By the part that is looked up first: `#id`, `.class` or tag."""
        self._cache: dict[tuple[str, str, str, str], Look] = {}
        self._read: dict[str, dict[str, tuple[str, bool]]] = {}
        """Declarations by the text of their rule."""
        self.tags: set[str] = set()
        """Elements that have a rule of their own, so that they need a look even without attributes."""
        self._marks: set[str] = set()
        """Classes and ids by which rules are looked up; an element with none of them needs no look."""
        count = 0
        for text in texts:
            for selectors, body in _plain_rules(text[:_SHEET_CHARS_MAX]):
                if "display" not in body and not _may_hide(body):
                    continue
                for selector in selectors.split(","):
                    count += 1
                    self._add(selector.strip(), body, count)
                if count > _RULES_MAX:
                    return

    @property
    def has_rules(self) -> bool:
        """Whether any rule of the page can be read at all."""
        return bool(self._rules)

    def _add(self, selector: str, body: str, count: int) -> None:
        if "\\" in selector:
            selector = _ESCAPE.sub(_unescape, selector)
        if " " in selector or ":" in selector:
            return  # most selectors, and no compound
        match = _COMPOUND.fullmatch(selector)
        if match is None or not selector:
            return
        tag, marks = (match[1] or "").lower(), match[2]
        parts = re.findall(r"([.#])([^.#]+)", marks)
        classes = frozenset(name for mark, name in parts if mark == ".")
        ids = [name for mark, name in parts if mark == "#"]
        # a rule for the whole page is a script's "not ready yet", never a way to hide a sentence
        if len(ids) > 1 or tag in ("html", "body"):
            return
        rule = _Rule(tag, classes, ids[0] if ids else "", body, (len(ids), len(classes), count))
        key = "#" + ids[0] if ids else "." + min(classes) if classes else tag
        self._rules.setdefault(key, []).append(rule)
        if classes or ids:
            self._marks.add(key[1:])
        else:
            self.tags.add(tag)

    def look(self, tag: str, attributes: Mapping[str, str | None]) -> Look:
        """Return what its rules and its own style say of this element."""
        style = attributes.get("style") or ""
        if not self._rules:
            return _inline_look(style) if style else PLAIN
        names, ident = attributes.get("class") or "", attributes.get("id") or ""
        if tag not in self.tags and ident not in self._marks and not (names and self._is_marked(names)):
            return _inline_look(style) if style else PLAIN
        key = (tag, names, ident, style)
        look = self._cache.get(key)
        if look is None:
            look = self._cache[key] = self._compute(tag, names.split(), ident, style)
        return look

    def _is_marked(self, names: str) -> bool:
        """Return whether a rule is looked up by one of these classes."""
        return not self._marks.isdisjoint(names.split())

    def _compute(self, tag: str, names: list[str], ident: str, style: str) -> Look:
        found = [
            rule for key in {tag, "#" + ident, *("." + name for name in names)} for rule in self._rules.get(key, ())
        ]
        have = set(names)
        found = [r for r in found if r.tag in ("", tag) and r.id in ("", ident) and r.classes <= have]
        if not found:
            return _inline_look(style) if style else PLAIN
        merged: dict[str, tuple[str, bool]] = {}
        for decl in [self._declarations(rule.body) for rule in sorted(found, key=_order)] + [declarations(style)]:
            for name, (value, important) in decl.items():
                if important or not merged.get(name, ("", False))[1]:
                    merged[name] = (value, important)
        return look_of(merged)

    def _declarations(self, body: str) -> dict[str, tuple[str, bool]]:
        """Return what a rule states, read once."""
        decl = self._read.get(body)
        if decl is None:
            decl = self._read[body] = declarations(body)
        return decl


def _order(rule: _Rule) -> tuple[int, int, int]:
    return rule.order


def _may_hide(style: str) -> bool:
    """Return whether declarations can say anything about being seen."""
    lower = style.lower()
    return any(hint in lower for hint in _HINTS)  # a quarter of the time of a pattern that ignores case


@lru_cache(4096)
def _inline_look(style: str) -> Look:
    return look_of(declarations(style)) if _may_hide(style) or "display" in style.lower() else PLAIN


def _plain_rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, declarations) of rules that hold on any screen."""
    if "/*" in text:
        text = _COMMENT.sub("", text)
    depth_off = 0
    """Depth inside an at-rule that we do not read; 0 outside."""
    prelude = ""
    for piece in _PIECE.findall(text):
        opens, inner = piece[-1] == "{", piece[:-1]
        if depth_off:
            depth_off += 1 if opens else -1
        elif not opens:
            if prelude:
                yield prelude, inner
            prelude = ""
        else:
            # statements such as `@import x;` end before the selector begins
            prelude = inner.rpartition(";")[2].strip()
            if prelude.startswith("@"):
                depth_off = 0 if _WIDE_MEDIA.fullmatch(prelude) else 1
                prelude = ""
