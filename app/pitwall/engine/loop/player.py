"""An agent's play of one run: puts trigger, control and action together, step by step (SPEC §1, §2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwall.core.actions import NO_OP, Effect, InputEvent, ResolvedAction, SemanticAction
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import Receipt
from pitwall.core.observations import DECIDABLE, GameStatus
from pitwall.core.settings import Settings
from pitwall.core.signals import Route
from pitwall.core.telemetry import ProposalNote
from pitwall.engine.action.effect import EffectWatch
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.reflex import ReflexAction
from pitwall.engine.decision.controllers import ControllerResources, Controllers
from pitwall.engine.decision.open_step import OpenStep, action_outcome, changed_fields
from pitwall.engine.decision.route_decision import RouteDecision
from pitwall.engine.decision.step_decider import StepDecider
from pitwall.engine.loop.input_dispatcher import ClosedSteps, InputDispatcher
from pitwall.engine.loop.menu_exit import MenuExit
from pitwall.engine.loop.run_player import RunPlayer
from pitwall.engine.recall.promotion import PromotionJudge
from pitwall.engine.recording.operator_reports import RouteTimeline, RunOutlets
from pitwall.engine.recording.run_figures import RunFigures
from pitwall.engine.session.game_session import AgentStatus, GameSession, PerceivedFrame
from pitwall.engine.session.time_control import TimeControl
from pitwall.engine.trigger.progress import GAINS
from pitwall.games.actions.vocabulary import presses_at_once

_HOLD_MS = 250
"""Length of a step without an action."""
_TIME_POLL_NS = 2 * NS_PER_MS
"""How often to check whether the game has stopped or gone on as ordered."""
_RECEIPT_WAIT_NS = 200 * NS_PER_MS


class Player(RunPlayer):
    """Plays one run.

    Args:
        settings: in force as the run begins; the session's are adopted from step to step.
        resources: what the controllers need of the engine around them.
        inject: sends events that answer the frame of a given time; returns the batch number.
        budget: what ends the run. repeat: see `Start.repeat`.

    Raises:
        PitwallError: the game cannot be played under the chosen protocol.
    """

    controllers: Controllers

    def __init__(
        self,
        session: GameSession,
        settings: Settings,
        resources: ControllerResources,
        out: RunOutlets,
        *,
        inject: Callable[[tuple[InputEvent, ...], int], int],
        budget: Budget | None = None,
        repeat: Sequence[str] = (),
    ) -> None:
        profile = session.game.profile
        self.figures = RunFigures(profile.score_field)
        self.dropped_before = session.view.dropped
        self.run_id: int | None = None
        self._memory = memory = resources.memory
        self._lessons = PromotionJudge(memory.learn) if memory is not None and not resources.dry else None
        self._session = session
        self._out = out
        self._dispatcher = InputDispatcher(
            inject, self.figures, limits=settings.broker, rest_ms=session.vocabulary.rest_ms
        )
        self._effects = EffectWatch(effect_wait_ms=settings.control.effect_wait_ms, progress=profile.progress)
        self._budget = budget or Budget(profile.game.difficulty)
        self.controllers = Controllers(session, resources, self._budget, began_ns=self.figures.began_ns)
        self._router = self.controllers.router
        self._decider = StepDecider(session, self.controllers, self._budget, out, repeat)
        dispatcher = self._dispatcher
        self._time = TimeControl(
            session, settings, begin=dispatcher.begin, tap=dispatcher.tap, note=self._note
        )
        self._rest_ns = profile.screen.rest_ms * NS_PER_MS
        self._presses = presses_at_once(profile)
        self._step: OpenStep | None = None
        self._closed = ClosedSteps(self.figures, out)
        self._last_effect: Effect | None = None
        self._look, self._last_action = True, ""
        self._timeline = RouteTimeline(out.tell)
        self._menu_exit = MenuExit(session, dispatcher, self._time, self.interrupt, self._note)

    def turn(self, *, fresh: bool) -> None:
        changed = fresh
        if self._look:
            if not self._session.look_afresh():
                self._closed.record(now_ns())
                return
            self._look, changed, fresh = False, False, True
        seen = self._session.seen
        assert seen is not None
        now = now_ns()
        if (problem := self._time.problem) is not None:
            self._out.on_stuck(problem)
            return
        if self._menu_exit.turn(now):
            self._listen(now)
            self._closed.record(now)
            return
        acts = fresh or self._router.reflex_ready
        reflex = self._reflex(seen, now) if acts and self._decidable else None
        self._send(seen, now, fresh, reacts=reflex is not None)  # the rest of the turn can wait
        self._listen(now)
        if fresh and self._memory is not None:
            self._memory.prefetch_vector(seen.values, seen.observation.status)
        if self._step is not None and not self._step.set_off:
            self._set_off(self._step, seen, now)
            self._send(seen, now_ns(), fresh, reacts=False)
        elif self._step is not None:
            self._watch(self._step, seen, fresh, now)
            if reflex is not None:
                self._note_reflex(self._step, *reflex, seen, now)
        if self._due(fresh, now) and self._time.ready():
            if self._time.stilled() and self._session.look_afresh():
                seen = self._session.seen or seen  # it stands still now: decide on what it shows
            self._finish(now)
            if not self.budget_spent:
                self._begin(seen, now)
                self._send(seen, now_ns(), fresh, reacts=changed)
        self._closed.record(now)

    def rest(self, *, plan_stays: bool = False) -> None:
        self.interrupt(plan_stays=plan_stays and self._time.stands)
        self._session.passages.drop()
        self._closed.record(now_ns())

    def next_due_ns(self) -> int | None:
        times = [self._dispatcher.next_due_ns, self._effects.deadline_ns]
        times += [self._boundary_ns(), self._closed.next_due_ns]
        if self._time.pending:
            times.append(now_ns() + _TIME_POLL_NS)
        return min((at for at in times if at is not None), default=None)

    def look_afresh(self) -> None:
        self._look = True
        self._session.forget_steps()

    def interrupt(self, *, plan_stays: bool = False) -> None:
        self._dispatcher.release_all(self._step)
        if self._step is not None:
            self._finish(now_ns())
        if not plan_stays and self._decider.interrupt():
            self._out.tell(ProposalNote(proposal=None, state="ended", at_ns=now_ns()))
            self._timeline.drive(None)
        self._look = True

    def hold_game(self, *, by_keys: bool) -> str:
        return self._time.hold_for_operator(by_keys=by_keys)

    def lasting_pause(self, now: int) -> str:
        return self._time.lasting_pause(now)

    def release_game(self, *, by_keys: bool = False) -> None:
        self._time.release(by_keys=by_keys)

    def close(self) -> None:
        self.controllers.close()
        self._closed.record(now_ns(), all_of_them=True)

    def receipt(self, receipt: Receipt) -> None:
        step = self._dispatcher.receive(receipt)
        if step is not None and step is self._step and step.refused_whole:
            self._settle(self._effects.refused())

    def shown(self) -> AgentStatus:
        signals = self._decider.trigger.signals(self._session.change())
        step = self._step
        if step is None:
            return AgentStatus(signals=signals)
        badge = self._router.module_label or ", ".join(step.routed.reasons)
        return AgentStatus(
            signals=signals, route=self._timeline.route, badge=badge, last_action=self._last_action
        )

    @property
    def state_text(self) -> str:
        if self._session.settings.control.protocol != "paused":
            return ""
        return "Paused protocol: the game runs for each action, and stands still while the agent thinks."

    @property
    def step(self) -> int:
        return self._decider.steps

    @property
    def budget_spent(self) -> bool:
        return bool(self._budget.ended_by)

    # ---- within a step

    def _reflex(self, seen: PerceivedFrame, now: int) -> tuple[ReflexAction, ResolvedAction] | None:
        """Begin the running module's action for this frame and return it; None for no action."""
        wanted: ReflexAction | None = self._router.frame(seen.values, now, seen.frame.pixels)
        self._dispatcher.hold([self._resolve(held, seen) for held in self._router.held], now)
        if wanted is None:
            return None
        resolved = self._resolve(wanted.action, seen)
        if not wanted.stays:
            self._dispatcher.begin(resolved, now)
        return wanted, resolved

    def _note_reflex(
        self, step: OpenStep, wanted: ReflexAction, resolved: ResolvedAction, seen: PerceivedFrame, now: int
    ) -> None:
        """Note the module's newest action as the step's; only the effect of the first one is watched.

        Called after `_watch`: the frame that an action answers shows nothing of its effect.
        """
        if not step.acted:
            self._effects.begin(resolved, values=seen.values, change=self._session.change(), now_ns=now)
        step.act(wanted.action, wanted.invalid or resolved.invalid)
        self._last_action = str(wanted.action)

    def _send(self, seen: PerceivedFrame, now: int, fresh: bool, *, reacts: bool) -> None:
        """Inject what is due. An unchanged screen counts as seen in this turn, not at its last change."""
        observed_ns = seen.frame.captured_ns if fresh else now
        self._dispatcher.send(self._step, now, observed_ns, reacts=reacts)

    def _watch(self, step: OpenStep, seen: PerceivedFrame, fresh: bool, now: int) -> None:
        effect = self._effects.update(seen.values, self._session.change(), now) if fresh else None
        self._settle(effect or self._effects.expired(now))
        if fresh and self._decider.trigger.interrupts(self._session.change()):
            step.interrupted = True
            if not self._router.module:
                self._dispatcher.release_all(self._step)

    def _settle(self, effect: Effect | None) -> None:
        if effect is not None and self._step is not None:
            self._step.effect = effect
            self._step.stood_still = self._effects.stood_still
            self._step.frame_ms = self._effects.frame_time.ms

    def _due(self, fresh: bool, now: int) -> bool:
        """Return whether to decide a step now: on a new frame, or on a screen that does not change."""
        step = self._step
        if not self._decidable or (step is not None and not step.set_off) or self._room_ns(now) > now:
            return False
        if step is None or step.interrupted or self._router.wants_step(now):
            return True
        if self._router.module:
            return False
        if now < self._dispatcher.over(step) or self._effects.deadline_ns is not None:
            return False
        return fresh or now >= self._rests_ns(step)

    def _boundary_ns(self) -> int | None:
        """Return when a step ends by the clock alone; None if a frame or an effect ends it."""
        if not self._decidable:
            return None
        if self._router.module:
            return self._router.next_step_ns if self._step is not None else None
        now = now_ns()
        room_ns = self._room_ns(now)
        if self._step is None:
            return room_ns if room_ns > now else None
        return None if self._effects.deadline_ns is not None else max(room_ns, self._rests_ns(self._step))

    def _room_ns(self, now: int) -> int:
        """Return when the broker's rate has room for a step's presses.

        The step is decided then and not before, as the screen may change. A module's steps press nothing.
        """
        return now if self._router.module else self._dispatcher.room_ns(now, self._presses)

    def _rests_ns(self, step: OpenStep) -> int:
        """Return the time at which a step ends on a screen that does not change."""
        changed_ns = self._session.seen.frame.captured_ns if self._session.seen is not None else 0
        return max(self._dispatcher.over(step), changed_ns + self._rest_ns)

    # ---- from step to step

    def _begin(self, seen: PerceivedFrame, now: int) -> None:
        """Begin the next step, unless a planner or model has to answer first."""
        self._dispatcher.keep_within(self._session.settings.broker)
        self._effects.wait_ms = self._session.settings.control.effect_wait_ms
        asked_before = self._router.plan_query.asked
        decided = self._decider.decide(seen, self._last_effect, now)
        if self._router.thinking and self._router.plan_query.asked is not asked_before:
            self._time.hold(self.controllers.while_thinking, now, strategic=True)
        if isinstance(decided, Route):
            self._time.hold(self.controllers.while_thinking, now, strategic=False)
            self._timeline.show(decided, "waiting" if self._time.waits else "thinking")
            return
        step = OpenStep(
            number=self._decider.steps,
            began_ns=now,
            since_run_ns=now - self.figures.began_ns,
            seen=seen,
            routed=decided.routed,
            signals=decided.signals,
            pixels=self._session.mark_step(),
            over_ns=now,
            trigger_ms=decided.trigger_ms,
            decide_ms=decided.decide_ms,
        )
        self._step = step
        planned = decided.routed.planned
        if self._lessons is not None and planned is not None and planned.reflection is not None:
            self._lessons.reflected(planned.reflected, planned.reflection)
        self._time.run_for(self._length_ms(decided.routed, seen))
        self._set_off(step, seen, now)
        self._timeline.drive(decided.routed.route, module=bool(self._router.module))

    def _listen(self, now: int) -> None:
        """Take the answers that came, and let a held game go on."""
        self.controllers.calls.pump()
        router = self._router
        router.plan_query.listen()
        router.grounding_query.listen()
        self._time.follow(now, thinking=router.plan_query.thinking or router.grounding_query.thinking)

    def _note(self, text: str) -> None:
        self._out.on_event("note", text, self._decider.steps)

    def _set_off(self, step: OpenStep, seen: PerceivedFrame, now: int) -> None:
        """Carry out the step's decision once the game's time passes."""
        if not self._time.runs:
            return
        step.set_off, step.over_ns = True, now + _HOLD_MS * NS_PER_MS
        if step.routed.action is not None:
            self._act(step, step.routed.action, seen, now)

    def _length_ms(self, routed: RouteDecision, seen: PerceivedFrame) -> float:
        """Return a step's length in milliseconds of the game's time."""
        if routed.action is not None:
            return self._resolve(routed.action, seen).duration_ms
        return float(self._session.settings.control.reflex_step_ms if self._router.module else _HOLD_MS)

    def _act(self, step: OpenStep, action: SemanticAction, seen: PerceivedFrame, now: int) -> None:
        resolved = self._resolve(action, seen)
        step.act(action, resolved.invalid)
        step.expects = bool(resolved.expect)
        self._last_action = str(action)
        step.over_ns = self._dispatcher.begin(resolved, now, yields=False)
        # From here on changes are measured against this frame, the step's reference.
        self._settle(self._effects.begin(resolved, values=seen.values, change=0.0, now_ns=now))

    def _finish(self, now: int) -> None:
        step, self._step = self._step, None
        if step is None:
            return
        step.close(now, until_ns=now + _RECEIPT_WAIT_NS)
        cut_off = self._effects.deadline_ns is not None  # the step ended before its effect could be judged
        self._effects.drop()
        effect = Effect.NONE if cut_off else step.verdict
        self._last_effect = effect if step.acted and not cut_off else None
        assert self._session.seen is not None
        if step.acted:
            self._menu_exit.acted(effect, self._session.seen.frame.pixels, now)
        grown = self._decider.progress.update(
            self._session.seen.values, effect_confirmed=effect is Effect.CONFIRMED and step.acted
        )
        self._decider.trigger.acted(str(step.action))
        outcome = Outcome(
            step=step.number,
            action=step.action,
            effect=effect,
            refusals=step.refusals,
            invalid=step.invalid,
            progressed=bool(grown),
            gained=bool(GAINS.intersection(grown)),
        )
        self._router.outcome(outcome, changed_fields(step.seen.values, self._session.seen.values))
        known = step.acted and not cut_off and effect is not Effect.NONE and step.invalid is None
        if self._memory is not None and self._lessons and known and step.routed.action is not None:
            words, run, after = self._memory.state_text, self.run_id, self._session.seen
            self._lessons.note(action_outcome(step, after, words, effect, grown=grown, run_id=run))
        self.controllers.round_over(step, effect)
        router = self._router
        waiting = router.plan_query.asked is not None or router.grounding_query.asked is not None
        self._budget.step_over(self._session.status, waiting=waiting)
        self.figures.ended_by = self._budget.ended_by
        self._out.tell(self._budget.report())
        self.figures.strategic_calls = self._budget.strategic_calls
        self.figures.plans_dropped = self._budget.plans_dropped
        self._closed.add(step)

    @property
    def _decidable(self) -> bool:
        """Return whether a decision is allowed (SPEC §6): not while the game loads or is paused."""
        status = self._session.status
        return status in DECIDABLE or (status is GameStatus.PAUSED and self._time.still)

    def _resolve(self, action: SemanticAction, seen: PerceivedFrame) -> ResolvedAction:
        if action == NO_OP:
            return ResolvedAction(action=NO_OP, events=(), duration_ms=_HOLD_MS)
        return self._session.vocabulary.resolve(action, width=seen.frame.width, height=seen.frame.height)
