"""What a run of a trial is played in: data folder, screen and truth file of its own, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import DisplayError
from pitwall.core.paths import DataFolder
from pitwall.evaluation.trials.messages import RunSetup
from pitwall.games.invented_modules import copy_invention
from pitwall.link.virtual_screen import virtual_screen
from pitwall.store.folder_errors import folder_error

TRUTH_VARIABLE = "PITWALL_TRUTH"
_LEFT_OUT = shutil.ignore_patterns(
    "checkpoint*", "*.tmp", "*.lock", "training.jsonl", "clips", "events", "trials"
)


@dataclass(frozen=True, slots=True)
class TrialSandbox:
    """A seat's room.

    Attributes:
        folder: everything of it lies here. data: the run's data folder. truth: where the game writes its
            true state. display: for $DISPLAY.
    """

    folder: Path
    data: DataFolder
    truth: Path
    display: str


@contextlib.contextmanager
def trial_sandbox(seat: RunSetup) -> Iterator[TrialSandbox]:
    """A room for the time of the block.

    Raises:
        DisplayError: there is no screen. DataFolderError: the version's files cannot be copied.
    """
    with contextlib.ExitStack() as stack:
        temporary = tempfile.TemporaryDirectory(prefix="pitwall-trial-", ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(temporary))
        data = DataFolder(folder / "data")
        _furnish(seat, DataFolder(seat.data), data)
        display = stack.enter_context(virtual_screen()) if seat.screen == "own" else _here()
        yield TrialSandbox(folder, data, folder / "truth.json", display)


def _furnish(seat: RunSetup, operator: DataFolder, data: DataFolder) -> None:
    """Into the run's data folder: the version, what the operator trusts, and the models they have."""
    try:
        data.root.mkdir()
        for file in (operator.trust, operator.model_registry):
            if file.is_file():
                shutil.copyfile(file, data.root / file.name)
        if operator.models.is_dir():
            with contextlib.suppress(OSError):  # links need a right on Windows: then those are not there
                data.models.symlink_to(operator.models, target_is_directory=True)
        if seat.version_folder is not None:
            place = data.modules / seat.game_id / seat.module / seat.version
            shutil.copytree(seat.version_folder, place, ignore=_LEFT_OUT)
        copy_invention(operator, data, seat.game_id, seat.module, plays=True)
    except shutil.Error as error:
        raise folder_error(OSError(str(error)), data.root) from error
    except OSError as error:
        raise folder_error(error, data.root) from error


def _here() -> str:
    display = os.environ.get("DISPLAY", "")
    if not display and os.name == "posix":
        raise DisplayError(
            "there is no screen to evaluate on: DISPLAY is not set.", "Let it play on a screen of its own."
        )
    return display
