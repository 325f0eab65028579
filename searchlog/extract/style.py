"""What CSS hides, as far as the page itself says it: inline styles and the rules of its `<style>` elements. Pure.

Read: declarations of one element (`look.py`), rules that hold on both a phone's and a desk's screen (`rules.py`), and
selectors of the element's own tag, classes and id; where the caller hands over the tree's node, combinators, attributes
and places among siblings too (`selectors.py`). Not read: linked style sheets, scripts, rules for paper, for one width.
So text may be called visible that a style sheet elsewhere hides; never is text dropped for it.

Costs are bounded: a sheet is read once, in time that grows with its length; a rule is looked up by a mark of the
element, and its selector read when it first meets one; looking around a node draws on one allowance a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from searchlog.extract.look import PLAIN, Declared, Look, alike, declarations, look_of, may_hide, merged, unescaped
from searchlog.extract.rules import BOTH, Rule, rules
from searchlog.extract.selectors import Meter, Selector, parse, split

__all__ = ["PLAIN", "Look", "Sheet", "alike", "declarations", "look_of"]

_COMPOUND = re.compile(r"([a-z][a-z0-9-]*)?((?:[.#][^\s.#:\[>+~*,()\\]+)*)", re.I)
_SHEET_CHARS_MAX = 1_000_000
_RULES_MAX = 20_000
_STEPS_MAX = 200_000
"""Nodes that are looked at around elements, for a page."""
_VARIABLES_MAX = 2_000


class _Rule(NamedTuple):
    tag: str
    classes: frozenset[str]
    id: str
    body: str
    """Its declarations, unread: few rules of a page ever meet an element."""
    order: tuple[int, int, int, int]
    screens: int = BOTH
    around: str = ""
    """The whole selector, unread, where the element's own marks do not decide."""


