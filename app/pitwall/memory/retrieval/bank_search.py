"""Answers one question to the action bank: bounds, and the search that they cut short (see `action_bank`)."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.retrieval import Candidate, MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.bank_columns import BankColumns, Floats
from pitwall.memory.retrieval.token_index import (
    Bits,
    Planes,
    Slots,
    at_least,
    counts_at,
    fewest,
    greatest,
    held,
    packed,
    size_of,
    slots_of,
)

_SLACK, _TABLE_SLACK = 1e-12, 1e-9
_MANY = 32_768
"""So many items are looked at in one go: their columns stay in the processor's cache."""
_FEW = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A text, the words that it shares with each item, and upper bounds of the score by shared words.

    Attributes:
        plain: no word occurs twice.
        semantic: upper bound of 0.55 J + 0.45 C by the number c of shared words. cauchy, heaviest, lightest:
            by c, of the question's word counts q: |the c greatest| / |q|, sum of the c greatest / |q|, sum of
            the c least / |q|.
    """

    counts: direct.Counts
    planes: Planes
    plain: bool
    semantic: Floats
    cauchy: Floats
    heaviest: Floats
    lightest: Floats
    now_s: float
    weights: MemoryWeights

    @classmethod
    def of(
        cls,
        counts: direct.Counts,
        planes: Planes,
        *,
        known: Iterable[str],
        now_s: float,
        weights: MemoryWeights,
    ) -> Question:
        """Prepare a question. known: its words that occur in any item."""
        length = math.sqrt(sum(n * n for n in counts.values())) or 1.0
        rising = np.sort(np.array([float(counts[word]) for word in known]))
        falling = rising[::-1]
        cauchy = _sums(falling * falling) ** 0.5 / length
        shares = np.arange(len(rising) + 1) / max(1, len(counts))
        return cls(
            counts=counts,
            planes=planes,
            plain=max(counts.values(), default=0) <= 1,
            semantic=weights.jaccard * shares + weights.cosine * cauchy,
            cauchy=cauchy,
            heaviest=_sums(falling) / length,
            lightest=_sums(rising) / length,
            now_s=now_s,
            weights=weights,
        )


def _sums(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])


@dataclass(frozen=True, slots=True)
class _Looked:
    """Items that were looked at: shared words, recency, semantic part and score at most."""

    slots: Slots
    shared: Slots
    static: Floats
    recency: Floats
    semantic: Floats
    upper: Floats

    def only(self, keep: NDArray[np.bool_] | Slots) -> _Looked:
        return _Looked(
            self.slots[keep],
            self.shared[keep],
            self.static[keep],
            self.recency[keep],
            self.semantic[keep],
            self.upper[keep],
        )


class Search:
    """The k best of some items for a question.

    Args:
        among: the items. least: semantic part that an item must have.
    """

    def __init__(
        self, columns: BankColumns, question: Question, among: Bits, k: int, least: float = -math.inf
    ) -> None:
        self._columns = columns
        self._question = question
        self._among = among
        self._k = k
        self._least = least
        self._best: list[tuple[tuple[float, int], Candidate]] = []
        self._scored: set[int] = set()
        self._fit: Bits | None = None
        self._top = greatest(question.planes, among)
        self._fresh = direct.recency(question.now_s - columns.youngest, question.weights)
        self._static = columns.most_static

    def run(self, latest: Iterable[int]) -> list[Candidate]:
        """Return the best candidates, best first. latest: slots written last, tried first if age decides."""
        guess = np.unique(np.fromiter(latest, np.int64))
        guess = guess[held(self._among, guess)]
        if self._columns.used > _MANY:
            self._settle(guess)  # a mark, should very many share the most words
        self._settle_class(self._top, self._top + 1)
        upto, width = self._top, 1
        if upto > self._floor():
            self._settle(guess)
        while upto > (floor := self._floor()):
            least = max(upto - width, floor)
            self._settle_class(least, upto)
            upto, width = least, 2 * width
        return [candidate for _, candidate in self._best]

    # ---- the mark

    @property
    def _mark(self) -> float:
        """Return the score that an item must reach."""
        return self._best[-1][1].bank if len(self._best) == self._k else -math.inf

    def _floor(self) -> int:
        """Return the smallest number of shared words with which an item could still enter."""
        needed = self._least
        if self._mark > 0.0:
            needed = max(needed, self._mark / self._fresh - self._static if self._fresh else math.inf)
        return int(np.searchsorted(self._question.semantic, needed - _TABLE_SLACK))

    # ---- looking

    def _settle_class(self, least: int, upto: int) -> None:
        """Offer the items that share from `least` to below `upto` words."""
        planes = self._question.planes
        bits = at_least(planes, least, self._among)
        if upto <= self._top:
            bits = bits & ~at_least(planes, upto, self._among)
        most = float(self._question.semantic[min(upto, len(self._question.semantic)) - 1])
        self._settle(self._thinned(bits, most))

    def _thinned(self, bits: Bits, semantic: float) -> Slots:
        """Return the slots of a bitmap; of many, only those young and successful enough to reach the mark.

        The mark rises and `semantic` falls from class to class, so a slot that failed once never passes
        later.
        """
        columns, question = self._columns, self._question
        if self._fit is not None:
            bits = bits & self._fit
        if self._mark <= 0.0 or size_of(bits) < max(_MANY, columns.used // 16):
            return slots_of(bits)
        young = self._mark / (semantic + self._static + _TABLE_SLACK)
        span_s = question.weights.age_h * 3600.0
        since = question.now_s + span_s * math.log(young) - 1e-3 - _TABLE_SLACK * span_s
        fit = columns.at[: columns.used] >= since
        static = self._mark / self._fresh - semantic - _TABLE_SLACK
        if static > 0.0:
            fit &= columns.static[: columns.used] >= static
        self._fit = packed(fit, columns.capacity)
        return slots_of(bits & self._fit)

    def _settle(self, slots: Slots) -> None:
        """Offer items, the most promising first."""
        for start in range(0, len(slots), _MANY):
            looked = self._kept(self._look(slots[start : start + _MANY]))
            if len(looked.slots) > max(_FEW, 2 * self._k):
                looked = self._distinct(self._zeros(looked))
            while len(looked.slots):
                most = max(_FEW, 2 * self._k)
                first = looked
                if len(looked.slots) > most:
                    order = np.argpartition(-looked.upper, most)
                    first, looked = looked.only(order[:most]), looked.only(order[most:])
                    self._score(first)
                    looked = self._kept(looked)
                else:
                    self._score(first)
                    break

    def _look(self, slots: Slots) -> _Looked:
        columns, question = self._columns, self._question
        weights = question.weights
        shared = counts_at(question.planes, slots)
        jaccard = shared / np.maximum(len(question.counts) + columns.words[slots] - shared, 1)
        cosine = np.minimum(question.cauchy[shared], question.heaviest[shared] * columns.peak[slots])
        semantic = weights.jaccard * jaccard + weights.cosine * cosine
        static, recency = columns.static[slots], columns.recencies(slots, question.now_s)
        upper = (semantic + static) * recency
        return _Looked(slots, shared, static, recency, semantic, upper + np.abs(upper) * _SLACK)

    def _kept(self, looked: _Looked) -> _Looked:
        """Keep the items that could still enter."""
        keep = (looked.upper >= self._mark) & (looked.semantic >= self._least - _TABLE_SLACK)
        return looked if keep.all() else looked.only(keep)

    def _score(self, looked: _Looked) -> None:
        """Score items by the reference, from the greatest bound down, until a bound is below the mark."""
        for place in np.lexsort((self._columns.ids[looked.slots], -looked.upper)):
            if looked.upper[place] < self._mark:
                return
            self._offer(int(looked.slots[place]))

    def _offer(self, slot: int) -> None:
        if slot in self._scored:
            return
        self._scored.add(slot)
        candidate = exact(self._columns, self._question, slot)
        key = (-candidate.bank, candidate.entry_id)
        if candidate.semantic < self._least or (len(self._best) == self._k and key >= self._best[-1][0]):
            return
        bisect.insort(self._best, (key, candidate), key=lambda pair: pair[0])
        del self._best[self._k :]

    # ---- many that score alike: only the lowest numbers of them can enter

    def _zeros(self, looked: _Looked) -> _Looked:
        """Keep only the k lowest numbers of the items that score exactly 0."""
        if self._least > -math.inf:
            return looked
        zero = (looked.recency == 0.0) | ((looked.shared == 0) & (looked.static == 0.0))
        places = np.flatnonzero(zero)
        if len(places) <= self._k:
            return looked
        ids = self._columns.ids[looked.slots[places]]
        keep = ~zero
        keep[places[np.argpartition(ids, self._k - 1)[: self._k]]] = True
        return looked.only(keep)

    def _distinct(self, looked: _Looked) -> _Looked:
        """Keep only the k lowest numbers of the items whose every figure is the same."""
        return looked.only(_unlike(self._columns, self._question, looked.slots, looked.shared, self._k))


def _unlike(columns: BankColumns, question: Question, slots: Slots, shared: Slots, k: int) -> Slots:
    """Return the items' slots; of items with all figures equal, only the k lowest entry ids.

    J and C follow from the number of shared words and of words if no word occurs twice on either side, and if
    no word is shared.
    """
    excluded = (shared == 0) | (columns.plain[slots] & question.plain)
    places = np.flatnonzero(excluded)
    of, shared = slots[places], shared[places]
    words = np.where(shared == 0, 0, columns.words[of])
    figures = (columns.reward[of], columns.success[of], columns.at[of], words, shared)
    order = np.lexsort((columns.ids[of], *figures))
    change = np.zeros(len(order), np.bool_)
    change[:1] = True
    for figure in figures:
        in_order = figure[order]
        change[1:] |= in_order[1:] != in_order[:-1]
    counted = np.arange(len(order))
    within = counted - np.maximum.accumulate(np.where(change, counted, 0))
    return np.concatenate([np.flatnonzero(~excluded), places[order[within < k]]])


def exact(columns: BankColumns, question: Question, slot: int) -> Candidate:
    """Return an item's figures by the reference formulas."""
    memory = columns.memories[slot]
    assert memory is not None
    item = direct.BankItem(int(columns.ids[slot]), memory, direct.counts_of(memory.state))
    return direct.score(question.counts, item, now_s=question.now_s, weights=question.weights)


