"""One payload in, one conversion or one reason out. Pure dispatch by media type; no clock, disk or network.

The same bytes, Content-Type, address and options give the same result under the same library versions, which are
recorded in `Conversion.options`. Converters are imported when a payload needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from searchlog.errors import UsageError
from searchlog.extract import charset, sniff
from searchlog.extract.conversion import Block, Conversion, ConversionFailure, Metadata, main_percent, visible_text
from searchlog.extract.elements import places_of
from searchlog.extract.labelling import labelled
from searchlog.spoofing.forgery import forged
from searchlog.spoofing.invisible import CONTROLS, has_invisible, unusual, utf_8

__all__ = ["ConvertOptions", "Result", "convert"]

Result = Conversion | ConversionFailure


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """Everything a caller may choose; recorded with each conversion."""

    labels: str = "main"
    """Who tells main text from furniture: `structure` (names and roles of elements alone), `main` (`main_text.py`), or
    `trafilatura`: as `main`, and where that is unsure of an article or documentation trafilatura is heard too."""
    dates: str = "page"
    """Where dates come from: `page` (what the page states), or `htmldate` as well when it states none."""
    text_chars_max: int = 2_000_000
    pdf_pages_max: int = 500
    links: bool = False
    """Whether to say where the page's links lead."""
    linear: bool = False
    """Read markup without building a tree: slower to trust, safe on anything. The pool sets it after a worker died."""

    def __post_init__(self) -> None:
        if self.labels not in ("structure", "main", "trafilatura"):
            raise UsageError(f"no labels called {self.labels!r}: structure, main or trafilatura", found=self.labels)
        if self.dates not in ("page", "htmldate"):
            raise UsageError(f"no dates called {self.dates!r}: page or htmldate", found=self.dates)


def convert(
    data: bytes,
    *,
    content_type: str | None,
    url: str,
    options: ConvertOptions | None = None,
    late: Callable[[], bool] = lambda: False,
) -> Result:
    """Return the conversion of a decoded payload, or why it has no text. Never raises on any bytes.

    data: content codings removed. content_type: the header's value as it came. url: the final address.
    late: tells a reader of many pages to stop after this one; what it has by then comes with a warning.
    """
    options = options or ConvertOptions()
    if not data:
        return ConversionFailure("no-text", "the payload is empty")
    media_type = sniff.sniff(data, content_type, url)
    converter = _CONVERTERS.get(media_type)
    if converter is None:
        claimed = sniff.essence(content_type)
        said = f", although the server says {claimed}" if claimed and claimed != media_type else ""
        return ConversionFailure(
            "unsupported-type", f"no converter for {media_type}{said}; the payload is kept", media_type=media_type
        )
    try:
        result = converter(_Given(data, content_type, url, media_type, options, late))
    except RecursionError:
        return ConversionFailure("malformed", "nested too deeply to read", media_type=media_type)
    if isinstance(result, Conversion) and _differs(media_type, content_type):
        result = replace(result, warnings=(*result.warnings, "type-mismatch"))
    return result


class _Given(NamedTuple):
    """What a converter is given; see `convert`."""

    data: bytes
    content_type: str | None
    url: str
    media_type: str
    options: ConvertOptions
    late: Callable[[], bool]


def _differs(media_type: str, content_type: str | None) -> bool:
    """Return whether the server named another kind of thing than the bytes are."""
    claimed = sniff.essence(content_type)
    if claimed in ("", media_type, "application/octet-stream"):
        return False
    kinds = [_kind(claimed), _kind(media_type)]
    return kinds[0] != kinds[1]


def _kind(media_type: str) -> str:
    if sniff.is_html(media_type) or media_type.endswith(("/xml", "+xml")):
        return "markup"
    return "text" if media_type.startswith("text/") or media_type.endswith("json") else media_type


def _html(given: _Given) -> Result:
    data, content_type, url, media_type, options, late = given
    from searchlog.extract import facts, html

    decoded = charset.decode(data, content_type)
    page = html.read_html(decoded.text, url, options.text_chars_max, linear=options.linear, late=late)
    name = html.CONVERTER if page.tree else html.CONVERTER_LINEAR
    if not page.built.blocks:
        return ConversionFailure(
            "no-text", "the page has no visible text of its own; scripts may add it in a browser", media_type, name
        )
    result = Conversion(
        text=page.built.text,
        blocks=page.built.blocks,
        metadata=page.metadata,
        converter=name,
        options=_recorded(options, engine=html.engine()),
        verbatim=page.verbatim,
        warnings=(*decoded.warnings, *page.warnings, *_seen(page.built.text, page.built.blocks)),
        places=places_of(page.built.blocks, page.built.layout),
    )
    if page.metadata.facts:
        shown = facts.unseen(page.metadata.facts, visible_text(result))
        result = replace(result, metadata=replace(page.metadata, facts=shown))
    if page.tree and not options.linear:
        result = labelled(result, page.built.layout, decoded.text, url, options.labels)
    result = replace(result, main_percent=main_percent(result.blocks))
    return _asked_for(_stamped(result, decoded, media_type), decoded.text, url, options)


