"""A grid world's states from its true states."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pitwall.core.errors import ExamError
from pitwall_evaluation.truth.log import StateRecord
from pitwall_exam.episode.grid_reading import whole_numbers
from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.making.paths import at_path, is_over, whole_number_at
from pitwall_exam.plugin_table.schema import GridTable, GridTruth

_FACINGS = {(-1, 0): "left", (1, 0): "right", (0, -1): "up", (0, 1): "down"}


@contextlib.contextmanager
def of_its_kind() -> Iterator[None]:
    """Turn errors from unchecked parts of a true state into an ExamError.

    Raises:
        ExamError: a part is not the number, table or text that it has to be.
    """
    try:
        yield
    except (TypeError, AttributeError, LookupError, ValueError, OverflowError) as error:
        raise ExamError(
            f"the true state does not hold what [exam.grid.truth] says ({error}).",
            "Play the run once more; where that does not help, mend the game's plugin.toml.",
        ) from error


class TrueGrid:
    """Reads true states as [exam.grid.truth] declares them.

    Raises:
        ExamError: the game has no such table.
    """

    def __init__(self, grid: GridTable) -> None:
        if grid.truth is None:
            raise ExamError(
                "the game does not say where its true state holds what the exam asks.",
                "Declare it in its plugin.toml: [exam.grid.truth].",
            )
        self._grid = grid
        self._paths: GridTruth = grid.truth

    def world_of(self, state: StateRecord) -> object:
        """Return the world that a state belongs to."""
        return at_path(state, self._paths.world) if self._paths.world else None

    def states(self, records: Sequence[StateRecord]) -> list[GridState]:
        """Read the states of an episode in the order of its steps; unchanged states are the same object.

        Raises:
            ExamError: something that the manifest names is missing or has the wrong type.
        """
        with of_its_kind():
            return self._states(records)

    def _states(self, records: Sequence[StateRecord]) -> list[GridState]:
        home = next((self._place(state) for state in records if state["status"] == "playing"), None)
        states: list[GridState] = []
        for index, state in enumerate(records):
            same = index > 0 and state is records[index - 1] and not states[-1].moved
            states.append(states[-1] if same else self._state(state, home, states[-1] if states else None))
        return states

    def _state(self, state: StateRecord, home: Tile | None, before: GridState | None) -> GridState:
        grid, paths = self._grid, self._paths
        place = self._place(state)
        origin = home or place
        at = (place[0] - origin[0], place[1] - origin[1])
        counts = at_path(state, paths.counts)
        stats = whole_numbers(counts, grid.stats)
        seen = self._seen(state, place, origin)
        return GridState(
            at=at,
            ground=self._terrain(state, place),
            facing=_facing(at_path(state, paths.facing)),
            stats=stats,
            items={name: count for name, count in whole_numbers(counts, grid.items).items() if count > 0},
            seen=seen,
            moved=before is not None and before.at != at,
            dead=is_over(state) and stats.get(grid.stats[0], 0) <= 0,
        )

    def _place(self, state: StateRecord) -> Tile:
        x, y = self._paths.position
        return whole_number_at(state, x), whole_number_at(state, y)

    def _terrain(self, state: StateRecord, place: Tile) -> str:
        rows = at_path(state, self._paths.terrain)
        return self._grid.legend.get(_sign(rows, *place), "")

    def _seen(self, state: StateRecord, place: Tile, home: Tile) -> dict[Tile, str]:
        """Return the terrain in view, without tiles under things or outside the world."""
        legend, rows = self._grid.legend, at_path(state, self._paths.terrain)
        left, top = place[0] - self._grid.columns // 2, place[1] - self._grid.rows // 2
        first, right = max(left, 0), max(left + self._grid.columns, 0)
        shift, drop = first - home[0], -home[1]
        seen = {
            (shift + column, drop + y): legend[sign]
            for y in range(max(top, 0), min(top + self._grid.rows, len(rows)))
            for column, sign in enumerate(rows[y][first:right])
            if sign in legend
        }
        for x, y in self._things(state):
            seen.pop((x - home[0], y - home[1]), None)
        return seen

    def _things(self, state: StateRecord) -> set[Tile]:
        if not self._paths.things:
            return set()
        things: Sequence[Mapping[str, Any]] = at_path(state, self._paths.things)
        return {(int(thing["x"]), int(thing["y"])) for thing in things}


def _sign(rows: Sequence[str], x: int, y: int) -> str:
    """Return the sign at a position; empty outside the world."""
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else ""


def _facing(value: object) -> str:
    if isinstance(value, str):
        return value
    return _FACINGS.get(tuple(value), "") if isinstance(value, list | tuple) else ""
