"""Q*bert's state reader: from pixels alone, the cubes' colours, who hops where, and the next hop to a cube.

Which colour a cube is to have is not told. The colours of a round come one after the other: what has the one
that came first is to be turned.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from pathlib import Path

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, among, native, patches, patches_of

_OWN = 0xB55328
_TOPS = {
    (row, column): (left, top)
    for row, (top, lefts) in enumerate(
        (
            (34, (68,)),
            (62, (56, 84)),
            (91, (44, 68, 96)),
            (120, (32, 56, 84, 108)),
            (149, (20, 44, 68, 96, 120)),
            (178, (8, 32, 56, 84, 108, 132)),
        )
    )
    for column, left in enumerate(lefts)
}
"""Upper left corners of the cubes' tops, 20 pixels wide and 5 high, by row and column."""
_HOPS = {"up_right": (-1, 0), "up_left": (-1, -1), "down_left": (1, 0), "down_right": (1, 1)}
_MIDDLE_PX, _FEET_PX = 9.5, 2.5
_SNAKE_PX = 12
"""A foe that is higher than this hops to any side, a lower one only down."""
_NEAR, _ON = 25.0, 200.0
"""What a hop costs, in hops, to where a foe may hop next, and to where one is."""
_STILL = 2
Cube = tuple[int, int]


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (30, 5, 75, 15), 0xD2D240),
    )


class Eyes:
    """Reads Q*bert's window; it remembers which colours a round had, and where it stood."""

    def __init__(self) -> None:
        self._colours: list[int] = []
        self._stood: list[Cube | None] = []

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        tops = {cube: int(picture[top + 2, left + 2]) for cube, (left, top) in _TOPS.items()}
        wanted = self._wanted(tops)
        own = next((one for one in patches(picture, _OWN, box=(0, 14, 160, 206)) if one.area > 20), None)
        stands = _stands(own) if own else None
        self._stood = [*self._stood[-_STILL:], stands]
        foes = _foes(picture, set(tops.values()), own)
        told: dict[str, float | str | None] = {"cubes": float(len(wanted)), "foes": float(len(foes))}
        if stands is None or any(one != stands for one in self._stood):
            return told
        fear = _fear(foes)
        return {
            **told,
            "row": float(stands[0]),
            "column": float(stands[1]),
            "move": _hop(stands, wanted, fear),
        }

    def _wanted(self, tops: dict[Cube, int]) -> set[Cube]:
        """Return the cubes that are to be turned."""
        shown = set(tops.values())
        if len(shown) == 1 and shown != set(self._colours[:1]):
            self._colours = []
        counts = {colour: sum(one == colour for one in tops.values()) for colour in shown}
        for colour in sorted(shown - set(self._colours), key=lambda one: -counts[one]):
            self._colours.append(colour)
        first = next((colour for colour in self._colours if colour in shown), None)
        return {cube for cube, colour in tops.items() if colour == first}


def _stands(patch: Patch) -> Cube | None:
    """Return the cube on which a patch stands; None while it hops."""
    for cube, (left, top) in _TOPS.items():
        if abs(patch.x - left - _MIDDLE_PX) <= 2 and abs(patch.bottom - top - _FEET_PX) <= 2:
            return cube
    return None


def _near(patch: Patch) -> Cube:
    def away(cube: Cube) -> float:
        left, top = _TOPS[cube]
        return abs(patch.x - left - _MIDDLE_PX) + abs(patch.bottom - top - _FEET_PX)

    return min(_TOPS, key=away)


def _foes(picture: Native, tops: set[int], own: Patch | None) -> list[Patch]:
    """Return whoever kills: all that hops and is not green."""
    part = picture[20:206]
    known = among(part, (0, _OWN, int(picture[44, 71]), *tops))
    known[114:124, :24] = known[114:124, 136:] = True  # the discs
    found = [one for one in patches_of(~known, top=20) if one.area >= 12 and one.width <= 12]
    return [one for one in found if not _is_green(picture, one) and (own is None or not _within(one, own))]


def _within(one: Patch, own: Patch) -> bool:
    return own.left - 2 <= one.x <= own.right + 2 and own.top - 2 <= one.y <= own.bottom + 2


def _is_green(picture: Native, patch: Patch) -> bool:
    part = picture[patch.top : patch.bottom + 1, patch.left : patch.right + 1]
    red, green, blue = ((part[part != 0] >> shift & 0xFF).mean() for shift in (16, 8, 0))
    return bool(green > red and green > blue)


def _around(cube: Cube) -> list[tuple[str, Cube]]:
    row, column = cube
    hops = ((name, (row + down, column + right)) for name, (down, right) in _HOPS.items())
    return [(name, to) for name, to in hops if to in _TOPS]


def _fear(foes: list[Patch]) -> dict[Cube, float]:
    """Return what each cube near a foe costs."""
    fear: dict[Cube, float] = {}
    for foe in foes:
        at = _near(foe)
        fear[at] = _ON
        for name, to in _around(at):
            if foe.height > _SNAKE_PX or name.startswith("down"):
                fear[to] = max(fear.get(to, 0.0), _NEAR)
    return fear


def _hop(own: Cube, wanted: set[Cube], fear: dict[Cube, float]) -> str | None:
    """Return the first hop of the cheapest way to a wanted cube; None: it is better to wait."""
    queue: list[tuple[float, Cube, str]] = [(0.0, own, "")]
    done: set[Cube] = set()
    while queue:
        cost, cube, first = heappop(queue)
        if cube in done:
            continue
        done.add(cube)
        if first and cube in wanted:
            threatened = fear.get(own, 0.0) > 0
            ahead = fear.get(dict(_around(own))[first], 0.0)
            if threatened or not ahead:
                return first if ahead < _ON else None
            return None
        for name, to in _around(cube):
            if to not in done:
                heappush(queue, (cost + 1 + fear.get(to, 0.0), to, first or name))
    return None
