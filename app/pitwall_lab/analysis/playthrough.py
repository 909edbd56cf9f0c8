"""Plays a version on its twin, for an analysis or a search.

The seeds are training seeds, never the held-out ones of a comparison.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from pitwall.core.errors import PitwallError
from pitwall.games.schema.modules import Module, Trial
from pitwall.gsm.playable import module_of
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.figures import ActionUse, Play, Trend
from pitwall_lab.analysis.seen_values import seen_values, seen_words
from pitwall_lab.environments.twin_environment import (
    Disturbance,
    EnvironmentSpec,
    StepResult,
    TwinEnvironment,
    training_spec,
    trial_spec,
)
from pitwall_lab.rewards.contract import RECENT, RewardCall, changes
from pitwall_lab.trials.twin_trials import (
    BatchPolicy,
    ModulePolicy,
    TwinRun,
    judge,
    space_of,
)

_Value = TypeVar("_Value", float, str)
FIRST_SEED = 1
_LAST_S = 1.0
_STAYS = 0.8
"""A random player repeats its action with this probability, so that it comes further than trembling."""


def play_version(
    folder: ModuleFolder,
    about: VersionRecord,
    trial: Trial,
    *,
    runs: int = 8,
    should_stop: Callable[[], bool] = lambda: False,
) -> Play:
    """Play a version on its twin.

    Raises:
        PitwallError: it has no twin or no policy, or the twin fails.
    """
    make = module_of(folder, about)
    order = _order(folder, about, trial, make().actions)
    watcher = _Watcher(ModulePolicy(make))
    played = judge(order, watcher, trial, runs=runs, first_seed=FIRST_SEED, should_stop=should_stop)
    return _play(folder, order, watcher.runs, played)


def try_rules(
    folder: ModuleFolder,
    about: VersionRecord,
    rules: Module,
    trial: Trial,
    *,
    runs: int,
    first_seed: int = FIRST_SEED,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[float]:
    """Return the scores of changed rules on training seeds."""
    fields = frozenset(field.name for field in folder.game.profile.fields)
    order = _order(folder, about, trial, RuleModule(rules, fields).actions)
    pilot = ModulePolicy(lambda: RuleModule(rules, fields))
    done = judge(order, pilot, trial, runs=runs, first_seed=first_seed, should_stop=should_stop)
    return [run.score for run in done]


def sample_transitions(
    folder: ModuleFolder, about: VersionRecord | None = None, *, count: int = 500, seed: int = 0
) -> list[RewardCall]:
    """Collect transitions of a random player on the twin, whole episodes one after another.

    Raises:
        PitwallError: the module has no twin, or the twin fails.
    """
    learned = (about.learned if about is not None else None) or folder.declared.learned
    if learned is None:
        raise PitwallError(
            f"{folder.name} is not learned: it has no reward and no twin.", "Change its rules instead."
        )
    chance = random.Random(seed)
    order = training_spec(
        folder.game,
        folder.declared,
        learned.model_copy(update={"vision": None}),
        learned.training,
        number=0,
        seed=seed,
    )
    lane = TwinEnvironment(order)
    calls: list[RewardCall] = []
    try:
        while len(calls) < count:
            calls += _episode(lane, chance, count - len(calls))
    finally:
        lane.close()
    return calls


def _episode(lane: TwinEnvironment, chance: random.Random, most: int) -> list[RewardCall]:
    before = lane.begin()
    action = 0
    actions: list[int] = []
    changed: list[dict[str, float]] = []
    calls: list[RewardCall] = []
    while not before.over and len(calls) < most:
        if not actions or chance.random() >= _STAYS:
            action = chance.randrange(len(lane.order.actions))
        after = lane.step(action)
        actions.append(action)
        changed.append(changes(before.values, after.values))
        calls.append(
            RewardCall(
                prev_state=before.values,
                next_state=after.values,
                action_idx=action,
                done=after.terminal,
                action_history=tuple(actions[-RECENT:]),
                action_state_changes=tuple(changed[-RECENT:]),
                step_time=len(actions) * lane.step_ms / 1000.0,
                step=len(actions),
            )
        )
        before = after
    return calls


def _order(folder: ModuleFolder, about: VersionRecord, trial: Trial, acts: Sequence[str]) -> EnvironmentSpec:
    learned, recipe = space_of(folder.declared, about)
    if about.kind == "rules":
        learned = learned.model_copy(update={"vision": None})
    actions = learned.actions if about.kind == "policy" else tuple(dict.fromkeys(("", *acts)))
    return trial_spec(folder.game, folder.declared, learned, actions, trial, Disturbance.of(recipe))


@dataclass(slots=True)
class _Run:
    """The chosen action and the numbers read, for each decision of one run."""

    actions: list[int] = field(default_factory=list)
    states: list[dict[str, float]] = field(default_factory=list)
    words: list[dict[str, str]] = field(default_factory=list)


class _Watcher:
    """A `BatchPolicy` that records what another policy sees and decides."""

    def __init__(self, pilot: BatchPolicy) -> None:
        self._pilot = pilot
        self._group: list[_Run] = []
        self.runs: list[_Run] = []

    def begin(self, lanes: Sequence[TwinEnvironment]) -> None:
        """See `BatchPolicy`."""
        self._group = [_Run() for _ in lanes]
        self.runs += self._group
        self._pilot.begin(lanes)

    def choose(self, moments: Sequence[StepResult]) -> Sequence[int]:
        """See `BatchPolicy`."""
        chosen = self._pilot.choose(moments)
        for run, moment, action in zip(self._group, moments, chosen, strict=True):
            if not moment.over:
                run.actions.append(action)
                run.states.append(_numbers(moment.read))
                run.words.append({n: value for n, value in moment.read.items() if isinstance(value, str)})
        return chosen


def _numbers(values: Mapping[str, object]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _play(
    folder: ModuleFolder, order: EnvironmentSpec, runs: Sequence[_Run], played: Sequence[TwinRun]
) -> Play:
    units = {field.name: field.unit for field in folder.game.profile.fields}
    step_s = played[0].seconds / played[0].steps if played and played[0].steps else 1.0
    last = max(1, round(_LAST_S / step_s))
    lost = [run for run, of in zip(runs, played, strict=True) if not of.won]
    ends = [state for run in lost for state in run.states[-last:]]
    names = dict.fromkeys(name for run in runs for state in run.states for name in state)
    wins = sum(run.won for run in played)
    return Play(
        runs=len(played),
        scores=tuple(run.score for run in played),
        ended={word: count for word, count in (("won", wins), ("lost", len(played) - wins)) if count},
        actions=_uses(order.actions, runs),
        states=tuple(trend for name in names if (trend := _over_episode(name, units, runs)) is not None),
        before_end={name: mean for name in names if (mean := _mean(ends, name)) is not None},
        seen=seen_values(_by_name(state for run in runs for state in run.states))
        | seen_words(_by_name(state for run in runs for state in run.words)),
    )


def _by_name(states: Iterable[Mapping[str, _Value]]) -> dict[str, list[_Value]]:
    values: dict[str, list[_Value]] = {}
    for state in states:
        for name, value in state.items():
            values.setdefault(name, []).append(value)
    return values


def _uses(names: Sequence[str], runs: Sequence[_Run]) -> tuple[ActionUse, ...]:
    every = [run.actions for run in runs]
    first = [actions[: max(1, len(actions) // 10)] for actions in every]
    last = [actions[-max(1, len(actions) // 10) :] for actions in every]
    shares = [_shares(part, len(names)) for part in (every, first, last)]
    used = [
        ActionUse(action=name, share=shares[0][n], first=shares[1][n], last=shares[2][n])
        for n, name in enumerate(names)
    ]
    return tuple(sorted(used, key=lambda use: -use.share))


def _shares(runs: Sequence[Sequence[int]], count: int) -> list[float]:
    counts = np.bincount([action for run in runs for action in run], minlength=count)
    return [float(share) for share in counts / max(1, counts.sum())]


def _over_episode(name: str, units: Mapping[str, str], runs: Sequence[_Run]) -> Trend | None:
    first = [state for run in runs for state in run.states[: max(1, len(run.states) // 10)]]
    last = [state for run in runs for state in run.states[-max(1, len(run.states) // 10) :]]
    every = [state for run in runs for state in run.states]
    means = [_mean(part, name) for part in (first, last, every)]
    if means[0] is None or means[1] is None or means[2] is None:
        return None
    return Trend(name=name, unit=units.get(name, ""), first=means[0], last=means[1], mean=means[2])


def _mean(states: Sequence[Mapping[str, float]], name: str) -> float | None:
    values = [state[name] for state in states if name in state]
    return float(np.mean(values)) if values else None
