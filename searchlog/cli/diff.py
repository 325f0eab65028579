"""`searchlog diff`: two searches held against each other."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
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

_DIGITS_MAX = 18


@click.command(
    "diff",
    epilog=options.examples(
        "search 'tide mill' --no-cache",
        "diff s20260102 s20260109",
        "diff latest:1 latest:4",
        "diff shared.wacz latest --json",
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

    To see what has changed since, ask the same again with `searchlog search … --no-cache`, which reads every page
    anew, and hold the two sessions against each other: `searchlog diff SESSION1 SESSION2`.

    Of a snapshot not all may be here. Then what only the other side has is unknown, and no difference.

    Ends with 0 when they are equal and with 6 when something differs that both have, or that one has and the other
    has not; with 9 when nothing of what is here differs, and not all is here; with 7 when something is damaged.
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
    if (alone := _number(name)) is not None:
        return _Wanted(None, None, alone)
    if _is_file(name):
        return _Wanted(name, None, None)
    head, colon, tail = name.rpartition(":")
    turn = _number(tail) if colon else None
    if _is_file(head):
        if turn is None:
            raise UsageError(f"{name}: after the colon stands the number of a turn, not {tail!r:.40}", path=head)
        return _Wanted(head, None, turn)
    for place in (name, head):
        if place.endswith(".wacz"):
            raise UsageError(f"no file {place}", path=place)
    return _Wanted(None, name, None) if turn is None else _Wanted(None, head or None, turn)


def _is_file(place: str) -> bool:
    return place not in ("", "latest") and os.path.isfile(place)


def _number(text: str) -> int | None:
    """Return a whole number that was written; None for what is none, or is longer than any number of a turn."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX else None


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

        archive = self._open(wanted.file)
        session = archive.find(_session(wanted, archive))
        key = wanted.file, session
        if key not in self.readings:
            self.readings[key] = Reading(archive.ledger(session), archive.absence(session))
        reading = self.readings[key]
        view = _turn(reading, wanted.turn)
        return Side(view, reading.load, _lacks(reading, view))

    def _open(self, file: str | None) -> Archive:
        if file not in self._archives:
            opened = options.open_existing(self._location if file is None else file)
            self._archives[file] = self._stack.enter_context(opened)
        return self._archives[file]


def _turn(reading: Reading, number: int | None) -> TurnView:
    """Return a turn of a session, by default its newest search; an empty one when its records are not here.

    Raises MissingError when the session has no such turn.
    """
    from searchlog.view import TurnView, turn_views

    session = reading.ledger.session
    views = turn_views(reading.records)
    last = max((record.seq for record in reading.records if record.envelope.turn is not None), default=0)
    more = sum(gap.seq > last for gap in reading.gaps)  # as many turns may follow of which nothing is here
    if number is None:
        if not views and more:
            return TurnView(session, 0)
        searches = [view for view in views if view.query or view.rendering or view.purpose == "search"]
        return searches[-1] if searches else options.last_turn(views, session)
    newest = views[-1].number if views else 0  # turns are numbered without gaps
    if 0 < number <= newest + more and all(view.number != number for view in views):
        return TurnView(session, number)
    return options.turn_of(views, number, session)


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
    abouts = {"a": found.a, "b": found.b}
    for (name, about), side in zip(abouts.items(), sides, strict=True):
        out.line(f"{name}  {side.view.session} {_turn_heading(about, side.view)}")
    for name, about in abouts.items():
        if about["not_here"]:
            out.line(f"of {name} is not all here: {', '.join(_PARTS[part] for part in about['not_here'])}")
        elif about["incomplete"]:
            out.line(f"of {name} is not all here")
    for what, section in found.sections.items():
        if what == "runs" and found.asked:
            _heading("Asked", "")
            out.table(
                ("what", "a", "b"), [(item["what"], _value(item["a"]), _value(item["b"])) for item in found.asked]
            )
        if section.differs:
            _heading(_TITLES[what], _sums(section))
            _SHOW[what]([item for item in section.items if item["state"] != "unknown"])
    last = ["a and b are the same turn of one session"] if _place(found.a) == _place(found.b) else []
    last += _unknown(found)
    last += [f"not compared, since it is not here or cannot be read: {_PARTS[what]}" for what in found.not_compared]
    if not found.differs:
        last.append("no difference" if found.complete else "no difference in what is there")
    for text in ("", *last) if last else ():
        out.line(text)


def _place(about: dict[str, Any]) -> tuple[Any, Any]:
    return about["session"], about["turn"]


