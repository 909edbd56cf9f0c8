"""Reads carball from pixels alone: cars, ball, goals, tanks, and where each side would drive next."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""
Point = tuple[float, float]

_SIZE = (640, 460)
_TOP = 42
"""Rows above hold lamps and tanks."""
_BODIES: dict[str, Colour] = {"blue": (255, 140, 47), "red": (94, 77, 255)}
_BALL: Colour = (61, 210, 255)
_LAMPS = {
    "blue": [(20, 268 - 22 * lamp) for lamp in range(5)],
    "red": [(20, 372 + 22 * lamp) for lamp in range(5)],
}
_TANKS = {"blue": 58, "red": 502}
_TANK_PX = 80
_LEAST_PX = 40
_GOALS: dict[str, Point] = {"blue": (620, 250), "red": (20, 250)}
"""The goal that a side attacks."""
_WAYS = {"blue": 1, "red": -1}
_AHEAD_S, _MOST_AHEAD_PX = 0.3, 90.0
_BEHIND, _ROUND, _NEAR = 34.0, 46.0, 120.0
_STRAIGHT_PX, _STEER_PX = 13.0, 7.0
_MIN_S, _MAX_S = 0.012, 0.3


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads carball's window; it remembers where the ball was, and when."""

    def __init__(self) -> None:
        self._ball: tuple[float, Point] | None = None
        self._speed: Point = (0.0, 0.0)

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        frame = np.ascontiguousarray(pixels[..., :3])
        values: dict[str, Value] = {}
        cars = {side: _middle(frame, colour) for side, colour in _BODIES.items()}
        ball = _middle(frame, _BALL)
        for side, car in cars.items():
            values[f"{side}_goals"] = sum(_near(frame[at], _BODIES[side]) for at in _LAMPS[side])
            values[f"{side}_tank"] = _tank(frame, side)
            if car is not None:
                values |= {f"{side}_x": round(car[0], 1), f"{side}_y": round(car[1], 1)}
        if ball is None:
            self._ball = None
            return values
        values |= {"ball_x": round(ball[0], 1), "ball_y": round(ball[1], 1)}
        ahead = self._ahead(ball)
        for side, car in cars.items():
            if car is not None:
                values[f"{side}_move"] = _move(side, car, ahead)
        return values

    def _ahead(self, ball: Point) -> Point:
        """Return where the ball will be a little later, by the way that it came."""
        now_s = time.monotonic()
        if self._ball is not None and (passed := now_s - self._ball[0]) >= _MIN_S:
            before = self._ball[1]
            if passed <= _MAX_S:
                self._speed = ((ball[0] - before[0]) / passed, (ball[1] - before[1]) / passed)
            self._ball = (now_s, ball)
        elif self._ball is None:
            self._ball, self._speed = (now_s, ball), (0.0, 0.0)
        dx, dy = (max(-_MOST_AHEAD_PX, min(_MOST_AHEAD_PX, _AHEAD_S * part)) for part in self._speed)
        return ball[0] + dx, min(426.0, max(74.0, ball[1] + dy))


def _move(side: str, car: Point, ball: Point) -> str:
    """Return the action that brings a car behind the ball, then through it towards the other goal."""
    goal = _GOALS[side]
    far = math.hypot(goal[0] - ball[0], goal[1] - ball[1]) or 1.0
    tx, ty = (goal[0] - ball[0]) / far, (goal[1] - ball[1]) / far
    away = (car[0] - ball[0], car[1] - ball[1])
    along, across = away[0] * tx + away[1] * ty, away[0] * -ty + away[1] * tx
    apart = math.hypot(*away)
    x, y = ball[0] - tx * _BEHIND, ball[1] - ty * _BEHIND
    if along > -10 and apart < _NEAR:
        aside = math.copysign(_ROUND, across)
        x, y = x - ty * aside, y + tx * aside
    elif abs(across) < _STRAIGHT_PX and along < 0:
        if abs(ty) < 0.2 and apart > 70:
            return f"{side}_rush"
        x, y = ball[0] + tx * 30, ball[1] + ty * 30
    return _towards(side, x - car[0], y - car[1])


def _towards(side: str, dx: float, dy: float) -> str:
    """Return the action of the nearest of eight ways."""
    if max(abs(dx), abs(dy)) < _STEER_PX:
        return "hold"
    words = []
    if abs(dy) > 0.41 * abs(dx):
        words.append("up" if dy < 0 else "down")
    if abs(dx) > 0.41 * abs(dy):
        words.append("left" if dx < 0 else "right")
    return "_".join((side, *words))


def _middle(frame: Pixels, colour: Colour) -> Point | None:
    """Return the middle of everything that has a colour below the lamps."""
    low, high = np.array(colour) - 12, np.array(colour) + 12
    moments = cv2.moments(
        cv2.inRange(frame[_TOP:], np.clip(low, 0, 255), np.clip(high, 0, 255)), binaryImage=True
    )
    if moments["m00"] < _LEAST_PX:
        return None
    return moments["m10"] / moments["m00"], moments["m01"] / moments["m00"] + _TOP


def _tank(frame: Pixels, side: str) -> int:
    """Return how full a tank is, in percent."""
    left = _TANKS[side]
    row = frame[20, left : left + _TANK_PX].astype(int)
    full = np.abs(row - _BODIES[side]).max(1) < 24
    return round(100 * int(full.sum()) / _TANK_PX)


def _near(pixel: Pixels, colour: Colour) -> bool:
    return bool(np.abs(pixel.astype(int) - colour).max() < 24)
