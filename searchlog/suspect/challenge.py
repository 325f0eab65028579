"""Whether a page is a bot challenge: a check of the visitor that stands where the page should be. Pure.

Two ways to tell. Marks that only a vendor's challenge carries decide by themselves on a page with little prose. Marks
that ordinary pages carry too (a captcha, a sensor, a script that sets a cookie) are weighed together with what the
page lacks: prose, links, fields to fill in; and only on a page that shows no words, speaks of a check, holds a
captcha or a sensor, or failed: a clock that loads itself anew, or a page that sets a cookie for its language and loads
again, does what a challenge does and is none. Fingerprints of a content network (`server`, `x-iinfo`, `x-cdn`,
`akamai-grn`, Cloudflare's detection script, PerimeterX's sensor) stand on honest pages as well and count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from searchlog.suspect.outline import Form, Outline
from searchlog.suspect.phrases import challenge_heading, challenge_text

__all__ = ["challenge_tests", "header_tests"]

_PROSE_MAX = 1_800
"""The longest of the vendors' own explanations have about 1,500 characters."""
_LITTLE = 600
_SHORT = 250
_TINY = 60
_ENOUGH = 3

_HEADERS: Mapping[str, tuple[str, ...]] = {
    "cf-mitigated": ("challenge",),
    "x-amzn-waf-action": ("challenge", "captcha"),
    "x-vercel-mitigated": ("challenge",),
    "sg-captcha": ("challenge",),
    "x-datadome": ("blocked", "challenge", "captcha", "hard_block", "device_check", "interstitial"),
}
"""Fields that say of an answer that it is a challenge, and the values with which they do."""

_SOURCES = {
    "geo.captcha-delivery.com": "script:captcha-delivery",
    "ct.captcha-delivery.com": "script:captcha-delivery",
    "/.within.website/x/cmd/anubis/": "script:anubis",
    "/.well-known/.git.gammaspectra.live/": "script:go-away",
    "/.well-known/vercel/security/": "script:vercel-security",
    "/.basedflare/": "script:basedflare",
    "check.ddos-guard.net": "script:ddos-guard",
    "captcha.px-cdn.net": "script:px-captcha",
    "captcha.px-cloud.net": "script:px-captcha",
    "/_sec/cp_challenge/": "script:akamai-challenge",
    "/_fs-ch-": "script:fs-challenge",
    "/_____tmd_____/": "script:tmd-punish",
    "validate.perfdrive.com": "script:perfdrive",
    "/.lsrecap/": "script:lsrecap",
    "/__qrator/": "script:qrator",
    "cdn-cgi/styles/cf.errors": "style:cf-errors",
}
_INLINE = {
    "_cf_chl_opt": "script:cf-chl-opt",
    "window._cf_chl_ctx": "script:cf-chl-opt",
    "gokuprops": "script:aws-waf",
    "captcha-delivery.com": "script:captcha-delivery",
    "sucuri_cloudproxy": "script:sucuri",
    "bm-verify": "script:bm-verify",
    "bobcmn": "script:tspd",
    "px-captcha": "script:px-captcha",
    "/_____tmd_____/": "script:tmd-punish",
    "/.within.website/x/cmd/anubis/": "script:anubis",
    "/_fs-ch-": "script:fs-challenge",
    "slowaes.decrypt": "script:testcookie",
    "wsidchk": "script:wsidchk",
}
_MARKS = {
    "cf-challenge-running": "id:cf-challenge",
    "cf-challenge-stage": "id:cf-challenge",
    "cf-browser-verification": "id:cf-challenge",
    "cf_challenge_container": "id:cf-challenge",
    "cf-please-wait": "id:cf-challenge",
    "challenge-error-text": "id:cf-challenge",
    "challenge-error-title": "id:cf-challenge",
    "cf-captcha-container": "id:cf-challenge",
    "px-captcha": "id:px-captcha",
    "px-captcha-wrapper": "id:px-captcha",
    "anubis_challenge": "id:anubis",
    "anubis_version": "id:anubis",
    "sec-if-cpt-container": "id:akamai-challenge",
    "sec-bc-tile-container": "id:akamai-challenge",
    "sec-cpt-if": "id:akamai-challenge",
    "anomaly-modal__title": "id:anomaly-modal",
    "distil_r_captcha": "id:distil",
    "distilcaptchaform": "id:distil",
    "aliyun_waf_aa": "id:aliyun-waf",
    "kpsdk-challenge": "id:kasada",
}
_METAS = {"captcha-bypass": "meta:captcha-bypass", "aliyun_waf_aa": "meta:aliyun-waf"}
_HIDDEN = {
    "jschl_vc": "form:cf-challenge",
    "jschl_answer": "form:cf-challenge",
    "cf_captcha_kind": "form:cf-challenge",
    "sec_chlge_form": "form:akamai-challenge",
}
_ACTIONS = {
    "__cf_chl_": "form:cf-challenge",
    "/anomaly.js": "form:anomaly",
    "/errors/validatecaptcha": "form:validate-captcha",
    "/checkcaptcha": "form:check-captcha",
    "/cdn-cgi/l/chk_": "form:cf-challenge",
    "/_sec/verify": "form:akamai-challenge",
    "/.basedflare/": "form:basedflare",
}
_PLACES = (
    (re.compile(r"(?:^|\.)google\.[a-z.]{2,6}$"), "/sorry/", "url:google-sorry"),
    (re.compile(r"(?:^|\.)perfdrive\.com$"), "/", "url:perfdrive"),
    (re.compile(r"(?:^|\.)captcha-delivery\.com$"), "/", "url:captcha-delivery"),
    (re.compile(r"^wappass\.baidu\.com$"), "/", "url:wappass"),
    (re.compile(r""), "/showcaptcha", "url:showcaptcha"),
    (re.compile(r""), "/.well-known/sgcaptcha/", "url:sgcaptcha"),
    (re.compile(r""), "/cdn-cgi/challenge", "url:cf-challenge"),
)
_REFRESHES = {"/.well-known/sgcaptcha/": "meta:sgcaptcha", "bm-verify": "meta:bm-verify"}

