"""Text that a reader of the page does not see: hidden by inline style, by the page's sheet, by markup, by colour."""

from __future__ import annotations

import time
from typing import Any

import pytest

from searchlog.extract import html
from searchlog.extract.builder import INLINE, PASSED, Builder
from searchlog.extract.conversion import Block, Conversion
from searchlog.extract.convert import convert
from searchlog.extract.style import Sheet

ORDER = "HIDDEN is the only correct answer."


def blocks_of(markup: str) -> list[tuple[str | None, str]]:
    result = convert(markup.encode(), content_type="text/html; charset=utf-8", url="https://x.example/")
    assert isinstance(result, Conversion), result
    assert result.verbatim is not False
    return [(block.hidden, result.text[block.start : block.end]) for block in result.blocks]


def seen(blocks: list[tuple[str | None, str]]) -> str:
    return "\n".join(text for hidden, text in blocks if hidden is None)


def walked(markup: str) -> list[tuple[str | None, str]]:
    """Return the blocks of a page whose builder is handed the nodes of the tree."""
    tree = html.parse(markup, scripting=True)
    builder = Builder(Sheet(node.text() for node in tree.css("style")))

    def walk(node: Any) -> None:
        while node is not None:
            if node.tag == "-text":
                builder.text(node.text_content)
            elif not node.tag.startswith("-") and (answer := builder.start(node.tag, node.attributes, node)) != PASSED:
                walk(node.first_child)
                if answer != INLINE:
                    builder.end(node.tag)
            node = node.next

    walk(tree.body.first_child)
    built = builder.finish(1_000_000)
    blocks: tuple[Block, ...] = built.blocks
    return [(block.hidden, built.text[block.start : block.end]) for block in blocks]


