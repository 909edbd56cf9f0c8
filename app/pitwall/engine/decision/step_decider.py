"""The decision of one step: the trigger weighs, a controller grounds or plans, and either may take time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pitwall.core.actions import Effect, Proposal
from pitwall.core.clock import ms_between, now_ns
from pitwall.core.retrieval import Retrieval
from pitwall.core.settings import Settings
from pitwall.core.signals import Route, Signals, TriggerDecision
from pitwall.core.telemetry import ProposalNote, Retrieved
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.legality import legal
from pitwall.engine.control.proposal_state import GroundedAction
from pitwall.engine.decision.controllers import Controllers
from pitwall.engine.decision.effective_settings import effective
from pitwall.engine.decision.route_decision import RouteDecision, StepState, apply_ablation
from pitwall.engine.decision.trust import situation_of
from pitwall.engine.recording.operator_reports import RunOutlets
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.engine.session.moments import SceneSnapshot
from pitwall.engine.session.seen_game import SeenGame
from pitwall.engine.trigger.event_trigger import EventTrigger
from pitwall.engine.trigger.progress import ProgressCounter
from pitwall.memory.retrieval.hints import hinted_actions
from pitwall.models.replies.plan import Reflection


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDecision:
    """A step's decision, with its signals and how long it took."""

    routed: RouteDecision
    signals: Signals
    trigger_ms: float
    decide_ms: float


