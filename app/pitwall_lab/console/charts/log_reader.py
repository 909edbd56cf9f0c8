"""Follows the logs of trainings in a thread while they grow.

A log that is missing, cut off, rewritten or damaged is reported in a sentence; its readable part is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import clock, counted
from pitwall.gsm.version_record import VersionRecord
from pitwall_lab.console.charts.series import Columns, Curves, Evaluations, curves_of, evaluations_of
from pitwall_lab.console.format import version_title
from pitwall_lab.training_log import LOG, State, TrainingLog

LIVE_MS, QUIET_MS = 330, 2_000
"""Time between two checks of the files, during a training and otherwise."""
_PIECE_BYTES, _PIECES = 256 << 10, 12
"""A log is read in pieces of this size, and shown after so many pieces."""
_LATE_S = 30.0
"""Seconds of training over which the pace is measured."""
_TAIL = 256
"""Bytes kept from before the reading position; if they change, the file was rewritten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """A version's training as far as it was read.

    Attributes:
        log: its file, evaluations and state. The points of a followed log are only in `curves`: a hundred
            thousand kept objects would stop the window for every garbage collection.
        colour: index of its colour and shape. label: its name in charts.
        curves, evaluations, state: a snapshot of the log's content; later points do not change it.
        fault: a sentence about a fault of the log; empty without one.
    """

    about: VersionRecord
    log: TrainingLog
    colour: int = 0
    label: str = ""
    curves: Curves = field(default_factory=Curves)
    evaluations: Evaluations = field(default_factory=Evaluations)
    state: State | None = None
    fault: str = ""

    @classmethod
    def of(cls, about: VersionRecord, log: TrainingLog, colour: int = 0, label: str = "") -> TrainingRun:
        """Make a run from a log that was read before."""
        return cls(
            about=about,
            log=log,
            colour=colour,
            label=label or about.version,
            curves=curves_of(log.points),
            evaluations=evaluations_of(log.evaluations),
            state=log.state,
        )

    @property
    def version(self) -> str:
        return self.about.version

    @property
    def step(self) -> int:
        """Return its last step so far."""
        known = int(self.curves.column("step")[-1]) if self.curves.count else 0
        return max(known, self.state.step if self.state is not None else 0)

    @property
    def steps(self) -> int:
        """Return the planned number of steps; 0 if unknown."""
        if self.state is not None and self.state.steps:
            return self.state.steps
        return self.about.recipe.steps if self.about.recipe is not None else 0

    @property
    def share_done(self) -> float:
        """Return the share of its steps that are done, 0 … 1; 0 if their number is unknown."""
        return min(1.0, self.step / self.steps) if self.steps else 0.0

    @property
    def pace(self) -> float:
        """Return the recent decisions per second, over all environments; NaN before the second point."""
        step, wall_s = self.curves.column("step"), self.curves.column("wall_s")
        if len(step) < 2:
            return math.nan
        first = min(int(np.searchsorted(wall_s, wall_s[-1] - _LATE_S)), len(step) - 2)
        seconds = float(wall_s[-1] - wall_s[first])
        return float(step[-1] - step[first]) / seconds if seconds > 0 else math.nan

    @property
    def sentence(self) -> str:
        """Describe the progress: "212,400 of 300,000 steps, 914 decisions/s, 1:35 left", or why it ended."""
        done = f"{self.step:,} of {self.steps:,} steps" if self.steps else f"{self.step:,} steps"
        if self.state is None:
            return done if self.curves.count else "no training yet"
        if self.state.state != "running":
            return f"{self.state.state} at {done}{f': {self.state.why}' if self.state.why else ''}"
        words, pace = [done], self.pace
        if math.isfinite(pace):
            words.append(f"{pace:,.0f} decisions/s")
        if pace > 0 and self.steps:
            words.append(f"{clock(max(0, self.steps - self.step) / pace)} left")
        return ", ".join(words)

    @property
    def live(self) -> bool:
        """Return whether its log says that it is running or paused."""
        return self.state is not None and self.state.state in ("running", "paused")


@dataclass(slots=True)
class _File:
    """A log and what was last seen of its file; only the reading thread uses it after its creation."""

    log: TrainingLog
    columns: Columns = field(default_factory=Columns)
    seen: tuple[int, int, int] | None = None
    tail: bytes = b""
    fault: str = "not read yet"


@dataclass(frozen=True, slots=True)
class _Read:
    log: TrainingLog
    curves: Curves
    evaluations: Evaluations
    state: State | None
    fault: str
    more: bool = False


