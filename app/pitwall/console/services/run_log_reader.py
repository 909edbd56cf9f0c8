"""Reading the run log beside the window: one thread reads, the answers come back as Qt events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from pitwall.console.services.background import BackgroundWorker
from pitwall.core.paths import DataFolder

if TYPE_CHECKING:
    from pitwall.store.run_reader import RunReader

T = TypeVar("T")


class RunLogWorker(QObject):
    """Asks a data folder's run log, in order, without making the window wait.

    Attributes:
        failed: signal(error): a read met a PitwallError.
    """

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._reader: RunReader | None = None
        self._aside = BackgroundWorker("run log", self)
        self.failed = self._aside.failed

    def ask(self, read: Callable[[RunReader], T], deliver: Callable[[T], None]) -> None:
        """Run `read` in the reading thread, then `deliver` its result in this one."""
        self._aside.ask(lambda: read(self._opened()), deliver)

    def ask_image(self, run_id: int, frame_ref: str, deliver: Callable[[QImage], None]) -> None:
        """Read a step's frame; an empty image where it was not kept or is gone."""
        folder = self._data.run(run_id)
        self.ask(lambda _: read_image(folder, frame_ref), deliver)

    def _opened(self) -> RunReader:
        if self._reader is None:
            from pitwall.store.run_reader import RunReader  # its database library, in the reading thread

            self._reader = RunReader(self._data)
        return self._reader

    def close(self) -> None:
        """Read no more; waits for the read that is going on."""
        self._aside.close()


def read_image(folder: Path, frame_ref: str) -> QImage:
    """Read a picture of a run's folder; an empty one where it was not kept, is gone, or lies outside."""
    file = (folder / frame_ref).resolve()
    inside = bool(frame_ref) and file.is_relative_to(folder.resolve())
    return QImage(str(file)) if inside and file.is_file() else QImage()
