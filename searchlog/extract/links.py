"""Where a page's links lead, in order: for reading a whole site of one's own. Pure; meant for the worker."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

__all__ = ["links"]

_LINKS_MAX = 5_000
_URL_CHARS_MAX = 8_192
"""As long as an address that is fetched may be; one base of 2 MB would come back with every link."""


def links(markup: str, url: str) -> tuple[str, ...]:
    """Return the http(s) targets of a page's `<a href>`, absolute, each once, in document order."""
    from searchlog.extract.html import parse

    tree = parse(markup, scripting=True)
    base_node = tree.css_first("base[href]")
    base = _joined(url, base_node.attributes.get("href") if base_node is not None else None) or url
    found: dict[str, None] = {}
    for node in tree.css("a[href]"):
        target = _joined(base, node.attributes.get("href"))
        if target is not None:
            found[target] = None
            if len(found) == _LINKS_MAX:
                break
    return tuple(found)


def _joined(base: str, reference: str | None) -> str | None:
    if not reference or len(reference) > _URL_CHARS_MAX:
        return None
    try:
        target = urljoin(base, reference.strip())
        return target if len(target) <= _URL_CHARS_MAX and urlsplit(target).scheme in ("http", "https") else None
    except ValueError:
        return None
