"""Keeps the operator's measurement of a game's turns in the data folder: no game's folder changes."""

from __future__ import annotations

import json

from pydantic import RootModel

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder
from pitwall.games.schema.actions import MouseLook
from pitwall.games.schema.profile import Profile
from pitwall.store.folder_errors import write_file


class _Turns(RootModel[dict[str, MouseLook]]):
    """Game id → how its view turns."""


def measured_turns(data: DataFolder) -> dict[str, MouseLook]:
    """Return the measurements by game id; none where the file is not there or damaged."""
    try:
        return read_model(_Turns, data.mouse_turns).root
    except (FileNotFoundError, DamagedFile):
        return {}


def keep_turn(data: DataFolder, game_id: str, look: MouseLook | None) -> None:
    """Keep how a game's view turns; None returns to the figures of its own folder.

    Raises:
        DataFolderError: the data folder cannot be written.
    """
    turns = {**measured_turns(data), game_id: look}
    kept = {known: turn.model_dump() for known, turn in turns.items() if turn is not None}
    write_file(data.mouse_turns, json.dumps(kept, indent=1) + "\n")


def with_measured_turn(profile: Profile, data: DataFolder) -> Profile:
    """Return a profile with the operator's measurement in place of its own figures."""
    measured = measured_turns(data).get(profile.game.id)
    return profile if measured is None else profile.model_copy(update={"mouse_look": measured})