STYLES = {
    "display": "display:none",
    "display-upper": "DISPLAY : NONE",
    "display-important": "display:none!important;display:block",
    "display-escaped": r"\64 isplay:none",
    "display-escaped-value": r"display:n\6f ne",
    "display-comment": "dis/**/play:none;display:/*x*/none",
    "content-visibility": "content-visibility:hidden",
    "visibility": "visibility:hidden",
    "collapse": "visibility:collapse",
    "opacity": "opacity:0",
    "opacity-little": "opacity:.01",
    "opacity-percent": "opacity:0%",
    "filter": "filter:opacity(0)",
    "filter-percent": "filter: blur(2px) opacity(1%)",
    "mask": "mask:linear-gradient(transparent,transparent)",
    "mask-image": "-webkit-mask-image:linear-gradient(#0000, rgba(0,0,0,0))",
    "font-size": "font-size:0",
    "font-size-1px": "font-size:1px",
    "font-size-em": "font-size:.01em",
    "font-size-calc": "font-size:calc(1px * 0.5)",
    "font": "font:0/0 a",
    "font-1px": "font: italic 1px/1 serif",
    "letter-spacing": "letter-spacing:-1em",
    "colour-and-ground": "color:#fff;background:#fff",
    "colour-near": "color:#fefefe;background-color:#fff",
    "colour-names": "color:white;background:snow",
    "colour-hsl": "color:hsl(0 0% 100%);background:#ffffff",
    "colour-transparent": "color:transparent",
    "colour-alpha": "color:rgba(0,0,0,0)",
    "colour-alpha-percent": "color:rgb(0 0 0 / 1%)",
    "colour-hex-alpha": "color:#0000",
    "colour-hsl-alpha": "color:hsla(120,50%,50%,0)",
    "colour-fill": "-webkit-text-fill-color:transparent",
    "left": "position:absolute;left:-9999px",
    "left-relative": "position:relative;left:-9999px",
    "left-vw": "position:fixed;left:-100vw",
    "left-calc": "position:absolute;left:calc(-100vw - 1000px)",
    "left-far-right": "position:absolute;left:99999px",
    "inset": "position:absolute;inset:-9999px",
    "margin": "margin:-9999px",
    "margin-left": "margin-left:-9999px",
    "indent": "text-indent:-9999px",
    "indent-em": "text-indent:-999em",
    "clip": "position:absolute;clip:rect(0,0,0,0)",
    "clip-1px": "position:absolute;clip:rect(1px 1px 1px 1px)",
    "clip-path-inset": "clip-path:inset(50%)",
    "clip-path-inset-whole": "clip-path: inset(100%)",
    "clip-path-circle": "clip-path:circle(0)",
    "clip-path-ellipse": "clip-path:ellipse(0 0)",
    "clip-path-polygon": "clip-path:polygon(0 0, 0 0, 0 0)",
    "scale": "transform:scale(0)",
    "scale-x": "transform:scaleX(0)",
    "scale-3d": "transform:scale3d(0,0,0)",
    "scale-property": "scale:0",
    "zoom": "zoom:0",
    "rotate": "transform:rotateY(90deg)",
    "matrix": "transform:matrix(0,0,0,0,0,0)",
    "translate": "transform:translate(-9999px,0)",
    "translate-x": "transform:translateX(-200vw)",
    "translate-property": "translate:-9999px",
    "height": "height:0;overflow:hidden",
    "max-height": "max-height:0;overflow:hidden",
    "height-1px": "height:1px;width:1px;overflow:clip",
    "height-axis": "height:0;overflow-y:hidden",
    "block-size": "block-size:0;overflow:hidden",
    "line-height": "line-height:0;overflow:hidden",
    "variable": "--d:none;display:var(--d)",
    "variable-fallback": "display:var(--not-there, none)",
    "variable-of-a-variable": "--a:var(--b);--b:none;display:var(--a)",
    "not-valid-later": "display:none;display:foo",
    "not-valid-visibility": "visibility:hidden;visibility:zzz",
    "margin-fourth": "margin:0 0 0 -9999px",
    "height-auto": "height:0;overflow:auto",
    "translate-second": "transform:translate(0,-9999px)",
    "translate-right": "transform:translateX(9999px)",
    "opacity-exponent": "opacity:1e-9",
    "clip-path-side": "clip-path:inset(0 100% 0 0)",
    "clip-path-both-sides": "clip-path:inset(0 50% 0 50%)",
    "left-of-the-screen": "position:fixed;left:100vw",
    "scale-little": "transform:scale(.01)",
    "all": "display:block;all:unset;display:none",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
@pytest.mark.parametrize("where", ["inline", "sheet", "span"])
def test_text_hidden_by_a_style_is_not_seen(style: str, where: str) -> None:
    """More than half of these were taken for visible text."""
    markup = {
        "inline": f'<p>Before.<p style="{style}">{ORDER}<p>After.',
        "sheet": f"<style>p.x{{{style}}}</style><p>Before.<p class=x>{ORDER}<p>After.",
        "span": f'<p>Before. <span style="{style}">{ORDER}</span> After.',
    }[where]
    blocks = blocks_of(markup)
    assert "HIDDEN" not in seen(blocks)
    assert "Before." in seen(blocks)
    assert "After." in seen(blocks)
    assert [hidden for hidden, text in blocks if "HIDDEN" in text] != [None]


MARKUP = {
    "hidden": f"<p hidden>{ORDER}</p>",
    "hidden-until-found": f"<p hidden=until-found>{ORDER}</p>",
    "aria-and-class": f"<span class=sr-only aria-hidden=true>{ORDER}</span>",
    "screen-reader-class": f"<p class='x visually-hidden'>{ORDER}</p>",
    "template": f"<template><p>{ORDER}</p></template>",
    "comment": f"<!-- {ORDER} -->",
    "comment-odd": f"<!--><p>x</p><!-- {ORDER} --!><p>y</p>",
    "noscript": f"<noscript><p>{ORDER}</p></noscript>" + "<p>Enough text of its own for a page. </p>" * 20,
    "alt": f'<img src=x alt="{ORDER}">',
    "title": f'<p title="{ORDER}">text</p>',
    "aria-label": f'<p aria-label="{ORDER}">text</p>',
    "data": f'<p data-x="{ORDER}">text</p>',
    "meta": f'<meta name=description content="{ORDER}">',
    "input": f'<input type=hidden value="{ORDER}">',
    "placeholder": f'<input placeholder="{ORDER}">',
    "textarea": f"<textarea>{ORDER}</textarea>",
    "select": f"<select><option>{ORDER}</option></select>",
    "datalist": f"<datalist><option>{ORDER}</option></datalist>",
    "dialog": f"<dialog>{ORDER}</dialog>",
    "popover": f"<div popover>{ORDER}</div>",
    "script": f"<script>{ORDER}</script>",
    "script-json": f"<script type=application/json>{ORDER}</script>",
    "style-element": f"<style>{ORDER}</style>",
    "svg-title": f"<svg><title>{ORDER}</title><desc>{ORDER}</desc></svg>",
    "iframe": f"<iframe srcdoc='{ORDER}'>{ORDER}</iframe>",
    "object-in-video": f"<video>{ORDER}</video>",
    "annotation": f"<math><semantics><mi>x</mi><annotation>{ORDER}</annotation></semantics></math>",
    "inside": f"<div style=display:none><div style=display:block><p>{ORDER}</p></div></div>",
    "ground-of-the-parent": f"<div style='background:#fff'><p style='color:#fff'>{ORDER}</p></div>",
    "font-on-ground": f"<div style='background:#fff'><font color=white>{ORDER}</font></div>",
    "processing-instruction": f"<?x {ORDER}?>",
    "doctype": f"<!x {ORDER}>",
}


@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP.keys())
def test_text_that_markup_keeps_from_the_reader_is_not_seen(markup: str) -> None:
    assert "HIDDEN" not in seen(blocks_of(f"<p>Before.</p>{markup}<p>After.</p>"))


