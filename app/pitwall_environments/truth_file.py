"""Writes the true state of a game into the file that an evaluator reads."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import put_in_place
from pitwall.evaluation.truth.state import TrueState


class TruthFile:
    """Writes the newest state as a whole file: into another file first, then in place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._aside = path.with_name(path.name + ".tmp")

    def write(self, state: TrueState) -> None:
        """Replace the file's state.

        Raises:
            PitwallError: the file cannot be written.
        """
        try:
            self._aside.write_text(state.model_dump_json(by_alias=True), encoding="utf-8")
            put_in_place(self._aside, self._path)
        except OSError as error:
            raise PitwallError(
                f"{self._path} cannot be written: {error.strerror}.", "Free space, or name another file."
            ) from None
