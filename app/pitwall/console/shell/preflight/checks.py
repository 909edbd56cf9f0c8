"""The checks of a first start, and the state of each. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from pitwall.core.telemetry import ProbeResult

CheckName = Literal["capture", "leak", "input", "stop"]


@dataclass(frozen=True, slots=True)
class Check:
    """Declares a check: its name for the engine, and its claim."""

    name: CheckName
    title: str
    proves: str


CHECKS = (
    Check("capture", "Capture", "The game's own window is seen, and how fast."),
    Check("leak", "Leak probe", "Nothing of the console or the overlay enters a captured frame."),
    Check("input", "Injection round trip", "A harmless key goes out through the broker and comes up again."),
    Check("stop", "Stop latency", "A held key is up at once when everything is stopped."),
)


_UNITS = {"pixels": "px"}


class Progress(Enum):
    """Tells a check's progress."""

    WAITING = "waiting"
    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckState:
    """Holds a check's progress, and its result once it is known."""

    check: Check
    progress: Progress = Progress.WAITING
    result: ProbeResult | None = None

    @property
    def text(self) -> str:
        """Return the claim, or the result once there is one, in a sentence."""
        return self.result.text if self.result is not None else self.check.proves

    @property
    def figures(self) -> str:
        """Return the measured figures, with units: "stop 0.38 ms"; empty before."""
        if self.result is None:
            return ""
        return " · ".join(_figure(name, value) for name, value in self.result.figures.items())

    @property
    def fix(self) -> str:
        """Say how to mend it; empty where it passed or did not run."""
        failed = self.progress is Progress.FAILED and self.result is not None
        return self.result.fix if failed and self.result is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """Runs all checks one after the other. (Input and stop press a key: never two at once.)"""

    checks: tuple[CheckState, ...] = tuple(CheckState(check=check) for check in CHECKS)

    @property
    def running(self) -> CheckName | None:
        """Return the check that runs now."""
        return next((state.check.name for state in self.checks if state.progress is Progress.RUNNING), None)

    @property
    def passed(self) -> bool:
        """Return whether every check passed."""
        return all(state.progress is Progress.PASSED for state in self.checks)

    @property
    def ended(self) -> bool:
        """Return whether every check has a result."""
        return all(state.progress in (Progress.PASSED, Progress.FAILED) for state in self.checks)

    @property
    def next_name(self) -> CheckName | None:
        """Return the first check that waits; None while one runs."""
        if self.running is not None:
            return None
        return next((state.check.name for state in self.checks if state.progress is Progress.WAITING), None)

    def begun(self, name: CheckName) -> Preflight:
        """Return the state after a check was started."""
        return self._with(name, Progress.RUNNING, None)

    def after(self, result: ProbeResult) -> Preflight:
        """Return the state after a result; a result of a check that does not run changes nothing."""
        if result.name != self.running:
            return self
        return self._with(self.running, Progress.PASSED if result.passed else Progress.FAILED, result)

    def again(self, *names: CheckName) -> Preflight:
        """Return the state in which these checks (all where none is named) wait to run again."""
        wanted = names or tuple(check.name for check in CHECKS)
        return Preflight(
            checks=tuple(_forget(state) if state.check.name in wanted else state for state in self.checks)
        )

    def _with(self, name: str | None, progress: Progress, result: ProbeResult | None) -> Preflight:
        return Preflight(
            checks=tuple(
                replace(state, progress=progress, result=result) if state.check.name == name else state
                for state in self.checks
            )
        )


def _figure(name: str, value: float) -> str:
    stem, _, unit = name.rpartition("_")
    number = f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
    return f"{stem.replace('_', ' ')} {number} {_UNITS.get(unit, unit)}"


def _forget(state: CheckState) -> CheckState:
    return state if state.progress is Progress.RUNNING else CheckState(check=state.check)
