"""What is checked before any answer: facts, requests, the key in them, and options."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from searchlog.capture.exchange import Request
from searchlog.capture.guard import Refusal, check_url
from searchlog.search.provider import OPTIONS, RETURNS, Facts, Response
from searchlog.search.run import RunOutcome
from searchlog.secrecy import secrets_of
from searchlog.testing.subject import Asked, Failed, Subject, called

__all__ = [
    "count_is_kept",
    "facts_are_complete",
    "key_is_secret",
    "leak",
    "options_are_applied_or_told",
    "request_fault",
    "request_is_pure",
    "request_is_sound",
]

_OWN_FIELDS = ("host", "content-length", "transfer-encoding", "connection")
"""Fields that the capture client writes itself."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_URL_MAX = 1_000_000
_DAYS = ("2024-02-29", "2025-12-31")
_DATES = ("freshness", "after", "before")
_DOMAINS = (("a.example",), ("a.example", "b.example"), tuple(f"d{n}.example" for n in range(400)))
_VALUES: dict[str, tuple[Any, ...]] = {
    "count": (1, 5),
    "page": (2, 3),
    "language": ("en", "de", "fr", "ja", "pt-BR", "zh-Hant", "qaa"),
    "country": ("US", "DE", "GB", "JP", "BR", "ZZ"),
    "freshness": ("day", "week", "month", "year"),
    "after": _DAYS,
    "before": _DAYS,
    "safe": ("off", "moderate", "strict"),
    "include_domains": _DOMAINS,
    "exclude_domains": _DOMAINS,
}
"""Values of each option, some that no service knows among them: those must be told in `ignored`."""


