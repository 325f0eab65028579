"""Bytes to text: which charset, decided by which step, and what could not be decoded. Pure.

Order: byte order mark, HTTP, `meta` prescan, valid UTF-8, detector, windows-1252. A label counts only when it is
one of the WHATWG Encoding Standard's; what it means is that standard's choice (`gb2312` is gb18030, `latin1` is
windows-1252). A name from the network never reaches Python's codec registry: `punycode` takes quadratic time,
`unicode_escape` rewrites the page.

Two departures from browsers, both reported as `charset-contradicted`: a label of UTF-8 over bytes that mostly are
not, and a label of windows-1252 over bytes that are valid UTF-8 beyond ASCII, are passed over. Readers get the
text that was meant. Spec: Encoding Standard section 4.2, HTML Living Standard section 13.2.3.2 (prescan).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cache

__all__ = ["Decoded", "decode", "encoding_for_label", "header_label"]

_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
    "iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
    "iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "macintosh": "csmacintosh mac macintosh x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
    "iso_8859-1 iso_8859-1:1987 l1 latin1 latin-1 us-ascii windows-1252 x-cp1252",
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
    "windows-1254 x-cp1254",
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "gb18030": "gb18030",
    "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
    "windows-949",
    "utf-16be": "unicodefffe utf-16be",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
"""Encoding to its labels: Encoding Standard section 4.2, plus `latin-1`, which servers do send. `replacement` and
`x-user-defined` are left out on purpose: a page in them has no text for us under that name."""

_BY_LABEL = {label: encoding for encoding, labels in _LABELS.items() for label in labels.split()}

_CODECS = {
    "utf-8": "utf-8",
    "ibm866": "cp866",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "windows-874": "cp874",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
    **{name: name for name in _LABELS if name.startswith(("iso-8859", "koi8"))},
}
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_PRESCAN_BYTES = 4_096
_DETECT_BYTES = 60_000
_MENDED_MAX = 100_000
"""Undecodable bytes that are looked at one by one."""
_SAID = re.compile(r"charset\s*=\s*(?:\"([^\"]{1,60})\"|'([^']{1,60})'|([^\s;\"',>]{1,60}))", re.I)
_META = re.compile(rb"<!--.*?(?:-->|\Z)|<meta[\s/]([^>]{0,2000})>|<\?xml\s([^>]{0,300})\?>", re.I | re.S)
_ATTRIBUTE = re.compile(r"([^\s/>=\"']+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))")
_XML_ENCODING = re.compile(r"encoding\s*=\s*[\"']([^\"']{1,60})[\"']")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Decoded text and how it came about."""

    text: str
    """Without byte order mark; NUL is replaced by U+FFFD."""
    label: str
    """Name of the encoding in the Encoding Standard, lower case."""
    step: str
    """`bom`, `http`, `meta`, `utf-8`, `detector` or `default`."""
    replaced_count: int = 0
    """U+FFFD put in, for bytes that could not be decoded and for NUL."""
    warnings: tuple[str, ...] = ()
    """`charset-unknown`, `charset-contradicted`, `replaced-characters`."""


def encoding_for_label(label: str) -> str | None:
    """Return the standard's name of the encoding that a label means, or None for labels it does not have."""
    return _BY_LABEL.get(label.strip("\t\n\f\r ").lower()) if len(label) <= 60 else None


def header_label(content_type: str | None) -> str | None:
    """Return the charset parameter of a Content-Type value as it stands there, or None."""
    match = _SAID.search(content_type[:1_000]) if content_type else None
    return next(part for part in match.groups() if part is not None) if match else None


def decode(data: bytes, content_type: str | None = None, *, prescan: bool = True) -> Decoded:
    """Return the text of a payload. Never fails; the same bytes and header always give the same result.

    prescan: look for `<meta charset>` and an XML declaration, as for HTML.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return _finish(data[len(mark) :], name, "bom", [])
    warnings: list[str] = []
    stated = [("http", header_label(content_type))]
    if prescan:
        stated.append(("meta", _meta_label(data)))
    whole, valid = _as_utf8(data)
    for step, label in stated:
        if label is None:
            continue
        encoding = encoding_for_label(label)
        if encoding is None:
            warnings.append("charset-unknown")
            continue
        if step == "meta" and encoding.startswith("utf-16"):
            encoding = "utf-8"  # the prescan could not have read it otherwise
        if _contradicted(data, encoding, valid):
            warnings.append("charset-contradicted")
            continue
        return _finish(data, encoding, step, warnings, whole)
    if valid:
        return _finish(data, "utf-8", "utf-8", warnings, whole)
    detected = _detect(data)
    if detected is not None:
        return _finish(data, detected, "detector", warnings)
    return _finish(data, "windows-1252", "default", warnings)


def _finish(data: bytes, encoding: str, step: str, warnings: list[str], whole: str | None = None) -> Decoded:
    """Return the text with its account. whole: the text as UTF-8, where it is known already."""
    text, replaced = (whole, 0) if whole is not None and encoding == "utf-8" else _decode(data, encoding)
    if "\0" in text:
        replaced += text.count("\0")
        text = text.replace("\0", "\ufffd")
    if replaced:
        warnings = [*warnings, "replaced-characters"]
    return Decoded(text, encoding, step, replaced, tuple(dict.fromkeys(warnings)))


def _decode(data: bytes, encoding: str) -> tuple[str, int]:
    """Return the text and how many U+FFFD stand for undecodable bytes."""
    codec = _CODECS[encoding]
    try:
        return data.decode(codec), 0
    except UnicodeDecodeError:
        if encoding.startswith(_SINGLE_BYTE):
            text = codecs.charmap_decode(data, "strict", _table(encoding))[0]
            return text, text.count("\ufffd")
        # each error costs a call: where there are very many, none is mended, and the codec itself marks them
        text = data.decode(codec, "replace")
        if text.count("\ufffd") <= _MENDED_MAX:
            text = data.decode(codec, _handler(encoding))
    try:
        own = data.count("\ufffd".encode(codec))
    except UnicodeEncodeError:
        own = 0
    return text, max(0, text.count("\ufffd") - own)


_SINGLE_BYTE = ("windows-", "iso-8859", "koi8", "ibm866", "macintosh", "x-mac")


@cache
def _table(encoding: str) -> str:
    """Return the 256 characters of a single-byte encoding, gaps of Python's table filled."""
    return "".join(bytes((byte,)).decode(_CODECS[encoding], _handler(encoding)) for byte in range(256))


