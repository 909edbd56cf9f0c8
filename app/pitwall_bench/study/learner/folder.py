"""The folder of a learner's study: a suite's folder, whose results are the carried and the measured runs.

learner/00012.json.gz  what position 12 came to: the run, its verdict, and every run that was recorded there

A position's memory is on the disk before this file, and this file before the result. So a study that was
stopped or killed goes on after the last whole position, and neither loses nor repeats one.
"""

from __future__ import annotations

import gzip
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwall.core.errors import DamagedFile
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game, Task
from pitwall.store.folder_errors import write_file
from pitwall_bench.study.learner.learner import LearnedRun, Learner
from pitwall_bench.study.learner.twin_player import PlayedRun
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.memories import EMPTY, BrokenChain, SuiteMemories, check_chains
from pitwall_bench.suites.results import Cell, MemoryLink, TaskRun

AGENT = "learner"
_POSITIONS, _LIVE, _SCRATCH = "learner", ".learner", ".memory.tmp"


class _Position(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    run: LearnedRun
    recorded: tuple[PlayedRun, ...]


class LearnerFolder:
    """Keeps a study's positions and results.

    Attributes:
        folder: of the suite. carried: the carried runs so far. chain: their name.
    """

    def __init__(self, folder: SuiteFolder, game: Game, task: Task) -> None:
        self.folder, self._game, self._task = folder, game, task
        self.memories = SuiteMemories(folder.root)
        self.live = DataFolder(folder.root / _LIVE)
        self.snapshot = folder.root / _SCRATCH
        self.carried: list[LearnedRun] = []
        self.chain = f"{game.game_id}~{AGENT}"

    def resume(self, learner: Learner) -> dict[str, TaskRun]:
        """Bring a learner to where the study ended; return every result by its cell's key.

        Raises:
            BrokenChain: positions, results and memories do not fit. DamagedFile: a position cannot be read.
        """
        recorded: list[PlayedRun] = []
        results, expected = self.folder.runs(), {}
        for position in self._positions():
            self.carried.append(position.run)
            recorded += position.recorded
            run = self._result(position)
            expected[run.cell.key] = run
        for key, run in results.items():
            if run.cell.agent == AGENT and run.memory != getattr(expected.get(key), "memory", None):
                raise BrokenChain(
                    f"{self.folder.root / _POSITIONS} does not hold what the result {key} says.",
                    "Put the study's folder back as it was, or start over with --fresh.",
                )
        check_chains(expected.values(), {}, self.memories, self.snapshot)
        for key, run in expected.items():
            if key not in results:  # killed between the two
                self.folder.keep(run)
                results[key] = run
        last = self.carried[-1].after if self.carried else EMPTY
        shutil.rmtree(self.live.root, ignore_errors=True)
        self.live.root.mkdir(parents=True)
        learner.resume(recorded, last, self.memories.lend(last, self.snapshot))
        self.snapshot.unlink(missing_ok=True)
        return results

    def carry(self, learner: Learner) -> TaskRun:
        """Let the learner play the next run; it is kept when this returns."""
        run = learner.carry(len(self.carried), self.snapshot)
        self.memories.keep(self.snapshot, run.after)
        self.snapshot.unlink(missing_ok=True)
        position = _Position(run=run, recorded=tuple(learner.recorded))
        self._write(position)
        self.carried.append(run)
        result = self._result(position)
        self.folder.keep(result)
        return result

    def close(self) -> None:
        """Remove the learner's own copy of the memory."""
        shutil.rmtree(self.live.root, ignore_errors=True)

    def memory_after(self, runs: int) -> str:
        """Return the hash of the memory after so many carried runs."""
        return self.carried[runs - 1].after if runs else EMPTY

    def entries(self, content_hash: str) -> list[MemoryEntry]:
        """Return the skills of a memory of the chain."""
        if content_hash == EMPTY:
            return []
        rows = [row.after for row in self.memories.diff(EMPTY, content_hash)]
        skills = [row for row in rows if row is not None and isinstance(row.content, SkillMemory)]
        return sorted(skills, key=lambda entry: entry.entry_id)

    def measured(self, after: int, run: PlayedRun) -> TaskRun:
        """Return the result of a run that measures a memory."""
        before = self.memory_after(after)
        link = MemoryLink(
            measures=self.chain, position=after, before=before, after=before, uses=dict(run.uses)
        )
        return self._task_run(measuring_cell(self._game, self._task, after, run.seed), run, link)

    # ---- inside

    def _result(self, position: _Position) -> TaskRun:
        run, played = position.run, position.recorded[0]
        link = MemoryLink(
            chain=self.chain,
            position=run.position,
            before=run.before,
            after=run.after,
            accepted=run.accepted,
            retired=run.retired,
            verdict=run.trial.sentence if run.trial is not None else "",
            uses=dict(played.uses),
        )
        cell = Cell(game=self._game.game_id, task=self._task.id, agent=AGENT, seed=run.seed)
        return self._task_run(cell, played, link)

    def _task_run(self, cell: Cell, played: PlayedRun, link: MemoryLink) -> TaskRun:
        score = round(played.score, 2)
        profile = self._game.profile
        return TaskRun(
            cell=cell,
            genre=profile.game.genre,
            level=profile.game.level,
            ended="target" if played.won else "terminal",
            success=played.won,
            progress=min(1.0, max(0.0, score / self._task.target)),
            score=score,
            start=0.0,
            target=self._task.target,
            unit=profile.truth.unit if profile.truth is not None else "",
            steps=played.decisions,
            memory=link,
            at=time.time(),
        )

    def _positions(self) -> Iterable[_Position]:
        for number in range(len(list(self._folder.glob("*.json.gz")))):
            file = self._file(number)
            try:
                yield _Position.model_validate_json(gzip.decompress(file.read_bytes()))
            except FileNotFoundError:
                raise BrokenChain(f"{file} is missing.", "Put it back, or start over with --fresh.") from None
            except (OSError, EOFError, ValidationError) as error:
                fix = "Put it back as it was, or start over with --fresh."
                raise DamagedFile(file, str(error).splitlines()[0], fix=fix) from None

    @property
    def _folder(self) -> Path:
        return self.folder.root / _POSITIONS

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:05d}.json.gz"

    def _write(self, position: _Position) -> None:
        body = gzip.compress(position.model_dump_json().encode(), mtime=0)
        write_file(self._file(position.run.position), body, sync=True)


def measuring_cell(game: Game, task: Task, after: int, seed: int) -> Cell:
    """Return the cell of a run that measures the memory after so many carried runs."""
    return Cell(game=game.game_id, task=task.id, agent=measuring_agent(after), seed=seed)


def measuring_agent(after: int) -> str:
    """Return the name of the agent that plays with the memory after so many carried runs."""
    return f"after-{after}"


def uses_of(runs: Iterable[TaskRun]) -> Mapping[str, int]:
    """Return the decisions of each skill over runs, the most used first."""
    uses: dict[str, int] = {}
    for run in runs:
        for skill, count in run.memory.uses.items() if run.memory is not None else ():
            uses[skill] = uses.get(skill, 0) + count
    return dict(sorted(uses.items(), key=lambda use: -use[1]))
