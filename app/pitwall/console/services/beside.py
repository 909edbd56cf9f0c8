"""Runs that a person plays beside the agent: begins one, and gives the agent control."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from pitwall.console.services.bridge import Bridge
from pitwall.core import commands
from pitwall.core.telemetry import Fault
from pitwall.gsm.granting import ControlGrant


class Beside(QObject):
    """Begins runs that a person plays beside the chosen agent, and gives the agent control after one."""

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._grant = ControlGrant(bridge.data, lambda error: bridge.report(Fault.of(error)))
        bridge.received.connect(self._take)

    @property
    def playing(self) -> bool:
        """Return whether a person plays beside the agent now."""
        return self._grant.playing

    def begin(self) -> None:
        """Let the person play, and the agent decide beside them."""
        self._bridge.send(commands.Start(mode=commands.PlayMode.SHADOW))

    @property
    def refusal(self) -> str:
        """Return why the agent is not given control yet; empty if it may have it."""
        return self._grant.refusal(self._bridge.settings.control.grant_at)

    def give_control(self) -> None:
        """Let the agent play on in the same window; a press of the person takes over."""
        self._send(self._grant.give_control(self._bridge.settings.control.grant_at))

    def _take(self, record: Any) -> None:
        self._send(self._grant.take(record))

    def _send(self, orders: list[Any]) -> None:
        for order in orders:
            self._bridge.send(order)