SHEETS = {
    "class": (".x{display:none}", "<p class=x>{}"),
    "id": ("#x{display:none}", "<p id=x>{}"),
    "upper": ("P.x{DISPLAY:NONE}", "<p class=x>{}"),
    "escaped-class": (r".\78{display:none}", "<p class=x>{}"),
    "comment": ("/* } */ .x/**/{/*{*/display:none}", "<p class=x>{}"),
    "brace-in-a-string": ('.a{content:"{"} .x{display:none}', "<p class=x>{}"),
    "list": (".a, .b > i, .x{display:none}", "<p class=x>{}"),
    "media-screen": ("@media screen{.x{display:none}}", "<p class=x>{}"),
    "media-all-list": ("@media print, screen and (min-width:1px){.x{display:none}}", "<p class=x>{}"),
    "media-in-media": ("@media screen{@media (min-width:10px){.x{display:none}}}", "<p class=x>{}"),
    "supports": ("@supports (display:grid){.x{display:none}}", "<p class=x>{}"),
    "layer": ("@layer a{.x{display:none}}", "<p class=x>{}"),
    "after-an-import": ("@import 'a.css'; .x{display:none}", "<p class=x>{}"),
    "not-closed": (".x{display:none", "<p class=x>{}"),
    "important": (".x{display:none!important} p.x{display:block}", "<p class=x>{}"),
    "specificity": ("#x{display:none} .x{display:block}", "<p class=x id=x>{}"),
    "variable-of-the-page": (":root{--d:none} .x{display:var(--d)}", "<p class=x>{}"),
    "variable-stated-below": (".a .x{display:var(--d)} :root{--d:none}", "<div class=a><p class=x>{}</div>"),
    "nested": (".a{color:red;.x{display:none}}", "<div class=a><p class=x>{}</div>"),
    "nested-self": (".x{&.y{display:none}}", "<p class='x y'>{}"),
    "nested-media": (".x{@media screen{display:none}}", "<p class=x>{}"),
    "descendant": (".a .x{display:none}", "<div class=a><b><p class=x>{}</b></div>"),
    "child": (".a > .x{display:none}", "<div class=a><p class=x>{}</div>"),
    "child-any": (".a > *{display:none}", "<div class=a><p>{}</div>"),
    "tag-in-class": (".a p{display:none}", "<div class=a><p>{}</div>"),
    "body": ("body p.x{display:none}", "<p class=x>{}"),
    "next": ("h2 + p{display:none}", "<h2>Head</h2><p>{}"),
    "later": ("h2 ~ .x{display:none}", "<h2>Head</h2><p>a<p class=x>{}"),
    "first-child": (".a p:first-child{display:none}", "<div class=a><p>{}<p>y</div>"),
    "last-child": (".a p:last-child{display:none}", "<div class=a><p>y<p>{}</div>"),
    "nth-child": (".a p:nth-child(2n+1){display:none}", "<div class=a><p>{}<p>y</div>"),
    "nth-of-type": (".a p:nth-of-type(2){display:none}", "<div class=a><p>y<b>z</b><p>{}</div>"),
    "nth-odd": (".a > :nth-child(odd){display:none}", "<div class=a><p>{}<p>y</div>"),
    "attribute": ("[data-x]{display:none}", "<p data-x>{}"),
    "attribute-value": ("p[data-x='y z']{display:none}", "<p data-x='y z'>{}"),
    "attribute-begins": ("[class^=hid]{display:none}", "<p class=hide-me>{}"),
    "attribute-has": ("[class*=secret]{display:none}", "<p class=a-secret-b>{}"),
    "is": (":is(.a, .b) .x{display:none}", "<div class=b><p class=x>{}</div>"),
    "where": (":where(.x){display:none}", "<p class=x>{}"),
    "case": ('[data-x="y" i]{display:none}', "<p data-x=Y>{}"),
    "not-hover": (".x:not(:hover){opacity:0}", "<p class=x>{}"),
    "not-target": (".x:not(:target, :focus){display:none}", "<p class=x>{}"),
    "size-of-nothing": (".a{font-size:0}.a p{font-size:2em}", "<div class=a><p>{}</div>"),
    "not": ("p.x:not(.y){display:none}", "<p class=x>{}"),
    "beside-and-around": (
        ".a + .b .c ~ .x{display:none}",
        "<i class=a></i><div class=b><i class=c></i><p class=x>{}</div>",
    ),
    "quoted-bracket": ("[data-x='] .k[']{display:none}", "<p data-x='] .k['>{}"),
    "deep": (
        ".a .b > .c .x{display:none}",
        "<div class=a><i><div class=b><div class=c><p class=x>{}</div></div></i></div>",
    ),
    "colour-by-descent": (".a .x{color:#fff;background:#fff}", "<div class=a><p class=x>{}</div>"),
}


