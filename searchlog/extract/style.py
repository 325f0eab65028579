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
from itertools import pairwise
from typing import Any, NamedTuple

from searchlog.extract import hiding
from searchlog.extract.look import PLAIN, Declared, Look, alike, declarations, look_of, may_hide, merged, unescaped
from searchlog.extract.rules import BOTH, Rule, rules
from searchlog.extract.selectors import Compound, Meter, Selector, parent_of, parse, split

__all__ = ["PLAIN", "Look", "Sheet", "alike", "declarations", "look_of"]

_COMPOUND = re.compile(r"([a-z][a-z0-9-]*)?((?:[.#][^\s.#:\[>+~*,()\\]+)*)", re.I)
_MARK = r"(?:.*[\s>+~])?([a-zA-Z][\w-]*)?([.#][^\s.#>+~:\[\]()*,\"']+)?"
_SUBJECT = re.compile(_MARK + r"(?:[^\s>+~()\[\]\"']|\([^()\"']*\)|\[[^\[\]\"']*\])*", re.S)
"""A selector whose last part is easily found: the tag and the first class or id there."""
_SHEET_CHARS_MAX = 1_000_000
_RULES_MAX = 20_000
_STEPS_MAX = 200_000
"""Nodes that are looked at around elements, for a page."""
_VARIABLES_MAX = 2_000
_BITS = 512


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
    needs: int = 0
    """Bits of marks that have to stand around the element."""
    hides: bool = True
    """Whether its declarations may hide."""


class _Keyed(NamedTuple):
    """The rules that are looked up by one mark."""

    near: list[_Rule]
    """Those for all elements with the mark, whatever is around."""
    far: list[_Rule]
    """Those for all elements with the mark that have something around them."""
    some: list[_Rule]
    """Those that ask for more marks than this one."""
    far_hides: bool
    """Whether any of `far` may hide."""


class _Met(NamedTuple):
    """The rules that an element's own marks allow."""

    look: Look
    """Under those that need nothing else."""
    near: list[_Rule]
    far: list[list[_Rule]]
    """Those that need something around it."""
    hides: bool
    """Whether any of them may hide."""


