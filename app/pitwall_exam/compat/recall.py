"""Answers published questions from the agent's own record: the same rules, over what it saw and did itself.

Its map holds only tiles that came into view, relative to its start; achievements are inferred from what it
carried. The true state is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pitwall.core.errors import ExamError
from pitwall_exam.compat.answers import evidence, reading_of
from pitwall_exam.compat.episode import NOWHERE, Episode, LoggedStep, Span, Tile
from pitwall_exam.compat.name_mapping import DIGITS, NOTHING, action_names
from pitwall_exam.compat.routes import Grid
from pitwall_exam.compat.world import SPAWN, World
from pitwall_exam.episode.states import GridState
from pitwall_exam.episode.trace import Trace
from pitwall_exam.plugin_table.schema import GridTable
from pitwall_exam.questions.sheet import Answer

SIDE = 64
"""Tiles per side of the published map."""
_COLLECTED = ("wood", "stone", "coal", "iron", "diamond")
_PLACED = {"PLACE_TABLE": "wood", "PLACE_FURNACE": "stone", "PLACE_STONE": "stone"}
"""Action → the item of which fewer are left if it worked."""


class PublishedRecall:
    """Reads back questions in the published words, and answers them from a record.

    Raises:
        ExamError: the record has no step.
    """

    def __init__(self, trace: Trace[GridState], grid: GridTable) -> None:
        if not len(trace):
            raise ExamError("the record has no step whose outcome was seen.")
        self._world = World(recorded_episode(trace, grid))

    def answer(self, question: str, *, question_id: str = "") -> Answer | None:
        """Answer a question; None if it is not in the published words."""
        match = reading_of(question)
        if match is None:
            return None
        template, slots, named = match
        last = self._world.last
        try:
            span = (named if named is not None else Span(0, last, whole=True)).within(last)
            truth = template.find(self._world, span, slots)
        except ValueError:
            return None
        filled = ", ".join(f"{name}: {value}" for name, value in slots.items())
        return Answer(
            id=question_id,
            text=str(truth[0]) if isinstance(truth, list) else str(truth),
            evidence=evidence(template, self._world, span, slots, truth),
            explanation=f"read as the published {template.name} ({filled})" if filled else "",
        )


def recorded_episode(trace: Trace[GridState], grid: GridTable) -> Episode:
    """Convert a record into an episode as the published log has it."""
    return Episode(tuple(_rows(trace, action_names(grid))), _ground(trace))


def _rows(trace: Trace[GridState], names: Mapping[str, str]) -> Iterator[LoggedStep]:
    at, earned = SPAWN, dict[str, int]()
    had = _amounts(trace.moments[0].before, {})
    for moment in trace.moments:
        action = names.get(moment.action.split("(")[0], NOTHING)
        at = _placed(moment.after.at) or at
        has = _amounts(moment.after, had)
        rose = [f"collect_{name}" for name in _COLLECTED if has.get(name, 0) > had.get(name, 0)]
        paid = _PLACED.get(action, "")
        if paid and has.get(paid, 0) < had.get(paid, 0):
            rose.append(action.lower())
        earned = {**earned, **{name: earned.get(name, 0) + 1 for name in rose}} if rose else earned
        had = has
        yield LoggedStep(action, at, has, earned, moment.reason)


def _amounts(state: GridState, last: Mapping[str, int]) -> Mapping[str, int]:
    """Fill gaps of a stat's readings with the value before."""
    return {**state.stats, **state.items} if state.stats else last


def _ground(trace: Trace[GridState]) -> Grid:
    """Build the map from each tile as it was first seen; NOWHERE if it never was."""
    rows = [[NOWHERE] * SIDE for _ in range(SIDE)]
    for state in _states(trace):
        under = {state.at: state.ground} if state.at is not None else {}
        for tile, terrain in (*state.seen.items(), *under.items()):
            x, y = _placed(tile) or (-1, -1)
            if 0 <= x < SIDE and 0 <= y < SIDE and rows[y][x] == NOWHERE:
                rows[y][x] = DIGITS.get(terrain, NOWHERE)
    return tuple(map(tuple, rows))


def _states(trace: Trace[GridState]) -> Iterator[GridState]:
    yield trace.moments[0].before
    for moment in trace.moments:
        yield moment.after


def _placed(tile: Tile | None) -> Tile | None:
    return None if tile is None else (tile[0] + SPAWN[0], tile[1] + SPAWN[1])
