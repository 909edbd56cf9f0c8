"""Shortest ways over a known map: the source's Algorithms 2 and 3, with every shortest way that counts."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pitwall_exam.episode.states import Tile
from pitwall_exam.grid.events import STEPS
from pitwall_exam.grid.places import Map

MOST_WAYS = 64
"""Most ways that are listed, those with the fewest turns first: over a wide field there are thousands."""

_DIRECTIONS = tuple(STEPS)


@dataclass(frozen=True)
class Reached:
    """The result of a breadth-first search.

    Attributes:
        steps: from the start to the nearest targets, the last step onto the target itself.
        targets: all nearest targets. far: reached tile → steps from the start.
    """

    steps: int
    targets: tuple[Tile, ...]
    far: dict[Tile, int]


def search(known: Map, start: Tile, terrain: str, walkable: frozenset[str]) -> Reached | None:
    """Find the nearest tiles of a terrain (Algorithm 3); targets are stepped onto but never crossed.

    Returns:
        None if no target can be reached over known walkable tiles.
    """
    far, queue, targets = {start: 0}, deque([start]), list[Tile]()
    while queue:
        here = queue.popleft()
        if targets and far[here] > far[targets[0]]:
            break
        if known.get(here) == terrain:
            targets.append(here)
            continue
        for place in _around(here):
            terrain_here = known.get(place)
            if (
                place not in far
                and terrain_here is not None
                and (terrain_here == terrain or terrain_here in walkable)
            ):
                far[place] = far[here] + 1
                queue.append(place)
    return Reached(far[targets[0]], tuple(targets), far) if targets else None


def ways(reached: Reached) -> list[tuple[str, ...]]:
    """List shortest ways to the targets as directions, the fewest turns first, at most MOST_WAYS."""
    ahead = _ahead(reached)
    start = next(tile for tile, steps in reached.far.items() if steps == 0)
    turns = _turns(reached, ahead)
    heap: list[tuple[int, tuple[int, ...], Tile]] = [(turns[start, -1], (), start)]
    finished: list[tuple[str, ...]] = []
    while heap and len(finished) < MOST_WAYS:
        cost, walked, here = heapq.heappop(heap)
        if len(walked) == reached.steps:
            finished.append(tuple(_DIRECTIONS[direction] for direction in walked))
            continue
        last = walked[-1] if walked else -1
        done = cost - turns[here, last]
        for way, there in ahead[here]:
            rest = done + (way != last) + turns[there, way]
            heapq.heappush(heap, (rest, (*walked, way), there))
    return finished


def way_text(way: Sequence[str]) -> str:
    """Format a way as runs: "3 steps up, 1 step left and 2 steps up"; "0" for an empty way."""
    runs: list[tuple[int, str]] = []
    for direction in way:
        if runs and runs[-1][1] == direction:
            runs[-1] = (runs[-1][0] + 1, direction)
        else:
            runs.append((1, direction))
    return joined([legs(count, direction) for count, direction in runs]) or "0"


def legs(count: int, direction: str) -> str:
    """Format one run: "1 step left", "2 steps left"."""
    return f"{count} step{'' if count == 1 else 's'} {direction}"


def joined(parts: Sequence[str]) -> str:
    """Join parts as "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _ahead(reached: Reached) -> dict[Tile, list[tuple[int, Tile]]]:
    """Map each tile on a shortest way to the next steps of such ways."""
    ahead: dict[Tile, list[tuple[int, Tile]]] = {target: [] for target in reached.targets}
    layer = set(reached.targets)
    for steps in range(reached.steps - 1, -1, -1):
        below = set[Tile]()
        for tile in layer:
            below.update(place for place in _around(tile) if reached.far.get(place) == steps)
        for tile in below:
            nexts = zip(range(len(_DIRECTIONS)), _around(tile), strict=True)
            ahead[tile] = [(way, place) for way, place in nexts if place in layer]
        layer = below
    return ahead


def _turns(reached: Reached, ahead: dict[Tile, list[tuple[int, Tile]]]) -> dict[tuple[Tile, int], int]:
    """Map (tile, incoming direction) to the fewest runs still to begin; -1: not moved yet."""
    turns: dict[tuple[Tile, int], int] = {}
    for tile in sorted(ahead, key=lambda tile: -reached.far[tile]):
        for last in range(-1, len(_DIRECTIONS)):
            turns[tile, last] = min(
                ((way != last) + turns[there, way] for way, there in ahead[tile]), default=0
            )
    return turns


def _around(tile: Tile) -> Iterator[Tile]:
    x, y = tile
    for dx, dy in STEPS.values():
        yield x + dx, y + dy
