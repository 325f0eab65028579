"""The record kinds: what the stages' values look like in the log.

One small class a kind, a closed union on `kind`. Kinds and fields that this version does not know survive reading
(`Unknown`, `model_extra`) and are never rewritten. Absent fields mean none. Times are RFC 3339 UTC, sizes bytes, scores
and seconds decimal strings. FORMAT.md section 5 shows a specimen of each.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from searchlog.errors import FormatError

__all__ = [
    "KINDS",
    "BlobRef",
    "Body",
    "Capture",
    "Conversion",
    "Decision",
    "Evidence",
    "Export",
    "Import",
    "Message",
    "Note",
    "ProviderExchange",
    "Query",
    "Rendering",
    "Run",
    "Selection",
    "Session",
    "Suspicion",
    "ToolCall",
    "ToolResult",
    "Turn",
    "Unknown",
    "Verification",
    "parse_body",
]


class _Open(BaseModel):
    """Unknown fields are kept; values are immutable."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Suspicion(_Open):
    """What a page is suspected to be instead of the page asked for."""

    kind: str
    """`bot-challenge`, `login-wall`, `soft-404`."""
    tests: list[str]
    """The tests that fired, as short codes."""


class BlobRef(_Open):
    """Bytes that lie in the blob store under their digest."""

    blob: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    bytes: int
    """Their size."""


_Spilled = Annotated[BlobRef | dict[str, Any], Field(union_mode="left_to_right")]
"""An object, or the reference to it: looked for first, since every reference is an object as well."""


class Body(_Open):
    """A record's body."""

    kind: ClassVar[str] = ""
    spill: ClassVar[tuple[str, ...]] = ()
    """Fields that become a BlobRef to their canonical JSON when the line would be too long."""

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, absent fields left out; a null in a field we do not know is not ours to judge."""
        unknown = self.model_extra or {}
        values = self.model_dump(mode="json")
        return {name: value for name, value in values.items() if value is not None or name in unknown}


class Session(Body):
    """First record of every session."""

    kind = "session"
    origin: str
    """Origin line of the session's checkpoints."""
    software: str
    """Name and version of the writer."""
    title: str | None = None


class Turn(Body):
    """Begin and end of one unit of work. Between them stand the turn's other records."""

    kind = "turn"
    state: Literal["begin", "end", "discarded"]
    purpose: str | None = None
    """At begin: `search`, `fetch`, `index`, `reparse`, `read`, `verify`, `answer`, `save`, `import`, `tool`, `hook`."""
    lease: str | None = None
    """At begin: name of the lock its writer holds; a turn whose lock is free was cut off."""
    outcome: str | None = None
    """At end: the RunOutcome of the whole, or `ok` / `failed`."""
    detail: str | None = None
    reason: str | None = None
    """When discarded: `interrupted`."""


class Query(Body):
    """What was asked, with every option that shaped the answer: enough to run it again."""

    kind = "query"
    text: str
    options: dict[str, Any]
    """The Query's other fields."""
    providers: list[str]
    mode: Literal["fuse", "fallback", "fetch"]
    """`fuse`: all are asked at once; `fallback`: the next is asked when one fails."""
    policy: dict[str, Any]
    """Selection policy, limits, deadlines, converter options."""
    also: list[str] | None = None
    """The same in other words, each asked as well."""
    focus: str | None = None
    """What the passages were chosen by, in place of the texts; no provider was sent it."""

    @property
    def phrasings(self) -> list[str]:
        """The texts that were asked, the first one first."""
        return [self.text, *(self.also or ())]


class ProviderExchange(Body):
    """One HTTP exchange with a search provider, as bytes."""

    kind = "provider-exchange"
    spill = ("exchange",)
    provider: str
    exchange: _Spilled
    """Heads, framing, peer, outcome: see FORMAT.md section 6."""
    payload: BlobRef | None = None
    decoded_bytes: int | None = None
    """Size of the decoded payload, where it is not the payload itself."""
    urls: list[str] | None = None
    """The pages whose texts were asked for, when it was no search."""


