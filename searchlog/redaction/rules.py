"""What the sender of a snapshot takes out before sharing: rules, what they match, and a preview. Pure.

A rule as it is written after `--redact`:

    email             e-mail addresses                         (`addresses.emails`)
    private-hosts     hosts that are not public                (`addresses.private_hosts`)
    text:LITERAL      this text: in any case, its words apart as in running text or as in addresses (`jane-doe`), in the
                      spellings of `secrecy`
    pattern:REGEX     what this regular expression of Python finds; its cost is its author's
    field:NAME        a member of a record's body, at any depth: `title`, `query.text`, `capture.exchange.request_head`

Of a record the matches are replaced and the rest stays. What only comes to light when escapes are undone, or tags taken
away, cannot be traced back: then the whole string is replaced. A blob with a match is left out whole, for altered bytes
could not be proven against their digest.

A passage and the words around it are cut from a text, in the middle of a word too; what a cut leaves of a match in the
text is replaced as well, when it is given with the record (`cuts`).

Of a redacted record are removed as well: its `salt`, without which its leaf hash cannot be used to try out what stood
there; the digest of a passage that was altered, for the same reason; and, by `Redacted.blobs`, the blobs whose
reference a field rule took out. Names of members are kept, since they are the format's and not the content's, and two
might become one; but where a name is the writer's own (`fields` of a note), a match in it takes out the member.

Not looked at: numbers, digests, and what stands around a body but for the agent's name (session, time, kind and turn
are what the rest of the log is held against). A rule does not follow what a field said to other places:
`field:query.text` leaves the query in the URL that was asked; `text:` finds it there. Shown by test_redaction.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from searchlog import canon
from searchlog.errors import FormatError, UsageError
from searchlog.records import KINDS
from searchlog.redaction.addresses import Span, emails, merged, private_hosts
from searchlog.redaction.spellings import texts, undone, views
from searchlog.secrecy import MARKER, Secrets

__all__ = [
    "RULES",
    "UNSEEN",
    "Cuts",
    "Found",
    "Match",
    "Redacted",
    "Redactor",
    "Rule",
    "cuts",
    "derived",
    "grouped",
    "is_shared_rule",
    "parse_rule",
    "preview",
    "without_digests",
    "without_salt",
]

RULES = "email, private-hosts, text:LITERAL, pattern:REGEX or field:NAME"
Found = tuple[str, Span]
"""A rule's text, and where it found something."""
Cuts = Mapping[str, Sequence[Found]]
"""What is to be taken out of members of a body, by their names."""
UNSEEN = "unseen"
"""In place of a rule's text: whether a rule met something cannot be seen, for the text around a passage is not here."""
_FOUND_MAX = 60
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_MEMBERS = re.compile(r"[^\s.\x00-\x1f]{1,100}(?:\.[^\s.\x00-\x1f]{1,100}){0,20}")
_KEPT = frozenset({"v", "session", "seq", "at", "kind", "turn", "causes"})
_OPEN = frozenset({"fields", "extra"})
"""Members whose own members are named by whoever wrote the record."""
_LEGACY = (
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"),
)
"""Encodings of the web in which a literal is looked for besides UTF-8 and UTF-16."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, read."""

    text: str
    """As it was written, for the sender: it may hold what is to be hidden."""
    kind: str
    """`email`, `private-hosts`, `text`, `pattern` or `field`."""
    value: str = ""
    """What stands after the colon; of a field its path without the kind."""
    record: str | None = None
    """Of a field: the kind of record that it is a member of; None for every kind."""

    @property
    def shared(self) -> str:
        """The rule as a snapshot may tell it: a text or pattern that was taken out must not come in by its rule."""
        return self.kind if self.kind in ("text", "pattern") else self.text


@dataclass(frozen=True, slots=True)
class Match:
    """One thing that a rule found."""

    rule: str
    """The rule's text."""
    where: str
    """Dotted path in the record, `body.results.0.title`; empty in a blob."""
    found: str
    """What was found, on one line and shortened. It is what is to be hidden: for the sender's eyes."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A record as it may be shared."""

    value: dict[str, Any]
    """The record's object without `salt` and without what the rules match."""
    matches: tuple[Match, ...]
    blobs: frozenset[str]
    """Digests of blobs whose reference was taken out: they are left out too."""


