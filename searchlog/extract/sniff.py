"""The media type of a payload by its content; what the server says is a hint only. Pure.

Spec: MIME Sniffing Standard, sections 6 and 7, for the signatures; unlike a browser we also look for markup when the
server says plain text only if the text begins like a document, and never let a declared type turn binary into text.
"""

from __future__ import annotations

import re

__all__ = ["essence", "is_html", "sniff"]

_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-elf"),
    (b"MZ", "application/x-msdownload"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"{\\rtf", "application/rtf"),
    (b"\0asm", "application/wasm"),
)
_SHORT_MAGIC = frozenset((b"BM", b"MZ", b"BZh", b"ID3"))
"""Letters that a text may begin with too: they count only when control bytes follow."""

_HEAD_BYTES = 4_096
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# possessive and atomic groups (`*+`, `(?>`): a head made of comments must not be split in every possible way
_HTML = re.compile(
    rb"(?>(?><!--.*?-->|<\?[^>]*>)\s*)*+<(?:!doctype\s+html|html|head|body|script|iframe|h1|div|font|table|a|style"
    rb"|title|b|br|p|meta|link|span|ul|ol|main|article|section|header|nav|noscript|base|center)(?=[\s/>])",
    re.I | re.S,
)
_ROOT = re.compile(rb"(?><\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*(?:\[.*?\])?\s*>|\s+)*+<([a-zA-Z_][\w.:-]*)", re.I | re.S)
_MARKDOWN_NAME = re.compile(r"\.(?:md|markdown|mdown|mkd)(?:$|[?#])", re.I)
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_TEXT_BOMS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


def essence(declared: str | None) -> str:
    """Return the type and subtype of a Content-Type value, lower case; empty when there is none."""
    return (declared or "").split(";", 1)[0].strip().lower()


def is_html(media_type: str) -> bool:
    """Return whether the type is read by the HTML converter."""
    return media_type in _HTML_TYPES


def sniff(data: bytes, declared: str | None = None, url: str = "") -> str:
    """Return the media type of these bytes.

    declared: the Content-Type value, which chooses among kinds of text but never makes text of binary.
    url: its suffix tells Markdown from plain text when the server does not.
    """
    head = data[:_HEAD_BYTES]
    wide = head.startswith(_TEXT_BOMS[1:])
    said = essence(declared)
    if not wide:
        if found := _magic(head):
            return found
        if (b"\0" in head and not _wide_label(declared)) and not _mostly_text(head):
            return "application/octet-stream"
    body = head.removeprefix(_TEXT_BOMS[0])
    if wide:
        body = head[2:].replace(b"\0", b"")
    body = body.lstrip(b" \t\r\n\f\0")
    return _text_type(body, said, url, data)


def _wide_label(declared: str | None) -> bool:
    return "utf-16" in (declared or "").lower()


def _mostly_text(head: bytes) -> bool:
    """Return whether a page merely has some NUL bytes in it."""
    return head.count(b"\0") * 20 < len(head) and len(_CONTROL.findall(head)) * 20 < len(head)


def _magic(head: bytes) -> str | None:
    for mark, name in _MAGIC:
        if head.startswith(mark) and (mark not in _SHORT_MAGIC or _CONTROL.search(head)):
            return name
    if head.startswith(b"RIFF") and head[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}[head[8:12]]
    if head[4:8] == b"ftyp":
        return "image/avif" if head[8:12] in (b"avif", b"avis") else "video/mp4"
    # some servers send bytes before the mark; readers of PDF accept it within the first 1,024
    if b"%PDF-1." in head[:1_024] and not head.lstrip().startswith(b"<") and _CONTROL.search(head):
        return "application/pdf"
    return None


def _text_type(body: bytes, said: str, url: str, data: bytes) -> str:
    xml = _xml_type(body, said)
    if xml is not None:
        return xml
    if _HTML.match(body):
        # source code of a page, sent as plain text, stays source code
        return "text/plain" if said == "text/plain" and not _is_document(body) else "text/html"
    if said in _HTML_TYPES:
        return "text/html"
    if said == "application/feed+json" or (body[:1] == b"{" and said not in _HTML_TYPES and _JSON_FEED.match(body)):
        return "application/feed+json"
    if said == "application/json" or said.endswith("+json"):
        return "application/json"
    if said in ("text/markdown", "text/x-markdown"):
        return "text/markdown"
    if said in ("", "text/plain", "application/octet-stream") and _MARKDOWN_NAME.search(url):
        return "text/markdown"
    if (
        body[:1] in (b"{", b"[")
        and said in ("", "application/octet-stream", "text/json")
        and data.rstrip()[-1:] in (b"}", b"]")
    ):
        return "application/json"
    if said.startswith(("image/", "audio/", "video/", "font/")) and said != "image/svg+xml":
        return said
    if said in _OTHER_TEXT:
        return said
    return "text/plain"


_OTHER_TEXT = frozenset(("text/css", "text/javascript", "text/ecmascript", "text/csv", "text/tab-separated-values"))
"""Kinds of text that are not plain: what serves a page and is not read, and tables. Any other is plain text to us:
scripts, calendars, subtitles, patches."""
_XML_ROOTS = (b"rss", b"feed", b"rdf:rdf", b"svg")
"""What is XML without saying so."""
_RSS_1 = re.compile(rb"purl\.org/rss/1\.0/|my\.netscape\.com/rdf")
"""RDF is much else besides."""
_JSON_FEED = re.compile(rb"\{(?:[^{}\[\]]{0,2000},)?\s*\"version\"\s*:\s*\"https?:(?:\\?/){2}jsonfeed\.org\\?/version")


def _is_document(body: bytes) -> bool:
    return re.match(rb"\s*<(?:!doctype\s+html|html)", body, re.I) is not None


def _xml_type(body: bytes, said: str) -> str | None:
    """Return the type of an XML document by its root element; None when it is not XML."""
    declared = said in ("text/xml", "application/xml", "application/xhtml+xml") or said.endswith("+xml")
    match = _ROOT.match(body)
    if match is None:
        return None
    root = match[1].lower()
    if not body.startswith(b"<?xml") and not declared and root not in _XML_ROOTS:
        return None
    if root == b"html":
        return "application/xhtml+xml" if body.startswith(b"<?xml") or said == "application/xhtml+xml" else "text/html"
    if root == b"rss" or (root == b"rdf:rdf" and _RSS_1.search(body)):
        return "application/rss+xml"
    if root == b"feed" or (root.endswith(b":feed") and b"www.w3.org/2005/Atom" in body):
        return "application/atom+xml"
    if root == b"svg":
        # a page may begin with a drawing
        return None if said in _HTML_TYPES and not body.startswith(b"<?xml") else "image/svg+xml"
    return None if said in _HTML_TYPES else "application/xml"
