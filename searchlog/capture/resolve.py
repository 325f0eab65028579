"""Look a name up once, within the deadline, and let no answer through that the guard refuses.

The look-up runs in a daemon thread, because `getaddrinfo` cannot be told to stop. It fails closed: one address that is
not permitted refuses them all, an answer without addresses is a failure, and what was checked is what is dialled.
Effects: DNS.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence

from searchlog.capture.deadline import Deadline
from searchlog.capture.guard import Allow, Refusal, Target, is_loopback_name

__all__ = ["Resolver", "not_public", "resolve", "system_resolver"]

_ADDRESSES_MAX = 1_000
"""More than any name has; each is judged."""

Resolver = Callable[[str, int], Sequence[str]]
"""From host and port to addresses in the order to try; raises OSError when there are none."""


def system_resolver(host: str, port: int) -> list[str]:
    """Return what this machine's resolver answers, each address once."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def resolve(target: Target, allow: Allow, deadline: Deadline, resolver: Resolver) -> tuple[str, ...] | Refusal:
    """Return the checked addresses of a target, families in turn (RFC 8305 section 4), the resolver's first one first.

    A Refusal has reason `address` (the guard), `dns` (no answer) or `timeout` (the deadline came first).
    """
    if target.literal:
        answers: Sequence[str] | Refusal = (target.host,)
    elif is_loopback_name(target.host) and not allow.permits(target):
        return Refusal("address", not_public(target, target.host, "a name of this machine (RFC 6761 section 6.3)"))
    else:
        answers = _look_up(target, deadline, resolver)
    if isinstance(answers, Refusal):
        return answers
    if not answers:
        return Refusal("dns", f"{target.host} has no address")
    if len(answers) > _ADDRESSES_MAX:
        return Refusal("dns", f"{target.host} has {len(answers)} addresses, more than {_ADDRESSES_MAX}")
    for address in answers:
        why = allow.check(target, address)
        if why is not None:
            return Refusal("address", not_public(target, address, why))
    return _in_turn(answers)


def not_public(target: Target, address: str, why: str) -> str:
    """Return the sentence that says why an address is not dialled, and what to do if it is one's own."""
    where = target.host if target.literal else f"{target.host} is at {' '.join(address.split())}, which"
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{where} is not public: {why}; permit a server of your own with --allow-private {host}:{target.port}"


def _look_up(target: Target, deadline: Deadline, resolver: Resolver) -> Sequence[str] | Refusal:
    answers: list[Sequence[str] | Refusal] = []
    done = threading.Event()

    def work() -> None:
        try:
            answers.append(tuple(resolver(target.host, target.port)))
        except Exception as error:  # of this thread nobody else would hear
            answers.append(Refusal("dns", f"{target.host} could not be looked up: {' '.join(str(error).split())}"))
        finally:
            done.set()

    undo = deadline.on_cut(done.set)
    try:
        threading.Thread(target=work, name="searchlog-look-up", daemon=True).start()
        done.wait(deadline.remaining())
    finally:
        undo()
    if not answers:
        return Refusal("timeout", f"the look-up of {target.host} did not end in time")
    return answers[0]


def _in_turn(answers: Sequence[str]) -> tuple[str, ...]:
    """Order addresses so that families alternate: a dead family then costs one attempt, not all of them."""
    first = [address for address in answers if (":" in address) == (":" in answers[0])]
    second = [address for address in answers if (":" in address) != (":" in answers[0])]
    out: list[str] = []
    for index in range(max(len(first), len(second))):
        out += first[index : index + 1] + second[index : index + 1]
    return tuple(out)
