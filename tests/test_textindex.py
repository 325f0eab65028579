"""The full-text index of stored pages, and the two providers over it."""

from __future__ import annotations

import sqlite3
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.digest import Digest, digest
from searchlog.errors import IntegrityError, StoreError
from searchlog.flow.indexing import index_captures
from searchlog.ledger import Draft
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.log.envelope import decode, encode
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.tree import Frontier
from searchlog.records import BlobRef, Conversion
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.site import Site
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from searchlog.search.snippet import best_window
from searchlog.search.textindex import Document, TextIndex
from tests.specimens import URL, specimen_session

OLD, NEW = "2026-01-01T00:00:00.000000Z", "2026-02-01T00:00:00.000000Z"


def page(url: str, text: str, title: str = "", at: str = OLD, session: str = "s1", seq: int = 1) -> Document:
    return Document(url, title, text, at, session, seq)


def urls(index: TextIndex, query: str, **options: str) -> list[str]:
    return [hit.document.url for hit in index.search(query, 20, **options)]


LANGUAGES = {
    "zh": ("潮汐由月球和太阳的引力引起。潮汐表给出高潮和低潮时间。", "潮汐表", "京都"),
    "ja": ("東京タワーは東京都港区にある電波塔です。カメラで撮影できます。", "カメラ", "表計算"),
    "ko": ("조석은 달과 태양의 인력 때문에 일어난다. 항구마다 다르다.", "항구", "서울"),
    "th": ("น้ำขึ้นน้ำลงเกิดจากแรงดึงดูดของดวงจันทร์", "ดวงจันทร์", "ภาษาไทย"),
    "ar": ("المد والجزر ظاهرة طبيعية تحدث بسبب القمر", "القمر", "الشمس"),
    "ru": ("Прилив и отлив вызваны притяжением Луны", "луны", "солнце"),
    "en": ("The tide rises twice a day; see the tide table.", "TIDE table", "tides"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_script_is_found_by_its_words_and_not_by_others(language: str) -> None:
    _, present, absent = LANGUAGES[language]
    with TextIndex() as index:
        index.add(*(page(f"https://{name}.example/", value[0]) for name, value in LANGUAGES.items()))
        assert urls(index, present)[0] == f"https://{language}.example/"
        assert f"https://{language}.example/" not in urls(index, absent)


def test_a_page_with_all_words_comes_before_pages_with_some() -> None:
    with TextIndex() as index:
        index.add(
            page("https://a.example/", "harbour " * 30),
            page("https://b.example/", "a long page about many things, where a tide and a harbour are named once " * 3),
            page("https://c.example/", "tide tide tide"),
        )
        assert urls(index, "tide harbour")[0] == "https://b.example/"


def test_words_in_the_title_count_more() -> None:
    with TextIndex() as index:
        index.add(
            page("https://a.example/", "tide and more words", "Other"), page("https://b.example/", "more", "Tide")
        )
        index.add(page("https://c.example/", "nothing of it"), page("https://d.example/", "nothing of it either"))
        index.add(page("https://e.example/", "and again nothing"))
        assert urls(index, "tide") == ["https://b.example/", "https://a.example/"]


def test_a_word_on_every_page_still_finds_them() -> None:
    with TextIndex() as index:
        index.add(*(page(f"https://{n}.example/", "tide") for n in "abc"))
        assert urls(index, "tide") == ["https://a.example/", "https://b.example/", "https://c.example/"]


@pytest.mark.parametrize(
    "query",
    ['"', '" OR "', "tide*", "NEAR(tide harbour)", "title:tide", "-tide", "a AND (b", "^tide", "{tide}", "'; DROP"],
)
def test_no_query_is_fts_syntax(query: str) -> None:
    with TextIndex() as index:
        index.add(page("https://a.example/", "tide harbour"))
        assert set(urls(index, query)) <= {"https://a.example/"}
        assert urls(index, "tide AND nothingelse") == ["https://a.example/"]


@pytest.mark.parametrize("query", ["", "   ", "!!!", "\x00", "\ud800"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    with TextIndex() as index:
        index.add(page("https://a.example/", "tide"))
        assert index.search(query, 5) == []
        assert index.search("tide", 0) == []


def test_the_newest_capture_of_a_url_is_the_one_found_in_any_order() -> None:
    old, new = (
        page("https://a.example/", "old tide", at=OLD),
        page("https://a.example/", "new tide", at=NEW, session="s2"),
    )
    for order in ((old, new), (new, old)):
        with TextIndex() as index:
            index.add(*order)
            (hit,) = index.search("tide", 5)
            assert hit.document == new
            assert urls(index, "old") == []
            assert len(index) == 1


def test_adding_the_same_capture_again_changes_nothing() -> None:
    with TextIndex() as index:
        index.add(page("https://a.example/", "tide"))
        index.add(page("https://a.example/", "tide"))
        assert len(index) == 1
        assert index.remove(session="s1") == 1
        assert urls(index, "tide") == []


def test_known_is_the_last_record_looked_at() -> None:
    with TextIndex() as index:
        assert index.known("s1") is None
        index.add(page("https://a.example/", "x", seq=7))
        assert index.known("s1") == 7
        index.mark("s1", 12)
        index.mark("s1", 3)
        assert index.known("s1") == 12
        assert index.known("s2") is None


def test_removing_a_session_uncovers_what_it_hid() -> None:
    with TextIndex() as index:
        older = page("https://a.example/", "old tide", at=OLD, session="s1", seq=5)
        index.add(older, page("https://b.example/", "tide", session="s1", seq=9))
        index.add(page("https://a.example/", "new tide", at=NEW, session="s2", seq=2))
        assert index.remove(session="s2") == 1
        assert urls(index, "tide") == ["https://b.example/"]
        assert index.known("s1") == 4  # from there on the caller indexes again
        assert index.known("s2") is None
        index.add(older)
        assert urls(index, "old") == ["https://a.example/"]


def test_forgotten_pages_are_not_found_and_may_come_back() -> None:
    with TextIndex() as index:
        old = page("https://a.example/1", "tide", at=OLD, session="old")
        new = page("https://a.example/1", "tide", at=NEW, session="new")
        index.add(old, new, page("https://a.example/2", "tide"))
        assert index.forget(["https://a.example/1", "https://a.example/none"]) == 1
        assert urls(index, "tide") == index.urls() == ["https://a.example/2"]
        assert index.remove(session="new") == 0  # nothing older is left to be uncovered
        assert index.known("old") == old.seq
        index.add(new)
        assert index.urls() == ["https://a.example/1", "https://a.example/2"]


def test_urls_are_those_below_a_prefix() -> None:
    with TextIndex() as index:
        index.add(*(page(f"https://a.example/{path}", "tide") for path in ("b/c", "b", "bc", "b?d")))
        assert index.urls("https://a.example/b") == [f"https://a.example/{path}" for path in ("b", "b/c", "b?d")]


def test_notes_last_and_go_with_what_is_forgotten(tmp_path: Path) -> None:
    with TextIndex(tmp_path / "index.db") as index:
        index.note({"https://a.example/": "1", "https://b.example/": "x"})
        index.note({"https://a.example/": "2"})
    with TextIndex(tmp_path / "index.db") as index:
        assert (index.noted("https://a.example/"), index.noted("https://c.example/")) == ("2", None)
        assert index.forget(["https://a.example/"]) == 0
        assert (index.noted("https://a.example/"), index.noted("https://b.example/")) == (None, "x")


def test_prefixes_end_at_a_boundary() -> None:
    addresses = [
        "http://h:80/docs",
        "http://h:80/docs/a",
        "http://h:80/docs2",
        "http://h:8080/docs",
        "http://h:80/docs?x",
    ]
    with TextIndex() as index:
        index.add(*(page(url, "tide") for url in addresses))
        assert set(urls(index, "tide", url_prefix="http://h:80/docs")) == {addresses[0], addresses[1], addresses[4]}
        assert set(urls(index, "tide", url_prefix="http://h:80/docs/")) == {addresses[1]}
        assert set(urls(index, "tide", url_prefix="http://h:80")) == set(addresses) - {addresses[3]}
        assert urls(index, "tide", url_prefix="http://h:80/%") == []
        assert index.count("http://h:80/docs") == 3


def test_before_leaves_out_later_captures() -> None:
    with TextIndex() as index:
        index.add(page("https://a.example/", "tide", at=OLD), page("https://b.example/", "tide", at=NEW))
        assert urls(index, "tide", before=NEW) == ["https://a.example/"]


def test_the_index_lasts_and_may_be_deleted(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "index.db"
    with TextIndex(path) as index:
        index.add(page("https://a.example/", "tide", "T"))
        assert not index.was_reset
    with TextIndex(path) as index:
        assert index.search("tide", 1)[0].document == page("https://a.example/", "tide", "T")
        assert not index.was_reset
    path.unlink()
    with TextIndex(path) as index:
        assert len(index) == 0
        assert index.known("s1") is None


def damage_header(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 500)


def damage_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def other_version(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE about SET format = 'textindex/0 words/0'")
    db.close()


def other_program(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()


@pytest.mark.parametrize("damage", [damage_header, damage_pages, other_version, other_program])
def test_an_unusable_file_is_replaced_and_said(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "index.db"
    with TextIndex(path) as index:
        index.add(*(page(f"https://a.example/{n}", "tide " * 200) for n in range(40)))
    damage(path)  # type: ignore[operator]
    with TextIndex(path) as index:
        assert index.search("tide", 5) == []
        assert index.was_reset
        index.add(page("https://a.example/", "tide"))
        assert urls(index, "tide") == ["https://a.example/"]


def test_damage_that_shows_while_in_use_is_replaced_and_said(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with TextIndex(path) as index:
        index.add(*(page(f"https://a.example/{n}", "tide " * 200) for n in range(40)))
        damage_pages(path)
        # another connection writes, so that ours must read its pages again
        data = bytearray(path.read_bytes())
        data[24:28] = b"\xff\xff\xff\xff"
        path.write_bytes(bytes(data))
        assert index.search("tide", 5) == []
        assert index.was_reset


def test_a_folder_in_the_way_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    with pytest.raises(StoreError, match="may be deleted"):
        TextIndex(tmp_path / "index.db")


def test_a_closed_index_is_a_store_error_and_closing_twice_is_fine() -> None:
    with TextIndex() as index:
        index.close()
        index.close()
        with pytest.raises(StoreError):
            index.search("tide", 1)


def test_threads_share_one_index(tmp_path: Path) -> None:
    with TextIndex(tmp_path / "index.db") as index:

        def work(name: int) -> None:
            for n in range(5):
                index.add(page(f"https://{name}.example/{n}", "tide", session=f"s{name}", seq=n))
                assert index.search("tide", 3)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(index) == 20


def test_two_openers_share_one_file(tmp_path: Path) -> None:
    with TextIndex(tmp_path / "index.db") as one, TextIndex(tmp_path / "index.db") as two:
        one.add(page("https://a.example/", "tide"))
        two.add(page("https://b.example/", "tide"))
        assert urls(one, "tide") == urls(two, "tide") == ["https://a.example/", "https://b.example/"]


def test_text_that_has_no_utf8_is_stored_with_marks() -> None:
    with TextIndex() as index:
        index.add(page("https://a.example/\ud800", "tide \udfff \x00 end", "\ud800"))
        (hit,) = index.search("end", 1)
        assert hit.document.text == "tide \ufffd \ufffd end"


@pytest.mark.parametrize("word", ["हिन्दी", "¸0", "ς", "ǅ", "\u1e9e", "e\u0301"])
def test_sqlite_cuts_and_folds_no_word_of_ours(word: str) -> None:
    """With `unicode61` a query could match a page that held none of its words as we cut them, with a score of 0."""
    with TextIndex() as index:
        index.add(page("https://a.example/", f"x {word} y"), page("https://b.example/", "0 y"))
        assert urls(index, word) == ["https://a.example/"]


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=60), min_size=1, max_size=5), query=st.text(max_size=30))
def test_any_text_and_any_query_are_taken(texts: list[str], query: str) -> None:
    with TextIndex() as index:
        index.add(*(page(f"https://a.example/{n}", text, text[:5]) for n, text in enumerate(texts)))
        hits = index.search(query, 10)
        assert hits == index.search(query, 10)
        assert all(0 < hit.score <= 1 for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


# -- snippets


def test_a_snippet_is_the_stretch_with_most_of_the_words() -> None:
    text = "tide. " + "filler words " * 60 + "The tide table of the harbour is printed.\n\nNext " + "more filler " * 60
    snippet = best_window(text, {"tide": 1.0, "harbour": 2.0, "table": 1.5})
    assert "tide table of the harbour is printed. Next" in snippet
    assert snippet.startswith("…")
    assert snippet.endswith("…")
    assert len(snippet) < 300


def test_a_snippet_of_a_short_text_is_the_text() -> None:
    assert best_window("Tide  table\n\nnow", {"tide": 1.0}) == "Tide table now"
    assert best_window("nothing of it", {"tide": 1.0}) == "nothing of it"
    assert best_window("", {"tide": 1.0}) == ""


def test_a_word_inside_a_longer_word_is_not_a_place() -> None:
    text = "intidexx " * 50 + "the tide itself"
    assert "the tide itself" in best_window(text, {"tide": 1.0})


def test_characters_that_grow_in_lower_case_move_no_place() -> None:
    assert "the tide itself" in best_window("İ" * 400 + " the tide itself", {"tide": 1.0})


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(max_size=700), words=st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0.1, 5), max_size=4)
)
def test_a_snippet_is_a_slice_of_the_text(text: str, words: dict[str, float]) -> None:
    snippet = best_window(text, words, 50)
    inner = snippet if snippet == " ".join(text.split()) else snippet.removeprefix("…").removesuffix("…")
    assert " ".join(inner.split()) in " ".join(text.split())


# -- providers


def test_an_empty_archive_says_how_pages_get_there() -> None:
    with TextIndex() as index:
        run = Archive(index).answer(Query("tide"))
        assert run.outcome is RunOutcome.EMPTY
        assert "searchlog fetch URL" in run.detail


def test_the_archive_says_where_each_page_is_stored() -> None:
    with TextIndex() as index:
        index.add(Document("https://a.example/", "T", "tide", OLD, "s9", 42, "en"))
        run = Archive(index).answer(Query("tide", language="en"))
        (result,) = run.results
        assert run.outcome is RunOutcome.OK
        assert run.ignored == ("language",)
        assert (result.rank, result.url, result.title, result.snippet) == (1, "https://a.example/", "T", "tide")
        assert result.extra == {
            "capture_session": "s9",
            "capture_seq": "42",
            "captured_at": OLD,
            "language": "en",
        }
        nothing = Archive(index).answer(Query("zxqvkj"))
        assert (nothing.outcome, nothing.detail) == (RunOutcome.EMPTY, "")


def test_pages_of_results_go_on_where_the_last_ended() -> None:
    with TextIndex() as index:
        index.add(*(page(f"https://a.example/{n}", "tide") for n in range(5)))
        archive = Archive(index)
        seen = [r.url for n in (1, 2, 3) for r in archive.answer(Query("tide", count=2, page=n)).results]
        assert seen == [f"https://a.example/{n}" for n in range(5)]


def test_a_site_is_only_what_stands_below_its_address() -> None:
    with TextIndex() as index:
        index.add(page("http://127.0.0.1:80/a", "tide"), page("https://other.example/", "tide"))
        assert [r.url for r in Site(index, "http://127.0.0.1:80").answer(Query("tide")).results] == [
            "http://127.0.0.1:80/a"
        ]
        run = Site(index, "http://127.0.0.1:8080").answer(Query("tide"))
        assert run.outcome is RunOutcome.EMPTY
        assert "http://127.0.0.1:8080" in run.detail


def test_local_providers_send_nothing_to_anybody() -> None:
    with TextIndex() as index:
        for provider in (Archive(index), Site(index, "http://h/")):
            assert provider.facts.endpoint == ""
            assert provider.facts.third_party.startswith("nobody")


# --- from the log


@pytest.fixture
def index() -> Iterator[TextIndex]:
    with TextIndex() as opened:
        yield opened


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("capture", {"payload": {"bytes": 3}}),
        ("capture", {"payload": "x"}),
        ("capture", {"payload": [1]}),
        ("capture", {"captured_at": None}),
        ("capture", {"captured_at": 5}),
        ("conversion", {"text": {"blob": "sha256:x", "bytes": 1}}),
        ("conversion", {"text": [1]}),
        ("conversion", {"payload": {}}),
        ("conversion", {"url": None}),
        ("conversion", {"title": 3}),
    ],
)
def test_an_odd_record_costs_its_own_page_alone(kind: str, changes: dict[str, object], index: TextIndex) -> None:
    """One capture record in another shape ended every search of the archive with a KeyError."""
    odd, good = specimen_session(), specimen_session()
    lines = [item.line for item in odd.log.get(odd.session)]
    log = MemoryLogStore()
    for ledger, name in ((odd, "s1"), (good, "s2")):
        made = []
        for line in (item.line for item in ledger.log.get(ledger.session)):
            assert line is not None
            envelope = replace(decode(line), session=name)
            if name == "s1" and envelope.kind == kind:
                envelope = replace(envelope, body=envelope.body | changes)
            made.append(encode(envelope))
        log.append(name, made, 0)
    assert index_captures(index, log, odd.blobs) == 1
    assert [hit.document.session for hit in index.search("tide", 5)] == ["s2"]
    assert (index.known("s1"), index_captures(index, log, odd.blobs)) == (len(lines) - 1, 0)


class _Blobs(MemoryBlobStore):
    """A store that cannot give any blob."""

    def get(self, name: Digest) -> bytes:
        raise StoreError("cannot read it: Permission denied", digest=name)


def test_a_text_that_cannot_be_read_is_passed_over(index: TextIndex) -> None:
    """One blob without permission, or of bytes that are no UTF-8, ended every search of the archive."""
    ledger = specimen_session()
    with TextIndex() as other:
        assert index_captures(other, ledger.log, _Blobs()) == 0
    (body,) = [record.body for record in ledger.records() if isinstance(record.body, Conversion)]
    ledger.blobs.put([b"\xff\xfe"])
    ref = BlobRef(blob=digest(b"\xff\xfe"), bytes=2)
    ledger.add([Draft(body.model_copy(update={"text": ref}))])
    assert index_captures(index, ledger.log, ledger.blobs) == 1
    assert urls(index, "tide") == [URL]


def test_a_session_with_a_damaged_head_does_not_stop_the_others(index: TextIndex) -> None:
    """One head that was none ended every search of the archive with an IntegrityError."""

    class Damaged(MemoryLogStore):
        def head(self, session: str) -> Frontier:
            if session == "s0":
                raise IntegrityError("a stored head that is none")
            return super().head(session)

    ledger = specimen_session()
    lines = [item.line for item in ledger.log.get(ledger.session)]
    log = Damaged()
    for name in ("s0", ledger.session):
        log.append(name, [line for line in lines if line is not None], 0)
    assert index_captures(index, log, ledger.blobs) == 1
    assert (index.known("s0"), urls(index, "tide")) == (None, [URL])


def test_search_holds_one_text_at_a_time() -> None:
    """Words and texts of all fifty pages of the pool were in memory together: a quarter of a gigabyte for long ones."""
    text = "harbour bridge " * 20_000
    with TextIndex() as index:
        for number in range(30):
            index.add(Document(f"https://h.example/{number}", "t", text, "2026-01-01T00:00:00Z", "s", number))
        tracemalloc.start()
        try:
            hits = index.search("harbour", 2)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert [hit.document.url for hit in hits] == ["https://h.example/0", "https://h.example/1"]
    assert peak < 12 * len(text)
