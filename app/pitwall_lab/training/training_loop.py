"""Runs the turns of a training with its learner, source of transitions, curve and best policy so far."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.games.schema.modules import Learned, Module, Recipe, Trial
from pitwall.games.schema.profile import Game
from pitwall.gsm.version_record import POLICY
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.algorithms.learner import Learner
from pitwall_lab.algorithms.policy_export import export
from pitwall_lab.environments.twin_environment import (
    Disturbance,
    EnvironmentSpec,
    StepResult,
    TwinEnvironment,
    trial_spec,
)
from pitwall_lab.environments.vector_environment import BatchedStepResult
from pitwall_lab.training.checkpoint import MOST_REPLAY_BYTES
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.input_history import InputHistory
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training.rollouts import TransitionSource
from pitwall_lab.training_log import Evaluated
from pitwall_lab.trials.clips import make_clip
from pitwall_lab.trials.twin_trials import TwinRun, judge

SELECTION_SEED_OFFSET = 500_000
"""Offset from a trial's first seed to the seeds that compare checkpoints. They are held out too, but differ
from the seeds that judge the chosen checkpoint, whose score would otherwise be too good."""
_POINTS = 200
_AT_ONCE = 8
"""Most gradient steps whose batches are drawn together."""
_MOST_BETWEEN = 10_000


class NetworkPolicy:
    """A `BatchPolicy` that plays the learner's network without exploring."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._recent = InputHistory(learner.shape, 0)

    def begin(self, lanes: Sequence[TwinEnvironment]) -> None:
        """See `BatchPolicy`."""
        self._recent = InputHistory(self._learner.shape, len(lanes))

    def choose(self, moments: Sequence[StepResult]) -> list[int]:
        """See `BatchPolicy`."""
        now = BatchedStepResult.of(moments)
        actions = self._learner.best(self._recent.see(now.state, now.pictures, now.fresh))
        self._recent.acted(actions)
        chosen: list[int] = actions.tolist()
        return chosen


@dataclass(frozen=True, slots=True)
class BestCheckpoint:
    """The best checkpoint so far.

    Attributes:
        counts: unit of the mean, where there are several ("score" or "decisions" of a game that is played).
    """

    mean: float
    wins: int
    step: int
    counts: str = ""


