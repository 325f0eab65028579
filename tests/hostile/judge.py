"""What was wrong with a visit, as sentences; nothing means that all demands of the case were met."""

from __future__ import annotations

from collections.abc import Sequence

from tests.hostile.case import CAPTURED, WARNED, Case
from tests.hostile.visit import Seen

_SLACK_S = 1.5
"""On a machine that others use too."""


def judge(case: Case, seen: Seen, *, requests: int, canary: Sequence[str], final_url: str | None) -> list[str]:
    """Return everything that is not as the case demands."""
    got = seen.outcome in (CAPTURED, WARNED)
    rules = [
        (seen.outcome in case.expect, f"ended as {seen.outcome}, not {' or '.join(case.expect)}: {seen.error}"),
        (got or bool(seen.error.strip()), "no word about why"),
        (seen.outcome != WARNED or bool(seen.warnings), "a warning without a code"),
        (not case.reason or seen.reason in case.reason, f"reason {seen.reason}, not {' or '.join(case.reason)}"),
        (not case.warns or bool(set(case.warns) & set(seen.warnings)), f"warned of {seen.warnings}, not {case.warns}"),
        (seen.seconds <= case.seconds_max + _SLACK_S, f"took {seen.seconds} s of {case.seconds_max}"),
        ((seen.growth_mb or 0) <= case.growth_mb_max, f"grew by {seen.growth_mb} MB of {case.growth_mb_max}"),
        (seen.stored_bytes <= case.stored_bytes_max, f"stored {seen.stored_bytes} B of {case.stored_bytes_max}"),
        (not canary, f"reached the canary: {list(canary)}"),
        (case.requests_max is None or requests <= case.requests_max, f"{requests} requests of {case.requests_max}"),
        (final_url is None or seen.final_url == final_url, f"source {seen.final_url}, not {final_url}"),
        (not seen.leaked, f"written somewhere: {seen.leaked}"),
        (not seen.findings, f"verify finds {seen.findings}"),
        (seen.follow_text is None or "SEEN-ordinary" in seen.follow_text, "the next fetch of this client suffered"),
        ("Traceback" not in seen.stderr, f"a traceback: {seen.stderr[-300:]}"),
        ("CANARY-REACHED" not in seen.text + seen.rendering, "the canary's text is in the evidence"),
    ]
    rules += [(not got or word in seen.text, f"text lacks {word!r}") for word in case.text_has]
    rules += [(word not in seen.text + seen.rendering, f"text has {word!r}") for word in case.text_lacks]
    rules += [(not got or word in seen.raw_has, f"the stored body lacks {word!r}") for word in case.raw_has]
    rules += [(word in seen.rendering, f"the rendering lacks {word!r}") for word in case.rendering_has]
    rules += [(word not in seen.rendering, f"the rendering has {word!r}") for word in case.rendering_lacks]
    return [said for right, said in rules if not right]
