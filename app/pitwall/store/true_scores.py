"""The score of a run: the game's true score, kept beside the run log, or the score read from the screen.

The truth keeper writes `<data>/runs/<id>/score.jsonl`: a line each time that the score changed, at most once
a second: {"at_ns", "score", "best", "unit"}; the last line is the final score. The engine reads none of it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pitwall.core.bounded_reading import read_at_most
from pitwall.core.clock import NS_PER_S
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.core.runs import ScreenScore
from pitwall.store.strict_json import to_json

_BETWEEN_NS = NS_PER_S
_TAIL_BYTES = 1_024
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class TrueScore:
    """The score at a time, in nanoseconds since the run began, and the best of the run until then."""

    at_ns: int
    score: float
    best: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class RunScore:
    """A run's final score and its best.

    Attributes:
        true: it is the game's true score; else the state reader read it from the screen.
    """

    last: float
    best: float
    true: bool
    unit: str = ""


class ScoreTally:
    """Follows the score that steps read from the screen; of two readings in a row the lesser counts.

    Args:
        field: the field that holds the score; empty for none.
    """

    def __init__(self, field: str) -> None:
        self._field = field
        self._last: float | None = None
        self._best: float | None = None

    def add(self, fields: Mapping[str, Value]) -> None:
        """Take one step's fields."""
        read = fields.get(self._field)
        if isinstance(read, bool) or not isinstance(read, int | float) or not math.isfinite(read):
            return
        if self._last is not None:
            agreed = min(self._last, read)
            self._best = agreed if self._best is None else max(self._best, agreed)
        self._last = float(read)

    @property
    def score(self) -> ScreenScore | None:
        """Return the score so far; None where it was never read."""
        if self._last is None:
            return None
        best = max(self._last, self._last if self._best is None else self._best)
        return ScreenScore(field=self._field, last=self._last, best=best)


class TrueScoreLog:
    """Writes the scores of one run; the file is made with the first score."""

    def __init__(self, data: DataFolder, run_id: int, unit: str = "") -> None:
        self._file = data.true_scores(run_id)
        self._unit = unit
        self._file.unlink(missing_ok=True)
        self._written: TrueScore | None = None
        self._newest: TrueScore | None = None

    def add(self, score: float, at_ns: int) -> None:
        """Take a score, and write it unless a score was written less than a second ago."""
        best = max(score, self._newest.best) if self._newest is not None else score
        self._newest = TrueScore(at_ns, score, best, self._unit)
        if self._written is None or at_ns - self._written.at_ns >= _BETWEEN_NS:
            self.flush()

    def flush(self) -> None:
        """Write the newest score, unless it is written already."""
        new, old = self._newest, self._written
        if new is None or (old is not None and (new.score, new.best) == (old.score, old.best)):
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(to_json(asdict(new)) + "\n")
        self._written = new


def read_true_scores(data: DataFolder, run_id: int) -> list[TrueScore]:
    """Return every readable score of a run, in order."""
    return _scores(_end_of(data.true_scores(run_id), _MOST_BYTES))


def last_true_score(data: DataFolder, run_id: int) -> TrueScore | None:
    """Return the newest score of a run, from the end of its file; None where none was kept."""
    scores = _scores(_end_of(data.true_scores(run_id), _TAIL_BYTES))
    return scores[-1] if scores else None


def run_score(data: DataFolder, run_id: int, read: ScreenScore | None) -> RunScore | None:
    """Return a run's true score where it was kept, else the score read from the screen."""
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
    scores = []
    for line in content.splitlines():
        try:
            entry = json.loads(line)
            at_ns, unit = int(entry["at_ns"]), str(entry.get("unit", ""))
            score = TrueScore(at_ns, float(entry["score"]), float(entry["best"]), unit)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            continue  # a line that was cut off, at either end
        if math.isfinite(score.score) and math.isfinite(score.best):
            scores.append(score)
    return scores
