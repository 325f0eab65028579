"""What of a session is to leave, and what not: decided before a byte is written, so that it can be looked at first.

Reads every record and every blob that may leave: for secrets, which never do, and for what the rules of redaction
name. A record or blob with either is left out whole; its leaf hash or digest stays, so the rest can still be proven.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog import canon, digest
from searchlog.errors import FormatError, IntegrityError, MissingError, UsageError
from searchlog.ledger import Ledger
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.log.store.base import StoredLine
from searchlog.log.tree import Frontier, leaf_hash
from searchlog.records import (
    BlobRef,
    Body,
    Capture,
    Conversion,
    Evidence,
    ProviderExchange,
    Rendering,
    ToolResult,
    parse_body,
)
from searchlog.redaction.rules import (
    UNSEEN,
    Cuts,
    Found,
    Match,
    Redactor,
    Rule,
    cuts,
    derived,
    without_digests,
    without_salt,
)
from searchlog.redaction.scan import Reason, Scan
from searchlog.secrecy import MARKER, Secrets
from searchlog.snapshot.layout import RECORDS_MAX, Description, LeftOut, Profile, Scope, Why
from searchlog.snapshot.logfile import fits
from searchlog.snapshot.scope import blobs_of, records_in
from searchlog.stored import stored_exchange
from searchlog.verify.absence import NOTHING_ABSENT, Absence
from searchlog.verify.store import erased_seqs

__all__ = ["Choice", "Plan", "plan"]

Progress = Callable[[int, int], None]
_TOLD = ("exchange", "decoded_digest", "decoded_bytes")
"""Members of a record of an exchange that tell of its payload: heads hold Repr-Digest, ETag and the like."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants to share."""

    scope: Scope = field(default_factory=Scope)
    profile: Profile = "full"
    rules: tuple[Rule, ...] = ()


@dataclass(slots=True)
class Plan:
    """What a snapshot will hold."""

    description: Description
    frontier: Frontier
    lines: tuple[StoredLine, ...]
    """Every record of the session; without its line where that is left out or was erased."""
    envelopes: Mapping[int, Envelope]
    """Those of the lines that are here."""
    copies: Mapping[int, dict[str, Any]]
    """Redacted copies, by seq."""
    found: Sequence[tuple[str, Sequence[Match]]]
    """What the rules found, place by place."""
    scan: Scan
    """How much was looked at for secrets."""
    reasons: Sequence[tuple[str, Reason]] = ()
    """What the scan found, with its place: what is certain was left out, the rest are warnings."""
    damaged: Sequence[str] = ()
    """Blobs that the archive does not hold in full, a sentence each."""
    idle: Sequence[str] = ()
    """Rules that met nothing."""

    @property
    def page_count(self) -> int:
        """How many pages a reader will find: one that was taken from the HTTP cache is no other page."""
        return len({page for envelope in self.envelopes.values() if (page := self._page(envelope)) is not None})

    @property
    def evidence_count(self) -> int:
        """How many evidence records are here."""
        return sum(envelope.kind == Evidence.kind for envelope in self.envelopes.values())

    def _page(self, envelope: Envelope) -> tuple[str, str | None] | None:
        """Return address and time of the page that a record is a capture of; None when it is none."""
        body = parse_body(envelope.kind, envelope.body)
        if not isinstance(body, Capture) or not body.final or body.purpose == "robots" or body.exchange is None:
            return None
        if body.payload is not None and body.payload.blob in self.description.left_out.blobs:
            return None
        return (body.url, body.captured_at) if 200 <= (body.status or 0) < 300 else None


