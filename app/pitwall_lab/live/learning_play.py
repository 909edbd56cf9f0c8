"""Play that is learned from: a takeover does not end it, and what the person does is a correction."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pitwall.core import commands, telemetry
from pitwall.link.autoplay import AutoPlay

_TAKEOVER = "takeover"
_WAITS_S = 300.0
"""Longest time after a takeover for which play waits to be given back."""


class LearningPlay(AutoPlay):
    """Plays unattended, but waits for a person who took over.

    Args:
        tell: called with a sentence when a person takes over.
        start_key: the hotkey that lets the agent go on.
    """

    def __init__(
        self, start: commands.Start, *, menu_s: float, tell: Callable[[str], None], start_key: str
    ) -> None:
        super().__init__(start, stop_on_takeover=True, menu_s=menu_s)
        self._tell, self._start_key = tell, start_key
        self._until_s = 0.0

    def react(self, record: Any) -> list[Any]:
        """See `AutoPlay.react`."""
        if isinstance(record, telemetry.StateChanged):
            if record.cause == _TAKEOVER and record.state is telemetry.EngineState.PAUSED:
                self.result.last_state = record
                self._until_s = time.monotonic() + _WAITS_S
                self._tell(
                    "You play, and it learns from that as a correction. "
                    f"{self._start_key} lets it go on; Ctrl+C ends the learning."
                )
                return []
            self._until_s = 0.0
        if self._until_s and time.monotonic() > self._until_s:
            self._until_s = 0.0
            return [commands.Stop()]
        return super().react(record)
