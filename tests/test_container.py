"""The container of snapshots: what is written is one form, what is read may come from anybody."""

from __future__ import annotations

import io
import random
import shutil
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from searchlog.container import form
from searchlog.container.reader import DEFLATED, STORED, ZipLimits, ZipReader
from searchlog.container.writer import Written, ZipWriter
from searchlog.digest import digest
from searchlog.errors import FormatError, IntegrityError, SearchlogError, UsageError
from tests import zips
from tests.zips import Part

GOOD = {
    "archive/data.warc": b"WARC/1.1\r\nWARC-Type: warcinfo\r\n\r\n" * 9,
    "indexes/index.cdx": b"",
    "pages/pages.jsonl": b'{"format":"json-pages-1.0"}\n',
    "datapackage.json": b'{"profile":"data-package"}',
}


def write(members: dict[str, bytes], step: int = 7) -> tuple[bytes, list[Written]]:
    """Return the file and what the writer said about each member."""
    file = io.BytesIO()
    writer = ZipWriter(file)
    told = [
        writer.add(name, (data[at : at + step] for at in range(0, len(data), step))) for name, data in members.items()
    ]
    writer.close()
    return file.getvalue(), told


def read(data: bytes) -> dict[str, bytes]:
    reader = ZipReader(io.BytesIO(data))
    return {name: reader.read(name, 1 << 30) for name in reader.members}


def drain(stream: BinaryIO, step: int) -> int:
    """Return how many bytes a stream gives."""
    return sum(map(len, iter(lambda: stream.read(step), b"")))


def parts(members: dict[str, bytes] = GOOD) -> list[Part]:
    return [Part(name.encode(), data) for name, data in members.items()]


# --- what is written


def test_a_small_file_has_these_bytes() -> None:
    data, _ = write({"a/b.txt": b"hello\n"})
    assert data.hex(" ", 1) == " ".join(
        (
            "50 4b 03 04 14 00 00 00 00 00 00 00 21 00 20 30 3a 36 06 00 00 00 06 00 00 00 07 00 00 00",
            "61 2f 62 2e 74 78 74",
            "68 65 6c 6c 6f 0a",
            "50 4b 01 02 14 03 14 00 00 00 00 00 00 00 21 00 20 30 3a 36 06 00 00 00 06 00 00 00 07 00 00 00",
            "00 00 00 00 00 00 00 00 a4 81 00 00 00 00",
            "61 2f 62 2e 74 78 74",
            "50 4b 05 06 00 00 00 00 01 00 01 00 35 00 00 00 2b 00 00 00 00 00",
        )
    )


def test_writer_tells_where_each_member_stands() -> None:
    data, told = write(GOOD)
    for member, (name, content) in zip(told, GOOD.items(), strict=True):
        assert (member.name, member.size, member.sha256) == (name, len(content), digest(content))
        assert data[member.offset : member.offset + member.size] == content


def test_chunks_do_not_show() -> None:
    assert len({write(GOOD, step)[0] for step in (1, 2, 100, 1 << 20)}) == 1


@pytest.mark.parametrize("name", ["../x", "/x", "a\\b", "a//b", "", "a\nb", "x" * 256])
def test_writer_refuses_a_name_that_the_reader_would_refuse(name: str) -> None:
    with pytest.raises(UsageError):
        ZipWriter(io.BytesIO()).add(name, [])


def test_writer_refuses_a_second_member_of_one_name() -> None:
    writer = ZipWriter(io.BytesIO())
    writer.add("a", [])
    with pytest.raises(UsageError):
        writer.add("A", [])


def test_other_programs_open_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(write({**GOOD, "caf\u00e9": b"x"})[0])
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        assert {name: file.read(name) for name in file.namelist()} == {**GOOD, "caf\u00e9": b"x"}
        assert {info.compress_type for info in file.infolist()} == {zipfile.ZIP_STORED}
        assert {info.external_attr >> 16 for info in file.infolist()} == {0o100644}
    subprocess.run([sys.executable, "-m", "zipfile", "-t", path], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("unzip") is None, reason="no unzip here")