def parse_rule(text: str) -> Rule:
    """Return a rule as it is written on the command line. Raises UsageError that says what can be written."""
    kind, colon, value = text.partition(":")
    if kind in ("email", "private-hosts") and not colon:
        return Rule(text, kind)
    if kind == "text" and value.strip():
        return Rule(text, kind, value)
    if kind == "pattern" and value:
        try:
            re.compile(value)
        except (re.error, OverflowError, RecursionError) as error:
            raise UsageError(f"not a regular expression: {value!r:.200}: {error}", rule=text) from None
        return Rule(text, kind, value)
    if kind == "field" and _MEMBERS.fullmatch(value):
        record, _, path = value.partition(".")
        # no member has a hyphen in its name, and some kinds of later versions have
        return (
            Rule(text, kind, path, record) if path and (record in KINDS or "-" in record) else Rule(text, kind, value)
        )
    raise UsageError(f"not a rule of redaction: {text!r:.200}; a rule is {RULES}", rule=text)


def is_shared_rule(text: str) -> bool:
    """Return whether a text is a rule as a snapshot tells it (`Rule.shared`)."""
    kind, colon, value = text.partition(":")
    if kind == "field":
        return _MEMBERS.fullmatch(value) is not None
    return not colon and kind in ("email", "private-hosts", "text", "pattern")  # a stranger's pattern is not compiled


class Redactor:
    """Rules, ready to be applied."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(dict.fromkeys(rules))
        self._finders = [(rule.text, _finder(rule)) for rule in self.rules if rule.kind != "field"]
        self._fields = [(rule, rule.value.split(".")) for rule in self.rules if rule.kind == "field"]

    def found(self, text: str) -> list[Found]:
        """Return where the rules find something in a text as it stands."""
        return [(rule, span) for rule, finder in self._finders for span in finder.spans(text)]

    def record(self, envelope: Mapping[str, Any], cuts: Cuts = MappingProxyType({})) -> Redacted | None:
        """Return a record's object as it may be shared, or None when nothing in it matches.

        envelope: the JSON value of a stored line. It is not altered. cuts: what is taken out of members of its body
        whatever the rules find in them.
        """
        if not self.rules:
            return None
        kind = envelope.get("kind")
        work = _Work(kind if isinstance(kind, str) else "", self)
        value = {
            name: item if name in _KEPT else work.value(item, (name,))
            for name, item in ({**envelope, "body": work.cut(envelope["body"], cuts)} if cuts else envelope).items()
            if name != "salt"
        }
        if not work.matches:
            return None
        body = value.get("body")
        if kind == "evidence" and isinstance(body, dict) and "digest" in body and work.touched("body.exact"):
            value["body"] = {**body, "digest": MARKER}
        return Redacted(value, tuple(dict.fromkeys(work.matches)), frozenset(work.blobs))

    def blob(
        self, data: bytes, *, decoded: bytes | None = None, charset: str = "", member: tuple[str, str] | None = None
    ) -> tuple[Match, ...]:
        """Return what is found in a blob; if anything, it is to be left out.

        decoded: of a payload with a content coding, what is in it. charset: what its conversion read it as. member: of
        a blob that was spilled, the kind of its record and the member's name. What a PDF or an office file draws is not
        seen here: it is seen in the text made of it (`derived`).
        """
        matches: list[Match] = []
        for part in (data,) if decoded is None or decoded == data else (data, decoded):
            found = {rule: finder.in_bytes(part) for rule, finder in self._finders}
            for text in texts(part, charset):
                for view in (text, *views(text)):  # made once for all rules
                    found |= {rule: finder.first(view) for rule, finder in self._finders if not found[rule]}
                found |= {rule: finder.in_more(text) for rule, finder in self._finders if not found[rule]}
            matches += [Match(rule, "", _short(told)) for rule, told in found.items() if told]
        if member is not None and self._fields:
            work = _Work(member[0], self)
            try:
                work.value(canon.loads(data), ("body", member[1]))
            except FormatError:
                pass  # no JSON, so no members
            matches += work.matches
        return tuple(dict.fromkeys(matches))


def derived(found: Iterable[str], made: Iterable[tuple[str, ...]]) -> set[str]:
    """Return the digests of blobs that go with those in which something was found: what tells the same.

    made: for each conversion its payload, text and structure. A PDF shows an address that its bytes do not, and a page
    may be of a charset that was not looked at: where one of the three has a match none is shared.
    """
    out, groups = set(found), [set(group) for group in made]
    size = -1
    while size != len(out):
        size = len(out)
        for group in groups:
            if not out.isdisjoint(group):
                out |= group
    return out


def cuts(found: Iterable[Found], parts: Mapping[str, Span]) -> dict[str, list[Found]]:
    """Return what parts of a text hold of what was found in the whole, where that reaches over their edges.

    parts: where each part stands in the text, by name; what is returned is counted from the part's beginning.
    """
    out: dict[str, list[Found]] = {}
    for rule, (first, last) in found:
        for name, (start, end) in parts.items():
            if first < end and last > start and (first < start or last > end):
                out.setdefault(name, []).append((rule, (max(first, start) - start, min(last, end) - start)))
    return out


def without_salt(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record's object without its salt: with it, the leaf hash would tell whether a guess is right."""
    return {name: item for name, item in envelope.items() if name != "salt"}


