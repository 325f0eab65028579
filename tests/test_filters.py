"""Filters over candidates: each drop with its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture import guard
from searchlog.errors import UsageError
from searchlog.search.filters import Policy, filter_candidates, settle
from searchlog.search.fuse import Candidate, comparison_key, fuse
from searchlog.search.run import Result, Run, RunOutcome

ALL = Policy(limit=None)


def candidates(*urls: str) -> list[Candidate]:
    return [
        Candidate(rank, comparison_key(url), url, "", "", None, "0.01", (("p", rank),))
        for rank, url in enumerate(urls, 1)
    ]


def reasons(policy: Policy, *urls: str) -> list[str]:
    _, step = filter_candidates(candidates(*urls), policy)
    return [decision.reason for decision in step.decisions]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://a.example/", "kept"),
        ("HTTP://A.EXAMPLE/x?y#z", "kept"),
        ("http://127.0.0.1:8080/", "kept"),  # whether it may be dialled is decided in capture
        ("https://例え.example/", "kept"),
        ("javascript:alert(1)", "unsafe-scheme"),
        ("data:text/html,x", "unsafe-scheme"),
        ("file:///etc/hostname", "unsafe-scheme"),
        ("ftp://a.example/", "unsafe-scheme"),
        ("", "bad-url"),
        ("//a.example/", "bad-url"),
        ("a.example", "bad-url"),
        ("https:///x", "bad-url"),
        ("https://./", "bad-url"),
        ("https://a.example:99999/", "bad-url"),
        ("https://a.example:0/", "bad-url"),
        ("https://[::1/", "bad-url"),
        ("https://a.example/\r\nX: y", "bad-url"),
        ("https://a.example/a b", "bad-url"),
        (" https://a.example/", "bad-url"),
        ("https://a.example\\@b.example/", "bad-url"),
        ("https://a.example/\u202egpj.exe", "bad-url"),
        ("https://a.example/\ufffd", "bad-url"),
        ("https://a.example/" + "x" * 9_000, "bad-url"),
        ("https://user@a.example/", "credentials-in-url"),
        ("https://user:hunter2@a.example/", "credentials-in-url"),
        ("https://@a.example/", "credentials-in-url"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_each_url_has_its_reason(url: str, reason: str) -> None:
    assert reasons(ALL, url) == [reason]


def test_domain_rules_hold_for_the_domain_and_what_is_below_it() -> None:
    urls = ("https://a.example/", "https://www.a.example/", "https://nota.example/", "https://A.Example.:444/")
    assert reasons(Policy(exclude_domains=("a.example",)), *urls) == ["domain-excluded"] * 2 + [
        "kept",
        "domain-excluded",
    ]
    assert reasons(Policy(include_domains=("*.A.example",)), *urls) == ["kept"] * 2 + ["domain-not-included", "kept"]


def test_an_excluded_domain_below_an_included_one_is_excluded() -> None:
    policy = Policy(include_domains=("example",), exclude_domains=("b.example",))
    assert reasons(policy, "https://a.example/", "https://b.example/") == ["kept", "domain-excluded"]


def test_domain_rules_know_both_forms_of_an_international_name() -> None:
    policy = Policy(include_domains=("münchen.example",))
    assert reasons(policy, "https://xn--mnchen-3ya.example/", "https://MÜNCHEN.example/x") == ["kept", "kept"]


@pytest.mark.parametrize("rule", ["", "https://a.example/", "a.example/x", "a b", "me@a.example", "*"])
def test_a_rule_that_is_no_domain_is_a_usage_error(rule: str) -> None:
    with pytest.raises(UsageError, match="not a domain"):
        filter_candidates([], Policy(include_domains=(rule,)))


def test_limits_count_what_was_kept_and_name_themselves() -> None:
    urls = ("javascript:x", "https://a.example/1", "https://a.example/2", "https://b.example/", "https://c.example/")
    kept, step = filter_candidates(candidates(*urls), Policy(limit=2, per_host_max=1))
    assert [candidate.url for candidate in kept] == ["https://a.example/1", "https://b.example/"]
    assert [decision.reason for decision in step.decisions] == [
        "unsafe-scheme",
        "kept",
        "per-host-limit",
        "kept",
        "limit",
    ]
    assert step.decisions[4].numbers == {"rank": 5, "limit": 2}


def test_a_duplicate_that_was_not_merged_is_dropped() -> None:
    assert reasons(ALL, "https://a.example/", "http://a.example/?utm_id=1") == ["kept", "duplicate-url"]


def test_a_run_that_our_filters_emptied_says_so_and_a_limit_does_not_count() -> None:
    one = Run("one", RunOutcome.OK, (Result(1, "https://a.example/"),))
    two = Run("two", RunOutcome.OK, (Result(1, "https://b.example/"), Result(2, "https://b.example/2")))
    three = Run("three", RunOutcome.EMPTY)
    fused, _ = fuse([one, two, three])
    _, step = filter_candidates(fused, Policy(exclude_domains=("b.example",)))
    settled = settle([one, two, three], fused, step)
    assert [run.outcome for run in settled] == [RunOutcome.OK, RunOutcome.FILTERED_TO_EMPTY, RunOutcome.EMPTY]
    assert "two: answered with 2 results" in settled[1].detail
    _, step = filter_candidates(fused, Policy(limit=1))
    assert settle([one, two, three], fused, step) == (one, two, three)


PRIVATE = ("http://0x7f000001/", "http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/", "http://localhost/")


def test_what_capture_would_refuse_takes_no_place() -> None:
    """Results that lead to private addresses took places of the pages to read, and were refused only then."""
    urls = (*PRIVATE, "https://a.example/", "https://b.example/", "https://c.example/")
    kept, step = filter_candidates(candidates(*urls), Policy(limit=2), guard.refusal)
    assert [candidate.url for candidate in kept] == ["https://a.example/", "https://b.example/"]
    told = [decision.reason for decision in step.decisions]
    assert told == ["refused-url", *["refused-address"] * 4, "kept", "kept", "limit"]


def test_page_that_is_stored_already_is_not_refused() -> None:
    found = candidates("http://127.0.0.1:8080/", "http://127.0.0.1:8080/x")
    here = [replace(found[0], extra={"capture_session": "s", "capture_seq": "1"}), found[1]]
    assert [c.url for c in filter_candidates(here, ALL, guard.refusal)[0]] == ["http://127.0.0.1:8080/"]


def test_run_of_nothing_but_refused_urls_is_filtered_to_empty() -> None:
    run = Run("one", RunOutcome.OK, tuple(Result(rank, url) for rank, url in enumerate(PRIVATE, 1)))
    fused, _ = fuse([run])
    kept, step = filter_candidates(fused, Policy(), guard.refusal)
    assert kept == ()
    assert settle([run], fused, step)[0].outcome is RunOutcome.FILTERED_TO_EMPTY


_URL = st.sampled_from(
    [
        "https://a.example/",
        "http://a.example/",
        "https://b.a.example/x",
        "https://c.example/",
        "javascript:x",
        "",
        "http://[::1",
    ]
) | st.text(max_size=30)


@settings(max_examples=150, deadline=None)
@given(
    urls=st.lists(_URL, max_size=12),
    limit=st.none() | st.integers(0, 5),
    per_host=st.none() | st.integers(0, 3),
    exclude=st.sampled_from([(), ("a.example",)]),
)
def test_every_candidate_is_kept_or_dropped_and_the_order_stays(
    urls: list[str], limit: int | None, per_host: int | None, exclude: tuple[str, ...]
) -> None:
    given_candidates = candidates(*urls)
    policy = Policy(limit=limit, per_host_max=per_host, exclude_domains=exclude)
    kept, step = filter_candidates(given_candidates, policy)
    assert step.in_count == len(urls) == len(step.decisions)
    assert step.kept_count == len(kept)
    assert list(kept) == [c for c, d in zip(given_candidates, step.decisions, strict=True) if d.kept]
    assert filter_candidates(given_candidates, policy) == (kept, step)
    assert limit is None or len(kept) <= limit
    assert filter_candidates(kept, policy)[0] == kept
