"""The broker beside an open game: it is beaten, and aimed at the game's window."""

from __future__ import annotations

from typing import Any

from pitwall.core import injection
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.session.game_session import GameSession

_HEARTBEAT_NS = 50 * NS_PER_MS


class AimedBroker:
    """Keeps one broker's link for the loop.

    Attributes:
        link: for whoever presses.
    """

    def __init__(self, link: BrokerLink) -> None:
        self.link = link
        self._configured: injection.Configure | None = None
        self._beat_at_ns = 0

    def beat_due(self, now: int) -> bool:
        return now - self._beat_at_ns >= _HEARTBEAT_NS

    def beat(self, now: int) -> None:
        """Say that the engine lives, where it is time to."""
        if self.beat_due(now):
            self._beat_at_ns = now
            self.link.heartbeat()

    def aim(self, session: GameSession) -> None:
        """Tell the broker which window is played and what may be pressed in it, where that changed."""
        view = session.view
        wanted = session.broker_configuration(view.window) if view.source is not None else None
        if wanted is not None and wanted != self._configured:
            self._configured = wanted
            self.link.configure(wanted)

    def poll(self, ready: set[int]) -> list[Any]:
        """Return what the broker said, where something is readable or it may have died.

        Raises:
            ChildDied: brokers cannot be started.
        """
        if not self.beat_due(now_ns()) and ready.isdisjoint(self.link.filenos()):
            return []
        return self.link.poll()
