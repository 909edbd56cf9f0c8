"""Measures one run from the engine's note on every frame and the game's true states."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from pitwall.core import commands, telemetry
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.paths import TRUTH_VARIABLE
from pitwall.core.runs import Spread
from pitwall.core.settings import load_settings
from pitwall.link.autoplay import AutoPlay, PlayResult
from pitwall.link.engine_session import EngineSession
from pitwall.link.virtual_screen import variables_of
from pitwall.store.run_metrics import spread_of
from pitwall_evaluation.sandbox import Sandbox
from pitwall_evaluation.truth.state import TrueState, TruthReader
from pitwall_lab.game_trials.messages import MeasureRun
from pitwall_lab.game_trials.noise import Reading, TrueNumbers, noise_of, numbers_of
from pitwall_lab.modules.screen_measurement import Figure, ScreenMeasurement

_OPENING_S = 120.0
_WAIT_S = 0.05
_LEAST_FRAMES = 10


@dataclass(slots=True)
class _Reports:
    """Collects the reports of a run while it is played."""

    game_id: str = ""
    units: dict[str, str] = field(default_factory=dict)
    seen: list[Reading] = field(default_factory=list)
    intervals_ms: list[float] = field(default_factory=list)
    ages_ms: list[float] = field(default_factory=list)
    known: list[TrueNumbers] = field(default_factory=list)
    _last: TrueState | None = None

    def take(self, record: object) -> None:
        match record:
            case telemetry.GameOpened():
                self.game_id, self.units = record.game_id, dict(record.fields)
            case telemetry.FrameNote() if record.status is GameStatus.PLAYING:
                values = {reading.name: reading.value for reading in record.readings}
                self.seen.append(Reading(record.captured_ns / NS_PER_MS, values))
                self.intervals_ms.append(record.interval_ms)
                self.ages_ms.append(record.age_ms)

    def look(self, reader: TruthReader) -> None:
        """Store the true state if it is new."""
        state = reader.read()
        if state is None or state == self._last:
            return
        self._last = state
        if state.status is GameStatus.PLAYING:
            wall_ms = time.time() * 1e3 - now_ns() / NS_PER_MS
            self.known.append(TrueNumbers(state.timestamp_ms - wall_ms, numbers_of(state)))


def measure_run(order: MeasureRun, sandbox: Sandbox, heed: Callable[[], None]) -> ScreenMeasurement:
    """Play and measure.

    Args:
        heed: called repeatedly; raises when nobody waits for the result any more.

    Raises:
        PitwallError: the game could not be played, or too few frames were seen.
    """
    if sandbox.display:
        os.environ.update(variables_of(sandbox.display))  # this process plays a single run and ends
    reports = _Reports()
    result = _play(order, sandbox, reports, heed)
    summary = result.summary
    if summary is None or len(reports.seen) < _LEAST_FRAMES:
        fault = result.faults[-1].what if result.faults else ""
        state = result.last_state.text if result.last_state is not None else ""
        raise PitwallError(
            f"too little of the game was played: {fault or state or 'too few frames to measure'}",
            "Measure longer, or watch the game: pitwall demo --console.",
        )
    noise, unmatched = noise_of(reports.seen, reports.known, reports.units)
    middle = median(reports.intervals_ms)
    every = summary.frames + summary.dropped_frames
    return ScreenMeasurement(
        game_id=reports.game_id,
        module=order.setup.module,
        version=order.setup.version,
        seed=order.setup.seed,
        scenario=order.setup.scenario,
        seconds=summary.seconds,
        frames=len(reports.seen),
        dropped=summary.dropped_frames / every if every else 0.0,
        reaction_ms=_figure(summary.reaction_ms),
        frame_ms=_figure(spread_of(reports.intervals_ms)),
        age_ms=_figure(spread_of(reports.ages_ms)),
        jitter_ms=median(abs(interval - middle) for interval in reports.intervals_ms),
        noise=noise,
        unmatched=unmatched,
        load=os.getloadavg()[0] if sys.platform != "win32" else 0.0,
        at=time.time(),
    )


def _play(order: MeasureRun, sandbox: Sandbox, reports: _Reports, heed: Callable[[], None]) -> PlayResult:
    opening = commands.Open(
        game=order.setup.game,
        settings=load_settings(sandbox.data.settings)
        .with_value("control", "planner", "skills")
        .with_value("recording", "video", False),
        seed=order.setup.seed,
        scenario=order.setup.scenario,
        modules={order.setup.module: order.setup.version},
        game_env={TRUTH_VARIABLE: str(sandbox.truth)},
    )
    autoplay = AutoPlay(commands.Start(seconds=order.seconds), stop_on_takeover=True)
    reader, until_s = TruthReader(sandbox.truth), time.monotonic() + _OPENING_S + order.seconds
    session = EngineSession(sandbox.data, opening)
    try:
        while not autoplay.done and time.monotonic() < until_s:
            for record in session.wait(_WAIT_S):
                reports.take(record)
                for command in autoplay.react(record):
                    session.send(command)
            reports.look(reader)
            heed()
    finally:
        session.close()
    return autoplay.result


def _figure(spread: Spread) -> Figure:
    return Figure(p50=spread.p50, p95=spread.p95, n=spread.n)
