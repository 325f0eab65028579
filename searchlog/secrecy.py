"""Find secrets in bytes and text by value, in the spellings in which servers echo them. Pure; the one engine.

Found: plain in any case; with characters escaped for URLs (once or more often), JSON and strings, or HTML, in any
mixture; broken up by tags, invisible characters, shift sequences or the NUL bytes of UTF-16; in hexadecimal; in base64
at any alignment. Not found: what was encrypted, hashed, reversed or compressed, and what stands in pieces with other
text between them.

The cost is a few scans of the bytes for each secret, whatever they hold: no pattern is grown from a secret, only a list
of escapes. What is escaped is undone in a copy (a view), searched there, and traced back.
Shown by test_redact.py.
"""

from __future__ import annotations

import base64
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from string import ascii_letters, digits

__all__ = ["MARKER", "Secrets", "secrets_of"]

MARKER = "[redacted]"
_MARK = MARKER.encode("ascii")

_PLAIN = frozenset(ascii_letters + digits)
_FRAGMENT_MIN = 8
"""Shortest piece of base64 or hexadecimal that is searched for; shorter ones occur in honest text."""
_QUOTED_TAG_MAX = 300
_WINDOW = 1 << 20
_OVERLAP_MIN = 1 << 14
"""A secret that is escaped and broken up over more bytes than this, or 64 for each of its own, may be missed."""
_LOWER = bytes(range(256)).lower()
_IS_HEX = bytes(0x30 if chr(byte) in "0123456789abcdef" else 0x20 for byte in range(256))
_SHY = "&shy;|&zerowidthspace;|&zwn?j;|&nobreak;|&#0*(?:173|820[345]|8288|65279);|&#x0*(?:ad|200[bcd]|2060|feff);"
_UNSEEN = (
    # what a reader of the text never sees, all in small letters: zero widths, shift sequences, the zeros of UTF-16
    _SHY.encode()
    + rb"|\\u(?:00ad|200[bcd]|2060|feff)|\xc2\xad|\xe2\x80[\x8b-\x8d]|\xe2\x81\xa0|\xef\xbb\xbf|\x00|\x1b[(][a-z]"
)
_TAG = rb"<[^<>]*>|\\u003c(?:(?!\\u003[ce])[^<>]){0,%d}\\u003e" % _QUOTED_TAG_MAX
_TAG_RE = re.compile(_TAG)


