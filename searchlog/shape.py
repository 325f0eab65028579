"""What looks like a secret: a token, and a user name with a password in an address. Pure; looks nothing up.

A word, a date, a version or the address of a page must never count, or it would be taken out of honest text. What tells
a token is that letters and digits, or small and capital letters, change places often: at least three times.
Shown by test_shape.py.
"""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import unquote

from searchlog.secrecy import MARKER

__all__ = ["ISSUED_STARTS", "TOKEN_MIN", "is_issued", "is_mixed", "is_strong", "is_token", "without_passwords"]

TOKEN_MIN = 16
_STRONG_MIN = 8
_CHANGES_MIN = 3
_CHANGE = re.compile(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])|[a-z](?=[A-Z])")
_ALPHABET = re.compile(r"[A-Za-z0-9_.~%+=/:-]+")
_BREAK = re.compile(r"[^A-Za-z0-9]+")
_ISSUED = re.compile(
    r"(?:(?:sk|pk|rk|gh[oprsu]|github_pat|glpat|xox[a-z]|hf|npm|pypi|tvly)[-_]|AKIA|AIza|BSA|eyJ)(?=.*[0-9])"
)
ISSUED_STARTS = (
    *("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "gho", "ghp", "ghr", "ghs", "ghu", "github_pat", "glpat", "xox"),
    *("hf-", "hf_", "npm-", "npm_", "pypi", "tvly", "AKIA", "AIza", "BSA", "eyJ"),
)
"""How `is_issued` values begin, so that bytes without any of these need not be gone through."""
_PASSWORD = re.compile(r"(//|\\/\\/)[^\s/?#@\\'\"<>:]*:[^\s/?#@'\"<>]*@")


def is_token(value: str) -> bool:
    """Whether a value, escapes undone, is 16 characters or more of those that tokens are made of, well mixed."""
    plain = unquote(value)
    return len(plain) >= TOKEN_MIN and _ALPHABET.fullmatch(plain) is not None and _changes(plain)


def is_mixed(value: str) -> bool:
    """Whether a value is 16 characters or more, with a piece between its marks that alone is well mixed.

    So a name made of words and numbers is none: `tide-mills-2024-history`, `iphone-15-pro-max-256gb`.
    """
    return len(value) >= TOKEN_MIN and any(map(_changes, _BREAK.split(value)))


def is_issued(value: str) -> bool:
    """Whether a value begins as the keys of well-known issuers do, and holds a digit: `sk-…`, `ghp_…`."""
    return len(value) >= TOKEN_MIN and _ISSUED.match(value) is not None


def is_strong(value: str) -> bool:
    """Whether a value may be searched for anywhere: 16 characters or more, or 8 that are well mixed."""
    return len(value) >= TOKEN_MIN or (len(value) >= _STRONG_MIN and _changes(value))


def without_passwords(text: str) -> str:
    """Return a message with the marker in place of user name and password in each address in it."""
    return _PASSWORD.sub(rf"\1{MARKER}@", text)


def _changes(value: str) -> bool:
    return sum(1 for _ in islice(_CHANGE.finditer(value), _CHANGES_MIN)) == _CHANGES_MIN
