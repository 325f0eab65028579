"""What differs between two turns: what was asked, who answered what, which pages, which evidence. Pure.

Everything is computed from two `TurnView`s, so the same query at two times, by two providers or in two sessions can be
held against each other, wherever their records lie. When something was asked or captured is no difference.

Things are matched by what they are: runs by provider and number of the text, results and pages by the comparison key of
their URL (of a page that which the fetch began with), evidence by the digest of the passage and then by likeness on the
same page. In each section `a = both + only_a + unknown_a`, and the same of b; the items are those that differ or may,
and swapping the two sides swaps the answer and nothing else. Shown by test_compare.py.

Of a side records may not be here, left out of a snapshot or erased. Nothing tells of what kind they were, so a kind of
which all are here has to be shown by what is: by a rendering that names all evidence, a fused list that has all
results, a query that names its providers. What is not here never makes a difference.
"""

from searchlog.compare.comparison import Comparison, compare
from searchlog.compare.section import Section, Side
from searchlog.wording.words import word_diff

__all__ = ["Comparison", "Section", "Side", "compare", "word_diff"]
