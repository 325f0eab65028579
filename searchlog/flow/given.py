"""Texts of pages as providers give them: converted like any text, and never taken for a capture.

The text stands in the provider's answer, which is stored; its UTF-8 bytes are a blob of their own, the payload that the
conversion is made from. So what is shown as evidence is derived from stored bytes like everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from searchlog.capture.shown import public_url
from searchlog.digest import digest
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.extract.converter import Converter
from searchlog.keyring import known
from searchlog.recording import Stored, conversion_body
from searchlog.search.fuse import Candidate
from searchlog.search.run import Result

__all__ = ["KIND", "Given", "convert_given", "given_by_candidate", "given_of"]

KIND = "provider-text"
"""The kind of a source that is a provider's text of a page."""


@dataclass(frozen=True, slots=True)
class Given:
    """One page's text as a provider gave it."""

    url: str
    provider: str
    answered_at: str
    """When the provider was asked, RFC 3339 UTC; empty where that is not known."""
    data: bytes
    """UTF-8."""
    media_type: str
    query_number: int = 1
    """Which text of the query the provider was asked."""


def given_of(provider: str, answered_at: str, result: Result) -> Given | None:
    """Return the text that a result holds, if it holds one."""
    if not result.text:
        return None
    return Given(result.url, provider, answered_at, result.text.encode("utf-8"), result.text_type)


def given_by_candidate(candidates: Sequence[Candidate], answered_at: Mapping[tuple[str, int], str]) -> dict[int, Given]:
    """Return the texts that providers gave of these candidates, by their place.

    answered_at: when each provider was asked which text of the query, by its name and the text's number.
    """
    return {
        number: Given(
            candidate.url,
            candidate.text_provider,
            answered_at.get((candidate.text_provider, candidate.text_query), ""),
            candidate.text.encode("utf-8"),
            candidate.text_type,
            candidate.text_query,
        )
        for number, candidate in enumerate(candidates)
        if candidate.text
    }


def convert_given(
    given: Given, converter: Converter, options: ConvertOptions, seconds: float
) -> tuple[Conversion | ConversionFailure, Stored]:
    """Return the text as a conversion, or why there is none; and its record, with the text itself among its blobs."""
    made = converter.convert(given.data, f"{given.media_type}; charset=utf-8", given.url, options, seconds)
    if isinstance(made, Conversion) and known().found_in(made.text.encode("utf-8", "surrogatepass")):
        made = ConversionFailure("secret", "the text holds a key of this machine, so it is not kept")
    stored = conversion_body(public_url(given.url), digest(given.data), made)
    return made, Stored(stored.body, (given.data, *stored.blobs))
