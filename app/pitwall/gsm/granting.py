"""Gives an agent control that decided beside a person, and remembers which agents were given it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import RootModel

from pitwall.core import commands, telemetry
from pitwall.core.bounded_reading import read_model
from pitwall.core.commands import PlayMode
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.store.folder_errors import write_file


class _Granted(RootModel[dict[str, dict[str, str]]]):
    """Game → agent → when it was first given control, UTC."""


class ControlGrant:
    """Follows a person's run with an agent beside them, and gives the agent control when asked to.

    The threshold holds for the first time only: an agent that had control of the game before needs none.

    Args:
        on_fault: takes the error if the grant cannot be remembered; the agent plays all the same.

    Attributes:
        playing: whether a person plays with an agent beside them.
        granted: whether the agent was given control in the newest run.
        note: the newest comparison of the two; None before the first.
    """

    def __init__(self, data: DataFolder, on_fault: Callable[[PitwallError], None]) -> None:
        self.playing = self.granted = False
        self.note: telemetry.ShadowNote | None = None
        self._data, self._on_fault = data, on_fault
        self._game = self._agent = ""
        self._granting = False

    def refusal(self, grant_at: float) -> str:
        """Return why the agent is not given control at a share of agreement; empty if it may have it."""
        if self._agent in _read(self._data).get(self._game, {}):
            return ""
        return self.note.agreement.refusal(grant_at) if self.note is not None else "Nothing was compared yet."

    def give_control(self, grant_at: float) -> list[commands.Stop]:
        """Return the command that ends the person's run for the agent's; none where there is a refusal."""
        if not self.playing or self._granting or self.refusal(grant_at):
            return []
        self._granting = True
        return [commands.Stop()]

    def take(self, record: Any) -> list[commands.Start]:
        """Take a telemetry record; return the start of the agent's run once the person's has ended for it."""
        match record:
            case telemetry.RunBegan(manifest=manifest):
                shadowed = manifest.settings.get("control", {}).get("shadow")
                self.playing = manifest.planner == "person" and bool(shadowed)
                if self.playing:
                    self.granted = False
                    self.note, self._game, self._agent = None, manifest.game_id, _agent_label(manifest)
            case telemetry.ShadowNote() if self.playing:
                self.note = record
            case telemetry.RunEnded() if self.playing:
                self.playing, granting, self._granting = False, self._granting, False
                if granting:
                    self.granted = True
                    self._remember()
                    return [commands.Start(mode=PlayMode.AGENT)]
        return []

    def _remember(self) -> None:
        granted = _read(self._data)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        granted.setdefault(self._game, {}).setdefault(self._agent, at)
        try:
            write_file(self._data.granted, json.dumps(granted, indent=1) + "\n")
        except PitwallError as error:
            self._on_fault(error)


def _agent_label(manifest: RunManifest) -> str:
    """Name a run's agent as far as it decides what is pressed; another version of a module is another."""
    planner = str(manifest.settings["control"]["planner"])
    model = str(manifest.settings["models"]["strategic"]) if planner in ("auto", "model") else ""
    modules = [
        f"{name} {version}" for name, version in manifest.versions.items() if name.startswith("module ")
    ]
    return ", ".join([planner, *filter(None, [model]), *sorted(modules)])


def _read(data: DataFolder) -> dict[str, dict[str, str]]:
    try:
        return read_model(_Granted, data.granted).root
    except (FileNotFoundError, DamagedFile):
        return {}
