"""The pool and its workers: one hostile page costs one result."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from searchlog.errors import FormatError, UsageError
from searchlog.extract import frames
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.pool import ExtractPool, InProcess

OPTIONS = ConvertOptions()
URL = "https://x.example/"
# comments hide the end tags from the count that would send this page down the linear path at once
BOMB = ("<p>SEEN" + "".join(f"<font color=c{i}><!--</font>-->" for i in range(3000)) + "</p><p>x" * 20_000).encode()

# quoted marks hide how many attributes there are; comparing each with all takes a time that grows with their square
SLOW = ("<p>SEEN<p " + " ".join(f'a{i}="> <"' for i in range(150_000)) + ">x</p>").encode()


@pytest.fixture(scope="module")
def pool() -> Iterator[ExtractPool]:
    with ExtractPool(workers=2, time_s=1.5) as pool:
        pool.warm()
        yield pool


def text(result: Conversion | ConversionFailure) -> str:
    assert isinstance(result, Conversion), result
    return result.text


def test_worker_gives_what_convert_gives(pool: ExtractPool) -> None:
    pages = [
        ("<title>T</title><p>x <b>y</b> é 中 👩‍👧</p><p hidden>z".encode(), "text/html; charset=utf-8"),
        ("中文".encode("gb18030"), "text/plain; charset=gb2312"),
        (b"PK\x03\x04", None),
        (b"", None),
    ]
    for data, content_type in pages:
        assert pool.convert(data, content_type, URL, OPTIONS) == convert(data, content_type=content_type, url=URL)
        assert InProcess().convert(data, content_type, URL, OPTIONS) == convert(
            data, content_type=content_type, url=URL
        )


def test_many_threads_get_each_their_own_page(pool: ExtractPool) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda i: text(pool.convert(f"<p>page {i}".encode(), None, URL, OPTIONS)), range(60))
        assert list(found) == [f"page {i}" for i in range(60)]


def test_bomb_is_killed_and_the_other_pages_are_unharmed(pool: ExtractPool) -> None:
    with ThreadPoolExecutor(3) as threads:
        bomb = threads.submit(pool.convert, BOMB, "text/html", URL, OPTIONS)
        others = [threads.submit(pool.convert, b"<p>fine", None, URL, OPTIONS) for _ in range(6)]
        assert {text(other.result()) for other in others} == {"fine"}
        result = bomb.result()
    assert text(result).startswith("SEEN\nx\nx")
    assert isinstance(result, Conversion)
    assert set(result.warnings) & {"extract-timeout", "extract-failed"}
    assert result.converter == "html-linear/3"
    assert text(pool.convert(b"<p>after", None, URL, OPTIONS)) == "after"


def test_without_the_fallback_a_late_page_is_a_timeout() -> None:
    with ExtractPool(workers=1, time_s=0.3, linear_fallback=False) as pool:
        begin = time.monotonic()
        result = pool.convert(SLOW, "text/html", URL, OPTIONS)
        assert isinstance(result, ConversionFailure)
        assert (result.reason, result.media_type) == ("timeout", "text/html")
        assert time.monotonic() - begin < 5
        assert text(pool.convert(b"<p>next", None, URL, OPTIONS)) == "next"


@pytest.mark.skipif(sys.platform != "linux", reason="the address-space limit is Linux's")
def test_page_beyond_the_memory_cap_is_a_memory_failure() -> None:
    with ExtractPool(workers=1, time_s=20, memory_bytes=100 << 20, linear_fallback=False) as pool:
        result = pool.convert(BOMB, "text/html", URL, OPTIONS)
        assert isinstance(result, ConversionFailure)
        assert result.reason == "memory"
        assert text(pool.convert(b"<p>next", None, URL, OPTIONS)) == "next"


def test_callers_deadline_is_kept_even_for_a_bomb(pool: ExtractPool) -> None:
    begin = time.monotonic()
    result = pool.convert(SLOW, "text/html", URL, OPTIONS, deadline_s=0.5)
    assert time.monotonic() - begin < 2
    if isinstance(result, ConversionFailure):
        assert result.reason == "timeout"


def test_no_free_worker_is_a_timeout_and_closing_ends_the_page_under_way() -> None:
    with ExtractPool(workers=1, time_s=2) as pool:
        with ThreadPoolExecutor(1) as threads:
            bomb = threads.submit(pool.convert, SLOW, "text/html", URL, OPTIONS)
            time.sleep(0.3)
            result = pool.convert(b"<p>x", None, URL, OPTIONS, deadline_s=0.1)
            assert isinstance(result, ConversionFailure)
            assert (result.reason, "free" in result.detail) == ("timeout", True)
            pool.close()
            cut = bomb.result()
        assert isinstance(cut, ConversionFailure)
        assert cut.reason == "crash"


def test_dead_worker_is_replaced(pool: ExtractPool) -> None:
    for worker in list(pool._alive):
        worker._process.kill()
        worker._process.wait()
    assert text(pool.convert(b"<p>again", None, URL, OPTIONS)) == "again"


def test_worker_that_dies_during_a_page_is_a_crash() -> None:
    with ExtractPool(workers=1, linear_fallback=False, time_s=10) as pool:
        assert text(pool.convert(b"<p>x", None, URL, OPTIONS)) == "x"
        (worker,) = pool._alive
        threading.Timer(0.3, worker._process.terminate).start()
        result = pool.convert(SLOW, "text/html", URL, OPTIONS)
        assert isinstance(result, ConversionFailure)
        assert result.reason == "crash"


def test_closed_pool_refuses_and_leaves_no_process() -> None:
    pool = ExtractPool(workers=2)
    pool.warm()
    processes = [worker._process for worker in pool._alive]
    assert len(processes) == 2
    pool.close()
    pool.close()
    assert all(process.returncode is not None for process in processes)
    with pytest.raises(UsageError):
        pool.convert(b"<p>x", None, URL, OPTIONS)


def test_worker_inherits_no_keys_and_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCHLOG_BRAVE_API_KEY", "sk-secret")
    with ExtractPool(workers=1) as pool:
        assert text(pool.convert(b"<p>x", None, URL, OPTIONS)) == "x"
        (worker,) = pool._alive
        environ = f"/proc/{worker._process.pid}/environ"
        if os.path.exists(environ):
            with open(environ, "rb") as file:
                assert b"sk-secret" not in file.read()


def test_deadline_already_past_costs_no_waiting(pool: ExtractPool) -> None:
    begin = time.monotonic()
    result = pool.convert(b"<p>x", None, URL, OPTIONS, deadline_s=0.0)
    assert isinstance(result, ConversionFailure)
    assert result.reason == "timeout"
    assert time.monotonic() - begin < 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a parent that is killed")
def test_workers_end_with_their_parent() -> None:
    code = (
        "import os; from searchlog.extract.pool import ExtractPool\n"
        "from searchlog.extract.convert import ConvertOptions\n"
        "pool = ExtractPool(workers=1); pool.convert(b'<p>x', None, 'https://x.example/', ConvertOptions())\n"
        "print(*[w._process.pid for w in pool._alive], flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    break
        except (ProcessLookupError, FileNotFoundError):
            break
        time.sleep(0.05)
    else:
        pytest.fail("the worker outlived its parent")


def test_a_worker_imports_only_what_its_page_needs() -> None:
    code = (
        "import sys; import searchlog.extract.worker\n"
        "heavy = ('selectolax', 'trafilatura', 'asyncio', 'multiprocessing', 'pypdfium2')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_messages_are_read_back_and_bounded() -> None:
    result = convert("<p>\ufffd 中\n<p>b".encode(), content_type="text/html; charset=utf-8", url=URL)
    stream = b"".join((*frames.response(result), *frames.request(b"data", None, URL, OPTIONS)))
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        at += count
        return stream[at - count : at]

    first, second = frames.read(take), frames.read(take)
    assert first is not None
    assert second is not None
    assert frames.result_of(*first) == result
    assert frames.request_of(second[0]) == (None, URL, OPTIONS)
    assert frames.read(take) is None
    with pytest.raises(FormatError):
        frames.lengths(b"\xff" * 12)


def test_cut_or_garbled_message_is_no_result() -> None:
    whole = b"".join(frames.response(convert(b"<p>x", content_type=None, url=URL)))
    for end in range(0, len(whole), 7):
        stream = iter([whole[:end]])
        rest = [next(stream)]

        def take(count: int, rest: list[bytes] = rest) -> bytes:
            out, rest[0] = rest[0][:count], rest[0][count:]
            return out

        assert frames.read(take) is None
    garbled = (2).to_bytes(4, "big") + (0).to_bytes(8, "big") + b"{]"
    parts = [garbled]

    def take_garbled(count: int) -> bytes:
        out, parts[0] = parts[0][:count], parts[0][count:]
        return out

    with pytest.raises(FormatError):
        frames.read(take_garbled)
    for head in ({}, {"failure": {"odd": 1}}, {"conversion": {}}, {"ready": 1}):
        with pytest.raises(FormatError):
            frames.result_of(head, b"")


def test_unknown_choice_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        ConvertOptions(labels="magic")
    with pytest.raises(UsageError):
        ConvertOptions(dates="magic")


@pytest.mark.parametrize("head", [b"[" * 100_000, b'{"a":' * 100_000])
def test_worker_that_answers_in_nested_json_has_crashed(head: bytes) -> None:
    """JSON nested by a worker that a page took over raised RecursionError in the parent."""
    message = len(head).to_bytes(4, "big") + (0).to_bytes(8, "big") + head
    with pytest.raises(FormatError):
        frames.read(io.BytesIO(message).read)
    with pytest.raises(FormatError):
        frames.result_of({"structure_bytes": len(head)}, head)
