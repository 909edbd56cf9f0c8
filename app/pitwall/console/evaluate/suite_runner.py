"""Runs the `pitwall suite` commands of the Evaluate page; suites that play outlive the window."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.console.kit.command_queue import CommandQueue
from pitwall.console.kit.notification import Notification
from pitwall.core.paths import DataFolder
from pitwall.suites.catalogue import SuiteRun
from pitwall.suites.folder import SuiteFolder

_LOOK_MS = 400
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(slots=True)
class StartedSuite:
    """A suite that was just begun, until its folder says how it goes.

    Attributes:
        process: plays it. said: what it printed, in a file. newer_than: of its board, to be believed.
    """

    key: str
    process: subprocess.Popen[bytes]
    said: Path
    newer_than: float


class SuiteRunner(QObject):
    """Begins, stops, resumes and reports.

    Signals:
        notified(notification): a `Notification`. busy(text): something is being done. changed(): read again.
        gave_up(key): a suite ended before it began. wrote(files): a report's files.
    """

    notified = Signal(object)
    busy = Signal(str)
    changed = Signal()
    gave_up = Signal(str)
    wrote = Signal(object)

    def __init__(self, data: DataFolder, parent: QObject) -> None:
        super().__init__(parent)
        self._data = data
        self.queue = CommandQueue(self)
        self.queue.notified.connect(self.notified)
        self.queue.busy.connect(self.busy)
        self.queue.changed.connect(self.changed)
        self.starting: dict[str, StartedSuite] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._look_after)

    def close(self) -> None:
        """Look no more; suites that play go on."""
        self._look.stop()
        self.queue.close()

    # ---- deeds

    def start(self, file: Path, name: str, *, keep_frames: bool) -> str:
        """Begin a suite anew, beside what was run before.

        Returns:
            The name of its folder; empty where its process could not be started.
        """
        key = self.free_key(name)
        begins = self._begin(key, file, ["--keep-frames"] if keep_frames else [])
        return key if begins else ""

    def resume(self, run: SuiteRun, *, failed_again: bool = False) -> None:
        """Play what is missing; `failed_again`: also what could not be played."""
        folder = SuiteFolder(self._data, run.key)
        begun = folder.begun()
        by_path = any(wanted != game for game, wanted in begun.wanted.items())
        file = Path(begun.file) if by_path and Path(begun.file).is_file() else run.folder / "suite.yaml"
        pictures = any((run.folder / "sessions").glob("*/runs/*/frames"))
        more = (["--failed-again"] if failed_again else []) + (["--keep-frames"] if pictures else [])
        self._begin(run.key, file, more)

    def cancel(self, run: SuiteRun) -> None:
        """End what plays now; what finished is kept."""
        self.queue.do(
            ["suite", "stop", run.key, "--data", str(self._data.root)],
            doing=f"Ending the sessions of {run.name} …",
            answered=lambda answer: self._stopped(run.name, answer),
        )

    def report(
        self, run: SuiteRun, formats: Sequence[str], against: str = "", out: Path | None = None
    ) -> None:
        """Write a report."""
        words = ["suite", "report", run.key, "--data", str(self._data.root)]
        for one in formats:
            words += ["--format", one]
        words += ["--against", against] if against else []
        words += ["--out", str(out)] if out is not None else []
        self.queue.do(
            words,
            doing=f"Writing the report of {run.name} …",
            answered=lambda answer: self.wrote.emit(_files(answer)),
        )

    def free_key(self, name: str) -> str:
        """A name for a suite's folder that none has yet."""
        plain = _NOT_IN_IDS.sub("-", name).strip("-.") or "suite"
        key, number = plain, 1
        while (self._data.suites / key).exists() or key in self.starting:
            number += 1
            key = f"{plain}-{number}"
        return key

    # ---- a suite in a process of its own

    def _begin(self, key: str, file: Path, more: Sequence[str]) -> bool:
        self._data.logs.mkdir(parents=True, exist_ok=True)
        said = self._data.logs / f"suite-{key}.log"
        where = ("--data", str(self._data.root))
        words = [
            sys.executable,
            "-m",
            "pitwall",
            "suite",
            "run",
            str(file),
            "--as",
            key,
            *more,
            "--json",
            *where,
        ]
        try:
            with said.open("wb") as out:
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # it outlives the window
                )
        except OSError as error:
            self.notified.emit(
                Notification(f"The suite's process could not be started: {error.strerror}.", done=False)
            )
            return False
        self._processes.append(process)
        self.starting[key] = StartedSuite(key, process, said, time.time())
        self._look.start()
        self.busy.emit(f"Beginning {key} …")
        return True

    def _look_after(self) -> None:
        """Until its folder speaks, or its process ends without one."""
        for key, one in list(self.starting.items()):
            board = SuiteFolder(self._data, key).board()
            if board is not None and board.at >= one.newer_than - 1:
                self._rests(key)
                continue
            if one.process.poll() is not None:
                self._rests(key)
                self.gave_up.emit(key)
                self.notified.emit(Notification(_last_words(one.said), done=False))
        self._processes = [one for one in self._processes if one.poll() is None]
        if not self._processes:
            self._look.stop()

    def _rests(self, key: str) -> None:
        del self.starting[key]
        self.busy.emit("")
        self.changed.emit()

    def _stopped(self, name: str, answer: Any) -> None:
        stopped = isinstance(answer, dict) and answer.get("stopped")
        text = f"{name} is stopped; finished runs are kept." if stopped else f"{name} is told to stop."
        self.notified.emit(Notification(text))


def _files(answer: Any) -> list[Path]:
    found = answer.get("files", []) if isinstance(answer, dict) else []
    return [Path(str(one)) for one in found]


def _last_words(said: Path) -> str:
    """Read the reason why a suite did not begin out of what it printed."""
    try:
        lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    for line in reversed(lines):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and "what" in value:
            return " ".join(filter(None, (str(value["what"]).strip(), str(value.get("fix", "")))))
    words = lines[-1] if lines and not lines[-1].startswith("{") else ""
    return f"The suite ended before it began. {words}".strip()
