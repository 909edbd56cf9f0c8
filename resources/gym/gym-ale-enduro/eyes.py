"""Enduro's state reader: from pixels alone, the road, the own car, the others, and where to drive.

Places on the road are pixels beside its middle, at the own car's row. The others keep to three lanes and come
nearer at a rate that all of them share, so that the time of each car's arrival is known from two pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Pixels, native

_HORIZON, _LAST_ROW = 52, 132
_ROAD_ROWS = range(146, 155, 2)
_ROWS = range(60, _LAST_ROW + 1)
"""The road is as wide as its row lies below the horizon; below the own car its edges stand alone."""
_OWN_ROWS, _OWN_AREA = (138, 155), 60
_LANE_PX, _LEAST_WIDTH = 24.0, 2
_BESIDE, _PASSED = 74.0, 102.0
"""Rows below the horizon between which another car is beside the own."""
_WIDTH_PX = 19.0
"""So near across, two cars touch, with a margin."""
_PLACES = (-24.0, 0.0, 24.0)
_TURN = 4
"""Frames that a turn lasts: the game takes the keys anew as often."""
_SWITCHES = (8, 16, 26)
_FRAMES = 48
_LATE = 9
"""Frames until a turn is over that is asked for now."""
_STILL_PX, _STEADY = 4.5, 0.75
"""Farther from the aim a turn is asked for; a way of many turns is slower than each of them by this share."""


class Car:
    """Another car: its lane (-1, 0, 1), and how far its top is below the horizon, in rows."""

    def __init__(self, lane: int, below: float) -> None:
        self.lane, self.below, self.unseen = lane, below, 0


def reader(folder: Path) -> WithNumbers:
    """A reader of Enduro's window."""
    return WithNumbers(
        Eyes(),
        cars_left=Digits(folder / "digits.txt", (80, 179, 104, 188), 0x000000),
    )


class Eyes:
    """Reads Enduro's window; it remembers the cars, their rate, and where it was going."""

    def __init__(self) -> None:
        self._cars: list[Car] = []
        self._rate = 0.03
        self._own_x, self._across, self._drift, self._aim = 84.0, 0.0, 0.0, 0.0
        self._asked = [0.0] * 24
        self._frame = 0
        self._colour = 0xC0C0C0

    def read(self, pixels: Pixels) -> Mapping[str, float | None]:
        """The fields of a frame."""
        picture = native(pixels)
        nearest = zip(_ROAD_ROWS, _runs(picture, _ROAD_ROWS), strict=True)
        middles = [middle for row, runs in nearest if (middle := _middle(runs, row)) is not None]
        self._own_x, self._colour = _own(picture, self._own_x, self._colour)
        if not middles:
            return {"own": None, "aim": 0.0}
        across = self._own_x - float(np.median(middles))
        late, speed = _LATE, min(0.6 + 36 * self._rate, 1.6)
        if not any(self._asked[: late + 2]):
            self._drift = float(np.clip(0.95 * self._drift + 0.05 * (across - self._across), -1, 1))
        self._across = across
        self._follow(_cars(picture))
        own = across + late * self._drift + speed * self._pending(late)
        self._aim = self._plan(across, own, late, _STEADY * speed)
        self._frame = (self._frame + 1) % _TURN
        turn = self._aim - own if not self._frame and abs(self._aim - own) > _STILL_PX else 0.0
        self._asked = [float(np.sign(turn)), *self._asked[:-1]]
        near = max(
            (car.below / _BESIDE for car in self._cars if abs(car.lane * _LANE_PX - across) < _WIDTH_PX),
            default=None,
        )
        return {"own": own, "cars": float(len(self._cars)), "turn": turn, "aim": self._aim, "ahead": near}

    def _pending(self, late: int) -> float:
        """Return for how many frames the turns that were asked for are still to come: right, less left."""
        return sum(asked * min(max(late - ago, 0), _TURN) for ago, asked in enumerate(self._asked))

    def _follow(self, seen: list[tuple[int, float]]) -> None:
        """Move the known cars on, and match them with those of this frame."""
        for car in self._cars:
            car.below *= 1 + self._rate
            car.unseen += 1
        for lane, below in seen:
            near = [
                car
                for car in self._cars
                if car.lane == lane and car.unseen and abs(car.below - below) < 4 + below / 6
            ]
            if near:
                car = min(near, key=lambda car: abs(car.below - below))
                self._rate = float(np.clip(self._rate + 0.06 * (below / car.below - 1), 0.0, 0.08))
                car.below += 0.5 * (below - car.below)
                car.unseen = 0
            else:
                self._cars.append(Car(lane, below))
        self._cars = [
            car
            for car in self._cars
            if car.below < _PASSED + 8 and (car.unseen < 4 or car.below > _LAST_ROW - _HORIZON - 4)
        ]

    def _plan(self, across: float, own: float, late: int, speed: float) -> float:
        """Return where to drive: the first place of the way that meets the least."""
        plans = [(place, _FRAMES, place) for place in _PLACES]
        plans += [(a, switch, b) for a, b in product(_PLACES, _PLACES) if a != b for switch in _SWITCHES]
        first, switch, then = (np.array(part, np.float64) for part in zip(*plans, strict=True))
        offset = np.zeros(len(plans))
        cost = (0.1 * np.abs(first) + 1.5 * np.abs(first - self._aim)) / _LANE_PX
        lanes = np.array([car.lane * _LANE_PX for car in self._cars])
        below = np.array([car.below for car in self._cars])
        for frame in range(_FRAMES):
            if frame >= late - _TURN:
                aim = np.where(frame - late < switch, first, then)
                offset = offset + np.clip(aim - own - offset, -speed, speed)
            place = across + (own - across) * min(1.0, frame / late) + offset
            below = below * (1 + self._rate)
            beside = lanes[(below > _BESIDE) & (below < _PASSED)]
            if beside.size:
                depth = np.maximum(0.0, _WIDTH_PX - np.abs(place[:, None] - beside)).sum(1)
                cost = cost + depth * (1.0 - frame / (2 * _FRAMES))
        return float(first[int(cost.argmin())])


