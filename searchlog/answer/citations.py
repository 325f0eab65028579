"""Every citation of an answer, in any of the forms that models write, and what it supports. Pure.

    The bridge opened in 1932 [e7].          id            (also `[e7, e9]`, `[e7–e9]`, `(e7)`, `【e7】`, `[^e7]`)
    …  \\ue200cite\\ue202turn0search0\\ue201     marker        characters of the private use area
    …  [1], ¹, [^1]                          numeric, footnote: what the list of sources or the definition points to
    …  [opened](https://…), <https://…>      markdown-link, url; `[text][ref]`, `<a href>`, `<cite>`
    (beside the text)                        native

A citation supports the sentence (list item, table row) that it stands in, from the citation before it. One after the
full stop belongs to the sentence before it; citations side by side support together; one that introduces (`according
to [e7], …`, `[e7] says`) supports what follows. An escaped `\\[e7]` and code are no citations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from searchlog.answer.addresses import trimmed
from searchlog.answer.layout import Block, blocks_of, quoted_in, without_code
from searchlog.answer.spans import claims_of
from searchlog.answer.text import Answer, Native

__all__ = ["Citation", "citations_of", "markers_of", "read"]

_RANGE_MAX = 50
"""Ids of one range; `[e1–e900]` is a slip of the pen, not nine hundred citations."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation: a marker with several ids is several."""

    start: int
    """Range of the marker in the answer's text; of a native citation, the end of what it covers."""
    end: int
    form: str
    """`id`, `paren-id`, `marker`, `numeric`, `footnote`, `markdown-link`, `url`, `html-link`, `cite`, `source-list`,
    `native`, or `malformed`."""
    target: str
    """As written: `e7`, an address, the text of a marker that makes no sense."""
    claim: tuple[int, int] = (0, 0)
    """Range of what it supports; empty for an entry of a list of sources that no marker points to."""
    kept: tuple[tuple[int, int], ...] = ()
    """What of the marker is words of the sentence: the text of a link."""
    native: Native | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer read: its text without code, its blocks, its citations with what they support."""

    plain: str
    blocks: tuple[Block, ...]
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of the answer and the citations that stand for it."""

    start: int
    end: int
    cited: tuple[Citation, ...]
    inherited: tuple[Citation, ...] = ()
    """For a stretch without one: citations further on in its paragraph, or in the line that leads in to its list."""
    kind: str = "paragraph"


def citations_of(answer: Answer) -> tuple[Citation, ...]:
    """Return the citations of an answer in order, with the claim of each. Linear in the text; never raises."""
    return read(answer).citations


def read(answer: Answer) -> Reading:
    """Return the answer read: blocks, citations, and which stretch rests on which."""
    plain = without_code(answer.text)
    blocks = blocks_of(plain)
    markers = markers_of(plain, blocks, answer.native)
    if own := _own_markers(plain, answer.native, markers):
        markers = sorted([*markers, *own], key=lambda c: (c.start, c.end))
    natives = [
        Citation(n.end, n.end, "native", n.evidence or n.url or n.title or "", (n.start, n.end), native=n)
        for n in answer.native
        if n.start is not None and n.end is not None and not _is_marker(plain, n, markers)
    ]
    markers = [replace(m, native=m.native or _beside(m, answer.native)) for m in markers]
    stretches = claims_of(plain, blocks, [(m.start, m.end, m.kept) for m in markers], quoted_in(plain, 0, len(plain)))
    claims: list[Claim] = []
    supported: dict[int, tuple[int, int]] = {}
    for stretch in stretches:
        cited = tuple(markers[n] for n in stretch.cited)
        inherited = tuple(markers[n] for n in stretch.inherited)
        claims.append(Claim(stretch.start, stretch.end, cited, inherited, stretch.kind))
        for n in stretch.cited:
            supported[n] = (min(supported.get(n, (stretch.start, 0))[0], stretch.start), stretch.end)
    claims += [Claim(*c.claim, (c,), (), "native") for c in natives]
    whole = [replace(m, claim=supported.get(n, (m.start, m.start))) for n, m in enumerate(markers)]
    return Reading(
        plain, tuple(blocks), tuple(sorted([*whole, *natives], key=lambda c: (c.start, c.end))), tuple(claims)
    )


