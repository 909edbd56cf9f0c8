"""Run a `pitwall … --json` command in a process of its own, so that the window never waits for it.

job = Job(self, data=bridge.data)                     # `data` adds `--data FOLDER`
job.answered.connect(show)                            # the command's JSON answer
job.failed.connect(lambda error: show_error(error))   # a PitwallError: what went wrong and how to mend it
job.progressed.connect(lambda done, total: bar.setValue(done))
job.start(["exam", "make", "12"])                     # and `cancel()`, `resume()`
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from pitwall.core.bounded_reading import foreign_json
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.paths import DataFolder

_PATIENCE_S = 2.0
_LOG_LENGTH = 4_000


@dataclass(slots=True)
class JobProgress:
    """A command's progress.

    Attributes:
        done, total: runs, questions, bytes …; total is 0 while unknown.
        doing: the present step of a command of several, in words. stage: the same as a keyword.
        per_s: the command's rate in a second; 0 if it reports none.
        left_s: seconds until it is done; None while unknown.
    """

    done: int = 0
    total: int = 0
    doing: str = ""
    stage: str = ""
    per_s: float = 0.0
    left_s: float | None = None
    _first: tuple[int, float] | None = field(default=None, repr=False)

    @property
    def share(self) -> float:
        """Return the share that is done, 0 … 1; 0 while the total is unknown."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def read(self, line: Mapping[str, Any], now_s: float) -> None:
        """Take a line of the command's output, `{"progress": done, "of": total, …}`.

        Args:
            now_s: when it came, on a monotonic clock.
        """
        doing = line.get("doing")
        if isinstance(doing, str) and doing != self.doing:
            self.doing, self._first, self.left_s = doing, None, None
        if "progress" not in line:
            return
        self.done, self.total = int(line["progress"]), int(line.get("of") or 0)
        if self._first is None or self.done < self._first[0]:
            self._first = (self.done, now_s)
        self.stage = str(line.get("stage") or "")
        self.per_s = float(line.get("bytes_per_s") or 0.0)
        left_s = line.get("left_s")
        self.left_s = float(left_s) if isinstance(left_s, int | float) else self._estimate_left(now_s)

    def rest(self) -> None:
        """Forget speed and time left: the command has ended."""
        self.per_s, self.left_s, self._first = 0.0, None, None

    def _estimate_left(self, now_s: float) -> float | None:
        missing = self.total - self.done
        if missing < 0 or self._first is None:
            return None
        if self.per_s > 0:
            return missing / self.per_s
        first, began_s = self._first
        return (now_s - began_s) / (self.done - first) * missing if self.done > first else None


class Job(QObject):
    """Runs one command at a time; it can be started again when it has ended.

    A line `{"progress": done, "of": total}` is progress; the last other JSON line is the answer. An answer
    with a "what" from a command that failed is the command's error.

    Args:
        data: the data folder that is passed to every command; without it the arguments name one.
        patience_s: longest time that a cancelled command may take to end before it is killed.

    Signals:
        progressed(done, total): whole numbers of any size (bytes of a big file among them).
        line(value): every JSON line as it comes.
        answered(value): the answer, when the command succeeded.
        failed(error): a PitwallError, also when the command could not start. cancelled(): after `cancel`.

    Attributes:
        progress: of the present command. log: the end of its standard error.
    """

    progressed = Signal(object, object)
    line = Signal(object)
    answered = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        data: DataFolder | None = None,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        super().__init__(parent)
        self._more = ("--data", str(data.root)) if data is not None else ()
        self._process: QProcess | None = None
        self._arguments: Sequence[str] = ()
        self._partial = b""
        self._answer: Any = None
        self._cancelling = False
        self.progress = JobProgress()
        self.log = ""
        self._patience = QTimer(self, singleShot=True, interval=round(patience_s * 1000))

    @property
    def running(self) -> bool:
        return self._process is not None

    @property
    def cancelling(self) -> bool:
        """Return whether it was cancelled and has not ended yet."""
        return self._process is not None and self._cancelling

    def start(self, arguments: Sequence[str]) -> None:
        """Run `pitwall *arguments --json`; does nothing while a command is running."""
        if self._process is not None:
            return
        self._arguments, self._answer, self._cancelling = arguments, None, False
        self._partial, self.log, self.progress = b"", "", JobProgress()
        process = self._process = QProcess(self)
        self._patience.timeout.connect(process.kill)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._not_started)
        process.start(sys.executable, ["-m", "pitwall", *arguments, *self._more, "--json"])

    def send(self, value: object) -> None:
        """Write a line of JSON to the running command's standard input."""
        if self._process is not None:
            self._process.write(json.dumps(value).encode() + b"\n")

    def resume(self) -> None:
        """Run the last command again; a command that keeps its work continues it."""
        self.start(self._arguments)

    def cancel(self) -> None:
        """End the command; `cancelled` follows. Does nothing if none is running."""
        if self._process is not None and not self._cancelling:
            self._cancelling = True
            self._process.terminate()
            self._patience.start()

    def _read(self) -> None:
        assert self._process is not None
        self._partial += bytes(self._process.readAllStandardOutput().data())
        *lines, self._partial = self._partial.split(b"\n")
        for text in lines:
            self._take(text)

    def _take(self, text: bytes) -> None:
        try:
            value = foreign_json(text)
        except ValueError:
            return
        if isinstance(value, dict):
            self.progress.read(value, time.monotonic())
        self.line.emit(value)
        if isinstance(value, dict) and "progress" in value:
            self.progressed.emit(self.progress.done, self.progress.total)
        else:
            self._answer = value

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._end(-1)

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._take(self._partial)
        self._end(code if status is QProcess.ExitStatus.NormalExit else -1)

    def _end(self, status: int) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._patience.stop()
        self._patience.timeout.disconnect(process.kill)
        errors = bytes(process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        self.log = errors[-_LOG_LENGTH:]
        process.deleteLater()
        self.progress.rest()
        if self._cancelling:
            self.cancelled.emit()
        elif status == 0 and self._answer is not None:
            self.answered.emit(self._answer)
        else:
            self.failed.emit(self._error(status))

    def _error(self, status: int) -> PitwallError:
        if isinstance(self._answer, dict) and "what" in self._answer:
            return PitwallError(str(self._answer["what"]), str(self._answer.get("fix", "")))
        how = f"ended with status {status}" if status >= 0 else "could not start or was ended"
        return ChildDied(
            f"`pitwall {self._arguments[0]}` {how}.", "Run it in a terminal to see more.", self.log
        )
