"""The decision of one step: whether it goes strategic, who drives it, its action, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pitwall.core.actions import NOBODY, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import BY_REASON, Failure, Reason, Route, Signals, Thresholds, TriggerDecision
from pitwall.engine.control.planner import PlanReply

RoutingMode = Literal["events", "strategic-only", "reactive-only", "fixed-schedule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepState:
    """Holds the state on which one step is decided.

    Attributes:
        values: field name → value, including `status`.
        now_ns: monotonic nanoseconds.
    """

    step: int
    values: Mapping[str, Value]
    status: GameStatus
    now_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteDecision:
    """Holds one step's decision.

    Attributes:
        route: who drives; None: nobody acts (no plan, or held while the planner thinks).
        action: what to do now; None when nothing is to be sent, or the module acts by frame.
        reasons: why it went strategic; empty when it did not.
        failure: the failure level, including a loop that this decision itself found.
        planned: the planner's answer that this step uses.
        thinking: the planner was asked and has not answered yet.
        flushed: F3: the short-term context was dropped.
        decided_by: model, skills, memory, reflexes, another planner's name, or nobody.
    """

    route: Route | None
    action: SemanticAction | None
    reasons: tuple[Reason, ...]
    why: str
    proposal: Proposal | None
    failure: Failure
    planned: PlanReply | None = None
    thinking: bool = False
    flushed: bool = False
    decided_by: str = NOBODY

    def with_failure(self, thresholds: Thresholds) -> RouteDecision:
        """Add the reason "failure" if a loop or failed correction raised F in this very step."""
        if not self.reasons or self.failure < thresholds.failure_level:
            return self
        reasons = {*self.reasons, Reason.FAILURE}
        return replace(self, reasons=tuple(reason for reason in Reason if reason in reasons))


def reasons_in_words(signals: Signals, reasons: tuple[Reason, ...]) -> list[str]:
    """Return each reason in words, with the figure behind it."""
    words = {Reason.REQUESTED: "the reactive controller asked", Reason.SCHEDULE: "the schedule asks"}
    for reason, signal in BY_REASON.items():
        words[reason] = signal.why.format(getattr(signals, signal.name))
    return [words[reason] for reason in reasons]


def apply_ablation(
    routing: RoutingMode, decision: TriggerDecision, *, schedule_steps: int, has_plan: bool
) -> TriggerDecision:
    """Return the trigger's decision under the source's ablations of routing (SPEC §2).

    Under "events" it is the trigger's own. "strategic-only" escalates at every step, "reactive-only" at none,
    and "fixed-schedule" if there is no plan yet or the last one is `schedule_steps` steps old.
    """
    match routing:
        case "events":
            return decision
        case "strategic-only":
            due = True
        case "reactive-only":
            due = False
        case "fixed-schedule":
            due = not has_plan or decision.signals.since_strategic >= schedule_steps
    return replace(decision, reasons=(Reason.SCHEDULE,) if due else ())
