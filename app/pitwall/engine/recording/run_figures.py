"""Figures of a run as it goes (SPEC §10): counts, spreads, rates; and the manifest of its conditions."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from array import array
from collections import Counter, deque
from collections.abc import Mapping
from datetime import UTC, datetime

from pitwall import __version__
from pitwall.core.calls import CallRecord
from pitwall.core.clock import NS_PER_S, ms_between, now_ns
from pitwall.core.runs import RunManifest, RunOutcome, RunSummary
from pitwall.core.settings import Settings
from pitwall.core.steps import StepRecord
from pitwall.engine.session.game_session import GameSession
from pitwall.store.run_metrics import CallTally, is_stuck, recovered, spread_of
from pitwall.store.true_scores import ScoreTally


class RunFigures:
    """Counts one run from its start to its summary.

    Args:
        score_field: the field that holds the score; empty for none.

    Attributes:
        reaction_ms, loop_ms, frame_age_ms: of each step or frame; arrays, because a night has millions.
    """

    def __init__(self, score_field: str = "") -> None:
        self._score = ScoreTally(score_field)
        self.began_ns = now_ns()
        self.frames = 0
        self.dropped = 0
        self.strategic_calls = 0
        self.plans_dropped = 0
        self.takeovers = 0
        self.recording_ms = 0.0
        self.events_sent = 0
        self.refusals: Counter[str] = Counter()
        self.reaction_ms = array("d")
        self.loop_ms = array("d")
        self.frame_age_ms = array("d")
        self._escalations: Counter[str] = Counter()
        self._routes: Counter[str] = Counter()
        self._deciders: Counter[str] = Counter()
        self.ended_by = ""
        self._invalid: Counter[str] = Counter()
        self._effects: Counter[str] = Counter()
        self.steps = 0
        self._stuck: list[bool] = []
        self._calls = CallTally()
        self._step_ms = array("d")
        self._last_step_ns: int | None = None

    def count(self, step: StepRecord, decided_by: str = "") -> None:
        """Count a step. decided_by: who decided it, empty where a person plays."""
        self.steps += 1
        self._deciders.update([decided_by] if decided_by else [])
        self._escalations.update(reason.value for reason in step.reasons)
        self._routes[step.route.value] += 1
        self._effects[step.effect.value] += 1
        if step.invalid is not None:
            self._invalid[step.invalid.value] += 1
        if step.timings.reaction_ms is not None:
            self.reaction_ms.append(step.timings.reaction_ms)
        self._stuck.append(is_stuck(step))
        if self._last_step_ns is not None:
            self._step_ms.append(ms_between(self._last_step_ns, step.at_ns))
        self._last_step_ns = step.at_ns
        self._score.add(step.fields)

    def count_call(self, call: CallRecord) -> None:
        self._calls.add(call)

    def summary(self, outcome: RunOutcome) -> RunSummary:
        """Return the figures so far, under an outcome."""
        return RunSummary(
            outcome=outcome,
            seconds=(now_ns() - self.began_ns) / NS_PER_S,
            steps=self.steps,
            frames=self.frames,
            dropped_frames=self.dropped,
            strategic_calls=self.strategic_calls,
            deciders=dict(self._deciders),
            ended_by=self.ended_by,
            escalations=dict(self._escalations),
            routes=dict(self._routes),
            refusals=dict(self.refusals),
            invalid=dict(self._invalid),
            effects=dict(self._effects),
            events_sent=self.events_sent,
            takeovers=self.takeovers,
            recording_ms=self.recording_ms,
            busy_ms=sum(self.loop_ms),
            reaction_ms=spread_of(self.reaction_ms),
            loop_ms=spread_of(self.loop_ms),
            frame_age_ms=spread_of(self.frame_age_ms),
            stuck=sum(self._stuck),
            recovered=recovered(self._stuck),
            tiers=self._calls.tiers,
            proposed_actions=self._calls.proposed_actions,
            illegal_actions=self._calls.illegal_actions,
            plans_dropped=self.plans_dropped,
            step_ms=spread_of(self._step_ms),
            score=self._score.score,
        )


class Rates:
    """Rates of the last seconds for the console, also when no run is on."""

    def __init__(self) -> None:
        self._frame_times: deque[int] = deque(maxlen=600)
        self.loop_ms: deque[float] = deque(maxlen=600)
        self.frame_age_ms: deque[float] = deque(maxlen=600)
        self._cpu_s = time.process_time()
        self._cpu_at = time.monotonic()

    def frame(self, at_ns: int, loop_ms: float, age_ms: float) -> None:
        """Count one frame: when it was captured, how long it took, how old it then was."""
        self._frame_times.append(at_ns)
        self.loop_ms.append(loop_ms)
        self.frame_age_ms.append(age_ms)

    def capture_hz(self, at_ns: int) -> float:
        since = at_ns - NS_PER_S
        return float(sum(1 for t in self._frame_times if t > since))

    def cpu_percent(self) -> float:
        """Return the processor share of this process since the last call, in percent of one core."""
        cpu, at = time.process_time(), time.monotonic()
        share = 100.0 * (cpu - self._cpu_s) / max(1e-6, at - self._cpu_at)
        self._cpu_s, self._cpu_at = cpu, at
        return share


_LIBRARIES = ("numpy", "opencv-python", "xcffib", "pynput", "sqlalchemy", "pydantic", "rapidocr")


def run_manifest(
    session: GameSession, settings: Settings, *, memory: str = "", modules: Mapping[str, str]
) -> RunManifest:
    """Return the manifest of a run that begins now.

    Args:
        memory: content hash of the memory it begins with. modules: game sense module → version that drives.
    """
    profile = session.game.profile
    window = session.view.window
    return RunManifest(
        game_id=profile.game.id,
        game_name=profile.game.name,
        game_version=profile.game.version,
        profile_hash=session.game.profile_hash,
        role=session.role,
        planner=session.planner,
        seed=session.seed,
        started_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        settings=settings.model_dump(mode="json"),
        thresholds=session.thresholds.model_dump(mode="json"),
        versions={**_versions(), **{f"module {name}": version for name, version in modules.items()}},
        memory=memory,
        screen=(window.rect.width, window.rect.height) if window is not None else (0, 0),
    )


def _versions() -> dict[str, str]:
    versions = {"pitwall": __version__, "python": platform.python_version(), "platform": platform.platform()}
    for name in _LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions
