"""Answers as models write them, made out of evidence: clean, or with one error whose place is known.

The maker knows nothing of how answers are checked: it finds numbers by their digits alone, and looks for its planted
words in the plain text of the evidence to be sure that they are wrong.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from searchlog.answer.check import Given, Known

ERRORS = ("wrong-number", "altered-quote", "unknown-id", "wrong-id")
FORMS = ("id", "after", "wide", "round", "caret", "marker", "url", "numeric", "footnote", "link")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE = re.compile(
    r"(?:(?<=^)|(?<=\n)|(?<=[.!?] )|(?<=[。！？।]))[^.!?。！？\n;；۔।]{20,260}(?:[.!?。！？۔।](?=\s|$)|(?<=[。！？।]))",
    re.UNICODE,
)
_WORDY = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Made:
    """An answer, and where its planted error is (None: it has none)."""

    text: str
    known: Known
    error: str | None = None
    start: int = 0
    end: int = 0
    note: str = ""


@dataclass(frozen=True)
class Piece:
    """One sentence of an answer before its citation is written."""

    words: str
    id: str
    quote: tuple[int, int] | None = None
    """Range of the quotation in the words, without its marks."""


def sentences(text: str) -> list[str]:
    """Return plain sentences of a passage: no marks of Markdown or quotation in them."""
    found = [m[0].strip() for m in _SENTENCE.finditer(text)]
    return [
        s
        for s in found
        if not re.search(r"[\"“”„«»「」『』‘\[\]|`*_<>{}\\^~#]|https?:|www\.|\be\d|'\s|\s'|^\W*\d+[.)、]", s)
        and _WORDY.search(s)
    ]


class Maker:
    """Makes answers from one piece of evidence a sentence."""

    def __init__(self, evidence: Mapping[str, Given], rng: random.Random, *, east: bool) -> None:
        self.evidence, self.rng, self.east = evidence, rng, east
        self.sentences = {id: s for id, given in evidence.items() if (s := sentences(given.text))}
        self.form = rng.choice(FORMS)

    def quoted(self, id: str) -> Piece:
        said = self.rng.choice(self.sentences[id]).rstrip(".!?。！？۔।")
        if len(said) > 60 and self.rng.random() < 0.5:
            said = self._part(said)
        opening, closing = self.rng.choice(
            [("“", "”"), ("「", "」"), ('"', '"')] if self.east else [("“", "”"), ('"', '"'), ("«", "»")]
        )
        head = self.rng.choice(
            ["资料写道：", "原文说", "文中指出，", "据介绍，"]
            if self.east
            else ["The page says ", "It states: ", "In its words, ", "As one source puts it, "]
        )
        tail = "。" if self.east else "."
        if self.rng.random() < 0.3:
            said = self._dressed(said)
        words = head + opening + said + closing + tail
        return Piece(words, id, (len(head) + 1, len(head) + 1 + len(said)))

    def _part(self, said: str) -> str:
        if _CJK.search(said):
            at = self.rng.randrange(0, len(said) // 3)
            part = said[at : at + self.rng.randrange(20, 50)]
            return part.strip("，、：,; ") if len(part) > 14 and not re.match(r"[\d.]|\w*$", part[:0]) else said
        words = said.split(" ")
        at = self.rng.randrange(0, len(words) // 3 + 1)
        return " ".join(words[at : at + self.rng.randrange(6, 14)]).strip(",;: ")

    def _dressed(self, said: str) -> str:
        """Write a quotation as writers do: straight quote marks, another dash, a gap, another first letter."""
        way = self.rng.randrange(4)
        if way == 0:
            return said.replace("’", "'").replace("–", "-").replace("—", "-")
        words = said.split(" ")
        if way == 1 and len(words) > 12:
            return " ".join(words[:5]) + self.rng.choice([" … ", " [...] ", " ... "]) + " ".join(words[-5:])
        if way == 2 and not self.east and said[0].isupper() and words[0].isalpha():
            return said[0].lower() + said[1:]
        return said

    def copied(self, id: str) -> Piece:
        with_number = [s for s in self.sentences[id] if re.search(r"\d", s)]
        return Piece(self.rng.choice(with_number or self.sentences[id]), id)

    def told(self, id: str) -> Piece:
        """Tell a number of the evidence in a sentence of the answer's own."""
        text = self.evidence[id].text
        spots = [
            m
            for m in re.finditer(r"(?<![\w.,/:+-])\d{2,4}(?:,\d{3})*(?:\.\d+)?(?![\w.,/:+-]|\s?[%°$€£])", text)
            if "\n" not in m[0]
        ]
        if not spots:
            return self.copied(id)
        number = self.rng.choice(spots)[0]
        words = self.rng.choice(
            ["给出的数字是{}。", "文中提到了{}。", "数字为{}。"]
            if self.east
            else ["The figure given is {}.", "It names {} there.", "The number {} comes up."]
        )
        return Piece(words.format(number), id)

    def pieces(self) -> list[Piece]:
        ids = self.rng.sample(sorted(self.sentences), min(len(self.sentences), self.rng.randrange(3, 6)))
        makers = [self.quoted, self.copied, self.told]
        return [makers[self.rng.randrange(3)](id) for id in ids]

    # --- writing it down ----------------------------------------------------------------------------------------------

    def written(self, pieces: list[Piece], *, mark: tuple[int, int, int] | None = None) -> tuple[str, int, int]:
        """Return the answer's text, and where the marked range (piece, start, end) of it came to stand."""
        style = self.rng.randrange(3)
        out = (
            ""
            if self.rng.random() < 0.5
            else ("以下是找到的内容：\n\n" if self.east else "Here is what the sources say:\n\n")
        )
        place = (0, 0)
        numbers: dict[str, int] = {}
        for n, piece in enumerate(pieces):
            out += "- " if style == 1 else ""
            if mark and mark[0] == n:
                place = len(out) + mark[1], len(out) + mark[2]
            marker = self.marker(piece.id, numbers)
            stop = piece.words[-1] if piece.words[-1] in ".!?。！？।۔" else ""
            if self.form == "after" or not stop:
                out += piece.words + ("" if self.east else " ") + marker
            else:
                out += piece.words[:-1] + ("" if self.east else " ") + marker + stop
            if mark and mark[0] == n and mark[1] < 0:  # the marker itself
                at = out.rindex(marker)
                place = at, at + len(marker)
            out += ["\n\n", "\n", "" if self.east else " "][style]
        if numbers:
            out += "\n\n" + ("参考资料" if self.east else "Sources") + ":\n"
            for id, number in numbers.items():
                target = self.evidence[id].url if id in self.evidence and self.form != "footnote" else id
                out += f"[^{number}]: {target}\n" if self.form == "footnote" else f"{number}. {target}\n"
        return out, *place

    def marker(self, id: str, numbers: dict[str, int]) -> str:
        url = self.evidence[id].url if id in self.evidence else f"https://nowhere.example/{id}"
        if self.form in ("numeric", "footnote"):
            number = numbers.setdefault(id, len(numbers) + 1)
            return f"[^{number}]" if self.form == "footnote" else f"[{number}]"
        return {
            "id": f"[{id}]", "after": f"[{id}]", "wide": f"【{id}】", "round": f"({id})", "caret": f"[^{id}]",
            "marker": f"\ue200cite\ue202{id}\ue201", "url": f"({url})", "link": f"[source]({url})",
        }[self.form]  # fmt: skip

    # --- clean and wrong ----------------------------------------------------------------------------------------------

    def clean(self) -> Made:
        text, *_ = self.written(self.pieces())
        return Made(text, self.known())

    def known(self) -> Known:
        return Known(self.evidence, frozenset(g.url for g in self.evidence.values()), frozenset())

    def wrong(self, error: str) -> Made | None:
        """Return an answer with one error of this kind; None when this evidence does not lend itself to it."""
        pieces = self.pieces()
        if error != "wrong-number" and not any(p.quote for p in pieces):
            pieces[0] = self.quoted(pieces[0].id)
        by_id = self.form not in ("url", "numeric", "link")
        if error == "unknown-id":
            n = self.rng.randrange(len(pieces))
            pieces[n] = replace(pieces[n], id=f"e{self.rng.randrange(len(self.evidence) + 1, 120)}")
            text, start, end = self.written(pieces, mark=(n, -1, 0))
            return Made(text, self.known(), error, start, end, self.form)
        for n, piece in enumerate(pieces):
            shared = self._cited_text(piece.id, by_id=by_id)
            if error == "wrong-number" and not piece.quote:
                changed = self._number_changed(piece.words, shared)
            elif error == "altered-quote" and piece.quote:
                changed = self._quote_changed(piece, shared)
            elif error == "wrong-id" and piece.quote:
                said = piece.words[slice(*piece.quote)]
                if len(said) < (10 if self.east else 20) or "…" in said or "..." in said:
                    continue
                others = [id for id in self.evidence if _bare(said) not in _bare(self._cited_text(id, by_id=by_id))]
                if not others:
                    continue
                pieces[n] = replace(piece, id=self.rng.choice(others))
                text, start, end = self.written(pieces, mark=(n, *piece.quote))
                return Made(text, self.known(), error, start, end, self.form)
            else:
                continue
            if changed:
                words, start, end = changed
                pieces[n] = replace(piece, words=words)
                text, start, end = self.written(pieces, mark=(n, start, end))
                return Made(text, self.known(), error, start, end, self.form)
        return None

    def _cited_text(self, id: str, *, by_id: bool) -> str:
        mine = self.evidence[id]
        cited = [mine] if by_id else [g for g in self.evidence.values() if g.url == mine.url]
        return "\n".join(part for g in cited for part in (g.text, g.title, g.url, *g.heading_path))

    def _number_changed(self, words: str, evidence: str) -> tuple[str, int, int] | None:
        spots = list(re.finditer(r"\d+", words))
        self.rng.shuffle(spots)
        for m in spots:
            digits = list(m[0])
            at = self.rng.randrange(len(digits))
            digits[at] = self.rng.choice([d for d in "123456789" if d != digits[at]])
            wrong = "".join(digits)
            if wrong in evidence or (len(wrong) < 2 and not re.search(r"[^\W\d_]{2,} $", words[: m.start()])):
                continue
            return words[: m.start()] + wrong + words[m.end() :], m.start(), m.start() + len(wrong)
        return None

    def _quote_changed(self, piece: Piece, evidence: str) -> tuple[str, int, int] | None:
        start, end = piece.quote or (0, 0)
        said = piece.words[start:end]
        if len(said) < (10 if self.east else 25) or "..." in said or "…" in said:
            return None  # a word taken out beside a gap is no error
        if _CJK.search(said):
            spots = list(re.finditer(r"[\u3400-\u9fff]{2}", said))
            if not spots:
                return None
            m = self.rng.choice(spots)
            new = said[: m.start()] + self.rng.choice(["不是", "山河", "红色", "没有"]) + said[m.end() :]
        else:
            words = said.split(" ")
            at = self.rng.randrange(1, len(words)) if len(words) > 1 else 0
            way = self.rng.randrange(3)
            if way == 0:
                words.insert(at, "not")
            elif way == 1 and len(words) > 5:
                del words[at]
            else:
                words[at] = self.rng.choice(["purple", "Denmark", "seldom", "never"])
            new = " ".join(words)
        if new == said or _bare(new) in _bare(evidence):
            return None
        return piece.words[:start] + new + piece.words[end:], start, start + len(new)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
