"""Pages that stand in for others, through a session: no evidence, told in the record, equal in a replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from searchlog.cli.exits import Exit
from searchlog.extract.pool import InProcess
from searchlog.records import Capture, Conversion, Decision
from searchlog.replay import replay
from searchlog.search.run import RunOutcome
from searchlog.session import Session
from searchlog.suspect.judge import RULE
from tests.cli.conftest import call
from tests.searches import HTML, ask, bodies, check_clean, check_counts, html, opened, pages, reasons, whole
from tests.sites import Answer, Site, serve
from tests.stand_ins import page

CHALLENGE = page(
    "Just a moment...",
    "<h1>Tide mill</h1><p>Verify you are human: tide mill.</p><script>window._cf_chl_opt={}</script>",
)
LOGIN = page(
    "Log in",
    "<h1>Log in</h1><p>Log in to read about the tide mill."
    "<form method=post><input name=user><input type=password></form>",
)
MISSING = page("Page not found", "<h1>Page not found</h1><p>The tide mill page is gone.", attributes='class="error404"')
SUSPECTED = {"/challenge": "bot-challenge", "/members": "login-wall", "/old": "soft-404", "/moved": "login-wall"}


def stand_ins() -> dict[str, Answer]:
    """Return a site where four of the five pages are others than was asked for."""
    return pages({"/mill": "The tide mill stores the flood in a pond. Its gate shuts at high water by itself."}) | {
        "/challenge": (200, HTML, CHALLENGE),
        "/members": (200, HTML, LOGIN),
        "/old": (200, HTML, MISSING),
        "/moved": (302, {"Location": "/login?next=/moved"}, ""),
        "/login": (200, HTML, LOGIN),
        "/checked": (403, HTML, CHALLENGE),
        "/forbidden": (403, HTML, html("No tide mill for you.", "Forbidden")),
    }


def items(session: Session) -> dict[str, dict[str, object]]:
    """Return the decisions of the last read step, by path."""
    last = [body for body in bodies(session, Decision) if body.step == "read"][-1]
    return {item["subject"].rpartition("/")[2]: item for item in session.ledger.load(last.items)}


def check_replays(session: Session, turn: int) -> None:
    again = replay(session.ledger, turn, InProcess())
    assert again.differences == []
    assert again.equal


def test_suspected_pages_are_no_evidence_and_their_records_say_why(tmp_path: Path) -> None:
    """A challenge, a login form and an error page with status 200 were handed out as what was found."""
    places = ["/mill", *SUSPECTED, "/checked", "/forbidden"]
    with serve(stand_ins()) as site, opened(tmp_path) as archive:
        session = archive.session()
        search = ask(session, site, places=places)
        assert {item.source.url for item in search.evidence} == {whole(site, "/mill")}
        assert search.outcome is RunOutcome.OK
        assert reasons(session) == {
            "/mill": "kept",
            **{path: f"suspected-{kind}" for path, kind in SUSPECTED.items()},
            "/checked": "suspected-bot-challenge",
            "/forbidden": "http-403",
        }
        check_counts(search)
        told = items(session)
        assert told["challenge"]["tests"] == "script:cf-chl-opt"
        assert (told["checked"]["status"], told["checked"]["tests"]) == (403, "script:cf-chl-opt")
        assert "redirect:login" in str(told["moved"]["tests"]).split()
        assert "tests" not in told["mill"]
        by_url = {body.url: body for body in bodies(session, Conversion)}
        for path, kind in {"/challenge": "bot-challenge", "/members": "login-wall", "/old": "soft-404"}.items():
            body = by_url[whole(site, path)]
            assert body.suspected is not None
            assert body.suspected.kind == kind
            assert " ".join(body.suspected.tests) == told[path[1:]]["tests"]
            # bytes and text are kept as of any page
            assert body.text is not None
            assert "ide mill" in session.ledger.blobs.get(body.text.blob).decode()
        assert by_url[whole(site, "/mill")].to_json().get("suspected") is None
        checked = next(body for body in bodies(session, Capture) if body.status == 403 and body.suspected)
        assert (checked.url, checked.suspected.kind) == (whole(site, "/checked"), "bot-challenge")
        assert checked.payload is not None
        check_clean(session)
        check_replays(session, search.turn)


def test_a_search_of_which_all_pages_are_suspected_is_not_empty(tmp_path: Path) -> None:
    with serve(stand_ins()) as site, opened(tmp_path) as archive:
        session = archive.session()
        search = ask(session, site, places=[*SUSPECTED, "/checked"])
        assert search.evidence == ()
        assert search.outcome is RunOutcome.DEGRADED
        assert "5 not read" in search.rendering
        assert {reason.partition("-")[0] for reason in reasons(session).values()} == {"suspected"}
        read = [body for body in bodies(session, Decision) if body.step == "read"][-1]
        assert read.reasons == {"suspected-bot-challenge": 2, "suspected-login-wall": 2, "suspected-soft-404": 1}
        check_replays(session, search.turn)


def test_a_deep_address_that_leads_home_is_a_soft_404(tmp_path: Path) -> None:
    served = stand_ins() | {
        "/articles/windmills-holland-canals": (301, {"Location": "/"}, ""),
        "/": (200, HTML, html("The pond of a tide mill silts up. " * 90, "Example")),
    }
    with serve(served) as site, opened(tmp_path) as archive:
        session = archive.session()
        search = ask(session, site, places=["/mill", "/articles/windmills-holland-canals"])
        assert reasons(session)["/articles/windmills-holland-canals"] == "suspected-soft-404"
        assert items(session)["windmills-holland-canals"]["tests"] == "redirect:home asked-words:absent"
        check_replays(session, search.turn)


def test_pages_once_taken_for_others_are_evidence_and_the_step_names_the_rule(tmp_path: Path) -> None:
    """A board that loads itself anew was dropped as a challenge, a short link to the home as a soft 404; by which rule
    nothing recorded."""
    board = page(
        "Tide mill pond",
        "<h1>Tide mill pond</h1><p>The tide mill pond stands at 1.82 m.</p><noscript>It needs JavaScript.</noscript>",
        "<meta http-equiv=refresh content=10><meta name=robots content=noindex>",
    )
    served = {
        "/board": (200, HTML, board),
        "/go/spring-special": (301, {"Location": "/"}, ""),
        "/": (200, HTML, html("The pond of a tide mill silts up. " * 90, "Example")),
    }
    with serve(served) as site, opened(tmp_path) as archive:
        session = archive.session()
        search = ask(session, site, places=["/board", "/go/spring-special"])
        assert reasons(session) == {"/board": "kept", "/go/spring-special": "kept"}
        assert {item.source.url for item in search.evidence} == {whole(site, "/board"), whole(site, "/")}
        read = [body for body in bodies(session, Decision) if body.step == "read"][-1]
        assert read.rule == f"read/2 {RULE}"
        check_replays(session, search.turn)


def test_suspected_pages_do_not_count_as_enough_to_cut_the_others(tmp_path: Path) -> None:
    """Once half of the pages gave text, the rest was cut at the soft deadline, even if what came were challenges."""
    served = stand_ins() | {"/c2": (200, HTML, CHALLENGE), "/c3": (200, HTML, CHALLENGE)}
    with serve(served, delay={"/mill": 1.0}) as site, opened(tmp_path) as archive:
        search = ask(archive.session(), site, places=["/challenge", "/c2", "/c3", "/mill"], soft_s=0.2, per_host_max=9)
        assert {item.source.url for item in search.evidence} == {whole(site, "/mill")}


def test_a_page_of_a_session_says_what_it_is_suspected_to_be(tmp_path: Path) -> None:
    with serve(stand_ins()) as site, opened(tmp_path) as archive:
        session = archive.session()
        given = session.fetch(whole(site, "/members"), allow_private=("127.0.0.1",))
        assert (given.outcome, given.reason) == ("complete", "suspected-login-wall")
        assert given.suspected is not None
        assert given.suspected.tests
        assert "Log in to read" in session.text(given)
        assert "looks like a login wall" in given.detail


@pytest.fixture
def web() -> object:
    with serve(stand_ins()) as site:
        yield site


def fetch(tmp_path: Path, site: Site, *args: str):  # type: ignore[no-untyped-def]
    return call("fetch", *args, "--archive", str(tmp_path / "a"), "--allow-private", "127.0.0.1")


def test_the_command_prints_what_there_is_says_what_it_is_taken_for_and_fails(tmp_path: Path, web: Site) -> None:
    result = fetch(tmp_path, web, web.url + "/old")
    assert "The tide mill page is gone." in result.stdout
    assert f"error: {web.url}/old: suspected-soft-404: looks like an error page" in result.stderr
    assert "title:not-found" in result.stderr
    assert result.exit_code == Exit.PAGE


def test_the_command_prints_the_bytes_too_and_fails(tmp_path: Path, web: Site) -> None:
    result = fetch(tmp_path, web, web.url + "/old", "--raw")
    assert result.stdout == MISSING
    assert result.exit_code == Exit.PAGE


def test_the_command_names_a_challenge_of_an_error_and_its_status(tmp_path: Path, web: Site) -> None:
    result = fetch(tmp_path, web, web.url + "/checked")
    assert result.stdout == ""
    assert "suspected-bot-challenge: status 403, looks like a bot challenge" in result.stderr
    assert result.exit_code == Exit.PAGE


def test_json_carries_the_suspicion_and_the_text(tmp_path: Path, web: Site) -> None:
    result = fetch(tmp_path, web, web.url + "/members", web.url + "/mill", "--json", "-q")
    wall, good = json.loads(result.stdout)["pages"]
    assert wall["suspected"]["kind"] == "login-wall"
    assert "form:password" in wall["suspected"]["tests"]
    assert "Log in to read" in wall["content"]
    assert wall["reason"] == "suspected-login-wall"
    assert (good["suspected"], good["reason"]) == (None, None)
    assert result.exit_code == Exit.PAGE
