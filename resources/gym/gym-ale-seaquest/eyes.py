"""Seaquest's state reader: from pixels alone, the submarine, who swims in its lane, divers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, native, patches, patches_of

_OWN, _DIVER = 0xBBBB35, 0x4248C8
_SEA = (56, 152)
_LANES = (74, 98, 122, 146)
"""Middles of the lanes in which everything swims."""
_AIR_ROW, _AIR = 172, 0xD6D6D6
_LOW, _FULL = 14, 60
"""Air at which it is time to rise, and with which it may go down again."""
_SURFACE_Y, _MIDDLE_X = 50.0, 84.0
_CLOSE_PX = 26
"""Nearer than this a foe in the lane is fled from, up or down."""
_SHOWN_FRAMES = 3
"""The game draws what swims in turns."""


class Swimmer(NamedTuple):
    """Who swims in a lane: its number from above, and the middle."""

    lane: int
    x: float


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (50, 7, 110, 18), 0xD2D240),
    )


class Eyes:
    """Reads Seaquest's window; it remembers the last frames' swimmers and whether it takes air."""

    def __init__(self) -> None:
        self._seen: list[tuple[list[Swimmer], list[Swimmer]]] = []
        self._rising = False

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        own = next((one for one in patches(picture, _OWN, box=(8, 40, 160, 160)) if one.width >= 12), None)
        air = float((picture[_AIR_ROW, 40:130] == _AIR).sum())
        self._seen = [*self._seen[1 - _SHOWN_FRAMES :], (_foes(picture), _divers(picture))]
        told = {"air": air}
        if own is None:
            return told
        foes = {one for seen, _ in self._seen for one in seen}
        divers = {one for _, seen in self._seen for one in seen}
        self._rising = air < (_FULL if self._rising else _LOW)
        lane = min(range(len(_LANES)), key=lambda one: abs(_LANES[one] - own.y))
        beside = [one.x - own.x for one in foes if one.lane == lane]
        goal = self._goal(own, lane, foes, divers)
        return {
            **told,
            "own_x": own.x,
            "own_y": own.y,
            "foes": float(len(foes)),
            "foe": min(beside, key=abs, default=None),
            "goal_x": goal[0],
            "goal_y": goal[1],
        }

    def _goal(self, own: Patch, lane: int, foes: set[Swimmer], divers: set[Swimmer]) -> tuple[float, float]:
        """Return where to go: up for air, to a diver, else to a lane with a foe that is not too near."""
        if self._rising:
            return own.x, _SURFACE_Y

        def near(one: int) -> float:
            return min((abs(foe.x - own.x) for foe in foes if foe.lane == one), default=160.0)

        safe = [one for one in range(len(_LANES)) if near(one) > _CLOSE_PX]
        if not safe:
            return own.x, float(_LANES[lane])
        saved = [one for one in divers if one.lane in safe]
        if saved:
            diver = min(saved, key=lambda one: abs(one.x - own.x) + abs(_LANES[one.lane] - own.y))
            return diver.x, float(_LANES[diver.lane])
        busy = [one for one in safe if near(one) < 160] or safe
        aim = min(busy, key=lambda one: abs(_LANES[one] - own.y))
        return _MIDDLE_X, float(_LANES[aim])


def _lane(patch: Patch) -> int | None:
    return next((number for number, y in enumerate(_LANES) if abs(patch.y - y) <= 9), None)


def _swimmers(found: list[Patch]) -> list[Swimmer]:
    return [Swimmer(lane, one.x) for one in found if (lane := _lane(one)) is not None]


def _foes(picture: Native) -> list[Swimmer]:
    top, bottom = _SEA
    part = picture[top:bottom, 8:160]
    sea = picture[top:bottom, 8:9]
    seen = (part != sea) & (part != _OWN) & (part != _DIVER)
    return _swimmers([one for one in patches_of(seen, 8, top) if one.area >= 8])


def _divers(picture: Native) -> list[Swimmer]:
    top, bottom = _SEA
    return _swimmers([one for one in patches(picture, _DIVER, box=(8, top, 160, bottom)) if one.area >= 8])