def test_unzip_opens_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(write(GOOD)[0])
    assert b"No errors detected" in subprocess.run(["unzip", "-t", path], check=True, capture_output=True).stdout


@pytest.mark.parametrize("fits", [1, 28, 40, 200, 500])
def test_numbers_too_large_for_their_fields_stand_in_zip64_fields(monkeypatch: pytest.MonkeyPatch, fits: int) -> None:
    """The border is lowered, so that a small file has what one of more than 4 GiB would have."""
    with monkeypatch.context() as patch:
        patch.setattr(form, "FITS32", fits)
        data, told = write(GOOD)
        assert ZipReader(io.BytesIO(data)).canonical is None
    for member, content in zip(told, GOOD.values(), strict=True):
        assert data[member.offset : member.offset + member.size] == content
    assert read(data) == GOOD
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert {name: file.read(name) for name in file.namelist()} == GOOD
    # as this program writes it, a small number is in its own field
    assert ZipReader(io.BytesIO(data)).canonical is not None


def test_a_large_member_is_written_and_read_in_little_memory(tmp_path: Path) -> None:
    chunk = bytes(1 << 20)
    tracemalloc.start()
    try:
        with (tmp_path / "a.zip").open("w+b") as file:
            writer = ZipWriter(file)
            writer.add("big", (chunk for _ in range(64)))
            writer.close()
            with ZipReader(file).open("big") as stream:
                assert drain(stream, 1 << 16) == 64 << 20
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


# --- what is read


def test_members_are_as_written() -> None:
    data, told = write(GOOD)
    reader = ZipReader(io.BytesIO(data))
    assert list(reader.members) == list(GOOD)
    assert read(data) == GOOD
    assert [reader.extent(member.name) for member in told] == [(member.offset, member.size) for member in told]
    assert all(member.method == STORED for member in reader.members.values())
    assert reader.canonical is None


def test_streams_of_one_reader_can_be_read_in_turn() -> None:
    reader = ZipReader(io.BytesIO(write({"a": b"a" * 200_000, "b": b"b" * 200_000})[0]))
    with reader.open("a") as one, reader.open("b") as two:
        assert (one.read(5), two.read(5), one.read(100_000), two.read()) == (
            b"aaaaa",
            b"bbbbb",
            b"a" * 100_000,
            b"b" * 199_995,
        )


def test_a_member_larger_than_asked_for_is_not_read() -> None:
    reader = ZipReader(io.BytesIO(write({"a": b"abc"})[0]))
    assert reader.read("a", 3) == b"abc"
    with pytest.raises(FormatError) as caught:
        reader.read("a", 2)
    assert caught.value.fields["code"] == "too-large"


def test_a_member_that_is_not_there_is_named() -> None:
    with pytest.raises(FormatError, match="there is no 'b'") as caught:
        ZipReader(io.BytesIO(write({"a": b"abc"})[0])).open("b")
    assert caught.value.fields["code"] == "missing"


@pytest.mark.parametrize(("streamed", "large"), [(False, False), (True, False), (False, True), (True, True)], ids=str)
def test_files_of_the_standard_library_open(streamed: bool, large: bool) -> None:
    data = zips.by_stdlib(parts(), streamed=streamed, large=large)
    reader = ZipReader(io.BytesIO(data))
    assert {name: reader.read(name, 1 << 20) for name in reader.members} == GOOD
    assert reader.canonical is not None
    assert reader.members["pages/pages.jsonl"].method == DEFLATED
    with pytest.raises(FormatError) as caught:
        reader.extent("pages/pages.jsonl")
    assert caught.value.fields["code"] == "method"