def facts_are_complete(subject: Subject) -> Iterator[str]:
    """Facts have their form, name only what there is, and agree with each other."""
    facts = subject.facts
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", facts.name) or len(facts.name) > 40:
        yield f"name: {facts.name!r} is not lower-case words of letters and digits joined by hyphens, at most 40 long"
    for name in ("title", "third_party", "limits", "scope"):
        if not getattr(facts, name).strip():
            yield f"{name}: is empty; say it in words for people"
    yield from _terms_faults(facts)
    for name, known in (("applies", OPTIONS), ("returns", RETURNS)):
        given = getattr(facts, name)
        if set(given) - set(known):
            yield f"{name}: {sorted(set(given) - set(known))} is none of {', '.join(known)}"
        if len(set(given)) < len(given):
            yield f"{name}: names something twice"
    yield from _key_faults(facts, subject)
    if facts.count_max < 1:
        yield f"count_max: {facts.count_max} is less than 1"
    if facts.pause_s < 0 or not math.isfinite(facts.pause_s):
        yield f"pause_s: {facts.pause_s} is no time to wait"
    parts = urlsplit(facts.endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc or parts.query:
        yield "endpoint: must be an http(s) URL without a user name, a password or a query"
    usual = getattr(type(subject.made), "FACTS", None)
    if isinstance(usual, Facts) and usual.name != facts.name:
        yield f"name: FACTS of its class says {usual.name!r}, its facts say {facts.name!r}"


def _terms_faults(facts: Facts) -> Iterator[str]:
    if not facts.terms.url.startswith("https://"):
        yield f"terms.url: {facts.terms.url!r} is no https URL"
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", facts.terms.noted_on):
        yield f"terms.noted_on: {facts.terms.noted_on!r} is no day of the form YYYY-MM-DD"
    elif isinstance(called("date", date.fromisoformat, facts.terms.noted_on), Failed):
        yield f"terms.noted_on: there is no day {facts.terms.noted_on}"
    if not facts.terms.retention.strip():
        yield "terms.retention: is empty; say what is known of keeping and sharing answers, or that nothing is"


def _key_faults(facts: Facts, subject: Subject) -> Iterator[str]:
    if facts.key not in ("none", "optional", "required"):
        yield f"key: {facts.key!r} is none of none, optional, required"
    if facts.key in ("optional", "required") and not facts.key_env:
        yield "key_env: is empty, although it takes a key: name the variable that holds it"
    for name in facts.key_env:
        if not re.fullmatch("[A-Z][A-Z0-9_]*", name):
            yield f"key_env: {name!r} is no name of an environment variable in capitals"
    if facts.key == "none" and facts.keyed:
        yield "keyed: must be False of one that takes no key"
    if facts.key == "optional" and facts.keyed != bool(subject.key):
        yield "keyed: must say whether it is asked with a key as it was made"


def request_is_pure(subject: Subject) -> Iterator[str]:
    """The same question gives the same request, whatever came before, and whichever object is asked."""
    first = {words: subject.request(asked) for words, asked in subject.asks.items()}
    subject.parse(Response(200, (), b"{}"))
    other = replace(subject, made=subject.again())
    for words, asked in reversed(list(subject.asks.items())):
        if subject.request(asked) != first[words] and not isinstance(first[words], Failed):
            yield f"request: of {words}, a second one differs from the first"
        elif other.request(asked) != first[words] and not isinstance(first[words], Failed):
            yield f"request: of {words}, that of another object made in the same way differs"


def request_is_sound(subject: Subject) -> Iterator[str]:
    """Each request is one that the capture client can make."""
    for words, asked in subject.asks.items():
        fault = request_fault(subject.request(asked))
        if fault:
            yield f"request: of {words}: {fault}"


def request_fault(made: Request | Failed) -> str:
    """Return what is wrong with a request; empty when nothing is."""
    if isinstance(made, Failed):
        return made.words
    if not made.url.isascii():
        return "its URL is not ASCII"
    target = check_url(made.url, _URL_MAX)
    if isinstance(target, Refusal):
        return f"its URL would not be asked: {target.reason} {target.detail}"
    if not re.fullmatch("[A-Z]+", made.method):
        return f"its method {made.method!r} is not capital letters"
    for name, value in made.headers:
        if not _TOKEN.fullmatch(name):
            return f"{name!r} is no name of a header field"
        if name.lower() in _OWN_FIELDS:
            return f"{name} is written by the capture client"
        if not re.fullmatch(r"[\x20-\x7e]*", value) or value != value.strip():
            return f"the value of {name} is not ASCII in print, without blanks around it"
    return ""


def key_is_secret(subject: Subject) -> Iterator[str]:
    """Wherever the key stands in a request it is declared, so that no byte of it is stored; and it stands nowhere
    else."""
    facts, key = subject.facts, subject.key
    keyed = facts.key != "none" and not facts.keyless
    if keyed and not key:
        yield "key: the suite was not told which key the provider was made with"
    if not key:
        return
    if key in repr(facts) or key in repr(subject.made):
        yield "key: it stands in the facts, or in what the object prints of itself"
    for words, asked in subject.asks.items():
        made = subject.request(asked)
        if isinstance(made, Failed):
            continue
        fault = leak(made, key)
        if fault:
            yield f"request: of {words}, {fault}"
        elif keyed and not made.secrets and not _found(_sent(made), key):
            yield f"request: of {words}, the key is not sent"
    said = repr(subject.parse(Response(401, (), b'{"error": "wrong key"}')))
    if key in said:
        yield "parse: the key stands in the run of a 401"


def leak(made: Request, key: str) -> str:
    """Return how a request would let its key reach the disk; empty when it does not."""
    if any(len(secret) < 6 for secret in made.secrets):
        return "a secret of less than 6 characters would be taken out of honest text"
    declared = secrets_of(made.secrets)
    parts = [declared.replace(part) for part in _sent(made)]
    return "the key stands where `secrets` does not declare it" if _found(parts, key) else ""


def _found(parts: Iterable[bytes], key: str) -> bool:
    hidden = secrets_of((key,))
    return any(hidden.found_in(part) for part in parts)


def _sent(made: Request) -> list[bytes]:
    """Return what of a request crosses the wire."""
    fields = [f"{name}: {value}".encode("utf-8", "replace") for name, value in made.headers]
    return [made.url.encode("utf-8", "replace"), made.body, *fields]


def options_are_applied_or_told(subject: Subject) -> Iterator[str]:
    """An option in `applies` changes the request or is told as ignored; another one changes nothing, and is told."""
    tried = [*map(subject.request, subject.asks.values()), subject.parse(Response(200, (), b"{}"))]
    if any(isinstance(made, Failed) for made in tried):
        return  # other checks tell of that
    for option in OPTIONS:
        if option not in subject.facts.applies:
            yield from _unapplied(subject, option)
        else:
            yield from _applied(subject, option)
    texts = replace(subject.query, texts=True)
    if "text" not in subject.facts.returns and subject.request(texts) != subject.request(subject.query):
        yield "texts: changes the request, although `returns` does not list text"


def _unapplied(subject: Subject, option: str) -> Iterator[str]:
    plain = subject.request(subject.query)
    # one without pages is asked for those of all pages up to the wanted one; days may bound when a page was captured
    free = option == "page" or (option in _DATES and subject.facts.scope == "captures")
    for value in _VALUES[option]:
        asked = replace(subject.query, **{option: value})
        if not free and subject.request(asked) != plain:
            yield f"{option}={_short(value)}: changes the request, although `applies` does not list it"
        if not all(option in ignored for ignored in _ignored(subject, asked)):
            yield f"{option}={_short(value)}: is not applied, and `ignored` of the run does not say so"


def _applied(subject: Subject, option: str) -> Iterator[str]:
    changed, query = False, subject.query
    # some services know a country only beside a language, and the other way round
    for base in (query, replace(query, language="de"), replace(query, country="DE")):
        if getattr(base, option) != getattr(query, option):
            continue
        plain, silent = subject.request(base), []
        for value in (*_VALUES[option], *subject.values.get(option, ())):
            asked = replace(base, **{option: value})
            made, told = subject.request(asked), all(option in ignored for ignored in _ignored(subject, asked))
            changed |= made != plain
            if option.endswith("_domains"):
                unsent = sum(domain not in _text(made) for domain in value)
                if unsent and not told:
                    yield f"{option}={_short(value)}: {unsent} of them are not sent, and `ignored` does not say so"
            elif told and made != plain:
                yield f"{option}={_short(value)}: is sent, and told in `ignored` as well"
            elif made == plain and not told:
                silent.append(value)
        # one value may be what the service does anyway
        if len(silent) > 1:
            yield f"{option}: {', '.join(map(_short, silent))} change nothing, and `ignored` does not say so"
    if not changed:
        yield f"{option}: `applies` lists it, and no value of it changes the request; give one in `values`"


def _ignored(subject: Subject, asked: Asked) -> list[tuple[str, ...]]:
    """Return what the runs of two answers to this query say was ignored."""
    bodies = [*subject.bodies(RunOutcome.OK)[:1], b"{}"]
    runs = [subject.parse(Response(200, (), body), asked) for body in bodies]
    return [() if isinstance(run, Failed) else run.ignored for run in runs]


def _text(made: Request | Failed) -> str:
    if isinstance(made, Failed):
        return ""
    return unquote_plus(made.url) + unquote_plus(made.body.decode("utf-8", "replace"))


def _short(value: object) -> str:
    return f"{len(value)} domains" if isinstance(value, tuple) and len(value) > 2 else repr(value)


def count_is_kept(subject: Subject) -> Iterator[str]:
    """Never more results are asked for than `count_max`, and as many as are wanted below that."""
    most = subject.facts.count_max
    if "count" not in subject.facts.applies or most < 2:
        return
    low, high = most - 1, most
    if high > 50:
        low, high = 49, 50
    one, two = (_numbers(subject.request(replace(subject.query, count=count))) for count in (low, high))
    places = [n for n, pair in enumerate(zip(one, two, strict=False)) if pair == (low, high)]
    if len(one) != len(two) or not places:
        return  # it knows steps, or counts otherwise
    for asked in (replace(subject.query, count=50), replace(subject.query, count=50, page=3)):
        numbers = _numbers(subject.request(asked))
        over = [numbers[place] for place in places if place < len(numbers) and numbers[place] > most]
        if over:
            yield f"count={asked.count}, page={asked.page}: {over[0]} are asked for, over count_max {most}"


def _numbers(made: Request | Failed) -> list[int]:
    return [int(found) for found in re.findall(r"(?<![0-9])[0-9]{1,9}(?![0-9])", _text(made))]
