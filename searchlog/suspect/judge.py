"""Whether a page stands in for the page that was asked for: a bot challenge, a login wall, a soft 404. Pure.

Only ever a suspicion, and it says by which tests. Judged by structure: what the answer's head says, which forms,
scripts and marks the page is made of, where the redirects led, and how little else there is. Words count only as whole
headings, and never alone: a page about captchas, or about status 404, is a page.

Runs for every page where its text is known, so most pages cost a look at the head and at the first blocks; only a page
with little main text, or with a heading of not finding, has its markup read (see `outline.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from searchlog.extract import sniff
from searchlog.extract.charset import encoding_for_label
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.suspect.challenge import challenge_tests, header_tests
from searchlog.suspect.login import login_redirect_tests, login_tests
from searchlog.suspect.missing import missing_redirect_tests, missing_tests, redirected_home
from searchlog.suspect.outline import PREFIX_CHARS, Outline, outline_of, weight
from searchlog.suspect.phrases import missing_heading

__all__ = ["JUDGED", "RULE", "Arrived", "Suspicion", "markup_of", "suspect"]

RULE = "suspect/2"
"""The name of these tests, written down where their outcome is; a change of what they tell changes it."""

_TEXT_MAX = 2_500
_HEADINGS = 4
JUDGED = ("no-text", "malformed")
"""Failures of a conversion that say something of the page, not of this machine."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What a page is taken for."""

    kind: str
    """`bot-challenge`, `login-wall`, `soft-404`; `paywall`, `needs-javascript` (see `held.py`)."""
    tests: tuple[str, ...]
    """The tests that fired, as short codes such as `header:cf-mitigated`, `form:password`, `little-text`."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An answer as it came."""

    urls: tuple[str, ...]
    """The address asked for, those of the redirects, the final one."""
    status: int
    headers: tuple[tuple[str, str], ...]
    data: bytes
    """The decoded payload; only a prefix is looked at."""

    @property
    def content_type(self) -> str | None:
        """The value of the first field of this name."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), None)


def suspect(arrived: Arrived, conversion: Conversion | ConversionFailure | None) -> Suspicion | None:
    """Return what a page is suspected to be instead of the page asked for, or None. Never raises on any bytes.

    conversion: what was made of the payload; None for an answer that is not converted, such as one of status 403: it
    can only be a challenge, its status tells the rest.
    """
    if found := header_tests(arrived.status, arrived.headers):
        return Suspicion("bot-challenge", tuple(found))
    if not 200 <= arrived.status < 300:
        return _of_error(arrived)
    if conversion is None:
        return None
    if isinstance(conversion, ConversionFailure):
        if conversion.reason not in JUDGED or not sniff.is_html(conversion.media_type):
            return None
        return _of_page(arrived, "", (), outline_of(arrived.data[:PREFIX_CHARS].decode("utf-8", "replace")))
    if not sniff.is_html(conversion.media_type):
        return None
    title, headings = conversion.metadata.title or "", _headings(conversion)
    said = _said(conversion)
    if said > _TEXT_MAX and not any(map(missing_heading, (title, *headings))) and not _led_away(arrived.urls):
        return _of_home(arrived, conversion)
    outline = outline_of(markup_of(arrived.data, conversion.charset))
    if outline.cut:  # what stands further down is text all the same
        outline.prose, outline.body = max(outline.prose, said), max(outline.body, said)
    return _of_page(arrived, title, headings, outline) or _of_home(arrived, conversion)


def _of_error(arrived: Arrived) -> Suspicion | None:
    """Return whether an answer that says that it failed is a challenge."""
    if arrived.status < 400 or not sniff.is_html(
        sniff.sniff(arrived.data[:2_000], arrived.content_type, arrived.urls[-1])
    ):
        return None
    outline = outline_of(arrived.data[:PREFIX_CHARS].decode("utf-8", "replace"))
    return _taken("bot-challenge", challenge_tests(arrived.status, arrived.urls, outline))


def _of_page(arrived: Arrived, title: str, headings: Sequence[str], outline: Outline) -> Suspicion | None:
    return (
        _taken("bot-challenge", challenge_tests(arrived.status, arrived.urls, outline))
        or _taken(
            "login-wall", login_tests(arrived.urls, outline, title or outline.title, headings or outline.headings)
        )
        or _taken("soft-404", missing_tests(arrived.urls, outline, title, headings))
    )


def _of_home(arrived: Arrived, conversion: Conversion) -> Suspicion | None:
    """Return whether a redirect gave up the page and showed the site's home."""
    if len(arrived.urls) < 2 or arrived.urls[0] == arrived.urls[-1]:
        return None
    return _taken("soft-404", redirected_home(arrived.urls, f"{conversion.metadata.title or ''} {conversion.text}"))


def _taken(kind: str, tests: Sequence[str] | None) -> Suspicion | None:
    return Suspicion(kind, tuple(dict.fromkeys(tests))) if tests else None


def _led_away(urls: Sequence[str]) -> bool:
    return urls[0] != urls[-1] and bool(login_redirect_tests(urls) or missing_redirect_tests(urls))


def _said(conversion: Conversion) -> int:
    """Return the weight of the main text; beyond what any page has that stands in for another, some such number."""
    said = 0
    for block in conversion.blocks:
        if block.furniture is None and block.hidden is None:
            size = block.end - block.start
            said += size if size > _TEXT_MAX else weight(conversion.text[block.start : block.end])
            if said > _TEXT_MAX:
                break
    return said


def _headings(conversion: Conversion) -> list[str]:
    """Return the texts of the first headings that a person sees."""
    found: list[str] = []
    for block in conversion.blocks:
        if block.kind == "heading" and block.level <= 2 and block.hidden is None:
            found.append(conversion.text[block.start : min(block.end, block.start + 200)])
            if len(found) == _HEADINGS:
                break
    return found


def markup_of(data: bytes, charset: str | None, chars_max: int = PREFIX_CHARS) -> str:
    """Return the beginning of a page's markup as text, near enough to tell its structure."""
    known = encoding_for_label(charset) if charset else None
    wide = known is not None and known.startswith("utf-16")
    prefix = data[: chars_max * (2 if wide else 1)]
    if known is None or known == "utf-8":
        return prefix.decode("utf-8", "replace")
    try:
        return prefix.decode(known, "replace")
    except LookupError:
        return prefix.decode("latin-1")
