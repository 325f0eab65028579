"""A page held back from those who do not pay is told from one that offers a newsletter, or that is whole."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert
from searchlog.suspect.held import held_back
from searchlog.suspect.judge import Arrived, Suspicion, suspect
from searchlog.suspect.outline import outline_of
from searchlog.suspect.paywall import paywall_tests
from searchlog.suspect.phrases import asks_to_pay
from tests import stand_ins
from tests.stand_ins import PAGE, page

TEASER = (
    "<h1>The mill that runs on the moon</h1><p class=byline>By Anna Weir</p>"
    "<p>At the mouth of the river a wheel turns twice a day, and nobody has to start it.</p>"
)
WHOLE = "".join(
    f"<p>In the year {1700 + n} the pond was dug out anew, since the mud of {n} springs had filled it, and the miller "
    f"paid {n} men for it. The gate of oak was hung from the other side, so that the ebb would close it by itself.</p>"
    for n in range(30)
)
NAV = "<header><nav><a href=/>Home</a> <a href=/news>News</a> <a href=/subscribe>Subscribe</a></nav></header>"
FOOTER = (
    "<footer><p>Subscribe to our newsletter <form><input type=email name=mail><button>Subscribe</button></form>"
    "<p>© The Gazette. Already a subscriber? <a href=/login>Log in</a></footer>"
)


def article(body: str, head: str = "", attributes: str = "") -> str:
    """Return an article's page."""
    return page(
        "The mill that runs on the moon - Gazette",
        f"{NAV}<main><article>{body}</article></main>{FOOTER}",
        head,
        attributes,
    )


def linked(**facts: Any) -> str:
    """Return JSON-LD of an article."""
    value = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "The mill", **facts}
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def judged(markup: str, charset: str = "utf-8") -> Suspicion | None:
    data = markup.encode(charset)
    headers = (("Content-Type", f"text/html; charset={charset}"),)
    made = convert(data, content_type=headers[0][1], url=PAGE)
    return held_back(Arrived((PAGE,), 200, headers, data), made)


_PART = {"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": ".paywall"}

WALLS = {
    "json-ld": article(TEASER, linked(isAccessibleForFree=False)),
    "json-ld-word": article(TEASER, linked(isAccessibleForFree="False", hasPart=_PART)),
    "json-ld-part-only": article(TEASER, linked(hasPart=[_PART])),
    "json-ld-iri": article(TEASER, linked(isAccessibleForFree="https://schema.org/False")),
    "json-ld-graph": article(
        TEASER,
        '<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"x"},'
        '{"@type":["WebPage","Article"],"isAccessibleForFree":"false"}]}</script>',
    ),
    "json-ld-at-the-end": article(TEASER, "<style>" + "a{color:red}" * 30_000 + "</style>")
    + linked(isAccessibleForFree=False),
    "json-ld-longer-than-shown": article(TEASER + WHOLE, linked(isAccessibleForFree=False, wordCount=9_000)),
    "microdata": article(TEASER + '<meta itemprop="isAccessibleForFree" content="false">'),
    "meta-locked": article(TEASER, '<meta property="article:content_tier" content="locked">'),
    "meta-premium": article(TEASER, '<meta name="cXenseParse:gaz-content-access" content="paid">'),
    "metered-cut": article(
        TEASER
        + "<p>The first to build one here was a monk, and what he wrote down of it…</p><div id=meter-wall></div>",
        '<meta property="article:content_tier" content="metered">',
    ),
    "piano": article(
        TEASER + "<p>The first to build one here was a monk who…</p>"
        "<div class='tp-container-inner piano-offer'><h2>Subscribe to continue reading</h2><p>1 € a week</p></div>",
        "<script src=https://experience.tinypass.com/xbuilder/experience/load?aid=x></script>",
    ),
    "poool": article(
        TEASER
        + "<div id=poool-widget class=poool-widget><p>La suite de cet article est réservée aux abonnés.</p></div>",
        "<script src=https://assets.poool.fr/poool.min.js></script>",
    ),
    "leaky": article(
        TEASER + "<div class=leaky_paywall_message><p>Subscribe or log in to read the rest of this content.</p></div>"
    ),
    "substack": article(
        TEASER + "<div class=paywall data-testid=paywall><h2>This post is for paid subscribers</h2>"
        "<a class='button primary' href=/subscribe>Subscribe</a><p>Already a paid subscriber? <a>Sign in</a></div>",
        linked(isAccessibleForFree=False),
    ),
    "ghost": article(
        TEASER + "<aside class=gh-post-upgrade-cta><div><h2>This post is for subscribers only</h2>"
        "<a class=gh-btn>Subscribe now</a></div></aside>"
    ),
    "members": article(TEASER + "<div class=members-only><p>This article is only available to members.</p></div>"),
    "limit": article(TEASER + "<div><h3>You've read all your free articles.</h3><p>Get a plan.</p></div>"),
    "register": article(TEASER + "<div class=regwall><p>Register for free to keep reading this story.</p></div>"),
    "cut-in-a-box": article(
        TEASER
        + "<div class=article-body--paywalled><p>The first to build one here was a monk of the abbey [...]</p></div>"
    ),
    "not-free-and-cut-but-long": article(
        TEASER + WHOLE + "<p>And so in the end the council had to decide whether …</p>",
        linked(isAccessibleForFree=False),
    ),
}

