"""The operator's own names of games, kept in the data folder: no game's folder changes."""

from __future__ import annotations

import json

from pydantic import RootModel

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile, SettingsError
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file

_MOST = 60
"""Longest name, in characters."""


class _Names(RootModel[dict[str, str]]):
    """Game id → the operator's name for it."""


def own_names(data: DataFolder) -> dict[str, str]:
    """Return the operator's names by game id; none where the file is not there or damaged."""
    try:
        return read_model(_Names, data.game_names).root
    except (FileNotFoundError, DamagedFile):
        return {}


def rename_game(data: DataFolder, game_id: str, name: str) -> None:
    """Give a game another name; an empty name returns to its own.

    Raises:
        SettingsError: the name is too long or no plain line.
        DataFolderError: the data folder cannot be written.
    """
    name = name.strip()
    if len(name) > _MOST or not name.isprintable():
        raise SettingsError(
            f"{name[:_MOST]!r} cannot name a game.", f"Use one line of at most {_MOST} characters."
        )
    names = {**own_names(data), game_id: name}
    kept = {known: own for known, own in names.items() if own}
    write_file(data.game_names, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
