"""Slow work as a `pitwall` command in a process of its own, so that the window never waits."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

_PATIENCE_MS = 2_000
"""How long a command may take to end by itself once it is asked to."""


class Job(QObject):
    """One `pitwall` command in a process of its own.

    Signals:
        line: one line of its output, as it comes.
        finished: (exit status, whole output, whole error output); status −1 where it was cancelled
            or could not start.
    """

    line = Signal(str)
    finished = Signal(int, str, str)

    def __init__(self, arguments: Sequence[str], parent: QObject) -> None:
        super().__init__(parent)
        self._out: list[str] = []
        self._part = ""
        self._done = False
        self._process = QProcess(self)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._kill)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._failed)
        self._process.start(sys.executable, ["-m", "pitwall", *arguments])

    @property
    def running(self) -> bool:
        return not self._done

    def cancel(self) -> None:
        """End it; what it wrote so far stays."""
        self._process.terminate()
        self._patience.start()

    def _kill(self) -> None:
        self._process.kill()

    def _read(self) -> None:
        self._part += bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace")
        *whole, self._part = self._part.split("\n")
        self._out += whole
        for line in whole:
            self.line.emit(line)

    def _finish(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._end(code if status is QProcess.ExitStatus.NormalExit else -1)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._end(-1)

    def _end(self, code: int) -> None:
        if self._done:
            return
        self._done = True
        self._patience.stop()
        if self._part:
            self.line.emit(self._part)
        errors = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
        output = "\n".join([*self._out, self._part]).strip("\n")
        self.finished.emit(code, output, errors.strip())
        self.deleteLater()
