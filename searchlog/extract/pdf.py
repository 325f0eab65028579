"""PDF to text, page by page, with pypdfium2 (an extra). Effects: none beyond the library's own memory.

A page's text is what the library reads, in its order; `layout.py` tells paragraphs, headings, rows and code from where
its lines stand. A file whose pages are pictures has no text layer, and that is said rather than an empty text handed
on; where some pages are, a warning says so, and no block has their number. pypdfium2 is chosen over pypdf and
pdfminer.six for its speed and for what it bears: see `tests/bench/pdf.py`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite, sin
from typing import Any

from searchlog.extract.conversion import Block, Conversion, ConversionFailure, Dated, Metadata, bounded
from searchlog.extract.dates import iso_date
from searchlog.extract.layout import HYPHEN, Line, Piece, pieces_of

__all__ = ["CONVERTER", "engine", "read_pdf"]

CONVERTER = "pdf/3"
_TYPE = "application/pdf"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_HINT = "reading PDF needs an extra: pip install 'searchlog[pdf]'"


def engine() -> str:
    """Return the name and version of the library and of its engine."""
    from pypdfium2 import version

    return f"pypdfium2 {version.PYPDFIUM_INFO} (pdfium {version.PDFIUM_INFO})"


def read_pdf(
    data: bytes, pages_max: int, chars_max: int, late: Callable[[], bool] = lambda: False
) -> Conversion | ConversionFailure:
    """Return the text of the pages in order; blocks carry 1-based page numbers.

    late: when it says so, the pages read by then are all that is read.
    """
    try:
        import pypdfium2
    except ImportError:
        return ConversionFailure("needs-extra", _HINT, _TYPE, CONVERTER)
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            return ConversionFailure("no-text", "the PDF is encrypted, and needs a password", _TYPE, CONVERTER)
        return ConversionFailure("malformed", f"not a readable PDF: {error}", _TYPE, CONVERTER)
    try:
        return _read(document, pages_max, chars_max, late)
    except pypdfium2.PdfiumError as error:
        return ConversionFailure("malformed", f"a page cannot be read: {error}", _TYPE, CONVERTER)
    finally:
        document.close()


def _read(document: Any, pages_max: int, chars_max: int, late: Callable[[], bool]) -> Conversion | ConversionFailure:
    from pypdfium2 import PdfiumError

    lines: list[Line] = []
    warnings: list[str] = []
    broken: Exception | None = None
    """What the first page that cannot be read said; the others are read all the same."""
    char_count = picture_count = 0
    count = len(document)
    if count > pages_max:
        warnings.append("pages-cut")
    for number in range(min(count, pages_max)):
        if late():
            warnings += ["extract-timeout", *(() if warnings else ("pages-cut",))]
            break
        try:
            found, is_picture = _page(document, number)
        except PdfiumError as error:
            broken = broken or error
            continue
        picture_count += is_picture
        lines += found
        char_count += sum(len(line.text) + 1 for line in found)
        if char_count > chars_max:
            break
    if broken is not None:
        if not lines:
            raise broken
        warnings.append("page-unreadable")
    if not lines and "extract-timeout" in warnings:
        return ConversionFailure("timeout", "no text on the pages that could be read in time", _TYPE, CONVERTER)
    if not lines:
        pages = "page is a picture" if count == 1 else f"{count} pages are pictures"
        return ConversionFailure("no-text", f"the PDF has no text layer (its {pages})", _TYPE, CONVERTER)
    if picture_count:
        warnings.append("pages-without-text")
    text, blocks = _assembled(pieces_of(lines), chars_max)
    if len(text) < char_count - 1 and char_count > chars_max:
        warnings.append("text-cut")
    kept = bounded(blocks)
    if len(kept) < len(blocks):
        warnings.append("blocks-joined")
    metadata = _metadata(document)
    if metadata.title is None or _NO_TITLE.search(metadata.title):
        metadata = replace(metadata, title=_first_heading(text, blocks) or metadata.title)
    return Conversion(text, kept, metadata, CONVERTER, warnings=tuple(warnings))


_NO_TITLE = re.compile(
    r"^(?:untitled|title|document\d*|microsoft word\b.*|[!-~]*[\d_.][!-~]*)$"
    r"|\.(?:docx?|tex|dvi|indd|rtf|odt|pptx?|qxd)$",
    re.I,
)
"""What programs write for a title: a file's name, as a rule."""


