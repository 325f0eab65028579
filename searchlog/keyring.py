"""The secrets that this process knows, so that whatever it writes or prints can be kept free of them by value.

A key may stand where nobody declared it: in a query typed by mistake, in the URL of a page that prints its own address,
in the message of an error. So every key of the environment is taken out of everything, whichever request it belongs to.
What is known stays known: a variable that is unset later held a secret all the same.

    searchlog's own variables   keys of providers, and passwords and keys inside addresses: from 8 characters on
    of other programs           by the end of the variable's name (`..._TOKEN`, `..._SECRET`): from 16 characters on,
                                and only with letters and digits, since a word would be taken out of honest text

Shorter ones are taken out only of the requests that send them, which declare them. Effects: reads the environment,
holds what it learned. Shown by test_secrets.py.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from searchlog.secrecy import MARKER, Secrets, secrets_of

__all__ = ["ADDRESSES", "KEYS", "hide", "hide_all", "known", "learn", "secrets_in", "values"]

KEYS = ("TAVILY_API_KEY", "BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
"""Variables of searchlog that hold a key."""
ADDRESSES = ("SEARCHLOG_SEARXNG_URL", "SEARXNG_URL")
"""Variables of searchlog that hold an address, which may carry a password or a key."""

_OWN_MIN, _OTHER_MIN = 8, 16
_KEPT_MAX = 256
_NAME = re.compile(
    r"(?:API_?KEY|ACCESS_?KEY(?:_ID)?|(?:SECRET|PRIVATE|AUTH|SESSION|SIGNING|ENCRYPTION|SUBSCRIPTION|SERVICE)_?KEY|TOKEN|"
    r"SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIES?|JWT|API_?SECRET)$",
    re.IGNORECASE,
)
_OTHER_ADDRESS = re.compile(r"(?:_UR[IL]|_DSN|_PROXY|_INDEX|_WEBHOOK)$", re.IGNORECASE)
_USERINFO = re.compile(r"^[^/?#]*//([^/?#]*)@|^([^/?#@\s]+:[^/?#@\s]+)@")
_PAIR = re.compile(r"[?&;#]([^=&;#]*)=([^&;#]*)")
_KEY_NAME = re.compile(r"key|token|secret|pass|auth|sig|cred|session|code", re.IGNORECASE)
_PASSWORD = re.compile(r"(//|\\/\\/)[^\s/?#@\\'\"<>]*:[^\s/?#@'\"<>]*@")

_lock = threading.Lock()
_learned: dict[str, None] = {}
_seen: list[object] = []
"""What this process's environment was like when it was last read."""


def learn(env: Mapping[str, str]) -> None:
    """Hold the secrets of an environment from now on; at most 256 of them, the newest."""
    found = secrets_in(env)
    with _lock:
        if all(value in _learned for value in found):
            return
        _learned.update(dict.fromkeys(found))
        while len(_learned) > _KEPT_MAX:
            del _learned[next(iter(_learned))]


def values() -> tuple[str, ...]:
    """Return all values that are held, those of this process's environment among them."""
    # reading all of it takes as long as printing fifty lines
    now = [len(os.environ), *map(os.environ.get, (*KEYS, *ADDRESSES))]
    if now != _seen:
        learn(os.environ)
        _seen[:] = now
    with _lock:
        return tuple(sorted(_learned))


def known() -> Secrets:
    """Return the secrets that are held, ready to be found."""
    return secrets_of(values())


def hide(text: str) -> str:
    """Return a message without secrets: those held, and passwords in addresses, known or not."""
    return known().replace_text(_PASSWORD.sub(rf"\1{MARKER}@", text))


def hide_all(value: Any) -> Any:
    """Return a value for a program, with `hide` done to every string in its lists and mappings."""
    if isinstance(value, str):
        hidden = hide(value)
        return value if hidden == value else hidden
    if isinstance(value, Mapping):
        return {hide_all(key): hide_all(item) for key, item in value.items()}
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(map(hide_all, value))
    return value


def secrets_in(env: Mapping[str, str]) -> list[str]:
    """Return the secrets of an environment, as the picture above says."""
    out: list[str] = []
    for name, given in env.items():
        value = given.strip()
        if name in KEYS:
            out += [value] if len(value) >= _OWN_MIN else []
        elif name in ADDRESSES:
            out += [part for part in _parts(value) if len(part) >= _OWN_MIN]
        elif _NAME.search(name):
            out += [value] if _is_token(value) else []
        elif _OTHER_ADDRESS.search(name):
            out += filter(_is_token, _parts(value))
    return out


def _parts(address: str) -> Iterator[str]:
    """Yield what is secret in an address: a password, a user name alone, the value of a key in its query."""
    found = _USERINFO.match(address)
    if found:
        user, colon, password = (found[1] or found[2] or "").partition(":")
        yield from _both(password if colon else user)
    for name, value in _PAIR.findall(address):
        if _KEY_NAME.search(name):
            yield from _both(value)


def _both(value: str) -> Iterable[str]:
    """Return a value as it is written, and as it is meant."""
    return dict.fromkeys((value, unquote(value)))


def _is_token(value: str) -> bool:
    """Whether a value of another program's variable is no word, path or address."""
    return (
        len(value) >= _OTHER_MIN
        and not re.search(r"\s|://", value)
        and not value.startswith(("/", "./", "~"))
        and re.search("[A-Za-z]", value) is not None
        and re.search("[0-9]", value) is not None
    )