def plan(
    ledger: Ledger,
    choice: Choice,
    known: Secrets,
    *,
    absent: Absence = NOTHING_ABSENT,
    progress: Progress = lambda done, total: None,
) -> Plan:
    """Return what a snapshot of this session will hold.

    known: the secrets of this machine. absent: what of the session need not be here, since it was imported without;
    it is missing in the snapshot as well. progress: called with the number of records looked at, and of all. Raises
    MissingError for a turn or evidence that is not there, IntegrityError for a record that does not match its leaf
    hash, FormatError for one that cannot be read, StoreError.
    """
    stored = ledger.log.snapshot(ledger.session)
    if stored.frontier.size > RECORDS_MAX:
        raise UsageError(
            f"session {ledger.session} has {stored.frontier.size} records; a snapshot at most {RECORDS_MAX}"
        )
    envelopes = _Envelopes(stored.lines, _readable(ledger.session, stored.lines))
    draft = _Draft(ledger, choice, Scan(known), Redactor(choice.rules), absent)
    gone = (seq for seq, item in enumerate(stored.lines) if item.line is None and seq in absent.lines)
    draft.records |= dict.fromkeys(gone, "missing")
    wanted = records_in(envelopes, choice.scope) if choice.profile != "hashes" else frozenset()
    charsets = _charsets(envelopes[seq] for seq in wanted)
    for done, (seq, envelope) in enumerate(envelopes.items(), 1):
        if seq not in wanted:
            draft.records[seq] = "profile" if choice.profile == "hashes" else "scope"
        else:
            draft.look_at(envelope, stored.lines[seq], charsets)
        progress(done, len(envelopes))
    if choice.profile == "hashes":  # what explains an erased line is not here either
        draft.records |= dict.fromkeys(range(stored.frontier.size), "profile")
    draft.leave_out_derived(envelopes[seq] for seq in wanted)
    draft.hide_digests(_Envelopes(stored.lines, sorted(wanted)).values())
    draft.leave_out_unexplained(stored.lines)
    here = _Envelopes(stored.lines, [seq for seq in envelopes if seq not in draft.records])
    named = {name for envelope in here.values() for name, _ in blobs_of(envelope, choice.profile)}
    blobs = {name: why for name, why in draft.blobs.items() if name in named and why is not None}
    description = Description(
        ledger.session,
        stored.frontier.size,
        choice.scope,
        choice.profile,
        LeftOut.of(draft.records, blobs),
        tuple(sorted(rule.shared for rule in choice.rules)),
    )
    met = {match.rule for _, matches in draft.found for match in matches}
    idle = [rule.text for rule in choice.rules if rule.text not in met]
    lines = tuple(item if seq in here else StoredLine(item.leaf, None) for seq, item in enumerate(stored.lines))
    copies = {seq: copy for seq, copy in draft.copies.items() if fits(copy)}
    return Plan(
        description,
        stored.frontier,
        lines,
        here,
        copies,
        draft.found,
        draft.scan,
        draft.reasons,
        draft.damaged,
        idle,
    )


class _Envelopes(Mapping[int, Envelope]):
    """The records of some lines, by seq: each is read when it is asked for, so a long session is not held twice."""

    def __init__(self, lines: Sequence[StoredLine], seqs: Iterable[int]) -> None:
        self._lines = lines
        self._seqs = dict.fromkeys(seqs)

    def __getitem__(self, seq: int) -> Envelope:
        line = self._lines[seq].line if seq in self._seqs else None
        if line is None:
            raise KeyError(seq)
        return decode(line)

    def __iter__(self) -> Iterator[int]:
        return iter(self._seqs)

    def __len__(self) -> int:
        return len(self._seqs)


def _readable(session: str, lines: Sequence[StoredLine]) -> Iterator[int]:
    """Yield the seqs of the lines that are here. Raises IntegrityError, FormatError for one that is not sound."""
    for seq, item in enumerate(lines):
        if item.line is None:
            continue
        if leaf_hash(item.line) != item.leaf:
            raise IntegrityError(
                f"record {seq} of session {session} does not match its leaf hash: `searchlog verify` tells more, and "
                "nothing was exported",
                seq=seq,
            )
        try:
            decode(item.line)
        except FormatError as error:
            raise FormatError(f"record {seq} of session {session} cannot be read: {error}", seq=seq) from None
        yield seq


def _charsets(envelopes: Iterable[Envelope]) -> dict[str, str]:
    """Return what each payload was read as, by digest."""
    found = {}
    for envelope in envelopes:
        payload, charset = envelope.body.get("payload"), envelope.body.get("charset")
        if envelope.kind == Conversion.kind and isinstance(payload, str) and isinstance(charset, str):
            found[payload] = charset
    return found


