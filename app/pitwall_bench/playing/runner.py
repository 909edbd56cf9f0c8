"""Runs a suite: n workers side by side; every result is saved at once.

A finished run is on the disk before the next begins, so a killed runner can continue where it was. A run that
cannot be played is a result with its cause; a run that something outside ended is played again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall_bench.playing.workers import Answer, RunningTask, TaskWorkers
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.memories import EMPTY, SuiteMemories, next_link
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import Cell, EndReason, MemoryLink, RunningSession, SuiteProgress, TaskRun
from pitwall_bench.suites.schedule import Schedule
from pitwall_bench.tasks.carried_memory import clear_memory, memory_file
from pitwall_bench.tasks.messages import LentMemory, PlayTask, TaskDone, TaskFault, TaskProgress

_TICK_S = 0.2
_BOARD_S = 0.5
_SILENT_S = 150.0
"""Seconds of silence after which a worker counts as hanging; it reports twice a second."""
_GIVING_UP_S = 45.0


@dataclass(slots=True)
class _Playing:
    """A cell being played, with its latest report."""

    cell: Cell
    task: RunningTask
    progress: TaskProgress = field(default_factory=lambda: TaskProgress(state="starting"))
    heard_s: float = field(default_factory=time.monotonic)


class SuiteRunner:
    """Runs one suite from its finished runs to its end. The caller holds the suite's lock.

    Args:
        data: the operator's data folder, which workers only read.
        runs: finished runs; they are not played again. Their chains are whole.
        parallel: sessions side by side. keep_frames: pictures of steps stay in the sessions.
        on_run: called with each finished run. should_stop: called several times a second.
    """

    def __init__(
        self,
        plan: Plan,
        folder: SuiteFolder,
        data: DataFolder,
        workers: TaskWorkers,
        *,
        runs: Sequence[TaskRun] = (),
        parallel: int = 1,
        keep_frames: bool = False,
        on_run: Callable[[TaskRun, SuiteProgress], None] = lambda _run, _board: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._plan, self._folder, self._data, self._workers = plan, folder, data, workers
        self._parallel, self._keep_frames = parallel, keep_frames
        self._on_run, self._should_stop = on_run, should_stop
        self._schedule = Schedule(plan, runs)
        self._memories = SuiteMemories(folder.root)
        self._playing_now: list[_Playing] = []
        self._tries: dict[str, int] = {}
        self._shown_s = 0.0

    @property
    def runs(self) -> dict[str, TaskRun]:
        """Return every finished run by its cell's key."""
        return self._schedule.runs

    def board(self) -> SuiteProgress:
        """Return the progress of the suite."""
        return self._board("playing", "")

    def run(self) -> SuiteProgress:
        """Play what is left, and return the board at the end (done or stopped).

        Raises:
            DataFolderError: a result cannot be written; everything that plays is ended.
            BrokenChain: a memory was changed by hand meanwhile.
        """
        state, why = "broken off", "the runner met an error"
        try:
            while not self._schedule.over:
                if self._should_stop() or self._folder.stop.exists():
                    self._give_up()
                    state, why = "stopped", "it was asked to stop; finished runs are kept"
                    break
                self._turn()
            else:
                state, why = "done", ""
        finally:
            self._clear()
            board = self._board(state, why)
            with contextlib.suppress(PitwallError):
                self._folder.show(board)
        return board

    # ---- playing

    def _turn(self) -> None:
        self._fill()
        self._workers.wait([session.task for session in self._playing_now], _TICK_S)
        for session in list(self._playing_now):
            self._hear(session)
        if time.monotonic() - self._shown_s >= _BOARD_S:
            self._show()

    def _fill(self) -> None:
        while len(self._playing_now) < self._parallel:
            person = not any(self._schedule.by_person(session.cell) for session in self._playing_now)
            cell = self._schedule.take(person=person)
            if cell is None:
                return
            self._tries[cell.key] = self._tries.get(cell.key, 0) + 1
            order = self._order(cell)
            try:
                self._playing_now.append(_Playing(cell, self._workers.start(order)))
            except PitwallError as error:
                self._finish(self._unplayed(cell, "launch", str(error)))

    def _order(self, cell: Cell) -> PlayTask:
        agent = self._plan.agents[cell.agent]
        session = self._folder.session(cell.key)
        shutil.rmtree(session, ignore_errors=True)
        return PlayTask(
            cell=cell,
            game=self._plan.wanted[cell.game],
            agent=agent,
            protocol=agent.protocol or self._plan.spec.protocol,
            limits=self._plan.spec.limits,
            data=self._data.root,
            session=session,
            screen="here" if agent.needs_person else "own",
            keep_frames=self._keep_frames,
            memory=self._lent(cell),
        )

    def _lent(self, cell: Cell) -> LentMemory | None:
        """Write the memory that a cell begins with into a file; None if it neither has nor shares any.

        Raises:
            BrokenChain: the memory was changed since it was kept.
        """
        link = self._link(cell)
        if link is None:
            return None
        lent = self._folder.lent(cell.key)
        lent.parent.mkdir(parents=True, exist_ok=True)
        file = self._memories.lend(link.before, lent)
        return LentMemory(content_hash=link.before, file=file, kept=bool(link.chain))

    def _link(self, cell: Cell) -> MemoryLink | None:
        """Return the cell's link in its chain, as if its run taught nothing."""
        chain, first = self._plan.chain(cell), self._plan.memories.get(cell.agent, EMPTY)
        if chain:
            return next_link(self._schedule.runs.values(), chain, first)
        return MemoryLink(before=first, after=first) if cell.agent in self._plan.memories else None

    def _hear(self, session: _Playing) -> None:
        try:
            answers = session.task.answers()
        except PitwallError as error:
            self._leave(session)
            message = getattr(error, "traceback", "")[-800:]
            self._take(session, self._unplayed(session.cell, "outside", f"{error.what} {message}".strip()))
            return
        for answer in answers:
            session.heard_s = time.monotonic()
            if isinstance(answer, TaskProgress):
                session.progress = answer
            else:
                self._leave(session)
                self._take(session, self._run_of(session.cell, answer))
                return
        if time.monotonic() - session.heard_s > _SILENT_S:
            self._leave(session)
            self._take(
                session, self._unplayed(session.cell, "outside", f"its worker was silent for {_SILENT_S:g} s")
            )

    def _run_of(self, cell: Cell, answer: Answer) -> TaskRun:
        if isinstance(answer, TaskDone):
            return answer.run
        assert isinstance(answer, TaskFault)
        return self._unplayed(cell, "launch", f"{answer.what} {answer.fix}".strip())

    def _leave(self, session: _Playing) -> None:
        self._playing_now.remove(session)
        session.task.close()

    def _take(self, session: _Playing, run: TaskRun) -> None:
        """Keep an ended run, or have it played again."""
        if run.ended == "outside" and self._tries[session.cell.key] <= self._plan.spec.limits.again:
            self._schedule.give_back(session.cell)
            return
        self._finish(run)

    def _finish(self, run: TaskRun) -> None:
        game = self._plan.games[run.cell.game].profile.game
        link = self._kept(run)
        run = run.model_copy(
            update={
                "genre": game.genre,
                "level": game.level,
                "tries": self._tries[run.cell.key],
                "memory": link,
            }
        )
        self._folder.keep(run)
        self._schedule.finished(run)
        self._on_run(run, self._show())

    def _kept(self, run: TaskRun) -> MemoryLink | None:
        """Keep the memory that a run hands on; return the run's link in its chain."""
        link, own = self._link(run.cell), run.memory
        self._folder.lent(run.cell.key).unlink(missing_ok=True)
        if link is None or own is None or not run.played:
            return link
        if link.chain and own.after not in (link.before, EMPTY):
            session = self._folder.session(run.cell.key)
            self._memories.keep(memory_file(session), own.after)
            clear_memory(session)
        return own.model_copy(update={"chain": link.chain, "position": link.position})

    def _unplayed(self, cell: Cell, ended: EndReason, why: str) -> TaskRun:
        load = os.getloadavg()[0] if sys.platform != "win32" else 0.0
        return TaskRun(cell=cell, ended=ended, why=why, load=load, at=time.time())

    # ---- ending

    def _give_up(self) -> None:
        """Ask every worker to end its run; runs that finish meanwhile count."""
        for session in self._playing_now:
            session.task.give_up()
        until_s = time.monotonic() + _GIVING_UP_S
        while self._playing_now and time.monotonic() < until_s:
            self._workers.wait([session.task for session in self._playing_now], _TICK_S)
            for session in list(self._playing_now):
                self._hear_the_last(session)

    def _hear_the_last(self, session: _Playing) -> None:
        try:
            done = [answer for answer in session.task.answers() if not isinstance(answer, TaskProgress)]
        except PitwallError:
            done = [TaskFault(what="")]
        if not done:
            return
        self._leave(session)
        run = self._run_of(session.cell, done[0])
        if run.played:
            self._finish(run)

    def _clear(self) -> None:
        for session in self._playing_now:
            session.task.hang_up()
        for session in self._playing_now:
            session.task.close()
        self._playing_now.clear()
        self._workers.close()
        self._folder.clear_stale(self._schedule.runs)

    # ---- telling

    def _show(self) -> SuiteProgress:
        board = self.board()
        self._folder.show(board)
        self._shown_s = time.monotonic()
        return board

    def _board(self, state: str, why: str) -> SuiteProgress:
        return SuiteProgress.model_validate(
            {
                "playing": [self._playing(session) for session in self._playing_now],
                "done": self._schedule.done,
                "of": self._schedule.of,
                "failed": sum(not run.played for run in self._schedule.runs.values()),
                "left_s": self._schedule.left_s(self._parallel) if state == "playing" else None,
                "state": state,
                "why": why,
                "at": time.time(),
                "pid": os.getpid(),
            }
        )

    def _playing(self, playing: _Playing) -> RunningSession:
        progress, session = playing.progress, self._folder.session(playing.cell.key)
        picture = session / progress.picture if progress.picture else None
        inside = picture is not None and picture.is_relative_to(self._folder.root)
        return RunningSession(
            cell=playing.cell,
            state=progress.state,
            steps=progress.steps,
            budget=progress.budget,
            progress=progress.progress,
            score=progress.score,
            seconds=progress.seconds,
            picture=str(picture.relative_to(self._folder.root)) if picture is not None and inside else "",
        )
