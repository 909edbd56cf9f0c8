"""Prepares the data folder and the screen that one run is played in, apart from the operator's own."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import DisplayError
from pitwall.core.paths import DataFolder
from pitwall.link.virtual_screen import virtual_screen
from pitwall.store.folder_errors import folder_error

LEFT_OUT = shutil.ignore_patterns(
    "checkpoint*", "*.tmp", "*.lock", "training.jsonl", "clips", "events", "trials"
)
"""Files of a version that only its training needs."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The place of one run.

    Attributes:
        data: the run's data folder. truth: file that the game writes its true state into.
        errors: file that takes the error output of `pitwall run`. display: for $DISPLAY.
        control: socket that the game may listen at; None: it is not steered.
    """

    data: DataFolder
    truth: Path
    errors: Path
    display: str
    control: Path | None = None


@contextlib.contextmanager
def folder_errors(root: Path) -> Iterator[None]:
    """Turn errors of files below `root` into a DataFolderError."""
    try:
        yield
    except shutil.Error as error:
        raise folder_error(OSError(str(error)), root) from error
    except OSError as error:
        raise folder_error(error, root) from error


def copy_files(files: Iterable[Path], data: DataFolder) -> None:
    """Copy those of the operator's files that exist into a run's data folder."""
    for file in files:
        if file.is_file():
            shutil.copyfile(file, data.root / file.name)


def link_folder(theirs: Path, ours: Path) -> None:
    """Let a run's data folder share one of the operator's folders."""
    if theirs.is_dir():
        with contextlib.suppress(OSError):  # links need a right on Windows: without it they are left out
            ours.symlink_to(theirs, target_is_directory=True)


@contextlib.contextmanager
def screen_for(screen: str) -> Iterator[str]:
    """Open a virtual screen, or take the present one where `screen` is "here"."""
    if screen == "own":
        with virtual_screen() as display:
            yield display
        return
    display = os.environ.get("DISPLAY", "")
    if not display and os.name == "posix":
        raise DisplayError(
            "there is no screen to play on: DISPLAY is not set.", "Let it play on a screen of its own."
        )
    yield display
