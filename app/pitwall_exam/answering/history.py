"""Writes an episode's history into a model's context, shortened by stated rules (SPEC §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pitwall_exam.answering.turns import Turn, turn_text

RULES = "shortened where it exceeds the context: no reasons, then no repeated states, then no oldest steps"
CountTokens = Callable[[Sequence[str]], Sequence[int]]
"""Counts the tokens of each text."""


@dataclass(frozen=True, slots=True)
class History:
    """The part of an episode that a prompt holds.

    Attributes:
        lines: one per step, oldest first. first: number of the first step that is left; 0: there is none.
        shortened: what was left out, as a sentence; empty: nothing.
    """

    lines: tuple[str, ...]
    first: int
    shortened: str = ""

    @property
    def text(self) -> str:
        """Return the lines, after the sentence that says what was left out."""
        return "\n".join((self.shortened, *self.lines) if self.shortened else self.lines)


class HistoryWriter:
    """Writes a history as long as there is room for; each way of writing is counted once."""

    def __init__(self, turns: Sequence[Turn], count: CountTokens) -> None:
        self._turns = turns
        self._count = count
        self._counts: dict[int, Sequence[int]] = {}
        short = [turn_text(turn, with_reason=False) for turn in turns]
        repeated = [
            bool(at) and turn.before == turns[at - 1].before and len(turn.before) > len("as before")
            for at, turn in enumerate(turns)
        ]
        self._ways = (
            ("", [turn_text(turn) for turn in turns]),
            ("Reasons are left out.", short),
            (
                "Reasons are left out; a state like that of the step before is called the same.",
                [
                    turn_text(replace(turn, before="same state."), with_reason=False) if same else line
                    for turn, line, same in zip(turns, short, repeated, strict=True)
                ],
            ),
        )

    def history(self, room: int) -> History:
        """Return the longest history within `room` tokens; at least the newest step and its outcome.

        The whole text is taken if it fits; else the reasons are left out; else repeated states too; else the
        oldest steps too.
        """
        if not self._turns:
            return History((), 0)
        for way, (shortened, lines) in enumerate(self._ways):
            if sum(self._tokens(way)) <= room:
                return History(tuple(lines), self._turns[0].step, shortened)
        counts = self._tokens(len(self._ways) - 1)  # of the last, the shortest way
        first = max(0, len(lines) - 1 - self._turns[-1].is_outcome)
        used = sum(counts[first:])
        while first and used + counts[first - 1] <= room:
            first -= 1
            used += counts[first]
        step = self._turns[first].step
        left_out = (
            f"Steps {self._turns[0].step} to {step - 1} are left out for want of room. " if first else ""
        )
        line = turn_text(self._turns[first], with_reason=False)
        return History((line, *lines[first + 1 :]), step, f"{left_out}{shortened}")

    def _tokens(self, way: int) -> Sequence[int]:
        if way not in self._counts:
            self._counts[way] = self._count([f"{line}\n" for line in self._ways[way][1]])
        return self._counts[way]
