"""`checkpoint.pt`: the complete state of a training. It is written to another file, then renamed."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path
from typing import Any

import torch

from pitwall.core.errors import PitwallError
from pitwall.store.folder_errors import folder_error

CHECKPOINT = "checkpoint.pt"
MOST_REPLAY_BYTES = 1 << 30
_FORM = 3


class DamagedCheckpoint(PitwallError):
    """A checkpoint cannot be read, or belongs to another space."""


def write_checkpoint(folder: Path, state: dict[str, Any], *, space: str) -> None:
    """Replace the training's saved state.

    Args:
        space: identifies what it was trained on; only a training of the same space resumes from it.

    Raises:
        DataFolderError: it cannot be written.
    """
    file = folder / CHECKPOINT
    aside = file.with_name(file.name + ".tmp")
    try:
        torch.save({"form": _FORM, "space": space, **state}, aside)
        aside.replace(file)
    except OSError as error:
        raise folder_error(error, file) from error
    except RuntimeError as error:  # torch raises this for a full disk
        raise PitwallError(f"{file} cannot be written: {error}.", "Free some space.") from error


def read_checkpoint(folder: Path, *, space: str) -> dict[str, Any] | None:
    """Read the newest state; None if there is none. No code in the file is run.

    Raises:
        DamagedCheckpoint: it cannot be read, or belongs to something else.
    """
    file = folder / CHECKPOINT
    if not file.exists():
        return None
    try:
        state: Any = torch.load(file, map_location="cpu", weights_only=True)
        fits = state["form"] == _FORM and state["space"] == space
    except OSError as error:
        if error.errno != errno.EINVAL:  # EINVAL means that the file is truncated
            raise folder_error(error, file) from error
        raise _damaged(file, error) from None
    except (RuntimeError, pickle.UnpicklingError, EOFError, KeyError, TypeError, ValueError) as error:
        raise _damaged(file, error) from None
    if not fits:
        raise DamagedCheckpoint(
            f"{file} is of an earlier Pitwall or another training (state, actions or recipe differ).",
            "Delete it: the training then starts again.",
        )
    return dict(state)


def _damaged(file: Path, error: Exception) -> DamagedCheckpoint:
    lines = str(error).splitlines()
    return DamagedCheckpoint(
        f"{file} cannot be read: {lines[0] if lines else type(error).__name__}.",
        "Delete it: the training then starts again.",
    )
