"""What a reader should be told of a text. Pure. A flag is a label: it drops nothing and changes nothing.

instruction-like        it speaks to a model rather than to a reader
invisible-characters    it holds characters that nobody sees, where no script needs them
looks-like-our-fence    it holds what could be taken for a fence of our rendering
possible-forgery        it copies marks of ours, of other search tools, or of a chat; fences are among them
"""

from __future__ import annotations

from searchlog.evidence.instructions import instruction_like
from searchlog.spoofing.forgery import forged, like_our_fence
from searchlog.spoofing.invisible import SUSPICIOUS, sanitise, unusual, utf_8

__all__ = ["flags", "sanitise"]


def flags(text: str) -> tuple[str, ...]:
    """Return what is suspicious about a text, in the order above; time grows with its length alone."""
    clean, removals = sanitise(text)
    raw = utf_8(clean)
    present = unusual(raw)
    fence = like_our_fence(clean, present)
    found = {
        "instruction-like": instruction_like(clean),
        "invisible-characters": not SUSPICIOUS.isdisjoint(removals),
        "looks-like-our-fence": fence,
        "possible-forgery": fence or forged(clean, raw, present),
    }
    return tuple(name for name, here in found.items() if here)
