"""Reads the run log for the console, the commands and the exporters."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, String, and_, cast, func, or_, select

from pitwall.core.bounded_reading import valid_text
from pitwall.core.calls import CallRecord
from pitwall.core.errors import UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Prompt
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import Episode, RunManifest, RunOutcome, RunSummary
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord
from pitwall.store import call_records, records
from pitwall.store.database import reader_engine
from pitwall.store.database_errors import DamagedRow, named_faults, reads_row
from pitwall.store.lease import FileLock, holder_of, write_lock_file
from pitwall.store.migrations import REVISIONS, check_known, current_revision, signals_without_column
from pitwall.store.preparation import migrate
from pitwall.store.run_metrics import CALL_COLUMNS, COLUMNS, summarise
from pitwall.store.schema import calls, episodes, events, reflexes, retrievals, runs, steps, summaries, texts
from pitwall.store.true_scores import RunScore, run_score

_log = logging.getLogger(__name__)
_NEAR_IDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run in the list of runs.

    Attributes:
        summary: as committed when the run finished; else computed from its committed steps.
        finished: a summary was committed. score: None where neither game nor screen gave one.
    """

    run_id: int
    manifest: RunManifest
    summary: RunSummary
    finished: bool
    score: RunScore | None = None


class RunReader:
    """Reads while another process writes. Every call sees the newest consistent state.

    A data folder without a run log counts as an empty log. Closing is not needed: no file stays open. Methods
    that take a run's id raise UnknownRun, which names the nearest runs, if there is no such run.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._path = data.database
        self._lock_file = write_lock_file(data)
        self._engine = reader_engine(self._path)
        self._checked = False

    @classmethod
    def open(cls, data: DataFolder) -> RunReader:
        """Open a log, and raise faults of the file at once.

        Raises:
            DataFolderError: it cannot be read, or a newer Pitwall wrote it.
            CorruptDatabase: it is damaged.
        """
        reader = cls(data)
        reader.count()
        return reader

    def close(self) -> None:
        """Release what the engine holds."""
        self._engine.dispose()

    def runs(self, limit: int = 100, offset: int = 0, search: str = "", game_id: str = "") -> list[RunRow]:
        """Return runs, newest first; a run that cannot be read is left out, with a warning.

        Args:
            search: words that must all occur in id, game, role, planner, time or outcome; any case.
            game_id: only this game's; empty: all games'.
        """
        wanted = (
            _runs()
            .where(_matches(search, game_id))
            .order_by(runs.c.run_id.desc())
            .limit(limit)
            .offset(offset)
        )
        with self._reading() as connection:
            if connection is None:
                return []
            rows = []
            for row in connection.execute(wanted).mappings().all():
                try:
                    rows.append(self._run_row(connection, row))
                except DamagedRow as error:  # an unreadable run must not hide the others
                    _log.warning("%s: run %s is left out: %s", self._path, row["run_id"], error)
            return rows

    def games(self) -> dict[str, str]:
        """Return the games that were played, id → name as of the last run."""
        newest = select(func.max(runs.c.run_id)).group_by(runs.c.game_id)
        with self._reading() as connection:
            if connection is None:
                return {}
            rows = connection.execute(
                select(runs.c.game_id, runs.c.game_name).where(runs.c.run_id.in_(newest))
            )
            return {str(game_id): str(name) for game_id, name in rows}

    def count(self, search: str = "", game_id: str = "") -> int:
        """Return the number of runs that match."""
        joined = runs.outerjoin(summaries, summaries.c.run_id == runs.c.run_id)
        with self._reading() as connection:
            if connection is None:
                return 0
            wanted = select(func.count()).select_from(joined).where(_matches(search, game_id))
            return int(connection.execute(wanted).scalar_one())

    def run(self, run_id: int) -> RunRow:
        """Return one run."""
        with self.snapshot(run_id) as connection:
            return self.row_in(connection, run_id)

    def steps(self, run_id: int, start: int = 1, limit: int | None = None) -> list[StepRecord]:
        """Return the steps in order, from number `start` on."""
        wanted = select(steps).where(steps.c.run_id == run_id, steps.c.step >= start)
        with self.snapshot(run_id) as connection:
            rows = connection.execute(wanted.order_by(steps.c.step).limit(limit)).mappings()
            return [records.step_of(row) for row in rows]

    def step(self, run_id: int, step: int) -> StepRecord:
        """Return one step.

        Raises:
            UnknownRun: there is no such run, or it has no such step.
        """
        steps_from = self.steps(run_id, step, 1)
        if not steps_from or steps_from[0].step != step:
            with self.snapshot(run_id) as connection:
                last = connection.execute(
                    select(func.max(steps.c.step)).where(steps.c.run_id == run_id)
                ).scalar()
            has = f"it has steps 1 to {last}" if last else "it has none yet"
            raise UnknownRun(f"run {run_id} has no step {step}: {has}.")
        return steps_from[0]

    def events(self, run_id: int) -> list[RunEvent]:
        """Return the events between or beside the steps, in order of time."""
        with self.snapshot(run_id) as connection:
            return events_in(connection, run_id)

    def event_count(self, run_id: int) -> int:
        """Return the number of events of a run."""
        wanted = select(func.count()).select_from(events).where(events.c.run_id == run_id)
        with self.snapshot(run_id) as connection:
            return int(connection.execute(wanted).scalar_one())

    def calls(self, run_id: int, step: int | None = None) -> list[CallRecord]:
        """Return model calls in the order they were asked: of the run, or only of one step."""
        wanted = select(calls).where(calls.c.run_id == run_id).order_by(calls.c.call)
        if step is not None:
            wanted = wanted.where(calls.c.step == step)
        with self.snapshot(run_id) as connection:
            return [call_records.call_of(row) for row in connection.execute(wanted).mappings()]

    def calls_by_step(self, run_id: int) -> dict[int, int]:
        """Return the number of calls by step, in order; only of steps that have calls."""
        wanted = select(calls.c.step, func.count()).where(calls.c.run_id == run_id)
        with self.snapshot(run_id) as connection:
            rows = connection.execute(wanted.group_by(calls.c.step).order_by(calls.c.step))
            return {step: count for step, count in rows}

    def prompt(self, content_hash: str) -> Prompt | None:
        """Return the prompt with this hash; None where none is kept."""
        text = self._text(content_hash, "prompt")
        return None if text is None else call_records.prompt_of(text)

    def text(self, content_hash: str) -> str | None:
        """Return the grammar with this hash; None where none is kept."""
        return self._text(content_hash, "grammar")

    def retrieval(self, run_id: int, step: int) -> Retrieval | None:
        """Return the memory's question and answer for a step; None if it was not asked."""
        wanted = select(retrievals).where(retrievals.c.run_id == run_id, retrievals.c.step == step)
        with self.snapshot(run_id) as connection:
            row = connection.execute(wanted).mappings().first()
            return None if row is None else records.retrieval_of(row)

    def reflexes(self, run_id: int, *, after: int = 0, limit: int = 10_000) -> list[tuple[int, ReflexRecord]]:
        """Return the decisions of learned modules in a run, in order, each with its row's id.

        Args:
            after: only rows with a greater id; 0: from the first. limit: most rows.
        """
        wanted = select(reflexes).where(reflexes.c.run_id == run_id, reflexes.c.reflex_id > after)
        with self.snapshot(run_id) as connection:
            rows = connection.execute(wanted.order_by(reflexes.c.reflex_id).limit(limit)).mappings()
            return [(row["reflex_id"], records.reflex_of(row)) for row in rows]

    def retrieved_steps(self, run_id: int) -> list[int]:
        """Return the steps for which the memory was asked, in order."""
        wanted = select(retrievals.c.step).where(retrievals.c.run_id == run_id).order_by(retrievals.c.step)
        with self.snapshot(run_id) as connection:
            return list(connection.execute(wanted).scalars())

    def episodes_after(self, episode_id: int) -> list[Episode]:
        """Return the episode summaries with a greater id (0: all) of every game, oldest first."""
        wanted = select(episodes).where(episodes.c.episode_id > episode_id).order_by(episodes.c.episode_id)
        with self._reading() as connection:
            if connection is None:
                return []
            return [call_records.episode_of(row) for row in connection.execute(wanted).mappings()]

    def episodes(self, game_id: str, key: str = "", limit: int = 50) -> list[Episode]:
        """Return the episode summaries of a game, newest first; with a key only those under it."""
        wanted = select(episodes).where(episodes.c.game_id == valid_text(game_id))
        if key:
            wanted = wanted.where(episodes.c.key == valid_text(key))
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(wanted.order_by(episodes.c.episode_id.desc()).limit(limit)).mappings()
            return [call_records.episode_of(row) for row in rows]

    def summarise(self, run_id: int) -> RunSummary:
        """Return the figures of a run; computed from its steps where it never finished.

        The outcome of such a run is "playing" while a process writes, else "crashed".
        """
        return self.run(run_id).summary

    @contextmanager
    def snapshot(self, run_id: int) -> Iterator[Connection]:
        """Return a consistent state of the log, for several reads about one run.

        Raises:
            DataFolderError: also for a fault of the database inside the block.
        """
        with self._reading() as connection:
            if connection is None:
                raise _unknown_run(run_id, [])
            ids = connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id)).first()
            if ids is None:
                distance = func.abs(runs.c.run_id - run_id)
                near = connection.execute(select(runs.c.run_id).order_by(distance).limit(_NEAR_IDS)).scalars()
                raise _unknown_run(run_id, sorted(near))
            yield connection

    def row_in(self, connection: Connection, run_id: int) -> RunRow:
        """Return one run as a snapshot shows it."""
        row = connection.execute(_runs().where(runs.c.run_id == run_id)).mappings().one()
        return self._run_row(connection, row)

    def _text(self, content_hash: str, kind: str) -> str | None:
        wanted = select(texts.c.content).where(texts.c.content_hash == content_hash, texts.c.kind == kind)
        with self._reading() as connection:
            return None if connection is None else connection.execute(wanted).scalar()

    def _run_row(self, connection: Connection, row: RowMapping) -> RunRow:
        finished, run_id = row["outcome"] is not None, row["run_id"]
        if finished:
            summary = records.summary_of(row)
        else:
            newest = connection.execute(select(func.max(runs.c.run_id))).scalar_one()
            playing = run_id == newest and holder_of(self._lock_file) is not None
            summary = computed_summary(connection, run_id, "playing" if playing else "crashed")
        return RunRow(
            run_id=run_id,
            manifest=records.manifest_of(row),
            summary=summary,
            finished=finished,
            score=run_score(self._data, run_id, summary.score),
        )

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        if not self._path.exists():
            yield None
            return
        with named_faults(self._path):
            if not self._is_ready():
                yield None
                return
            with self._engine.connect() as connection, connection.begin():
                yield connection

    def _is_ready(self) -> bool:
        if self._checked:
            return True
        with self._engine.connect() as connection:
            revision = current_revision(connection)
            lacking = signals_without_column(connection)
        if revision is None:  # its writer is creating it
            return False
        check_known(revision, self._path)
        if revision != REVISIONS[-1] or lacking:
            with FileLock(self._lock_file, role="migration", subject=f"the run log {self._path}"):
                migrate(self._path)
        self._checked = True
        return True


