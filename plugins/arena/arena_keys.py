"""Simulates the effect of the manifest's actions on the keys, frame by frame, as the game sees them.

A held arrow stays down for its hold, and longer where it is pressed again; of two that are down, the one
pressed last counts. The other keys count on the frame of their press.
"""

from __future__ import annotations

HOLD_FRAMES = 3
"""Frames during which an arrow counts as down after it was pressed for 100 ms."""
ACTIONS: dict[str, tuple[int, str]] = {
    "": (0, ""),
    "wait": (0, ""),
    "move_left": (-1, ""),
    "move_right": (1, ""),
    "light": (0, "light"),
    "heavy": (0, "heavy"),
    "dodge": (0, "dodge"),
    "dodge_left": (-1, "dodge"),
    "dodge_right": (1, "dodge"),
    "potion": (0, "potion"),
}
"""Action → the arrow that it holds, and its press."""


class Keys:
    """The keys of one player."""

    def __init__(self) -> None:
        self._held = {-1: 0, 1: 0}
        self._last = 0
        self._press = ""

    def act(self, action: str) -> None:
        """Press the keys of an action.

        Raises:
            KeyError: there is no such action.
        """
        direction, press = ACTIONS[action]
        if direction:
            if not self._held[direction]:
                self._last = direction
            self._held[direction] = HOLD_FRAMES
        if press:
            self._press = press

    def frame(self) -> tuple[int, str]:
        """Return the arrow that counts and the press, for the next frame of the game."""
        direction = self._last if self._held[self._last or 1] else -self._last
        if not direction or not self._held[direction]:
            direction = 0
        press, self._press = self._press, ""
        for side in (-1, 1):
            self._held[side] = max(0, self._held[side] - 1)
        return direction, press
