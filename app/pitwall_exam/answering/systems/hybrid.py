"""Turns, facts and stores together, by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.systems.facts import FactMemory
from pitwall_exam.answering.systems.protocol import Entry, MemorySystem
from pitwall_exam.answering.systems.stores import StoreMemory
from pitwall_exam.answering.systems.turns_memory import TurnMemory
from pitwall_exam.answering.turns import Turn

_RANK = 60
"""The constant of the fusion, as its authors set it."""


class HybridMemory:
    """Lets three memories recall, and joins their ranks."""

    title: ClassVar[str] = "hybrid"
    about: ClassVar[str] = "turns, facts and two stores, joined by the ranks that each gives its entries"

    def __init__(self, vectors: SentenceVectors) -> None:
        self._parts: tuple[MemorySystem, ...] = (
            TurnMemory(vectors),
            FactMemory(vectors),
            StoreMemory(vectors),
        )

    def observe(self, turn: Turn) -> None:
        """Let each part learn from the turn."""
        for part in self._parts:
            part.observe(turn)

    def entries(self) -> Sequence[Entry]:
        """Return the entries of all parts."""
        return [entry for part in self._parts for entry in part.entries()]

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return the entries with the highest sum of 1 / (60 + rank)."""
        scores: dict[Entry, float] = {}
        for part in self._parts:
            for rank, entry in enumerate(part.recall(question, k), start=1):
                scores[entry] = scores.get(entry, 0.0) + 1 / (_RANK + rank)
        return sorted(scores, key=lambda entry: -scores[entry])[:k]
