"""Time-stamp tokens: what they say is read strictly, and who signed them is checked where the extra is."""

from __future__ import annotations

import hashlib
from importlib import util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.errors import FormatError, UsageError
from searchlog.log.token import TOKEN_BYTES_MAX, TokenFacts, check_token, read_token

VECTORS = Path(__file__).parent / "vectors"
RESPONSE = (VECTORS / "token-sha256.tsr").read_bytes()
TOKEN = (VECTORS / "token-sha512.tsr").read_bytes()
ROOT = (VECTORS / "token-root.pem").read_bytes()
CHAIN = (VECTORS / "token-chain.tsr").read_bytes()
OTHER_ROOT = (VECTORS / "token-other-root.pem").read_bytes()
TEXT = "searchlog/s20260102-030405-00000001\n14\nQuJs00JHbU8TBVL5a/eq6iokXky1YC9mTEUTIBjP84o=\n"
needs_extra = pytest.mark.skipif(
    util.find_spec("rfc3161_client") is None, reason="the extra `time` is not installed; CI has it by the extra `test`"
)


def test_a_response_says_time_policy_number_and_authority() -> None:
    assert read_token(RESPONSE, TEXT) == TokenFacts(
        imprint_ok=True,
        time="2026-12-01T02:47:16Z",
        algorithm="sha256",
        serial=4,
        policy="1.3.6.1.4.1.99999.1",
        authority="O=searchlog tests, CN=Throw-away time-stamping authority",
    )


def test_a_token_alone_is_read_and_need_not_name_its_authority() -> None:
    assert read_token(TOKEN, TEXT) == TokenFacts(True, "2026-12-01T02:47:05Z", "sha512", 2, "1.3.6.1.4.1.99999.2", None)


@pytest.mark.parametrize("data", [RESPONSE, TOKEN], ids=["response", "token"])
def test_of_another_text_it_says_nothing(data: bytes) -> None:
    for text in ("", TEXT + "\n", TEXT.replace("14", "15")):
        assert not read_token(data, text).imprint_ok
        assert check_token(data, text, [ROOT]).outcome == "failed"


def test_the_digest_anywhere_else_in_the_token_is_no_imprint() -> None:
    """A search for the digest's bytes would accept a token of another text with the digest as its nonce."""
    wanted = hashlib.sha256(TEXT.encode()).digest()
    at = RESPONSE.index(wanted)
    moved = RESPONSE[:at] + bytes(32) + RESPONSE[at + 32 : -32] + wanted
    assert not read_token(moved, TEXT).imprint_ok


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"0",
        b"\x30\x00",
        b"\x30\x80\x00\x00",
        b"\x30\x03\x02\x01\x00",
        b"\x30\x05\x30\x03\x02\x01\x02",  # refused
        b"\x30\x05\x30\x03\x02\x01\x00",  # granted, without a token
        RESPONSE + b"\0",
        RESPONSE[:-1],
        TOKEN[:200],
        RESPONSE.replace(bytes.fromhex("0609608648016503040201"), bytes.fromhex("0609608648016503040204")),
        RESPONSE.replace(b"20261201024716Z", b"20261301024716Z"),
        RESPONSE.replace(b"20261201024716Z", b"20261201024716z"),
        RESPONSE.replace(b"\x02\x01\x01\x06\x09\x2b", b"\x02\x01\x02\x06\x09\x2b"),
        bytes(TOKEN_BYTES_MAX + 1),
        b"\x30\x84\xff\xff\xff\xff",
        b"\x30\x83\x01\x00\x00" + b"\x05\x00" * 0x8000,
    ],
)
def test_what_is_no_token_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        read_token(data, TEXT)


@pytest.mark.parametrize("data", [RESPONSE, TOKEN], ids=["response", "token"])
def test_a_changed_or_cut_token_is_read_or_refused_and_nothing_else(data: bytes) -> None:
    for at in range(len(data)):
        for mask in (0x01, 0x80):
            changed = bytearray(data)
            changed[at] ^= mask
            _read_or_refused(bytes(changed))
        with pytest.raises(FormatError):
            read_token(data[:at], TEXT)


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, len(RESPONSE)))
def test_any_bytes_are_read_or_refused(data: bytes, at: int) -> None:
    _read_or_refused(data)
    _read_or_refused(RESPONSE[:at] + data + RESPONSE[at + len(data) :])


def _read_or_refused(data: bytes) -> None:
    try:
        read_token(data, TEXT)
    except FormatError:
        pass


# --- who signed it


def test_without_a_root_nobody_vouches() -> None:
    assert check_token(RESPONSE, TEXT, []).outcome == "not checked"


def test_without_the_extra_it_is_not_checked_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    check = check_token(RESPONSE, TEXT, [ROOT])
    assert check.outcome == "not checked"
    assert "searchlog[time]" in check.why


@needs_extra
@pytest.mark.parametrize("data", [RESPONSE, TOKEN, CHAIN], ids=["response", "token", "chain"])
def test_under_its_root_it_is_verified_and_under_no_other(data: bytes) -> None:
    assert check_token(data, TEXT, [ROOT]).outcome == "verified"
    assert check_token(data, TEXT, [OTHER_ROOT, ROOT, ROOT]).outcome == "verified"
    check = check_token(data, TEXT, [OTHER_ROOT])
    assert check.outcome == "failed"
    assert "certificate" in check.why


@needs_extra
def test_what_the_library_cannot_read_is_not_checked() -> None:
    """Certificates out of order are put in order for it first; other things that it refuses stay unknown."""
    from rfc3161_client import decode_timestamp_response

    with pytest.raises(ValueError, match="InvalidSetOrdering"):
        decode_timestamp_response(CHAIN)
    at = RESPONSE.index(
        bytes.fromhex("300d06096086480165030402010500")
    )  # a null that is none, outside of the time stamp
    odd = RESPONSE[: at + 13] + b"\x04" + RESPONSE[at + 14 :]
    check = check_token(odd, TEXT, [ROOT])
    assert check.outcome == "not checked"
    assert "openssl ts -verify" in check.why


@needs_extra
@pytest.mark.parametrize("root", [b"", b"-----BEGIN CERTIFICATE-----\n", b"\x30\x00"])
def test_a_root_that_is_no_certificate_is_the_callers_fault(root: bytes) -> None:
    with pytest.raises(UsageError):
        check_token(RESPONSE, TEXT, [root])


@needs_extra
def test_no_change_of_what_is_signed_is_verified() -> None:
    start = RESPONSE.index(bytes.fromhex("3081b2020101"))  # the TSTInfo
    for at in range(start, start + 0xB2 + 3):
        changed = bytearray(RESPONSE)
        changed[at] ^= 0x01
        try:
            assert check_token(bytes(changed), TEXT, [ROOT]).outcome != "verified", at
        except FormatError:
            pass


@needs_extra
def test_no_change_of_the_signature_is_verified() -> None:
    for at in range(len(RESPONSE) - 70, len(RESPONSE)):
        changed = bytearray(RESPONSE)
        changed[at] ^= 0x01
        try:
            assert check_token(bytes(changed), TEXT, [ROOT]).outcome != "verified", at
        except FormatError:
            pass
