"""Heads from elsewhere: what holds raises the level and is listed by itself; what does not hold is a finding."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from searchlog.errors import FormatError, UsageError
from searchlog.ledger import Ledger
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint, format_checkpoint, head_line
from searchlog.log.note import Note, Signature, format_note
from searchlog.log.tree import Frontier
from searchlog.verify.finding import Report, Support
from searchlog.verify.heads import NOBODY, Seen, Trust, judge_heads, read_seen
from searchlog.verify.store import verify_session
from tests.cosigning import TIME, noted, signer, witness
from tests.specimens import specimen_session

VECTORS = Path(__file__).parent / "vectors"
AT = "2026-01-02T03:04:05Z"


@pytest.fixture
def made() -> Ledger:
    return specimen_session()


def head_of(made: Ledger, size: int | None = None) -> Checkpoint:
    lines = made.log.get(made.session, 0, size)
    tree = Frontier().extend(item.leaf for item in lines)
    return Checkpoint(ORIGIN_PREFIX + made.session, tree.size, tree.root)


def check(made: Ledger, *seen: Seen, trust: Trust = NOBODY) -> Report:
    return verify_session(made.log, made.blobs, made.session, heads=seen, trust=trust)


def note(head: Checkpoint, *signatures: Signature) -> Seen:
    return read_seen(noted(head, signatures))


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


# --- what holds


def test_each_level_is_listed_by_itself_with_what_it_covers(made: Ledger):
    early, late = head_of(made, 3), head_of(made)
    text = format_checkpoint(early)
    seen = note(early, signer().signs(text), witness().cosigns(text, TIME))
    trust = Trust.of([signer().vkey], [witness().witness_vkey])
    report = check(made, seen, read_seen(head_line(late)), trust=trust)
    assert codes(report) == []
    assert report.level == "L4"
    assert report.support == [
        Support("L2", 3),
        Support("L1", 3, "example.com/me"),
        Support("L4", 3, "witness.example/w1", AT),
        Support("L2", late.size),
    ]
    assert report.seen_size == late.size
    assert report.to_json()["support"][2] == {"level": "L4", "size": 3, "who": "witness.example/w1", "at": AT}


@pytest.mark.parametrize("kept_outside", [True, False])
def test_head_that_the_archive_keeps_itself_shows_its_signatures_alone(made: Ledger, kept_outside: bool):
    head = head_of(made)
    text = noted(head, [signer().signs(format_checkpoint(head))])
    seen = read_seen(text, kept_outside=kept_outside)
    trusted = check(made, seen, trust=Trust.of([signer().vkey]))
    alone = check(made, seen)
    assert (trusted.level, alone.level) == (("L2", "L2") if kept_outside else ("L1", "L0"))
    assert trusted.seen_size == (head.size if kept_outside else 0)
    assert alone.not_checked == {"signatures of keys that are not here": 1}


def test_head_line_checkpoint_and_note_are_read_alike(made: Ledger):
    head = head_of(made)
    forms = [head_line(head), head_line(head) + "\n", head_line(head).removeprefix("searchlog head: ")]
    for text in (*forms, format_checkpoint(head), noted(head, [signer().signs(format_checkpoint(head))])):
        assert read_seen(text).head == head
        assert check(made, read_seen(text)).level == "L2"


def test_bare_checkpoints_are_heads_that_somebody_saw(made: Ledger):
    report = verify_session(made.log, made.blobs, made.session, heads=[head_of(made)])
    assert (report.level, report.support) == ("L2", [Support("L2", report.size)])


def test_head_of_no_records_supports_nothing(made: Ledger):
    empty = head_of(made, 0)
    seen = note(empty, witness().cosigns(format_checkpoint(empty)))
    report = check(made, seen, trust=Trust.of(witnesses=[witness().witness_vkey]))
    assert (codes(report), report.level, report.support) == ([], "L0", [])


def test_trust_without_heads_of_the_session_proves_nothing(made: Ledger):
    trust = Trust.of([signer().vkey], [witness().witness_vkey])
    other = Checkpoint(ORIGIN_PREFIX + "s-other", 3, bytes(32))
    report = check(made, note(other, signer().signs(format_checkpoint(other))), trust=trust)
    assert (codes(report), report.level, report.not_checked) == ([], "L0", {"head of another session": 1})


# --- time stamps


NOTE = "searchlog/s20260102-030405-00000001\n14\nQuJs00JHbU8TBVL5a/eq6iokXky1YC9mTEUTIBjP84o=\n"


def judged(seen: Seen, **trust: Any) -> Report:
    report = Report("s20260102-030405-00000001", "store", checked={"records": 1})
    judge_heads(report, [seen], {0}, Trust(**trust))
    return report


def test_token_whose_authority_is_trusted_is_listed():
    pytest.importorskip("rfc3161_client")
    seen = read_seen(NOTE, [(VECTORS / "token-sha256.tsr").read_bytes()])
    report = judged(seen, roots=((VECTORS / "token-root.pem").read_bytes(),))
    assert codes(report) == []
    (found,) = [item for item in report.support if item.level == "L3"]
    assert (found.size, report.checked["tokens"]) == (14, 1)
    assert found.at.startswith("20")


def test_token_without_a_root_is_not_checked():
    report = judged(read_seen(NOTE, [(VECTORS / "token-sha256.tsr").read_bytes()]))
    assert [item.level for item in report.support] == ["L2"]
    assert list(report.not_checked) == [
        "signature of a time-stamp token: no root certificate of a time-stamping authority was given"
    ]


def test_token_of_another_text_or_none_is_found():
    other = read_seen(NOTE.replace("\n14\n", "\n15\n"), [(VECTORS / "token-sha256.tsr").read_bytes()])
    assert codes(judged(other)) == ["token-invalid"]
    assert codes(judged(read_seen(NOTE, [b"no token"]))) == ["token-invalid"]


# --- what does not hold


def altered(signature: Signature) -> Signature:
    return Signature(signature.name, signature.key_id, signature.value[:-1] + bytes([signature.value[-1] ^ 1]))


def test_wrong_signature_of_a_named_key_is_found_and_leaves_the_lowest_level(made: Ledger):
    head = head_of(made)
    text = format_checkpoint(head)
    trust = Trust.of([signer().vkey], [witness().witness_vkey])
    wrong = note(head, altered(signer().signs(text)), witness().cosigns(text))
    report = check(made, wrong, trust=trust)
    assert (codes(report), report.level, report.outcome) == (["signature-invalid"], "L0", "failed")
    assert report.findings[0].where == f"head of {head.size} records, key example.com/me"
    assert [item.level for item in report.support] == ["L2", "L4"]


def test_signature_of_another_head_is_found(made: Ledger):
    head, other = head_of(made), head_of(made, 3)
    seen = note(head, signer().signs(format_checkpoint(other)))
    assert codes(check(made, seen, trust=Trust.of([signer().vkey]))) == ["signature-invalid"]
    seen = note(head, witness().cosigns(format_checkpoint(other)))
    report = check(made, seen, trust=Trust.of(witnesses=[witness().witness_vkey]))
    assert codes(report) == ["cosignature-invalid"]


def test_named_key_or_witness_that_signed_nothing_is_found(made: Ledger):
    """Else who names a key and gives an unsigned head would be told that all is well."""
    seen = read_seen(head_line(head_of(made)))
    assert codes(check(made, seen, trust=Trust.of([signer().vkey]))) == ["signature-invalid"]
    assert codes(check(made, seen, trust=Trust.of(witnesses=[witness().witness_vkey]))) == ["cosignature-invalid"]


def test_one_head_of_several_has_to_be_signed(made: Ledger):
    head = head_of(made)
    signed = note(head, signer().signs(format_checkpoint(head)))
    report = check(made, read_seen(head_line(head_of(made, 3))), signed, trust=Trust.of([signer().vkey]))
    assert (codes(report), report.level) == ([], "L2")


def test_signed_fork_supports_nothing(made: Ledger):
    fork = Checkpoint(ORIGIN_PREFIX + made.session, 3, bytes(32))
    text = format_checkpoint(fork)
    report = check(made, note(fork, signer().signs(text)), trust=Trust.of([signer().vkey]))
    assert (codes(report), report.support, report.level, report.state) == (["fork"], [], "L0", "fork")


def test_signature_says_nothing_of_the_bytes_of_a_passage(made: Ledger):
    head = head_of(made)
    report = check(made, note(head, altered(signer().signs(format_checkpoint(head)))), trust=Trust.of([signer().vkey]))
    assert (report.state, report.damage.session[0]) == ("altered", "intact")


# --- what is no head


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "searchlog head:",
        "searchlog head: searchlog/s1 3",
        "searchlog head: searchlog/s1 3 AAAA",
        "searchlog head: searchlog/s1 -3 " + base64.b64encode(bytes(32)).decode(),
        "example.com/other 3 " + base64.b64encode(bytes(32)).decode(),
        "example.com/other\n3\n" + base64.b64encode(bytes(32)).decode() + "\n",
        "searchlog/s1\n3\n",
    ],
)
def test_what_is_no_head_of_a_session_is_refused(text: str):
    with pytest.raises(FormatError):
        read_seen(text)


def test_trust_is_in_keys_of_the_right_sort():
    with pytest.raises(FormatError, match="is not for cosignatures"):
        Trust.of(witnesses=[signer().vkey])
    with pytest.raises(FormatError, match="is not for Ed25519"):
        Trust.of([witness().witness_vkey])
    with pytest.raises(UsageError, match="keys is a list"):
        Trust.of(signer().vkey)  # type: ignore[arg-type]
    assert len(Trust.of([signer().vkey] * 2).keys) == 1


def test_note_with_more_lines_is_signed_whole(made: Ledger):
    head = head_of(made)
    text = format_checkpoint(head) + "more\n"
    seen = read_seen(format_note(Note(text, (witness().cosigns(text),))))
    report = check(made, seen, trust=Trust.of(witnesses=[witness().witness_vkey]))
    assert (codes(report), report.level) == ([], "L4")
