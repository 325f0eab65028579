"""Printing what a verification found: by axis, a table of passages, and the words of those that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlog.capture.guard import safe_url
from searchlog.cli import out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from searchlog.recheck.result import CheckedPassage, Verification
    from searchlog.snapshot.check import Verdict
    from searchlog.verify.finding import Report
    from searchlog.verify.verdict import PassageVerdict

__all__ = ["diff_lines", "print_report", "print_verdict", "print_verification"]

_SELF = "what is stored agrees with itself"
_ROWS_MAX = 60
"""Passages in the table on a terminal or in a pipe; those that are not verified are all shown."""
_DIFF_MAX = 1_200
"""Characters of a difference that are printed; `--json` and `--report` have all of it."""
_COLUMNS = {"store": "store", "derivation": "derivation", "live": "live", "web-archive": "web archive"}

LEVELS = {
    "none": "no record of it is here; what is shown later can be held against its hash",
    "L0": "it agrees with itself, and whoever made it could have made another",
    "L1": "it agrees with itself, and a holder of a key that was asked for signed its head",
    "L2": "it agrees with itself, and extends a head that was seen elsewhere",
    "L3": "it agrees with itself, and its head existed when a third party stamped it",
    "L4": "it agrees with itself, and a witness that was asked for cosigned its head",
}


def print_verification(found: Verification, *, level: bool = True) -> None:
    """Print reports, then the passages axis by axis, then answers. level: see `print_report`."""
    for report in found.reports:
        print_report(report, level=level)
    for axis, counts in found.counts.items():
        if axis in ("live", "web-archive"):
            said = ", ".join(f"{count} {state}" for state, count in _in_order(axis, counts))
            out.line(f"axis {axis}: {found.outcomes[axis]}")
            earlier = sum(axis in passage.earlier for passage in found.passages)
            before = f"; {earlier} of them checked earlier" if earlier else ""
            out.line(f"  passages {sum(counts.values())}: {said}{before}")
    _table(found.passages)
    _print_passages(found.passages)
    for answer in found.answers:
        from searchlog.cli.answers import print_answer

        print_answer(answer)


def _in_order(axis: str, counts: dict[str, int]) -> list[tuple[str, int]]:
    from searchlog.verify.verdict import STATES

    return sorted(counts.items(), key=lambda item: list(STATES[axis]).index(item[0]) if item[0] in STATES[axis] else 99)


def _table(passages: Sequence[CheckedPassage]) -> None:
    """Print the passages, those that are not verified first; of the others only so many."""
    axes = [axis for axis in _COLUMNS if any(axis in passage.verdicts for passage in passages)]
    if not {"live", "derivation"}.intersection(axes):
        return
    several = len({passage.session for passage in passages}) > 1
    told = sorted(passages, key=lambda passage: _rank(passage.verdicts.values()))
    rest = [passage for passage in told if _rank(passage.verdicts.values()) == 2]
    shown = told[: max(_ROWS_MAX, len(told) - len(rest))]
    rows = []
    for passage in shown:
        states = [passage.verdicts[axis].state if axis in passage.verdicts else None for axis in axes]
        rows.append((*((passage.session,) if several else ()), passage.evidence, *states, safe_url(passage.url)))
    out.table((*(("session",) if several else ()), "id", *(_COLUMNS[axis] for axis in axes), "url"), rows)
    if len(shown) < len(told):
        out.line(f"{len(told) - len(shown)} verified passages more")


def _rank(verdicts: object) -> int:
    outcomes = {verdict.outcome for verdict in verdicts}  # type: ignore[attr-defined]
    return 0 if "failed" in outcomes else 1 if "not checked" in outcomes else 2


def _print_passages(passages: Sequence[CheckedPassage]) -> None:
    """Print what is not verified, and why; passages of a page that are told the same way together."""
    several = len({passage.session for passage in passages}) > 1
    told: dict[tuple[str, ...], list[str]] = {}
    for passage in passages:
        for verdict in passage.verdicts.values():
            if verdict.outcome != "verified":
                lines = tuple(_lines(passage, verdict, several))
                told.setdefault(lines, []).append(passage.evidence)
    for (head, *rest), ids in told.items():
        out.line(f"{', '.join(ids)}{head}")
        for line in rest:
            out.line(f"  {line}")


def _lines(passage: CheckedPassage, verdict: PassageVerdict, several: bool) -> Iterator[str]:
    """Yield what is printed of a passage behind its id, then below it. several: whether to name its session."""
    from searchlog.verify.verdict import STATES

    meaning = STATES.get(verdict.axis, {}).get(verdict.state, ("", ""))[1]
    earlier = f", checked {verdict.checked_at[:19]}Z" if verdict.axis in passage.earlier else ""
    whose = f" of {passage.session}" if several else ""
    yield f"{whose} {verdict.axis}: {verdict.state}: {meaning}{earlier}"
    yield safe_url(verdict.url) + (f" ({verdict.detail})" if verdict.detail else "")
    if verdict.notes:
        yield ", ".join(verdict.notes)
    yield from diff_lines(verdict)


def diff_lines(verdict: PassageVerdict) -> list[str]:
    """Return a word diff, a step a line, as far as it is not too long."""
    lines, length = [], 0
    for step in verdict.changes:
        marks = f"  [{', '.join(step.marks)}]" if step.marks else ""
        words = step.words if step.sign != "=" else _middle(step.words)
        lines.append(f"{step.sign} {words.strip()}{marks}")
        length += len(lines[-1])
        if length > _DIFF_MAX:
            return [*lines, "… more of it with --json or --report"]
    return lines


def _middle(words: str) -> str:
    return words if len(words) <= 120 else f"{words[:55]} … {words[-55:]}"


# --- reports


def print_report(report: Report, *, level: bool = True) -> None:
    """Print one report for people; below a clean one the head, as the line that somebody else may keep.

    level: whether to say how much it proves, where nothing above says it of the whole.
    """
    from searchlog.log.checkpoint import ORIGIN_PREFIX

    out.line(f"session {report.session}, axis {report.axis}: {report.outcome}")
    for said in _levels(report) if level and not report.findings else ():
        out.line(f"  level    {said}")
    root = f", root {report.root}" if report.root else ""
    out.line(f"  head     {report.size} records{root}")
    out.line("  checked  " + (", ".join(f"{count} {what}" for what, count in report.checked.items()) or "nothing"))
    for what, count in report.not_checked.items():
        out.line(f"  not checked: {count} {what}")
    for finding in report.findings:
        out.line(f"  finding {finding.code}: {finding.where}: {finding.message}")
        if finding.expected is not None or finding.found is not None:
            out.line(f"    expected {finding.expected}, found {finding.found}")
    if report.untold:
        out.line(f"  {report.untold} findings more")
    if report.axis == "store" and report.size and not report.findings:
        out.line(f"  searchlog head: {ORIGIN_PREFIX}{report.session} {report.size} {report.root}")


_SAID = {
    "L1": "a holder of the key {} signed their head",
    "L2": "these extend a head that was seen outside this archive",
    "L3": "their head existed when {} stamped it, {}",
    "L4": "the witness {} cosigned their head, {}",
}


def _levels(report: Report) -> list[str]:
    """Return what the report proves, and what others say of heads that it extends: each by itself."""
    lines = [] if report.support else [f"{report.level}: {_SELF}"]
    for item in sorted(report.support, key=lambda item: item.level):
        said = _SAID[item.level].format(item.who or "an authority without a name", item.at)
        lines.append(f"{item.level} for the first {item.size} of {report.size} records: {_SELF}, and {said}")
    return lines


def print_verdict(verdict: Verdict) -> None:
    """Print what is to be known of a snapshot as a whole: its name, its head, what is in it, and who says so."""
    out.line(f"snapshot {verdict.name or 'without a name that could be read'}: {verdict.outcome}")
    about, head = verdict.description, verdict.checkpoint
    if about is None or head is None:
        return
    scope = " ".join((about.scope.kind, *map(str, (*about.scope.turns, *about.scope.evidence))))
    out.line(f"  holds    {scope}, profile {about.profile}, of session {about.session}")
    for what, count in about.left_out.counts().items():
        out.line(f"  left out {count} {what}")
    if verdict.outcome != "failed":
        out.line(f"  level    {verdict.level}: {LEVELS[verdict.level]}")
    for signed in verdict.seals.signed if verdict.seals else ():
        whose = "which was asked for" if signed.trusted else "which came with the file: whose it is, you have to know"
        out.line(f"  signed   by the holder of {signed.key}, {whose}")
    for cosigned in verdict.seals.cosigned if verdict.seals else ():
        out.line(f"  cosigned by the witness {cosigned.witness}, which was asked for, {cosigned.time}")
    for token in verdict.seals.tokens if verdict.seals else ():
        who = token.authority or "an authority without a name"
        out.line(f"  stamped  {token.time} by {who}; its signature: {token.outcome} {token.detail}".rstrip())
