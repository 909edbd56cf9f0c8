"""One training under way: the learner, what it learns from, its curve, and the best policy so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.intervals import bootstrap_mean
from pitwall.games.modules import Learned, Module, Recipe, Trial
from pitwall.games.profile import Game
from pitwall.gsm.training_log import Evaluated
from pitwall.trainer.checkpoint import MOST_REPLAY_BYTES
from pitwall.trainer.clips import make_clip
from pitwall.trainer.double_dqn import DoubleDQN
from pitwall.trainer.environments import Moments
from pitwall.trainer.export import POLICY, export
from pitwall.trainer.journal import Journal
from pitwall.trainer.lane import Disturbance, Lane, LaneOrder, Moment, trial_order
from pitwall.trainer.playing import Source
from pitwall.trainer.recent import Recent
from pitwall.trainer.tally import Tally
from pitwall.trainer.twin_trials import TwinRun, judge

CHOOSING = 500_000
"""Checkpoints are compared on a trial's seeds from this one after its first on: held out as well, but not
those that the best one is then judged on, which would flatter it."""
_POINTS = 200
_MOST_BETWEEN = 10_000


class NetworkPilot:
    """The learner's network plays, without exploring. A `Pilot`."""

    def __init__(self, learner: DoubleDQN) -> None:
        self._learner = learner
        self._recent = Recent(learner.shape, 0)

    def begin(self, lanes: Sequence[Lane]) -> None:
        """See `Pilot`."""
        self._recent = Recent(self._learner.shape, len(lanes))

    def choose(self, moments: Sequence[Moment]) -> list[int]:
        """See `Pilot`."""
        now = Moments.of(moments)
        actions = self._learner.best(self._recent.see(now.state, now.pictures, now.fresh))
        self._recent.acted(actions)
        chosen: list[int] = actions.tolist()
        return chosen


@dataclass(frozen=True, slots=True)
class Best:
    """The best checkpoint so far."""

    mean: float
    wins: int
    step: int


class Course:
    """The loop's state and its turns. See `training.train` for who drives it.

    Args:
        learner: learns from what `source` brings.
        trials: that the policy is judged by, in twins; none where the module has no twin.
        folder: the version's.
    """

    def __init__(
        self,
        game: Game,
        module: Module,
        learned: Learned,
        recipe: Recipe,
        *,
        learner: DoubleDQN,
        source: Source,
        trials: Sequence[Trial],
        folder: Path,
    ) -> None:
        self._game, self._module, self._learned, self._recipe = game, module, learned, recipe
        self.learner = learner
        self._source, self._trials, self._folder = source, trials, folder
        self._owed = 0.0
        self.tally = Tally()
        self.wall_s = 0.0
        self.point_at = self.evaluated_at = 0
        self.best: Best | None = None
        self._between = max(1, min(recipe.steps // _POINTS, _MOST_BETWEEN))

    @property
    def done(self) -> bool:
        """Whether every decision of the recipe was made, or no more will come."""
        return self.learner.step >= self._recipe.steps or self._source.exhausted

    @property
    def evaluation_due(self) -> bool:
        """Whether the policy is to be judged before it goes on."""
        every = self._recipe.evaluate_every
        step = self.learner.step
        return step > self.evaluated_at and (self.done or step // every > self.evaluated_at // every)

    @property
    def point_due(self) -> bool:
        """Whether a point of the curve is due."""
        step = self.learner.step
        return step > self.point_at and (self.done or step // self._between > self.point_at // self._between)

    def turn(self) -> None:
        """The next decisions, and the learning they pay for."""
        began = time.perf_counter()
        decided = self._source.turn(self.tally)
        self.learner.step += decided
        self._owed = self._owed + decided if self.learner.step >= self._recipe.learn_from else 0.0
        while self._owed >= self._source.price:
            self._owed -= self._source.price
            told = self.learner.learn()
            if told is not None:
                self.tally.learned(*told)
        took_s = time.perf_counter() - began
        self.tally.seconds += took_s
        self.wall_s += took_s

    # ---- what is told and kept

    def tell_point(self, journal: Journal) -> None:
        """Write the point that is due."""
        step = self.learner.step
        journal.write(
            self.tally.point(
                step=step,
                wall_s=self.wall_s,
                at=time.time(),
                epsilon=self.learner.epsilon,
                actions=self.learner.shape.actions,
            )
        )
        self.tally, self.point_at = Tally(), step

    def evaluate(self, journal: Journal, should_stop: Callable[[], bool]) -> bool:
        """Judge the policy as it is; whether it is the best so far, whose file was then written.

        Raises:
            JudgingStopped: `should_stop` said so; the evaluation stays due.
        """
        began = time.perf_counter()
        pilot, step = NetworkPilot(self.learner), self.learner.step
        if not self._trials:  # nothing to judge it in: the newest is the best there is
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
                first_seed=trial.first_seed + CHOOSING,
                should_stop=should_stop,
            )
        values = [run.score for run in runs]
        mean, wins = float(np.mean(values)), sum(run.won for run in runs)
        low, high = bootstrap_mean(values)
        best = self._better(mean, wins)
        clip = ""
        if best:
            export(self.learner.average, self._folder / POLICY)
            self.best = Best(mean, wins, step)
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

    def _clip(self, pilot: NetworkPilot, step: int) -> str:
        trial = self._trials[0]
        name = f"clips/{step}.webp"
        order = self._order(trial, pictures=True)
        made = make_clip(order, pilot, trial.first_seed + CHOOSING, self._folder / name)
        return name if made else ""

    def _order(self, trial: Trial, *, pictures: bool = False) -> LaneOrder:
        learned = self._learned
        how = Disturbance.of(self._recipe, learned=learned)
        return trial_order(self._game, self._module, learned, learned.actions, trial, how, pictures=pictures)

    # ---- going on later

    def save(self) -> dict[str, Any]:
        """All of it, between two turns."""
        best = self.best
        return {
            "learner": self.learner.save(MOST_REPLAY_BYTES),
            "source": self._source.save(),
            "owed": self._owed,
            "tally": self.tally.save(),
            "wall_s": self.wall_s,
            "point_at": self.point_at,
            "evaluated_at": self.evaluated_at,
            "best": None if best is None else [best.mean, best.wins, best.step],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """As it was saved."""
        self.learner.load(saved["learner"])
        self._source.load(saved["source"])
        self._owed = saved["owed"]
        self.tally = Tally(**saved["tally"])
        self.wall_s, self.point_at = saved["wall_s"], saved["point_at"]
        self.evaluated_at = saved["evaluated_at"]
        self.best = None if saved["best"] is None else Best(*saved["best"])
