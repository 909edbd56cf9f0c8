"""Runs short `pitwall … --json` commands one after another and reports each outcome as a notification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from pitwall.console.kit.notification import Notification
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder

OnAnswer = Callable[[Any], object]
OnError = Callable[[PitwallError], object]


class CommandQueue(QObject):
    """Runs short commands, one after another, so that two never race for one file.

    Args:
        data: the data folder that is passed to every command; without one the arguments name it.

    Signals:
        notified(notification): a `Notification`. busy(text): something is being done; empty once it is done.
        changed(): a command ended: read again.
    """

    notified = Signal(object)
    busy = Signal(str)
    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, data: DataFolder | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[tuple[Sequence[str], str, str, OnAnswer | None, OnError | None]] = []
        self._now: tuple[str, OnAnswer | None, OnError | None] | None = None
        self._job = Job(self, data=data)
        self._job.answered.connect(self._answered)
        self._job.failed.connect(self._failed)
        self._job.cancelled.connect(self._next)

    @property
    def running(self) -> bool:
        return self._job.running or bool(self._waiting)

    def do(
        self,
        arguments: Sequence[str],
        *,
        doing: str,
        done: str = "",
        answered: OnAnswer | None = None,
        refused: OnError | None = None,
    ) -> None:
        """Run a command after the waiting ones.

        Args:
            doing: text that is shown while the command runs longer than a moment. done: text after success.
            refused: receives the error; without it the error becomes a notification.
        """
        self._waiting.append((arguments, doing, done, answered, refused))
        if self._now is None:
            self._next()

    def close(self) -> None:
        """Run no more; what runs is ended."""
        self._waiting.clear()
        self._job.cancel()

    def _next(self) -> None:
        self._now = None
        if not self._waiting:
            self.busy.emit("")
            return
        arguments, doing, done, answered, refused = self._waiting.pop(0)
        self._now = (done, answered, refused)
        self.busy.emit(doing)
        self._job.start(arguments)

    def _answered(self, answer: Any) -> None:
        assert self._now is not None
        done, answered, _ = self._now
        self._next()
        if done:
            self.notified.emit(Notification(done))
        if answered is not None:
            answered(answer)
        self.changed.emit()

    def _failed(self, error: PitwallError) -> None:
        assert self._now is not None
        _, _, refused = self._now
        self._next()
        if refused is not None:
            refused(error)
        else:
            self.notified.emit(Notification.of_error(error))
        self.changed.emit()
