"""A model's final text held against the evidence that it was given. Without a model, offline. Pure.

Each citation is resolved; each quotation is looked for in what is cited for it, then in all evidence; each number, date
and unit in a cited sentence is looked for in what is cited there. Citations of one sentence that stand side by side
support together. A sentence without a citation, in a paragraph that has one further on, is held against that: what is
found there is supported, what is not is listed as not checked, unless the sentence is the evidence's own but for that
number. What stands in a quotation that was looked for is not looked for again as a number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from searchlog.answer.addresses import address_key
from searchlog.answer.citations import Citation, Claim, Reading, read
from searchlog.answer.held import Given, Held, Known
from searchlog.answer.kinds import (
    block_quotation,
    is_address,
    is_counting,
    is_scare,
    is_title,
    same_script,
    shortened,
    uncut,
    weight_of,
)
from searchlog.answer.layout import Quoted, quoted_in
from searchlog.answer.quotations import Match, Wanted, find_quotation, is_within, term_altered, wanted
from searchlog.answer.report import AnswerFinding, AnswerReport, Unchecked
from searchlog.answer.support import Judgement, Place, judge
from searchlog.answer.text import Answer
from searchlog.answer.tokens import tokens_of
from searchlog.wording.quantities import Quantity, quantities

__all__ = ["AnswerReport", "Given", "Known", "check_answer"]

_SHORT = 12
"""Weight of a quotation under which it is only held against evidence when it has digits; a character of a script
without blanks weighs two."""
_LONG = 25
"""Weight from which a quotation without a citation is a finding when it is attributed and stands nowhere."""
_ATTRIBUTED = re.compile(
    r"(?:says?|said|states?|stated|wrote|writes|according to|reports?|reported|notes?|noted|quoted?|reads?|"
    r"describes?|described|puts? it|"
    r"explains?|explained|argues?|claims?|claimed|adds?|added|写道|表示|指出|称|说|提到|记载|认为|写着|原文|"
    r"据)\W{0,12}(?:\w+\W{1,3}){0,3}$",
    re.IGNORECASE,
)
_TITLE_AFTER = re.compile(r"\s*(?:《|\((?:book|film|song|album|novel|article|paper|\d{4})\b)")


@dataclass(frozen=True, slots=True)
class _Resolved:
    """What a stretch of the answer rests on."""

    held: tuple[Held, ...] = ()
    pages: tuple[str, ...] = ()
    """Texts of opened pages that are cited whole."""
    names: tuple[str, ...] = ()
    """Ids and addresses, as cited."""
    unresolved: int = 0
    textless: int = 0


@dataclass(slots=True)
class _Notes:
    findings: list[AnswerFinding] = field(default_factory=list)
    unchecked: list[Unchecked] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def check_answer(answer: Answer, known: Known) -> AnswerReport:
    """Return what of an answer the evidence bears out, what it does not, and what was not checked.

    Never raises for what the answer or the evidence says. Linear in the answer, times the evidence cited in each place;
    quotations that are not where they should be are looked for in all evidence.
    """
    return _Check(answer, known).run()


class _Check:
    def __init__(self, answer: Answer, known: Known) -> None:
        self.answer, self.known = answer, known
        self.reading: Reading = read(answer)
        self.text = self.reading.plain
        self.held = {id: Held(given) for id, given in known.evidence.items()}
        self.by_page: dict[str, list[Held]] = {}
        for one in self.held.values():
            if one.given.url:
                self.by_page.setdefault(address_key(one.given.url), []).append(one)
        self.pages = {address_key(url): text for url, text in known.pages.items()}
        self.opened = {address_key(url) for url in known.opened} | self.by_page.keys() | self.pages.keys()
        self.found = {address_key(url) for url in known.found}
        self.page_tokens: dict[str, Held] = {}
        self.asked = quantities(known.asked)
        self.notes = _Notes()
        self.resolved: dict[tuple[str, str], _Resolved] = {}
        targets = {c.target for c in self.reading.citations if c.form == "paren-id"}
        self.round_ids = any(t in self.held for t in targets)

    def run(self) -> AnswerReport:
        for citation in self.reading.citations:
            self._citation(citation)
        ignored = self._masked()
        quotes = self._quotes()
        checked = [self._quotation(quote, claims) for quote, claims in quotes]
        covered = [q for (q, _), was in zip(quotes, checked, strict=True) if was]
        self._numbers(ignored, covered)
        self._sentences(covered)
        notes = self.notes
        findings = sorted(dict.fromkeys(notes.findings), key=lambda f: (f.start, f.end, f.code))
        unchecked = sorted(dict.fromkeys(notes.unchecked), key=lambda u: (u.start, u.end, u.reason))
        return AnswerReport(tuple(findings), tuple(unchecked), dict(sorted(notes.counts.items())))

    # --- citations ---------------------------------------------------------------------------------------------------

    def _citation(self, citation: Citation) -> None:
        """Note whether a citation leads anywhere."""
        if citation.form == "paren-id" and not self.round_ids and citation.target not in self.held:
            return  # squares of a chess board, electrons, roads
        self.notes.counts["citations"] += 1
        resolved = self._resolve(citation)
        code = ""
        if citation.form == "malformed":
            code, message = "citation-malformed", f"{citation.target!r} names no evidence and no page"
        elif not resolved.unresolved:
            self.notes.counts["citations_resolved"] += 1
            self._native(citation, resolved)
            return
        elif is_address(citation.target):
            key = address_key(citation.target)
            code = "page-not-opened" if key in self.found else "unknown-page"
            message = (
                f"{citation.target} was found as a result, and nobody opened it"
                if key in self.found
                else f"{citation.target} was neither opened nor found"
            )
        else:
            code, message = "unknown-evidence", f"{citation.target} was never given"
        start, end = citation.start, citation.end
        if citation.form == "native":
            start, end = citation.claim
        self._find(code, start, end, message, cited=(citation.target,))

    def _resolve(self, citation: Citation) -> _Resolved:
        """Return what one citation leads to."""
        key = ((citation.form == "native" and str(citation.native)) or "", citation.target)
        if key not in self.resolved:
            self.resolved[key] = self._look_up(citation)
        return self.resolved[key]

    def _look_up(self, citation: Citation) -> _Resolved:
        target = self.known.aliases.get(citation.target, citation.target)
        native = citation.native
        if native and native.passages and all(name in self.held for name in native.passages):
            return _Resolved(tuple(self.held[name] for name in native.passages), (), native.passages)
        if target in self.held:
            return _Resolved((self.held[target],), (), (target,))
        if citation.form == "malformed" or (not target and not (native and native.cited_text)):
            return _Resolved(unresolved=1, names=(target,))
        if is_address(target):
            page = address_key(target)
            if page in self.by_page or page in self.pages:
                texts = (self.pages[page],) if page in self.pages else ()
                return _Resolved(tuple(self.by_page.get(page, ())), texts, (target,))
            if page in self.opened:
                return _Resolved((), (), (target,), 0, 1)
            return _Resolved((), (), (target,), 1)
        if native and native.form != "":
            titled = [h for h in self.held.values() if target and h.given.title.strip() == target.strip()]
            quoted = self._quoting(native.cited_text) if native.cited_text else []
            if titled or quoted:
                return _Resolved(tuple(titled or quoted), (), (target,))
            if native.cited_text and native.form.endswith(("char_location", "page_location", "block_location")):
                return _Resolved(tuple(self.held.values()), (), (target,))
        return _Resolved((), (), (target,), 1)

    def _quoting(self, words: str) -> list[Held]:
        quote = wanted(uncut(words))
        return [h for h in self.held.values() if find_quotation(quote, h, near=False).stands]

    def _native(self, citation: Citation, resolved: _Resolved) -> None:
        """Hold the words that a citation beside the text quotes against the evidence."""
        native = citation.native
        if not native or not native.cited_text or not (resolved.held or resolved.pages):
            return
        quote = wanted(uncut(native.cited_text))
        matches = [find_quotation(quote, held) for held in resolved.held]
        if any(m.stands for m in matches) or any(is_within(quote, page) for page in resolved.pages):
            return
        if any(is_within(quote, h.aside) or is_within(quote, h.given.title + "\n" + h.text) for h in resolved.held):
            return
        if all(m.state == "absent" for m in matches) and self._in_pieces_of(native.cited_text, resolved):
            return
        if _is_run_of(uncut(native.cited_text), resolved.held):
            return
        near = max(matches, key=lambda m: m.similarity, default=Match("absent"))
        start, end = citation.claim if citation.form == "native" else (citation.start, citation.end)
        self._find(
            "native-quote-differs",
            start,
            end,
            f"the citation quotes {shortened(native.cited_text)!r}, which {', '.join(resolved.names)} does not say",
            cited=resolved.names,
            evidence=(near.evidence,) if near.evidence else (),
            found=near.found,
            changes=near.changes,
        )

    def _in_pieces_of(self, words: str, resolved: _Resolved) -> bool:
        """Return whether quoted words run over several passages of one page: each line stands in one of them."""
        lines = [wanted(line) for line in re.split(r"\n+|(?<=[.!?。！？])\s+", uncut(words)) if weight_of(line) > 3]
        return len(lines) > 1 and all(
            any(find_quotation(w, h, near=False).stands for h in resolved.held) for w in lines
        )

    # --- which stretch rests on what ---------------------------------------------------------------------------------

    def _basis(self, cited: Iterable[Citation]) -> _Resolved:
        held: dict[str, Held] = {}
        pages: list[str] = []
        names: list[str] = []
        unresolved = textless = 0
        for citation in cited:
            one = self._resolve(citation)
            held |= {h.given.id: h for h in one.held}
            pages += one.pages
            names += one.names
            unresolved += one.unresolved
            textless += one.textless
        return _Resolved(
            tuple(held.values()), tuple(dict.fromkeys(pages)), tuple(dict.fromkeys(names)), unresolved, textless
        )

    def _claims_at(self, start: int, end: int) -> list[Claim]:
        return [c for c in self.reading.claims if c.start < end and c.end > start]

    def _rest(self, claims: Sequence[Claim]) -> tuple[_Resolved, _Resolved]:
        """Return what is cited for these claims themselves, and what they inherit."""
        own = self._basis(c for claim in claims for c in claim.cited)
        return own, self._basis(c for claim in claims for c in claim.inherited)

    def _page_held(self, texts: Sequence[str]) -> list[Held]:
        """Return opened pages as evidence, for numbers cited by address."""
        for text in texts:
            if text not in self.page_tokens:
                self.page_tokens[text] = Held(Given("", "", "", text))
        return [self.page_tokens[text] for text in texts]

    # --- quotations --------------------------------------------------------------------------------------------------

    def _quotes(self) -> list[tuple[Quoted, list[Claim]]]:
        out: list[tuple[Quoted, list[Claim]]] = []
        for block in self.reading.blocks:
            if block.kind in ("source", "definition"):
                continue
            inside = quoted_in(self.text, block.start, block.end)
            out += [(quote, self._claims_at(quote.start, quote.end)) for quote in inside]
            if block.kind == "quote" and not inside:
                start, end = block_quotation(self.text, block.start, block.end)
                if start < end:
                    out.append((Quoted(start, end, start, end, ">"), self._claims_at(block.start, block.end)))
        return out

    def _words(self, start: int, end: int) -> str:
        """Return a stretch of the answer without its citations and the marks of a block quotation."""
        text = (
            self.answer.text[start:end] if self.answer.text[start:end] == self.text[start:end] else self.text[start:end]
        )
        out, at = [], start
        for c in self.reading.citations:
            if c.form in ("native", "source-list") or c.end <= at or c.start >= end or c.start < start:
                continue
            out.append(text[at - start : c.start - start])
            out += [text[a - start : b - start] for a, b in c.kept]
            at = c.end
        joined = "".join([*out, text[at - start :]])
        return re.sub(r"\n[ \t]{0,3}>[ \t>]*", "\n", joined)

    def _quotation(self, quote: Quoted, claims: Sequence[Claim]) -> bool:
        """Look for one quotation; return whether it was found or is a finding, so that its numbers are dealt with."""
        said = self._words(quote.inner_start, quote.inner_end)
        want = wanted(said)
        weight = weight_of(want.text)
        if not weight:
            return False
        own, inherited = self._rest(claims)
        basis = own if own.held or own.pages or own.names else inherited
        digits = any(char.isdigit() for char in want.text)
        matches = [find_quotation(want, held, near=weight >= _SHORT or digits) for held in basis.held]
        stands = next((m for m in matches if m.stands), None)
        if stands:
            self.notes.counts["quotations"] += 1
            self.notes.counts[f"quotations_{stands.state}"] += 1
            return True
        if any(is_within(want, text) for text in (*(h.aside for h in basis.held), *basis.pages)):
            self.notes.counts["quotations"] += 1
            self.notes.counts["quotations_beyond"] += 1
            return True
        is_term = is_scare(want) and not _ATTRIBUTED.search(self.text[max(0, quote.start - 60) : quote.start])
        if (weight < _SHORT or is_term) and not digits:
            if other := next(filter(None, (term_altered(want, held) for held in basis.held)), None):
                message = f"{other.evidence} has {other.found!r}"
                self._find(
                    "quote-altered",
                    *(quote.start, quote.end, message),
                    cited=basis.names,
                    evidence=(other.evidence,),
                    found=other.found,
                )
                return True
            self._leave("short-quote", quote.start, quote.end)
            return False
        return self._astray(quote, want, weight, basis, matches, has_own=bool(own.names))

    def _astray(
        self, quote: Quoted, want: Wanted, weight: int, basis: _Resolved, matches: Sequence[Match], *, has_own: bool
    ) -> bool:
        """Deal with a quotation that is not in what is cited for it."""
        self.notes.counts["quotations"] += 1
        near = max(matches, key=lambda m: m.similarity, default=Match("absent"))
        others = [find_quotation(want, h) for h in self.held.values() if h not in basis.held]
        elsewhere = next((m for m in others if m.stands), None)
        if elsewhere:
            self.notes.counts[f"quotations_{elsewhere.state}"] += 1
            if basis.held or basis.pages or basis.textless:
                self._find(
                    "quote-elsewhere",
                    quote.start,
                    quote.end,
                    f"it stands in {elsewhere.evidence}, not in {', '.join(basis.names)}",
                    cited=basis.names,
                    evidence=(elsewhere.evidence,),
                    found=elsewhere.found,
                )
            return True
        if is_within(want, self.known.asked):
            return True
        if self._beyond(want, basis):
            self.notes.counts["quotations_beyond"] += 1
            return True
        if near.state == "absent":
            near = max(others, key=lambda m: m.similarity, default=near)
        if near.state == "near" and not (quote.mark == ">" and near.similarity < 0.7):
            where = near.evidence + (
                "" if near.evidence in {h.given.id for h in basis.held} else ", which is not cited there"
            )
            self._find(
                "quote-altered",
                quote.start,
                quote.end,
                f"{where} has {shortened(near.found)!r}",
                cited=basis.names,
                evidence=(near.evidence,),
                found=near.found,
                changes=near.changes,
            )
            return True
        return self._nowhere(quote, want, weight, basis, has_own=has_own)

    def _beyond(self, want: Wanted, basis: _Resolved) -> bool:
        """Return whether a quotation stands in the whole text of a page that is cited (or of any, with no citation)."""
        cited = {address_key(h.given.url) for h in basis.held if h.given.url}
        pages = [text for key, text in self.pages.items() if key in cited or not basis.names]
        return any(is_within(want, page) for page in pages)

    def _nowhere(self, quote: Quoted, want: Wanted, weight: int, basis: _Resolved, *, has_own: bool) -> bool:
        if (basis.textless or basis.unresolved) and not basis.held and not basis.pages:
            self._leave("text-not-here" if basis.textless else "citation-unresolved", quote.start, quote.end)
            return False
        digits = any(char.isdigit() for char in want.text)
        is_callout = quote.mark == ">" and (
            not has_own
            or re.match(r"\s*(?:\*\*|__|[\U0001f300-\U0001faff\u2600-\u27bf])", self.text[quote.start :][:6])
        )
        if is_callout or (weight < _SHORT and not digits):
            return False
        if weight < _SHORT:  # a short one with digits: its numbers are looked for on their own
            self._leave("short-quote", quote.start, quote.end)
            return False
        if is_title(want.text) or _TITLE_AFTER.match(self.text, quote.end):
            self._leave("title", quote.start, quote.end)
            return False
        if basis.held and not same_script(want.text, basis.held):
            self._leave("other-language", quote.start, quote.end)
            return True
        head = self.text[max(0, quote.start - 60) : quote.start]
        cited = bool(basis.names) and (has_own or bool(_ATTRIBUTED.search(head)) or weight >= _LONG)
        if not cited and not (weight >= _LONG and _ATTRIBUTED.search(head)):
            self._leave("quote-uncited", quote.start, quote.end)
            return False
        where = ", ".join(basis.names)
        self._find(
            "quote-absent",
            quote.start,
            quote.end,
            f"it stands nowhere in the evidence{where and f' ({where} is cited)'}",
            cited=basis.names,
        )
        return True

    # --- numbers -----------------------------------------------------------------------------------------------------

    def _masked(self) -> str:
        """Return the answer with what is no part of its sentences as blanks: markers, code, headings, sources, list
        numbers."""
        mask = bytearray(len(self.text))
        marks = sorted(c.start for c in self.reading.citations if c.form != "source-list")
        for citation in self.reading.citations:
            if citation.form not in ("native", "source-list"):
                mask[citation.start : citation.end] = b"\1" * (citation.end - citation.start)
                for start, end in citation.kept:
                    mask[start:end] = bytes(end - start)
        at = 0
        for block in self.reading.blocks:
            mask[at : block.start] = b"\1" * (block.start - at)
            at = block.end
            is_cited = any(block.start <= mark < block.end for mark in marks[bisect_left(marks, block.start) :][:1])
            if block.kind in ("source", "definition") or (block.kind == "heading" and not is_cited):
                mask[block.start : block.end] = b"\1" * (block.end - block.start)
        mask[at:] = b"\1" * (len(self.text) - at)
        return "".join(" " if hidden and char != "\n" else char for char, hidden in zip(self.text, mask, strict=True))

    def _numbers(self, text: str, covered: Sequence[Quoted]) -> None:
        tokens = tokens_of(text)
        begins = [token.start for token in tokens]
        ends = sorted((q.start, q.end) for q in covered)
        for quantity in quantities(text):
            if any(start <= quantity.start and quantity.end <= end for start, end in ends):
                continue
            if is_counting(text, quantity):
                continue
            claims = self._claims_at(quantity.start, quantity.end)
            within = (min(c.start for c in claims), max(c.end for c in claims)) if claims else (0, len(text))
            self._quantity(Place(text, quantity, tokens, begins, within), claims)

    def _quantity(self, place: Place, claims: Sequence[Claim]) -> None:
        own, inherited = self._rest(claims)
        quantity = place.quantity
        basis = own if own.names else inherited
        held = [*basis.held, *self._page_held(basis.pages)]
        if not basis.names:
            return
        if not held:
            if own.names:
                self._leave("text-not-here" if basis.textless else "citation-unresolved", quantity.start, quantity.end)
            return
        self.notes.counts["quantities"] += 1
        told = judge(place, held, self.asked)
        if told.state == "supported":
            self.notes.counts["quantities_supported"] += 1
            for note in told.notes:
                self.notes.counts[f"supported_{note.replace('-', '_')}"] += 1
        elif told.state == "not-checked" or basis.unresolved or basis.textless:
            self._leave(
                told.notes[0] if told.state == "not-checked" else "citation-unresolved", quantity.start, quantity.end
            )
        elif not own.names and "same-words" not in told.notes and not self._is_copied(claims, held, quantity):
            self._leave("number-uncited", quantity.start, quantity.end)
        else:
            self._unsupported(quantity, told, basis)

    def _unsupported(self, quantity: Quantity, told: Judgement, basis: _Resolved) -> None:
        text = self.answer.text[quantity.start : quantity.end].strip()
        is_year = bool(re.fullmatch(r"[12]\d{3}", text))
        code = "date-unsupported" if quantity.kind in ("date", "time") or is_year else "number-unsupported"
        if told.state == "unit-differs":
            code = "unit-differs"
        message = f"{text!r} does not stand in {', '.join(basis.names)}"
        if told.found:
            message += (
                f", which has {told.found!r}"
                if told.evidence in basis.names
                else f"; {told.evidence} has {told.found!r}"
            )
        self._find(
            code,
            quantity.start,
            quantity.end,
            message,
            cited=basis.names,
            evidence=(told.evidence,) if told.evidence else (),
            found=told.found,
        )

    def _is_copied(self, claims: Sequence[Claim], held: Sequence[Held], quantity: Quantity) -> bool:
        """Return whether a sentence is the evidence's own but for a few words, so that a number in it must be too."""
        start, end = min(c.start for c in claims), max(c.end for c in claims)
        words = [
            t.word for t in tokens_of(self.text[start : quantity.start]) + tokens_of(self.text[quantity.end : end])
        ]
        if len(words) < 6:
            return False
        pairs = {*pairwise(words)}
        for one in held:
            theirs = [t.word for t in one.tokens]
            if len(pairs & {*pairwise(theirs)}) >= 0.8 * len(pairs):
                return True
        return False

    # --- sentences ---------------------------------------------------------------------------------------------------

    def _sentences(self, covered: Sequence[Quoted]) -> None:
        """List the sentences of which nothing was looked up."""
        busy = sorted([(q.start, q.end) for q in covered] + [(f.start, f.end) for f in self.notes.findings])
        looked = bytearray(len(self.text))
        for start, end in busy:
            looked[start:end] = b"\1" * (end - start)
        beside = bytearray(len(self.text))
        for claim in self.reading.claims:
            if claim.kind == "native":
                beside[claim.start : claim.end] = b"\1" * (claim.end - claim.start)
        for claim in self.reading.claims:
            words = self.text[claim.start : claim.end]
            if weight_of(words) < 4 or claim.kind == "heading":
                continue
            if not claim.cited and any(beside[claim.start : claim.end]):
                continue  # what a citation beside the text covers of it is a claim of its own
            self.notes.counts["sentences"] += 1
            own, inherited = self._rest([claim])
            if not own.names and not inherited.names:
                self._leave("uncited", claim.start, claim.end)
            elif not any(looked[claim.start : claim.end]) and not re.search(r"\d", words):
                self._leave("judgement" if own.names else "uncited", claim.start, claim.end, own.names)

    # --- writing down ------------------------------------------------------------------------------------------------

    def _find(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        *,
        cited: tuple[str, ...] = (),
        evidence: tuple[str, ...] = (),
        found: str = "",
        changes: tuple[tuple[str, str], ...] = (),
    ) -> None:
        text = self.answer.text[start:end]
        self.notes.findings.append(AnswerFinding(code, start, end, text, message, cited, evidence, found, changes))

    def _leave(self, reason: str, start: int, end: int, evidence: tuple[str, ...] = ()) -> None:
        text = self.answer.text[start:end]
        stripped = text.strip()
        start += len(text) - len(text.lstrip())
        self.notes.unchecked.append(Unchecked(reason, start, start + len(stripped), stripped, evidence))


def _is_run_of(words: str, held: Iterable[Held]) -> bool:
    """Return whether words are whole passages one behind the other, as APIs join the blocks that a citation covers.

    White space is left out of account: nothing stands between the last word of one and the first of the next.
    """
    left = "".join(words.split())
    texts = {"".join(text.split()) for h in held for text in (h.text, h.given.shown or "")} - {""}
    longest = sorted(texts, key=len, reverse=True)
    at = count = 0
    while at < len(left):
        text = next((one for one in longest if left.startswith(one, at)), None)
        if text is None:
            return False
        at, count = at + len(text), count + 1
    return count > 1
