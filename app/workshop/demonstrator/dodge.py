"""Dodge: both figures by their own hands, cell by cell, each as the quickest safe way begins."""

from __future__ import annotations

from workshop.demonstrator.hands import Press
from workshop.demonstrator.rules import Look

_KEYS = {
    "ember": {"up": "w", "down": "s", "left": "a", "right": "d"},
    "frost": {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"},
}


class Dodge:
    """Plays the dodge maze with two hands."""

    def decide(self, look: Look) -> Press | None:
        """Return one step of the figure whose hand is free."""
        for role, keys in _KEYS.items():
            move = str(look.seen.get(f"{role}_move") or "").removeprefix(f"{role}_")
            if move in keys and not look.busy(*keys.values()):
                return Press(key=keys[move], at_s=look.soonest_s, hold_s=0.07)
        return None
