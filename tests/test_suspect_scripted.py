"""A page that is empty before its scripts run is told from a short page."""

from __future__ import annotations

import pytest

from searchlog.extract.convert import convert
from searchlog.suspect.held import held_back
from searchlog.suspect.judge import Arrived, Suspicion
from searchlog.suspect.outline import outline_of
from searchlog.suspect.phrases import asks_for_scripts, waits
from searchlog.suspect.scripted import scripted_tests
from tests import stand_ins
from tests.stand_ins import PAGE, page

BUNDLE = '<script defer src="/static/js/main.4a1b.js"></script>'
NAV = "<header><nav><a href=/>Home</a> <a href=/news>News</a> <a href=/about>About us</a></nav></header>"
FOOTER = "<footer><p>© The Gazette, 12 Mill Lane. All rights reserved.</p></footer>"


def judged(markup: str) -> Suspicion | None:
    data = markup.encode()
    made = convert(data, content_type="text/html; charset=utf-8", url=PAGE)
    return held_back(Arrived((PAGE,), 200, (("Content-Type", "text/html; charset=utf-8"),), data), made)


EMPTY = {
    "react": page(
        "Gazette",
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
        BUNDLE,
    ),
    "vue": page(
        "Gazette",
        "<noscript><strong>We're sorry but gazette doesn't work properly without JavaScript enabled. Please enable it "
        "to continue.</strong></noscript><div id=app></div>" + BUNDLE,
    ),
    "angular": page("Gazette", "<app-root></app-root><script src=runtime.1.js type=module></script>"),
    "angular-spinner": page(
        "Gazette",
        "<gazette-root><div class=spinner><span>Loading…</span></div></gazette-root><script src=m.js></script>",
    ),
    "angularjs": page("Gazette", "<div ng-view></div><script src=app.js></script>", "", "ng-app=gazette"),
    "next": page(
        "Gazette",
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"a":"The mill"}}</script>'
        "<script src=/_next/static/chunks/main.js></script>",
    ),
    "gatsby": page("Gazette", "<div id=___gatsby></div><script src=/app-1.js></script>"),
    "shell": page(
        "Gazette",
        f"{NAV}<main id=content><div class=skeleton><span></span><span></span></div></main>{FOOTER}{BUNDLE}",
    ),
    "shell-loading": page("Gazette", f"{NAV}<div id=app-root><p>Bitte warten …</p></div>{FOOTER}{BUNDLE}"),
    "shell-scripts-inside": page(
        "Gazette",
        f"{NAV}<main><script>window.page={{}}</script><template><p>The mill</p></template></main>{FOOTER}{BUNDLE}",
    ),
    "nothing": page("Gazette", "<script>document.write(unescape('%3Cp%3E'))</script>"),
    "own-notice": page("Gazette", f"<div class=no-js>Please enable JavaScript to view this page.</div>{BUNDLE}"),
    "large": page(
        "Gazette",
        "<script>var ytInitialData = {" + '"a":"' + "x" * 400_000 + '"};</script>'
        "<div id=app></div><script src=/s/desktop.js></script>",
    ),
    "state-without-root": page(
        "Gazette", f"<h1>Gazette</h1><div class=x></div><script>window.__INITIAL_STATE__={{}}</script>{BUNDLE}"
    ),
}

ASKS = {
    "en": "You need to enable JavaScript to run this app.",
    "en-off": "JavaScript is disabled in your browser.",
    "en-requires": "This site requires JavaScript to run correctly.",
    "de": "Bitte aktivieren Sie JavaScript, um diese Seite zu nutzen.",
    "de-needs": "Diese Anwendung benötigt JavaScript.",
    "fr": "Veuillez activer JavaScript pour continuer.",
    "fr-off": "Le JavaScript est désactivé.",
    "es": "Por favor, habilita JavaScript para ver esta página.",
    "it": "Per favore abilita JavaScript.",
    "pt": "Por favor, ative o JavaScript no seu navegador.",
    "nl": "Schakel JavaScript in om deze pagina te bekijken.",
    "sv": "Du måste aktivera JavaScript.",
    "pl": "Włącz obsługę JavaScript w przeglądarce.",
    "cs": "Pro zobrazení stránky povolte JavaScript.",
    "ru": "Пожалуйста, включите JavaScript.",
    "uk": "Увімкніть JavaScript у браузері.",
    "tr": "Lütfen JavaScript'i etkinleştirin.",
    "zh": "请启用JavaScript后刷新页面",
    "zh-tw": "請啟用 JavaScript",
    "ja": "JavaScriptを有効にしてください。",
    "ko": "자바스크립트를 활성화해 주세요.",
    "ar": "يرجى تفعيل JavaScript",
    "id": "Harap aktifkan JavaScript",
    "vi": "Vui lòng bật JavaScript",
}

