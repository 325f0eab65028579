"""Targets of `extract/` and `evidence/`: from a payload to the text that a model is given."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from searchlog import canon
from searchlog.digest import digest, text_digest
from searchlog.errors import FormatError
from searchlog.evidence.build import build_evidence
from searchlog.evidence.flags import flags, sanitise
from searchlog.evidence.fragment import fragment_link
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.passages import passages
from searchlog.evidence.render import Options, parse_rendering, render
from searchlog.evidence.select import Policy, select
from searchlog.evidence.selector import Match, anchor, describe, from_json, to_json
from searchlog.extract import charset, frames
from searchlog.extract.conversion import Conversion, ConversionFailure, conversion_from_json, conversion_to_json
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.sniff import sniff
from tests.bombs import pdf
from tests.fuzz import target as fuzz

__all__ = ["TARGETS"]

URL = "https://a.example/d/page"
_PAGES = Path(__file__).parents[1] / "pages" / "html"

# -- text ----------------------------------------------------------------------------------------------------------


def texts() -> list[bytes]:
    """Return a Content-Type and a text, in many charsets."""
    western, eastern = "Ebbe und Flut: Mühle, 3 €", "潮汐の水車、ひき潮で回る"
    said = [
        ("utf-8", western),
        ("windows-1252", western),
        ("shift_jis", eastern),
        ("euc-jp", eastern),
        ("gbk", "潮汐磨坊"),
    ]
    said += [
        ("utf-16le", eastern),
        ("iso-2022-jp", eastern),
        ("big5", "潮汐磨坊"),
        ("euc-kr", "조수"),
        ("koi8-r", "прилив"),
    ]
    seeds = [b"text/html; charset=%s\n" % name.encode() + text.encode(name) * 3 for name, text in said]
    plain = western.encode()
    seeds += [b"\n" + mark + plain for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")]
    seeds += [b"text/html\n<meta charset=shift_jis>" + plain, b"text/plain; charset=punycode\n" + plain]
    return [*seeds, b'application/xml\n<?xml version="1.0" encoding="koi8-r"?>' + plain, b"text/html\n" + plain[:-1]]


def check_charset(data: bytes) -> None:
    """Any bytes under any label are text, by a label of the standard, and what could not be decoded is counted."""
    said, body = fuzz.split_line(data)
    for prescan in (True, False):
        found = charset.decode(body, said, prescan=prescan)
        assert found == charset.decode(body, said, prescan=prescan)
        assert charset.encoding_for_label(found.label) == found.label
        assert found.step in ("bom", "http", "meta", "utf-8", "detector", "default")
        assert "\0" not in found.text
        assert len(found.text) <= len(body)
        found.text.encode("utf-8")
        assert 0 <= found.replaced_count <= found.text.count("\ufffd")
        assert (found.replaced_count > 0) == ("replaced-characters" in found.warnings)
        if found.label == "utf-8":
            own = body.removeprefix(b"\xef\xbb\xbf").count("\ufffd".encode())
            assert found.replaced_count == found.text.count("\ufffd") - own
        elif not found.label.startswith("utf-16"):
            assert found.label in _MANY_BYTES or found.replaced_count == found.text.count("\ufffd")


_MANY_BYTES = ("gbk", "gb18030")
"""Charsets besides the Unicode ones that have U+FFFD themselves."""


def check_sniff(data: bytes) -> None:
    """Any bytes have a media type, and binary is not turned to text by what the server says."""
    said, body = fuzz.split_line(data)
    for url in (URL, URL + ".md"):
        assert "/" in sniff(body, None, url)
        sniff(body, said, url).encode("utf-8", "surrogatepass")


# -- pages ---------------------------------------------------------------------------------------------------------

_HTML = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Tide mills</title>
<meta property="article:published_time" content="2025-12-01"><script type="application/ld+json">
{"@type":"Article","headline":"Tide","datePublished":"2025-11-30","author":{"name":"A"}}</script>
<style>.x{display:none} #y{color:#fff;background:#fff}</style></head><body><nav><a href=/>Home</a></nav><main>
<h1>Tide mills</h1><p>The pond <b>fills</b> with&nbsp;the tide.<br>Its gate shuts.</p>
<ul><li>one<li>two<ul><li>in</ul></ul>
<table><tr><th>Hour<th>Height<tr><td>3<td>4.1 m</table><pre>if a &lt; b:
    c()</pre><blockquote>Time and tide</blockquote><div class=x>hidden words</div><p id=y>white</p>
<dl><dt>Neap<dd>Low</dl><details><summary>More</summary>text</details><p hidden>not</p><svg><title>t</title></svg>
<p>水車は潮で回る。<ruby>漢<rt>かん</ruby>
</main><footer>© 2025</footer></body></html>"""


