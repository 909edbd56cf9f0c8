"""Reads a whole run as columns over time, for a replay's timeline. Without OpenCV and Qt."""

from __future__ import annotations

import json
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.core.runs import SCREEN_SCORE
from pitwall.core.signals import WEIGHED, Route
from pitwall.core.steps import HOLDS, RunEvent
from pitwall.store.run_reader import RunReader, RunRow, events_in
from pitwall.store.schema import calls, steps
from pitwall.store.true_scores import read_true_scores

ROUTES = tuple(Route)
_ROUTE_AT = {route.value: at for at, route in enumerate(ROUTES)}
_PORTION = 20_000


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

    A run of ten hours with a step for each of its million frames takes some 50 MB.

    Attributes:
        signals: (n, signals) in the order of core.signals.WEIGHED. routes: (n,) indices into ROUTES.
        has_pictures: at least one step kept its picture; `step_picture` names it.
        halts: the events that paused the run or resumed it.
        score_at_s, scores: the score whenever it changed. true_score: it is the game's own, not read from
            the screen.
    """

    run: RunRow
    seconds: float
    at_s: NDArray[np.float64]
    steps: NDArray[np.int32]
    signals: NDArray[np.float32]
    routes: NDArray[np.int8]
    has_pictures: bool
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


def read_track(data: DataFolder, reader: RunReader, run_id: int, *, most: int = sys.maxsize) -> RunTrack:
    """Read a run's columns from one consistent state.

    Args:
        most: steps, spread evenly over the run; a longer run's others are left out.

    Raises:
        UnknownRun: there is no run with this id.
    """
    with reader.snapshot(run_id) as connection:
        run = reader.row_in(connection, run_id)
        columns = _step_columns(connection, run, most)
        asked = select(
            *(calls.c[name] for name in ("at_ns", "took_ms", "step", "tier", "purpose", "outcome"))
        )
        spans = connection.execute(asked.where(calls.c.run_id == run_id).order_by(calls.c.call)).all()
        happened = events_in(connection, run_id)
    true_scores = read_true_scores(data, run_id)
    if true_scores:
        score_at_s = np.array([score.at_ns / NS_PER_S for score in true_scores])
        scores = np.array([score.score for score in true_scores])
    else:
        score_at_s, scores = columns.score_at_s, columns.scores
    ends_s = [event.at_ns / NS_PER_S for event in happened[-1:]]
    last_s = max([run.summary.seconds, *columns.at_s[-1:].tolist(), *ends_s])
    return RunTrack(
        run=run,
        seconds=last_s,
        at_s=columns.at_s,
        steps=columns.steps,
        signals=columns.signals,
        routes=columns.routes,
        has_pictures=columns.has_pictures,
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


def step_picture(reader: RunReader, track: RunTrack, at_s: float) -> str:
    """Return the step image at a time, relative to the run's folder; else the first one; empty for none."""
    if not track.has_pictures:
        return ""
    run_id, row = track.run.run_id, max(0, track.row_at(at_s))
    kept = select(steps.c.frame_ref).where(steps.c.run_id == run_id, steps.c.frame_ref != "")
    shown = kept.where(steps.c.step <= int(track.steps[row])).order_by(steps.c.step.desc()).limit(1)
    with reader.snapshot(run_id) as connection:
        name = connection.execute(shown).scalar()
        return str(name or connection.execute(kept.order_by(steps.c.step).limit(1)).scalar() or "")


@dataclass(frozen=True, slots=True)
class _StepColumns:
    """Columns of a run's steps, as RunTrack has them."""

    at_s: NDArray[np.float64]
    steps: NDArray[np.int32]
    signals: NDArray[np.float32]
    routes: NDArray[np.int8]
    score_at_s: NDArray[np.float64]
    scores: NDArray[np.float64]
    has_pictures: bool


def _step_columns(connection: Connection, run: RunRow, most: int) -> _StepColumns:
    """Read the steps in portions: a million rows at once would take a gigabyte."""
    field = run.summary.score.field if run.summary.score is not None else SCREEN_SCORE
    score = '$."' + field.replace('"', "") + '"'
    rows_wanted = "FROM steps WHERE run_id = ?"
    given: list[Any] = [run.run_id]
    if most < run.summary.steps:
        rows_wanted += " AND step IN (SELECT value FROM json_each(?))"
        given.append(json.dumps(np.linspace(1, run.summary.steps, most).astype(int).tolist()))
    count = connection.exec_driver_sql(f"SELECT count(*) {rows_wanted}", tuple(given)).scalar_one()
    columns = _empty_columns(count)
    # The driver's own rows: the library's would double the time.
    cursor: Any = connection.connection.cursor()
    cursor.execute(
        f"SELECT at_ns, step, route, {', '.join(WEIGHED)}, frame_ref != '', json_extract(fields, ?)"
        f" {rows_wanted} ORDER BY step",
        (score, *given),
    )
    at, has_pictures = 0, False
    while rows := cursor.fetchmany(_PORTION):
        for column, part in zip(columns, _portion(rows), strict=True):
            column[at : at + len(rows)] = part
        at += len(rows)
        has_pictures = has_pictures or any(row[-2] for row in rows)
    cursor.close()
    at_s, numbers, signals, routes, scores = columns
    read = np.isfinite(scores)
    at_reading, scores = at_s[read], scores[read]
    changed = np.ones(len(scores), bool)
    changed[1:] = scores[1:] != scores[:-1]
    return _StepColumns(at_s, numbers, signals, routes, at_reading[changed], scores[changed], has_pictures)


def _empty_columns(count: int) -> tuple[NDArray[Any], ...]:
    """Return room for so many steps, in the order of `_portion`."""
    return (
        np.empty(count, np.float64),
        np.empty(count, np.int32),
        np.empty((count, len(WEIGHED)), np.float32),
        np.empty(count, np.int8),
        np.empty(count, np.float64),
    )


def _portion(rows: Sequence[Any]) -> tuple[NDArray[Any], ...]:
    """Return some steps as columns: time, number, signals, route, score; without a score: not a number."""
    scores = [row[-1] if isinstance(row[-1], int | float) else np.nan for row in rows]
    return (
        np.array([row[0] for row in rows], np.float64) / NS_PER_S,
        np.array([row[1] for row in rows], np.int32),
        np.array([row[3:-2] for row in rows], np.float32).reshape(len(rows), len(WEIGHED)),
        np.array([_ROUTE_AT[row[2]] for row in rows], np.int8),
        np.array(scores, np.float64),
    )