class StepDecider:
    """Decides one step of a run after another.

    Args:
        repeat: actions of the first steps, repeated before anything is decided.
    """

    def __init__(
        self,
        session: SeenGame,
        controllers: Controllers,
        budget: Budget,
        out: RunOutlets,
        repeat: Sequence[str] = (),
    ) -> None:
        self._repeat = repeat
        self.trigger = EventTrigger(session.thresholds)
        self.progress = ProgressCounter(session.game.profile.progress)
        self.steps = 0
        self._session = session
        self._controllers = controllers
        self._router = controllers.router
        self._budget = budget
        self._out = out
        self._settings: Settings = session.settings
        self._pending: TriggerDecision | None = None
        self._plan_scene: SceneSnapshot | None = None
        self._grounding_scene: SceneSnapshot | None = None
        self._retrieval: Retrieval | None = None
        self._asked_memory_for = 0
        self._reported_plan: Proposal | None = None

    def decide(self, seen: PerceivedFrame, last_effect: Effect | None, now: int) -> StepDecision | Route:
        """Return the next step's decision, or the route of a controller that must answer before another call.

        Args:
            last_effect: effect of the last step's action; None if there was none.
        """
        began = now_ns()
        if self.steps == 0:
            self.progress.update(seen.values, effect_confirmed=False)  # the reference of the first step
        if self._router.plan_query.asked is None:
            self._adopt_settings()
        if self.steps < len(self._repeat):
            return self._repeated(began)
        if self._router.answered and self._plan_scene is not None:
            self._drop_if_late(self._plan_scene, seen, now)
        if self._router.waits:
            return Route.STRATEGIC
        self._remember(seen, now)
        grounded = self._ground(seen, last_effect, now)
        if grounded is None:
            return Route.REACTIVE
        decision = self._pending or self._weigh(grounded)
        weighed = now_ns()
        asked = self._router.plan_query.asked
        routed = self._router.step(grounded, decision, self._state(seen, now))
        if self._router.thinking and self._router.plan_query.asked is not asked:
            self._begin_thinking(decision, now)
        if routed is None:
            self._pending = decision
            return Route.STRATEGIC
        self._pending = None
        self.steps += 1
        routed = routed.with_failure(self.trigger.thresholds)
        if routed.planned is not None:
            self._reflected(routed.planned.reflection)
            self.trigger.planned()
            self._report_plan(routed, now)
        elif routed.proposal is not self._reported_plan:
            before, plan = self._reported_plan, routed.proposal
            if plan is not None and before is not None and plan.proposal_id == before.proposal_id:
                self._out.tell(ProposalNote(proposal=plan, state="named", at_ns=now))
        self._reported_plan = routed.proposal
        return StepDecision(
            routed=routed,
            signals=replace(decision.signals, failure=routed.failure),
            trigger_ms=ms_between(began, weighed),
            decide_ms=ms_between(weighed, now_ns()),
        )

    def _repeated(self, began: int) -> StepDecision:
        """Repeat this step's action of an earlier run."""
        action = legal(self._repeat[self.steps], self._session.vocabulary)
        self.steps += 1
        signals = self.trigger.signals(self._session.change())
        routed = RouteDecision(
            route=Route.REACTIVE,
            action=action,
            reasons=(),
            why="repeated from the earlier run",
            proposal=None,
            failure=signals.failure,
        )
        took_ms = ms_between(began, now_ns())
        return StepDecision(routed=routed, signals=signals, trigger_ms=0.0, decide_ms=took_ms)

    def _state(self, seen: PerceivedFrame, now: int) -> StepState:
        return StepState(step=self.steps + 1, values=seen.values, status=seen.observation.status, now_ns=now)

    def interrupt(self) -> bool:
        """Drop the plan and open questions (a pause, a takeover); return whether there were any.

        The memory is asked again as well: the operator may have edited it meanwhile.
        """
        router = self._router
        any_open = (
            router.has_plan or router.plan_query.asked is not None or router.grounding_query.asked is not None
        )
        self._pending = None
        self._asked_memory_for = 0
        router.drop()
        return any_open

    def _ground(self, seen: PerceivedFrame, last_effect: Effect | None, now: int) -> GroundedAction | None:
        """Return the reactive controller's action; None while its model thinks."""
        router = self._router
        if router.grounding_query.asked is None:
            grounded = router.ground(seen.values, last_effect)
            if self._pending is not None or self._weigh(grounded, preview=True).escalate:
                return grounded
            recalled = self._recalled(grounded)
            if recalled is not None:
                return recalled
            unasked = router.consult(
                grounded,
                last_effect,
                self.trigger.signals(self._session.change()),
                self._state(seen, now),
            )
            if unasked is not None:
                return unasked
            self._grounding_scene = self._session.moment()
        answer = router.grounding_query.take()
        if answer is None or self._grounding_scene is None:
            return answer
        if answer.call and self._is_late(self._grounding_scene, seen):
            router.grounding_query.settle(answer, used=False)
            return router.ground(seen.values, last_effect)
        return answer

    def _remember(self, seen: PerceivedFrame, now: int) -> None:
        """Ask the memory, once for each step."""
        number = self.steps + 1
        if self._asked_memory_for == number:
            return
        self._asked_memory_for = number
        self._retrieval = self._controllers.recall(seen, number)
        evidence = self._router.evidence
        evidence.hints, evidence.fragments, evidence.hint_success = (), (), {}
        if self._retrieval is not None:
            evidence.hints, evidence.fragments = self._retrieval.hints, self._retrieval.fragments
            evidence.hint_success = hinted_actions(
                self._retrieval, lambda text: legal(text, self._session.vocabulary) is not None
            )
            self._out.tell(Retrieved(retrieval=self._retrieval, at_ns=now))

    def _recalled(self, grounded: GroundedAction) -> GroundedAction | None:
        """Return the action that the memory is sure of; it passes the gate like any other."""
        acted = self._retrieval.acted if self._retrieval is not None else ""
        action = legal(acted, self._session.vocabulary) if acted else None
        if action is None:
            return None
        return self._router.recall(grounded, action, "as remembered, without asking a model")

    def _weigh(self, grounded: GroundedAction, *, preview: bool = False) -> TriggerDecision:
        """Return the trigger's decision for this step, under the ablations of routing."""
        weigh = self.trigger.preview if preview else self.trigger.step
        decision = weigh(
            change=self._session.change(),
            progress=self.progress.count,
            failure=self._router.failure,
            requested=grounded.request,
        )
        control = effective(self._settings).control
        chosen = self._settings.control.routing  # an agent that plans every step lets its module drive
        return apply_ablation(
            chosen if self._router.module else control.routing,
            decision,
            schedule_steps=control.schedule_steps,
            has_plan=self._router.has_plan,
        )

    def _begin_thinking(self, decision: TriggerDecision, now: int) -> None:
        """Report that the planner was asked and takes its time."""
        self._plan_scene = self._session.moment()
        self._out.tell(
            ProposalNote(
                proposal=self._router.proposal,
                state="thinking",
                reasons=tuple(reason.value for reason in decision.reasons),
                at_ns=now,
            )
        )

    def _drop_if_late(self, scene: SceneSnapshot, seen: PerceivedFrame, now: int) -> None:
        """Drop and count an answer for a scene that is gone; the trigger asks again."""
        asked = self._router.plan_query.asked
        if not self._is_late(scene, seen) or not self._router.plan_query.drop_late():
            return
        if asked is not None:
            self._router.evidence.trust.failed(situation_of(asked))
        self._pending = None
        self._out.tell(ProposalNote(proposal=self._router.proposal, state="dropped", at_ns=now))
        self._out.tell(self._budget.report())
        happened = f"the scene changed (d {self._session.change_since(scene):.2f})"
        if seen.observation.status is not scene.status:
            happened = f"the game went from {scene.status} to {seen.observation.status}"
        self._out.on_event("note", f"A plan came too late: {happened}.", self.steps)

    def _is_late(self, moment: SceneSnapshot, seen: PerceivedFrame) -> bool:
        if seen.observation.status is not moment.status:
            return True
        return self.trigger.interrupts(self._session.change_since(moment))

    def _adopt_settings(self) -> None:
        """Adopt the operator's changed settings from this step on, and log the changes."""
        if self._session.thresholds != self.trigger.thresholds:
            old, new = self.trigger.thresholds.model_dump(), self._session.thresholds.model_dump()
            self.trigger.thresholds = self._session.thresholds
            changed = (name for name in new if new[name] != old[name])
            self._note("Thresholds", [f"{name} {old[name]:g} → {new[name]:g}" for name in changed])
        if self._session.settings != self._settings:
            self._settings = self._session.settings
            self._note("Settings", self._controllers.adopt(self._settings))
        enforced = self._settings.control.enforce_evidence
        self._router.evidence.tabu.patience = self.trigger.thresholds.stall_steps if enforced else 0

    def _reflected(self, verdict: Reflection | None) -> None:
        """Correct the progress by a sure reflection: a subgoal done counts, a denied effect does not."""
        if verdict is not None and verdict.done:
            self.progress.subgoal_done()
        elif verdict is not None and not verdict.effect and self.progress.take_back_effect():
            self.trigger.no_progress(self.progress.count)

    def _note(self, label: str, changes: list[str]) -> None:
        if changes:
            self._out.on_event("note", f"{label} changed: {', '.join(changes)}.", self.steps + 1)

    def _report_plan(self, routed: RouteDecision, now: int) -> None:
        assert routed.planned is not None
        self._out.tell(
            ProposalNote(
                proposal=routed.proposal,
                state="planned" if routed.proposal is not None else "ended",
                reasons=tuple(reason.value for reason in routed.reasons),
                took_ms=routed.planned.took_ms,
                at_ns=now,
            )
        )
