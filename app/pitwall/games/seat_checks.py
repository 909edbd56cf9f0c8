"""Keeps for each game whether the agent's own keyboard and pointer reach it, with the versions tried."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, RootModel

from pitwall import __version__
from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.store.folder_errors import write_file


class SeatCheck(BaseModel):
    """The result of a press with the agent's own devices in a game.

    Attributes:
        arrives: the game's program was given the press.
        game_version, pitwall, desktop: the versions that it was tried with.
        checked: the day, as YYYY-MM-DD.
    """

    model_config = ConfigDict(frozen=True)

    arrives: bool
    game_version: str
    pitwall: str
    desktop: str
    checked: str

    def holds(self, game: Game, desktop: str) -> bool:
        """Return whether it was made with these versions."""
        versions = (game.profile.game.version, __version__, desktop)
        return (self.game_version, self.pitwall, self.desktop) == versions

    @property
    def text(self) -> str:
        """Return the result as a line."""
        seat = "the agent's own arrive" if self.arrives else "the agent shares yours: its own do not arrive"
        return f"{seat} (tried {self.checked}, Pitwall {self.pitwall}, {self.desktop})"


class _Checks(RootModel[dict[str, SeatCheck]]):
    """Game id → its check."""


def seat_check(data: DataFolder, game_id: str) -> SeatCheck | None:
    """Return the kept check of a game; None where there is none, or the file is damaged."""
    return _all(data).get(game_id)


def keep_seat_check(data: DataFolder, game: Game, desktop: str, *, arrives: bool) -> None:
    """Keep the result of a check.

    Raises:
        DataFolderError: the data folder cannot be written.
    """
    check = SeatCheck(
        arrives=arrives,
        game_version=game.profile.game.version,
        pitwall=__version__,
        desktop=desktop,
        checked=datetime.now(UTC).astimezone().date().isoformat(),
    )
    checks = {**_all(data), game.game_id: check}
    kept = {game_id: each.model_dump() for game_id, each in sorted(checks.items())}
    write_file(data.seat_checks, json.dumps(kept, indent=1) + "\n")


def _all(data: DataFolder) -> dict[str, SeatCheck]:
    try:
        return read_model(_Checks, data.seat_checks).root
    except (FileNotFoundError, DamagedFile):
        return {}
