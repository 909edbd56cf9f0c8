"""Keeps evaluated prompts of a model as files, so that no prompt that begins alike is read anew.

Kept are the first prompt of each context, so that the next start need not read the game's rules, and prompts
whose beginning comes back after others: a controller that is offered other skills in turns. Only the common
beginning is used, so a file never changes a prompt. Files hold what the model was shown of a game; they lie
in the data folder, and those unused for longest go first.
"""

from __future__ import annotations

import os
import time
import zipfile
from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitwall.core.paths import put_in_place
from pitwall.core.prompts import hash_of
from pitwall.host.backends.gguf.slot import Cells, Slot, common_length

LEAST = 48
"""Tokens that must be saved for a file to be read or written."""
_MOST_BYTES, _MOST_FOLDER_BYTES = 1 << 28, 1 << 30
_RECENT = 8
"""Prompts without a file in which a beginning is looked for."""


class KeptPrompts:
    """The kept prompts of one model.

    Args:
        folder: their place; None: nothing is kept.
        key: names everything that an evaluated prompt depends on: the model's file, the library's build.
    """

    def __init__(self, folder: Path | None, key: str) -> None:
        self._folder = folder
        self._key = hash_of(key)[:16]
        self._recent: deque[Cells] = deque(maxlen=_RECENT)
        self._files: dict[Path, Cells] = {}
        if folder is not None and folder.is_dir():
            for path in folder.glob(f"{self._key}-*.npz"):
                cells = _read(path, "cells")
                if cells is not None:
                    self._files[path] = cells.astype(np.int64)

    def offer(self, slot: Slot, cells: Cells) -> None:
        """Give a slot the file whose beginning saves the most tokens of a prompt, if it saves enough."""
        best, most = None, slot.common(cells) + LEAST
        for path, known in self._files.items():
            length = common_length(known, cells)
            if length >= most and len(known) < slot.context:
                best, most = path, length
        if best is None:
            return
        state = _read(best, "state")
        if state is None or not slot.restore(self._files[best], state):  # gone or damaged
            best.unlink(missing_ok=True)
            del self._files[best]
            return
        os.utime(best, ns=(time.time_ns(),) * 2)  # the file system's own clock takes steps of some ms

    def keep(self, slot: Slot, cells: Cells, cached: int) -> None:
        """Keep a slot's prompt, given how much of it was not evaluated, if it is likely to come back."""
        first, slot.fresh = slot.fresh, False
        returns = any(common_length(known, cells) >= cached + LEAST for known in self._recent)
        if self._folder is not None and len(cells) - cached >= LEAST and (first or returns):
            state = slot.state(_MOST_BYTES)
            if state is not None:
                self._write(self._folder, slot.held.copy(), state)
        self._recent.append(cells)

    def _write(self, folder: Path, cells: Cells, state: NDArray[np.uint8]) -> None:
        path = folder / f"{self._key}-{hash_of(cells.tobytes().hex())[:16]}.npz"
        aside = path.with_suffix(".tmp")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with aside.open("wb") as stream:
                np.savez(stream, cells=cells, state=state)
            put_in_place(aside, path)
        except OSError:  # the prompt is read again next time
            aside.unlink(missing_ok=True)
            return
        self._files[path] = cells
        self._make_room(folder)

    def _make_room(self, folder: Path) -> None:
        """Delete the files of all models that were unused for longest, until the rest fits."""
        sizes = {path: path.stat() for path in folder.glob("*.npz")}
        total = sum(stat.st_size for stat in sizes.values())
        for path, stat in sorted(sizes.items(), key=lambda item: item[1].st_mtime_ns):
            if total <= _MOST_FOLDER_BYTES:
                break
            total -= stat.st_size
            path.unlink(missing_ok=True)
            self._files.pop(path, None)


def _read(path: Path, name: str) -> NDArray[np.uint8] | None:
    """Return an array of a file; None where the file is gone or damaged."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return np.asarray(arrays[name])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