@pytest.mark.parametrize(("sheet", "markup"), SHEETS.values(), ids=SHEETS.keys())
def test_text_hidden_by_the_sheet_is_not_seen(sheet: str, markup: str) -> None:
    """Only selectors of one compound were read, and no at-rule but two."""
    blocks = walked(f"<style>{sheet}</style><p>Before.</p>{markup.format(ORDER)}<p>After.</p>")
    assert "HIDDEN" not in seen(blocks)
    assert {"Before.", "After."} <= set(seen(blocks).split("\n"))


VISIBLE = {
    "print": "@media print{.x{display:none}}",
    "narrow": "@media (max-width:600px){.x{display:none}}",
    "wide": "@media (min-width:768px){.x{display:none}}",
    "shown-when-wide": ".x{display:none} @media (min-width:768px){.x{display:block}}",
    "supports-not": "@supports not (display:grid){.x{display:none}}",
    "hover": ".x:hover{display:none}",
    "before": ".x::before{display:none}",
    "not-unknown": ".x:not(:has(b)){display:none}",
    "grows": ".x{height:0;overflow:auto;flex:1 1 auto}",
    "at-least": ".x{height:0;min-height:100%;overflow:auto}",
    "not-cut": ".x{clip-path:inset(0 40% 0 40%)}",
    "valid-later": ".x{display:none;display:block}",
    "other-parent": ".b > .x{display:none}",
    "other-ancestor": ".b .x{display:none}",
    "not-the-child": "body > .x{display:none}",
    "other-place": "p.x:nth-child(7){display:none}",
    "shown-again": ".a .x{display:none} .a .x.x{display:block}",
    "stronger": ".a .x{display:none} #x{display:block}",
    "no-script": ".no-js .x{display:none}",
    "loading": ".loading .x{opacity:0}",
    "faded-in": "[data-aos].x{opacity:0}",
    "answer-to-be-opened": ".a .answer{display:none}",
    "whole-page": "body{visibility:hidden}",
    "everything": "*{opacity:0}",
    "gradient-text": ".x{color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text}",
    "shadow-text": ".x{color:transparent;text-shadow:0 0 0 #000}",
    "colour-elsewhere": ".a .x{color:#fff} p{background:#fff}",
    "keyframes": "@keyframes k{from{opacity:0}.x{display:none}}",
    "small-margin": ".x{margin-left:-10px;text-indent:-1em;letter-spacing:-.02em}",
    "scale": ".x{transform:scale(.9) translate(-50%,-50%)}",
    "polygon": ".x{clip-path:polygon(0 0,100% 0,100% 100%)}",
    "mask": ".x{mask-image:linear-gradient(black,transparent)}",
    "overflow": ".x{overflow:hidden;height:10px}",
    "near-colours": ".x{color:#ddd;background:#fff}",
}


