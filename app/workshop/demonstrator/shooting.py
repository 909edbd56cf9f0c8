"""Shooting: turns to the monster that is nearest to the middle, and fires when it stands there."""

from __future__ import annotations

from workshop.demonstrator.hands import Press
from workshop.demonstrator.rules import Look

_MIDDLE = 320.0
_PX_S = 340.0
"""How fast the picture moves while a turning key is down."""
_INSIDE_PX = 2.0


class Shooting:
    """Plays the arena with three keys."""

    def decide(self, look: Look) -> Press | None:
        """Return one turn or shot after the other; the next is meant once what the last one did is seen."""
        if look.meant:
            return None
        for kind in ("marine", "demon"):
            left, right, x = (look.number(f"{kind}_{edge}") for edge in ("left", "right", "x"))
            if left is None or right is None or x is None:
                continue
            if left + _INSIDE_PX < _MIDDLE < right - _INSIDE_PX:
                return Press(key="Control", at_s=look.soonest_s, hold_s=0.08)
            way = x - _MIDDLE
            key = "ArrowRight" if way > 0 else "ArrowLeft"
            return Press(key=key, at_s=look.soonest_s, hold_s=abs(way) / _PX_S)
        return Press(key="ArrowRight", at_s=look.soonest_s, hold_s=0.35)