def without_digests(value: Any, digests: AbstractSet[str]) -> Any:
    """Return a value with `[redacted]` in place of these digests, and of references to blobs that have them."""
    if isinstance(value, dict):
        if value.get("blob") in digests:
            return MARKER
        return {name: without_digests(item, digests) for name, item in value.items()}
    if isinstance(value, list):
        return [without_digests(item, digests) for item in value]
    return MARKER if isinstance(value, str) and value in digests else value


def preview(places: Iterable[tuple[str, Iterable[Match]]]) -> list[dict[str, str]]:
    """Return what is found, for `--json`: `where`, `rule` and `found` of each match.

    places: names of what was searched with what was found there, such as `record 5 (query)` and `blob sha256:…`.
    """
    return [
        {"where": f"{place} {match.where}".rstrip(), "rule": match.rule, "found": match.found}
        for place, matches in places
        for match in matches
    ]


def grouped(items: Sequence[Mapping[str, str]]) -> list[tuple[str, str, int, str]]:
    """Return a preview for people: rule, what it found, how often, and the first place; the most frequent first."""
    counts = Counter((item["rule"], item["found"]) for item in items)
    first: dict[tuple[str, str], str] = {}
    order: dict[str, int] = {}
    for item in items:
        first.setdefault((item["rule"], item["found"]), item["where"])
        order.setdefault(item["rule"], len(order))
    ranked = sorted(counts.items(), key=lambda entry: (order[entry[0][0]], -entry[1], entry[0][1]))
    return [(rule, found, count, first[rule, found]) for (rule, found), count in ranked]


class _Work:
    """One record as it is gone through."""

    def __init__(self, kind: str, redactor: Redactor) -> None:
        self._kind = kind
        self._redactor = redactor
        self.matches: list[Match] = []
        self.blobs: set[str] = set()

    def touched(self, where: str) -> bool:
        return any(match.where == where or match.where.startswith(where + ".") for match in self.matches)

    def cut(self, body: Mapping[str, Any], cuts: Cuts) -> dict[str, Any]:
        """Return a body without what was cut from something larger."""
        out = dict(body)
        for name, places in cuts.items():
            value, path = body[name], ("body", name)
            for rule, (start, end) in places:
                seen = isinstance(value, str) and rule != UNSEEN
                self._note(rule, path, value[start:end] if seen else "words around a passage")
            self.blobs |= set(_references(value))
            out[name] = _without(value, [span for _, span in places]) if isinstance(value, str) else MARKER
        return out

    def value(self, value: Any, path: tuple[str, ...]) -> Any:
        """Return a value without what the rules match."""
        rule = next((rule for rule, wanted in self._redactor._fields if self._named(rule, wanted, path)), None)
        if rule is not None and value != MARKER:
            self._note(rule.text, path, value if isinstance(value, str) else canon.dumps(value).decode())
            self.blobs |= set(_references(value))
            return MARKER
        if isinstance(value, str):
            return value if _DIGEST.fullmatch(value) else self._string(value, path)
        if isinstance(value, list):
            return [self.value(item, (*path, str(index))) for index, item in enumerate(value)]
        if isinstance(value, dict) and path[-1] in _OPEN:
            return {
                name: self.value(item, (*path, name)) for name, item in value.items() if self._keeps(name, item, path)
            }
        if isinstance(value, dict):
            return {name: self.value(item, (*path, name)) for name, item in value.items()}
        return value

    def _named(self, rule: Rule, wanted: list[str], path: tuple[str, ...]) -> bool:
        """Whether a path, the places in lists aside, ends in the members that a field rule names."""
        if rule.record not in (None, self._kind) or path[-1] != wanted[-1]:
            return False
        names = [name for name in path if not name.isdecimal()]
        return names[-len(wanted) :] == wanted

    def _keeps(self, name: str, item: Any, path: tuple[str, ...]) -> bool:
        for rule, finder in self._redactor._finders:
            if found := finder.anywhere(name):
                self._note(rule, path, found)
                self.blobs |= set(_references(item))
                return False
        return True

    def _string(self, text: str, path: tuple[str, ...]) -> str:
        spans: list[Span] = []
        whole = False
        seen = tuple(views(text))
        for rule, finder in self._redactor._finders:
            mine = [span for span in finder.spans(text) if span[1] > span[0]]
            pieces = {text[start:end] for start, end in mine}
            known = pieces | {view for piece in pieces for view in views(piece)}
            for view in (*seen, *finder.more(text)):
                for start, end in finder.in_view(view):
                    if end > start and view[start:end] not in known:
                        whole = True
                        pieces.add(view[start:end])
            for piece in sorted(pieces):
                self._note(rule, path, piece)
            spans += mine
        return MARKER if whole else _without(text, spans)

    def _note(self, rule: str, path: tuple[str, ...], found: str) -> None:
        self.matches.append(Match(rule, ".".join(path), _short(found)))


