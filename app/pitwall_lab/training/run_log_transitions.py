"""Learning from live play: decisions recorded in runs of the engine become transitions.

A module's own decisions are recorded frame by frame, those of other players step by step (`step_decisions`).
A module that sees learns from the steps' pictures, and from those of its own decisions while it explored. The
run log is only read, and the game gets no input. The resulting policy is a version like any other; it drives
once it is promoted.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord
from pitwall.games.schema.modules import Learned
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.frames import SeenPictures, SmallPicture
from pitwall.store.run_reader import RunReader, RunRow
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.algorithms.replay import Replay
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.decision_memory import Advice, DecisionMemory
from pitwall_lab.training.step_decisions import StepDecisions

GRADIENT_STEPS_PER_DECISION = 0.5
"""Decisions for each gradient step: live decisions are scarce, so each pays for two."""
_LEARN_FROM = 64
"""Most decisions before the first gradient step, because live play gives few."""
_AT_ONCE = 64
_LOOK_S = 0.1
_MOST_RUNS = 100_000


class RunLogTransitions:
    """A `TransitionSource` that reads one module's decisions from the run log, oldest run first.

    Args:
        folder: the module's versions; decisions of a version with other actions are skipped.
        learner: stores them, in a single lane.
        follow: also read the present run, and those that will come.
        runs: only these; empty: every run of the game.
        own: only decisions of this version, from runs that began after it was made; empty: of everybody.
        replay: takes the transitions in place of the learner's own replay memory.
        advise: see `DecisionMemory`.

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
        replay: Replay | None = None,
        advise: Advice | None = None,
    ) -> None:
        profile = folder.game.profile
        self._steps = StepDecisions(data, folder.declared.name, learned, profile.screen)
        self._next_step = 1
        self.learn_from = min(learner.recipe.learn_from, _LEARN_FROM)
        self._data, self._own = data, own
        self._made_at = folder.about(own).created_at if own else 0.0
        self._reader = RunReader.open(data)
        self._folder, self._learned = folder, learned
        self._follow, self._only = follow, frozenset(runs)
        replay = learner.replay if replay is None else replay
        self._memory = DecisionMemory(profile, learned, reward, replay, self._picture, advise)
        self._fits: dict[str, bool] = {}
        self._run = self._after = 0
        self._earlier_s = self.clock_s = 0.0
        self._pictures: SeenPictures | None = None
        self._seen: dict[int, SmallPicture] = {}
        self._over = False

    @property
    def exhausted(self) -> bool:
        """Return whether every existing run was read to its end, and no other is awaited."""
        return self._over and not self._follow

    def turn(self, tally: CurveAccumulator) -> int:
        """Add the log's next decisions; wait briefly if there are none."""
        records = self._next(tally)
        if not records and not self.exhausted:
            time.sleep(_LOOK_S)
        if records:
            self.clock_s = self._earlier_s + records[-1].at_ns / NS_PER_S
        return self._memory.take(records, tally)

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
        self._memory.cut(tally)
        startable = [run for run in later if self._follow or run in over]
        self._over = not startable
        if startable:
            self._run, self._after, self._next_step = startable[0], 0, 1
            self._earlier_s = self.clock_s
            self._begin_run()
        return []

    def _begin_run(self) -> None:
        self._steps.begin(self._run)
        self._memory.begin_run()
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
        last = max((at_ns for at_ns in self._seen if at_ns <= record.at_ns), default=None)
        if last is not None and record.start > 0:
            self._seen = {at_ns: kept for at_ns, kept in self._seen.items() if at_ns >= last}
            return self._seen[last][None]
        return self._steps.picture(record)

    # ---- saving and loading

    def save(self) -> dict[str, Any]:
        """See `TransitionSource`."""
        return {
            "run": self._run,
            "after": self._after,
            "next_step": self._next_step,
            "clock_s": [self._earlier_s, self.clock_s],
            **self._memory.save(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `TransitionSource`."""
        self._run, self._after = saved["run"], saved["after"]
        self._next_step = saved.get("next_step", 1)
        self._earlier_s, self.clock_s = saved.get("clock_s", (0.0, 0.0))
        self._begin_run()
        self._memory.load(saved)
        last = self._memory.last
        if last is not None and not self._sees(last) and self._own:
            self._memory.last = None  # its picture is gone
