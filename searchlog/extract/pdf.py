"""PDF to text, page by page, with pypdfium2 (an extra). Effects: none beyond the library's own memory.

Paragraphs are lines without a blank between them; a page's text is what the library reads, in its order. A file
whose pages are pictures has no text layer, and that is said rather than an empty text handed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from searchlog.extract.conversion import Block, Conversion, ConversionFailure, Dated, Metadata, bounded
from searchlog.extract.dates import iso_date

__all__ = ["CONVERTER", "engine", "read_pdf"]

CONVERTER = "pdf/2"
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
        return ConversionFailure("malformed", f"not a readable PDF: {error}", _TYPE, CONVERTER)
    try:
        return _read(document, pages_max, chars_max, late)
    except pypdfium2.PdfiumError as error:
        return ConversionFailure("malformed", f"a page cannot be read: {error}", _TYPE, CONVERTER)
    finally:
        document.close()


def _read(document: Any, pages_max: int, chars_max: int, late: Callable[[], bool]) -> Conversion | ConversionFailure:
    from pypdfium2 import PdfiumError

    texts: list[str] = []
    blocks: list[Block] = []
    at = 0
    warnings: list[str] = []
    broken: Exception | None = None
    """What the first page that cannot be read said; the others are read all the same."""
    count = len(document)
    if count > pages_max:
        warnings.append("pages-cut")
    for number in range(min(count, pages_max)):
        if late():
            warnings += ["extract-timeout", *(() if warnings else ("pages-cut",))]
            break
        try:
            text = _page_text(document, number)
        except PdfiumError as error:
            broken = broken or error
            continue
        for part in _paragraphs(text):
            room = chars_max - at
            if len(part) > room:
                warnings.append("text-cut")
            if room > 0:
                texts.append(part[:room])
                blocks.append(Block("paragraph", at, at + len(texts[-1]), page=number + 1))
                at += len(texts[-1]) + 1
            if "text-cut" in warnings:
                break
        if "text-cut" in warnings:
            break
    if broken is not None:
        if not blocks:
            raise broken
        warnings.append("page-unreadable")
    if not blocks and "extract-timeout" in warnings:
        return ConversionFailure("timeout", "no text on the pages that could be read in time", _TYPE, CONVERTER)
    if not blocks:
        pages = "page is a picture" if count == 1 else f"{count} pages are pictures"
        return ConversionFailure("no-text", f"the PDF has no text layer (its {pages})", _TYPE, CONVERTER)
    whole, kept = tuple(blocks), bounded(tuple(blocks))
    if len(kept) < len(whole):
        warnings.append("blocks-joined")
    return Conversion("\n".join(texts), kept, _metadata(document), CONVERTER, warnings=tuple(warnings))


def _page_text(document: Any, number: int) -> str:
    page = document[number]
    try:
        layer = page.get_textpage()
        try:
            return str(layer.get_text_range())
        finally:
            layer.close()
    finally:
        page.close()


def _paragraphs(text: str) -> list[str]:
    """Return the runs of lines between blank ones.

    The library marks a hyphen at the end of a line with U+FFFE; it goes back to `-`.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-")
    text = _UNSTORABLE.sub("\ufffd", text)
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            parts[-1].append(line.strip())
        elif parts[-1]:
            parts.append([])
    return ["\n".join(part) for part in parts if part]


def _metadata(document: Any) -> Metadata:
    info = document.get_metadata_dict(skip_empty=True)

    def dated(key: str) -> Dated | None:
        found = iso_date(info.get(key, "").removeprefix("D:")[:14]) or iso_date(
            info.get(key, "").removeprefix("D:")[:8]
        )
        return Dated(found, f"pdf:{key}") if found else None

    return Metadata(
        title=_UNSTORABLE.sub("\ufffd", info.get("Title", "")).strip()[:500] or None,
        author=_UNSTORABLE.sub("\ufffd", info.get("Author", "")).strip()[:500] or None,
        published=dated("CreationDate"),
        modified=dated("ModDate"),
    )
