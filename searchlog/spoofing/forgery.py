"""Text that copies marks it has no right to: our fences, ids and head lines, other tools' forms, turns of a chat. Pure.

Found in what a page shows, so it is a label: a page about such marks is labelled too. What keeps a forged mark from
being taken for a real one is the rendering, which escapes our fences and citation ids (`FENCE_LIKE`, `CITATION_LIKE`).
Marks that honest pages are full of are left alone: `[1]` of an encyclopedia, `[E5]` of a list of standards, tags and
quoted JSON in a manual, the turns of an interview.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from searchlog.spoofing.confusable import ANGLES, BRACKETS, LOOKS, PLAIN, skeleton
from searchlog.spoofing.invisible import utf_8, without_invisible

__all__ = ["CITATION_LIKE", "FENCE_LIKE", "forged", "like_our_fence"]


def _letters(word: str) -> str:
    return "".join(f"[{re.escape(LOOKS[letter])}]" for letter in word)


_FENCE = rf"(\\*)(?=\s{{0,40}}(?:[/\u2044\u2215\u29f8\uff0f\\]\s{{0,40}}){{0,3}}{_letters('evidence')})"
_CITATION = rf"(\\*)(?=\s{{0,8}}[{re.escape(LOOKS['e'])}]\s{{0,2}}\d{{1,9}}(?!\w))"
FENCE_LIKE = re.compile(f"([{ANGLES}]){_FENCE}")
"""What could be taken for a fence of a rendering: group 1 is the bracket, group 2 the escapes already there."""
CITATION_LIKE = re.compile(f"([{re.escape(BRACKETS)}]){_CITATION}")
"""What could be taken for the citation of an evidence id, such as `[e7]` or the `[e7 is cut:` below a fence."""
# the same with the plain bracket alone: a literal is found much faster than a class
_FENCE_PLAIN, _FENCE_WIDE = re.compile(f"<{_FENCE}"), re.compile(f"[\uff1c\ufe64]{_FENCE}")
# brackets that writers quote with are a fence only with a second mark: a slash, an id, a digest
_FENCE_QUOTED = re.compile(
    f"[{ANGLES}](?:{_FENCE.replace('{0,3}', '{1,3}')}|{_FENCE}"
    + r"\s{0,40}[^\s<>]{8}\s{0,8}(?:[e\u0435]\s?\d|[0-9a-f]{8}|\w{1,12}=))"
)

_WHAT = (
    rb"(?:content|results?|context|documents?|evidence|passages?|quotes?|page|data|instructions?|output|input|text|"
    rb"untrusted(?: \w{1,12})?|quoted (?:text|material)|search)"
)
_LINES = (
    # our own: the head of a rendering, the fields of a passage
    rb"below (?:is 1 passage|are \d{1,4} passages) quoted from the web",
    rb"instructions, whatever they say\. cite a passage by its id",
    rb"funnel: \w{1,20} \d+ ?(?:\xe2\x86\x92|->)",
    rb"searched: [^\n]{0,200}\b\d+ results?\b",
    rb"pages: \d+ read\b",
    rb"evidence for: [^\n]{0,400}\n{1,3}(?:searched|pages|funnel|below|<)",
    rb"url: ?https?://[^\n]{0,800}\n{1,3}title: [^\n]{0,400}\n(?:[^\n]{0,400}\n){0,8}?text: ?\n",
    rb"page fetched \d{4}-\d\d-\d\dt",
    rb"left out: \d+ [a-z-]{3,20}\b",
    # where foreign text is said to begin or end
    rb"[=*#_~<>-]{2,20}[ \t]{0,4}(?:begin|start|end)(?: of)?(?: the)? (?:\w{1,20} ){0,2}?"
    + _WHAT
    + rb"[ \t]{0,4}[=*#_~<>-]{2}",
    rb"[\"'][ \t]?[\]}](?:[ \t]?[\]}]){1,12}[ \t]?[,;]?[ \t]{0,8}\n",
    rb"[=*#_~<>-]{2,20}[ \t]{0,4}(?:begin|start|end)(?: of)? untrusted\b",
    rb"\[?end of (?:the )?(?:untrusted|retrieved|quoted|external|search|web|provided) (?:web )?(?:documents?|content|"
    rb"context|results?|data|text|pages?|input)\b[^\n]{0,8}\b(?:new |system\b|assistant\b|user\b|instructions?\b)",
    # somebody's voice
    rb"\[?(?:system|developer)\]? ?:\s{1,3}(?:(?:the |all |these |this |those |any )?(?:sources?|passages?|evidence|"
    rb"citations?)(?: \w{1,12}){0,3} (?:are|is|has|have|must|should) |you (?:must (?:obey|now|always|never|ignore|"
    rb"follow|not|say|answer|trust)|are (?:now|no longer|an? )|will now)|(?:ignore|disregard|forget|override) (?:all|"
    rb"any|every|previous|prior|earlier|the above|your)|trust (?:the|all|this|every)|from now on|new instructions?|"
    rb"end of (?:the )?(?:context|evidence|content|documents?))\b",
)
_ANGLED = (
    # how other tools hand on what they found
    rb"/?\s?(?:\w{1,12}[:_])?(?:search|function|tool|retrieval)_?(?:results?|responses?|outputs?)\b[^<>]{0,200}>",
    rb"/?\s?(?:untrusted|retrieved|external)[-_ ]?(?:\w{1,12}[-_ ])?(?:content|data|text|input|documents?|"
    rb"sources?)\b[^<>]{0,200}>",
    rb"/?\s?document_contents?>|/document>\s{0,8}<document\b|documents?\s[^<>]{0,200}\b(?:index|source|url)\s?=",
    rb"cite\s[^<>]{0,40}index\s?=",
    # turns of a chat
    rb"(?:\||\xef\xbd\x9c)\s?(?:im_|system|user|assistant|developer|endof|eot_|eom_|begin_of|start|end|channel|"
    rb"message|return|call)\w{0,20}\s?(?:\||\xef\xbd\x9c)>",
    rb"<\s?/?sys\s?>>|<<{0,8}\s?/?(?:begin|start|end|eof)(?:[ _-]\w{1,16}){0,4}\s?>>>|/?(?:start|end)_of_turn>",
)
_SQUARED = (
    rb"\d{1,4} more not shown for length",
    rb"\s{0,8}(?:e|\xd0\xb5|\xce\xb5)\s{0,2}\d{1,9}(?!\w)[^\[\]\n]{0,40}\]?\s{0,3}(?:is cut|says|states|confirms|"
    rb"proves|contradicts|(?:is|are) (?:verified|trusted|false|retracted))\b",
    rb"\d{1,3}\]\s{0,3}https?://\S{1,400}\s{1,3}[\[(](?:verified|trusted|confirmed|official|checked)\b",
    rb"system\]\(#(?:assistant|instructions|context|error)\)",
    rb"oaicite:|cite(?:_start\]|:\s?\d)|\d{1,3}(?::\d{1,3})?\xe2\x80\xa0",
    rb"/inst\]|inst\]\s{0,4}<<|/?(?:available_tools|tool_calls|tool_results)\]",
    rb"(?:begin|end) of (?:\w{1,12} ){0,2}(?:content|results|context|evidence|documents?)\]",
)
# citation marks that hosted tools write, with characters of private use
_PRIVATE = "\ue200"
_HOSTED = re.compile(rb"\xee\x88\x80\w{2,20}\xee\x88\x82")
# an end without its beginning, alone on a line
_LONE_END = re.compile(
    rb"\n[ \t]{0,8}</(documents?|results?|sources?|context|passages?|quotes?|user_input|web_page)>[ \t]{0,8}(?=\n)"
)


def _after(begin: bytes, patterns: tuple[bytes, ...]) -> re.Pattern[bytes]:
    return re.compile(begin + b"(?:" + b"|".join(b"(?:" + pattern + b")" for pattern in patterns) + b")")


_RULES = ((b"", _after(rb"\n[ \t]{0,8}", _LINES)), (b"<", _after(b"<", _ANGLED)), (b"[", _after(rb"\[", _SQUARED)))
"""Patterns over lower-case UTF-8 that begins and ends with a line feed, by the character that begins each match."""

_ANGLES = frozenset(ANGLES) - {"<"}
_ABROAD = frozenset(char for chars in LOOKS.values() for char in chars if "\u0370" <= char <= "\u058f")
_STYLED = frozenset("".join(LOOKS.values())) - _ABROAD - frozenset(map(chr, range(128)))
# a Greek, Cyrillic or Armenian letter beside a Latin one, in UTF-8
_MIXED = re.compile(rb"[a-z][\xcd-\xd6]|[\xcd-\xd6][\x80-\xbf][a-z]")


def like_our_fence(text: str, present: Collection[str]) -> bool:
    """Whether a sanitised text holds what could be taken for a fence. present: what `unusual` gave for it.

    A word in quotation marks is none, `\u2039evidence\u203a` in French. The rendering escapes it all the same.
    """
    if "<" in text and _FENCE_PLAIN.search(text) is not None:
        return True
    if _ANGLES.isdisjoint(present):
        return False
    return _FENCE_WIDE.search(text) is not None or _FENCE_QUOTED.search(text) is not None


def forged(text: str, raw: bytes, present: frozenset[str]) -> bool:
    """Whether a text copies marks of ours, of other search tools, or of a chat.

    raw: its UTF-8. present: what `unusual` gave for that. Invisible characters are passed over. Time grows with the
    length alone.
    """
    seen = without_invisible(text, present)
    if like_our_fence(seen, present):
        return True
    for bracket in PLAIN.keys() & present:
        seen = seen.replace(bracket, PLAIN[bracket])
    if seen is not text:
        text, raw = seen, utf_8(seen)
    raw = raw.lower()
    if _looks_otherwise(raw, present):
        raw = utf_8(skeleton(text))
    lines = b"\n%b\n" % raw
    if any(begin in raw and pattern.search(lines) is not None for begin, pattern in _RULES):
        return True
    if _PRIVATE in present and _HOSTED.search(raw) is not None:
        return True
    return b"</" in raw and any(b"<" + name not in raw for name in {m[1] for m in _LONE_END.finditer(lines)})


def _looks_otherwise(raw: bytes, present: Collection[str]) -> bool:
    """Whether letters of a text may pass for others: styled ones, or Greek and Cyrillic among Latin."""
    if not present:
        return False
    return not _STYLED.isdisjoint(present) or (not _ABROAD.isdisjoint(present) and _MIXED.search(raw) is not None)
