"""The agent beside a person, as the console asks for it: begins such a run, and gives the agent control."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from pitwall.console.services.bridge import Bridge
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.settings import Settings
from pitwall.core.telemetry import Fault, RunBegan, RunEnded
from pitwall.gsm.granting import agent_label, note_granted, was_granted


class Beside(QObject):
    """Runs a person plays with the chosen agent beside them, and what follows from one.

    Attributes:
        playing: whether such a run is on.
    """

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.playing = False
        self._granting = False
        self._game = self._agent = ""
        bridge.received.connect(self._take)

    def begin(self) -> None:
        """The person plays from now on, and the agent decides beside them."""
        self._bridge.send(commands.SetSettings(settings=self._played_by("person", shadow=True)))
        self._bridge.send(commands.Start())

    @property
    def refusal(self) -> str:
        """Why the agent is not given control yet; empty: it may be."""
        note, settings = self._bridge.state.shadow.note, self._bridge.settings
        if was_granted(self._bridge.data, self._game, self._agent):
            return ""
        if note is None:
            return "Nothing was compared yet."
        return note.agreement.refusal(settings.control.grant_at)

    def give_control(self) -> None:
        """Let the agent play on in the same window; a press of the person takes over."""
        if self.playing and not self.refusal:
            self._granting = True
            self._bridge.stop()

    def _take(self, record: Any) -> None:
        if isinstance(record, RunBegan):
            manifest = record.manifest
            control = manifest.settings.get("control", {})
            self.playing = manifest.planner == "person" and bool(control.get("shadow"))
            if self.playing:
                self._game, self._agent = manifest.game_id, agent_label(manifest)
        elif isinstance(record, RunEnded) and self.playing:
            self.playing = False
            if not self._granting:
                self._bridge.send(commands.SetSettings(settings=self._bridge.settings))
                return
            self._granting = False
            self._bridge.send(commands.SetSettings(settings=self._played_by("agent", shadow=False)))
            self._bridge.send(commands.Start())
            self._note_granted()

    def _note_granted(self) -> None:
        try:
            note_granted(self._bridge.data, self._game, self._agent)
        except PitwallError as error:
            self._bridge.report(Fault.of(error))

    def _played_by(self, player: str, *, shadow: bool) -> Settings:
        settings = self._bridge.settings.with_value("control", "player", player)
        return settings.with_value("control", "shadow", shadow)
