"""What callers hand in, and what providers of theirs hand back, held against the types that are written down. Pure.

    expect("title", 5, str | None)      UsageError: title must be a string or None, not 5
    checked(Query("x", count="ten"), RULES)
                                        UsageError: count must be a whole number from 1 to 50, not 'ten'

Types come from the dataclasses themselves; `Span`, `Words` and `Form` say what types cannot. A string that has no UTF-8
is no string here, since no record can hold it. A whole number will do where a number is wanted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from searchlog.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["Fault", "Form", "Rule", "Span", "Words", "checked", "expect", "find_fault", "raised_at", "shown"]

_D = TypeVar("_D", bound="DataclassInstance")

_WORDS: Mapping[object, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    bytes: "bytes",
    NoneType: "None",
    Callable: "a function",
    Iterable: "a list",
}


class Rule(Protocol):
    """What a value of the right type must also be."""

    @property
    def words(self) -> str:
        """What is allowed, after `must be`."""

    def admits(self, value: Any) -> bool:
        """Return whether a value of the right type, other than None, is allowed."""


@dataclass(frozen=True, slots=True)
class Span:
    """A number from `low` to `high`, both included."""

    low: float
    high: float
    unit: str = ""
    above: bool = False
    """Whether `low` itself is left out."""

    @property
    def words(self) -> str:
        kind = "a whole number" if isinstance(self.low, int) else "a number"
        start = f"above {self.low:g} and up" if self.above else f"from {self.low:g}"
        return f"{kind} {start} to {self.high:.0f}{self.unit and ' ' + self.unit}"

    def admits(self, value: Any) -> bool:
        return self.low <= value <= self.high and not (self.above and value == self.low)


@dataclass(frozen=True, slots=True)
class Words:
    """One of these words."""

    known: tuple[str, ...]

    @property
    def words(self) -> str:
        return " or ".join(", ".join(map(repr, self.known)).rsplit(", ", 1))

    def admits(self, value: Any) -> bool:
        return value in self.known


@dataclass(frozen=True, slots=True)
class Form:
    """A string of this form."""

    pattern: str
    words: str

    def admits(self, value: Any) -> bool:
        return re.fullmatch(self.pattern, value) is not None


@dataclass(frozen=True, slots=True)
class Fault:
    """One value that is not what is written down."""

    path: str
    """Where it stands: `results[3].url`; empty for the value itself."""
    allowed: str
    found: object

    def __str__(self) -> str:
        return f"{self.path} must be {self.allowed}, not {shown(self.found)}"


def expect(name: str, value: object, hint: Any) -> None:
    """Raise UsageError when an argument is not of this type; what is inside it is not looked at."""
    if not isinstance(value, hint):
        raise UsageError(str(Fault(name, _describe(hint), value)), argument=name)


def expect_list(name: str, value: object) -> None:
    """Raise UsageError when an argument is no list or tuple: a text is one of letters, and never meant as one."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise UsageError(f"{name} is a list, not {value!r:.80}", argument=name)


def checked(value: _D, rules: Mapping[str, Rule], path: str = "") -> _D:
    """Return a dataclass as its fields want it: lists are tuples, one string is a tuple of it, seconds are floats.

    rules: by the name of the field, for dataclasses inside it too. Raises UsageError naming the field and what is
    allowed.
    """
    changes: dict[str, Any] = {}
    for name, hint in _hints(type(value)).items():
        given = getattr(value, name)
        put = _coerced(given, hint)
        if isinstance(hint, type) and is_dataclass(hint) and isinstance(put, hint):
            put = checked(put, rules, f"{path}{name}.")
        _check_field(path + name, put, hint, rules.get(name))
        if put is not given:
            changes[name] = put
    # replace() would run over every field of a value that is right already
    return replace(value, **changes) if changes else value


def _check_field(path: str, value: object, hint: Any, rule: Rule | None) -> None:
    fault = find_fault(value, hint, path)
    if fault is None and (rule is None or value is None or rule.admits(value)):
        return
    allowed = rule.words if rule else fault.allowed if fault else ""
    if rule and NoneType in get_args(hint):
        allowed += " or None"
    where, found = (fault.path, fault.found) if fault else (path, value)
    raise UsageError(f"{where} must be {allowed}, not {shown(found)}", argument=where)


