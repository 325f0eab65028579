"""`searchlog verify`: is the record intact, does the stored page hold the passage, does the live page say it, does the
answer say what the evidence says? Each is told by itself, with how much it proves."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import FormatError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlog.archive import Archive
    from searchlog.desk import Progress
    from searchlog.recheck.result import Verification
    from searchlog.recheck.wanted import Wanted
    from searchlog.snapshot.check import Verdict
    from searchlog.verify.heads import Seen


def _seconds(_: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Return a span such as `12h` in seconds."""
    from searchlog.recheck.wanted import seconds_of

    if value is None:
        return None
    seconds = seconds_of(value if not value.isdecimal() else f"{value}s")
    if seconds is None:
        raise click.BadParameter("expected a span such as 90s, 15m, 12h or 7d", param=param)
    return seconds


_which_options = options.together(
    click.option("--all", "everything", is_flag=True, help="Check every session of the archive."),
    click.option(
        "--turn", "turns", multiple=True, type=click.IntRange(1), metavar="N", help="Only this search; repeatable."
    ),
    click.option("--evidence", multiple=True, metavar="ID", help="Only this passage, such as e7. Repeatable."),
    click.option("--since", metavar="WHEN", help="Only pages fetched since: a day, a time, or a span such as 7d."),
    click.option("--sample", type=click.IntRange(1), metavar="N", help="So many passages, drawn; each day others."),
    click.option("--seed", metavar="TEXT", help="What the --sample is drawn by, instead of the day."),
)
_live_options = options.together(
    click.option("--live", is_flag=True, help="Fetch each page anew, and tell whether it still says the passage."),
    click.option(
        "--max-age",
        callback=_seconds,
        metavar="SPAN",
        help="A live check younger than this counts (15m, 12h, 7d): what was interrupted so goes on.",
    ),
    click.option(
        "--web-archive",
        "web_archives",
        multiple=True,
        metavar="NAME|ADDRESS",
        help="Ask it for a copy of pages that are gone or changed: `wayback`, `pywb=ADDRESS` of a collection, or the "
        "address of a TimeGate. It learns the address. Repeatable.",
    ),
    click.option(
        "--allow-private",
        multiple=True,
        metavar="HOST[:PORT]",
        help="A host that may be reached though its address is not public. Repeatable.",
    ),
    click.option("--ignore-robots", is_flag=True, help="Fetch what robots.txt asks not to; recorded."),
)
_head_options = options.together(
    click.option(
        "--head",
        "heads",
        multiple=True,
        metavar="LINE|FILE",
        help="A head line printed earlier, kept elsewhere, or a file with a signed head; its session must extend it. "
        "Repeatable.",
    ),
    click.option(
        "--key",
        "keys",
        multiple=True,
        metavar="VKEY",
        help="The verifier key of somebody who must have signed the FILE, or a --head. Repeatable.",
    ),
    click.option(
        "--witness",
        "witnesses",
        multiple=True,
        metavar="VKEY",
        help="The key of a witness that must have cosigned the FILE, or a --head. Repeatable.",
    ),
    click.option(
        "--token",
        "tokens",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        metavar="TSR",
        help="A time-stamp token over the one --head that is given. Repeatable.",
    ),
    click.option("--name", metavar="DIGEST", help="Of a FILE: the name that it must have, as `export` printed it."),
    click.option(
        "--tsa-root",
        "roots",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        metavar="PEM",
        help="A certificate of the authority that stamped the time of the FILE, or of a --head. Repeatable.",
    ),
)


