"""One training under way: environments, rewards, the learner, and what is kept of them, in one loop."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.games.modules import Learned, Module, Recipe, Trial
from pitwall.games.profile import Game
from pitwall.gsm.intervals import bootstrap_mean
from pitwall.gsm.reward import RECENT, RewardCall, changes
from pitwall.gsm.training_log import Evaluated
from pitwall.trainer.checkpoint import MOST_REPLAY_BYTES
from pitwall.trainer.clips import make_clip
from pitwall.trainer.double_dqn import NONE, DoubleDQN, Recent, Shape
from pitwall.trainer.environments import Moments, Twins
from pitwall.trainer.export import POLICY, export
from pitwall.trainer.journal import Journal
from pitwall.trainer.lane import Disturbance, Lane, LaneOrder, Moment, trial_order
from pitwall.trainer.rewards import RewardFunction
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
        trials: that the policy is judged by.
        folder: the version's.
    """

    def __init__(
        self,
        game: Game,
        module: Module,
        learned: Learned,
        recipe: Recipe,
        *,
        trials: Sequence[Trial],
        twins: Twins,
        reward: RewardFunction,
        folder: Path,
        seed: int,
    ) -> None:
        self._game, self._module, self._learned, self._recipe = game, module, learned, recipe
        self._trials = trials
        self._twins, self._reward, self._folder = twins, reward, folder
        self.learner = DoubleDQN(Shape.of(learned, recipe), recipe, lanes=recipe.environments, seed=seed)
        lanes = recipe.environments
        self._recent = Recent(self.learner.shape, lanes)
        self._now: Moments | None = None
        self._age = np.zeros(lanes, np.int32)
        self._returned = np.zeros(lanes, np.float64)
        self._past: list[deque[int]] = [deque(maxlen=RECENT) for _ in range(lanes)]
        self._changes: list[deque[Mapping[str, float]]] = [deque(maxlen=RECENT) for _ in range(lanes)]
        self._owed = 0
        self._turns = 0
        self.tally = Tally()
        self.wall_s = 0.0
        self.point_at = self.evaluated_at = 0
        self.best: Best | None = None
        self._between = max(1, min(recipe.steps // _POINTS, _MOST_BETWEEN))

    @property
    def done(self) -> bool:
        """Whether every decision of the recipe was made."""
        return self.learner.step >= self._recipe.steps

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

    # ---- a turn: one decision in every lane, and the learning it pays for

    def turn(self) -> None:
        """Decide, play, reward, remember, learn."""
        began = time.perf_counter()
        if self._now is None:
            self._now = self._twins.begin()
        now, learner = self._now, self.learner
        actions = learner.act(self._recent.see(now.state, now.pictures, now.fresh))
        actions = np.where(now.over, NONE, actions)
        after = self._twins.step(actions)
        self._recent.acted(actions)
        playing = np.flatnonzero(~now.over).tolist()
        rewards = self._rewarded(now, after, actions, playing)
        learner.replay.add(now.state, now.pictures, actions, rewards, after.terminal & ~now.over, self._age)
        self._finish(now, after, rewards)
        learner.step += len(playing)
        self._owed += len(playing)
        self._learn()
        self._now = after
        self._turns += 1
        took_s = time.perf_counter() - began
        self.tally.seconds += took_s
        self.wall_s += took_s

    def _rewarded(
        self, now: Moments, after: Moments, actions: NDArray[Any], playing: Sequence[int]
    ) -> NDArray[np.float32]:
        step_s = self._twins.step_ms / 1000.0
        calls: list[RewardCall] = []
        chosen: list[int] = []
        for lane in playing:
            before, then = now.values[lane], after.values[lane]
            past, changed = self._past[lane], self._changes[lane]
            action = int(actions[lane])
            past.append(action)
            changed.append(changes(before, then))
            age = int(self._age[lane]) + 1
            chosen.append(action)
            calls.append(
                RewardCall(
                    prev_state=before,
                    next_state=then,
                    action_idx=action,
                    done=bool(after.terminal[lane]),
                    action_history=tuple(past),
                    action_state_changes=tuple(changed),
                    step_time=age * step_s,
                    step=age,
                )
            )
        given = self._reward.batch(calls)
        self.tally.decided(chosen, given)
        if playing:
            self.tally.saw(now.values[playing[self._turns % len(playing)]])
        rewards = np.zeros(len(actions), np.float32)
        rewards[playing] = [reward.total for reward in given]
        return rewards

    def _finish(self, now: Moments, after: Moments, rewards: NDArray[np.float32]) -> None:
        """Ages and sums of every lane; episodes that ended are counted."""
        self._returned += rewards
        self._age += 1
        for lane in np.flatnonzero(after.over & ~now.over).tolist():
            self.tally.ended(float(self._returned[lane]), int(self._age[lane]), after.score[lane])
        for lane in np.flatnonzero(after.fresh).tolist():
            self._age[lane], self._returned[lane] = 0, 0.0
            self._past[lane].clear()
            self._changes[lane].clear()

    def _learn(self) -> None:
        if self.learner.step < self._recipe.learn_from:
            self._owed = 0
        while self._owed >= self._recipe.train_every:
            self._owed -= self._recipe.train_every
            told = self.learner.learn()
            if told is not None:
                self.tally.learned(*told)

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
            export(self.learner.online, self._folder / POLICY)
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
        how = Disturbance.of(self._recipe)
        learned = self._learned
        return trial_order(self._game, self._module, learned, learned.actions, trial, how, pictures=pictures)

    # ---- going on later

    def save(self) -> dict[str, Any]:
        """All of it, between two turns."""
        best = self.best
        return {
            "learner": self.learner.save(MOST_REPLAY_BYTES),
            "recent": self._recent.save(),
            "lanes": self._twins.save() if self._now is not None else None,
            "age": self._age.tolist(),
            "returned": self._returned.tolist(),
            "past": [list(of) for of in self._past],
            "changes": [[dict(one) for one in of] for of in self._changes],
            "owed": self._owed,
            "turns": self._turns,
            "tally": self.tally.save(),
            "wall_s": self.wall_s,
            "point_at": self.point_at,
            "evaluated_at": self.evaluated_at,
            "best": None if best is None else [best.mean, best.wins, best.step],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """As it was saved."""
        self.learner.load(saved["learner"])
        self._recent.load(saved["recent"])
        self._now = None if saved["lanes"] is None else self._twins.restore(saved["lanes"])
        self._age = np.array(saved["age"], np.int32)
        self._returned = np.array(saved["returned"], np.float64)
        self._past = [deque(of, RECENT) for of in saved["past"]]
        self._changes = [deque(of, RECENT) for of in saved["changes"]]
        self._owed, self._turns = saved["owed"], saved["turns"]
        self.tally = Tally(**saved["tally"])
        self.wall_s, self.point_at = saved["wall_s"], saved["point_at"]
        self.evaluated_at = saved["evaluated_at"]
        self.best = None if saved["best"] is None else Best(*saved["best"])
