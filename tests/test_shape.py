"""What looks like a secret, and the words, names and dates that must never."""

from __future__ import annotations

import time

import pytest

from searchlog.shape import is_issued, is_mixed, is_strong, is_token, without_passwords

RANDOM = ["9f8e7d6c5b4a3f2e1d", "canary-5F2c9A1b7D", "ghp_canary5b2A66f0e1d2c3", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx"]
NAMES = [
    "tide-mills-2024-history", "iphone-15-pro-max-256gb", "bert-base-uncased-2018", "release-2024-10-stable",
    "python3.11-venv-site", "2024-10-12T10:00:00", "documentation-of-python", "/home/me/keys/2024", "a1b2",
]  # fmt: skip


@pytest.mark.parametrize("value", RANDOM)
def test_random_value_is_a_token(value: str) -> None:
    assert is_token(value)
    assert is_mixed(value)
    assert is_strong(value)


@pytest.mark.parametrize("value", NAMES)
def test_name_is_no_token(value: str) -> None:
    """A cookie, a parameter or a variable with a name in it had that name taken out of every page."""
    assert not is_token(value)
    assert not is_mixed(value)
    assert not is_issued(value)


def test_name_of_many_numbers_is_not_mixed() -> None:
    """Only together its pieces change often, as those of a token do."""
    assert is_token("a1-b2-c3-d4-e5-f6-g7")
    assert not is_mixed("a1-b2-c3-d4-e5-f6-g7")


def test_word_of_another_script_in_escapes_is_no_token() -> None:
    assert not is_token("%E6%BD%AE%E6%B1%90%E7%A3%A8%E5%9D%8A")


def test_key_of_a_known_issuer_is_known_by_how_it_begins() -> None:
    assert is_issued("sk-test-1234567890abcdef")
    assert not is_issued("sk-learn-documentation")
    assert not is_token("sk-test-1234567890abcdef")


@pytest.mark.parametrize(
    ("value", "strong"),
    [("research", False), ("research1", False), ("p@ssw0rd1", True), ("correct horse battery", True)],
)
def test_word_is_searched_for_nowhere(value: str, strong: bool) -> None:
    assert is_strong(value) is strong


def test_passwords_leave_a_message() -> None:
    text = "not an address: 'http://me:pw7@host/x', nor http:\\/\\/a:b@h"
    assert without_passwords(text) == "not an address: 'http://[redacted]@host/x', nor http:\\/\\/[redacted]@h"


def test_judging_costs_time_in_the_length_only() -> None:
    start = time.process_time()
    for piece in ("a1", "a", "-a1-", "%25", "=/"):
        is_token(piece * 500_000)
        is_mixed(piece * 500_000)
    assert time.process_time() - start < 5
