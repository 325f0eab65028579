"""What a person sees of a session: turns, funnels, pages, and what became of one URL."""

from __future__ import annotations

import json
from typing import Any

import pytest

from searchlog.digest import Digest
from searchlog.errors import ProviderError
from searchlog.ledger import Record
from searchlog.search.fuse import comparison_key
from searchlog.session import Session
from searchlog.view import Event, TurnView, turn_views, why
from tests.searches import HTML, TEXTS, ask, opened, pages, short
from tests.sites import serve
from tests.specimens import URL, specimen_session
from tests.test_tool_search import at_work


def views(session: Session) -> list[TurnView]:
    return turn_views(session.records())


def shown(session: Session, number: int = -1) -> dict[str, Any]:
    """Return a turn as `--json` shows it; it must be JSON."""
    value = views(session)[number].to_json(session.ledger.load)
    assert json.loads(json.dumps(value)) == value
    return value


def told(session: Session, url: str) -> list[Event]:
    return why(url, session.records(), session.ledger.load, comparison_key)


def test_search_is_shown_from_its_records_as_it_was_returned():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "tide mill gate", [*TEXTS, "/absent"])
        value = shown(session)
        assert (value["session"], value["turn"], value["purpose"], value["state"]) == (session.id, 1, "search", "end")
        assert (value["query"], value["outcome"], value["providers"]) == ("tide mill gate", "ok", ["searxng"])
        assert value["options"] == {"count": 10, "page": 1}
        assert [(s["step"], s["in"], s["kept"], s["dropped"]) for s in value["funnel"]] == [
            (s.name, s.in_count, s.kept_count, s.dropped_count) for s in search.steps
        ]
        assert all(
            s["in"] == s["kept"] + s["dropped"] == s["kept"] + sum(s["reasons"].values()) for s in value["funnel"]
        )
        assert [(e["id"], e["exact"], e["url"]) for e in value["evidence"]] == [
            (e.id, e.text, e.source.url) for e in search.evidence
        ]
        assert value["runs"][0]["results"][0] == {"rank": 1, "url": site.url + "/mill", "title": "Result 1"}
        assert value["began_at"] <= value["ended_at"]


def test_page_is_shown_with_what_was_made_of_it():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/away"] = (302, {"Location": "http://10.0.0.1/"}, "")
        ask(session, site, places=["/mill", "/absent", "/away"])
        by_path = {short(page["asked"]): page for page in shown(session)["pages"]}
        mill, absent, refused = by_path["/mill"], by_path["/absent"], by_path["/away"]
        assert (mill["status"], mill["outcome"], mill["title"], mill["no_text"]) == (200, "complete", "mill", None)
        assert session.ledger.blobs.get(mill["text"]).decode() == TEXTS["/mill"]
        assert mill["payload_bytes"] == len(session.ledger.blobs.get(mill["payload"]))
        assert (absent["status"], absent["text"]) == (404, None)
        assert (refused["outcome"], refused["reason"], refused["payload"]) == ("refused", "address", None)


def test_robots_are_no_page():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n")
        ask(session, site, places=["/mill"])
        assert [short(page["url"]) for page in shown(session)["pages"]] == ["/mill"]


