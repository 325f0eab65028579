"""A search over ten pages of which five are hostile: the other five's evidence, inside the deadline."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from searchlog.capture.exchange import Limits
from searchlog.replay import replay
from searchlog.search import registry
from searchlog.session import Search, Session
from tests.hostile.case import CAPTURED, Case, answer
from tests.hostile.catalogue import CASES
from tests.hostile.server import Asked, Connection, HostileWeb
from tests.searches import check_clean, check_counts, opened, reasons

GOOD = {
    "fares": "The ferry charges two crowns for a grown person, one for a child, and nothing for a dog on a lead.",
    "boats": "Three boats share the ferry service; the oldest was built of larch in 1911 and still carries hay.",
    "winter": "When ice closes the sound the ferry stops, and mail goes over by sledge from the northern pier.",
    "bridge": "A bridge was voted down twice, since the ferry feeds eleven families on either shore.",
    "masters": "Every ferry master since 1840 is named on a brass plate, with the storms he sailed through.",
}
DEADLINE_S = 8.0


def _good(name: str, text: str) -> Case:
    def serve(c: Connection, asked: Asked) -> None:
        c.send(answer(f"<!DOCTYPE html><title>{name}</title><h1>{name}</h1><p>{text}".encode()))

    return Case(name, "control", "one of five ordinary pages", (CAPTURED,), serve)


def _found(c: Connection, asked: Asked) -> None:
    names = asked.query("q").split()[1:]
    results = [{"url": f"{asked.web.a if name in GOOD else asked.web.b}/{name}", "title": name} for name in names]
    c.send(answer(json.dumps({"results": results}).encode(), type="application/json"))


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    finder = Case("finder", "provider", "finds the pages that the query names", (CAPTURED,), _found)
    with HostileWeb([*CASES, *(_good(*item) for item in GOOD.items()), finder]) as served:
        yield served


def search(session: Session, web: HostileWeb, hostile: list[str]) -> Search:
    mixed = [name for pair in zip(hostile, GOOD, strict=True) for name in pair]
    return session.search(
        " ".join(["ferry", *mixed]),
        providers="searxng",
        registry_options=registry.Options({"searxng": f"{web.a}/finder"}),
        allow_private=web.allow,
        pages=10,
        deadline_s=DEADLINE_S,
        limits=Limits(total_s=6, coded_bytes_max=5_000_000, decoded_bytes_max=5_000_000),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        ["silent", "drip-body", "drip-head", "interim-drip", "slow-hops"],
        ["endless-chunks", "gzip-bomb", "zstd-bomb", "huge-header", "endless-words"],
        ["to-canary", "to-metadata", "to-scheme-file", "redirect-endless", "to-odd-decimal"],
        ["deep-b", "misnested", "attributes", "elements", "pdf-stream-bomb"],
        ["not-http", "reset-at-once", "gzip-lie", "type-lie-zip", "later-years"],
        ["silent-after-head", "tiny-chunks", "markdown-rules", "empty-blocks", "style-rules"],
    ],
    ids=["time", "size", "target", "content", "lies", "mixed"],
)
def test_five_hostile_pages_cost_themselves(web: HostileWeb, hostile: list[str], tmp_path: Path) -> None:
    web.forget()
    with opened(tmp_path / "archive", in_process=False) as archive:
        session = archive.session()
        start = time.monotonic()
        found = search(session, web, hostile)
        assert time.monotonic() - start < DEADLINE_S + 2
        shown = {urlsplit(item.source.url).path.strip("/") for item in found.evidence}
        why = reasons(session)
        assert {name: why[f"/{name}"] for name in GOOD} == dict.fromkeys(GOOD, "kept"), why
        assert shown >= set(GOOD), why
        check_counts(found)
        check_clean(session)
        assert replay(session.ledger, found.turn, converter=archive.resources.pool).equal
    assert web.canary_hits == []