@click.command(
    "verify",
    epilog=options.examples(
        "verify",
        "verify --all",
        "verify latest --passages",
        "verify --live --web-archive wayback",
        "verify --all --live --since 30d --sample 100 --report drift.html",
        "verify --answer answer.md",
        "verify search.wacz",
    ),
)
@click.argument("session_id", required=False, metavar="[SESSION|FILE]")
@click.option("--passages", is_flag=True, help="Convert the stored pages again, and look each passage up in them.")
@_live_options
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="PATH",
    help="A model's final text, or its API's JSON; `-` reads stdin. Its citations, quotations and numbers are held "
    "against the evidence. Repeatable.",
)
@click.option("--answers", "kept_answers", is_flag=True, help="Check the answers that are kept in the session.")
@_which_options
@_head_options
@click.option("--report", metavar="PATH", type=click.Path(dir_okay=False), help="Write one self-contained HTML page.")
@click.option("--no-keep", is_flag=True, help="Keep no record of this check.")
@options.archive_option
@options.json_option
@options.quiet_option
def verify_command(*, archive: str | None, as_json: bool, quiet: bool, session_id: str | None, **given: Any) -> int:
    """Verify past evidence: what is stored, what the live pages say now, and what an answer made of it.

    SESSION is an id, a beginning of one, or `latest` (the default); with --head, the sessions that the heads name.
    FILE is a snapshot: it is checked whole, and needs no archive. Without options the store is checked, offline:
    bytes, digests, heads and counts. Each check is kept in a session of its own (`searchlog history`); what is
    verified is not changed.

    Exit code 0 means that all that was looked at is verified, 6 that something was found, 9 that nothing was found
    and something that was asked for could not be looked at, 3 that there was nothing to look at.
    """
    if given["everything"] and session_id is not None:
        raise click.UsageError("give a session or --all, not both")
    if given["web_archives"] and not given["live"]:
        raise click.UsageError("--web-archive is asked about pages that are gone or changed: add --live")
    if given["max_age"] is not None and not given["live"]:
        raise click.UsageError("--max-age is about live checks: add --live")
    if given["seed"] is not None and given["sample"] is None:
        raise click.UsageError("--seed is what a sample is drawn by: add --sample")
    if given["report"] and not Path(given["report"]).absolute().parent.is_dir():
        raise click.UsageError(f"--report: there is no folder {Path(given['report']).absolute().parent}")
    if session_id is None and archive is not None and Path(archive).is_file():
        session_id, archive = archive, None
    if session_id is not None and options.names_file(session_id):
        return _verify_file(session_id, archive, given, as_json, quiet)
    if given["name"]:
        raise click.UsageError("--name is about a FILE: give one")
    if (given["keys"] or given["witnesses"] or given["roots"] or given["tokens"]) and not given["heads"]:
        raise click.UsageError("--key, --witness, --token and --tsa-root are about a FILE or a --head: give one")
    seen = _heads(given)
    with options.open_existing(archive, write=not given["no_keep"]) as opened:
        names = _names(opened, session_id, given["everything"], seen)
        found = _run(opened, names, _wanted(opened, given, seen), quiet)
        if as_json:
            out.json(found.to_json())
        else:
            from searchlog.cli.checked import print_verification

            print_verification(found)
        return _end(found, given, quiet)


def _verify_file(file: str, archive: str | None, given: dict[str, Any], as_json: bool, quiet: bool) -> int:
    """Check a snapshot whole; then its passages, pages and answers as far as that is wanted, and it is sound."""
    from searchlog.cli import progress
    from searchlog.cli.checked import print_verdict, print_verification
    from searchlog.snapshot.check import check_snapshot
    from searchlog.snapshot.opened import is_snapshot

    if not Path(file).is_file():
        raise UsageError(f"no file {file}", path=file)
    if not is_snapshot(Path(file)):
        said = f"{file} is no snapshot of searchlog"
        raise FormatError(f"{said}: `searchlog import` takes WARC and WACZ files of other tools", path=file)
    certificates = [options.read_file(root) for root in given["roots"]]
    seen = _heads(given)
    with progress.counting(f"checking {file}", quiet) as listener:
        verdict = check_snapshot(
            Path(file),
            name=given["name"],
            heads=seen,
            keys=given["keys"],
            witnesses=given["witnesses"],
            roots=certificates,
            progress=listener,
        )
    found = None
    more = given["passages"] or given["live"] or given["answers"] or given["kept_answers"]
    if verdict.outcome != "failed" and more:
        with options.open_existing(file) as opened, ExitStack() as stack:
            keeper = None if given["no_keep"] else _keeper(archive, given["live"], stack)
            wanted = _wanted(opened, given, [])
            found = _run(opened, [opened.find("latest")], wanted, quiet, (keeper, verdict))
    if as_json:
        out.json(verdict.to_json() | (found.to_json() if found is not None else {}))
    else:
        print_verdict(verdict)
        if found is not None:
            print_verification(found, level=False)
        else:
            from searchlog.cli.checked import print_report

            for report in verdict.reports:
                print_report(report, level=False)
    if found is not None:
        return _end(found, given, quiet)
    if given["report"]:
        _write_report(_of_file(file, verdict), given["report"], quiet)
    return Exit.FINDINGS if any(report.findings for report in verdict.reports) else Exit.OK


