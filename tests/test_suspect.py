"""Pages that stand in for others are told by structure; pages about such pages are pages."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace

import pytest

from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import convert
from searchlog.suspect import phrases
from searchlog.suspect.judge import Arrived, Suspicion, suspect
from searchlog.suspect.outline import PREFIX_CHARS
from tests import stand_ins
from tests.stand_ins import Case

CHALLENGES = (*stand_ins.CHALLENGES, *stand_ins.LATER_CHALLENGES)
LOGINS = (*stand_ins.LOGINS, *stand_ins.LATER_LOGINS)
MISSING = (*stand_ins.MISSING, *stand_ins.LATER_MISSING)
HONEST = (*stand_ins.HONEST, *stand_ins.LATER_HONEST, *stand_ins.TAKEN)


def judged(case: Case) -> Suspicion | None:
    """Return what the page is suspected to be, converted as a fetch does it."""
    data = case.markup.encode("utf-8")
    headers = (("Content-Type", "text/html; charset=utf-8"), *case.headers)
    conversion = None
    if 200 <= case.status < 300:
        conversion = convert(data, content_type=headers[0][1], url=case.urls[-1])
    return suspect(Arrived(case.urls, case.status, headers, data), conversion)


@pytest.mark.parametrize("case", CHALLENGES, ids=lambda case: case.name)
def test_a_check_of_the_visitor_is_a_challenge(case: Case) -> None:
    found = judged(case)
    assert found is not None
    assert (found.kind, bool(found.tests)) == ("bot-challenge", True)
    assert set(case.tests) <= set(found.tests)


@pytest.mark.parametrize("case", LOGINS, ids=lambda case: case.name)
def test_a_form_to_log_in_that_is_the_page_is_a_wall(case: Case) -> None:
    found = judged(case)
    assert found is not None
    assert found.kind == "login-wall"
    assert set(case.tests) <= set(found.tests)


@pytest.mark.parametrize("case", MISSING, ids=lambda case: case.name)
def test_a_page_that_says_by_its_structure_that_nothing_is_there_is_a_soft_404(case: Case) -> None:
    found = judged(case)
    assert found is not None
    assert found.kind == "soft-404"
    assert len(found.tests) > 1  # one weak sign is not enough
    assert set(case.tests) <= set(found.tests)


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.name)
def test_an_honest_page_is_not_suspected(case: Case) -> None:
    assert judged(case) is None


@pytest.mark.parametrize("case", stand_ins.IN_DOUBT, ids=lambda case: case.name)
def test_a_page_in_doubt_is_not_suspected(case: Case) -> None:
    """Equal title and heading were two signs, and a redirect home one of a page given up: honest pages fell by them."""
    assert judged(case) is None


@pytest.mark.parametrize("case", stand_ins.TAKEN, ids=lambda case: case.name)
def test_no_page_that_shows_words_is_a_challenge_for_what_it_does(case: Case) -> None:
    """A clock was taken for one by its refresh; with one more of the things that such pages do, it still is a clock."""
    for more in ('<meta name=robots content="noindex">', "<noscript>This chart needs JavaScript</noscript>"):
        found = judged(replace(case, markup=case.markup.replace("</body>", f"{more}</body>")))
        assert found is None or found.kind != "bot-challenge"


def test_every_list_of_phrases_is_read_and_says_what_it_is_for() -> None:
    """The lists stand in a file beside the module, which must come with it."""
    assert phrases.missing_heading("Страница не найдена") == 2
    assert phrases.challenge_heading("Checking your browser") == 2
    assert phrases.challenge_heading("Please wait") == 1
    assert phrases.challenge_text("We must see whether you are a human, it takes a moment")
    assert phrases.login_heading(["ログイン"])
    with pytest.raises(AssertionError):
        phrases._list("no-such")


def test_there_are_enough_cases_of_each_kind_and_no_name_twice() -> None:
    names = [case.name for case in (*CHALLENGES, *LOGINS, *MISSING, *HONEST, *stand_ins.IN_DOUBT)]
    assert len(names) == len(set(names))
    assert len(CHALLENGES) + len(LOGINS) + len(MISSING) >= 60
    assert len(HONEST) >= 60


def test_an_error_is_never_a_wall_or_a_soft_404() -> None:
    """Its status says already what it is."""
    for case in (*LOGINS, *MISSING):
        for status in (401, 403, 404, 410, 500):
            assert judged(Case(case.name, case.markup, case.urls, status)) is None, (case.name, status)


def test_what_is_not_markup_is_judged_by_its_head_alone() -> None:
    data = b"Just a moment...\nVerify you are human\n<script>_cf_chl_opt</script>\n"
    for kind in ("text/plain", "application/json", "application/pdf"):
        headers = (("Content-Type", kind),)
        made = convert(data, content_type=kind, url="http://a.example/x.txt")
        assert suspect(Arrived(("http://a.example/x.txt",), 200, headers, data), made) is None
        told = (*headers, ("CF-Mitigated", "challenge"))
        found = suspect(Arrived(("http://a.example/x.txt",), 200, told, data), made)
        assert found == Suspicion("bot-challenge", ("header:cf-mitigated",))


def test_a_conversion_that_failed_for_want_of_time_or_memory_says_nothing() -> None:
    data = CHALLENGES[0].markup.encode()
    for reason in ("timeout", "memory", "crash", "internal-error"):
        failed = ConversionFailure(reason, "", "text/html")
        assert suspect(Arrived(("http://a.example/x",), 200, (), data), failed) is None


def test_text_beyond_the_prefix_is_text() -> None:
    """A page may hold much of its own style before its first word: what was not looked at is not absent."""
    style = "<style>" + "a{color:red}" * 40_000 + "</style>"
    words = "<p>" + "The pond of the tide mill is filled by the flood and emptied by the ebb. " * 12 + "</p>"
    case = Case("late", f"<title>Log in</title>{style}<form><input type=password></form>{words}")
    assert judged(case) is None


@dataclass(frozen=True)
class _Unit:
    name: str
    text: str


_UNITS = [
    _Unit("lone", "<"),
    _Unit("quote", '<a "'),
    _Unit("open quote", "<a b='"),
    _Unit("open tag", "<a "),
    _Unit("equals", "<a ="),
    _Unit("spaces", "<a" + " " * 500),
    _Unit("comment", "<!--"),
    _Unit("script", "<script>"),
    _Unit("noscript", "<noscript><"),
    _Unit("deep", "<div>"),
    _Unit("ends", "</b>"),
    _Unit("crossed", "<b></i>"),
    _Unit("heading", "<h1>404 "),
    _Unit("meta", '<meta http-equiv=refresh content="0;;;;;;'),
    _Unit("form", "<form action=/login><input type=password>"),
    _Unit("entity", "&amp;&#x41;"),
    _Unit("wide", "页面不存在 "),
]


@pytest.mark.parametrize("unit", _UNITS, ids=lambda unit: unit.name)
def test_time_grows_with_the_length_only(unit: _Unit) -> None:
    """Spaces after a tag's name once took 80 seconds: the end was looked for again from each of them."""
    # four times the length is four times the work, sixteen times where the work grows with the square of it
    assert _work(unit.text, 160_000) < 7 * _work(unit.text, 40_000)
    # and no more than a prefix is looked at
    assert _work(unit.text, 4_000_000) < 7 * _work(unit.text, PREFIX_CHARS)


