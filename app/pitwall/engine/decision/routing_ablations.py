"""The source's ablations of routing (SPEC §2): what a step's trigger decision becomes under each."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pitwall.core.signals import Reason, TriggerDecision

RoutingMode = Literal["events", "strategic-only", "reactive-only", "fixed-schedule"]


def apply_ablation(
    routing: RoutingMode, decision: TriggerDecision, *, schedule_steps: int, has_plan: bool
) -> TriggerDecision:
    """The decision that counts.

    Under "events" it is the trigger's own. "strategic-only" escalates at every step, "reactive-only"
    at none, and "fixed-schedule" where no plan was made yet or the last is `schedule_steps` steps old.
    """
    match routing:
        case "events":
            return decision
        case "strategic-only":
            return replace(decision, reasons=(Reason.SCHEDULE,))
        case "reactive-only":
            return replace(decision, reasons=())
        case "fixed-schedule":
            due = not has_plan or decision.signals.since_strategic >= schedule_steps
            return replace(decision, reasons=(Reason.SCHEDULE,) if due else ())
