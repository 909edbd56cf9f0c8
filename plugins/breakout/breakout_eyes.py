"""Breakout's state reader: finds in pixels where the ball comes down and where the paddle should wait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Point = tuple[float, float]

_SIZE = (480, 560)
_TOP = 46
_BALL = (196, 243, 255)  # blue, green, red, as every colour here
_PADDLE = (240, 201, 76)
_FLOOR = (48, 28, 21)
_TOLERANCE, _LEAST_PX = 20, 12
_LEAST_WAY_PX = 4
"""Smallest height between two places that determine the ball's direction."""
_TRAIL = 7
"""Number of earlier places that determine it."""
_SIDES = (15.0, 465.0)
"""Places at which the ball's middle turns back."""
_PADDLE_Y = 508.0
"""Height of the ball's middle on the paddle."""
_COLUMNS, _ROWS = 9, 6
_BRICK = (36, 110, 51, 24)
"""Middle of the first brick, and the steps to the next."""
_REACH, _STEEPEST = 49.0, math.pi / 3
_BOLDEST = 0.55
"""Largest part of the paddle's reach that is used for a sideways shot; the rest allows for errors."""


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Breakout's window; it remembers the ball's earlier places."""

    def __init__(self) -> None:
        self._trail: list[Point] = []
        self._way: Point = (0.0, 0.0)

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        bricks = _bricks(pixels[..., :3])
        small = np.ascontiguousarray(pixels[_TOP::2, ::2, :3])
        ball, paddle = _middle(small, _BALL), _middle(small, _PADDLE)
        if ball is None or paddle is None:
            self._trail.clear()
            return {"bricks_left": len(bricks)}
        serving = ball[1] > _PADDLE_Y - 5 and abs(ball[0] - paddle[0]) < 2
        self._follow(ball)
        landing = self._landing(ball)
        return {
            "ball_x": round(ball[0], 1),
            "ball_y": round(ball[1], 1),
            "paddle_x": round(paddle[0], 1),
            "bricks_left": len(bricks),
            "serving": serving,
            "falling": self._way[1] > 0,
            "landing": round(landing, 1),
            "aim": round(landing - _offset(landing, bricks), 1),
        }

    def _follow(self, ball: Point) -> None:
        """Add the ball's place to its track: a few frames of straight flight at most."""
        last = self._trail[-1] if self._trail else ball
        step = (ball[0] - last[0], ball[1] - last[1])
        if step[0] * self._way[0] < 0 or step[1] * self._way[1] < 0:
            self._trail.clear()
            self._way = step
        self._trail = [*self._trail[-_TRAIL:], ball]
        way = (ball[0] - self._trail[0][0], ball[1] - self._trail[0][1])
        if abs(way[1]) > _LEAST_WAY_PX:
            self._way = way

    def _landing(self, ball: Point) -> float:
        """Return where the ball will reach the paddle's height; below the ball while it rises."""
        if self._way[1] <= 0:
            return ball[0]
        low, high = _SIDES
        flown = ball[0] + self._way[0] / self._way[1] * (_PADDLE_Y - ball[1]) - low
        folded = flown % (2 * (high - low))
        return low + min(folded, 2 * (high - low) - folded)


def _middle(small: Pixels, colour: tuple[int, int, int]) -> Point | None:
    """Return the middle of a colour in the window; `small` is every second pixel below the top."""
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    mask = cv2.inRange(small, np.clip(low, 0, 255), np.clip(high, 0, 255))
    moments = cv2.moments(mask, binaryImage=True)
    if moments["m00"] < _LEAST_PX:
        return None
    return 2 * moments["m10"] / moments["m00"] + 0.5, 2 * moments["m01"] / moments["m00"] + _TOP + 0.5


def _bricks(frame: Pixels) -> list[Point]:
    """Return the middles of the remaining bricks."""
    x, y, step_x, step_y = _BRICK
    seen = frame[y : y + step_y * _ROWS : step_y, x : x + step_x * _COLUMNS : step_x].astype(int)
    empty = (np.abs(seen - _FLOOR).max(2) < 12) | (np.abs(seen - _BALL).max(2) < 20)
    return [(float(x + step_x * column), float(y + step_y * row)) for row, column in np.argwhere(~empty)]


def _offset(landing: float, bricks: list[Point]) -> float:
    """Return the landing's offset from the paddle's middle that sends the ball to the easiest brick."""
    angles = [math.atan2(x - landing, _PADDLE_Y - y) for x, y in bricks]
    angle = min(angles, key=abs, default=0.0)
    return _REACH * max(-_BOLDEST, min(_BOLDEST, angle / _STEEPEST))
