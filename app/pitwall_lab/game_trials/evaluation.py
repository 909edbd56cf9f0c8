"""Evaluates a module's version on the screen: in real time, unpaused, through capture and keys.

Every run of the held-out seeds is a process (`game_trials.worker`) with its own screen, data folder and game.
Finished runs are saved at once, so an interrupted evaluation resumes.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from statistics import median

from pitwall.core.confidence_intervals import bootstrap_mean, wilson
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Trial
from pitwall.games.trust import require_trust
from pitwall.gsm.version_record import Score
from pitwall.gsm.versions import RULES, SHIPPED, ModuleFolder
from pitwall_evaluation.worker_client import WorkerClient
from pitwall_lab.game_trials.messages import (
    ANSWERS,
    ORDERS,
    ROLE,
    Measurement,
    MeasureRun,
    PlayTrial,
    RunSetup,
    Screen,
    TrialRun,
    WorkerFault,
)
from pitwall_lab.game_trials.results_log import TrialResultsLog
from pitwall_lab.modules.screen_measurement import ScreenMeasurement, write_measured
from pitwall_lab.orders import EvaluationOrder
from pitwall_lab.trials.twin_trials import trial_named

_TICK_S = 0.2
_MOST_FAILURES = 3
"""Runs that may fail to be played before the rest is given up."""


class EvaluationStopped(PitwallError):
    """A stop was requested before it was complete; finished runs are kept."""


class TrialsFailed(PitwallError):
    """Runs of an evaluation could not be played; carries the cause of the first."""


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
    trial = trial or trial_named(folder.declared, order.trial)
    judged = trial_named(folder.declared, trial, order.cap)
    first = judged.first_seed if order.seeds_from is None else order.seeds_from
    seeds, screen = range(first, first + order.runs), order.screen
    about = folder.about(version)
    with closing(TrialResultsLog(folder, about, judged, screen=screen, fresh=order.fresh)) as results:
        kept = [results.runs[seed] for seed in seeds if seed in results.runs]
        for run in kept:
            _report(on_run, run, True)
        orders = [
            PlayTrial(setup=_setup(data, folder, version, judged.scenario, seed, screen), trial=judged)
            for seed in seeds
            if seed not in results.runs
        ]
        parallel = 1 if screen == "here" else order.parallel
        failed = _play_all(data, results, orders, parallel, on_run, should_stop)
        if failed:
            raise TrialsFailed(
                f"{len(failed)} of {order.runs} runs could not be played: {failed[0].why}",
                "The others are kept: mend this and evaluate again.",
            )
        score = score_of(judged, [results.runs[seed] for seed in seeds], first)
        if judged.cap != trial.cap:
            score = score.model_copy(update={"cap": judged.cap})
        folder.add_score(version, score)
        results.complete()
    return score


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
    order = MeasureRun(setup=_setup(data, folder, version, played_in, seed, screen), seconds=seconds)
    with closing(_TrialWorker(data, order)) as worker:
        while (answer := worker.answer(_TICK_S)) is None:
            if should_stop():
                raise EvaluationStopped("the measurement was stopped.")
    if not isinstance(answer, Measurement):
        raise PitwallError("the worker gave another answer.")
    write_measured(folder.root, answer.measured)
    return answer.measured


def score_of(trial: Trial, runs: Sequence[TrialRun], first_seed: int) -> Score:
    """Combine runs that all count into a score, with bootstrap and Wilson intervals of 95 %."""
    values = [run.score for run in runs if run.score is not None]
    wins = sum(run.success for run in runs)
    low, high = bootstrap_mean(values)
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


# ---- workers


class _TrialWorker(WorkerClient[PlayTrial | MeasureRun, TrialRun | Measurement | WorkerFault]):
    """A process that plays or measures one run."""

    def __init__(self, data: DataFolder, order: PlayTrial | MeasureRun) -> None:
        super().__init__(ROLE, order, ORDERS, ANSWERS, data.logs / f"{ROLE}.log")

    def answer(self, timeout_s: float = 0.0) -> TrialRun | Measurement | None:
        """Return its answer; None if none came in time.

        Raises:
            PitwallError: it could not do it. ChildDied: it died.
        """
        for answer in self.answers(timeout_s):
            if isinstance(answer, WorkerFault):
                raise PitwallError(answer.what, answer.fix)
            return answer
        return None


def _setup(
    data: DataFolder, folder: ModuleFolder, version: str, scenario: str, seed: int, screen: Screen
) -> RunSetup:
    game = folder.game
    return RunSetup(
        game=game.game_id if game.source == "bundled" else str(game.own_folder),
        game_id=game.game_id,
        seed=seed,
        module=folder.declared.name,
        version=version,
        scenario=scenario,
        data=data.root,
        version_folder=None if version in (RULES, SHIPPED) else folder.folder(version),
        screen=screen,
    )


def _play_all(
    data: DataFolder,
    results: TrialResultsLog,
    orders: Sequence[PlayTrial],
    parallel: int,
    on_run: Callable[[TrialRun, bool], None] | None,
    should_stop: Callable[[], bool],
) -> list[TrialRun]:
    """Play them side by side, save each as it finishes, and return those that could not be played."""
    waiting, playing = deque[PlayTrial | MeasureRun](orders), list[_TrialWorker]()
    failed, again = list[TrialRun](), set[int]()
    try:
        while (waiting and len(failed) < _MOST_FAILURES) or playing:
            while waiting and len(playing) < parallel and len(failed) < _MOST_FAILURES:
                playing.append(_TrialWorker(data, waiting.popleft()))
            if should_stop():
                raise EvaluationStopped(
                    f"the evaluation was stopped after {len(results.runs)} runs.",
                    "Finished runs are kept: evaluate again to resume.",
                )
            for worker in select.select(playing, [], [], _TICK_S)[0]:
                run = _run_of(worker)
                playing.remove(worker)
                if run.cause == "outside" and run.seed not in again:
                    again.add(run.seed)
                    waiting.appendleft(worker.order)
                    continue
                run = run.model_copy(update={"replayed": run.seed in again})
                results.keep(run)
                failed += [run] if run.score is None else []
                _report(on_run, run, False)
    finally:
        for worker in playing:
            worker.hang_up()
        for worker in playing:
            worker.close()
    return failed


def _run_of(worker: _TrialWorker) -> TrialRun:
    """Return the run that a readable worker answers with, and close it."""
    while not isinstance(answer := worker.answer(_TICK_S), TrialRun):
        pass
    worker.close()
    return answer


def _report(on_run: Callable[[TrialRun, bool], None] | None, run: TrialRun, kept: bool) -> None:
    if on_run is not None:
        on_run(run, kept)
