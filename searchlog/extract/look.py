"""What the declarations of one element say about seeing its text. Pure.

Deliberately not judged: what covers what (`z-index`), pictures, filters other than opacity, blending.
Spec: CSS Display 3, CSS Color 4 (named colours: the common ones), CSS Values 4 (lengths, `calc`, `var`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

__all__ = ["ESCAPE", "PLAIN", "Declared", "Look", "alike", "declarations", "look_of", "may_hide", "merged", "unescaped"]

Declared = dict[str, tuple[str, bool]]
"""Property to (value, important)."""


class Look(NamedTuple):
    """What the declarations of one element say about seeing its text."""

    gone: str | None = None
    """Hides the element and all inside it: `style`, `opacity`, `offscreen`."""
    visibility: bool | None = None
    """Stated `visibility`: inside a hidden element a visible one is seen again."""
    sized: bool | None = None
    """Stated font size or spacing: False for nothing to read, True for something."""
    coloured: bool | None = None
    """Stated colour: False when the text has the colour of its own background or none at all."""
    block: bool = False
    """Stated as a block although its tag may be inline."""
    ink: str | None = None
    """The colour of the text, 8 hex digits, when no background is stated with it."""
    ground: str | None = None
    """The colour behind the text, 8 hex digits; empty for a background that cannot be told."""
    placed: bool = False
    """Stated out of the flow of the page, so that anything may be behind it."""


PLAIN = Look()

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.S)
_ZERO = re.compile(r"[+-]?0*\.?0+(?:[a-z]+|%)?")
_LENGTH = re.compile(r"([+-]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))(px|r?em|vw|vh|vmin|vmax|%|ch|ex|pt|pc|cm|mm|in)?")
_PX = {
    **{"px": 1.0, "pt": 1.33, "pc": 16.0, "cm": 37.8, "mm": 3.78, "in": 96.0, "em": 16.0, "rem": 16.0, "ch": 8.0},
    **{"ex": 8.0, "vw": 4.0, "vh": 4.0, "vmin": 4.0, "vmax": 4.0, "%": 4.0, "": 1.0},
}
"""Pixels of a unit; of one relative to the screen, those of a narrow one."""
_FAR_PX = 400
"""Beyond this, text is moved off any screen, or off enough of it."""
_HINTS = (
    *("color", "font", "left", "top", "none", "hidden", "right", "bottom", "visib", "opacity", "transparent", "clip"),
    *(
        "indent",
        "collapse",
        "scale",
        "translate",
        "\\",
        "background",
        "var(",
        "spacing",
        "mask",
        "zoom",
        "inset",
        "matrix",
    ),
    *(
        "unset",
        "revert",
        "initial",
        "rotate",
        "--",
        "margin:-",
        "margin: -",
        " -9",
        "height:0",
        "height: 0",
        " -1",
        "animation",
        "transition",
        "position",
    ),
)
"""One of them is in every style that hides or shows anything, `display` aside; the common ones first."""
_NAMED = {
    **{"white": "ffffffff", "black": "000000ff", "red": "ff0000ff", "green": "008000ff", "blue": "0000ffff"},
    **{"yellow": "ffff00ff", "gray": "808080ff", "grey": "808080ff", "silver": "c0c0c0ff", "navy": "000080ff"},
    **{"snow": "fffafaff", "ivory": "fffff0ff", "whitesmoke": "f5f5f5ff", "ghostwhite": "f8f8ffff"},
    **{"floralwhite": "fffaf0ff", "azure": "f0ffffff", "mintcream": "f5fffaff", "canvas": "ffffffff"},
    **{"canvastext": "000000ff", "transparent": "00000000", "lightgray": "d3d3d3ff", "lightgrey": "d3d3d3ff"},
    **{"gainsboro": "dcdcdcff", "orange": "ffa500ff", "lime": "00ff00ff", "aqua": "00ffffff", "cyan": "00ffffff"},
    **{"maroon": "800000ff", "purple": "800080ff", "olive": "808000ff", "teal": "008080ff", "fuchsia": "ff00ffff"},
}
_ALIKE = 12
"""By how much each part of two colours, of 255, may differ without a reader telling them apart."""
_SCALED_MAX = 0.05
"""Of its size, what nobody reads any more."""
_FAINT = 0.04
"""Opacity up to which text is not seen."""


def declarations(style: str) -> Declared:
    """Return property to (value, important), lower case, comments gone, escapes read; the last of equals wins."""
    if "/*" in style:
        style = _COMMENT.sub("", style)
    style = unescaped(style)
    out: Declared = {}
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name, value = name.strip(), value.strip()
        important = value.endswith("important") and "!" in value
        if important:
            value = value[: value.rindex("!")].rstrip()
        _put(out, name, value, important)
    return out


_GLOBAL = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))
_WORDED = {
    "visibility": _GLOBAL | {"visible", "hidden", "collapse"},
    "display": _GLOBAL
    | {"none", "block", "inline", "inline-block", "flex", "inline-flex", "grid", "inline-grid", "contents", "list-item"}
    | {"flow-root", "run-in", "math", "ruby", "table", "inline-table", "table-row", "table-cell", "table-row-group"}
    | {"table-header-group", "table-footer-group", "table-column", "table-column-group", "table-caption", "box"}
    | {"block flex", "inline flex", "block flow", "block grid", "inline flow-root", "block flow-root", "flow"},
}
"""Properties whose values are few words; a value with anything else is passed over as a browser does."""


def merged(parts: list[Declared]) -> Declared:
    """Return declarations joined, each part stronger than those before it."""
    out: Declared = {}
    for part in parts:
        for name, (value, important) in part.items():
            _put(out, name, value, important)
    return out


def _put(out: Declared, name: str, value: str, important: bool) -> None:
    if name == "all":
        for other in [other for other, (_, strong) in out.items() if important or not strong]:
            if not other.startswith("--"):
                del out[other]
    elif important or name not in out or not out[name][1]:
        if name in _WORDED and value not in _WORDED[name] and not value.startswith(("var(", "-")):
            return  # not valid, so that what was stated before holds
        out.pop(name, None)  # so that the order is that of what holds
        out[name] = (value, important)


def unescaped(text: str) -> str:
    """Return CSS text with its escapes read."""
    return ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    digits, char = match.groups()
    if digits is None:
        return str(char)
    code = int(digits, 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def may_hide(style: str) -> bool:
    """Return whether declarations can say anything about being seen."""
    lower = style.lower()
    for hint in _HINTS:  # noqa: SIM110 -- a fifth of the time of a pattern that ignores case
        if hint in lower:
            return True
    return False


# --- values

_VAR = re.compile(r"var\(\s*(--[\w-]{1,100})\s*(?:,([^()]{0,200}))?\)")
_VARS_MAX = 8


def _resolved(value: str, decl: Declared, variables: Mapping[str, str]) -> str:
    """Return a value with its variables put in: those of the element, then those of the page, then the fallback."""

    def put(match: re.Match[str]) -> str:
        name, fallback = match.groups()
        if name in decl:
            return decl[name][0][:200]
        return variables.get(name, fallback or "")[:200].strip()

    for _ in range(_VARS_MAX):
        if "var(" not in value or len(value) > 2000:
            break
        value = _VAR.sub(put, value)
    return value.strip()


_TERM = re.compile(
    r"\s*([+-]?)\s*(?:([\d.]{1,12})(px|r?em|vw|vh|vmin|vmax|%|ch|ex|pt|pc|cm|mm|in)?)\s*(?:([*/])\s*([\d.]{1,12}))?"
)


def _px(value: str, percent: float = 4.0) -> float | None:
    """Return about how many pixels a length is, or None for what is none; sums in `calc` are read."""
    if value.startswith(("calc(", "-webkit-calc(")) and value.endswith(")"):
        return _sum(value.partition("(")[2][:-1].replace("(", " ").replace(")", " "), percent)
    match = _LENGTH.fullmatch(value)
    if match is None:
        return None
    unit = match[2] or ""
    return float(match[1]) * (percent if unit == "%" else _PX[unit])


def _sum(terms: str, percent: float) -> float | None:
    total, at = 0.0, 0
    terms = terms.strip()
    while at < len(terms):
        match = _TERM.match(terms, at)
        if match is None or match.end() == at or match[2].count(".") > 1 or match[2] == ".":
            return None
        number = float(match[2]) * (percent if match[3] == "%" else _PX[match[3] or ""])
        if match[4]:
            other = float(match[5]) if match[5].count(".") <= 1 and match[5] != "." else 0.0
            number = number * other if match[4] == "*" else number / other if other else 0.0
        total += -number if match[1] == "-" else number
        at = match.end()
    return total


def _is_zero(value: str) -> bool:
    return bool(value) and (_ZERO.fullmatch(value) is not None or (value.startswith("calc(") and _px(value) == 0))


def _number(value: str) -> float | None:
    """Return a number or percentage as a number."""
    match = re.fullmatch(r"([+-]?(?:\d{1,6}\.?\d{0,9}|\.\d{1,9})(?:e[+-]?\d{1,2})?)(%?)", value)
    return None if match is None else float(match[1]) / (100 if match[2] else 1)


def _is_faint(value: str) -> bool:
    number = _number(value)
    return number is not None and number <= _FAINT


# --- the look

_BLOCKS = ("block", "flex", "grid", "list-item", "table", "flow-root")
_SIDES = ("left", "right", "top", "bottom", "inset-inline-start", "inset-inline-end", "inset-block-start", "inset")
_SHIFTS = ("text-indent", "margin-left", "margin-top", "margin-inline-start")
_BOX = ("height", "width", "max-height", "max-width", "line-height", "block-size", "inline-size", "max-block-size")
_FLOWS = ("overflow", "overflow-x", "overflow-y")
_GROWS = ("flex", "flex-grow", "min-height", "min-block-size", "position")
"""What may give a box more height than it states."""
_MASKS = ("mask-image", "mask", "-webkit-mask-image", "-webkit-mask")
_MOVES = ("animation", "animation-name", "transition", "transition-property")
"""What may bring back what is faint at first."""
_PLACING = frozenset(("position", "margin", "clip-path", "zoom", "transform", "scale", "translate", *_SHIFTS, *_FLOWS))
_SIZING = frozenset(("font-size", "font", "letter-spacing"))
_COLOURING = frozenset(("color", "-webkit-text-fill-color", "background", "background-color", "background-image"))
_READ = (
    frozenset(("display", "content-visibility", "opacity", "filter", "visibility", "clip", *_MASKS, *_SIDES, *_BOX))
    | frozenset(("text-shadow", "background-clip", "-webkit-background-clip", *_MOVES, *_GROWS))
    | (_PLACING | _SIZING | _COLOURING)
)
"""All properties that are read."""
_FILTERED = re.compile(r"opacity\(\s*([\d.]{1,12}%?)\s*\)")


def look_of(decl: Declared, variables: Mapping[str, str] | None = None) -> Look:
    """Return what the declarations say; PLAIN when they say nothing about being seen.

    variables: custom properties of the whole page.
    """
    held = {
        name: _resolved(value, decl, variables or {}) if "var(" in value else value
        for name, (value, _) in decl.items()
        if name in _READ
    }

    def value(name: str) -> str:
        return held.get(name, "")

    gone = None
    if value("display") == "none" or value("content-visibility") == "hidden":
        gone = "style"
    elif _is_faint(value("opacity")) or any(map(_is_faint, _FILTERED.findall(value("filter")))) or _masked(value):
        gone = None if any(held.get(name, "none") not in ("none", "") for name in _MOVES) else "opacity"
    elif not _PLACING.isdisjoint(held) and _offscreen(value, held):
        gone = "offscreen"
    visibility = {"hidden": False, "collapse": False, "visible": True}.get(value("visibility"))
    sized = None if _SIZING.isdisjoint(held) else _sized(value)
    coloured, ink, ground = (None, None, None) if _COLOURING.isdisjoint(held) else _colours(value)
    placed = value("position") not in ("", "static")
    return Look(gone, visibility, sized, coloured, value("display") in _BLOCKS, ink, ground, placed)


def _masked(value: Callable[[str], str]) -> bool:
    """Return whether a mask lets nothing through: a gradient of nothing but transparent colours."""
    mask = next(filter(None, map(value, _MASKS)), "")
    if "gradient(" not in mask or "url(" in mask:
        return False
    inside = mask.partition("gradient(")[2].rpartition(")")[0]
    colours = re.findall(r"#[0-9a-f]{3,8}\b|rgba?\([^()]{0,60}\)|hsla?\([^()]{0,60}\)|[a-z]{3,20}", inside)
    known = [colour for colour in map(_colour, colours) if colour is not None]
    return bool(known) and all(colour.endswith("00") for colour in known)


def _sized(value: Callable[[str], str]) -> bool | None:
    size = value("font-size") or _font_size(value("font"))
    spacing = _px(value("letter-spacing"))
    if spacing is not None and value("letter-spacing").startswith(("-", "calc")):
        height = _px(size, 0.16) if size else None
        if spacing <= -0.5 * (16.0 if height is None else height) and spacing <= -4:
            return False
    if not size or size == "inherit":
        return None
    if _tiny(size):
        return False
    # of nothing, any part is nothing
    return None if size.endswith(("em", "%")) and not size.endswith("rem") else True


def _tiny(size: str) -> bool:
    """Return whether a font size cannot be read: below 2 px."""
    if size.startswith(("calc(", "clamp(", "min(")):
        inside = size.partition("(")[2][:-1]
        first = inside if size.startswith("calc(") else ""
        pixels = _sum(first, 0.16) if first else None
    elif (match := _LENGTH.fullmatch(size)) is not None:
        pixels = float(match[1]) * (0.16 if match[2] == "%" else _PX[match[2] or ""])
    else:
        return _is_zero(size)
    return pixels is not None and abs(pixels) < 2


def _font_size(font: str) -> str:
    """Return the size inside a `font` shorthand."""
    for word in font.split():
        size = word.partition("/")[0]
        if _LENGTH.fullmatch(size) and not size.isdigit():
            return size
        if size == "0":
            return size
    return ""


def _offscreen(value: Callable[[str], str], held: Mapping[str, str]) -> bool:
    if value("position") in ("absolute", "fixed", "relative", "sticky"):
        if any(_far(value(side)) for side in _SIDES if side in held):
            return True
        # far to the right or below, where nobody scrolls to
        if any((_px(value(side)) or 0) >= 5000 for side in ("left", "top") if side in held):
            return True
        if value("position") == "fixed" and _beyond(value("left")):
            return True
        clip = value("clip").replace(" ", "")
        if re.fullmatch(r"rect\((?:[01](?:px)?[,)]?){4}\)?", clip):
            return True
    if any(_far(value(name)) for name in _SHIFTS if name in held):
        return True
    if "margin" in held and "calc" not in value("margin"):
        sides = value("margin").split()
        if any(map(_far, sides[::3] if len(sides) != 2 else sides)):  # the top and the left
            return True
    return _clipped(value) or _transformed(value) or _boxed(value)


def _clipped(value: Callable[[str], str]) -> bool:
    path = value("clip-path")
    if not path:
        return False
    if any(_cut_away(inset.split(" round")[0].split()) for inset in re.findall(r"inset\(([^()]{1,200})\)", path)):
        return True
    if re.search(r"inset\(\s*(?:50|[6-9]\d|100)(?:\.\d{1,6})?%|(?:circle|ellipse)\(\s*0(?:px|%|r?em)?[\s,)]", path):
        return True
    points = re.fullmatch(r"polygon\(([^()]{0,400})\)", path)
    return points is not None and len({" ".join(point.split()) for point in points[1].split(",")}) < 3


def _cut_away(sides: list[str]) -> bool:
    """Return whether insets leave nothing of a box: those that face each other add up to all of it."""
    if not 1 <= len(sides) <= 4 or not all(side == "0" or side.endswith("%") for side in sides):
        return False
    top, right, bottom, left = (_number(sides[at % len(sides)] if at < 3 else sides[-1]) or 0 for at in range(4))
    left = right if len(sides) in (1, 2, 3) else left
    return top + bottom >= 1 or left + right >= 1


def _transformed(value: Callable[[str], str]) -> bool:
    if value("zoom") and _is_zero(value("zoom")):
        return True
    transform = value("transform").replace(" ", "")
    scale = value("scale").split()
    scale += [
        part for parts in re.findall(r"scale(?:[xy]|3d)?\(([^()]{1,60})\)", transform) for part in parts.split(",")
    ]
    if any(abs(number) <= _SCALED_MAX for number in map(_number, scale) if number is not None):
        return True
    moved = [
        part for parts in re.findall(r"translate(?:[xy]|3d)?\(([^()]{1,60})\)", transform) for part in parts.split(",")
    ]
    if any(_far(part) or (not part.endswith("%") and (_px(part) or 0) >= 5000) for part in moved):
        return True
    if transform and (
        re.search(
            r"scale(?:[xy]|3d)?\((?:[\d.]{1,9},)?0*\.?0+[,)]|rotate[xy]\((?:90|270)deg\)|matrix\(0,0,0,0,", transform
        )
        or any(map(_far, re.findall(r"translate(?:[xy]|3d)?\((-[\d.]{1,9}(?:px|r?em|vw|vh|%))", transform)))
    ):
        return True
    return any(_far(part) or (_px(part) or 0) >= 5000 for part in value("translate").split())


def _boxed(value: Callable[[str], str]) -> bool:
    """Return whether the box has no room for its text and does not let it out."""
    flows = {word for name in _FLOWS for word in value(name).split()}
    if not flows.isdisjoint(("auto", "scroll")) and all(value(name) in ("", "0", "none", "initial") for name in _GROWS):
        return any(_is_zero(value(side)) for side in ("height", "max-height"))  # nobody scrolls in nothing
    if flows.isdisjoint(("hidden", "clip")):
        return False
    return any(_is_zero(value(side)) or value(side) == "1px" for side in _BOX)


def _beyond(length: str) -> bool:
    """Return whether a length is the whole screen's width or more."""
    match = _LENGTH.fullmatch(length)
    return match is not None and match[2] in ("vw", "%") and float(match[1]) >= 100


