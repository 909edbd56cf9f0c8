"""Pong's state reader: from pixels alone, where the ball will arrive and where the paddle should wait."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Patch, Pixels, native, patches, speed

_BALL, _OWN, _FOE = 0xECECEC, 0x5CBA5C, 0xD5824A
_COURT = (0, 34, 160, 194)
_TOP, _BOTTOM, _PADDLE_X = 35.5, 191.5, 139.0
_TRAIL = 6
_OFF_MIDDLE = 4.0
"""How far off its middle the paddle meets the ball: its ends send it away steeply."""
_GLIDES = 2.0
"""Frames at its speed that the paddle still glides."""


def reader(folder: Path) -> WithNumbers:
    """Make the reader of Pong's fields and points."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (90, 0, 150, 22), 0x5CBA5C),
        foe_score=Digits(folder / "digits.txt", (10, 0, 70, 22), 0xD5824A),
    )


class Eyes:
    """Reads Pong's window; it remembers where the ball was."""

    def __init__(self) -> None:
        self._trail: list[Patch] = []
        self._paddle: list[float] = []

    def read(self, pixels: Pixels) -> Mapping[str, float | None]:
        """The fields of a frame."""
        picture = native(pixels)
        own, foe = (next(iter(patches(picture, colour, box=_COURT)), None) for colour in (_OWN, _FOE))
        ball = next((one for one in patches(picture, _BALL, box=_COURT) if one.area <= 8), None)
        if ball is None or (
            self._trail and (ball.y - self._trail[-1].y) * (self._trail[-1].y - self._trail[0].y) < 0
        ):
            self._trail.clear()  # it is gone, or has bounced
        if ball is not None:
            self._trail = [*self._trail[-_TRAIL:], ball]
        return {
            "ball_x": ball.x if ball else None,
            "ball_y": ball.y if ball else None,
            "ball_across": speed(self._trail, "x"),
            "ball_down": speed(self._trail, "y"),
            "paddle_y": self._rest(own.y) if own else None,
            "foe_y": foe.y if foe else None,
            "aim": self._aim(foe) if ball else None,
        }

    def _rest(self, y: float) -> float:
        """Return where the paddle comes to rest."""
        self._paddle = [*self._paddle[-2:], y]
        return y + _GLIDES * (y - self._paddle[0]) / max(1, len(self._paddle) - 1)

    def _aim(self, foe: Patch | None) -> float:
        first, last = self._trail[0], self._trail[-1]
        across, down = last.x - first.x, last.y - first.y
        if across <= 0:
            return 114.0  # it flies away: wait in the middle
        height = _BOTTOM - _TOP
        flown = (last.y - _TOP + down / across * (_PADDLE_X - last.x)) % (2 * height)
        landing = _TOP + min(flown, 2 * height - flown)
        low = foe is None or foe.y > 114
        return landing + (_OFF_MIDDLE if low else -_OFF_MIDDLE)