class TrainingLoop:
    """The state of a training and its turns; `training.train` drives it.

    Args:
        learner: learns from the transitions of `source`.
        trials: for judging the policy in twins; empty if the module has no twin.
        folder: the version's.
        most_turn_s: gradient steps that take longer are left out, so that reading keeps up with play.
    """

    def __init__(
        self,
        game: Game,
        module: Module,
        learned: Learned,
        recipe: Recipe,
        *,
        learner: Learner,
        source: TransitionSource,
        trials: Sequence[Trial],
        folder: Path,
        most_turn_s: float = math.inf,
    ) -> None:
        self._most_turn_s = most_turn_s
        self._game, self._module, self._learned, self._recipe = game, module, learned, recipe
        self.learner = learner
        self._source, self._trials, self._folder = source, trials, folder
        self._owed = 0.0
        self.tally = CurveAccumulator()
        self.wall_s = 0.0
        self.learnt = 0
        self.point_at = self.evaluated_at = 0
        self.best: BestCheckpoint | None = None
        self._between = max(1, min(recipe.steps // _POINTS, _MOST_BETWEEN))

    @property
    def done(self) -> bool:
        """Return whether every decision of the recipe was made, or no more will come."""
        return self.learner.step >= self._recipe.steps or self._source.exhausted

    @property
    def account(self) -> str:
        """Describe how much there was to learn from."""
        source = self._source
        return f"{source.account}{self.learner.step:,} decisions, of which {source.learn_from:,} are needed"

    @property
    def evaluation_due(self) -> bool:
        """Return whether the policy must be judged before the next turn."""
        every = self._recipe.evaluate_every
        step = self.learner.step
        if self._source.exhausted and not self.learnt:
            return False
        return step > self.evaluated_at and (self.done or step // every > self.evaluated_at // every)

    @property
    def point_due(self) -> bool:
        """Return whether a point of the curve is due."""
        step = self.learner.step
        return step > self.point_at and (self.done or step // self._between > self.point_at // self._between)

    def turn(self) -> None:
        """Make the next decisions, and take the gradient steps that they pay for."""
        began = time.perf_counter()
        decided = self._source.turn(self.tally)
        self.learner.step += decided
        self._owed = self._owed + decided if self.learner.step >= self._source.learn_from else 0.0
        while self._owed >= self._source.price:
            gradients = min(int(self._owed / self._source.price), _AT_ONCE)
            self._owed -= gradients * self._source.price
            for result in self.learner.learn(gradients):
                self.learnt += 1
                self.tally.learned(*result)
            if time.perf_counter() - began > self._most_turn_s:
                self._owed = 0.0
        took_s = time.perf_counter() - began
        self.tally.seconds += took_s
        self.wall_s += took_s

    # ---- the log

    def log_point(self, journal: TrainingLogWriter, *, epsilon: float | None = None) -> None:
        """Write the point that is due. epsilon: share of decisions by chance; None: the learner's."""
        step = self.learner.step
        journal.write(
            self.tally.point(
                step=step,
                wall_s=self.wall_s,
                at=time.time(),
                epsilon=self.learner.epsilon if epsilon is None else epsilon,
                actions=self.learner.shape.actions,
                explained=self.learner.explained,
            )
        )
        self.tally, self.point_at = CurveAccumulator(), step

    def evaluate(self, journal: TrainingLogWriter, should_stop: Callable[[], bool]) -> bool:
        """Judge the present policy; return whether it is the best so far, and then export it.

        Raises:
            JudgingStopped: `should_stop` returned true; the evaluation stays due.
        """
        began = time.perf_counter()
        pilot, step = NetworkPolicy(self.learner), self.learner.step
        if not self._trials:  # nothing can judge it, so the newest counts as the best
            export(self.learner.average, self._folder / POLICY)
            self.evaluated_at = step
            return True
        runs: list[TwinRun] = []
        for trial in self._trials:
            runs += judge(
                self._order(trial),
                pilot,
                trial,
                runs=self._recipe.evaluate_runs,
                first_seed=trial.first_seed + SELECTION_SEED_OFFSET,
                should_stop=should_stop,
            )
        values = [run.score for run in runs]
        mean, wins = float(np.mean(values)), sum(run.won for run in runs)
        low, high = mean_interval(values)
        best = self._better(mean, wins)
        clip = ""
        if best:
            export(self.learner.average, self._folder / POLICY)
            self.best = BestCheckpoint(mean, wins, step)
            clip = self._clip(pilot, step)
        self.evaluated_at = step
        self.wall_s += time.perf_counter() - began
        journal.write(
            Evaluated(
                step=step,
                wall_s=self.wall_s,
                at=time.time(),
                runs=len(runs),
                mean=mean,
                low=low,
                high=high,
                wins=wins,
                best=best,
                clip=clip,
            )
        )
        return best

    def _better(self, mean: float, wins: int) -> bool:
        if self.best is None:
            return True
        sign = 1.0 if self._trials[0].higher else -1.0
        return (sign * mean, wins) > (sign * self.best.mean, self.best.wins)

    def _clip(self, pilot: NetworkPolicy, step: int) -> str:
        trial = self._trials[0]
        name = f"clips/{step}.webp"
        order = self._order(trial, pictures=True)
        made = make_clip(order, pilot, trial.first_seed + SELECTION_SEED_OFFSET, self._folder / name)
        return name if made else ""

    def _order(self, trial: Trial, *, pictures: bool = False) -> EnvironmentSpec:
        learned = self._learned
        how = Disturbance.of(self._recipe, learned=learned)
        return trial_spec(self._game, self._module, learned, learned.actions, trial, how, pictures=pictures)

    # ---- saving and loading

    def save(self) -> dict[str, Any]:
        """Return the whole state, between two turns."""
        best = self.best
        return {
            "learner": self.learner.save(MOST_REPLAY_BYTES),
            "source": self._source.save(),
            "owed": self._owed,
            "learnt": self.learnt,
            "tally": self.tally.save(),
            "wall_s": self.wall_s,
            "point_at": self.point_at,
            "evaluated_at": self.evaluated_at,
            "best": None if best is None else [best.mean, best.wins, best.step, best.counts],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self.learner.load(saved["learner"])
        self._source.load(saved["source"])
        self._owed = saved["owed"]
        self.learnt = saved.get("learnt", self.learner.step)
        self.tally = CurveAccumulator(**saved["tally"])
        self.wall_s, self.point_at = saved["wall_s"], saved["point_at"]
        self.evaluated_at = saved["evaluated_at"]
        self.best = None if saved["best"] is None else BestCheckpoint(*saved["best"])
