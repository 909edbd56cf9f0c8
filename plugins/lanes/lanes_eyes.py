"""Reads the road from pixels alone: what stands nearest in each lane, the speed, and what is due now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]

_SIZE = (480, 560)
_MIDDLE, _HORIZON, _GROUND, _FAR_M, _LANE = 240, 196, 476, 6.0, 130
_ROWS = np.arange(_GROUND - 1, 222, -1)
"""From the runner's feet to far ahead."""
_BESIDE = 0.36
"""Part of a lane beside its middle where the runner hides nothing."""
_COLOURS = {"wall": (91, 71, 224), "log": (44, 154, 240), "gate": (255, 92, 154), "coin": (77, 225, 255)}
_COIN_UP = 42
"""Height of a coin's middle over the road where the runner is."""
_BODY = (192, 217, 43)
_SPEED = ((21, 330, 380), (255, 208, 57), 27.0)
"""Row, left and right of the speed's bar, its colour, the speed of a full bar."""
_TOLERANCE = 14
_LANES = ("left", "middle", "right")
_JUMP_S, _SLIDE_S, _TURN_S = 0.30, 0.28, 1.1
"""Times before an obstacle at which a jump, a slide and a change of lanes are due."""
_SIDE_M = 2.6
"""Distance to the obstacle of another lane from which that lane can be entered."""


@dataclass(frozen=True)
class Sight:
    """The nearest obstacle of a lane: its kind, metres ahead; and whether a coin lies before it."""

    kind: str
    ahead: float
    coin: bool


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the road's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        lane, speed = _lane(pixels), _speed(pixels)
        if lane is None or not speed:
            return {}
        sights = [_sight(pixels, number - 1) for number in range(3)]
        fields: dict[str, Value] = {"lane": _LANES[lane], "speed": round(speed, 1)}
        for name, sight in zip(_LANES, sights, strict=True):
            fields[name] = sight.kind or "free"
            fields[f"{name}_ahead"] = round(sight.ahead, 1)
        return fields | {"move": _move(lane, speed, sights)}


def _like(points: Pixels, colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(points.astype(int) - colour).max(-1) < _TOLERANCE, np.bool_)


def _lane(pixels: Pixels) -> int | None:
    """Return the lane, from 0, that the runner's body is nearest to."""
    mask = _like(pixels[220:474:2, ::2, :3], _BODY)
    if np.count_nonzero(mask) < 40:
        return None
    x = 2 * float(np.mean(np.nonzero(mask)[1]))
    return int(min(2, max(0, round((x - _MIDDLE) / _LANE) + 1)))


def _speed(pixels: Pixels) -> float:
    (row, left, right), colour, full = _SPEED
    return full * int(np.count_nonzero(_like(pixels[row, left:right, :3], colour))) / (right - left)


def _sight(pixels: Pixels, lane: int) -> Sight:
    """Look along both sides of a lane, from near to far, for the first obstacle."""
    scales = (_ROWS - _HORIZON) / (_GROUND - _HORIZON)
    kind, first = "", len(_ROWS)
    for beside in (-_BESIDE, _BESIDE):
        columns = np.rint(_MIDDLE + (lane + beside) * _LANE * scales).astype(int)
        line = pixels[_ROWS, np.clip(columns, 0, _SIZE[0] - 1), :3]
        for name in ("wall", "log", "gate"):
            hits = np.flatnonzero(_like(line, _COLOURS[name]))
            if len(hits) and hits[0] < first:
                kind, first = name, int(hits[0])
    columns = np.rint(_MIDDLE + lane * _LANE * scales).astype(int)
    rows = np.rint(_ROWS - _COIN_UP * scales).astype(int)
    coins = np.flatnonzero(_like(pixels[rows, columns, :3], _COLOURS["coin"]))
    far = _FAR_M / scales[min(first, len(_ROWS) - 1)] - _FAR_M
    return Sight(kind, float(far), bool(len(coins)) and int(coins[0]) < first)


def _move(lane: int, speed: float, sights: list[Sight]) -> str:
    """Return the action that is due: stay out of walls first, then over logs and under gates, then coins."""
    here = sights[lane]
    left_s = here.ahead / speed
    sides = [other for other in (lane - 1, lane + 1) if 0 <= other <= 2 and sights[other].ahead > _SIDE_M]
    if here.kind == "wall" and left_s < _TURN_S and sides:
        return _toward(lane, max(sides, key=lambda other: _worth(lane, other, sights)))
    if here.kind == "log" and left_s < _JUMP_S:
        return "jump"
    if here.kind == "gate" and left_s < _SLIDE_S:
        return "slide"
    for other in sides:
        near = sights[other].kind and sights[other].ahead / speed < _TURN_S
        if sights[other].coin and not here.coin and not near and (not here.kind or left_s > 0.5):
            return _toward(lane, other)
    return "wait"


def _worth(lane: int, other: int, sights: list[Sight]) -> float:
    """Return how good it is to go there: where a wall stands beside this one, what is behind it counts."""
    sight = sights[other]
    if sight.kind != "wall" or sight.ahead > sights[lane].ahead + 4:
        return 100.0 + sight.ahead + 20 * sight.coin
    beyond = 2 * other - lane
    return 50.0 if 0 <= beyond <= 2 and sights[beyond].kind != "wall" else 0.0


def _toward(lane: int, other: int) -> str:
    return "left" if other < lane else "right"