class Run(Body):
    """One provider's parsed answer, or why there is none."""

    kind = "run"
    spill = ("results", "dropped")
    provider: str
    outcome: str
    detail: str | None = None
    results: list[dict[str, Any]] | BlobRef = []
    texts: list[BlobRef] | None = None
    """The texts of pages that its results hold, so that they are found without reading a spilled list."""
    dropped: list[list[str]] | BlobRef = []
    ignored: list[str] = []
    notes: list[str] = []
    parser: str | None = None
    retry_after_s: int | None = None
    answered_at: str | None = None
    """When its first request was made; absent when none was."""
    query_number: int | None = None
    """Which text of the query it answers, counted from 1; absent for the first."""


class Decision(Body):
    """One step over a set of things: which were kept, which dropped, by what rule and why. in = kept + dropped."""

    kind = "decision"
    spill = ("items", "sources")
    step: str
    rule: str
    in_count: int
    kept_count: int
    dropped_count: int
    reasons: dict[str, int]
    """How many were dropped for each reason code."""
    items: list[dict[str, Any]] | BlobRef
    """`subject`, `kept`, `reason` and the numbers it rests on, in order."""
    sources: list[str] | BlobRef | None = None
    """URLs of the pages that subjects of the form `index:start-end` (code points of that page's text) count in."""


class Capture(Body):
    """One hop of the fetch of one resource: a recorded exchange and its outcome, or a refusal."""

    kind = "capture"
    spill = ("exchange",)
    url: str
    """The URL this hop asked for."""
    asked: str
    """The URL the fetch began with."""
    purpose: str
    """`page`, `robots`, `index`."""
    hop: int
    final: bool
    """Whether this hop ends the fetch; then `outcome` is the fetch's."""
    outcome: Literal["complete", "truncated", "failed", "refused"]
    reason: str | None = None
    detail: str | None = None
    status: int | None = None
    captured_at: str | None = None
    """When the request was made; absent when none was."""
    exchange: _Spilled | None = None
    payload: BlobRef | None = None
    decoded_digest: str | None = None
    """Digest of the decoded payload."""
    decoded_bytes: int | None = None
    """Size of the decoded payload, where it is not the payload itself: decoding may have been cut at a limit."""
    cut: bool | None = None
    """The search gave the page up at its deadline; what had arrived is here."""
    revisit: bool = False
    """The payload was stored before: nothing was written again."""
    suspected: Suspicion | None = None
    """What an answer of an error's status is suspected to be; of others the conversion says it."""
    robots: dict[str, Any] | None = None
    reused: dict[str, Any] | None = None
    """Where the bytes come from when nothing was fetched: `via` (cache, archive, snapshot), `session`, `seq`, the
    `snapshot`, and `imported` when somebody else made that capture."""
    imported: dict[str, Any] | None = None
    """Where the exchange comes from when another tool made it: `file` and its `digest`, `member` (of a WACZ file), and
    of the WARC record its id as `record` and its `offset`."""

    @property
    def is_imported(self) -> bool:
        """Whether another tool or person made the exchange, so that its bytes and its time are their word."""
        return self.imported is not None or bool((self.reused or {}).get("imported"))


class Conversion(Body):
    """The text of one payload by one converter, or why there is none."""

    kind = "conversion"
    url: str
    payload: str
    """Digest of the payload it was made from."""
    text: BlobRef | None = None
    """The whole visible text, UTF-8."""
    structure: BlobRef | None = None
    """Blocks and metadata: FORMAT.md section 7."""
    converter: str | None = None
    media_type: str | None = None
    charset: str | None = None
    charset_source: str | None = None
    char_count: int | None = None
    block_count: int | None = None
    title: str | None = None
    published: str | None = None
    published_source: str | None = None
    published_sure: str | None = None
    """`conflicting` or `guessed`; None when it is stated, or nobody says (FORMAT.md section 7)."""
    verbatim: bool | None = None
    warnings: list[str] = []
    failure: str | None = None
    detail: str | None = None
    suspected: Suspicion | None = None
    """What the page is suspected to be instead of the page asked for; its text is then no evidence."""


