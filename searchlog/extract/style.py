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
from searchlog.extract.selectors import Compound, Meter, Selector, parse, split

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
    hides: bool = True
    """Whether its declarations may hide."""


class _Met(NamedTuple):
    """The rules that an element's own marks allow."""

    look: Look
    """Under those that need nothing else."""
    near: list[_Rule]
    far: list[_Rule]
    """Those that need something around it."""
    far_hides: bool


class Sheet:
    """The rules of a page's `<style>` elements; answers what one element looks like."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._rules: dict[str, list[_Rule]] = {}
        """By the part that is looked up first: `#id`, `.class`, `[attribute` or tag."""
        self._cache: dict[tuple[str, str, str, str], _Met] = {}
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
        self._selectors: dict[str, Selector | None] = {}
        """By its text, what was read of a selector."""
        self._outer: dict[tuple[str, int], bool] = {}
        """By selector and parent, whether what has to stand around is there."""
        self._variables: dict[str, str] = {}
        self._meter = Meter(_STEPS_MAX)
        self._count = 0
        for text in texts:
            for rule in rules(text[:_SHEET_CHARS_MAX]):
                if "--" in rule.body:
                    self._take_variables(rule)
                if "display" not in rule.body and not may_hide(rule.body):
                    continue
                for selector in split(rule.selectors):
                    self._count += 1
                    self._add(selector.strip(), rule)
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

    def _add(self, selector: str, rule: Rule) -> None:
        selector = unescaped(selector)
        match = None if " " in selector or ":" in selector else _COMPOUND.fullmatch(selector)
        if not selector:
            return
        if match is None:
            if _OF_THE_MOMENT.search(selector) is None:
                hides, shows = _bearing(rule.body)
                if hides or shows:
                    self._add_looking(selector, rule, hides)
            return
        tag, marks = (match[1] or "").lower(), match[2]
        parts = re.findall(r"([.#])([^.#]+)", marks)
        classes = frozenset(name for mark, name in parts if mark == ".")
        ids = [name for mark, name in parts if mark == "#"]
        # a rule for the whole page is a script's "not ready yet", never a way to hide a sentence
        if len(ids) > 1 or tag in ("html", "body"):
            return
        order = (len(ids), len(classes), bool(tag), self._count)
        self._put(_Rule(tag, classes, ids[0] if ids else "", rule.body, order, rule.screens), (), True)

    def _add_looking(self, text: str, rule: Rule, hides: bool) -> None:
        """Add a rule whose selector looks further than the element's own marks; it is read when it is first needed."""
        last = _LAST.search(text) if _PLAIN_PARTS.fullmatch(text) else None
        match = None if last is None else _COMPOUND.fullmatch(last[0])
        if match is not None:
            tag, parts = (match[1] or "").lower(), re.findall(r"([.#])([^.#]+)", match[2])
            classes = frozenset(name for mark, name in parts if mark == ".")
            ids = [name for mark, name in parts if mark == "#"]
            order = (text.count("#"), text.count("."), len(_TAG_WORD.findall(text)), self._count)
            if len(ids) < 2 and tag not in ("html", "body"):
                self._put(_Rule(tag, classes, ids[0] if ids else "", rule.body, order, rule.screens, text), (), hides)
            return
        selector = self._selectors[text] = parse(text)
        if selector is None:
            return
        subject = selector.subject
        if subject == Compound() and not selector.around:
            return  # the whole page
        weight = (*selector.weight, self._count)
        found = _Rule(subject.tag, subject.classes, subject.id, rule.body, weight, rule.screens, text)
        self._put(found, tuple(name for name, _, _ in subject.attributes), hides)

    def _put(self, rule: _Rule, attributes: tuple[str, ...], hides: bool) -> None:
        if rule.id:
            key = "#" + rule.id
        elif rule.classes:
            key = "." + min(rule.classes)
        elif attributes:
            key = "[" + attributes[0]
        else:
            key = rule.tag or "*"
        hides = hides and (not rule.around or "display:none" in rule.body or self._body_hides(rule.body))
        if key == "*" and not (hides and self._body_hides(rule.body)):
            return  # for every element, and it hides none
        self._rules.setdefault(key, []).append(rule if hides else rule._replace(hides=False))
        if not hides:
            return  # it may show what another rule hides, and is asked for when that one meets an element
        if key[0] in "#.":
            self._marks.add(key[1:])
        elif key[0] == "[":
            self._attributes.add(key[1:])
        else:
            self.tags.add(key)

    def _body_hides(self, body: str) -> bool:
        return _hides(look_of(self._declarations(body), self._variables))

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
        entry = self._cache.get(key)
        if entry is None:
            found = self._found(tag, names, ident, self._keys(tag, names, ident, ()))
            near, far = [rule for rule in found if not rule.around], [rule for rule in found if rule.around]
            entry = self._cache[key] = _Met(self._of(near, style), near, far, any(rule.hides for rule in far))
        far = entry.far
        hides = entry.far_hides
        if asked:
            far = far + self._found(tag, names, ident, ["[" + name for name in attributes])
            hides = hides or any(rule.hides for rule in far)
        if not far or node is None or self.is_spent or not (hides or _hides(entry.look)):
            return entry.look
        seen = self._looking(entry.near, far, style, node)
        return PLAIN if _to_be_opened(seen, names, attributes) and not _hides(entry.look) else seen

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

    def _looking(self, near: list[_Rule], far: list[_Rule], style: str, node: Any) -> Look:
        """Return the look under some rules and those others whose surroundings are found."""
        far = [rule for rule in far if self._stands(rule.around, node)]
        key = tuple(sorted(rule.order[3] for rule in near + far)), style
        look = self._looks.get(key)
        if look is None:
            look = self._of(near + far, style)
            if far and _hides(look):
                look = self._sure(look, near + far, style)
            self._looks[key] = look
        return look

    def _sure(self, look: Look, found: list[_Rule], style: str) -> Look:
        """Return a look without what a rule that was not read may undo.

        A colour hides only where one place states it with its background. What is faded in as one scrolls is seen.
        """
        if look.coloured is False and not any(
            look_of(self._declarations(rule.body), self._variables).coloured is False for rule in found
        ):
            look = look._replace(coloured=_inline_look(style).coloured if style else None)
        if (look.gone == "opacity" or look.visibility is False) and any(
            _FADED_IN.search(rule.around or " ".join(rule.classes)) for rule in found
        ):
            look = look._replace(gone=None if look.gone == "opacity" else look.gone, visibility=None)
        return look

    def _stands(self, text: str, node: Any) -> bool:
        if text not in self._selectors:
            self._selectors[text] = parse(text)
        selector = self._selectors[text]
        if selector is None or not self._meter.spend():
            return False
        if not selector.around or selector.around[0][0] in "+~":
            return selector.matches(node, self._meter)
        # what stands around one child stands around all
        parent = node.parent
        key = (text, 0 if parent is None else parent.mem_id)
        stands = self._outer.get(key)
        if stands is None:
            stands = self._outer[key] = selector.stands(node, self._meter)
        return stands and (selector.is_marked or selector.is_at(node, self._meter))

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
_HIDING = (
    *(
        "display:none",
        "hidden",
        "opacity",
        "transparent",
        "collapse",
        "clip",
        "indent",
        "scale",
        "translate",
        "\\",
        "var(",
    ),
    *(":-", "font-size:0", "font-size:1", "font-size:.", "font:0", "font:1", "mask", "zoom:0", "rotate", "matrix"),
)
"""One of them is in each rule that hides, white space aside."""
_SHOWING = ("display", "visib", "position")


