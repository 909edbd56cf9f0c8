"""Relative motion that waits while a game puts the pointer back into its middle.

A browser that has locked the pointer puts it into the middle of the page once it comes near an edge, and
takes that for no motion. Motion that comes meanwhile is mixed up with it, and the view jumps. So motion
waits where the pointer may be put back, until the game has read the motion before and the pointer is seen to
stay, or until the game has read that it was put back.
"""

from __future__ import annotations

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.desktops.x11.focus import Focus, Place
from pitwall.desktops.x11.inject import Injector
from pitwall.desktops.x11.pings import Pings

_LOOK_NS = 4 * NS_PER_MS
"""Least interval of two looks at the pointer."""
_PATIENCE_NS, _UNASKED_NS = 1_000 * NS_PER_MS, 80 * NS_PER_MS
"""Longest time that a game may take to read its events; the time of a game that answers no questions."""
_MOST_UNITS, _MOST_BEFORE = 60, 2_000
"""Largest motion after a wait, and right before a press."""
_MIDDLE = 1 / 6
"""At first the pointer is trusted to stay in the middle of the window: so much of its size to each side."""
_PAGE = 0.66
"""Share of the way from the middle of a page to its edge where the pointer stays (Chromium: 0.7)."""


class Looks:
    """Sends motion, and holds what must wait."""

    def __init__(self, focus: Focus, injector: Injector, pings: Pings) -> None:
        self._focus, self._injector, self._pings = focus, injector, pings
        self._question: int | None = None
        self.forget()

    def forget(self) -> None:
        """Drop the motion, and all that is known of the game: it may lock the pointer from now on."""
        self._dx = self._dy = 0
        self._box: tuple[float, float, float, float] | None = None
        self._expected: tuple[int, int] | None = None
        self._rests = False
        self._until_ns = self._due_ns = 0
        self._drop_question()

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
        has_read = self._has_read(at_ns)  # first: the pointer may be put back with it
        pointer = self._focus.place_inside(*self._focus.seat.place())
        if pointer is not None and self._is_held_back(pointer, at_ns, has_read=has_read):
            return
        motion = self._taken(_MOST_UNITS, pointer)
        self._injector.emit(motion, None)
        self._drop_question()
        self._expected = (pointer.x + motion.dx, pointer.y + motion.dy) if pointer is not None else None

    def send_before(self, event: InputEvent) -> None:
        """Send all motion before a press that belongs to it; a click may lock the pointer.

        A release may be that of a stop, after which nothing moves.
        """
        while self.waits and event.kind not in ("key_up", "mouse_up"):
            self._injector.emit(self._taken(_MOST_BEFORE), None)
        if event.kind == "mouse_down":
            self.forget()

    def _taken(self, most: int, at: Place | None = None) -> InputEvent:
        """Return the next motion; it does not lead out of the window, which Chromium counts twice."""
        dx, dy = (max(-most, min(most, units)) for units in (self._dx, self._dy))
        if at is not None:
            dx, dy = _inside(dx, at.x, at.width), _inside(dy, at.y, at.height)
        self._dx -= dx
        self._dy -= dy
        return InputEvent(kind="mouse_look", dx=dx, dy=dy)

    def _is_held_back(self, at: Place, now_ns: int, *, has_read: bool) -> bool:
        if self._box is None:
            self._box = _box_around(at.width / 2, at.height / 2, at.width * _MIDDLE, at.height * _MIDDLE)
        if self._expected is not None and self._was_put_back(at):
            self._rests, self._expected = True, None
            across, down = (min(place, size - place) for place, size in ((at.x, at.width), (at.y, at.height)))
            self._box = _box_around(at.x, at.y, across * _PAGE, down * _PAGE)
            self._drop_question()
            self._ask(now_ns)
            return True
        if self._rests:
            if not has_read:
                return True
            self._rests = False
            self._drop_question()
        left, top, right, bottom = self._box
        if left <= at.x <= right and top <= at.y <= bottom:
            return False
        if self._question is None:
            self._ask(now_ns)
            return True
        if has_read:
            self._box = (min(left, at.x), min(top, at.y), max(right, at.x), max(bottom, at.y))
        return not has_read

    def _ask(self, now_ns: int) -> None:
        """Ask the game whether it has read all that came so far."""
        self._question = self._pings.ask(self._focus.target or 0)
        self._until_ns = now_ns + (_PATIENCE_NS if self._question else _UNASKED_NS)

    def _has_read(self, now_ns: int) -> bool:
        """Return whether the game has read all that came before the last question."""
        if self._question is None:
            return False
        answered = bool(self._question) and not self._pings.unanswered((self._question,))
        return answered or now_ns >= self._until_ns

    def _drop_question(self) -> None:
        if self._question is not None:
            self._pings.forget((self._question,))
            self._question = None

    def _was_put_back(self, at: Place) -> bool:
        """Return whether the pointer is elsewhere than where the motion led, and not stopped by an edge."""
        assert self._expected is not None
        moved = max(abs(at.x - self._expected[0]), abs(at.y - self._expected[1])) > 3
        return moved and 2 < at.x < at.width - 3 and 2 < at.y < at.height - 3


def _box_around(x: float, y: float, across: float, down: float) -> tuple[float, float, float, float]:
    return x - across, y - down, x + across, y + down


def _inside(units: int, at: int, size: int) -> int:
    """Return the part of a motion that stays within a window; all of it where the pointer is at the edge."""
    room = (size - 2 - at if units > 0 else at - 1) if units else 0
    return max(-room, min(room, units)) if room > 0 else units