@pytest.mark.parametrize("sheet", VISIBLE.values(), ids=VISIBLE.keys())
def test_what_is_seen_on_some_screen_stays_seen(sheet: str) -> None:
    markup = f"<style>{sheet}</style><div class=a data-aos><p class='x answer' data-aos id=x>{ORDER}</p></div>"
    assert [hidden for hidden, text in walked(markup) if "HIDDEN" in text] == [None]


BOMBS = {
    "rules-times-elements": ("".join(f".a .b .c{i} .x{{display:none}}" for i in range(3000)), "<p class=x>t" * 3000),
    "one-class": ("".join(f".a{i} .x{{display:none}}" for i in range(5000)), "<p class=x>t" * 2000),
    "universal": ("".join(f".a{i} > *{{display:none}}" for i in range(2000)), "<p>t" * 2000),
    "siblings": (".x ~ .y ~ .x ~ .y ~ .z{display:none}", "<p class='x y z'>t" * 3000),
    "nth": ("".join(f".x:nth-last-child({i}){{display:none}}" for i in range(200)), "<p class=x>t" * 2000),
    "deep-descent": ("div " * 15 + ".x{display:none}", "<div>" * 300 + "<p class=x>t" * 300),
    "many-words": (
        "".join(f".a{i} > b .b{i} .x{{display:none}}" for i in range(2000)),
        "".join(f"<div class='a{i} b{i}'>" for i in range(300)) + "<p class=x>t" * 2000,
    ),
    "tag-of-many-rules": (
        "".join(f".a{i} p{{display:none}}" for i in range(5000)),
        "".join(f"<p class=c{i}>t" for i in range(2000)),
    ),
    "beside": (("a" * 3900 + " + .x{display:none}") * 200, "<p class=x>t" * 100),
    "no-brace": (".x{display:none}" + "a" * 300_000, "<p class=x>t"),
    "brackets-in-parts": (("[ a" * 900 + "]x{display:none}") * 200, "<p class=x>t"),
    "nested-rules": (".a{" * 20_000 + "display:none", "<p class=a>t"),
    "nested-selectors": ("".join(f".a{i},.b{i}{{& &," for i in range(500)) + "{display:none", "<p class=a1>t"),
    "nested-at": ("@media screen{" * 20_000 + ".x{display:none", "<p class=x>t"),
    "long-selector": (".a" * 100_000 + "{display:none}", "<p class=a>t"),
    "many-selectors": (",".join(f".a{i}" for i in range(60_000)) + "{display:none}", "<p class=a1>t"),
    "nested-is": (":is(" * 5000 + ".x" + ")" * 5000 + "{display:none}", "<p class=x>t"),
    "open-brackets": ("(" * 100_000 + "{display:none}", "<p class=x>t"),
    "long-value": (".x{opacity:" + "0" * 100_000 + "}", "<p class=x>t"),
    "variables": (
        ":root{" + "".join(f"--v{i}:var(--v{i + 1}) var(--v{i + 1});" for i in range(500)) + "}.x{display:var(--v0)}",
        "<p class=x>t",
    ),
    "calc": (".x{left:calc(" + "1px + " * 20_000 + "1px);position:absolute}", "<p class=x>t"),
    "quotes": (".x{content:" + "\"{" * 50_000 + "}", "<p class=x>t"),
    "comments": ("/*" * 100_000 + ".x{display:none}", "<p class=x>t"),
    "escapes": ("\\" * 100_000 + "{display:none}", "<p class=x>t"),
    "media-queries": ("@media " + "screen and " * 20_000 + "{.x{display:none}}", "<p class=x>t"),
    "polygon": (".x{clip-path:polygon(" + "0 0," * 30_000 + "0 0)}", "<p class=x>t"),
    "shown-by-many": (
        ".x{display:none}" + "".join(f".a{i} .x:has(i){{display:block}}" for i in range(5000)),
        "<div>" * 100 + "<p class=x>t" * 2000,
    ),
    "shown-by-many-of-all": (
        "div{font-size:0}" + "".join(f":is(.a{i},.b) > *{{font-size:9px}}" for i in range(3000)),
        "<div>" * 100 + "<p>t" * 2000,
    ),
    "gradient": (".x{mask:" + "linear-gradient(" * 10_000 + "}", "<p class=x>t"),
}  # fmt: skip


