"""Plays runs of trials on the screen, several side by side, each in a worker process of its own."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
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
from pitwall_lab.game_trials.truth import is_started

TICK_S = 0.2
_MOST_FAILURES = 3
"""Runs that may fail to be played before the rest is given up."""


class EvaluationStopped(PitwallError):
    """A stop was requested before it was complete; finished runs are kept."""


class TrialsFailed(PitwallError):
    """Runs of an evaluation could not be played; carries the cause of the first.

    Attributes:
        versions: names of the versions of these runs.
    """

    versions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """A run to play, and the log that keeps its result."""

    order: PlayTrial
    results: TrialResultsLog

    @property
    def seed(self) -> int:
        return self.order.setup.seed


class TrialWorker(WorkerClient[PlayTrial | MeasureRun, TrialRun | Measurement | WorkerFault]):
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


def screen_of(game: Game, wanted: Screen) -> Screen:
    """Return the screen to play on; a game that is an open window is played where it is."""
    return wanted if is_started(game) else "here"


def setup_of(
    data: DataFolder,
    folder: ModuleFolder,
    version: str,
    scenario: str,
    seed: int,
    screen: Screen,
    version_folder: Path | None = None,
) -> RunSetup:
    """Return how a run of a version is started.

    Args:
        version_folder: the version's files; None: those of the module's folder.
    """
    game = folder.game
    if version_folder is None and version not in (RULES, SHIPPED):
        version_folder = folder.folder(version)
    return RunSetup(
        game=game.game_id if game.source == "bundled" else str(game.own_folder),
        game_id=game.game_id,
        seed=seed,
        module=folder.declared.name,
        version=version,
        scenario=scenario,
        data=data.root,
        version_folder=version_folder,
        screen=screen,
    )


def play_scheduled(
    data: DataFolder,
    scheduled: Sequence[ScheduledRun],
    parallel: int,
    *,
    on_run: Callable[[TrialRun, bool], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> None:
    """Play the runs that their logs do not hold yet, side by side, and keep each as it finishes.

    Args:
        on_run: called with every run, and whether its log already held it.

    Raises:
        EvaluationStopped: it was asked to stop. TrialsFailed: runs could not be played.
    """
    kept = [run.results.runs[run.seed] for run in scheduled if run.seed in run.results.runs]
    for run in kept:
        _report(on_run, run, True)
    waiting = [run for run in scheduled if run.seed not in run.results.runs]
    failed = _play_all(data, waiting, parallel, on_run, should_stop)
    if failed:
        fault = TrialsFailed(
            f"{len(failed)} of {len(scheduled)} runs could not be played: {failed[0][1].why}",
            "The others are kept: mend this and evaluate again.",
        )
        fault.versions = frozenset(run.order.setup.version for run, _ in failed)
        raise fault


def _play_all(
    data: DataFolder,
    scheduled: Sequence[ScheduledRun],
    parallel: int,
    on_run: Callable[[TrialRun, bool], None] | None,
    should_stop: Callable[[], bool],
) -> list[tuple[ScheduledRun, TrialRun]]:
    """Play them side by side, save each as it finishes, and return those that could not be played."""
    waiting, playing = deque(scheduled), dict[TrialWorker, ScheduledRun]()
    done, failed, again = 0, list[tuple[ScheduledRun, TrialRun]](), list[ScheduledRun]()
    try:
        while (waiting and len(failed) < _MOST_FAILURES) or playing:
            while waiting and len(playing) < parallel and len(failed) < _MOST_FAILURES:
                following = waiting.popleft()
                playing[TrialWorker(data, following.order)] = following
            if should_stop():
                raise EvaluationStopped(
                    f"the evaluation was stopped after {done} runs.",
                    "Finished runs are kept: evaluate again to resume.",
                )
            for worker in select.select(list(playing), [], [], TICK_S)[0]:
                run, ended = _run_of(worker), playing.pop(worker)
                if run.cause == "outside" and ended not in again:
                    again.append(ended)
                    waiting.appendleft(ended)
                    continue
                run = run.model_copy(update={"replayed": ended in again})
                ended.results.keep(run)
                done += 1
                failed += [(ended, run)] if run.score is None else []
                _report(on_run, run, False)
    finally:
        for worker in playing:
            worker.hang_up()
        for worker in playing:
            worker.close()
    return failed


def _run_of(worker: TrialWorker) -> TrialRun:
    """Return the run that a readable worker answers with, and close it."""
    while not isinstance(answer := worker.answer(TICK_S), TrialRun):
        pass
    worker.close()
    return answer


def _report(on_run: Callable[[TrialRun, bool], None] | None, run: TrialRun, kept: bool) -> None:
    if on_run is not None:
        on_run(run, kept)
