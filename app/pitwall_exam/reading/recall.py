"""Structured recall: turns a question into a query over the agent's own record of its episode (SPEC §7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pitwall_exam.episode.remembered import Statement, remembered
from pitwall_exam.episode.trace import Trace
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer
from pitwall_exam.questions.template import Inventory
from pitwall_exam.reading.bundled_wordings import Examples, own_examples
from pitwall_exam.reading.matcher import Matcher, Reading, Vectors, close
from pitwall_exam.reading.vocabulary import Vocabulary

__all__ = ["Recall", "Record", "Vectors"]

_LEAST = 0.2
"""Lowest score of a reading. A question below it asks for something else."""
NOT_UNDERSTOOD = "no declared question is like this one"


@dataclass(frozen=True)
class Record:
    """The agent's record of an episode, as one inventory's templates read it; never the true state."""

    inventory: Inventory[Any]
    trace: Trace[Any]


class Recall:
    """Answers from records alone, without a model.

    Args:
        records: one for each inventory of the exam.
        last_step: the query horizon; 0: the whole episode.
        words: values of slots by slot name, from the game rather than the episode (items, terrains, actions).
        vectors: computes sentence vectors; None: wordings are compared by their words.
        examples: wordings to compare free ones with: inventory → template → wordings; None: the bundled ones.
    """

    def __init__(
        self,
        records: Sequence[Record],
        *,
        last_step: int = 0,
        words: Mapping[str, Iterable[str]] | None = None,
        vectors: Vectors | None = None,
        examples: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    ) -> None:
        longest = max((len(record.trace) for record in records), default=0)
        self._last_step = min(last_step, longest) if last_step else longest
        self._traces = {record.inventory.name: record.trace.until(self._last_step) for record in records}
        inventories = [record.inventory for record in records]
        self.vocabulary = Vocabulary(
            [(inventory, self._traces[inventory.name]) for inventory in inventories], words
        )
        self.matcher = Matcher(
            inventories,
            self.vocabulary,
            {inventory.name: _own(inventory) for inventory in inventories} if examples is None else examples,
            last_step=self._last_step,
            vectors=vectors,
        )

    def answer(
        self, question: str, *, question_id: str = "", statements: Sequence[Statement] | None = None
    ) -> Answer:
        """Answer a question with its evidence steps; NOT_ANSWERABLE if the record lacks the answer.

        Args:
            statements: the only statements that are known of the episode; None: the whole record is.
        """
        return self.best(self.readings(question), question_id=question_id, statements=statements)

    def best(
        self,
        readings: Sequence[Reading],
        *,
        question_id: str = "",
        statements: Sequence[Statement] | None = None,
    ) -> Answer:
        """Answer the likeliest reading, and mention another one that is nearly as likely."""
        if not readings or readings[0].score < _LEAST:
            return Answer(id=question_id, text="", problem=NOT_UNDERSTOOD)
        doubt = (
            f"; close second: {query_text(readings[1])}" if len(readings) > 1 and close(*readings[:2]) else ""
        )
        return self.look_up(readings[0], question_id=question_id, doubt=doubt, statements=statements)

    def readings(self, question: str) -> list[Reading]:
        """List the readings of a question, the likeliest first; a declared form has no alternatives."""
        declared = self.matcher.declared(question)
        return [declared] if declared is not None else self.matcher.ranked(question)

    def look_up(
        self,
        reading: Reading,
        *,
        question_id: str = "",
        doubt: str = "",
        statements: Sequence[Statement] | None = None,
    ) -> Answer:
        """Look a query up in the record, or in some statements about it."""
        trace = self._traces[reading.inventory]
        if statements is not None:
            trace = remembered(trace, statements)
        if reading.horizon:
            trace = trace.until(min(reading.horizon, self._last_step))
        answer = reading.template.find(trace, reading.slots)
        how = "read as" if reading.declared else "understood as"
        return Answer(
            id=question_id,
            text=answer.answers[0] if answer.answers else NOT_ANSWERABLE,
            evidence=answer.steps,
            explanation=f"{how} {query_text(reading)}{doubt}",
        )


def _own(inventory: Inventory[Any]) -> Examples:
    return own_examples(inventory.name, tuple(template.name for template in inventory.templates))


def query_text(reading: Reading) -> str:
    """Format a query: "A_stat (stat: food, step: 12)"."""
    slots = ", ".join(f"{name}: {value}" for name, value in reading.slots.items())
    return f"{reading.template.name} ({slots})" if slots else reading.template.name
