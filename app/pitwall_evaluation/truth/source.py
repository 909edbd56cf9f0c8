"""Chooses how a game's true state is read, by the kind that its manifest declares."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall_evaluation.truth.fields import FieldsTruth
from pitwall_evaluation.truth.state import TruthReader
from pitwall_evaluation.truth.tail import TailTruth

TruthReading = TruthReader | TailTruth | FieldsTruth


def source_of(game: Game, data: DataFolder, written: Path) -> TruthReading:
    """Open the source of a game's true state in a run's data folder.

    Args:
        data: of the run. written: the file that $PITWALL_TRUTH names.

    Raises:
        PitwallError: the game has no [truth].
    """
    truth = game.profile.truth
    if truth is None:
        raise PitwallError(
            f"{game.profile.game.name} has no true state to be judged by.",
            f"Declare one in {game.own_folder / 'plugin.toml'}: [truth].",
        )
    match truth.kind:
        case "file":
            return TruthReader(written)
        case "log":
            folder = game.folder if game.profile.launch is not None else game.own_folder
            named = truth.file.replace("{folder}", str(folder))
            place = named.replace("{data}", str(data.root / "game-data" / game.game_id))
            return TailTruth(game.game_id, folder / place, truth.patterns)
        case "output":
            return TailTruth(game.game_id, data.logs / f"game-{game.game_id}.log", truth.patterns)
        case "fields":
            return FieldsTruth(game.game_id, truth.fields)


def optional_paths(game: Game) -> frozenset[str]:
    """Return the paths that the game may not have reported yet; none if it always reports its whole state."""
    truth = game.profile.truth
    return frozenset() if truth is None else frozenset((*truth.patterns, *truth.fields))