class TrainingLogReader(QObject):
    """Follows the logs of chosen versions.

    Signals:
        changed(version): `run(version)` has changed.
    """

    changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._aside = BackgroundWorker("lab", self)
        self._files: dict[str, _File] = {}
        self._runs: dict[str, TrainingRun] = {}
        self._asked: set[str] = set()
        self._timer = QTimer(self, interval=QUIET_MS)
        self._timer.timeout.connect(self.look)

    def follow(self, chosen: Sequence[tuple[VersionRecord, Path]]) -> None:
        """Follow these versions and no others; versions already followed keep what was read.

        Args:
            chosen: each version with the folder of its training.jsonl; its place is its colour.
        """
        files, runs = self._files, self._runs
        self._files, self._runs = {}, {}
        for at, (about, folder) in enumerate(chosen):
            version, path = about.version, folder / LOG
            file = files.get(version)
            if file is not None and file.log.file == path:
                run = runs[version]
            else:
                file = _File(TrainingLog(path))
                run = TrainingRun(about=about, log=file.log)
            self._files[version] = file
            self._runs[version] = replace(run, about=about, colour=at, label=version_title(about))
        if chosen:
            self._timer.start()
            self.look()
        else:
            self._timer.stop()

    def run(self, version: str) -> TrainingRun | None:
        """Return a followed version's run as far as it was read; None if it is not followed."""
        return self._runs.get(version)

    def runs(self) -> list[TrainingRun]:
        """List the runs in the order in which they were chosen."""
        return list(self._runs.values())

    def look(self) -> None:
        """Check the files now, except those that are being read."""
        for version, file in self._files.items():
            self._ask(version, file)

    def close(self) -> None:
        """Stop reading."""
        self._timer.stop()
        self._aside.close()

    def _ask(self, version: str, file: _File) -> None:
        if version not in self._asked and self._files.get(version) is file:
            self._asked.add(version)
            self._aside.ask(partial(_read, file), partial(self._take, version, file))

    def _take(self, version: str, file: _File, read: _Read | None) -> None:
        self._asked.discard(version)
        current = self._files.get(version)
        if current is not file:  # other versions were chosen meanwhile
            if current is not None:
                self._ask(version, current)
            return
        if read is not None:
            self._runs[version] = replace(
                self._runs[version],
                log=read.log,
                curves=read.curves,
                evaluations=read.evaluations,
                state=read.state,
                fault=read.fault,
            )
        pace = LIVE_MS if any(run.live for run in self._runs.values()) else QUIET_MS
        if self._timer.interval() != pace:
            self._timer.setInterval(pace)
        if read is not None:
            self.changed.emit(version)
            if read.more:
                self._ask(version, file)


def _read(file: _File) -> _Read | None:
    """Read what is new in a file, in the reading thread; None if nothing is."""
    path, more = file.log.file, False
    try:
        status = path.stat()
        seen = (status.st_ino, status.st_size, status.st_mtime_ns)
        if seen == file.seen:
            return None
        if _rewritten(file, status.st_ino):
            file.log, file.columns = TrainingLog(path), Columns()
        more = _take_in(file)
        file.tail = _tail(path, file.log.read_to)
        fault = _damage(file.log)
    except FileNotFoundError:
        seen, fault = (0, 0, 0), f"{path.name} is gone." if file.log.read_to else ""
    except OSError as error:
        seen, fault = (0, 0, 1), f"{path} cannot be read: {error.strerror}."
    except PitwallError as error:
        seen, fault = (0, 0, 1), str(error)
    if seen == file.seen and fault == file.fault:
        return None
    file.seen, file.fault = None if more else seen, fault
    log = file.log
    return _Read(log, file.columns.curves(), evaluations_of(log.evaluations), log.state, fault, more)


def _take_in(file: _File) -> bool:
    """Read some pieces; return whether there may be more."""
    for _ in range(_PIECES):
        if not file.log.follow(_PIECE_BYTES):
            return False
        file.columns.take(file.log.points)
        file.log.points.clear()
    return True


def _rewritten(file: _File, inode: int) -> bool:
    if file.log.read_to == 0:
        return False
    if file.seen is not None and file.seen[0] not in (0, inode):
        return True
    return _tail(file.log.file, file.log.read_to) != file.tail


def _tail(path: Path, end: int) -> bytes:
    with path.open("rb") as log:
        log.seek(max(0, end - _TAIL))
        return log.read(min(_TAIL, end))


def _damage(log: TrainingLog) -> str:
    if not log.damaged:
        return ""
    verb = "is" if log.damaged == 1 else "are"
    return f"{counted(log.damaged, 'line')} of {log.file.name} cannot be read and {verb} left out."