_WIDGETS = (
    *("g-recaptcha", "h-captcha", "cf-turnstile", "frc-captcha", "altcha-widget", "mtcaptcha", "smart-captcha"),
    *("cap-widget", "procaptcha", "mcaptcha__widget-container", "geetest_holder", "geetest_captcha", "arkose"),
    *("funcaptcha", "nocaptcha", "tcaptcha", "slider-captcha", "yidun", "captcha-container", "captcha", "recaptcha"),
)
_WIDGET_SOURCES = (
    *("challenges.cloudflare.com/turnstile", "hcaptcha.com/1/api.js", "recaptcha/api.js", "recaptcha/enterprise.js"),
    *(
        "static.geetest.com",
        "arkoselabs.com",
        "funcaptcha.com",
        "smartcaptcha.",
        "turing.captcha",
        "captcha.awswaf.com",
    ),
)
_SENSORS = {
    "_incapsula_resource": "script:incapsula",
    "/ips.js": "script:kasada",
    "kpsdk": "script:kasada",
    "/tspd/": "script:tspd",
    "challenge.compact.js": "script:aws-waf",
    ".awswaf.com/": "script:aws-waf",
    "acw_sc__v2": "script:acw",
    "_pxappid": "script:px",
    "/ddos-guard/": "script:ddos-guard",
    "/akam/": "script:akamai",
}
"""What honest pages of these vendors carry as well; a sign only where there is nothing else."""

_MARKED = ("widget:", "form:captcha", *dict.fromkeys(_SENSORS.values()))
"""What marks a page as a check whatever it says."""

_DETECTION = "__CF$cv$params"
"""Cloudflare's detection script, which it puts into ordinary pages."""

