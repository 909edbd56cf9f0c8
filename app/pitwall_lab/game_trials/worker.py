"""`pitwall trial-seat`: plays one run of a trial as a person would, and watches its true state.

It starts `pitwall run` on the run's own screen and data folder, ends it as soon as the trial is decided, and
answers with the result. When the process that asked is gone, it ends the run and removes everything.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pitwall.core.errors import ChannelClosed, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.telemetry import FrameNote
from pitwall.games.invented_modules import copy_invention
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Trial
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import copy_watched
from pitwall_evaluation.agent_process import AgentProcess, AgentReports, agent_process, last_complaints
from pitwall_evaluation.sandbox import LEFT_OUT, Sandbox, copy_files, folder_errors, link_folder, screen_for
from pitwall_evaluation.truth.fields import FieldsTruth
from pitwall_evaluation.truth.source import TruthReading
from pitwall_evaluation.worker_process import AnswerChannel, WorkCancelled, run_worker
from pitwall_lab.game_trials.last_picture import last_picture
from pitwall_lab.game_trials.measured_run import measure_run
from pitwall_lab.game_trials.messages import (
    ANSWERS,
    ORDERS,
    ROLE,
    Cause,
    Measurement,
    MeasureRun,
    PlayTrial,
    RunSetup,
    TrialRun,
    WorkerFault,
)
from pitwall_lab.game_trials.trace import TraceRecorder
from pitwall_lab.game_trials.truth import is_started, truth_of, watch_of
from pitwall_lab.game_trials.watch import TrialWatch

_log = logging.getLogger(__name__)

_LOOK_EVERY_S = 0.03
_OPENING_S = 120.0
"""Longest time from the command's start to the first state in which the game is being played."""
_SILENT_S = 15.0
"""Time added to the trial's, because a game that hangs writes no state that would end the run."""
_MIDWAY = "the play that the open window showed did not end in time. Begin the game anew there."
_UNREAD = "the score was never read from its screen. Mend its field: pitwall games watch"


def main(argv: Sequence[str]) -> int:
    """Take one order, answer it, and return the exit status."""
    return run_worker(argv, ROLE, __doc__, ANSWERS, ORDERS, _serve)


def _serve(order: PlayTrial | MeasureRun, channel: AnswerChannel) -> None:
    try:
        with trial_sandbox(order.setup) as sandbox:
            if isinstance(order, PlayTrial):
                answer: TrialRun | Measurement = _played(order, sandbox, channel)
            else:
                answer = Measurement(measured=measure_run(order, sandbox, lambda: _heed(channel)))
    except PitwallError as error:
        channel.send(WorkerFault(what=error.what, fix=error.fix))
        return
    channel.send(answer)


def _heed(channel: AnswerChannel) -> None:
    """Raise WorkCancelled if nobody waits for the answer any more."""
    try:
        channel.receive()
    except ChannelClosed:
        raise WorkCancelled from None


@contextlib.contextmanager
def trial_sandbox(setup: RunSetup) -> Iterator[Sandbox]:
    """Prepare a sandbox for a trial; all of it is removed after the block.

    Raises:
        DisplayError: there is no screen. DataFolderError: the version's files cannot be copied.
    """
    with contextlib.ExitStack() as stack:
        temporary = tempfile.TemporaryDirectory(prefix="pitwall-trial-", ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(temporary))
        operator, data = DataFolder(setup.data), DataFolder(folder / "data")
        with folder_errors(data.root):
            data.root.mkdir()
            copy_files((operator.trust, operator.model_registry), data)
            link_folder(operator.models, data.models)
            if setup.version_folder is not None:
                place = data.modules / setup.game_id / setup.module / setup.version
                shutil.copytree(setup.version_folder, place, ignore=LEFT_OUT)
            copy_invention(operator, data, setup.game_id, setup.module, plays=True)
            copy_watched(operator, data, setup.game_id, setup.module)
        display = stack.enter_context(screen_for(setup.screen))
        yield Sandbox(data, folder / "truth.json", folder / "errors.txt", display)


# ---- one run


