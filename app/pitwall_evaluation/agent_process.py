"""Runs `pitwall run` as the player of a task or a trial, reads its reports, and ends it with its game."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from pitwall.core import telemetry
from pitwall.core.bounded_reading import foreign_json
from pitwall.core.errors import ProtocolError
from pitwall.core.paths import TRUTH_VARIABLE
from pitwall.core.runs import RunSummary
from pitwall.games.launcher import CONTROL_VARIABLE, adopt
from pitwall.games.schema.profile import Game
from pitwall.link.frame_ring import FrameRingReader
from pitwall.link.input_reader import UNTIL_INPUT_ENDS, InputReader
from pitwall.link.virtual_screen import variables_of
from pitwall_evaluation.sandbox import Sandbox

_ENDING_S = 30.0
_LAST_WORDS_S = 1.0
_LAST_WORDS = 1_000
_TELEMETRY: TypeAdapter[Any] = TypeAdapter(telemetry.Telemetry, config=ConfigDict(defer_build=True))
_SUMMARY: TypeAdapter[RunSummary] = TypeAdapter(RunSummary)


@dataclass(slots=True)
class AgentReports:
    """The reports of a run.

    Attributes:
        state: the engine's latest state. failed: the state in which it could not continue.
        began_s, over_s: monotonic clock when the run was begun, and when the engine had ended it.
        told_s: time of the latest report.
        error, complaint: class and sentence of what ended the command; empty for none.
    """

    told_s: float
    state: telemetry.StateChanged | None = None
    failed: telemetry.StateChanged | None = None
    held: telemetry.StateChanged | None = None
    run_id: int | None = None
    began_s: float | None = None
    over_s: float | None = None
    steps: int = 0
    summary: RunSummary | None = None
    fault: str = ""
    error: str = ""
    complaint: str = ""

    def take(self, record: Any, now_s: float) -> None:
        """Take in one record."""
        match record:
            case telemetry.StateChanged():
                self._state(record, now_s)
            case telemetry.RunBegan():
                self.run_id, self.began_s = record.run_id, now_s
            case telemetry.StepNote():
                self.steps = max(self.steps, record.step.step)
            case telemetry.Budgets():
                self.steps = max(self.steps, record.steps)
            case telemetry.RunEnded():
                self.summary = record.summary
                self.over_s = self.over_s or now_s
                self.steps = max(self.steps, record.summary.steps)
            case telemetry.Fault() if record.error != "Notice":
                self.fault = f"{record.what} {record.fix}".strip()

    def _state(self, record: telemetry.StateChanged, now_s: float) -> None:
        self.state = record
        if record.state is telemetry.EngineState.READY and self.began_s is not None:
            self.over_s = self.over_s or now_s
        if record.state is telemetry.EngineState.FAILED:
            self.failed = record
        elif record.state in (telemetry.EngineState.PAUSED, telemetry.EngineState.LATCHED):
            self.held = self.held or record

    def answer(self, message: dict[str, Any]) -> None:
        """Take in the command's last line: its figures, or why there are none."""
        self.error = str(message.get("error", ""))
        self.complaint = f"{message.get('what', '')} {message.get('fix', '')}".strip()
        for fault in message.get("faults", ()):
            self.fault = str(fault)
        with contextlib.suppress(ValidationError):
            self.summary = self.summary or _SUMMARY.validate_python(message.get("summary"))


@dataclass(slots=True)
class AgentProcess:
    """A running `pitwall run`.

    Attributes:
        ring: frames of the game as the agent sees them; None so far.
    """

    process: subprocess.Popen[bytes]
    heard: AgentReports
    on_frame: Callable[[telemetry.FrameNote], None]
    ring: FrameRingReader | None = None
    _received: bytearray = field(default_factory=bytearray)
    _output: InputReader = field(init=False)

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        self._output = InputReader(self.process.stdout)

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def hear(self, timeout_s: float = 0.0) -> None:
        """Take in every report since the last call; wait for more if asked to."""
        while data := self._output.next(timeout_s):
            self.heard.told_s = time.monotonic()
            self._received += data
        *lines, rest = bytes(self._received).split(b"\n")
        self._received = bytearray(rest)
        for line in lines:
            self._take(line)

    def end(self) -> None:
        """Ask it to end (keys up, game closed, figures reported); kill it if it does not."""
        assert self.process.stdin is not None
        if self.heard.over_s is not None:
            self._wait(_ENDING_S)
        for ask in (self.process.stdin.close, self.process.terminate, self.process.kill):
            if self._wait(0.0):
                break
            ask()
            if self._wait(_ENDING_S):
                break
        self.hear(_LAST_WORDS_S)

    def close_ring(self) -> None:
        """Close the frames."""
        if self.ring is not None:
            self.ring.close()
            self.ring = None

    def _wait(self, timeout_s: float) -> bool:
        """Return whether it ended in time; its output is read meanwhile, or it would block."""
        until_s = time.monotonic() + timeout_s
        while not self.ended:
            self.hear()
            if time.monotonic() >= until_s:
                return False
            time.sleep(0.02)
        return True

    def _take(self, line: bytes) -> None:
        try:
            message = foreign_json(line)
            if not isinstance(message, dict) or "kind" not in message:
                self.heard.answer(message if isinstance(message, dict) else {})
                return
            record = _TELEMETRY.validate_python(message)
        except ValueError:
            return
        if isinstance(record, telemetry.FrameNote):
            self.on_frame(record)
        elif isinstance(record, telemetry.RingOpened):
            self._open_ring(record.name)
        else:
            self.heard.take(record, time.monotonic())

    def _open_ring(self, name: str) -> None:
        self.close_ring()
        with contextlib.suppress(ProtocolError):  # replaced by a newer one before we came to it
            self.ring = FrameRingReader(name)


@contextlib.contextmanager
def agent_process(
    command: Sequence[str],
    sandbox: Sandbox,
    game: Game,
    on_frame: Callable[[telemetry.FrameNote], None] = lambda _note: None,
) -> Iterator[AgentProcess]:
    """Run the command for the time of the block; it and its game end with it, or with this process."""
    with (
        sandbox.errors.open("wb") as complaints,
        subprocess.Popen(
            [*command, UNTIL_INPUT_ENDS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**os.environ, **_variables(sandbox)},
            start_new_session=True,
        ) as process,
    ):
        play = AgentProcess(process, AgentReports(time.monotonic()), on_frame)
        try:
            yield play
        finally:
            play.end()
            play.close_ring()
            orphan = adopt(game, data=sandbox.data.root)  # of an engine that was killed
            if orphan is not None:
                orphan.close()


def _variables(sandbox: Sandbox) -> dict[str, str]:
    control = {} if sandbox.control is None else {CONTROL_VARIABLE: str(sandbox.control)}
    return {**variables_of(sandbox.display), TRUTH_VARIABLE: str(sandbox.truth), **control}


def last_complaints(sandbox: Sandbox) -> str:
    """Return the end of the run's error output."""
    with contextlib.suppress(OSError):
        return sandbox.errors.read_text(encoding="utf-8", errors="replace")[-_LAST_WORDS:].strip()
    return ""
