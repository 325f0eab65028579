"""What differs between two turns: what was asked, who answered what, which pages, which evidence. Pure.

Everything is computed from two `TurnView`s, so the same query at two times, by two providers or in two sessions can be
held against each other, wherever their records lie. When something was asked or captured is no difference.

Things are matched by what they are: runs by provider and number of the text, results and pages by the comparison key of
their URL (of a page that which the fetch began with), evidence by the digest of the passage and then by likeness on the
same page. In each section `a = both + only_a` and `b = both + only_b`, the items are those that differ, and swapping
the two sides swaps the answer and nothing else. Shown by test_compare.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from searchlog.records import Capture, Evidence, Run
from searchlog.search.fuse import comparison_key
from searchlog.view import Load, TurnView, page_json, step_json

__all__ = ["Comparison", "Section", "Side", "compare", "word_diff"]

_LIKE_PERCENT = 50
"""How much of their words two passages of one page share, of all they have, to be the same one altered."""
_PAIRS_MAX = 40_000
"""Passages of one page beyond this many pairs are not looked at for likeness."""
_WORDS_MAX = 600
"""Of a text; beyond them no difference is shown word by word, for that takes the square of it and more."""
_AROUND = 4
"""Words kept at each end of what did not change."""
_SCRIPTS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Scripts that put no blanks between words: each character is one."""
_WORD = re.compile(rf"[{_SCRIPTS}]|[^\W{_SCRIPTS}]+")
_PIECE = re.compile(rf"[{_SCRIPTS}]\s*|[^\s{_SCRIPTS}]+\s*|\s+")
_TOLD = ("title", "snippet", "published", "crawled")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two turns."""

    view: TurnView
    load: Load
    incomplete: bool = False
    """Whether records are not there that may belong to it."""


@dataclass(slots=True)
class Section:
    """One kind of thing, on both sides."""

    counts: dict[str, int] = field(default_factory=dict)
    """`a`, `b`, `both`, `only_a`, `only_b`, then how many of both are in each state."""
    items: list[dict[str, Any]] = field(default_factory=list)
    """Those that differ: `state`, what they are, and `a` and `b`, None on the side that has none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two turns."""

    a: dict[str, Any]
    b: dict[str, Any]
    asked: list[dict[str, Any]]
    """`what`, `a`, `b` of each part of query and policy that differs."""
    runs: Section
    steps: Section
    results: Section
    pages: Section
    evidence: Section
    not_compared: list[str]
    """What could not be read on one side at least: `runs`, `results`."""

    @property
    def sections(self) -> dict[str, Section]:
        return {
            "runs": self.runs,
            "steps": self.steps,
            "results": self.results,
            "pages": self.pages,
            "evidence": self.evidence,
        }

    @property
    def differs(self) -> bool:
        """Whether any difference was found."""
        ended = self.a["outcome"] != self.b["outcome"] or self.a["state"] != self.b["state"]
        return ended or bool(self.asked) or any(section.items for section in self.sections.values())

    @property
    def complete(self) -> bool:
        """Whether all of both sides could be looked at."""
        return not (self.not_compared or self.a["incomplete"] or self.b["incomplete"])

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `diff --json`."""
        return {
            "equal": self.complete and not self.differs,
            "a": self.a,
            "b": self.b,
            "asked": self.asked,
            **{name: {"counts": part.counts, "items": part.items} for name, part in self.sections.items()},
            "not_compared": self.not_compared,
        }


def compare(a: Side, b: Side) -> Comparison:
    """Return what differs between two turns."""
    results_a, results_b = _results_of_runs(a), _results_of_runs(b)
    fused_a, fused_b = _fused(a), _fused(b)
    not_compared = [] if results_a is not None and results_b is not None else ["runs"]
    if fused_a is None or fused_b is None:
        not_compared.append("results")
    return Comparison(
        a=_about(a),
        b=_about(b),
        asked=_asked(a.view, b.view),
        runs=_runs(a, b),
        steps=_steps(a, b),
        results=Section() if fused_a is None or fused_b is None else _results(fused_a, fused_b, results_a, results_b),
        pages=_pages(a, b),
        evidence=_evidence(a, b),
        not_compared=not_compared,
    )


