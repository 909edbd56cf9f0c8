"""Converts a run of Crafter into a published log's form, from its true states, for the compat rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pitwall.core.errors import ExamError
from pitwall.core.steps import StepRecord
from pitwall_evaluation.truth.log import StateRecord
from pitwall_exam.compat.episode import Episode, LoggedStep
from pitwall_exam.compat.name_mapping import DIGITS, NOTHING, action_names
from pitwall_exam.episode.record import reason_of
from pitwall_exam.making.grid_states import TrueGrid, of_its_kind
from pitwall_exam.making.paths import at_path, whole_number_at
from pitwall_exam.making.timeline import TrueStates, known_states
from pitwall_exam.plugin_table.schema import GridTable, GridTruth


def published_episode(steps: Sequence[StepRecord], states: TrueStates, grid: GridTable) -> Episode:
    """Return the run's first episode, without its last step, whose outcome was not seen.

    Raises:
        ExamError: the game does not declare Crafter's true state, its state lacks something, or there is no
            step.
    """
    paths = grid.truth
    if paths is None or not paths.achievements:
        raise ExamError(
            "the rule set compat needs Crafter's true state, with what was earned.",
            "Use the rule set paper, or declare exam.grid.truth.achievements in the game's plugin.toml.",
        )
    episode, records = known_states(steps, states, TrueGrid(grid).world_of)
    names = action_names(grid)
    with of_its_kind():
        rows = tuple(
            _row(names.get(step.action.name, NOTHING), after, paths, reason_of(step))
            for step, after in zip(episode[:-1], records[1:], strict=True)
        )
        ground = _ground(records[0], paths, grid) if rows else ()
    if not rows:
        raise ExamError("what came of the run's first step was never seen.", "Ask about a longer run.")
    return Episode(rows, ground)


def _row(action: str, after: StateRecord, paths: GridTruth, reason: str) -> LoggedStep:
    x, y = paths.position
    return LoggedStep(
        action=action,
        at=(whole_number_at(after, x), whole_number_at(after, y)),
        inventory=_counts(after, paths.counts),
        achievements=_counts(after, paths.achievements),
        reason=reason,
    )


def _counts(state: StateRecord, path: str) -> Mapping[str, int]:
    counts: Any = at_path(state, path)
    if not isinstance(counts, Mapping):
        raise ExamError(f"{path!r} of the true state is {counts!r}, no table of amounts.")
    return {str(name): int(count) for name, count in counts.items()}


def _ground(state: StateRecord, paths: GridTruth, grid: GridTable) -> tuple[tuple[int, ...], ...]:
    rows: Any = at_path(state, paths.terrain)
    try:
        return tuple(tuple(DIGITS[grid.legend[sign]] for sign in row) for row in rows)
    except KeyError as error:
        raise ExamError(
            f"the true state's terrain holds {error.args[0]!r}, which no question names."
        ) from error