_TEXT = (
    "<h1>Tide mills</h1><p>The pond is filled by the flood and emptied by the ebb, and the gate shuts by itself.</p>"
)
_LONG = (
    _TEXT + "<p>Six hours later the wheel turns until the pond is empty, whoever may be asleep at that time.</p>" * 9
)

HONEST = {
    "plain": page("Tide mills", _TEXT),
    "plain-script": page("Tide mills", _TEXT + BUNDLE),
    "tag-manager": page(
        "Tide mills",
        "<noscript><iframe src=https://www.googletagmanager.com/ns.html></iframe></noscript>" + _TEXT + BUNDLE,
    ),
    "rendered-root": page("Tide mills", f"<div id=root>{_TEXT}</div>{BUNDLE}"),
    "rendered-next": page(
        "Tide mills",
        f"<div id=__next><main>{_LONG}</main></div><script id=__NEXT_DATA__ type=application/json>{{}}</script>",
    ),
    "widget": page("Tide mills", f"<main>{_TEXT}</main><div id=app></div>{BUNDLE}"),
    "forum": page(
        "Tide mills", f"<noscript>JavaScript is disabled. Please enable it.</noscript><div>{_LONG}</div>{BUNDLE}"
    ),
    "chart": page(
        "Level",
        "<h1>Level at the bridge</h1><p>1.82 m and rising at ten o'clock, wind from the west, four.</p>"
        "<noscript>The chart needs JavaScript.</noscript>" + BUNDLE,
    ),
    "no-script-at-all": page("Gazette", "<div id=root></div>"),
    "about-scripts": page(
        "Enabling JavaScript",
        "<h1>How to enable JavaScript</h1>" + "<p>Open the settings and look for the switch.</p>" * 12,
    ),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_page_without_text_before_its_scripts_run_needs_them(name: str) -> None:
    found = judged(EMPTY[name])
    assert found is not None
    assert found.kind == "needs-javascript"
    assert found.tests[-1].startswith("scripts:")
    assert len(found.tests) > 1


@pytest.mark.parametrize("name", ASKS)
def test_a_page_that_asks_to_allow_scripts_is_read_in_many_languages(name: str) -> None:
    assert asks_for_scripts(ASKS[name])
    found = judged(page("Gazette", f"{NAV}<noscript>{ASKS[name]}</noscript><div class=x></div>{FOOTER}{BUNDLE}"))
    assert found is not None
    assert "noscript:enable-javascript" in found.tests


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_page_needs_no_scripts(name: str) -> None:
    assert judged(HONEST[name]) is None


def test_what_is_said_to_those_without_scripts_asks_in_any_words() -> None:
    line = "Bez zapnutého JavaScriptu se, prosím, dál nedostanete."
    assert not asks_for_scripts(line)
    found = judged(page("Listy", f"{NAV}<noscript>{line}</noscript><div class=x></div>{FOOTER}{BUNDLE}"))
    assert found is not None
    assert "noscript:enable-javascript" in found.tests


def test_an_element_that_is_filled_is_not_empty() -> None:
    filled = EMPTY["react"].replace("<div id=root></div>", f"<div id=root><section><!-- x -->{_LONG}</section></div>")
    assert judged(filled) is None
    assert judged(filled.replace(_LONG, "<img src=a.png><br>")) is not None


def test_a_word_of_waiting_counts_as_a_whole_only() -> None:
    for line in ("Loading…", "Loading...", "Wird geladen", "Chargement en cours…", "加载中", "読み込み中…", "로딩 중"):
        assert waits(line), line
    for line in ("Loading the mill with grain", "Laden für Korn", "加载中的磨坊"):
        assert not waits(line), line


def test_a_page_without_a_conversion_is_read_by_its_markup() -> None:
    for name, markup in EMPTY.items():
        if name not in ("large", "shell-scripts-inside"):
            assert scripted_tests(outline_of(markup), markup, None), name
    for name in ("plain", "plain-script", "rendered-next", "forum", "about-scripts"):
        assert not scripted_tests(outline_of(HONEST[name]), HONEST[name], None), name


def test_of_the_honest_pages_only_applications_need_scripts() -> None:
    """These two show nothing before their scripts run, which makes them no challenge."""
    taken = [
        case.name
        for case in (*stand_ins.HONEST, *stand_ins.LATER_HONEST, *stand_ins.TAKEN)
        if (found := judged(case.markup)) is not None and found.kind == "needs-javascript"
    ]
    assert taken == ["application", "application-loading"]
