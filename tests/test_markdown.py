"""Markdown blocks over the unchanged source."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert
from searchlog.extract.markdown import markdown_blocks

SOURCE = """\
---
title: x
---

# Title #

Some *text*
over two lines.
## Sub
Setext
======

- one
  more of one
- two
    1. nested

  still two

> quoted
> twice

```python
def f():

    return "# no heading"
```

    indented code

| a | b |
|---|:-:|
| 1 | 2 |

***
end
"""


def test_blocks_have_kinds_levels_and_source_text() -> None:
    blocks = markdown_blocks(SOURCE)
    assert [(b.kind, b.level, SOURCE[b.start : b.end]) for b in blocks] == [
        ("code", 0, "---\ntitle: x\n---"),
        ("heading", 1, "# Title #"),
        ("paragraph", 0, "Some *text*\nover two lines."),
        ("heading", 2, "## Sub"),
        ("heading", 1, "Setext\n======"),
        ("list-item", 1, "- one\n  more of one"),
        ("list-item", 1, "- two"),
        ("list-item", 2, "1. nested"),
        ("paragraph", 0, "still two"),
        ("quote", 0, "> quoted\n> twice"),
        ("code", 0, '```python\ndef f():\n\n    return "# no heading"\n```'),
        ("code", 0, "    indented code"),
        ("table-row", 0, "| a | b |"),
        ("table-row", 0, "| 1 | 2 |"),
        ("paragraph", 0, "end"),
    ]
    items = [b for b in blocks if b.kind == "list-item"]
    rows = [b for b in blocks if b.kind == "table-row"]
    assert len({b.group for b in items}) == 1
    assert [b.head for b in rows] == [True, False]
    assert rows[0].group == rows[1].group != items[0].group


def test_conversion_keeps_the_source_and_takes_the_title_from_the_first_heading() -> None:
    result = convert(SOURCE.encode(), content_type="text/markdown; charset=utf-8", url="https://x.example/")
    assert isinstance(result, Conversion)
    assert result.text == SOURCE
    assert result.metadata.title == "Title"
    assert result.converter == "markdown/2"


def test_open_fence_runs_to_the_end() -> None:
    text = "~~~\ncode\n\nmore"
    assert [(b.kind, text[b.start : b.end]) for b in markdown_blocks(text)] == [("code", text)]


LINES = st.lists(
    st.sampled_from(
        [
            "",
            " ",
            "# h",
            "text",
            "- item",
            "  1. sub",
            "> q",
            "```",
            "~~~",
            "    code",
            "|a|b|",
            "|-|-|",
            "===",
            "---",
            "\t\r",
            "中文",
        ]
    ),
    max_size=25,
)


@given(LINES)
def test_blocks_are_ordered_and_hold_all_but_rules_and_blanks(lines: list[str]) -> None:
    text = "\n".join(lines)
    at = 0
    for block in markdown_blocks(text):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip(" \t\r\n-=|~_*")
        at = block.end
    assert not text[at:].strip(" \t\r\n-=|~_*")