def _coerced(value: object, hint: Any) -> object:
    if get_origin(hint) is tuple:
        return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
    # not a bool, which Python counts among the whole numbers; not one that no float can hold
    if hint is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    return value


def find_fault(value: object, hint: Any, path: str = "") -> Fault | None:
    """Return the first place where a value is not of a type, looking into tuples, mappings and dataclasses.

    hint: built from str, int, float, bool, bytes, None, classes, unions, `tuple` and `dict`. True is no whole number.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        # the branch that the value means to be tells more than `a or b or c`
        meant = [kind for kind in inner if isinstance(value, get_origin(kind) or kind)]
        faults = [find_fault(value, kind, path) for kind in meant]
        return None if None in faults else faults[0] if faults else Fault(path, _describe(hint), value)
    if origin is tuple:
        return _tuple_fault(value, hint, inner, path)
    if origin is dict:
        if not isinstance(value, dict):
            return Fault(path, _describe(hint), value)
        pairs = ((f"{path}[{shown(key)}]", key, item) for key, item in value.items())
        return _first(
            f for at, key, item in pairs for f in (find_fault(key, inner[0], at), find_fault(item, inner[1], at))
        )
    wanted = (int, float) if hint is float else hint
    if not isinstance(value, wanted) or (hint in (int, float) and isinstance(value, bool)):
        return Fault(path, _describe(hint), value)
    if isinstance(value, str) and not _has_utf8(value):
        return Fault(path, "a string without half of a surrogate pair", value)
    if isinstance(value, float) and not math.isfinite(value):
        return Fault(path, "a finite number", value)
    if isinstance(value, int) and abs(value) >= 2**53:
        return Fault(path, "a whole number below 2^53", value)
    if is_dataclass(value):
        dot, kind = path and path + ".", hint
        # a constructor of somebody else can leave a field out
        held = ((name, getattr(value, name, MISSING), inside) for name, inside in _hints(kind).items())
        return _first(find_fault(item, inside, dot + name) for name, item, inside in held)
    return None


def _tuple_fault(value: object, hint: Any, inner: tuple[Any, ...], path: str) -> Fault | None:
    if not isinstance(value, tuple):
        return Fault(path, _describe(hint), value)
    kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
    if len(kinds) != len(value):
        return Fault(path, f"{len(kinds)} values", value)
    return _first(
        find_fault(item, kind, f"{path}[{n}]") for n, (item, kind) in enumerate(zip(value, kinds, strict=True))
    )


def _first(faults: Iterable[Fault | None]) -> Fault | None:
    return next((fault for fault in faults if fault is not None), None)


def _has_utf8(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _describe(hint: Any) -> str:
    """Return a type in words for people."""
    if hint in _WORDS:
        return _WORDS[hint]
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(map(_describe, get_args(hint)))
    if get_origin(hint) is tuple:
        first = get_args(hint)[0]
        return "a list of strings" if first is str else "a tuple"
    if get_origin(hint) is dict:
        return "a mapping"
    name = str(hint.__name__)
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def shown(value: object) -> str:
    """Return a short form of any value for a message, even of one that cannot say what it is."""
    if isinstance(value, str | bytes):
        return f"{value[:60]!r}"
    if type(value) in (NoneType, bool, float) or (type(value) is int and abs(value) < 10**20):
        return repr(value)
    return f"a value of type {type(value).__name__}"


def raised_at(error: BaseException) -> str:
    """Return where an exception was raised, as the file's name and the line: a path would tell of the machine.

    It goes after the name of the exception: ` (example.py, line 12)`, or nothing when it was never raised.
    """
    trace, where = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        where, trace = f" ({file}, line {trace.tb_lineno})", trace.tb_next
    return where


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    known = get_type_hints(kind)
    return {field.name: known[field.name] for field in fields(kind)}