def _played(order: PlayTrial, sandbox: Sandbox, channel: AnswerChannel) -> TrialRun:
    game = Registry(sandbox.data).load(order.setup.game)
    watch, recorder = watch_of(game, order.trial), TraceRecorder()
    opening_s = _opening_s(game, order.trial)
    with closing(truth_of(game, sandbox.data, sandbox.truth)) as source:

        def take(note: FrameNote) -> None:
            if isinstance(source, FieldsTruth):
                source.hear(note.status, {reading.name: reading.value for reading in note.readings})
            if order.watched and watch.began_s is not None:
                recorder.take(note)

        command = _command(order, sandbox, opening_s)
        if order.watched or isinstance(source, FieldsTruth):
            command.append("--follow")
        with agent_process(command, sandbox, game, take) as play:
            cause = _watched(play, watch, source, channel, opening_s)
            ended_s = time.monotonic()
        run = judge_run(order, watch, cause, ended_s, AgentOutcome(play.heard, last_complaints(sandbox)))
    if not order.watched:
        return run
    picture = last_picture(sandbox.data, recorder.notes)
    return run.model_copy(update={"trace": recorder.trace().model_copy(update={"picture": picture})})


def _opening_s(game: Game, trial: Trial) -> float:
    """Return the longest time until the run begins; an open window may have to end a play first."""
    return _OPENING_S if is_started(game) else _OPENING_S + trial.seconds


def _watched(
    play: AgentProcess, watch: TrialWatch, reader: TruthReading, channel: AnswerChannel, opening_s: float
) -> Cause:
    """Watch the true state until the run is over; return the cause."""
    opened_s, last = time.monotonic(), None
    while True:
        play.hear()
        ended = play.ended  # checked first, so that the state read below is the last
        state, now_s = reader.read(), time.monotonic()
        if state is not None and state != last:
            last = state
            if (cause := watch.take(state, now_s)) is not None:
                return cause
        if watch.late(now_s):
            return "time"
        if ended:
            return "failed" if watch.began_s is None else "outside"
        if watch.began_s is None and now_s - opened_s > opening_s:
            return "failed"
        _heed(channel)
        time.sleep(_LOOK_EVERY_S)


def _command(order: PlayTrial, sandbox: Sandbox, opening_s: float) -> list[str]:
    setup = order.setup
    command = [sys.executable, "-m", "pitwall", "run", "--game", setup.game, "--seed", str(setup.seed)]
    command += ["--module", f"{setup.module}={setup.version}", "--planner", "skills"]
    command += ["--scenario", setup.scenario] if setup.scenario else []
    command += ["--seconds", str(opening_s + order.trial.seconds + _SILENT_S)]
    return [*command, "--data", str(sandbox.data.root), "--json"]


class AgentOutcome:
    """Explains why a run of the agent ended, from its last figures and its error output."""

    def __init__(self, reports: AgentReports, printed: str) -> None:
        self.summary = reports.summary
        outcome = f"the run ended: {self.summary.outcome.replace('_', ' ')}." if self.summary else ""
        self.why = (
            reports.complaint
            or f"{outcome} {reports.fault}".strip()
            or printed
            or "no true state reported that the game was being played."
        )

    @property
    def fault(self) -> str:
        """Return why the agent cannot have played to the end; "" if it did."""
        if self.summary is None or self.summary.outcome == "crashed":
            return self.why
        return "somebody touched the keyboard or the pointer." if self.summary.takeovers else ""


def judge_run(
    order: PlayTrial, watch: TrialWatch, cause: Cause, ended_s: float, outcome: AgentOutcome
) -> TrialRun:
    """Judge a run; it does not count if the agent did not play to its end.

    With nobody at the keys a game is soon over, and looks like any other lost game.
    """
    if cause != "failed" and (fault := outcome.fault):
        _log.warning("seed %s ended with %s, but does not count: %s", order.setup.seed, cause, fault)
        cause = "outside"
    unread = cause not in ("outside", "failed") and watch.score is None
    if unread:
        cause = "failed"
    counts = cause not in ("outside", "failed")
    summary = outcome.summary or RunSummary()
    why = {
        "terminal": f"the game was over{f': {watch.reason}' if watch.reason else ''}",
        "cap": "its score reached the cap",
        "time": f"{order.trial.seconds:g} s were over",
    }
    return TrialRun(
        seed=order.setup.seed,
        score=watch.score if counts else None,
        success=counts and watch.succeeded(),
        cause=cause,
        why=_UNREAD
        if unread
        else why.get(cause, outcome.fault or (_MIDWAY if watch.midway else outcome.why)),
        seconds=0.0 if watch.began_s is None else ended_s - watch.began_s,
        steps=summary.steps,
        frames=summary.frames,
        dropped_frames=summary.dropped_frames,
        refusals=summary.refusals,
        takeovers=summary.takeovers,
        reaction_p50_ms=summary.reaction_ms.p50,
        reaction_p95_ms=summary.reaction_ms.p95,
        load=os.getloadavg()[0] if sys.platform != "win32" else 0.0,
        at=time.time(),
    )
