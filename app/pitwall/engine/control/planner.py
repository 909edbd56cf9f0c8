"""Defines the strategic planner: asked without waiting, and polled for its answer (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Signals
from pitwall.core.trust import Driver
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.slow_controller import SlowController
from pitwall.engine.control.tabu import Bars


@dataclass(frozen=True, slots=True, kw_only=True)
class PastStep:
    """A step of the recent window, as a prompt tells it.

    Attributes:
        changed: fields whose value the step changed: name → (before, after).
        problem: what went wrong (refused, invalid), in words; empty for nothing.
    """

    step: int
    action: SemanticAction
    effect: Effect
    progressed: bool = False
    changed: Mapping[str, tuple[Value, Value]] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """Holds everything a planner may know.

    Attributes:
        values: the observation's fields, `status` among them.
        trace: what failed, newest last: negative evidence.
        recent: the last actions of this run, newest last. history: the same with what became of them.
        running: the proposal still being carried out, None where it is over or there was none.
        hints: what memory has to say, best first.
        flush: F3: plan from the top; the trace is the last word of a context that is now gone.
        bars: what cannot be chosen.
        now_ns: monotonic nanoseconds.
    """

    request_id: int
    step: int
    now_ns: int
    values: Mapping[str, Value]
    status: GameStatus
    signals: Signals
    reasons: tuple[Reason, ...]
    trace: tuple[FailureNote, ...] = ()
    recent: tuple[SemanticAction, ...] = ()
    history: tuple[PastStep, ...] = ()
    hints: tuple[str, ...] = ()
    running: Proposal | None = None
    flush: bool = False
    bars: Bars = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReply:
    """A planner's answer.

    Attributes:
        proposal: the new plan; None together with `keep` leaves the running one, without it the
            agent holds.
        took_ms: from request to answer; 0 for a planner that answers within the poll.
        calls: completions it took: 0 without a model.
        call: number of the model call whose reply this is, 0 for none: to be settled as dropped where
            the answer is not used.
        proposed, illegal: actions that the reply proposed, and how many of them were illegal.
        failed: the model gave no usable answer; the stand-in's plan (if any) is this one.
        driver: whose decision it is, where control is earned; None: where it is not. tokens: that it took.
    """

    request_id: int
    proposal: Proposal | None
    why: str
    keep: bool = False
    took_ms: float = 0.0
    calls: int = 0
    call: int = 0
    proposed: int = 0
    illegal: int = 0
    failed: bool = False
    driver: Driver | None = None
    tokens: int = 0


class Planner(SlowController[PlanRequest, PlanReply], Protocol):
    """A strategic planner."""

    @property
    def name(self) -> str: ...


class SkillSource(Protocol):
    """Tells a plan that follows a stored skill how that skill stands now."""

    def news(self, name: str, before: Mapping[str, Value], now: Mapping[str, Value]) -> str | None:
        """Return the reasons against going on with it; empty for no reason, None if there is no such
        skill."""
        ...

    def next_actions(self, name: str, values: Mapping[str, Value]) -> tuple[SemanticAction, ...]:
        """The actions that fields name for it now; empty where a plan is to say whether it goes on."""
        ...