class Sheet:
    """The rules of a page's `<style>` elements; answers what one element looks like."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._rules: dict[str, list[_Rule]] = {}
        """By the part that is looked up first: `#id`, `.class`, `[attribute` or tag."""
        self._cache: dict[tuple[str, str, str, str], Look] = {}
        self._looks: dict[tuple[tuple[int, ...], str], Look] = {}
        """By the numbers of the rules that hold, and the inline style."""
        self._read: dict[str, Declared] = {}
        """Declarations by the text of their rule."""
        self.tags: set[str] = set()
        """Elements that have a rule of their own, so that they need a look even without attributes."""
        self._marks: set[str] = set()
        """Classes and ids by which rules are looked up; an element with none of them needs no look."""
        self._attributes: set[str] = set()
        """Attributes by which rules are looked up."""
        self._around: set[str] = set()
        """Of all these keys, those with a rule that needs the node."""
        self._selectors: dict[str, Selector | None] = {}
        """By its text, what was read of a selector."""
        self._variables: dict[str, str] = {}
        self._meter = Meter(_STEPS_MAX)
        self._count = 0
        for text in texts:
            for rule in rules(text[:_SHEET_CHARS_MAX]):
                if "--" in rule.body:
                    self._take_variables(rule)
                if "display" not in rule.body and not may_hide(rule.body):
                    continue
                far = _tells(rule.body)
                for selector in split(rule.selectors):
                    self._count += 1
                    self._add(selector.strip(), rule, far)
                if self._count > _RULES_MAX:
                    return

    @property
    def has_rules(self) -> bool:
        """Whether any rule of the page can be read at all."""
        return bool(self._rules)

    def _take_variables(self, rule: Rule) -> None:
        """Keep the custom properties that the page sets for all of itself."""
        if any(part.strip() in (":root", "html", "body", "*") for part in rule.selectors.split(",")):
            for name, (value, _) in declarations(rule.body).items():
                if name.startswith("--") and len(self._variables) < _VARIABLES_MAX:
                    self._variables[name] = value[:200]

    def _add(self, selector: str, rule: Rule, far: bool) -> None:
        """Add a rule for one selector. far: whether what it states is worth looking around for."""
        selector = unescaped(selector)
        match = None if " " in selector or ":" in selector else _COMPOUND.fullmatch(selector)
        if not selector:
            return
        if match is None:
            if far and _OF_THE_MOMENT.search(selector) is None:
                self._add_looking(selector, rule)
            return
        tag, marks = (match[1] or "").lower(), match[2]
        parts = re.findall(r"([.#])([^.#]+)", marks)
        classes = frozenset(name for mark, name in parts if mark == ".")
        ids = [name for mark, name in parts if mark == "#"]
        # a rule for the whole page is a script's "not ready yet", never a way to hide a sentence
        if len(ids) > 1 or tag in ("html", "body"):
            return
        order = (len(ids), len(classes), bool(tag), self._count)
        self._put(_Rule(tag, classes, ids[0] if ids else "", rule.body, order, rule.screens), ())

    def _add_looking(self, text: str, rule: Rule) -> None:
        """Add a rule whose selector looks further than the element's own marks; it is read when it is first needed."""
        last = _LAST.search(text) if _PLAIN_PARTS.fullmatch(text) else None
        match = None if last is None else _COMPOUND.fullmatch(last[0])
        if match is not None:
            tag, parts = (match[1] or "").lower(), re.findall(r"([.#])([^.#]+)", match[2])
            classes = frozenset(name for mark, name in parts if mark == ".")
            ids = [name for mark, name in parts if mark == "#"]
            order = (text.count("#"), text.count("."), len(_TAG_WORD.findall(text)), self._count)
            if len(ids) < 2 and tag not in ("html", "body"):
                self._put(_Rule(tag, classes, ids[0] if ids else "", rule.body, order, rule.screens, text), ())
            return
        selector = self._selectors[text] = parse(text)
        if selector is None:
            return
        subject = selector.subject
        weight = (*selector.weight, self._count)
        found = _Rule(subject.tag, subject.classes, subject.id, rule.body, weight, rule.screens, text)
        self._put(found, tuple(name for name, _, _ in subject.attributes))

    def _put(self, rule: _Rule, attributes: tuple[str, ...]) -> None:
        if rule.id:
            key = "#" + rule.id
        elif rule.classes:
            key = "." + min(rule.classes)
        elif attributes:
            key = "[" + attributes[0]
            self._attributes.add(attributes[0])
        else:
            key = rule.tag or "*"
        if key == "*" and not _hides(look_of(self._declarations(rule.body), self._variables)):
            return  # for every element, and it hides none
        self._rules.setdefault(key, []).append(rule)
        if key[0] in "#.":
            self._marks.add(key[1:])
        elif key[0] != "[":
            self.tags.add(key)
        if rule.around:
            self._around.add(key)

    def look(self, tag: str, attributes: Mapping[str, str | None], node: Any = None) -> Look:
        """Return what its rules and its own style say of this element. node: of the tree, where there is one."""
        style = attributes.get("style") or ""
        if not self._rules:
            return self._inline(style) if style else PLAIN
        names, ident = attributes.get("class") or "", attributes.get("id") or ""
        asked = not self._attributes.isdisjoint(attributes) if self._attributes else False
        if (
            tag not in self.tags
            and ident not in self._marks
            and not asked
            and "*" not in self.tags
            and not (names and self._is_marked(names))
        ):
            return self._inline(style) if style else PLAIN
        key = (tag, names, ident, style)
        if asked or (self._around and node is not None):
            keys = self._keys(tag, names, ident, attributes if asked else ())
            if not self._around.isdisjoint(keys):
                return self._looking(self._found(tag, names, ident, keys), style, node)
        look = self._cache.get(key)
        if look is None:
            found = self._found(tag, names, ident, self._keys(tag, names, ident, ()))
            look = self._cache[key] = self._of([rule for rule in found if not rule.around], style)
        return look

    def _is_marked(self, names: str) -> bool:
        """Return whether a rule is looked up by one of these classes."""
        return not self._marks.isdisjoint(names.split())

    def _keys(self, tag: str, names: str, ident: str, attributes: Iterable[str]) -> set[str]:
        return {tag, "*", "#" + ident, *("." + name for name in names.split()), *("[" + name for name in attributes)}

    def _found(self, tag: str, names: str, ident: str, keys: Iterable[str]) -> list[_Rule]:
        """Return the rules that the element's own marks allow."""
        have = set(names.split())
        return [
            rule
            for key in keys
            for rule in self._rules.get(key, ())
            if rule.tag in ("", tag) and rule.id in ("", ident) and rule.classes <= have
        ]

    def _looking(self, found: list[_Rule], style: str, node: Any) -> Look:
        """Return the look under those of these rules whose surroundings are found too."""
        found = [rule for rule in found if not rule.around or (node is not None and self._stands(rule.around, node))]
        key = tuple(sorted(rule.order[3] for rule in found)), style
        look = self._looks.get(key)
        if look is None:
            look = self._looks[key] = self._of(found, style)
        return look

    def _stands(self, text: str, node: Any) -> bool:
        if text not in self._selectors:
            self._selectors[text] = parse(text)
        selector = self._selectors[text]
        return selector is not None and self._meter.spend() and selector.matches(node, self._meter)

    @property
    def is_spent(self) -> bool:
        """Whether the page asked for more looking around than a page gets: some rules were not followed."""
        return self._meter.left <= 0

    def _of(self, found: list[_Rule], style: str) -> Look:
        """Return the look under these rules: hidden only where it is on every screen."""
        if not found:
            return self._inline(style) if style else PLAIN
        if all(rule.screens == BOTH for rule in found):
            return self._cascade(found, style)
        phone, desk = (self._cascade([rule for rule in found if rule.screens & screen], style) for screen in (1, 2))
        return phone if _hides(desk) else desk

    def _cascade(self, found: list[_Rule], style: str) -> Look:
        parts = [self._declarations(rule.body) for rule in sorted(found, key=_order)]
        return look_of(merged([*parts, declarations(style)]), self._variables)

    def _declarations(self, body: str) -> Declared:
        """Return what a rule states, read once."""
        decl = self._read.get(body)
        if decl is None:
            decl = self._read[body] = declarations(body)
        return decl

    def _inline(self, style: str) -> Look:
        if self._variables and "var(" in style:
            return look_of(declarations(style), self._variables)
        return _inline_look(style)


