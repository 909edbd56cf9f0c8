"""Structured recall: a question becomes a query over the agent's own record of its episode (SPEC §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.exam.sheet import Answer
from pitwall.exam.template import Inventory
from pitwall.exam.trace import Trace

Vectors = Callable[[Sequence[str]], Any]
"""Texts to unit vectors, (n, width) float32 (numpy)."""


@dataclass(frozen=True)
class Record:
    """What the agent recorded of an episode, as one inventory's templates read it: never the true state."""

    inventory: Inventory[Any]
    trace: Trace[Any]


class Recall:
    """Answers from records alone, without a model.

    Args:
        records: one for each inventory of the exam.
        last_step: the query horizon; 0: the whole episode.
        vectors: of sentences; None: wordings are compared by their words.
    """

    def __init__(
        self, records: Sequence[Record], *, last_step: int = 0, vectors: Vectors | None = None
    ) -> None:
        raise NotImplementedError

    def answer(self, question: str, *, question_id: str = "") -> Answer:
        """An answer with its evidence steps; NOT_ANSWERABLE where the record does not say."""
        raise NotImplementedError