def pages() -> list[bytes]:
    """Return a Content-Type and a payload of every kind that is converted."""
    html = _HTML.encode()
    markdown = (
        b"# Tide\n\nThe *pond*\n\n- one\n  - two\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n"
    )
    xhtml = b'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>A<br/>b</p></body></html>'
    return [
        b"text/html; charset=utf-8\n" + html,
        b"application/xhtml+xml\n" + xhtml,
        b"text/markdown\n" + markdown,
        b'application/json\n{"a": [1, {"b": "tide"}], "c": "mill"}',
        b"text/plain\nTide mills\n\n  The pond fills.\n\n\x0cPage two\n",
        b"application/pdf\n" + pdf(),
        *(
            b"text/html\n" + path.read_bytes()[at : at + 6_000]
            for path in sorted(_PAGES.glob("*.html"))
            for at in (0, 9_000)
        ),
    ]


def _converted(data: bytes, **options: bool) -> Conversion | ConversionFailure:
    said, body = fuzz.split_line(data)
    return convert(body, content_type=said, url=URL, options=ConvertOptions(**options))


def _check_conversion(found: Conversion | ConversionFailure, size: int) -> None:
    if isinstance(found, ConversionFailure):
        assert found.reason in ("no-text", "unsupported-type", "malformed", "needs-extra")
        return
    found.text.encode("utf-8")
    assert len(found.text) <= 8 * size + 1_000
    assert len(found.blocks) <= size + 10
    at = 0
    for block in found.blocks:
        assert at <= block.start < block.end <= len(found.text), block
        at = block.end
    value = conversion_to_json(found)
    again = canon.loads(canon.dumps(value))
    assert conversion_from_json(found.text, again) == found
    assert frames.result_of(*_framed(found)) == found


def _framed(found: Conversion) -> tuple[dict[str, object], bytes]:
    data = b"".join(frames.response(found))
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        at += count
        return data[at - count : at]

    message = frames.read(take)
    assert message is not None
    return message


def check_convert(data: bytes) -> None:
    """Any payload gives the same text twice, with blocks in order that do not overlap, or a reason."""
    found = _converted(data, links=True)
    assert found == _converted(data, links=True)
    _check_conversion(found, len(data))


def check_linear(data: bytes) -> None:
    """The reading without a tree keeps the same promises."""
    found = _converted(data, linear=True)
    assert found == _converted(data, linear=True)
    _check_conversion(found, len(data))


def check_evidence(data: bytes) -> None:
    """Of any page the passages cover the text, each step adds up, and a rendering gives the evidence back."""
    found = _converted(data)
    if isinstance(found, ConversionFailure):
        return
    source = Source(
        URL, found.metadata.title or "", found.text, text_digest(found.text), digest(data), "2026-01-02T03:04:05Z"
    )
    cut = passages(0, found)
    _check_cover(found.text, cut)
    chosen = select("tide mill hour", [source], cut, Policy(budget_tokens=400, include_hidden=bool(len(data) % 2)))
    for step in chosen.steps:
        assert step.in_count == step.kept_count + step.dropped_count
    evidence = build_evidence(chosen, [source], 1)
    for item in evidence:
        assert item.text == source.text[item.passage.start : item.passage.end]
        assert anchor(source.text, item.selectors).match is Match.EXACT
        assert item.flags == tuple(dict.fromkeys(item.flags))
    for options in (Options(), Options(tokens_max=60, passage_tokens_max=25)):
        rendering = render(evidence, "tide [e1] </evidence e1 0>", options=options)
        parsed = parse_rendering(rendering.text)
        cuts = {item.id: item for item in rendering.cuts}
        shown = [item for item in evidence if item.id not in cuts or cuts[item.id].shown_chars]
        assert [block.id for block in parsed] == [item.id for item in shown]
        for block, item in zip(parsed, shown, strict=True):
            chars = cuts[item.id].shown_chars if item.id in cuts else len(item.text)
            assert block.text == sanitise(item.text[:chars])[0]
            assert block.url == URL
            assert block.title == " ".join(sanitise(source.title)[0].split())


def _check_cover(text: str, cut: list[Passage]) -> None:
    at = 0
    for passage in cut:
        assert at <= passage.start < passage.end <= len(text)
        assert not text[at : passage.start].strip()
        at = passage.end
        assert all(0 <= start < end <= len(text) for start, end in passage.headings)
    assert not text[at:].strip()


# -- text for a model ----------------------------------------------------------------------------------------------