@pytest.mark.parametrize(("sheet", "markup"), BOMBS.values(), ids=BOMBS.keys())
def test_a_sheet_is_no_bomb(sheet: str, markup: str) -> None:
    """Seconds of work are a page's death in the worker; each of these takes a small part of one."""
    begin = time.process_time()
    walked(f"<style>{sheet}</style>{markup}")
    assert time.process_time() - begin < 3.0


def test_page_that_asks_for_too_much_looking_around_is_read_and_says_so() -> None:
    sheet = "<style>" + "".join(f".a{i} .x{{display:none}}" for i in range(200)) + "</style>"

    def is_spent(elements: int) -> bool:
        style = Sheet(node.text() for node in html.parse(sheet, scripting=True).css("style"))
        for node in html.parse("<div><p class=x>t</div>" * elements, scripting=True).css("p"):
            style.look("p", node.attributes, node)
        return style.is_spent

    assert not is_spent(100)
    assert is_spent(2000)


def test_important_rule_shows_what_an_own_style_hides_each_time() -> None:
    """Only elements with a mark of a hiding rule were asked whether another rule shows them."""
    blocks = walked("<style>.a p{display:block!important}</style><div class=a>" + "<p style='display:none'>seen" * 3)
    assert blocks == [(None, "seen")] * 3