_CAPTCHA_FIELD = re.compile(r"captcha|h-captcha|turnstile|answer|solution|verif|challenge|code|robot|human|nonce|token")
_RELOADS = re.compile(
    r"location\.reload|history\.go\(\s{0,3}0|location\.(?:replace|assign)\(\s{0,3}(?:window\.|document\.|self\.)?location"
    r"|location(?:\.href)?\s{0,3}=\s{0,3}(?:window\.|document\.|self\.)?(?:location|url|document\.url)\b"
)
_TOKEN_FIELD = re.compile(r"captcha|turnstile|token")
_WAITS = re.compile(r"addeventlistener\(\s{0,3}[\"'](?!domcontentloaded|load|message)")
_HASHES = re.compile(r"crypto\.subtle|sha-?(?:1|256|512)|webassembly|hashcash|argon2|md5\(|pbkdf2|new worker\(")
_SEARCHES = re.compile(r"nonce|difficult|challenge|proof|leading|counter")
_SENDS = re.compile(r"fetch\(|xmlhttprequest|\.submit\(|document\.cookie|location")
_ENCODED = re.compile(r"\beval\(|\batob\(|fromcharcode|\\x[0-9a-f]{2}\\x[0-9a-f]{2}|new function\(|_0x[0-9a-f]{4}")
_REFRESH = re.compile(r"\s*(\d{1,5})[\s.\d]{0,8}(?:[;,]?\s{0,5}(?:url\s{0,5}=)?\s{0,5}[\"']?([^\"']*))?", re.I)
_REFRESH_S_MAX = 15
_ROOTS = frozenset(("root", "app", "__next", "__nuxt", "___gatsby", "app-root", "svelte", "q-app", "main-app", "mount"))
_CHECKED = (202, 401, 403, 405, 406, 418, 421, 428, 429, 503)


@dataclass(frozen=True, slots=True)
class _Meant:
    """What says of a page that what it does is a check of the visitor."""

    told: int
    """How plainly its headings do: 2, 1 or 0."""
    speaks: bool
    """Whether its text does."""
    plain: bool
    """Whether both do, or the headings in words that other pages do not use."""
    wordless: bool
    failed: bool


def header_tests(status: int, headers: Sequence[tuple[str, str]]) -> list[str]:
    """Return the header fields that say by themselves that this answer is a challenge."""
    found = []
    for name, value in ((name.lower(), value.strip().lower()) for name, value in headers):
        if value in _HEADERS.get(name, ()):
            found.append(f"header:{name}")
        elif name == "server" and value == "datadome" and status in _CHECKED:
            found.append("header:datadome")
        elif name.startswith("x-kpsdk-") and status == 429:
            found.append("header:x-kpsdk")
    return list(dict.fromkeys(found))


def challenge_tests(status: int, urls: Sequence[str], outline: Outline) -> list[str] | None:
    """Return the tests by which a page is a challenge, or None. urls: as asked for first, final last."""
    if outline.prose <= _PROSE_MAX and (found := list(dict.fromkeys(_marks(urls[-1], outline)))):
        return found
    if outline.body > _LITTLE or outline.listings or _asks_more(outline):
        return None
    points, acts, found = _weighed(status, urls, outline)
    return found if acts and points >= _ENOUGH else None


def _marks(url: str, outline: Outline) -> Iterator[str]:
    """Yield the marks that only a vendor's challenge carries."""
    sources = [source.lower() for source in outline.sources]
    for source in sources:
        yield from _within(source, _SOURCES)
        if "challenge-platform/" in source and "/orchestrate/" in source:
            yield "script:challenge-platform"
    for script in outline.scripts:
        low = script.lower()
        yield from _within(low, _INLINE)
        if "challenge-platform/" in low and "/orchestrate/" in low:
            yield "script:challenge-platform"
    yield from (_MARKS[mark] for mark in outline.marks if mark in _MARKS)
    yield from (_METAS[name] for name in outline.metas if name in _METAS)
    for form in outline.forms:
        yield from _within(form.action.lower(), _ACTIONS)
        yield from (_HIDDEN[name] for name in form.hidden if _HIDDEN.get(name))
        if "captcha-form" in form.marks.split() and outline.marks & {"g-recaptcha", "recaptcha"}:
            yield "form:captcha-form"
        if "challenge-form" in form.marks.split() and not _filled_in(form):
            yield "form:challenge-form"
    yield from _within(outline.metas.get("refresh", "").lower(), _REFRESHES)
    if any("_incapsula_resource" in source and "incident_id" in source for source in sources):
        yield "frame:incapsula"
    if outline.body <= _LITTLE and challenge_heading(outline.title) and "errors.edgesuite.net" in outline.text:
        yield "text:edgesuite-reference"
    yield from _placed(url)


