"""The agent's record of its episode: the timeline made of its run log alone, never of the true state.

An episode ends at the first end screen after it was played; what a game begins anew afterwards is another
one, and is not asked about. The last step's outcome was not seen: n steps have n - 1 moments.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.steps import StepRecord
from pitwall.exam.states import FieldState, GridState, TextState
from pitwall.exam.trace import Trace
from pitwall.games.exam import GridTable, TextTable


def grid_record(steps: Sequence[StepRecord], grid: GridTable) -> Trace[GridState]:
    """What the state reader made of a grid world. Places count from the first one known.

    Raises:
        PitwallError: steps are missing, or stand out of order.
    """
    raise NotImplementedError


def text_record(steps: Sequence[StepRecord], text: TextTable) -> Trace[TextState]:
    """What the state reader made of a text game; a moment's action is the command that was typed.

    Raises:
        PitwallError: as `grid_record`.
    """
    raise NotImplementedError


def field_record(steps: Sequence[StepRecord]) -> Trace[FieldState]:
    """What the state reader's fields, and the routes, were: of any run, over all its steps.

    Raises:
        PitwallError: as `grid_record`.
    """
    raise NotImplementedError


def reason_of(step: StepRecord) -> str:
    """Why a step was done, in the agent's words; empty where it gave none, as persons do."""
    raise NotImplementedError
