"""The secrets that this process knows, so that whatever it writes or prints can be kept free of them by value.

A key may stand where nobody declared it: in a query typed by mistake, in the URL of a page that prints its own address,
in the message of an error. So every key of the environment is taken out of everything, whichever request it belongs to.
What is known stays known: a variable that is unset later held a secret all the same.

    searchlog's own variables   keys of providers: from 8 characters on; passwords and keys inside addresses: from 16
                                on, or 8 that are well mixed (`shape.is_strong`); and `user:password` in base64
    the key that signs heads    its file, wherever SEARCHLOG_SIGNING_KEY or the settings folder have it: `signing_place`
    of other programs           by the end of the variable's name (`..._KEY`, `..._TOKEN`, `..._SECRET`): from 16
                                characters on that look like a token, or begin as the keys of known issuers do

A word would be taken out of honest text. Shorter ones are taken out only of the requests that send them, which declare
them. Effects: reads the environment and the file of that key, holds what it learned. Shown by test_secrets.py.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from searchlog.secrecy import Secrets, secrets_of
from searchlog.shape import is_issued, is_mixed, is_strong, is_token, without_passwords

__all__ = [
    "ADDRESSES",
    "KEYS",
    "SIGNING_KEY",
    "hide",
    "hide_bytes",
    "hide_in",
    "hold",
    "known",
    "learn",
    "secrets_in",
    "signing_place",
    "values",
]

KEYS = (
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "BRAVE_SEARCH_API_KEY",
    "SERPER_API_KEY",
    "SERPAPI_API_KEY",
    "SERPAPI_KEY",
    "PERPLEXITY_API_KEY",
    "PPLX_API_KEY",
    "KAGI_API_KEY",
    "LINKUP_API_KEY",
    "MOJEEK_API_KEY",
    "MARGINALIA_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NCBI_API_KEY",
    "OPENALEX_API_KEY",
    "S2_API_KEY",
    "SEMANTIC_SCHOLAR_API_KEY",
    "STACK_EXCHANGE_KEY",
    "EXA_API_KEY",
    "FIRECRAWL_API_KEY",
    "JINA_API_KEY",
    "PARALLEL_API_KEY",
    "YOU_API_KEY",
    "YDC_API_KEY",
    "YOU_API_KEY_AUTH",
    "WAYBACK_ACCESS_KEY",
    "WAYBACK_SECRET_KEY",
)
"""Variables of searchlog that hold a key."""
ADDRESSES = ("SEARCHLOG_SEARXNG_URL", "SEARXNG_URL")
"""Variables of searchlog that hold an address, which may carry a password or a key."""
SIGNING_KEY = "SEARCHLOG_SIGNING_KEY"
"""Variable of searchlog that holds the path of a key's file, and not the key."""

_OWN_MIN = 8
_LOGIN_MIN = 12
_KEPT_MAX = 64
_NAME = re.compile(
    r"(?:(?:^|_)KEY|(?:API|ACCESS|SECRET|PRIVATE|AUTH)KEY|ACCESS_?KEY_ID|TOKEN|SECRET|"
    r"PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIES?|JWT|API_?SECRET)$",
    re.IGNORECASE,
)
_OTHER_ADDRESS = re.compile(r"(?:_UR[IL]|_DSN|_PROXY|_INDEX|_WEBHOOK)$", re.IGNORECASE)
_USERINFO = re.compile(r"^[^/?#]*//([^/?#]*)@|^([^/?#@\s]+:[^/?#@\s]+)@")
_PAIR = re.compile(r"[?&;#]([^=&;#]*)=([^&;#]*)")
_KEY_NAME = re.compile(r"key|token|secret|pass|auth|sig|cred|session|code", re.IGNORECASE)

_PRIVATE = re.compile(rb"PRIVATE\+KEY\+[^+]+\+[0-9a-f]{8}\+([A-Za-z0-9+/]{44})")
_PRIVATE_TEXT = re.compile(_PRIVATE.pattern.decode("ascii"))
_KEY_FILE_MAX = 4096

_lock = threading.Lock()
_learned: dict[str, None] = {}
_seen: list[dict[str, str]] = []
"""This process's environment as it was last read."""
_signing_file: list[Any] = ["", None]
"""Where the signing key would be, and what its file looked like when it was last read."""


def learn(env: Mapping[str, str]) -> None:
    """Hold the secrets of an environment from now on; at most 64 of them, the newest."""
    hold(secrets_in(env))


