"""Who tells main text from furniture: the names of elements, the rule of `main_text.py`, or trafilatura as well. Pure.

The policy alone: when each is asked and whose word counts. What they look at is theirs (`main_text.py`, `opinion.py`);
they are imported when a page needs them.
"""

from __future__ import annotations

from dataclasses import replace

from searchlog.extract.conversion import Conversion
from searchlog.extract.elements import Layout

__all__ = ["labelled"]

_SURE = 91
"""Expected F1, in percent, from which trafilatura is not asked. It costs as much as four pages; asked
about one in twenty it lifts articles nearly as much as asked about all."""


def labelled(result: Conversion, layout: Layout, markup: str, url: str, labels: str) -> Conversion:
    """Return the conversion with its main text told from furniture; as it came, where no rule is asked or can tell.

    markup: the decoded page that the text is of; parsed again when trafilatura is asked. labels: as in
    `ConvertOptions.labels`.
    """
    if labels == "structure":
        return result
    from searchlog.extract import main_text, opinion

    main = main_text.main_text(result.text, result.blocks, layout, result.metadata, url)
    if main is None:
        return result
    path = main_text.RULE
    if labels == "trafilatura" and main.page_type in ("article", "documentation") and main.expected_percent() < _SURE:
        if not opinion.is_readable(markup):
            result = replace(result, warnings=(*result.warnings, "labels-too-deep"))
        elif keeps := opinion.kept(markup, [result.text[b.start : b.end] for b in result.blocks if b.hidden is None]):
            main, path = main.with_opinion(keeps), f"{path} {opinion.name()}"
    blocks = main_text.label(result.blocks, main.is_main())
    return replace(result, blocks=blocks, labels=path, page_type=main.page_type)