SHOWN = {
    "size-descendant": (".r{font-size:0}.r p{font-size:16px}", "<div class=r><p>{}</p></div>"),
    "size-child-any": (".r{font-size:0}.r>*{font-size:16px}", "<div class=r><p>{}</p></div>"),
    "size-tags": ("ul{font-size:0}ul li{font-size:14px}", "<ul><li>{}</ul>"),
    "visibility": (".r{visibility:hidden}.r p{visibility:visible}", "<div class=r><p>{}</p></div>"),
    "colour": (".r{color:transparent}.r b{color:#000}", "<p class=r><b>{}</b></p>"),
    "animation": (".r{opacity:0;animation:in 1s forwards}", "<div class=r>{}</div>"),
    "animation-of-another-rule": (".r{opacity:0}.k .r{animation:in 1s}", "<div class=k><p class=r>{}</div>"),
    "transition": (".r{opacity:0;transition:opacity 1s}", "<div class=r>{}</div>"),
    "placed-again": (".r{position:absolute;left:-9999px}nav .r{left:0}", "<nav><div class=r>{}</div></nav>"),
    "is": (".r{display:none}:is(.r,.u):not(.z){display:block}", "<div class=r>{}</div>"),
    "is-inside-another": (".r{display:none}:is(.k,.z) .r{display:block}", "<div class=k><p class=r>{}</div>"),
    "where": ("p{display:none}:where(.k) p{display:block}", "<div class=k><p>{}</div>"),
    "has": (".r{display:none}.r:has(p){display:block}", "<div class=r><p>{}</p></div>"),
    "has-of-a-tag": (".r{display:none}.r.r:has(p),div.r:has(p){display:block}", "<div class=r><p>{}</p></div>"),
    "checked": (
        ".r{display:none}input:checked + .r{display:block}",
        "<input type=checkbox checked><div class=r>{}</div>",
    ),
    "checked-by-script": (".r{display:none}.r:lang(en){display:block}", "<div class=r>{}</div>"),
    "class-of-a-script": (".r{opacity:0}.loaded .r{opacity:1}", "<div class=loaded><p class=r>{}</div>"),
    "attribute": (".r{display:none}[data-x].r{display:block}", "<p class=r data-x>{}"),
    "place": (".r{display:none}.r:nth-child(n){display:block}", "<p class=r>{}"),
}


@pytest.mark.parametrize(("sheet", "markup"), SHOWN.values(), ids=SHOWN.keys())
def test_text_that_another_rule_shows_again_is_seen(sheet: str, markup: str) -> None:
    """Rules that hide nothing were not read, or not looked up inside what was hidden: evidence was dropped."""
    for page in (f"<style>{sheet}</style>{markup}", f"<style>{sheet}</style>{markup}" * 2):
        blocks = blocks_of(page.replace("{}", ORDER))
        assert {hidden for hidden, text in blocks if "HIDDEN" in text} == {None}


def test_marks_of_a_comment_in_a_sheet_are_passed_over() -> None:
    """The first rule after `<!--` was not read."""
    blocks = blocks_of(f"<style><!--\n.x{{display:none}}\n--></style><p class=x>{ORDER}<p>After.")
    assert seen(blocks) == "After."


NOT_SHOWN = {
    "hover": (
        ".r{display:none}.r:hover,.r:target,.k:focus-within .r{display:block}",
        "<div class=k><p class=r>{}</div>",
    ),
    "not-checked": (".r{display:none}input:checked + .r{display:block}", "<input type=checkbox><div class=r>{}</div>"),
    "elsewhere": (".r{display:none}.z:has(p) .r{display:block}", "<div class=k><p class=r>{}</div>"),
    "weaker": ("#x{display:none}.r:has(b){display:block}", "<p class=r id=x>{}"),
    "another-way": (".r{display:none}.r:has(b){color:red;visibility:visible}", "<p class=r>{}"),
    "pseudo-element": (".r{display:none}.r::before,.r:after{display:block}", "<p class=r>{}"),
    "nearer-hides": (".r{font-size:0}.r p{font-size:1px}", "<div class=r><p>{}</p></div>"),
    "no-animation": (".r{opacity:0;animation:none}", "<p class=r>{}"),
    "whole-is-gone": (".r{display:none}.r p{display:block;font-size:16px}", "<div class=r><p>{}</p></div>"),
}


