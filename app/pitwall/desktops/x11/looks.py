"""Relative motion that waits while a game puts the pointer back into its middle.

A browser that has locked the pointer puts it into the middle of the page once it comes near an edge, and
takes that for no motion. Motion that comes meanwhile is mixed up with it, and the view jumps. So motion
waits where the pointer may be put back, until it is back or it is seen that it stays.
"""

from __future__ import annotations

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.desktops.x11.focus import Focus, Place
from pitwall.desktops.x11.inject import Injector

_STAYS_NS, _REST_NS, _LOOK_NS = 80 * NS_PER_MS, 30 * NS_PER_MS, 4 * NS_PER_MS
"""After so long the pointer is not put back; then wait for the game to hear that it was; least interval."""
_MOST_UNITS, _MOST_BEFORE = 60, 2_000
"""Largest motion after a wait, and right before a press."""
_MIDDLE = 1 / 6
"""At first the pointer is trusted to stay in the middle of the window: so much of its size to each side."""
_PAGE = 0.66
"""Share of the way from the middle of a page to its edge where the pointer stays (Chromium: 0.7)."""


class Looks:
    """Sends motion, and holds what must wait."""

    def __init__(self, focus: Focus, injector: Injector) -> None:
        self._focus, self._injector = focus, injector
        self.forget()

    def forget(self) -> None:
        """Drop the motion, and all that is known of the game: it may lock the pointer from now on."""
        self._dx = self._dy = 0
        self._box: tuple[float, float, float, float] | None = None
        self._expected: tuple[int, int] | None = None
        self._sent_ns = self._rest_ns = self._due_ns = 0

    def drop(self) -> None:
        """Drop the motion."""
        self._dx = self._dy = 0

    def add(self, dx: int, dy: int) -> None:
        """Send a motion, after those that wait."""
        self._dx += dx
        self._dy += dy
        self.send()

    @property
    def waits(self) -> bool:
        """Return whether there is motion to send."""
        return bool(self._dx or self._dy)

    def next_deadline_ns(self) -> int | None:
        """Return when `send` must be called again."""
        return self._due_ns if self.waits else None

    def send(self) -> None:
        """Send the motion that need not wait any longer, unflushed."""
        at_ns = now_ns()
        if not self.waits or at_ns < self._due_ns:
            return
        self._due_ns = at_ns + _LOOK_NS
        pointer = self._focus.place_inside(*self._focus.seat.place())
        if pointer is not None and self._is_held_back(at_ns, pointer):
            return
        motion = self._taken(_MOST_UNITS)
        self._injector.emit(motion, None)
        self._sent_ns = at_ns
        self._expected = (pointer.x + motion.dx, pointer.y + motion.dy) if pointer is not None else None

    def send_before(self, event: InputEvent) -> None:
        """Send all motion before a press that belongs to it; a click may lock the pointer.

        A release may be that of a stop, after which nothing moves.
        """
        while self.waits and event.kind not in ("key_up", "mouse_up"):
            self._injector.emit(self._taken(_MOST_BEFORE), None)
        if event.kind == "mouse_down":
            self.forget()

    def _taken(self, most: int) -> InputEvent:
        dx, dy = (max(-most, min(most, units)) for units in (self._dx, self._dy))
        self._dx -= dx
        self._dy -= dy
        return InputEvent(kind="mouse_look", dx=dx, dy=dy)

    def _is_held_back(self, now_ns: int, at: Place) -> bool:
        if self._box is None:
            across, down = at.width * _MIDDLE, at.height * _MIDDLE
            self._box = (
                at.width / 2 - across,
                at.height / 2 - down,
                at.width / 2 + across,
                at.height / 2 + down,
            )
        if self._expected is not None and self._was_put_back(at):
            self._rest_ns, self._expected = now_ns + _REST_NS, None
            across, down = min(at.x, at.width - at.x) * _PAGE, min(at.y, at.height - at.y) * _PAGE
            self._box = (at.x - across, at.y - down, at.x + across, at.y + down)
        if now_ns < self._rest_ns:
            return True
        left, top, right, bottom = self._box
        if left <= at.x <= right and top <= at.y <= bottom:
            return False
        if now_ns - self._sent_ns < _STAYS_NS:
            return True
        self._box = (min(left, at.x), min(top, at.y), max(right, at.x), max(bottom, at.y))
        return False

    def _was_put_back(self, at: Place) -> bool:
        """Return whether the pointer is elsewhere than where the motion led, and not stopped by an edge."""
        assert self._expected is not None
        moved = max(abs(at.x - self._expected[0]), abs(at.y - self._expected[1])) > 3
        return moved and 2 < at.x < at.width - 3 and 2 < at.y < at.height - 3
