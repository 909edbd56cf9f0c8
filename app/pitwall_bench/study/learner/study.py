"""Plays a learner's study: the carried runs that are missing, then the runs that measure its memories."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pitwall.core.errors import DataFolderError
from pitwall.games.schema.profile import Game, Task
from pitwall_bench.study.learner.folder import AGENT, LearnerFolder, measuring_agent, measuring_cell
from pitwall_bench.study.learner.learner import CARRIED, MEASURED, LearnedRun, Learner, StudyStopped
from pitwall_bench.study.learner.results import LearnerResult, Measurement
from pitwall_bench.study.learner.twin_player import TwinPlayer
from pitwall_bench.suites.folder import SuiteFolder, begun_now
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.spec import AgentSpec, GameTasks, Seeds, SuiteSpec

_BOARD_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerPlan:
    """A study's game and sizes.

    Attributes:
        scenario: of the twin; empty: the task's. number: of the learner. runs: carried. pairs: most of the
            gate after each run. measured: runs that measure the first and the last memory. between: runs
            that measure each memory between, one after `every` carried runs.
    """

    game: Game
    task: Task
    scenario: str = ""
    number: int = 1
    runs: int
    pairs: int
    measured: int
    between: int
    every: int

    @property
    def measurements(self) -> dict[int, int]:
        """Return carried runs → runs that measure the memory after them, in the order of play."""
        between = {after: self.between for after in range(self.every, self.runs, self.every)}
        return {0: self.measured, self.runs: self.measured, **between}

    @property
    def player(self) -> TwinPlayer:
        """Return the player of the game's twin."""
        scenario = self.scenario or self.task.scenario
        return TwinPlayer(self.game, scenario, won_at=float(self.task.target))

    def hashes(self) -> dict[str, str]:
        """Return the hash of each part that a carried run depends on, as `SuiteStart.hashes`."""
        game = {"version": self.game.profile.game.version, "profile": self.game.profile_hash}
        parts: dict[str, object] = {
            f"game {self.game.game_id}": game,
            "task": [self.task.id, self.scenario],
            "learner": [self.number, self.pairs],
        }
        hashes = {name: _hash(part) for name, part in parts.items()}
        return {**hashes, "suite": _hash(hashes)}

    def command(self, name: str) -> str:
        """Return the command that goes on with the study of this name."""
        sizes = [f"--{key} {getattr(self, key)}" for key in ("runs", "pairs", "measured", "between", "every")]
        more = [f"--scenario {self.scenario}"] if self.scenario else []
        more += [f"--number {self.number}"] if self.number > 1 else []
        task = f"{self.game.game_id}/{self.task.id}"
        return " ".join(["pitwall study learner --task", task, *sizes, *more, "--as", name])

    def suite(self, name: str) -> SuiteSpec:
        """Return the study as a suite, for those who read its folder."""
        agents = [AgentSpec(name=AGENT, kind="skills", carry="agent", accept="gate")]
        agents += [
            AgentSpec(name=measuring_agent(after), kind="skills") for after in sorted(self.measurements)
        ]
        return SuiteSpec(
            schema=1,
            name=name,
            description="A memory that is carried through runs on the game's twin: pitwall study learner.",
            games=[GameTasks(game=self.game.game_id, tasks=[self.task.id])],
            agents=agents,
            seeds=Seeds(first=CARRIED, count=self.runs),
        )