class Selection(Body):
    """Which passages were chosen, in order, under which policy."""

    kind = "selection"
    spill = ("chosen",)
    rule: str
    budget_tokens: int
    used_tokens: int
    chosen: list[dict[str, Any]] | BlobRef


class Evidence(Body):
    """One passage as handed to a model, and where its text is stored."""

    kind = "evidence"
    spill = ("exact",)
    id: str
    exact: str | BlobRef
    """The passage: the code points `[start, end)` of the stored text."""
    prefix: str
    suffix: str
    start: int
    end: int
    digest: str
    """Digest of the passage's UTF-8 bytes."""
    text: str
    """Digest of the stored text that it is a slice of."""
    payload: str
    """Digest of the payload that the text was made from."""
    url: str
    title: str
    source_kind: str
    captured_at: str
    published: str | None = None
    published_source: str | None = None
    published_sure: str | None = None
    """As that of the conversion."""
    crawled: str | None = None
    """When a provider says that it read the page itself."""
    crawled_source: str | None = None
    heading_path: list[str] = []
    labels: list[str] = []
    flags: list[str] = []
    page: int | None = None
    table_head: list[int] | None = None
    """Range of the header row of the table that the passage stands in, when it is not part of the passage."""
    lead_in: list[int] | None = None
    """Range of the line above the list whose later items the passage holds: a paragraph that ends in a colon."""
    score: str
    tokens: int
    link: str


class Rendering(Body):
    """The exact text that a model is given."""

    kind = "rendering"
    form: str
    """Name and version of the renderer, such as `render/1`."""
    text: BlobRef
    evidence: list[str]
    """Evidence ids in the order they stand in the text."""
    removals: dict[str, dict[str, int]] = {}
    """Characters left out of the rendering or escaped in it, by evidence id and kind."""
    tokens: int


class Message(Body):
    """What a model, or a person, said."""

    kind = "message"
    spill = ("citations", "index")
    role: str
    """`assistant`, `user`."""
    form: str
    """`text`, or the vendor's form that its bytes are in: `anthropic`, `openai-responses`, …"""
    content: BlobRef
    """As it was handed in; of a response that an SDK had read, the JSON of what it read."""
    model: str | None = None
    """Which model said it, as its API names it."""
    calls: int | None = None
    """How many tools it calls; one that calls any is no answer yet."""
    citations: list[dict[str, Any]] | BlobRef | None = None
    """What it cites, when that was looked at as it came: `form`, `target` (as written), `evidence` and `digest` (null
    when it names none of this session), `start` and `end` of what it stands for (code points of its text); of one by
    numbers also `state`: `exact`, `moved`, `elsewhere` or `unknown`, as the words that it quotes were found."""
    index: list[dict[str, Any]] | BlobRef | None = None
    """What numbers of citations meant in the request that it answers: of each `search_result` block in it, in order,
    its `source` and its `blocks`, each with `evidence` (null for what is none of this session's) and `digest`."""


class ToolCall(Body):
    """One call of a tool, as a model made it."""

    kind = "tool-call"
    spill = ("arguments",)
    name: str
    """As the model wrote it; it may name no tool of ours."""
    arguments: str | BlobRef
    """As the model wrote them: JSON text, or anything else."""
    api: str
    """Through which API it came: `anthropic`, `openai-responses`, `mcp`, `python`, …; of a hook the agent's name."""
    call_id: str | None = None
    """What the API calls the call by."""
    client: dict[str, Any] | None = None
    """Who asked, where that is known: `name`, `version`, `protocol`, `model`; and `tool`, what it calls ours by."""


