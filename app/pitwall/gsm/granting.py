"""Remembers which agents were given control beside a person: the threshold holds for the first time."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pydantic import RootModel

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.store.folder_errors import write_file


class _Granted(RootModel[dict[str, dict[str, str]]]):
    """Game → agent → when it was first given control, UTC."""


def agent_label(manifest: RunManifest) -> str:
    """Name a run's agent as far as it decides what is pressed; another version of a module is another."""
    planner = str(manifest.settings["control"]["planner"])
    model = str(manifest.settings["models"]["strategic"]) if planner in ("auto", "model") else ""
    modules = [
        f"{name} {version}" for name, version in manifest.versions.items() if name.startswith("module ")
    ]
    return ", ".join([planner, *filter(None, [model]), *sorted(modules)])


def was_granted(data: DataFolder, game_id: str, agent: str) -> bool:
    """Whether an agent was given control of a game before; so not where the file cannot be read."""
    return agent in _read(data).get(game_id, {})


def note_granted(data: DataFolder, game_id: str, agent: str) -> None:
    """Remember that an agent is given control now.

    Raises:
        DataFolderError: the data folder cannot be written.
    """
    granted = _read(data)
    granted.setdefault(game_id, {}).setdefault(agent, datetime.now(UTC).isoformat(timespec="seconds"))
    write_file(data.granted, json.dumps(granted, indent=1) + "\n")


def _read(data: DataFolder) -> dict[str, dict[str, str]]:
    try:
        return read_model(_Granted, data.granted).root
    except (FileNotFoundError, DamagedFile):
        return {}
