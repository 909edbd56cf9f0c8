"""The truth's timeline: what truly held at each step of a run, from the log of its game's true states.

For the maker of exams alone: answerers read `exam.record`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.evaluation.truth import TrueState
from pitwall.exam.states import GridState, TextState
from pitwall.exam.trace import Trace
from pitwall.games.exam import GridTable, TextTable


@dataclass(frozen=True)
class TrueStates:
    """The true states of a run.

    Attributes:
        states: each with its time, nanoseconds since the run began, rising.
        notes: sentences: what of the log could not be read (cut off in mid-line, another encoding).
    """

    states: Sequence[tuple[int, TrueState]]
    notes: tuple[str, ...] = ()


def true_states(data: DataFolder, run_id: int) -> TrueStates:
    """The log of a run's true states, as far as it can be read; the states of no log are none.

    Raises:
        PitwallError: the log is there, and nothing in it can be read; says why.
    """
    raise NotImplementedError


def grid_truth(steps: Sequence[StepRecord], states: TrueStates, grid: GridTable) -> Trace[GridState]:
    """What was true of a grid world; `seen` is the true terrain of the tiles in view, however dark.

    Raises:
        PitwallError: no state lies within the run, or something that [exam.grid.truth] names is not there.
    """
    raise NotImplementedError


def text_truth(steps: Sequence[StepRecord], states: TrueStates, text: TextTable) -> Trace[TextState]:
    """What was true of a text game.

    Raises:
        PitwallError: as `grid_truth`.
    """
    raise NotImplementedError
