"""Digests are tagged, complete and lower-case."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from searchlog import digest
from searchlog.errors import FormatError

ABC = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"""The digest of `abc` in FIPS 180-2 appendix B.1."""


def test_digest_matches_the_standard_example() -> None:
    assert digest.digest(b"abc") == digest.text_digest("abc") == ABC


def test_text_is_digested_as_utf8() -> None:
    assert digest.text_digest("é日") == digest.digest("é日".encode())


def test_parts_of_a_digest() -> None:
    value = digest.parse(ABC)
    assert digest.hex_of(value) == ABC.removeprefix("sha256:")
    assert digest.raw(value) == hashlib.sha256(b"abc").digest()
    assert digest.short(value) == "sha256:ba7816bf8f01"
    assert digest.short(value, 4) == "sha256:ba78"


@pytest.mark.parametrize(
    "value",
    [
        "",
        ABC[7:],
        ABC[:-1],
        ABC + "0",
        ABC + "\n",
        " " + ABC,
        ABC.upper(),
        ABC[:7] + ABC[7:].upper(),
        ABC.replace("sha256", "sha512"),
        "sha256:" + "g" * 64,
        "sha256:" + "٣" * 64,
        "sha256:../../../../etc/passwd",
        None,
        5,
        ABC.encode(),
    ],
)
def test_what_is_no_digest_is_refused(value: Any) -> None:
    with pytest.raises(FormatError) as caught:
        digest.parse(value)
    assert caught.value.fields["found"] == value
