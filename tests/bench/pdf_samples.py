"""PDFs made on this machine, with the text that they show: what `pdf.py` reads back, and files made to be hard to bear.

Chromium prints pages (columns, tables, right-to-left, hyphens, ligatures); reportlab, if it is installed, adds East
Asian text and a password. What neither is there for is left out, and said. The hostile ones are written by hand.
"""

from __future__ import annotations

import shutil
import subprocess
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["HOSTILE", "document", "make"]

_PROSE = (
    "The lighthouse was built in the eighteenth century by engineers from the northern provinces. Its construction "
    "required extraordinary quantities of granite, transported across treacherous waters during the comparatively "
    "peaceful summer months. Contemporary descriptions emphasise the extraordinary difficulties of communication "
    "between the administrators and the labourers. Afterwards the responsibilities of the superintendent were "
    "considerably extended, notwithstanding the disagreements about the interpretation of the original regulations."
)
_SECOND = (
    "Measurements were repeated in the following winter: −12.5 °C on 3 January, 0.04 mm of rain, and winds of 27 m/s. "
    "The keeper did not leave the tower for 41 days. Efficient offices and affluent officials afflicted the fishermen."
)
_TABLE = [
    ("Station", "Height m", "Range M"),
    ("North Point", "41.5", "19"),
    ("Skerry", "−3", "0.25"),
    ("Ost", "7", "8"),
]
_STYLE = (
    "<meta charset=utf-8><style>body{{font:11pt/1.4 'DejaVu Serif';{}}}pre{{white-space:pre}}td,th{{padding:2px 12px}}"
    "</style>"
)


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells)


_TABLE_HTML = "<table>" + _row(_TABLE[0], "th") + "".join(_row(row, "td") for row in _TABLE[1:]) + "</table>"
_CODE = "def tide(hour):\n    if hour < 6:\n        return -1\n    return 1"
_HEBREW = "המגדלור נבנה במאה השמונה עשרה על ידי מהנדסים מן הצפון. גובהו 41 מטר."
_ARABIC = "بنيت المنارة في القرن الثامن عشر على يد مهندسين من الشمال. ارتفاعها 41 مترا."

_PAGES: dict[str, tuple[str, str, str]] = {
    "prose": (
        "text-align:justify",
        f"<h1>Lights of the coast</h1><p>{_PROSE}</p><h2>Weather</h2><p>{_SECOND}</p><p>{_PROSE}</p>",
        f"Lights of the coast {_PROSE} Weather {_SECOND} {_PROSE}",
    ),
    "hyphens": (
        "hyphens:auto;text-align:justify;width:7cm",
        f"<html lang=en><p>{_PROSE}</p><p>{_SECOND}</p>",
        f"{_PROSE} {_SECOND}",
    ),
    "columns": (
        "columns:2;text-align:justify",
        f"<h2>One</h2><p>{_PROSE}</p><p>{_SECOND}</p><h2>Two</h2><p>{_SECOND}</p><p>{_PROSE}</p>",
        f"One {_PROSE} {_SECOND} Two {_SECOND} {_PROSE}",
    ),
    "table": (
        "",
        f"<p>{_SECOND}</p>{_TABLE_HTML}<p>{_PROSE}</p>",
        f"{_SECOND} {' '.join(' '.join(row) for row in _TABLE)} {_PROSE}",
    ),
    "list-code": (
        "",
        f"<p>Steps:</p><ol><li>Light the lamp<li>Wind the clock<li>{_SECOND}</ol><pre>{_CODE}</pre><p>{_SECOND}</p>",
        f"Steps: 1. Light the lamp 2. Wind the clock 3. {_SECOND} {_CODE} {_SECOND}",
    ),
    "right-to-left": ("", f"<div dir=rtl><p>{_HEBREW}</p><p>{_ARABIC}</p></div>", f"{_HEBREW} {_ARABIC}"),
    "rotated": (
        "",
        f"<p>{_SECOND}</p><p style='writing-mode:vertical-rl'>Scale of the chart</p><p>{_SECOND}</p>",
        f"{_SECOND} Scale of the chart {_SECOND}",
    ),
}
_CJK = {
    "chinese": (
        "STSong-Light",
        "灯塔建于十八世纪，由北方工程师设计。塔高四十一米，灯光可见十九海里。看守人四十一天没有离开灯塔。",
    ),
    "japanese": (
        "HeiseiMin-W3",
        "灯台は十八世紀に北部の技師によって建てられた。高さは41メートル、光は19海里先から見える。",
    ),
    "korean": (
        "HYSMyeongJo-Medium",
        "등대는 십팔세기에 북부 출신 기술자들이 세웠다. 높이는 41미터이고 빛은 19해리 밖에서도 보인다.",
    ),
}