class ToolResult(Body):
    """What a model was told in answer to a tool call."""

    kind = "tool-result"
    spill = ("evidence", "index")
    name: str
    api: str
    outcome: Literal["ok", "error", "interrupted", "cancelled"]
    call_id: str | None = None
    error: str | None = None
    """Why, as a code, when the outcome is `error`."""
    form: str | None = None
    """What `content` holds: `text`, or the JSON of a message of the API that it names; of a result of another
    program's tool `json`, or `input` when no response could be read in what the hook was given."""
    content: BlobRef | None = None
    """What was handed back, byte for byte; none of an interrupted call."""
    evidence: list[str] | BlobRef = []
    """Evidence ids in the order they stand in the content."""
    index: list[list[str]] | BlobRef | None = None
    """Evidence ids of each text block of each `search_result` block in the content, where it has such."""
    head: dict[str, Any] | None = None
    """The head that the content names: `size` and `root`, base64."""
    reused: int | None = None
    """Turn of the earlier search whose evidence was handed over again."""
    urls: list[str] | None = None
    """The pages that it names, where that was looked for."""
    fidelity: str | None = None
    """Of a result that another program's tool gave: `verbatim`, `readable-derived`, `pointer`, `sealed`, `withheld` or
    `unknown`; absent for our own, which is exact."""


class Verification(Body):
    """One check of past records, on one axis: what was looked at and what was found."""

    kind = "verification"
    spill = ("verdicts", "findings")
    axis: str
    """`store`, `derivation`, `live`, `web-archive` or `answer`."""
    scope: str
    """`session`, `page`, `answer`."""
    session: str | None = None
    """Which session was checked; absent where the verdicts name sessions, or it is the session that this stands in."""
    version: int | None = None
    """How many records the session had when it was checked."""
    root: str | None = None
    """The head that was checked, base64."""
    level: str | None = None
    outcome: str | None = None
    """`verified`, `failed` or `not checked`."""
    checked: dict[str, int] = {}
    not_checked: dict[str, int] = {}
    findings: list[dict[str, Any]] | BlobRef = []
    verdicts: list[dict[str, Any]] | BlobRef | None = None
    """What was found of each passage: see FORMAT.md section 15."""
    url: str | None = None
    """The page that was looked at."""
    answer: BlobRef | None = None
    """The bytes of the answer that was checked."""


class _Shared(Body):
    """A snapshot that went from one archive to another."""

    session: str
    """Of which session."""
    snapshot: str
    """Its name: the digest of its manifest."""
    size: int
    root: str
    """The head that went with it, base64."""
    scope: dict[str, Any]
    profile: str
    signed_by: list[str] = []
    """Verifier keys of signatures that hold."""
    file: str
    """The file's name, without its folder."""


class Export(_Shared):
    """A snapshot that left this archive."""

    kind = "export"
    redaction: list[str] = []
    """The rules by which it was redacted."""


class Import(_Shared):
    """A snapshot of somebody else's session that was taken in, and what of that session is not here since."""

    kind = "import"
    spill = ("left_out",)
    left_out: _Spilled
    """As in a snapshot's description (FORMAT.md section 14); of all snapshots of the session together."""


class Note(Body):
    """Something worth remembering that has no kind of its own."""

    kind = "note"
    text: str
    fields: dict[str, Any] = {}


class Unknown(Body):
    """A body of a kind that this version does not know."""

    kind = "unknown"


KINDS: dict[str, type[Body]] = {
    cls.kind: cls
    for cls in (
        Session,
        Turn,
        Query,
        ProviderExchange,
        Run,
        Decision,
        Capture,
        Conversion,
        Selection,
        Evidence,
        Rendering,
        Message,
        ToolCall,
        ToolResult,
        Verification,
        Export,
        Import,
        Note,
    )
}


def parse_body(kind: str, body: dict[str, Any]) -> Body:
    """Return the typed body of a record; `Unknown` for a kind of a later version.

    Raises FormatError naming the field when the body is not of its kind's form.
    """
    cls = KINDS.get(kind)
    if cls is None:
        return Unknown.model_validate(body)
    try:
        return cls.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FormatError(f"{kind} record: {where}: {first['msg']}", kind=kind, field=where) from None
