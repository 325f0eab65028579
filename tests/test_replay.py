"""Replay: equal bytes from records alone, with no network; or the step at which they part."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchlog.capture.exchange import Limits
from searchlog.demo.server import DemoSite
from searchlog.errors import FormatError, IntegrityError, MissingError, ProviderError, UsageError
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.pool import InProcess
from searchlog.log.envelope import decode, encode
from searchlog.log.store.base import StoredLine
from searchlog.log.tree import leaf_hash
from searchlog.records import Capture, Run
from searchlog.replay import Replay, replay
from searchlog.search.providers import searxng
from searchlog.search.run import Result, RunOutcome
from searchlog.search.run import Run as RunValue
from searchlog.session import Session
from searchlog.verify.derivation import verify_passages
from tests.searches import FRESH, HTML, TEXTS, ask, bodies, found, html, no_network, opened, pages, reasons
from tests.sites import serve
from tests.test_session import local


def check_equal(session: Session, turn: int, rendering: str) -> Replay:
    """Assert that the turn comes out again, byte for byte, with nothing appended."""
    before = session.head
    made = replay(session.ledger, turn, InProcess())
    assert made.differences == []
    assert made.equal
    assert made.rendering == rendering
    assert session.head == before
    return made


def test_demo_search_comes_out_again_from_its_records_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with DemoSite() as site, opened(tmp_path, in_process=False) as archive:
        session = archive.session()
        searches = []
        for query in site.queries[:4]:
            from searchlog.search import registry

            options = registry.Options(endpoints={"searxng": site.search_url})
            searches.append(
                session.search(
                    query.query, providers=["searxng"], registry_options=options, allow_private=("127.0.0.1",)
                )
            )
        assert all(search.evidence for search in searches)
    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    with opened(tmp_path) as archive:
        ledger = archive.ledger("latest")
        for search in searches:
            made = replay(ledger, search.turn, InProcess())
            assert made.differences == []
            assert (made.expected, made.found) == (search.rendering_digest, search.rendering_digest)
            assert made.rendering == search.rendering
            assert made.evidence == search.evidence
            assert made.to_json() == {
                "session": search.session,
                "turn": search.turn,
                "outcome": "verified",
                "not_checked": None,
                "equal": True,
                "expected": search.rendering_digest,
                "found": search.rendering_digest,
                "differences": [],
                "notes": [],
            }


def test_ids_come_out_as_they_were_given():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        first = ask(session, site, "tide mill gate", ["/mill", "/gate"])
        second = ask(session, site, "pond wheel gate", ["/pond", "/gate", "/wheel"])
        third = ask(session, site, "tide mill", list(TEXTS))
        for search in (third, first, second):
            made = check_equal(session, search.turn, search.rendering)
            assert [item.id for item in made.evidence] == [item.id for item in search.evidence]


def test_settings_are_those_of_then():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(
            session, site, places=list(TEXTS), pages=2, budget_tokens=30, per_host_max=1, exclude_domains=["a.example"]
        )
        check_equal(session, search.turn, search.rendering)


# --- pages that failed


class Hurried(InProcess):
    """A converter that had time for the first sentence only."""

    def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
        made = super().convert(*args, **options)
        assert isinstance(made, Conversion)
        end = made.text.index(".") + 1
        first = replace(made.blocks[0], end=end)
        return replace(made, text=made.text[:end], blocks=(first,), warnings=("extract-timeout",), structure=None)


def test_text_that_time_cut_replays_as_it_was_stored_and_is_no_finding():
    """On a busy machine a page gives less text; converting it again at leisure made another search of it."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        archive.resources._pool = Hurried()
        search = ask(session, site, places=["/mill", "/gate"])
        archive.resources._pool = InProcess()
        assert [item.text.count(".") for item in search.evidence] == [1, 1]
        check_equal(session, search.turn, search.rendering)
        report = verify_passages(session.ledger, InProcess())
        assert report.findings == []
        assert report.checked["passages"] == 2
        assert report.not_checked == {"text that time or memory had a part in": 2}