LINES = {
    "en": "To continue reading this article, please subscribe or log in.",
    "de": "Jetzt weiterlesen mit Abo: vier Wochen kostenlos testen, danach monatlich kündbar. Abonnieren",
    "de-only": "Dieser Artikel ist nur für Abonnenten lesbar.",
    "fr": "Abonnez-vous pour lire la suite de cet article.",
    "fr-rest": "Il vous reste 75 % de cet article à lire. La suite est réservée aux abonnés.",
    "es": "Suscríbete para seguir leyendo",
    "es-only": "Contenido exclusivo para suscriptores",
    "it": "Abbonati per continuare a leggere",
    "it-only": "Articolo riservato agli abbonati",
    "pt": "Assine para continuar lendo",
    "pt-only": "Conteúdo exclusivo para assinantes",
    "nl": "Neem een abonnement om verder te lezen",
    "nl-only": "Dit artikel is alleen voor abonnees",
    "sv": "Logga in eller bli prenumerant för att läsa vidare",
    "no": "For å lese videre må du være abonnent",
    "da": "Få et abonnement og læs videre",
    "fi": "Tilaa ja jatka lukemista",
    "pl": "Wykup dostęp, aby czytać dalej",
    "pl-only": "Artykuł dostępny tylko dla subskrybentów",
    "cs": "Chcete číst dál? Předplaťte si Listy.",
    "ru": "Оформите подписку, чтобы читать дальше",
    "ru-only": "Материал доступен только подписчикам",
    "uk": "Щоб читати далі, оформіть передплату",
    "tr": "Okumaya devam etmek için abone olun",
    "el": "Γίνετε συνδρομητής για να συνεχίσετε την ανάγνωση",
    "zh": "订阅后继续阅读",
    "zh-tw": "加入會員以繼續閱讀",
    "zh-paid": "本文为付费内容,购买后阅读全文",
    "ja": "この記事は有料会員限定です。登録すると続きをお読みいただけます。",
    "ja-plain": "会員登録して続きを読む",
    "ko": "이 기사는 유료 구독자 전용입니다",
    "ko-plain": "구독하고 계속 읽기",
    "ar": "اشترك لمتابعة القراءة",
    "he": "להמשך קריאה הצטרפו כמנוי",
    "id": "Berlangganan untuk melanjutkan membaca",
    "vi": "Đăng ký để đọc tiếp",
}

NOTHING = (
    "Subscribe to our newsletter",
    "Subscribe to our newsletter for exclusive content and read the full story every week",
    "Already a subscriber? Log in",
    # a widespread box over pages that are whole
    "Subscribe now to keep reading and get access to the full archive.",
    "Suscríbete ahora para seguir leyendo y obtener acceso al archivo completo.",
    "Continue reading",
    "Read more",
    "Subscribe",
    "Members of parliament read the full report on Monday",
    "Abonnieren Sie unseren Newsletter",
    "Abonnez-vous à notre newsletter pour lire la suite de nos aventures",
    "Lire la suite",
    "Weiterlesen",
    "Seguir leyendo",
    "Подпишитесь на рассылку",
    "Читать дальше",
    "继续阅读",
    "订阅本站",
    "続きを読む",
    "구독하기",
    # teasers that lead on, with words that also mean something else
    "Register for the walk by Friday. Read the full programme here.",
    "To read this file, register the plugin and open it in an editor.",
    "Read the full story: how a cash register came into the mill",
    "Weiterlesen: Anmeldung zum Mühlenlauf beginnt im März",
    "Lire la suite : le moulin inscrit au patrimoine",
    "Continue lendo: o moleiro foi assassinado em 1911",
    "Continua a leggere: grano in abbondanza",
    "Читать далее: министр подписал договор о мельнице",
    "公司注册资本一千万元[阅读全文]",
    "水車が文化遺産に登録された。続きを読む",
    "Baca selengkapnya: daftar kincir tertua",
    "Devamını oku: değirmen üyeleri toplandı",
    "This article is about subscriptions in the theatre of the nineteenth century.",
)

