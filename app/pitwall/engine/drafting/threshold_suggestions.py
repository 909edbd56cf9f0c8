"""Suggests trigger thresholds that fit a game, from frames of its play. Without I/O and clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.core.signals import Thresholds
from pitwall.engine.trigger.descriptor import Descriptor, change, describe

STEP_S = 0.35
"""Length of a step while nobody decides: an action's 250 ms and some overhead."""
LEAST_STEPS = 8
"""Least number of steps for a suggestion."""
_STILL = 0.002
"""Change below which a picture counts as still."""
_CUT_TIMES = 3.0
"""Least ratio of a cut's change to the change of nine in ten steps."""
_CUT_LEAST = 0.12
_LEAST_READ = 0.5
"""Least share of steps in which a field must be read to indicate progress."""
_QUANTILES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Thresholds that fit the observed play.

    Attributes:
        why: threshold → a sentence with its figures.
        steps, frames: numbers observed. quantiles: of d by step: "p50", "p90", "p99", "p100".
        still_share: share of the steps with a still picture, 0 … 1.
        longest_still: in steps. cuts: steps that changed the whole picture.
        counted: names of the fields whose change counted as progress; empty: changes of the picture did.
    """

    thresholds: Thresholds
    why: dict[str, str]
    steps: int
    frames: int
    seconds: float
    quantiles: dict[str, float]
    still_share: float
    longest_still: int
    cuts: int
    counted: tuple[str, ...]


@dataclass(slots=True)
class _Seen:
    changes: list[float] = field(default_factory=list)
    streaks: list[int] = field(default_factory=list)
    streak: int = 0
    frames: int = 0


class ThresholdWatcher:
    """Takes frames as they come; a step ends each `step_s` seconds.

    Args:
        counted: fields whose change is progress; empty: any change of the picture is progress.
    """

    def __init__(self, counted: tuple[str, ...] = (), *, step_s: float = STEP_S) -> None:
        self._counted = counted
        self._step_s = step_s
        self._seen = _Seen()
        self._began_s: float | None = None
        self._step_at_s = 0.0
        self._reference: Descriptor | None = None
        self._largest = 0.0
        self._values: dict[str, Value] = {}
        self._read = dict.fromkeys(counted, 0)
        self._last_s = 0.0

    @property
    def steps(self) -> int:
        return len(self._seen.changes)

    def take(self, at_s: float, pixels: Pixels, values: Mapping[str, Value]) -> None:
        """Take a frame, changed or not.

        Args:
            at_s: seconds on any clock that only goes forward.
            pixels: (height, width, 4) uint8 BGRX. values: the fields' readings.
        """
        self._last_s = at_s
        now = describe(pixels)
        self._seen.frames += 1
        if self._began_s is None:
            self._began_s, self._step_at_s = at_s, at_s + self._step_s
            self._reference, self._values = now, dict(values)
            return
        self._largest = max(self._largest, change(now, self._reference))
        if at_s < self._step_at_s:
            return
        self._end_step(values)
        self._reference, self._largest = now, 0.0
        self._step_at_s = max(self._step_at_s + self._step_s, at_s)

    def suggest(self, usual: Thresholds | None = None) -> Suggestion:
        """Return fitting thresholds; the usual ones if too little was observed."""
        usual = usual or Thresholds()
        changes = np.array(self._seen.changes or [0.0])
        quantiles = {f"p{round(100 * q)}": round(float(np.quantile(changes, q)), 4) for q in _QUANTILES}
        streaks = [*self._seen.streaks, self._seen.streak]
        cuts = changes[changes >= max(_CUT_LEAST, _CUT_TIMES * float(np.quantile(changes, 0.9)))]
        thresholds, why = usual, {}
        if self.steps >= LEAST_STEPS:
            scene, why["scene_change"] = _scene(changes, cuts, quantiles)
            if unread := self._unread():
                stall, refresh = usual.stall_steps, usual.refresh_steps
                why["stall_steps"] = why["refresh_steps"] = unread
            else:
                stall, why["stall_steps"] = _stall(streaks, bool(self._counted))
                refresh, why["refresh_steps"] = _refresh(streaks, self.steps, bool(self._counted))
            thresholds = usual.model_copy(
                update={"scene_change": scene, "stall_steps": stall, "refresh_steps": refresh}
            )
        return Suggestion(
            thresholds=thresholds,
            why=why,
            steps=self.steps,
            frames=self._seen.frames,
            seconds=round(self._last_s - (self._began_s or self._last_s), 1),
            quantiles=quantiles,
            still_share=round(float((changes < _STILL).mean()), 3) if self.steps else 1.0,
            longest_still=max(streaks, default=0),
            cuts=len(cuts),
            counted=self._counted,
        )

    def _unread(self) -> str:
        """Return a sentence on the counted fields if none of them could be read well; else empty."""
        if not self._read or max(self._read.values()) >= _LEAST_READ * self.steps:
            return ""
        counts = ", ".join(f"{name} in {count} of {self.steps}" for name, count in self._read.items())
        return f"counted fields could hardly be read: {counts} steps; draw their boxes again. The usual steps"

    def _end_step(self, values: Mapping[str, Value]) -> None:
        seen = self._seen
        seen.changes.append(self._largest)
        progressed = self._largest >= _STILL
        if self._counted:
            now = {name: values.get(name) for name in self._counted}
            for name, value in now.items():
                self._read[name] += value is not None
            progressed = any(v is not None and v != self._values.get(name) for name, v in now.items())
            self._values.update({name: value for name, value in now.items() if value is not None})
        if progressed:
            seen.streaks.append(seen.streak)
            seen.streak = 0
        else:
            seen.streak += 1


def _scene(changes: np.ndarray, cuts: np.ndarray, quantiles: Mapping[str, float]) -> tuple[float, str]:
    most, nine = quantiles["p100"], quantiles["p90"]
    if len(cuts):
        ordinary = changes[changes < cuts.min()]
        top = float(ordinary.max()) if len(ordinary) else 0.0
        value = _rounded(math.sqrt(max(top, 0.02) * float(cuts.min())))
        times = "once" if len(cuts) == 1 else f"{len(cuts)} times"
        return value, (
            f"the picture was cut {times} (d from {cuts.min():.2f}), "
            f"else it changed by {top:.2f} at most: between the two"
        )
    value = _rounded(max(0.35, 1.5 * most))
    return (
        value,
        f"no cut was seen: nine steps in ten changed d by at most {nine:.2f}, none by more than {most:.2f}",
    )


def _stall(streaks: list[int], counted: bool) -> tuple[int, str]:
    if counted and len(streaks) < 2:
        return Thresholds().stall_steps, "no counted field changed: the usual four steps"
    usual = math.ceil(float(np.quantile(np.array(streaks or [0]), 0.95)))
    if not usual:
        event = "a counted field changed in" if counted else "the picture moved in"
        return Thresholds().stall_steps, f"{event} nearly every step: the usual four steps"
    event = "no counted field changed" if counted else "the picture stood still"
    value = int(min(60, max(4, usual * 3 // 2 + 1)))
    return value, f"{event} for up to {usual} steps in a row, and hardly ever for longer: half as many again"


def _refresh(streaks: list[int], steps: int, counted: bool) -> tuple[int, str]:
    events = max(0, len(streaks) - 1)
    if not events or not counted:
        return Thresholds().refresh_steps, "no counted field changed: the usual four steps"
    between = steps / events
    value = int(min(40, max(4, round(2 * between))))
    return (
        value,
        f"something that counts changed about every {between:.1f} steps: a plan for two such times",
    )


def _rounded(value: float) -> float:
    return round(min(2.0, max(0.05, value)), 2)
