"""Evidence against the plan in force: enough to ask the reactive model, or to let the plan fail.

While a plan goes as it said, asking whether to continue costs nearly as much as planning again, and the
answer is yes. So its next action is done without a call unless one of these holds:

    the last action's effect was not seen
    no plan is in force: nobody plans, or the plan is over and carried on
    a hint of the memory says that the action mostly failed (that another one worked is no objection)
    the status changed
    the plan's skill no longer applies, or a skill of higher priority begins to
    a plan without a skill: a field turned true or false, became known or unknown

Evidence against the plan as a whole (failed corrections, loops, stalls) goes into the failure trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, TriggerDecision
from pitwall.engine.control.failure import FailureTracker
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState
from pitwall.memory.retrieval.hints import ACT_SUCCESS

_MOST_CHANGES = 3
BLAME_AFTER = 3
"""Steps that a plan, with the plans of the same skill right before it, must have had before a stall or a loop
counts against it (our choice). A stall is reported until there is progress, and a new plan needs time."""

SkillNews: TypeAlias = Callable[[str, Mapping[str, Value], Mapping[str, Value]], str | None]
"""(skill, fields before, fields now) → the objection to it, empty for none; None: no such skill."""


class ConsultTriggers:
    """Compares each step with the state in which the previous one was decided.

    Args:
        skills: knows the skills that plans may follow; None for none.
    """

    def __init__(self, skills: SkillNews | None = None) -> None:
        self._skills = skills
        self._seen: tuple[GameStatus, dict[str, Value]] | None = None

    def note_state(self, values: Mapping[str, Value], status: GameStatus) -> None:
        """Keep the state in which a step or a plan was decided: only later changes count."""
        self._seen = (status, dict(values))

    def forget(self) -> None:
        self._seen = None

    def objections(
        self,
        action: SemanticAction,
        *,
        planned: bool,
        skill: str = "",
        last_effect: Effect | None,
        hint_success: Mapping[str, float],
        values: Mapping[str, Value],
        status: GameStatus,
    ) -> str:
        """Return the objections to doing this action now, as half a sentence; empty for none.

        Args:
            planned: the action comes from a plan that is not over. skill: the plan's; empty for none.
            last_effect: effect of the last step's action; None if there was none.
            hint_success: action → share of its successes, for each action that a hint mentions.
        """
        evidence = []
        if last_effect is Effect.UNVERIFIED:
            evidence.append("the last action's effect was not seen")
        if not planned:
            evidence.append("no plan is in force")
        if hint_success.get(str(action), 1.0) < ACT_SUCCESS:
            evidence.append("the memory does not speak for it")
        evidence += self._changes(skill, values, status)
        return ", ".join(evidence)

    def _changes(self, skill: str, values: Mapping[str, Value], status: GameStatus) -> Iterator[str]:
        if self._seen is None:
            return
        before, known = self._seen
        if before is not status:
            yield f"the game went from {before} to {status}"
        of_skill = self._skills(skill, known, values) if skill and self._skills is not None else None
        if of_skill is not None:
            if of_skill:
                yield of_skill
            return
        changes = [_change(name, known.get(name), now) for name, now in values.items()]
        evidence = [change for change in changes if change]
        yield from evidence[:_MOST_CHANGES]
        if len(evidence) > _MOST_CHANGES:
            yield f"{len(evidence) - _MOST_CHANGES} more changes"


def _change(name: str, before: Value, now: Value) -> str:
    """Describe a field's change as half a sentence; empty for a number or a text that only moves."""
    if (before is None) is not (now is None):
        return f"{name} is now {'unknown' if now is None else 'known'}"
    if isinstance(before, bool) and isinstance(now, bool) and before is not now:
        return f"{name} is now {str(now).lower()}"
    return ""


def note_plan_evidence(
    failures: FailureTracker,
    state: ProposalState,
    grounded: GroundedAction,
    decision: TriggerDecision,
    *,
    recent: Sequence[SemanticAction],
    step: int,
) -> None:
    """Write the evidence against a plan into the failure trace.

    A module that repeats itself does its job: that is at most a stall.

    Args:
        state: the plan. recent: the last actions, newest last.
    """
    signals = decision.signals
    blamed = state.tried >= BLAME_AFTER
    action = str(recent[-1]) if recent else ""
    source = state.proposal.source
    if grounded.failed:
        failures.plan_failed(step=step, action=action, source=source, problem=grounded.why)
    elif blamed and Reason.LOOP in decision.reasons and not state.proposal.module:
        problem = f"repeated {signals.repetition} times without progress"
        failures.plan_failed(step=step, action=action, source=source, problem=problem)
    elif blamed and (Reason.STALL in decision.reasons or Reason.LOOP in decision.reasons):
        failures.stall(step=step, source=source, steps=signals.stall)
