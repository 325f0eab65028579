"""Bodies that are not what they claim, or cost more than they show."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from functools import partial

from tests.hostile.case import CAPTURED, FAILED, LEAD, WARNED, answer, case, page
from tests.hostile.server import Asked, Connection

content = partial(case, kind="content")
_KEPT = (CAPTURED, WARNED)
_MB = 2**20


def _body(
    id: str,
    expect: str | tuple[str, ...],
    what: str,
    body: bytes | Callable[[], bytes],
    type: str = "text/html",
    **facts: object,
) -> None:
    """A body that is costly to make is made when it is asked for."""

    @content(id, expect, what, **{"seconds_max": 12.0, **facts})
    def _(c: Connection, asked: Asked) -> None:
        c.send(answer(body if isinstance(body, bytes) else body(), type=type))


def _around(mark: str, middle: str, type: str = "text/html", before: str = "", after: str = "") -> bytes:
    shown = f"<html><body><p>SEEN-{mark} {LEAD}</p>{before}{middle}{after}<p>LAST-{mark} {LEAD}</p></body></html>"
    return shown.encode()


# -- lies about the bytes

_russian = "Прилив и отлив записаны в книге. " * 20
_body(
    "charset-lie",
    WARNED,
    "the header says UTF-8, the page KOI8-R, the bytes are windows-1251",
    f'<html><head><meta charset="koi8-r"></head><body><p>SEEN-charset-lie {_russian}</p></body></html>'.encode(
        "cp1251"
    ),
    "text/html; charset=utf-8",
    text_has=("SEEN-charset-lie",),
    warns=("charset-contradicted",),
)
for _name in (
    "punycode",
    "unicode_escape",
    "idna",
    "utf-7",
    "zlib_codec",
    "rot13",
    "x" * 5_000,
    "raw_unicode_escape",
    "undefined",
):
    _body(
        f"charset-{_name[:20]}",
        _KEPT,
        f"a charset of {_name[:20]}, 1 MB",
        _around("charset", "<p>" + "b9" * 500_000 + "</p>", before="<p>\\u0048 +AEg- caf\\xe9</p>"),
        f"text/html; charset={_name}",
        text_has=("SEEN-charset", "\\u0048 +AEg-"),
    )
_body(
    "nul-bytes",
    _KEPT,
    "NUL in title, text and attribute",
    page("nul-bytes", '<p data-x="a\0b">before\0after</p>', title="the\0ferry"),
    text_has=("LAST-nul-bytes", "before", "after"),
)
_body("bom-lie", _KEPT, "a UTF-16 mark before ASCII", b"\xff\xfe" + page("bom-lie"))
_body(
    "cut-letters",
    _KEPT,
    "UTF-8 cut in the middle of letters",
    page("cut-letters", "<p>café 港 naïve</p>").replace("é".encode(), b"\xc3").replace("港".encode(), b"\xe6\xb8"),
    text_has=("SEEN-cut-letters", "naïve"),
)


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("note.txt", LEAD * 20)
    return out.getvalue()


for _name, _bytes in (
    ("zip", _zip()),
    ("png", b"\x89PNG\r\n\x1a\n" + zlib.compress(bytes(5_000))),
    ("gif", b"GIF89a" + bytes(500)),
    ("elf", b"\x7fELF\x02\x01\x01" + bytes(3_000)),
    ("gzip", zlib.compress(page("x"), wbits=31)),
    ("wasm", b"\0asm\x01\0\0\0" + bytes(300)),
    ("noise", bytes(n * 31 % 251 for n in range(20_000))),
):
    _body(
        f"type-lie-{_name}",
        WARNED,
        f"{_name} that is called a page",
        _bytes,
        "text/html; charset=utf-8",
        reason=("no-text-unsupported-type",),
        text_lacks=("PK\x03\x04", "\x7fELF", "\x89PNG"),
    )
_body(
    "page-called-image",
    _KEPT,
    "a page that is called an image",
    page("page-called-image"),
    "image/png",
    raw_has=("SEEN-page-called-image",),
)
_body(
    "page-called-pdf",
    _KEPT,
    "a page that is called a PDF",
    page("page-called-pdf"),
    "application/pdf",
    text_has=("SEEN-page-called-pdf",),
)
_body(
    "json-called-page",
    _KEPT,
    "JSON that is called a page",
    b'{"SEEN-json": "yes", "list": [1, 2, 3]}',
    text_has=("SEEN-json",),
)
_body("nothing", WARNED, "an empty page", b"", reason=("no-text",))
_body(
    "scripts-only",
    WARNED,
    "a page that is nothing without its scripts",
    b"<html><body><div id=root></div><script>render()</script></body></html>",
    reason=("no-text", "suspected-bot-challenge"),
)
_body(
    "svg-script",
    (CAPTURED, WARNED, FAILED),
    "SVG with a script",
    b'<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script><text>hi</text></svg>',
    "image/svg+xml",
)

# -- trees that grow

for _name, _open, _close in (
    ("div", "<div>", "</div>"),
    ("span", "<span>", "</span>"),
    ("b", "<b>", "</b>"),
    ("table", "<table><tr><td>", "</td></tr></table>"),
    ("list", "<ul><li>", "</li></ul>"),
    ("quote", "<blockquote>", ""),
    ("font", "<font color=red>", ""),
    ("link", "<a href=/x><i>", "</i></a>"),
    ("svg", "<svg><g>", "</g></svg>"),
    ("template", "<template>", "</template>"),
    ("form", "<form><fieldset>", "</fieldset></form>"),
    ("button", "<button>", ""),
    ("ruby", "<ruby><rt>", ""),
    ("unknown", "<x-y>", "</x-y>"),
):
    _body(
        f"deep-{_name}",
        _KEPT,
        f"30,000 nested {_name}",
        _around("deep", _open * 30_000, after=_close * 30_000, before="<p>TOP</p>"),
        text_has=("SEEN-deep", "TOP"),
        growth_mb_max=200,
        warns=(),
    )
_body(
    "misnested",
    _KEPT,
    "misnested font tags that become millions of nodes",
    (
        "<html><body><p>SEEN-misnested" + "".join(f"<font color=c{n}>" for n in range(1_000)) + "</p><p>x" * 4_000
    ).encode(),
    text_has=("SEEN-misnested",),
    growth_mb_max=200,
)
_body(
    "misnested-b",
    _KEPT,
    "the same with b and many blocks",
    ("<p>SEEN-misnested" + "<b id=x>" * 2_000 + "<div>y</div>" * 5_000).encode(),
    text_has=("SEEN-misnested",),
    growth_mb_max=200,
)
_body(
    "foster",
    _KEPT,
    "text that tables throw out, again and again",
    _around("foster", "<table>" + "<tr>x<b>y" * 20_000),
    text_has=("SEEN-foster",),
    growth_mb_max=200,
)
_body(
    "attributes",
    _KEPT,
    "an element of 100,000 attributes",
    _around("attributes", "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x</p>"),
    text_has=("SEEN-attributes", "LAST-attributes"),
)
_body(
    "attribute-long",
    _KEPT,
    "an attribute of 4 MB",
    _around("attribute-long", '<p title="' + "a" * (4 * _MB) + '">x</p>'),
    text_has=("SEEN-attribute-long", "LAST-attribute-long"),
)
_body(
    "attribute-open",
    _KEPT,
    "a quote that never ends",
    _around("attribute-open", '<p title="' + "a> <p>" * 300_000),
    text_has=("SEEN-attribute-open",),
)
_body(
    "spans",
    _KEPT,
    "a paragraph of 200,000 spans",
    _around("spans", "<p>" + "<span>a</span>" * 200_000 + "</p>"),
    text_has=("SEEN-spans", "LAST-spans"),
    growth_mb_max=200,
)
_body(
    "elements",
    _KEPT,
    "a million elements",
    _around("elements", "<i>a</i>" * 500_000 + "<br>" * 500_000),
    text_has=("SEEN-elements",),
    growth_mb_max=200,
)
_body(
    "paragraphs",
    _KEPT,
    "400,000 paragraphs",
    _around("paragraphs", "<p>ab" * 400_000),
    text_has=("SEEN-paragraphs",),
    growth_mb_max=200,
)
_body(
    "one-word",
    _KEPT,
    "a word of 4 MB",
    _around("one-word", "<p>" + "a" * (4 * _MB) + "</p>"),
    text_has=("SEEN-one-word",),
)
_body(
    "comment-long",
    _KEPT,
    "a comment of 4 MB",
    _around("comment-long", "<!--" + "x" * (4 * _MB) + "-->"),
    text_has=("LAST-comment-long",),
)
_body(
    "comment-open",
    _KEPT,
    "a comment that never ends",
    _around("comment-open", "<!--" + "x --" * _MB),
    text_has=("SEEN-comment-open",),
)
_body(
    "title-long",
    _KEPT,
    "a title of 4 MB",
    b"<title>" + b"long " * 800_000 + b"</title>" + page("title-long"),
    text_has=("LAST-title-long",),
)
_body(
    "entities",
    _KEPT,
    "a million character references",
    _around("entities", "<p>" + "&lt;&#120;&notanentity" * 250_000 + "</p>"),
    text_has=("SEEN-entities",),
    growth_mb_max=200,
)
_body(
    "style-rules",
    _KEPT,
    "60,000 style rules over 5,000 elements",
    _around(
        "style-rules",
        "<style>"
        + "".join(f".a{n} .b{n} > p:nth-child({n}) {{display:none}}" for n in range(60_000))
        + "</style>"
        + "<p class='a1 b1'>x</p>" * 5_000,
    ),
    text_has=("SEEN-style-rules",),
)
_body(
    "style-deep",
    _KEPT,
    "at-rules 50,000 deep",
    _around("style-deep", "<style>" + "@media all {" * 50_000 + "</style>"),
    text_has=("SEEN-style-deep",),
)
_body(
    "data-deep",
    _KEPT,
    "JSON-LD 100,000 deep",
    _around("data-deep", '<script type="application/ld+json">' + '{"a":[' * 100_000 + "</script>"),
    text_has=("SEEN-data-deep",),
)
_body(
    "data-many",
    _KEPT,
    "50,000 JSON-LD blocks",
    _around(
        "data-many",
        '<script type="application/ld+json">{"headline":"x","datePublished":"2020-01-01"}</script>' * 50_000,
    ),
    text_has=("SEEN-data-many",),
)
_body(
    "meta-many",
    _KEPT,
    "100,000 meta elements",
    _around("meta-many", '<meta property="og:title" content="x">' * 100_000),
    text_has=("SEEN-meta-many",),
)
_body("json-deep", (WARNED, CAPTURED), "JSON 200,000 deep", b"[" * 200_000 + b"]" * 200_000, "application/json")
_body("json-wide", _KEPT, "JSON of 500,000 numbers", b"[" + b"12345," * 500_000 + b"1]", "application/json")
_body(
    "text-lines",
    _KEPT,
    "two million short lines",
    b"SEEN-text-lines\n" + b"a\n" * 2_000_000,
    "text/plain",
    text_has=("SEEN-text-lines",),
)
for _name, _piece in (
    ("quotes", "> "),
    ("brackets", "["),
    ("stars", "*a **b "),
    ("ticks", "`"),
    ("lists", "- "),
    ("pipes", "|a"),
    ("rules", "a\n=\n"),
    ("links", "[a](b"),
    ("html", "<b>"),
):
    _body(
        f"markdown-{_name}",
        _KEPT,
        f"Markdown of nothing but {_name}",
        ("# SEEN-markdown\n\nLead text.\n\n" + _piece * 300_000).encode(),
        "text/markdown",
        text_has=("SEEN-markdown",),
    )

# -- XML

_entities = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
_xhtml = (
    f'<?xml version="1.0"?><!DOCTYPE html [{_entities}]><html xmlns="http://www.w3.org/1999/xhtml"><body>'
    f"<p>SEEN-entity-bomb {LEAD}</p><p>&a9;</p></body></html>"
)
_body(
    "entity-bomb",
    _KEPT,
    "XHTML whose entities are gigabytes",
    _xhtml.encode(),
    "application/xhtml+xml",
    raw_has=("SEEN-entity-bomb",),
)


@content(
    "entity-external",
    _KEPT,
    "XML that names a file and the canary",
    raw_has=("SEEN-entity-external",),
    text_lacks=("root:",),
)
def _(c: Connection, asked: Asked) -> None:
    k = asked.web.canary
    dtd = f'<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY w SYSTEM "{k}/e"><!ENTITY % p SYSTEM "{k}/d"> %p;'
    body = f'<?xml version="1.0"?><!DOCTYPE r [{dtd}]><r><p>SEEN-entity-external {LEAD}</p><p>&f;</p><p>&w;</p></r>'
    c.send(answer(body.encode(), type="application/xhtml+xml" if asked.rest else "application/xml"))


# -- PDF


def pdf(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of these objects, numbered from 1; the first is the catalogue."""
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(
        out + b"trailer<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    )


_CATALOG, _PAGE = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>"


def _stream(data: bytes) -> bytes:
    packed = zlib.compress(data, 9)
    return b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(packed), packed)