# --- citations beside the text ---------------------------------------------------------------------------------------


def _is_marker(text: str, native: Native, markers: Sequence[Citation]) -> bool:
    """Return whether a native citation covers a marker and not what the marker supports, as OpenAI's do."""
    if native.start is None or native.end is None:
        return False
    inside = [m for m in markers if m.start < native.end and m.end > native.start]
    if any(m.start <= native.start + 2 and native.end <= m.end + 2 for m in inside):
        return True
    if native.form != "url_citation" or not inside:
        return False
    at = native.start
    for m in inside:
        if re.search(r"[^\W_]", text[at : max(at, m.start)]):
            return False
        at = max(at, m.end)
    return not re.search(r"[^\W_]", text[at : native.end])


_OWN_MARKER = re.compile(r"\s*[(（]?[\[【\ue200][^\s\[\]【】\ue200\ue201]{0,60}(?:[\]】\ue201]|\Z)[)）]?\s*")
"""What may be all that a citation beside the text covers: `【3†source】`, `[2]`."""


def _own_markers(text: str, natives: Sequence[Native], markers: Sequence[Citation]) -> list[Citation]:
    """Return markers that mean nothing but by the citation beside the text that covers them."""
    out = []
    for n in natives[:2_000]:
        if n.form != "url_citation" or n.start is None or n.end is None or n.end - n.start > 80:
            continue
        if _OWN_MARKER.fullmatch(text, n.start, n.end) and not any(
            m.start < n.end and m.end > n.start for m in markers
        ):
            out.append(Citation(n.start, n.end, "marker", n.evidence or n.url or n.title or "", native=n))
    return out


def _beside(marker: Citation, natives: Sequence[Native]) -> Native | None:
    if len(natives) > 2_000:
        return None
    for native in natives:
        if (
            native.start is not None
            and native.end is not None
            and native.start <= marker.start
            and marker.end <= native.end
        ):
            return native if native.form == "url_citation" else None
    return None


# --- markers in the text ---------------------------------------------------------------------------------------------