def _first_heading(text: str, blocks: Sequence[Block]) -> str | None:
    """Return the largest heading of the first page."""
    found = [block for block in blocks if block.kind == "heading" and block.page == blocks[0].page]
    best = min(found, key=lambda block: block.level, default=None)
    return text[best.start : best.end][:500] if best is not None else None


def _assembled(pieces: Sequence[Piece], chars_max: int) -> tuple[str, tuple[Block, ...]]:
    texts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for piece in pieces:
        text = piece.text[: chars_max - at]
        if not text:
            break
        end = at + len(text)
        blocks.append(
            Block(piece.kind, at, end, piece.level, piece.furniture, None, piece.page, piece.group, piece.head)
        )
        texts.append(text)
        at = end + 1
        if at >= chars_max:
            break
    return "\n".join(texts), tuple(blocks)


def _page(document: Any, number: int) -> tuple[list[Line], bool]:
    """Return the lines of a page, and whether there is something on it but no text."""
    page = document[number]
    try:
        layer = page.get_textpage()
        try:
            lines = _lines(layer, number + 1)
        finally:
            layer.close()
        return lines, not lines and _has_objects(page)
    finally:
        page.close()


def _has_objects(page: Any) -> bool:
    from pypdfium2 import raw

    return bool(raw.FPDFPage_CountObjects(page) > 0)


_NEWLINE = re.compile(rf"\r\n|\r|\n|(?<={HYPHEN})")
"""The library leaves out the line feed after a hyphen that it takes for one of a broken word."""
_GAP = 1.2
"""Heights of a letter; a wider gap between words is one between columns."""
_GAPS_MAX = 2_000
"""Gaps of one line that are measured."""
_FIXED_PITCH = 1
"""Bit of a font descriptor's flags (ISO 32000-2 section 9.8.2)."""
_MONO = re.compile(r"mono|courier|typewriter|consol|\+?(?:cm|ec|sf)tt\d")
_BOLD = 600


def _lines(layer: Any, page: int) -> list[Line]:
    """Return the lines of a page's text layer with their places."""
    whole = str(layer.get_text_range())
    measure = _Measure(layer, whole)
    lines: list[Line] = []
    at = 0
    for end in (*_NEWLINE.finditer(whole), None):
        text = whole[at : end.start() if end else len(whole)]
        bare = text.strip()
        if bare:
            lines.append(measure.line(bare, at + text.index(bare[0]), page))
        at = end.end() if end else at
    return lines


def _finite(place: float) -> float:
    """Return the place; 0 for what a file's numbers overflow to."""
    return place if isfinite(place) else 0.0