def _asked_for(result: Conversion, markup: str, url: str, options: ConvertOptions) -> Conversion:
    """Add what not every caller wants or heavier libraries say, where the page can bear it."""
    if options.linear or result.converter.startswith("html-linear"):
        return result
    if options.links:
        from searchlog.extract.links import links

        result = replace(result, links=links(markup, url))
    if options.dates == "htmldate" and result.metadata.published is None:
        from searchlog.extract import opinion

        found = opinion.find_published(markup)
        result = replace(result, metadata=replace(result.metadata, published=found))
    return result


def _text(given: _Given) -> Result:
    data, content_type, url, media_type, options, _ = given
    from searchlog.extract import markdown, text

    decoded = charset.decode(data, content_type, prescan=False)
    body, cut = decoded.text[: options.text_chars_max], len(decoded.text) > options.text_chars_max
    metadata = Metadata()
    if media_type == "text/markdown":
        name, blocks = markdown.CONVERTER, markdown.markdown_blocks(body)
        metadata = markdown.metadata(body, blocks)
    else:
        name, blocks = text.CONVERTER, text.blocks_of(media_type, body, url)
    if not blocks:
        return ConversionFailure("no-text", "the text is blank", media_type, name)
    joined = blocks[-1].kind == "other"
    coarse = ("blocks-joined",) if joined else ()
    warnings = (*decoded.warnings, *(("text-cut",) if cut else ()), *coarse, *_seen(body, blocks))
    result = Conversion(body, blocks, metadata, name, options=_recorded(options), verbatim=True, warnings=warnings)
    return _stamped(result, decoded, media_type)


def _feed(given: _Given) -> Result:
    data, content_type, url, media_type, options, late = given
    from searchlog.extract import feed, feed_blocks

    is_json = media_type.endswith("json")
    decoded = charset.decode(data, content_type, prescan=not is_json)
    found = feed.read_json(decoded.text, url) if is_json else feed.read_xml(decoded.text, url, late)
    if found is None and is_json:
        read = _text(given._replace(media_type="application/json"))
        return replace(read, warnings=(*read.warnings, "feed-malformed")) if isinstance(read, Conversion) else read
    if found is None:
        return ConversionFailure("malformed", "no feed can be read from it", media_type, feed_blocks.CONVERTER)
    made = feed_blocks.feed_text(found, options.text_chars_max, linear=options.linear, late=late)
    if not made.blocks:
        return ConversionFailure("no-text", "the feed has no text", media_type, feed_blocks.CONVERTER)
    result = Conversion(
        made.text,
        made.blocks,
        feed_blocks.feed_metadata(found),
        feed_blocks.CONVERTER,
        options=_recorded(options, engine=feed.engine()),
        verbatim=made.verbatim,
        warnings=tuple(
            dict.fromkeys((*decoded.warnings, *found.warnings, *made.warnings, *_seen(made.text, made.blocks)))
        ),
        links=feed_blocks.feed_links(found) if options.links else (),
    )
    return _stamped(result, decoded, media_type)


def _pdf(given: _Given) -> Result:
    data, _, _, media_type, options, late = given
    from searchlog.extract import pdf

    result = pdf.read_pdf(data, options.pdf_pages_max, options.text_chars_max, late)
    if isinstance(result, ConversionFailure):
        return result
    return replace(
        result,
        options=_recorded(options, engine=pdf.engine()),
        media_type=media_type,
        warnings=(*result.warnings, *_seen(result.text, result.blocks)),
    )


def _stamped(result: Conversion, decoded: charset.Decoded, media_type: str) -> Conversion:
    return replace(
        result,
        media_type=media_type,
        charset=decoded.label,
        charset_source=decoded.step,
        replaced_count=decoded.replaced_count,
    )


def _recorded(options: ConvertOptions, **more: str) -> dict[str, Any]:
    return {**asdict(options), **more}


def _seen(text: str, blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """Return warnings about the text itself, for whoever shows it."""
    raw = utf_8(text)
    present = unusual(raw)
    found = {
        "hidden-text": any(block.hidden for block in blocks),
        "control-characters": not CONTROLS.isdisjoint(present),
        "invisible-characters": has_invisible(text, present),
        "possible-forgery": forged(text, raw, present),
    }
    return tuple(name for name, here in found.items() if here)


_Converter = Callable[[_Given], Result]
_CONVERTERS: dict[str, _Converter] = {
    "text/html": _html,
    "application/xhtml+xml": _html,
    "text/plain": _text,
    "text/csv": _text,
    "text/tab-separated-values": _text,
    "text/markdown": _text,
    "application/json": _text,
    "application/pdf": _pdf,
    "application/rss+xml": _feed,
    "application/atom+xml": _feed,
    "application/feed+json": _feed,
}
