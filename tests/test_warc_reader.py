"""WARC files of strangers: what is sound is given exactly, what is not is told, and nothing else happens."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from searchlog.webarchive.warc_reader import WarcFault, WarcLimits, WarcRecord, read_warc
from tests.warcs import DATE, Built, chunked, html, http, packed, page, plain, record, request, response, revisit, sha1

URL = "https://site.example/a"
PAGES = [
    record("warcinfo", b"software: tests\r\n", content_type="application/warc-fields"),
    page(URL, "The tide mill stores the flood in a pond."),
    request(URL),
    page("https://site.example/b", "A sluice gate is hung so that the ebb closes it."),
]


def read(data: bytes, limits: WarcLimits = WarcLimits()) -> tuple[list[WarcRecord], list[WarcFault]]:
    items = list(read_warc(io.BytesIO(data), limits))
    return [i for i in items if isinstance(i, WarcRecord)], [i for i in items if isinstance(i, WarcFault)]


def codes(data: bytes, limits: WarcLimits = WarcLimits()) -> list[str]:
    return [fault.code for fault in read(data, limits)[1]]


# --- what is sound


def test_records_are_given_with_their_exact_places() -> None:
    data = plain(PAGES)
    records, faults = read(data)
    assert faults == []
    for found, built in zip(records, PAGES, strict=True):
        assert data[found.offset : found.offset + found.length] == built.bytes
        block_at = found.offset + found.head_length
        assert data[block_at : block_at + len(found.block)] == found.block == built.block
        assert found.fields[:-1] == built.fields
        assert f"<{found.id}>" == built.id
    assert [(item.type, item.version, item.date) for item in records[:2]] == [
        ("warcinfo", "1.1", DATE),
        ("response", "1.1", DATE),
    ]
    assert [item.uri for item in records] == [None, URL, URL, "https://site.example/b"]
    assert records[1].digests_checked == ("WARC-Block-Digest", "WARC-Payload-Digest")


def test_records_of_a_packed_file_have_the_places_of_their_members() -> None:
    data = packed(PAGES)
    records, faults = read(data)
    assert faults == []
    for found, built in zip(records, PAGES, strict=True):
        assert gzip.decompress(data[found.offset : found.offset + found.length]) == built.bytes
        assert found.head_length == len(built.head)
        assert found.block == built.block


def test_files_without_digests_are_read_and_say_so() -> None:
    records, faults = read(record("resource", b"x", "urn:a:b", digests=False).bytes)
    assert faults == []
    assert records[0].digests_checked == ()


def test_fields_are_found_in_any_case_and_repeats_are_kept() -> None:
    built = request(URL).with_field("WARC-Concurrent-To", "<urn:a:1>", "<urn:a:2>").with_field("X-Odd", "größer")
    (found,), faults = read(built.bytes)
    assert faults == []
    assert found.all("warc-concurrent-to") == ["<urn:a:1>", "<urn:a:2>"]
    assert found.field("x-odd") == "größer"
    assert found.field("X-Missing") is None


def test_a_folded_value_is_one_value() -> None:
    (found,), faults = read(request(URL).with_field("X-Long", "one\r\n\ttwo").bytes)
    assert faults == []
    assert found.field("X-Long") == "one two"


def test_brackets_round_the_target_uri_are_those_of_version_1_0() -> None:
    """Wget writes them, since the grammar of version 1.0 had them."""
    built = page(URL, "x").with_field("WARC-Target-URI", f"<{URL}>")
    (found,), faults = read(replace(built, version="1.0").bytes)
    assert (found.uri, faults) == (URL, [])
    assert codes(built.bytes) == ["field"]


@pytest.mark.parametrize("date", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.123456789Z"])
def test_dates_of_both_versions_are_read(date: str) -> None:
    assert read(page(URL, "x", date=date).bytes)[0][0].date == date


def _said(algorithm: str, encode: Callable[[bytes], str], data: bytes) -> str:
    return f"{algorithm}:{encode(hashlib.new(algorithm.replace('-', ''), data).digest())}"


_ENCODINGS: dict[str, Callable[[bytes], str]] = {
    "hex": bytes.hex,
    "HEX": lambda raw: raw.hex().upper(),
    "base32": lambda raw: base64.b32encode(raw).decode(),
    "base32-small": lambda raw: base64.b32encode(raw).decode().lower(),
    "base32-bare": lambda raw: base64.b32encode(raw).decode().rstrip("="),
    "base64": lambda raw: base64.b64encode(raw).decode(),
    "base64-bare": lambda raw: base64.b64encode(raw).decode().rstrip("="),
}


@pytest.mark.parametrize("encoding", _ENCODINGS)
@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha-256", "sha512"])
def test_digests_are_compared_however_they_are_written(algorithm: str, encoding: str) -> None:
    block = http(html("Tide mill"))
    built = response(URL, block).with_field("WARC-Payload-Digest")
    sound = built.with_field("WARC-Block-Digest", _said(algorithm, _ENCODINGS[encoding], block))
    assert read(sound.bytes)[0][0].digests_checked == ("WARC-Block-Digest",)
    wrong = built.with_field("WARC-Block-Digest", _said(algorithm, _ENCODINGS[encoding], block + b"x"))
    assert codes(wrong.bytes) == ["digest"]


def test_a_digest_of_an_unknown_algorithm_is_left_aside_and_one_that_is_none_is_told() -> None:
    built = record("resource", b"x", "urn:a:b")
    assert read(built.with_field("WARC-Block-Digest", "blake9:abcd").bytes)[0][0].digests_checked == ()
    for value in ("sha1:", "sha1:xyz", "nothing", f"sha1:{'1' * 32}", "sha1:" + "é" * 32):
        assert codes(built.with_field("WARC-Block-Digest", value).bytes) == ["digest"]


def test_the_payload_digest_of_a_chunked_response_is_taken_both_ways() -> None:
    """By the standard it is that of the body without its chunks; other tools write, and accept, that with them."""
    body = html("Tide mill")
    block = http(chunked(body), "Transfer-Encoding: chunked", length=False)
    built = response(URL, block)
    for payload in (body, chunked(body)):
        found = read(built.with_field("WARC-Payload-Digest", sha1(payload)).bytes)[0][0]
        assert "WARC-Payload-Digest" in found.digests_checked
    assert codes(built.with_field("WARC-Payload-Digest", sha1(body[1:])).bytes) == ["digest"]


def test_the_payload_digest_of_a_revisit_is_not_that_of_its_block() -> None:
    first = page(URL, "Tide mill")
    (found,), faults = read(revisit(first, http(status="200 OK"), URL, "id", "digest").bytes)
    assert (found.digests_checked, faults) == (("WARC-Block-Digest",), [])


def test_small_reads_make_no_difference() -> None:
    class Dripping(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(7, size if size is not None and size >= 0 else 7))

    for data in (plain(PAGES), packed(PAGES)):
        assert list(read_warc(Dripping(data))) == list(read_warc(io.BytesIO(data)))


# --- what is not


def _sound() -> Built:
    return page(URL, "The tide mill stores the flood in a pond.")


_DEFECTS: dict[str, tuple[Built, str]] = {
    "block-changed": (_sound().with_block(_sound().block[:-4] + b"wxyz"), "digest"),
    "block-digest-changed": (_sound().with_field("WARC-Block-Digest", sha1(b"x")), "digest"),
    "payload-digest-changed": (_sound().with_field("WARC-Payload-Digest", sha1(b"x")), "digest"),
    "version-unknown": (replace(_sound(), version="9.9"), "version"),
    "version-old": (replace(_sound(), version="0.18"), "version"),
    "type-gone": (_sound().with_field("WARC-Type"), "field"),
    "type-no-word": (_sound().with_field("WARC-Type", "two words"), "field"),
    "id-gone": (_sound().with_field("WARC-Record-ID"), "field"),
    "id-empty": (_sound().with_field("WARC-Record-ID", ""), "field"),
    "id-bare": (_sound().with_field("WARC-Record-ID", "urn:a:b"), "field"),
    "id-no-uri": (_sound().with_field("WARC-Record-ID", "<two words>"), "field"),
    "date-gone": (_sound().with_field("WARC-Date"), "field"),
    "date-junk": (_sound().with_field("WARC-Date", "yesterday"), "field"),
    "date-no-day": (_sound().with_field("WARC-Date", "2026-02-30T00:00:00Z"), "field"),
    "date-zone": (_sound().with_field("WARC-Date", "2026-01-01T00:00:00+02:00"), "field"),
    "date-ten-digits": (_sound().with_field("WARC-Date", "2026-01-01T00:00:00.0123456789Z"), "field"),
    "uri-gone": (_sound().with_field("WARC-Target-URI"), "field"),
    "uri-of-warcinfo": (PAGES[0].with_field("WARC-Target-URI", URL), "field"),
    "profile-gone": (revisit(_sound(), b"", URL).with_field("WARC-Profile"), "field"),
    "field-twice": (_sound().with_field("WARC-Date", DATE, DATE), "field"),
    "field-twice-other-case": (_sound().with_field("warc-date", DATE), "field"),
    "line-no-field": (_sound().with_field("no colon\r\nX", "y"), "header"),
    "name-no-token": (_sound().with_field("two words", "y"), "header"),
    "escape-code": (_sound().with_field("X-Odd", "\x1b[2J"), "header"),
    "line-feed-in-line": (_sound().with_field("X-Odd", "one\ntwo: three"), "header"),
}


@pytest.mark.parametrize("pack", [plain, packed], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", _DEFECTS)
def test_a_record_with_a_defect_is_told_and_the_others_are_given(
    name: str, pack: Callable[[list[Built]], bytes]
) -> None:
    bad, code = _DEFECTS[name]
    records, faults = read(pack([PAGES[1], bad, PAGES[3]]))
    assert [item.block for item in records] == [PAGES[1].block, PAGES[3].block]
    assert [fault.code for fault in faults] == [code]
    assert faults[0].offset == len(pack([PAGES[1]]))
    assert all(char.isprintable() for char in faults[0].message)


_LOST: dict[str, tuple[Built, str]] = {
    "length-too-small": (_sound().with_field("Content-Length", str(len(_sound().block) - 10)), "closing"),
    "length-negative": (_sound().with_field("Content-Length", "-5"), "length"),
    "length-vast": (_sound().with_field("Content-Length", "1" + "0" * 30), "length"),
    "length-wide-digits": (_sound().with_field("Content-Length", "１２"), "length"),
    "length-twice": (_sound().with_field("Content-Length", "1", "2"), "length"),
    "header-long": (_sound().with_field("X-Long", "h" * 70_000), "header"),
    "header-many": (_sound().with_field("X-Many", *["y"] * 600), "header"),
    "junk-after": (replace(_sound(), closing=b"\r\n\r\n" + b"\0JUNK" * 20), "junk"),
    "closing-gone": (replace(_sound(), closing=b""), "closing"),
}


@pytest.mark.parametrize("name", _LOST)
def test_reading_stops_where_nobody_knows_where_the_next_record_begins(name: str) -> None:
    bad, code = _LOST[name]
    records, faults = read(plain([PAGES[1], bad, PAGES[3]]))
    assert records[0].block == PAGES[1].block
    assert len(records) == (2 if name == "junk-after" else 1)
    assert [fault.code for fault in faults] == [code, "rest-not-read"]


@pytest.mark.parametrize("name", [name for name in _LOST if name != "junk-after"])
def test_the_next_gzip_member_is_certain_whatever_is_in_this_one(name: str) -> None:
    records, faults = read(packed([PAGES[1], _LOST[name][0], PAGES[3]]))
    assert [item.block for item in records] == [PAGES[1].block, PAGES[3].block]
    assert faults[0].offset == len(packed([PAGES[1]]))
    assert all(fault.offset == faults[0].offset for fault in faults)


def test_a_length_beyond_the_file_is_a_cut_record() -> None:
    bad = _sound().with_field("Content-Length", "1000000")
    assert codes(plain([PAGES[1], bad, PAGES[3]])) == ["cut"]
    records, faults = read(packed([PAGES[1], bad, PAGES[3]]))
    assert (len(records), [fault.code for fault in faults]) == (2, ["cut"])


def test_empty_lines_between_records_are_told_and_passed_over() -> None:
    records, faults = read(PAGES[1].bytes + b"\r\n\r\n" + PAGES[3].bytes)
    assert (len(records), [fault.code for fault in faults]) == (2, ["junk"])


@pytest.mark.parametrize(
    ("data", "first"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html>", "junk"),
        (b"WAR", "cut"),
        (b"WARC/1.1", "cut"),
        (b"WARC/1.1\r\n\r\n", "length"),
        (b"WARC/1.1\nWARC-Type: x\n\n", "header"),
        (b"\x28\xb5\x2f\xfd zstd", "junk"),
        (b"\x1f", "junk"),
        (b"\x1f\x8b", "cut"),
        (b"\x1f\x8bJUNKJUNKJUNK", "gzip"),
        (gzip.compress(b"", mtime=0), "empty"),
        (gzip.compress(b"<!DOCTYPE html>", mtime=0), "junk"),
        (b"\r\n" * 1_000, "junk"),
    ],
    ids=["nothing", "html", "begun", "version-only", "no-fields", "bare-lines", "zstd", "one-byte", "two-bytes",
         "bad-member", "empty-member", "packed-html", "empty-lines"],
)  # fmt: skip
def test_what_is_no_warc_file_is_told(data: bytes, first: str) -> None:
    records, faults = read(data)
    assert records == []
    assert faults[0].code == first


def test_a_block_longer_than_allowed_is_passed_over_without_being_held() -> None:
    class Long(io.RawIOBase):
        """A record of 200 MB that exists only as it is read, and one after it."""

        def __init__(self) -> None:
            big = replace(_sound(), block=b"").with_field("Content-Length", "200000000")
            self.parts = [big.head, *[b"\0" * 1_000_000] * 200, b"\r\n\r\n", PAGES[3].bytes]

        def read(self, size: int | None = -1) -> bytes:
            return self.parts.pop(0) if self.parts else b""

    tracemalloc.start()
    try:
        items = list(read_warc(Long()))  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [item.code if isinstance(item, WarcFault) else item.type for item in items] == ["too-long", "response"]
    assert peak < 10_000_000


def test_the_whole_file_and_the_number_of_records_are_bounded() -> None:
    data = plain(PAGES)
    assert codes(data, WarcLimits(total_bytes_max=1_000)) == ["limit", "rest-not-read"]
    assert codes(packed(PAGES), WarcLimits(total_bytes_max=100)) == ["limit", "rest-not-read"]
    records, faults = read(data, WarcLimits(items_max=2))
    assert (len(records), [fault.code for fault in faults]) == (2, ["limit", "rest-not-read"])


# --- gzip


def _bomb(size: int) -> bytes:
    """Return a member of one record that inflates to so many megabytes."""
    head = replace(_sound(), block=b"").with_field("Content-Length", str(size << 20)).head
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = [packer.compress(head)]
    out += [packer.compress(b"\0" * (1 << 20)) for _ in range(size)]
    return b"".join([*out, packer.compress(b"\r\n\r\n"), packer.flush()])


def test_a_gzip_bomb_is_stopped_and_what_stood_before_it_is_given() -> None:
    limits = WarcLimits(inflated_free=8 << 20)
    records, faults = read(packed(PAGES) + _bomb(32), limits)
    assert len(records) == len(PAGES)
    assert [fault.code for fault in faults] == ["limit", "rest-not-read"]
    assert codes(_bomb(100)) == ["too-long"]  # within what a file may inflate to, and passed over


@pytest.mark.parametrize("at", [-1, -5, -8])
def test_a_member_whose_checksum_or_length_is_wrong_gives_no_record(at: int) -> None:
    data = bytearray(packed(PAGES[:2]))
    data[at] ^= 1
    records, faults = read(bytes(data))
    assert len(records) == 1
    assert faults[0].code == "gzip"


def test_a_member_that_is_cut_gives_no_record() -> None:
    records, faults = read(packed(PAGES)[:-15])
    assert (len(records), [fault.code for fault in faults]) == (3, ["cut"])


def test_bytes_after_the_last_member_are_told() -> None:
    records, faults = read(packed(PAGES) + b"trailing junk")
    assert (len(records), [fault.code for fault in faults]) == (4, ["junk", "rest-not-read"])


def test_records_that_share_a_member_are_given_when_their_own_digests_vouch_for_them() -> None:
    """The checksum of the member comes after all of them, too late for the first."""
    bare = record("resource", b"x", "urn:a:b", digests=False)
    records, faults = read(gzip.compress(plain([PAGES[1], bare, PAGES[3]])))
    assert [item.block for item in records] == [PAGES[1].block, PAGES[3].block]
    assert [item.length for item in records] == [0, 0]
    assert [fault.code for fault in faults] == ["shared-member", "shared-member"]


def test_many_tiny_members_are_read_in_one_go() -> None:
    """Each was cut out of a copy of what followed it: a quadratic amount of work."""
    data = gzip.compress(b"") * 20_000 + packed(PAGES)
    records, faults = read(data)
    assert (len(records), len(faults)) == (4, 20_000)


# --- whatever comes

_FILES = {"plain": plain(PAGES), "gzip": packed(PAGES)}
_BLOCKS = {item.block for item in PAGES}


@pytest.mark.parametrize("name", _FILES)
@given(st.data())
@settings(deadline=None, max_examples=150)
def test_any_cut_gives_whole_records_and_says_so(name: str, data: st.DataObject) -> None:
    whole = _FILES[name]
    at = data.draw(st.integers(0, len(whole) - 1))
    records, faults = read(whole[:at])
    assert {item.block for item in records} <= _BLOCKS
    ends = {0}
    for found in read(whole)[0]:
        ends.add(found.offset + found.length)
    assert bool(faults) == (at not in ends or at == 0)


@pytest.mark.parametrize("name", _FILES)
@given(st.data())
@settings(deadline=None, max_examples=300)
def test_no_bit_flip_gives_a_record_that_its_digest_does_not_fit(name: str, data: st.DataObject) -> None:
    whole = bytearray(_FILES[name])
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= 1 << data.draw(st.integers(0, 7))
    records, _ = read(bytes(whole))
    for found in records:
        said = found.field("WARC-Block-Digest")
        if said is not None and "WARC-Block-Digest" in found.digests_checked:
            assert base64.b32decode(said.partition(":")[2].upper()) == hashlib.sha1(found.block).digest()
        if name == "gzip":  # all of it is under the checksum, the header too
            assert found.block in _BLOCKS
            assert any(found.fields[:-1] == item.fields for item in PAGES)


@given(st.binary(max_size=400))
@example(b"WARC/1.1\r\n" + b"A:\r\n" * 90 + b"\r\n")
@settings(deadline=None, max_examples=200)
def test_any_bytes_at_all_are_read_to_their_end(data: bytes) -> None:
    for start in (b"", b"WARC/1.1\r\n", PAGES[1].bytes, b"\x1f\x8b\x08\0\0\0\0\0\0\x03"):
        assert len(list(read_warc(io.BytesIO(start + data)))) < 500