class _Measure:
    """Where the characters of a text layer stand. Places are asked for by the line, not by the character: it is a call
    into the library each time."""

    def __init__(self, layer: Any, text: str) -> None:
        from ctypes import c_double, c_int, create_string_buffer

        from pypdfium2 import raw

        self._raw = raw
        self._layer = layer
        self._box = raw.FS_RECTF()
        self._x, self._y, self._flags = c_double(), c_double(), c_int()
        self._name = create_string_buffer(80)
        self._wide = [at for at, char in enumerate(text) if char > "\uffff"]

    def _index(self, at: int) -> int:
        """Return the library's index of a character, which counts UTF-16."""
        return int(self._raw.FPDFText_GetCharIndexFromTextIndex(self._layer, at + bisect_left(self._wide, at)))

    def _edges(self, at: int) -> tuple[float, float, float]:
        """Return left, right and height of a character's box; zeros where it has none."""
        box = self._box
        if not self._raw.FPDFText_GetLooseCharBox(self._layer, self._index(at), box):
            return 0.0, 0.0, 0.0
        return _finite(box.left), _finite(box.right), _finite(abs(box.top - box.bottom))

    def line(self, text: str, start: int, page: int) -> Line:
        raw, layer = self._raw, self._layer
        first = self._index(start)
        raw.FPDFText_GetCharOrigin(layer, first, self._x, self._y)
        base = _finite(self._y.value)
        begin, end = self._edges(start), self._edges(start + len(text.removesuffix(HYPHEN)) - 1)
        size = max(begin[2], end[2]) or 1.0
        turned = abs(sin(raw.FPDFText_GetCharAngle(layer, first))) > _TURNED
        if turned and (places := self._turned(start, start + len(text.removesuffix(HYPHEN)) - 1)):
            left, right, base, size = places
            bold, mono = self._face(first)
            return Line(_UNSTORABLE.sub("\ufffd", text), page, left, right, base, size, bold, mono, turned=True)
        from_right = begin[0] > end[0] and _RIGHT_TO_LEFT.search(text) is not None
        left, right = min(begin[0], end[0]), max(begin[1], end[1])
        if _ARABIC.search(text):
            text = _ARABIC.sub(lambda word: self._in_order(word[0], start + word.start()), text)
        cells: tuple[tuple[float, float], ...] = ()
        if not from_right and " " in text:
            text, cells = self._cells(text, start, size * _GAP, (left, right))
        return Line(
            _UNSTORABLE.sub("\ufffd", text),
            page,
            -right if from_right else left,
            -left if from_right else right,
            base,
            size,
            *self._face(first),
            cells=cells,
            from_right=from_right,
        )

    def _face(self, first: int) -> tuple[bool, bool]:
        """Return whether a character is bold, and whether its typeface is equally wide."""
        raw = self._raw
        raw.FPDFText_GetFontInfo(self._layer, first, self._name, len(self._name), self._flags)
        name = self._name.value.decode("latin-1").lower()
        bold = raw.FPDFText_GetFontWeight(self._layer, first) >= _BOLD or "bold" in name
        return bold, bool(self._flags.value & _FIXED_PITCH) or _MONO.search(name) is not None

    def _turned(self, start: int, last: int) -> tuple[float, float, float, float] | None:
        """Return left, right, base and size of a line that runs up or down the page, as if the page were turned."""
        raw, layer, box = self._raw, self._layer, self._box
        x, y = _finite(self._x.value), _finite(self._y.value)
        if not raw.FPDFText_GetLooseCharBox(layer, self._index(last), box):
            return None
        down = sin(raw.FPDFText_GetCharAngle(layer, self._index(start))) > 0
        size = _finite(abs(box.right - box.left)) or 1.0
        top, bottom = _finite(box.top), _finite(box.bottom)
        if abs(_finite(box.left) - x) > abs(top - y) + size:
            return None  # letters that lie on their side in a line that does not
        return (-y, -bottom, x, size) if down else (y, top, -x, size)

    def _in_order(self, word: str, start: int) -> str:
        """Return an Arabic word with its letters from right to left: the library turns some words round."""
        places = [self._edges(start + offset) for offset in range(len(word))]
        order = sorted(range(len(word)), key=lambda offset: -(places[offset][0] + places[offset][1]))
        return "".join(word[offset] for offset in order)

    def _cells(
        self, text: str, start: int, wide: float, ends: tuple[float, float]
    ) -> tuple[str, tuple[tuple[float, float], ...]]:
        """Return the text with tabs for the spaces that are wide, and where the parts begin and end.

        Gaps that are all of one width come from justification.
        """
        gaps: list[tuple[re.Match[str], float, float]] = []
        for match in islice(re.finditer(r" +", text), _GAPS_MAX):
            word, following = self._edges(start + match.start() - 1), self._edges(start + match.end())
            gaps.append((match, word[1], following[0]))
        widths = [after - before for _, before, after in gaps]
        if max(widths) <= wide or (len(widths) > 1 and max(widths) - min(widths) < _EVEN * wide):
            return text, ()
        out: list[str] = []
        cells: list[tuple[float, float]] = []
        at, left = 0, ends[0]
        for match, before, after in gaps:
            if after - before > wide:
                out.append(text[at : match.start()])
                cells.append((left, before))
                at, left = match.end(), after
        return "\t".join([*out, text[at:]]), (*cells, (left, ends[1]))


_EVEN = 0.15
_TURNED = 0.7
"""Sine of the angle from which on a line runs up or down."""
_ARABIC = re.compile("[\u0620-\u064a\u066e-\u06d3\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]{2,60}")
"""Without digits, which run from the left."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def _metadata(document: Any) -> Metadata:
    info = document.get_metadata_dict(skip_empty=True)

    def dated(key: str) -> Dated | None:
        match = _DATE.match(info.get(key, ""))
        found = iso_date("".join(match.groups("")).replace("'", "")) if match else None
        # when the file was made, which need not be when it was published
        return Dated(found, f"pdf:{key}", "guessed") if found else None

    return Metadata(
        title=_UNSTORABLE.sub("\ufffd", info.get("Title", "")).strip()[:500] or None,
        author=_UNSTORABLE.sub("\ufffd", info.get("Author", "")).strip()[:500] or None,
        published=dated("CreationDate"),
        modified=dated("ModDate"),
    )


_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})(\d{6})?(Z|[+-]\d{2}'\d{2})?")
"""ISO 32000-2 section 7.9.4."""
