"""Reads the garden from pixels alone: hedges, berries, the hedgehog, the wisps, and the way to take next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Cell = tuple[int, int]
Place = tuple[float, float]
"""Column and row, from 0."""
Reach = dict[Cell, float]
"""Cells of way, or seconds, to each cell."""

_SIZE = (456, 546)
_SIDE, _TOP, _COLUMNS, _ROWS = 24, 42, 19, 21
_HEDGES = ((31, 107, 70), (47, 143, 92), (87, 184, 122), (26, 90, 60))
_BERRY, _MOON, _FACE, _SPINES = (255, 122, 140), (255, 243, 176), (255, 217, 168), (168, 112, 60)
_WISPS = ((255, 74, 58), (255, 143, 216), (79, 224, 255), (176, 124, 255))
_AFRAID = ((47, 85, 255), (143, 166, 255))
_HEARTS, _HEART = ((19, 430), (19, 404), (19, 378)), (239, 71, 111)
"""Row and column of each heart."""
_TOLERANCE, _LEAST_PX, _EDGE = 14, 24, 8
_WAYS = {"up": (0, -1), "left": (-1, 0), "down": (0, 1), "right": (1, 0)}
_BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
_PACE, _HUNT_PACE = 6.4, 5.8
"""Cells a second of the hedgehog, and of a fast wisp."""
_MARGIN_S = 0.25
"""A cell is safe where the hedgehog is there so much earlier than any wisp."""
_CHASE_CELLS, _CALL_CELLS, _TURN_CELLS, _FAR = 9, 6, 4.0, 99.0
"""Afraid wisps are hunted so near; a moon berry is eaten while a wisp is so near; a turn costs so much."""


@dataclass(frozen=True)
class Sight:
    """Holds what a frame shows: each cell's sign, the hedgehog's place and heading, the wisps' places."""

    signs: dict[Cell, str]
    place: Place
    heading: str
    hunters: list[Place]
    afraid: list[Place]


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the garden's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        picture = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGB), np.uint8)
        fields: dict[str, Value] = {"lives": sum(bool(_like(picture[at], _HEART)) for at in _HEARTS)}
        place, heading = _hedgehog(picture)
        if place is None:
            return fields
        hunters = [place for colour in _WISPS for place in _places(picture, colour)]
        afraid = [place for colour in _AFRAID for place in _places(picture, colour)]
        sight = Sight(_signs(picture), place, heading, hunters, afraid)
        reach = _reach(sight.signs, [(_cell(place), 0.0)])
        nearest = min((reach.get(_cell(hunter), _FAR) for hunter in hunters), default=_FAR)
        return fields | {
            "x": _cell(place)[0],
            "y": _cell(place)[1],
            "heading": heading,
            "garden": "/".join("".join(sight.signs[x, y] for x in range(_COLUMNS)) for y in range(_ROWS)),
            "nearest": None if nearest == _FAR else int(nearest),
            "afraid": len(afraid),
            "go": next_way(sight),
        }


def _like(points: Pixels, colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(points.astype(int) - colour).max(-1) < _TOLERANCE, np.bool_)


def _cell(place: Place) -> Cell:
    return round(place[0]) % _COLUMNS, round(place[1])


def _mask(picture: Pixels, colour: tuple[int, int, int]) -> Pixels:
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    return np.asarray(cv2.inRange(picture[_TOP:], low.clip(0, 255), high.clip(0, 255)), np.uint8)