_OF_THE_MOMENT = re.compile(r"::|:(?:hover|focus|before|after|active|checked|target|disabled|visited|has|placeholder)")
"""What never surely holds: selectors with it need not be read."""
_LAST = re.compile(r"[^\s>+~]+$")
_PLAIN_PARTS = re.compile(r"[^:\[\]()*,]+")
_TAG_WORD = re.compile(r"(?:^|[\s>+~])[a-zA-Z]")
_TELLING = (
    *(
        "display",
        "visib",
        "opacity",
        "hidden",
        "clip",
        "transparent",
        "indent",
        "left",
        "top",
        "scale",
        "translate",
        "\\",
    ),
    *("mask", "var(", "spacing"),
)
_TELLING_ALSO = re.compile(r"font(?:-size)?\s{0,4}:\s{0,4}[01.]")


def _tells(body: str) -> bool:
    """Return whether declarations are worth looking around for: they hide, or show what others hide."""
    lower = body.lower()
    return (
        any(hint in lower for hint in _TELLING)
        or ("background" in lower and "color:" in lower.replace("background-color:", ""))
        or _TELLING_ALSO.search(lower) is not None
    )


def _order(rule: _Rule) -> tuple[int, int, int, int]:
    return rule.order


def _hides(look: Look) -> bool:
    return look.gone is not None or False in (look.visibility, look.sized, look.coloured)


@lru_cache(4096)
def _inline_look(style: str) -> Look:
    return look_of(declarations(style)) if may_hide(style) or "display" in style.lower() else PLAIN
