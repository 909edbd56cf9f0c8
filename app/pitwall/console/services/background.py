"""Slow work (files, the registry, the run log) on threads beside the window's.

A thread never touches a Qt object, which could be deleted meanwhile. The window's own thread polls for
results while work is under way.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage
from shiboken6 import isValid

from pitwall.core.errors import PitwallError, unexpected
from pitwall.core.paths import DataFolder

if TYPE_CHECKING:
    from pitwall.store.run_reader import RunReader

T = TypeVar("T")

_LOOK_MS = 8


class _Work:
    """Holds work in place of the thread, which would free the Qt objects behind it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call: Callable[[], Any] | None = call

    def __call__(self) -> Any:
        return self.call() if self.call is not None else None


@dataclass(frozen=True, slots=True)
class _Asked:
    work: _Work
    future: Future[Any]
    deliver: Callable[[Any], object]
    failed: Callable[[PitwallError], object] | None


class BackgroundWorker(QObject):
    """Does one piece of work after another on a thread; results arrive on the window's thread, in order.

    Signals:
        failed(error): a PitwallError that nothing else handles. Any other exception comes as a PitwallError,
            and is raised again on the window's thread.
    """

    failed = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        thread = self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self.destroyed.connect(lambda *_: thread.shutdown(wait=False, cancel_futures=True))
        self._asked: deque[_Asked] = deque()
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._deliver)

    @property
    def busy(self) -> bool:
        """Return whether work is waited for."""
        return bool(self._asked)

    def ask(
        self,
        work: Callable[[], T],
        deliver: Callable[[T], object],
        failed: Callable[[PitwallError], object] | None = None,
    ) -> None:
        """Run `work` on the thread, then `deliver` its result here.

        Args:
            failed: takes a PitwallError of this work, in place of the signal.
        """
        held = _Work(work)
        with contextlib.suppress(RuntimeError):  # shut down: nobody waits for the result
            self._asked.append(_Asked(held, self._thread.submit(held), deliver, failed))
            self._look.start()

    def finish(self) -> None:
        """Wait for all work that was asked so far, and deliver its results."""
        while self._asked:
            wait([self._asked[0].future])
            self._deliver()

    def close(self) -> None:
        """Drop waiting work and results, and wait for the work that is going on."""
        self._look.stop()
        self._thread.shutdown(wait=True, cancel_futures=True)
        for asked in self._asked:
            asked.work.call = None
        self._asked.clear()

    def _deliver(self) -> None:
        while self._asked and self._asked[0].future.done():
            done = self._asked.popleft()
            done.work.call = None
            try:
                result = done.future.result()
            except PitwallError as error:
                self._tell(done.failed, error)
            except Exception as error:
                self._tell(done.failed, unexpected(self._name, error))
                raise
            else:
                if _lives(done.deliver):
                    done.deliver(result)
        if not self._asked:
            self._look.stop()

    def _tell(self, failed: Callable[[PitwallError], object] | None, error: PitwallError) -> None:
        if failed is None:
            self.failed.emit(error)
        elif _lives(failed):
            failed(error)


def _lives(receiver: Callable[[Any], object]) -> bool:
    """Return whether the window that waits for a result is still there: it may be closed meanwhile."""
    owner = getattr(receiver, "__self__", None)
    return not isinstance(owner, QObject) or isValid(owner)


_LIVE_MS, _QUIET_MS = 700, 2_500


class RepeatedReading(QObject):
    """Reads a value repeatedly on a background worker, and at once on request, never twice at a time.

    Args:
        read: called on the worker's thread.

    Signals:
        took(value): it was read. failed(error): a PitwallError of the reading.

    Attributes:
        reading: whether a reading is under way.
    """

    took = Signal(object)
    failed = Signal(object)

    def __init__(self, worker: BackgroundWorker, read: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._worker, self._read = worker, read
        self.reading = False
        self._again = False
        self._timer = QTimer(self, interval=_QUIET_MS)
        self._timer.timeout.connect(self.now)

    def start(self) -> None:
        """Read at once, and repeatedly from now on."""
        self._timer.start()
        self.now()

    def stop(self) -> None:
        """Read only on request from now on."""
        self._timer.stop()

    def now(self) -> None:
        """Read at once; once more if a reading is under way."""
        if self.reading:
            self._again = True
            return
        self.reading = True
        self._worker.ask(self._read, self._took, self._failed)

    def be_live(self, live: bool) -> None:
        """Read more often while the value changes on its own."""
        wanted = _LIVE_MS if live else _QUIET_MS
        if self._timer.interval() != wanted:
            self._timer.setInterval(wanted)

    def _took(self, value: object) -> None:
        self.reading = False
        self.took.emit(value)
        if self._again:
            self._again = False
            self.now()

    def _failed(self, error: PitwallError) -> None:
        self.reading = False
        self.failed.emit(error)


class RunLogWorker(QObject):
    """Reads a data folder's run log in order without making the window wait.

    Attributes:
        failed: signal(error): a PitwallError of a reading.
    """

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._reader: RunReader | None = None
        self._aside = BackgroundWorker("run log", self)
        self.failed = self._aside.failed

    def ask(self, read: Callable[[RunReader], T], deliver: Callable[[T], None]) -> None:
        """Run `read` on the reading thread, then `deliver` its result on this one."""
        self._aside.ask(lambda: read(self._opened()), deliver)

    def ask_image(self, run_id: int, frame_ref: str, deliver: Callable[[QImage], None]) -> None:
        """Read a step's frame; an empty image if it was not kept or is gone."""
        folder = self._data.run(run_id)
        self.ask(lambda _: read_image(folder, frame_ref), deliver)

    def _opened(self) -> RunReader:
        if self._reader is None:
            from pitwall.store.run_reader import RunReader  # loads the database library on the reading thread

            self._reader = RunReader(self._data)
        return self._reader

    def close(self) -> None:
        """Read no more, and wait for the reading that is going on."""
        self._aside.close()


def read_image(folder: Path, frame_ref: str) -> QImage:
    """Read a picture of a run's folder; an empty one if it was not kept, is gone, or lies outside."""
    file = (folder / frame_ref).resolve()
    inside = bool(frame_ref) and file.is_relative_to(folder.resolve())
    return QImage(str(file)) if inside and file.is_file() else QImage()
