"""Finds the way over MiniGrid's tiles: turns, steps, doors opened, what lies in the way picked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from .tiles import Grid, Place, Tile

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
LOOSE = ("key", "ball", "box")
_LIFT_COST = 6
"""Moves that picking up what lies in the way is worth a detour."""
Pose = tuple[int, int, int]


class Route(NamedTuple):
    """A way: its first move ("" where it is at its end), the tiles it crosses, and the moves it takes."""

    move: str
    places: frozenset[Place]
    cost: int


def ahead_of(pose: Pose) -> Place:
    """Return the tile that a pose faces."""
    x, y, heading = pose
    return x + STEPS[heading][0], y + STEPS[heading][1]


def route(grid: Grid, carrying: Tile | None, there: Callable[[Pose], bool]) -> Route | None:
    """Return the cheapest way from where the agent is to a pose; None where none is seen."""
    assert grid.agent is not None
    start: Pose = (*grid.agent, grid.heading)
    queue: list[tuple[int, int, Pose, str, tuple[Place, ...]]] = [(0, 0, start, "", ())]
    done: set[Pose] = set()
    order = 0
    while queue:
        cost, _, pose, first, places = heappop(queue)
        if pose in done:
            continue
        done.add(pose)
        if there(pose):
            return Route(first, frozenset(places), cost)
        for move, extra, after in _moves(grid, carrying, pose):
            order += 1
            heappush(queue, (cost + extra, order, after, first or move, (*places, after[:2])))
    return None


def _moves(grid: Grid, carrying: Tile | None, pose: Pose) -> Iterator[tuple[str, int, Pose]]:
    x, y, heading = pose
    yield "left", 1, (x, y, (heading - 1) % 4)
    yield "right", 1, (x, y, (heading + 1) % 4)
    place = ahead_of(pose)
    tile = grid.tiles.get(place)
    if not (0 <= place[0] < grid.size[0] and 0 <= place[1] < grid.size[1]):
        return
    if tile is None or tile.kind == "goal" or tile.state == "open":
        yield "forward", 1, (*place, heading)
    elif tile.state == "closed" or (tile.state == "locked" and carrying == Tile("key", tile.colour)):
        yield "toggle", 2, (*place, heading)
    elif tile.kind in LOOSE and carrying is None:
        yield "pickup", _LIFT_COST, (*place, heading)
