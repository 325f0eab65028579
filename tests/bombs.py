"""Payloads that cost their reader far more than their sender, by kind; each size is a parameter.

Every page that has honest text holds `SEEN` at its beginning, and `END` after the bomb where a browser would show it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

__all__ = ["BOMBS", "FILLER", "HTML", "JSON", "MARKDOWN", "PDF", "TEXT", "pdf"]

HTML, TEXT, MARKDOWN, JSON, PDF = (
    "text/html; charset=utf-8",
    "text/plain; charset=utf-8",
    "text/markdown",
    "application/json",
    "application/pdf",
)
FILLER = "The bridge over the harbour opened to traffic in the spring of that year, with a speech by the mayor. "


def _page(body: str, *, head: str = "", end: str = "<p>END</p>") -> bytes:
    markup = f"<!doctype html><html><head><title>T</title>{head}</head><body><p>SEEN</p>{body}{end}</body></html>"
    return markup.encode("utf-8", "surrogatepass")


def honest(paragraphs: int, words: int = 7) -> bytes:
    """An honest long page."""
    return _page("".join(f"<p>{n} {FILLER * words}</p>" for n in range(paragraphs)))


def nested(opening: str, closing: str, depth: int, inner: str = "x") -> bytes:
    """Elements in elements. closing: empty for elements that are never closed."""
    return _page(opening * depth + inner + closing * depth)


def beside(piece: str, count: int) -> bytes:
    return _page(piece * count)


def misnested_fonts(fonts: int, paragraphs: int, tag: str = "font") -> bytes:
    """Formatting elements left open, which the standard opens again in each new block."""
    return _page("<p>" + "".join(f"<{tag} color=c{i}>" for i in range(fonts)) + "</p>" + "<p>x" * paragraphs)


def masked_fonts(fonts: int, paragraphs: int) -> bytes:
    """The same, with end tags inside comments, which do not count."""
    return _page(
        "<p>" + "".join(f"<font color=c{i}><!--</font>-->" for i in range(fonts)) + "</p>" + "<p>x" * paragraphs
    )


def attributes(count: int, value: str = "=v") -> bytes:
    return _page("<p " + " ".join(f"a{i}{value}" for i in range(count)) + ">in</p>")


def many_attributed(elements: int, each: int) -> bytes:
    return _page(("<p " + " ".join(f"a{i}=v" for i in range(each)) + ">x</p>") * elements)


def foster(rows: int) -> bytes:
    return _page("<table>" + "<b>x<tr><p>y" * rows + "</table>")


def misnested_links(count: int) -> bytes:
    return _page("<a href=x><div><b>t" * count)


def aaa(count: int) -> bytes:
    """End tags that start the adoption agency again and again."""
    return _page("<b><p>" * count + "x" + "</b>" * count)


def css_rules(count: int) -> bytes:
    sheet = "".join(f".c{i}{{display:none}}" for i in range(count))
    names = " ".join(f"c{i}" for i in range(count, count + 500))
    return _page(f"<p class='{names}'>x</p>" * 200, head=f"<style>{sheet}</style>")


def css_same_key(rules: int, elements: int) -> bytes:
    """Many rules that are looked up by one class, and many different elements that have it."""
    sheet = "".join(f".a.b{i}{{display:none}}" for i in range(rules))
    return _page("".join(f"<p class='a z{i}'>x</p>" for i in range(elements)), head=f"<style>{sheet}</style>")


def css_unclosed(chars: int) -> bytes:
    return _page("", head="<style>" + "/*" * (chars // 2) + "</style>")


def css_braces(count: int) -> bytes:
    return _page("<p style='color:red'>x</p>", head="<style>" + "@media x{" * count + "</style>")


def css_parts(count: int) -> bytes:
    """One selector of very many parts."""
    return _page(
        "<p class=c0>x</p>", head="<style>" + "".join(f".c{i}" for i in range(count)) + "{display:none}</style>"
    )


def inline_styles(elements: int, each: int) -> bytes:
    style = ";".join(f"opacity:{i}" for i in range(each))
    return _page("".join(f"<p style='{style};left:{n}px'>x</p>" for n in range(elements)))


def linked_data(blocks: int, body: str) -> bytes:
    return _page("", head=f"<script type='application/ld+json'>{body}</script>" * blocks)


def metas(count: int) -> bytes:
    return _page("", head="".join(f"<meta name='k{i}' content='{i}'>" for i in range(count)))


def table_columns(count: int) -> bytes:
    return _page("<table><tr>" + "<td>x" * count + "</table>")


def table_spans(rows: int, cells: int) -> bytes:
    return _page("<table>" + ("<tr>" + "<td colspan=1000>x" * cells) * rows + "</table>")


def nested_tables(depth: int, rows: int) -> bytes:
    return _page("<table><tr><td>" * depth + ("<tr><td>x<td>y") * rows)


def hidden_turns(count: int) -> bytes:
    """Text that is seen, hidden and seen again, which must be taken apart for the check."""
    return _page("<p>a<span hidden>b</span>" * count)


def hidden_scatter(count: int) -> bytes:
    return _page(
        "".join(
            f"<div style='visibility:hidden'>h{i}<p style='visibility:visible'>v{i}</p></div>" for i in range(count)
        )
    )


def opacity_veils(count: int) -> bytes:
    """Veil in veil: each would be looked through again."""
    return _page("<div style='opacity:0'>" * count + "<p>x</p>" * count)


def regions(count: int) -> bytes:
    return _page("<nav><p>x</p>" * count)


def markup_text(unit: str, count: int, *, start: str = "", end: str = "<p>END</p>") -> bytes:
    return _page(start + unit * count, end=end)


def plain(unit: str, count: int) -> bytes:
    return ("SEEN\n\n" + unit * count + "\n\nEND").encode()


def json_nested(depth: int) -> bytes:
    return b'{"SEEN":' + b"[" * depth + b"]" * depth + b',"e":"END"}'


def json_array(count: int) -> bytes:
    return b'["SEEN",' + b"1," * count + b'"END"]'


# --- PDF -------------------------------------------------------------------------------------------------------


def _file(objects: dict[int, bytes], root: int = 1, *, trailer: bytes = b"") -> bytes:
    """Put numbered objects into a file with a right cross-reference table."""
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    size = max(objects) + 1
    start = len(out)
    out += b"xref\n0 %d\n" % size
    for number in range(size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    return bytes(out + b"trailer\n<</Size %d/Root %d 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (size, root, trailer, start))


def _stream(data: bytes, extra: bytes = b"") -> bytes:
    packed = zlib.compress(data, 9)
    return b"<</Length %d/Filter/FlateDecode%s>>\nstream\n" % (len(packed), extra) + packed + b"\nendstream"


_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_TEXT = b"BT /F1 12 Tf 72 700 Td (SEEN words of the page) Tj ET\n"


def _objects(content: bytes, *, page: bytes = b"", catalog: bytes = b"") -> dict[int, bytes]:
    return {
        1: b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>%s>>>>" % page,
        4: content,
        5: _FONT,
    }


def pdf(content: bytes = _TEXT) -> bytes:
    return _file(_objects(_stream(content)))


def pdf_stream(megabytes: int, unit: bytes = b"0 0 m 1 1 l S\n") -> bytes:
    """A content stream that unpacks to very much."""
    return _file(_objects(_stream(_TEXT + unit * (megabytes * 1_000_000 // len(unit)))))


def pdf_text_stream(megabytes: int) -> bytes:
    return pdf_stream(megabytes, b"BT /F1 12 Tf 72 700 Td (xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx) Tj ET\n")


def pdf_twice_packed(megabytes: int) -> bytes:
    inner = zlib.compress(b"0 0 m 1 1 l S\n" * (megabytes * 1_000_000 // 14), 9)
    packed = zlib.compress(inner, 9)
    head = b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>\nstream\n" % len(packed)
    return _file(_objects(head + packed + b"\nendstream"))


def pdf_pages(count: int, *, text: bytes = _TEXT) -> bytes:
    """Many pages, all of one content stream."""
    objects = _objects(_stream(text))
    objects[2] = b"<</Type/Pages/Count %d/Kids[" % count + b"3 0 R " * count + b"]>>"
    return _file(objects)


def pdf_real_pages(count: int) -> bytes:
    """An honest document: each page an object and a stream of its own."""
    objects = {1: b"<</Type/Catalog/Pages 2 0 R>>", 3: _FONT}
    kids = []
    for number in range(count):
        page, content = 10 + 2 * number, 11 + 2 * number
        lines = b"".join(
            b"BT /F1 11 Tf 72 %d Td (%s) Tj ET\n" % (720 - 14 * row, FILLER.encode()[:90]) for row in range(45)
        )
        objects[page] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
            % content
        )
        objects[content] = _stream(_TEXT + lines + b"%% %d" % number)
        kids.append(b"%d 0 R" % page)
    objects[2] = b"<</Type/Pages/Count %d/Kids[" % count + b" ".join(kids) + b"]>>"
    return _file(objects)


def pdf_claimed_pages(count: int) -> bytes:
    objects = _objects(_stream(_TEXT))
    objects[2] = b"<</Type/Pages/Count %d/Kids[3 0 R]>>" % count
    return _file(objects)


def pdf_page_loop() -> bytes:
    objects = _objects(_stream(_TEXT))
    objects[2] = b"<</Type/Pages/Count 3/Kids[3 0 R 2 0 R 2 0 R]/Parent 2 0 R>>"
    return _file(objects)


def pdf_forms(depth: int, fan: int) -> bytes:
    """Forms that each draw the next one several times: fan ** depth drawings."""
    objects = _objects(_stream(_TEXT + b"/X0 Do\n"), page=b"/XObject<</X0 10 0 R>>")
    for level in range(depth):
        body = b"/X Do\n" * fan if level + 1 < depth else b"BT /F1 9 Tf 9 9 Td (f) Tj ET\n"
        extra = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>/XObject<</X %d 0 R>>>>" % (
            11 + level
        )
        objects[10 + level] = _stream(body, extra)
    return _file(objects)


def pdf_form_loop() -> bytes:
    objects = _objects(_stream(_TEXT + b"/X Do\n"), page=b"/XObject<</X 10 0 R>>")
    objects[10] = _stream(
        b"/X Do /X Do\n", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 10 0 R>>>>"
    )
    return _file(objects)


def pdf_arrays(depth: int) -> bytes:
    return _file(_objects(_stream(_TEXT), catalog=b"/Z " + b"[" * depth + b"]" * depth))


def pdf_array_operand(depth: int) -> bytes:
    return _file(_objects(_stream(_TEXT + b"[" * depth + b"]" * depth + b" TJ\n")))


def pdf_object_stream(count: int) -> bytes:
    """An object stream that says it holds very many objects."""
    objects = _objects(_stream(_TEXT))
    heads = b"".join(b"%d %d " % (100 + i, i * 3) for i in range(count))
    objects[6] = _stream(heads + b"[] " * count, b"/Type/ObjStm/N %d/First %d" % (count, len(heads)))
    return _file(objects)


def pdf_xref_stream(w: int, size: int) -> bytes:
    """A cross-reference stream of absurd widths."""
    out = b"%PDF-1.7\n"
    for number, body in _objects(_stream(_TEXT)).items():
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    table = _stream(b"\0" * 1_000_000, b"/Type/XRef/W[1 %d %d]/Index[0 %d]/Size %d/Root 1 0 R" % (w, w, size, size))
    return out + b"9 0 obj\n" + table + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % start


def pdf_tounicode(megabytes: int) -> bytes:
    objects = _objects(_stream(_TEXT))
    rows = b"".join(b"<%02x> <%s>\n" % (i % 256, b"0041" * 120) for i in range(megabytes * 1_000_000 // 490))
    cmap = b"/CIDInit /ProcSet findresource begin begincmap 100 beginbfchar\n" + rows + b"endbfchar endcmap end"
    objects[5] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    objects[6] = _stream(cmap)
    return _file(objects)


def pdf_tounicode_range() -> bytes:
    objects = _objects(_stream(_TEXT))
    objects[5] = b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 6 0 R>>"
    objects[6] = _stream(b"begincmap 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap")
    objects[7] = (
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(A)/Ordering(I)/Supplement 0>>>>"
    )
    return _file(objects)


def pdf_actions() -> bytes:
    acts = (
        b"/OpenAction<</S/JavaScript/JS(app.launchURL\\('http://127.0.0.1:9/'\\);while\\(1\\){})>>"
        b"/AA<</WC<</S/Launch/F(/bin/sh)>>>>/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(while\\(1\\){})>>]>>>>"
    )
    return _file(_objects(_stream(_TEXT), catalog=acts))


def pdf_updates(count: int) -> bytes:
    """Very many incremental updates, each with a table that names the one before."""
    out = bytearray(pdf())
    previous = out.rindex(b"xref\n0")
    for _ in range(count):
        place = len(out)
        out += b"5 0 obj\n" + _FONT + b"\nendobj\n"
        start = len(out)
        out += b"xref\n5 1\n%010d 00000 n \ntrailer\n<</Size 6/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (
            place,
            previous,
            start,
        )
        previous = start
    return bytes(out)


def pdf_broken_table(count: int) -> bytes:
    """No table at all, so the reader goes through the file for objects."""
    body = b"".join(b"%d 0 obj\n<</A %d 0 R>>\nendobj\n" % (i, i + 1) for i in range(10, count))
    return pdf().replace(b"xref\n0", body + b"xxxx\n0")


def pdf_metadata(chars: int) -> bytes:
    objects = _objects(_stream(_TEXT))
    objects[6] = b"<</Title(" + b"t" * chars + b")>>"
    return _file(objects, trailer=b"/Info 6 0 R")


def pdf_encrypted() -> bytes:
    objects = _objects(_stream(_TEXT))
    objects[6] = b"<</Filter/Standard/V 2/R 3/Length 128/P -44/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">>>"
    return _file(objects, trailer=b"/Encrypt 6 0 R/ID[<00><00>]")


def pdf_picture(side: int) -> bytes:
    objects = _objects(_stream(_TEXT + b"/I Do\n"), page=b"/XObject<</I 10 0 R>>")
    objects[10] = _stream(
        b"\0" * min(side * side * 3, 200_000_000),
        b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8" % (side, side),
    )
    return _file(objects)


# --- the kinds -------------------------------------------------------------------------------------------------

Make = Callable[[float], bytes]


def _n(count: int, scale: float) -> int:
    return max(1, int(count * scale))


def _deep(opening: str, closing: str, depth: int) -> Make:
    return lambda scale: nested(opening, closing, _n(depth, scale))


def _many(piece: str, count: int) -> Make:
    return lambda scale: beside(piece, _n(count, scale))


def _lines(unit: str, count: int) -> Make:
    return lambda scale: plain(unit, _n(count, scale))


BOMBS: dict[str, tuple[str, Make]] = {
    "honest-2mb": (HTML, lambda s: honest(_n(3000, s))),
    "honest-10mb": (HTML, lambda s: honest(_n(15000, s))),
    "honest-short-paragraphs": (HTML, _many("<p>A short paragraph.</p>", 100_000)),
    # nesting
    "deep-div": (HTML, _deep("<div>", "</div>", 50_000)),
    "deep-div-800k": (HTML, _deep("<div>", "", 800_000)),
    "deep-span": (HTML, _deep("<span>", "</span>", 100_000)),
    "deep-span-3900": (HTML, _deep("<span class=a>", "</span>", 3_900)),
    "deep-b": (HTML, _deep("<b>", "</b>", 50_000)),
    "deep-i-attr": (HTML, _deep("<i class=x>", "", 50_000)),
    "deep-font": (HTML, _deep("<font size=1>", "</font>", 50_000)),
    "deep-a": (HTML, _deep("<a href=x>", "</a>", 100_000)),
    "deep-table": (HTML, _deep("<table><tr><td>", "</td></tr></table>", 50_000)),
    "deep-table-unclosed": (HTML, _deep("<table>", "", 100_000)),
    "deep-svg": (HTML, _deep("<svg><g>", "</g></svg>", 50_000)),
    "deep-math": (HTML, _deep("<math><mi>", "", 50_000)),
    "deep-foreign": (HTML, _deep("<svg><foreignObject><div>", "", 50_000)),
    "deep-template": (HTML, _deep("<template>", "</template>", 50_000)),
    "deep-select": (HTML, _deep("<select><option>", "", 50_000)),
    "deep-option": (HTML, _deep("<optgroup><option>", "", 100_000)),
    "deep-ruby": (HTML, _deep("<ruby><rt>", "", 50_000)),
    "deep-ul": (HTML, _deep("<ul><li>", "", 50_000)),
    "deep-dl": (HTML, _deep("<dl><dd>", "", 50_000)),
    "deep-form": (HTML, _deep("<form><div>", "", 50_000)),
    "deep-button": (HTML, _deep("<button>", "", 50_000)),
    "deep-button-div": (HTML, _deep("<div><button>", "", 50_000)),
    "deep-b-p": (HTML, _deep("<b><p>", "", 50_000)),
    "deep-p-b": (HTML, _deep("<p><b>", "", 50_000)),
    "deep-blockquote": (HTML, _deep("<blockquote>", "", 100_000)),
    "deep-custom": (HTML, _deep("<x-y>", "", 100_000)),
    "deep-object": (HTML, _deep("<object>", "", 100_000)),
    "deep-marquee-b": (HTML, _deep("<b><marquee>", "", 20_000)),
    "deep-frameset": (HTML, lambda s: b"<html><head></head>" + b"<frameset>" * _n(100_000, s) + b"SEEN END"),
    "deep-hidden-style": (HTML, _deep("<div style='visibility:hidden'>", "", 4_000)),
    "deep-slash": (HTML, _deep("<div/>", "", 100_000)),
    "deep-nobr": (HTML, _deep("<nobr>", "", 50_000)),
    "deep-headings": (HTML, _deep("<h1>", "", 100_000)),
    "deep-pre": (HTML, _deep("<pre>", "", 50_000)),
    "deep-caption": (HTML, _deep("<table><caption>", "", 50_000)),
    "deep-mixed-case": (HTML, _deep("<DIV><SpAn>", "", 50_000)),
    "deep-odd-names": (HTML, lambda s: _page("".join(f"<x{i}>" for i in range(_n(100_000, s))))),
    # blow-ups
    "fonts": (HTML, lambda s: misnested_fonts(_n(1_500, s), _n(8_000, s))),
    "fonts-masked": (HTML, lambda s: masked_fonts(_n(1_000, s), _n(10_000, s))),
    "fonts-100": (HTML, lambda s: misnested_fonts(90, _n(12_000, s))),
    "fonts-script": (
        HTML,
        lambda s: _page(
            "".join(f"<font color=c{i}><xmp></font></xmp>" for i in range(_n(800, s))) + "</p>" + "<p>x" * _n(8_000, s)
        ),
    ),
    "links-misnested": (HTML, lambda s: misnested_links(_n(20_000, s))),
    "adoption": (HTML, lambda s: aaa(_n(20_000, s))),
    "foster": (HTML, lambda s: foster(_n(20_000, s))),
    "foster-text": (HTML, lambda s: _page("<table>" + "x<i></i>" * _n(200_000, s) + "</table>")),
    "nobr-b": (HTML, lambda s: _page("<p>" + "<nobr><b>" * _n(3_000, s) + "<p>x" * _n(3_000, s))),
    # attributes
    "attributes-one": (HTML, lambda s: attributes(_n(100_000, s))),
    "attributes-lines": (HTML, lambda s: _page("<p " + "\n".join(f"a{i}" for i in range(_n(300_000, s))) + ">in</p>")),
    "attributes-quoted": (HTML, lambda s: attributes(_n(100_000, s), '="> <"')),
    "attributes-tight": (
        HTML,
        lambda s: _page("<p " + "".join(f'a{i}="v"' for i in range(_n(100_000, s))) + ">in</p>"),
    ),
    "attributes-3900": (HTML, lambda s: many_attributed(_n(100, s), 3_900)),
    "attributes-many": (HTML, lambda s: many_attributed(_n(100_000, s), 10)),
    "attributes-same": (HTML, lambda s: _page("<p " + "a=1 " * _n(500_000, s) + ">in</p>")),
    "attribute-huge": (HTML, lambda s: _page(f"<p title='{'v' * _n(4_000_000, s)}'>in</p>")),
    "attribute-huge-class": (HTML, lambda s: _page(f"<p class='{'nav ' * _n(1_000_000, s)}'>in</p>")),
    "attribute-huge-style": (HTML, lambda s: _page(f"<p style='{'color:red;' * _n(400_000, s)}'>in</p>")),
    "attribute-huge-style-words": (HTML, lambda s: _page(f"<p style='clip:{'rect(' * _n(400_000, s)}'>in</p>")),
    "attribute-open-quote": (HTML, lambda s: _page(f'<p title="{"v <p>" * _n(800_000, s)}')),
    "attribute-open-quotes": (HTML, lambda s: _page("<p a='x>" * _n(400_000, s))),
    "html-attributes": (
        HTML,
        lambda s: _page("<html " + " ".join(f"a{i}=1" for i in range(20)) + ">") + b"<html x=1>" * _n(100_000, s),
    ),
    "html-attributes-new": (HTML, lambda s: _page("".join(f"<html b{i}=1>" for i in range(_n(50_000, s))))),
    # many
    "elements-1m": (HTML, _many("<i></i>", 1_000_000)),
    "elements-1m-br": (HTML, _many("x<br>", 1_000_000)),
    "elements-1m-p": (HTML, _many("<p>x", 1_000_000)),
    "elements-1m-li": (HTML, _many("<li>x", 1_000_000)),
    "elements-2m": (HTML, _many("<b/>", 2_400_000)),
    "elements-hr": (HTML, _many("<hr>", 1_000_000)),
    "elements-img": (HTML, _many("<img>", 1_000_000)),
    "elements-input": (HTML, _many("<input>", 1_000_000)),
    "spans-100k": (HTML, lambda s: _page("<p>" + "<span>w </span>" * _n(100_000, s))),
    "text-nodes-1m": (HTML, _many("x<wbr>", 1_000_000)),
    "td-1m": (HTML, lambda s: _page("<table><tr>" + "<td>x" * _n(1_000_000, s))),
    "tr-500k": (HTML, lambda s: _page("<table>" + "<tr><td>x<td>y" * _n(500_000, s))),
    "comments-many": (HTML, _many("<!---->", 1_000_000)),
    "headings-500k": (HTML, _many("<h2>x", 500_000)),
    "options": (HTML, lambda s: _page("<select>" + "<option>x" * _n(1_000_000, s))),
    "end-tags": (HTML, _many("</p>", 1_000_000)),
    "end-tags-odd": (HTML, _many("</x>", 1_000_000)),
    "end-tags-deep": (HTML, lambda s: _page("<div>" * 3_000 + "</b></span></x>" * _n(300_000, s))),
    "links-100k": (HTML, lambda s: _page("".join(f"<a href='/{i}'>l</a> " for i in range(_n(100_000, s))))),
    # tables
    "table-columns": (HTML, lambda s: table_columns(_n(100_000, s))),
    "table-spans": (HTML, lambda s: table_spans(_n(2_000, s), 100)),
    "table-spans-long": (HTML, lambda s: _page("<table><tr>" + "<td colspan=99>" * _n(500_000, s) + "x")),
    "table-head-1mb": (
        HTML,
        lambda s: _page("<table><tr><th>" + "h " * _n(500_000, s) + "<th>b" + "<tr><td>x<td>y" * _n(50_000, s)),
    ),
    "table-nested-rows": (HTML, lambda s: nested_tables(_n(2_000, s), 2_000)),
    # long things
    "title-10mb": (HTML, lambda s: _page("", head="<title>" + "t" * _n(10_000_000, s) + "</title>")),
    "title-open": (HTML, lambda s: b"<p>SEEN END<title>" + b"t <p>" * _n(2_000_000, s)),
    "titles-many": (HTML, lambda s: _page("<title>" * _n(1_000_000, s))),
    "style-10mb": (HTML, lambda s: _page("", head="<style>" + "a{b:c}" * _n(1_600_000, s) + "</style>")),
    "style-hides": (HTML, lambda s: _page("", head="<style>" + ".a{display:none}" * _n(600_000, s) + "</style>")),
    "style-many": (HTML, lambda s: _page("<style>.a{display:none}</style>" * _n(200_000, s))),
    "style-rules": (HTML, lambda s: css_rules(_n(20_000, s))),
    "style-same-key": (HTML, lambda s: css_same_key(_n(19_000, s), _n(5_000, s))),
    "style-comment-open": (HTML, lambda s: css_unclosed(_n(2_000_000, s))),
    "style-media-open": (HTML, lambda s: css_braces(_n(200_000, s))),
    "style-parts": (HTML, lambda s: css_parts(_n(100_000, s))),
    "style-spaces": (HTML, lambda s: _page("", head="<style>@media" + " " * _n(900_000, s) + "x{</style>")),
    "style-escapes": (HTML, lambda s: _page("", head="<style>" + "\\61 " * _n(250_000, s) + "{display:none}</style>")),
    "style-inline": (HTML, lambda s: inline_styles(_n(5_000, s), 100)),
    "style-no-brace": (HTML, lambda s: _page("", head="<style>" + "a" * _n(1_000_000, s) + "</style>")),
    "script-10mb": (HTML, lambda s: _page("<script>" + "if(a<b){};" * _n(1_000_000, s) + "</script>")),
    "script-escaped": (HTML, lambda s: _page("<script>" + "<!--<script>" * _n(500_000, s))),
    "scripts-open": (HTML, lambda s: _page("<script>x" * _n(500_000, s))),
    "textarea-open": (HTML, lambda s: _page("<textarea>" * _n(500_000, s))),
    "noscript-many": (HTML, lambda s: _page("<noscript><p>x</noscript>" * _n(200_000, s))),
    "comment-10mb": (HTML, lambda s: _page("<!--" + "c<p>" * _n(2_500_000, s) + "-->")),
    "comment-open": (HTML, lambda s: _page("<!--" + "--!" * _n(2_000_000, s))),
    "comments-open": (HTML, lambda s: _page("<!-- " * _n(1_000_000, s))),
    "doctype-subset": (HTML, lambda s: b"<!DOCTYPE html [" + b"<!ENTITY a 'b'>" * _n(300_000, s) + b"]><p>SEEN END"),
    "cdata": (HTML, lambda s: _page("<![CDATA[" * _n(500_000, s))),
    "cdata-svg": (HTML, lambda s: _page("<svg>" + "<![CDATA[x" * _n(500_000, s))),
    "pi": (HTML, lambda s: _page("<?" * _n(2_000_000, s))),
    "angles": (HTML, lambda s: _page("<" * _n(5_000_000, s))),
    "angles-letter": (HTML, lambda s: _page("<a" * _n(2_000_000, s))),
    "angles-apart": (HTML, lambda s: _page("< " * _n(2_000_000, s))),
    "slashes": (HTML, lambda s: _page("<p" + "/" * _n(3_000_000, s) + ">x")),
    "plaintext": (HTML, lambda s: _page("<plaintext>" + "<p>" * _n(1_000_000, s))),
    # entities
    "entities-lt": (HTML, lambda s: _page("<p>" + "&lt;" * _n(2_000_000, s))),
    "entities-open": (HTML, lambda s: _page("<p>" + "&aaaaa" * _n(1_000_000, s))),
    "entities-long": (HTML, lambda s: _page("<p>&" + "a" * _n(5_000_000, s))),
    "entities-numeric": (HTML, lambda s: _page("<p>" + "&#x41;" * _n(1_000_000, s))),
    "entities-digits": (HTML, lambda s: _page("<p>&#" + "9" * _n(5_000_000, s) + ";")),
    "entities-amp": (HTML, lambda s: _page("<p>" + "&" * _n(5_000_000, s))),
    "entities-wide": (HTML, lambda s: _page("<p>" + "&#x1F600;" * _n(700_000, s))),
    "entities-nul": (HTML, lambda s: _page("<p>" + "&#0;" * _n(1_000_000, s))),
    # claims
    "ld-5mb": (HTML, lambda s: linked_data(1, '{"@type":"Article","x":"' + "y" * _n(5_000_000, s) + '"}')),
    "ld-300k": (HTML, lambda s: linked_data(20, '{"@graph":[' + '{"a":1},' * _n(35_000, s) + "{}]}")),
    "ld-deep": (HTML, lambda s: linked_data(20, "[" * _n(100_000, s) + "]" * _n(100_000, s))),
    "ld-deep-objects": (HTML, lambda s: linked_data(1, '{"a":' * _n(50_000, s) + "1" + "}" * _n(50_000, s))),
    "ld-thousands": (HTML, lambda s: linked_data(_n(20_000, s), '{"@type":"Article","headline":"h"}')),
    "ld-number": (HTML, lambda s: linked_data(1, '{"a":' + "9" * _n(290_000, s) + "}")),
    "ld-types": (HTML, lambda s: linked_data(1, '{"@type":[' + '"x",' * _n(70_000, s) + '"Article"]}')),
    "metas": (HTML, lambda s: metas(_n(200_000, s))),
    "meta-huge": (HTML, lambda s: _page("", head=f"<meta name=author content='{'a ' * _n(2_000_000, s)}'>")),
    "times": (HTML, lambda s: _page("<time datetime='2020-01-01'>x</time>" * _n(200_000, s))),
    "base-href": (HTML, lambda s: _page("<a href=x>l</a>", head=f"<base href='http://h/{'a/' * _n(1_000_000, s)}'>")),
    "base-many": (HTML, lambda s: _page("<a href=x>l</a>", head="<base href='http://h/'>" * _n(300_000, s))),
    "date-digits": (HTML, lambda s: _page("", head=f"<meta name=date content='{'1' * 60}'>" * _n(300, s))),
    "streamed": (
        HTML,
        lambda s: _page(
            "".join(f'<div hidden id="S:{i:x}">t</div><template id="B:{i:x}">' for i in range(_n(20_000, s)))
        ),
    ),
    # whitespace and text
    "one-line-10mb": (HTML, lambda s: _page("<p>" + "x" * _n(10_000_000, s))),
    "blanks-html": (HTML, lambda s: _page("<p>a" + " \n" * _n(5_000_000, s) + "b")),
    "short-lines-html": (HTML, lambda s: _page("<pre>" + "x\n" * _n(2_000_000, s) + "</pre>")),
    "words-html": (HTML, lambda s: _page("<p>" + "word " * _n(2_000_000, s))),
    "cjk-html": (HTML, lambda s: _page("<p>" + "漢字仮名" * _n(800_000, s))),
    "marks-html": (HTML, lambda s: _page("<p>a" + "\u0301" * _n(5_000_000, s))),
    "hidden-turns": (HTML, lambda s: hidden_turns(_n(50_000, s))),
    "hidden-scatter": (HTML, lambda s: hidden_scatter(_n(20_000, s))),
    "hidden-same": (HTML, lambda s: _page("<p>a<span hidden>aa</span>a" * _n(50_000, s))),
    "veils": (HTML, lambda s: opacity_veils(_n(3_900, s))),
    "veils-beside": (HTML, lambda s: _page("<div style='opacity:0'><p>x</div>" * _n(100_000, s))),
    "regions": (HTML, lambda s: regions(_n(3_900, s))),
    "regions-beside": (HTML, lambda s: _page("<nav>x</nav>" * _n(200_000, s))),
    "text-one-line": (TEXT, _lines("x", 10_000_000)),
    "text-lines": (TEXT, _lines("x\n", 2_000_000)),
    "text-paragraphs": (TEXT, _lines("x\n\n", 2_000_000)),
    "text-feeds": (TEXT, _lines("x\f", 2_000_000)),
    "text-blank": (TEXT, lambda s: b" \n" * _n(5_000_000, s)),
    "text-blanks-line": (TEXT, _lines("a" + " " * 1000 + "\n", 10_000)),
    "text-edge-blanks": (TEXT, lambda s: b"SEEN\n" + b" " * _n(9_000_000, s) + b"END"),
    "text-lone-cr": (TEXT, _lines("x\r", 2_000_000)),
    "text-emoji": (TEXT, _lines("👩‍👧", 700_000)),
    "json-deep": (JSON, lambda s: json_nested(_n(200_000, s))),
    "json-array": (JSON, lambda s: json_array(_n(5_000_000, s))),
    "json-lines": (JSON, lambda s: json_array(10).replace(b"1,", b"1,\n" * _n(100_000, s))),
    # Markdown
    "md-quotes": (MARKDOWN, _lines("> " * 1000 + "x\n", 1_000)),
    "md-quotes-one": (MARKDOWN, lambda s: plain(">" * _n(2_000_000, s), 1)),
    "md-lists": (MARKDOWN, _lines("- x\n", 500_000)),
    "md-list-deep": (
        MARKDOWN,
        lambda s: ("SEEN\n\n" + "".join(" " * i + "- x\n" for i in range(_n(3_000, s))) + "\nEND").encode(),
    ),
    "md-list-line": (MARKDOWN, lambda s: plain("- " * _n(1_000_000, s), 1)),
    "md-stars": (MARKDOWN, lambda s: plain("*" * _n(2_000_000, s), 1)),
    "md-stars-x": (MARKDOWN, lambda s: plain("* " * _n(1_000_000, s) + "x", 1)),
    "md-dashes-x": (MARKDOWN, lambda s: plain("a\n" + "-" * _n(1_900_000, s) + "x", 1)),
    "md-brackets": (MARKDOWN, lambda s: plain("[" * _n(2_000_000, s), 1)),
    "md-links": (MARKDOWN, _lines("[a](b)", 400_000)),
    "md-references": (MARKDOWN, _lines("[a]: b\n", 300_000)),
    "md-table-wide": (MARKDOWN, lambda s: plain("|a" * _n(300_000, s) + "|\n" + "|-" * _n(300_000, s) + "x\n", 1)),
    "md-table-rules": (MARKDOWN, lambda s: plain("a|b\n" + "|-" * _n(500, s) + " " * 500 + "x\n", 1_000)),
    "md-table-blank-rule": (MARKDOWN, lambda s: plain("a|b\n" + "-" + " " * _n(100_000, s) + "x\n", 1)),
    "md-table-dash-rule": (MARKDOWN, lambda s: plain("a|b\n" + "-" * _n(100_000, s) + "x\n", 1)),
    "md-setext": (MARKDOWN, _lines("a\n=\n", 400_000)),
    "md-setext-blanks": (MARKDOWN, lambda s: plain("a\n=" + " " * _n(1_900_000, s) + "x\n", 1)),
    "md-fence-open": (MARKDOWN, _lines("```\nx\n~~~\n", 200_000)),
    "md-fence-line": (MARKDOWN, lambda s: plain("`" * _n(1_900_000, s) + "x`\n", 1)),
    "md-fences-line": (MARKDOWN, lambda s: plain("``` " * _n(400_000, s), 1)),
    "md-atx": (MARKDOWN, _lines("# x\n", 400_000)),
    "md-rule": (MARKDOWN, lambda s: plain("-" + " -" * _n(900_000, s) + " x\n", 1)),
    "md-rule-blanks": (MARKDOWN, lambda s: plain("*" + " " * _n(1_900_000, s) + "x\n", 1)),
    "md-digits": (MARKDOWN, lambda s: plain("1" * _n(1_900_000, s) + ".\n", 1)),
    "md-indented": (MARKDOWN, _lines("    x\n\n", 300_000)),
    "md-front": (MARKDOWN, lambda s: b"---\n" + b"a: b\n" * _n(400_000, s) + b"SEEN END"),
    # PDF
    "pdf-honest-300": (PDF, lambda s: pdf_real_pages(_n(300, s))),
    "pdf-stream-200mb": (PDF, lambda s: pdf_stream(_n(200, s))),
    "pdf-text-200mb": (PDF, lambda s: pdf_text_stream(_n(200, s))),
    "pdf-twice-packed": (PDF, lambda s: pdf_twice_packed(_n(400, s))),
    "pdf-pages-100k": (PDF, lambda s: pdf_pages(_n(100_000, s))),
    "pdf-pages-heavy": (PDF, lambda s: pdf_pages(500, text=_TEXT + b"0 0 m 1 1 l S\n" * _n(100_000, s))),
    "pdf-claimed-pages": (PDF, lambda s: pdf_claimed_pages(_n(2_000_000_000, s))),
    "pdf-page-loop": (PDF, lambda s: pdf_page_loop()),
    "pdf-forms": (PDF, lambda s: pdf_forms(10, _n(10, s))),
    "pdf-form-loop": (PDF, lambda s: pdf_form_loop()),
    "pdf-arrays": (PDF, lambda s: pdf_arrays(_n(500_000, s))),
    "pdf-array-operand": (PDF, lambda s: pdf_array_operand(_n(2_000_000, s))),
    "pdf-object-stream": (PDF, lambda s: pdf_object_stream(_n(1_000_000, s))),
    "pdf-xref-stream": (PDF, lambda s: pdf_xref_stream(_n(2_000_000_000, s), 1_000_000)),
    "pdf-xref-size": (PDF, lambda s: pdf_xref_stream(4, _n(2_000_000_000, s))),
    "pdf-tounicode": (PDF, lambda s: pdf_tounicode(_n(100, s))),
    "pdf-tounicode-range": (PDF, lambda s: pdf_tounicode_range()),
    "pdf-actions": (PDF, lambda s: pdf_actions()),
    "pdf-updates": (PDF, lambda s: pdf_updates(_n(50_000, s))),
    "pdf-broken-table": (PDF, lambda s: pdf_broken_table(_n(200_000, s))),
    "pdf-metadata": (PDF, lambda s: pdf_metadata(_n(5_000_000, s))),
    "pdf-encrypted": (PDF, lambda s: pdf_encrypted()),
    "pdf-picture": (PDF, lambda s: pdf_picture(_n(8_000, s))),
    "pdf-cut": (PDF, lambda s: pdf_real_pages(_n(50, s))[:-2000]),
    # charsets
    "charset-utf7": ("text/html; charset=utf-7", lambda s: _page("+ADw-p" * _n(1_000_000, s))),
    "charset-punycode": ("text/html; charset=punycode", lambda s: _page("a-b9" * _n(1_000_000, s))),
    "charset-escape": ("text/html; charset=unicode_escape", lambda s: _page("\\x41" * _n(1_000_000, s))),
    "charset-2022": ("text/html; charset=iso-2022-jp", lambda s: _page("\x1b$B!!\x1b(B" * _n(500_000, s))),
    "charset-2022-bad": ("text/html; charset=iso-2022-jp", lambda s: _page("\x1b$" * _n(2_000_000, s))),
    "charset-hz": ("text/html; charset=hz-gb-2312", lambda s: _page("~{" * _n(2_000_000, s))),
    "charset-eucjp-bad": ("text/html; charset=euc-jp", lambda s: _page("") + b"\xa1\xff" * _n(3_000_000, s)),
    "charset-sjis-bad": ("text/html; charset=shift_jis", lambda s: _page("") + b"\x81" * _n(5_000_000, s)),
    "charset-gb-bad": ("text/html; charset=gb18030", lambda s: _page("") + b"\x81\x30" * _n(3_000_000, s)),
    "charset-utf8-bad": ("text/html; charset=utf-8", lambda s: _page("") + b"\xff" * _n(9_000_000, s)),
    "charset-1252-bad": ("text/html; charset=windows-1252", lambda s: _page("") + b"\x81" * _n(5_000_000, s)),
    "charset-utf16-lie": ("text/html; charset=utf-16", lambda s: _page("x" * _n(5_000_000, s))),
    "charset-bom-lie": ("text/html", lambda s: b"\xff\xfe" + _page("x" * _n(5_000_000, s))),
    "charset-detect": ("text/html", lambda s: _page("") + bytes(range(128, 256)) * _n(70_000, s)),
    "nul": ("text/html; charset=utf-8", lambda s: _page("") + b"\0" * _n(9_000_000, s) + b"<p>x"),
}
"""Name to Content-Type and a maker, whose argument scales the bomb: 1 is the full size."""
