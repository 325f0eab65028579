"""From runs to candidates and from pages to evidence: nothing is lost, and equal in gives equal out."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchlog.digest import digest, text_digest
from searchlog.evidence.render import Notes
from searchlog.evidence.select import Policy
from searchlog.extract.conversion import Conversion, Dated, Metadata
from searchlog.extract.pool import InProcess
from searchlog.flow.choose import Chosen, TextPage, choose
from searchlog.flow.settings import Settings
from searchlog.flow.steps import answered, notes_of, outcome_of, shortlist
from searchlog.recording import decision_body, evidence_body
from searchlog.records import parse_body
from searchlog.search.decision import Step
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome
from tests.searches import HTML, PASSAGE_STEPS, TEXTS, html

AT = "2026-01-02T03:04:05.000000Z"


def page(text: str, url: str = "http://a.example/", **fields: object) -> TextPage:
    """Return a page of one paragraph."""
    made = InProcess().convert(html(text).encode(), HTML["Content-Type"], url, Settings().convert)
    assert isinstance(made, Conversion)
    return TextPage(url, made, digest(text.encode()), AT, **fields)  # type: ignore[arg-type]


def run(pages: list[TextPage], query: str = "tide mill", policy: Policy | None = None, **fields: object) -> Chosen:
    given: dict[str, object] = {"known_ids": {}, "first_number": 1}
    return choose(Query(query), pages, policy or Policy(), **(given | fields))  # type: ignore[arg-type]


PAGES = [page(text, f"http://a.example{path}") for path, text in TEXTS.items()]


def check_chain(steps: tuple[Step, ...], names: tuple[str, ...]) -> None:
    """Assert that in = kept + dropped at each step, that each takes in what the one before kept, and that it is told
    once for each item dropped why."""
    assert tuple(step.name for step in steps) == names
    for step in steps:
        assert step.in_count == step.kept_count + step.dropped_count
        assert step.dropped_count == sum(not decision.kept for decision in step.decisions)
        body = decision_body(step)
        assert sum(body.reasons.values()) == step.dropped_count
        assert parse_body("decision", body.to_json()) == body
    for before, after in pairwise(steps):
        assert after.in_count == before.kept_count, (before.name, after.name)


def check_evidence(made: Chosen) -> None:
    passages = tuple(step for step in made.selection.steps if step.name != "sources")
    check_chain(passages, PASSAGE_STEPS)
    assert passages[-1].kept_count == len(made.selection.chosen) == len(made.evidence)
    for item in made.evidence:
        assert item.text == item.source.text[item.passage.start : item.passage.end]
        assert item.digest == text_digest(item.text)
        assert item.source.text_digest == text_digest(item.source.text)
        body = evidence_body(item)
        assert parse_body("evidence", body.to_json()) == body


# --- choose


def test_evidence_comes_from_the_pages_that_speak_of_it():
    made = run(PAGES, "mill")
    check_evidence(made)
    assert {item.source.url[17:] for item in made.evidence} == {"mill", "gate", "pond"}
    assert [item.id for item in made.evidence] == ["e1", "e2", "e3"]


def test_known_passages_keep_their_ids_and_new_ones_count_on():
    first = run(PAGES[:1])
    known = {(i.source.text_digest, i.passage.start, i.passage.end): "e7" for i in first.evidence}
    made = run(PAGES[:2], known_ids=known, first_number=9)
    assert {item.source.url[-4:]: item.id for item in made.evidence} == {"mill": "e7", "gate": "e9"}


def test_title_and_date_of_the_page_come_before_the_providers():
    bare = page("The tide mill.", title="given", published="2020-01-01", published_source="a:date")
    own = Metadata(title="own", published=Dated("2021-02-03", "time", "guessed"))
    said = replace(bare, conversion=replace(bare.conversion, metadata=own))
    (one,), (two,) = run([bare]).evidence, run([said]).evidence
    assert (one.source.title, one.source.published, one.source.published_source) == ("given", "2020-01-01", "a:date")
    assert (two.source.title, two.source.published, two.source.published_source) == ("own", "2021-02-03", "time")
    assert (one.source.published_sure, two.source.published_sure) == ("", "guessed")
    assert "published 2021-02-03 (time, guessed)" in run([said]).rendering.text


def test_date_too_long_to_be_one_leaves_with_its_source():
    """A crawl date of more than 100 characters left its source behind, which verify then told as a difference."""
    said = {"crawled": "x" * 101, "crawled_source": "a:seen", "published": "y" * 101, "published_source": "a:date"}
    (one,) = run([page("The tide mill.", **said)]).evidence
    source = one.source
    assert (source.crawled, source.crawled_source, source.published, source.published_source) == (None,) * 4


def test_page_that_nothing_matches_stands_in_and_says_so():
    made = run(PAGES, "zeppelin")
    assert made.selection.fallback
    assert made.evidence
    assert "No word of the query is on any page" in made.rendering.text
    check_evidence(made)


def test_no_pages_give_a_rendering_without_evidence():
    made = run([])
    assert (made.evidence, made.sources) == ((), ())
    assert "No word of the query" not in made.rendering.text
    check_evidence(made)


def test_budget_is_kept():
    for budget in (1, 10, 25, 1000):
        made = run(PAGES, policy=Policy(budget_tokens=budget))
        assert sum(item.tokens for item in made.evidence) <= budget or len(made.evidence) == 1
        check_evidence(made)


def test_copies_of_a_page_leave_with_a_reason():
    copies = [PAGES[0], page(TEXTS["/mill"], "http://b.example/"), page(TEXTS["/mill"] + " ", "http://c.example/")]
    made = run(copies)
    sources = made.selection.steps[0]
    assert (sources.in_count, sources.kept_count) == (3, 1)
    assert {decision.reason for decision in sources.decisions if not decision.kept} <= {
        "duplicate-text",
        "duplicate-payload",
    }
    check_evidence(made)


def test_notes_of_the_search_stand_above_the_evidence():
    made = run(PAGES, notes=Notes(searched=("searxng 4 results",), remarks=("a remark",)))
    assert "searxng 4 results" in made.rendering.text
    assert "a remark" in made.rendering.text


WORDS = st.sampled_from(
    [
        "tide",
        "mill",
        "gate",
        "pond",
        "潮",
        "水車",
        "מים",
        "wheel,",
        "of",
        "7",
        "42",
        "<b>",
        "[e1]",
        "\u200b",
        "```",
        "🌊",
    ]
)
PROSE = st.lists(WORDS, max_size=60).map(" ".join)
MARKUP = st.sampled_from(
    [
        "<p>{}</p>",
        "<li>{}",
        "<h2>{}</h2>",
        "<table><tr><td>{}<td>x</table>",
        "<p hidden>{}</p>",
        "<nav>{}</nav>",
        "<pre>{}</pre>",
        "<div style='display:none'>{}</div>",
        "{}",
    ]
)
BODIES = st.lists(st.tuples(MARKUP, PROSE), max_size=8).map(lambda rows: "".join(m.format(p) for m, p in rows))


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(BODIES, max_size=6),
    PROSE,
    st.builds(
        Policy,
        budget_tokens=st.integers(1, 400),
        passages_max=st.integers(1, 10),
        window=st.integers(1, 20),
        include_hidden=st.booleans(),
    ),
)
def test_nothing_is_lost_from_pages_to_evidence(bodies: list[str], query: str, policy: Policy):
    pages = []
    for number, body in enumerate([*bodies, *bodies[:1]]):  # the first page comes twice
        made = InProcess().convert(body.encode(), HTML["Content-Type"], f"http://{number}.example/", Settings().convert)
        if isinstance(made, Conversion):
            pages.append(TextPage(f"http://{number}.example/", made, digest(body.encode()), AT))
    made = run(pages, query or "x", policy)
    check_evidence(made)
    assert made.selection.steps[0].in_count == len(pages)
    again = run(pages, query or "x", policy)
    assert (again.rendering, again.evidence, again.selection) == (made.rendering, made.evidence, made.selection)
    if not policy.include_hidden:
        assert not any(label.startswith("hidden:") for item in made.evidence for label in item.passage.labels)


# --- shortlist

HOSTS = st.sampled_from(["a.example", "A.example", "b.example:80", "b.example", "münchen.example", "", "127.0.0.1"])
URLS = st.one_of(
    st.builds(
        "{}://{}{}{}".format,
        st.sampled_from(["http", "https", "ftp", "javascript", "HTTP", ""]),
        HOSTS,
        st.sampled_from(["", "/", "/a", "/a/", "/%61", "/a b", "/\u202e"]),
        st.sampled_from(["", "?", "?utm_source=x", "?gclid=1&q=1", "?q=1", "#top", "?q=1&q=2"]),
    ),
    st.sampled_from(["", " ", "http://", "http://[::1", "http://u:p@a.example/", "data:text/html,x", "//a.example/"]),
    st.text(max_size=20).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text)),
)
RESULTS = st.lists(st.tuples(URLS, st.text("abc", max_size=3)), max_size=12).map(
    lambda rows: tuple(Result(rank, url, title) for rank, (url, title) in enumerate(rows, 1))
)
RUNS = st.lists(
    st.builds(
        Run,
        provider=st.sampled_from(["one", "two", "three"]),
        outcome=st.sampled_from(list(RunOutcome)),
        results=RESULTS,
        dropped=st.lists(st.tuples(st.just("an advertisement"), st.just("advert")), max_size=3).map(tuple),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=300)
@given(
    RUNS,
    st.builds(Settings, pages=st.integers(1, 10), per_host_max=st.one_of(st.none(), st.integers(1, 3))),
    st.lists(st.sampled_from(["a.example", "b.example"]), max_size=1).map(tuple),
    st.lists(st.sampled_from(["a.example", "münchen.example"]), max_size=1).map(tuple),
)
def test_nothing_is_lost_from_runs_to_candidates(
    runs: list[Run], chosen: Settings, include: tuple[str, ...], exclude: tuple[str, ...]
):
    query = Query("tide mill", include_domains=include, exclude_domains=exclude)
    candidates, settled, steps = shortlist(runs, query, chosen)
    check_chain(steps, ("parse", "fuse", "filter"))
    parse, fuse, last = steps
    assert parse.in_count == sum(len(run.results) + len(run.dropped) for run in runs)
    assert fuse.in_count == sum(min(len(run.results), query.count) for run in runs)
    assert last.kept_count == len(candidates) <= chosen.pages
    assert len({candidate.key for candidate in candidates}) == len(candidates)
    assert [run.provider for run in settled] == [run.provider for run in runs]
    given_urls = {result.url for run in runs for result in run.results}
    assert {candidate.url for candidate in candidates} <= given_urls
    assert shortlist(runs, query, chosen) == (candidates, settled, steps)
    notes_of(settled, steps)
    assert outcome_of(settled, candidates, [], []) in (
        RunOutcome.DEGRADED,
        RunOutcome.EMPTY,
        RunOutcome.FILTERED_TO_EMPTY,
    )


def test_answer_is_told_from_no_answer():
    for outcome in RunOutcome:
        is_one = outcome in (RunOutcome.OK, RunOutcome.EMPTY, RunOutcome.FILTERED_TO_EMPTY)
        assert answered([Run("one", outcome)]) is is_one
        assert answered([Run("one", outcome, (Result(1, "http://a.example/"),))])
    assert not answered([])
