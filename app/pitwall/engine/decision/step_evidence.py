"""What a run's steps have shown, for the next question: failures, recent steps, barred choices, trust."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TypeAlias

from pitwall.core.actions import NO_OP, Effect, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.retrieval import Fragment
from pitwall.core.signals import Failure, Reason, Signals, TriggerDecision
from pitwall.engine.control.failure import FailureTracker, Outcome
from pitwall.engine.control.planner import PastStep, PlanRequest
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.tabu import ESCALATE, TabuList, action_choice, plan_choice
from pitwall.engine.decision.active_plan import ActivePlan
from pitwall.engine.decision.route_decision import StepState
from pitwall.engine.decision.trust import Trust
from pitwall.memory.retrieval.hints import ACT_SUCCESS
from pitwall.models.replies.plan import Reflection

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


RECENT = 5
"""How many steps the controllers see (SPEC §2)."""
_MOST = 50


class RecentSteps:
    """Keeps the newest steps, newest last.

    Attributes:
        limit: how many of them a controller sees.
    """

    def __init__(self) -> None:
        self.limit = RECENT
        self._steps: deque[PastStep] = deque(maxlen=_MOST)

    @property
    def steps(self) -> tuple[PastStep, ...]:
        return tuple(self._steps)[-self.limit :] if self.limit else ()

    @property
    def actions(self) -> tuple[SemanticAction, ...]:
        return tuple(step.action for step in self._steps)[-RECENT:]

    def add(self, outcome: Outcome, changed: Mapping[str, tuple[Value, Value]]) -> None:
        """Add a step, unless nobody acted in it."""
        if outcome.action == NO_OP:
            return
        problem = f"invalid ({outcome.invalid.value})" if outcome.invalid is not None else ""
        if outcome.refusals and not problem:
            problem = f"refused ({', '.join(sorted({refusal.value for refusal in outcome.refusals}))})"
        self._steps.append(
            PastStep(
                step=outcome.step,
                action=outcome.action,
                effect=outcome.effect,
                progressed=outcome.progressed,
                changed=dict(changed),
                problem=problem,
            )
        )

    def of(self, step: int) -> PastStep | None:
        """Return a step; None for an unknown one."""
        return next((past for past in self._steps if past.step == step), None)

    def without_effect(self, step: int) -> None:
        """Note that a step had no effect after all."""
        for at, past in enumerate(self._steps):
            if past.step == step:
                self._steps[at] = replace(past, effect=Effect.UNVERIFIED)

    def clear(self) -> None:
        self._steps.clear()


class StepEvidence:
    """Takes each step's outcome, and adds what is known to each question.

    Attributes:
        hints: the action bank's hints for the step that is decided. fragments: the knowledge graph's.
        hint_success: action that a hint mentions → share of its successes.
        tabu: choices barred for a model because they brought no progress.
        trust: who may drive.
    """

    def __init__(self, trust: Trust | None = None) -> None:
        self.hints: tuple[str, ...] = ()
        self.fragments: tuple[Fragment, ...] = ()
        self.hint_success: Mapping[str, float] = {}
        self.failures = FailureTracker()
        self.recent = RecentSteps()
        self.tabu = TabuList()
        self.trust = trust or Trust()
        self._status = GameStatus.PLAYING
        self._escalated = False
        self._ids = count(1)

    def decides(self, now: StepState, *, escalated: bool) -> None:
        """Note the state of a step that is being decided, and whether a model asks for a plan."""
        self._status = now.status
        self._escalated |= escalated
        self.trust.seen(now.status)

    def note(self, outcome: Outcome, changed: Mapping[str, tuple[Value, Value]], plan: ActivePlan) -> Failure:
        """Note the outcome of a step; return the failure level after it."""
        taken = plan.taken_from.proposal if plan.taken_from is not None else None
        outcome = replace(outcome, source=taken.source if taken is not None else "")
        choices = [ESCALATE] if self._escalated else []
        self._escalated = False
        if taken is not None and not plan.is_fallback:
            choices.append(plan_choice(taken))
        if outcome.action != NO_OP:
            choices.append(action_choice(outcome.action))
        self.tabu.note(choices, self._status, step=outcome.step, progressed=outcome.progressed)
        self.trust.note(outcome)
        self.recent.add(outcome, changed)
        return self.failures.note(outcome)

    def reflected(self, verdict: Reflection, step: int, source: str) -> None:
        """Take the planner's sure reflection on a step: it corrects the step's effect and the failure level.

        Args:
            source: of the plan that the step's action came from.
        """
        judged = self.recent.of(step)
        seen = judged is not None and judged.effect is Effect.CONFIRMED
        action = str(judged.action) if judged is not None else ""
        self.failures.reflected(verdict, step=step, action=action, source=source, seen=seen)
        if seen and not verdict.effect:
            self.recent.without_effect(step)

    def plan_request(
        self, now: StepState, decision: TriggerDecision, *, running: Proposal | None, flush: bool
    ) -> PlanRequest:
        """Return the question to the planner."""
        return PlanRequest(
            request_id=next(self._ids),
            step=now.step,
            now_ns=now.now_ns,
            values=dict(now.values),
            status=now.status,
            signals=replace(decision.signals, failure=self.failures.level),
            reasons=decision.reasons,
            trace=self.failures.trace,
            recent=self.recent.actions,
            history=self.recent.steps,
            hints=self.hints,
            fragments=self.fragments,
            running=running,
            flush=flush,
            bars=self.tabu.bars(now.status, now.step),
        )

    def react_request(
        self,
        now: StepState,
        signals: Signals,
        *,
        proposal: Proposal | None,
        candidate: int,
        last_effect: Effect | None,
        override: bool,
        doubt: bool,
    ) -> ReactRequest:
        """Return the question to the model that grounds actions."""
        return ReactRequest(
            request_id=next(self._ids),
            step=now.step,
            now_ns=now.now_ns,
            values=dict(now.values),
            status=now.status,
            signals=replace(signals, failure=self.failures.level),
            proposal=proposal,
            candidate=candidate,
            last_effect=last_effect,
            history=self.recent.steps,
            override=override,
            doubt=doubt,
            hints=self.hints,
            fragments=self.fragments,
            bars=self.tabu.bars(now.status, now.step),
        )