def _far(length: str) -> bool:
    """Return whether a negative length moves text off any screen."""
    if not length.startswith(("-", "calc(")):
        return False
    pixels = _px(length)
    if pixels is None:
        return False
    unit = length.lstrip("-.0123456789")
    # of its own size or the screen's, all of it
    return pixels <= -_FAR_PX or (unit in ("em", "rem", "ch") and pixels <= -40 * _PX[unit])


def _colours(value: Callable[[str], str]) -> tuple[bool | None, str | None, str | None]:
    """Return whether the text can be told from its background, its colour if that is open, and the background."""
    ground = _ground(value)
    fill = value("-webkit-text-fill-color")
    ink = fill if fill and fill not in ("inherit", "currentcolor") else value("color")
    if not ink or ink in ("inherit", "currentcolor"):
        return None, None, ground
    colour = _colour(ink)
    if colour is None:
        return True, None, ground
    if value("text-shadow") not in ("", "none") or "text" in (
        value("background-clip"),
        value("-webkit-background-clip"),
    ):
        return True, None, ground  # drawn by its shadow, or by its background
    if int(colour[6:], 16) <= 255 * _FAINT:
        return False, None, ground
    if ground:
        return not alike(colour, ground), None, ground
    return True, (colour if ground is None else None), ground


