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

    def __call__(self, *args: str) -> Result:
        return call(*args, "--archive", str(self.archive))

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
        assert "`searchlog verify` makes one" in empty.stderr
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
        assert unwritable.exit_code == 8
        assert "cannot write" in unwritable.stderr


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
            (("--turn", "0"), "0"),
            (("--token", __file__), "a FILE or a --head"),
        ):
            result = place.verify(*args)
            assert result.exit_code == 2, (args, result.output)
            assert says in " ".join(result.stderr.split())


def test_verify_all_takes_each_page_once(tmp_path: Path) -> None:
    with searched(tmp_path) as place:
        place.site.hits.clear()
        assert place.verify("--all", "--live", "--sample", "2").exit_code == 0
        assert len([path for path in place.site.paths if path in TEXTS]) == 2
        done = place.verify("--all", "--live", "--max-age", "1h")
        assert done.exit_code == 0, done.output
        assert sorted(path for path in place.site.paths if path in TEXTS) == sorted(TEXTS)
