"""Facts that are extracted and updated, after Mem0 (arXiv 2504.19413): add, update, delete, or nothing.

Of every turn, candidate facts are compared with what is kept: a new subject is added, a changed value takes
the place of the former, what ceased to be is deleted, what is known changes nothing. Mem0 lets a model
extract and decide; here rules do both, over the same turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.systems.protocol import Entry
from pitwall_exam.answering.systems.statements import NOTHING, changes
from pitwall_exam.answering.systems.turns_memory import most_alike
from pitwall_exam.answering.turns import Turn
from pitwall_exam.episode.remembered import ACTION, REASON, Statement

_MOST_STEPS = 12
"""Steps that a fact about something repeated lists, the newest ones."""


class FactMemory:
    """Keeps the newest fact of each subject, and each kind of change with its newest steps."""

    title: ClassVar[str] = "facts, after Mem0"
    about: ClassVar[str] = (
        "facts extracted from each turn by rules, added, updated or deleted as the state changes"
    )

    def __init__(self, vectors: SentenceVectors) -> None:
        self._vectors = vectors
        self._facts: dict[str, Entry] = {}
        self._steps: dict[str, list[int]] = {}
        self._before: Mapping[str, str] = {}
        self._action = ""

    def observe(self, turn: Turn) -> None:
        """Compare the turn's facts with what is kept."""
        now, step = turn.known, turn.step
        for subject, former, value in changes(self._before, now):
            if value == NOTHING:
                self._facts.pop(subject, None)
            else:
                statements = ((step, subject, value),)
                self._facts[subject] = Entry(f"{subject} is {value} since step {step}", statements)
            if self._action:
                event = f"{subject} went from {former} to {value} after {self._action}"
                before = (
                    (step - 1, subject, former),
                    (step - 1, ACTION, self._action),
                    (step, subject, value),
                )
                self._again(event, step - 1, before)
        if not turn.is_outcome:
            self._again(f"the action {turn.action} was done", step, ((step, ACTION, turn.action),))
        if turn.reason:
            self._again(f"the reason was: {turn.reason}", step, ((step, REASON, turn.reason),))
        self._before, self._action = now, turn.action

    def entries(self) -> Sequence[Entry]:
        """Return all facts."""
        return list(self._facts.values())

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return the facts most like the question."""
        return most_alike(self.entries(), question, k, self._vectors)

    def _again(self, text: str, step: int, statements: tuple[Statement, ...]) -> None:
        """Add a fact, or the step to a fact that is known."""
        steps = [*self._steps.get(text, ()), step][-_MOST_STEPS:]
        self._steps[text] = steps
        known = self._facts.get(text)
        statements = (
            tuple(part for part in (known.statements if known is not None else ()) if part[0] >= steps[0])
            + statements
        )
        self._facts[text] = Entry(
            f"{text} at {'step' if len(steps) == 1 else 'steps'} {listed(steps)}", statements
        )


def listed(steps: Sequence[int]) -> str:
    """Write step numbers, separated by commas."""
    return ", ".join(map(str, steps))
