"""Learning from live play: decisions recorded in runs of the engine become transitions.

A module's own decisions are recorded frame by frame, those of other players step by step (`step_decisions`).
A module that sees learns from the steps' pictures, and from those of its own decisions while it explored. The
run log is only read, and the game gets no input. The resulting policy is a version like any other; it drives
once it is promoted.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord
from pitwall.games.schema.modules import Learned
from pitwall.gsm.state_space import StateSpace
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.frames import SeenPictures, SmallPicture
from pitwall.store.run_reader import RunReader, RunRow
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.rewards.contract import RECENT, Reward, RewardCall, changes
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.judged_counters import JudgedCounters, without_gaps
from pitwall_lab.training.step_decisions import StepDecisions

GRADIENT_STEPS_PER_DECISION = 0.25
"""Decisions for each gradient step: live decisions are scarce, so each pays for four."""
_LEARN_FROM = 64
"""Most decisions before the first gradient step, because live play gives few."""
_AT_ONCE = 64
_LOOK_S = 0.1
_MOST_RUNS = 100_000
_BREAKS = (GameStatus.PAUSED.value, GameStatus.LOADING.value)
"""Statuses in which a module may end without ending its episode for good."""


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


class RunLogTransitions:
    """A `TransitionSource` that reads one module's decisions from the run log, oldest run first.

    Args:
        folder: the module's versions; decisions of a version with other actions are skipped.
        learner: stores them, in a single lane.
        follow: also read the present run, and those that will come.
        runs: only these; empty: every run of the game.
        own: only decisions of this version, from runs that began after it was made; empty: of everybody.

    Attributes:
        clock_s: seconds of the runs that were read, up to the newest decision.

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
        own: str = "",
    ) -> None:
        profile = folder.game.profile
        self._steps = StepDecisions(data, folder.declared.name, learned, profile.screen)
        self._next_step = 1
        self.learn_from = min(learner.recipe.learn_from, _LEARN_FROM)
        self._data, self._own = data, own
        self._made_at = folder.about(own).created_at if own else 0.0
        self._reader = RunReader.open(data)
        self._folder, self._learned, self._learner = folder, learned, learner
        self._reward, self._follow, self._only = reward, follow, frozenset(runs)
        self._space = StateSpace(learned.state)
        self._fits: dict[str, bool] = {}
        self._run = self._after = 0
        self._earlier_s = self.clock_s = 0.0
        self._counted = list(dict.fromkeys(filter(None, (profile.score_field, *profile.gain_fields))))
        self._counters = JudgedCounters(self._counted)
        self._pictures: SeenPictures | None = None
        self._seen: dict[int, SmallPicture] = {}
        self._over = False
        self._last: ReflexRecord | None = None
        self._began_ns = 0
        self._age = self._last_age = 0
        self._returned = 0.0
        self._past: deque[int] = deque(maxlen=RECENT)
        self._changes: deque[Mapping[str, float]] = deque(maxlen=RECENT)

    @property
    def exhausted(self) -> bool:
        """Return whether every existing run was read to its end, and no other is awaited."""
        return self._over and not self._follow

    def turn(self, tally: CurveAccumulator) -> int:
        """Add the log's next decisions; wait briefly if there are none."""
        records = self._next(tally)
        if not records and not self.exhausted:
            time.sleep(_LOOK_S)
        return self._take(records, tally)

    def close(self) -> None:
        """Close the run log."""
        self._reader.close()

    # ---- reading

    def _next(self, tally: CurveAccumulator) -> list[ReflexRecord]:
        """Return further decisions; moving to the next run ends the episode of the previous run."""
        records = self._further() if self._run else None
        if records is not None:
            return records
        runs = self._reader.runs(limit=_MOST_RUNS)
        ours = sorted(row.run_id for row in runs if self._wanted(row))
        later = [run for run in ours if run > self._run]
        over = {row.run_id for row in runs if row.finished or row.run_id < runs[0].run_id}
        if self._run and self._run not in over and self._follow:
            return []
        self._cut(tally)
        startable = [run for run in later if self._follow or run in over]
        self._over = not startable
        if startable:
            self._run, self._after, self._next_step = startable[0], 0, 1
            self._earlier_s = self.clock_s
            self._begin_run()
        return []

    def _begin_run(self) -> None:
        self._steps.begin(self._run)
        self._counters = JudgedCounters(self._counted)
        eye = self._learned.vision
        self._pictures = SeenPictures(self._data.run(self._run), (eye.height, eye.width)) if eye else None
        self._seen = {}

    def _further(self) -> list[ReflexRecord] | None:
        """Return further decisions of this run, the module's own before those of steps; None: none now."""
        own = self._reader.reflexes(self._run, after=self._after, limit=_AT_ONCE)
        if own:
            self._after = own[-1][0]
            return [record for _, record in own if self._ours(record) and self._sees(record)]
        if self._own:
            return None
        steps = self._reader.steps(self._run, self._next_step, _AT_ONCE)
        if not steps:
            return None
        self._next_step = steps[-1].step + 1
        return list(self._steps.records(steps))

    @property
    def account(self) -> str:
        """See `TransitionSource`."""
        return f"{self._steps.account}. That made "

    def _wanted(self, row: RunRow) -> bool:
        if self._own and datetime.fromisoformat(row.manifest.started_at).timestamp() < self._made_at:
            return False
        ours = row.manifest.game_id == self._folder.game.game_id
        return ours and (not self._only or row.run_id in self._only)

    def _ours(self, record: ReflexRecord) -> bool:
        """Return whether this module made the decision, in a version with the same actions."""
        if record.module != self._folder.declared.name or self._own not in ("", record.version):
            return False
        if record.version not in self._fits:
            try:
                space = self._folder.about(record.version).learned
            except PitwallError:
                space = None
            self._fits[record.version] = space is not None and space.actions == self._learned.actions
        return self._fits[record.version] and record.action < len(self._learned.actions)

    def _sees(self, record: ReflexRecord) -> bool:
        """Return whether the module's picture of a decision is known, and keep it; true without vision."""
        if self._pictures is None or record.action == NO_ACTION:
            return True
        picture = self._pictures.at(record.at_ns)
        if picture is not None:
            self._seen[record.at_ns] = picture
        return picture is not None

    def _picture(self, record: ReflexRecord) -> NDArray[np.uint8] | None:
        """Return the picture of a decision, (1, height, width); where it ended, the last before; or None."""
        if self._seen and record.start > 0:
            last = max(at_ns for at_ns in self._seen if at_ns <= record.at_ns)
            self._seen = {at_ns: kept for at_ns, kept in self._seen.items() if at_ns >= last}
            return self._seen[last][None]
        return self._steps.picture(record)

    # ---- remembering

    def _take(self, records: Sequence[ReflexRecord], tally: CurveAccumulator) -> int:
        """Store complete decisions and return how many; a decision is complete once the next is read."""
        rows: list[_Row] = []
        for read in records:
            last = self._last
            fresh = last is None or last.start != read.start
            if fresh:
                self._begin(read)
            record = replace(read, values=self._counters.judged(read))
            self.clock_s = self._earlier_s + record.at_ns / NS_PER_S
            ended = self._counters.ended if self._counted else []
            over = (bool(ended), ended[0] if ended else None)
            if last is not None and fresh:
                rows.append(_Row(last, self._last_age, None, *over))
            elif last is not None:
                rows.append(_Row(last, self._age, self._call(last, record), *over))
                self._age += 1
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
        self._learner.replay.add(
            self._space.encode(row.record.values)[None],
            self._picture(row.record),
            np.array([row.record.action if reward is not None else NO_ACTION]),
            np.array([total]),
            np.array([row.call is not None and row.call.done]),
            np.array([row.age]),
        )
        self._returned = total if row.age == 0 else self._returned + total
        if row.over or (reward is None and not self._counted):
            tally.ended(self._returned, row.age, row.score)
        if reward is None:
            return
        tally.decided([row.record.action], [reward])
        tally.saw(row.record.values)

    def _cut(self, tally: CurveAccumulator) -> None:
        """End the last episode, because its run is over."""
        if self._last is not None:
            self._remember(_Row(self._last, self._age, None), None, tally)
        self._last = None

    # ---- saving and loading

    def save(self) -> dict[str, Any]:
        """See `TransitionSource`."""
        return {
            "run": self._run,
            "after": self._after,
            "next_step": self._next_step,
            "last": None if self._last is None else asdict(self._last),
            "began_ns": self._began_ns,
            "age": self._age,
            "returned": self._returned,
            "clock_s": [self._earlier_s, self.clock_s],
            "past": list(self._past),
            "changes": [dict(change) for change in self._changes],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `TransitionSource`."""
        self._run, self._after = saved["run"], saved["after"]
        self._next_step = saved.get("next_step", 1)
        self._earlier_s, self.clock_s = saved.get("clock_s", (0.0, 0.0))
        self._begin_run()
        self._last = None if saved["last"] is None else ReflexRecord(**saved["last"])
        if self._last is not None and not self._sees(self._last) and self._own:
            self._last = None  # its picture is gone
        self._began_ns, self._age, self._returned = saved["began_ns"], saved["age"], saved["returned"]
        self._past = deque(saved["past"], RECENT)
        self._changes = deque(saved["changes"], RECENT)
