"""No secret leaves the machine, and the scan says so; what only looks like one is told and stays."""

from __future__ import annotations

import base64
import gzip
from typing import Any
from urllib.parse import quote

import pytest

from searchlog import canon
from searchlog.digest import parse
from searchlog.redaction.scan import Reason, Scan
from searchlog.secrecy import Secrets
from searchlog.shape import ISSUED_STARTS, is_issued
from searchlog.verify.contents import blob_refs
from tests.cassette import load

KEY = "tvly-dev-9fK2mQ7xT4bW1zR8"
OTHER = "correct horse 77 battery"


def scan() -> Scan:
    return Scan(Secrets((KEY, OTHER)))


def line(body: dict[str, Any]) -> bytes:
    return canon.dumps({"kind": "capture", "seq": 5, "body": body})


def exchange(**members: Any) -> dict[str, Any]:
    return {"exchange": {"request_head": "GET / HTTP/1.1\r\nHost: a.example.org\r\n\r\n", **members}}


SPELLINGS = {
    "plain": KEY,
    "percent": quote(OTHER, safe=""),
    "base64": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "hex": KEY.encode().hex(),
    "upper": KEY.upper(),
    "entities": "".join(f"&#{ord(char)};" for char in OTHER),
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_secret_of_this_machine_is_found_by_value(spelled):
    found = scan().line(line({"detail": f"got {spelled} back"}))
    assert Reason("known-secret", "body.detail") in found
    (first, *_) = scan().blob(f"<p>{spelled}</p>".encode())
    assert first.code == "known-secret"
    assert first.where.startswith("byte ")


def test_secret_in_a_coded_payload_is_found():
    data = f"key {KEY}".encode()
    assert [reason.code for reason in scan().blob(gzip.compress(data), data) if reason.certain] == ["known-secret"]


def test_secret_in_the_name_of_a_member_is_found():
    assert Reason("known-secret", "") in scan().line(line({KEY: 1}))


def test_what_is_no_json_is_searched_by_value():
    assert Reason("known-secret", "byte 5") in scan().line(b"leaf " + KEY.encode())
    assert scan().line(b"0" * 64) == ()


@pytest.mark.parametrize(
    ("name", "member"),
    [("Cookie", "request_head"), ("Authorization", "request_head"), ("X-Api-Key", "request_head"),
     ("Proxy-Authorization", "request_head"), ("Set-Cookie", "response_head"), ("X-Vault-Token", "response_head"),
     ("cookie", "response_head")],
)  # fmt: skip
def test_field_with_a_credential_is_found_and_one_without_is_not(name, member):
    head = f"GET / HTTP/1.1\r\nHost: a.example.org\r\n{name}: %s\r\nAccept: */*\r\n\r\n"
    found = scan().line(line(exchange(**{member: head % "abc=1"})))
    assert found == (Reason("credential-field", f"body.exchange.{member} {name.lower()}"),)
    assert scan().line(line(exchange(**{member: head % "[redacted]"}))) == ()
    assert scan().line(line(exchange(**{member: head % ""}))) == ()


def test_cookie_in_a_trailer_is_found():
    framing = {"kind": "chunked", "segments": [["3\r\n", 3]], "tail": "\r\n0\r\nSet-Cookie: a=1\r\n\r\n"}
    (found,) = scan().line(line(exchange(framing=framing)))
    assert found == Reason("credential-field", "body.exchange.framing.tail set-cookie")


def test_cookie_in_a_spilled_exchange_is_found():
    data = canon.dumps({"request_head": "GET / HTTP/1.1\r\nCookie: a=1\r\n\r\n"})
    assert scan().blob(data) == (Reason("credential-field", "request_head cookie"),)


def test_cookie_in_the_text_of_a_page_is_no_head():
    assert scan().line(line({"exact": "send the header\nCookie: a=1"})) == ()
    assert scan().blob(b"send the header\nCookie: a=1") == ()


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"url": "https://bob:pa55@a.example.org/"}, "body.url"),
        ({"results": [{"url": "//bob:pa55@a.example.org/"}]}, "body.results.0.url"),
        (
            exchange(response_head="HTTP/1.1 302 x\r\nLocation: ftp://bob:pa55@b/\r\n\r\n"),
            "body.exchange.response_head",
        ),
    ],
)
def test_password_in_an_address_is_found(body, where):
    assert scan().line(line(body)) == (Reason("address-password", where),)