def _unknown(found: Comparison) -> list[str]:
    """Return a sentence on what only one side has, where the other may have had it."""
    said = []
    for name, other in (("a", "b"), ("b", "a")):
        counts = {what: section.counts.get(f"unknown_{name}", 0) for what, section in found.sections.items()}
        if some := ", ".join(f"{_TITLES[what].lower()} {count}" for what, count in counts.items() if count):
            said.append(f"in {name}, and maybe among what is not here of {other}: {some}")
    return said


def _turn_heading(about: dict[str, Any], view: TurnView) -> str:
    """Return which turn a side is, with no word on what is not here of it."""
    from searchlog.cli import tell

    if about["turn"] is None:
        return "no turn of it is here"
    if about["began_at"] is not None and about["outcome"] is not None:
        return tell.heading(view)
    ended = f"({about['outcome'] or about['state']})" if about["outcome"] is not None else ""
    purpose = " ".join(part for part in (about["purpose"], ended) if part)
    said = ", ".join(part for part in (f"turn {about['turn']}", purpose, about["began_at"]) if part)
    return f"{said}: {about['query']}" if about["query"] is not None else said


def _heading(title: str, sums: str) -> None:
    out.line()
    out.line(f"{title}: {sums}" if sums else title)


def _sums(section: Section) -> str:
    counts = section.counts
    here = {"a": " here" if counts["unknown_b"] else "", "b": " here" if counts["unknown_a"] else ""}
    said = [f"{counts[name]} in {name}{here[name]}" for name in ("a", "b")]
    said += [f"{counts['both']} in both"]
    said += [f"{counts[name]} {name.replace('_', ' in ')}" for name in ("only_a", "only_b") if counts[name]]
    said += [f"{counts[name]} {name.replace('_', ' of ')}" for name in ("unknown_a", "unknown_b") if counts[name]]
    apart = ("a", "b", "both", "only_a", "only_b", "unknown_a", "unknown_b", "same")
    of_both = [name for name in counts if name not in apart]
    return ", ".join([*said, *(f"{counts[name]} {name.replace('-', ' ')}" for name in of_both if counts[name])])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _runs(items: list[dict[str, Any]]) -> None:
    def cell(run: dict[str, Any] | None) -> str:
        if run is None:
            return ""
        ignored = f", could not apply {', '.join(run['ignored'])}" if run["ignored"] else ""
        return f"{run['outcome']}, {'?' if run['results'] is None else run['results']} results{ignored}"

    out.table(("provider", "a", "b"), [(item["run"], cell(item["a"]), cell(item["b"])) for item in items])


def _steps(items: list[dict[str, Any]]) -> None:
    def cell(step: dict[str, Any] | None) -> str:
        return "" if step is None else f"{step['in']} in, {step['kept']} kept"

    rows = [
        (item["step"], cell(item["a"]), cell(item["b"]), "another rule" if "rule" in item["changed"] else "")
        for item in items
    ]
    out.table(("step", "a", "b", "notes"), rows)


def _results(items: list[dict[str, Any]]) -> None:
    rows = [
        (item["state"], _get(item, "a", "rank"), _get(item, "b", "rank"), _url(item), _more(item)) for item in items
    ]
    out.table(("state", "a", "b", "url", "changed"), rows)


def _pages(items: list[dict[str, Any]]) -> None:
    def cell(page: dict[str, Any] | None) -> str:
        if page is None:
            return ""
        return " ".join(str(part) for part in (page["outcome"], page["reason"] or page["status"]) if part)

    rows = [(item["state"], cell(item["a"]), cell(item["b"]), _way(item), _more(item)) for item in items]
    out.table(("state", "a", "b", "url", "changed"), rows)


def _evidence(items: list[dict[str, Any]]) -> None:
    rows = []
    for item in items:
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


def _way(item: dict[str, Any]) -> str:
    """Return the URL that was asked for, by which pages are matched, and where it led if elsewhere."""
    pages = [page for page in (item["a"], item["b"]) if page is not None]
    asked, led = pages[0]["asked"], list(dict.fromkeys(page["url"] for page in pages))
    return str(asked) if led == [asked] else f"{asked} → {' | '.join(led)}"


def _more(item: dict[str, Any]) -> str:
    return ", ".join(item["changed"])


_TITLES = {
    "runs": "Providers",
    "steps": "Funnel",
    "results": "Results",
    "pages": "Pages",
    "evidence": "Evidence",
}
_PARTS = {
    "asked": "what was asked",
    "outcome": "how it ended",
    **{name: text.lower() for name, text in _TITLES.items()},
}
_SHOW = {"runs": _runs, "steps": _steps, "results": _results, "pages": _pages, "evidence": _evidence}
