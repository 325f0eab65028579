"""Two turns held against each other: what differs is told, once, and the same from both sides."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from searchlog import records
from searchlog.compare import Comparison, Side, compare, word_diff
from searchlog.digest import digest
from searchlog.ledger import Record
from searchlog.records import BlobRef
from searchlog.search.fuse import comparison_key
from searchlog.session import Session
from searchlog.verify.contents import blob_refs
from searchlog.view import TurnView, turn_views
from tests.cassette import load
from tests.searches import HTML, TEXTS, ask, html, opened, pages, short
from tests.sites import serve

BLOB = BlobRef(blob="sha256:" + "0" * 64, bytes=1)


def plain(value: Any) -> Any:
    return value


def sides(session: Session, *turns: int) -> list[Side]:
    views = {view.number: view for view in turn_views(session.records())}
    return [Side(views[turn], session.ledger.load) for turn in turns]


def diff(session: Session, a: int = 1, b: int = 2) -> Comparison:
    found = compare(*sides(session, a, b))
    value = found.to_json()
    assert json.loads(json.dumps(value)) == value
    check(value)
    return found


def check(value: dict[str, Any]) -> None:
    """Assert that the numbers of each section add up."""
    for name in ("runs", "steps", "results", "pages", "evidence"):
        counts, items = value[name]["counts"], value[name]["items"]
        if not counts:
            assert name in value["not_compared"]
            continue
        of_one = ("only_a", "only_b", "unknown_a", "unknown_b")
        assert counts["a"] == counts["both"] + counts["only_a"] + counts["unknown_a"]
        assert counts["b"] == counts["both"] + counts["only_b"] + counts["unknown_b"]
        states = {key: count for key, count in counts.items() if key not in ("a", "b", "both", *of_one)}
        assert counts["both"] == sum(states.values())
        assert len(items) == sum(counts[key] for key in of_one) + counts["both"] - counts["same"]
        for side, other in (("a", "b"), ("b", "a")):
            alone = [item["state"] for item in items if item[other] is None]
            assert alone.count(f"only-{side}") == counts[f"only_{side}"]
            assert alone.count("unknown") == counts[f"unknown_{side}"] == len(alone) - counts[f"only_{side}"]
            assert not (counts[f"unknown_{side}"] and counts[f"only_{side}"])
            assert not counts[f"unknown_{side}"] or value[other]["incomplete"], "all is known of what is all here"
        for item in items:
            assert (item["a"] is None) == (
                item["state"] == "only-b" or (item["state"] == "unknown" and item["b"] is not None)
            )
            assert (item["b"] is None) == (
                item["state"] == "only-a" or (item["state"] == "unknown" and item["a"] is not None)
            )
            assert bool(item["changed"]) == (item["a"] is not None and item["b"] is not None)


def states(found: Comparison, section: str) -> dict[str, str]:
    return {short((item["a"] or item["b"])["url"]): item["state"] for item in found.sections[section].items}


# --- real searches


def test_search_asked_twice_does_not_differ():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=[*TEXTS])
        ask(session, site)
        found = diff(session)
        assert not found.differs
        assert found.complete
        assert found.to_json()["equal"]
        assert found.evidence.counts["same"] == found.evidence.counts["both"] == len(TEXTS)


def test_every_search_of_a_cassette_equals_itself_and_no_other():
    ledger, _ = load("lighthouse")
    views = turn_views(ledger.records())
    for view in views:
        assert not compare(Side(view, ledger.load), Side(view, ledger.load)).differs
    found = compare(Side(views[0], ledger.load), Side(views[1], ledger.load))
    check(found.to_json())
    assert found.differs
    assert [item["what"] for item in found.asked] == ["query"]


def test_results_in_and_out_and_moved_are_told():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill", "/gate", "/pond"])
        ask(session, site, places=["/pond", "/gate", "/wheel"])
        found = diff(session)
        assert states(found, "results") == {"/mill": "only-a", "/pond": "moved", "/wheel": "only-b"}
        (pond,) = [item for item in found.results.items if item["state"] == "moved"]
        assert (pond["a"]["rank"], pond["b"]["rank"]) == (3, 1)
        assert pond["changed"] == ["rank", "rank:searxng", "title"]
        assert states(found, "pages") == {"/mill": "only-a", "/wheel": "only-b"}
        assert states(found, "evidence") == {"/mill": "only-a", "/wheel": "only-b"}
        assert found.asked == []


def test_url_written_otherwise_is_the_same_result():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        ask(session, site, places=["/mill?utm_source=x"])
        assert diff(session).results.counts["both"] == 1


def test_what_was_asked_otherwise_is_told():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, "tide mill", [*TEXTS])
        ask(session, site, "tide mill gate", count=4, budget_tokens=40, also=["ebb gate"])
        asked = {item["what"]: (item["a"], item["b"]) for item in diff(session).asked}
        assert asked["query"] == ("tide mill", "tide mill gate")
        assert asked["also"] == ([], ["ebb gate"])
        assert asked["options.count"] == (10, 4)
        assert asked["policy.budget_tokens"][1] == 40
        runs = diff(session).runs
        assert [(item["run"], item["state"]) for item in runs.items] == [
            ("searxng", "changed"),
            ("searxng#2", "only-b"),
        ]
        assert runs.items[0]["changed"] == ["ignored"], "it cannot count"


def test_provider_that_failed_is_told():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        site.pages["/search"] = (200, {"Content-Type": "application/json"}, '{"results": []}')
        ask(session, site)
        found = diff(session)
        (run,) = found.runs.items
        assert (run["run"], run["a"]["outcome"], run["b"]["outcome"], run["b"]["results"]) == (
            "searxng",
            "ok",
            "empty",
            0,
        )
        assert (found.a["outcome"], found.b["outcome"]) == ("ok", "empty")


def test_page_that_changed_is_told_with_its_words():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill", "/gate", "/pond", "/wheel"])
        old = "The tide mill stores the flood in a pond."
        site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("a pond", "a basin"), "mill"))
        site.pages["/gate"] = (200, HTML, html(TEXTS["/gate"], "gate") + "<!-- served at noon -->")
        site.pages["/pond"] = (404, HTML, html("gone"))
        ask(session, site, cache_max_age_s=0)
        found = diff(session)
        assert states(found, "pages") == {"/mill": "changed", "/gate": "same-text", "/pond": "changed"}
        changed = {short(item["a"]["url"]): item["changed"] for item in found.pages.items}
        assert changed == {
            "/mill": ["payload", "text"],
            "/gate": ["payload"],
            "/pond": ["status", *changed["/pond"][1:]],
        }
        (mill,) = [item for item in found.evidence.items if item["state"] == "changed"]
        assert mill["a"]["exact"].startswith(old)
        words = "".join({"-": f"[{text}]", "+": f"{{{text}}}"}.get(sign, text) for sign, text in mill["words"])
        assert "in a [pond. ]{basin. }Its gate shuts" in words
        assert states(found, "evidence")["/pond"] == "only-a"


def test_passage_that_stands_elsewhere_has_moved():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill", "/gate"])
        site.pages["/mill"] = (200, HTML, html("A word first.</p><p>" + TEXTS["/mill"], "mill"))
        site.pages["/copy"] = (200, HTML, html(TEXTS["/gate"], "gate"))
        ask(session, site, places=["/mill", "/copy"])
        found = diff(session)
        assert found.evidence.counts["both"] == 2
        moved = {short(item["b"]["url"]): item["changed"] for item in found.evidence.items if item["state"] == "moved"}
        assert "url" in moved["/copy"]
        assert found.evidence.counts["only_a"] == 0


def test_fetches_can_be_compared():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        for text in ("one", "two"):
            site.pages["/a"] = (200, HTML, html(text))
            session.fetch(site.url + "/a", allow_private=("127.0.0.1",), cache_max_age_s=0)
        found = diff(session)
        assert states(found, "pages") == {"/a": "changed"}
        assert found.results.counts["both"] == 0


def test_list_that_cannot_be_read_is_not_compared():
    ledger, _ = load("lighthouse")
    (view, *_) = turn_views(ledger.records())
    fuse = next(step for step in view.steps if step.step == "fuse")
    fuse_gone = TurnView(view.session, view.number, query=view.query, steps=[fuse.model_copy(update={"items": BLOB})])

    def gone(value: Any) -> Any:
        return None if isinstance(value, BlobRef) else value

    found = compare(Side(fuse_gone, gone), Side(view, ledger.load))
    check(found.to_json())
    assert found.not_compared == ["results"]
    assert not found.complete
    run_gone = TurnView("s", 1, runs=[view.runs[0].model_copy(update={"results": BLOB})])
    assert "runs" in compare(Side(run_gone, gone), Side(run_gone, gone)).not_compared


def test_side_with_records_that_are_not_there_is_never_equal():
    ledger, _ = load("lighthouse")
    (view, *_) = turn_views(ledger.records())
    found = compare(Side(view, ledger.load, incomplete=True), Side(view, ledger.load))
    assert not found.differs
    assert not found.complete
    assert not found.to_json()["equal"]


# --- what is not here


def parts_of(session: Session, turn: int, gone: Callable[[Record], bool]) -> Side:
    """Return one side with the records left out of which this is true."""
    kept = [record for record in session.records() if record.envelope.turn == turn and not gone(record)]
    views = turn_views(kept)
    return Side(views[0] if views else TurnView(session.id, turn), session.ledger.load, incomplete=True)


def of_kinds(*kinds: str) -> Callable[[Record], bool]:
    return lambda record: record.kind in kinds


def told(a: Side, b: Side) -> Comparison:
    found = compare(a, b)
    check(found.to_json())
    assert not found.complete
    return found


def test_what_is_not_here_is_unknown_and_no_difference():
    """A run that was left out was told as a provider that was not asked, and a query as forty options of none."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=[*TEXTS])
        (whole,) = sides(session, 1)
        found = told(whole, parts_of(session, 1, of_kinds("query", "run", "evidence", "turn")))
        assert not found.differs
        assert (found.asked, found.not_compared) == ([], ["asked"])
        assert found.b["not_here"] == ["asked", "outcome", "runs", "steps", "pages", "evidence"]
        assert [found.b[name] for name in ("purpose", "state", "outcome", "began_at", "query")] == [None] * 5
        assert found.runs.counts["unknown_a"] == 1
        assert found.evidence.counts["unknown_a"] == len(TEXTS)
        assert {item["state"] for item in found.evidence.items} == {"unknown"}
        assert found.results.counts["same"] == len(TEXTS)


