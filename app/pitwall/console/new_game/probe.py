"""Connects the window to the process that looks at a game being added (role `game-eyes`)."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from pitwall.core.bounded_reading import foreign_json
from pitwall.core.errors import ChildDied, PitwallError, ProtocolError
from pitwall.link.frame_ring import FrameRingReader

_LOOK_MS = 40
_END_MS = 4_000
"""How long its process may take to end what it started."""
ProbeAnswer = Callable[[dict[str, Any]], object]


class GameProbe(QObject):
    """Looks at one game at a time.

    Signals:
        frame(RingFrame): a new picture. seen(width, height): in view, or of another size. health(word).
        page(list): values and functions of a page: kind, expression, value.
        values(dict): name → value, unit, confidence, found. watched(done, total): seconds.
        kept(): the hotkey kept a picture.
        ended(PitwallError): the process ended.
    """

    frame = Signal(object)
    seen = Signal(int, int)
    page = Signal(object)
    health = Signal(str)
    values = Signal(object)
    watched = Signal(float, float)
    kept = Signal()
    ended = Signal(object)

    def __init__(self, data: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._process: QProcess | None = None
        self._ending: list[QProcess] = []
        self._ring: FrameRingReader | None = None
        self._part = b""
        self._asked: dict[int, ProbeAnswer] = {}
        self._last_id = 0
        self._last: dict[str, Any] = {}
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._show)

    @property
    def looking(self) -> bool:
        return self._process is not None

    @property
    def in_view(self) -> bool:
        return self._ring is not None

    def open(self, draft_file: Path, window_id: int | None) -> None:
        """Look at a draft's game: in this window, or the page or program that the draft names."""
        self.close()
        process = QProcess(self)
        arguments = ["game-eyes", "--draft", str(draft_file), "--data", str(self._data)]
        arguments += ["--window", hex(window_id)] if window_id is not None else []
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(lambda *_: self._gone(process))
        process.errorOccurred.connect(lambda *_: self._gone(process))
        self._process = process
        process.start(sys.executable, ["-m", "pitwall", *arguments])
        self._look.start()

    def ask(self, question: dict[str, Any], then: ProbeAnswer | None = None) -> None:
        """Send a question; its answer, or an error with "what" and "fix", goes to `then`."""
        if self._process is None:
            return
        self._last_id += 1
        if then is not None:
            self._asked[self._last_id] = then
        line = json.dumps({"ask": self._last_id, **question}) + "\n"
        self._process.write(line.encode())

    def hand_over(self, then: Callable[[], object], *, keep: bool) -> None:
        """Stop looking, then call `then`; with `keep` a game that was started for this goes on running."""
        process = self._process
        self.ask({"keep": keep})
        self.close()
        if process is None or process.state() is QProcess.ProcessState.NotRunning:
            then()
        else:
            process.finished.connect(lambda *_: then())

    def close(self) -> None:
        """Stop looking; a game that was started for this ends."""
        process, self._process = self._process, None
        self._look.stop()
        self._asked.clear()
        self._part, self._last = b"", {}
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        if process is not None:
            process.closeWriteChannel()
            process.finished.connect(process.deleteLater)
            self._ending = [child for child in self._ending if shiboken6.isValid(child)] + [process]
            QTimer.singleShot(_END_MS, process, process.kill)

    def shutdown(self) -> None:
        """Close, and wait for the process to end, because the program ends."""
        self.close()
        for process in self._ending:
            if shiboken6.isValid(process) and not process.waitForFinished(_END_MS):
                process.kill()
                process.waitForFinished(_END_MS)
        self._ending = []

    def _read(self) -> None:
        process = self._process
        if process is None:
            return
        *lines, self._part = (self._part + bytes(process.readAllStandardOutput().data())).split(b"\n")
        for line in filter(None, lines):
            with contextlib.suppress(ValueError):
                self._take(foreign_json(line))

    def _take(self, message: dict[str, Any]) -> None:
        if "ask" in message:
            then = self._asked.pop(int(message["ask"] or 0), None)
            if then is not None:
                then(message)
        elif "ring" in message:
            self._open_ring(str(message["ring"]))
        elif "size" in message:
            self.seen.emit(*message["size"])
        elif "page" in message:
            self.page.emit(message["page"])
        elif "values" in message:
            self.values.emit(message["values"])
        elif "watched" in message:
            self.watched.emit(float(message["watched"]), float(message["of"]))
        elif "kept" in message:
            self.kept.emit()
        elif "health" in message:
            self.health.emit(str(message["health"]))
        else:
            self._last = message

    def _open_ring(self, name: str) -> None:
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        with contextlib.suppress(ProtocolError):
            self._ring = FrameRingReader(name)

    def _show(self) -> None:
        frame = self._ring.newest() if self._ring is not None else None
        if frame is not None:
            self.frame.emit(frame)

    def _gone(self, process: QProcess) -> None:
        if process is not self._process:
            return
        self._read()
        errors = bytes(process.readAllStandardError().data()).decode("utf-8", "replace")
        last = self._last
        self.close()
        if "what" in last:
            self.ended.emit(PitwallError(str(last["what"]), str(last.get("fix", ""))))
        else:
            self.ended.emit(
                ChildDied("The process that looks at the game ended.", "Choose it again.", errors)
            )
