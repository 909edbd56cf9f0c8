"""Asterix's state reader: from pixels alone, what passes in each lane, and the next move to what is worth it.

Lyres kill, all else is worth points. The way is found by looking ahead: a step lasts eight frames and leads
at most one lane up or down, or sixteen pixels to a side, while everything in the lanes goes on as it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Pixels, native, patches

_OWN, _LYRE = 0xBBBB35, 0xE46F6F
_LANES, _FIRST_Y, _LANE_PX = 8, 24, 16
_LEFT, _RIGHT, _STEP_PX = 20, 140, 8
_XS = np.arange(_LEFT, _RIGHT + 1, _STEP_PX)
_STEP_FRAMES, _AHEAD = 8, 9
_LATE_FRAMES = 4
"""Frames from what is seen to what is done."""
_TAKEN_PX, _HIT_PX = 8, 13
_DISCOUNT, _KILLED, _EDGE = 0.87, -3.0, -0.02
_AROUND = np.array([[0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0]], np.uint8)
_AT_EDGE = ((_XS < 32) | (_XS > 128)).astype(np.float32)
_MOVES = {
    (0, 0): "", (-1, 0): "up", (1, 0): "down", (0, -2): "left", (0, 2): "right",
    (-1, -1): "up_left", (-1, 1): "up_right", (1, -1): "down_left", (1, 1): "down_right",
}  # fmt: skip


class Thing(NamedTuple):
    """What passes in a lane: its middle, its pixels a frame, and whether it kills."""

    x: float
    speed: float
    kills: bool


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (50, 182, 110, 194), 0xBBBB35),
    )


class Eyes:
    """Reads Asterix's window; it remembers how fast what passes is."""

    def __init__(self) -> None:
        self._trails: list[list[float]] = [[] for _ in range(_LANES)]

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        own = next(iter(patches(picture, _OWN, box=(8, _FIRST_Y, 160, 152))), None)
        things = [self._thing(picture, lane) for lane in range(_LANES)]
        lives = patches(picture, _OWN, box=(8, 168, 160, 182))
        told = {"lives": float(len(lives)), "things": float(sum(not one.kills for one in things if one))}
        if own is None:
            return told
        lane = min(max((own.top - _FIRST_Y) // _LANE_PX, 0), _LANES - 1)
        return {**told, "own_x": own.x, "lane": float(lane), "move": _move(own.x, lane, things)}

    def _thing(self, picture: Native, lane: int) -> Thing | None:
        top = _FIRST_Y + lane * _LANE_PX + 2
        rows = picture[top : top + 11, 8:160]
        seen = (rows != 0) & (rows != _OWN) & (rows[:, :1] == 0)
        columns = np.flatnonzero(seen.any(axis=0))
        trail = self._trails[lane]
        if not len(columns):
            trail.clear()
            return None
        x = 8 + (int(columns[0]) + int(columns[-1])) / 2
        if trail and abs(x - trail[-1]) > 12:
            trail.clear()
        self._trails[lane] = trail = [*trail[-4:], x]
        speed = (x - trail[0]) / max(1, len(trail) - 1)
        if not speed and len(trail) > 2:
            return None  # what was won is shown where it was taken
        return Thing(x, speed, bool((rows == _LYRE).any()))


def _move(own_x: float, lane: int, things: list[Thing | None]) -> str:
    """Return the move that leads to the most, by what the lanes hold in the steps to come."""
    steps = np.arange(_AHEAD + 1)[:, None, None]
    worth = np.full((_AHEAD + 1, _LANES, len(_XS)), np.nan, np.float32)
    for row, thing in enumerate(things):
        if thing is not None:
            away = np.abs(_XS - thing.x - thing.speed * (_LATE_FRAMES + _STEP_FRAMES * steps[:, 0]))
            reach = _HIT_PX + abs(thing.speed) * 2 if thing.kills else _TAKEN_PX
            worth[:, row][away <= reach] = _KILLED if thing.kills else 1.0
    ahead = np.zeros(worth.shape[1:], np.float32)
    for step in range(_AHEAD, 0, -1):
        around = cv2.dilate(ahead, _AROUND) * _DISCOUNT + _EDGE * _AT_EDGE
        ahead = np.where(np.isnan(worth[step]), around, worth[step])
    at = int(np.abs(_XS - own_x).argmin())
    choices = {
        name: ahead[lane + down, min(max(at + right, 0), len(_XS) - 1)]
        for (down, right), name in _MOVES.items()
        if 0 <= lane + down < _LANES
    }
    return max(choices, key=lambda name: choices[name])
