"""Keeps a map of the world and the player's place on it: dead reckoning from pixels alone.

The player moves at most one tile a turn, and always the way it faces, so a new view covers either the
old place or the one beside it in that direction; the one that agrees with the map is right. Where
both agree (a meadow without a mark) the player has moved, if the way was free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .light import COLUMNS, ROWS
from .sprites import GROUND, MATERIALS, VOID
from .tiles import MIDDLE, Tile, View

SIDE = 160
HOME = SIDE // 2
"""Place on the map where a world begins, in both directions; a world has 64 × 64 tiles."""
UNKNOWN = 0
NUMBERS = {"": UNKNOWN, **{name: number for number, name in enumerate((*MATERIALS, VOID), start=1)}}
NAMES = {number: name for name, number in NUMBERS.items()}
WALKABLE = frozenset(NUMBERS[name] for name in GROUND)
STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_LEFT, _ABOVE = COLUMNS // 2, ROWS // 2
_EDGE = 12
_LEAST_COMPARED = 20
_LEAST_SHARE = 0.6
_FAR = [(dx, dy) for dx in range(-3, 4) for dy in range(-3, 4)]

Map = NDArray[np.uint8]


class Memory:
    """Everything seen of one world.

    Attributes:
        map: (160, 160), row by row; numbers of materials, 0 for never seen.
        x, y: the player's place on it.
        moved: direction of the last move; empty for none. turned: whether it faces another way.
        things: creatures and the like in view, by place.
    """

    def __init__(self) -> None:
        self._worlds = 0
        self._begin()

    def _begin(self) -> None:
        self._worlds += 1
        self.map: Map = np.zeros((SIDE, SIDE), np.uint8)
        self.x = self.y = HOME
        self.moved, self.turned = "", False
        self.things: dict[tuple[int, int], str] = {}
        self._facing = ""

    def forget(self) -> None:
        """Begin the map of another world."""
        self._begin()

    def take(self, view: View) -> bool:
        """Put a view on the map, and return whether it fits; a view that does not fit begins a new map."""
        worlds = self._worlds
        ground = np.array([NUMBERS[tile.ground] for tile in view.tiles], np.uint8).reshape(ROWS, COLUMNS)
        self.moved, self.turned = "", bool(self._facing) and view.facing != self._facing
        if self._facing:
            dx, dy = self._shift(ground, view.facing)
            if (dx, dy) == (0, 0):
                pass
            elif self._agreement(ground, dx, dy) < _LEAST_SHARE:
                self._begin()
            else:
                self.x, self.y = self.x + dx, self.y + dy
                self.moved = view.facing
            if not _EDGE <= min(self.x, self.y) <= max(self.x, self.y) < SIDE - _EDGE:
                self._begin()
        self._facing = view.facing
        patch = self._window(0, 0)
        patch[ground != UNKNOWN] = ground[ground != UNKNOWN]
        self.things = {
            (self.x + number % COLUMNS - _LEFT, self.y + number // COLUMNS - _ABOVE): tile.thing
            for number, tile in enumerate(view.tiles)
            if tile.thing and number != MIDDLE
        }
        return worlds == self._worlds

    def at(self, x: int, y: int) -> Tile:
        """Return the known material of a place."""
        return Tile(NAMES[int(self.map[y, x])], self.things.get((x, y), ""))

    def free(self, x: int, y: int) -> bool:
        """Return whether a place can be walked on, as far as is known."""
        return int(self.map[y, x]) in WALKABLE and (x, y) not in self.things

    def _shift(self, ground: Map, facing: str) -> tuple[int, int]:
        step = STEPS.get(facing)
        stayed = self._agreement(ground, 0, 0)
        if step is None:
            return 0, 0
        went = self._agreement(ground, *step)
        if max(stayed, went) < _LEAST_SHARE:
            return max(_FAR, key=lambda shift: (self._agreement(ground, *shift), -_length(shift)))
        if went == stayed:
            return step if self.free(self.x + step[0], self.y + step[1]) else (0, 0)
        return step if went > stayed else (0, 0)

    def _agreement(self, ground: Map, dx: int, dy: int) -> float:
        """Return the share of known tiles that agree if the player has moved this far."""
        known = self._window(dx, dy)
        both = (known != UNKNOWN) & (ground != UNKNOWN)
        compared = int(both.sum())
        if compared < _LEAST_COMPARED:
            return 1.0
        return float((known[both] == ground[both]).sum()) / compared

    def _window(self, dx: int, dy: int) -> Map:
        left, top = self.x + dx - _LEFT, self.y + dy - _ABOVE
        return self.map[top : top + ROWS, left : left + COLUMNS]


def _length(shift: tuple[int, int]) -> int:
    return abs(shift[0]) + abs(shift[1])
