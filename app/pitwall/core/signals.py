"""The event trigger's vocabulary (SPEC §1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Reason(StrEnum):
    """Why a step goes strategic; every one that holds is recorded, in this order."""

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
    """Which controller drives."""

    STRATEGIC = "strategic"
    REACTIVE = "reactive"
    REFLEX = "reflex"
    PERSON = "person"
    """Nobody of ours: a person plays, and each press or click of theirs is a step."""


class Thresholds(BaseModel):
    """When to escalate. Per game profile; adjustable while the agent plays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    refresh_steps: int = Field(
        4,
        ge=1,
        le=1000,
        description="Reactive steps since the last strategic call (k)",
        json_schema_extra={"unit": "steps"},
    )
    scene_change: float = Field(
        0.35,
        ge=0.0,
        le=2.0,
        description="Visual change against the previous step (d)",
        json_schema_extra={"unit": ""},
    )
    stall_steps: int = Field(
        4,
        ge=1,
        le=1000,
        description="Steps without progress (z)",
        json_schema_extra={"unit": "steps"},
    )
    loop_repeats: int = Field(
        5,
        ge=2,
        le=50,
        description="Equal actions at the tail of the last W (r)",
        json_schema_extra={"unit": "actions"},
    )
    loop_stall_steps: int = Field(
        2,
        ge=0,
        le=1000,
        description="Steps without progress that make a repetition a loop",
        json_schema_extra={"unit": "steps"},
    )
    repetition_window: int = Field(
        5,
        ge=2,
        le=50,
        description="Window W in which repetition is counted",
        json_schema_extra={"unit": "actions"},
    )
    failure_level: int = Field(
        2,
        ge=1,
        le=3,
        description="Failure level that escalates (F)",
        json_schema_extra={"unit": "level"},
    )


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
