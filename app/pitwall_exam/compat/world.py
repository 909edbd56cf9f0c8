"""Tracks an episode's map and view step by step, as the published rules know them.

Steps are indexes from 0 here; questions count from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from pitwall_exam.compat.episode import FURNACE, GRASS, NOWHERE, PATH, STONE, TABLE, Episode, LoggedStep, Tile
from pitwall_exam.compat.routes import Grid, distances

SPAWN: Tile = (32, 32)
"""The start of every published episode."""

MOVES: dict[str, Tile] = {
    "MOVE_UP": (0, -1),
    "MOVE_DOWN": (0, 1),
    "MOVE_LEFT": (-1, 0),
    "MOVE_RIGHT": (1, 0),
}
_LEAVES = {
    "collect_wood": GRASS,
    "collect_stone": PATH,
    "collect_coal": PATH,
    "collect_iron": PATH,
    "collect_diamond": PATH,
    "place_table": TABLE,
    "place_furnace": FURNACE,
    "place_stone": STONE,
}
"""Terrain that the tile in front becomes when an achievement's counter rises."""
_VIEW_X, _VIEW_Y = 4, 3
"""The view is 9 tiles wide and 7 high, around the player."""


class World:
    """An episode, indexed for the published rules.

    Attributes:
        episode, steps: the source data.
        final: the map after the last step.
        first_seen: tile → the step at which it first came into view.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.steps: tuple[LoggedStep, ...] = episode.steps
        self.last = episode.last
        self._width, self._height = len(episode.ground[0]), len(episode.ground)
        self._changes: dict[Tile, tuple[list[int], list[int]]] = {}
        self._distances: dict[int, dict[Tile, int]] = {}
        self._apply()
        self.first_seen: dict[Tile, int] = {}
        for step in range(len(self.steps)):
            for tile in self.view(step):
                self.first_seen.setdefault(tile, step)

    def at(self, step: int) -> Tile:
        """Return the player's position after a step; before the first one, the spawn."""
        return self.steps[step].at if step >= 0 else SPAWN

    def terrain(self, tile: Tile, step: int) -> int:
        """Return the terrain of a tile after a step; NOWHERE beyond the map's edge."""
        x, y = tile
        if not (0 <= x < self._width and 0 <= y < self._height):
            return NOWHERE
        if (changed := self._changes.get(tile)) is not None:
            times, became = changed
            if (place := bisect_right(times, step)) > 0:
                return became[place - 1]
        return self.episode.ground[y][x]

    def underfoot(self, step: int) -> int:
        """Return the terrain under the player after a step."""
        return self.terrain(self.at(step), step)

    def view(self, step: int) -> Iterator[Tile]:
        """Yield the tiles in the frame after a step, clipped at the map's edge; night hides none."""
        x, y = self.at(step)
        for row in range(max(y - _VIEW_Y, 0), min(y + _VIEW_Y + 1, self._height)):
            for column in range(max(x - _VIEW_X, 0), min(x + _VIEW_X + 1, self._width)):
                yield column, row

    def discovered(self, tile: Tile, step: int) -> bool:
        """Return whether a tile had been in view by a step."""
        return self.first_seen.get(tile, step + 1) <= step

    @cached_property
    def in_view(self) -> tuple[frozenset[int], ...]:
        """Return the terrain ids in the frame, by step."""
        return tuple(
            frozenset(self.terrain(tile, step) for tile in self.view(step)) for step in range(len(self.steps))
        )

    @cached_property
    def final(self) -> Grid:
        """Return the map after the last step."""
        return tuple(
            tuple(self.terrain((x, y), self.last) for x in range(self._width)) for y in range(self._height)
        )

    def distance(self, step: int, target: int) -> int | None:
        """Return the steps from the player to the nearest tile of a terrain, over the final map."""
        if target not in self._distances:
            self._distances[target] = distances(self.final, target)
        return self._distances[target].get(self.at(step))

    def hurt(self, step: int) -> bool:
        """Return whether health had fallen at a step, which counts as an attack whatever the cause."""
        return step > 0 and self.stat(step, "health") < self.stat(step - 1, "health")

    def drops(self) -> Iterator[int]:
        """Yield the steps at which health had fallen."""
        return filter(self.hurt, range(len(self.steps)))

    def stat(self, step: int, name: str) -> int:
        """Return the amount of a stat after a step; 0 if the log does not name it."""
        return self.steps[step].inventory.get(name, 0)

    def _apply(self) -> None:
        facing: Tile = (0, 0)
        before: dict[str, int] = {}
        for step, row in enumerate(self.steps):
            facing = MOVES.get(row.action, facing)
            for name, became in _LEAVES.items():
                count = row.achievements.get(name, 0)
                if count > before.get(name, 0):
                    times, ids = self._changes.setdefault(
                        (row.at[0] + facing[0], row.at[1] + facing[1]), ([], [])
                    )
                    times.append(step)
                    ids.append(became)
                before[name] = count