def test_difference_that_is_here_is_told_though_not_all_is_here():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill", "/gate"])
        site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("a pond", "a basin"), "mill"))
        ask(session, site, places=["/mill", "/wheel"], cache_max_age_s=0)
        (whole,) = sides(session, 1)
        found = told(whole, parts_of(session, 2, of_kinds("query", "run")))
        assert found.differs
        assert states(found, "pages") == {"/mill": "changed", "/gate": "unknown", "/wheel": "only-b"}
        assert states(found, "evidence") == {"/mill": "changed", "/gate": "only-a", "/wheel": "only-b"}
        assert states(found, "results") == {"/gate": "only-a", "/wheel": "only-b"}
        found = told(whole, parts_of(session, 2, of_kinds("rendering", "conversion")))
        assert states(found, "evidence") == {"/mill": "changed", "/gate": "unknown", "/wheel": "only-b"}
        assert {short(item["b"]["url"]): item["changed"] for item in found.pages.items if item["b"]} == {
            "/mill": ["payload"],
            "/wheel": [],
        }
        assert found.b["not_here"] == ["steps", "pages", "evidence"]


def test_of_two_parts_no_passage_is_told_as_another_altered():
    """What one of them has may be among what is not here of the other, word for word."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("a pond", "a basin"), "mill"))
        ask(session, site, cache_max_age_s=0)
        one, two = (parts_of(session, turn, of_kinds("rendering")) for turn in (1, 2))
        found = told(one, two)
        assert [(item["state"], item["a"] is None) for item in found.evidence.items] == [
            ("unknown", False),
            ("unknown", True),
        ]


def test_within_a_session_an_id_says_which_passage_it_is():
    """The same words at the same place of two readings of a page were paired in their order, whichever was left out."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        (whole,) = sides(session, 1)
        first = whole.view.evidence[0]
        second = first.model_copy(update={"id": "e9", "published": "2026-01-01"})
        whole.view.evidence.append(second)
        part = Side(replace(whole.view, evidence=[second]), whole.load, incomplete=True)
        for a, b in ((whole, part), (part, whole)):
            found = told(a, b)
            assert not found.differs
            assert found.evidence.counts["same"] == 1