def _about(side: Side) -> dict[str, Any]:
    view = side.view
    return {
        "session": view.session,
        "turn": view.number,
        "purpose": view.purpose,
        "state": view.state,
        "outcome": view.outcome,
        "began_at": view.began_at,
        "query": view.query.text if view.query else None,
        "providers": view.query.providers if view.query else [],
        "incomplete": side.incomplete,
    }


def _section(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    judge: Callable[[Any, Any], tuple[str, list[str]]],
    name: Callable[[Any], dict[str, Any]],
    states: Sequence[str] = ("same", "changed"),
) -> Section:
    """Return a section of things matched by key. judge: the state of two that match, and the names of what differs."""
    section = Section(dict.fromkeys(("a", "b", "both", "only_a", "only_b", *states), 0))
    counts = section.counts
    counts["a"], counts["b"] = len(a), len(b)
    for key in [*a, *(key for key in b if key not in a)]:
        mine, other = a.get(key), b.get(key)
        changed: list[str] = []
        if mine is not None and other is not None:
            counts["both"] += 1
            state, changed = judge(mine, other)
            counts[state] += 1
            if state == "same":
                continue
        else:
            state = "only-a" if other is None else "only-b"
            counts[state.replace("-", "_")] += 1
        about = name(mine if mine is not None else other)  # the same for both, or it would depend on which is first
        section.items.append({"state": state, **about, "a": mine, "b": other, "changed": changed})
    return section


