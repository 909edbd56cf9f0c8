"""Plays episodes of a bundled game without a screen, with the engine's own router, trigger and controllers.

It takes the steps of `engine.deciding` and `engine.player` in the same order, but controls the world's clock,
so nothing waits: the teacher answers at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from pitwall.core.actions import NO_OP, Effect, ResolvedAction, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import DECIDABLE
from pitwall.core.settings import Settings
from pitwall.core.signals import Signals, TriggerDecision
from pitwall.engine.action.effect import EffectWatch
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.proposal_state import GroundedAction
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.decision.active_plan import fallback_proposal
from pitwall.engine.decision.open_step import changed_fields
from pitwall.engine.decision.route_decision import RoutingMode, StepState, apply_ablation
from pitwall.engine.decision.router import Router
from pitwall.engine.trigger.event_trigger import EventTrigger
from pitwall.engine.trigger.progress import ProgressCounter
from pitwall.games.plugin_loader import World
from pitwall.games.schema.profile import Game
from workshop.shipped_model.dataset.headless_perception import HeadlessPerception
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.teacher_controllers import TeacherControllers

_HOLD_MS = 250.0
_STRAY = 0.06
"""Share of steps that do something else than decided, so that lessons hold states off the teacher's path."""


class HeadlessEpisode:
    """Plays a game from its beginning.

    Args:
        room: the controllers, and the scribe that records the lessons.
        seed: of the stray steps. stray: share of steps that do something else than decided.
    """

    def __init__(
        self,
        game: Game,
        world: World,
        room: TeacherControllers,
        settings: Settings,
        *,
        seed: int,
        stray: float = _STRAY,
    ) -> None:
        profile = game.profile
        self._room, self._settings = room, settings
        self._eyes = HeadlessPerception(game, world)
        self._rng, self._stray = random.Random(seed), stray
        self._routing: RoutingMode = settings.control.routing
        self._trigger = EventTrigger(profile.trigger)
        self._progress = ProgressCounter(profile.progress)
        self._effects = EffectWatch(effect_wait_ms=settings.control.effect_wait_ms, progress=profile.progress)
        self._router = Router(
            planner=room.planner,
            reactive=ReactiveController(room.space),
            reflex=ReflexController(room.space, step_ms=settings.control.reflex_step_ms),
            budget=Budget(profile.game.difficulty),
            modules=room.modules,
            skills=room.rules,
        )
        self._router.use(room.planner, room.reactor)
        self._router.always_consult = True  # every step is a lesson
        alone = settings.control.alone
        fallback = fallback_proposal(room.space) if alone else None
        self._router.set_ablations(override=settings.control.override, persist=alone, fallback=fallback)
        self._last_effect: Effect | None = None
        self._steps = 0
        self._progress.update(self._eyes.values, effect_confirmed=False)

    def lessons(self, steps: int) -> Iterator[Lesson]:
        """Play so many steps; return the lesson of every call."""
        for _ in range(steps):
            self.step()
            yield from self._room.scribe.take()

    def step(self) -> None:
        """Decide one step and carry it out."""
        eyes, router = self._eyes, self._router
        if eyes.status not in DECIDABLE:
            eyes.pass_time(eyes.now_ns + int(_HOLD_MS * NS_PER_MS))
            eyes.look()
            return
        grounded = self._grounded()
        decision = self._decided(self._trigger.step, grounded)
        routed = router.step(
            grounded,
            decision,
            StepState(step=self._steps + 1, values=eyes.values, status=eyes.status, now_ns=eyes.now_ns),
        )
        assert routed is not None, "the teacher answers at once"
        self._steps += 1
        if routed.planned is not None:
            self._trigger.planned()
        before = dict(eyes.values)
        eyes.mark_step()
        if routed.action is not None:
            action, effect = self._act(self._strayed(routed.action))
        else:
            action, effect = self._wait(module=bool(router.module))
        grown = self._progress.update(eyes.values, effect_confirmed=effect is Effect.CONFIRMED)
        self._trigger.acted(str(action))
        self._last_effect = effect if action != NO_OP and effect is not Effect.NONE else None
        router.outcome(
            Outcome(step=self._steps, action=action, effect=effect, progressed=bool(grown)),
            changed_fields(before, eyes.values),
        )

    # ---- deciding

    def _grounded(self) -> GroundedAction:
        """Decide like the reactive controller: by the rules, or by the teacher in place of a model."""
        eyes, router = self._eyes, self._router
        grounded = router.ground(eyes.values, self._last_effect)
        if self._decided(self._trigger.preview, grounded).escalate:
            return grounded
        unasked = router.consult(
            grounded,
            self._last_effect,
            self._signals(),
            StepState(step=self._steps + 1, values=eyes.values, status=eyes.status, now_ns=eyes.now_ns),
        )
        return unasked or router.grounding_query.take() or grounded

    def _decided(self, weigh: Callable[..., TriggerDecision], grounded: GroundedAction) -> TriggerDecision:
        decision = weigh(
            change=self._eyes.change(),
            progress=self._progress.count,
            failure=self._router.failure,
            requested=grounded.request,
        )
        steps = self._settings.control.schedule_steps
        return apply_ablation(self._routing, decision, schedule_steps=steps, has_plan=self._router.has_plan)

    def _signals(self) -> Signals:
        return self._trigger.signals(self._eyes.change())

    # ---- doing

    def _strayed(self, action: SemanticAction) -> SemanticAction:
        if self._rng.random() >= self._stray:
            return action
        return self._rng.choice(sorted(self._room.legal(), key=str))

    def _act(self, action: SemanticAction) -> tuple[SemanticAction, Effect]:
        eyes = self._eyes
        resolved = self._resolved(action)
        effect = self._effects.begin(resolved, values=eyes.values, change=0.0, now_ns=eyes.now_ns)
        eyes.press(resolved)
        eyes.pass_time(eyes.now_ns + int(resolved.duration_ms * NS_PER_MS))
        eyes.look()
        late_ns = eyes.now_ns + int(self._settings.control.effect_wait_ms * NS_PER_MS)
        effect = effect or self._effects.update(eyes.values, eyes.change(), eyes.now_ns)
        return action, effect or self._effects.expired(late_ns) or Effect.UNVERIFIED

    def _wait(self, *, module: bool) -> tuple[SemanticAction, Effect]:
        """Pass a second of a module's play, or a moment without an action."""
        eyes = self._eyes
        done: list[SemanticAction] = []

        def react() -> None:
            wanted = self._router.frame(eyes.values, eyes.now_ns)
            if wanted is not None:
                done.append(wanted.action)
                eyes.press(self._resolved(wanted.action))

        length_ms = self._settings.control.reflex_step_ms if module else _HOLD_MS
        eyes.pass_time(eyes.now_ns + int(length_ms * NS_PER_MS), react if module else None)
        eyes.look()
        return (done[-1], Effect.CONFIRMED) if done else (NO_OP, Effect.NONE)

    def _resolved(self, action: SemanticAction) -> ResolvedAction:
        height, width = self._eyes.size
        return self._room.space.resolve(action, width=width, height=height)
