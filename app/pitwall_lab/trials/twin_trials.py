"""Judges versions without a screen: held-out seeds of a trial in headless twins, with delay and noise.

Training judges its policy in the same way (`judge`), so its curve and a trial are comparable.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS
from pitwall.core.confidence_intervals import wilson
from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.frames import Pixels
from pitwall.games.plugin_loader import load_twin
from pitwall.games.schema.modules import Learned, Module, Recipe, Trial
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.playable import module_of
from pitwall.gsm.version_record import Score, VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.environments.twin_environment import (
    Disturbance,
    EnvironmentSpec,
    StepResult,
    TwinEnvironment,
    trial_spec,
)

_AT_ONCE = 16
"""Runs side by side."""


class JudgingStopped(PitwallError):
    """A stop was requested before every run was over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinRun:
    """One run. steps: decisions. seconds: of the game's time."""

    seed: int
    score: float
    won: bool
    steps: int
    seconds: float


class BatchPolicy(Protocol):
    """Decides for several runs side by side."""

    def begin(self, lanes: Sequence[TwinEnvironment]) -> None:
        """Begin an episode in each of the lanes."""
        ...

    def choose(self, moments: Sequence[StepResult]) -> Sequence[int]:
        """Choose an action's index for each lane; the choice for a finished lane is ignored."""
        ...


class ModulePolicy:
    """A module as the engine runs it, one for each run: rules, or a policy's ONNX file.

    Args:
        make: makes a module.
    """

    def __init__(self, make: Callable[[], GameSenseModule]) -> None:
        self._make = make
        self._lanes: Sequence[TwinEnvironment] = ()
        self._modules: list[GameSenseModule] = []
        self._now_ms = 0.0

    def begin(self, lanes: Sequence[TwinEnvironment]) -> None:
        """See `BatchPolicy`."""
        while len(self._modules) < len(lanes):
            self._modules.append(self._make())
        self._lanes, self._now_ms = lanes, 1.0
        for module in self._modules:
            module.begin()

    def choose(self, moments: Sequence[StepResult]) -> list[int]:
        """See `BatchPolicy`."""
        now_ns = round(self._now_ms * NS_PER_MS)
        chosen = [
            0 if moment.over else self._act(module, lane, moment, now_ns)
            for module, lane, moment in zip(self._modules, self._lanes, moments, strict=False)
        ]
        self._now_ms += self._lanes[0].step_ms
        return chosen

    def _act(self, module: GameSenseModule, lane: TwinEnvironment, moment: StepResult, now_ns: int) -> int:
        pixels = _bgrx(lane) if lane.order.pictures else None
        begun = module.act(moment.read, now_ns, pixels)
        return lane.order.actions.index(begun or next(iter(module.held), ""))


def _bgrx(lane: TwinEnvironment) -> Pixels | None:
    picture = lane.render()
    return None if picture is None else np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2BGRA), np.uint8)


