"""The protocol of memory systems: they observe turns in the order of play, and recall for a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.turns import Turn
from pitwall_exam.episode.remembered import Statement


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a memory.

    Attributes:
        statements: the statements that its text makes about single steps.
    """

    text: str
    statements: tuple[Statement, ...]


class MemorySystem(Protocol):
    """A memory of one episode.

    Attributes:
        title: its name in tables, with its source: "facts, after Mem0".
        about: a sentence saying what it keeps and how it is built.
    """

    title: ClassVar[str]
    about: ClassVar[str]

    def __init__(self, vectors: SentenceVectors) -> None: ...

    def observe(self, turn: Turn) -> None:
        """Learn from the next turn. Turns come in order; none is seen twice."""

    def entries(self) -> Sequence[Entry]:
        """Return all entries as they stand now."""

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return at most k entries for a question, the most useful first."""