_SEPARATOR = r"(?:\s*(?:[,，、;；&+]|and|und|et|y|和|及)\s*|\s+)"
_ID = r"[eE]\d{1,9}"
_ITEM = rf"{_ID}(?:\s?[-–—~]\s?(?:{_ID}|\d{{1,9}}))?"
_LEAD = r"(?:(?:sources?|evidence|refs?|see|cf\.?|cited?|来源|证据|參見|参见|见)\s*[:：]?\s*)?"
_MARKER = re.compile(r"\ue200([^\ue200\ue201]{0,600})\ue201")
_LINES = re.compile(r"L\d{1,6}(?:[-–]L?\d{1,6})?")
"""Lines of what the reference before them names; passages are cited whole."""
_IDS = re.compile(
    rf"(?<!\\)(?:(?P<open>[\[【［(（])\^?{_LEAD}(?P<ids>{_ITEM}(?:{_SEPARATOR}{_ITEM}){{0,60}})"
    rf"(?:\s*[,:：†]\s*[^\[\]【】()（）\n]{{1,60}})?\s?(?P<close>[\]】］)）]))(?P<url>\(<?https?://[^\s()<>]{{1,2000}}(?:\([^\s()<>]{{0,200}}\)[^\s()<>]{{0,500}})?>?\))?"
)
_CLOSING = {"[": "]", "【": "】", "［": "］", "(": ")", "（": "）"}
_LINK = re.compile(
    r"(?<![\\!])\[(?P<text>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]|\n(?!\s*\n)){0,600})\]"
    r"\(\s*<?(?P<url>https?://[^\s()<>]{1,3000}(?:\([^\s()<>]{0,300}\)[^\s()<>]{0,1000}){0,3})>?(?:\s+[\"'(][^\n]{0,300}?[\"')])?\s*\)"
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,600}\]\([^()\s]{0,3000}(?:\s[^()\n]{0,300})?\)")
_REF_LINK = re.compile(r"(?<![\\!\]])\[(?P<text>[^\[\]\n]{1,300})\]\[(?P<ref>[^\[\]\n]{0,60})\]")
_FOOTNOTE = re.compile(r"(?<!\\)\[\^(?P<name>[^\[\]\s]{1,60})\](?!:)")
_NUMERIC = re.compile(
    r"(?<![\\\w\]!])(?<!\^)(?:\[(?P<a>\d{1,3}(?:\s?[,，、–-]\s?\d{1,3}){0,20})\]|"
    r"【(?P<b>\d{1,3})(?:†[^】\n]{0,60})?】)(?!\()"
)
_NUMERIC_AFTER = re.compile(r"(?<=[\w\]。，,.!?\"”])\[(?P<a>\d{1,3}(?:\s?[,，、–-]\s?\d{1,3}){0,20})\](?![(\w])")
_SUPERSCRIPT = re.compile(r"(?<=[^\W\d]|[.,;:!?\"”’)。，；」】])[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[,˒][¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3})*")
_SUP_TAG = re.compile(r"<sup>\s*\[?(\d{1,3})\]?\s*</sup>", re.IGNORECASE)
_CITE = re.compile(
    r"<(?P<tag>cite|ref|source|citation)\b(?P<attributes>[^<>]{0,300})>(?:(?P<inside>[^<>]{0,3000})</(?P=tag)>)?",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,500}?href\s*=\s*[\"']?(?P<url>https?://[^\s\"'<>]{1,3000})[^<>]{0,500}>(?P<text>[^<>]{0,600})</a>",
    re.IGNORECASE,
)
_AUTOLINK = re.compile(r"<(?P<url>https?://[^\s<>]{1,3000})>")
_BARE = re.compile(
    r"(?:https?://|(?<![\w./@])www\.)[^\s<>\"“”「」『』《》（）【】，。；：！？、|\ue200-\ue202`]{2,3000}"
)
_BROKEN = re.compile(
    r"(?<!\\)(?:[\[【]\^?e\d{1,9}(?![\w.])(?![^\[\]【】\n]{0,80}[\]】])|\[e\](?![^\W\d_])|\[(?:evidence|"
    r"source)\s*(?:id)?\s*\]|\[e[?xXnN]{1,3}\]|"
    r"\[e[-_ #.]\d{1,9}\]|\[e\d{1,9}[a-z]\w{0,8}\])"
)
_BROKEN_MARKER = re.compile(r"\ue200[^\ue200\ue201]{0,60}|\ue201")
_ATTRIBUTE = re.compile(
    r"\b(?:id|ids|ref|source|evidence|href|url|index|name)\s*=\s*[\"']?([^\"'<>]{1,500})", re.IGNORECASE
)
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def markers_of(text: str, blocks: Sequence[Block], natives: Sequence[Native] = ()) -> list[Citation]:
    """Return the citations written in a text without code, in order, none over another but those of one marker."""
    sources = _sources(text, blocks, natives)
    found = _Found(text)
    for m in _IMAGE.finditer(text):
        found.take(m.start(), m.end())
    for block in blocks:
        if block.kind in ("source", "definition"):
            found.take(_line_start(text, block.start), block.end)
    for make in (_private, _tags, _ids, _links, _footnotes, _addresses):
        found.add_all(make(text, sources))
    if any(not name.startswith("^") for name in sources):
        found.add_all(_numbers(text, sources))
    found.add_all(_broken(text))
    pointed = {c.target for c in found.citations}
    for block in blocks:
        if block.kind in ("source", "definition"):
            for target in _targets(text, block.start, block.end):
                if target not in pointed:
                    found.citations.append(Citation(block.start, block.end, "source-list", target))
    return sorted(found.citations, key=lambda c: (c.start, c.end))


class _Found:
    """Citations so far, and which characters are taken."""

    def __init__(self, text: str) -> None:
        self.citations: list[Citation] = []
        self._taken = bytearray(len(text))
        self._last: tuple[int, int] | None = None
        self._told: set[tuple[int, int, str]] = set()

    def take(self, start: int, end: int) -> None:
        self._taken[start:end] = b"\1" * (end - start)

    def add_all(self, citations: Iterator[Citation]) -> None:
        """Add those of one form; what another form has taken is not added."""
        self._last = None
        for one in citations:
            self.add(one)

    def add(self, one: Citation) -> None:
        if (one.start, one.end) != self._last and any(self._taken[one.start : one.end]):
            return
        if (one.start, one.end, one.target) in self._told:
            return
        self._told.add((one.start, one.end, one.target))
        self._last = one.start, one.end
        self.take(one.start, one.end)
        self.citations.append(one)


