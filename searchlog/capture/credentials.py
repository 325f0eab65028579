"""Credentials that stand in a URL as parameters: in the query, in matrix parameters, in the fragment. Pure.

The exact address of a page matters, so only what is plainly a credential is one: by its name (`access_token`,
`X-Amz-Signature`, `password`), or by a name that is often something else (`key`, `code`, `sid`) and a value that looks
like a token. What names pages (`page_token`, `cursor`, `id`, `ref`) is none. A URL inside the parameter of another is
looked into as well, escaped as it is. Shown by test_credentials.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from searchlog.secrecy import MARKER

__all__ = ["credentials", "without_credentials"]

_BY_NAME_LIST = (
    "apikey xapikey apisecret accesskey secretkey authkey subscriptionkey ocpapimsubscriptionkey appsecret "
    "clientsecret consumersecret secret token accesstoken authtoken oauthtoken idtoken refreshtoken bearertoken "
    "logintoken sessiontoken securitytoken csrftoken xsrftoken privatetoken sastoken usertoken apitoken jwt "
    "jwttoken password passwd passphrase pwd userpassword sig signature oauthsignature xamzsignature xamzcredential "
    "xamzsecuritytoken xgoogsignature xgoogcredential googleaccessid awsaccesskeyid sessionid phpsessid jsessionid "
    "aspsessionid authorization clientassertion samlresponse hdnts hdnea"
)
_BY_NAME = frozenset(_BY_NAME_LIST.split())
_BY_SHAPE_LIST = "key auth code session sess sessid sid ticket otp credential credentials"
_BY_SHAPE = frozenset(_BY_SHAPE_LIST.split())
_NAME = re.compile(
    r"(?:[?&;#]|&amp;|%(?:25)*(?:3f|26|3b|23))"
    r"((?:[\w.~\-\[\]]|%(?:25)*(?:5b|5d|2d|5f)){1,64})"
    r"(?:=|%(?:25)*3d)",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[^&;#\s\"'<>\\]+")
_INNER_VALUE = re.compile(r"(?:(?!%(?:25)*(?:26|23))[^&;#\s\"'<>\\])+", re.IGNORECASE)
"""Of a URL inside a parameter: there an escaped `&` ends a value, elsewhere it is part of it."""
_SHAPED_MAX = 1024
_TOKEN = re.compile(r"[\w.~%+=/-]{16,}")
_CHANGE = re.compile(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])|[a-z](?=[A-Z])")
_NO_WORD = re.compile(r"(?=.*[0-9]).*[A-Za-z]")
_SEARCHED_MIN = 8


def without_credentials(url: str) -> str:
    """Return a URL, or a text with URLs in it, with the values of credentials replaced by the marker."""
    out, at = [], 0
    for start, end in _places(url):
        out += [url[at:start], MARKER]
        at = end
    return "".join([*out, url[at:]]) if out else url


def credentials(url: str) -> Iterator[str]:
    """Yield the credentials of a URL that are searched for in the answer to it: those that no word can be."""
    for start, end in _places(url):
        value = url[start:end]
        if len(value) >= _SEARCHED_MIN and _NO_WORD.match(value):
            yield value
            yield unquote(value)


def _places(url: str) -> Iterator[tuple[int, int]]:
    """Yield where the values of credentials stand, in order."""
    at = 0
    # what is no credential may hold a URL with one, so the search goes on inside it
    while name := _NAME.search(url, at):
        at = name.end()
        pattern = _INNER_VALUE if name[0].startswith("%") else _VALUE
        named = _is_named(name[1], _BY_NAME)
        if not named and not _is_named(name[1], _BY_SHAPE):
            continue
        # one by shape may be read again, so it is short
        value = pattern.match(url, at) if named else pattern.match(url, at, at + _SHAPED_MAX)
        if value and (named or _is_token(value[0])):
            yield value.span()
            at = value.end()


def _is_named(name: str, names: frozenset[str]) -> bool:
    """Whether a name, or the last part of one such as `user[password]`, is one of these, however it is written."""
    plain = unquote(unquote(name)).lower()
    last = re.split(r"[\[\].]+", plain.rstrip("]"))[-1]
    return any(re.sub(r"[^a-z0-9]", "", one) in names for one in (plain, last))


def _is_token(value: str) -> bool:
    return _TOKEN.fullmatch(value) is not None and len(_CHANGE.findall(value)) >= 3