def judge(
    order: EnvironmentSpec,
    pilot: BatchPolicy,
    trial: Trial,
    *,
    runs: int,
    first_seed: int,
    on_run: Callable[[TwinRun], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[TwinRun]:
    """Play seeds that count up from `first_seed`; return the runs in the order of their seeds.

    Raises:
        JudgingStopped: it was asked to stop.
        PluginFailed: the twin cannot run.
    """
    make = load_twin(order.game, order.module)
    lanes = [TwinEnvironment(order, make) for _ in range(min(runs, _AT_ONCE))]
    done: list[TwinRun] = []
    try:
        for start in range(first_seed, first_seed + runs, len(lanes)):
            seeds = range(start, min(start + len(lanes), first_seed + runs))
            played = _play(lanes[: len(seeds)], pilot, trial, seeds, should_stop)
            done += played
            for run in played:
                if on_run is not None:
                    on_run(run)
    finally:
        for lane in lanes:
            lane.close()
    return done


def _play(
    lanes: Sequence[TwinEnvironment],
    pilot: BatchPolicy,
    trial: Trial,
    seeds: range,
    should_stop: Callable[[], bool],
) -> list[TwinRun]:
    moments = [lane.begin(seed) for lane, seed in zip(lanes, seeds, strict=True)]
    steps = [0] * len(lanes)
    pilot.begin(lanes)
    playing = list(range(len(lanes)))
    while playing:
        if should_stop():
            raise JudgingStopped("the evaluation was stopped before every run was over.")
        chosen = pilot.choose(moments)
        for number in playing:
            moments[number] = lanes[number].step(int(chosen[number]))
            steps[number] += 1
        playing = [number for number in playing if not moments[number].over]
    return [
        TwinRun(
            seed=seed,
            score=moment.score,
            won=won(trial, moment.score),
            steps=count,
            seconds=count * lane.step_ms / 1000.0,
        )
        for seed, moment, count, lane in zip(seeds, moments, steps, lanes, strict=True)
    ]


def won(trial: Trial, score: float) -> bool:
    """Return whether a run with this score succeeded."""
    return score >= trial.success if trial.higher else score <= trial.success


def score_of(
    trial: Trial, runs: Sequence[TwinRun], *, delay_ms: float, first_seed: int, cap: float | None = None
) -> Score:
    """Combine runs into a score with intervals. cap: used in place of the trial's."""
    values = [run.score for run in runs]
    wins = sum(run.won for run in runs)
    low, high = mean_interval(values)
    win_low, win_high = wilson(wins, len(runs))
    return Score(
        where="twin",
        trial=trial.name,
        runs=len(runs),
        mean=float(np.mean(values)),
        low=low,
        high=high,
        unit=trial.unit,
        wins=wins,
        win_low=win_low,
        win_high=win_high,
        values=tuple(values),
        first_seed=first_seed,
        delay_ms=delay_ms,
        cap=cap,
        at=time.time(),
    )


def twin_trial(
    folder: ModuleFolder,
    version: str,
    *,
    trial: str | Trial | None = None,
    runs: int = 20,
    delay_ms: float | None = None,
    cap: float | None = None,
    first_seed: int | None = None,
    on_run: Callable[[TwinRun], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Score:
    """Judge any version without a screen; the score is returned, not saved.

    Args:
        trial: None: the module's first. cap: in place of the trial's.
        delay_ms: in place of the recipe's; it also limits the jitter.
        first_seed: seeds count up from here; None: the trial's.
        on_run: called with every run.

    Raises:
        UnknownModule: there is no such version. UntrustedPlugin: the twin may not run.
        BadPolicy: the version's policy cannot be loaded. PitwallError: there is no twin or no such trial.
        JudgingStopped: it was asked to stop.
    """
    about = folder.about(version)
    judged = trial_named(folder.declared, trial, cap)
    learned, recipe = space_of(folder.declared, about)
    how = Disturbance.of(recipe, delay_ms, learned=learned if about.kind == "policy" else None)
    make = module_of(folder, about)
    actions = learned.actions if about.kind == "policy" else tuple(dict.fromkeys(("", *make().actions)))
    first = judged.first_seed if first_seed is None else first_seed
    if about.kind == "rules":
        learned = learned.model_copy(update={"vision": None})
    order = trial_spec(folder.game, folder.declared, learned, actions, judged, how)
    played = judge(
        order, ModulePolicy(make), judged, runs=runs, first_seed=first, on_run=on_run, should_stop=should_stop
    )
    return score_of(judged, played, delay_ms=how.delay_ms, first_seed=first, cap=cap)


def trial_named(module: Module, trial: str | Trial | None, cap: float | None = None) -> Trial:
    """Return a module's trial by name, or its first if no name is given. cap: replaces the trial's.

    Raises:
        PitwallError: it has none, or none of this name.
    """
    if not isinstance(trial, Trial):
        trial = _declared_trial(module, trial or "")
    return trial if cap is None else trial.model_copy(update={"cap": cap})


def _declared_trial(module: Module, name: str) -> Trial:
    for trial in module.trials:
        if name in ("", trial.name):
            return trial
    if not module.trials:
        raise PitwallError(
            f"module {module.name!r} has no trial to be judged by, and its game shows no score.",
            "In the game's plugin.toml, declare [[modules.trials]], or a field named score.",
        )
    names = [trial.name for trial in module.trials]
    hint = suggestion(name, names, f"It has: {', '.join(names)}.")
    raise PitwallError(f"module {module.name!r} has no trial {name!r}.", hint)


def space_of(module: Module, about: VersionRecord) -> tuple[Learned, Recipe]:
    """Return the space and recipe for judging a version: its own, or the manifest's for rules.

    Raises:
        PitwallError: the module has neither, so it has no twin.
    """
    learned = about.learned or module.judged_in
    if learned is None:
        raise PitwallError(
            f"module {module.name!r} has no headless twin.", "Judge it on the screen: pitwall gsm evaluate."
        )
    if module.judged_in is not None:  # where the twin lies is the game's to say, also of an older version
        learned = learned.model_copy(update={"twin": module.judged_in.twin})
    return learned, about.recipe or learned.training