class Slow(InProcess):
    """A converter that has no time for anything."""

    def convert(self, *_: Any, **__: Any) -> Conversion | ConversionFailure:
        return ConversionFailure("timeout", "no time")


@pytest.mark.parametrize("converter", [Slow(), Hurried()], ids=["none", "part"])
def test_machine_too_slow_to_convert_again_replays_what_was_recorded_and_says_so(converter: InProcess):
    """A busy machine called an honest record changed."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=["/mill", "/gate"])
        made = replay(session.ledger, search.turn, converter)
        assert made.equal
        assert made.differences == []
        assert len(made.notes) == 2
        assert all("taken as it was recorded" in note for note in made.notes)


def test_failed_and_cut_pages_replay():
    """A page that was cut came out as one that had timed out by itself."""
    with (
        serve(pages(), hang={"/hang", "/late"}, drip={"/drip": 0.05}, reset={"/reset", "/half"}) as site,
        opened() as archive,
    ):
        site.pages |= {
            "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private/\n"),
            "/half": (200, HTML, "<p>tide mill half. " + "x" * 4000),
            "/drip": (200, HTML, html("tide mill " * 400)),
            "/empty": (200, HTML, ""),
            "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(64)),
            "/old": (301, {"Location": "/gate"}, ""),
            "/away": (302, {"Location": "http://10.0.0.1/"}, ""),
        }
        places = [
            *("/hang", "/drip", "/late", "/reset", "/half", "/empty", "/image", "/old", "/away", "/absent"),
            *("/private/x", "http://10.0.0.1/", "/mill", "/pond", "/wheel", "/gate?b"),
        ]
        session = archive.session()
        search = ask(session, site, places=places, pages=20, count=20, soft_s=0.5, deadline_s=1.5)
        assert set(reasons(session).values()) == {
            "kept", "cut-deadline", "failed-disconnect", "no-text", "no-text-unsupported-type",
            "refused-address", "http-404", "refused-robots",
        }  # fmt: skip
        check_equal(session, search.turn, search.rendering)


def test_page_cut_before_any_answer_replays():
    class Slow(InProcess):
        def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
            import time

            if "/gate" in args[2]:
                time.sleep(0.8)
            return super().convert(*args, **options)

    with serve(pages()) as site, opened() as archive:
        archive.resources._pool = Slow()  # type: ignore[assignment]
        session = archive.session()
        search = ask(session, site, places=list(TEXTS), soft_s=0.1)
        assert reasons(session)["/gate"] == "cut-deadline"
        check_equal(session, search.turn, search.rendering)


def test_page_whose_converter_was_stopped_is_taken_as_recorded():
    class Dying(InProcess):
        def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
            if "/gate" in args[2]:
                return ConversionFailure("memory", "over its limit", "text/html", "html/1")
            return super().convert(*args, **options)

    with serve(pages()) as site, opened() as archive:
        archive.resources._pool = Dying()  # type: ignore[assignment]
        session = archive.session()
        search = ask(session, site, places=list(TEXTS))
        assert reasons(session)["/gate"] == "no-text-memory"
        check_equal(session, search.turn, search.rendering)


def test_coded_page_cut_at_a_limit_replays():
    body = "".join(f"<p>The tide mill {n} stands by the water.\n" for n in range(400))
    with serve(pages()) as site, opened() as archive:
        site.pages["/zip"] = (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(body.encode()))
        session = archive.session()
        search = ask(session, site, places=["/zip", "/mill"], limits=Limits(decoded_bytes_max=1_500))
        check_equal(session, search.turn, search.rendering)


def test_head_of_sixty_kilobytes_replays():
    with serve(pages()) as site, opened() as archive:
        site.pages["/mill"] = (200, HTML | {f"X-{n}": "\xff" * 5000 for n in range(11)}, html(TEXTS["/mill"]))
        session = archive.session()
        search = ask(session, site, places=["/mill"])
        check_equal(session, search.turn, search.rendering)


def test_one_payload_of_two_types_replays():
    """The conversions of one payload were told apart by its digest alone: the second took the place of the first."""
    page = "\x00\x01 tide mill \x02\x03" * 9
    with serve(pages(), delay={"/b": 0.1}) as site, opened() as archive:
        site.pages["/a"] = (200, {"Content-Type": "image/png"}, page)
        site.pages["/b"] = (200, HTML, page)
        for places in (["/a", "/b", "/mill"], ["/b", "/a", "/mill"]):
            session = archive.session()
            search = ask(session, site, places=places)
            assert len(set(reasons(session).values())) == 2  # one of the two gave text
            check_equal(session, search.turn, search.rendering)


# --- where pages and runs come from


def test_pages_from_the_cache_replay(tmp_path: Path):
    with serve(pages(headers=FRESH)) as site, opened(tmp_path) as archive:
        session = archive.session()
        site.pages["/old"] = (301, {"Location": "/gate", "Cache-Control": "max-age=600"}, "")
        ask(session, site, places=["/mill", "/old"])
        search = ask(session, site, places=["/mill", "/old"])
        assert any(body.reused for body in bodies(session, Capture, search.turn))
        check_equal(session, search.turn, search.rendering)


def test_pages_from_the_archive_replay():
    """A page that had been reached through a redirect was stored under the name asked for then, and not found again
    under its own."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/old"] = (301, {"Location": "/gate"}, "")
        ask(session, site, places=["/mill", "/old"])
        search = session.search("sluice gate ebb", providers=["archive"])
        assert {item.source.url for item in search.evidence} >= {site.url + "/gate"}
        check_equal(session, search.turn, search.rendering)


