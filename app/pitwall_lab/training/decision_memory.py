"""Puts successive decisions of play into a replay memory, with their rewards and what was advised."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_S
from pitwall.core.observations import GameStatus
from pitwall.core.steps import ReflexRecord
from pitwall.games.schema.modules import Learned
from pitwall.games.schema.profile import Profile
from pitwall.gsm.state_space import StateSpace
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.algorithms.replay import Replay
from pitwall_lab.rewards.contract import RECENT, Reward, RewardCall, changes
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.judged_counters import JudgedCounters, without_gaps

_BREAKS = (GameStatus.PAUSED.value, GameStatus.LOADING.value)
"""Statuses in which a module may end without ending its episode for good."""
Advice: TypeAlias = Callable[[ReflexRecord], int]
"""Returns the index of the action that a teacher would take; NO_ACTION: it says nothing."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A decision for the replay memory with its transition; None: no transition is known.

    Attributes:
        over: whether its game ended. score: of that game; None: none was read.
    """

    record: ReflexRecord
    age: int
    call: RewardCall | None
    over: bool = False
    score: float | None = None


class DecisionMemory:
    """Remembers decisions in the order of play; a decision is complete once the next is read.

    Args:
        replay: takes the rows, in a single lane.
        picture: returns the picture of a decision, (1, height, width); None without vision.
        advise: the teacher of each decision; None: there is none.

    Attributes:
        last: the newest decision, which is not complete yet.
    """

    def __init__(
        self,
        profile: Profile,
        learned: Learned,
        reward: RewardFunction,
        replay: Replay,
        picture: Callable[[ReflexRecord], NDArray[np.uint8] | None],
        advise: Advice | None = None,
    ) -> None:
        self._reward, self._replay, self._picture, self._advise = reward, replay, picture, advise
        self._space = StateSpace(learned.state)
        self._counted = list(dict.fromkeys(filter(None, (profile.score_field, *profile.gain_fields))))
        self._counters = JudgedCounters(self._counted)
        self.last: ReflexRecord | None = None
        self._began_ns = 0
        self._age = self._last_age = 0
        self._returned = 0.0
        self._past: deque[int] = deque(maxlen=RECENT)
        self._changes: deque[Mapping[str, float]] = deque(maxlen=RECENT)

    def begin_run(self) -> None:
        """Begin a run, whose decisions come next."""
        self._counters = JudgedCounters(self._counted)

    def take(self, records: Sequence[ReflexRecord], tally: CurveAccumulator) -> int:
        """Store complete decisions and return how many."""
        rows: list[_Row] = []
        for read in records:
            last = self.last
            fresh = last is None or last.start != read.start
            if fresh:
                self._begin(read)
            record = replace(read, values=self._counters.judged(read))
            ended = self._counters.ended if self._counted else []
            over = (bool(ended), ended[0] if ended else None)
            if last is not None and fresh:
                rows.append(_Row(last, self._last_age, None, *over))
            elif last is not None:
                rows.append(_Row(last, self._age, self._call(last, record), *over))
                self._age += 1
            self.last = record
            if record.action == NO_ACTION:
                rows.append(_Row(record, self._age, None))
                self.last = None
        calls = [row.call for row in rows if row.call is not None]
        rewards = iter(self._reward.batch(calls))
        for row in rows:
            self._remember(row, next(rewards) if row.call is not None else None, tally)
        return len(calls)

    def cut(self, tally: CurveAccumulator) -> None:
        """End the last episode, because its run is over."""
        if self.last is not None:
            self._remember(_Row(self.last, self._age, None), None, tally)
        self.last = None

    def _begin(self, record: ReflexRecord) -> None:
        self._began_ns, self._last_age, self._age = record.at_ns, self._age, 0
        self._counters.begin()
        self._past.clear()
        self._changes.clear()

    def _call(self, last: ReflexRecord, record: ReflexRecord) -> RewardCall:
        before, after = without_gaps(last.values, record.values, self._counted)
        self._past.append(last.action)
        self._changes.append(changes(before, after))
        return RewardCall(
            prev_state=before,
            next_state=after,
            action_idx=last.action,
            done=record.action == NO_ACTION and record.values.get("status") not in _BREAKS,
            action_history=tuple(self._past),
            action_state_changes=tuple(self._changes),
            episode_start_time=self._began_ns / NS_PER_S,
            step_time=record.at_ns / NS_PER_S,
            step=self._age + 1,
        )

    def _remember(self, row: _Row, reward: Reward | None, tally: CurveAccumulator) -> None:
        """Add a row to the replay memory; a row without a reward ends or cuts an episode."""
        total = reward.total if reward is not None else 0.0
        advised = self._advise(row.record) if self._advise is not None and reward is not None else NO_ACTION
        self._replay.add(
            self._space.encode(row.record.values)[None],
            self._picture(row.record),
            np.array([row.record.action if reward is not None else NO_ACTION]),
            np.array([total]),
            np.array([row.call is not None and row.call.done]),
            np.array([row.age]),
            np.array([advised]),
        )
        self._returned = total if row.age == 0 else self._returned + total
        if row.over or (reward is None and not self._counted):
            tally.ended(self._returned, row.age, row.score)
        if reward is None:
            return
        tally.decided([row.record.action], [reward])
        tally.saw(row.record.values)

    def save(self) -> dict[str, Any]:
        """Return the state between two turns."""
        return {
            "last": None if self.last is None else asdict(self.last),
            "began_ns": self._began_ns,
            "age": self._age,
            "returned": self._returned,
            "past": list(self._past),
            "changes": [dict(change) for change in self._changes],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self.last = None if saved["last"] is None else ReflexRecord(**saved["last"])
        self._began_ns, self._age, self._returned = saved["began_ns"], saved["age"], saved["returned"]
        self._past = deque(saved["past"], RECENT)
        self._changes = deque(saved["changes"], RECENT)
