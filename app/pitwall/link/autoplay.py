"""Plays unattended from opening to the end of the run: decides what to send after each report.

Shared by the commands and by a console that starts to play unasked. No I/O in here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pitwall.core import commands, telemetry
from pitwall.core.injection import StopCause
from pitwall.core.observations import GameStatus
from pitwall.core.quantities import counted, duration_text
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.steps import StepRecord

_FAULTY_STOPS = frozenset(
    {StopCause.ENGINE_HUNG, StopCause.ENGINE_GONE, StopCause.DISPLAY, telemetry.UNSAFE}
    | {"broker", "recording", "steering"}
)
"""Causes of stops and pauses that the operator did not request."""
_LEAK_TRIES = 3
"""A game that replaces its window just then hides it from the probe."""
_MOST_RESTS = 10
"""A machine that stays busy for longer is none to play on."""
_OUT_OF_PLAY = (GameStatus.MENU, GameStatus.TERMINAL)


@dataclass(slots=True)
class PlayResult:
    """Holds the result of an unattended play.

    Attributes:
        keys_down: keys and buttons that the broker still held when the run ended.
        leak_pixels: result of the leak probe; None if it was not requested or could not run.
        leak_cause: why the leak probe could not run; empty if it ran.
        live_frames: frames that the console drew while the run was on; None without a console.
        started_s: seconds from the console's start to each of its milestones (`console.shell.start_times`).
        taught: the demonstration that was recorded.
        idle_state: why nothing could be played at the run's end; None: it could.
        stuck: the status in which the game stayed until the run was ended for it.
        asked_to_stop: a signal to this command, or its owner's end, stopped it.
    """

    run_id: int | None = None
    manifest: RunManifest | None = None
    summary: RunSummary | None = None
    keys_down: int | None = None
    leak_pixels: int | None = None
    leak_cause: str = ""
    live_frames: int | None = None
    started_s: dict[str, float] = field(default_factory=dict)
    taught: telemetry.TeachNote | None = None
    faults: list[telemetry.Fault] = field(default_factory=list)
    last_state: telemetry.StateChanged | None = None
    idle_state: telemetry.StateChanged | None = None
    stuck: GameStatus | None = None
    asked_to_stop: bool = False

    @property
    def began(self) -> bool:
        """Return whether a run or a demonstration has begun."""
        return self.run_id is not None or self.taught is not None

    @property
    def broke_off(self) -> bool:
        """Return whether the game went away, or the engine failed, before the run's end."""
        return self.summary is not None and self.summary.outcome in ("lost_window", "crashed")

    @property
    def breakdown(self) -> tuple[str, str]:
        """Explain why a run with steps broke off, and what to do; empty if it did not."""
        if not self.broke_off or self.summary is None or not self.summary.steps:
            return "", ""
        played = f"{duration_text(self.summary.seconds)} and {counted(self.summary.steps, 'step')}"
        last, idle = self.last_state, self.idle_state
        failed = last is not None and last.state is telemetry.EngineState.FAILED
        states = (
            state for state in ((last, idle) if failed else (idle, last)) if state is not None and state.text
        )
        state = next(states, None)
        text, fix = (state.text, state.fix) if state is not None else ("the game went away.", "")
        return f"run {self.run_id} broke off after {played}: {text}", fix

    @property
    def shortfall(self) -> tuple[str, str]:
        """Explain why a run has no step or was stopped by a fault, and what to do; empty if neither is so."""
        if self.summary is None:
            return "", ""
        steps, seconds = self.summary.steps, self.summary.seconds
        if steps:
            idle = self.idle_state
            if self.summary.outcome == "finished" or idle is None or idle.cause not in _FAULTY_STOPS:
                return "", ""
            if idle.state is telemetry.EngineState.WAITING:
                return "", ""
            played = f"{duration_text(seconds)} and {counted(steps, 'step')}"
            return f"run {self.run_id} was stopped after {played}: {idle.text}", idle.fix
        message = f"run {self.run_id} ended after {duration_text(seconds)} without a step"
        if self.idle_state is not None:
            return f"{message}: {self.idle_state.text}", self.idle_state.fix
        if self.faults:
            return f"{message}: {self.faults[-1].what}", self.faults[-1].fix
        return f"{message}: nothing was decided by then.", "Give it more time."


