"""Searches over a folder of real pages: every passage is a slice of stored text, and verification says so.

The pages are those of tests/pages/html (see the README beside it); SEARCHLOG_PAGES names another folder, of any size,
and SEARCHLOG_QUERIES what to ask it, separated by `;`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from searchlog.extract.pool import InProcess
from searchlog.records import Capture, Conversion, Evidence
from searchlog.replay import replay
from searchlog.search.run import RunOutcome
from searchlog.site import open_site
from searchlog.verify.derivation import verify_passages
from searchlog.verify.store import verify_session
from tests.searches import bodies, check_counts, opened

PAGES = Path(os.environ.get("SEARCHLOG_PAGES", Path(__file__).parent.parent / "pages" / "html"))
QUERIES = os.environ.get(
    "SEARCHLOG_QUERIES",
    "freelance web development without experience;query tuning in PostgreSQL;home repair assistance for home owners;"
    "magnetic switches keyboard;Rust goals async;proof assistant dependent types;mobile app companies;the",
).split(";")


@pytest.mark.timeout(1200)
def test_every_passage_of_real_pages_is_a_slice_of_stored_text(tmp_path: Path):
    begin = time.monotonic()
    with opened(tmp_path / "archive", in_process=False) as archive:
        session = archive.session()
        with open_site(session, str(PAGES)) as site:
            read = time.monotonic()
            searches = [
                session.search(
                    query, providers=["site"], registry_options=site.options, settings=site.settings, pages=10, count=10
                )
                for query in QUERIES
            ]
        asked = time.monotonic()
        for search in searches:
            assert search.outcome is RunOutcome.OK
            assert search.evidence, search.query
            check_counts(search)
        blobs = session.ledger.blobs
        for item in bodies(session, Evidence):
            assert blobs.get(item.text).decode()[item.start : item.end] == session.ledger.load(item.exact)
        store = verify_session(archive.resources.storage.log, blobs, session.id, heads=[s.head for s in searches])
        passages = verify_passages(session.ledger, archive.resources.pool)
        verified = time.monotonic()
        assert store.findings + passages.findings == []
        assert (store.level, store.outcome, passages.outcome) == ("L2", "verified", "verified")
        assert passages.checked["passages"] == len(bodies(session, Evidence)) == store.checked["passages"]
        for search in searches:
            again = replay(session.ledger, search.turn, InProcess())
            assert (again.differences, again.rendering) == ([], search.rendering)
        captured = [b for b in bodies(session, Capture) if b.purpose == "index" and b.final]
        converted = bodies(session, Conversion, 1)
        texts = [b for b in converted if b.text is not None]
        print(
            f"{len(captured)} pages, {len(texts)} with text, read in {read - begin:.1f} s; {len(searches)} searches in "
            f"{asked - read:.1f} s; {passages.checked['passages']} passages verified in {verified - asked:.1f} s; "
            f"not checked: {passages.not_checked}; replayed in {time.monotonic() - verified:.1f} s; "
            f"verbatim {sum(bool(b.verbatim) for b in texts)} of {len(texts)}"
        )
        assert len(converted) == len(captured) == site.read_count  # each page has its text, or why there is none


def test_folder_that_was_read_is_searched_again_without_reading(tmp_path: Path):
    with opened(tmp_path / "archive") as archive:
        with open_site(archive.session(), str(PAGES)) as site:
            assert site.read_count > 0
        session = archive.session()
        with open_site(session, str(PAGES)) as site:
            assert site.read_count == 0
            search = session.search(
                "freelance web development",
                providers=["site"],
                registry_options=site.options,
                settings=site.settings,
            )
        assert search.evidence
        assert all(body.reused["via"] == "archive" for body in bodies(session, Capture))
