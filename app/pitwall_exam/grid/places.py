"""Tracks the known part of a grid world's map, and the distances to its terrains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pitwall_exam.episode.states import GridState, Tile

Map = Mapping[Tile, str]
"""Terrain of the discovered tiles."""


class Discovery:
    """The map as it was discovered: each tile as it was last seen, in the frames up to a step.

    Args:
        states: one state per step, from step 1.
    """

    def __init__(self, states: Sequence[GridState]) -> None:
        self._states = states
        self._changes = _changes(states)
        self._known: tuple[int, Map] = (0, {})
        self._distances: dict[str, Sequence[int | None]] = {}

    def until(self, step: int) -> Map:
        """Return the map as it was known when a step was decided."""
        if self._known[0] != step:
            known: dict[Tile, str] = {}
            for changed, tile, terrain in self._changes:
                if changed > step:
                    break
                known[tile] = terrain
            self._known = step, known
        return self._known[1]

    def since(self, tile: Tile, step: int) -> int:
        """Return since which step a tile has been known as it was at `step`; `step` if it was not known."""
        known_since = step
        for changed, at, _ in self._changes:
            if changed > step:
                break
            if at == tile:
                known_since = changed
        return known_since

    def distances(self, terrain: str) -> Sequence[int | None]:
        """List each step's distance (tiles across plus down) to the nearest known tile of a terrain.

        None: no such tile was known, or the player's position was not known.
        """
        if terrain not in self._distances:
            self._distances[terrain] = self._measured(terrain)
        return self._distances[terrain]

    def _measured(self, terrain: str) -> Sequence[int | None]:
        by_step: dict[int, list[tuple[Tile, bool]]] = defaultdict(list)
        ever: set[Tile] = set()
        for step, tile, seen in self._changes:
            if seen == terrain or tile in ever:
                by_step[step].append((tile, seen == terrain))
                ever.add(tile)
        ruler, measured = _Ruler(), list[int | None]()
        for step, state in enumerate(self._states, start=1):
            ruler.change(by_step.get(step, ()))
            measured.append(None if state.at is None else ruler.nearest(state.at))
        return measured


class _Ruler:
    """Measures the distance to the nearest of some tiles, from a position that moves a little at a time.

    `_least`: lower bound of the distance from `_here` to any tile.
    """

    def __init__(self) -> None:
        self._tiles: set[Tile] = set()
        self._here: Tile | None = None
        self._least = 0

    def change(self, changes: Sequence[tuple[Tile, bool]]) -> None:
        """Add and remove tiles."""
        for tile, there in changes:
            if there:
                self._tiles.add(tile)
                self._least = min(self._least, distance(tile, self._here or tile))
            else:
                self._tiles.discard(tile)

    def nearest(self, here: Tile) -> int | None:
        if not self._tiles:
            self._here, self._least = here, 0
            return None
        self._least = max(0, self._least - distance(here, self._here or here))
        self._here = here
        while not any(tile in self._tiles for tile in _ring(here, self._least)):
            self._least += 1
        return self._least


def nearest(known: Map, here: Tile, terrain: str) -> list[Tile]:
    """Return the nearest known tiles of a terrain, across plus down; several if they are equally near."""
    tiles = [tile for tile, seen in known.items() if seen == terrain]
    least = min((distance(tile, here) for tile in tiles), default=0)
    return [tile for tile in tiles if distance(tile, here) == least]


def distance(first: Tile, other: Tile) -> int:
    """Count the tiles across plus down between two tiles."""
    return abs(first[0] - other[0]) + abs(first[1] - other[1])


def _changes(states: Sequence[GridState]) -> list[tuple[int, Tile, str]]:
    """List (step, tile, terrain) for each time that a tile was first seen, or seen changed."""
    known: dict[Tile, str] = {}
    changes = []
    for step, state in enumerate(states, start=1):
        for tile, terrain in state.seen.items():
            if known.get(tile) != terrain:
                known[tile] = terrain
                changes.append((step, tile, terrain))
        if state.at is not None and state.ground and known.get(state.at) != state.ground:
            known[state.at] = state.ground
            changes.append((step, state.at, state.ground))
    return changes


def _ring(here: Tile, radius: int) -> Iterator[Tile]:
    x, y = here
    if not radius:
        yield here
    for part in range(radius):
        rest = radius - part
        yield x + part, y - rest
        yield x + rest, y + part
        yield x - part, y + rest
        yield x - rest, y - part
