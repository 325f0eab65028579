"""When two addresses name one page, as far as a citation is concerned. Pure.

Forgotten are what writers and chat services change without meaning another page: the scheme, `www.`, a fragment (but
not that of a single-page site), a slash at the end, trackers, and how characters are escaped. Nothing else: another
path, another parameter or another host is another page.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from searchlog.search.fuse import comparison_key

__all__ = ["address_key", "trimmed"]

_CLOSERS = {")": "(", "]": "[", "}": "{"}


def address_key(url: str) -> str:
    """Return the key under which two addresses are one page for a citation."""
    url = url.strip()
    if not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", url):
        url = "https://" + url
    head, mark, fragment = url.partition("#")
    if mark and fragment.startswith(("!", "/")):
        head += "#" + fragment.partition(":~:")[0]
    key = comparison_key(quote(head, safe="%/:?#[]@!$&'()*+,;=~-._"))
    key = re.sub(r"^//((?:[^/@]*@)?)www\.", r"//\1", key)
    path, question, query = key.partition("?")
    return (path.rstrip("/") or path) + question + query


def trimmed(url: str) -> str:
    """Return an address found in running text without the punctuation of the sentence around it."""
    depth = 0
    for at, char in enumerate(url):
        depth += (char == "(") - (char == ")")
        if depth < 0:  # of the parentheses that the address stands in
            url = url[:at]
            break
    while url and url[-1] in ".,;:!?'\"*_)]}>、。，；：！？）】」』”’»":
        opener = _CLOSERS.get(url[-1])
        if opener and url.count(opener) >= url.count(url[-1]):
            break
        url = url[:-1]
    return url