def test_runs_of_local_and_unknown_providers_are_taken_as_recorded():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        given = RunValue(
            "other",
            RunOutcome.DEGRADED,
            (Result(1, site.url + "/gate", "Gate", "a snippet", "0.5", "2026-01-01", {"language": "en"}),),
            detail="half of it failed",
            retry_after_s=3,
            ignored=("country",),
            dropped=(("an advertisement", "advert"),),
            notes=("a note",),
            parser="other/1",
        )
        provider = local("other")
        provider.run = given
        search = ask(session, site, places=["/mill"], providers=["searxng", provider])
        check_equal(session, search.turn, search.rendering)


def test_runs_are_fused_in_the_order_in_which_they_were_asked():
    with serve(pages(), delay={"/search": 0.2}) as site, opened() as archive:
        session = archive.session()
        other = local("other", site.url + "/pond", site.url + "/wheel")
        search = ask(session, site, places=["/mill", "/gate"], providers=["searxng", other])
        assert [run.provider for run in bodies(session, Run)] == ["other", "searxng"]  # as they came in
        assert [run.provider for run in search.runs] == ["searxng", "other"]
        check_equal(session, search.turn, search.rendering)


def test_failed_attempts_replay():
    with serve(pages() | {"/search": (500, HTML, "")}) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, providers=["searxng", local("other", site.url + "/mill")])
        check_equal(session, search.turn, search.rendering)


def test_answer_with_a_hundred_kilobytes_of_results_replays():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        places: list[Any] = [{"url": site.url + path, "title": "t", "content": "x" * 9000} for path in TEXTS]
        places += [{"title": f"no link {n} " + "y" * 3000} for n in range(40)]
        search = ask(session, site, places=places)
        check_equal(session, search.turn, search.rendering)


def test_empty_search_replays():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=[])
        check_equal(session, search.turn, search.rendering)


