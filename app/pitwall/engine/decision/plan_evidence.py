"""Gathers the evidence against the plan in force at a step's boundary, enough to ask the reactive model, or
to fail.

A plan was made on what was seen then. While all goes as it said, asking whether to go on costs nearly as
much as planning anew, and says yes. So its next action is done without a call unless one of these holds:

    the last action's effect was not seen
    no plan stands behind it: nobody plans, or the plan is over and carried on
    a hint of the memory says that it mostly failed (that another one worked says nothing against it)
    the status changed
    its skill does not apply any more, or one of higher priority begins to
    under a plan that follows no skill: a field turned true or false, became known or unknown

What speaks against the plan as a whole (failed corrections, loops, stalls) goes into the failure trace.
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
"""Steps that a plan must have had, with those of the same skill right before it, before a stall or a loop
speaks against it (choice): the trigger goes on to find a stall until there is progress, and a new plan needs
time to make some."""

SkillNews: TypeAlias = Callable[[str, Mapping[str, Value], Mapping[str, Value]], str | None]
"""A skill's name, what was seen before, what is seen now → what speaks against going on with it, empty for
nothing; None where there is no such skill."""


class ConsultTriggers:
    """Weighs one step after another against what was seen when the one before was decided.

    Args:
        skills: knows the skills that plans may follow; None: nobody does.
    """

    def __init__(self, skills: SkillNews | None = None) -> None:
        self._skills = skills
        self._seen: tuple[GameStatus, dict[str, Value]] | None = None

    def note_state(self, values: Mapping[str, Value], status: GameStatus) -> None:
        """Keep the state that a step was decided on, or a plan made: only later changes count."""
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
            planned: a plan that is not over says so. skill: that it follows, empty for none.
            last_effect: what became of the last step's action, None where there was none.
            hint_success: action → share of the times it worked, for each action that a hint tells of.
        """
        found = []
        if last_effect is Effect.UNVERIFIED:
            found.append("the last action's effect was not seen")
        if not planned:
            found.append("no plan is in force")
        if hint_success.get(str(action), 1.0) < ACT_SUCCESS:
            found.append("the memory does not speak for it")
        found += self._changes(skill, values, status)
        return ", ".join(found)

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
        found = [change for change in changes if change]
        yield from found[:_MOST_CHANGES]
        if len(found) > _MOST_CHANGES:
            yield f"{len(found) - _MOST_CHANGES} more changes"


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
    """Write what speaks against a plan into the failure trace.

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