def _ground(value: Callable[[str], str]) -> str | None:
    """Return the background's colour, None where none is stated, empty where it cannot be told."""
    stated = value("background-color") or value("background")
    if not stated or stated in ("none", "inherit", "initial", "unset"):
        return "" if value("background-image") not in ("", "none") else None
    if "url(" in stated or "gradient" in stated or value("background-image") not in ("", "none"):
        return ""
    for word in (stated, *stated.split()):
        colour = _colour(word)
        if colour is not None:
            return None if colour.endswith("00") else colour if colour.endswith("ff") else ""
    return ""


def alike(one: str, other: str) -> bool:
    """Return whether nobody can tell two colours apart, given as 8 hex digits."""
    return all(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) <= _ALIKE for at in (0, 2, 4))


@lru_cache(1024)
def _colour(text: str) -> str | None:
    """Return a colour as 8 hex digits, or None for what we do not read."""
    if text in _NAMED:
        return _NAMED[text]
    if text.startswith("#"):
        digits = text[1:]
        if re.fullmatch(r"[0-9a-f]{3,4}", digits):
            digits = "".join(digit * 2 for digit in digits)
        if re.fullmatch(r"[0-9a-f]{6}", digits):
            return digits + "ff"
        return digits if re.fullmatch(r"[0-9a-f]{8}", digits) else None
    match = re.fullmatch(r"(rgb|hsl)a?\(([^()]{1,80})\)", text)
    if match is None:
        return None
    parts = re.split(r"[\s,/]+", match[2].strip())
    if len(parts) not in (3, 4):
        return None
    alpha = _number(parts[3]) if len(parts) == 4 else 1.0
    channels = _hsl(parts) if match[1] == "hsl" else _rgb(parts)
    if alpha is None or channels is None:
        return None
    return "".join(f"{max(0, min(255, round(part))):02x}" for part in (*channels, alpha * 255))


def _rgb(parts: list[str]) -> list[float] | None:
    numbers = [_number(part) for part in parts[:3]]
    if any(number is None for number in numbers):
        return None
    return [(number or 0) * (255 if part.endswith("%") else 1) for number, part in zip(numbers, parts, strict=False)]


def _hsl(parts: list[str]) -> list[float] | None:
    hue, full, light = (_number(part.removesuffix("deg")) for part in parts[:3])
    if hue is None or full is None or light is None:
        return None
    full, light = (min(1.0, part / 100 if part > 1 else part) for part in (full, light))
    reach = full * min(light, 1 - light)

    def channel(number: int) -> float:
        place = (number + (hue or 0) / 30) % 12
        return 255 * (light - reach * max(-1.0, min(place - 3, 9 - place, 1.0)))

    return [channel(0), channel(8), channel(4)]
