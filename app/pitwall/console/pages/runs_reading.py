"""Reading the run log beside the window: one thread reads, the answers come back as Qt events."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.run_log import RunReader

T = TypeVar("T")


class Reading(QObject):
    """Asks a data folder's run log, in order, without making the window wait.

    Signals:
        failed(error): a read met a PitwallError.
    """

    failed = Signal(object)
    _came = Signal(object, object)

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._reader = RunReader(data)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="run log")
        thread = self._thread
        self.destroyed.connect(lambda *_: thread.shutdown(wait=False, cancel_futures=True))
        self._came.connect(self._deliver)

    def ask(self, read: Callable[[RunReader], T], deliver: Callable[[T], None]) -> None:
        """Run `read` in the reading thread, then `deliver` its result in this one."""

        def work() -> None:
            try:
                result: Any = read(self._reader)
            except PitwallError as error:
                self._emit(None, error)
            else:
                self._emit(deliver, result)

        with contextlib.suppress(RuntimeError):  # shut down: nobody waits for it any more
            self._thread.submit(work)

    def ask_image(self, run_id: int, frame_ref: str, deliver: Callable[[QImage], None]) -> None:
        """Read a step's frame; an empty image where it was not kept or is gone."""
        folder = self._data.run(run_id)
        self.ask(lambda _: _image(folder, frame_ref), deliver)

    def close(self) -> None:
        """Read no more; waits for the read that is going on."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _emit(self, deliver: Callable[[Any], None] | None, result: object) -> None:
        with contextlib.suppress(RuntimeError):  # the window went away meanwhile
            self._came.emit(deliver, result)

    def _deliver(self, deliver: Callable[[Any], None] | None, result: object) -> None:
        if deliver is None:
            self.failed.emit(result)
        else:
            deliver(result)


def _image(folder: Path, frame_ref: str) -> QImage:
    file = (folder / frame_ref).resolve()
    inside = bool(frame_ref) and file.is_relative_to(folder.resolve())
    return QImage(str(file)) if inside and file.is_file() else QImage()
