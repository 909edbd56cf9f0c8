"""Reads a whole run as columns over time, for a replay's timeline. Without OpenCV and Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select

from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.core.runs import SCREEN_SCORE
from pitwall.core.signals import WEIGHED, Route
from pitwall.core.steps import HOLDS, RunEvent
from pitwall.store.run_reader import RunReader, RunRow, events_in
from pitwall.store.schema import calls, steps
from pitwall.store.true_scores import read_true_scores

ROUTES = tuple(Route)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSpan:
    """The place of a model call in a run: its time, its duration, its step."""

    at_s: float
    took_s: float
    step: int
    tier: str
    purpose: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTrack:
    """A run over its time, in seconds since it began; columns of n steps in order.

    Attributes:
        signals: (n, signals) in the order of core.signals.WEIGHED. routes: (n,) indices into ROUTES.
        frame_refs: each step's picture, relative to the run's folder; empty where none was kept.
        halts: the events that paused the run or resumed it.
        score_at_s, scores: each reading of the score. true_score: it is the game's own, not read from the
            screen.
    """

    run: RunRow
    seconds: float
    at_s: NDArray[np.float64]
    steps: NDArray[np.int64]
    signals: NDArray[np.float32]
    routes: NDArray[np.int8]
    frame_refs: Sequence[str]
    score_at_s: NDArray[np.float64]
    scores: NDArray[np.float64]
    true_score: bool
    calls: Sequence[CallSpan]
    events: Sequence[RunEvent]
    halts: Sequence[RunEvent]

    @property
    def is_playing(self) -> bool:
        """Return whether the run was still being recorded when it was read."""
        return self.run.summary.outcome == "playing"

    def row_at(self, at_s: float) -> int:
        """Return the row of the newest step that had begun by then; −1 before the first."""
        return bisect_right(self.at_s, at_s) - 1

    def picture_name(self, at_s: float) -> str:
        """Return the step image at that time, relative to the run's folder; else the first one."""
        row = max(0, self.row_at(at_s))
        earlier = next((name for name in reversed(self.frame_refs[: row + 1]) if name), "")
        return earlier or next((name for name in self.frame_refs[row:] if name), "")

    def held_back_at(self, at_s: float) -> RunEvent | None:
        """Return the event that pauses the run at that time; None while it plays."""
        row = bisect_right(self.halts, at_s, key=lambda event: event.at_ns / NS_PER_S) - 1
        return self.halts[row] if row >= 0 and self.halts[row].kind in HOLDS else None

    @property
    def ends_s(self) -> NDArray[np.float64]:
        """Return the end of each of the n steps: the next step, a pause, or the end of the run."""
        holds = np.array([halt.at_ns / NS_PER_S for halt in self.halts if halt.kind in HOLDS] + [np.inf])
        ends: NDArray[np.float64] = np.append(self.at_s[1:], self.seconds)[: len(self.at_s)]
        np.minimum(ends, holds[np.searchsorted(holds, self.at_s)], out=ends)
        return ends

    def score_at(self, at_s: float) -> float | None:
        """Return the score at that time; None before its first reading."""
        row = bisect_right(self.score_at_s, at_s) - 1
        return float(self.scores[row]) if row >= 0 else None


def read_track(data: DataFolder, reader: RunReader, run_id: int) -> RunTrack:
    """Read a run's columns from one consistent state.

    Raises:
        UnknownRun: there is no run with this id.
    """
    with reader.snapshot(run_id) as connection:
        run = reader.row_in(connection, run_id)
        field = run.summary.score.field if run.summary.score is not None else SCREEN_SCORE
        score = func.json_extract(steps.c.fields, '$."' + field.replace('"', "") + '"')
        wanted = [steps.c[name] for name in ("at_ns", "step", "route", "frame_ref", *WEIGHED)]
        of_run = select(*wanted, score).where(steps.c.run_id == run_id).order_by(steps.c.step)
        rows = connection.execute(of_run).all()
        asked = select(
            *(calls.c[name] for name in ("at_ns", "took_ms", "step", "tier", "purpose", "outcome"))
        )
        spans = connection.execute(asked.where(calls.c.run_id == run_id).order_by(calls.c.call)).all()
        happened = events_in(connection, run_id)
    at_s = np.array([row[0] for row in rows], np.float64) / NS_PER_S
    true_scores = read_true_scores(data, run_id)
    if true_scores:
        score_at_s = np.array([score.at_ns / NS_PER_S for score in true_scores])
        scores = np.array([score.score for score in true_scores])
    else:
        numbers = [row[-1] if isinstance(row[-1], int | float) else np.nan for row in rows]
        scores = np.array(numbers, np.float64).reshape(len(rows))
        score_at_s, scores = at_s[np.isfinite(scores)], scores[np.isfinite(scores)]
    ends_s = [event.at_ns / NS_PER_S for event in happened[-1:]]
    last_s = max([run.summary.seconds, *at_s[-1:].tolist(), *ends_s])
    return RunTrack(
        run=run,
        seconds=last_s,
        at_s=at_s,
        steps=np.array([row[1] for row in rows], np.int64),
        signals=np.array([row[4:-1] for row in rows], np.float32).reshape(len(rows), len(WEIGHED)),
        routes=np.array([ROUTES.index(Route(row[2])) for row in rows], np.int8),
        frame_refs=[row[3] for row in rows],
        score_at_s=score_at_s,
        scores=scores,
        true_score=bool(true_scores),
        calls=[
            CallSpan(
                at_s=row[0] / NS_PER_S,
                took_s=(row[1] or 0.0) * NS_PER_MS / NS_PER_S,
                step=row[2],
                tier=row[3],
                purpose=row[4],
                outcome=row[5],
            )
            for row in spans
        ],
        events=happened,
        halts=[event for event in happened if event.kind in (*HOLDS, "resumed")],
    )
