"""`pitwall trial-seat`: plays one run of a trial as a person would, and watches its true state.

It starts `pitwall run` on a screen and in a data folder of the run's own, ends it as soon as the trial is
decided, and answers what came of it. When whoever asked is gone, it ends the run and clears everything away.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pitwall.core.errors import ChannelClosed, PitwallError
from pitwall.core.runs import RunSummary
from pitwall.evaluation.trials.measured_run import measure_run
from pitwall.evaluation.trials.messages import (
    ANSWERS,
    ORDERS,
    ROLE,
    Cause,
    Measurement,
    MeasureRun,
    PlayTrial,
    TrialRun,
    WorkerFault,
)
from pitwall.evaluation.trials.sandbox import TRUTH_VARIABLE, TrialSandbox, trial_sandbox
from pitwall.evaluation.trials.watch import TrialWatch
from pitwall.evaluation.truth.state import TruthReader
from pitwall.evaluation.worker_process import AnswerChannel, WorkCancelled, run_worker

_log = logging.getLogger(__name__)

_LOOK_EVERY_S = 0.03
_OPENING_S = 120.0
"""From the start of the command to the first state in which the game is being played."""
_SILENT_S = 15.0
"""Beyond the trial's time: a game that hangs writes no state that would end it."""
_ENDING_S = 30.0
_LAST_WORDS = 1_000
_SUMMARY: TypeAdapter[RunSummary] = TypeAdapter(RunSummary)


def main(argv: Sequence[str]) -> int:
    """Take one order, answer it, end; returns the exit status."""
    return run_worker(argv, ROLE, __doc__, ANSWERS, ORDERS, _serve)


def _serve(order: PlayTrial | MeasureRun, channel: AnswerChannel) -> None:
    try:
        with trial_sandbox(order.seat) as room:
            if isinstance(order, PlayTrial):
                answer: TrialRun | Measurement = _played(order, room, channel)
            else:
                answer = Measurement(measured=measure_run(order, room, lambda: _heed(channel)))
    except PitwallError as error:
        channel.send(WorkerFault(what=error.what, fix=error.fix))
        return
    channel.send(answer)


def _heed(channel: AnswerChannel) -> None:
    """Raises where nobody waits for the answer any more."""
    try:
        channel.receive()
    except ChannelClosed:
        raise WorkCancelled from None


# ---- one run


def _played(order: PlayTrial, room: TrialSandbox, channel: AnswerChannel) -> TrialRun:
    watch = TrialWatch(order.trial)
    reader = TruthReader(room.truth)
    said, errors = room.folder / "said.json", room.folder / "errors.txt"
    with _run(_command(order, room), room, said, errors) as process:
        cause = _watched(process, watch, reader, channel)
        ended_s = time.monotonic()
    return judge_run(order, watch, cause, ended_s, AgentOutput(said, errors))


def _watched(
    process: subprocess.Popen[bytes], watch: TrialWatch, reader: TruthReader, channel: AnswerChannel
) -> Cause:
    """Look at the true state until the run is over; why it was."""
    opened_s, last = time.monotonic(), None
    while True:
        ended = process.poll() is not None  # before the look: the last state is then the last
        state, now_s = reader.read(), time.monotonic()
        if state is not None and state != last:
            last = state
            if (cause := watch.take(state, now_s)) is not None:
                return cause
        if watch.late(now_s):
            return "time"
        if ended:
            return "failed" if watch.began_s is None else "outside"
        if watch.began_s is None and now_s - opened_s > _OPENING_S:
            return "failed"
        _heed(channel)
        time.sleep(_LOOK_EVERY_S)


def _command(order: PlayTrial, room: TrialSandbox) -> list[str]:
    seat = order.seat
    command = [sys.executable, "-m", "pitwall", "run", "--game", seat.game, "--seed", str(seat.seed)]
    command += ["--module", f"{seat.module}={seat.version}", "--planner", "skills"]
    command += ["--scenario", seat.scenario] if seat.scenario else []
    command += ["--seconds", str(_OPENING_S + order.trial.seconds + _SILENT_S)]
    return [*command, "--data", str(room.data.root), "--json"]


@contextlib.contextmanager
def _run(
    command: Sequence[str], room: TrialSandbox, said: Path, errors: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """`pitwall run`, ended cleanly with the block: keys come up, the game is closed, figures are said."""
    with said.open("wb") as answers, errors.open("wb") as complaints:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=answers,
            stderr=complaints,
            env={**os.environ, "DISPLAY": room.display, TRUTH_VARIABLE: str(room.truth)},
            start_new_session=True,
        )
    try:
        yield process
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            if process.poll() is None:
                process.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_ENDING_S)
        if process.poll() is None:
            process.kill()
            process.wait()


class AgentOutput:
    """What `pitwall run` said: its figures, or why there are none."""

    def __init__(self, said: Path, errors: Path) -> None:
        lines = said.read_text(encoding="utf-8", errors="replace").splitlines()
        told = _object(lines[-1]) if lines else {}
        self.summary: RunSummary | None = None
        with contextlib.suppress(ValidationError):
            self.summary = _SUMMARY.validate_python(told.get("summary"))
        complaint = f"{told.get('what', '')} {told.get('fix', '')}".strip()
        faults = [str(fault) for fault in told.get("faults", ())]
        printed = errors.read_text(encoding="utf-8", errors="replace")[-_LAST_WORDS:].strip()
        outcome = f"the run ended: {self.summary.outcome.replace('_', ' ')}." if self.summary else ""
        self.why = (
            complaint
            or " ".join([outcome, *faults[-1:]]).strip()
            or printed
            or "no true state came in which the game is played."
        )

    @property
    def fault(self) -> str:
        """Why the agent cannot have played to the end, whatever the game did without it; empty: it did."""
        if self.summary is None or self.summary.outcome == "crashed":
            return self.why
        return "somebody touched keyboard or pointer." if self.summary.takeovers else ""


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def judge_run(
    order: PlayTrial, watch: TrialWatch, cause: Cause, ended_s: float, words: AgentOutput
) -> TrialRun:
    """The run as it counts. One in which the agent did not play to the end says nothing: with nobody at the
    keys a game is soon over, and looks like any other that was lost.
    """
    if cause != "failed" and (fault := words.fault):
        _log.warning("seed %s ended with %s, but does not count: %s", order.seat.seed, cause, fault)
        cause = "outside"
    counts = cause not in ("outside", "failed")
    summary = words.summary or RunSummary()
    why = {
        "terminal": f"the game was over{f': {watch.reason}' if watch.reason else ''}",
        "cap": "its score reached the cap",
        "time": f"{order.trial.seconds:g} s were over",
    }
    return TrialRun(
        seed=order.seat.seed,
        score=watch.score if counts else None,
        success=counts and watch.succeeded(),
        cause=cause,
        why=why.get(cause, words.fault or words.why),
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