def _runs(picture: Native, rows: range) -> list[list[tuple[int, int]]]:
    """Return for each row the first and last column of all in it that is not ground."""
    other = np.zeros((len(rows), 152), np.bool_)
    part = picture[rows.start : rows.stop : rows.step]
    other[:, 1:-1] = part[:, 10:160] != part[:, 9:10]
    lines, columns = np.nonzero(other[:, 1:] != other[:, :-1])
    runs: list[list[tuple[int, int]]] = [[] for _ in rows]
    for line, first, end in zip(
        lines[::2].tolist(), columns[::2].tolist(), columns[1::2].tolist(), strict=True
    ):
        runs[line].append((10 + first, 9 + end))
    return runs


def _middle(runs: list[tuple[int, int]], row: int) -> float | None:
    """Return the road's middle in a row, also where one edge is out of the picture."""
    if not runs:
        return None
    wide, left, right = row - _HORIZON, runs[0][0], runs[-1][1]
    if abs(right - left - wide) <= 5:
        return (left + right) / 2
    if left + wide > 158:
        return left + wide / 2
    return right - wide / 2 if right - wide < 12 else None


def _own(picture: Native, before: float, colour: int) -> tuple[float, int]:
    """Return the own car's middle and colour, which are the former ones where it is not seen."""
    left, top = max(9, round(before) - 14), _OWN_ROWS[0]
    part = picture[top : _OWN_ROWS[1], left : round(before) + 15]
    if (part == colour).sum() < _OWN_AREA:
        colours, counts = np.unique(part[part != picture[top, 9]], return_counts=True)
        if not counts.size or counts.max() < _OWN_AREA:
            return before, colour
        colour = int(colours[counts.argmax()])
    columns = np.flatnonzero((part == colour).sum(0) >= 3)
    wide = int(columns[-1] - columns[0]) if columns.size else 0
    return (left + (int(columns[0]) + int(columns[-1])) / 2 if 11 <= wide <= 17 else before), colour


def _cars(picture: Native) -> list[tuple[int, float]]:
    """Return lane and rows below the horizon of each other car, by its top row."""
    tops: dict[int, list[int]] = {-1: [], 0: [], 1: []}
    last = {-1: -9, 0: -9, 1: -9}
    for row, runs in zip(_ROWS, _runs(picture, _ROWS), strict=True):
        middle, wide = _middle(runs, row), row - _HORIZON
        if middle is None or len(runs) < 2:
            continue
        for a, b in runs:
            across = (a + b - 2 * middle) / wide
            if b - a + 1 < _LEAST_WIDTH or abs(across) > 0.85:
                continue
            lane = round(across / 0.53)
            if lane in tops:
                if row - last[lane] > 4:
                    tops[lane].append(row)
                last[lane] = row
    return [(lane, float(top - _HORIZON)) for lane, rows in tops.items() for top in rows]