def test_turn_of_which_nothing_is_here_is_no_difference():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        ask(session, site, places=["/mill"])
        (whole,) = sides(session, 1)
        found = told(Side(TurnView(session.id, 0), session.ledger.load, incomplete=True), whole)
        assert not found.differs
        assert found.a["turn"] is None


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_no_part_of_a_turn_differs_from_it_nor_from_another_part(data):
    ledger, _ = load("lighthouse")
    turn = data.draw(st.integers(1, 2))
    whole = [record for record in ledger.records() if record.envelope.turn == turn]
    blobs = sorted({ref["blob"] for record in whole for ref in blob_refs(record.envelope.body)})

    def part() -> Side:
        kept = data.draw(st.lists(st.booleans(), min_size=len(whole), max_size=len(whole)))
        gone = data.draw(st.sets(st.sampled_from(blobs)))

        def partly(value: Any) -> Any:
            return None if isinstance(value, BlobRef) and value.blob in gone else ledger.load(value)

        views = turn_views(record for record, here in zip(whole, kept, strict=True) if here)
        return Side(views[0] if views else TurnView(ledger.session, 0), partly, incomplete=True)

    one, two, all_of_it = part(), part(), Side(turn_views(whole)[0], ledger.load)
    for a, b in ((all_of_it, one), (one, all_of_it), (one, two)):
        assert not told(a, b).differs