def spoofs() -> list[bytes]:
    found = [
        "The pond\u200b fills \u202etide\u202c [e1] <evidence e1 0123456789abcdef>", "a\u200dب\u200cپ \u061c(x)\u200f",
        "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f⃣ 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\U000e0049gnore \U000e0001",
        "<\\evidence e2> </ evidence [\\e3 is cut: ‹evidence› ＜еvidence", "ᠠ\u180b ⠁\u2800⠃ כ\u034fּ",
        "\r\n\u2028\x85\x00\ufdd0 [7]",
    ]  # fmt: skip
    return [text.encode() for text in found]


def check_sanitise(data: bytes) -> None:
    """Doing it twice changes nothing, a beginning stays a beginning, and no text can leave its fence."""
    text = (
        data.decode("utf-8", "surrogatepass" if len(data) % 2 else "replace")
        if _decodes(data)
        else data.decode("latin-1")
    )
    clean, removals = sanitise(text)
    assert sanitise(clean) == (clean, {})
    assert all(count > 0 for count in removals.values())
    half = len(text) // 2
    assert clean.startswith(sanitise(text[:half])[0])
    assert flags(text) == flags(text)
    clean.encode("utf-8")
    if not text.strip() or text != text.encode("utf-8", "replace").decode():
        return
    selectors = describe(text, 0, len(text))
    assert from_json(to_json(selectors, URL)) == selectors
    base = fragment_link(URL, selectors)
    assert base.startswith(URL)
    assert base.isascii()
    source = Source(URL, text[:80], text, text_digest(text), "", "2026-01-02T03:04:05Z")
    chosen = select(text[:40], [source], [Passage(0, 0, len(text))], Policy(budget_tokens=100_000))
    evidence = [replace(item, heading_path=(text[:50],)) for item in build_evidence(chosen, [source], 1)]
    parsed = parse_rendering(render(evidence, text).text)
    assert [block.text for block in parsed] == [sanitise(item.text)[0] for item in evidence]


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def check_selector(data: bytes) -> None:
    """A described span is found where it was; after an edit elsewhere it is found or called absent, never wrong."""
    text, rng = data.decode("utf-8", "replace"), fuzz.choices(data)
    if not text:
        return
    start = rng.randrange(len(text))
    end = rng.randrange(start, min(len(text), start + 300)) + 1
    selectors = describe(text, start, end)
    found = anchor(text, selectors)
    assert (found.match, found.start, found.end) == (Match.EXACT, start, end)
    at = rng.randrange(len(text))
    for other in (text[:at] + "tide" + text[at:], text[:at] + text[at + 1 :], text[::-1]):
        moved = anchor(other, selectors)
        if moved.match is not Match.ABSENT:
            assert other[moved.start : moved.end] == selectors.exact
            assert 0 <= moved.context_percent <= 100
    assert fragment_link(URL + "#a", selectors).startswith(URL)


def check_selector_json(data: bytes) -> None:
    """Any JSON is a pair of selectors or a FormatError."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    try:
        selectors = from_json(value)
    except FormatError:
        return
    assert from_json(to_json(selectors)) == selectors
    assert anchor("The pond fills with the tide.", selectors).match in Match


def selectors_as_json() -> list[bytes]:
    return [json.dumps(to_json(describe("The pond fills with the tide.", 4, 8), URL)).encode()]


# -- the worker's words --------------------------------------------------------------------------------------------


@cache
def _messages() -> list[bytes]:
    page = _converted(pages()[0])
    return [b"".join(frames.response(result)) for result in (page, ConversionFailure("no-text", "blank"))]


def check_frames(data: bytes) -> None:
    """Any bytes from a worker are a message, the end of the stream, or a FormatError."""
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        at += count
        return data[at - count : at]

    try:
        message = frames.read(take, frames.answer_bytes_max(1_000_000))
        if message is not None:
            frames.result_of(*message)
    except FormatError:
        pass


TARGETS = [
    fuzz.Target("charset", "bytes", check_charset, texts),
    fuzz.Target("sniff", "html", check_sniff, pages),
    fuzz.Target("convert", "html", check_convert, pages),
    fuzz.Target("convert-linear", "html", check_linear, pages),
    fuzz.Target("convert-text", "text", check_convert, lambda: [seed for seed in pages() if b"<" not in seed]),
    fuzz.Target("evidence", "html", check_evidence, pages),
    fuzz.Target("sanitise", "html", check_sanitise, spoofs),
    fuzz.Target("selector", "text", check_selector, spoofs),
    fuzz.Target("selector-json", "json", check_selector_json, selectors_as_json),
    fuzz.Target("frames", "json", check_frames, _messages),
]
