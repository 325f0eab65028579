"""Every state of the live axis, told right of a page that is in it; over loopback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from searchlog import records
from searchlog.archive import Archive
from searchlog.capture.exchange import Limits
from searchlog.verify.verdict import LIVE, PassageVerdict
from tests.live_site import PAGES, UNASKED, LiveSite
from tests.searches import ask, opened

LIMITS = Limits(total_s=4.0, connect_s=2.0, idle_s=1.0)
SUSPECTED = ("soft-404", "paywall", "login-wall", "bot-challenge", "needs-javascript")


def searched(site: LiveSite, place: Path) -> str:
    """Search for each page once, and return the session that holds them as they were."""
    with opened(place) as archive:
        session = archive.session()
        for page in site.articles:
            found = ask(session, site.site, page.article.key[:60], [page.url], allow_private=site.hosts)
            assert any(page.article.key in item.text for item in found.evidence), page.name
        return session.id


def check(site: LiveSite, archive: Archive, session: str) -> dict[str, PassageVerdict]:
    """Return what a live check says of each page's passage, by the name of the page."""
    found = archive.session(session).verify(axes=["live"], allow_private=site.hosts, limits=LIMITS)
    keys = {page.url: page for page in site.articles}
    told = [(keys[item.url], item) for item in found.passages]
    return {page.name: item.verdicts["live"] for page, item in told if page.article.key in item.exact}


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveSite, Archive, dict[str, PassageVerdict]]]:
    """Yield the site as it is later, and what a check says then, in an archive that was opened anew."""
    place = tmp_path_factory.mktemp("live")
    with LiveSite() as site, pytest.MonkeyPatch.context() as patch:
        patch.setattr("searchlog.capture.client.system_resolver", site.resolver)
        session = searched(site, place)
        site.later()
        with opened(place) as archive:
            yield site, archive, check(site, archive, session)


Told = Mapping[str, PassageVerdict]


@pytest.fixture(scope="module")
def told(later: tuple[LiveSite, Archive, dict[str, PassageVerdict]]) -> Told:
    return later[2]


def test_every_state_has_a_page() -> None:
    assert {state for state, _ in PAGES.values()} == set(LIVE) - UNASKED


@pytest.mark.parametrize("name", PAGES)
def test_each_state_is_told_right(told: Told, name: str) -> None:
    assert (name, told[name].state) == (name, PAGES[name][0])
    assert told[name].outcome == LIVE[PAGES[name][0]][0]


@pytest.mark.parametrize("name", [name for name, (state, _) in PAGES.items() if state in SUSPECTED])
def test_what_is_only_suspected_says_by_which_tests(told: Told, name: str) -> None:
    assert len(told[name].detail.split(", ")) > 1


def test_redirects_say_where_they_led(told: Told) -> None:
    for name, end in (
        ("redirected-same-site", "/canoes"),
        ("redirected-elsewhere", "/canoes"),
        ("redirected-home", "/"),
        ("moved-permanently", "/moved-permanently/2026"),
    ):
        assert told[name].detail.endswith(end), name
    assert "redirected-same-site" in told["moved-permanently"].notes


def test_changes_are_shown_word_by_word_with_what_weighs(told: Told) -> None:
    marks = {step.sign: set(step.marks) for step in told["changed"].changes if step.sign != "="}
    assert marks.keys() == {"-", "+"}
    assert all("number" in found for found in marks.values())
    assert any("negation" in step.marks for step in told["changed-not"].changes)
    assert any("notice" in step.marks for step in told["context-changed"].changes)


def test_passage_that_still_stands_says_where(told: Told) -> None:
    for name in ("intact", "intact-reflowed", "moved", "moved-permanently"):
        verdict = told[name]
        assert verdict.start is not None, name
        assert verdict.end is not None, name
        assert verdict.end - verdict.start > 200, name


def test_each_check_is_a_capture_of_its_own(
    later: tuple[LiveSite, Archive, dict[str, PassageVerdict]],
) -> None:
    """What could not be fetched has its record too: a refusal, a name that is not known."""
    site, archive, told = later
    (kept,) = [name for name in archive.resources.storage.log.sessions() if name.startswith("checks-")]
    ledger = archive.ledger(kept)
    for page in site.articles:
        verdict = told[page.name]
        assert verdict.capture is not None, page.name
        (record,) = ledger.records(verdict.capture, verdict.capture + 1)
        assert isinstance(record.body, records.Capture)
        assert page.url in (record.body.asked, record.body.url), page.name
        assert verdict.checked_at, page.name