def test_pages_of_one_payload_are_each_shown_with_their_own_text():
    """The first conversion of a payload stood for every page that had it, of whatever type."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/a"] = (200, {"Content-Type": "text/plain"}, "# Mills\n\nThe tide mill.\n")
        site.pages["/b"] = (200, {"Content-Type": "text/markdown"}, "# Mills\n\nThe tide mill.\n")
        session.fetch_many([site.url + "/a", site.url + "/b"], allow_private=("127.0.0.1",))
        stored = {r.body.url: r.body for r in session.records() if r.kind == "conversion"}
        assert len({made.media_type for made in stored.values()}) == 2
        for page in shown(session)["pages"]:
            made = stored[page["url"]]
            assert (page["text"], page["media_type"]) == (made.text and made.text.blob, made.media_type)


def test_turns_are_told_apart_whatever_became_of_them():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        session.fetch(site.url + "/gate", allow_private=("127.0.0.1",))
        with pytest.raises(KeyboardInterrupt):
            ask(session, site, progress=_press)
        site.pages["/search"] = (500, HTML, "")
        with pytest.raises(ProviderError):
            ask(session, site)
        found = [(view.number, view.purpose, view.state, view.outcome) for view in views(session)]
        assert found == [
            (1, "search", "end", "ok"),
            (2, "fetch", "end", "ok"),
            (3, "search", "discarded", ""),
            (4, "search", "end", "unavailable"),
        ]
        assert shown(session, 2)["detail"] == "KeyboardInterrupt"
        assert "no search provider answered" in shown(session, 3)["detail"]


def _press(_: object) -> None:
    raise KeyboardInterrupt


def test_turn_under_way_is_open():
    with opened() as archive:
        session = archive.session()
        with session.ledger.turn("search") as turn:
            assert shown(session)["state"] == "open"
            from searchlog.records import Turn

            turn.end(lambda _: (None, []), Turn(state="end", outcome="ok"))
        assert shown(session)["state"] == "end"


def test_calls_of_tools_are_shown_in_their_turn_with_what_they_were_told():
    with at_work() as (_, _, session, tool):
        told = tool.call("web_search", {"query": "tide mill pond gate"}, api="anthropic", call_id="toolu_1")
        tool.call("open_page", {"page": "nowhere", "start": 0}, api="anthropic", call_id="toolu_2")
        found, failed = (calls for number in range(len(views(session))) if (calls := shown(session, number)["calls"]))
        assert told.evidence
        size, content = found[0].pop("bytes"), found[0].pop("content")
        assert session.ledger.blobs.get(Digest(content)) == told.text.encode()
        assert size == len(told.text.encode())
        assert found == [
            {
                "name": "web_search",
                "api": "anthropic",
                "call_id": "toolu_1",
                "outcome": "ok",
                "error": None,
                "evidence": told.evidence,
                "fidelity": None,
            }
        ]
        assert [(one["name"], one["call_id"], one["outcome"]) for one in failed] == [("open_page", "toolu_2", "error")]
        assert failed[0]["error"]


def test_specimens_are_shown():
    ledger = specimen_session()
    (view,) = turn_views(ledger.records())
    value = view.to_json(ledger.load)
    assert (value["query"], value["evidence"][0]["id"], value["pages"][0]["url"]) == ("tide mill gate", "e1", URL)
    assert view.rendering is not None
    assert view.selection is not None


def test_spilled_fields_are_shown_whole():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        places = [{"url": site.url + path, "title": "t", "content": "x" * 9000} for path in TEXTS] * 3
        ask(session, site, places=places)
        assert len(shown(session)["runs"][0]["results"]) == 12
        texts = [event.text for event in told(session, site.url + "/mill")]
        assert sum(text.startswith("searxng gave it at rank") for text in texts) == 3


# --- why


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def test_all_that_became_of_a_page_is_told_in_order():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "tide mill gate", ["/mill", "/gate"])
        events = told(session, site.url + "/mill")
        assert [event.seq for event in events] == sorted(event.seq for event in events)
        assert kinds(events)[0] == "run"
        assert {"decision", "capture", "conversion", "evidence"} <= set(kinds(events))
        texts = [event.text for event in events]
        assert texts[0] == "searxng gave it at rank 1: Result 1"
        assert any(text.startswith("filter: kept") for text in texts)
        assert any(text.startswith("read: kept (") for text in texts), texts
        assert any("complete HTTP 200" in text for text in texts)
        assert any(text.endswith("are evidence") for text in texts)
        assert {event.turn for event in events} == {search.turn}


def test_page_is_known_by_its_comparison_key():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill?utm_source=news"])
        assert kinds(told(session, site.url.replace("http", "HTTP") + "/mill"))
        assert told(session, site.url + "/other") == []


def test_redirect_is_followed_to_what_became_of_its_target():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/old"] = (301, {"Location": "/mill"}, "")
        ask(session, site, places=["/old"])
        events = told(session, site.url + "/old")
        captured = [event.text.split(" ")[0] for event in events if event.kind == "capture"]
        assert captured == ["robots", "page", "page"]
        assert "evidence" in kinds(events)


def test_reason_of_each_drop_is_told():
    with serve(pages(), hang={"/hang"}) as site, opened() as archive:
        session = archive.session()
        site.pages["/copy"] = site.pages["/mill"]
        site.pages["/hidden"] = (200, HTML, "<p hidden>The tide mill is hidden.</p><p>Nothing to see.")
        site.pages["/empty"] = (200, HTML, "<script>1</script>")
        places = ["/mill", "/copy", "/hidden", "/absent", "/hang", "/empty", "ftp://127.0.0.1/x", "/gate", "/pond"]
        ask(session, site, places=places, soft_s=0.3, pages=7)
        said = {
            "/copy": "sources: dropped: duplicate-",
            "/hidden": "visible: dropped: hidden (why attribute",
            "/absent": "read: dropped: http-404",
            "/hang": "read: dropped: cut-deadline",
            "/empty": "no text: no-text",
            "ftp://127.0.0.1/x": "filter: dropped: unsafe-scheme",
            "/pond": "filter: dropped: limit",
        }
        for place, text in said.items():
            url = site.url + place if place.startswith("/") else place
            texts = [event.text for event in told(session, url)]
            assert any(line.startswith(text) for line in texts), (place, texts)


def test_passages_are_told_of_the_page_they_stand_on():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS), budget_tokens=25)
        dropped = [e for path in TEXTS for e in told(session, site.url + path) if "budget: dropped" in e.text]
        assert dropped
        assert all(event.fields["subject"].count(":") == 1 for event in dropped)


def test_events_are_json():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=list(TEXTS))
        for event in told(session, site.url + "/mill"):
            assert json.loads(json.dumps(event.fields)) == event.fields


def test_nothing_is_known_of_a_page_nobody_named():
    items: list[Record] = list(specimen_session().records())
    assert why("http://nowhere.example/", items, lambda value: value, comparison_key) == []


def test_records_of_another_writer_are_told_as_far_as_they_go():
    """A result without a URL, a decision without its subject, or a source that is none ended `why` as a bug."""
    from searchlog import records as kinds
    from searchlog.ledger import Draft

    ledger = specimen_session()
    run = kinds.Run(provider="p", outcome="ok", results=[{}, {"url": 3}, {"url": URL, "text": "x", "seq": "y"}])
    step = {"step": "filter", "rule": "r/1", "in_count": 1, "kept_count": 1, "dropped_count": 0, "reasons": {}}
    odd = kinds.Decision(
        items=[{}, {"subject": "9:1-2"}, {"subject": URL}, {"subject": "0:1-2"}], sources=[URL], **step
    )
    ledger.add([Draft(run), Draft(odd)])
    new = [event for event in why(URL, ledger.records(), ledger.load, comparison_key) if event.seq >= 14]
    assert [event.text for event in new] == ["p gave it at rank None: ", "filter: dropped", "filter: dropped"]
    assert why(URL, list(ledger.records())[14:], lambda _: None, comparison_key) == []
    assert why(URL, list(ledger.records())[14:], lambda _: 3, comparison_key) == []
