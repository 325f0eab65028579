"""`searchlog export`: a session, a search or chosen evidence as one file that others open, and that proves itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlog.exporting import Exported
    from searchlog.redaction.scan import Reason
    from searchlog.signing import Signer
    from searchlog.snapshot.layout import Profile
    from searchlog.snapshot.plan import Plan

_SHOWN_MAX = 40


@click.command(
    "export",
    epilog=options.examples(
        "export",
        "export latest --turn 1 -o search.wacz",
        "export latest --evidence e1 --evidence e4 --profile evidence",
        "export latest --checkpoint",
        "export latest --redact email --redact private-hosts --preview",
        "export --verifier",
    ),
)
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.option("--output", "-o", metavar="FILE", help="Where to write it; by default named after the session, here.")
@click.option("--turn", "turns", type=click.IntRange(1), multiple=True, metavar="N", help="Only this turn. Repeatable.")
@click.option("--evidence", multiple=True, metavar="ID", help="Only this piece of evidence. Repeatable.")
@click.option(
    "--profile",
    type=click.Choice(("full", "evidence", "hashes")),
    default="full",
    show_default=True,
    help="With pages; without pages and answers of providers; or no more than hashes.",
)
@click.option(
    "--redact",
    multiple=True,
    callback=options.as_text,
    metavar="RULE",
    help="Leave out what it meets: email, private-hosts, text:WORDS, pattern:REGEX, field:NAME. Repeatable.",
)
@click.option("--preview", is_flag=True, help="Say what would leave and what not, and write nothing.")
@click.option("--sign", is_flag=True, help="Sign the head with the key that `searchlog key new` made.")
@click.option(
    "--token",
    "tokens",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A time-stamp token (RFC 3161) over the head, to go with it. Repeatable.",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--checkpoint", is_flag=True, help="Print the head's text, for others to sign or stamp, and end.")
@click.option("--verifier", is_flag=True, help="Print a script of plain Python that verifies snapshots, and end.")
@options.archive_option
@options.json_option
@options.quiet_option
def export_command(
    *,
    session_id: str | None,
    output: str | None,
    turns: tuple[int, ...],
    evidence: tuple[str, ...],
    profile: str,
    redact: tuple[str, ...],
    preview: bool,
    sign: bool,
    tokens: tuple[str, ...],
    force: bool,
    checkpoint: bool,
    verifier: bool,
    archive: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write a snapshot: one WACZ file with the log, the pages and the evidence, that proves itself offline.

    SESSION is an id, a beginning of one, or `latest` (the default). Web archive tools open the pages in it, and
    `searchlog verify FILE` checks all of it with no archive at hand. What is left out is replaced by its hash, so a
    part still proves that it belongs to the whole. Keys of this machine are never in it.

    Exit code 0 means that it was written whole, 7 that something which the session names is missing in the archive.
    """
    if verifier:
        from importlib.resources import files

        out.data(files("searchlog.snapshot").joinpath("verify_snapshot.py").read_text(encoding="utf-8"))
        out.say("keep it as verify_snapshot.py, and run: python3 verify_snapshot.py FILE", quiet)
        return Exit.OK
    from searchlog.archive import open_archive
    from searchlog.cli import progress
    from searchlog.log.checkpoint import format_checkpoint

    signer = _signer() if sign else None
    stamped = [options.read_file(token) for token in tokens]
    with open_archive(archive, create=False, write=not (preview or checkpoint)) as opened:
        session = opened.find(session_id or "latest")
        if checkpoint:
            text = format_checkpoint(opened.ledger(session).checkpoint())
            out.data(signer.sign(text) if signer else text)
            return Exit.OK
        names = tuple(dict.fromkeys(name for item in evidence for name in item.split(",")))
        with progress.counting(f"looking through {session}", quiet) as listener:
            plan = opened.plan_export(
                session, turns=turns, evidence=names, profile=cast("Profile", profile), redact=redact, progress=listener
            )
        if preview:
            _preview(plan, as_json)
            return Exit.OK
        path = _path(output, plan)
        with progress.counting(f"writing {path}", quiet) as listener:
            done = opened.write_export(plan, path, signer=signer, tokens=stamped, overwrite=force, progress=listener)
    if as_json:
        out.json(_json(done))
    else:
        out.line(str(done.path))
    _report(done, quiet)
    return Exit.BYTES if plan.damaged else Exit.OK


def _signer() -> Signer:
    from searchlog.signing import default_place, load_key

    return load_key(default_place())


def _path(output: str | None, plan: Plan) -> Path:
    """Return where to write: the place that was named, in the folder that was named, or in the one we are in."""
    if output == "-":
        raise click.UsageError("a snapshot is written to a file, and read from any place in it: give its name")
    place = Path(output or ".")
    return place / _name(plan) if place.is_dir() else place