HONEST = {
    "plain": article(TEASER),
    "plain-long": article(TEASER + WHOLE),
    "newsletter-box": article(
        TEASER + "<div class=newsletter><h2>Subscribe to our newsletter</h2><p>Every Friday the best of the week.</p>"
        "<form><input type=email><button>Sign up</button></form></div>"
    ),
    "vendor-and-class-only": article(
        TEASER + "<div class=paywall-container></div>",
        "<script src=https://cdn.tinypass.com/api/tinypass.min.js></script>",
    ),
    "declared-free": article(TEASER, linked(isAccessibleForFree=True)),
    "tier-free": article(TEASER, '<meta property="article:content_tier" content="free">'),
    "metered": article(TEASER, '<meta property="article:content_tier" content="metered">'),
    "not-free-and-whole": article(
        TEASER + f"<div class=paywall>{WHOLE}</div>", linked(isAccessibleForFree=False, hasPart=_PART, wordCount=1_300)
    ),
    "museum": article(
        TEASER,
        '<script type="application/ld+json">{"@type":"Museum","name":"Tide mill","isAccessibleForFree":false}</script>',
    ),
    "lists-others": article(
        TEASER,
        '<script type="application/ld+json">{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":'
        '{"@type":"NewsArticle","isAccessibleForFree":false}}]}</script>',
    ),
    "no-paywall-class": article(TEASER + "<p>The first to build one was a monk…</p>", attributes='class="no-paywall"'),
    "about-walls": article(
        "<h1>Paywall</h1><p>A paywall shows a few lines and then a notice such as “Subscribe to continue reading”, "
        "which a visitor can only take away by paying; others count what one has read, and say after the fifth page "
        "that the free articles are used up, or ask for an address before they go on, which is called a registration "
        "wall.</p>"
    ),
    "teasers-labelled": article(
        "<h1>Today</h1>"
        + "".join(
            f"<div><h2><a href=/a{n}>Mill number {n} is open again</a></h2><p>After {n} years of repairs it turns.</p>"
            "<p>For subscribers only</p></div>"
            for n in range(9)
        )
    ),
    "quoted-in-code": article(
        '<h1>Marking up a paywall</h1><pre>&lt;script type="application/ld+json"&gt;{"@type":"NewsArticle",'
        '"isAccessibleForFree":false}&lt;/script&gt;</pre><p>Name the part that is held back by its class.</p>'
    ),
    "hidden-overlay": article(
        TEASER + WHOLE + "<div style='display:none' class=paywall><p>Subscribe to continue reading</p></div>",
        linked(isAccessibleForFree=False, hasPart=_PART),
    ),
}


@pytest.mark.parametrize("name", WALLS)
def test_a_page_that_is_held_back_is_a_paywall(name: str) -> None:
    found = judged(WALLS[name])
    assert found is not None
    assert found.kind == "paywall"
    assert len(found.tests) > 1  # one sign is never enough


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_asks_to_subscribe_to_read_on_is_read_in_many_languages(name: str) -> None:
    assert asks_to_pay(LINES[name])
    found = judged(article(f"{TEASER}<div class=box><p>{LINES[name]}</p></div>"))
    assert found is not None
    assert (found.kind, found.tests[0]) == ("paywall", "text:subscribe-to-read-on")


@pytest.mark.parametrize("line", NOTHING)
def test_a_line_that_offers_a_newsletter_or_leads_on_is_none(line: str) -> None:
    assert not asks_to_pay(line)
    assert judged(article(f"{TEASER}<p>{line}</p>")) is None


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_page_is_no_paywall(name: str) -> None:
    assert judged(HONEST[name]) is None


