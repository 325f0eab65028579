"""The report page in Chromium, opened from disk without a network: it asks for nothing, says no error, fits, opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from searchlog.ui.report import report_page
from tests import chromium
from tests.verifications import map_texts, rich

pytestmark = [
    pytest.mark.skipif(chromium.path() is None, reason="no Chromium here"),
    pytest.mark.slow,
]

_HOSTILE = "<img src=https://example.org/x onerror='document.title=1'><script>document.title='run'</script>\"'&\u202e"


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Browser]:
    """A browser that runs scripts, if a page had any, and that reaches no host."""
    with chromium.running(scripts=True) as found:
        for domain in ("Network", "Log", "Runtime", "Audits"):
            found.call(f"{domain}.enable")
        found.call(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0
        )
        yield found


def opened(browser: chromium.Browser, folder: Path, value: dict[str, Any], width: int = 1200) -> list[dict[str, Any]]:
    """Open a report from disk; return what the browser told of it: requests, console, log, violations of the policy."""
    file = folder / "report.html"
    file.write_text(report_page(value), "utf-8")
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(file.as_uri())
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    return list(browser._events)


def requests(events: list[dict[str, Any]]) -> list[str]:
    sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if url != "about:blank"]


def complaints(events: list[dict[str, Any]]) -> list[Any]:
    names = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Audits.issueAdded")
    return [event["params"] for event in events if event["method"] in names]


@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile"])
def test_the_page_opens_from_disk_asks_for_nothing_and_complains_of_nothing(
    browser: chromium.Browser, tmp_path: Path, hostile: bool
) -> None:
    value = map_texts(rich(), lambda text: text + _HOSTILE) if hostile else rich()
    events = opened(browser, tmp_path, value)
    assert requests(events) == [(tmp_path / "report.html").as_uri()]
    assert complaints(events) == []
    assert browser.evaluate("document.title").startswith("Verification of session")
    assert browser.evaluate("document.querySelectorAll('script, img').length") == 0
    assert browser.evaluate("getComputedStyle(document.body).maxWidth") != "none", "the style was not taken"


def test_the_checks_of_this_test_can_fail(browser: chromium.Browser, tmp_path: Path) -> None:
    """A page with an image and an error is seen to have both."""
    file = tmp_path / "bad.html"
    file.write_text("<img src='http://127.0.0.1:9/x.png'><script>console.error('no')</script>", "utf-8")
    browser.open(file.as_uri())
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    assert "http://127.0.0.1:9/x.png" in requests(browser._events)
    assert complaints(browser._events) != []


@pytest.mark.parametrize("width", [1200, 700, 390, 320])
def test_nothing_stands_out_over_the_window(browser: chromium.Browser, tmp_path: Path, width: int) -> None:
    value = map_texts(rich(), lambda text: text + "W" * 300 if text.startswith("https://example.org/t") else text)
    opened(browser, tmp_path, value, width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    wide = """[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
        && !e.closest('thead')).map(e => e.tagName + '.' + e.className).slice(0, 5)"""
    assert browser.evaluate(wide) == []


def test_a_link_into_a_folded_passage_opens_it(browser: chromium.Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, rich())
    anchor = "state-live-same-bytes"
    assert browser.evaluate(f"document.getElementById('{anchor}').closest('details').open") is False
    browser.evaluate(f"document.querySelector('a[href=\"#{anchor}\"]').click()")
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    assert browser.evaluate(f"document.getElementById('{anchor}').closest('details').open") is True


def test_arabic_runs_from_the_right_and_ours_from_the_left(browser: chromium.Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, rich())
    directions = """[...document.querySelectorAll('#passage-4 blockquote, #passage-4 .diff, #passage-4 .verdicts,'
        + '#passage-4 .mark, #passage-3 blockquote')].map(e => getComputedStyle(e).direction)"""
    assert set(browser.evaluate(directions)) == {"rtl", "ltr"}
    assert browser.evaluate("getComputedStyle(document.querySelector('#passage-4 blockquote')).direction") == "rtl"
    assert browser.evaluate("getComputedStyle(document.querySelector('#passage-4 .mark')).direction") == "ltr"
    # struck words stand to the right of those that took their place
    places = """['del', 'ins'].map(name => document.querySelector('#passage-4 .diff ' + name)
        .getBoundingClientRect().left)"""
    struck, put = browser.evaluate(places)
    assert struck > put


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_scheme_of_the_reader(browser: chromium.Browser, tmp_path: Path, scheme: str) -> None:
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    opened(browser, tmp_path, rich())
    ground = browser.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ground == {"light": "rgb(250, 249, 246)", "dark": "rgb(21, 24, 27)"}[scheme]
    assert len(browser.png()) > 20_000


def test_on_paper_folded_passages_are_open(browser: chromium.Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, rich())
    place = "document.getElementById('state-live-same-bytes').closest('details').offsetHeight"
    folded = browser.evaluate(place)
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.evaluate(place) > folded + 100
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")
