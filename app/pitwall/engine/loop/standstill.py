"""Notices a game whose picture stands still although keys are pressed: it may be frozen."""

from __future__ import annotations

from pitwall.core import telemetry
from pitwall.core.clock import NS_PER_S
from pitwall.engine.session.game_session import GameSession

_STANDS_NS = 12 * NS_PER_S
_LEAST_PRESSES = 5
"""Fewer sent events may all be without effect (choice)."""


class Standstill:
    """Follows a game's frames and the events that were sent to it."""

    def __init__(self) -> None:
        self._frames = -1
        self._sent = 0
        self._since_ns = 0
        self._noticed = False

    def notice(self, session: GameSession, sent: int, now: int) -> telemetry.Fault | None:
        """Return a notice for the operator, once for each standstill; else None."""
        seconds = self.follow(session.frames, sent, now)
        if not seconds:
            return None
        text = f"{session.game.profile.game.name} stands still for {seconds} s although keys are pressed."
        return telemetry.Fault(what=text, fix="It may be frozen: look at it.", error="Notice")

    def follow(self, frames: int, sent: int, now: int) -> int:
        """Return the seconds that the picture has stood still, once for each standstill; else 0.

        Args:
            frames: frames captured so far. sent: events sent so far. now: monotonic nanoseconds.
        """
        if frames != self._frames:
            self._frames, self._sent, self._since_ns, self._noticed = frames, sent, now, False
        stands = now - self._since_ns >= _STANDS_NS and sent - self._sent >= 2 * _LEAST_PRESSES
        if self._noticed or not stands:
            return 0
        self._noticed = True
        return (now - self._since_ns) // NS_PER_S
