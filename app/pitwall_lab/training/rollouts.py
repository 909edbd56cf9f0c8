"""Plays twins side by side, rewards their transitions, and stores them for the learner."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall_lab.algorithms.learner import Learner
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.algorithms.replay import Outcome
from pitwall_lab.environments.vector_environment import BatchedStepResult, VectorEnvironment
from pitwall_lab.rewards.contract import RECENT, RewardCall, changes
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.input_history import InputHistory

_UNASKED: Mapping[str, float] = {}
"""Placeholder for changes that the reward function does not use, because computing them takes time."""


class TransitionSource(Protocol):
    """Adds decisions to the learner's replay memory.

    Attributes:
        price: decisions for each gradient step. learn_from: decisions before the first gradient step.
    """

    price: float
    learn_from: int

    @property
    def exhausted(self) -> bool:
        """Return whether nothing more will come."""
        ...

    @property
    def account(self) -> str:
        """Return the beginning of a sentence about what was read; empty if it reads nothing."""
        ...

    def turn(self, tally: CurveAccumulator) -> int:
        """Add the next decisions; return how many."""
        ...

    def save(self) -> dict[str, Any]:
        """Return the state between two turns."""
        ...

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        ...


class TwinRollouts:
    """A `TransitionSource` that plays twins.

    Args:
        learner: chooses the actions and stores the transitions.
    """

    def __init__(
        self,
        twins: VectorEnvironment,
        reward: RewardFunction,
        learner: Learner,
        *,
        lanes: int,
    ) -> None:
        self.price, self.learn_from = learner.price, learner.learn_from
        self._twins, self._reward, self._learner = twins, reward, learner
        self._wants_changes = "action_state_changes" in reward.source.parameters
        self._recent = InputHistory(learner.shape, lanes)
        self._now: BatchedStepResult | None = None
        self._age = np.zeros(lanes, np.int32)
        self._returned = np.zeros(lanes, np.float64)
        self._past: list[deque[int]] = [deque(maxlen=RECENT) for _ in range(lanes)]
        self._changes: list[deque[Mapping[str, float]]] = [deque(maxlen=RECENT) for _ in range(lanes)]
        self._turns = 0

    @property
    def exhausted(self) -> bool:
        """Return False: twins never end."""
        return False

    @property
    def account(self) -> str:
        """Return an empty text: twins read nothing."""
        return ""

    def turn(self, tally: CurveAccumulator) -> int:
        """Take one decision in every lane; a lane whose episode is over begins the next instead."""
        if self._now is None:
            self._now = self._twins.begin()
        now, learner = self._now, self._learner
        actions = learner.act(self._recent.see(now.state, now.pictures, now.fresh))
        actions = np.where(now.over, NO_ACTION, actions)
        after = self._twins.step(actions)
        self._recent.acted(actions)
        playing = np.flatnonzero(~now.over).tolist()
        rewards = self._rewarded(now, after, actions, playing, tally)
        terminal = after.terminal & ~now.over
        learner.remember(Outcome(now.state, now.pictures, actions, rewards, terminal, self._age))
        self._finish(now, after, rewards, tally)
        self._now = after
        self._turns += 1
        return len(playing)

    def _rewarded(
        self,
        now: BatchedStepResult,
        after: BatchedStepResult,
        actions: NDArray[Any],
        playing: Sequence[int],
        tally: CurveAccumulator,
    ) -> NDArray[np.float32]:
        step_s = self._twins.step_ms / 1000.0
        calls: list[RewardCall] = []
        chosen: list[int] = []
        for lane in playing:
            before, then = now.values[lane], after.values[lane]
            past, changed = self._past[lane], self._changes[lane]
            action = int(actions[lane])
            past.append(action)
            changed.append(changes(before, then) if self._wants_changes else _UNASKED)
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
        tally.decided(chosen, given)
        if playing:
            tally.saw(now.values[playing[self._turns % len(playing)]])
        rewards = np.zeros(len(actions), np.float32)
        rewards[playing] = [reward.total for reward in given]
        return rewards

    def _finish(
        self,
        now: BatchedStepResult,
        after: BatchedStepResult,
        rewards: NDArray[np.float32],
        tally: CurveAccumulator,
    ) -> None:
        """Update every lane's age and return, and count the episodes that ended."""
        self._returned += rewards
        self._age += 1
        for lane in np.flatnonzero(after.over & ~now.over).tolist():
            tally.ended(float(self._returned[lane]), int(self._age[lane]), after.score[lane])
        for lane in np.flatnonzero(after.fresh).tolist():
            self._age[lane], self._returned[lane] = 0, 0.0
            self._past[lane].clear()
            self._changes[lane].clear()

    def save(self) -> dict[str, Any]:
        """See `TransitionSource`."""
        return {
            "recent": self._recent.save(),
            "lanes": self._twins.save() if self._now is not None else None,
            "age": self._age.tolist(),
            "returned": self._returned.tolist(),
            "past": [list(of) for of in self._past],
            "changes": [[dict(change) for change in of] for of in self._changes],
            "turns": self._turns,
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `TransitionSource`."""
        self._recent.load(saved["recent"])
        self._now = None if saved["lanes"] is None else self._twins.restore(saved["lanes"])
        self._age = np.array(saved["age"], np.int32)
        self._returned = np.array(saved["returned"], np.float64)
        self._past = [deque(of, RECENT) for of in saved["past"]]
        self._changes = [deque(of, RECENT) for of in saved["changes"]]
        self._turns = saved["turns"]
