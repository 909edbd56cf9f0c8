"""A step: one decided action and its outcome, as the run log keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pitwall.core.actions import Effect, Invalid, Proposal, SemanticAction, SentEvent
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Route, Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Holds the time of each stage of one step, in ms."""

    capture_ms: float = 0.0
    perceive_ms: float = 0.0
    trigger_ms: float = 0.0
    decide_ms: float = 0.0
    act_ms: float = 0.0
    record_ms: float = 0.0
    reaction_ms: float | None = None
    """Changed pixels to first key sent; None where no key was sent."""
    frame_age_ms: float | None = None
    """Age of the observation when its first event was injected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """Records one step with everything needed to answer "why this action?".

    Attributes:
        step: 1, 2, 3 … within the run.
        at_ns: nanoseconds since the run began, on the monotonic clock.
        reasons: every escalation reason that held; empty when it stayed reactive.
        why: one sentence for the operator.
        sent: events after the gate, in order.
        effect: as the following frames showed it. effect_why: why a press had none; empty otherwise.
        frame_ref: path of the step's frame image relative to the run folder, empty if none was kept.
    """

    step: int
    at_ns: int
    frame_id: int
    status: GameStatus
    route: Route
    reasons: tuple[Reason, ...]
    why: str
    signals: Signals
    fields: dict[str, Value] = field(default_factory=dict)
    proposal: Proposal | None = None
    action: SemanticAction
    invalid: Invalid | None = None
    sent: tuple[SentEvent, ...] = ()
    effect: Effect = Effect.UNVERIFIED
    effect_why: str = ""
    timings: Timings = field(default_factory=Timings)
    frame_ref: str = ""

    @property
    def decided_effect(self) -> Effect:
        """Return the effect as decisions and lessons use it: a press without any is unverified there."""
        return Effect.UNVERIFIED if self.effect_why else self.effect


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflexRecord:
    """Records one decision of a learned module, made at frame rate within a step, for a trainer.

    Attributes:
        at_ns: when it was decided, nanoseconds since the run began.
        start: counts the module's starts within the run: decisions of one start follow one another.
        action: index in the module's actions; −1: the frame on which it ended.
        values: every field as read from that frame.
    """

    step: int
    at_ns: int
    module: str
    version: str
    start: int
    action: int
    values: dict[str, Value] = field(default_factory=dict)


HOLDS = ("paused", "stopped", "takeover", "window", "broker", "fault")
"""Kinds of events after which nothing is decided until the run is resumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """Something that happened between or beside steps: a takeover, a refusal, a pause, a fault.

    Attributes:
        at_ns: nanoseconds since the run began.
        kind: escalation, refusal, takeover, paused, resumed, stopped, window, broker, fault, note.
    """

    at_ns: int
    kind: str
    text: str
    step: int = 0