_Sources = Mapping[str, Sequence[str]]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _sources(text: str, blocks: Sequence[Block], natives: Sequence[Native]) -> dict[str, Sequence[str]]:
    """Return what each number of a list of sources, and each footnote, points to."""
    found: dict[str, Sequence[str]] = {str(n.number): [n.url or n.title or ""] for n in natives if n.number is not None}
    for block in blocks:
        if block.kind in ("source", "definition") and block.label:
            targets = _targets(text, block.start, block.end)
            found[block.label] = targets or found.get(block.label, ())
    return found


def _targets(text: str, start: int, end: int) -> list[str]:
    """Return the addresses, and failing those the ids, that a stretch points to."""
    urls = [url for _, url in _bare(text, start, end)]
    ids = [m[0].lower() for m in re.compile(rf"(?<![\w/.-]){_ID}(?![\w/.-])").finditer(text, start, end)]
    return list(dict.fromkeys(ids or urls))


def _private(text: str, _: _Sources) -> Iterator[Citation]:
    for m in _MARKER.finditer(text):
        kind, *refs = re.split("\ue202", m[1])
        ids = [r.strip() for ref in refs for r in ref.split(",") if r.strip() and not _LINES.fullmatch(r.strip())]
        if not kind.strip().lower().endswith("cite") and not any(re.fullmatch(_ID, r) for r in ids):
            continue
        if not ids:
            yield Citation(*m.span(), "malformed", m[0])
        for ref in ids:
            yield Citation(*m.span(), "marker", ref.lower() if re.fullmatch(_ID, ref) else ref)


def _ids(text: str, _: _Sources) -> Iterator[Citation]:
    for m in _IDS.finditer(text):
        if m["close"] != _CLOSING[m["open"]]:
            yield Citation(*m.span(), "malformed", m[0])
            continue
        listed = _listed(m["ids"])
        is_round = m["open"] in "(（"
        if listed is None:
            yield Citation(*m.span(), "malformed", m[0])
            continue
        for target in listed:
            yield Citation(*m.span(), "paren-id" if is_round else "id", target)
        if m["url"]:
            yield Citation(*m.span(), "markdown-link", m["url"].strip("()<>"))


def _listed(ids: str) -> list[str] | None:
    """Return the ids of `e7, e9–e11`; None for a range that runs backwards or is too long."""
    out: list[str] = []
    for m in re.finditer(r"[eE](\d+)(?:\s?[-–—~]\s?[eE]?(\d+))?", ids):
        first, last = int(m[1]), int(m[2] or m[1])
        if not first <= last <= first + _RANGE_MAX:
            return None
        out += [f"e{n}" for n in range(first, last + 1)] if m[2] else [f"e{m[1]}"]
    return list(dict.fromkeys(out))


def _links(text: str, sources: _Sources) -> Iterator[Citation]:
    for m in _LINK.finditer(text):
        start, end = _widened(text, *m.span())
        yield Citation(start, end, "markdown-link", m["url"], kept=_kept(m["text"], m.start("text")))
    for m in _REF_LINK.finditer(text):
        for target in sources.get((m["ref"] or m["text"]).lower(), ()):
            yield Citation(*m.span(), "markdown-link", target, kept=_kept(m["text"], m.start("text")))
    for m in _ANCHOR.finditer(text):
        yield Citation(*m.span(), "html-link", m["url"], kept=_kept(m["text"], m.start("text")))


