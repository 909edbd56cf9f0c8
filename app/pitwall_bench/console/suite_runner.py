"""Runs the `pitwall suite` commands of the Evaluate page; running suites outlive the window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pitwall.console.kit.notification import Notification
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall_bench.suites.catalogue import SuiteRun
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_evaluation.console.command_queue import CommandQueue

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")


class SuiteRunner(CommandQueue):
    """Starts, stops, resumes and reports suites, one command at a time.

    Signals:
        gave_up(key): a suite ended before it began.

    Attributes:
        starting: suites that were just started, until their folders report.
    """

    gave_up = Signal(str)

    def __init__(self, data: DataFolder, parent: QObject) -> None:
        super().__init__(parent)
        self._data = data
        self.starting: set[str] = set()

    def start(self, file: Path, name: str, *, keep_frames: bool) -> str:
        """Start a suite beside earlier runs of it; return the name of its folder."""
        key = self.free_key(name)
        self._begin(key, file, ["--keep-frames"] if keep_frames else [])
        return key

    def resume(self, run: SuiteRun, *, failed_again: bool = False) -> None:
        """Play what is missing; `failed_again`: also what could not be played."""
        folder = SuiteFolder(self._data, run.key)
        begun = folder.begun()
        if begun.command:
            text = f"{run.name} is a study that a command plays. Go on with it: {begun.command}"
            self.notified.emit(Notification(text, done=False))
            return
        by_path = any(wanted != game for game, wanted in begun.wanted.items())
        file = Path(begun.file) if by_path and Path(begun.file).is_file() else run.folder / "suite.yaml"
        pictures = any((run.folder / "sessions").glob("*/runs/*/frames"))
        more = (["--failed-again"] if failed_again else []) + (["--keep-frames"] if pictures else [])
        self._begin(run.key, file, more)

    def cancel(self, run: SuiteRun) -> None:
        """Stop the running suite; finished runs are kept."""

        def stopped(answer: Any) -> None:
            message = "is stopped; finished runs are kept" if answer.get("stopped") else "is asked to stop"
            self.notified.emit(Notification(f"{run.name} {message}."))

        self._do(["stop", run.key], f"Ending the sessions of {run.name} …", stopped)

    def report(self, run: SuiteRun, kind: str, against: str = "") -> None:
        """Write a report in one of the formats of `pitwall suite report`."""

        def wrote(answer: Any) -> None:
            files = [Path(name) for name in answer["files"]]
            names = ", ".join(file.name for file in files)
            self.notified.emit(Notification(f"Wrote {names} in {files[0].parent}", files=files))

        words = ["report", run.key, "--format", kind, *(["--against", against] if against else [])]
        self._do(words, f"Writing the report of {run.name} …", wrote)

    def free_key(self, name: str) -> str:
        """Return an unused name for a suite's folder."""
        plain = _NOT_IN_IDS.sub("-", name).strip("-.") or "suite"
        key, number = plain, 1
        while (self._data.suites / key).exists() or key in self.starting:
            number += 1
            key = f"{plain}-{number}"
        return key

    # ---- inside

    def _begin(self, key: str, file: Path, more: Sequence[str]) -> None:
        def refused(error: PitwallError) -> None:
            self.starting.discard(key)
            self.gave_up.emit(key)
            self.notified.emit(Notification.of_error(error))

        self.starting.add(key)
        words = ["run", str(file), "--as", key, *more, "--detach"]
        self._do(words, f"Beginning {key} …", lambda _: self.starting.discard(key), refused)

    def _do(self, words: Sequence[str], doing: str, answered: Any, refused: Any = None) -> None:
        words = ["suite", *words, "--data", str(self._data.root)]
        self.do(words, doing=doing, answered=answered, refused=refused)
