"""Tells the broker's own input from other input, and recognises a takeover.

The desktop reports own events back one by one, so each is expected when it is sent. An event that was not
expected is human input: from the operator's device, or from another program, which counts as human too.
"""

from __future__ import annotations

from collections import deque
from typing import Literal

from pitwall.core.clock import NS_PER_MS, NS_PER_S

Kind = Literal["key", "button", "motion"]

JITTER_PX = 4.0
"""A nudged table moves the pointer less than this."""
_JITTER_WINDOW_NS = 300 * NS_PER_MS
_MODIFIER_PATIENCE_NS = 700 * NS_PER_MS
_EXPECTATION_NS = 2 * NS_PER_S


class Expected:
    """Own presses and moves that the desktop has not reported back yet."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Kind, int], deque[int]] = {}

    def expect(self, kind: Kind, detail: int, now_ns: int) -> None:
        """Expect one such event (detail: keycode, button number, 0 for motion) as the broker's own."""
        self._waiting.setdefault((kind, detail), deque()).append(now_ns)

    def is_own(self, kind: Kind, detail: int, now_ns: int) -> bool:
        """Return whether a reported event is one of ours, and stop expecting it.

        What was never reported back (the desktop swallowed it) is forgotten after two seconds.
        """
        waiting = self._waiting.get((kind, detail))
        while waiting and now_ns - waiting[0] > _EXPECTATION_NS:
            waiting.popleft()
        if not waiting:
            return False
        waiting.popleft()
        return True


class Takeover:
    """Recognises deliberate input: neither jitter of the pointer nor a modifier that begins a hotkey."""

    def __init__(self) -> None:
        self._moved_px = 0.0
        self._moved_since_ns = 0
        self._modifier: str | None = None
        self._modifier_until_ns = 0

    def moved(self, distance_px: float, now_ns: int) -> bool:
        """Return whether somebody moved the pointer on purpose, by more than jitter."""
        if now_ns - self._moved_since_ns > _JITTER_WINDOW_NS:
            self._moved_px, self._moved_since_ns = 0.0, now_ns
        self._moved_px += distance_px
        return self._moved_px >= JITTER_PX

    def stopped_moving(self) -> None:
        """Start to measure the next movement from zero."""
        self._moved_px = 0.0

    def modifier_pressed(self, name: str, now_ns: int) -> None:
        """Note a modifier that a hotkey begins with, and wait for the next key."""
        self._modifier, self._modifier_until_ns = name, now_ns + _MODIFIER_PATIENCE_NS

    def modifier_released(self, name: str) -> None:
        if self._modifier == name:
            self._modifier = None

    def hotkey(self) -> None:
        """Forget the modifier: it began a hotkey."""
        self._modifier = None

    def next_deadline_ns(self) -> int | None:
        return self._modifier_until_ns if self._modifier is not None else None

    def modifier_meant(self, now_ns: int) -> str | None:
        """Return a modifier that was held too long to begin a hotkey; each is returned once."""
        if self._modifier is None or now_ns < self._modifier_until_ns:
            return None
        name, self._modifier = self._modifier, None
        return name
