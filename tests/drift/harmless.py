"""Edits that leave what a page says as it is: markup, blanks, menus, advertisements, sections elsewhere.

Each takes a tree, changes it in place and returns whether it could; or takes markup and returns other markup.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random
from typing import Any

from lxml import html as lxml_html

from tests.drift.trees import Spot, tree_of, written

__all__ = ["HARMLESS"]

Edit = Callable[[str, str, Random], str | None]
_TEXTUAL = frozenset(("p", "li", "dd", "td", "h1", "h2", "h3", "h4", "blockquote", "span", "div", "a", "b", "em", "i"))
_BLOCKS = frozenset(("p", "ul", "ol", "table", "h2", "h3", "h4", "blockquote", "dl", "figure"))
_APART = frozenset(("pre", "code", "script", "style", "textarea", "title", "template", "noscript", "svg", "select"))


def _in_text(tree: Any) -> list[Spot]:
    """Return the text nodes of running text."""
    out = []
    body = tree.find("body")
    for element in body.iter() if body is not None else ():
        if not isinstance(element.tag, str):
            continue
        for tail in (False, True):
            spot = Spot(element, tail)
            if not spot.text.strip() or (tail and element is body):
                continue
            if any(above.tag in _APART for above in (spot.holder, *spot.holder.iterancestors())):
                continue
            out.append(spot)
    return out


def _blocks(tree: Any) -> list[Any]:
    """Return the paragraphs, lists and tables that stand in running text, none inside another."""
    body = tree.find("body")
    out = []
    for element in body.iter(*_BLOCKS) if body is not None else ():
        above = {one.tag for one in element.iterancestors()}
        if not above & {"nav", "header", "footer", "aside", "table", "ul", "ol", "dl", "form", "figure", "blockquote"}:
            out.append(element)
    return out


def _tree_edit(change: Callable[[Any, str, Random], bool]) -> Edit:
    def edit(markup: str, language: str, rng: Random) -> str | None:
        tree = tree_of(markup)
        if tree.find("body") is None or not change(tree, language, rng):
            return None
        return written(tree)

    return edit


def _fragment(markup: str) -> Any:
    return lxml_html.fragment_fromstring(markup)


def _insert_before(element: Any, markup: str) -> None:
    element.addprevious(_fragment(markup))


# --- markup ----------------------------------------------------------------------------------------------------------


def _attributes(tree: Any, _: str, rng: Random) -> bool:
    for number, element in enumerate(tree.iter("p", "li", "a", "span")):
        element.set("data-track", str(rng.randrange(10**6)))
        if element.tag == "a" and element.get("href"):
            element.set("href", f"/r?u={number}")
    return True


def _spans(tree: Any, _: str, rng: Random) -> bool:
    done = 0
    for spot in _in_text(tree):
        words = spot.text.split(" ")
        if len(words) < 5 or spot.tail or spot.element.tag not in _TEXTUAL:
            continue
        middle = rng.randrange(1, len(words) - 1)
        span = lxml_html.Element(rng.choice(("span", "font", "b", "em", "a")))
        span.text, span.tail = words[middle], " " + " ".join(words[middle + 1 :])
        spot.element.text = " ".join(words[:middle]) + " "
        spot.element.insert(0, span)
        done += 1
    return done > 0


def _breaks(tree: Any, _: str, rng: Random) -> bool:
    done = 0
    for spot in _in_text(tree):
        words = spot.text.split(" ")
        if len(words) < 12 or spot.tail or spot.element.tag not in ("p", "li", "dd", "td") or rng.random() < 0.5:
            continue
        middle = len(words) // 2
        line = lxml_html.Element("br")
        line.tail = " ".join(words[middle:])
        spot.element.text = " ".join(words[:middle])
        spot.element.insert(0, line)
        done += 1
    return done > 0


def _divs(tree: Any, _: str, rng: Random) -> bool:
    done = 0
    for element in _blocks(tree):
        if element.tag in ("p", "ul", "table") and rng.random() < 0.7:
            wrap = lxml_html.Element("div", {"class": "wrap-" + rng.choice("abcdef")})
            wrap.tail, element.tail = element.tail, None
            element.addprevious(wrap)
            wrap.append(element)
            done += 1
    return done > 0


def _split(tree: Any, _: str, rng: Random) -> bool:
    done = 0
    for element in _blocks(tree):
        if element.tag != "p" or len(element) or not element.text:
            continue
        ends = [match.end() for match in re.finditer(r"[.!?]\s+(?=[^\W\d_])|[。！？]", element.text[:-10])]
        if not ends or rng.random() < 0.3:
            continue
        end = rng.choice(ends)
        other = lxml_html.Element("p")
        other.text, element.text = element.text[end:], element.text[:end]
        other.tail, element.tail = element.tail, "\n"
        element.addnext(other)
        done += 1
    return done > 0


def _merged(tree: Any, _: str, rng: Random) -> bool:
    done = 0
    for element in _blocks(tree):
        other = element.getnext()
        if element.tag != "p" or other is None or other.tag != "p" or (element.tail or "").strip():
            continue
        if not (element.text_content().strip() and other.text_content().strip()) or rng.random() < 0.5:
            continue
        last = element[-1] if len(element) else None
        if last is None:
            element.text = (element.text or "") + " " + (other.text or "")
        else:
            last.tail = (last.tail or "") + " " + (other.text or "")
        for child in list(other):
            element.append(child)
        element.tail = other.tail
        other.getparent().remove(other)
        done += 1
        if done > 3:
            break
    return done > 0


def _deeper(tree: Any, _: str, __: Random) -> bool:
    headings = list(tree.iter("h1", "h2", "h3", "h4", "h5"))
    for element in headings:
        element.tag = f"h{int(element.tag[1]) + 1}"
    return bool(headings)


def _minified(markup: str, _: str, __: Random) -> str | None:
    small = re.sub(
        r">\s*\n\s*<(?=/?(?:p|div|ul|ol|li|table|tr|td|th|h[1-6]|section|article|nav|header|footer)\b)", "><", markup
    )
    return small if small != markup else None


def _reflowed(tree: Any, _: str, rng: Random) -> bool:
    for spot in _in_text(tree):
        spot.put(re.sub(r"(?<=\S)[ \n](?=\S)", lambda _: rng.choice((" ", "\n", "  ", "\n    ", "\t")), spot.text))
    return True


def _references(tree: Any, _: str, rng: Random) -> bool:
    done = 0
    for spot in _in_text(tree):
        if spot.tail or spot.element.tag != "p":
            continue
        ends = [match.end() for match in re.finditer(r"(?<=[^\W\d_])[.](?= |$)|。", spot.text)]
        if not ends:
            continue
        end = rng.choice(ends)
        done += 1
        mark = _fragment(f'<sup class="reference"><a href="#n{done}">[{done}]</a></sup>')
        mark.tail = spot.text[end:]
        spot.element.text = spot.text[:end]
        spot.element.insert(0, mark)
    return done > 0


# --- characters ------------------------------------------------------------------------------------------------------


def _characters(change: Callable[[str, Random], str]) -> Edit:
    def edit(tree: Any, _: str, rng: Random) -> bool:
        done = False
        for spot in _in_text(tree):
            new = change(spot.text, rng)
            if new != spot.text:
                spot.put(new)
                done = True
        return done

    return _tree_edit(edit)


def _curly(text: str, _: Random) -> str:
    text = re.sub(r'"([^"\n]*)"', "“\\1”", text)
    return re.sub(r"(?<=\w)'(?=\w)", "’", text)


def _straight(text: str, _: Random) -> str:
    return text.translate(str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."}))


def _unbroken(text: str, rng: Random) -> str:
    return re.sub(r"(?<=\w) (?=\w)", lambda _: "\u00a0" if rng.random() < 0.2 else " ", text)


def _soft(text: str, rng: Random) -> str:
    return re.sub(
        r"(?<=[^\W\d_]{4})(?=[^\W\d_]{4})",
        lambda _: rng.choice(("\u00ad", "\u200b", "")) if rng.random() < 0.3 else "",
        text,
    )


def _decomposed(text: str, _: Random) -> str:
    return unicodedata.normalize("NFD", text)


def _entities(markup: str, _: str, rng: Random) -> str | None:
    if re.search("[\x80-\x9f]", markup):
        return None  # a number for one of these is another character to a browser
    tree = tree_of(markup)
    text = lxml_html.tostring(tree, encoding="us-ascii").decode("ascii")
    return "<!doctype html>" + text


# --- around ----------------------------------------------------------------------------------------------------------

_ADVERTS = {
    "en": (
        "Advertisement",
        "Sponsored: save 20% on running shoes this week only",
        "Subscribe to our newsletter and get the best stories every morning",
        "Ad · Luxury flats from $900 a month. Book a visit today!",
        "Don't miss our summer sale. Shop now",
        "Download our app for the best experience",
    ),
    "zh": ("广告", "立即下载APP,领取优惠券", "推广:夏季大促销,全场八折"),
    "de": ("Anzeige", "Jetzt Newsletter abonnieren und 10 Euro sparen"),
    "fr": ("Publicité", "Abonnez-vous à notre lettre d'information"),
    "es": ("Publicidad", "Suscríbete a nuestro boletín"),
    "ru": ("Реклама", "Подпишитесь на нашу рассылку"),
    "ja": ("広告", "アプリをダウンロードして特典を受け取る"),
    "ar": ("إعلان", "اشترك في نشرتنا البريدية"),
}
_FRAMES = (
    '<div class="ad-slot"><p>{}</p></div>',
    '<aside class="promo"><p>{}</p></aside>',
    '<div class="advertisement">{}</div>',
    '<ins class="adsbygoogle"><div>{}</div></ins>',
    '<div class="banner"><a href="/go?x=1">{}</a></div>',
    '<section class="box"><h4>{}</h4><p><a href="/offer">More</a></p></section>',
)


def _adverts(tree: Any, language: str, rng: Random) -> bool:
    blocks = _blocks(tree)
    for element in rng.sample(blocks, min(len(blocks), 6)):
        words = rng.choice(_ADVERTS.get(language, _ADVERTS["en"]))
        _insert_before(element, rng.choice(_FRAMES).format(words))
    return bool(blocks)


def _at_top(*choices: str) -> Edit:
    def edit(tree: Any, _: str, rng: Random) -> bool:
        tree.find("body").insert(0, _fragment(rng.choice(choices)))
        return True

    return _tree_edit(edit)


def _at_end(*choices: str) -> Edit:
    def edit(tree: Any, _: str, rng: Random) -> bool:
        body = tree.find("body")
        place = next(iter(body.iter("article", "main")), body)
        place.append(_fragment(rng.choice(choices)))
        return True

    return _tree_edit(edit)


def _no_menu(tree: Any, _: str, __: Random) -> bool:
    found = list(tree.find("body").iter("nav", "footer"))
    for element in found:
        if element.getparent() is not None:
            element.drop_tree()
    return bool(found)


def _dated(tree: Any, _: str, rng: Random) -> bool:
    blocks = [element for element in _blocks(tree) if element.tag == "p"]
    if not blocks:
        return False
    line = rng.choice(("Updated: 3 May 2021", "Last viewed 3 minutes ago", "1,204 views · 18 comments", "5 min read"))
    _insert_before(blocks[0], f'<div class="meta"><span>{line}</span></div>')
    return True


def _related(tree: Any, _: str, rng: Random) -> bool:
    blocks = _blocks(tree)
    if not blocks:
        return False
    box = "<div class='related'><h3>Related articles</h3><ul>" + "".join(
        f"<li><a href='/{n}'>{title}</a></li>"
        for n, title in enumerate(("Ten places to see in spring", "How rivers are named", "A guide to local markets"))
    )
    _insert_before(rng.choice(blocks), box + "</ul></div>")
    return True


def _pictures(tree: Any, _: str, rng: Random) -> bool:
    blocks = _blocks(tree)
    for element in rng.sample(blocks, min(3, len(blocks))):
        _insert_before(
            element, '<div><img loading="lazy" data-src="/a.jpg" src="/p.gif" alt="A view of the coast"></div>'
        )
    return bool(blocks)


def _sections(tree: Any) -> list[list[Any]]:
    """Return runs of siblings, each from one heading up to the next of its level."""
    out: list[list[Any]] = []
    for tag in ("h2", "h3"):
        for heading in tree.find("body").iter(tag):
            run = [heading]
            node = heading.getnext()
            while node is not None and not (isinstance(node.tag, str) and node.tag in ("h1", "h2", tag)):
                run.append(node)
                node = node.getnext()
            if len(run) > 1:
                out.append(run)
        if len(out) >= 3:
            return out
        out = []
    return out


def _moved_section(tree: Any, _: str, rng: Random) -> bool:
    sections = _sections(tree)
    if len(sections) < 3:
        return False
    parent = sections[0][0].getparent()
    sections = [section for section in sections if section[0].getparent() is parent]
    if len(sections) < 3:
        return False
    one, other = rng.sample(range(len(sections)), 2)
    for element in sections[one]:
        sections[other][0].addprevious(element)
    return True


def _new_section(tree: Any, _: str, rng: Random) -> bool:
    sections = _sections(tree)
    if not sections:
        return False
    heading = rng.choice(sections)[0]
    heading.addprevious(_fragment(f"<{heading.tag}>Further reading on rivers</{heading.tag}>"))
    heading.addprevious(
        _fragment("<p>The valley has several small rivers that meet near the old mill in the south.</p>")
    )
    return True


HARMLESS: dict[str, Edit] = {
    "attributes": _tree_edit(_attributes),
    "spans": _tree_edit(_spans),
    "breaks": _tree_edit(_breaks),
    "divs": _tree_edit(_divs),
    "paragraph-split": _tree_edit(_split),
    "paragraphs-merged": _tree_edit(_merged),
    "heading-levels": _tree_edit(_deeper),
    "minified": _minified,
    "reflowed": _tree_edit(_reflowed),
    "reference-marks": _tree_edit(_references),
    "curly-quotes": _characters(_curly),
    "straight-quotes": _characters(_straight),
    "no-break-spaces": _characters(_unbroken),
    "soft-hyphens": _characters(_soft),
    "decomposed": _characters(_decomposed),
    "entities": _entities,
    "adverts": _tree_edit(_adverts),
    "menu-added": _at_top(
        "<nav><ul><li><a href=/1>News</a></li><li><a href=/2>Sport</a></li><li><a href=/3>Contact</a></li></ul></nav>",
        "<div class='topbar'><a href=/login>Log in</a> <a href=/join>Join</a></div>",
        "<header><h2>Our Site</h2><form><input name=q><button>Search</button></form></header>",
    ),
    "cookie-banner": _at_top(
        "<div id='cookie-banner' role='dialog'><p>We use cookies to give you the best experience. You can withdraw "
        "your consent at any time.</p><button>Accept all</button></div>",
        "<div class='consent'><h2>Your privacy</h2><p>We and our 842 partners store information on a device. No "
        "thanks, or accept.</p></div>",
    ),
    "menu-removed": _tree_edit(_no_menu),
    "date-line": _tree_edit(_dated),
    "related-links": _tree_edit(_related),
    "pictures": _tree_edit(_pictures),
    "section-moved": _tree_edit(_moved_section),
    "section-added": _tree_edit(_new_section),
    "comments-added": _at_end(
        "<section class='comments'><h3>2 comments</h3><div><p>Great article, thanks for sharing!</p></div>"
        "<div class='comment'><p>I was there in the summer and did not see it.</p></div></section>",
        "<div id='comments'><div class='c'><b>anna</b><p>Very interesting.</p></div></div>",
    ),
    "footer-changed": _at_end(
        "<footer><p>© 2026 The Company. All rights reserved. Contact us</p></footer>",
        "<div class='pagination'><a href='?page=2'>Next page</a></div>",
    ),
}
