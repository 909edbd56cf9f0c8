"""Gathers what became of a run's steps, for whoever is asked next: failures, the recent window, what is
barred, who has the trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from pitwall.core.actions import NO_OP, Effect, Proposal
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Failure, Signals, TriggerDecision
from pitwall.engine.control.failure import FailureTracker, Outcome
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.tabu import ESCALATE, TabuList, action_choice, plan_choice
from pitwall.engine.decision.active_plan import ActivePlan
from pitwall.engine.decision.recent_steps import RecentSteps
from pitwall.engine.decision.route_decision import StepState
from pitwall.engine.decision.trust import Trust


class StepEvidence:
    """Takes in each step's outcome, and puts what is known into each question.

    Attributes:
        hints: what the memory says to the step that is decided, for whoever is asked.
        hint_success: the actions that they tell of → share of the times each worked.
        tabu: what a model cannot choose, as it brought no progress.
        trust: who may drive.
    """

    def __init__(self, trust: Trust | None = None) -> None:
        self.hints: tuple[str, ...] = ()
        self.hint_success: Mapping[str, float] = {}
        self.failures = FailureTracker()
        self.recent = RecentSteps()
        self.tabu = TabuList()
        self.trust = trust or Trust()
        self._status = GameStatus.PLAYING
        self._escalated = False
        self._ids = count(1)

    def decides(self, now: StepState, *, escalated: bool) -> None:
        """A step is decided on this state; a model asks for a plan, or not."""
        self._status = now.status
        self._escalated |= escalated
        self.trust.seen(now.status)

    def note(self, outcome: Outcome, changed: Mapping[str, tuple[Value, Value]], plan: ActivePlan) -> Failure:
        """Take in what became of a step. Returns the failure level after it."""
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

    def plan_request(
        self, now: StepState, decision: TriggerDecision, *, running: Proposal | None, flush: bool
    ) -> PlanRequest:
        """The question to the planner."""
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
    ) -> ReactRequest:
        """The question to the model that grounds actions."""
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
            hints=self.hints,
            bars=self.tabu.bars(now.status, now.step),
        )
