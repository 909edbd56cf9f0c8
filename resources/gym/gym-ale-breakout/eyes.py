"""Breakout's state reader: from pixels alone, where the ball comes down."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, among, native, patches, speed

_RED = 0xC84848
_BRICKS = (0xC84848, 0xC66C3A, 0xB47A30, 0xA2A22A, 0x48A048, 0x4248C8)
_FIELD = (8, 32, 152, 189)
_LEFT, _RIGHT, _PADDLE_Y = 8.5, 150.5, 187.0
_REACH = 7.0
"""Half of the paddle: so far from a wall its middle stays."""
_TRAIL, _LEAST_WAY_PX = 8, 4
_GLIDES = 2.0
"""Frames at its speed that the paddle still glides."""
_GONE = 12
"""Frames without a ball after which it is served."""
_OFF_MIDDLE = (-2.0, 0.0, 2.0)
"""How far off its middle the paddle meets the ball, one after the other: no flight repeats for ever."""


def reader(folder: Path) -> WithNumbers:
    """Make the reader of Breakout's fields and points."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (36, 5, 80, 15), 0x8E8E8E),
    )


class Eyes:
    """Reads Breakout's window; it remembers where the ball was."""

    def __init__(self) -> None:
        self._trail: list[Patch] = []
        self._paddle: list[float] = []
        self._missing = _GONE
        self._hits = 0
        self._landing: float | None = None
        self._falling = False

    def read(self, pixels: Pixels) -> Mapping[str, float | bool | None]:
        """The fields of a frame."""
        picture = native(pixels)
        ball = _ball(picture)
        self._missing = 0 if ball else self._missing + 1
        if ball:
            self._follow(ball)
        elif self._missing > _GONE:
            self._trail.clear()
        paddle = next((one for one in patches(picture, _RED, box=(8, 189, 152, 194)) if one.width > 5), None)
        return {
            "ball_x": ball.x if ball else None,
            "ball_y": ball.y if ball else None,
            "ball_across": speed(self._trail, "x"),
            "ball_down": speed(self._trail, "y"),
            "paddle_x": self._rest(paddle.x) if paddle else None,
            "bricks": int(among(picture[57:93, 8:152], _BRICKS).sum()),
            "aim": self._aim(),
            "serving": self._missing > _GONE,
        }

    def _follow(self, ball: Patch) -> None:
        if self._trail:
            across, down = ball.x - self._trail[-1].x, ball.y - self._trail[-1].y
            if down and (down > 0) != self._falling:
                self._falling = down > 0
                self._hits += not self._falling
                self._trail.clear()
                self._landing = None
            elif across * (self._trail[-1].x - self._trail[0].x) < 0:
                self._trail.clear()
        self._trail = [*self._trail[-_TRAIL:], ball]

    def _rest(self, x: float) -> float:
        """Return where the paddle comes to rest."""
        self._paddle = [*self._paddle[-1:], x]
        return x + _GLIDES * (x - self._paddle[0])

    def _aim(self) -> float | None:
        """Return where the paddle should be; None while the ball rises, and at first."""
        if self._trail and self._falling:
            first, last = self._trail[0], self._trail[-1]
            across, down = last.x - first.x, last.y - first.y
            if down >= _LEAST_WAY_PX:
                width = _RIGHT - _LEFT
                flown = (last.x - _LEFT + across / down * (_PADDLE_Y - last.y)) % (2 * width)
                landing = min(flown, 2 * width - flown) + _OFF_MIDDLE[self._hits % len(_OFF_MIDDLE)]
                self._landing = _LEFT + min(max(landing, _REACH), width - _REACH)
        return self._landing


def _ball(picture: Native) -> Patch | None:
    small = [one for one in patches(picture, _RED, box=_FIELD) if one.width <= 3 and one.height <= 5]
    return max(small, key=lambda one: one.y, default=None)
