"""Dino: jumps so that the top of the jump is over the middle of what comes, ducks under birds."""

from __future__ import annotations

from workshop.demonstrator.hands import Press
from workshop.demonstrator.rules import Look

_RISE_S = 0.3
"""From the key to the top of a jump."""
_DUCK_BEFORE_S, _DUCK_S = 0.15, 0.4
_JUMP_S = 0.58
_FORESEEN_S = 0.3


class Dino:
    """Plays Chromium's dinosaur with two keys."""

    def __init__(self) -> None:
        self._landed_s = 0.0

    def decide(self, look: Look) -> Press | None:
        """Return one press for one obstacle, meant as soon as it is near enough to be timed."""
        middle_ms, contact_ms = look.number("middle_ms"), look.number("contact_ms")
        if look.meant or middle_ms is None or contact_ms is None or look.seen.get("airborne"):
            return None
        duck = look.seen.get("obstacle") == "bird"
        if not duck and look.seen.get("obstacle") != "low":
            return None
        wait_s = contact_ms / 1000 - _DUCK_BEFORE_S if duck else middle_ms / 1000 - _RISE_S
        at_s = max(look.now_s + wait_s, self._landed_s)
        if at_s > look.now_s + _FORESEEN_S:
            return None
        if duck:
            return Press(key="ArrowDown", at_s=at_s, hold_s=_DUCK_S)
        self._landed_s = at_s + _JUMP_S
        return Press(key="Space", at_s=at_s)