@lru_cache(256)
def _bearing(body: str) -> tuple[bool, bool]:
    """Return whether declarations may hide, and whether they may show what others hide."""
    bare = "".join(body.lower().split())
    hides = any(hint in bare for hint in _HIDING) or ("background" in bare and ";color:" in f";{bare}")
    return hides, any(hint in bare for hint in _SHOWING)


_FADED_IN = re.compile(r"lazy|aos\b|wow\b|reveal|anim|fade|invisible|scroll|in-?view|motion|sal\b", re.I)
_OPENED = re.compile(r"accordion|collaps|toggle|faq|answer|panel|expand|drop-?down|details|\btab", re.I)


def _to_be_opened(look: Look, names: str, attributes: Mapping[str, str | None]) -> bool:
    """Return whether an element is closed until a reader opens it, such as an answer under its question."""
    closed = look.gone == "style" or (look.gone is None and look.visibility is False)
    return closed and (_OPENED.search(names) is not None or attributes.get("itemprop") == "acceptedAnswer")


def _order(rule: _Rule) -> tuple[int, int, int, int]:
    return rule.order


def _hides(look: Look) -> bool:
    return look.gone is not None or False in (look.visibility, look.sized, look.coloured)


@lru_cache(4096)
def _inline_look(style: str) -> Look:
    return look_of(declarations(style)) if may_hide(style) or "display" in style.lower() else PLAIN
