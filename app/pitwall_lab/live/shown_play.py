"""Play that a training beside play begins with: a person's, that of rules, and the default agent's runs.

A person's play and what the module's rules would do are advice: other actions are to be worth less, at first.
Play that is shown meanwhile is taken in too: a takeover's correction counts as often as in cloning.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.core.steps import ReflexRecord
from pitwall.demonstrations.folder import DemonstrationFolder, Kept
from pitwall.gsm.cloned_space import CloningRecipe
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.gsm.vision import PixelStack
from pitwall.store.run_reader import RunReader
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.cloning.decisions import holds_of_action, pictures_of
from pitwall_lab.cloning.stretches import Stretch, stretches_of
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.decision_memory import Advice, DecisionMemory
from pitwall_lab.training.run_log_transitions import RunLogTransitions

_EVERY_S = 5.0
_LEAST_ROWS, _MOST_GRADIENTS, _MOST_LEARN_S = 64, 2_000, 15.0
"""Rows from which it learns before play begins; most gradient steps and seconds of that."""
_MOST_STEPS, _MOST_READ_S = 3_000, 30.0
"""Steps of recorded runs; seconds for reading runs, and as many for demonstrations."""
_NEWEST = 1_000
_FRAME_MS = 33.0
_PRESSED_SHARE = 0.3
"""Least share of a decision's time in which a held action counts as taken."""
_CORRECTED = round(CloningRecipe().correction_weight)