def _differing(a: Mapping[str, Any], b: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [name for name in names if a.get(name) != b.get(name)]


# -- what was asked ------------------------------------------------------------------------------------------------


def _asked(a: TurnView, b: TurnView) -> list[dict[str, Any]]:
    mine, other = _told(a), _told(b)
    return [
        {"what": name, "a": mine.get(name), "b": other.get(name)}
        for name in sorted({*mine, *other}, key=lambda name: ("." in name, name))
        if mine.get(name) != other.get(name)
    ]


def _told(view: TurnView) -> dict[str, Any]:
    """Return each part of what was asked, by its dotted name."""
    query = view.query
    out: dict[str, Any] = {"purpose": view.purpose}
    if query is not None:
        out |= {"query": query.text, "also": query.also or [], "focus": query.focus}
        out |= {"providers": query.providers, "mode": query.mode}
        out |= dict(_flat("options", query.options)) | dict(_flat("policy", query.policy))
    return out


def _flat(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(f"{name}.{key}", item)
    else:
        yield name, value


# -- runs and steps ------------------------------------------------------------------------------------------------


def _label(run: Run) -> str:
    """Return the name of a run as ranks have it: `brave`, and `brave#2` for the second text of a query."""
    return f"{run.provider}#{run.query_number}" if (run.query_number or 1) > 1 else run.provider


def _results_of_runs(side: Side) -> dict[str, dict[str, dict[str, Any]]] | None:
    """Return the results of each run by key, the best-ranked where two have one key; None when one cannot be read."""
    out: dict[str, dict[str, dict[str, Any]]] = {}
    for run in side.view.runs:
        results = side.load(run.results)
        if not isinstance(results, list):
            return None
        mine = out.setdefault(_label(run), {})
        for item in results:
            if isinstance(item, dict) and isinstance(url := item.get("url"), str):
                mine.setdefault(comparison_key(url), item)
    return out


def _runs(a: Side, b: Side) -> Section:
    def of(side: Side) -> dict[str, dict[str, Any]]:
        out: dict[str, dict[str, Any]] = {}
        for run in side.view.runs:
            results = side.load(run.results)
            count = len(results) if isinstance(results, list) else None
            told = {"outcome": run.outcome, "detail": run.detail, "results": count, "ignored": run.ignored}
            out.setdefault(_label(run), {"run": _label(run), **told})
        return out

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = _differing(mine, other, ("outcome", "results", "ignored"))
        return ("changed" if names else "same"), names

    return _section(of(a), of(b), judge, lambda run: {"run": run["run"]})


def _steps(a: Side, b: Side) -> Section:
    def of(side: Side) -> dict[str, dict[str, Any]]:
        out: dict[str, dict[str, Any]] = {}
        for step in map(step_json, side.view.steps):
            number = sum(item["step"] == step["step"] for item in out.values())
            out[f"{step['step']}#{number}"] = step
        return out

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = _differing(mine, other, ("rule", "in", "kept", "dropped", "reasons"))
        return ("changed" if names else "same"), names

    return _section(of(a), of(b), judge, lambda step: {"step": step["step"]})


# -- results -------------------------------------------------------------------------------------------------------


def _fused(side: Side) -> dict[str, dict[str, Any]] | None:
    """Return the candidates by key, best first: URL, fused rank and rank in each run; None when they cannot be read."""
    out: dict[str, dict[str, Any]] = {}
    for step in side.view.steps:
        if step.step != "fuse":
            continue
        items = side.load(step.items)
        if not isinstance(items, list):
            return None
        for item in items:
            if isinstance(item, dict) and item.get("kept") and isinstance(url := item.get("subject"), str):
                ranks = _ranks(item.get("ranks"))
                out[comparison_key(url)] = {"url": url, "rank": item.get("fused_rank"), "ranks": ranks}
    return out


def _ranks(text: Any) -> dict[str, int]:
    """Return `brave:3 brave#2:1` as ranks by run, the best of each."""
    out: dict[str, int] = {}
    for place in text.split() if isinstance(text, str) else ():
        label, _, rank = place.rpartition(":")
        if label and rank.isdecimal():
            out[label] = min(int(rank), out.get(label, int(rank)))
    return out


_Runs = Mapping[str, Mapping[str, Mapping[str, Any]]]


def _results(
    a: dict[str, dict[str, Any]], b: dict[str, dict[str, Any]], runs_a: _Runs | None, runs_b: _Runs | None
) -> Section:
    runs_a, runs_b = runs_a or {}, runs_b or {}
    asked_both = [label for label in runs_a if label in runs_b]

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        key = comparison_key(mine["url"])
        moved = ["rank"] if mine["rank"] != other["rank"] else []
        moved += [f"rank:{label}" for label in asked_both if mine["ranks"].get(label) != other["ranks"].get(label)]
        pairs = [(runs_a[label].get(key, {}), runs_b[label].get(key, {})) for label in asked_both]
        told = [name for name in _TOLD if any(one and two and one.get(name) != two.get(name) for one, two in pairs)]
        state = "moved" if moved else "changed" if told else "same"
        return state, [*sorted(moved), *told]

    return _section(a, b, judge, _url, ("same", "moved", "changed"))


def _url(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": comparison_key(item["url"])}


# -- pages ---------------------------------------------------------------------------------------------------------


def _pages(a: Side, b: Side) -> Section:
    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = _differing(mine, other, ("url", "outcome", "reason", "status", "suspected", "no_text"))
        came = bool(names)
        names += _differing(mine, other, ("payload", "text", "title", "published"))
        if not names:
            return "same", []
        same_text = not came and mine["text"] is not None and mine["text"] == other["text"]
        return ("same-text" if same_text and "payload" in names else "changed"), names

    return _section(_pages_of(a.view), _pages_of(b.view), judge, _asked_key, ("same", "same-text", "changed"))


def _pages_of(view: TurnView) -> dict[str, dict[str, Any]]:
    """Return the pages that were fetched, by the key of what was asked for; of two fetches the later one."""
    finals: dict[str, Capture] = {
        comparison_key(item.asked): item for item in view.captures if item.final and item.purpose == "page"
    }
    wanted = (
        *("asked", "url", "outcome", "reason", "status", "suspected", "no_text", "captured_at"),
        *("payload", "text", "char_count", "title", "published"),
    )
    out = {}
    for key, item in finals.items():
        page = page_json(item, view.conversions)
        out[key] = {name: page[name] for name in wanted}
    return out


def _asked_key(page: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": comparison_key(page["asked"])}


# -- evidence ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """One piece of evidence where it stands."""

    place: int
    item: Evidence
    key: str
    """Comparison key of its page."""
    text: str | None
    """The passage; None when it cannot be read."""

    def to_json(self) -> dict[str, Any]:
        item = self.item
        return {
            "id": item.id,
            "place": self.place,
            "url": item.url,
            "title": item.title,
            "start": item.start,
            "end": item.end,
            "digest": item.digest,
            "published": item.published,
            "captured_at": item.captured_at,
            "exact": self.text,
        }


_Pair = tuple[_Piece, _Piece]


def _evidence(a: Side, b: Side) -> Section:
    mine, other = _pieces(a), _pieces(b)
    pairs: list[_Pair] = []
    for same in (
        lambda one: (one.item.digest, one.key, one.item.start),
        lambda one: (one.item.digest, one.key),
        lambda one: one.item.digest,
    ):
        pairs += _matched(mine, other, pairs, same)
    altered = _alike(_left(mine, pairs, 0), _left(other, pairs, 1))
    both = sorted([*pairs, *altered], key=lambda pair: (pair[0].place, pair[1].place))
    states = ("same", "reordered", "moved", "changed")
    counts = dict.fromkeys(("a", "b", "both", "only_a", "only_b", *states), 0)
    counts |= {"a": len(mine), "b": len(other), "both": len(both)}
    section = Section(counts)
    # places count among those that both have, or one that came in would reorder all that follow it
    order_b = {id(pair): n for n, pair in enumerate(sorted(both, key=lambda pair: (pair[1].place, pair[0].place)))}
    for n, pair in enumerate(both):
        state, names = _judged(pair, order_b[id(pair)] != n)
        counts[state] += 1
        if state != "same":
            words = word_diff(pair[0].text, pair[1].text) if "exact" in names else None
            told = {"key": pair[0].key if pair[0].key == pair[1].key else None}
            item = {"state": state, **told, "a": pair[0].to_json(), "b": pair[1].to_json(), "changed": names}
            section.items.append({**item, "words": words})
    for state, pieces in (("only-a", _left(mine, both, 0)), ("only-b", _left(other, both, 1))):
        counts[state.replace("-", "_")] = len(pieces)
        for piece in pieces:
            told = piece.to_json()
            sides = {"a": told, "b": None} if state == "only-a" else {"a": None, "b": told}
            section.items.append({"state": state, "key": piece.key, **sides, "changed": [], "words": None})
    return section


def _pieces(side: Side) -> list[_Piece]:
    out = []
    for place, item in enumerate(side.view.evidence, 1):
        text = side.load(item.exact)
        out.append(_Piece(place, item, comparison_key(item.url), text if isinstance(text, str) else None))
    return out


def _matched(a: list[_Piece], b: list[_Piece], pairs: list[_Pair], same: Callable[[_Piece], Any]) -> list[_Pair]:
    """Return pairs of pieces that are not paired yet and of which the same is true, in their order on both sides."""
    waiting: dict[Any, list[_Piece]] = {}
    for piece in _left(b, pairs, 1):
        waiting.setdefault(same(piece), []).append(piece)
    return [(piece, found.pop(0)) for piece in _left(a, pairs, 0) if (found := waiting.get(same(piece)))]


def _left(pieces: list[_Piece], pairs: Sequence[_Pair], side: int) -> list[_Piece]:
    taken = {pair[side].place for pair in pairs}
    return [piece for piece in pieces if piece.place not in taken]


def _alike(a: list[_Piece], b: list[_Piece]) -> list[_Pair]:
    """Return pairs of passages of one page that share most of their words, the likest first."""
    words = {(side, one.place): Counter(_words(one.text)) for side, pieces in enumerate((a, b)) for one in pieces}
    by_page: dict[str, list[_Piece]] = {}
    for piece in b:
        by_page.setdefault(piece.key, []).append(piece)
    on_a = Counter(piece.key for piece in a)
    found = []
    for one in a:
        others = by_page.get(one.key, [])
        if on_a[one.key] * len(others) > _PAIRS_MAX:
            continue
        for two in others:
            mine, other = words[0, one.place], words[1, two.place]
            shared, all_of_both = (mine & other).total(), mine.total() + other.total()
            if all_of_both and 200 * shared >= _LIKE_PERCENT * all_of_both:
                found.append((-shared * 1_000_000 // all_of_both, one.place + two.place, one.place, one, two))
    # two pairs that share a passage have different sums of places, so which is taken does not depend on the side
    out: list[_Pair] = []
    taken: set[tuple[int, int]] = set()
    for *_, one, two in sorted(found, key=lambda entry: entry[:3]):
        if taken.isdisjoint({(0, one.place), (1, two.place)}):
            taken |= {(0, one.place), (1, two.place)}
            out.append((one, two))
    return out


def _judged(pair: _Pair, reordered: bool) -> tuple[str, list[str]]:
    """Return the state of two pieces that were matched, and what differs between them."""
    a, b = pair
    names = [
        name
        for name, differs in (
            ("exact", a.item.digest != b.item.digest),
            ("url", a.key != b.key),
            ("position", (a.item.start, a.item.end) != (b.item.start, b.item.end)),
            ("published", a.item.published != b.item.published),
            ("order", reordered),
        )
        if differs
    ]
    if "exact" in names:
        return "changed", names
    if "url" in names or "position" in names:
        return "moved", names
    return ("changed" if "published" in names else "reordered" if names else "same"), names


# -- words ---------------------------------------------------------------------------------------------------------


def _words(text: str | None) -> list[str]:
    return _WORD.findall((text or "").casefold())


def word_diff(a: str | None, b: str | None) -> list[list[str]] | None:
    """Return what was taken out and put in between two texts: pairs of `=`, `-` or `+` and the words.

    Of what did not change a few words around are kept, with `…` between. None when a text is not there, or too long.
    """
    if a is None or b is None:
        return None
    if b < a:  # always the same way round, so that swapping the texts swaps the answer and nothing else
        swapped = word_diff(b, a)
        signs = {"=": "=", "-": "+", "+": "-"}
        return swapped and _ordered([[signs[sign], words] for sign, words in swapped])
    mine, other = _PIECE.findall(a), _PIECE.findall(b)
    if max(len(mine), len(other)) > _WORDS_MAX:
        return None
    out: list[list[str]] = []
    steps = SequenceMatcher(None, mine, other, autojunk=False).get_opcodes()
    for n, (_, start, end, begin, finish) in enumerate(steps):
        if mine[start:end] == other[begin:finish]:
            out.append(["=", _around(mine[start:end], first=n == 0, last=n == len(steps) - 1)])
            continue
        out += [["-", "".join(mine[start:end])]] if end > start else []
        out += [["+", "".join(other[begin:finish])]] if finish > begin else []
    return out


def _around(pieces: Sequence[str], *, first: bool, last: bool) -> str:
    head = pieces[:_AROUND] if last or not first else []
    tail = [] if last else pieces[-_AROUND:]
    if len(head) + len(tail) >= len(pieces):
        return "".join(pieces)
    return "".join([*head, "… ", *tail])


def _ordered(steps: list[list[str]]) -> list[list[str]]:
    """Return the steps with what was taken out before what was put in at the same place."""
    out: list[list[str]] = []
    for step in steps:
        if step[0] == "-" and out and out[-1][0] == "+":
            out.insert(len(out) - 1, step)
        else:
            out.append(step)
    return out
