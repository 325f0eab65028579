"""Pages that are gone or changed are looked for in web archives, and what they answered is kept; saving pages too."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from searchlog import records
from searchlog.errors import UsageError
from searchlog.verify.store import verify_session
from tests.memento_server import Captured, MementoServer
from tests.searches import HTML, TEXTS, html
from tests.test_recheck import OWN, change, searched, states

THEN = datetime.now(UTC).replace(microsecond=0)


def copies(site: Any, **texts: str) -> list[Captured]:
    return [Captured(f"{site.url}/{name}", THEN, html(text, name).encode()) for name, text in texts.items()]


def test_archive_tells_of_pages_that_are_gone_or_changed_and_of_no_others() -> None:
    with searched() as (site, archive, session):
        held = copies(site, mill=TEXTS["/mill"], gate=TEXTS["/gate"].replace("No keeper", "One keeper"))
        site.pages["/mill"] = (404, HTML, "gone")
        change(site, "/gate", "tide mill", "tidal mill")
        site.pages["/pond"] = (410, HTML, "gone")
        with MementoServer(held, timegate="redirect") as mementos:
            found = session.verify(axes=["live"], web_archives=[mementos.source()], **OWN)
        assert states(found) == {"/mill": "http-404", "/gate": "changed", "/pond": "http-410", "/wheel": "same-bytes"}
        assert states(found, "web-archive") == {"/mill": "intact", "/gate": "changed", "/pond": "none-near"}
        (mill,) = (p.verdicts["web-archive"] for p in found.passages if p.url.endswith("/mill"))
        assert mementos.source().split_memento(mill.detail.split()[0]) is not None
        assert found.outcomes["live"] == "failed"
        kept = archive.ledger(found.kept_in.split()[0])
        asked = [r.body for r in kept.records() if isinstance(r.body, records.Capture)]
        assert {"web-archive", "memento"} <= {body.purpose for body in asked}
        assert verify_session(kept.log, kept.blobs, kept.session).findings == []


def test_archive_that_does_not_answer_is_unavailable() -> None:
    with searched() as (site, _, session):
        site.pages["/mill"] = (404, HTML, "gone")
        with MementoServer([]) as mementos:
            source = mementos.source()
        found = session.verify(axes=["live"], web_archives=[source], **OWN)
        assert states(found, "web-archive") == {"/mill": "unavailable"}
        # what an archive says, or does not, is no finding of its own
        assert [f.axis for f in found.findings] == ["live"]


def test_second_archive_is_asked_where_the_first_has_nothing() -> None:
    with searched() as (site, _, session):
        site.pages["/mill"] = (404, HTML, "gone")
        with MementoServer([]) as empty, MementoServer(copies(site, mill=TEXTS["/mill"])) as full:
            found = session.verify(axes=["live"], web_archives=[empty.source(), full.source()], **OWN)
        assert states(found, "web-archive") == {"/mill": "intact"}


def test_nobody_is_asked_unless_it_is_wanted() -> None:
    with searched() as (site, _, session):
        site.pages["/mill"] = (404, HTML, "gone")
        found = session.verify(axes=["live"], **OWN)
        assert states(found, "web-archive") == {}


def test_saving_pages_is_recorded_with_what_came_of_it() -> None:
    with searched() as (site, _, session), MementoServer([]) as mementos:
        (saved,) = session.save_pages([f"{site.url}/mill"], mementos.source(), **OWN)
        assert saved.outcome in ("saved", "pending", "unknown", "failed")
        asked = [
            r.body for r in session.records() if isinstance(r.body, records.Capture) and r.body.purpose == "web-archive"
        ]
        assert len(asked) >= len(saved.fetches) > 0
        last = [r.body for r in session.records() if isinstance(r.body, records.Turn)][-1]
        assert (last.state, last.outcome) == ("end", "ok" if saved.memento else "failed")


def test_archive_without_the_service_cannot_be_asked_to_save() -> None:
    with searched() as (site, _, session), pytest.raises(UsageError, match="no service that captures pages"):
        session.save_pages([f"{site.url}/mill"], "https://archive.example/timegate/")