def _name(plan: Plan) -> Path:
    """Return the name of a file for a snapshot."""
    scope = plan.description.scope
    parts = [plan.description.session, *(f"turn{turn}" for turn in scope.turns), *scope.evidence]
    if plan.description.profile != "full":
        parts.append(plan.description.profile)
    return Path("-".join(parts)[:200] + ".wacz")


def _preview(plan: Plan, as_json: bool) -> None:
    from searchlog.redaction.rules import grouped, preview

    about = plan.description
    found = preview(plan.found)
    if as_json:
        out.json(
            {
                "session": about.session,
                "scope": about.scope.to_json(),
                "profile": about.profile,
                "records": len(plan.envelopes),
                "pages": plan.page_count,
                "evidence": plan.evidence_count,
                "left_out": about.left_out.to_json(),
                "found": found,
                "scan": _scan(plan),
                "idle": list(plan.idle),
                "damaged": list(plan.damaged),
            }
        )
        return
    what = f"{plan.page_count} pages and {plan.evidence_count} pieces of evidence"
    out.line(f"session {about.session}: {len(plan.envelopes)} of {about.size} records would leave as they are, {what}")
    _left_out(plan, out.line)
    if found:
        rows = [(rule, what, count, where) for rule, what, count, where in grouped(found)]
        out.table(("rule", "found", "times", "first"), rows[:_SHOWN_MAX])
        if len(rows) > _SHOWN_MAX:
            out.say(f"{len(rows) - _SHOWN_MAX} more: --json has all")
    for rule in plan.idle:
        out.line(f"the rule {rule} met nothing")
    out.line(plan.scan.summary())
    for where, reason in plan.reasons[:_SHOWN_MAX]:
        out.line(f"  {_reason(where, reason)}")


def _left_out(plan: Plan, say: Callable[[str], None]) -> None:
    for what, count in plan.description.left_out.counts().items():
        sort, _, why = what.partition(" ")
        say(f"  left out: {count} {sort}: {_WHYS[why]}")
    for text in plan.damaged:
        say(f"  missing: {text}")


_WHYS = {
    "scope": "not in what was asked for; their hashes stay",
    "profile": "not in this profile; their hashes stay",
    "redacted": "met by a rule of redaction; their hashes stay",
    "secret": "they hold a secret; their hashes stay",
    "missing": "this archive does not have them in full",
}


def _reason(where: str, reason: Reason) -> str:
    certain = "left out" if reason.certain else "look at it before you share"
    return f"{reason.code} in {where} {reason.where}".rstrip() + f": {certain}"


def _scan(plan: Plan) -> dict[str, Any]:
    found = [
        {"code": reason.code, "where": f"{where} {reason.where}".rstrip(), "left_out": reason.certain}
        for where, reason in plan.reasons
    ]
    scan = plan.scan
    return {"records": scan.records, "blobs": scan.blobs, "bytes": scan.bytes, "found": found}


def _json(done: Exported) -> dict[str, Any]:
    from searchlog.log.checkpoint import head_line

    about = done.plan.description
    return {
        "file": str(done.path),
        "snapshot": done.snapshot.name,
        "bytes": done.snapshot.size,
        "session": about.session,
        "scope": about.scope.to_json(),
        "profile": about.profile,
        "records": done.snapshot.record_count,
        "pages": done.snapshot.page_count,
        "left_out": about.left_out.counts(),
        "redaction": list(about.redaction),
        "scan": _scan(done.plan),
        "idle": list(done.plan.idle),
        "damaged": list(done.plan.damaged),
        "not_kept": done.kept,
        "head": head_line(done.snapshot.checkpoint),
    }


def _report(done: Exported, quiet: bool) -> None:
    """Say what is in the file, what is not, and what its name is."""
    from searchlog.log.checkpoint import head_line

    about, made = done.plan.description, done.snapshot
    out.say(
        f"{made.record_count} of {about.size} records and {made.page_count} pages of session {about.session}, "
        f"{made.size} bytes",
        quiet,
    )
    _left_out(done.plan, lambda text: out.say(text, quiet))
    out.say(done.plan.scan.summary(), quiet)
    for where, reason in done.plan.reasons[:_SHOWN_MAX]:
        out.say(f"  {_reason(where, reason)}", quiet)
    for rule in done.plan.idle:
        out.say(f"the rule {rule} met nothing")
    if done.kept is not None:
        out.say(f"this export is not kept in the log: {done.kept}", quiet)
    out.say(f"snapshot {made.name}", quiet)
    out.say(head_line(made.checkpoint), quiet)
    for text in done.plan.damaged:
        out.error(text)
