"""The true timeline: the game's true state at each step of a run.

Only the maker of exams uses it; answerers read `episode.record`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from pitwall.core.errors import ExamError
from pitwall.core.steps import StepRecord
from pitwall_evaluation.truth.log import StateRecord, TrueStates, true_states
from pitwall_exam.episode.record import command_of, listed, moments_of
from pitwall_exam.episode.states import GridState, TextState
from pitwall_exam.episode.trace import Trace
from pitwall_exam.making.grid_states import TrueGrid
from pitwall_exam.making.paths import at_path, is_over
from pitwall_exam.plugin_table.schema import GridTable, TextTable

__all__ = ["TrueStates", "grid_truth", "known_states", "text_truth", "true_states"]


def grid_truth(steps: Sequence[StepRecord], states: TrueStates, grid: GridTable) -> Trace[GridState]:
    """Build the true timeline of a grid world; `seen` is the true terrain of the tiles in view, however dark.

    Raises:
        ExamError: no state falls within the run, or something that [exam.grid.truth] names is missing.
    """
    world = TrueGrid(grid)
    episode, records = known_states(steps, states, world.world_of)
    grid_states = world.states(records)
    ended = "death" if grid_states and grid_states[-1].dead else _ending(records)
    return Trace(moments_of(episode, grid_states), ended=ended)


def text_truth(steps: Sequence[StepRecord], states: TrueStates, text: TextTable) -> Trace[TextState]:
    """Build the true timeline of a text game.

    Raises:
        ExamError: as `grid_truth`.
    """
    episode, records = known_states(steps, states, lambda _: None)
    text_states = [_text_state(state, text) for state in records]
    return Trace(
        moments_of(episode, text_states, lambda step: command_of(step, text)), ended=_ending(records)
    )


def known_states(
    steps: Sequence[StepRecord], states: TrueStates, world_of: Callable[[StateRecord], object]
) -> tuple[Sequence[StepRecord], list[StateRecord]]:
    """Return the steps of the first episode, and the newest state when each was decided.

    Raises:
        ExamError: no state was kept.
    """
    if not states.states:
        raise ExamError(
            "no true state of this run was kept.",
            "Play it once more: a run that Pitwall launches keeps them.",
        )
    times = [at_ns for at_ns, _ in states.states]
    records: list[StateRecord] = []
    played: StateRecord | None = None
    for step in steps:
        if step.at_ns > states.over_ns:
            break
        state = states.states[max(0, bisect_right(times, step.at_ns) - 1)][1]
        if played is not None and world_of(state) != world_of(played):
            break
        records.append(state)
        if played is not None and is_over(state):
            break
        if state["status"] == "playing":
            played = state
    return steps[: len(records)], records


def _ending(records: Sequence[StateRecord]) -> str:
    """Return the game's reason for the end of the episode."""
    if not records or not is_over(records[-1]):
        return ""
    return str(records[-1]["terminal"].get("reason") or "over")


def _text_state(state: StateRecord, text: TextTable) -> TextState:
    paths = text.truth
    if paths is None:
        raise ExamError(
            "the game does not say where its true state holds what the exam asks.",
            "Declare it in its plugin.toml: [exam.text.truth].",
        )
    parts = {
        name: at_path(state, path) if (path := getattr(paths, name)) else None
        for name in ("location", "observation", "inventory", "score", "valid")
    }
    score = parts["score"]
    return TextState(
        location=str(parts["location"] or ""),
        observation=str(parts["observation"] or ""),
        inventory=listed(parts["inventory"]),
        score=float(score) if isinstance(score, int | float) else None,
        valid=listed(parts["valid"]) if parts["valid"] is not None else None,
    )
