"""Whether a page is a login wall: a form to log in that stands where the page should be. Pure.

A form in a page's header, or beside an article, is no wall: what counts is a form that is the page. A redirect to an
address made for logging in counts with such a form, or with a page that says nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import SplitResult, parse_qsl, unquote

from searchlog.suspect.address import split
from searchlog.suspect.outline import Form, Outline
from searchlog.suspect.phrases import login_heading, names

__all__ = ["login_redirect_tests", "login_tests"]

_LITTLE = 500
_TINY = 120
_PATHS = names(
    """
    login log-in log_in logon signin sign-in sign_in signon sign-on auth authenticate authentication authorize
    oauth oauth2 sso saml saml2 cas account-login user-login member-login users-sign_in identifier servicelogin
    accountchooser idp openid oidc adfs wp-login login-form anmelden anmeldung connexion
    iniciar-sesion acceso inloggen logowanie denglu passport
    """
)
_HOSTS = names(
    """
    login signin auth sso accounts account id idp identity oauth passport cas secure-login
    """
)
_CARRIES = names(
    """
    continue return_to returnto return returnurl return_url redirect redirect_to redirect_uri redirecturl
    redirect_url redirectto next nexturl next_url url target targeturl dest destination goto go back backurl
    back_url ref referer referrer from service relaystate resource originalurl original_url requested_url rurl ru
    r_url r state
    """
)
_SUFFIX = re.compile(r"\.(?:php|html?|aspx?|jsp|do|action|cgi|jsf)$")
_IDENTIFIER = re.compile(r"user|e-?mail|login|identifier|account|member|uid\b|phone|passport|loginfmt")
_FEDERATED = frozenset(("samlrequest", "relaystate", "wresult", "samlresponse"))
_REFRESH = re.compile(r"\s*\d{1,5}[\s.\d]{0,8}[;,]?\s{0,5}(?:url\s{0,5}=)?\s{0,5}[\"']?([^\"']+)", re.I)


def login_redirect_tests(urls: Sequence[str]) -> list[str]:
    """Return what says that a fetch was led away to log in. urls: as asked for first, final last."""
    asked, final = split(urls[0]), split(urls[-1])
    if asked is None or final is None or (asked.netloc, asked.path) == (final.netloc, final.path):
        return []
    if _is_login(asked):
        return []
    found = []
    if _is_login(final):
        found.append("redirect:login")
    if _carries(final, asked):
        found.append("redirect:carries-address")
    # an address may be carried for many reasons
    return found if "redirect:login" in found else []


def login_tests(urls: Sequence[str], outline: Outline, title: str, headings: Sequence[str]) -> list[str] | None:
    """Return the tests by which a page is a login wall, or None.

    Where the address that was asked for is one for logging in, the form is the page.
    """
    if _is_login(split(urls[0])):
        return None
    redirected = login_redirect_tests(urls)
    if outline.prose > _LITTLE or outline.listings > 1:
        return None
    form = next((form for form in outline.all_forms if form.zone != "hidden" and _asks_login(form)), None)
    # in a box that is called after logging in, or in a box that is the whole page; never in one that nobody sees
    mine = form is not None and (form.zone in (None, "form") or outline.body <= _TINY // 3)
    found: list[str] = []
    if form is not None and mine:
        found.append("form:password" if form.password else "form:identifier")
    if login_heading([title, *headings[:3]]):
        found.append("title:login")
    final = split(urls[-1])
    if final is not None and _is_login(final):
        found.append("url:login")
    if form is not None and mine and _is_login(split(form.action)):
        found.append("form:login-action")
    found += redirected
    if _federated(outline):
        found.append("form:federated")
    if _refresh_leads(outline, urls[-1]):
        found.append("meta:refresh-login")
    if _wall(found, outline, form if mine else None):
        return [*found, "tiny-text" if outline.body <= _TINY else "little-text"]
    return None


def _wall(found: Sequence[str], outline: Outline, form: Form | None) -> bool:
    if {"form:federated", "meta:refresh-login"}.intersection(found):
        return outline.body <= _TINY
    said = {"title:login", "url:login", "redirect:login"}.intersection(found)
    if "redirect:login" in found:
        meant = {"title:login", "redirect:carries-address"}.intersection(found)
        if form is not None or (meant and outline.body <= _TINY):
            return True
    if form is None or len(outline.links) > 60:
        return False
    if not form.password:
        return "title:login" in said and ("url:login" in said or outline.prose <= _TINY)
    if said:
        return True
    if "form:login-action" in found and outline.body <= _TINY and len(form.fields) == 1:
        return True  # the password of one page
    # nothing says what the form is for, so it must be all that there is
    return outline.body <= _TINY // 3 and _identifies(form)


def _asks_login(form: Form) -> bool:
    """Return whether a form asks for a password, or for nothing but who one is."""
    if form.password:
        return True
    asked = [names for kind, names in form.fields if kind not in ("checkbox", "radio")]
    return len(asked) == 1 and _identifies(form) and form.zone is None


def _identifies(form: Form) -> bool:
    return any(kind in ("text", "email", "tel") and _IDENTIFIER.search(names or kind) for kind, names in form.fields)


def _federated(outline: Outline) -> bool:
    """Return whether the page hands the browser on to log in elsewhere by a form that nobody fills in."""
    return any(not form.fields and _FEDERATED.intersection(form.hidden) for form in outline.forms)


def _refresh_leads(outline: Outline, url: str) -> bool:
    match = _REFRESH.match(outline.metas.get("refresh", "")[:2_000])
    target = split(match[1].strip()) if match else None
    return target is not None and _is_login(target) and target.path != getattr(split(url), "path", "")


def _is_login(parts: SplitResult | None) -> bool:
    """Return whether an address is one for logging in, by a whole word of its path or the first name of its host."""
    if parts is None:
        return False
    words = [_SUFFIX.sub("", word) for word in parts.path.lower().split("/") if word]
    if any(word in _PATHS for word in words[-4:]):
        return True
    host = parts.hostname or ""
    first = host.partition(".")[0]
    names = (
        {name for name, _ in parse_qsl(parts.query[:4_000], max_num_fields=200)}
        if parts.query.count("&") < 200
        else set()
    )
    return first in _HOSTS and (len(words) < 2 or bool(_CARRIES.intersection(name.lower() for name in names)))


def _carries(final: SplitResult, asked: SplitResult) -> bool:
    """Return whether an address carries the one that was asked for in a parameter."""
    query = f"{final.query}&{final.fragment.partition('?')[2]}"[:8_000]
    if query.count("&") > 200:
        return False
    for name, value in parse_qsl(query):
        if name.lower() in _CARRIES and len(asked.path) > 1:
            carried = unquote(value)
            if carried.startswith((asked.path, asked.path.lstrip("/"))) or f"{asked.netloc}{asked.path}" in carried:
                return True
    return False
