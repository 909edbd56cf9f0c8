"""Retrieval over turns: each turn is kept in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.ranking import Ranking
from pitwall_exam.answering.systems.protocol import Entry
from pitwall_exam.answering.systems.statements import statements_of
from pitwall_exam.answering.turns import Turn, turn_text


class TurnMemory:
    """Keeps every turn as it is; recall takes those most like the question."""

    title: ClassVar[str] = "turns, by likeness"
    about: ClassVar[str] = "every turn in its own words; the turns most like the question are recalled"

    def __init__(self, vectors: SentenceVectors) -> None:
        self._vectors = vectors
        self._entries: list[Entry] = []

    def observe(self, turn: Turn) -> None:
        """Learn from the next turn."""
        self._entries.append(Entry(turn_text(turn), statements_of(turn)))

    def entries(self) -> Sequence[Entry]:
        """Return all entries."""
        return self._entries

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return the turns most like the question."""
        return most_alike(self._entries, question, k, self._vectors)


def most_alike(entries: Sequence[Entry], question: str, k: int, vectors: SentenceVectors) -> list[Entry]:
    """Return the k entries most like a question, best first."""
    ranking = Ranking([entry.text for entry in entries], vectors)
    return [entries[number] for number in ranking.best(question, k)]