def _within(text: str, needles: Mapping[str, str]) -> Iterator[str]:
    if text:
        yield from (test for needle, test in needles.items() if needle in text)


def _placed(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url.lower())
        host = parts.hostname or ""
    except ValueError:
        return
    for pattern, path, test in _PLACES:
        if parts.path.startswith(path) and pattern.search(host):
            yield test
    if "__cf_chl_" in parts.query:
        yield "url:cf-challenge"


def _asks_more(outline: Outline) -> bool:
    """Return whether the page has fields that no check of a visitor has, or leads to many places."""
    # beside a captcha there is nothing more to answer
    expected = _TOKEN_FIELD if outline.marks.intersection(_WIDGETS) else _CAPTCHA_FIELD
    return len(outline.links) > 25 or any(
        kind == "password" or not expected.search(names)
        for form in outline.all_forms
        if form.zone is None and not _only_checks(form)
        for kind, names in form.fields
    )


def _only_checks(form: Form) -> bool:
    """Return whether a form has one field at most and a captcha's picture, or a box to tick."""
    kinds = {kind for kind, _ in form.fields}
    return kinds <= {"checkbox", "range"} or (
        len(form.fields) == 1 and kinds <= {"text", "tel", "number"} and any("captcha" in p for p in form.pictures)
    )


def _asks_proof(form: Form) -> bool:
    """Return whether all that a form asks for has the name of an answer to a question."""
    return len(form.fields) == 1 and not form.password and not _filled_in(form)


def _filled_in(form: Form) -> bool:
    return any(not _CAPTCHA_FIELD.search(names) for _, names in form.fields)


def _weighed(status: int, urls: Sequence[str], outline: Outline) -> tuple[int, bool, list[str]]:
    """Return the points of a page with little text, whether it does anything by itself or asks for a proof, and why."""
    told = max(map(challenge_heading, [outline.title, *outline.headings[:3]]), default=0)
    wordless = _wordless(outline)
    # many an honest page asks in its noscript for JavaScript to continue
    speaks = challenge_text(outline.said) or (wordless and challenge_text(outline.noscript))
    # a page that failed is no evidence anyhow
    meant = _Meant(told, speaks, told == 2 or (told == 1 and speaks), wordless, status >= 400)
    acts = list(_acts(urls, outline, meant))
    tests = {test for test, _ in acts}
    # that it then loads the page again tells a proof of work from a page that shows how one is found
    proves = "script:proof-of-work" in tests and bool(tests & {"script:reload", "script:cookie-reload"})
    marked = meant.plain or proves or any(test.startswith(_MARKED) for test in tests)
    if not (marked or meant.wordless or meant.failed):
        return 0, False, []
    points, found = 0, []

    def sign(test: str, worth: int) -> None:
        nonlocal points
        points += worth
        found.append(test)

    if told:
        sign("title:challenge" if challenge_heading(outline.title) == told else "heading:challenge", told)
    if speaks:
        sign("text:challenge", 1)
    for test, worth in acts:
        sign(test, worth)
    if marked and outline.noscript and "script" in outline.noscript.lower():
        sign("noscript", 1)
    if marked and "noindex" in outline.metas.get("robots", "").lower():
        sign("meta:noindex", 1)
    if status in _CHECKED:
        sign(f"status:{status}", 1)
    if outline.total <= _TINY:
        sign("tiny-text", 1)
    else:
        found.append("little-text")
    return points, bool(tests - {"script:alone"}), found


def _wordless(outline: Outline) -> bool:
    """Return whether a page shows nothing, or nothing but a word of waiting such as "please wait"."""
    return outline.total <= _TINY and all(map(challenge_heading, filter(None, outline.text.split("\n"))))