class Secrets:
    """A set of secrets, ready to be found; empty values are left out."""

    def __init__(self, values: Iterable[str]) -> None:
        # longest first, so that a secret inside another does not leave the rest of it behind
        ordered = sorted({value for value in values if value}, key=lambda value: (-len(value), value))
        self._count = len(ordered)
        self._table = _LOWER.replace(b" ", b"+") if any(" " in value for value in ordered) else _LOWER
        self._needles = list(dict.fromkeys(filter(None, map(self._folded, ordered))))
        self._hex = list(dict.fromkeys(form for value in ordered for form in _hex_forms(value)))
        self._hex_run = b"0" * min(map(len, self._hex), default=0)
        self._base64 = sorted({form for value in ordered for form in _base64_forms(_encoded(value))})
        shortest = min(map(len, self._base64), default=_FRAGMENT_MIN)
        self._base64_run = re.compile(rb"[A-Za-z0-9+/_%%\\-]{%d,}" % shortest)
        self._overlap = max([_OVERLAP_MIN, *(64 * len(needle) for needle in self._needles)])
        self._escapes = _Escapes({char for value in ordered for char in value}, self._table)
        # what looks like an escape in a secret is undone with the rest
        self._undone = list(dict.fromkeys([*self._needles, *map(self._escapes.undo, self._needles)]))

    def __bool__(self) -> bool:
        return bool(self._needles)

    def __len__(self) -> int:
        return self._count

    def found_in(self, data: bytes) -> bool:
        """Whether a secret stands in these bytes, in any of its forms."""
        return next(self._spans(data), None) is not None

    def places(self, data: bytes) -> list[tuple[int, int]]:
        """Return where secrets stand: spans of bytes in order, those that overlap as one."""
        return _merged(self._spans(data))

    def replace(self, data: bytes) -> bytes:
        """Return the bytes with each secret replaced by the marker; the same object where there is none."""
        spans = self.places(data)
        if not spans:
            return data
        out, at = [], 0
        for start, end in spans:
            out += [data[at:start], _MARK]
            at = end
        return b"".join([*out, data[at:]])

    def replace_text(self, text: str) -> str:
        """Return the text with each secret replaced by the marker; the same object where there is none."""
        data = text.encode("utf-8", "surrogatepass")
        cleaned = self.replace(data)
        return text if cleaned is data else cleaned.decode("utf-8", "surrogatepass")

    def _folded(self, value: str) -> bytes:
        """Return a secret as it stands in what is searched: one case, a blank as a plus where one has a blank."""
        return "".join(map(_fold, value)).encode("utf-8", "surrogatepass").translate(self._table)

    def _spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where secrets stand, in no order; spans may overlap, and come twice."""
        if not self._needles:
            return
        # in windows: what is copied stays small, and only those that hide something cost more
        for start in range(0, len(data), _WINDOW):
            piece = data[max(0, start - self._overlap) : start + _WINDOW]
            shift = min(start, len(data)) - min(start, self._overlap)
            for begin, end in self._in_window(piece):
                yield begin + shift, end + shift

    def _in_window(self, data: bytes) -> Iterator[tuple[int, int]]:
        low = data.translate(self._table)
        yield from _every(self._needles, low)
        if any(piece in runs for runs in [b" ".join(self._base64_run.findall(data))] for piece in self._base64):
            yield from _every(self._base64, data)
        if self._hex and low.translate(_IS_HEX).find(self._hex_run) >= 0:
            yield from _every(self._hex, low)
        for pattern in self._hidden_by(low):
            view = _View(low, self._escapes, pattern)
            for start, end in _every(self._undone, view.data):
                yield view.origin(start, end)

    def _hidden_by(self, low: bytes) -> Iterator[bytes]:
        """Yield what has to be left out, besides the escapes undone, for a secret to come to light.

        First the characters that nobody sees: a secret may stand inside a tag. Then tags as well.
        """
        shown = self._escapes.uncover(low.translate(None, b"\0") if b"\0" in low else low)
        if shown is not low and any(needle in shown for needle in self._undone):
            yield _UNSEEN
        if b"<" in shown or b"\\u003c" in shown:
            shown = _TAG_RE.sub(b"", shown)
            if any(needle in shown for needle in self._undone):
                yield _UNSEEN + b"|" + _TAG


@lru_cache(maxsize=32)
def secrets_of(values: tuple[str, ...]) -> Secrets:
    """Return the secrets with these values; made once for equal ones."""
    return Secrets(values)


class _Escapes:
    """How the characters of secrets are escaped, and what each escape stands for; in small letters."""

    def __init__(self, chars: Iterable[str], table: bytes) -> None:
        marks = "".join(sorted({char for char in chars if char.isascii() and char not in _PLAIN}))
        pattern, meaning = _of_ascii(marks)
        self._meaning = {escape: plain.translate(table) for escape, plain in meaning.items()}
        more: set[bytes] = set()
        for form, char in ((form, one) for one in chars if not one.isascii() for form in _cases(one)):
            coded = _encoded(form)
            for escape in (coded, *_written(form)):
                self._meaning[escape] = _encoded(_fold(char)).translate(table)
                more.add(_often(escape))
        self.pattern = b"|".join([*sorted(more, key=lambda one: (-len(one), one)), pattern])
        self._compiled = re.compile(self.pattern)
        self._uncovering = re.compile(self.pattern + b"|" + _UNSEEN)

    def undo(self, low: bytes) -> bytes:
        """Return the bytes with the escapes undone."""
        return self._compiled.sub(lambda found: self.meaning(found[0]), low)

    def uncover(self, low: bytes) -> bytes:
        """Return the bytes with the escapes undone and the unseen left out; the same object where there is neither."""
        out, count = self._uncovering.subn(lambda found: self.meaning(found[0]), low)
        return out if count else low

    def meaning(self, escape: bytes) -> bytes:
        """Return what stands for an escape, however often it is escaped; nothing for what is unseen."""
        found = self._meaning.get(escape)
        if found is None:
            found = self._meaning.get(_once(escape), b"")
        return found


@lru_cache(maxsize=32)  # what servers send decides which marks there are
def _of_ascii(marks: str) -> tuple[bytes, dict[bytes, bytes]]:
    """Return a pattern for the escapes of letters, digits and these marks, and what each of them means."""
    from html.entities import html5

    meaning: dict[bytes, bytes] = {}
    for char in marks + ascii_letters + digits:
        plain = char.lower().encode()
        meaning |= dict.fromkeys(_written(char), plain)
        meaning |= dict.fromkeys((escape + b";" for escape in _written(char) if escape[:1] == b"&"), plain)
        if char in "\"'/\\":
            meaning[b"\\" + plain] = plain
    named = {
        b"&" + name.lower().encode(): text.encode()
        for name, text in html5.items()
        if name[-1] == ";" and len(text) == 1 and text in marks
    }
    codes = b"".join(b"|%02x" % ord(mark) for mark in marks)
    numbers = b"".join(b"|%d" % ord(mark) for mark in marks)
    hexes = b"(?:3[0-9]|[46][1-9a-f]|[57][0-9a]" + codes + b")"
    slashed = b"".join(b"|" + re.escape(mark.encode()) for mark in marks if mark in "\"'/\\")
    # each branch begins with one plain character: then the engine looks for these characters alone, ten times as fast
    pattern = (
        (rb"%%(?:25)*%b|\\(?:\\{0,3}(?:x%b|u00%b)" % (hexes, hexes, hexes) + slashed + b")|&(?:")
        # a number that goes on is another character
        + (rb"#0*(?:4[89]|5[0-7]|6[5-9]|[78][0-9]|9[0789]|1[01][0-9]|12[0-2]%b)(?![0-9]);?" % numbers)
        + (rb"|#x0*%b(?![0-9a-f]);?" % hexes + b"".join(b"|" + name[1:] for name in sorted(named)) + b")")
    )
    return pattern, meaning | named


def _written(char: str) -> tuple[bytes, ...]:
    """Return a character as URLs, strings and HTML write it with escapes."""
    coded = _encoded(char)
    return (
        b"".join(b"%%%02x" % byte for byte in coded),
        b"".join(b"\\x%02x" % byte for byte in coded),
        b"".join(b"\\u%04x" % unit for unit in _units(char)),
        b"&#%d" % ord(char),
        b"&#x%x" % ord(char),
    )


def _often(escape: bytes) -> bytes:
    """Return the pattern of an escape that may be escaped again, or be longer than it must be."""
    if escape[:1] == b"%":
        return escape.replace(b"%", b"%(?:25)*")
    if escape[:2] == b"&#":
        cut = 3 if escape[2:3] == b"x" else 2
        return escape[:cut] + b"0*" + escape[cut:] + (b"(?![0-9a-f]);?" if cut == 3 else b"(?![0-9]);?")
    return escape.replace(b"\\", rb"\\\\{0,3}") if escape[:1] == b"\\" else re.escape(escape)


def _once(escape: bytes) -> bytes:
    """Return an escape as it is written when it is escaped once, and no longer than it must be."""
    if escape[:1] == b"%":
        return re.sub(rb"%(?:25)+(?=[0-9a-f]{2})", b"%", escape)
    if escape[:1] == b"&":
        return re.sub(rb"^&#(x?)0+(?=.)", rb"&#\1", escape.rstrip(b";"))
    return re.sub(rb"\\+(?=[xu])", rb"\\", escape)


class _View:
    """Bytes with escapes undone and the unseen left out, and where each piece came from."""

    def __init__(self, low: bytes, escapes: _Escapes, unseen: bytes) -> None:
        pieces: list[bytes] = []
        # of each token: where it stands in the view, its length there, where it began and ended
        self._at, self._size, self._from, self._to = (array("L", [0]) for _ in range(4))
        at = last = 0
        for found in re.compile(escapes.pattern + b"|" + unseen).finditer(low):
            start, end = found.span()
            meaning = escapes.meaning(found[0])
            pieces += (low[last:start], meaning)
            at += start - last
            self._at.append(at)
            self._size.append(len(meaning))
            self._from.append(start)
            self._to.append(end)
            at += len(meaning)
            last = end
        self.data = b"".join([*pieces, low[last:]])

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the span that a span of the view was made of."""
        return self._trace(start)[0], self._trace(end - 1)[1]

    def _trace(self, place: int) -> tuple[int, int]:
        token = bisect_right(self._at, place) - 1
        beyond = place - self._at[token] - self._size[token]
        if beyond < 0:
            return self._from[token], self._to[token]
        return self._to[token] + beyond, self._to[token] + beyond + 1


