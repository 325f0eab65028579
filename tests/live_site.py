"""A loopback site whose pages change as pages on the web do: one for each state that a live check tells apart.

    with LiveSite() as site:
        ... search: every page is in its first form ...
        site.later()
        ... check: every page is as its state says ...

Every page has a host of its own under `.example`, which `site.resolver` finds on 127.0.0.1: what one server asks for
(a wait, a robots.txt) then holds back no other. Pages are articles with a header, a navigation, sections and a footer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Self

from searchlog.verify.verdict import LIVE
from tests.sites import Answer, Site, serve
from tests.wire_server import WireServer

__all__ = ["PAGES", "UNASKED", "Article", "LiveSite", "Page"]

HTML = {"Content-Type": "text/html; charset=utf-8"}
UNASKED = frozenset(("not-checked",))
"""States of passages of which no page was asked."""

_TOWNS = (
    *(
        "Aldmouth",
        "Brackney",
        "Corriewick",
        "Dunhaven",
        "Eskleigh",
        "Farnholt",
        "Gavelstead",
        "Hartsey",
        "Inverlow",
        "Jedford",
        "Kelsmere",
    ),
    *(
        "Lorngate",
        "Marwick",
        "Norhaven",
        "Oxley",
        "Penstow",
        "Quarrington",
        "Rothsay",
        "Selwick",
        "Tarnby",
        "Ulverton",
        "Varley",
    ),
    *(
        "Westerlow",
        "Yarmley",
        "Zennock",
        "Ashcombe",
        "Bramling",
        "Cawdale",
        "Drayford",
        "Elmstow",
        "Foxmere",
        "Glenroy",
        "Holmby",
    ),
    *("Islay", "Kirkholm", "Langmere", "Mossby", "Netherby", "Ormsay", "Porlock", "Ravensey", "Stainby"),
)
_MAKERS = (
    *("Anna Weir", "John Sluys", "Marie Laugier", "Piet Molenaar", "Ewa Rzeka"),
    *("Olga Prudova", "Carlo Chiusa", "Inês Ribeira", "Hana Mlynar", "Tom Leat"),
)


@dataclass(frozen=True)
class Article:
    """The text of one page."""

    town: str
    maker: str
    number: int

    @property
    def title(self) -> str:
        return f"The tide mill of {self.town}"

    @property
    def key(self) -> str:
        """The passage that is checked."""
        return (
            f"The restored wheel of {self.town} ground {self.number + 112} tonnes of barley in the season of 2019, and "
            f"the trust does not expect to grind more than {self.number + 95} tonnes in any later year. {self.maker}, "
            "who keeps the books, puts the loss down to silt in the upper pond."
        )

    @property
    def sections(self) -> list[tuple[str, list[str]]]:
        """Headings, each with its paragraphs; the passage stands in the third."""
        town, number = self.town, self.number
        return [
            (
                "The place",
                [
                    f"{town} lies where the river widens, {number % 7 + 2} miles from the bar. At springs the water "
                    f"rises by {number % 5 + 3} metres within six hours, which is why a mill was built there and not "
                    "further up.",
                    "Boats that carried coal up the river used to wait below the dam until the gates were open, and "
                    "the inn beside the quay lived from their crews for more than a century.",
                ],
            ),
            (
                "The builders",
                [
                    f"The first dam was thrown up in {1600 + number} by monks who had seen one on the other coast. It "
                    "was made of clay between two rows of elm piles, and it was mended after every winter storm.",
                    f"What stands today was begun in {1740 + number} by a merchant of {town}, with stone from a "
                    "quarry that is now under the bypass. Its three floors were full of flour bins by the end of that "
                    "decade.",
                ],
            ),
            ("The harvest", [self.key]),
            (
                "The gates",
                [
                    "Each gate is hung from its upper edge. The flood pushes it open, the ebb pulls it shut, and "
                    "nobody has to be there at three in the morning, although somebody usually was, with a lantern.",
                    f"Oak lasts for {number % 20 + 30} years in salt water. The present gates came by rail from the "
                    "yard at the junction, and were floated down the last mile on two barges lashed together.",
                ],
            ),
            (
                "Visiting",
                [
                    f"The mill is open from April to October, on {number % 4 + 2} days a week, and a guide explains "
                    "the gearing. Dogs may come into the yard but not up the ladder, which is steep and polished.",
                ],
            ),
        ]

    def html(
        self,
        sections: list[tuple[str, list[str]]] | None = None,
        *,
        look: int = 0,
        head: str = "",
        before: str = "",
        after: str = "",
    ) -> str:
        """Return the page. look: another template around the same words; before, after: markup around the text."""
        body = "".join(
            f"<h2>{heading}</h2>{''.join(f'<p>{text}</p>' for text in texts)}"
            for heading, texts in (sections if sections is not None else self.sections)
        )
        text = f"<h1>{self.title}</h1>{before}{body}{after}"
        if look:
            names = ("Rivers", "Coast", "Shop", "Help")
            menu = "".join(f"<li><a href=/{name.lower()}>{name}</a></li>" for name in names)
            return (
                "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                f"<title>{self.title} — River Review</title>{head}</head>\n<body class=v2>\n"
                f"<div class=topbar><nav aria-label=Main><ul>{menu}</ul></nav></div>\n"
                f"<div class=layout><main><article class=story>\n{text}\n</article></main>"
                "<aside class=sidebar><h3>Most read</h3><ul><li><a href=/1>Ten weirs to see</a></li>"
                "<li><a href=/2>Canoes for beginners</a></li></ul><div class=ad>Advertisement</div></aside></div>\n"
                "<footer><p>© 2026 River Review. Made beside the water.</p></footer>\n</body>\n</html>\n"
            )
        return (
            f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{self.title} | River Review</title>{head}"
            "</head><body><header><a href=/>River Review</a><nav><a href=/rivers>Rivers</a> <a href=/coast>Coast</a> "
            f"<a href=/about>About</a></nav></header><main><article>{text}</article></main>"
            "<footer><p>© 2019 River Review, Mill Lane 4. <a href=/terms>Terms</a></p></footer></body></html>"
        )

    def changed(self, change: Callable[[str], str]) -> list[tuple[str, list[str]]]:
        """Return the sections with every paragraph changed."""
        return [(heading, [change(text) for text in texts]) for heading, texts in self.sections]

    def without(self, heading: str) -> list[tuple[str, list[str]]]:
        """Return the sections but one."""
        return [section for section in self.sections if section[0] != heading]


@dataclass(frozen=True)
class Page:
    """One page and what becomes of it."""

    name: str
    state: str
    """Of `LIVE`, after `later`."""
    article: Article
    url: str

    @property
    def path(self) -> str:
        return f"/{self.name}"


Later = Callable[["LiveSite", Page], Answer | None]
"""What a page gives afterwards; None where something else was done."""


def _shown(markup: str, status: int = 200, headers: Mapping[str, str] = HTML) -> Answer:
    return status, headers, markup


def _led(place: Callable[[LiveSite, Page], str]) -> Later:
    return lambda site, page: (302, {"Location": place(site, page)}, "")


def _failing(status: int, **headers: str) -> Later:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = f"<!DOCTYPE html><title>Error {status}</title><h1>Error {status}</h1><p>The request was not answered.</p>"
    return lambda site, page: _shown(body, status, HTML | named)


def _written(make: Callable[[Article], str]) -> Later:
    return lambda site, page: _shown(make(page.article))


def _moved(article: Article) -> str:
    harvest = next(section for section in article.sections if section[0] == "The harvest")
    return article.html([*article.without("The harvest"), harvest])


def _ambiguous(article: Article) -> str:
    return article.html([*article.sections, *article.sections])


def _not_beside(article: Article) -> str:
    line = "None of the figures in the next paragraph is true: they come from a leaflet that the trust has withdrawn."
    harvest = ("The harvest", [line, article.key])
    return article.html([harvest if section[0] == "The harvest" else section for section in article.sections])


def _retracted(article: Article) -> str:
    notice = (
        '<div class="notice"><p><strong>Retracted.</strong> This article has been retracted by its editors, because '
        "its figures could not be reproduced.</p></div>"
    )
    return article.html(before=notice)


def _digit(article: Article) -> str:
    old, new = f"{article.number + 95} tonnes", f"{article.number + 96} tonnes"
    return article.html(article.changed(lambda text: text.replace(old, new)))


def _digit_not_free(article: Article) -> str:
    """A page may declare that it is not free and give its text: the change in it is no wall."""
    old, new = f"{article.number + 112} tonnes", f"{article.number + 211} tonnes"
    return article.html(article.changed(lambda text: text.replace(old, new)), head=_NOT_FREE)


def _negated(article: Article) -> str:
    return article.html(article.changed(lambda text: text.replace("does not expect", "does expect")))


def _partial(article: Article) -> str:
    last = article.key.rindex(f". {article.maker}") + 1
    return article.html(article.changed(lambda text: text.replace(article.key, article.key[:last])))


_OTHER = (
    "<!DOCTYPE html><html lang=en><head><title>Canoes for beginners | River Review</title></head><body><header><nav>"
    "<a href=/>Home</a></nav></header><main><h1>Canoes for beginners</h1>"
    + "".join(
        f"<p>Lesson {n}: hold the paddle with both hands, look ahead of the bow, and let the current do what it can do "
        "better than you. Whoever falls in stands up, since the water of the pond reaches to the belt.</p>"
        for n in range(1, 6)
    )
    + "</main></body></html>"
)
_HOME = (
    "<!DOCTYPE html><html lang=en><head><title>River Review</title></head><body><main><h1>River Review</h1>"
    + "".join(
        f"<h2><a href=/{n}>Story {n} of the week</a></h2><p>What we saw from bridge {n}.</p>" for n in range(1, 9)
    )
    + "</main></body></html>"
)
_NOTHING_HERE = (
    "<!DOCTYPE html><html lang=en><head><title>Page not found | River Review</title><meta name=robots content=noindex>"
    '</head><body class="error404"><header><nav><a href=/>Home</a></nav></header><main><h1>Page not found</h1>'
    "<p>We could not find the page you are looking for.</p></main></body></html>"
)
_LOGIN = (
    "<!DOCTYPE html><html lang=en><head><title>Log in | River Review</title></head><body><main><h1>Log in</h1>"
    "<form action=/login method=post><input name=username><input type=password name=password><button>Log in</button>"
    "</form></main></body></html>"
)
_CHALLENGE = (
    "<!DOCTYPE html><html lang=en><head><title>Just a moment...</title></head><body><h1>River Review</h1>"
    "<p>Checking your browser before you go on.</p><script>window._cf_chl_opt={cType:'managed'};var a=document."
    "createElement('script');a.src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1';</script></body></html>"
)
_APPLICATION = (
    "<!DOCTYPE html><html lang=en><head><title>River Review</title><script defer src=/static/js/main.77ab.js></script>"
    "</head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div></body></html>"
)
_PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"


_NOT_FREE = (
    '<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",'
    '"isAccessibleForFree":false,"hasPart":{"@type":"WebPageElement","isAccessibleForFree":false,'
    '"cssSelector":".paywall"}}</script>'
)


def _paywall(article: Article) -> str:
    wall = "<div class=paywall><h2>Subscribe to continue reading</h2><p>One month for one pound.</p></div>"
    return article.html(article.sections[:1], head=_NOT_FREE, after=wall)


def _in_part(site: LiveSite, page: Page) -> Answer:
    whole = page.article.html().encode()
    sent = whole[: whole.index(b"<h2>The harvest")]
    return 200, {**HTML, "Content-Length": str(len(whole)), "Connection": "close"}, sent


def _robots(site: LiveSite, page: Page) -> None:
    site.pages["/robots.txt"] = 200, {"Content-Type": "text/plain"}, f"User-agent: *\nDisallow: {page.path}\n"


def _hangs(site: LiveSite, page: Page) -> None:
    site.hanging.add(page.path)


def _closes(site: LiveSite, page: Page) -> None:
    site.close_other()


def _forgotten(site: LiveSite, page: Page) -> None:
    site.unknown.add(f"{page.name}.example")


def _each_time_another(site: LiveSite, page: Page) -> None:
    visits = count(1)
    figure = f"{page.article.number + 112} tonnes"

    def give() -> Answer:
        other = f"{page.article.number + 112 + next(visits)} tonnes"
        return _shown(page.article.html(page.article.changed(lambda text: text.replace(figure, other))))

    site.made[page.path] = give


def _now_and_then(site: LiveSite, page: Page) -> None:
    visits = count(1)
    forms = page.article.html(page.article.without("The harvest")), page.article.html(look=1)
    site.made[page.path] = lambda: _shown(forms[(next(visits) + 1) % 2])


PAGES: dict[str, tuple[str, Later]] = {
    "same-bytes": ("same-bytes", _written(lambda article: article.html())),
    "intact": ("intact", _written(lambda article: article.html(look=1))),
    "intact-reflowed": (
        "intact",
        _written(lambda a: a.html(a.changed(lambda text: text.replace(" and ", "\n  <em>and</em>&#32;")))),
    ),
    "moved": ("moved", _written(_moved)),
    "ambiguous": ("ambiguous", _written(_ambiguous)),
    "context-changed": ("context-changed", _written(_retracted)),
    "context-changed-not": ("context-changed", _written(_not_beside)),
    "changed": ("changed", _written(_digit)),
    "changed-not": ("changed", _written(_negated)),
    "changed-not-free": ("changed", _written(_digit_not_free)),
    "partial": ("partial", _written(_partial)),
    "absent": ("absent", _written(lambda article: article.html(article.without("The harvest")))),
    "personalised": ("personalised", _each_time_another),
    "personalised-shown": ("personalised", _now_and_then),
    "redirected-same-site": ("redirected-same-site", _led(lambda site, page: "/canoes")),
    "redirected-elsewhere": ("redirected-elsewhere", _led(lambda site, page: f"http://canoes.test:{site.port}/canoes")),
    "redirected-home": ("redirected-home", _led(lambda site, page: "/")),
    "moved-permanently": ("intact", _led(lambda site, page: f"{page.path}/2026")),
    "http-404": ("http-404", _failing(404)),
    "http-410": ("http-410", _failing(410)),
    "http-451": ("http-451", _failing(451)),
    "http-403": ("http-403", _failing(403)),
    "http-401": ("http-401", _failing(401, WWW_Authenticate='Basic realm="Review"')),
    "http-429": ("http-429", _failing(429, Retry_After="30")),
    "http-500": ("http-5xx", _failing(500)),
    "http-503": ("http-5xx", _failing(503)),
    "http-418": ("http-other", _failing(418)),
    "soft-404": ("soft-404", _written(lambda article: _NOTHING_HERE)),
    "paywall": ("paywall", _written(_paywall)),
    "login-wall": ("login-wall", _led(lambda site, page: f"/login?next={page.path}")),
    "robots": ("robots", _robots),
    "bot-challenge": ("bot-challenge", _written(lambda article: _CHALLENGE)),
    "bot-challenge-403": ("bot-challenge", lambda site, page: _shown(_CHALLENGE, 403)),
    "needs-javascript": ("needs-javascript", _written(lambda article: _APPLICATION)),
    "type-changed": ("type-changed", lambda site, page: (200, {"Content-Type": "image/png"}, _PICTURE)),
    "truncated": ("truncated", _in_part),
    "tls": ("tls", _led(lambda site, page: site.secure.url(page.path, f"{page.name}.example"))),
    "dns": ("dns", _forgotten),
    "timeout": ("timeout", _hangs),
    "connect": ("connect", _closes),
    "refused": ("refused", _led(lambda site, page: "http://10.0.0.1/mill")),
}


class LiveSite:
    """The site, while it is open. `pages` has its pages by name."""

    def __init__(self) -> None:
        self.hanging: set[str] = set()
        self.unknown: set[str] = set()
        """Names that are not known any more."""
        self.made: dict[str, Callable[[], Answer]] = {}
        """Answers that are made anew for each visit."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._site = stack.enter_context(serve({}, hang=self.hanging))
            self._site.pages = self.pages = _Answers(self.made)
            self._other_stack = stack.enter_context(ExitStack())
            self._other = self._other_stack.enter_context(serve({}))
            # nobody has heard of the authority that signed for it
            self.secure = stack.enter_context(WireServer({}, tls=True, names=("tls.example",)))
            self.articles = [self._page(number, name, state) for number, (name, (state, _)) in enumerate(PAGES.items())]
            for page in self.articles:
                self._put(page.path, _shown(page.article.html()))
                self._put(f"{page.path}/2026", _shown(page.article.html(look=1)))
            self._put("/canoes", _shown(_OTHER))
            self._put("/", _shown(_HOME))
            self._put("/login", _shown(_LOGIN))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def site(self) -> Site:
        """The server that has all pages but the one that is closed later; searches may be scripted on it."""
        return self._site

    @property
    def port(self) -> int:
        return self._site.port

    @property
    def hosts(self) -> tuple[str, ...]:
        """All names that lead to this machine, and its address."""
        return ("127.0.0.1", "canoes.test", *(f"{page.name}.example" for page in self.articles))

    def resolver(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name, as a resolver does."""
        if host in self.unknown or host not in self.hosts:
            raise OSError(-2, "Name or service not known")
        return ["127.0.0.1"]

    def later(self) -> None:
        """Let every page become what its state says."""
        for page in self.articles:
            answer = PAGES[page.name][1](self, page)
            if answer is not None:
                self.pages[page.path] = answer

    def close_other(self) -> None:
        """Close the server of the page that nothing answers for any more."""
        self._other_stack.close()

    def _page(self, number: int, name: str, state: str) -> Page:
        port = self._other.port if state == "connect" else self.port
        article = Article(_TOWNS[number], _MAKERS[number % len(_MAKERS)], 17 + 3 * number)
        return Page(name, state, article, f"http://{name}.example:{port}/{name}")

    def _put(self, path: str, answer: Answer) -> None:
        self.pages[path] = answer
        self._other.pages[path] = answer


class _Answers(dict[str, Answer]):
    """Answers by path, some of them made for each visit."""

    def __init__(self, made: Mapping[str, Callable[[], Answer]]) -> None:
        super().__init__()
        self._made = made

    def get(self, key: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override]
        return self._made[key]() if key in self._made else super().get(key, default)


def states() -> Iterator[str]:
    """Yield the states of `LIVE` that a page stands for."""
    yield from dict.fromkeys(state for state, _ in PAGES.values())


assert set(states()) == set(LIVE) - UNASKED, "a state of the live axis has no page"
