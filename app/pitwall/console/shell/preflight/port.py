"""What the first start's checks ask of the rest of the console, and how a bridge answers."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.preflight.checks import CheckName
from pitwall.console.state.view_state import IN_VIEW, RUNNING, Phase
from pitwall.link.frame_ring import RingFrame


class PreflightPort(Protocol):
    """What the checks need of the rest of the console."""

    @property
    def results(self) -> SignalInstance:
        """Carries a ProbeResult."""

    @property
    def obstacle(self) -> str:
        """Why nothing can be checked now; empty where it can."""

    @property
    def capture_hz(self) -> float | None:
        """Frames a second, None where nothing is captured."""

    def start(self, name: CheckName) -> None:
        """Start one check."""

    def newest_frame(self) -> RingFrame | None:
        """The newest captured frame."""


class BridgePort(QObject):
    """The checks' port on a bridge."""

    results = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        bridge.probe_done.connect(self.results)

    @property
    def obstacle(self) -> str:
        phase = self._bridge.state.phase
        if phase in RUNNING:
            return "The agent is playing. Stop it, then check."
        if phase is Phase.OPENING:
            return "The game is being opened …"
        if phase not in IN_VIEW:
            return "No game is in view. Choose one in the top bar, then check."
        return ""

    @property
    def capture_hz(self) -> float | None:
        stats = self._bridge.state.stats
        return stats.capture_hz if stats is not None else None

    def start(self, name: CheckName) -> None:
        self._bridge.probe(name)

    def newest_frame(self) -> RingFrame | None:
        return self._bridge.last_frame