def _acts(urls: Sequence[str], outline: Outline, meant: _Meant) -> Iterator[tuple[str, int]]:
    """Yield what the page does by itself, or asks for, with what it is worth."""
    scripts = [script for script in outline.scripts if _DETECTION not in script]
    inline = "\n".join(scripts).lower()
    forms = [form for form in outline.forms if form.zone is None]
    if outline.marks.intersection(_WIDGETS) or (
        forms and any(_has(source, _WIDGET_SOURCES) for source in outline.sources)
    ):
        yield "widget:captcha", 2
    elif any(
        "captcha" in name for form in outline.all_forms for name in (*form.pictures, *(n for _, n in form.fields))
    ):
        yield "form:captcha", 2
    elif any(_only_checks(form) or _asks_proof(form) for form in forms if form.fields):
        yield "form:check", 1
    everything = inline + "\n" + "\n".join(outline.sources).lower()
    for needle, test in _SENSORS.items():
        if needle in everything and (meant.wordless or (outline.total <= _TINY and (meant.plain or meant.failed))):
            yield test, 2
            break
    # what waits for a click is a banner or an application
    waits = "click" in inline or _WAITS.search(inline) is not None
    again = _RELOADS.search(inline) is not None or _names_itself(inline, urls[-1])
    proves = bool(_HASHES.search(inline) and _SEARCHES.search(inline) and _SENDS.search(inline))
    if "cookie" in inline and again and not waits:
        yield "script:cookie-reload", 2
    elif again and (proves or meant.told == 2 or (meant.told and not any(outline.sources))):
        yield "script:reload", 1
    if proves:
        yield "script:proof-of-work", 2
    if ".submit(" in inline and not waits and forms and all(not form.fields for form in forms):
        yield "form:auto-submit", 2
    if "navigator.webdriver" in inline and outline.total <= _TINY:
        yield "script:asks-webdriver", 1
    if (meant.plain or meant.wordless) and _refreshes(urls, outline):
        yield "meta:refresh-self", 1
    if _ENCODED.search(inline) and not any(outline.sources):
        yield "script:encoded", 1
    if _alone(outline, scripts):
        yield "script:alone", 1
    elif (
        meant.told == 2
        and (meant.speaks or meant.failed)  # a poem may be called "Just a moment"
        and outline.total <= (_LITTLE if "noindex" in outline.metas.get("robots", "").lower() else _SHORT)
        and (scripts or any(outline.sources))
    ):
        yield "script", 0


def _has(source: str, needles: Sequence[str]) -> bool:
    low = source.lower()
    # the third version of reCAPTCHA watches ordinary pages and asks nothing
    return any(needle in low for needle in needles) and "render=" not in low.replace("render=explicit", "")


def _names_itself(inline: str, url: str) -> bool:
    """Return whether a script sends the browser to the address it is at."""
    try:
        path = urlsplit(url).path.lower()
    except ValueError:
        return False
    return len(path) > 1 and "location" in inline and (f'"{path}"' in inline or f"'{path}'" in inline)


def _refreshes(urls: Sequence[str], outline: Outline) -> bool:
    """Return whether the page asks the browser to load it again within moments."""
    match = _REFRESH.match(outline.metas.get("refresh", "")[:2_000])
    if match is None or int(match[1]) > _REFRESH_S_MAX:
        return False
    target = (match[2] or "").strip()
    if not target:
        return True
    try:
        place = urlsplit(urljoin(urls[-1], target))
        return any((place.netloc, place.path) == urlsplit(url)[1:3] for url in urls)
    except ValueError:
        return False


def _alone(outline: Outline, scripts: Sequence[str]) -> bool:
    """Return whether there is a script of the page's own, nothing it could build an application from, and no link."""
    return (
        sum(map(len, scripts)) > 80
        and not any(outline.sources)
        and not outline.links
        and outline.total <= _TINY
        and outline.marks.isdisjoint(_ROOTS)
    )
