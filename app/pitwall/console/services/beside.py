"""Runs that a person plays beside the agent: begins one, and gives the agent control."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from pitwall.console.services.bridge import Bridge
from pitwall.core import commands
from pitwall.core.telemetry import Fault
from pitwall.gsm.granting import ControlGrant


class Beside(QObject):
    """Begins runs that a person plays beside the chosen agent, and gives the agent control after one.

    Attributes:
        taught: an agent is being taught here, and the Teach card leads to the next run.
    """

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self.taught = bridge, False
        self._grant = ControlGrant(bridge.data, lambda error: bridge.report(Fault.of(error)))
        bridge.received.connect(self._take)

    @property
    def granted(self) -> bool:
        """Return whether the agent was given control in the last run."""
        return self._grant.granted

    @property
    def playing(self) -> bool:
        """Return whether a person plays beside the agent now."""
        return self._grant.playing

    def choose(self, module: str, version: str) -> None:
        """Let a version of a module decide while the game is open."""
        self._bridge.send(commands.ChooseVersion(module=module, version=version))

    def begin(self) -> None:
        """Let the person play, and the agent decide beside them."""
        self._bridge.send(commands.Start(mode=commands.PlayMode.SHADOW))

    @property
    def refusal(self) -> str:
        """Return why the agent is not given control yet; empty if it may have it."""
        return self._grant.refusal(self._bridge.settings.control.grant_at)

    @property
    def insisting_helps(self) -> bool:
        """Return whether the operator may give it control against the refusal."""
        return bool(self.refusal) and not self._grant.refusal(0.0)

    def give_control(self, *, insist: bool = False) -> None:
        """Let the agent play on in the same window; a press of the person takes over."""
        self._send(self._grant.give_control(0.0 if insist else self._bridge.settings.control.grant_at))

    def _take(self, record: Any) -> None:
        self._send(self._grant.take(record))

    def _send(self, orders: list[Any]) -> None:
        for order in orders:
            self._bridge.send(order)
