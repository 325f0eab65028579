"""`searchlog history`: what checks of past evidence found, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.errors import MissingError

if TYPE_CHECKING:
    from searchlog.archive import Archive
    from searchlog.recheck.keep import Kept
    from searchlog.verify.verdict import PassageVerdict


@click.command("history", epilog=options.examples("history", "history e7", "history e7 --session latest --json"))
@click.argument("evidence_id", required=False, metavar="[ID]")
@options.session_option(None, "; by default the newest that holds a search")
@options.archive_option
@options.json_option
def history_command(evidence_id: str | None, session_id: str | None, archive: str | None, as_json: bool) -> int:
    """Tell what became of a passage, check by check, or how each passage and answer of a session stood last.

    ID is a piece of evidence, such as e7: every check of it, oldest first. Without one: of each passage the last
    check on each axis, and where that could not look, the last that could. A check that came in a snapshot is what
    its sender says: it is told as such, and counts as the last only where none of your own does. A session may be
    that of a snapshot that was checked as a file.
    """
    with options.open_existing(archive) as opened:
        session = _session(opened, session_id)
        found = opened.checks.history(session, evidence_id)
        answers = [] if evidence_id else _answers(opened, session)
        if not found and not answers:
            what = f"{evidence_id} of session {session}" if evidence_id else f"session {session}"
            said = f"no check of {what} is kept: `searchlog verify {session}` makes one"
            raise MissingError(said + ("" if session_id else "; --session names another"), session=session)
        if as_json:
            checks = [_shape(kept, verdict) for kept, verdict in found]
            shape = {"archive": opened.described, "session": session, "evidence": evidence_id, "checks": checks}
            out.json({**shape, "answers": [_answer_shape(kept) for kept in answers]})
        elif evidence_id is not None:
            _one(found)
        else:
            if found:
                _last(found)
            if answers:
                rows = [_answer_row(kept) for kept in answers]
                out.table(("answer checked", "outcome", "findings", "kept in"), rows)
    return 0


def _answers(archive: Archive, session: str) -> list[Kept]:
    """Return the checks of answers to a session, oldest first."""
    return [kept for kept in archive.checks.kept(sessions=[session]) if kept.body.axis == "answer"]


def _codes(kept: Kept) -> list[str]:
    findings = kept.body.findings if isinstance(kept.body.findings, list) else []
    return [str(finding.get("code")) for finding in findings]


def _answer_row(kept: Kept) -> tuple[str, ...]:
    said = ", ".join(dict.fromkeys(_codes(kept))) or ("" if kept.body.outcome != "failed" else "see the record")
    return kept.at[:19] + "Z", _whose(kept, kept.body.outcome or ""), said, f"{kept.session} record {kept.seq}"


def _answer_shape(kept: Kept) -> dict[str, Any]:
    body = kept.body
    return {
        "kept_in": kept.session,
        "seq": kept.seq,
        "kept_at": kept.at,
        "imported": kept.imported,
        "outcome": body.outcome,
        "codes": _codes(kept),
        "answer": body.answer.blob if body.answer is not None else None,
    }


def _session(archive: Archive, wanted: str | None) -> str:
    """Return the session whose checks are told: one of the archive, or of a snapshot that was checked as a file."""
    from searchlog.recheck.keep import is_checks

    checked = dict.fromkeys(verdict.session for kept in archive.checks.kept() for verdict in kept.verdicts)
    if wanted is None:
        newest = options.newest_search(archive)
        return newest if not is_checks(newest) else next(reversed(checked), newest)
    named = [name for name in checked if name.startswith(wanted)]
    try:
        return archive.find(wanted)
    except MissingError:
        if len(named) != 1:
            raise
        return named[0]


def _shape(kept: Kept, verdict: PassageVerdict) -> dict[str, Any]:
    where = {"kept_in": kept.session, "seq": kept.seq, "kept_at": kept.at, "imported": kept.imported}
    return {**verdict.to_json(), **where}


def _whose(kept: Kept, told: str) -> str:
    """Return what a check told, with a word when it was somebody else's."""
    return f"{told} (imported)" if kept.imported else told


def _own_last(found: list[tuple[Kept, PassageVerdict]]) -> list[tuple[Kept, PassageVerdict]]:
    """Return the checks with those of this archive behind those of others, so that they are the last ones."""
    return sorted(found, key=lambda pair: not pair[0].imported)


def _when(kept: Kept, verdict: PassageVerdict) -> str:
    return (verdict.checked_at or kept.at)[:19] + "Z"


def _one(found: list[tuple[Kept, PassageVerdict]]) -> None:
    from searchlog.cli.checked import diff_lines

    rows = [(_when(kept, v), v.axis, v.state, _whose(kept, v.outcome), v.detail) for kept, v in found]
    out.table(("checked", "axis", "state", "outcome", "detail"), rows)
    changed = [(kept, verdict) for kept, verdict in _own_last(found) if verdict.changes]
    if changed:
        kept, verdict = changed[-1]
        out.line()
        out.line(f"the last difference, {verdict.axis}, {_when(kept, verdict)}:")
        for line in diff_lines(verdict):
            out.line(f"  {line}")


def _last(found: list[tuple[Kept, PassageVerdict]]) -> None:
    from searchlog.verify.verdict import AXES

    last: dict[str, dict[str, tuple[Kept, PassageVerdict]]] = {}
    looked: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    for kept, verdict in _own_last(found):
        last.setdefault(verdict.evidence, {})[verdict.axis] = (kept, verdict)
        if verdict.outcome != "not checked":
            looked[verdict.evidence, verdict.axis] = _whose(kept, verdict.state)
        counts[verdict.evidence] = counts.get(verdict.evidence, 0) + 1
    axes = [axis for axis in AXES if any(axis in by_axis for by_axis in last.values())]
    rows = []
    for evidence in sorted(last, key=lambda name: (len(name), name)):
        by_axis = last[evidence]
        newest = max(_when(*pair) for pair in by_axis.values())
        states = [_standing(by_axis.get(axis), looked.get((evidence, axis))) for axis in axes]
        url = next(iter(by_axis.values()))[1].url
        rows.append((evidence, counts[evidence], newest, *states, url))
    out.table(("id", "checks", "last", *axes, "url"), rows)


def _standing(last: tuple[Kept, PassageVerdict] | None, looked: str | None) -> str | None:
    """Return how a passage stands on an axis: a look that failed does not take the place of an older one.

    looked: what the last check said that could look.
    """
    if last is None:
        return None
    kept, verdict = last
    told = _whose(kept, verdict.state)
    return f"{looked}, then {told}" if looked is not None and verdict.outcome == "not checked" else told