def _places(picture: Pixels, colour: tuple[int, int, int]) -> list[Place]:
    """Return where bodies of a colour are; berries are smaller, eyes within a body part no bodies."""
    mask = _mask(picture, colour)
    x, y, wide, tall = cv2.boundingRect(mask)  # the empty rest would cost most of the time
    if not wide:
        return []
    x, y, right, bottom = max(0, x - _EDGE), max(0, y - _EDGE), x + wide + _EDGE, y + tall + _EDGE
    whole = cv2.morphologyEx(mask[y:bottom, x:right], cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(whole)
    boxes = (tuple(int(value) for value in stats[number]) for number in range(1, count))
    return [
        ((x + left + width / 2) / _SIDE - 0.5, (y + top + 10.5) / _SIDE - 0.5)
        for left, top, width, high, area in boxes
        if area >= 4 * _LEAST_PX and width > 10 and high > 10
    ]


def _points(mask: Pixels) -> NDArray[np.int32]:
    """Return (x, y) of each point of a mask."""
    points = cv2.findNonZero(mask)  # far quicker than numpy.nonzero
    return np.zeros((0, 2), np.int32) if points is None else np.asarray(points, np.int32).reshape(-1, 2)


def _hedgehog(picture: Pixels) -> tuple[Place | None, str]:
    """Return where the hedgehog is, and the side of its face."""
    spines, face = (_points(_mask(picture, colour)) for colour in (_SPINES, _FACE))
    if min(len(spines), len(face)) < _LEAST_PX:
        return None, ""
    back, front = (np.median(part, axis=0) for part in (spines, face))
    dx, dy = front - back
    heading = ("right" if dx > 0 else "left") if abs(dx) > abs(dy) else ("down" if dy > 0 else "up")
    middle = front - 7 * np.array(_WAYS[heading])
    return (float(middle[0]) / _SIDE - 0.5, float(middle[1]) / _SIDE - 0.5), heading


def _signs(picture: Pixels) -> dict[Cell, str]:
    """Return the sign of each cell: hedges by most of five places, berries and moon berries by the middle."""
    rows, columns = _TOP + np.arange(_ROWS) * _SIDE + _SIDE // 2, np.arange(_COLUMNS) * _SIDE + _SIDE // 2
    places = [
        picture[np.ix_(rows + dy, columns + dx)] for dx, dy in ((-5, -5), (5, -5), (-5, 5), (5, 5), (0, 0))
    ]
    leaves = [np.any([_like(place, colour) for colour in _HEDGES], axis=0) for place in places]
    hedges, middles = np.sum(leaves, axis=0) >= 3, places[-1]
    signs = np.where(_like(middles, _BERRY), ".", np.where(_like(middles, _MOON), "o", " "))
    return {(x, y): str(sign) for (y, x), sign in np.ndenumerate(np.where(hedges, "#", signs))}


def _beside(cell: Cell, way: str) -> Cell:
    dx, dy = _WAYS[way]
    return (cell[0] + dx) % _COLUMNS, cell[1] + dy


_AROUND = {
    (x, y): tuple((way, _beside((x, y), way)) for way in _WAYS) for x in range(_COLUMNS) for y in range(_ROWS)
}
"""Each cell's ways, with the cell that each leads to."""


def _reach(signs: Mapping[Cell, str], starts: Iterable[tuple[Cell, float]]) -> Reach:
    """Return the way, in cells, from the nearest start to every cell that can be reached."""
    reach: Reach = {}
    queue = deque(sorted(starts, key=lambda start: start[1]))
    while queue:
        cell, far = queue.popleft()
        if reach.get(cell, _FAR) <= far or signs.get(cell, "#") == "#":
            continue
        reach[cell] = far
        queue.extend(
            [
                (near, far + 1)
                for _, near in _AROUND[cell]
                if near not in reach and signs.get(near, "#") != "#"
            ]
        )
    return reach


def next_way(sight: Sight) -> str | None:
    """Return the way to take from the next cell on: to food or prey by safe cells, else away from wisps."""
    danger = _reach(sight.signs, [(_cell(place), 0.0) for place in sight.hunters])
    best: tuple[float, str] | None = None
    for first, start, part in _origins(sight):
        before, ways = _safe_ways(sight, start, part, danger, first)
        turn = _TURN_CELLS if first else 0.0
        values = (
            (_value(sight, cell, way, danger), ways[cell]) for cell, way in before.items() if ways[cell]
        )
        goals = [(value + turn, way) for value, way in values if value < _FAR]
        if goals and (best is None or min(goals) < best):
            best = min(goals)
    return best[1] if best else _flight(sight, danger)


def _origins(sight: Sight) -> list[tuple[str, Cell, float]]:
    """Return (first way or "", cell, way to it): the cell before the hedgehog, and that behind it."""
    cell = _cell(sight.place)
    dx, dy = _WAYS[sight.heading]
    along = (sight.place[0] - cell[0]) * dx + (sight.place[1] - cell[1]) * dy
    if abs(along) < 0.12 or abs(along) > 1:
        return [("", cell, 0.0)]
    ahead, behind = (
        (_beside(cell, sight.heading), cell) if along > 0 else (cell, _beside(cell, _BACK[sight.heading]))
    )
    part = along if along > 0 else 1 + along
    return [("", ahead, 1 - part), (_BACK[sight.heading], behind, part)]


def _safe_ways(
    sight: Sight, start: Cell, part: float, danger: Reach, first: str
) -> tuple[Reach, dict[Cell, str]]:
    """Return the way to each cell by safe cells alone, and the first step to it."""
    reach: Reach = {start: part}
    ways = {start: first}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        far = reach[cell] + 1
        for way, near in _AROUND[cell]:
            if near in reach or sight.signs.get(near, "#") == "#":
                continue
            if far / _PACE + _MARGIN_S > danger.get(near, _FAR) / _HUNT_PACE:
                continue
            reach[near] = far
            ways[near] = ways[cell] or way
            queue.append(near)
    return reach, ways


def _value(sight: Sight, cell: Cell, way: float, danger: Reach) -> float:
    """Return how far a cell is worth going, less is better; 99 and more: not at all."""
    sign = sight.signs[cell]
    if any(_cell(prey) == cell for prey in sight.afraid) and way <= _CHASE_CELLS:
        return way - 12
    if sign == "o":
        close = danger.get(_cell(sight.place), _FAR) <= _CALL_CELLS
        return way - 8 if close and not sight.afraid else way + 14
    spare = danger.get(cell, _FAR) - way
    return way + max(0.0, 5 - spare) if sign == "." else _FAR


def _flight(sight: Sight, danger: Reach) -> str | None:
    """Return the way to the cell beside the hedgehog that is farthest from every wisp."""
    cell = _cell(sight.place)
    ways = [way for way in _WAYS if sight.signs.get(_beside(cell, way), "#") != "#"]
    return max(ways, key=lambda way: danger.get(_beside(cell, way), _FAR), default=None)