def test_password_that_a_page_links_to_is_found_and_an_example_is_not():
    assert scan().blob(b'<a href="http://bob:pa55@a.example.org/">') == (Reason("address-password", ""),)
    assert scan().blob(b"type http://user:password@host/ in the bar") == ()
    assert scan().line(line({"exact": "type http://user:password@host/ in the bar"})) == ()
    assert scan().blob(b'<a href="http://[redacted]@a.example.org/">') == ()


def test_key_of_a_known_issuer_is_a_warning():
    told = scan().line(line({"exact": "export KEY=ghp_a1B2c3D4e5F6g7H8i9J0"}))
    assert told == (Reason("issued-token", "body.exact"),)
    assert not told[0].certain
    (blob,) = scan().blob(b"use AKIA9X8Y7Z6W5V4U3T2S here")
    assert (blob.code, blob.certain) == ("issued-token", False)
    assert scan().blob(b"the sk-learn-tutorial-2024-edition and npm_package_json_1") == ()


def test_credential_among_parameters_is_a_warning():
    told = scan().line(line({"url": "https://a.example.org/f?access_token=abcdef123456"}))
    assert told == (Reason("credential-parameter", "body.url"),)
    assert not told[0].certain


def test_reason_never_holds_the_secret():
    reasons = (*scan().line(line({"a": KEY, KEY: {"b": KEY}})), *scan().blob(KEY.encode()))
    assert {reason.where for reason in reasons} == {"body.a", "body.[redacted].b", "byte 0"}


def test_summary_says_what_was_looked_at():
    one = scan()
    one.line(line({"a": 1}))
    one.blob(b"12345")
    one.blob(b"1234567")
    assert one.summary() == "scanned 1 record and 2 blobs (12 bytes) for 2 secrets: none found"
    assert one.copy(line({"a": KEY})) == one.line(line({"a": KEY}))
    one.line(line({"a": "ghp_a1B2c3D4e5F6g7H8i9J0"}))
    assert one.summary() == (
        "scanned 3 records and 2 blobs (12 bytes) for 2 secrets: found in 1 record, left out; "
        "in 1 more there is what looks like a key"
    )


def test_recorded_session_is_clean():
    ledger, _ = load("lighthouse")
    one = scan()
    for stored in ledger.log.get(ledger.session):
        assert one.line(stored.line or b"") == ()
    digests = {ref["blob"] for record in ledger.records() for ref in blob_refs(record.envelope.body)}
    for digest in sorted(digests):
        assert one.blob(ledger.blobs.get(parse(digest))) == (), digest
    assert one.summary().endswith("for 2 secrets: none found")
    assert one.blobs == len(digests)
    assert one.bytes > 50_000


def test_whatever_looks_issued_begins_as_one_of_the_starts() -> None:
    """Bytes without any of them are not gone through."""
    heads = ("sk", "pk", "rk", "gho", "ghp", "ghr", "ghs", "ghu", "github_pat", "glpat", "xoxa", "xoxb", "hf", "npm")
    values = [f"{head}{mark}abcDEF123456789" for head in (*heads, "pypi", "tvly") for mark in "-_"]
    values += [f"{head}abcDEF123456789xyz" for head in ("AKIA", "AIza", "BSA", "eyJ")]
    for value in values:
        assert is_issued(value)
        assert value.startswith(ISSUED_STARTS)
