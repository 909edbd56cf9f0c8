"""Seaquest's state reader: from pixels alone, the submarine, who swims about, divers, air, and the next move.

A move is chosen among ways of some frames' length: each is laid beside those of all that swims, and the best
way meets nothing and comes nearest to a goal.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, native, patches, patches_of

_OWN, _DIVER = 0xBBBB35, 0x4248C8
_SEA = (56, 152)
_DIVER_AREA = 8
"""A diver has at least so many pixels; missiles of the same colour are dashes."""
_AIR_ROW, _AIR = 172, 0xD6D6D6
_SAVED, _SAVED_AREA, _ALL = 0x181AA7, 16, 6
"""Colour of the divers on board, how many pixels each has, and how many there is room for."""
_LOW, _FULL = 16, 60
"""Air at which it is time to rise, and with which it may go down again."""
_SURFACE_Y, _MIDDLE = 46.0, (84.0, 98.0)
_REACH = (10.0, 150.0)
_SPEED, _LATE = 1.1, 4
"""Pixels that the submarine moves in a frame, and frames until a key acts."""
_TIMES = np.arange(0, 48, 2, dtype=np.float64)
_MOVES = {
    "stay": (0, 0), "left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1),
    "up_left": (-1, -1), "up_right": (1, -1), "down_left": (-1, 1), "down_right": (1, 1),
}  # fmt: skip
_NAMES = {step: name for name, step in _MOVES.items()}
_WAYS = [(name, length) for name, length in product(_MOVES, (8, 18, 32)) if name != "stay" or length == 8]
_TOUCH = (15.0, 12.0)
"""So near, across and down, two middles touch, with a margin."""
_LINE_PX, _SHOT_PX = 5.0, 20.0
"""A foe is in the line of fire with so much between the heights; nearer than this it may come first."""
_FIRE_FRAMES, _AWAY_PX = 10, 44.0
_UNSEEN = 6
"""Frames for which a swimmer is kept that is not drawn: the game draws them in turns."""


class Swimmer:
    """Follows a swimmer: its middle, and how far it moves in a frame."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y, self.moves = x, y, 0.0
        self.first, self.age, self.unseen = x, 0, 0

    def swim(self) -> None:
        """Move on by a frame."""
        self.x += self.moves
        self.age += 1
        self.unseen += 1

    def meet(self, x: float, y: float) -> None:
        """Take the place where it is seen."""
        self.x, self.y, self.unseen = x, y, 0
        if self.age >= 3:
            self.moves = (x - self.first) / self.age


