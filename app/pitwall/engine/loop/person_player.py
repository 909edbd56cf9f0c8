"""A person as the player (SPEC §6, human baseline): nothing is sent, and their presses are recorded as steps.

Task and budget are the same as an agent's. Each key press, click, look by the mouse and notch of the
wheel in the game's window is one step, named as in the computer-use interface.
"""

from __future__ import annotations

from dataclasses import replace

from pitwall.core.actions import Effect, InputEvent, ResolvedAction, SemanticAction, SentEvent, TimedEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import PersonActed
from pitwall.core.observations import DECIDABLE
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure, Route
from pitwall.engine.action.effect import EffectWatch
from pitwall.engine.control.budget import Budget
from pitwall.engine.decision.open_step import OpenStep
from pitwall.engine.decision.route_decision import RouteDecision
from pitwall.engine.loop.run_player import RunPlayer
from pitwall.engine.loop.shadow import Shadow
from pitwall.engine.recording.operator_reports import RouteTimeline, RunOutlets
from pitwall.engine.recording.run_figures import RunFigures
from pitwall.engine.session.game_session import AgentStatus, GameSession, PerceivedFrame
from pitwall.engine.trigger.event_trigger import EventTrigger
from pitwall.engine.trigger.progress import ProgressCounter

_LENGTH_NS = 250 * NS_PER_MS
"""How long a press counts as under way, unless it ends sooner."""
_PRESSES = ("key_down", "mouse_down", "mouse_look", "scroll")