class ShownPlay:
    """Reads shown play of a module's game into its learner.

    Args:
        about: the version that learns; runs from before it was made are shown play.
        advise: what the module's rules would do (`training.advice`); None: they have no say.
        should_stop: checked between two parts of what it reads.
    """

    def __init__(
        self,
        data: DataFolder,
        folder: ModuleFolder,
        about: VersionRecord,
        learner: DoubleDQN,
        reward: RewardFunction,
        advise: Advice | None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        assert about.learned is not None
        self._data, self._folder, self._about = data, folder, about
        self._learned, self._learner, self._reward, self._advise = about.learned, learner, reward, advise
        self._should_stop = should_stop
        self._read: set[str] = set()
        self._known: frozenset[str] | None = frozenset()
        self._tally = CurveAccumulator()
        self._due_s = 0.0
        self._start = 0
        self._pictures: dict[int, NDArray[np.uint8]] = {}
        self._memory = DecisionMemory(
            folder.game.profile, self._learned, reward, learner.show(), self._picture, _as_done
        )

    def begin(self, *, learn: bool) -> str:
        """Read everything, learn from it where that is wanted, and return a sentence about it."""
        parts = [f"{counted(decisions, 'decision')} of recorded runs"] if (decisions := self._runs()) else []
        shown = self._learner.show()
        taken = self._taken(full=lambda: shown.count == shown.rows)
        parts += [_named(taken)] if taken else []
        parts += ["the module's rules"] if self._advise is not None else []
        if any(learn or (self._known is not None and name not in self._known) for name in taken):
            self._learner.urge()
        if learn and shown.count >= _LEAST_ROWS:
            over, gradients = self._over(_MOST_LEARN_S), min(_MOST_GRADIENTS, 2 * shown.count)
            while gradients > 0 and not over() and self._learner.learn_shown(8):
                gradients -= 8
        if learn and self._advise is not None:
            self._learner.urge()
        return f"It begins with {', '.join(parts)}." if parts else ""

    def turn(self) -> str:
        """Take in play that was recorded since, at most every few seconds; name it."""
        if time.monotonic() < self._due_s:
            return ""
        self._due_s = time.monotonic() + _EVERY_S
        taken = self._taken()
        if not taken:
            return ""
        self._learner.urge()
        return _named(taken)

    def save(self) -> list[str]:
        """Return the names of the demonstrations that it read."""
        return sorted(self._read)

    def load(self, saved: Sequence[str] | None) -> None:
        """Take in what `save` returned: what was read before advises no more in full. None: nobody knows."""
        self._known = None if saved is None else frozenset(saved)

    def _over(self, most_s: float) -> Callable[[], bool]:
        until_s = time.monotonic() + most_s
        return lambda: time.monotonic() >= until_s or self._should_stop()

    def _taken(self, full: Callable[[], bool] = lambda: False) -> list[str]:
        """Take in demonstrations that were not read, the newest first, and name those that gave decisions.

        What is left when time is up, or the memory is full, is never read.
        """
        over = self._over(_MOST_READ_S)
        return [kept.id for kept in self._new() if self._take(kept, lambda: over() or full())]

    def _new(self) -> Iterator[Kept]:
        for kept in DemonstrationFolder(self._data).all():
            if self._should_stop():
                return
            about = kept.manifest
            if about is None or kept.recording or not about.complete or kept.id in self._read:
                continue
            self._read.add(kept.id)
            if about.game == self._folder.game.game_id:
                yield kept

    def _take(self, kept: Kept, over: Callable[[], bool]) -> int:
        """Add a demonstration's decisions, the newest stretch first, until it is over; return how many."""
        taken = 0
        for stretch, records in self._stretches(kept, over):
            for _ in range(_CORRECTED if stretch.correction else 1):
                self._memory.begin_run()
                taken += self._memory.take(records, self._tally)
                self._memory.cut(self._tally)
            self._pictures.clear()
        return taken

    def _stretches(
        self, kept: Kept, over: Callable[[], bool]
    ) -> Iterator[tuple[Stretch, list[ReflexRecord]]]:
        """Yield the stretches of a demonstration with their decisions; a damaged or bare part ends it."""
        with suppress(PitwallError):
            stretches = [] if over() else stretches_of(DemonstrationFolder(self._data).open(kept.id))
            for stretch in reversed(stretches):
                if over():
                    return
                yield stretch, self._records(stretch)

    def _records(self, stretch: Stretch) -> list[ReflexRecord]:
        """Return the decisions of a stretch as the module would have made them."""
        learned, profile = self._learned, self._folder.game.profile
        rows = _due(stretch.at_ns, learned.decide_every_ms or _FRAME_MS)
        if learned.vision is not None:
            pictures = pictures_of(stretch, rows, PixelStack(learned.vision, profile.screen))
            self._pictures.update(zip(stretch.at_ns[rows].tolist(), pictures, strict=True))
        begin = stretch.at_ns[rows]
        end = np.append(begin[1:], stretch.at_ns[-1] + 1)
        taken = np.zeros((len(rows), len(learned.actions)))
        for number, action in enumerate(learned.actions):
            for hold in holds_of_action(stretch, action, profile) if action else ():
                overlap = np.minimum(end, hold.up_ns) - np.maximum(begin, hold.down_ns)
                share = np.clip(overlap / np.maximum(1, end - begin), 0.0, 1.0)
                share[(begin <= hold.down_ns) & (hold.down_ns < end)] += 1.0  # a press counts where it begins
                taken[:, number] = np.maximum(taken[:, number], share)
        chosen = np.where(taken.max(axis=1) >= _PRESSED_SHARE, taken.argmax(axis=1), 0)
        moments = list(
            zip(begin.tolist(), chosen.tolist(), (stretch.values[row] for row in rows), strict=True)
        )
        if stretch.end is not None:
            end_ns, values = stretch.end
            moments.append((end_ns, NO_ACTION, values))
            if learned.vision is not None:
                self._pictures[end_ns] = pictures[-1]
        self._start -= 1
        return [
            ReflexRecord(
                step=0,
                at_ns=at_ns,
                module=self._folder.declared.name,
                version=stretch.source,
                start=self._start,
                action=action,
                values=dict(values),
            )
            for at_ns, action, values in moments
        ]

    def _runs(self) -> int:
        """Add the decisions of the newest runs from before the version was made, and return how many."""
        reader = RunReader.open(self._data)
        game_id, chosen, steps = self._folder.game.game_id, list[int](), 0
        for row in reader.runs(limit=_NEWEST):
            began = datetime.fromisoformat(row.manifest.started_at).timestamp()
            if row.manifest.game_id == game_id and row.finished and began < self._about.created_at:
                chosen.append(row.run_id)
                steps += row.summary.steps
            if steps >= _MOST_STEPS:
                break
        reader.close()
        if not chosen:
            return 0
        source = RunLogTransitions(
            self._data,
            self._folder,
            self._learned,
            self._reward,
            self._learner,
            follow=False,
            runs=chosen,
            replay=self._learner.show(),
            advise=self._advise,
        )
        over, decisions = self._over(_MOST_READ_S), 0
        while not source.exhausted and not over():
            decisions += source.turn(self._tally)
        source.close()
        return decisions

    def _picture(self, record: ReflexRecord) -> NDArray[np.uint8] | None:
        return self._pictures[record.at_ns][None] if self._learned.vision is not None else None


def _named(taken: Sequence[str]) -> str:
    return f"shown play {', '.join(taken)}"


def _as_done(record: ReflexRecord) -> int:
    return record.action


def _due(at_ns: NDArray[np.int64], period_ms: float) -> NDArray[np.int64]:
    """Return the moments on which a module of this period decides."""
    rows, due, period = list[int](), 0, int(period_ms * NS_PER_MS)
    for row, now in enumerate(at_ns.tolist()):
        if now >= due - period // 4:
            rows.append(row)
            due = now + period
    return np.asarray(rows, np.int64)
