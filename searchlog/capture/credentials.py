"""Credentials that stand in a URL as parameters: in the query, in matrix parameters, in the fragment. Pure.

The exact address of a page matters, so only what is plainly a credential is one:

    by name             `access_token`, `password`, `X-Amz-Signature`: 8 characters or more with a digit, or 16
    by name and shape   `token`, `sig`: only a value that looks like a token (`shape.is_token`)
    by a second sign    `key`, `code`, `sid`: that, and only in a URL that expires or is signed (`expires=`, `se=`)

What names pages (`page_token`, `cursor`, `id`, `ref`) is none. A URL inside the parameter of another is looked into as
well, escaped as it is. Shown by test_credentials.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from searchlog.secrecy import MARKER
from searchlog.shape import TOKEN_MIN, is_token

__all__ = ["credentials", "without_credentials"]

_BY_NAME_LIST = (
    "apikey xapikey apisecret accesskey secretkey authkey subscriptionkey ocpapimsubscriptionkey appsecret "
    "clientsecret consumersecret accesstoken authtoken oauthtoken idtoken refreshtoken bearertoken logintoken "
    "sessiontoken securitytoken csrftoken xsrftoken privatetoken sastoken usertoken apitoken jwt jwttoken "
    "userpassword oauthsignature xamzsignature xamzcredential xamzsecuritytoken xgoogsignature xgoogcredential "
    "googleaccessid awsaccesskeyid sessionid phpsessid jsessionid aspsessionid clientassertion samlresponse hdnts "
    "hdnea secret password passwd passphrase pwd"
)
_BY_NAME = frozenset(_BY_NAME_LIST.split())
_BY_SHAPE_LIST = "token sig signature authorization"
_BY_SHAPE = frozenset(_BY_SHAPE_LIST.split())
_BY_SIGN_LIST = "key auth code session sess sessid sid ticket otp credential credentials"
_BY_SIGN = frozenset(_BY_SIGN_LIST.split())
_NAME = re.compile(
    r"(?:[?&;#]|&amp;|%(?:25)*(?:3f|26|3b|23))"
    r"((?:[\w.~\-\[\]]|%(?:25)*(?:5b|5d|2d|5f)){1,64})"
    r"(?:=|%(?:25)*3d)",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"(?:[?&;#]|%(?:25)*(?:3f|26|3b|23))(?:expires|exp|x-amz-[a-z-]{1,32}|s[vep])(?:=|%(?:25)*3d)", re.IGNORECASE
)
"""What else stands in a URL that was made for one user and a while."""
_VALUE = re.compile(r"[^&;#\s\"'<>\\]+")
_INNER_VALUE = re.compile(r"(?:[^%&;#\s\"'<>\\]++|%(?!(?:25)*(?:26|23)))++")
"""Of a URL inside a parameter: there an escaped `&` ends a value, elsewhere it is part of it."""
_SHAPED_MAX = 256
_NAMED_MIN = 8


def without_credentials(url: str, public: str = "") -> str:
    """Return a URL, or a text with URLs in it, with the values of credentials replaced by the marker.

    public: a URL whose own credentials are no secret, since somebody published it; they are kept.
    """
    kept = {unquote(public[start:end]) for start, end, _ in _places(public)}
    out, at = [], 0
    for start, end, _ in _places(url):
        if unquote(url[start:end]) not in kept:
            out += [url[at:start], MARKER]
            at = end
    return "".join([*out, url[at:]]) if out else url


def credentials(url: str) -> Iterator[str]:
    """Yield the credentials of a URL that are searched for in the answer to it: certain by name, and by shape."""
    for start, end, named in _places(url):
        value = url[start:end]
        if named and is_token(value):
            yield value
            yield unquote(value)


def _places(url: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where the values of credentials stand, in order, and whether their names alone say what they are."""
    at = 0
    signed: bool | None = None
    # what is no credential may hold a URL with one, so the search goes on inside it
    while name := _NAME.search(url, at):
        at = name.end()
        kind = _kind(name[1])
        if kind == "sign":
            signed = _SIGN.search(url) is not None if signed is None else signed
            kind = "shape" if signed else ""
        if not kind:
            continue
        pattern = _INNER_VALUE if name[0].startswith("%") else _VALUE
        # one by shape may be read again, so little of it is looked at
        value = pattern.match(url, at) if kind == "name" else pattern.match(url, at, at + _SHAPED_MAX)
        if value is None or not (_is_long(value[0]) if kind == "name" else is_token(value[0])):
            continue
        whole = pattern.match(url, at)
        assert whole is not None
        yield at, whole.end(), kind == "name"
        at = whole.end()


@lru_cache(maxsize=1024)
def _kind(name: str) -> str:
    """Return what a name, or the last part of one such as `user[password]`, says, however it is written.

    `name`: a credential. `shape`, `sign`: one if the value, or more, says so too. Empty: none.
    """
    plain = unquote(unquote(name)).lower()
    last = re.split(r"[\[\].]+", plain.rstrip("]"))[-1]
    words = {re.sub(r"[^a-z0-9]", "", one) for one in (plain, last)}
    kinds = (("name", _BY_NAME), ("shape", _BY_SHAPE), ("sign", _BY_SIGN))
    return next((kind for kind, names in kinds if words & names), "")


def _is_long(value: str) -> bool:
    """Whether a value is no example, such as `?api_key=none`."""
    return len(value) >= TOKEN_MIN or (len(value) >= _NAMED_MIN and re.search("[0-9]", unquote(value)) is not None)
