"""Evidence that a session has given, gathered again for another model: the very blocks of the stored renderings."""

from __future__ import annotations

from collections.abc import Sequence

from searchlog import records
from searchlog.errors import FormatError, IntegrityError, UsageError
from searchlog.evidence.render import RENDERER, below, parse_rendering
from searchlog.ledger import Draft
from searchlog.recording import blob_ref
from searchlog.tokens import token_count
from searchlog.tool.result import Result
from searchlog.tool.seen import evidence_id
from searchlog.tool.shown import shown_result
from searchlog.tool.workplace import Workplace

__all__ = ["gathered"]

_LEAD = "Evidence that was gathered earlier in this session."


def gathered(work: Workplace, ids: Sequence[str]) -> Result:
    """Return evidence of this session by id, in the order of the ids; all in the order of the log when none is named.

    Each block stands as it stood when it was given last, byte for byte. That it is given again is recorded.
    Raises UsageError for an id that was never given, IntegrityError when a rendering is gone or altered, FormatError
    for one that does not hold what its record says.
    """
    seen = work.seen.refresh()
    evidence, shown = dict(seen.evidence), dict(seen.shown)
    wanted = list(dict.fromkeys(map(evidence_id, ids))) or list(evidence)
    unknown = [name for name in wanted if name not in shown or name not in evidence]
    if unknown:
        has = f"it has {next(iter(evidence))} to {list(evidence)[-1]}" if evidence else "it has none"
        raise UsageError(f"no evidence {', '.join(unknown)} was given in this session; {has}", ids=unknown)
    blocks: dict[str, str] = {}
    for rendering in {shown[name].text.blob: shown[name] for name in wanted}.values():
        text = seen.text_of(rendering)
        if text is None:
            raise IntegrityError(f"the rendering {rendering.text.blob} is gone or altered", digest=rendering.text.blob)
        for one in parse_rendering(text, rendering.form):
            if one.id in shown and shown[one.id].text.blob == rendering.text.blob:
                blocks[one.id] = text[one.start : one.end]
    absent = [name for name in wanted if name not in blocks]
    if absent:
        raise FormatError(f"the rendering that should show {', '.join(absent)} does not", ids=absent)
    lead = f"{_LEAD}\n{below(len(wanted))}\n" if wanted else "No evidence was gathered in this session yet.\n"
    text = lead + "".join(blocks[name] for name in wanted)
    data = text.encode("utf-8")
    work.session.ledger.blobs.put([data])
    body = records.Rendering(form=RENDERER, text=blob_ref(data), evidence=wanted, tokens=token_count(text))
    with work.session.ledger.turn("read") as turn:
        detail = f"{len(wanted)} passage{'' if len(wanted) == 1 else 's'} given again"
        end = records.Turn(state="end", outcome="ok", detail=detail)
        turn.end(lambda _: (None, [Draft(body, [seen.places[name] for name in wanted])]), end)
    return shown_result("web_search", text, RENDERER, work.seen.refresh().evidence, work.session.head)
