"""Breakout: pushes the paddle to where the ball will come down, as long as the way is."""

from __future__ import annotations

from workshop.demonstrator.hands import Press
from workshop.demonstrator.rules import Look

_PX_S = 420.0
_NEAR_PX, _FAR_PX = 10.0, 34.0
"""Left alone: when the ball falls, when it rises."""


class Breakout:
    """Plays Breakout with three keys."""

    def decide(self, look: Look) -> Press | None:
        """Return one push after the other; the next is meant once what the last one did is seen."""
        paddle, aim = look.number("paddle_x"), look.number("aim")
        if look.meant or paddle is None or aim is None:
            return None
        if look.seen.get("serving"):
            return Press(key="Space", at_s=look.soonest_s + 0.3)
        way = aim - paddle
        if abs(way) < (_NEAR_PX if look.seen.get("falling") else _FAR_PX):
            return None
        key = "ArrowRight" if way > 0 else "ArrowLeft"
        return Press(key=key, at_s=look.soonest_s, hold_s=abs(way) / _PX_S)
