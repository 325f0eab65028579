"""`searchlog fetch`: the text of pages on stdout, failures on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result

from searchlog import records
from searchlog.archive import open_archive
from searchlog.extract.main_text import PAGE_TYPES
from searchlog.stored import stored_conversion
from tests.cli.conftest import call
from tests.sites import Site, serve

PAGE = (
    "<!DOCTYPE html><title>Tides</title><nav><a href='/'>Home</a></nav><main><h1>Tide mills</h1>"
    "<p>They fill at high water.</p><ul><li>one<li>two</ul><p hidden>Nobody sees this.</p></main>"
    "<footer>Imprint</footer>"
)

ARTICLE = (
    "<!DOCTYPE html><title>Mills</title><article><h1>Mills of the coast</h1>"
    + "".join(
        f"<p>Paragraph {n} tells at some length how the mill was built and who worked there.</p>" for n in range(9)
    )
    + "</article><div><p>Sign in now</p></div>"
)


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    kind = {"Content-Type": "text/html; charset=utf-8"}
    pages = {
        "/": (200, kind, PAGE),
        "/article": (200, kind, ARTICLE),
        "/menu": (200, kind, "<!DOCTYPE html><title>Menu</title><nav><a href='/'>Home</a></nav>"),
        "/gone": (410, kind, "gone"),
        "/pixel": (200, {"Content-Type": "image/png"}, "x"),
    }
    with serve(pages) as site:
        yield site


def fetch(tmp_path: Path, web: Site, *args: str) -> Result:
    return call("fetch", *args, "--allow-private", f"127.0.0.1:{web.port}", "--archive", str(tmp_path / "a"))


def test_the_main_text_is_printed_without_menus_and_hidden_text(tmp_path: Path, web: Site) -> None:
    result = fetch(tmp_path, web, web.url + "/")
    assert result.exit_code == 0, result.output
    assert result.stdout == "# Tide mills\n\nThey fill at high water.\n\n- one\n- two\n"


@pytest.mark.parametrize(
    ("form", "labels", "dates"),
    [([], "trafilatura", "htmldate"), (["--all"], "main", "page"), (["--raw"], "main", "page")],
)
def test_only_the_reading_view_asks_trafilatura_and_htmldate(
    tmp_path: Path, web: Site, form: list[str], labels: str, dates: str
) -> None:
    assert fetch(tmp_path, web, web.url + "/article", web.url + "/", *form).exit_code == 0
    with open_archive(str(tmp_path / "a"), write=False) as archive:
        ledger = archive.ledger(archive.find("latest"))
        bodies = [record.body for record in ledger.records() if isinstance(record.body, records.Conversion)]
        options = [stored_conversion(body, ledger.blobs).options for body in bodies]
    assert [(item["labels"], item["dates"]) for item in options] == [(labels, dates)] * 2


def test_what_trafilatura_leaves_out_is_not_printed_but_stored(tmp_path: Path, web: Site) -> None:
    shown = fetch(tmp_path, web, web.url + "/article").stdout
    assert shown.count("Paragraph") == 9
    assert "Sign in now" not in shown
    assert "Sign in now" in fetch(tmp_path, web, web.url + "/article", "--all").stdout


def test_a_page_of_menus_alone_is_printed_whole(tmp_path: Path, web: Site) -> None:
    assert fetch(tmp_path, web, web.url + "/menu").stdout == "Home\n"


@pytest.mark.parametrize("view", ["", "\u2060"], ids=["none", "of-what-nobody-sees"])
def test_no_view_is_empty_while_the_page_has_visible_text(
    tmp_path: Path, web: Site, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    """A view of one zero-width character was printed as an empty page."""
    monkeypatch.setattr("searchlog.extract.reading.reading_view", lambda _: view)
    told = fetch(tmp_path, web, web.url + "/menu")
    assert told.stdout == "Home\n"
    assert "/menu: no main text was found, so this is the whole visible text\n" in told.stderr


def test_how_much_of_the_page_the_main_text_is_is_said(tmp_path: Path, web: Site) -> None:
    said = "main text: 78 % of the visible text, by structure; --all shows the rest"
    assert said in fetch(tmp_path, web, web.url + "/").stderr
    assert "main text" not in fetch(tmp_path, web, web.url + "/", "--all").stderr
    assert fetch(tmp_path, web, web.url + "/", "-q").stderr == ""


def test_title_type_and_dates_are_said_with_how_sure_they_are(tmp_path: Path, web: Site) -> None:
    article = ARTICLE.replace("<title>", "<meta property=article:published_time content=2025-11-30><title>")
    web.pages["/dated"] = (200, {"Content-Type": "text/html; charset=utf-8"}, article)
    date = {"date": "2025-11-30", "source": "meta:article:published_time", "sure": "stated"}
    (page,) = json.loads(fetch(tmp_path, web, web.url + "/dated", "--json", "-q").stdout)["pages"]
    assert (page["published"], page["modified"]) == (date, None)
    assert page["page_type"] in PAGE_TYPES
    assert page["labels"].startswith("main/")
    said = f"/dated: Mills · {page['page_type']} · published 2025-11-30 (meta:article:published_time: stated)\n"
    assert said in fetch(tmp_path, web, web.url + "/dated").stderr


MARKDOWN = "# pypdf\n\nReads PDFs.\n\n- one\n- two\n\n> said\n\n1. first\n"


@pytest.mark.parametrize("media_type", ["text/markdown", "text/plain"])
def test_marks_of_a_source_stand_once(tmp_path: Path, web: Site, media_type: str) -> None:
    """Markdown came back as `# # pypdf`, and its items as `- - one`."""
    web.pages["/source"] = (200, {"Content-Type": f"{media_type}; charset=utf-8"}, MARKDOWN)
    told = fetch(tmp_path, web, web.url + "/source")
    assert told.stdout == MARKDOWN
    assert "main text" not in told.stderr


def test_all_prints_the_menus_too_and_still_nothing_hidden(tmp_path: Path, web: Site) -> None:
    shown = fetch(tmp_path, web, web.url + "/", "--all").stdout
    assert "Home" in shown
    assert "Imprint" in shown
    assert "Nobody" not in shown


def test_raw_prints_the_bytes(tmp_path: Path, web: Site) -> None:
    assert fetch(tmp_path, web, web.url + "/", "--raw").stdout_bytes == PAGE.encode()


def test_a_page_that_fails_is_exit_code_5_and_the_others_are_printed(tmp_path: Path, web: Site) -> None:
    result = fetch(tmp_path, web, web.url + "/gone", web.url + "/")
    assert result.exit_code == 5
    assert f"error: {web.url}/gone: http-410" in result.stderr
    first, second = (result.stdout.index(f"==> {web.url}{path} <==") for path in ("/gone", "/"))
    assert first < second < result.stdout.index("They fill")


def test_a_page_without_text_is_exit_code_5_but_its_bytes_can_be_had(tmp_path: Path, web: Site) -> None:
    assert fetch(tmp_path, web, web.url + "/pixel").exit_code == 5
    assert fetch(tmp_path, web, web.url + "/pixel", "--raw").stdout_bytes == b"x"


def test_a_private_address_is_refused_with_what_to_do(tmp_path: Path, web: Site) -> None:
    result = call("fetch", web.url + "/", "--archive", str(tmp_path / "a"))
    assert result.exit_code == 5
    assert "--allow-private" in result.stderr


def test_json_has_a_page_for_each_url_in_order(tmp_path: Path, web: Site) -> None:
    told = json.loads(fetch(tmp_path, web, web.url + "/", web.url + "/gone", "--json", "-q").stdout)
    assert set(told) == {"archive", "session", "turn", "pages"}
    good, bad = told["pages"]
    assert set(good) == set(bad) == {
        "asked", "url", "outcome", "reason", "detail", "status", "captured_at", "title", "char_count", "warnings",
        "suspected", "payload", "text", "content", "left_out", "kind", "facts",
        "published", "modified", "page_type", "labels", "main_percent",
    }  # fmt: skip
    assert (good["reason"], good["title"]) == (None, "Tides")
    assert (good["labels"], good["main_percent"], good["page_type"], good["published"]) == ("structure", 78, None, None)
    assert (bad["labels"], bad["main_percent"], bad["facts"]) == (None, None, [])
    assert good["content"].startswith("# Tide mills")
    assert (bad["reason"], bad["content"]) == ("http-410", None)


def test_what_nobody_sees_is_left_out_of_the_text_and_counted(tmp_path: Path, web: Site) -> None:
    """A page could print orders in tag characters, and terminal codes into a file that is looked at later."""
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    web.pages["/odd"] = (
        200,
        {"Content-Type": "text/html; charset=utf-8"},
        f"<p>Tides{tags} rise\x1b[2J, می\u200cخواهم.",
    )
    told = json.loads(fetch(tmp_path, web, web.url + "/odd", "--all", "--json", "-q").stdout)
    (page,) = told["pages"]
    assert page["content"] == "Tides rise[2J, می\u200cخواهم.\n"
    assert page["left_out"] == {"control": 1, "tag": 4}
    assert {"invisible-characters", "control-characters"} <= set(page["warnings"])
    printed = fetch(tmp_path, web, web.url + "/odd", "--all", "-q").stdout
    assert printed == page["content"]
    assert tags in fetch(tmp_path, web, web.url + "/odd", "--raw", "-q").stdout


def test_what_was_fetched_is_kept(tmp_path: Path, web: Site) -> None:
    fetch(tmp_path, web, web.url + "/")
    shown = call("show", "--archive", str(tmp_path / "a")).stdout
    assert f"{web.url}/" in shown
    assert call("verify", "--archive", str(tmp_path / "a")).exit_code == 0


def test_what_is_odd_about_a_page_is_told(tmp_path: Path, web: Site) -> None:
    """A page that was cut, or that held what nobody sees, was printed without a word."""
    web.pages["/odd"] = (200, {"Content-Type": "text/html; charset=utf-8"}, "<p>Tides\x1b[2J rise.")
    told = fetch(tmp_path, web, web.url + "/odd", "--all")
    assert "control-characters; left out: 1 control characters" in told.stderr
    assert "left out" not in fetch(tmp_path, web, web.url + "/odd", "--all", "-q").stderr


def test_what_the_page_states_for_machines_follows_its_text_and_is_called_a_claim(tmp_path: Path, web: Site) -> None:
    web.pages["/cup"] = (
        200,
        {"Content-Type": "text/html; charset=utf-8"},
        '<script type="application/ld+json">{"@type":"Product","name":"Cup","sku":"T\\u001b[2J",'
        '"offers":{"price":19.90,"priceCurrency":"EUR"}}</script><h1>Cup</h1><p>A cup of clay.',
    )
    printed = fetch(tmp_path, web, web.url + "/cup", "--all", "-q").stdout
    assert printed == (
        "Cup\nA cup of clay.\n\n"
        "Stated by the page for machines, not shown in its text (claims, no evidence):\n"
        "- sku: T[2J (json-ld:Product.sku)\n- price: 19.90 EUR (json-ld:Product.offers.price)\n"
    )
    (page,) = json.loads(fetch(tmp_path, web, web.url + "/cup", "--all", "--json", "-q").stdout)["pages"]
    assert page["content"] == "Cup\nA cup of clay.\n"
    assert page["facts"][1] == {"name": "price", "value": "19.90 EUR", "source": "json-ld:Product.offers.price"}