# --- any two turns


URLS = [f"https://{host}.example.org/{path}" for host in "ab" for path in ("", "x", "x?utm_source=y")]
WORDS = ["tide", "mill", "gate", "pond", "ebb", "江", "塔"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
DIGEST = st.sampled_from(["sha256:" + char * 64 for char in "abc"])


@st.composite
def turns(draw: st.DrawFn) -> Side:
    view = TurnView("s1", draw(st.integers(1, 2)), "search", "end", draw(st.sampled_from(["ok", "empty"])), "", "then")
    providers = draw(st.lists(st.sampled_from(["brave", "kagi"]), unique=True, max_size=2))
    view.query = records.Query(
        text=draw(TEXT),
        options={"count": draw(st.integers(1, 2))},
        providers=providers,
        mode="fuse",
        policy={"a": {"b": 1}},
    )
    ranked = draw(st.lists(st.sampled_from(URLS), max_size=5, unique=True))
    for provider in providers:
        results = [
            {"rank": n, "url": url, "title": draw(st.sampled_from(WORDS[:2]))} for n, url in enumerate(ranked, 1)
        ]
        view.runs.append(
            records.Run(provider=provider, outcome=draw(st.sampled_from(["ok", "timeout"])), results=results)
        )
    items = [
        {"subject": url, "kept": True, "fused_rank": n, "ranks": " ".join(f"{name}:{n}" for name in providers)}
        for n, url in enumerate(draw(st.permutations(ranked)), 1)
    ]
    count = len(items)
    view.steps.append(
        records.Decision(
            step="fuse", rule="r", in_count=count, kept_count=count, dropped_count=0, reasons={}, items=items
        )
    )
    for url in ranked:
        payload = draw(DIGEST)
        view.captures.append(
            records.Capture(
                url=url, asked=url, purpose="page", hop=0, final=True, outcome="complete", status=200,
                payload=BlobRef(blob=payload, bytes=1),
            )
        )  # fmt: skip
        text = BlobRef(blob=draw(DIGEST), bytes=1)
        view.conversions.append(records.Conversion(url=url, payload=payload, text=text, title=draw(TEXT)))
    for number, text in enumerate(draw(st.lists(TEXT, max_size=5)), 1):
        start = draw(st.integers(0, 2))
        view.evidence.append(
            records.Evidence(
                id=f"e{number}", exact=text, prefix="", suffix="", start=start, end=start + len(text),
                digest=digest(text.encode()), text=draw(DIGEST), payload=draw(DIGEST), url=draw(st.sampled_from(URLS)),
                title="", source_kind="page", captured_at="then", score="1", tokens=1, link="",
                published=draw(st.none() | st.just("2026-01-01")),
            )
        )  # fmt: skip
    return Side(view, plain)


def mirrored(value: dict[str, Any]) -> dict[str, Any]:
    """Return the comparison as it must be with the sides exchanged."""
    pairs = [("a", "b"), ("only_a", "only_b"), ("only-a", "only-b"), ("unknown_a", "unknown_b")]
    swap = dict(pairs) | {b: a for a, b in pairs}
    signs = {"=": "=", "-": "+", "+": "-"}

    def item(one: dict[str, Any]) -> dict[str, Any]:
        out = {swap.get(name, name): told for name, told in one.items()}
        out["state"] = swap.get(one.get("state", ""), one.get("state"))
        if out.get("words"):
            out["words"] = sorted([signs[sign], text] for sign, text in out["words"])
        return out

    out = {**value, "a": value["b"], "b": value["a"], "asked": [item(one) for one in value["asked"]]}
    for name in ("runs", "steps", "results", "pages", "evidence"):
        part = value[name]
        counts = {swap.get(key, key): count for key, count in part["counts"].items()}
        out[name] = {"counts": counts, "items": [item(one) for one in part["items"]]}
    return out


def sorted_items(value: dict[str, Any]) -> dict[str, Any]:
    """Return it with items in an order that no side rules."""
    out = {**value}
    for name in ("runs", "steps", "results", "pages", "evidence"):
        items = [
            {**one, **({"words": sorted(one["words"])} if one.get("words") else {})} for one in value[name]["items"]
        ]
        out[name] = {**value[name], "items": sorted(items, key=lambda one: json.dumps(one, sort_keys=True))}
    return out


@given(turns())
@settings(deadline=None)
def test_turn_does_not_differ_from_itself(side):
    found = compare(side, side)
    check(found.to_json())
    assert not found.differs
    assert found.to_json()["equal"]


@st.composite
def parts(draw: st.DrawFn, side: Side) -> Side:
    """Return a side with some of its records left out."""

    def some(items: list[Any]) -> list[Any]:
        return [item for item in items if draw(st.booleans())]

    view = side.view
    part = TurnView(view.session, view.number)
    if draw(st.booleans()):
        part.purpose, part.began_at = view.purpose, view.began_at
    if draw(st.booleans()):
        part.state, part.outcome, part.ended_at = view.state, view.outcome, "then"
    part.query = draw(st.sampled_from([view.query, None]))
    part.runs, part.steps, part.captures = some(view.runs), some(view.steps), some(view.captures)
    part.conversions, part.evidence = some(view.conversions), some(view.evidence)
    names = [item.id for item in view.evidence]
    rendering = records.Rendering(form="render/4", text=BLOB, evidence=names, tokens=1)
    part.rendering = draw(st.sampled_from([rendering, None]))
    return Side(part, side.load, incomplete=True)


@given(turns(), st.data())
@settings(deadline=None, max_examples=300)
def test_no_part_of_any_turn_differs_from_it(side, data):
    part = data.draw(parts(side))
    for a, b in ((side, part), (part, side)):
        assert not told(a, b).differs


@given(turns(), turns(), st.data())
@settings(deadline=None, max_examples=300)
def test_parts_of_two_turns_differ_only_where_the_turns_do(a, b, data):
    """Of a page that was fetched twice the later fetch is compared; where that is not here, the earlier one is."""
    for side in (a, b):
        keys = [comparison_key(item.asked) for item in side.view.captures]
        assume(len(keys) == len(set(keys)))
    whole, partly = compare(a, b), told(a, data.draw(parts(b)))
    if partly.differs:
        assert whole.differs
    assert partly.asked in ([], whole.asked, [item for item in whole.asked if item["what"] != "purpose"])
    for name, section in partly.sections.items():
        assert section.counts["both"] <= whole.sections[name].counts["both"] or name == "evidence"


@given(turns(), turns(), st.data())
@settings(deadline=None, max_examples=300)
def test_exchanging_parts_exchanges_the_answer(a, b, data):
    one, two = data.draw(parts(a)), data.draw(parts(b))
    there, back = told(one, two).to_json(), told(two, one).to_json()
    wanted = mirrored(there)
    for item in wanted["asked"]:
        item.pop("state")
    assert sorted_items(back) == sorted_items(wanted)


@given(turns(), turns())
@settings(deadline=None, max_examples=300)
def test_exchanging_the_sides_exchanges_the_answer_and_the_numbers_add_up(a, b):
    there, back = compare(a, b).to_json(), compare(b, a).to_json()
    check(there)
    wanted = mirrored(there)
    for one in wanted["asked"]:
        one.pop("state")
    assert sorted_items(back) == sorted_items(wanted)


@given(st.text(max_size=40), st.text(max_size=40))
@settings(deadline=None)
def test_word_diff_of_short_texts_holds_both(a, b):
    words = word_diff(a, b)
    assert words is not None
    if all("… " not in text for _, text in words):
        assert "".join(text for sign, text in words if sign in "=-") == a
        assert "".join(text for sign, text in words if sign in "=+") == b


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("the pond is full", "the pond was full", [["=", "the pond "], ["-", "is "], ["+", "was "], ["=", "full"]]),
        ("江心屿双塔建于唐代", "江心屿双塔建于宋代", [["=", "… 双塔建于"], ["-", "唐"], ["+", "宋"], ["=", "代"]]),
        ("same", "same", [["=", "same"]]),
        ("", "new", [["+", "new"]]),
    ],
)
def test_word_diff_is_short(a, b, words):
    assert word_diff(a, b) == words


def test_long_or_unreadable_text_has_no_word_diff():
    assert word_diff("a " * 700, "b") is None
    assert word_diff(None, "b") is None
