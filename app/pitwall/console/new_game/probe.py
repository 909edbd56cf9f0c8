"""The window's end of the process that looks at a game being added (role `game-eyes`): lines both ways."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, QProcess, QTimer, Signal

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
        page(list): what a page keeps and shows: kind, expression, value.
        values(dict): name → value, unit, confidence, found. watched(done, total): seconds.
        kept(): the hotkey kept a picture.
        ended(PitwallError): it looks no more.
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
        """Look at the game of a draft: this window, or the page or program it names."""
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
        """Ask; the answer, an error's "what" and "fix" among them, goes to `then`."""
        if self._process is None:
            return
        self._last_id += 1
        if then is not None:
            self._asked[self._last_id] = then
        line = json.dumps({"ask": self._last_id, **question}, ensure_ascii=False) + "\n"
        self._process.write(line.encode())

    def hand_over(self, then: Callable[[], object], *, keep: bool) -> None:
        """Look no more, and go on once that has ended; `keep`: a game started for this is left as it is."""
        process = self._process
        self.ask({"keep": keep})
        self.close()
        if process is None or process.state() is QProcess.ProcessState.NotRunning:
            then()
        else:
            process.finished.connect(lambda *_: then())

    def close(self) -> None:
        """Look no more; a game that was started for this ends too."""
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
            self._ending = [one for one in self._ending if shiboken6.isValid(one)] + [process]
            QTimer.singleShot(_END_MS, process, process.kill)

    def shutdown(self) -> None:
        """As `close`, and wait for the end; for the end of the program."""
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
                self._take(json.loads(line))

    def _take(self, told: dict[str, Any]) -> None:
        if "ask" in told:
            then = self._asked.pop(int(told["ask"] or 0), None)
            if then is not None:
                then(told)
        elif "ring" in told:
            self._open_ring(str(told["ring"]))
        elif "size" in told:
            self.seen.emit(*told["size"])
        elif "page" in told:
            self.page.emit(told["page"])
        elif "values" in told:
            self.values.emit(told["values"])
        elif "watched" in told:
            self.watched.emit(float(told["watched"]), float(told["of"]))
        elif "kept" in told:
            self.kept.emit()
        elif "health" in told:
            self.health.emit(str(told["health"]))
        else:
            self._last = told

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
        said = self._last
        self.close()
        if "what" in said:
            self.ended.emit(PitwallError(str(said["what"]), str(said.get("fix", ""))))
        else:
            self.ended.emit(
                ChildDied("The process that looks at the game ended.", "Choose it again.", errors)
            )
