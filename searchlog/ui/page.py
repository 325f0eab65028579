"""Pieces of an HTML page. Markup comes from `element` alone, and whatever is no piece yet is escaped. Pure.

    element("p", "at ", foreign(title), class_="title")

A plain string becomes text, with hidden characters named (`seen`). `foreign` is for words that are not ours: cut at a
length that is said, apart from the words around it in direction and language. Only `link` makes an address, and only
of http and https.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence

from searchlog.ui.seen import Seen, clean, direction, language

__all__ = [
    "Piece",
    "cut_at",
    "document",
    "element",
    "foreign",
    "joined",
    "link",
    "moment",
    "more_of",
    "number",
    "pieces",
    "several",
    "words",
]

INLINE_MAX = 300
"""Characters of a foreign text within a line."""
_URL_MAX = 2_000
"""Characters of an address that is still a link."""
_VOID = frozenset({"meta"})
_ADDRESS = re.compile(r"https?://[^\s/?#\\]+(?:[/?#]\S*)?", re.IGNORECASE | re.ASCII)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)", re.ASCII)


class Piece(str):
    """A piece of a page: markup of ours around text that was escaped. Joined to a plain string it is one no more."""

    __slots__ = ()


def pieces(*children: str | None) -> Piece:
    """Return the children one after the other; those that are no pieces are escaped, None is left out."""
    return Piece("".join(child if isinstance(child, Piece) else Seen(child).html() for child in children if child))


def joined(parts: Sequence[Piece], separator: str) -> Piece:
    """Return the parts with a separator between them."""
    return Piece(pieces(separator).join(parts))


def element(name: str, /, *children: str | None, **attributes: str | bool | None) -> Piece:
    """Return an element. attributes: `class_` is `class`, `data_x` is `data-x`; None and False are left out."""
    written = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = key.rstrip("_").replace("_", "-")
        written.append(label if value is True else f'{label}="{html.escape(_sound(str(value)), quote=True)}"')
    start = f"<{' '.join(written)}>"
    return Piece(start if name in _VOID else f"{start}{pieces(*children)}</{name}>")


def _sound(value: str) -> str:
    """Return an attribute's value without what UTF-8 or HTML has no place for."""
    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", value)


# --- words that are not ours


def words(value: object) -> str:
    """Return what JSON has where a text should be: the text, a number in digits; nothing for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def foreign(value: object, limit: int = INLINE_MAX, *, class_: str | None = None) -> Piece:
    """Return a foreign text within a line of ours: cut at `limit` characters, isolated in direction and language."""
    text = words(value)
    if not text:
        return Piece()
    shown = Piece(Seen(text[:limit]).html())
    inside = element("bdi", shown, class_=class_, lang=language(text), dir=direction(text))
    return pieces(inside, cut_at(limit, len(text)))


def cut_at(limit: int, length: int) -> Piece:
    """Return the remark that a text of this length is shown up to `limit`; nothing if it is shown whole."""
    if length <= limit:
        return Piece()
    return element("span", f" … the first {number(limit)} of {number(length)} characters", class_="cut", lang="en")


def link(url: object, label: str | None = None) -> Piece:
    """Return a link to a page elsewhere, under its own address or a label; of any other address the text alone."""
    address = words(url)
    shown = label if label is not None else foreign(address, INLINE_MAX, class_="url")
    if len(address) > _URL_MAX or clean(address) != address or not _ADDRESS.fullmatch(address):
        return pieces(shown) if label is None else Piece()
    return element("a", shown, href=address, rel="noreferrer noopener")


def moment(value: object) -> Piece:
    """Return a time of RFC 3339 in UTC as people read it; of anything else the text."""
    text = words(value)
    match = _MOMENT.fullmatch(text)
    if match is None:
        return foreign(text, 40)
    return element("time", f"{match[1]} {match[2]} UTC", datetime=text)


# --- words of ours


def number(value: int) -> str:
    """Return `1,234`."""
    return f"{value:,}"


def several(count: int, one: str, many: str | None = None) -> str:
    """Return `1 passage` or `1,234 passages`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def more_of(count: int, one: str) -> Piece | None:
    """Return the remark that so many more things are in the JSON alone; None when there are no more."""
    return element("p", f"{several(count, 'more ' + one)}: see the JSON of the verification.") if count > 0 else None


def document(title: str, style: str, children: Iterable[str]) -> str:
    """Return a whole page that runs no script and that the browser lets ask for nothing, by its own policy."""
    fingerprint = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{fingerprint}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="robots", content="noindex"),
        element("title", Piece(html.escape(clean(title[:INLINE_MAX])))),
        element("style", Piece(style)),
    )
    body = element("body", *children)
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"
