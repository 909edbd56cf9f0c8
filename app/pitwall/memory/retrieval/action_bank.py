"""SA-MB in memory: the best items for a state, found without looking at every one (SPEC §3).

The ranking is that of `memory.direct`, exactly:

    S = (0.55 J + 0.45 C + 0.15 R + 0.10 P) · exp(−age / 24 h)

How a question is answered
    1. `token_index` counts, for all items at once, how many words each shares with the question.
    2. The items that share most, and those written last, are ranked first. They set the mark: the score of
       the k-th best so far.
    3. For sharing c words J and C have upper bounds that depend on c alone, R and P have their greatest
       values, and no item is younger than the youngest. The least c that could still reach the mark follows;
       items below it are never looked at. Those above it come class by class, most shared words first, and
       the mark rises on the way. Age and R, P of each item thin out a class that is large.
    4. An item that is looked at gets an upper bound of its own by a few array operations. From the
       greatest bound down, items are scored by `direct.score` itself, until a bound is below the mark.

Why it is exact
    An item is passed over only where an upper bound of its score is below the score of k items already
    scored. Bounds: an item of n words that shares c of the question's m has J = c / (m + n − c) ≤ c / m. Of
    its word counts d and the question's q, C = q·d / |q||d|; by Cauchy and Schwarz over the shared words C is
    at most |q restricted to them| / |q|, at most the root of the c greatest q² over |q|; and since no d
    exceeds the item's greatest, C ≤ max d · (sum of the c greatest q) / |q||d|, which is C itself where no
    word stands twice on either side. Bounds are widened by 10⁻¹², more than their arithmetic can err; every
    score that is returned or sets the mark comes from the reference. Equal bounds go by number, as ties do.

What a write costs: O(words) where the text is new, O(1) where only reward, success or time changed.
"""

from __future__ import annotations

import math
from collections import deque

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import Candidate, MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.bank_columns import BankColumns
from pitwall.memory.retrieval.bank_search import Lowest, Question, Search, exact
from pitwall.memory.retrieval.token_index import TokenIndex, slots_of

_LATEST = 256
_SPARE = 0.01


class ActionBank:
    """The items of one game, ranked exactly as by `memory.direct.rank`.

    Args:
        most: greatest number of items; `surplus` returns those beyond it.
    """

    def __init__(self, weights: MemoryWeights, *, most: int = 2_000_000) -> None:
        self.most = most
        self._weights = weights
        self._columns = BankColumns(weights)
        self._texts = TokenIndex(self._columns.capacity)
        self._actions = TokenIndex(self._columns.capacity)
        self._slots: dict[int, int] = {}
        self._latest: deque[int] = deque(maxlen=_LATEST)

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._slots

    def memory(self, entry_id: int) -> ActionMemory | None:
        """Return an item's contents; None if the bank does not have it."""
        slot = self._slots.get(entry_id)
        return None if slot is None else self._columns.memories[slot]

    # ---- writing

    def put(self, entry: MemoryEntry) -> None:
        """Take an item in, or what changed of it; a forgotten one is removed.

        Raises:
            TypeError: it is of another kind.
        """
        memory = entry.content
        if not isinstance(memory, ActionMemory):
            raise TypeError(f"entry {entry.entry_id} is no item of the action bank")
        if entry.forgotten:
            self.remove(entry.entry_id)
            return
        slot = self._slots.get(entry.entry_id)
        known = None if slot is None else self._columns.memories[slot]
        if slot is None or known is None or (known.state, known.action) != (memory.state, memory.action):
            self.remove(entry.entry_id)
            slot = self._take(entry.entry_id, memory)
        self._columns.score(slot, memory, pinned=entry.pinned)
        self._latest.append(slot)

    def _take(self, entry_id: int, memory: ActionMemory) -> int:
        """Give an item a slot, and its words to the index."""
        columns = self._columns
        if columns.full:
            columns.grow()
            self._texts.grow(columns.capacity)
            self._actions.grow(columns.capacity)
        counts = direct.counts_of(memory.state)
        slot = columns.take(entry_id, counts)
        self._texts.add(slot, counts)
        self._actions.add(slot, (memory.action,))
        self._slots[entry_id] = slot
        return slot

    def remove(self, entry_id: int) -> None:
        """Remove an item; unknown ids are ignored."""
        slot = self._slots.pop(entry_id, None)
        if slot is None:
            return
        memory = self._columns.memories[slot]
        assert memory is not None
        self._texts.discard(slot, direct.counts_of(memory.state))
        self._actions.discard(slot, (memory.action,))
        self._columns.free(slot)

    def surplus(self) -> list[int]:
        """Return the items to forget when there are more than `most`; none otherwise.

        The items that were executed longest ago go first, pinned ones never. 1 % more than necessary are
        returned, so that the next writes need not ask again.
        """
        if len(self) <= self.most:
            return []
        return self._columns.oldest(len(self) - int(self.most * (1.0 - _SPARE)))

    def reweigh(self, weights: MemoryWeights) -> None:
        """Rank by other weights from now on."""
        if weights != self._weights:
            self._weights = weights
            self._columns.reweigh(weights)

    # ---- asking

    def query(self, text: str, *, now_s: float, k: int = 1, action: str | None = None) -> list[Candidate]:
        """Return the k best items; ties are ordered by entry id.

        Args:
            now_s: UTC seconds since 1970.
            action: rank only the items of this action.
        """
        return self._best(self._question(text, now_s), k, action=action)

    def candidates(self, text: str, now_s: float, limit: int) -> list[Candidate]:
        """Return the best items, as `query` does."""
        return self.query(text, now_s=now_s, k=limit)

    def alike(
        self, text: str, *, now_s: float, least: float, k: int = 1, action: str | None = None
    ) -> list[Candidate]:
        """Return the k best of the items whose semantic part is at least `least`."""
        return self._best(self._question(text, now_s), k, action=action, least=least)

    def last(self, text: str, *, now_s: float) -> Candidate | None:
        """Return an item with the lowest score: the lower end of the normalisation."""
        if not self._slots:
            return None
        columns, question = self._columns, self._question(text, now_s)
        if columns.least_static >= 0.0:
            nothing = columns.worthless & columns.alive
            for plane in question.planes:
                nothing = nothing & ~plane
            if nothing.any():
                return exact(columns, question, int(slots_of(nothing)[0]))
        return Lowest(columns, question).run()

    def _question(self, text: str, now_s: float) -> Question:
        counts = direct.counts_of(text)
        return Question.of(
            counts,
            self._texts.overlaps(counts),
            known=[word for word in counts if word in self._texts],
            now_s=now_s,
            weights=self._weights,
        )

    def _best(
        self, question: Question, k: int, *, action: str | None = None, least: float = -math.inf
    ) -> list[Candidate]:
        among = self._columns.alive if action is None else self._actions.has(action)
        if among is None or not self._slots or k < 1:
            return []
        return Search(self._columns, question, among, k, least).run(self._latest)
