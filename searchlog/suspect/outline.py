"""The outline of a page: its forms, scripts, frames, metas and marks, and how much text stands where. Pure.

One pass over a bounded prefix of the markup, without a tree; the time grows with the length only. Tags are told from
text as the standard's tokenizer tells them: what stands in a comment, in a string of a script, in a `textarea` or,
escaped, in a code listing is no tag, so a page that quotes another page's markup does not look like it. How elements
nest is followed only so far that a form in a page's header is told from one that is the page.
Spec: HTML Living Standard section 13.2.5 (tokenization).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape

from searchlog.extract.furniture import region_label
from searchlog.extract.tags import BLOCK, VOID

__all__ = ["PREFIX_CHARS", "Form", "Outline", "outline_of", "weight"]

PREFIX_CHARS = 200_000
"""How much of the markup is looked at."""

_TOKENS_MAX = 12_000
_KEPT_CHARS = 4_000
_SCRIPT_CHARS = 20_000
_SCRIPTS_MAX = 40
_LOOK_BACK = 32
_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,60})")
_ATTRIBUTE = re.compile(r"""([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?""")
_BETWEEN = re.compile(r"[\s/]*+")
_RAW = ("script", "style", "textarea", "title", "noscript", "iframe", "noembed", "noframes", "xmp", "template", "svg")
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
_INNER_TAG = re.compile(r"<[^<>]*>")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WIDE_WEIGHT = 2
_HEADINGS = ("h1", "h2")
_LISTINGS = frozenset(("pre", "code", "table", "dl"))


@dataclass(slots=True)
class Form:
    """One form, or the fields that stand outside of any."""

    action: str = ""
    marks: str = ""
    """Its id, class and name, lower case."""
    zone: str | None = None
    """Why it is likely not what the page is for: a furniture label, or `hidden`; None when it stands in the page."""
    hidden: list[str] = field(default_factory=list)
    """Names of hidden fields."""
    fields: list[tuple[str, str]] = field(default_factory=list)
    """Type and names of each field that a person fills in."""
    pictures: list[str] = field(default_factory=list)
    chars: int = 0
    """Text inside, weighed."""

    @property
    def password(self) -> bool:
        """Whether it asks for a password."""
        return any(kind == "password" for kind, _ in self.fields)


@dataclass(slots=True)
class Outline:
    """What a page is made of, as far as the prefix goes."""

    title: str = ""
    headings: list[str] = field(default_factory=list)
    """Texts of `h1` and `h2`."""
    text: str = ""
    """The beginning of the text outside of scripts, furniture included, a line a piece."""
    prose: int = 0
    """Weight of the text that is no link, no heading, in no form and in no furniture."""
    body: int = 0
    """Weight of the text outside of forms and furniture."""
    total: int = 0
    """Weight of all text."""
    noscript: str = ""
    scripts: list[str] = field(default_factory=list)
    """Inline scripts, each as far as it is looked at."""
    sources: list[str] = field(default_factory=list)
    """Addresses of scripts and frames, and where links to style sheets and preloads lead."""
    links: list[str] = field(default_factory=list)
    """Where `a` elements lead."""
    metas: dict[str, str] = field(default_factory=dict)
    """Values by `name`, `property` or `http-equiv`, lower case; the first of each."""
    canonical: str = ""
    marks: set[str] = field(default_factory=set)
    """Ids and classes, lower case, and the names of custom elements."""
    root_classes: set[str] = field(default_factory=set)
    """Classes of `html`, `body` and `main`."""
    forms: list[Form] = field(default_factory=list)
    loose: Form = field(default_factory=Form)
    """Fields outside of any form."""
    listings: int = 0
    """How many code listings, tables and definition lists there are."""
    cut: bool = False
    """Whether there is more of the page than was looked at."""

    @property
    def said(self) -> str:
        """The beginning of the text without what stands in a heading."""
        heads = {self.title, *self.headings}
        return "\n".join(line for line in self.text.split("\n") if line not in heads)

    @property
    def all_forms(self) -> list[Form]:
        """The forms, and the loose fields where there are any."""
        return [*self.forms, self.loose] if self.loose.fields or self.loose.hidden else self.forms


def weight(text: str) -> int:
    """Return how much a text says: its length, with signs that are words counted as such."""
    return len(text) if text.isascii() else len(text) + _WIDE_WEIGHT * len(_WIDE.findall(text))


def outline_of(markup: str) -> Outline:
    """Return the outline of a page's markup. Never raises; what is beyond the limits is not looked at."""
    reader = _Reader(markup[:PREFIX_CHARS])
    reader.read()
    return reader.out


class _Reader:
    """The one pass: a place in the markup, the open elements, and what was found."""

    def __init__(self, markup: str) -> None:
        self.markup = markup
        self.out = Outline()
        self._open: list[tuple[str, str | None]] = []
        self._counts: Counter[str] = Counter()
        self._form: Form | None = None
        self._heading: list[str] | None = None
        self._pieces: list[str] = []
        self._kept = 0

    def read(self) -> None:
        at, length = 0, len(self.markup)
        self.out.cut = True
        for _ in range(_TOKENS_MAX):
            begin = self.markup.find("<", at)
            self._text(self.markup[at : begin if begin >= 0 else length])
            if begin < 0:
                self.out.cut = length == PREFIX_CHARS
                break
            at = self._markup(begin)
            if at < 0:
                break
        self.out.text = "\n".join(self._pieces)

    def _markup(self, begin: int) -> int:
        """Take what begins with `<`; return where reading goes on, -1 when the rest is inside of it."""
        markup = self.markup
        if markup.startswith("<!--", begin):
            end = markup.find("-->", begin + 2)
            return end + 3 if end >= 0 else -1
        match = _NAME.match(markup, begin)
        if match is None:
            if markup.startswith(("<!", "<?", "</"), begin):
                end = markup.find(">", begin)
                return end + 1 if end >= 0 else -1
            return begin + 1
        attributes, end = self._attributes(match.end())
        if end < 0:
            return -1
        name = match[2].lower()
        if match[1]:
            self._end(name)
            return end
        self._start(name, attributes)
        if name in _RAW_END and not markup.startswith("/>", end - 2):
            return self._raw(name, end)
        return end

    def _attributes(self, at: int) -> tuple[dict[str, str], int]:
        """Return the attributes of a tag and the offset after its end, -1 when it has none."""
        found: dict[str, str] = {}
        markup, length = self.markup, len(self.markup)
        while True:
            at = _BETWEEN.match(markup, at).end()  # type: ignore[union-attr]
            if at >= length:
                return found, -1
            if markup[at] == ">":
                return found, at + 1
            match = _ATTRIBUTE.match(markup, at)
            if match is None:
                at += 1  # a stray sign
                continue
            found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
            at = match.end()

    def _raw(self, name: str, at: int) -> int:
        """Take the content of an element that holds no markup; return the offset of its end tag."""
        close = _RAW_END[name].search(self.markup, at)
        end = len(self.markup) if close is None else close.start()
        content = self.markup[at : min(end, at + _SCRIPT_CHARS)]
        if name == "script" and content.strip():
            if len(self.out.scripts) < _SCRIPTS_MAX:
                self.out.scripts.append(content)
        elif name == "title" and not self.out.title:
            self.out.title = _words(unescape(content[:400]))
        elif name == "noscript":
            self.out.noscript = f"{self.out.noscript} {_words(_INNER_TAG.sub(' ', content))}".strip()[:_KEPT_CHARS]
            if "http-equiv" in content:
                self._noscript_metas(content)
        return -1 if close is None else end

    def _noscript_metas(self, content: str) -> None:
        for found in _INNER_TAG.findall(content)[:20]:
            if found[:5].lower() == "<meta":
                self._meta({name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(found[5:-1])})

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._note(name, attributes)
        if name in VOID:
            return
        zone = self._zone(name, attributes)
        self._open.append((name, zone))
        self._counts[name] += 1
        if name == "form":
            self._form = Form(unescape(attributes.get("action", "")), _marks_of(attributes), zone)
            self.out.forms.append(self._form)
        elif name in _HEADINGS:
            self._heading = []

    def _end(self, name: str) -> None:
        if name in _HEADINGS and self._heading is not None:
            heading = _words(" ".join(self._heading))
            if heading and len(self.out.headings) < 20:
                self.out.headings.append(heading)
            self._heading = None
        if name == "form":
            self._form = None
        if not self._counts[name]:
            return
        if name not in BLOCK and all(other != name for other, _ in self._open[-_LOOK_BACK:]):
            return
        while self._open:
            other, _ = self._open.pop()
            self._counts[other] -= 1
            if other == "form":
                self._form = None
            if other == name:
                return

    def _zone(self, name: str, attributes: Mapping[str, str]) -> str | None:
        """Return why what this element holds is likely not what the page is for."""
        above = self._open[-1][1] if self._open else None
        if above is not None or name in ("html", "body", "main", "article"):
            return above
        if "hidden" in attributes or "display:none" in attributes.get("style", "").replace(" ", "").lower():
            return "hidden"
        if name == "form":
            return None
        label = region_label(name, attributes)
        return None if label == "main" else label

    def _note(self, name: str, attributes: Mapping[str, str]) -> None:
        """Note what an element says by itself."""
        out = self.out
        if "-" in name:
            out.marks.add(name)
        if attributes:
            for word in _marks_of(attributes).split():
                out.marks.add(word)
        if name in ("html", "body", "main"):
            out.root_classes.update(attributes.get("class", "").lower().split())
            out.root_classes.update(attributes.get("id", "").lower().split())
            if attributes.get("onload", "").strip():
                out.scripts.append(unescape(attributes["onload"])[:_SCRIPT_CHARS])
        elif name in ("script", "iframe", "frame", "embed"):
            out.sources.append(unescape(attributes.get("src", attributes.get("data-src", ""))))
        elif name == "link":
            self._link(attributes)
        elif name == "meta":
            self._meta(attributes)
        elif name == "a":
            if len(out.links) < 400:
                out.links.append(unescape(attributes.get("href", "")))
        elif name in ("input", "textarea", "select", "button"):
            self._field(name, attributes)
        elif name == "img":
            (self._form or out.loose).pictures.append(f"{attributes.get('src', '')} {_marks_of(attributes)}"[:300])
        elif name in _LISTINGS:
            out.listings += 1

    def _link(self, attributes: Mapping[str, str]) -> None:
        relations = attributes.get("rel", "").lower().split()
        href = unescape(attributes.get("href", ""))
        if "canonical" in relations and not self.out.canonical:
            self.out.canonical = href
        self.out.sources.append(href)

    def _meta(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv") or ""
        if name:
            self.out.metas.setdefault(name.strip().lower(), unescape(attributes.get("content", ""))[:2_000])

    def _field(self, name: str, attributes: Mapping[str, str]) -> None:
        form = self._form or self.out.loose
        kind = attributes.get("type", "text" if name == "input" else name).strip().lower()
        names = f"{attributes.get('name', '')} {attributes.get('id', '')} {attributes.get('autocomplete', '')}"
        if kind == "hidden":
            form.hidden.append(attributes.get("name", "").lower()[:100])
        elif name != "button" and kind not in ("submit", "button", "image", "reset"):
            if form is self.out.loose and self._open and self._open[-1][1] is not None and not form.fields:
                form.zone = self._open[-1][1]
            form.fields.append((kind, names.lower()[:200]))

    def _text(self, data: str) -> None:
        if not data or data.isspace():
            return
        text = _words(unescape(data) if "&" in data else data)
        if not text:
            return
        out, size = self.out, weight(text)
        zone = self._open[-1][1] if self._open else None
        if zone == "hidden":
            return
        out.total += size
        if self._kept < _KEPT_CHARS:
            self._pieces.append(text)
            self._kept += len(text)
        if self._heading is not None:
            self._heading.append(text)
        if self._form is not None:
            self._form.chars += size
        elif zone is None:
            out.body += size
            if self._heading is None and not self._counts["a"] and not self._counts["button"]:
                out.prose += size


def _marks_of(attributes: Mapping[str, str]) -> str:
    return " ".join(attributes.get(name, "") for name in ("id", "class", "name")).lower()[:400]


def _words(text: str) -> str:
    return " ".join(text.split())