def _kept(words: str, start: int) -> tuple[tuple[int, int], ...]:
    """Return the range of a link's text when it says something: not `[1]`, not `source`, not a host."""
    if re.fullmatch(
        r"\W*(?:\d{1,3}|e\d+|sources?|links?|here|来源|链接|[\w-]+(?:\.[\w-]+)+(?:/\S*)?|https?://\S*)\W*",
        words,
        re.IGNORECASE,
    ):
        return ()
    return ((start, start + len(words)),)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range with the parentheses just around it."""
    if text[start - 1 : start] in ("(", "（") and text[end : end + 1] in (")", "）"):
        return start - 1, end + 1
    return start, end


def _tags(text: str, _: _Sources) -> Iterator[Citation]:
    for m in _CITE.finditer(text):
        attribute = _ATTRIBUTE.search(m["attributes"])
        inside = m["inside"] or ""
        told = attribute[1] if attribute else inside
        ids = [i.lower() for i in re.findall(rf"(?<!\w){_ID}(?!\w)", told)]
        urls = re.findall(r"https?://[^\s\"'<>]+", told)
        kept = (
            ((m.start("inside"), m.end("inside")),)
            if attribute and inside and not re.fullmatch(rf"\W*{_ID}\W*", inside)
            else ()
        )
        for target in ids or urls:
            yield Citation(*m.span(), "cite", target, kept=kept)
        if not ids and not urls and m["tag"].lower() == "cite" and (attribute or not inside.strip()):
            yield Citation(*m.span(), "malformed", told.strip() or m[0], kept=kept)


def _footnotes(text: str, sources: _Sources) -> Iterator[Citation]:
    for m in _FOOTNOTE.finditer(text):
        name = "^" + m["name"].lower()
        if name not in sources and m["name"] in sources:
            name = m["name"]
        for target in sources.get(name, ()):
            yield Citation(*m.span(), "footnote", target)
        if name not in sources:
            yield Citation(*m.span(), "malformed", m[0])


def _addresses(text: str, _: _Sources) -> Iterator[Citation]:
    for m in _AUTOLINK.finditer(text):
        yield Citation(*_widened(text, *m.span()), "url", m["url"])
    for start, url in _bare(text, 0, len(text)):
        yield Citation(*_widened(text, start, start + len(url)), "url", url)


def _bare(text: str, at: int, until: int) -> Iterator[tuple[int, str]]:
    """Yield the addresses that stand in the text as they are, and where: the next may begin right after one."""
    while m := _BARE.search(text, at, until):
        url = trimmed(m[0])
        if len(url) > 9:
            yield m.start(), url
        at = m.start() + max(len(url), 4)


def _numbers(text: str, sources: _Sources) -> Iterator[Citation]:
    matches = [*_NUMERIC.finditer(text), *_NUMERIC_AFTER.finditer(text)]
    for m in sorted(matches, key=lambda one: one.start()):
        written = m["a"] or m.groupdict().get("b") or ""
        yield from _numbered(m.start(), m.end(), written, sources)
    for m in _SUPERSCRIPT.finditer(text):
        numbers = re.split("[,˒]", m[0].translate(_SUPER))
        if all(n in sources for n in numbers):
            yield from _numbered(m.start(), m.end(), ",".join(numbers), sources)
    for m in _SUP_TAG.finditer(text):
        yield from _numbered(m.start(), m.end(), m[1], sources)


def _numbered(start: int, end: int, written: str, sources: _Sources) -> Iterator[Citation]:
    numbers: list[str] = []
    for piece in re.split(r"\s?[,，、]\s?", written):
        first, _, last = re.sub("[–-]", "-", piece).replace(" ", "").partition("-")
        if last and not int(first) <= int(last) <= int(first) + _RANGE_MAX:
            yield Citation(start, end, "malformed", written)
            return
        numbers += [str(n) for n in range(int(first), int(last or first) + 1)]
    for number in numbers:
        for target in sources.get(number, ()):
            yield Citation(start, end, "numeric", target)
        if number not in sources:
            yield Citation(start, end, "malformed", f"[{number}]")


def _broken(text: str) -> Iterator[Citation]:
    for m in _BROKEN.finditer(text):
        yield Citation(*m.span(), "malformed", m[0])
    if "\ue200" in text or "\ue201" in text:
        whole = [m.span() for m in _MARKER.finditer(text)]
        for m in _BROKEN_MARKER.finditer(_blanked(text, whole)):
            yield Citation(*m.span(), "malformed", m[0])


def _blanked(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    out, at = [], 0
    for start, end in ranges:
        out += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*out, text[at:]])