def _work(text: str, chars: int) -> float:
    """Return the least time of the processor, of a few runs, for a page of so much of a text."""
    data = (text * (chars // len(text) + 1))[:chars].encode()
    failed = ConversionFailure("no-text", "", "text/html")
    took = []
    for _ in range(3):
        begin = time.process_time()
        suspect(
            Arrived(("http://a.example/x", "http://a.example/y"), 403, (("Content-Type", "text/html"),), data), None
        )
        suspect(Arrived(("http://a.example/x", "http://a.example/login"), 200, (), data), failed)
        took.append(time.process_time() - begin)
    return min(took)


def test_no_bytes_and_no_addresses_make_it_raise() -> None:
    dice = random.Random(20)
    pieces = [case.markup for case in (*CHALLENGES, *LOGINS, *MISSING) if case.markup]
    addresses = [
        "http://[::1",
        "http://a.example/%ff%00",
        "",
        "http://a.example/?" + "a&" * 3_000,
        "http://a.example:x/",
    ]
    for _ in range(300):
        text = "".join(
            piece[dice.randrange(len(piece)) :][: dice.randrange(400)] for piece in dice.choices(pieces, k=4)
        )
        data = bytes(byte if dice.random() > 0.02 else dice.randrange(256) for byte in text.encode())
        urls = tuple(dice.choices(addresses, k=2))
        for status in (200, 403):
            made = convert(data, content_type="text/html", url="http://a.example/") if status == 200 else None
            suspect(Arrived(urls, status, (("Content-Type", "text/html"), ("Refresh", "\0")), data), made)


def test_an_ordinary_page_costs_a_look_at_its_first_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The markup of a page with text is not read a second time."""
    from searchlog.suspect import judge as module

    def never(markup: str) -> None:
        raise AssertionError("the markup was read")

    monkeypatch.setattr(module, "outline_of", never)
    text = "<title>Tide mills</title>" + "<p>The pond fills with the tide, and its gate shuts at high water.</p>" * 60
    made = convert(text.encode(), content_type="text/html", url="http://a.example/mills")
    assert isinstance(made, Conversion)
    assert suspect(Arrived(("http://a.example/mills",), 200, (), text.encode()), made) is None
