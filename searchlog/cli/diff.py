"""`searchlog diff`: two searches held against each other."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import MissingError, UsageError

if TYPE_CHECKING:
    from searchlog.archive import Archive
    from searchlog.cli.reading import Reading
    from searchlog.compare import Comparison, Section, Side
    from searchlog.view import TurnView


@click.command(
    "diff",
    epilog=options.examples(
        "diff 1 2", "diff latest:1 latest:4", "diff s20260102 s20260109", "diff shared.wacz latest --json"
    ),
)
@click.argument("a", metavar="A", callback=options.as_text)
@click.argument("b", metavar="B", callback=options.as_text)
@options.archive_option
@options.json_option
def diff_command(a: str, b: str, archive: str | None, as_json: bool) -> int:
    """Tell what differs between two searches: query, providers, results, pages, passages.

    A and B are each SESSION, SESSION:TURN, TURN (of the newest session), `latest`, or a snapshot: FILE or FILE:TURN.
    Without TURN it is the newest search. When something was asked or fetched is no difference.

    Ends with 0 when they are equal and with 6 when they differ; with 9 when there is no difference in what is there,
    and not all is there; with 7 when something is damaged.
    """
    from searchlog.compare import compare

    with ExitStack() as stack:
        desk = _Desk(archive, stack)
        sides = [desk.side(_read(name)) for name in (a, b)]
        found = compare(*sides)
        if as_json:
            out.json(found.to_json())
        else:
            _people(found, sides)
        damage = max(reading.tell() for reading in desk.readings.values())
    if damage:
        return damage
    if found.differs:
        return Exit.FINDINGS
    return Exit.OK if found.complete else Exit.NOT_CHECKED


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an argument names."""

    file: str | None
    session: str | None
    turn: int | None


def _read(name: str) -> _Wanted:
    """Return what an argument names. A file that is there is a snapshot, but for `latest` and a number."""
    if name.isascii() and name.isdecimal():
        return _Wanted(None, None, int(name))
    head, colon, tail = name.rpartition(":")
    turn = int(tail) if colon and tail.isascii() and tail.isdecimal() else None
    for place, number in ((name, None), (head, turn)):
        if place not in ("", "latest") and Path(place).is_file():
            return _Wanted(place, None, number)
    if name.endswith(".wacz") or (turn is not None and head.endswith(".wacz")):
        raise UsageError(f"no file {name if turn is None else head}", path=name)
    return _Wanted(None, name, None) if turn is None else _Wanted(None, head or None, turn)


class _Desk:
    """The archives and sessions that are read, each once."""

    def __init__(self, location: str | None, stack: ExitStack) -> None:
        self._location = location
        self._stack = stack
        self._archives: dict[str | None, Archive] = {}
        self.readings: dict[tuple[str | None, str], Reading] = {}

    def side(self, wanted: _Wanted) -> Side:
        """Return the turn that an argument names, ready to be compared. Raises MissingError."""
        from searchlog.cli.reading import Reading
        from searchlog.compare import Side
        from searchlog.view import turn_views

        archive = self._open(wanted.file)
        session = archive.find(_session(wanted, archive))
        key = wanted.file, session
        if key not in self.readings:
            self.readings[key] = Reading(archive.ledger(session))
        reading = self.readings[key]
        views = turn_views(reading.records)
        view = (
            options.last_turn(views, session) if wanted.turn is None else options.turn_of(views, wanted.turn, session)
        )
        return Side(view, reading.load, _lacks(reading, view))

    def _open(self, file: str | None) -> Archive:
        if file not in self._archives:
            opened = options.open_existing(self._location if file is None else file)
            self._archives[file] = self._stack.enter_context(opened)
        return self._archives[file]


def _lacks(reading: Reading, view: TurnView) -> bool:
    """Whether records are not there that may be of a turn: all of its records stand between its begin and its end."""
    seqs = [record.seq for record in reading.records if record.envelope.turn == view.number]
    whole = bool(view.began_at and view.ended_at)
    return any(
        gap.turn == view.number or (gap.turn is None and (not whole or seqs[0] < gap.seq < seqs[-1]))
        for gap in reading.gaps
    )


def _session(wanted: _Wanted, archive: Archive) -> str:
    if wanted.file is not None:
        names = archive.resources.storage.log.sessions()
        if not names:
            raise MissingError(f"no session in {archive.described}")
        return names[0]
    if wanted.session is None or wanted.session == "latest":
        return "latest" if wanted.turn is not None else options.newest_search(archive)
    return wanted.session


