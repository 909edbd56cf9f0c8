"""Routing: puts planner, reactive controller, reflex and failure handling together, step by step.

The loop calls `frame` for each frame, and for each step, in this order:

    grounded = router.ground(values, last_effect)           # what the reactive controller would do
    router.consult(grounded, ...)                           # asks the model that grounds, if in doubt
    decision = <trigger>(requested=grounded.request, failure=router.failure)
    routed = router.step(grounded, decision, ...)            # who drives this step, and its action;
                                                            # None: nobody, until the planner answers
    ...                                                     # the action is sent and watched
    router.outcome(...)                                     # its effect
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from pitwall.core.actions import NOBODY, Effect, Proposal, SemanticAction, decider_of
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.core.signals import Failure, Route, Signals, TriggerDecision
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import ENVIRONMENT, Outcome
from pitwall.engine.control.model_caller import SettleCall
from pitwall.engine.control.planner import Planner, SkillSource
from pitwall.engine.control.proposal_state import GroundedAction, without_met_stop
from pitwall.engine.control.reactive import MAX_CORRECTIONS, ReactiveController
from pitwall.engine.control.reactor import Reactor
from pitwall.engine.control.reflex import ReflexAction, ReflexController
from pitwall.engine.decision.active_plan import ActivePlan
from pitwall.engine.decision.model_query import GroundingQuery, PlanQuery
from pitwall.engine.decision.route_decision import RouteDecision, StepState, reasons_in_words
from pitwall.engine.decision.step_evidence import ConsultTriggers, StepEvidence, note_plan_evidence
from pitwall.engine.decision.trust import Trust
from pitwall.games.schema.profile import WhileThinking
from pitwall.gsm.contract import GameSenseModule


class Router:
    """Decides each step's route.

    Args:
        settle: takes the outcome of each call whose reply was used or dropped.
        skills: the skills that plans may follow; None: none is known.
        trust: who may drive; None: nothing is known of anybody.

    Attributes:
        evidence: the outcomes of the steps so far.
        always_consult: the model that grounds actions is asked at every step, not only in doubt.
        while_thinking: "go-on" lets the running plan go on while the planner thinks; else nothing acts.
    """

    def __init__(
        self,
        *,
        planner: Planner,
        reactive: ReactiveController,
        reflex: ReflexController,
        budget: Budget,
        modules: Mapping[str, GameSenseModule] | None = None,
        while_thinking: WhileThinking = "go-on",
        settle: SettleCall | None = None,
        skills: SkillSource | None = None,
        trust: Trust | None = None,
    ) -> None:
        self.always_consult = False
        self._stands_in = True
        self.plan_query = PlanQuery(planner, budget, settle)
        self.grounding_query = GroundingQuery(settle)
        self.evidence = StepEvidence(trust)
        self._plan = ActivePlan(skills)
        self._consult_triggers = ConsultTriggers(skills.news if skills is not None else None)
        self._reactive = reactive
        self._reflex = reflex
        self._budget = budget
        self._modules = dict(modules or {})
        self.while_thinking: WhileThinking = while_thinking
        self._failures = self.evidence.failures

    @property
    def failure(self) -> Failure:
        return self._failures.level

    @property
    def proposal(self) -> Proposal | None:
        return self._plan.proposal

    @property
    def module(self) -> str:
        """Return the name of the module that drives, empty for none."""
        return self._reflex.running

    @property
    def module_label(self) -> str:
        """Return the module that drives with its version; empty for none."""
        return self._reflex.label

    @property
    def thinking(self) -> bool:
        """Return whether the planner was asked and has not answered."""
        return self.plan_query.thinking

    @property
    def answered(self) -> bool:
        """Return whether the planner's answer is here and unused."""
        self.plan_query.listen()
        return self.plan_query.reply is not None

    @property
    def waits(self) -> bool:
        return self.thinking and self.while_thinking != "go-on"

    @property
    def has_plan(self) -> bool:
        return self._plan.state is not None

    def use(self, planner: Planner, reactor: Reactor | None) -> None:
        """Use other controllers from now on; open questions are dropped, the running plan goes on."""
        self.plan_query.use(planner)
        self.grounding_query.use(reactor)

    def outdate(self, skills: Collection[str]) -> None:
        self._plan.outdate(skills)

    def set_ablations(
        self, *, override: bool, persist: bool, fallback: Proposal | None, stands_in: bool = True
    ) -> None:
        """Set the switches of SPEC §2: local corrections, and the proposal to follow when nobody plans.

        Args:
            stands_in: rules act by the fallback where the model gives no action; else the agent waits.
        """
        self._reactive.override, self._reactive.persist = override, persist
        self._plan.use_fallback(fallback)
        self._stands_in = stands_in

    def frame(
        self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None
    ) -> ReflexAction | None:
        """Poll the planner's answer, and let the running module act on a frame."""
        self.plan_query.listen()
        return None if self.waits else self._reflex.frame(values, now_ns, pixels)

    @property
    def held(self) -> tuple[SemanticAction, ...]:
        """Return the actions that the running module holds down; none while it waits for the planner."""
        return () if self.waits else self._reflex.held

    @property
    def reflex_ready(self) -> bool:
        """Return whether the running module has something to do without a new frame."""
        return self._reflex.ready and not self.waits

    def wants_step(self, now_ns: int) -> bool:
        """Return whether to decide a step now: a module ended or its step is due, or a plan came."""
        module = self.proposal is not None and bool(self.proposal.module)
        return self.plan_query.reply is not None or (
            module and (not self._reflex.running or self._reflex.step_due(now_ns))
        )

    @property
    def next_step_ns(self) -> int | None:
        """Return the time at which the running module's next step is due; None if no module runs."""
        return self._reflex.next_step_ns

    def ground(self, values: Mapping[str, Value], last_effect: Effect | None) -> GroundedAction:
        """Return the reactive controller's action for this step; its request goes to the trigger.

        Args:
            last_effect: effect of the last step's action; None if there was none.
        """
        self.plan_query.listen()
        state = self._plan.current()
        if state is not None and state.proposal.module and not self._reflex.running:
            why = f"the module {state.proposal.module} has ended"
            return GroundedAction(action=None, why=why, request=True)
        if state is not None and self.evidence.trust.try_over:
            return GroundedAction(action=None, why="the model's try is over", request=True)
        renewed = last_effect is Effect.CONFIRMED and self._plan.renew_actions(values)
        grounded = self._reactive.decide(values, state, last_effect)
        if not renewed or grounded.action is None:
            return grounded
        return replace(grounded, why=f"{grounded.why}, which its skill names again")

    def consult(
        self,
        grounded: GroundedAction,
        last_effect: Effect | None,
        signals: Signals,
        now: StepState,
    ) -> GroundedAction | None:
        """Ask the model that grounds actions, if there is one and something speaks against the rules' action.

        Args:
            grounded: the rules' action, used if the model gives no usable answer.

        Returns:
            The action that needs no question; None if the model was asked (see `grounding_query.take`).
        """
        state = self._plan.state
        if state is None or state.proposal.module or grounded.action is None:
            return grounded
        spent = state.corrections >= MAX_CORRECTIONS and last_effect is Effect.UNVERIFIED
        if spent or not self.grounding_query.possible or not self.evidence.trust.consults:
            return grounded
        reason = ""
        if not self.always_consult:
            reason = self._consult_triggers.objections(
                grounded.action,
                planned=not self._plan.is_fallback and not state.over(now.values),
                skill=state.proposal.skill,
                last_effect=last_effect,
                hint_success=self.evidence.hint_success,
                values=now.values,
                status=now.status,
            )
            if not reason:
                return replace(grounded, why=f"{grounded.why}: next in turn, nothing speaks against it")
        request = self.evidence.react_request(
            now,
            signals,
            proposal=None if self._plan.is_fallback else state.proposal,
            candidate=max(0, grounded.position),
            last_effect=last_effect,
            override=self._reactive.override,
            doubt=bool(reason),
        )
        self.grounding_query.ask_model(request, grounded, reason=reason)
        return None

    def recall(self, grounded: GroundedAction, action: SemanticAction, why: str) -> GroundedAction | None:
        """Return a remembered action that replaces a model call; None if it may not be used.

        Under a plan the memory may only confirm the next action: what helped in a similar state, one step
        further back, would lead nowhere here. Otherwise the model decides, with the memory as a hint.
        """
        if not self.grounding_query.possible or grounded.action is None or self.proposal is None:
            return None
        if not self._plan.is_fallback:
            return replace(grounded, why=why, recalled=True) if action == grounded.action else None
        candidates = self.proposal.candidates
        position = candidates.index(action) if action in candidates else grounded.position
        return replace(grounded, action=action, why=why, position=position, recalled=True)

    def step(
        self, grounded: GroundedAction, decision: TriggerDecision, now: StepState
    ) -> RouteDecision | None:
        """Decide one step.

        Args:
            grounded: from `ground`, on the same values.
            decision: the trigger's, which includes `grounded.request` and `failure`.

        Returns:
            None if there is no step now: the planner was asked and nobody acts until it answers. Call again
            then, with the same decision.
        """
        self.evidence.decides(now, escalated=grounded.escalated)
        if self.thinking and not self._carries_on(grounded):
            return None
        self._reflex.step_began(now.now_ns)
        if self._plan.state is not None and self.plan_query.asked is None:
            note_plan_evidence(
                self._failures,
                self._plan.state,
                grounded,
                decision,
                recent=self.evidence.recent.actions,
                step=now.step,
            )
        failure = self._failures.level
        if decision.escalate and self.plan_query.asked is None:
            self._ask(grounded, decision, now)
        if self.plan_query.reply is not None:
            return self._take_up(grounded, now, failure)
        if self.thinking and not self._carries_on(grounded):
            self.grounding_query.settle(grounded, used=False)
            return None
        self._consult_triggers.note_state(now.values, now.status)
        return self._carry_on(grounded, failure)

    def outcome(self, outcome: Outcome, changed: Mapping[str, tuple[Value, Value]] | None = None) -> Failure:
        """Note the outcome of a step's action (or of a module's); return the failure level after it.

        A step that was cut off before its effect could be seen has Effect.NONE. An action that the
        environment refused entirely is offered again and counts for nothing.

        Args:
            changed: fields whose value the step changed: name → (before, after).
        """
        if outcome.effect is Effect.NONE and outcome.refusals and set(outcome.refusals) <= ENVIRONMENT:
            self._plan.take_back()
            return self._failures.level
        return self.evidence.note(outcome, changed or {}, self._plan)

    def drop(self) -> None:
        """Forget the plan and the open question, so that the next decision starts afresh."""
        self.plan_query.forget()
        self.grounding_query.forget()
        self._reflex.stop()
        self._consult_triggers.forget()
        self._plan.forget()
        self.evidence.trust.end()

    def _ask(self, grounded: GroundedAction, decision: TriggerDecision, now: StepState) -> None:
        self._plan.asked()
        flush = self._failures.level is Failure.HARD
        if flush:
            self.drop()
            self.evidence.recent.clear()
        running = None if grounded.request else self.proposal
        self.plan_query.ask(self.evidence.plan_request(now, decision, running=running, flush=flush))

    def _take_up(self, grounded: GroundedAction, now: StepState, failure: Failure) -> RouteDecision:
        """Adopt the planner's answer and ground its first action."""
        asked, reply = self.plan_query.asked, self.plan_query.take(now.step)
        assert asked is not None
        self._consult_triggers.note_state(asked.values, asked.status)
        self.evidence.trust.begin(reply.driver, asked, ms=reply.took_ms, tokens=reply.tokens)
        if reply.reflection is not None:
            before = self.proposal.source if self.proposal is not None else ""
            self.evidence.reflected(reply.reflection, reply.reflected, before)
            if self._failures.level is Failure.HARD:
                self.evidence.recent.clear()
        self._failures.replanned(again=reply.keep or self._plan.repeats(reply.proposal))
        if not reply.keep:
            self._adopt(without_met_stop(reply.proposal, now.values), now)
            self.grounding_query.settle(grounded, used=False)
            grounded = self._reactive.decide(now.values, self._plan.state, None)
        self._take(grounded)
        reasons = "; ".join(reasons_in_words(asked.signals, asked.reasons))
        why = f"{reasons[:1].upper()}{reasons[1:]}. {reply.why}"
        if grounded.action is not None:
            why += f" → {grounded.action}"
        return RouteDecision(
            route=Route.STRATEGIC,
            action=grounded.action,
            reasons=asked.reasons,
            why=why,
            proposal=self.proposal,
            failure=failure,
            planned=reply,
            flushed=asked.flush,
            decided_by=self._decided_by(grounded),
        )

    def _adopt(self, proposal: Proposal | None, now: StepState) -> None:
        self._plan.adopt(proposal, now.status, now.values)
        module = self._modules.get(proposal.module) if proposal else None
        if module is None:
            self._reflex.stop()
        else:
            self._reflex.start(module, now_ns=now.now_ns)

    def _carry_on(self, grounded: GroundedAction, failure: Failure) -> RouteDecision:
        """Decide a step without a new plan: the module, the reactive controller, or nobody."""
        if self._plan.is_fallback and not (self._stands_in or grounded.call or grounded.recalled):
            grounded = replace(grounded, action=None, why="nobody plans, and the model gives no action")
        route, why, action = None, grounded.why, grounded.action
        if self._reflex.running:
            route, why = Route.REFLEX, f"The module {self._reflex.running} drives."
            self._take(grounded)
        elif action is not None:
            route, why = Route.REACTIVE, f"{action} {grounded.why}."
            self._take(grounded)
        else:
            why = f"Holding: {grounded.why}."
        return RouteDecision(
            route=route,
            action=action,
            reasons=(),
            why=why,
            proposal=self.proposal,
            failure=failure,
            thinking=self.thinking,
            decided_by="reflexes" if route is Route.REFLEX else self._decided_by(grounded),
        )

    def _decided_by(self, grounded: GroundedAction) -> str:
        """Return who decided the step: whose action it is, else whose plan starts a module."""
        module = self.proposal is not None and bool(self.proposal.module)
        if self.proposal is None or (grounded.action is None and not module):
            return NOBODY
        if grounded.recalled:
            return "memory"
        return "model" if grounded.call else decider_of(self.proposal.source)

    def _carries_on(self, grounded: GroundedAction) -> bool:
        return self.while_thinking == "go-on" and (bool(self._reflex.running) or grounded.action is not None)

    def _take(self, grounded: GroundedAction) -> None:
        if self._plan.take(grounded):
            self.grounding_query.settle(grounded, used=True)
            if grounded.deviates:
                self.evidence.trust.deviated()