def make(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Write what can be made here as NAME.pdf; return the text of each by name, and what was left out."""
    truths: dict[str, str] = {}
    left_out: list[str] = []
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    for name, (style, body, truth) in _PAGES.items():
        if chromium is None:
            left_out.append(f"{name} (no Chromium)")
            continue
        page = folder / f"{name}.html"
        page.write_text(_STYLE.format(style) + body, "utf-8")
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        target = folder / f"{name}.pdf"
        subprocess.run(
            [*command, f"--print-to-pdf={target}", page.as_uri()], check=False, capture_output=True, timeout=120
        )
        if target.exists():
            truths[name] = truth
        else:
            left_out.append(f"{name} (Chromium printed nothing)")
    try:
        truths |= _with_reportlab(folder)
    except ImportError:
        left_out.append("East Asian text, a password (no reportlab)")
    return truths, left_out


def _with_reportlab(folder: Path) -> dict[str, str]:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    for name, (font, text) in _CJK.items():
        pdfmetrics.registerFont(UnicodeCIDFont(font))
        style = ParagraphStyle(name, fontName=font, fontSize=14, leading=20, wordWrap="CJK")
        SimpleDocTemplate(str(folder / f"{name}.pdf")).build([Paragraph(text, style)] * 2)
    for name, password in (("owner-password", ""), ("user-password", "secret")):
        encrypted = SimpleDocTemplate(str(folder / f"{name}.pdf"), encrypt=StandardEncryption(password, "owner"))
        encrypted.build([Paragraph(_SECOND.replace("−", "-"))])
    return {name: f"{text} {text}" for name, (_, text) in _CJK.items()} | {
        "owner-password": _SECOND.replace("−", "-"),
        "user-password": "",
    }


def document(objects: Sequence[bytes], *, trailer: bytes = b"", startxref: int | None = None) -> bytes:
    """Return a PDF of these objects, numbered from 1; the first is the catalogue."""
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % at for at in offsets)
    at = len(out) if startxref is None else startxref
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R%s>>\n"
        % (len(objects) + 1, table, len(objects) + 1, trailer)
        + b"startxref\n%d\n%%%%EOF\n" % at
    )


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), entries, content)


_FONT = b"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<<" + _FONT + b"%s>>>>"
_HELLO = b"BT /F1 12 Tf 20 200 Td (Hello) Tj ET "


def _one_page(contents: bytes, more: Sequence[bytes] = (), resources: bytes = b"") -> bytes:
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", _PAGE % resources, contents]
    return document([*objects, *more])


def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(9)
    block = b" " * 1_000_000
    packed = b"".join(packer.compress(block) for _ in range(size // len(block)))
    return _one_page(_stream(packed + packer.compress(_HELLO) + packer.flush(), b"/Filter/FlateDecode"))


def _many_pages(count: int) -> bytes:
    kids = b"3 0 R " * count
    pages = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)
    return document([b"<</Type/Catalog/Pages 2 0 R>>", pages, _PAGE % b"", _stream(_HELLO)])


def _claimed_pages() -> bytes:
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 2000000000>>"
    return document([b"<</Type/Catalog/Pages 2 0 R>>", pages, _PAGE % b"", _stream(_HELLO)])


def _forms(depth: int, width: int) -> bytes:
    """Return a page whose forms each show the next several times: width to the power of depth."""
    forms = []
    for level in range(depth):
        inner = b"/F Do " * width if level < depth - 1 else _HELLO
        resources = b"/Resources<</XObject<</F %d 0 R>>%s>>" % (level + 6, _FONT)
        forms.append(_stream(inner, b"/Type/XObject/Subtype/Form/BBox[0 0 300 300]" + resources))
    return _one_page(_stream(b"/F Do"), forms, b"/XObject<</F 5 0 R>>")


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a million pages": lambda: _many_pages(1_000_000),
    "two billion pages claimed": _claimed_pages,
    "a stream of 1 GB in 1 MB": lambda: _bomb(1_000_000_000),
    "forms in forms, 4^12": lambda: _forms(12, 4),
    "arrays 100,000 deep": lambda: _one_page(_stream(_HELLO), [b"[" * 100_000 + b"]" * 100_000], b"/X 5 0 R"),
    "dictionaries 100,000 deep": lambda: document(
        [
            b"<</Type/Catalog/Pages 2 0 R/X " + b"<</X " * 100_000 + b"1" + b">>" * 100_000 + b">>",
            b"<</Type/Pages/Kids[]>>",
        ]
    ),
    "pages that hold themselves": lambda: document(
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 4>>"]
    ),
    "a cross-reference loop": lambda: document(
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", _PAGE % b"", _stream(_HELLO)],
        trailer=b"/Prev 9",
        startxref=9,
    ),
    "a million letters on one line": lambda: _one_page(
        _stream(b"BT /F1 1 Tf 20 200 Td " + b"(Hello) Tj " * 200_000 + b"ET")
    ),
    "a million empty texts": lambda: _one_page(_stream(b"BT /F1 1 Tf ET " * 1_000_000)),
    "a length that is a loop": lambda: _one_page(b"<</Length 5 0 R>>stream\n" + _HELLO + b"\nendstream", [b"5 0 R"]),
}
"""What each does; functions that write it."""