def test_searches_of_two_threads_replay(tmp_path: Path):
    import threading

    with serve(pages(), delay=dict.fromkeys(TEXTS, 0.05)) as site, opened(tmp_path) as archive:
        session, searches = archive.session(), []
        found(site, list(TEXTS))
        asked = ["tide mill gate", "tide mill pond", "wheel moon"]
        threads = [threading.Thread(target=lambda q=q: searches.append(ask(session, site, q))) for q in asked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for search in searches:
            check_equal(session, search.turn, search.rendering)


# --- what differs


class Other(InProcess):
    """A converter of a later version."""

    def __init__(self, change: Callable[[Conversion], Conversion]) -> None:
        self.change = change

    def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
        made = super().convert(*args, **options)
        return self.change(made) if isinstance(made, Conversion) else made


def one_search(session: Session, site: Any) -> Any:
    return ask(session, site, "tide mill gate", ["/mill", "/gate"])


def test_changed_converter_is_told_with_the_page_and_the_step():
    def drop(made: Conversion) -> Conversion:
        return replace(made, text="", blocks=(), converter="html/9") if "sluice" in made.text else made

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        made = replay(session.ledger, search.turn, Other(drop))
        assert not made.equal
        assert made.found != made.expected == search.rendering_digest
        texts = [told for told in made.differences if told.startswith("text of")]
        assert len(texts) == 1
        assert texts[0].startswith(f"text of {site.url}/gate: another one than html/")
        assert "step sources: kept 2 of 2 then, 1 of 2 now" in made.differences


def test_converter_that_gives_the_same_text_by_another_name_differs_in_nothing():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        made = replay(session.ledger, search.turn, Other(lambda made: replace(made, converter="html/9")))
        assert (made.equal, made.differences) == (True, [])


def test_converter_that_fails_now_is_told():
    class Broken(InProcess):
        def convert(self, *args: Any, **options: Any) -> ConversionFailure:
            return ConversionFailure("crash", "signal 11")

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        made = replay(session.ledger, search.turn, Broken())
        assert not made.equal
        assert any(told == "step read: kept 2 of 2 then, 0 of 2 now" for told in made.differences)


def test_changed_parser_is_told(monkeypatch: pytest.MonkeyPatch):
    from searchlog.search.providers.searxng import Searxng

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        honest = Searxng.parse

        def parse(self: Searxng, *args: Any) -> RunValue:
            run = honest(self, *args)
            return replace(run, results=run.results[:1], parser="searxng/9")

        monkeypatch.setattr(Searxng, "parse", parse)
        made = replay(session.ledger, search.turn, InProcess())
        assert made.differences[0] == f"run searxng: parsed to another run ({searxng.PARSER} then, searxng/9 now)"
        assert not made.equal


def test_changed_rule_is_told(monkeypatch: pytest.MonkeyPatch):
    from searchlog.search import filters

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        monkeypatch.setattr(filters, "RULE", "filter/9")
        made = replay(session.ledger, search.turn, InProcess())
        assert any("step filter: the rule was filter/1" in told for told in made.differences)


def test_changed_rendering_alone_is_told(monkeypatch: pytest.MonkeyPatch):
    from searchlog.flow import choose as module

    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        honest = module.render
        monkeypatch.setattr(module, "render", lambda *args: replace(honest(*args), text=honest(*args).text + "\nmore"))
        made = replay(session.ledger, search.turn, InProcess())
        assert made.differences == ["the rendering differs although every step is equal"]


# --- what cannot be replayed


def test_turn_that_is_no_finished_search_is_refused():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        session.fetch(site.url + "/mill", allow_private=("127.0.0.1",))
        site.pages["/search"] = (500, HTML, "")
        with pytest.raises(ProviderError):
            ask(session, site)
        for turn in (0, 1, 2, 3, 99):
            with pytest.raises(UsageError, match="no finished search"):
                replay(session.ledger, turn, InProcess())


def test_stored_bytes_that_are_gone_or_altered_are_told():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = one_search(session, site)
        payload = next(b for b in bodies(session, Capture) if b.purpose == "page").payload.blob
        blobs = session.ledger.blobs._blobs  # type: ignore[attr-defined]
        kept = blobs.pop(payload)
        with pytest.raises(MissingError):
            replay(session.ledger, search.turn, InProcess())
        blobs[payload] = kept

        class Altering:
            def get(self, name: str) -> bytes:
                if name == payload:
                    raise IntegrityError("other bytes", digest=name)
                return bytes(blobs[name])

        session.ledger.blobs = Altering()  # type: ignore[assignment]
        with pytest.raises(IntegrityError):
            replay(session.ledger, search.turn, InProcess())


def test_records_hold_what_a_replay_needs_for_every_run():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        one_search(session, site)
        assert [run.parser for run in bodies(session, Run)] == [searxng.PARSER]


# --- what the records themselves say


def erased(session: Session, *kinds: str, turn: int = 1) -> None:
    """Erase these kinds of records of a turn, in a session of an archive in memory."""
    log = session.ledger.log
    lines = log._lines[session.id]  # type: ignore[attr-defined]
    for seq, item in enumerate(lines):
        envelope = decode(item.line) if item.line else None
        mine = envelope is not None and envelope.turn == turn and envelope.kind in kinds
        if envelope and mine and envelope.body.get("state", "end") == "end":
            lines[seq] = StoredLine(item.leaf, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "e9"),
        ("url", "http://127.0.0.1/other"),
        ("title", "another"),
        ("captured_at", "2020-01-02T03:04:05.000000Z"),
        ("start", 1),
        ("digest", "sha256:" + "0" * 64),
    ],
)
def test_evidence_that_is_recorded_otherwise_is_a_difference(field: str, value: object):
    """Only the rendering was compared: records of evidence with another URL or slice came out as equal."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill", "/gate"])
        lines = session.ledger.log._lines[session.id]  # type: ignore[attr-defined]
        for seq, item in enumerate(lines):
            envelope = decode(item.line)
            if envelope.kind == "evidence":
                line = encode(replace(envelope, body={**envelope.body, field: value}))
                lines[seq] = StoredLine(leaf_hash(line), line)
                break
        made = replay(archive.ledger(session.id), 1, InProcess())
        assert made.expected == made.found
        assert not made.equal
        assert len(made.differences) == 1
        assert f"{field} {value}"[:60] in made.differences[0]


def test_evidence_that_is_not_recorded_is_a_difference():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=["/mill", "/gate"])
        erased(session, "evidence")
        made = replay(archive.ledger(session.id), 1, InProcess())
        assert not made.equal
        assert made.differences == [f"0 pieces of evidence then, {len(search.evidence)} now"]
        assert "are erased or left out" in made.notes[0]


def test_turn_without_its_end_is_not_called_equal():
    """A turn whose end was erased came out as equal, though nothing says that a model was ever given it."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        ask(session, site, places=["/gate"])
        erased(session, "turn")
        with pytest.raises(UsageError, match=r"has no end.*record \d+ is erased"):
            replay(archive.ledger(session.id), 1, InProcess())
        assert replay(archive.ledger(session.id), 2, InProcess()).equal


