"""`verify`, `history` and `answer` from the command line: live pages, answers, reports, exit codes for cron."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from click.testing import Result

from tests.cli.conftest import call
from tests.searches import HTML, TEXTS, answer, html, pages
from tests.sites import Site, serve


@dataclass(frozen=True)
class Place:
    archive: Path
    site: Site

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> Result:
        return call(*args, "--archive", str(self.archive), env=env)

    def verify(self, *args: str) -> Result:
        return self("verify", *args, "--allow-private", "127.0.0.1")


@contextmanager
def searched(folder: Path) -> Iterator[Place]:
    with serve(pages()) as site:
        site.pages["/search"] = answer([site.url + path for path in TEXTS])
        args = ("search", "tide mill pond gate", "-p", "searxng", "--allow-private", "127.0.0.1")
        env = {"SEARCHLOG_SEARXNG_URL": site.url}
        done = call(*args, "--archive", str(folder / "a"), env=env)
        assert done.exit_code == 0, done.output
        yield Place(folder / "a", site)


def test_exit_codes_tell_a_cron_job_what_there_is(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        fine = place.verify("--live")
        assert fine.exit_code == 0, fine.output
        assert "4 same-bytes" in fine.stdout
        place.site.pages["/mill"] = (503, HTML, "later")
        down = place.verify("--live")
        assert down.exit_code == 9
        assert "axis live: not checked" in down.stdout
        place.site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("shuts", "opens"), "mill"))
        changed = place.verify("--live")
        assert changed.exit_code == 6
        assert "- shuts" in changed.stdout
        assert "+ opens" in changed.stdout
        none = place.verify("--live", "--since", "2035-01-01")
        assert none.exit_code == 3
        assert "no passage was there to check" in none.stderr


def test_history_of_a_passage_shows_each_check_in_its_order(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        empty = place("history", "e1")
        assert empty.exit_code == 3
        assert "makes one; --session names another" in empty.stderr
        place.verify("--live")
        place.site.pages = dict.fromkeys(place.site.pages, (410, HTML, "gone"))
        place.verify("--live")
        told = place("history", "e1")
        assert told.exit_code == 0
        lines = told.stdout.splitlines()
        live = [line for line in lines if " live " in line]
        assert ["same-bytes" in live[0], "http-410" in live[1]] == [True, True]
        shape = json.loads(place("history", "e1", "--json").stdout)
        states = [check["state"] for check in shape["checks"] if check["axis"] == "live"]
        assert states == ["same-bytes", "http-410"]
        assert len(place("history").stdout.splitlines()) == 1 + len(TEXTS)


def test_report_is_one_page_that_names_what_changed(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        place.site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("high water", "low <water>"), "mill"))
        report = tmp_path / "report.html"
        assert place.verify("--live", "--report", str(report)).exit_code == 6
        page = report.read_text("utf-8")
        assert "http-equiv" in page
        assert "changed" in page
        assert "<water>" not in page
        unwritable = place.verify("--report", str(tmp_path / "no" / "report.html"))
        assert unwritable.exit_code == 2
        assert "there is no folder" in " ".join(unwritable.stderr.split())


def test_answer_is_checked_from_a_file_and_from_the_session(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        file = tmp_path / "answer.md"
        file.write_text(
            "The gate shuts at high water [e1]. It is said that “mills never sleep at the quay” [e77].\n", "utf-8"
        )
        told = place.verify("--answer", str(file))
        assert told.exit_code == 6
        assert "finding unknown-evidence: e77 was never given" in told.stdout
        assert place("answer", str(file)).exit_code == 0
        kept = place.verify("--answers", "--json")
        assert kept.exit_code == 6
        (one,) = json.loads(kept.stdout)["answers"]
        assert one["text"] == file.read_text("utf-8")
        assert {f["code"] for f in one["findings"]} == {"unknown-evidence"}
        missing = place.verify("--answer", str(tmp_path / "none.md"))
        assert missing.exit_code == 2
        broken = tmp_path / "broken"
        broken.write_bytes(b"\xff\xfe\x00")
        refused = place.verify("--answer", str(broken))
        assert refused.exit_code == 7
        assert "Traceback" not in refused.stderr


def test_snapshot_is_verified_live_and_the_check_is_kept_in_the_readers_archive(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        file = str(tmp_path / "mills.wacz")
        assert place("export", "latest", "-o", file).exit_code == 0
        mine = str(tmp_path / "mine")
        args = ("verify", file, "--live", "--passages", "--allow-private", "127.0.0.1", "--archive", mine)
        done = call(*args)
        assert done.exit_code == 0, done.output
        assert "axis live: verified" in done.stdout
        assert "kept in checks-" in done.stderr
        (info,) = json.loads(call("sessions", "--json", "--archive", mine).stdout)["sessions"]
        assert info["title"] == "checks of past evidence"
        told = json.loads(call(*args, "--json").stdout)
        assert told["outcomes"]["live"] == "verified"
        assert told["snapshot"].startswith("sha256:")


def test_imported_session_is_verified_and_stays_as_it_was_sent(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        file = str(tmp_path / "mills.wacz")
        place("export", "latest", "-o", file)
        mine = ("--archive", str(tmp_path / "mine"))
        assert call("import", file, *mine).exit_code == 0
        before = call("show", "--records", *mine).stdout
        assert call("verify", "--live", "--allow-private", "127.0.0.1", *mine).exit_code == 0
        assert call("show", "--records", *mine).stdout == before
        assert "same-bytes" in call("history", "e1", *mine).stdout


def test_checks_are_exported_like_any_session_and_redacted(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        place.site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("high water", "joe@mills.example"), "mill"))
        place.verify("--live")
        rows = json.loads(place("sessions", "--json").stdout)["sessions"]
        (checks,) = [row["id"] for row in rows if row["id"].startswith("checks-")]
        whole, part = tmp_path / "whole.wacz", tmp_path / "part.wacz"
        assert place("export", checks, "-o", str(whole)).exit_code == 0
        assert place("export", checks, "--redact", "email", "-o", str(part)).exit_code == 0
        assert b"joe@mills.example" in whole.read_bytes()
        assert b"joe@mills.example" not in part.read_bytes()
        for file in (whole, part):
            assert call("verify", str(file)).exit_code == 0, call("verify", str(file)).output


def test_options_that_cannot_go_together_are_told(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        for args, says in (
            (("--web-archive", "wayback"), "add --live"),
            (("--live", "--web-archive", "nonsense"), "web archive"),
            (("--since", "soon"), "no moment"),
            (("--max-age", "soon", "--live"), "expected a span"),
            (("--max-age", "1h"), "add --live"),
            (("--seed", "x"), "add --sample"),
            (("--turn", "0"), "0"),
            (("--token", __file__), "a FILE or a --head"),
        ):
            result = place.verify(*args)
            assert result.exit_code == 2, (args, result.output)
            assert says in " ".join(result.stderr.split())


def test_what_was_asked_for_and_is_not_there_is_told(tmp_path: Path) -> None:
    """A mistyped id, or answers that nobody kept, ended with exit code 0, as if they had been looked at."""
    with searched(tmp_path) as place:
        for args, code, says in (
            (("--passages", "--evidence", "e99"), 3, "no evidence e99 in session"),
            (("--passages", "--evidence", "e1", "--evidence", "e99"), 9, "no evidence e99 in session"),
            (("--since", "2035-01-01"), 3, "no passage was there to check"),
            (("--turn", "9"), 3, "no passage was there to check"),
            (("--answers",), 3, "no answer is kept"),
            (("--answers", "--passages"), 0, "no answer is kept"),
        ):
            result = place.verify(*args)
            assert (result.exit_code, says in result.stderr) == (code, True), (args, result.output)


def test_passages_that_could_not_be_derived_end_with_the_code_of_that(tmp_path: Path) -> None:
    """`verify --passages` ended with 0 when no page was there to look at, and `--json` said otherwise."""
    with searched(tmp_path) as place:
        file = str(tmp_path / "words.wacz")
        assert place("export", "latest", "--profile", "evidence", "-o", file).exit_code == 0
        told = call("verify", file, "--passages", "--json")
        assert json.loads(told.stdout)["outcomes"]["derivation"] == "not checked"
        assert told.exit_code == 9
        assert call("verify", file).exit_code == 0


def test_report_is_written_of_a_file_of_which_nothing_else_is_looked_at(tmp_path: Path) -> None:
    """`verify FILE --report PATH` wrote nothing, and said nothing of that."""
    with searched(tmp_path) as place:
        file, report = tmp_path / "mills.wacz", tmp_path / "report.html"
        place("export", "latest", "-o", str(file))
        done = call("verify", str(file), "--report", str(report))
        assert (done.exit_code, "report: " in done.stderr) == (0, True)
        assert "mills.wacz" in report.read_text("utf-8")
        file.write_bytes(file.read_bytes().replace(b"tide mill", b"tide hill"))
        report.unlink()
        assert call("verify", str(file), "--report", str(report)).exit_code == 6
        assert "failed" in report.read_text("utf-8")


def test_history_tells_the_checks_of_a_snapshot_whose_session_is_not_here(tmp_path: Path) -> None:
    """`verify FILE --live` said that `history` tells of the check, and `history` knew no such session."""
    with searched(tmp_path) as place:
        file, mine = str(tmp_path / "mills.wacz"), ("--archive", str(tmp_path / "mine"))
        place("export", "latest", "-o", file)
        assert call("verify", file, "--live", "--allow-private", "127.0.0.1", *mine).exit_code == 0
        session = json.loads(call("verify", file, "--json").stdout)["session"]
        for args in ((), ("e1",), ("--session", session), ("e1", "--session", session[:12])):
            told = call("history", *args, *mine)
            assert "same-bytes" in told.stdout, (args, told.output)


def test_look_that_failed_does_not_take_the_place_of_an_older_verdict(tmp_path: Path) -> None:
    """Without --allow-private each page is refused, and `history` then showed nothing but that."""
    with searched(tmp_path) as place:
        place.verify("--live")
        assert place("verify", "--live").exit_code == 9
        assert "same-bytes, then refused" in place("history").stdout
        place.verify("--live")
        assert "refused" not in place("history").stdout


def test_passages_of_a_page_that_are_told_the_same_way_are_told_together(tmp_path: Path) -> None:
    """A page that is gone was told once for each of its passages, and of which session was not said."""
    with searched(tmp_path) as place:
        args = ("search", "tide mill pond gate", "-p", "searxng", "--allow-private", "127.0.0.1", "--session", "new")
        assert place(*args, env={"SEARCHLOG_SEARXNG_URL": place.site.url}).exit_code == 0
        place.site.pages["/mill"] = (404, HTML, "gone")
        told = place.verify("--all", "--live").stdout.splitlines()
        heads = [line for line in told if " live: http-404: " in line]
        assert len(heads) == len(set(heads)) == 2
        assert all(" of s20" in line for line in heads)


def test_checks_that_counted_already_are_told(tmp_path: Path) -> None:
    """Nobody saw whether --max-age had found anything to go on from."""
    with searched(tmp_path) as place:
        place.verify("--live", "--evidence", "e1")
        assert "; 1 of them checked earlier" in place.verify("--live", "--max-age", "1h").stdout


def test_archive_that_captures_nothing_is_told_before_a_page_is_fetched(tmp_path: Path) -> None:
    """The page was fetched and kept, and its text was then never printed."""
    with searched(tmp_path) as place:
        place.site.hits.clear()
        for source, says in (("pywb=http://127.0.0.1:9/web", "save=ADDRESS"), ("nope", "`wayback`")):
            args = ("fetch", place.site.url + "/mill", "--allow-private", "127.0.0.1", "--save-to", source)
            result = place(*args)
            assert (result.exit_code, says in result.stderr) == (2, True), result.output
        assert place.site.paths == []


def test_one_trouble_of_all_services_of_an_archive_is_told_once(tmp_path: Path) -> None:
    """Why an archive was not asked stood there three times over, for each passage."""
    with searched(tmp_path) as place:
        place.site.pages["/mill"] = (404, HTML, "gone")
        own = f"127.0.0.1:{place.site.url.rpartition(':')[2].strip('/')}"
        asked = ("verify", "--live", "--web-archive", "pywb=http://127.0.0.1:9/web", "--allow-private", own)
        (line,) = [line for line in place(*asked).stdout.splitlines() if "timegate" in line]
        assert line.count("permit a server of your own") == 1
        assert "timegate, cdx, timemap: " in line


def test_verify_all_takes_each_page_once(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        place.site.hits.clear()
        assert place.verify("--all", "--live", "--sample", "2").exit_code == 0
        assert len([path for path in place.site.paths if path in TEXTS]) == 2
        done = place.verify("--all", "--live", "--max-age", "1h")
        assert done.exit_code == 0, done.output
        assert sorted(path for path in place.site.paths if path in TEXTS) == sorted(TEXTS)


def test_history_tells_of_answers_too(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        file = tmp_path / "answer.md"
        file.write_text("It turns by itself [e77].\n", "utf-8")
        assert place.verify("--answer", str(file)).exit_code == 6
        told = place("history").stdout
        assert "unknown-evidence" in told
        (one,) = json.loads(place("history", "--json").stdout)["answers"]
        assert (one["outcome"], one["codes"]) == ("failed", ["unknown-evidence"])


def test_passages_that_were_not_checked_because_of_the_store_are_told(tmp_path: Path) -> None:
    """What the work said on its way was shown by no command."""
    with searched(tmp_path) as place:
        blobs = sorted((tmp_path / "a" / "blobs" / "sha256").rglob("*"), key=lambda path: path.is_file())
        blobs[-1].chmod(0o600)
        blobs[-1].write_bytes(b"changed")
        found = place.verify("--passages")
        assert found.exit_code == 6
        assert "not checked: its store has findings" in found.stderr
        assert "not checked: its store has findings" not in place.verify("--passages", "-q").stderr
