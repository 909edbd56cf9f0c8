"""Follows a pause of the game's own that the agent cannot lift."""

from __future__ import annotations

from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.loop.run_player import RunPlayer


class LastingPause:
    """Lets a person lift the game's own pause where the agent cannot: their key is no takeover then.

    Attributes:
        text: what the person must do; empty while nothing is paused for good.
    """

    def __init__(self, broker: BrokerLink) -> None:
        self._broker = broker
        self.text = ""

    def follow(self, player: RunPlayer, now: int, *, free: bool) -> None:
        """Follow such a pause: disarm as it begins, arm as it ends; `free`: nothing else holds the run."""
        before, self.text = self.text, player.lasting_pause(now) if free else ""
        if self.text and not before:
            self._broker.disarm()
        elif before and free and not self.text:
            player.look_afresh()
            self._broker.rearm()