class _Finder:
    """Finds what one rule names: in a text as it stands, and in one of its views."""

    def __init__(self, spans: Callable[[str], list[Span]]) -> None:
        self.in_view = spans

    def spans(self, text: str) -> list[Span]:
        """Return where it stands in a text."""
        return self.in_view(text)

    def more(self, text: str) -> Iterator[str]:
        """Yield what a text is looked through as besides its views."""
        yield from ()

    def in_bytes(self, data: bytes) -> str:
        """Return what is found in bytes as they are; empty for nothing."""
        return ""

    def first(self, text: str) -> str:
        """Return the first thing found in a text, or in a view of one; empty for nothing."""
        return next((text[start:end] for start, end in self.in_view(text) if end > start), "")

    def in_more(self, text: str) -> str:
        return next(filter(None, map(self.first, self.more(text))), "")

    def anywhere(self, text: str) -> str:
        """Return the first thing found in a text or in what it is looked through as; empty for nothing."""
        return next(filter(None, map(self.first, (text, *views(text), *self.more(text)))), "")


class _Pattern(_Finder):
    """Finds what a regular expression finds; in forms, where a blank is a plus, as well."""

    def __init__(self, pattern: str) -> None:
        compiled = re.compile(pattern)
        super().__init__(lambda text: [found.span() for found in compiled.finditer(text)])

    def more(self, text: str) -> Iterator[str]:
        if "+" in text:
            yield undone(text.replace("+", " "))


class _Literal(_Finder):
    """Finds a text: in any case, its words apart by blanks or by what stands for them in addresses.

    In views as well, and by `secrecy` in what is escaped, broken up or coded.
    """

    def __init__(self, literal: str) -> None:
        self._secrets = Secrets((literal.strip(),))
        pattern = re.compile(r"[\s_.+-]+".join(map(re.escape, literal.split())), re.IGNORECASE)
        super().__init__(lambda text: [found.span() for found in pattern.finditer(text)])
        cases = dict.fromkeys(case for case in (literal, literal.lower(), literal.upper(), literal.title()))
        self._coded = () if literal.isascii() else tuple(dict.fromkeys(_legacy(case.strip()) for case in cases))

    def spans(self, text: str) -> list[Span]:
        data = text.encode("utf-8", "surrogatepass")
        places = self._secrets.places(data)
        if not text.isascii():
            places = [(_chars(data[:start]), _chars(data[:end])) for start, end in places]
        return merged([*places, *self.in_view(text)])

    def in_bytes(self, data: bytes) -> str:
        for start, end in self._secrets.places(data):
            return data[start:end].decode("utf-8", "replace")
        coded = next((form for forms in self._coded for form in forms if form in data), None)
        return coded.decode("utf-8", "backslashreplace") if coded else ""


def _legacy(text: str) -> tuple[bytes, ...]:
    """Return a text in each encoding of the web that has its characters, where that is three bytes or more."""
    out = []
    for name in _LEGACY:
        try:
            out.append(text.encode(name))
        except UnicodeError:
            continue
    return tuple(form for form in dict.fromkeys(out) if len(form) > 2)


def _finder(rule: Rule) -> _Finder:
    if rule.kind == "text":
        return _Literal(rule.value)
    if rule.kind == "pattern":
        return _Pattern(rule.value)
    return _Finder(emails if rule.kind == "email" else private_hosts)


def _without(text: str, spans: Iterable[Span]) -> str:
    """Return a text with a marker in place of each of these spans."""
    out, at = [], 0
    for start, end in merged(spans):
        out += [text[at:start], MARKER]
        at = end
    return "".join([*out, text[at:]])


def _chars(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _FOUND_MAX else flat[: _FOUND_MAX - 1] + "…"


def _references(value: Any) -> Iterator[str]:
    """Yield the digests of the blobs that a value refers to."""
    if isinstance(value, dict):
        blob = value.get("blob")
        if isinstance(blob, str) and _DIGEST.fullmatch(blob):
            yield blob
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
