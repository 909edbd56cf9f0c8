"""What speaks against the plan in force, found at a step's boundary: into the failure trace."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.actions import SemanticAction
from pitwall.core.signals import Reason, TriggerDecision
from pitwall.engine.control.failure import FailureTracker
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState

BLAME_AFTER = 3
"""Steps that a plan must have had before a stall or a loop speaks against it (choice): the trigger
goes on to find a stall until there is progress, and a new plan needs time to make some."""


def note_plan_evidence(
    failures: FailureTracker,
    state: ProposalState,
    grounded: GroundedAction,
    decision: TriggerDecision,
    *,
    recent: Sequence[SemanticAction],
    step: int,
) -> None:
    """Write what speaks against a plan into the failure trace.

    A module that repeats itself does its job: that is at most a stall.

    Args:
        state: the plan. recent: the last actions, newest last.
    """
    signals = decision.signals
    blamed = state.steps_used >= BLAME_AFTER
    action = str(recent[-1]) if recent else ""
    source = state.proposal.source
    if grounded.failed:
        failures.plan_failed(step=step, action=action, source=source, problem=grounded.why)
    elif blamed and Reason.LOOP in decision.reasons and not state.proposal.module:
        problem = f"repeated {signals.repetition} times without progress"
        failures.plan_failed(step=step, action=action, source=source, problem=problem)
    elif blamed and (Reason.STALL in decision.reasons or Reason.LOOP in decision.reasons):
        failures.stall(step=step, source=source, steps=signals.stall)
