"""Counts how often a window was redrawn, from the X server's reports of single drawing requests."""

from __future__ import annotations

_GAP_MS = 3
_WRAP_MS = 1 << 32


class RedrawCount:
    """Redraws between two captured frames.

    A game may paint one picture with many requests, so reports less than 3 ms of server time apart are
    one redraw: the count is never inflated, and a window that repaints faster than 333 Hz is counted
    short. What was begun before the last captured frame and goes on after it is not counted again.
    """

    def __init__(self) -> None:
        self._begun = 0
        self._last_ms: int | None = None

    def note(self, at_ms: int) -> None:
        """Count a drawing request that was reported with this server time (32 bits of milliseconds)."""
        if self._last_ms is None or (at_ms - self._last_ms) % _WRAP_MS >= _GAP_MS:
            self._begun += 1
        self._last_ms = at_ms

    def overwritten(self) -> int:
        """Return how many redraws since the last call were overwritten by a later one: all but the newest."""
        begun, self._begun = self._begun, 0
        return max(0, begun - 1)