@pytest.mark.skipif(shutil.which("zip") is None, reason="no zip here")
def test_files_of_zip_open(tmp_path: Path) -> None:
    for name, data in GOOD.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    subprocess.run(["zip", "-q", "-r", "a.zip", *GOOD, "archive"], cwd=tmp_path, check=True)
    assert read((tmp_path / "a.zip").read_bytes()) == GOOD
    piped = subprocess.run(["zip", "-q", "-r", "-", *GOOD], cwd=tmp_path, check=True, capture_output=True).stdout
    assert read(piped) == GOOD


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda good: [Part(b"archive/", mode=zips.FOLDER), *good], "folder"),
        (lambda good: [Part(b"a", b"x" * 99, method=8), *good], "compressed"),
        (lambda good: [Part(b"a", made_by=0x031E), *good], "entry of 'a'"),
        (lambda good: [Part(b"a", mode=0o100600), *good], "entry of 'a'"),
        (lambda good: [Part(b"a", mode=0), *good], "entry of 'a'"),
        (lambda good: [Part(b"a", extra=b"UT\1\0\0"), *good], "entry of 'a'"),
        (lambda good: [Part(b"a", local_extra=b"UT\1\0\0"), *good], "header before the data of 'a'"),
        (lambda good: [Part(b"a", flags=0x800), *good], "header before the data of 'a'"),
    ],
)
def test_sound_files_of_another_form_are_told_from_ours(change: object, says: str) -> None:
    reader = ZipReader(io.BytesIO(zips.build(change(parts()))))  # type: ignore[operator]
    assert set(GOOD) <= reader.members.keys()
    assert reader.canonical is not None
    assert says in reader.canonical


def test_the_builder_of_the_tests_makes_our_form() -> None:
    assert zips.build(parts()) == write(GOOD)[0]


# --- what is refused


@pytest.mark.parametrize("name", zips.DEFECTS)
def test_defect_is_refused_when_the_file_is_opened(name: str) -> None:
    defect = zips.DEFECTS[name]
    data = defect.make(parts())
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            ZipReader(io.BytesIO(data))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert caught.value.fields["code"] == defect.code
    assert_sayable(caught.value)


@pytest.mark.parametrize("name", zips.BAD_DATA)
def test_bad_data_is_found_when_it_is_read(name: str) -> None:
    code, part = zips.BAD_DATA[name]
    data = zips.build([*parts(), part])
    reader = ZipReader(io.BytesIO(data))
    tracemalloc.start()
    try:
        with pytest.raises((FormatError, IntegrityError)) as caught:
            reader.read(part.name.decode(), 1 << 30)
        with reader.open(part.name.decode()) as stream, pytest.raises((FormatError, IntegrityError)):
            drain(stream, 100)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
    assert caught.value.fields["code"] == code
    assert read(zips.build(parts())) == GOOD


def test_many_deflated_members_are_bounded_together() -> None:
    data = zips.build(Part(b"%d" % number, b"x" * 1000, method=8) for number in range(10))
    assert len(read(data)) == 10
    with pytest.raises(FormatError) as caught:
        ZipReader(io.BytesIO(data), ZipLimits(inflated_bytes_max=9_999))
    assert caught.value.fields["code"] == "too-large"


def test_a_directory_larger_than_allowed_is_not_read() -> None:
    with pytest.raises(FormatError) as caught:
        ZipReader(io.BytesIO(zips.build(parts())), ZipLimits(directory_bytes_max=100))
    assert caught.value.fields["code"] == "too-large"


def test_ten_thousand_members_open() -> None:
    data = zips.build(Part(b"x/%d" % number, b"x") for number in range(10_000))
    assert len(ZipReader(io.BytesIO(data)).members) == 10_000


# --- properties


NAMES = st.from_regex(r"[a-z0-9]{1,3}(/[-a-z0-9._]{0,3}[a-z]){0,2}", fullmatch=True)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(NAMES, st.binary(max_size=100), max_size=6))
def test_round_trip(members: dict[str, bytes]) -> None:
    if any(name.startswith(other + "/") for name in members for other in members):
        return
    data, _ = write(members)
    assert read(data) == members
    assert ZipReader(io.BytesIO(data)).canonical is None


REFUSALS = {
    *("not-a-zip", "cut", "comment", "bytes-outside", "directory", "too-many-members", "too-large"),
    *("name-unsafe", "name-twice", "names-collide", "not-a-file", "encrypted", "method", "flags", "version", "extra"),
    *("overlap", "headers-differ"),
}