class Sheet:
    """The rules of a page's `<style>` elements; answers what one element looks like."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._waiting: dict[str, list[tuple[str, Rule, int]]] = {}
        """Selectors, rules and their numbers, unread until an element has the mark: most of a page's never meet one."""
        self._rules: dict[str, list[_Rule]] = {}
        """By the part that is looked up first: `#id`, `.class`, `[attribute` or tag."""
        self._keyed: dict[str, _Keyed] = {}
        """By the same, once an element has it."""
        self._spare: dict[str, list[tuple[str, Rule, int]]] = {}
        """By the part that is looked up, those that hide nothing: unread until something else hides such an element."""
        self._showing: dict[tuple[str, str], list[_Rule]] = {}
        """By the same and by what they may undo, the spare ones that were read."""
        self._spared: dict[tuple[str, ...], list[_Rule]] = {}
        """By an element's marks and what hides it, those of the spare ones that it has the marks for."""
        self._cache: dict[tuple[str, str, str, str], _Met] = {}
        self._looks: dict[tuple[tuple[int, ...], str], Look] = {}
        """By the numbers of the rules that hold, and the inline style."""
        self._read: dict[str, Declared] = {}
        """Declarations by the text of their rule."""
        self._attributes: set[str] = set()
        """Attributes by which rules are looked up."""
        self._selectors: dict[str, Selector | None] = {}
        """By its text, what was read of a selector."""
        self._outer: dict[tuple[str, int], bool] = {}
        """By selector and parent, whether what has to stand around is there."""
        self._words: dict[str, int] = {}
        """The bit of each mark."""
        self._around: dict[int, int] = {}
        """By node, the bits of its marks and of those of all around it."""
        self._variables: dict[str, str] = {}
        self._page: list[tuple[str, Rule]] = []
        """Rules that give the whole page a background, by the element they are for; an empty one for none in sight."""
        self._meter = Meter(_STEPS_MAX)
        self._count = 0
        for text in texts:
            self._take(text[:_SHEET_CHARS_MAX])
            if self._count > _RULES_MAX:
                break
        keys = [*self._waiting, *self._rules]
        self.tags = {key for key in keys if key[0] not in "#.["}
        """Elements that may have a rule of their own, so that they need a look even without attributes."""
        self._marks = {key[1:] for key in keys if key[0] in "#."}
        """Classes and ids by which rules are looked up; an element with none of them needs no look."""
        self._every = "*" in self.tags
        self._ruled = self.has_rules
        self._shown = frozenset(self.tags)
        """Elements that have a rule of their own that may show what their own style hides."""

    @property
    def has_rules(self) -> bool:
        """Whether any rule of the page can be read at all."""
        return bool(self._waiting or self._rules or self._spare)

    def _take(self, text: str) -> None:
        for rule in rules(text):
            if "--" in rule.body:
                self._take_variables(rule)
            if "display" not in rule.body and not may_hide(rule.body):
                continue
            if "background" in rule.body and _WHOLE_PAGE.search(rule.selectors) is not None:
                self._take_ground(rule)
            for selector in split(rule.selectors):
                self._count += 1
                self._add(selector.strip(), rule)
            if self._count > _RULES_MAX:
                return

    def _take_variables(self, rule: Rule) -> None:
        """Keep the custom properties that the page sets for all of itself."""
        if any(part.strip() in (":root", "html", "body", "*") for part in rule.selectors.split(",")):
            for name, (value, _) in declarations(rule.body).items():
                if name.startswith("--") and len(self._variables) < _VARIABLES_MAX:
                    self._variables[name] = value[:200]

    def _take_ground(self, rule: Rule) -> None:
        for selector in map(str.strip, split(rule.selectors)):
            if selector in ("html", "body", ":root"):
                self._page.append((selector.replace(":root", "html"), rule))
            elif selector.endswith("*") or _WHOLE_PAGE.match(_LAST_PART.sub("", selector)) is not None:
                self._page.append(("", rule))

    def ground(self, html: Mapping[str, str | None], body: Mapping[str, str | None]) -> str:
        """Return the colour behind a page of these `<html>` and `<body>`, 8 hex digits; empty when it cannot be told.

        For pages that no other style sheet has a part in: white is what is behind one that says nothing.
        """
        if any(not tag or rule.screens != BOTH for tag, rule in self._page):
            return ""
        for tag, attributes in (("body", body), ("html", html)):
            marks = [*(attributes.get("class") or "").split(), attributes.get("id") or ""]
            if not self._marks.isdisjoint(marks) or "background" in attributes:
                return ""
            parts = [self._declarations(rule.body) for key, rule in self._page if key == tag]
            look = look_of(merged([*parts, declarations(attributes.get("style") or "")]), self._variables)
            stated = look.ground
            if stated is None and attributes.get("bgcolor"):
                stated = look_of({"background": ((attributes["bgcolor"] or "").strip().lower(), False)}).ground
            if stated is None and any("var(" in rule.body for key, rule in self._page if key == tag):
                return ""
            if stated is not None:
                return stated
        return "ffffffff"

    def _add(self, selector: str, rule: Rule) -> None:
        selector = unescaped(selector)
        if ":" in selector and "(" not in selector and _OF_THE_MOMENT.search(selector) is not None:
            return
        match = _SUBJECT.fullmatch(selector)
        key = "" if match is None else match[2] or (match[1] or "").lower()
        if key and match is not None and (match[2] or "[" not in selector[match.end(1) :]):
            self._waiting.setdefault(key, []).append((selector, rule, self._count))
        elif selector and not (
            (selector[-1] != "*" or hiding.bearing(rule.body)[0])
            and self._put(selector, self._parsed(selector, rule, self._count))
        ):
            self._spare.setdefault("*", []).append((selector, rule, self._count))

    def _settle(self, key: str) -> _Keyed:
        """Read the rules that are looked up by a mark."""
        found = [*self._rules.get(key, ())]
        for waiting in self._waiting.pop(key, ()):
            read = self._simple(*waiting)
            if read is not None:
                found.append(read)
            else:
                self._spare.setdefault(key, []).append(waiting)
        whole = [rule for rule in found if len(rule.classes) + bool(rule.id) + bool(rule.tag) == 1]
        some = [rule for rule in found if len(rule.classes) + bool(rule.id) + bool(rule.tag) != 1]
        near, far = [rule for rule in whole if not rule.around], [rule for rule in whole if rule.around]
        keyed = self._keyed[key] = _Keyed(near, far, some, any(rule.hides for rule in far))
        if not any(rule.hides for rule in found):
            self.tags.discard(key)  # they may show what another hides, and are found when that one meets an element
        return keyed

    def _simple(self, selector: str, rule: Rule, number: int) -> _Rule | None:
        """Return a rule as far as its selector's last part says whom it is for; None when it is for nobody."""
        around, needs, hides = "", 0, True
        match = None if " " in selector or ":" in selector else _COMPOUND.fullmatch(selector)
        if match is None:
            hides, shows = hiding.bearing(rule.body)
            if not (hides or shows):
                return None
            last = _LAST.fullmatch(selector) if _PLAIN_PARTS.fullmatch(selector) else None
            match = None if last is None else _COMPOUND.fullmatch(last[1])
            if last is None or match is None:
                return self._parsed(selector, rule, number)
            around, needs = selector, self._bits(_outer_marks(selector[: last.start(1)]))
            hides = hides and self._body_hides(rule.body)
        tag, parts = (match[1] or "").lower(), re.findall(r"([.#])([^.#]+)", match[2])
        classes = frozenset(name for mark, name in parts if mark == ".")
        ids = [name for mark, name in parts if mark == "#"]
        # a rule for the whole page is a script's "not ready yet", never a way to hide a sentence
        if len(ids) > 1 or tag in ("html", "body"):
            return None
        if around:
            order = (around.count("#"), around.count("."), len(_TAG_WORD.findall(around)), number)
        else:
            order = (len(ids), len(classes), bool(tag), number)
        return _Rule(tag, classes, ids[0] if ids else "", rule.body, order, rule.screens, around, needs, hides)

    def _parsed(self, text: str, rule: Rule, number: int) -> _Rule | None:
        """Return a rule whose selector has to be read to know whom it is for."""
        hides, shows = hiding.bearing(rule.body)
        if not (hides or shows):
            return None
        selector = self._selectors[text] = parse(text)
        if selector is None or (selector.subject == Compound() and not selector.around):
            return None  # not read, or the whole page
        if not selector.is_sure:
            return None
        subject, order = selector.subject, (*selector.weight, number)
        needs = self._bits(selector.outer_marks())
        hides = hides and self._body_hides(rule.body)
        return _Rule(subject.tag, subject.classes, subject.id, rule.body, order, rule.screens, text, needs, hides)

    def _put(self, text: str, rule: _Rule | None) -> bool:
        """Keep a rule whose selector is read, if it may hide; return whether it was kept."""
        selector = self._selectors.get(text)
        if rule is None or selector is None:
            return False
        if rule.id:
            key = "#" + rule.id
        elif rule.classes:
            key = "." + min(rule.classes)
        elif selector.subject.attributes:
            key = "[" + selector.subject.attributes[0][0]
        else:
            key = rule.tag or "*"
        if key == "*" and not (rule.hides and hiding.hides(self._inline(rule.body))):
            return False  # for every element, and it hides none
        self._rules.setdefault(key, []).append(rule)
        if key[0] == "[" and rule.hides:
            self._attributes.add(key[1:])
        return True

    def _body_hides(self, body: str) -> bool:
        return "display:none" in body or hiding.hides(self._inline(body))

    def _own(self, tag: str, attributes: Mapping[str, str | None]) -> int:
        """Return the bits of an element's own marks."""
        names, ident = attributes.get("class"), attributes.get("id")
        bits = self._words.get(tag) or self._bits((tag,))
        if names:
            bits |= self._bits("." + name for name in names.split())
        return bits | self._bits(("#" + ident,)) if ident else bits

    def _bits(self, words: Iterable[str]) -> int:
        """Return a bit for each mark; those of many may be the same."""
        bits, known = 0, self._words
        for word in words:
            bit = known.get(word)
            if bit is None:
                bit = known[word] = 1 << len(known) % _BITS
            bits |= bit
        return bits

    def _is_around(self, node: Any) -> int:
        """Return the bits of all that stands around a node."""
        climbed: list[Any] = []
        known, bits = self._around, 0
        node = parent_of(node)
        while node is not None:
            bits = known.get(node.mem_id, -1)
            if bits >= 0:
                break
            climbed.append(node)
            node = parent_of(node)
        bits = max(bits, 0)
        for node in reversed(climbed):
            bits |= self._own(node.tag, node.attributes)
            known[node.mem_id] = bits
        return bits

    def look(
        self, tag: str, attributes: Mapping[str, str | None], node: Any = None, *, veiled: str | None = None
    ) -> Look:
        """Return what its rules and its own style say of this element.

        node: of the tree, where there is one. veiled: what hides the text around it, where the element may undo that;
        empty where it may not.
        """
        style = attributes.get("style") or ""
        names, ident = attributes.get("class") or "", attributes.get("id") or ""
        asked = not self._attributes.isdisjoint(attributes) if self._attributes else False
        if (
            tag not in (self._shown if style else self.tags)
            and ident not in self._marks
            and not asked
            and not self._every
            and (not names or self._marks.isdisjoint(names.split()))
            and not veiled
        ):
            if not style:
                return PLAIN
            look = self._inline(style)
        else:
            look = self._look(tag, (names, ident, style), attributes, node, asked=asked, veiled=veiled)
        if (look is PLAIN and not veiled) or veiled == "" or node is None:
            return look
        if not self._ruled or not (veiled or hiding.hides(look)) or self.is_spent:
            return look
        return self._shown_again(look, tag, attributes, node, [*([veiled] if veiled else ()), *hiding.reasons(look)])

    def _shown_again(
        self, look: Look, tag: str, attributes: Mapping[str, str | None], node: Any, reasons: list[str]
    ) -> Look:
        """Return the look of an element under those rules as well that may only show it, sure to be for it or not."""
        style = attributes.get("style") or ""
        names, ident = attributes.get("class") or "", attributes.get("id") or ""
        marks = (tag, names, ident, *reasons)
        spare = self._spared.get(marks)
        if spare is None:
            spare = self._spared[marks] = self._spare_for(tag, names, ident, reasons)
        self._meter.left -= len(spare)
        asked = [rule for name in attributes for rule in self._rules.get("[" + name, ()) if not rule.hides]
        around = self._is_around(node)
        more = [
            rule
            for rule in (spare + self._fitting(tag, names, ident, asked) if asked else spare)
            if rule.needs & around == rule.needs and self._stands(rule.around, node)
        ]
        if not more:
            return look
        entry = self._cache.get((tag, names, ident, style)) or self._meet(tag, names, ident, style)
        far = [rule for group in entry.far for rule in group if rule.needs & around == rule.needs]
        if not self._attributes.isdisjoint(attributes):
            asked = [rule for name in attributes for rule in self._rules.get("[" + name, ()) if rule.hides]
            far += [rule for rule in self._fitting(tag, names, ident, asked) if rule not in far]
        seen = self._looking(entry.near, [*far, *more], style, node)
        return look if hiding.hides(seen) else seen

    def _spare_for(self, tag: str, names: str, ident: str, reasons: list[str]) -> list[_Rule]:
        keys = (tag, "*", "#" + ident, *("." + name for name in dict.fromkeys(names.split())))
        spare = [rule for key in keys if key in self._spare for why in reasons for rule in self._spare_of(key, why)]
        fitting = self._fitting(tag, names, ident, spare)
        return list(dict.fromkeys(fitting)) if len(reasons) > 1 else fitting

    def _spare_of(self, key: str, why: str) -> list[_Rule]:
        """Return the rules looked up by a mark that may undo what hides an element."""
        found = self._showing.get((key, why))
        if found is None:
            found = self._showing[key, why] = []
            for text, rule, number in self._spare[key]:
                body = rule.body.lower()
                if "\\" not in body and not any(hint in body for hint in hiding.UNDOING[why]):
                    continue
                selector = parse(text)
                if selector is None or self._body_hides(rule.body):
                    continue
                self._selectors[text] = selector
                subject, needs = selector.subject, self._bits(selector.outer_marks())
                order = (*selector.weight, number)
                found.append(
                    _Rule(subject.tag, subject.classes, subject.id, rule.body, order, rule.screens, text, needs, False)
                )
        return found

    def _look(
        self,
        tag: str,
        marks: tuple[str, str, str],
        attributes: Mapping[str, str | None],
        node: Any,
        *,
        asked: bool,
        veiled: str | None,
    ) -> Look:
        """Return the look under the rules for its tag, classes, id and, where asked, attributes, and its own style."""
        names, ident, style = marks
        key = (tag, names, ident, style)
        entry = self._cache.get(key)
        if entry is None:
            entry = self._cache[key] = self._meet(tag, names, ident, style)
        far, hides = entry.far, entry.hides
        if asked:
            more = self._fitting(
                tag, names, ident, [rule for name in attributes for rule in self._rules.get("[" + name, ())]
            )
            far = [*far, more]
            hides = hides or any(rule.hides for rule in more)
        if not far or not (hides or veiled) or node is None or self.is_spent:
            return entry.look
        around = self._is_around(node)
        met: list[_Rule] = []
        for group in far:
            self._meter.left -= len(group)
            met += [rule for rule in group if rule.needs & around == rule.needs]
        if not met:
            return entry.look
        seen = self._looking(entry.near, met, style, node)
        return PLAIN if hiding.to_be_opened(seen, names, attributes) and not hiding.hides(entry.look) else seen

    def _meet(self, tag: str, names: str, ident: str, style: str) -> _Met:
        """Return the rules that the element's own marks allow."""
        near: list[_Rule] = []
        far: list[list[_Rule]] = []
        hides = False
        for key in (tag, "*", "#" + ident, *("." + name for name in dict.fromkeys(names.split()))):
            keyed = self._keyed.get(key)
            if keyed is None:
                if key not in self._waiting and key not in self._rules:
                    continue
                keyed = self._settle(key)
            near += keyed.near
            if keyed.far:
                far.append(keyed.far)
                hides = hides or keyed.far_hides
            if keyed.some:
                some = self._fitting(tag, names, ident, keyed.some)
                near += [rule for rule in some if not rule.around]
                some = [rule for rule in some if rule.around]
                if some:
                    far.append(some)
                    hides = hides or any(rule.hides for rule in some)
        look = self._under(near, [], style)
        return _Met(look, near, far, hides or hiding.hides(look))

    def _fitting(self, tag: str, names: str, ident: str, rules: Iterable[_Rule]) -> list[_Rule]:
        """Return those of the rules whose tag, id and classes the element has."""
        have = set(names.split())
        return [rule for rule in rules if rule.tag in ("", tag) and rule.id in ("", ident) and rule.classes <= have]

    def _looking(self, near: list[_Rule], far: list[_Rule], style: str, node: Any) -> Look:
        """Return the look under some rules and those others whose surroundings are found."""
        return self._under(near, [rule for rule in far if self._stands(rule.around, node)], style)

    def _under(self, near: list[_Rule], far: list[_Rule], style: str) -> Look:
        """Return the look under rules that all hold."""
        if not near and not far:
            return self._inline(style) if style else PLAIN
        key = tuple(sorted(rule.order[3] for rule in near + far)), style
        look = self._looks.get(key)
        if look is None:
            look = self._of(near + far, style)
            if far and hiding.hides(look):
                look = self._sure(look, near + far, style)
            self._looks[key] = look
        return look

    def _sure(self, look: Look, found: list[_Rule], style: str) -> Look:
        """Return a look without what a rule that was not read may undo.

        A colour hides only where one place states it with its background. What is faded in as one scrolls is seen.
        """
        if look.coloured is False and not any(self._inline(rule.body).coloured is False for rule in found):
            look = look._replace(coloured=_inline_look(style).coloured if style else None)
        if (look.gone == "opacity" or look.visibility is False) and any(
            hiding.FADED_IN.search(rule.around or " ".join(rule.classes)) for rule in found
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
        if all(rule.screens == BOTH for rule in found):
            return self._cascade(found, style)
        phone, desk = (self._cascade([rule for rule in found if rule.screens & screen], style) for screen in (1, 2))
        return phone if hiding.hides(desk) else desk

    def _cascade(self, found: list[_Rule], style: str) -> Look:
        if len(found) == 1 and not style:
            return self._inline(found[0].body)
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


_OF_THE_MOMENT = re.compile(r"::|:(?:hover|focus|before|after|active|target|visited|placeholder)")
"""What never holds of an element at rest: selectors with it need not be read."""
_WHOLE_PAGE = re.compile(r"html\b|body\b|:root\b|\*|:(?:is|where)\(", re.I)
_LAST_PART = re.compile(r".*[\s>+~](?=[^\s>+~])", re.S)
_LAST = re.compile(r"(?:.*[\s>+~])?([^\s>+~]+)", re.S)
_PLAIN_PARTS = re.compile(r"[^:\[\]()*,]+")
_WORD = re.compile(r"[.#]?[^\s>+~.#]+")
_PARTS = re.compile(r"[>+~]|[^\s>+~]+")
_TAG_WORD = re.compile(r"(?:^|[\s>+~])[a-zA-Z]")


def _outer_marks(outer: str) -> list[str]:
    """Return the marks that a selector's outer parts want around an element, not beside it."""
    if "+" in outer or "~" in outer:
        parts = [*_PARTS.findall(outer), ""]
        outer = " ".join(part for part, after in pairwise(parts) if after not in ("+", "~"))
    return [word if word[0] in ".#" else word.lower() for word in _WORD.findall(outer)]


def _order(rule: _Rule) -> tuple[int, int, int, int]:
    return rule.order


@lru_cache(4096)
def _inline_look(style: str) -> Look:
    return look_of(declarations(style)) if may_hide(style) or "display" in style.lower() else PLAIN
