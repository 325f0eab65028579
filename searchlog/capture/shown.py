"""URLs as they may be stored and shown: two forms, by who gave them.

    shown_url   given by the user, or told by a server: without user name, password, credentials and known keys
    public_url  given by a provider's answer: its parameters are public, and name the page; so they stay. Without user
                name, password and known keys

Pure but for the secrets that this process knows (`keyring`). Shown by test_credentials.py.
"""

from __future__ import annotations

from searchlog import keyring
from searchlog.capture.credentials import without_credentials
from searchlog.capture.guard import safe_url

__all__ = ["public_url", "shown_url"]

_BYTES_MAX = 8_192


def shown_url(url: str) -> str:
    """Return a URL as it may be stored and shown, whatever it is; what is too long to be asked is cut."""
    # cut first, so that a hostile one costs little; and last, since the marker may be longer than what it stands for
    return without_credentials(public_url(url, 4 * _BYTES_MAX))[:_BYTES_MAX]


def public_url(url: str, url_bytes_max: int = _BYTES_MAX) -> str:
    """Return a URL that a provider published, as it may be stored and shown."""
    return safe_url(keyring.known().replace_text(url[: 8 * url_bytes_max]), url_bytes_max)