def _of_file(file: str, verdict: Verdict) -> Verification:
    """Return what was found of a snapshot of which nothing but the file was looked at."""
    from searchlog.clock import SystemClock, format_time
    from searchlog.recheck.result import Verification

    now = format_time(SystemClock().now())
    return Verification(f"snapshot {file}", file, now, now, list(verdict.reports))


def _keeper(location: str | None, live: bool, stack: ExitStack) -> Archive | None:
    """Return the archive that keeps the checks of a file: one that is there, or for live checks a new one."""
    from searchlog.archive import open_archive

    try:
        opened = stack.enter_context(open_archive(location, create=live))
    except UsageError:
        if live:
            raise
        return None
    return None if opened.snapshot is not None else opened


def _wanted(opened: Archive, given: dict[str, Any], seen: Sequence[Seen]) -> Wanted:
    from searchlog.flow.settings import Settings
    from searchlog.recheck.wanted import wanted_of
    from searchlog.verify.heads import Trust

    axes = ["store", *(["derivation"] if given["passages"] else []), *(["live"] if given["live"] else [])]
    return wanted_of(
        opened.resources.clock.now(),
        axes=axes,
        turns=given["turns"],
        evidence=given["evidence"],
        since=given["since"],
        sample=given["sample"],
        seed=given["seed"],
        heads=seen,
        trust=Trust.of(given["keys"], given["witnesses"], [options.read_file(root) for root in given["roots"]]),
        max_age_s=given["max_age"],
        web_archives=given["web_archives"],
        answers=[*map(_answer, given["answers"])],
        kept_answers=given["kept_answers"],
        keep=not given["no_keep"],
        settings=Settings(allow_private=given["allow_private"], robots="ignore" if given["ignore_robots"] else "obey"),
    )