class AutoPlay:
    """Starts a run once the game is in view, and knows when it and its review are over.

    Args:
        stop_on_takeover: end the run when a human takes over or an emergency stop latches.
        menu_s: seconds in a menu, or at the game's end, after which the run ends; 0: never.
        hang_rest_s: seconds after which a run goes on that a busy machine stopped; 0: the run ends.
    """

    def __init__(
        self,
        start: commands.Start,
        *,
        probe_leak: bool = False,
        stop_on_takeover: bool = False,
        menu_s: float = 0.0,
        hang_rest_s: float = 0.0,
    ) -> None:
        self._start = start
        self._probes = _LEAK_TRIES if probe_leak else 0
        self._stop_on_takeover = stop_on_takeover
        self._menu_ns, self._played_ns = round(menu_s * 1e9), 0
        self._hang_rest_s, self._rest_s, self._rests = hang_rest_s, 0.0, 0
        self._started = self._reviewing = self._stopping = False
        self.result = PlayResult()
        self.done = False

    @property
    def _failed(self) -> bool:
        state = self.result.last_state
        return state is not None and state.state is telemetry.EngineState.FAILED

    def give_up(self, why: telemetry.Fault) -> None:
        """End the play where it is: nothing more will be reported."""
        self.result.faults.append(why)
        self.result.last_state = None
        self.done = True

    def react(self, record: Any) -> list[Any]:
        """Take one telemetry record; returns the commands to send now."""
        match record:
            case telemetry.StateChanged():
                return self._on_state(record)
            case telemetry.ProbeResult(name="leak"):
                return self._on_probe(record)
            case telemetry.StepNote():
                return self._on_step(record.step)
            case telemetry.Stats() if self._rest_s > 0:  # they come once a second
                return self._on_rest()
            case telemetry.RunBegan():
                self.result.run_id, self.result.manifest = record.run_id, record.manifest
            case telemetry.RunEnded():
                self.result.summary, self.result.keys_down = record.summary, record.keys_down
                reason_comes = self.result.broke_off and not self._stopping and not self._failed
                self.done = not self._reviewing and not reason_comes
            case telemetry.TeachNote():
                self.result.taught = record
                self.done = record.complete
            case telemetry.Fault():
                self.result.faults.append(record)
        return []

    def _probe(self) -> list[Any]:
        self._probes -= 1
        return [commands.Probe(name="leak")]

    def _on_probe(self, record: telemetry.ProbeResult) -> list[Any]:
        """Start once the probe ran, or was tried often enough; wait for a window that went away."""
        pixels = record.figures.get("leak_pixels")
        if pixels is None:
            self.result.leak_cause = record.text
            if self._probes:
                state = self.result.last_state
                return self._probe() if state and state.state is telemetry.EngineState.READY else []
        else:
            self.result.leak_pixels, self.result.leak_cause = int(pixels), ""
        self._probes = 0
        return self._go()

    def _on_step(self, step: StepRecord) -> list[Any]:
        """End a run whose game stays out of play: nothing is learned from a menu."""
        if step.status not in _OUT_OF_PLAY:
            self._played_ns = step.at_ns
        elif self._menu_ns and self.result.stuck is None and step.at_ns - self._played_ns > self._menu_ns:
            self.result.stuck = step.status
            return [commands.Stop()]
        return []

    def _on_rest(self) -> list[Any]:
        """Resume a run that rested long enough; again after another rest if that is refused."""
        self._rest_s -= 1.0
        if self._rest_s > 0:
            return []
        if self._rests == _MOST_RESTS:
            self._stopping = True
            return [commands.Stop()]
        self._rest_s, self._rests = self._hang_rest_s, self._rests + 1
        return [commands.Resume()]

    def _on_state(self, record: telemetry.StateChanged) -> list[Any]:
        self.result.last_state = record
        state = telemetry.EngineState
        hung = record.state is state.LATCHED and record.cause == StopCause.ENGINE_HUNG
        self._rest_s = self._hang_rest_s if hung and self._rests < _MOST_RESTS else 0.0
        if record.state in (state.WAITING, state.PAUSED, state.LATCHED):
            self.result.idle_state = record
        elif record.state is state.PLAYING:
            self.result.idle_state = None
        self._reviewing = record.cause == telemetry.REVIEWING
        if self.result.summary is not None and not self._reviewing:
            self.done = True
        agent_plays = self._start.mode is None or not self._start.mode.by_person
        if record.cause == telemetry.UNSAFE and agent_plays and not self.result.began:
            self.done = True
            return []
        if record.state is state.READY and not self.result.began:
            if self._probes:
                return self._probe()
            self._started = False  # a start that came while the game replaced its window began nothing
            return self._go()
        if self._failed:  # the run's last commit may return later, unless the disk refused it
            refused = record.cause == "recording"
            self.done = refused or self.result.run_id is None or self.result.summary is not None
        paused = record.state is state.PAUSED and record.cause != telemetry.HICCUP
        mode = self._start.mode
        if paused and record.cause == "window_gone" and self._stop_on_takeover:
            return []  # the engine waits for the game to come back, or says why it did not
        if paused and record.cause == "window_back" and self._stop_on_takeover:
            return [commands.Resume()]
        paused = paused and not (mode is not None and mode.is_demonstration and record.cause == "operator")
        stopped = paused or (record.state is state.LATCHED and not self._rest_s)
        if stopped and self._stop_on_takeover and self._started:
            self._stopping = True
            return [commands.Stop()]
        return []

    def _go(self) -> list[Any]:
        if self._started:
            return []
        self._started = True
        return [self._start]
