"""Learning from live play: what was decided in runs of the engine becomes transitions.

A module's own decisions are read as they were made, frame by frame; those of whoever else played, step by
step (`step_decisions`). A module that sees learns from the steps' pictures. The run log is read, never
written, and the game's input is never touched: the policy that comes of it is a version like any other, which
drives once it is promoted.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord
from pitwall.games.schema.modules import Learned
from pitwall.gsm.reward import RECENT, Reward, RewardCall, changes
from pitwall.gsm.state_space import StateSpace
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.run_reader import RunReader
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.step_decisions import StepDecisions

LiveMode = Literal["", "finished", "follow"]
GRADIENT_STEPS_PER_DECISION = 0.25
"""Live decisions are dear: each pays for four gradient steps."""
_LEARN_FROM = 64
"""Decisions before the first gradient step, at most: those of live play are few."""
_AT_ONCE = 64
_LOOK_S = 0.1
_MOST_RUNS = 100_000
_BREAKS = (GameStatus.PAUSED.value, GameStatus.LOADING.value)
"""A module that ends here ended no episode for good."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A decision that is to be remembered, and the transition it made; None: none is known."""

    record: ReflexRecord
    age: int
    call: RewardCall | None


class RunLogTransitions:
    """Decisions of one module from the run log, oldest run first. A `TransitionSource`.

    Args:
        folder: the module's versions: decisions of one with other actions teach nothing.
        learner: remembers, in a single lane.
        follow: also the run that is going on, and those that will come.
        runs: only these; none: every run of the game.

    Raises:
        DataFolderError: the run log cannot be read.
    """

    price = GRADIENT_STEPS_PER_DECISION

    def __init__(
        self,
        data: DataFolder,
        folder: ModuleFolder,
        learned: Learned,
        reward: RewardFunction,
        learner: DoubleDQN,
        *,
        follow: bool,
        runs: Sequence[int] = (),
    ) -> None:
        profile = folder.game.profile
        self._steps = StepDecisions(data, folder.declared.name, learned, profile.screen)
        self._next_step = 1
        self.learn_from = min(learner.recipe.learn_from, _LEARN_FROM)
        self._reader = RunReader.open(data)
        self._folder, self._learned, self._learner = folder, learned, learner
        self._reward, self._follow, self._only = reward, follow, frozenset(runs)
        self._space = StateSpace(learned.state)
        self._fits: dict[str, bool] = {}
        self._run = self._after = 0
        self._over = False
        self._last: ReflexRecord | None = None
        self._began_ns = 0
        self._age = 0
        self._returned = 0.0
        self._past: deque[int] = deque(maxlen=RECENT)
        self._changes: deque[Mapping[str, float]] = deque(maxlen=RECENT)

    @property
    def exhausted(self) -> bool:
        """Whether every run there is was read to its end, and no other is waited for."""
        return self._over and not self._follow

    def turn(self, tally: CurveAccumulator) -> int:
        """The next decisions of the log; waits a little where there is none."""
        records = self._next(tally)
        if not records and not self.exhausted:
            time.sleep(_LOOK_S)
        return self._take(records, tally)

    def close(self) -> None:
        """Let the run log go."""
        self._reader.close()

    # ---- reading

    def _next(self, tally: CurveAccumulator) -> list[ReflexRecord]:
        """Further decisions; going over to the next run ends the episode of the one before."""
        found = self._found() if self._run else None
        if found is not None:
            return found
        runs = self._reader.runs(limit=_MOST_RUNS)
        ours = sorted(row.run_id for row in runs if self._wanted(row.run_id, row.manifest.game_id))
        later = [run for run in ours if run > self._run]
        over = {row.run_id for row in runs if row.finished or row.run_id < runs[0].run_id}
        if self._run and self._run not in over and self._follow:
            return []
        self._cut(tally)
        startable = [run for run in later if self._follow or run in over]
        self._over = not startable
        if startable:
            self._run, self._after, self._next_step = startable[0], 0, 1
            self._steps.begin(self._run)
        return []

    def _found(self) -> list[ReflexRecord] | None:
        """Further decisions of this run: the module's own, then those of steps; None: none now."""
        own = self._reader.reflexes(self._run, after=self._after, limit=_AT_ONCE)
        if own:
            self._after = own[-1][0]
            seen = self._learned.vision is not None
            return [] if seen else [record for _, record in own if self._ours(record)]
        steps = self._reader.steps(self._run, self._next_step, _AT_ONCE)
        if not steps:
            return None
        self._next_step = steps[-1].step + 1
        return list(self._steps.records(steps))

    @property
    def account(self) -> str:
        """See `TransitionSource`."""
        return f"{self._steps.account}. That made "

    def _wanted(self, run: int, game_id: str) -> bool:
        return game_id == self._folder.game.game_id and (not self._only or run in self._only)

    def _ours(self, record: ReflexRecord) -> bool:
        """Whether it is this module's, of a version with the same actions."""
        if record.module != self._folder.declared.name:
            return False
        if record.version not in self._fits:
            try:
                space = self._folder.about(record.version).learned
            except PitwallError:
                space = None
            self._fits[record.version] = space is not None and space.actions == self._learned.actions
        return self._fits[record.version] and record.action < len(self._learned.actions)

    # ---- remembering

    def _take(self, records: Sequence[ReflexRecord], tally: CurveAccumulator) -> int:
        """Remember what is known whole: a decision is once the frame after it was read. How many."""
        rows: list[_Row] = []
        for record in records:
            last = self._last
            if last is not None and last.start == record.start:
                rows.append(_Row(last, self._age, self._call(last, record)))
                self._age += 1
            elif last is not None:
                rows.append(_Row(last, self._age, None))
            if last is None or last.start != record.start:
                self._begin(record)
            self._last = record
            if record.action == NO_ACTION:
                rows.append(_Row(record, self._age, None))
                self._last = None
        calls = [row.call for row in rows if row.call is not None]
        rewards = iter(self._reward.batch(calls))
        for row in rows:
            self._remember(row, next(rewards) if row.call is not None else None, tally)
        return len(calls)

    def _begin(self, record: ReflexRecord) -> None:
        self._began_ns, self._age = record.at_ns, 0
        self._past.clear()
        self._changes.clear()

    def _call(self, last: ReflexRecord, record: ReflexRecord) -> RewardCall:
        self._past.append(last.action)
        self._changes.append(changes(last.values, record.values))
        return RewardCall(
            prev_state=last.values,
            next_state=record.values,
            action_idx=last.action,
            done=record.action == NO_ACTION and record.values.get("status") not in _BREAKS,
            action_history=tuple(self._past),
            action_state_changes=tuple(self._changes),
            episode_start_time=self._began_ns / NS_PER_S,
            step_time=record.at_ns / NS_PER_S,
            step=self._age + 1,
        )

    def _remember(self, row: _Row, reward: Reward | None, tally: CurveAccumulator) -> None:
        """A row of the replay memory; without a reward it is where an episode ended or was cut."""
        total = reward.total if reward is not None else 0.0
        self._learner.replay.add(
            self._space.encode(row.record.values)[None],
            self._steps.picture(row.record),
            np.array([row.record.action if reward is not None else NO_ACTION]),
            np.array([total]),
            np.array([row.call is not None and row.call.done]),
            np.array([row.age]),
        )
        self._returned = total if row.age == 0 else self._returned + total
        if reward is None:
            tally.ended(self._returned, row.age, None)
            return
        tally.decided([row.record.action], [reward])
        tally.saw(row.record.values)

    def _cut(self, tally: CurveAccumulator) -> None:
        """The run is over: so is its last episode."""
        if self._last is not None:
            self._remember(_Row(self._last, self._age, None), None, tally)
        self._last = None

    # ---- going on later

    def save(self) -> dict[str, Any]:
        """See `playing.Source`."""
        return {
            "run": self._run,
            "after": self._after,
            "next_step": self._next_step,
            "last": None if self._last is None else asdict(self._last),
            "began_ns": self._began_ns,
            "age": self._age,
            "returned": self._returned,
            "past": list(self._past),
            "changes": [dict(one) for one in self._changes],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `playing.Source`."""
        self._run, self._after = saved["run"], saved["after"]
        self._next_step = saved.get("next_step", 1)
        self._steps.begin(self._run)
        self._last = None if saved["last"] is None else ReflexRecord(**saved["last"])
        self._began_ns, self._age, self._returned = saved["began_ns"], saved["age"], saved["returned"]
        self._past = deque(saved["past"], RECENT)
        self._changes = deque(saved["changes"], RECENT)
