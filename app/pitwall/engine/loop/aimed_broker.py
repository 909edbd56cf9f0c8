"""The broker of an open game: its heartbeat, and the window it may press keys in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pitwall.core import injection
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import UnsafeStart
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.session.game_session import GameSession

_HEARTBEAT_NS = 50 * NS_PER_MS
_ANSWER_NS = 5 * NS_PER_S


class AimedBroker:
    """Keeps one broker's link for the loop."""

    def __init__(self, link: BrokerLink) -> None:
        self.link = link
        self._configured: injection.Configure | None = None
        self._beat_at_ns = 0

    def beat_due(self, now: int) -> bool:
        return now - self._beat_at_ns >= _HEARTBEAT_NS

    def beat(self, now: int) -> None:
        """Send a heartbeat if it is due."""
        if self.beat_due(now):
            self._beat_at_ns = now
            self.link.heartbeat()

    def aim(self, session: GameSession) -> None:
        """Send the broker the window that is played and the keys allowed in it, if either changed."""
        view = session.view
        wanted = session.broker_configuration(view.window) if view.source is not None else None
        if wanted is not None and wanted != self._configured:
            self._configured = wanted
            self.link.configure(wanted)

    def check(self, session: GameSession, take: Callable[[Any], None]) -> None:
        """Aim; unless a person plays, wait until the broker has answered, and pass its messages on.

        Raises:
            UnsafeStart: no agent may play; says why.
            ChildDied: brokers cannot be started.
        """
        self.aim(session)
        if session.mode.by_person:
            return
        self._await(lambda: self.link.answered, take)
        obstacle = self.link.obstacle
        if obstacle is not None:
            raise UnsafeStart(obstacle.what, obstacle.fix)

    def hear_stops(self, take: Callable[[Any], None]) -> None:
        """Pass on every stop that the broker was sent before now: it lets nobody clear a stop unheard.

        The broker reads the stop line after the orders of a turn, so its second answer follows such a stop.

        Raises:
            UnsafeStart: the broker does not answer.
            ChildDied: brokers cannot be started.
        """
        for _ in range(2):
            self._await(partial(self.link.has_answered, self.link.inject(())), take)

    def _await(self, answered: Callable[[], bool], take: Callable[[Any], None]) -> None:
        until = now_ns() + _ANSWER_NS
        while not answered():
            if now_ns() > until:
                raise UnsafeStart("the process that presses keys does not answer.", "Open the game again.")
            self.link.heartbeat()
            self.link.wait(0.02)
            for message in self.link.poll():
                take(message)

    def poll(self, ready: set[int]) -> list[Any]:
        """Return the broker's messages, if one is readable or the broker may have died.

        Raises:
            ChildDied: brokers cannot be started.
        """
        if not self.beat_due(now_ns()) and ready.isdisjoint(self.link.filenos()):
            return []
        return self.link.poll()
