"""Keeps a module that taps on every frame from using up what the broker lets through in a second.

A module at 30 to 60 Hz asks for the same tap again and again, more often than the broker's rate cap allows;
whatever came next, a dodge among it, was then refused. So repeats yield: the last presses that a second has
room for are kept for keys that were not just pressed. What is not a repeat is never held back here: the
broker alone judges it. What a step decided is no repeat either, whatever was pressed before: none of it is
left out here; the next step is decided when there is room for what it may press.
"""

from __future__ import annotations

from collections import deque

from pitwall.core.clock import NS_PER_MS

_WINDOW_NS = 1_050 * NS_PER_MS
"""A little more than the broker's second: it counts at its own time, which varies."""
_KEPT_SHARE = 5
"""One press in so many is kept for keys that were not just pressed."""


class Pacing:
    """Counts presses as the broker does."""

    def __init__(self, most_per_s: int) -> None:
        self._most = most_per_s
        self._pressed_ns: deque[int] = deque()
        self._last = ""

    def allows(self, key: str, now_ns: int, *, presses: int = 1) -> bool:
        """Whether to press now; counts it where so.

        Args:
            key: or button, by any name of its own. presses: how many it counts as (notches of the wheel).
        """
        self._forget(now_ns)
        room = self._most - self._most // _KEPT_SHARE
        if key == self._last and len(self._pressed_ns) + presses > room:
            return False
        self.pressed(key, now_ns, presses=presses)
        return True

    def pressed(self, key: str, now_ns: int, *, presses: int = 1) -> None:
        """Count a press that was not asked for here."""
        self._last = key
        self._pressed_ns.extend([now_ns] * presses)

    def room_ns(self, now_ns: int, presses: int) -> int:
        """Return the time at which the broker has room for so many presses more (one, if it never has for so
        many)."""
        self._forget(now_ns)
        over = len(self._pressed_ns) + max(1, min(presses, self._most)) - self._most
        return now_ns if over <= 0 else self._pressed_ns[over - 1] + _WINDOW_NS

    def _forget(self, now_ns: int) -> None:
        while self._pressed_ns and now_ns - self._pressed_ns[0] >= _WINDOW_NS:
            self._pressed_ns.popleft()
