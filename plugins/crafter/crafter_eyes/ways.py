"""Ways over the known map: distances, and the actions that lead there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .light import COLUMNS, ROWS
from .memory import NUMBERS, SIDE, STEPS, UNKNOWN, WALKABLE, Memory
from .sprites import VOID

Place = tuple[int, int]
FAR = 32
"""Longest way that is searched, in turns."""
DIG = 3
"""Turns for a tile that must be dug away first: turn, take, step."""
MOST_ACTIONS = 4
"""Number of actions of a way that are returned: the rest may look different by then."""
INTERACT = "interact"
_NEVER = 999
_WAYS = tuple(STEPS)


@dataclass(frozen=True, slots=True)
class Goal:
    """A place to go to.

    Attributes:
        dx, dy: its place, in tiles to the right and down.
        steps: turns until it is faced or entered.
        actions: the next few actions on the way there, and the action there.
    """

    dx: int
    dy: int
    steps: int
    actions: tuple[str, ...]


class Ways:
    """All shortest ways from the player, over free tiles and tiles it can dig through.

    Args:
        dig: numbers of materials that can be taken away by walking into them.
    """

    def __init__(self, memory: Memory, facing: str, dig: frozenset[int]) -> None:
        self._memory = memory
        self._facing = facing
        self._dig = dig
        self._cost = np.full((SIDE, SIDE), _NEVER, np.int16)
        self._from: dict[Place, str] = {}
        self._order: list[Place] = []
        self._walk()
        self._before, self._before_way = self._approach()

    def nearest(self, there: NDArray[np.bool_]) -> Goal | None:
        """Return the nearest place of a kind to stand before, by turns.

        Args:
            there: (160, 160), marks such places.
        """
        costs = np.where(there, self._before, _NEVER)
        flat = int(costs.argmin())
        cost = int(costs.flat[flat])
        if cost >= _NEVER:
            return None
        place = flat % SIDE, flat // SIDE
        way = _WAYS[int(self._before_way[place[1], place[0]])]
        dx, dy = STEPS[way]
        hops = self._hops((place[0] - dx, place[1] - dy))
        return self._goal(place, cost, self._actions(hops, reach=way))

    def best_to_enter(self, worth: NDArray[np.float32]) -> Goal | None:
        """Return the reachable free place with the greatest worth for its distance."""
        best, best_score = None, 0.0
        for x, y in self._order[1:]:
            if int(self._memory.map[y, x]) in self._dig:
                continue
            score = float(worth[y, x]) / (int(self._cost[y, x]) + 3)
            if score > best_score:
                best, best_score = (x, y), score
        return self.to_enter(best) if best is not None else None

    def cheapest(self, there: NDArray[np.bool_]) -> tuple[Place | None, int]:
        """Return the nearest of some places to stand on, and its cost."""
        costs = np.where(there, self._cost, _NEVER)
        flat = int(costs.argmin())
        cost = int(costs.flat[flat])
        return ((flat % SIDE, flat // SIDE) if cost < _NEVER else None), cost

    def actions_onto(self, place: Place) -> tuple[str, ...]:
        """Return the whole way onto a place; empty where the player stands on it."""
        return self._actions(self._hops(place))

    def to_enter(self, place: Place) -> Goal | None:
        """Return the way onto a place; None where there is none."""
        if place not in self._from:
            return None
        return self._goal(place, int(self._cost[place[1], place[0]]), self._actions(self._hops(place)))

    def _goal(self, place: Place, cost: int, actions: tuple[str, ...]) -> Goal:
        return Goal(place[0] - self._memory.x, place[1] - self._memory.y, cost, actions[:MOST_ACTIONS])

    def _walk(self) -> None:
        """Search breadth first by cost; a tile to dig costs more turns."""
        memory, start = self._memory, (self._memory.x, self._memory.y)
        self._cost[start[1], start[0]] = 0
        self._order.append(start)
        rings: list[deque[Place]] = [deque() for _ in range(FAR + DIG + 1)]
        rings[0].append(start)
        materials = memory.map
        for cost in range(FAR):
            for x, y in rings[cost]:
                if self._cost[y, x] != cost:
                    continue
                if cost:
                    self._order.append((x, y))
                for way, (dx, dy) in STEPS.items():
                    place = x + dx, y + dy
                    kind = int(materials[place[1], place[0]])
                    price = 1 if kind in WALKABLE else DIG if kind in self._dig else 0
                    if not price or place in memory.things or cost + price >= self._cost[place[1], place[0]]:
                        continue
                    self._cost[place[1], place[0]] = cost + price
                    self._from[place] = way
                    rings[cost + price].append(place)

    def _approach(self) -> tuple[NDArray[np.int16], NDArray[np.intp]]:
        """Return for each place the turns until it is faced from beside it, and the direction."""
        sides = np.full((len(_WAYS), SIDE, SIDE), _NEVER, np.int16)
        for number, way in enumerate(_WAYS):
            dx, dy = STEPS[way]
            sides[number] = np.roll(self._cost, (dy, dx), (0, 1)) + 1
            if way == self._facing:
                sides[number, self._memory.y + dy, self._memory.x + dx] = 0
        return sides.min(0), sides.argmin(0)

    def _hops(self, place: Place) -> list[tuple[str, bool]]:
        """Return the way onto a place: directions, and for each whether a tile must be dug away."""
        hops: list[tuple[str, bool]] = []
        while place in self._from:
            way = self._from[place]
            hops.append((way, int(self._memory.map[place[1], place[0]]) in self._dig))
            dx, dy = STEPS[way]
            place = place[0] - dx, place[1] - dy
        return hops[::-1]

    def _actions(self, hops: list[tuple[str, bool]], reach: str = "") -> tuple[str, ...]:
        """Return a way as actions; `reach`: the direction of the thing to take at its end."""
        facing, actions = self._facing, list[str]()
        for way, dig in [*hops, *([(reach, True)] if reach else [])]:
            if dig:
                actions += [f"move_{way}"] * (way != facing) + [INTERACT]
            actions.append(f"move_{way}")
            facing = way
        return tuple(actions[:-1] if reach else actions)


def unseen_from(memory: Memory) -> NDArray[np.float32]:
    """Return the number of unseen tiles that a view from each place would show, (160, 160)."""
    unknown = (memory.map == UNKNOWN).astype(np.float32)
    _close_borders(memory, unknown)
    sums = np.pad(unknown.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    worth = np.zeros(unknown.shape, np.float32)
    up, left = ROWS // 2, COLUMNS // 2
    whole = sums[ROWS:, COLUMNS:] - sums[:-ROWS, COLUMNS:] - sums[ROWS:, :-COLUMNS] + sums[:-ROWS, :-COLUMNS]
    worth[up : up + whole.shape[0], left : left + whole.shape[1]] = whole
    return worth


def _close_borders(memory: Memory, unknown: NDArray[np.float32]) -> None:
    """Mark the tiles beyond the edge of the world as seen."""
    rows, columns = np.nonzero(memory.map == NUMBERS[VOID])
    if not len(rows):
        return
    inside_rows, inside_columns = np.nonzero((memory.map != NUMBERS[VOID]) & (memory.map != UNKNOWN))
    unknown[: inside_rows.min() if rows.min() < inside_rows.min() else 0] = 0
    unknown[:, : inside_columns.min() if columns.min() < inside_columns.min() else 0] = 0
    if rows.max() > inside_rows.max():
        unknown[inside_rows.max() + 1 :] = 0
    if columns.max() > inside_columns.max():
        unknown[:, inside_columns.max() + 1 :] = 0