@cache
def _handler(encoding: str) -> str:
    """Register what fills the gaps of Python's table for one encoding, once; return its name."""

    def mend(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        return _mend(error, encoding)

    name = f"searchlog.extract.charset.{encoding}"
    codecs.register_error(name, mend)
    return name


def _mend(error: UnicodeDecodeError, encoding: str) -> tuple[str, int]:
    """Return what the standard has where Python's table has a gap; else U+FFFD."""
    byte, start = error.object[error.start], error.start
    if encoding.startswith(("windows-", "iso-8859", "macintosh")) and 0x80 <= byte <= 0x9F:
        return chr(byte), start + 1
    if encoding == "euc-jp" and 0xA1 <= byte <= 0xFE and start + 1 < len(error.object):
        low = error.object[start + 1]
        if 0xA1 <= low <= 0xFE:
            # NEC and IBM rows, which browsers read and Python's table lacks: the same cell of code page 932
            row, cell = byte - 0xA1, low - 0xA1
            lead = row // 2 + (0x81 if row < 62 else 0xC1)
            trail = cell + 0x9F if row % 2 else cell + (0x40 if cell < 63 else 0x41)
            try:
                return bytes((lead, trail)).decode("cp932"), start + 2
            except UnicodeDecodeError:
                return "\ufffd", start + 2
    return "\ufffd", error.end


def _as_utf8(data: bytes) -> tuple[str | None, bool]:
    """Return the text if all bytes are UTF-8, and whether they are as far as they go."""
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError as error:
        # a page cut in the middle of a character is still UTF-8
        cut = error.end == len(data) and error.reason == "unexpected end of data"
        return None, cut and not data[: error.start].isascii()


def _contradicted(data: bytes, encoding: str, valid: bool) -> bool:
    """Return whether the bytes say plainly that the label is wrong."""
    if encoding == "windows-1252":
        return valid and not data.isascii()
    if encoding == "utf-8" and not valid:
        text = data[: _DETECT_BYTES * 4].decode("utf-8", "ignore")
        good = len(text) - len(text.encode("ascii", "ignore"))
        bad = len(data[: _DETECT_BYTES * 4]) - len(text.encode("utf-8"))
        return bad > 3 and bad > good
    if encoding.startswith("utf-16"):
        # ASCII markup in single bytes: no UTF-16 document has `<html` without NULs
        head = data[:_PRESCAN_BYTES]
        return b"\0" not in head and b"<" in head
    return False


def _meta_label(data: bytes) -> str | None:
    """Return the label of the first `meta` or XML declaration that states one."""
    for match in _META.finditer(data[:_PRESCAN_BYTES]):
        if match[2] is not None:
            found = _XML_ENCODING.search(match[2].decode("latin-1"))
            if found:
                return found[1]
        elif match[1] is not None:
            attributes: dict[str, str] = {}
            for name, double, single, bare in _ATTRIBUTE.findall(match[1].decode("latin-1")):
                attributes.setdefault(name.lower(), double or single or bare)
            label = attributes.get("charset")
            if label is None and attributes.get("http-equiv", "").lower() == "content-type":
                label = header_label(attributes.get("content"))
            if label:
                return label
    return None


def _detect(data: bytes) -> str | None:
    """Return the encoding that charset_normalizer finds in the first bytes, when the standard has it."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    sample = data[:_DETECT_BYTES]
    best = from_bytes(sample, cp_isolation=_DETECTED, enable_fallback=False).best()
    return _FROM_CODEC.get(best.encoding) if best is not None else None


_FROM_CODEC = {
    "gb18030": "gbk",
    "big5": "big5",
    "cp932": "shift_jis",
    "euc_jp": "euc-jp",
    "cp949": "euc-kr",
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "cp1252": "windows-1252",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "koi8_r": "koi8-r",
    "cp866": "ibm866",
    "cp874": "windows-874",
}
_DETECTED = list(_FROM_CODEC)
