"""Builds a grid world's state from the state reader's fields of one frame."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.core.observations import Value
from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.plugin_table.schema import GridTable


class GridReader:
    """Builds states from an episode's fields, in the order of its steps.

    If the reader loses its map and starts a new one, its position jumps back to 0, 0. The player is then
    assumed to be where it was before.
    """

    def __init__(self, grid: GridTable) -> None:
        self._grid = grid
        self._home: Tile | None = None
        self._raw: Tile | None = None
        self._at: Tile | None = None

    def state(self, fields: Mapping[str, Value], *, over: bool = False) -> GridState:
        """Build the state of one step from its fields.

        Args:
            over: the fields are those of the end screen.
        """
        grid, before = self._grid, self._at
        at = self._place(fields)
        ground = fields.get(grid.ground)
        stats = whole_numbers(fields, grid.stats)
        return GridState(
            at=at,
            ground=str(ground) if ground is not None else "",
            facing=str(fields.get(grid.facing) or ""),
            stats=stats,
            items={name: count for name, count in whole_numbers(fields, grid.items).items() if count > 0},
            seen=self._seen(at, fields.get(grid.view), ground),
            moved=at is not None and before is not None and at != before,
            dead=over and stats.get(grid.stats[0], 0) <= 0,
        )

    def _place(self, fields: Mapping[str, Value]) -> Tile | None:
        x, y = (_whole(fields.get(name)) for name in self._grid.position)
        if x is None or y is None:
            return None
        raw, last = (x, y), self._raw
        if self._home is None:
            self._home = raw
        elif last is not None and self._at is not None and raw == (0, 0) and _far(raw, last):
            self._home = (raw[0] - self._at[0], raw[1] - self._at[1])
        self._raw, self._at = raw, (x - self._home[0], y - self._home[1])
        return self._at

    def _seen(self, at: Tile | None, view: Value, ground: Value) -> dict[Tile, str]:
        if at is None or not isinstance(view, str):
            return {}
        grid = self._grid
        rows = view.split("/")
        if len(rows) != grid.rows or any(len(row) != grid.columns for row in rows):
            return {}
        left, top = at[0] - grid.columns // 2, at[1] - grid.rows // 2
        legend = grid.legend
        seen = {
            (left + column, top + row): legend[sign]
            for row, signs in enumerate(rows)
            for column, sign in enumerate(signs)
            if sign in legend
        }
        if isinstance(ground, str):
            seen[at] = ground
        return seen


def whole_numbers(values: Mapping[str, object], names: tuple[str, ...] | list[str]) -> dict[str, int]:
    """Return name → whole number, without the names that could not be read."""
    numbers = ((name, _whole(values.get(name))) for name in names)
    return {name: count for name, count in numbers if count is not None}


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)


def _far(first: Tile, other: Tile) -> bool:
    return abs(first[0] - other[0]) + abs(first[1] - other[1]) > 1
