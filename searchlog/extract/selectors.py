"""CSS selectors that name more than one element's own marks: what stands around it, its attributes, its place. Pure.

What depends on the reader or the moment (`:hover`, `:target`) and what is no element (`::before`) never matches. A
part that is not judged here (`:has()`, `:lang()`, classes that scripts set) is left out, and the selector says that it
is not sure: such a rule may show text, but never hides any.
Spec: Selectors 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Compound", "Meter", "Selector", "parent_of", "parse", "split"]


class Meter:
    """How much looking around a page may still cost; at zero nothing matches any more."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self) -> bool:
        self.left -= 1
        return self.left > 0


@dataclass(frozen=True, slots=True)
class Compound:
    """What one element has to be."""

    tag: str = ""
    id: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    """Name, operator (empty: it is there; ending in `i`: in upper or lower case), value."""
    place: tuple[tuple[str, int, int], ...] = ()
    """`child` or `of-type`, `last-child` or `last-of-type`; a and b of `an+b`."""
    some_of: tuple[tuple[Selector, ...], ...] = ()
    none_of: tuple[tuple[Selector, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """A compound and what has to stand around it."""

    subject: Compound
    around: tuple[tuple[str, Compound], ...] = ()
    """From the subject outwards: combinator and compound."""
    weight: tuple[int, int, int] = (0, 0, 0)
    """Specificity."""
    is_sure: bool = True
    """Whether all its parts are judged: it may be for fewer elements than those that match."""

    @property
    def is_marked(self) -> bool:
        """Whether tag, id and classes are all that the last part asks for."""
        subject = self.subject
        return not (subject.attributes or subject.place or subject.some_of or subject.none_of)

    def outer_marks(self) -> Iterator[str]:
        """Yield tags, `#id` and `.class` that have to stand around what is selected, not beside it."""
        for combinator, compound in self.around:
            if combinator in " >":
                if compound.tag:
                    yield compound.tag
                if compound.id:
                    yield "#" + compound.id
                yield from ("." + name for name in sorted(compound.classes))

    def matches(self, node: Any, meter: Meter) -> bool:
        """Return whether a lexbor node is what is selected."""
        return self.is_at(node, meter) and self.stands(node, meter)

    def is_at(self, node: Any, meter: Meter) -> bool:
        """Return whether the node is what the selector's last part asks for."""
        return _is(node, self.subject, meter)

    def stands(self, node: Any, meter: Meter) -> bool:
        """Return whether the rest of the selector is found around the node."""
        return _stands(node, self.around, meter)


def _stands(node: Any, around: tuple[tuple[str, Compound], ...], meter: Meter) -> bool:
    if not around:
        return True
    (combinator, compound), rest = around[0], around[1:]
    other = node
    while True:
        other = _before(other) if combinator in "+~" else parent_of(other)
        if other is None or not meter.spend():
            return False
        if _is(other, compound, meter) and _stands(other, rest, meter):
            return True
        if combinator in ">+":
            return False


def parent_of(node: Any) -> Any:
    """Return the element around a node, or None."""
    parent = node.parent
    return None if parent is None or parent.tag in ("-document", "-undef", None) else parent


def _before(node: Any) -> Any:
    node = node.prev
    while node is not None and node.tag.startswith("-"):
        node = node.prev
    return node


def _after(node: Any) -> Any:
    node = node.next
    while node is not None and node.tag.startswith("-"):
        node = node.next
    return node


def _is(node: Any, compound: Compound, meter: Meter) -> bool:
    if compound.tag and node.tag != compound.tag:
        return False
    if compound.id or compound.classes or compound.attributes:
        attributes = node.attributes
        if compound.id and attributes.get("id") != compound.id:
            return False
        if compound.classes and not compound.classes.issubset((attributes.get("class") or "").split()):
            return False
        if not all(_has(attributes, *wanted) for wanted in compound.attributes):
            return False
    if compound.place and not all(_is_at(node, *place, meter) for place in compound.place):
        return False
    if not (compound.some_of or compound.none_of):
        return True
    return all(any(one.matches(node, meter) for one in some) for some in compound.some_of) and not any(
        one.matches(node, meter) for none in compound.none_of for one in none
    )


def _has(attributes: Any, name: str, operator: str, value: str) -> bool:
    if name not in attributes:
        return False
    if not operator:
        return True
    found = attributes[name] or ""
    if operator[-1] == "i":
        operator, found, value = operator[:-1], found.lower(), value.lower()
    match operator:
        case "=":
            return bool(found == value)
        case "~=":
            return value in found.split()
        case "|=":
            return found == value or found.startswith(value + "-")
        case "^=":
            return bool(value) and found.startswith(value)
        case "$=":
            return bool(value) and found.endswith(value)
        case _:
            return bool(value) and value in found


def _is_at(node: Any, kind: str, a: int, b: int, meter: Meter) -> bool:
    """Return whether an element is the `an+b`-th among its siblings, or among those of its name."""
    of_type, step = kind.endswith("type"), _after if kind.startswith("last") else _before
    number, other = 1, step(node)
    while other is not None:
        if not meter.spend():
            return False
        number += not of_type or other.tag == node.tag
        other = step(other)
    return number == b if a == 0 else (number - b) % abs(a) == 0 and (number - b) // a >= 0


# --- reading

_PARTS = re.compile(
    r"(?P<tag>\*|[a-zA-Z][\w-]*)|[.](?P<cls>[^\s.#:\[\]>+~*,()]+)|#(?P<id>[^\s.#:\[\]>+~*,()]+)"
    r"|\[\s*(?P<attr>[\w:@-]+)\s*(?:(?P<op>[~|^$*]?=)\s*(?P<val>\"[^\"]*\"|'[^']*'|[^\s\]]+)\s*(?P<how>[iIsS]?)\s*)?\]"
    r"|:(?P<pseudo>[\w-]+)(?P<open>\()?|(?P<comb>\s*[>+~]\s*|\s+)"
)
_NTH = re.compile(r"([+-]?\d{0,6})n(?:([+-]\d{1,6}))?|([+-]?\d{1,6})")
_PLACES = {
    "first-child": "child",
    "first-of-type": "of-type",
    "last-child": "last-child",
    "last-of-type": "last-of-type",
}
_NTH_PLACES = {f"nth-{kind}": kind for kind in ("child", "of-type", "last-child", "last-of-type")}
_NESTED_MAX = 4
_COMPOUNDS_MAX = 16
_AT_REST = frozenset(("hover", "focus", "focus-within", "focus-visible", "active", "target", "visited"))
"""What holds of nothing before the reader does something."""
_NO_ELEMENT = frozenset(("before", "after", "first-line", "first-letter", "placeholder-shown", "selection"))
_BY_ATTRIBUTE = {"checked": "checked", "link": "href", "any-link": "href"}
_STATE = re.compile(
    r"(?:^|[-_])(?:no-?js|js|load|loading|loaded|ready|cloak|unresolved|preload|init|initialized)(?:$|[-_])", re.I
)
"""Classes of an outer element that the page's scripts set or take away as soon as it is there."""


def split(selectors: str) -> list[str]:
    """Return the selectors of a list: commas inside brackets do not part them."""
    if "(" not in selectors and "[" not in selectors:
        return selectors.split(",")
    out, depth, begin = [], 0, 0
    for match in re.finditer(r"[(),\[\]]", selectors):
        char = match[0]
        if char == ",":
            if depth == 0:
                out.append(selectors[begin : match.start()])
                begin = match.end()
        else:
            depth += 1 if char in "([" else -1
    return [*out, selectors[begin:]]


def parse(text: str, level: int = 0) -> Selector | None:
    """Return a selector, or None for one that is not read and so never matches."""
    reader = _Reader(level)
    at, text = 0, text.strip()
    while at < len(text):
        match = _PARTS.match(text, at)
        if match is None:
            return None
        end = match.end()
        if match["open"]:
            end = _closing(text, end)
            if end < 0:
                return None
        if not reader.take(match, text[match.end() : end - 1] if match["open"] else ""):
            return None
        at = end
    return reader.done()


def _closing(text: str, at: int) -> int:
    """Return the offset after the bracket that closes one open before `at`, or -1."""
    depth = 1
    for match in re.compile(r"[()]").finditer(text, at):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.end()
    return -1


class _Reader:
    """Builds a selector part by part."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._done: list[Compound] = []
        self._between: list[str] = []
        self._weight = [0, 0, 0]
        self._is_sure = True
        self._begin()

    def _begin(self) -> None:
        self._tag = self._id = ""
        self._classes: set[str] = set()
        self._attributes: list[tuple[str, str, str]] = []
        self._place: list[tuple[str, int, int]] = []
        self._some: list[tuple[Selector, ...]] = []
        self._none: list[tuple[Selector, ...]] = []
        self._empty = True

    def take(self, match: re.Match[str], inside: str) -> bool:
        """Take one part; False when the selector is not read."""
        if match["comb"] is not None:
            if self._empty or len(self._done) >= _COMPOUNDS_MAX:
                return False
            self._end()
            self._between.append(match["comb"].strip() or " ")
            return True
        self._empty = False
        if match["tag"] is not None:
            self._tag = "" if match["tag"] == "*" else match["tag"].lower()
            self._weight[2] += bool(self._tag)
        elif match["cls"] is not None:
            self._classes.add(match["cls"])
            self._weight[1] += 1
        elif match["id"] is not None:
            if self._id not in ("", match["id"]):
                return False
            self._id = match["id"]
            self._weight[0] += 1
        elif match["attr"] is not None:
            operator = (match["op"] or "") + ("i" if match["how"] in ("i", "I") else "")
            self._attributes.append((match["attr"].lower(), operator, (match["val"] or "").strip("\"'")))
            self._weight[1] += 1
        else:
            return self._pseudo(match["pseudo"].lower(), inside)
        return True

    def _pseudo(self, name: str, inside: str) -> bool:
        if name in ("is", "where", "not", "matches", "-webkit-any"):
            return self._group(name, inside)
        self._weight[1] += 1
        if name == "root":
            self._tag = self._tag or "html"
            return self._tag == "html"
        if name in _PLACES:
            self._place.append((_PLACES[name], 0, 1))
            return True
        if name in ("only-child", "only-of-type"):
            kind = name.removeprefix("only-")
            self._place += [(kind, 0, 1), (f"last-{kind}", 0, 1)]
            return True
        if name in _NTH_PLACES:
            step = _nth(inside)
            if step is not None:
                self._place.append((_NTH_PLACES[name], *step))
            return step is not None
        if name in _BY_ATTRIBUTE:
            self._attributes.append((_BY_ATTRIBUTE[name], "", ""))
            return True
        if name in _AT_REST or name in _NO_ELEMENT or name.startswith("-"):
            return False
        self._is_sure = False
        return True

    def _group(self, name: str, inside: str) -> bool:
        if self._level >= _NESTED_MAX:
            return False
        listed = split(inside)
        if name == "not":
            resting = [part for part in listed if part.strip().lower().removeprefix(":") in _AT_REST and ":" in part]
            listed = [part for part in listed if part not in resting]
            self._weight[1] += bool(resting)
            if resting and not listed:
                return True
        parts = [parse(part, self._level + 1) for part in listed]
        known = tuple(part for part in parts if part is not None)
        if not known or (name == "not" and len(known) < len(parts)):
            return False
        if all(part.is_sure for part in known):
            (self._none if name == "not" else self._some).append(known)
        else:
            self._is_sure = False
        if name != "where":
            self._weight = [a + b for a, b in zip(self._weight, max(part.weight for part in known), strict=True)]
        return True

    def _end(self) -> None:
        self._done.append(
            Compound(
                self._tag,
                self._id,
                frozenset(self._classes),
                tuple(self._attributes),
                tuple(self._place),
                tuple(self._some),
                tuple(self._none),
            )
        )
        self._begin()

    def done(self) -> Selector | None:
        if self._empty:
            return None
        self._end()
        *outer, subject = self._done
        for at, compound in enumerate(outer):
            if any(map(_STATE.search, compound.classes)):
                self._is_sure = False
                kept = frozenset(name for name in compound.classes if _STATE.search(name) is None)
                outer[at] = replace(compound, classes=kept)
        if subject.tag in ("html", "body"):
            return None  # a script's "not ready yet", never a way to hide a sentence
        around = tuple(zip(reversed(self._between), reversed(outer), strict=True))
        return Selector(subject, around, (self._weight[0], self._weight[1], self._weight[2]), self._is_sure)


def _nth(text: str) -> tuple[int, int] | None:
    text = "".join(text.lower().split())
    if text in ("odd", "even"):
        return (2, 1) if text == "odd" else (2, 0)
    match = _NTH.fullmatch(text)
    if match is None:
        return None
    if match[3] is not None:
        return 0, int(match[3])
    step = match[1]
    return (int(step + "1") if step in ("", "+", "-") else int(step)), int(match[2] or 0)
