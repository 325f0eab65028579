"""The tree of errors: whose fault, what fields, which code."""

from __future__ import annotations

import pytest

from searchlog import errors


def test_every_error_is_a_searchlog_error_with_a_code_of_its_own() -> None:
    found = [getattr(errors, name) for name in errors.__all__]
    assert all(issubclass(kind, errors.SearchlogError) for kind in found)
    assert len({kind.code for kind in found}) == len(found)


def test_the_tree_is_the_one_drawn() -> None:
    assert issubclass(errors.ConflictError, errors.StoreError)
    assert issubclass(errors.MissingError, errors.StoreError)
    for name in ("UsageError", "ProviderError", "FetchError", "FormatError", "IntegrityError", "StoreError"):
        assert getattr(errors, name).__mro__[1] is errors.SearchlogError
        assert name in (errors.__doc__ or "")


def test_fields_are_for_programs_and_the_message_for_people() -> None:
    error = errors.FormatError("seq of a record is -1", field="seq", found=-1)
    assert str(error) == "seq of a record is -1"
    assert error.fields == {"field": "seq", "found": -1}


def test_a_conflict_names_the_version_now() -> None:
    error = errors.ConflictError("s1", 3, 5)
    assert error.current == 5
    assert error.fields == {"session": "s1", "expected": 3, "current": 5}
    assert "s1" in str(error)
    assert "5" in str(error)
    assert "3" in str(error)


def test_a_provider_error_holds_every_attempt() -> None:
    attempts = [{"provider": "a", "outcome": "timeout"}, {"provider": "b", "outcome": "blocked"}]
    error = errors.ProviderError("no provider answered", attempts)
    assert error.attempts == attempts
    assert error.fields["attempts"] == attempts


@pytest.mark.parametrize("kind", [errors.UsageError, errors.FormatError, errors.StoreError, errors.IntegrityError])
def test_messages_are_kept_as_given(kind: type[errors.SearchlogError]) -> None:
    assert str(kind("no blob of that name: look at `searchlog sessions`")) == (
        "no blob of that name: look at `searchlog sessions`"
    )
    assert kind("x").fields == {}
