"""The event trigger's vocabulary (SPEC §1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from pydantic import BaseModel, ConfigDict

from pitwall.core.validation import bounded_number


class Reason(StrEnum):
    """Names why a step goes strategic; every reason that holds is recorded, in this order."""

    REFRESH = "refresh"
    SCENE = "scene"
    STALL = "stall"
    LOOP = "loop"
    FAILURE = "failure"
    REQUESTED = "requested"
    SCHEDULE = "schedule"
    """Not of the trigger: the ablations strategic-only and fixed-schedule ask by it (SPEC §2)."""


class Failure(IntEnum):
    """Failure levels F0 … F3."""

    NONE = 0
    LOCAL = 1
    ERROR = 2
    HARD = 3


class Route(StrEnum):
    """Names the controller that drives."""

    STRATEGIC = "strategic"
    REACTIVE = "reactive"
    REFLEX = "reflex"
    PERSON = "person"
    """Nobody of ours: a person plays, and each press or click of theirs is a step."""


class Thresholds(BaseModel):
    """Holds the thresholds of escalation, per game profile; adjustable while the agent plays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    refresh_steps: int = bounded_number(
        4, 1, 1000, "Reactive steps since the last strategic call (k)", "steps"
    )
    scene_change: float = bounded_number(0.35, 0.0, 2.0, "Visual change against the previous step (d)")
    stall_steps: int = bounded_number(4, 1, 1000, "Steps without progress (z)", "steps")
    loop_repeats: int = bounded_number(5, 2, 50, "Equal actions at the tail of the last W (r)", "actions")
    loop_stall_steps: int = bounded_number(
        2, 0, 1000, "Steps without progress that make a repetition a loop", "steps"
    )
    repetition_window: int = bounded_number(5, 2, 50, "Window W in which repetition is counted", "actions")
    failure_level: int = bounded_number(2, 1, 3, "Failure level that escalates (F)", "level")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The trigger's signals at one moment.

    Attributes:
        change: d, visual change against the previous step's frame, 0 … 2.
        progress: p, the progress counter since the run began.
        stall: z, steps in a row in which p did not grow.
        repetition: r, length of the tail of equal actions within the window.
        since_strategic: k, reactive steps since the last strategic call.
        failure: F0 … F3.
    """

    change: float = 0.0
    progress: int = 0
    stall: int = 0
    repetition: int = 0
    since_strategic: int = 0
    failure: Failure = Failure.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerDecision:
    """Stay reactive (no reasons) or escalate, with every reason that holds."""

    signals: Signals
    reasons: tuple[Reason, ...]

    @property
    def escalate(self) -> bool:
        return bool(self.reasons)