def hold(found: Sequence[str]) -> None:
    """Hold these secrets from now on, as `learn` does."""
    with _lock:
        if all(value in _learned for value in found):
            return
        _learned.update(dict.fromkeys(found))
        while len(_learned) > _KEPT_MAX:
            del _learned[next(iter(_learned))]


def values() -> tuple[str, ...]:
    """Return all values that are held, those of this process's environment among them."""
    _read_environment()
    with _lock:
        return tuple(sorted(_learned))


def _read_environment() -> None:
    """Learn from this process's environment if any of it has changed: a key may be exchanged for another."""
    try:
        now = dict(os.environ)
    except (KeyError, RuntimeError):  # another thread is changing it; whoever asks next reads it
        return
    if [now] != _seen:
        learn(now)
        _seen[:] = [now]
        _signing_file[:] = [signing_place(now), None]
    _read_signing_key()


def signing_place(env: Mapping[str, str]) -> str:
    """Return the path of the file that holds the key that signs heads, by this environment."""
    named = env.get(SIGNING_KEY)
    if named:
        return named
    import platformdirs

    return os.path.join(platformdirs.user_config_dir("searchlog", appauthor=False), "signing.key")


def _read_signing_key() -> None:
    """Hold the signing key of this machine if there is one, though nothing is signed now: its file may be indexed, or
    its line typed into a query."""
    place, last = _signing_file
    try:
        about = os.stat(place)
        mark = (about.st_mtime_ns, about.st_size, about.st_ino)
        if mark == last or not stat.S_ISREG(about.st_mode):
            return
        with open(place, "rb") as file:
            found = _PRIVATE.search(file.read(_KEY_FILE_MAX))
    except (OSError, ValueError):
        return
    hold([found[1].decode("ascii")] if found else [])
    _signing_file[1] = mark


def known() -> Secrets:
    """Return the secrets that are held, ready to be found."""
    return secrets_of(values())


def hide(text: str) -> str:
    """Return a message without secrets: those held, and passwords in addresses, known or not."""
    return known().replace_text(without_passwords(text))


def hide_bytes(data: bytes) -> bytes:
    """Return bytes without secrets, as `hide` does; the same object where there are none."""
    cleaned = known().replace(data)
    if b"@" not in cleaned:
        return cleaned
    text = cleaned.decode("utf-8", "surrogateescape")
    hidden = without_passwords(text)
    return cleaned if hidden == text else hidden.encode("utf-8", "surrogateescape")


def hide_in(value: Any, hide: Callable[[str], str]) -> Any:
    """Return a value for a program, with this done to every string in its lists and mappings.

    Of the names of members only what no word can be is taken out, and none is lost to another.
    """
    return _hidden_in(value, hide, secrets_of(tuple(filter(is_strong, values()))))


def _hidden_in(value: Any, hide: Callable[[str], str], strong: Secrets) -> Any:
    if isinstance(value, str):
        hidden = hide(value)
        return value if hidden == value else hidden
    if isinstance(value, Mapping):
        out: dict[Any, Any] = {}
        for name, item in value.items():
            shown = strong.replace_text(name) if isinstance(name, str) else name
            out[shown if shown not in out else f"{shown} ({len(out)})"] = _hidden_in(item, hide, strong)
        return out
    if type(value) in (list, tuple):
        return type(value)(_hidden_in(item, hide, strong) for item in value)
    return value


def secrets_in(env: Mapping[str, str]) -> list[str]:
    """Return the secrets of an environment, as the picture above says."""
    out: list[str] = []
    for name, given in env.items():
        value = given.strip()
        if name in KEYS:
            out += [value] if len(value) >= _OWN_MIN else []
        elif name == SIGNING_KEY:
            out += _PRIVATE_TEXT.findall(value)  # put there instead of the path of its file
        elif name in ADDRESSES:
            out += [*filter(is_strong, _parts(value)), *_basic(value)]
        elif _NAME.search(name):
            out += [value] if _is_secret(value) else []
        elif _OTHER_ADDRESS.search(name):
            out += filter(_is_secret, _parts(value))
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


def _basic(address: str) -> Iterator[str]:
    """Yield user name and password of an address as HTTP Basic authentication sends them (RFC 7617)."""
    found = _USERINFO.match(address)
    if found:
        user, _, password = (found[1] or found[2] or "").partition(":")
        coded = b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode("ascii")
        yield from [coded] if len(coded) >= _LOGIN_MIN else []


def _is_secret(value: str) -> bool:
    """Whether a value of another program's variable is no word, path or address."""
    if re.search(r"\s|://", value) or value.startswith(("/", "./", "~")):
        return False
    return is_token(value) or is_issued(value) or is_mixed(value)
