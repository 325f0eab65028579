"""Words out of marked-up fields and lists of names."""

from __future__ import annotations

from searchlog.search.answers.prose import joined, prose, unescaped, whole


def test_paragraphs_do_not_run_together() -> None:
    assert prose("One.<p>Two <b>bold</b>ly.</p><jats:p>Three&amp;</jats:p>") == "One. Two boldly. Three&"
    assert prose("a < b and <pre>c</pre>") == "a < b and c"
    assert prose(None) == prose(7) == ""


def test_references_are_resolved_once() -> None:
    assert unescaped("&amp;lt;b&amp;gt; &#39;") == "&lt;b&gt; '"
    assert unescaped(None) == ""


def test_of_many_names_the_first_are_told_and_the_rest_counted() -> None:
    assert joined([" A. Mill ", None, "", 7, "B"]) == "A. Mill, B"
    assert joined(f"n{number}" for number in range(9)) == "n0, n1, n2, n3, n4, n5 and 3 more"
    assert joined([]) == ""


def test_a_count_is_a_small_whole_number() -> None:
    assert [whole(value) for value in (0, 7, -1, True, 1.0, "7", 10**30, None)] == ["0", "7", *[""] * 6]