_PDF: dict[str, object] = {"growth_mb_max": 200, "seconds_max": 12.0}
_ANY = (CAPTURED, WARNED, FAILED)
_body(
    "pdf-stream-bomb",
    _ANY,
    "a content stream of 200 MB",
    lambda: pdf(
        [
            _CATALOG,
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            _PAGE,
            _stream(b"BT (tide) Tj ET\n" * (200 * _MB // 16)),
        ]
    ),
    "application/pdf",
    **_PDF,
)
_body(
    "pdf-tree-loop",
    _ANY,
    "pages that are their own parents",
    pdf([_CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9999999>>"]),
    "application/pdf",
    **_PDF,
)
_body(
    "pdf-many-pages",
    _ANY,
    "a hundred thousand times the same page",
    pdf(
        [
            _CATALOG,
            b"<</Type/Pages/Kids[" + b"3 0 R " * 100_000 + b"]/Count 100000>>",
            _PAGE,
            _stream(b"BT (tide) Tj ET"),
        ]
    ),
    "application/pdf",
    **_PDF,
)
_body(
    "pdf-deep-array",
    _ANY,
    "arrays 100,000 deep",
    pdf([_CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1/X " + b"[" * 100_000 + b">>", _PAGE, _stream(b"")]),
    "application/pdf",
    **_PDF,
)
_body(
    "pdf-script",
    _ANY,
    "a script that runs on opening",
    pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL\\('http://127.0.0.3/'\\))>>>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            _PAGE,
            _stream(b"BT /F1 12 Tf (hello) Tj ET"),
        ]
    ),
    "application/pdf",
    **_PDF,
)
_body(
    "pdf-cut",
    _ANY,
    "half a PDF",
    pdf([_CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", _PAGE, _stream(b"BT (tide) Tj ET" * 500)])[:300],
    "application/pdf",
    **_PDF,
)
_body("pdf-only-mark", WARNED, "a PDF of five bytes", b"%PDF-", "application/pdf", **_PDF)