class PersonPlayer(RunPlayer):
    """Follows one run that a person plays.

    Args:
        budget: what ends the run.
        shadow: the agent that decides beside them; None for none.
    """

    step = 0

    def __init__(
        self,
        session: GameSession,
        settings: Settings,
        out: RunOutlets,
        *,
        budget: Budget | None = None,
        shadow: Shadow | None = None,
    ) -> None:
        rules = session.game.profile.progress
        self.figures = RunFigures(session.game.profile.score_field)
        self.dropped_before = session.view.dropped
        self.run_id: int | None = None
        self._session = session
        self._shadow = shadow
        self._out = out
        self._effects = EffectWatch(effect_wait_ms=settings.control.effect_wait_ms, progress=rules)
        self._trigger = EventTrigger(session.thresholds)
        self._progress = ProgressCounter(rules)
        self._budget = budget or Budget(session.game.profile.game.difficulty)
        self._timeline = RouteTimeline(out.tell)
        self._open: OpenStep | None = None
        self._down: set[str] = set()
        self._last_action = ""
        self._look = True

    def turn(self, *, fresh: bool) -> None:
        self._watch(fresh=fresh)
        if self._shadow is not None and not self._look:
            self._shadow.turn(fresh=fresh)

    def _watch(self, *, fresh: bool) -> None:
        if self._look and not self._session.look_afresh():
            return
        self._look = False
        step, seen, now = self._open, self._session.seen, now_ns()
        if step is None or seen is None:
            return
        effect = self._effects.update(seen.values, self._session.change(), now) if fresh else None
        effect = effect or self._effects.expired(now)
        if effect is not None:
            step.effect = effect
        if self._effects.deadline_ns is None and not self._down and now >= step.over_ns:
            self._finish(step, now)

    def rest(self, *, plan_stays: bool = False) -> None:  # noqa: ARG002
        self.interrupt()  # the game does not have the focus: presses are not for it

    def next_due_ns(self) -> int | None:
        times = [self._shadow.next_due_ns() if self._shadow is not None else None]
        times += [self._effects.deadline_ns or self._open.over_ns] if self._open is not None else []
        return min((at for at in times if at is not None), default=None)

    def look_afresh(self) -> None:
        self._look = True
        self._session.forget_steps()

    def interrupt(self, *, plan_stays: bool = False) -> None:  # noqa: ARG002
        self._down.clear()
        if self._shadow is not None:
            self._shadow.rest()
        if self._open is not None:
            self._finish(self._open, now_ns())

    def close(self) -> None:
        if self._shadow is not None:
            self._shadow.close()

    def shown(self) -> AgentStatus:
        signals = self._trigger.signals(self._session.change())
        return AgentStatus(
            signals=signals, route=self._timeline.route, badge="person", last_action=self._last_action
        )

    @property
    def budget_spent(self) -> bool:
        return bool(self._budget.ended_by)

    def acted(self, deed: PersonActed) -> None:
        """Begin the next step with a press; a release belongs to the open step."""
        event, seen = deed.event, self._session.seen
        if self._shadow is not None:
            self._shadow.person_acted(deed)
        if event.kind == "mouse_move":
            return
        if event.kind in ("key_up", "mouse_up"):
            self._down.discard(event.key)
            if self._open is not None:
                self._open.sent.append(SentEvent(event=event, sent_ns=deed.at_ns))
            return
        if self._open is not None:
            if event.kind == "mouse_look" and self._looks_on(self._open, event, deed.at_ns):
                return
            self._finish(self._open, deed.at_ns)
        decidable = seen is not None and seen.observation.status in DECIDABLE  # as for an agent (SPEC §6)
        if event.kind in _PRESSES and seen is not None and decidable and not self.budget_spent:
            self._begin(event, seen, deed.at_ns)

    def _begin(self, event: InputEvent, seen: PerceivedFrame, at_ns: int) -> None:
        if self.step == 0:
            self._progress.update(seen.values, effect_confirmed=False)
        self.step += 1
        action = self._words(event, seen)
        decision = self._trigger.step(
            change=self._session.change(),
            progress=self._progress.count,
            failure=Failure.NONE,
            requested=False,
        )
        routed = RouteDecision(
            route=Route.PERSON,
            action=action,
            reasons=(),
            why=f"You: {action}.",
            proposal=None,
            failure=Failure.NONE,
        )
        step = OpenStep(
            number=self.step,
            began_ns=at_ns,
            since_run_ns=at_ns - self.figures.began_ns,
            seen=seen,
            routed=routed,
            signals=decision.signals,
            pixels=self._session.mark_step(),
            over_ns=at_ns + _LENGTH_NS,
        )
        step.act(action, None)
        step.sent.append(SentEvent(event=event, sent_ns=at_ns))
        self._down |= {event.key} if event.kind == "key_down" else set()
        pressed = ResolvedAction(
            action=action, events=(TimedEvent(at_ms=0.0, event=event),), duration_ms=_LENGTH_NS / NS_PER_MS
        )
        self._effects.wait_ms = self._session.settings.control.effect_wait_ms
        self._effects.begin(pressed, values=seen.values, change=0.0, now_ns=at_ns)
        self._open, self._last_action = step, str(action)
        self._timeline.show(Route.PERSON, "")

    @staticmethod
    def _looks_on(step: OpenStep, event: InputEvent, at_ns: int) -> bool:
        """Add a motion of the mouse to the step of a look that is under way; return whether one was."""
        look = step.sent[-1].event
        if look.kind != "mouse_look" or at_ns >= step.over_ns:
            return False
        look = replace(look, dx=look.dx + event.dx, dy=look.dy + event.dy)
        step.sent[-1] = replace(step.sent[-1], event=look)
        step.act(_look_words(look), None)
        return True

    def _finish(self, step: OpenStep, now: int) -> None:
        self._open = None
        self._effects.drop()
        step.close(now, until_ns=now)
        seen = self._session.seen
        assert seen is not None
        self._progress.update(seen.values, effect_confirmed=step.effect is Effect.CONFIRMED)
        self._trigger.acted(str(step.action))
        self._budget.step_over(self._session.status)
        self.figures.ended_by = self._budget.ended_by
        self._out.tell(self._budget.report())
        record = step.record()
        self.figures.count(record)
        self._out.on_step(record, step.pixels)

    def _words(self, event: InputEvent, seen: PerceivedFrame) -> SemanticAction:
        """Return the press as a command of the computer-use interface, in pixels of the profile's screen."""
        if event.kind == "key_down":
            return SemanticAction(name="press_key", arguments={"key": event.key})
        if event.kind == "mouse_look":
            return _look_words(event)
        screen = self._session.game.profile.screen
        place = {
            "x": round((event.x or 0) * screen.width / max(1, seen.frame.width)),
            "y": round((event.y or 0) * screen.height / max(1, seen.frame.height)),
        }
        if event.kind == "scroll":
            return SemanticAction(name="scroll", arguments={**place, "dx": event.dx, "dy": event.dy})
        return SemanticAction(name="click", arguments={**place, "button": event.button})


def _look_words(event: InputEvent) -> SemanticAction:
    return SemanticAction(name="move_relative", arguments={"dx": event.dx, "dy": event.dy})