class Lowest:
    """The other end: an item of the lowest score. `Search` upside down, with lower bounds."""

    def __init__(self, columns: BankColumns, question: Question) -> None:
        self._columns = columns
        self._question = question
        self._fewest = fewest(question.planes, columns.alive)
        weights, shared = question.weights, np.arange(len(question.lightest))
        self._semantic = (  # at least, by the number of shared words
            weights.jaccard * shared / np.maximum(len(question.counts) + columns.most_words - shared, 1)
            + weights.cosine * question.lightest * columns.least_inverse
        )

    def run(self) -> Candidate:
        """Return the item with the lowest score; the bank must not be empty."""
        columns, question = self._columns, self._question
        rarest = slots_of(columns.alive & ~at_least(question.planes, self._fewest + 1, columns.alive))
        oldest = int(np.argmin(columns.at[: columns.used]))
        if columns.memories[oldest] is None:  # a freed slot: nothing has an age
            oldest = int(rarest[0])
        worst = self._settle(rarest[:_MANY], exact(columns, question, oldest))
        slots = self._worth_a_look(worst.bank, question.now_s - float(columns.at[oldest]))
        for start in range(0, len(slots), _MANY):
            worst = self._settle(slots[start : start + _MANY], worst)
        return worst

    def _worth_a_look(self, mark: float, oldest_s: float) -> Slots:
        """Return slots that could score less than the mark: old enough, and sharing few enough words."""
        columns, question = self._columns, self._question
        faintest = direct.recency(oldest_s, question.weights)
        least = self._semantic + columns.least_static - _TABLE_SLACK
        upto = int(np.searchsorted(least, mark / faintest, "right")) if faintest > 0.0 else len(least)
        bits = columns.alive & ~at_least(question.planes, upto, columns.alive)
        floor = float(least[self._fewest])
        if floor <= 0.0 or mark >= floor:
            return slots_of(bits)
        span_s = question.weights.age_h * 3600.0
        until = question.now_s + span_s * (math.log(mark / floor) if mark > 0.0 else -700.0)
        old = columns.at[: columns.used] <= until + 1e-3 + _TABLE_SLACK * span_s
        return slots_of(bits & packed(old, columns.capacity))

    def _settle(self, slots: Slots, worst: Candidate) -> Candidate:
        columns, question = self._columns, self._question
        weights = question.weights
        shared = counts_at(question.planes, slots)
        jaccard = shared / np.maximum(len(question.counts) + columns.words[slots] - shared, 1)
        cosine = question.lightest[shared] * columns.inverse[slots]
        bound = weights.jaccard * jaccard + weights.cosine * cosine + columns.static[slots]
        recency = columns.recencies(slots, question.now_s)
        bound *= np.where(recency == 1e-299, 0.0, recency)
        bound -= np.abs(bound) * _SLACK
        near = np.flatnonzero(bound < worst.bank)
        if len(near) > _FEW:
            near = near[_unlike(columns, question, slots[near], shared[near], 1)]
        for place in near[np.argsort(bound[near])]:
            if bound[place] >= worst.bank:
                break
            other = exact(columns, question, int(slots[place]))
            worst = other if other.bank < worst.bank else worst
        return worst