@reads_row("steps or calls")
def computed_summary(connection: Connection, run_id: int, outcome: RunOutcome) -> RunSummary:
    """Return the figures of a run from its committed steps, calls and events."""
    of_steps = select(*(steps.c[name] for name in COLUMNS)).where(steps.c.run_id == run_id)
    of_calls = select(*(calls.c[name] for name in CALL_COLUMNS)).where(calls.c.run_id == run_id)
    return summarise(
        connection.execute(of_steps.order_by(steps.c.step)).mappings(),
        events_in(connection, run_id),
        connection.execute(of_calls.order_by(calls.c.call)).mappings(),
        outcome=outcome,
    )


def events_in(connection: Connection, run_id: int) -> list[RunEvent]:
    """Return the events of a run as a snapshot shows them, in order of time."""
    wanted = select(events).where(events.c.run_id == run_id).order_by(events.c.at_ns, events.c.event_id)
    return [records.event_of(row) for row in connection.execute(wanted).mappings()]


def _runs() -> Select[Any]:
    figures = [column for column in summaries.c if column.name != "run_id"]
    return select(runs, *figures).outerjoin(summaries, summaries.c.run_id == runs.c.run_id)


def _matches(search: str, game_id: str) -> ColumnElement[bool]:
    columns = (
        cast(runs.c.run_id, String),
        runs.c.game_id,
        runs.c.game_name,
        runs.c.role,
        runs.c.planner,
        runs.c.started_at,
        summaries.c.outcome,
    )
    words = search.split()
    return and_(
        runs.c.game_id == game_id if game_id else True,
        *(or_(*(column.icontains(word, autoescape=True) for column in columns)) for word in words),
    )


def _unknown_run(run_id: int, near: Sequence[int]) -> UnknownRun:
    if not near:
        return UnknownRun(f"run {run_id} is not in the run log: there are no runs yet.")
    return UnknownRun(
        f"run {run_id} is not in the run log.",
        f"Nearest: {', '.join(map(str, near))}. See them all with: pitwall runs",
    )
