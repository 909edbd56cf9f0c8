"""Follows the known part of a grid world's map, and how far its terrains were."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pitwall.exam.episode.states import GridState, Tile

Map = Mapping[Tile, str]
"""Terrain of the tiles that were discovered."""


class Discovery:
    """The map as it grew: each tile as it was last seen, by the frames up to a step.

    Args:
        states: one a step, from step 1.
    """

    def __init__(self, states: Sequence[GridState]) -> None:
        self._states = states
        self._changes = _changes(states)
        self._known: tuple[int, Map] = (0, {})
        self._distances: dict[str, Sequence[int | None]] = {}

    def until(self, step: int) -> Map:
        """The map as it was known when a step was decided."""
        if self._known[0] != step:
            known: dict[Tile, str] = {}
            for changed, tile, terrain in self._changes:
                if changed > step:
                    break
                known[tile] = terrain
            self._known = step, known
        return self._known[1]

    def since(self, tile: Tile, step: int) -> int:
        """Since which step a tile has been known as it was at a step; that step itself where it was not."""
        known_since = step
        for changed, at, _ in self._changes:
            if changed > step:
                break
            if at == tile:
                known_since = changed
        return known_since

    def distances(self, terrain: str) -> Sequence[int | None]:
        """For each step the tiles across and down to the nearest known tile of a terrain.

        None: none of it was known, or it was not known where one stood.
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
    """The distance to the nearest of some tiles, from a place that moves a little at a time.

    `_least`: no tile is nearer to `_here` than this.
    """

    def __init__(self) -> None:
        self._tiles: set[Tile] = set()
        self._here: Tile | None = None
        self._least = 0

    def change(self, changes: Sequence[tuple[Tile, bool]]) -> None:
        """Tiles that came or went."""
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
    """The known tiles of a terrain that are nearest, across and down; all of them where several are."""
    tiles = [tile for tile, seen in known.items() if seen == terrain]
    least = min((distance(tile, here) for tile in tiles), default=0)
    return [tile for tile in tiles if distance(tile, here) == least]


def distance(first: Tile, other: Tile) -> int:
    """Tiles across and down."""
    return abs(first[0] - other[0]) + abs(first[1] - other[1])


def _changes(states: Sequence[GridState]) -> list[tuple[int, Tile, str]]:
    """Step, tile, terrain: each time that a tile was seen as something else than before."""
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
