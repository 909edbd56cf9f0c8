"""Keeps a module that taps on every frame from using up the broker's rate cap.

A module at 30 to 60 Hz repeats the same tap more often than the broker's rate cap allows; the next key, such
as a dodge, would then be refused. So repeats are omitted: the last presses of each second are reserved for
other keys than the one just pressed. Only the broker judges presses that are no repeats. Presses decided by a
step are never omitted here; the next step is decided when there is room for its presses.
"""

from __future__ import annotations

from collections import deque

from pitwall.core.clock import NS_PER_MS

_WINDOW_NS = 1_050 * NS_PER_MS
"""A little more than the broker's second, because the broker counts presses slightly later."""
_KEPT_SHARE = 5
"""One press in this many is reserved for other keys than the one just pressed."""


class Pacing:
    """Counts presses as the broker does.

    Attributes:
        most: presses that the broker lets through in a second.
    """

    def __init__(self, most_per_s: int) -> None:
        self.most = most_per_s
        self._pressed_ns: deque[int] = deque()
        self._last = ""

    def allows(self, key: str, now_ns: int, *, presses: int = 1) -> bool:
        """Return whether to press now, and count the press if so.

        Args:
            key: a unique name of the key or button. presses: how many it counts as (notches of the wheel).
        """
        self._forget(now_ns)
        room = self.most - self.most // _KEPT_SHARE
        if key == self._last and len(self._pressed_ns) + presses > room:
            return False
        self.pressed(key, now_ns, presses=presses)
        return True

    def pressed(self, key: str, now_ns: int, *, presses: int = 1) -> None:
        """Count a press that needed no permission."""
        self._last = key
        self._pressed_ns.extend([now_ns] * presses)

    def room_ns(self, now_ns: int, presses: int) -> int:
        """Return the time at which the broker has room for this many more presses, or for one at least."""
        self._forget(now_ns)
        over = len(self._pressed_ns) + max(1, min(presses, self.most)) - self.most
        return now_ns if over <= 0 else self._pressed_ns[over - 1] + _WINDOW_NS

    def _forget(self, now_ns: int) -> None:
        while self._pressed_ns and now_ns - self._pressed_ns[0] >= _WINDOW_NS:
            self._pressed_ns.popleft()
