"""The audit hook sees what it must see, so that its silence over the whole run means something."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

import searchlog
from searchlog.capture.wire import Wire
from tests import audit
from tests.searches import opened, pages
from tests.sites import serve


def expected(*words: str) -> None:
    """Take away the violations of this test, which must be just these."""
    assert len(audit.violations) == len(words)
    for word in words:
        assert word in audit.violations.pop(0)


def test_what_the_wire_dials_is_seen_and_in_order() -> None:
    with serve(pages()) as site, opened() as archive:
        before = len(audit.dialled)
        archive.session().fetch(site.url + "/mill", allow_private=[f"127.0.0.1:{site.port}"])
    assert audit.dialled[before:] == ["127.0.0.1", "127.0.0.1"]  # robots.txt and the page


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("socket.create_connection(address).close()", "connects to"),
        ("socket.getaddrinfo('localhost', 80)", "looks up"),
    ],
)
def test_code_of_the_package_that_goes_its_own_way_is_a_violation(code: str, word: str) -> None:
    stray = str(Path(searchlog.__file__).with_name("stray.py"))
    with serve({}) as site:
        exec(compile(code, stray, "exec"), {"socket": socket, "address": ("127.0.0.1", site.port)})
    found = [said for said in audit.violations if stray in said and word in said]
    assert found
    audit.violations.clear()


def test_an_address_that_was_not_checked_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Wire, "_addresses", lambda wire: ("127.0.0.1",))
    with serve(pages()) as site, opened() as archive:
        url = f"http://site.example:{site.port}/mill"
        archive.session().fetch(url, robots="ignore")
    expected("dialled ('127.0.0.1'")