def reader(folder: Path) -> WithNumbers:
    """A reader of Seaquest's window."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (50, 7, 110, 18), 0xD2D240),
    )


class Eyes:
    """Reads Seaquest's window; it remembers who swims where, which way it looks, and whether it rises."""

    def __init__(self) -> None:
        self._foes: list[Swimmer] = []
        self._divers: list[Swimmer] = []
        self._rising = False
        self._looks, self._frame, self._own_x = 1, 0, 84.0

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        self._frame += 1
        own = next(
            (patch for patch in patches(picture, _OWN, box=(8, 40, 160, 160)) if patch.width >= 12), None
        )
        air = float((picture[_AIR_ROW, 40:130] == _AIR).sum())
        saved = float(round((picture[176:190, 8:160] == _SAVED).sum() / _SAVED_AREA))
        known = {"air": air, "saved": saved}
        blue = patches(picture, _DIVER, box=(8, _SEA[0], 160, _SEA[1]))
        missiles = [patch for patch in blue if patch.height == 1 and patch.width >= 3]
        self._foes = _follow(self._foes, _foe_patches(picture) + missiles)
        self._divers = _follow(self._divers, [patch for patch in blue if patch.area >= _DIVER_AREA])
        if own is None:
            return known
        self._rising = air < (_FULL if self._rising else _LOW) or saved >= _ALL
        goal = self._goal(own)
        beside = [foe for foe in self._foes if abs(foe.y - own.y) <= _LINE_PX]
        target = min(beside, key=lambda foe: abs(foe.x - own.x), default=None)
        move = self._fire(self._move(own, goal, target), own, target)
        return {
            **known,
            "own_x": own.x,
            "own_y": own.y,
            "foes": float(len(self._foes)),
            "foe": None if target is None else target.x - own.x,
            "goal_x": goal[0],
            "goal_y": goal[1],
            "move": move,
        }

    def _fire(self, move: str, own: Patch, target: Swimmer | None) -> str:
        """Return the move, with fire if it is time and the submarine looks, or can turn, to the target."""
        across, down = _MOVES[move]
        if target is not None and self._frame % _FIRE_FRAMES < 2:
            side = 1 if target.x > own.x else -1
            if not across and self._looks != side:
                across = side
            if across in (0, side):
                move = f"{_NAMES[across, down]}_fire"
        self._looks = across or self._looks
        return move

    def _goal(self, own: Patch) -> tuple[float, float]:
        """Return where to go: up for air or with all divers, to a diver, else into the line of a foe."""
        if self._rising:
            return own.x, _SURFACE_Y
        if self._divers:
            diver = min(self._divers, key=lambda diver: abs(diver.x - own.x) + abs(diver.y - own.y))
            return float(np.clip(diver.x + 12 * diver.moves, *_REACH)), diver.y
        coming = [foe for foe in self._foes if foe.age >= 3]
        if not coming:
            return _MIDDLE
        foe = min(coming, key=lambda foe: abs(foe.y - own.y) + 0.3 * abs(foe.x - own.x))
        side = 1 if own.x > foe.x else -1
        return float(np.clip(foe.x + side * _AWAY_PX, 24, 136)), foe.y

    def _move(self, own: Patch, goal: tuple[float, float], target: Swimmer | None) -> str:
        """Return the move that meets nobody and comes nearest to the goal."""
        ways = np.array([_MOVES[name] for name, _ in _WAYS], np.float64)
        lengths = np.array([length for _, length in _WAYS], np.float64)
        gone = np.clip(_TIMES[None, :] - _LATE, 0, lengths[:, None]) * _SPEED
        x = np.clip(own.x + ways[:, :1] * gone, *_REACH)
        y = np.clip(own.y + ways[:, 1:] * gone, _SURFACE_Y, 148)
        at = 12
        cost = 0.05 * (np.abs(x[:, at] - goal[0]) + np.abs(y[:, at] - goal[1]))
        cost += 0.02 * (np.abs(x[:, -1] - goal[0]) + np.abs(y[:, -1] - goal[1]))
        for foe in self._foes:
            across = np.abs(x - (foe.x + foe.moves * _TIMES))
            down = np.abs(y - foe.y)
            near = np.clip(1.6 - across / _TOUCH[0], 0, 1) * np.clip(1.6 - down / _TOUCH[1], 0, 1)
            weight = 0.25 if foe is target and abs(foe.x - own.x) > _SHOT_PX else 1.0
            cost += weight * (near * (6.0 - 5.0 * _TIMES / _TIMES[-1])).sum(1)
        return _WAYS[int(cost.argmin())][0]


def _follow(known: list[Swimmer], seen: list[Patch]) -> list[Swimmer]:
    """Move the known swimmers on, and match them with those that are seen."""
    for swimmer in known:
        swimmer.swim()
    for patch in seen:
        near = [
            swimmer
            for swimmer in known
            if swimmer.unseen and abs(swimmer.x - patch.x) < 7 and abs(swimmer.y - patch.y) < 8
        ]
        if near:
            min(near, key=lambda swimmer: abs(swimmer.x - patch.x)).meet(patch.x, patch.y)
        else:
            known.append(Swimmer(patch.x, patch.y))
    return [swimmer for swimmer in known if swimmer.unseen <= _UNSEEN and 4 < swimmer.x < 164]


def _foe_patches(picture: Native) -> list[Patch]:
    top, bottom = _SEA
    part = picture[top:bottom, 8:160]
    seen: NDArray[np.bool_] = (part != picture[top:bottom, 8:9]) & (part != _OWN) & (part != _DIVER)
    return [patch for patch in patches_of(seen, 8, top) if patch.area >= 4]