def _groups(envelopes: Iterable[Envelope]) -> list[tuple[str, ...]]:
    """Return payload, text and structure of each conversion."""
    groups = []
    for envelope in envelopes:
        body = parse_body(envelope.kind, envelope.body)
        if isinstance(body, Conversion):
            groups.append((body.payload, *(ref.blob for ref in (body.text, body.structure) if ref is not None)))
    return groups


@dataclass
class _Draft:
    """What was decided so far."""

    ledger: Ledger
    choice: Choice
    scan: Scan
    redactor: Redactor
    absent: Absence
    records: dict[int, Why] = field(default_factory=dict)
    """What is left out of the records that can be read, by seq."""
    blobs: dict[str, Why | None] = field(default_factory=dict)
    """Every blob that was looked at, and why it is left out; None when it is not."""
    copies: dict[int, dict[str, Any]] = field(default_factory=dict)
    found: list[tuple[str, Sequence[Match]]] = field(default_factory=list)
    reasons: list[tuple[str, Reason]] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    _cut: set[str] = field(default_factory=set)
    """Evidence whose passage begins or ends inside of what a rule finds: what renders it shows a part of that."""

    def look_at(self, envelope: Envelope, item: StoredLine, charsets: Mapping[str, str]) -> None:
        """Decide on one record and on the blobs that it names. charsets: what each payload was read as."""
        if item.line is None:
            raise AssertionError("a record that can be read has a line")
        where = f"record {envelope.seq} ({envelope.kind})"
        if self._note(where, self.scan.line(item.line)):
            self.records[envelope.seq] = "secret"
            return
        cut = self._cuts(envelope)
        if "exact" in cut:
            self._cut.add(envelope.body["id"])
        redacted = self.redactor.record(canon.loads(item.line), cut)
        if redacted is not None:
            self.records[envelope.seq] = "redacted"
            if not self._note(where, self.scan.copy(canon.dumps(redacted.value))):
                self.copies[envelope.seq] = redacted.value
            self.found.append((where, redacted.matches))
            self.blobs |= dict.fromkeys(redacted.blobs, "redacted")
        for name, taken in blobs_of(envelope, self.choice.profile):
            if not taken:
                self.blobs[name] = "profile"
            elif name not in self.blobs:
                self.blobs[name] = self._look_into(envelope, name, charsets.get(name, ""))

    def _cuts(self, envelope: Envelope) -> Cuts:
        """Return what the edges of a passage, and of the words around it, leave of what the rules find in its text.

        Where its text is not here to tell, the words around it go.
        """
        body = parse_body(envelope.kind, envelope.body)
        if not isinstance(body, Evidence) or all(rule.kind == "field" for rule in self.choice.rules):
            return {}
        before, after = body.start - len(body.prefix), body.end + len(body.suffix)
        quoted = (body.link.rfind(":~:text="), len(body.link))  # the first and last words of the passage, in an address
        try:
            text = self.ledger.blobs.get(digest.parse(body.text)).decode("utf-8")
        except (FormatError, MissingError, IntegrityError, UnicodeDecodeError):
            sizes = {"prefix": len(body.prefix), "suffix": len(body.suffix)}
            blank: dict[str, list[Found]] = {name: [(UNSEEN, (0, size))] for name, size in sizes.items() if size}
            return blank | ({"link": [(UNSEEN, quoted)]} if blank and quoted[0] >= 0 else {})
        parts = {"prefix": (before, body.start), "exact": (body.start, body.end), "suffix": (body.end, after)}
        found = [(rule, span) for rule, span in self.redactor.found(text) if span[0] < after and span[1] > before]
        out = cuts(found, parts)
        if found and quoted[0] >= 0:
            out["link"] = [(found[0][0], quoted)]
        return out

    def _note(self, where: str, reasons: Sequence[Reason]) -> bool:
        """Keep what the scan found, and return whether it must not leave."""
        self.reasons += [(where, reason) for reason in reasons]
        return any(reason.certain for reason in reasons)

    def leave_out_derived(self, envelopes: Iterable[Envelope]) -> None:
        """Leave out payload, text and structure together: where one of them tells what is to be hidden, all may."""
        groups = _groups(envelopes)
        whys: tuple[Why, ...] = ("redacted", "secret")
        for why in whys:
            found = [name for name, reason in self.blobs.items() if reason == why]
            self.blobs |= dict.fromkeys(derived(found, groups), why)

    def hide_digests(self, envelopes: Collection[Envelope]) -> None:
        """Take out the digests by which a guess at something redacted could be tried, and so redact what names them.

        Where a redacted copy shows most of a text, its digest tells whether a name put into the gap is the right one:
        that of a passage's page, of a rendering, of what was spilled from a record. The digest of a page that no copy
        shows a part of stays.
        """
        texts = [e.body for e in envelopes if e.kind == Evidence.kind and e.seq in self.copies]
        telling = {body[name] for body in texts for name in ("text", "payload") if isinstance(body.get(name), str)}
        for envelope in envelopes:
            if envelope.kind not in (Conversion.kind, Capture.kind, ProviderExchange.kind):
                telling |= {name for name, _ in blobs_of(envelope, "full") if self.blobs.get(name) == "redacted"}
        telling = derived(telling, _groups(envelopes)) if telling else set()
        for envelope in envelopes if telling else ():
            if envelope.seq in self.records and envelope.seq not in self.copies:
                continue  # nothing of it leaves
            value = self.copies.get(envelope.seq) or without_salt(self._json(envelope))
            hidden = without_digests(value, telling)
            if hidden == value:
                continue
            if envelope.kind in (Capture.kind, ProviderExchange.kind):  # servers tell digests of what they send, too
                hidden["body"] |= {name: MARKER for name in _TOLD if name in hidden["body"]}
                self.blobs |= {name: "redacted" for name, _ in blobs_of(envelope, "full")}
            self.records[envelope.seq] = "redacted"
            self.copies[envelope.seq] = hidden

    def leave_out_unexplained(self, lines: Sequence[StoredLine]) -> None:
        """Tell as left out what was erased, where the record that explains it is left out itself."""
        here = [StoredLine(item.leaf, None) if seq in self.records else item for seq, item in enumerate(lines)]
        for seq in erased_seqs(lines) - erased_seqs(here):
            if lines[seq].line is None:
                self.records[seq] = "redacted" if self.choice.profile != "hashes" else "profile"

    def _json(self, envelope: Envelope) -> dict[str, Any]:
        value = canon.loads(encode(envelope))
        return value if isinstance(value, dict) else {}

    def _look_into(self, envelope: Envelope, name: str, charset: str) -> Why | None:
        """Return why a blob is left out, or None."""
        where = f"blob {name} of record {envelope.seq} ({envelope.kind})"
        body = parse_body(envelope.kind, envelope.body)
        if self._cut and isinstance(body, Rendering | ToolResult) and self._shows_cut(body):
            return "redacted"
        try:
            data = self.ledger.blobs.get(digest.parse(name))
            decoded = self._decoded(body, name)
        except (MissingError, IntegrityError) as error:
            if name not in self.absent.blobs:
                self.damaged.append(str(error))
            return "missing"
        if self._note(where, self.scan.blob(data, decoded)):
            return "secret"
        spilled = [part for part in body.spill if isinstance(ref := getattr(body, part), BlobRef) and ref.blob == name]
        member = (envelope.kind, spilled[0]) if spilled else None
        matches = self.redactor.blob(data, decoded=decoded, charset=charset, member=member)
        if matches:
            self.found.append((where, matches))
        return "redacted" if matches else None

    def _shows_cut(self, body: Rendering | ToolResult) -> bool:
        """Whether what a model was given shows a passage of which something is hidden, as far as that can be read."""
        try:
            shown = self.ledger.load(body.evidence)
        except (MissingError, IntegrityError, FormatError):
            return True
        return not self._cut.isdisjoint(shown)

    def _decoded(self, body: Body, name: str) -> bytes | None:
        """Return what a payload is when its content codings are removed; None where there are none."""
        if not isinstance(body, Capture | ProviderExchange) or body.payload is None or body.payload.blob != name:
            return None
        try:
            exchange = stored_exchange(body, self.ledger.blobs, self.ledger.load)
        except FormatError:
            return None
        return exchange.decoded.data if exchange.decoded.codings else None
