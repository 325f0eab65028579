"""Save Page Now: a job is taken and waited for, its errors are held against the index, and keys stay off the disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest

from searchlog.capture.codec import exchange_to_json
from searchlog.capture.deadline import Deadline
from searchlog.errors import UsageError
from searchlog.mementos.memento import format_timestamp
from searchlog.mementos.pace import Pace
from searchlog.mementos.save import Saved, SaveKeys, SaveOutcome, keys_of, resume, save
from searchlog.mementos.source import WAYBACK, parse_source
from searchlog.recording import capture_bodies
from tests.memento_server import CLOCK, Captured, Fault, MementoServer, refusing, reply, saying
from tests.wire_server import RESET

PAGE = "https://mill.example/tide?a=1&b=2"
KEYS = SaveKeys("AbCdEfGh12345678", "zYxWvUtS87654321")
JOB = "spn2-0123456789abcdef0123456789abcdef01234567"
NOW = datetime.now(UTC).replace(microsecond=0)
STAMP = format_timestamp(NOW)


def answer(code: int = 200, **fields: object) -> Fault:
    return lambda request: reply(code, "Content-Type: application/json", body=json.dumps(fields).encode())


TAKEN = answer(url=PAGE, job_id=JOB)
SUCCESS = {"status": "success", "job_id": JOB, "timestamp": STAMP, "original_url": PAGE, "http_status": 200}


def states(*after: dict[str, object] | int) -> Fault:
    """Return the fault that gives one state after another, the last one for ever."""
    left = list(after)

    def give(request: bytes) -> Sequence[bytes | float | str]:
        state = left.pop(0) if len(left) > 1 else left[0]
        return refusing(state)(request) if isinstance(state, int) else answer(**state)(request)

    return give


def saved_by(server: MementoServer, keys: SaveKeys | None = KEYS, url: str = PAGE, seconds: float = 60) -> Saved:
    left = [seconds]

    def sleep(seconds: float, deadline: Deadline) -> None:
        left[0] -= seconds
        if left[0] <= 0:
            deadline.cut()

    with server.client() as client:
        pace = Pace(CLOCK, sleep)
        return save(server.source(), url, client, Deadline(seconds, CLOCK), keys=keys, pace=pace)


def stored(saved: Saved) -> bytes:
    """Return everything that reaches the disk."""
    bodies = [part for fetch in saved.fetches for part in capture_bodies(fetch, "save")]
    blobs = b"".join(blob for part in bodies for blob in part.blobs)
    exchanges = [exchange_to_json(hop) for fetch in saved.fetches for hop in fetch.hops]
    return json.dumps([[part.body.model_dump() for part in bodies], exchanges], default=str).encode() + blobs


def test_page_is_saved_and_its_address_is_told() -> None:
    faults = {"save": TAKEN, "status": states({"status": "pending", "resources": []}, SUCCESS)}
    with MementoServer(faults=faults) as server:
        saved = saved_by(server)
        assert server.services == ["POST save", "GET save", "GET save"]
        assert server.paths == ["/save", f"/save/status/{JOB}", f"/save/status/{JOB}"]
        assert parse_qs(server.bodies[0].decode()) == {"url": [PAGE], "skip_first_archive": ["1"]}
        assert b"\r\nAuthorization: LOW AbCdEfGh12345678:zYxWvUtS87654321\r\n" in server.requests[0]
        assert saved.memento is not None
        assert saved.memento.uri == server.url(f"/web/{STAMP}/{PAGE}")
    assert (saved.outcome, saved.job, saved.memento.at, saved.memento.via) == (SaveOutcome.SAVED, JOB, NOW, "save")
    assert len(saved.fetches) == 3


@pytest.mark.parametrize("keys", [KEYS, SaveKeys("q7Wz9", "k3Xv8")], ids=["usual", "short"])
def test_keys_reach_no_disk_even_when_the_archive_echoes_them(keys: SaveKeys) -> None:
    def echo(request: bytes) -> Sequence[bytes | float | str]:
        return reply(200, f"X-Echo: LOW {keys.access}:{keys.secret}", body=request)

    faults = {"save": TAKEN, "status": echo}
    with MementoServer(faults=faults) as server:
        saved = saved_by(server, keys)
        assert f"LOW {keys.access}:{keys.secret}".encode() in server.requests[0]
    everything = stored(saved)
    assert b"/save/status/" in everything
    for secret in (keys.access, keys.secret):
        assert secret.encode() not in everything
        assert secret not in repr(saved) + repr(keys)


def test_job_that_takes_longer_than_we_have_is_pending_and_can_be_asked_for_later() -> None:
    faults = {"save": TAKEN, "status": states({"status": "pending"})}
    with MementoServer(faults=faults) as server:
        saved = saved_by(server, seconds=20)
        assert (saved.outcome, saved.job, saved.memento) == (SaveOutcome.PENDING, JOB, None)
        server.faults["status"] = states(SUCCESS)
        with server.client() as client:
            pace = Pace(CLOCK, lambda seconds, deadline: None)
            later = resume(server.source(), PAGE, JOB, client, Deadline(30, CLOCK), since=NOW, keys=KEYS, pace=pace)
    assert (later.outcome, later.job) == (SaveOutcome.SAVED, JOB)


ERROR = {"status": "error", "status_ext": "error:proxy-error", "message": "Capture failed.", "job_id": JOB}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (states(ERROR), "error:proxy-error"),
        (states(500), "no-status"),
        (saying(b"<html>"), "no-status"),
        (saying(b'{"status": 7}'), "no-status"),
        (lambda request: [b"HTTP/1.1 ", RESET], "disconnect"),
        (states({**SUCCESS, "timestamp": "soon"}), "no-capture"),
        (states({**SUCCESS, "timestamp": "21990101000000"}), "no-capture"),
        (states({**SUCCESS, "original_url": "https://evil.example/"}), "other-page"),
    ],
)
def test_error_of_a_job_is_unknown_until_the_index_tells(status: Fault, reason: str) -> None:
    """The service reports errors for captures that were made."""
    with MementoServer(faults={"save": TAKEN, "status": status}) as server:
        saved = saved_by(server)
        assert server.services[-1] == "GET cdx"
    assert (saved.outcome, saved.reason, saved.memento, saved.job) == (SaveOutcome.UNKNOWN, reason, None, JOB)
    made = datetime.now(UTC).replace(microsecond=0)
    with MementoServer([Captured(PAGE, made)], faults={"save": TAKEN, "status": status}) as server:
        saved = saved_by(server)
    assert (saved.outcome, saved.reason) == (SaveOutcome.SAVED, reason)
    assert saved.memento is not None
    assert saved.memento.at == made


def test_older_capture_is_not_taken_for_the_one_that_was_asked_for() -> None:
    old = Captured(PAGE, NOW - timedelta(hours=3))
    with MementoServer([old], faults={"save": TAKEN, "status": states(ERROR)}) as server:
        assert saved_by(server).outcome is SaveOutcome.UNKNOWN


def test_single_question_that_goes_unanswered_ends_nothing() -> None:
    faults = {"save": TAKEN, "status": states(500, 502, {"status": "pending"}, 500, SUCCESS)}
    with MementoServer(faults=faults) as server:
        assert saved_by(server).outcome is SaveOutcome.SAVED


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (refusing(401), "http-401"),
        (refusing(403), "http-403"),
        (refusing(429, "Retry-After: 5"), "rate-limited"),
        (refusing(400), "http-400"),
        (answer(status="error", status_ext="error:blocked-url", message="This URL is blocked."), "error:blocked-url"),
        (answer(400, status="error", message="Bad URL"), "http-400"),
        (refusing(404), "http-404"),
    ],
)
def test_job_that_was_not_taken_has_failed(fault: Fault, reason: str) -> None:
    with MementoServer(faults={"save": fault}) as server:
        saved = saved_by(server)
        assert server.services == ["POST save"]
    assert (saved.outcome, saved.reason, saved.job) == (SaveOutcome.FAILED, reason, None)
    assert saved.detail


@pytest.mark.parametrize(
    "fault",
    [
        refusing(500),
        refusing(503),
        lambda request: [b"HTTP/1.1 2", RESET],
        saying(b"thanks"),
        saying(b'{"job_id": "/../"}'),
    ],
)
def test_answer_that_says_neither_is_unknown(fault: Fault) -> None:
    with MementoServer(faults={"save": fault}) as server:
        saved = saved_by(server)
        assert server.services == ["POST save", "GET cdx"]
    assert saved.outcome is SaveOutcome.UNKNOWN


@pytest.mark.parametrize("how", ["location", "content-location", "page", "json"])
def test_without_keys_the_page_is_named_in_the_address(how: str) -> None:
    faults: dict[str, Fault] = {"status": states(SUCCESS)}
    with MementoServer(faults=faults) as server:
        place = f"/web/{STAMP}/{PAGE}"
        server.faults["save"] = {
            "location": lambda request: reply(302, f"Location: {place}"),
            "content-location": lambda request: reply(200, f"Content-Location: {place}", body=b"<html>"),
            "page": saying(f'<html><script>spn.watchJob("{JOB}", "/_static/",6000);</script>'.encode()),
            "json": TAKEN,
        }[how]
        saved = saved_by(server, keys=None)
        assert server.requests[0].startswith(f"GET /save/{PAGE} ".encode())
        assert b"Authorization" not in server.requests[0]
    assert (saved.outcome, saved.memento and saved.memento.at) == (SaveOutcome.SAVED, NOW)


def test_archive_that_asks_for_keys_names_the_variables() -> None:
    with MementoServer(faults={"save": refusing(401)}) as server:
        saved = saved_by(server, keys=None)
    assert saved.outcome is SaveOutcome.FAILED
    assert "WAYBACK_ACCESS_KEY and WAYBACK_SECRET_KEY" in saved.detail


def test_redirect_is_not_followed_with_the_keys() -> None:
    with MementoServer() as other, MementoServer() as server:
        server.faults["save"] = lambda request: reply(302, f"Location: {other.url('/login')}")
        saved = saved_by(server)
        assert other.requests == []
    assert saved.outcome is SaveOutcome.UNKNOWN


@pytest.mark.parametrize("url", ["https://user:pass-word@mill.example/", "http://wiki.corp/", "http://10.0.0.1/"])
def test_what_is_not_for_others_is_not_saved(url: str) -> None:
    with MementoServer(faults={"save": TAKEN}) as server:
        archive = replace(server.source(), third_party="somebody else")
        with server.client() as client:
            saved = save(archive, url, client, Deadline(5, CLOCK), keys=KEYS, pace=Pace(CLOCK))
        assert server.requests == []
    assert saved.outcome is SaveOutcome.REFUSED


def test_archive_without_the_service_and_a_job_that_is_none_are_errors_of_the_caller() -> None:
    with MementoServer() as server, server.client() as client:
        deadline = Deadline(5, CLOCK)
        with pytest.raises(UsageError, match="no service"):
            save(parse_source("https://archive.example/"), PAGE, client, deadline)
        with pytest.raises(UsageError, match="no job"):
            resume(WAYBACK, PAGE, "../../x", client, deadline)


def test_keys_come_from_the_environment_both_or_none() -> None:
    assert keys_of({}) is None
    assert keys_of({"WAYBACK_ACCESS_KEY": " ", "WAYBACK_SECRET_KEY": ""}) is None
    found = keys_of({"WAYBACK_ACCESS_KEY": " a ", "WAYBACK_SECRET_KEY": "b"})
    assert found is not None
    assert asdict(found) == {"access": "a", "secret": "b"}
    with pytest.raises(UsageError, match="both"):
        keys_of({"WAYBACK_ACCESS_KEY": "a"})