def _people(found: Comparison, sides: list[Side]) -> None:
    from searchlog.cli import tell

    for name, side in zip("ab", sides, strict=True):
        out.line(f"{name}  {side.view.session} {tell.heading(side.view)}")
    for what, section in found.sections.items():
        if what == "runs" and found.asked:
            _heading("Asked", "")
            out.table(
                ("what", "a", "b"), [(item["what"], _value(item["a"]), _value(item["b"])) for item in found.asked]
            )
        if section.items:
            _heading(_TITLES[what], _sums(section))
            _SHOW[what](section)
    for what in found.not_compared:
        out.say(f"not compared: the {what} of one side cannot be read")
    if not found.differs:
        out.line()
        out.line("no difference" if found.complete else "no difference in what is there")


def _heading(title: str, sums: str) -> None:
    out.line()
    out.line(f"{title}: {sums}" if sums else title)


def _sums(section: Section) -> str:
    counts = section.counts
    said = [f"{counts['a']} in a, {counts['b']} in b, {counts['both']} in both"]
    said += [f"{counts[name]} {name.replace('_', ' in ')}" for name in ("only_a", "only_b") if counts[name]]
    of_both = [name for name in counts if name not in ("a", "b", "both", "only_a", "only_b", "same")]
    return ", ".join([*said, *(f"{counts[name]} {name.replace('-', ' ')}" for name in of_both if counts[name])])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _runs(section: Section) -> None:
    def cell(run: dict[str, Any] | None) -> str:
        if run is None:
            return ""
        ignored = f", could not apply {', '.join(run['ignored'])}" if run["ignored"] else ""
        return f"{run['outcome']}, {'?' if run['results'] is None else run['results']} results{ignored}"

    out.table(("provider", "a", "b"), [(item["run"], cell(item["a"]), cell(item["b"])) for item in section.items])


def _steps(section: Section) -> None:
    def cell(step: dict[str, Any] | None) -> str:
        return "" if step is None else f"{step['in']} in, {step['kept']} kept"

    rows = [
        (item["step"], cell(item["a"]), cell(item["b"]), "another rule" if "rule" in item["changed"] else "")
        for item in section.items
    ]
    out.table(("step", "a", "b", "notes"), rows)


def _results(section: Section) -> None:
    rows = [
        (item["state"], _get(item, "a", "rank"), _get(item, "b", "rank"), _url(item), _more(item))
        for item in section.items
    ]
    out.table(("state", "a", "b", "url", "changed"), rows)


def _pages(section: Section) -> None:
    def cell(page: dict[str, Any] | None) -> str:
        if page is None:
            return ""
        return " ".join(str(part) for part in (page["outcome"], page["reason"] or page["status"]) if part)

    rows = [(item["state"], cell(item["a"]), cell(item["b"]), _url(item), _more(item)) for item in section.items]
    out.table(("state", "a", "b", "url", "changed"), rows)


def _evidence(section: Section) -> None:
    rows = []
    for item in section.items:
        if item["state"] == "reordered":
            continue  # their number says enough to people
        words = item["words"]
        text = _words(words) if words else _text(item)
        rows.append((item["state"], _get(item, "a", "id"), _get(item, "b", "id"), _url(item), text))
    if rows:
        out.table(("state", "a", "b", "url", "text"), rows)


def _words(words: list[list[str]]) -> str:
    marks = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}
    return " ".join("".join(f"{marks[sign][0]}{text}{marks[sign][1]}" for sign, text in words).split())


def _text(item: dict[str, Any]) -> str:
    from searchlog.cli import tell

    return tell.shown((item["a"] or item["b"])["exact"])


def _get(item: dict[str, Any], side: str, name: str) -> Any:
    return item[side][name] if item[side] is not None else None


def _url(item: dict[str, Any]) -> str:
    return str((item["a"] or item["b"])["url"])


def _more(item: dict[str, Any]) -> str:
    return ", ".join(item["changed"])


_TITLES = {
    "runs": "Providers",
    "steps": "Funnel",
    "results": "Results",
    "pages": "Pages",
    "evidence": "Evidence",
}
_SHOW = {"runs": _runs, "steps": _steps, "results": _results, "pages": _pages, "evidence": _evidence}