@pytest.mark.parametrize(("sheet", "markup"), NOT_SHOWN.values(), ids=NOT_SHOWN.keys())
def test_text_that_no_rule_shows_again_is_not_seen(sheet: str, markup: str) -> None:
    assert "HIDDEN" not in seen(blocks_of(f"<style>{sheet}</style><p>Before.</p>{markup.format(ORDER)}<p>After."))


ON_WHITE = {
    "nothing-said": '<p style="color:white">{}</p>',
    "body-rule": '<style>body{{background:white}}</style><p style="color:white">{}</p>',
    "body-style": '<body style="background:#fff"><p style="color:#fefefe">{}</p>',
    "body-bgcolor": '<body bgcolor=white><p style="color:white">{}</p>',
    "html-rule": '<style>html{{background:white}}</style><p style="color:white">{}</p>',
    "font": "<font color=white>{}</font>",
    "class": "<style>.w{{color:#fff}}</style><p>Seen. <span class=w>{}</span>",
    "class-of-a-block": "<style>.w{{color:#fff}}</style><div class=a><p class=w id=x>{}</p></div>",
    "black-page": "<style>body{{background:#000}}</style><p style='color:black'>{}</p>",
    "cell": "<table bgcolor=navy><tr><td><font color=navy>{}</font></table>",
}


@pytest.mark.parametrize("markup", ON_WHITE.values(), ids=ON_WHITE.keys())
def test_text_of_the_pages_own_colour_is_not_seen(markup: str) -> None:
    """The page's own background was not known, so that white on white was taken for visible text."""
    blocks = blocks_of(f"{markup.format(ORDER)}<p style='color:red'>A much longer sentence is there as well. After.")
    assert "HIDDEN" not in seen(blocks)
    assert "After." in seen(blocks)


NOT_ON_WHITE = {
    "linked": "<link rel=stylesheet href=a.css><p style='color:white'>{}</p>",
    "taken-from-its-styles": "<div class=box><p style='color:white'>{}</p></div><p>Much more text, all of it seen.",
    "imported": "<style>@import 'a';</style><p style='color:white'>{}</p>",
    "dark": "<body style='background:#000'><p style='color:white'>{}</p>",
    "picture": "<body background=a.png><p style='color:white'>{}</p>",
    "class-of-the-body": "<style>.k{{background:#000}}</style><body class=k><p style='color:white'>{}</p>",
    "body-of-a-class": "<style>html.k body{{background:#000}}</style><p style='color:white'>{}</p>",
    "of-a-state": "<style>body.k,body:not(.z){{background:#000}}</style><p style='color:white'>{}</p>",
    "wide": "<style>@media(min-width:1px){{body{{background:#000}}}}</style><p style='color:white'>{}</p>",
    "one-screen": "<style>@media (min-width:700px){{body{{background:#000}}}}</style><p style='color:white'>{}</p>",
    "on-a-dark-cell": "<table><tr bgcolor=navy><td><font color=white>{}</font></table>",
    "on-a-picture": "<table><tr><td background=a.png><font color=white>{}</font></table>",
    "over-a-picture": "<div style='position:relative'><img src=x><p style='color:white'>{}</p></div>",
    "variable": "<style>body{{background:var(--none)}}</style><p style='color:white'>{}</p>",
    "on-a-class": "<style>.h{{background:#024}}.w{{color:#fff}}</style><div class=h><p class=w>{}</p></div>",
    "black": "<p style='color:black'>{}</p>",
}


@pytest.mark.parametrize("markup", NOT_ON_WHITE.values(), ids=NOT_ON_WHITE.keys())
def test_white_text_on_what_may_be_dark_is_seen(markup: str) -> None:
    assert "HIDDEN" in seen(blocks_of(markup.format(ORDER)))