def _every(needles: Iterable[bytes], data: bytes) -> Iterator[tuple[int, int]]:
    for needle in needles:
        at = data.find(needle)
        while at >= 0:
            yield at, at + len(needle)
            at = data.find(needle, at + len(needle))


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans in order, those that overlap as one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _encoded(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _cases(char: str) -> list[str]:
    """Return a character in small and capital letters, where each of them is one character."""
    return sorted({case for case in (char, char.lower(), char.upper()) if len(case) == 1})


def _fold(char: str) -> str:
    """Return the one character that stands for all cases of a character."""
    upper = char.upper()
    lower = (upper if len(upper) == 1 else char).lower()
    return lower if len(lower) == 1 else char


def _units(char: str) -> list[int]:
    """Return the UTF-16 units of a character."""
    coded = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(coded[at : at + 2], "big") for at in range(0, len(coded), 2)]


def _hex_forms(value: str) -> Iterator[bytes]:
    """Yield a secret as hexadecimal digits of its UTF-8: as it is, in small letters, in capitals, and turned round."""
    cases = (
        "".join(char if len(getattr(char, case)()) != 1 else getattr(char, case)() for char in value)
        for case in ("lower", "upper", "swapcase")
    )
    for form in (value, *cases):
        digits = _encoded(form).hex().encode()
        if len(digits) >= _FRAGMENT_MIN:
            yield digits


def _base64_forms(plain: bytes) -> set[bytes]:
    """Return what base64 of any text around the secret must contain: one piece for each alignment."""
    forms = set()
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + plain)
        # characters that also hold bits of the neighbours are left out
        start = (shift * 8 + 5) // 6
        end = (shift + len(plain)) * 8 // 6
        piece = coded[start:end]
        if len(piece) >= _FRAGMENT_MIN:
            forms |= {piece, piece.replace(b"+", b"-").replace(b"/", b"_"), piece.replace(b"/", b"\\/")}
            forms |= {piece.replace(b"+", b"%2B").replace(b"/", b"%2F")}
    return forms