def outcome(data: bytes) -> str:
    """Return the code of the error that these bytes give, or `ours` or `another form` with the content of GOOD."""
    try:
        reader = ZipReader(io.BytesIO(data))
        content = [reader.read(name, 1 << 20) for name in reader.members]
    except SearchlogError as error:
        assert_sayable(error)
        return str(error.fields["code"])
    assert content == list(GOOD.values())
    return "ours" if reader.canonical is None else "another form"


def assert_sayable(error: SearchlogError) -> None:
    assert isinstance(error, FormatError | IntegrityError)
    assert str(error).isprintable()
    assert len(str(error)) < 300


def test_every_cut_is_refused() -> None:
    for data in (write(GOOD)[0], zips.by_stdlib(parts()), zips.by_stdlib(parts(), streamed=True)):
        for size in range(len(data)):
            with pytest.raises(FormatError):
                read(data[:size])


def test_every_changed_bit_of_ours_is_found() -> None:
    """In data by its checksum; everywhere else because the file is refused, or is no longer in our form."""
    data, told = write(GOOD)
    held = {at for member in told for at in range(member.offset, member.offset + member.size)}
    for bit in range(len(data) * 8):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        found = outcome(bytes(changed))
        if bit // 8 in held:
            assert found == "crc"
        else:
            # a checksum is in both headers and must be the same; the sizes likewise
            assert found == "another form" or found in REFUSALS


@pytest.mark.parametrize("streamed", [False, True])
def test_a_changed_bit_of_a_foreign_file_never_changes_data_unseen(streamed: bool) -> None:
    data = zips.by_stdlib(parts(), streamed=streamed, large=True)
    for bit in range(len(data) * 8):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            content = read(bytes(changed))
        except SearchlogError:
            continue
        assert sorted(content.values()) == sorted(GOOD.values()), bit


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=300), st.integers(0, 3), st.data())
@example(b"PK\5\6" + bytes(18), 0, None)
def test_any_bytes_are_read_or_refused(noise: bytes, base: int, data: st.DataObject | None) -> None:
    """Bytes by themselves, or written over part of a sound file."""
    file = noise
    if base and data is not None:
        sound = [zips.build(parts()), zips.by_stdlib(parts()), zips.by_stdlib(parts(), streamed=True)][base - 1]
        at = data.draw(st.integers(0, len(sound)))
        file = sound[:at] + noise[:20] + sound[at + len(noise[:20]) :]
    try:
        read(file)
    except SearchlogError as error:
        assert_sayable(error)


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with a few of them changed, taken away or repeated."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at, size = chance.randrange(len(out)), chance.choice([1, 4, 12, 20, 56])
        match chance.randrange(5):
            case 0 | 1:
                out[at] ^= 1 << chance.randrange(8)
            case 2:
                out[at : at + 4] = chance.choice([b"\xff" * 4, bytes(4), b"PK\3\4", b"PK\1\2", b"PK\5\6"])
            case 3:
                del out[at : at + size]
            case 4:
                out[at:at] = out[chance.randrange(len(out)) :][:size]
    return bytes(out)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_opens_is_what_the_standard_library_sees() -> None:
    """Two readers that see different files in one are how a stranger would show us one thing and others another."""
    chance, opened = random.Random(20260102), 0
    sound = [
        write(GOOD)[0],
        *(zips.by_stdlib(parts(), streamed=a, large=b) for a in (False, True) for b in (False, True)),
    ]
    for _ in range(6_000):
        data = changed(chance.choice(sound), chance)
        try:
            content = read(data)
        except SearchlogError:
            continue
        opened += 1
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            assert content == {info.filename: file.read(info) for info in file.infolist() if not info.is_dir()}
    assert opened > 50


def test_inflating_stops_at_the_declared_size() -> None:
    """No more than a step is inflated beyond what is asked for: a bomb that lies costs nothing."""
    raw, crc, _ = zips.bomb(64)
    reader = ZipReader(io.BytesIO(zips.build([Part(b"x", method=8, raw=raw, crc=crc, size=15 << 20)])))
    tracemalloc.start()
    try:
        with reader.open("x") as stream, pytest.raises(FormatError) as caught:
            drain(stream, 1 << 16)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
    assert caught.value.fields["code"] == "too-large"
