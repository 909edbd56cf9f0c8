"""The action bank's items as columns: one slot an item, what a score is made of in arrays."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.token_index import Bits, Slots, bits_of, clear_bit, set_bit, slots_of

Floats = NDArray[np.float64]
_LEAST_CAPACITY = 1024
_NUMBERS = ("ids", "words", "plain", "pinned", "inverse", "peak", "reward", "success", "static", "at")


class BankColumns:
    """Items by slot; freed slots are used again.

    Attributes:
        ids: entry ids. words: number of distinct words of the state. plain: no word occurs twice.
        inverse: 1 / |d|, d the word counts. peak: max d / |d|.
        reward, success: R and P. static: 0.15 R + 0.10 P. at: time of the last execution, UTC seconds.
        memories: contents.
        alive: slots that hold an item. worthless: those of them (and freed ones) whose R and P are 0.
        youngest, most_static, least_static, most_words, least_inverse: bounds over all items, past ones too.
    """

    def __init__(self, weights: MemoryWeights) -> None:
        self._weights = weights
        self._free: list[int] = []
        self.used = 0
        self.memories: list[ActionMemory | None] = []
        self.ids = np.zeros(_LEAST_CAPACITY, np.int64)
        self.words = np.zeros(_LEAST_CAPACITY, np.int64)
        self.plain = np.zeros(_LEAST_CAPACITY, np.bool_)
        self.pinned = np.zeros(_LEAST_CAPACITY, np.bool_)
        self.inverse = np.zeros(_LEAST_CAPACITY)
        self.peak = np.zeros(_LEAST_CAPACITY)
        self.reward = np.zeros(_LEAST_CAPACITY)
        self.success = np.zeros(_LEAST_CAPACITY)
        self.static = np.zeros(_LEAST_CAPACITY)
        self.at = np.zeros(_LEAST_CAPACITY)
        self.alive: Bits = np.zeros(_LEAST_CAPACITY // 64, np.uint64)
        self.worthless: Bits = np.zeros(_LEAST_CAPACITY // 64, np.uint64)
        self.youngest = -math.inf
        self.most_static = self.least_static = 0.0
        self.most_words, self.least_inverse = 0, 1.0

    @property
    def capacity(self) -> int:
        """Return the number of slots."""
        return len(self.ids)

    @property
    def full(self) -> bool:
        """Return whether no slot is left."""
        return not self._free and self.used == self.capacity

    def grow(self) -> None:
        """Double the number of slots."""
        for name in (*_NUMBERS, "alive", "worthless"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))

    def take(self, entry_id: int, counts: direct.Counts) -> int:
        """Assign a slot to an item whose state has these words."""
        if self._free:
            slot = self._free.pop()
        else:
            slot, self.used = self.used, self.used + 1
            self.memories.append(None)
        length = math.sqrt(sum(n * n for n in counts.values()))
        most = max(counts.values(), default=0)
        self.ids[slot] = entry_id
        self.words[slot] = len(counts)
        self.plain[slot] = most <= 1
        self.inverse[slot] = 1.0 / length if length else 0.0
        self.peak[slot] = most / length if length else 0.0
        self.most_words = max(self.most_words, len(counts))
        self.least_inverse = min(self.least_inverse, 1.0 / length if length else 1.0)
        set_bit(self.alive, slot)
        return slot

    def free(self, slot: int) -> None:
        """Release an item's slot."""
        clear_bit(self.alive, slot)
        self.memories[slot] = None
        self.at[slot] = math.inf  # never the oldest
        self._free.append(slot)

    def score(self, slot: int, memory: ActionMemory, *, pinned: bool) -> None:
        """Set an item's figures: reward, successes, time."""
        self.memories[slot] = memory
        self.pinned[slot] = pinned
        self.reward[slot] = reward = direct.clipped(memory.reward)
        self.success[slot] = success = direct.success_rate(memory.successes, memory.attempts)
        self.static[slot] = static = self._weights.reward * reward + self._weights.success * success
        at_s = math.inf if math.isnan(memory.at_s) else max(memory.at_s, -1e300)  # as direct.recency has it
        self.at[slot] = at_s
        (set_bit if static == 0.0 else clear_bit)(self.worthless, slot)
        self.youngest = max(self.youngest, at_s)
        self.most_static = max(self.most_static, static)
        self.least_static = min(self.least_static, static)

    def reweigh(self, weights: MemoryWeights) -> None:
        """Use other weights for R and P."""
        self._weights = weights
        self.static = weights.reward * self.reward + weights.success * self.success
        slots = slots_of(self.alive)
        static = self.static[slots]
        self.most_static = float(static.max(initial=0.0))
        self.least_static = float(static.min(initial=0.0))
        self.worthless = bits_of(slots[static == 0.0], self.capacity)

    def oldest(self, count: int) -> list[int]:
        """Return the ids of the `count` unpinned items that were executed longest ago, the oldest first."""
        slots = slots_of(self.alive)
        slots = slots[~self.pinned[slots]]
        if count < len(slots):
            slots = slots[np.argpartition(self.at[slots], count)[:count]]
        return [int(entry_id) for entry_id in self.ids[slots[np.lexsort((self.ids[slots], self.at[slots]))]]]

    def recencies(self, slots: Slots, now_s: float) -> Floats:
        """Return exp(−age / 24 h) or slightly more; exactly 0 where the reference has 0."""
        spans = (now_s - self.at[slots]) / (self._weights.age_h * 3600.0)
        weights = np.exp(-np.maximum(spans, 0.0))
        if len(spans) and spans.max() > 690.0:  # near the smallest numbers: no library rounds them alike
            weights[spans > 690.0] = 1e-299
            weights[spans > 746.0] = 0.0
        return np.asarray(weights)
