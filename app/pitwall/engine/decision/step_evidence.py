"""What a run's steps have shown, for the next question: failures, recent steps, barred choices, trust."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from pitwall.core.actions import NO_OP, Effect, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Failure, Signals, TriggerDecision
from pitwall.engine.control.failure import FailureTracker, Outcome
from pitwall.engine.control.planner import PastStep, PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.tabu import ESCALATE, TabuList, action_choice, plan_choice
from pitwall.engine.decision.active_plan import ActivePlan
from pitwall.engine.decision.route_decision import StepState
from pitwall.engine.decision.trust import Trust

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

    def clear(self) -> None:
        self._steps.clear()


class StepEvidence:
    """Takes each step's outcome, and adds what is known to each question.

    Attributes:
        hints: the memory's hints for the step that is decided.
        hint_success: action that a hint mentions → share of its successes.
        tabu: choices barred for a model because they brought no progress.
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
            hints=self.hints,
            bars=self.tabu.bars(now.status, now.step),
        )