def test_record_that_cannot_be_read_stands_in_the_way_of_its_own_turn_alone():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        first = ask(session, site, places=["/mill"])
        second = ask(session, site, places=["/gate"])
        lines = session.ledger.log._lines[session.id]  # type: ignore[attr-defined]
        seq = next(n for n, item in enumerate(lines) if (e := decode(item.line)).kind == "query" and e.turn == 2)
        line = encode(replace(decode(lines[seq].line), body={"text": 3}))
        lines[seq] = StoredLine(leaf_hash(line), line)
        ledger = archive.ledger(session.id)
        assert replay(ledger, first.turn, InProcess()).equal
        with pytest.raises(FormatError, match=f"record {seq} of session"):
            replay(ledger, second.turn, InProcess())
        third = ask_again(archive, session.id, site)
        made = replay(archive.ledger(session.id), third, InProcess())
        assert made.equal
        assert any(f"record {seq} of session" in note for note in made.notes)


def ask_again(archive: Any, name: str, site: Any) -> int:
    return ask(archive.session(name), site, places=["/pond"]).turn


def altered(session: Session, kind: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Change the first record of this kind, in a session of an archive in memory; return its place."""
    lines = session.ledger.log._lines[session.id]  # type: ignore[attr-defined]
    seq = next(n for n, item in enumerate(lines) if decode(item.line).kind == kind)
    envelope = decode(lines[seq].line)
    line = encode(replace(envelope, body=change(envelope.body)))
    lines[seq] = StoredLine(leaf_hash(line), line)
    return seq


def _first_result(**more: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda body: body | {"results": [body["results"][0] | more, *body["results"][1:]]}


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("run", lambda body: body | {"outcome": "sulking"}),
        ("run", lambda body: body | {"results": [{"title": "no place"}]}),
        ("run", lambda body: body | {"dropped": [["one"]]}),
        ("run", _first_result(rank="first")),
        ("run", _first_result(url=["x"])),
        ("run", _first_result(extra=3)),
        ("query", lambda body: body | {"options": {"count": "ten"}}),
        ("query", lambda body: body | {"options": {"include_domains": 3}}),
        ("query", lambda body: body | {"text": ""}),
        ("query", lambda body: body | {"policy": body["policy"] | {"soft_s": "soon"}}),
        ("query", lambda body: body | {"policy": body["policy"] | {"soft_s": None}}),
        ("query", lambda body: body | {"policy": body["policy"] | {"budget_tokens": "all"}}),
        ("query", lambda body: body | {"policy": body["policy"] | {"allow_private": 5}}),
        ("query", lambda body: body | {"policy": body["policy"] | {"convert": []}}),
        ("query", lambda body: body | {"policy": body["policy"] | {"convert": {"labels": "none"}}}),
    ],
)
def test_value_of_another_version_is_a_format_error_that_names_its_record(
    kind: str, change: Callable[[dict[str, Any]], dict[str, Any]]
):
    """A word for an outcome that this version does not have was a ValueError, other values a TypeError."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=["/mill"])
        seq = altered(session, kind, change)
        erased(session, "provider-exchange")  # so that the run is taken as recorded
        with pytest.raises(FormatError, match=f"record {seq} of session {session.id}"):
            replay(archive.ledger(session.id), search.turn, InProcess())


def test_members_of_a_later_version_are_left_aside():
    """A member of a result, or an option of a query, that this version does not know was a TypeError."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, places=["/mill"])
        altered(session, "run", _first_result(colour="blue", score=None))
        altered(session, "query", lambda body: body | {"options": body["options"] | {"mood": "calm"}})
        altered(session, "query", lambda body: body | {"policy": body["policy"] | {"mood": "calm"}})
        erased(session, "provider-exchange")
        assert replay(archive.ledger(session.id), search.turn, InProcess()).equal


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ("no-text", None, "no-text then, there is one now"),
        (None, "malformed", "there was one then, malformed now"),
        ("no-text", "malformed", "no-text then, malformed now"),
    ],
)
def test_page_that_gave_no_text_is_converted_again(then: str | None, now: str | None, told: str):
    """Every failed conversion was taken as recorded: a record that denied a page its text came out as equal."""

    class Failing(InProcess):
        def __init__(self, reason: str | None) -> None:
            self.reason = reason

        def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
            if self.reason and "/gate" in args[2]:
                return ConversionFailure(self.reason, "said so", "text/html", "html/1")
            return super().convert(*args, **options)

    with serve(pages()) as site, opened() as archive:
        archive.resources._pool = Failing(then)  # type: ignore[assignment]
        session = archive.session()
        search = ask(session, site, places=["/mill", "/gate"])
        made = replay(session.ledger, search.turn, Failing(now))
    assert made.differences[0] == f"text of {site.url}/gate: {told}"
