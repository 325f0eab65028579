"""Which addresses of pages are kept from other parties: asking an archive for a page tells it that somebody reads it.

Kept back: what holds a credential or a key of this machine, and what only one's own network knows. Pure but for the
secrets that this process knows (`keyring`). Shown by test_mementos_ask.py.
"""

from __future__ import annotations

from searchlog.capture.guard import Refusal, check_address, check_url, is_loopback_name
from searchlog.capture.shown import shown_url
from searchlog.mementos.source import WebArchive

__all__ = ["kept_back"]

_OWN_DOMAINS = (".local", ".internal", ".intranet", ".lan", ".home", ".corp", ".private", ".home.arpa", ".localdomain")
"""Names that no public name server answers for (RFC 6762 appendix G, RFC 8375, and `internal` by ICANN)."""


def kept_back(url: str, archive: WebArchive) -> Refusal | None:
    """Return why this archive is not asked for a page, or None when it may be.

    An archive of one's own may know pages of one's own network. Credentials are told to none: its log is another copy.
    """
    target = check_url(url)
    if isinstance(target, Refusal):
        return target
    plain = url.partition("#")[0]
    if shown_url(plain) != plain:
        return Refusal("credentials", "the address holds a credential, which no archive is told")
    if not archive.third_party:
        return None
    is_own = check_address(target.host) is not None if target.literal else _is_own_name(target.host)
    if is_own:
        return Refusal("address", f"the address is of a network of its own, which {archive.third_party} is not told")
    return None


def _is_own_name(host: str) -> bool:
    name = host.removesuffix(".").lower()
    return "." not in name or is_loopback_name(name) or name.endswith(_OWN_DOMAINS)