class LearnerStudy:
    """Plays what is missing of a study.

    Args:
        folder: of the suite that keeps it. heard: takes each carried run and measurement as it is done.
    """

    def __init__(
        self,
        plan: LearnerPlan,
        folder: SuiteFolder,
        *,
        heard: Callable[[LearnedRun | Measurement], object] = lambda _: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._plan, self._suite = plan, folder
        self._heard = heard
        self._stopping = should_stop
        self._kept = LearnerFolder(folder, plan.game, plan.task)
        self._results: dict[str, TaskRun] = {}
        self._shown_s = 0.0

    def play(self, *, fresh: bool = False) -> LearnerResult:
        """Play it to its end, or until somebody stops it; return what there is.

        Args:
            fresh: set an earlier study of this name aside.

        Raises:
            SuiteChanged: it was begun with other options. BrokenChain: its folder was changed.
            DataFolderError: another process plays it, it is no study's folder, or it cannot be written.
        """
        plan, suite = self._plan, self._suite
        if suite.root.exists() and not suite.exists:
            raise DataFolderError(
                f"{suite.root} is there already, and is no study that can go on.",
                "Use another name with --as, or move it away.",
            )
        if fresh:
            with suite.lock():
                suite.set_aside()
        with suite.lock():
            if suite.exists:
                suite.check_begun(plan.hashes())
            spec = plan.suite(suite.suite)
            asked = Plan(spec, {plan.game.game_id: plan.game}, {plan.game.game_id: plan.game.game_id})
            suite.stop.unlink(missing_ok=True)
            suite.begin(spec, begun_now(asked, plan.hashes(), command=plan.command(suite.suite)))
            return self._played()

    def _should_stop(self) -> bool:
        return self._stopping() or self._suite.stop.exists()

    def _played(self) -> LearnerResult:
        plan, kept, player = self._plan, self._kept, self._plan.player
        learner = Learner(
            player, kept.live, pairs=plan.pairs, number=plan.number, should_stop=self._should_stop
        )
        self._results = kept.resume(learner)
        state: Literal["done", "stopped"] = "done"
        self._show()
        try:
            while len(kept.carried) < plan.runs:
                self._take(kept.carry(learner))
                self._heard(kept.carried[-1])
            for after, runs in plan.measurements.items():
                self._measure(player, after, runs)
        except StudyStopped:
            state = "stopped"
        kept.close()
        self._show(state)
        measured = [self._measurement(after, runs) for after, runs in sorted(plan.measurements.items())]
        return LearnerResult(
            task=f"{plan.game.game_id}/{plan.task.id}",
            recorded=learner.runs,
            carried=tuple(kept.carried[: plan.runs]),
            measured=tuple(row for row in measured if row is not None),
            state=state,
        )

    def _measure(self, player: TwinPlayer, after: int, runs: int) -> None:
        """Play the runs that are missing with the memory after so many carried runs, which learns nothing."""
        kept, plan = self._kept, self._plan
        missing = [
            seed
            for seed in range(MEASURED, MEASURED + runs)
            if measuring_cell(plan.game, plan.task, after, seed).key not in self._results
        ]
        skills = player.skills(kept.entries(kept.memory_after(after))) if missing else None
        for seed in missing:
            if self._should_stop():
                raise StudyStopped
            assert skills is not None
            run = kept.measured(after, player.play(seed, skills))
            self._suite.keep(run)
            self._take(run)
        measurement = self._measurement(after, runs)
        if missing and measurement is not None:
            self._heard(measurement)

    def _measurement(self, after: int, runs: int) -> Measurement | None:
        plan = self._plan
        keys = [
            measuring_cell(plan.game, plan.task, after, seed).key for seed in range(MEASURED, MEASURED + runs)
        ]
        played = [self._results[key] for key in keys if key in self._results]
        if not played or after > len(self._kept.carried):
            return None
        return Measurement.of(after, self._kept.carried[after - 1].skills if after else 0, played)

    def _take(self, run: TaskRun) -> None:
        self._results[run.cell.key] = run
        if time.monotonic() - self._shown_s >= _BOARD_S:
            self._show()

    def _show(self, state: Literal["playing", "done", "stopped"] = "playing") -> None:
        self._shown_s = time.monotonic()
        of = self._plan.runs + sum(self._plan.measurements.values())
        board = SuiteProgress(done=len(self._results), of=of, state=state, at=time.time())
        self._suite.show(board)


def _hash(value: Mapping[str, object] | object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