def test_the_tests_are_named() -> None:
    found = judged(WALLS["piano"])
    assert found is not None
    assert set(found.tests) == {
        *("text:subscribe-to-read-on", "class:paywall", "vendor:piano", "cut-text", "little-text"),
    }


def test_a_page_without_a_conversion_is_read_by_its_markup() -> None:
    for name in ("json-ld", "substack", "piano"):
        assert paywall_tests(outline_of(WALLS[name]), WALLS[name], None), name
    for name in ("plain", "newsletter-box", "declared-free", "plain-long"):
        assert not paywall_tests(outline_of(HONEST[name]), HONEST[name], None), name


def test_another_charset_is_read() -> None:
    markup = article(f"{TEASER}<div><p>{LINES['ru']}</p></div>").replace("charset=utf-8", "charset=windows-1251")
    found = judged(markup.replace("©", ""), "windows-1251")
    assert found is not None
    assert found.kind == "paywall"


def test_pages_that_stand_in_for_others_are_no_paywalls() -> None:
    """They are told before; what is asked afterwards must not take an honest short page for one."""
    for case in (*stand_ins.HONEST, *stand_ins.LATER_HONEST, *stand_ins.TAKEN):
        found = judged(case.markup)
        assert found is None or found.kind != "paywall", case.name


def test_real_pages_are_no_paywalls() -> None:
    """Among them is one that declares itself not free and gives all its text."""
    folder = Path(__file__).parent / "pages" / "html"
    files = sorted(folder.glob("*.html"))
    assert len(files) >= 8
    for file in files:
        data = file.read_bytes()
        made = convert(data, content_type="text/html", url=PAGE)
        assert isinstance(made, Conversion)
        arrived = Arrived((PAGE,), 200, (("Content-Type", "text/html"),), data)
        assert (held_back(arrived, made), suspect(arrived, made)) == (None, None), file.name


def test_an_answer_that_is_no_page_is_not_judged() -> None:
    data = WALLS["json-ld"].encode()
    for status in (304, 402, 403, 404, 500):
        assert held_back(Arrived((PAGE,), status, (("Content-Type", "text/html"),), data), None) is None
    assert held_back(Arrived((PAGE,), 200, (("Content-Type", "application/json"),), b'{"a": 1}'), None) is None


_UNITS = {
    "lone": "<",
    "script": "<script type=application/ld+json>",
    "ended": "<script type=application/ld+json></script>",
    "unended": "<script type=application/ld+json></scrip",
    "open": "<script " + "a " * 180,
    "deep": "<script type=application/ld+json>" + "[" * 3_000 + "</script>",
    "listed": '<script type=application/ld+json>{"@graph":[' + "[]," * 500 + "{}]}</script>",
    "itemprop": "<meta itemprop=isAccessibleForFree content=",
    "marks": "<p class='paywall-no-paywall-off'>",
    "lines": "<p>Subscribe to continue",
    "ellipsis": "<p>…………………………",
    "root": "<div id=root><div id=app ",
    "comment": "<main><!--",
    "mains": "<main><script>",
}


@pytest.mark.parametrize("name", _UNITS)
def test_time_grows_with_the_length_only(name: str) -> None:
    assert _work(_UNITS[name], 800_000) < 7 * _work(_UNITS[name], 200_000) + 0.05
    assert _work(_UNITS[name], 8_000_000) < 3.0


def _work(text: str, chars: int) -> float:
    """Return the least time of the processor, of a few runs, for a page of so much of a text."""
    data = (text * (chars // len(text) + 1))[:chars].encode()
    arrived = Arrived((PAGE,), 200, (("Content-Type", "text/html"),), data)
    took = []
    for _ in range(2):
        begin = time.process_time()
        held_back(arrived, None)
        took.append(time.process_time() - begin)
    return min(took)


def test_no_bytes_make_it_raise() -> None:
    dice = random.Random(7)
    pieces = [*WALLS.values(), *HONEST.values()]
    for _ in range(150):
        text = "".join(p[dice.randrange(len(p)) :][: dice.randrange(600)] for p in dice.choices(pieces, k=4))
        data = bytes(byte if dice.random() > 0.02 else dice.randrange(256) for byte in text.encode())
        made = convert(data, content_type="text/html", url=PAGE)
        held_back(Arrived((PAGE,), 200, (("Content-Type", "text/html"),), data), made)
