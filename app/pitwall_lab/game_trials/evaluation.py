"""Evaluates a module's version on the screen: in real time, unpaused, through capture and keys.

Every run of the held-out seeds is a process (`game_trials.worker`) with its own screen, data folder and game.
Finished runs are saved at once, so an interrupted evaluation resumes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from statistics import median

from pitwall.core.confidence_intervals import wilson
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Trial
from pitwall.games.trust import require_trust
from pitwall.gsm.version_record import Score
from pitwall.gsm.versions import ModuleFolder
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.game_trials.messages import Measurement, MeasureRun, PlayTrial, Screen, TrialRun
from pitwall_lab.game_trials.results_log import TrialResultsLog
from pitwall_lab.game_trials.side_by_side import (
    TICK_S,
    EvaluationStopped,
    ScheduledRun,
    TrialWorker,
    play_scheduled,
    screen_of,
    setup_of,
)
from pitwall_lab.modules.screen_measurement import ScreenMeasurement, write_measured
from pitwall_lab.orders import EvaluationOrder
from pitwall_lab.trials.default_trial import with_trials
from pitwall_lab.trials.twin_trials import trial_named


def evaluate(
    data: DataFolder,
    folder: ModuleFolder,
    version: str,
    order: EvaluationOrder,
    *,
    trial: Trial | None = None,
    on_run: Callable[[TrialRun, bool], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Score:
    """Play a trial's held-out seeds on the screen, and save the score with the version.

    The arguments and errors are those of `evaluate_together`.
    """
    return evaluate_together(
        data, folder, (version,), order, trial=trial, on_run=on_run, should_stop=should_stop
    )[0]


def evaluate_together(
    data: DataFolder,
    folder: ModuleFolder,
    versions: Sequence[str],
    order: EvaluationOrder,
    *,
    trial: Trial | None = None,
    on_run: Callable[[TrialRun, bool], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Score]:
    """Play a trial's held-out seeds on the screen with each version, and save the scores with the versions.

    The versions take turns at each seed, so that whatever else the machine does weighs on all of them.

    Args:
        trial: in place of the order's.
        on_run: called with every run, and whether an interrupted evaluation had already played it.
        should_stop: checked several times a second.

    Raises:
        UnknownModule, UntrustedPlugin: there is no such version; the game may not be started.
        EvaluationStopped: it was asked to stop.
        TrialsFailed: runs could not be played; the others are kept, and only those are played again.
    """
    require_trust(folder.game)
    trial = trial or trial_named(with_trials(folder.game, folder.declared), order.trial)
    judged = trial_named(folder.declared, trial, order.cap)
    first = judged.first_seed if order.seeds_from is None else order.seeds_from
    seeds, screen = range(first, first + order.runs), screen_of(folder.game, order.screen)
    with ExitStack() as logs:
        results = [
            logs.enter_context(
                closing(
                    TrialResultsLog(folder, folder.about(version), judged, screen=screen, fresh=order.fresh)
                )
            )
            for version in versions
        ]
        plays = [
            ScheduledRun(
                order=PlayTrial(
                    setup=setup_of(data, folder, version, judged.scenario, seed, screen), trial=judged
                ),
                results=log,
            )
            for seed in seeds
            for version, log in zip(versions, results, strict=True)
        ]
        parallel = 1 if screen == "here" else order.parallel
        play_scheduled(data, plays, parallel, on_run=on_run, should_stop=should_stop)
        scores = []
        for version, log in zip(versions, results, strict=True):
            score = score_of(judged, [log.runs[seed] for seed in seeds], first)
            if judged.cap != trial.cap:
                score = score.model_copy(update={"cap": judged.cap})
            folder.add_score(version, score)
            log.complete()
            scores.append(score)
    return scores


def measure(
    data: DataFolder,
    folder: ModuleFolder,
    version: str,
    *,
    seconds: float = 30.0,
    seed: int = 1,
    scenario: str | None = None,
    screen: Screen = "own",
    should_stop: Callable[[], bool] = lambda: False,
) -> ScreenMeasurement:
    """Play once and measure the effects of this screen: delay, jitter, lost frames, the fields' noise.

    The result is saved in the module's folder (modules.screen_measurement).

    Args:
        scenario: None: that of the module's first trial.

    Raises:
        UnknownModule, UntrustedPlugin: as `evaluate`. EvaluationStopped: it was asked to stop.
        PitwallError: the game could not be played, or too few frames were seen.
    """
    require_trust(folder.game)
    folder.about(version)
    trials = folder.declared.trials
    played_in = scenario if scenario is not None else trials[0].scenario if trials else ""
    order = MeasureRun(setup=setup_of(data, folder, version, played_in, seed, screen), seconds=seconds)
    with closing(TrialWorker(data, order)) as worker:
        while (answer := worker.answer(TICK_S)) is None:
            if should_stop():
                raise EvaluationStopped("the measurement was stopped.")
    if not isinstance(answer, Measurement):
        raise PitwallError("the worker gave another answer.")
    write_measured(folder.root, answer.measured)
    return answer.measured


def score_of(trial: Trial, runs: Sequence[TrialRun], first_seed: int) -> Score:
    """Combine runs that all count into a score, with its 95 % intervals."""
    values = [run.score for run in runs if run.score is not None]
    wins = sum(run.success for run in runs)
    low, high = mean_interval(values)
    win_low, win_high = wilson(wins, len(values))
    delays = [run.reaction_p50_ms for run in runs if run.reaction_p50_ms is not None]
    return Score(
        where="screen",
        trial=trial.name,
        runs=len(values),
        mean=sum(values) / len(values),
        low=low,
        high=high,
        unit=trial.unit,
        wins=wins,
        win_low=win_low,
        win_high=win_high,
        values=tuple(values),
        first_seed=first_seed,
        delay_ms=median(delays) if delays else None,
        at=time.time(),
    )
