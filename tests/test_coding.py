"""Content codings are removed by us, in bounded steps, and each decoder must reach its end."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from searchlog.capture.coding import content_codings, decode
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Limits
from searchlog.clock import FixedClock

LIMITS = Limits()
TEXT = b"The harbour keeps a paper book of tides. " * 500


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


CODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
coders = pytest.mark.parametrize("name", CODERS)


@coders
@given(data=st.binary(max_size=400))
def test_what_was_coded_is_decoded(name: str, data: bytes) -> None:
    assert decode(CODERS[name](data), (name,), LIMITS) == Decoded(data, (name,))


def test_raw_deflate_is_decoded_as_well() -> None:
    assert decode(raw_deflate(TEXT), ("deflate",), LIMITS).data == TEXT


def test_every_gzip_member_is_decoded() -> None:
    """httpx gives back the first member only and says nothing."""
    payload = b"".join(gzip.compress(TEXT[i : i + 100]) for i in range(0, len(TEXT), 100))
    assert decode(payload, ("gzip",), LIMITS) == Decoded(TEXT, ("gzip",))


def test_every_zstd_frame_is_decoded() -> None:
    payload = b"".join(zstandard.compress(TEXT[i : i + 900]) for i in range(0, len(TEXT), 900))
    assert decode(payload, ("zstd",), LIMITS) == Decoded(TEXT, ("zstd",))


def test_padding_after_the_last_gzip_member_is_left_alone() -> None:
    assert decode(gzip.compress(TEXT) + b"\0" * 9, ("gzip",), LIMITS) == Decoded(TEXT, ("gzip",))


@pytest.mark.parametrize("size", [0, 20, 5_000, 300_000])
@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_bytes_behind_the_end_of_a_stream_take_nothing_away(name: str, size: int) -> None:
    """The brotli decoder kept all output to itself when the end of the stream and other bytes reached it together."""
    data = random.Random(size).randbytes(size // 2) + b"x" * (size // 2)
    found = decode(CODERS[name](data) + b"junk" * 5_000, (name,), LIMITS)
    assert (found.data, found.reason) == (data, None)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_members_of_nothing_are_given_up(name: str) -> None:
    """Ten megabytes of empty gzip members took nine seconds, and every reader of the archive paid them again."""
    found = decode(CODERS[name](TEXT) + CODERS[name](b"") * 20_000, (name,), LIMITS)
    assert (found.data, found.reason) == (TEXT, "coding")


@coders
def test_cut_payload_is_never_called_whole(name: str) -> None:
    payload = CODERS[name](TEXT)
    for cut in range(1, len(payload)):
        found = decode(payload[:cut], (name,), LIMITS)
        assert found.reason == "coding", cut
        assert TEXT.startswith(found.data)


@coders
def test_corrupt_payload_gives_a_reason(name: str) -> None:
    assert decode(b"<html>not coded at all</html>", (name,), LIMITS) == Decoded(b"", (name,), "coding")


def test_flipped_bit_in_gzip_is_found_by_its_checksum() -> None:
    payload = bytearray(gzip.compress(TEXT))
    payload[-6] ^= 1
    assert decode(bytes(payload), ("gzip",), LIMITS).reason == "coding"


def test_layers_are_removed_last_applied_first() -> None:
    payload = brotli.compress(gzip.compress(TEXT))
    assert decode(payload, ("gzip", "br"), LIMITS) == Decoded(TEXT, ("gzip", "br"))


def test_more_layers_than_the_limit_are_not_begun() -> None:
    payload = TEXT
    for _ in range(4):
        payload = gzip.compress(payload)
    assert decode(payload, ("gzip",) * 4, LIMITS) == Decoded(b"", ("gzip",) * 4, "coding")
    assert decode(gzip.decompress(payload), ("gzip",) * 3, LIMITS).data == TEXT


def test_unknown_coding_gives_what_it_was_applied_to() -> None:
    assert decode(TEXT, ("utf-8",), LIMITS) == Decoded(TEXT, ("utf-8",), "unknown-coding")
    assert decode(gzip.compress(TEXT), ("odd", "gzip"), LIMITS) == Decoded(TEXT, ("odd", "gzip"), "unknown-coding")


def test_empty_payload_decodes_to_nothing_whatever_its_codings() -> None:
    assert decode(b"", ("gzip", "br"), LIMITS) == Decoded(b"", ("gzip", "br"))


@coders
def test_bomb_is_stopped_near_the_limit(name: str) -> None:
    bomb = CODERS[name](b"\0" * (64 << 20))
    limits = Limits(decoded_bytes_max=1_000_000)
    tracemalloc.start()
    found = decode(bomb, (name,), limits)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(found.data), found.reason) == (1_000_000, "length")
    assert peak < 40 << 20


def test_nested_bomb_is_stopped_at_each_layer() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * (32 << 20)))
    assert decode(bomb, ("gzip", "gzip"), Limits(decoded_bytes_max=10_000)).reason in ("length", "coding")


def test_payload_without_coding_is_held_to_the_limit_too() -> None:
    assert decode(TEXT, (), Limits(decoded_bytes_max=10)) == Decoded(TEXT[:10], (), "length")
    assert decode(TEXT, (), Limits(decoded_bytes_max=len(TEXT))) == Decoded(TEXT)


@coders
def test_decoding_stops_at_the_deadline(name: str) -> None:
    deadline = Deadline(1.5, FixedClock(step=1.0))
    found = decode(CODERS[name](b"\0" * (60 << 20)), (name,), Limits(decoded_bytes_max=100 << 20), deadline)
    assert found.reason == "time"


def test_codings_are_read_from_all_fields_in_order() -> None:
    headers = (("Content-Encoding", "GZIP, identity"), ("X", "y"), ("content-encoding", " br ,"))
    assert content_codings(headers) == ("gzip", "br")


@pytest.mark.parametrize("size", [1, 900, 5_000, 200_000])
def test_what_stands_before_a_wrong_checksum_is_given(size: int) -> None:
    """Another program prints it, so a secret in it must be found: nothing of it was given that fitted into a step."""
    data = random.Random(size).randbytes(size)
    coded = bytearray(gzip.compress(data, mtime=0))
    coded[-6] ^= 1
    decoded = decode(bytes(coded), ("gzip",), Limits())
    assert decoded.data == data
    assert decoded.reason == "coding"
    assert decode(bytes(coded), ("gzip",), Limits(decoded_bytes_max=size // 2)).reason == "length"
