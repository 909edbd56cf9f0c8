"""Follows the game's window for the loop: told where it is, missed when it is gone, found again."""

from __future__ import annotations

from typing import Literal

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import WindowLost
from pitwall.core.geometry import WindowHealth
from pitwall.engine.recording.operator_reports import OperatorReports
from pitwall.engine.session.game_session import GameSession

_RETURNS_NS = 10 * NS_PER_S
"""A game that is restarted within this time is captured again, and the run goes on."""

WindowEvent = Literal["", "gone", "back"]


class WindowWatch:
    """Knows since when the window is gone.

    Args:
        reports: telemetry out.
    """

    def __init__(self, reports: OperatorReports) -> None:
        self._reports = reports
        self._gone_since_ns: int | None = None

    def forget(self) -> None:
        """Another window is looked for: nothing is missed."""
        self._gone_since_ns = None

    def follow(self, session: GameSession, now: int) -> WindowEvent:
        """Capture the window once it is there, and say what happened to it.

        Raises:
            WindowLost, LaunchFailed, DisplayError: it does not come, or not back.
        """
        if not session.view.look(now):
            self._miss(session, now)
            return ""
        assert session.view.source is not None
        health = session.view.health
        self._reports.window(session.view.window, health, session.view.source.backend)
        if health is WindowHealth.GONE:
            self._gone_since_ns = now
            session.view.look_again()
            return "gone"
        if self._gone_since_ns is None:
            return ""
        self._gone_since_ns = None
        return "back"

    def _miss(self, session: GameSession, now: int) -> None:
        """The window is gone: it is waited for a while."""
        if self._gone_since_ns is None or now - self._gone_since_ns < _RETURNS_NS:
            return
        self._gone_since_ns = None
        name = session.game.profile.game.name
        raise WindowLost(f"the window of {name} was closed.", "Press Start to open the game again.")
