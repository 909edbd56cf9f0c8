"""Finds ways through space and time: the cells that sweepers cover, and the quickest safe way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]
"""Column, row."""
Grid = NDArray[np.bool_]

COLUMNS, ROWS = 15, 11
LANES = (2, 4, 6, 8)
MOVES = {"hold": (0, 0), "up": (0, -1), "left": (-1, 0), "right": (1, 0), "down": (0, 1)}
_SPAN = COLUMNS + 2
_MOVE_S = 0.27
"""Time from one move to the next: an action's duration plus the decision."""
_LAG_S = 0.05
"""Time from the frame to the first move's effect."""
_SPARE_S = 0.1
_CLEAR = 0.95
"""Safe distance between middles in cells; they touch below 0.66."""
_AHEAD = 48
_SAMPLES = 6


@dataclass(frozen=True)
class Sweepers:
    """Each lane's sweepers: their present places in cells, direction (−1, 1) and speed."""

    places: Mapping[int, Sequence[float]]
    ways: Mapping[int, int]
    cells_per_s: float

    def covered(self) -> Grid:
        """Return whether a cell is dangerous at any time around each move: (moves, rows, columns)."""
        covered = np.zeros((_AHEAD, ROWS, COLUMNS), np.bool_)
        inside = np.linspace(-_SPARE_S, _MOVE_S + _SPARE_S, _SAMPLES)
        times = _LAG_S + _MOVE_S * np.arange(_AHEAD)[:, None] + inside
        for lane in LANES:
            for place in self.places[lane]:
                at = (place + 1 + self.ways[lane] * self.cells_per_s * times) % _SPAN - 1
                near = np.abs(at[..., None] - np.arange(COLUMNS)) < _CLEAR
                covered[:, lane] |= near.any(1)
        return covered


def next_move(free: Grid, sweepers: Sweepers, start: Cell, goals: Sequence[Cell]) -> str:
    """Return the first move of the quickest safe way to a goal, or else of a way that stays safe long.

    Args:
        free: (rows, columns), where no wall is.
    """
    covered = sweepers.covered()
    reached = np.zeros((_AHEAD + 1, ROWS, COLUMNS), np.bool_)
    reached[0, start[1], start[0]] = True
    ends = tuple(zip(*((row, column) for column, row in goals), strict=True))
    for number in range(_AHEAD):
        reached[number + 1] = _spread(reached[number]) & free & ~covered[number]
        if reached[number + 1][ends].any():
            goal = next((x, y) for x, y in goals if reached[number + 1, y, x])
            return _first(reached, number + 1, goal)
        if not reached[number + 1].any():
            return _least_bad(reached, number)
    return _least_bad(reached, _AHEAD)


def _spread(cells: Grid) -> Grid:
    wider = cells.copy()
    wider[1:] |= cells[:-1]
    wider[:-1] |= cells[1:]
    wider[:, 1:] |= cells[:, :-1]
    wider[:, :-1] |= cells[:, 1:]
    return wider


def _least_bad(reached: Grid, number: int) -> str:
    if number == 0:
        return "hold"
    y, x = np.argwhere(reached[number])[0]
    return _first(reached, number, (int(x), int(y)))


def _first(reached: Grid, number: int, end: Cell) -> str:
    """Trace a way back from its end, and return its first move."""
    name, here = "hold", end
    for layer in range(number - 1, -1, -1):
        name, here = _before(reached[layer], here)
    return name


def _before(cells: Grid, here: Cell) -> tuple[str, Cell]:
    """Return a move that leads here from one of the cells, and that cell."""
    for name, (dx, dy) in MOVES.items():
        x, y = here[0] - dx, here[1] - dy
        if 0 <= x < COLUMNS and 0 <= y < ROWS and cells[y, x]:
            return name, (x, y)
    return "hold", here