def _answer(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == "-" else options.read_file(path)


def _run(
    opened: Archive,
    names: Sequence[str],
    wanted: Wanted,
    quiet: bool,
    file: tuple[Archive | None, Verdict] | None = None,
) -> Verification:
    """Verify these sessions. file: of a snapshot, the archive that keeps the checks, and the verdict on its store."""
    from searchlog.cli import progress

    keeper, reports = (file[0], file[1].reports) if file is not None else (None, ())
    notices: list[str] = []
    began = time.monotonic()
    try:
        with progress.shown(quiet) as listener:

            def hear(event: Progress) -> None:
                if event.stage == "notice":
                    notices.append(event.text)
                else:
                    listener(event)

            found = opened.verify(names, wanted=wanted, keep_in=keeper, reports=reports, progress=hear)
    except KeyboardInterrupt:
        if "live" in wanted.axes and wanted.keep:
            span = f"{int((time.monotonic() - began) // 3_600) + 1}h"
            out.say(f"what was looked at is kept: the same command with --max-age {span} goes on from there", quiet)
        raise
    for text in notices:
        out.say(text, quiet)
    return found


def _end(found: Verification, given: dict[str, Any], quiet: bool) -> int:
    """Write the page that was asked for, say where the check is kept, and return the exit code."""
    if given["report"]:
        _write_report(found, given["report"], quiet)
    if found.kept_in is not None:
        out.say(f"this check is kept in {found.kept_in}: `searchlog history` tells of it", quiet)
    elif not given["no_keep"]:
        out.say(f"this check is not kept: {found.not_kept}", quiet)
    if found.findings:
        _say_missing(found, given)
        return Exit.FINDINGS
    if not any(report.outcome == "verified" for report in found.reports) and not found.passages and not found.answers:
        out.error(f"no session in {found.archive} holds a record: nothing was checked")
        return Exit.NOTHING
    missing = _say_missing(found, given)
    if missing is not None:
        return missing
    outcomes = found.outcomes
    derived = "not-checked" in found.counts.get("derivation", {})
    if derived or "not checked" in (outcomes.get("live"), outcomes.get("answer")):
        return Exit.NOT_CHECKED
    return Exit.OK


def _say_missing(found: Verification, given: dict[str, Any]) -> Exit | None:
    """Say what was asked for and is not there, and return the exit code of that; None when all of it is."""
    here = {passage.evidence for passage in found.passages}
    named = [name for name in dict.fromkeys(given["evidence"]) if name not in here]
    if named and not (given["turns"] or given["since"] or given["sample"]):
        out.error(f"no evidence {', '.join(named)} in {found.subject}: `searchlog evidence` lists what there is")
        return Exit.NOT_CHECKED if here else Exit.NOTHING
    chosen = given["live"] or given["evidence"] or given["since"] or (given["turns"] and not given["passages"])
    if chosen and not here:
        out.error("no passage was there to check: no evidence in what was chosen")
        return Exit.NOTHING
    if given["kept_answers"] and not found.answers:
        out.error("no answer is kept in what was chosen: `searchlog answer` keeps one")
        return None if given["live"] or given["passages"] else Exit.NOTHING
    return None


def _write_report(found: Verification, path: str, quiet: bool) -> None:
    from searchlog.keyring import hide_in, known
    from searchlog.ui.report import report_page

    # before anything is escaped: a key would not be found in the page
    page = report_page(hide_in(out.hidden(found.to_json()), known().replace_text))
    try:
        Path(path).write_text(page, "utf-8")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}", path=path) from None
    out.say(f"report: {path}", quiet)


def _names(archive: Archive, wanted: str | None, everything: bool, seen: Sequence[Seen]) -> list[str]:
    """Return the sessions to check. Every head has its session among them, whether the archive holds it or not.

    Raises a usage error for a head of another session than the one that was asked for.
    """
    named = list(dict.fromkeys(head.session for head in seen))
    if everything:
        return list(dict.fromkeys([*archive.resources.storage.log.sessions(), *named]))
    if wanted is None:
        return named or [archive.find("latest")]
    session = wanted if wanted in named else archive.find(wanted)
    for other in named:
        if other != session:
            raise click.UsageError(
                f"--head is of session {other}, and {session} is to be checked: leave SESSION out to check those that "
                "the heads name"
            )
    return [session]


def _heads(given: dict[str, Any]) -> list[Seen]:
    """Return the heads that were given, with the tokens over them."""
    tokens = [options.read_file(token) for token in given["tokens"]]
    if tokens and len(given["heads"]) != 1:
        raise click.UsageError("--token is over the text of one --head: give that alone")
    return [_head(text, tokens) for text in given["heads"]]


def _head(given: str, tokens: Sequence[bytes]) -> Seen:
    """Return the head of a printed line, or of a file. Raises a usage error for any other text."""
    from searchlog.verify.heads import read_seen

    text = given.strip()
    try:
        if text and "\n" not in text and len(text) < 1_000 and Path(text).is_file():
            return read_seen(options.read_file(text).decode("utf-8", "replace"), tokens)
        return read_seen(text, tokens)
    except (FormatError, OSError, ValueError) as error:
        raise click.UsageError(
            "--head takes a line as a search and `verify` print it, `searchlog head: searchlog/SESSION SIZE ROOT` with "
            f"ROOT in base64, or a file with a signed head, not {given!r:.200}"
        ) from error
