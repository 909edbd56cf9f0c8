"""A `pitwall … --json` command run aside, its lines read as progress, answer or error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from pitwall.console.services.job import Job
from pitwall.core.errors import ChildDied, PitwallError

_LAST_WORDS = 4_000


class JsonJob(QObject):
    """One command at a time, and what came of it.

    A line `{"progress": done, "of": total}` is progress; the last other line is the answer, and an
    answer with a "what" of a command that failed is the error that the command met.

    Signals:
        progressed(done, total): whole numbers of any size (bytes of a big file among them).
        told(value): every JSON line as it comes, progress and the answer too.
        answered(value): the JSON value, when it ended well.
        failed(error): a PitwallError, also when it could not start. cancelled(): after `cancel`.
    """

    progressed = Signal(object, object)
    told = Signal(object)
    answered = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self._command = ""
        self._answer: Any = None
        self._given_up = False

    @property
    def running(self) -> bool:
        return self._job is not None

    def start(self, arguments: Sequence[str]) -> None:
        """Run `pitwall *arguments --json`; nothing happens while one is running."""
        if self._job is not None:
            return
        self._command, self._answer, self._given_up = arguments[0], None, False
        self._job = Job([*arguments, "--json"], self)
        self._job.line.connect(self._take)
        self._job.finished.connect(self._ended)

    def cancel(self) -> None:
        """End it; `cancelled` follows. Nothing happens where none is running."""
        if self._job is not None and not self._given_up:
            self._given_up = True
            self._job.cancel()

    def _take(self, line: str) -> None:
        try:
            value = json.loads(line)
        except ValueError:
            return
        self.told.emit(value)
        if isinstance(value, dict) and "progress" in value:
            self.progressed.emit(int(value["progress"]), int(value.get("of", 0)))
        else:
            self._answer = value

    def _ended(self, status: int, _output: str, errors: str) -> None:
        self._job = None
        if self._given_up:
            self.cancelled.emit()
            return
        if status == 0 and self._answer is not None:
            self.answered.emit(self._answer)
        else:
            self.failed.emit(self._error(status, errors))

    def _error(self, status: int, errors: str) -> PitwallError:
        if isinstance(self._answer, dict) and "what" in self._answer:
            return PitwallError(str(self._answer["what"]), str(self._answer.get("fix", "")))
        how = f"ended with status {status}" if status >= 0 else "could not start or was ended"
        return ChildDied(
            f"`pitwall {self._command}` {how}.", "Run it in a terminal to see more.", errors[-_LAST_WORDS:]
        )
