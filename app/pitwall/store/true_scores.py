"""The true score of a run beside its run log: written by the truth keeper, read by those who show it.

`<data>/runs/<id>/score.jsonl`, a line each time that the score changed, at most once a second:
{"at_ns", "score", "best", "unit"}; the last line is how the run ended. The engine reads none of it.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from pitwall.core.bounded_reading import read_at_most
from pitwall.core.clock import NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.core.runs import ScreenScore

_BETWEEN_NS = NS_PER_S
_TAIL_BYTES = 1_024
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class TrueScore:
    """Tells the score at a time, nanoseconds since the run began, and the best of the run until then."""

    at_ns: int
    score: float
    best: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class RunScore:
    """Tells a run's score: how it ended, and its best.

    Attributes:
        true: by the game's own word; else as the state reader read it off the screen.
    """

    last: float
    best: float
    true: bool
    unit: str = ""


class TrueScoreLog:
    """Writes the scores of one run; the file is made with the first."""

    def __init__(self, data: DataFolder, run_id: int, unit: str = "") -> None:
        self._file = data.true_scores(run_id)
        self._unit = unit
        self._file.unlink(missing_ok=True)
        self._written: TrueScore | None = None
        self._newest: TrueScore | None = None

    def add(self, score: float, at_ns: int) -> None:
        """Take a score; what changes more often than once a second is written once a second."""
        best = max(score, self._newest.best) if self._newest is not None else score
        self._newest = TrueScore(at_ns, score, best, self._unit)
        if self._written is None or at_ns - self._written.at_ns >= _BETWEEN_NS:
            self.flush()

    def flush(self) -> None:
        """Write the newest score, unless it stands there already."""
        new, old = self._newest, self._written
        if new is None or (old is not None and (new.score, new.best) == (old.score, old.best)):
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(new), separators=(",", ":")) + "\n")
        self._written = new


def read_true_scores(data: DataFolder, run_id: int) -> list[TrueScore]:
    """Every score of a run in order, as far as the file can be read; none where none was kept."""
    return _scores(_end_of(data.true_scores(run_id), _MOST_BYTES))


def last_true_score(data: DataFolder, run_id: int) -> TrueScore | None:
    """The newest score of a run, from the end of its file; None where none was kept."""
    found = _scores(_end_of(data.true_scores(run_id), _TAIL_BYTES))
    return found[-1] if found else None


def run_score(data: DataFolder, run_id: int, read: ScreenScore | None) -> RunScore | None:
    """A run's score: the true one where it was kept, else what was read off the screen."""
    true = last_true_score(data, run_id)
    if true is not None:
        return RunScore(true.score, true.best, True, true.unit)
    return None if read is None else RunScore(read.last, read.best, False, read.unit)


def _end_of(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as lines:
            lines.seek(max(0, lines.seek(0, os.SEEK_END) - most))
            return read_at_most(lines, most)
    except OSError:
        return b""


def _scores(content: bytes) -> list[TrueScore]:
    found = []
    for line in content.splitlines():
        try:
            told = json.loads(line)
            one = TrueScore(
                int(told["at_ns"]), float(told["score"]), float(told["best"]), str(told.get("unit", ""))
            )
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            continue  # a line that was cut off, at either end
        if math.isfinite(one.score) and math.isfinite(one.best):
            found.append(one)
    return found
