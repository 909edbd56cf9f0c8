"""The event trigger's vocabulary (SPEC §1): its signals, thresholds and reasons, each declared once.

A new signal is a field of `Signals` with its declaration, a threshold in `Thresholds` and a `Reason`;
`engine/trigger/event_trigger.py` computes it. Run log, exports, charts, tables, clips and prompts iterate
over `SIGNALS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import IntEnum, StrEnum
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict

from pitwall.core.validation import bounded_number


class Reason(StrEnum):
    """The reasons for a strategic step; every reason that holds is recorded, in this order."""

    REFRESH = "refresh"
    SCENE = "scene"
    STALL = "stall"
    LOOP = "loop"
    FAILURE = "failure"
    REQUESTED = "requested"
    SCHEDULE = "schedule"
    """Not a reason of the trigger: the ablations strategic-only and fixed-schedule use it (SPEC §2)."""


class Failure(IntEnum):
    """Failure levels F0 … F3."""

    NONE = 0
    LOCAL = 1
    ERROR = 2
    HARD = 3


class Route(StrEnum):
    """The controller that drives."""

    STRATEGIC = "strategic"
    REACTIVE = "reactive"
    REFLEX = "reflex"
    PERSON = "person"
    """A person plays, and each press or click is a step."""


class Thresholds(BaseModel):
    """Thresholds of escalation, from the game's profile; adjustable while the agent plays."""

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


def thresholds_of(recorded: Mapping[str, object]) -> Thresholds:
    """Return the thresholds of a run's manifest; those that it does not name have their defaults."""
    names = Thresholds.model_fields
    known: dict[str, Any] = {
        name: value for name, value in recorded.items() if name in names and isinstance(value, int | float)
    }
    return Thresholds.model_construct(None, **known)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSignal:
    """Declares a signal; `SIGNALS` completes it with the name and type of its field.

    Attributes:
        name: attribute of `Signals`, column of the run log and key in exports.
        kind: type of its values.
        letter: its letter in SPEC, which also stands below a clip's picture.
        unit: of its values; "level" stands before the number, others behind it.
        setting: its threshold in `Thresholds`; empty for a signal that is recorded but not weighed.
        reason: what holds when the threshold is reached.
        also: further conditions of that reason, each as a signal and its own threshold.
        why: the reason in the operator's words, with the value as {}. prompt: in a model's prompt.
        title, meaning: its name and its explanation on the screen. term: its name in papers.
        decimals: decimals of a value on the screen.
        chart_top: the scale of its chart ends at this value or above.
    """

    name: str = ""
    kind: type[int] | type[float] = int
    letter: str
    unit: str = ""
    setting: str = ""
    reason: Reason | None = None
    also: tuple[tuple[str, str], ...] = ()
    why: str = ""
    prompt: str = ""
    title: str = ""
    meaning: str = ""
    term: str = ""
    decimals: int = 0
    chart_top: float = 1.0

    @property
    def tip(self) -> str:
        """Return the explanation with the paper's term."""
        return f"{self.meaning}\nIn papers: {self.term}"

    @property
    def unit_behind(self) -> str:
        """Return the unit to write behind a number; empty for levels."""
        return "" if self.unit == "level" else self.unit

    def number(self, value: float) -> str:
        """Return a value with the decimals that the screen shows."""
        return f"{value:.{self.decimals}f}"

    def text(self, value: float) -> str:
        """Return a value without a unit behind it: "0.41", "4", "level 2"."""
        return f"level {self.number(value)}" if self.unit == "level" else self.number(value)

    def holds(self, signals: Signals, thresholds: Thresholds) -> bool:
        """Return whether the signal, and those in `also`, reached their thresholds."""
        return all(
            getattr(signals, name) >= getattr(thresholds, setting)
            for name, setting in ((self.name, self.setting), *self.also)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The trigger's signals at one moment."""

    change: Annotated[
        float,
        TriggerSignal(
            letter="d",
            setting="scene_change",
            reason=Reason.SCENE,
            why="the scene changed (d {:.2f})",
            prompt="the screen changed at once (by {:.2f} of 2)",
            title="picture change",
            meaning="How far the picture differs from the step before: 0 is the same picture, 2 the most.",
            term="visual change d",
            decimals=2,
            chart_top=0.7,
        ),
    ] = 0.0
    progress: Annotated[int, TriggerSignal(letter="p", term="progress p, counted since the run began")] = 0
    stall: Annotated[
        int,
        TriggerSignal(
            letter="z",
            unit="steps",
            setting="stall_steps",
            reason=Reason.STALL,
            why="no progress for {} steps",
            prompt="no progress for {} steps",
            title="no progress",
            meaning="Steps in a row in which nothing counted as progress.",
            term="zero progress z",
            chart_top=6.0,
        ),
    ] = 0
    repetition: Annotated[
        int,
        TriggerSignal(
            letter="r",
            unit="actions",
            setting="loop_repeats",
            reason=Reason.LOOP,
            also=(("stall", "loop_stall_steps"),),
            why="the same action {} times",
            prompt="the same action {} times without progress",
            title="same action",
            meaning="How often the same action came in a row, within the last actions.",
            term="repetition r",
            chart_top=7.0,
        ),
    ] = 0
    since_strategic: Annotated[
        int,
        TriggerSignal(
            letter="k",
            unit="steps",
            setting="refresh_steps",
            reason=Reason.REFRESH,
            why="{} steps since the last plan",
            prompt="{} steps were taken since the last plan",
            title="since a plan",
            meaning="Steps since a plan was last asked for.",
            term="reactive steps since the last strategic call, k",
            chart_top=6.0,
        ),
    ] = 0
    failure: Annotated[
        Failure,
        TriggerSignal(
            letter="F",
            unit="level",
            setting="failure_level",
            reason=Reason.FAILURE,
            why="failure level F{:d}",
            prompt="failures reached level {:d} of 3",
            title="failures",
            meaning="How badly actions fail, as a level: 0 not at all, 1 once, 2 an error, 3 nothing works.",
            term="failure level F",
            chart_top=3.0,
        ),
    ] = Failure.NONE


def _declared() -> tuple[TriggerSignal, ...]:
    hints: dict[str, Any] = get_type_hints(Signals, include_extras=True)
    return tuple(
        replace(hints[field.name].__metadata__[0], name=field.name, kind=hints[field.name].__origin__)
        for field in fields(Signals)
    )


SIGNALS = _declared()
"""Every signal, in the order of `Signals`."""
WEIGHED = {signal.name: signal for signal in SIGNALS if signal.setting}
"""The signals that the trigger weighs and charts show, by name."""
BY_REASON = {signal.reason: signal for signal in WEIGHED.values() if signal.reason is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerDecision:
    """Stay reactive (no reasons) or escalate, with every reason that holds."""

    signals: Signals
    reasons: tuple[Reason, ...]

    @property
    def escalate(self) -> bool:
        return bool(self.reasons)
