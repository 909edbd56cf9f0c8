"""A step under way: its decision, the events sent for it, and their effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pitwall.core.actions import NO_OP, Effect, Invalid, Refusal, SemanticAction, SentEvent
from pitwall.core.clock import ms_between
from pitwall.core.frames import Pixels
from pitwall.core.injection import Receipt
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Route, Signals
from pitwall.core.steps import StepRecord, Timings
from pitwall.engine.action.effect import why_no_effect
from pitwall.engine.decision.route_decision import RouteDecision
from pitwall.engine.recall.write_rules import ActionOutcome
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.engine.trigger.progress import EFFECT

_MOST_CHANGES = 12
_LETTING_GO = ("key_up", "mouse_up", "wait")


@dataclass(slots=True)
class OpenStep:
    """Holds one step under way.

    Attributes:
        pixels: copy of the frame it was decided on.
        expects: the action declares by `expect` what it changes.
        set_off: the action is under way and the game's time passes.
        interrupted: a scene cut ends the step at once.
        stood_still: the picture did not change after the action; frame_ms: time between the game's frames.
        outstanding: batches whose receipts have not come.
        sent: its events as the broker treated them, including the releases that ended it.
        receipts_until_ns: when a closed step stops waiting for receipts.
    """

    number: int
    began_ns: int
    since_run_ns: int
    seen: PerceivedFrame
    routed: RouteDecision
    signals: Signals
    pixels: Pixels
    over_ns: int
    action: SemanticAction = NO_OP
    acted: bool = False
    expects: bool = False
    set_off: bool = False
    interrupted: bool = False
    invalid: Invalid | None = None
    effect: Effect = Effect.NONE
    stood_still: bool = False
    frame_ms: float | None = None
    sent: list[SentEvent] = field(default_factory=list)
    outstanding: int = 0
    receipts_until_ns: int = 0
    trigger_ms: float = 0.0
    decide_ms: float = 0.0
    _reaction_ms: float | None = None
    _frame_age_ms: float | None = None
    _act_ms: float = 0.0

    def act(self, action: SemanticAction, invalid: Invalid | None) -> None:
        """Set the step's action (a module's newest one) and begin to watch its effect."""
        if not self.acted:
            self.effect = Effect.UNVERIFIED
        self.action, self.acted = action, True
        self.invalid = self.invalid or invalid

    def receive(self, receipt: Receipt, batch: EventBatch) -> None:
        self.outstanding -= 1
        self.sent += receipt.events
        pressed = next(
            (s.sent_ns for s in receipt.events if s.sent_ns is not None and s.event.kind not in _LETTING_GO),
            None,
        )
        if pressed is None:
            return
        if self._frame_age_ms is None:
            self._frame_age_ms = ms_between(batch.observed_ns, pressed)
        if batch.reacts and self._reaction_ms is None:
            self._reaction_ms = ms_between(batch.observed_ns, pressed)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        return tuple(sent.refused for sent in self.sent if sent.refused is not None)

    @property
    def refused_whole(self) -> bool:
        """Return whether every press was refused, so that nothing reached the game."""
        presses = [sent for sent in self.sent if sent.event.kind not in _LETTING_GO]
        return bool(presses) and all(sent.refused is not None for sent in presses)

    @property
    def verdict(self) -> Effect:
        return Effect.NONE if self.refused_whole else self.effect

    def close(self, now: int, *, until_ns: int) -> None:
        """Close the step, without waiting; receipts of its last batches still count until `until_ns`."""
        self._act_ms = ms_between(self.began_ns, now)
        self.receipts_until_ns = until_ns

    def record(self) -> StepRecord:
        seen, routed = self.seen, self.routed
        still = self.verdict is Effect.UNVERIFIED and self.stood_still
        return StepRecord(
            step=self.number,
            at_ns=self.since_run_ns,
            frame_id=seen.frame.frame_id,
            status=seen.observation.status,
            route=routed.route or Route.REACTIVE,
            reasons=routed.reasons,
            why=routed.why,
            signals=self.signals,
            fields={name: value for name, value in seen.values.items() if name != "status"},
            proposal=routed.proposal,
            action=self.action,
            invalid=self.invalid,
            sent=tuple(self.sent),
            effect=Effect.NONE if still else self.verdict,
            effect_why=why_no_effect(self.sent, self.frame_ms) if still else "",
            timings=Timings(
                capture_ms=ms_between(seen.frame.captured_ns, seen.frame.ready_ns),
                perceive_ms=seen.perceive_ms,
                trigger_ms=self.trigger_ms,
                decide_ms=self.decide_ms,
                act_ms=self._act_ms,
                reaction_ms=self._reaction_ms,
                frame_age_ms=self._frame_age_ms,
            ),
        )


@dataclass(frozen=True, slots=True)
class EventBatch:
    """A batch: input events that were sent to the broker in one message.

    Attributes:
        step: the step they belong to; None if no step is under way.
        observed_ns: time of the screen that they answer.
        reacts: its presses were decided on a new frame of that time. False if they come from an earlier
            decision, or if the screen stood still.
    """

    step: OpenStep | None
    observed_ns: int
    reacts: bool
    due_ns: int = 0


def action_outcome(
    step: OpenStep,
    after: PerceivedFrame,
    words: Callable[[Mapping[str, Value], GameStatus], str],
    effect: Effect,
    *,
    grown: Sequence[str],
    run_id: int | None,
) -> ActionOutcome:
    """Return the lesson of a step whose outcome is known.

    Args:
        after: the frame as the step ends. words: puts a state into words. grown: kinds of progress.
    """
    before = step.seen
    progress = [kind for kind in grown if kind != EFFECT]
    expected = effect is Effect.CONFIRMED and step.expects
    return ActionOutcome(
        before=words(before.values, before.observation.status),
        after=words(after.values, after.observation.status),
        action=str(step.action),
        effect=effect,
        progressed=bool(grown),
        confidence=float(bool(progress) or expected),
        evidence=f"progress ({', '.join(progress)})" if progress else "its expected change",
        tag=step.routed.proposal.source if step.routed.proposal is not None else "",
        run_id=run_id,
        step=step.number,
        frame_id=before.frame.frame_id,
    )


def changed_fields(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, tuple[Value, Value]]:
    """Return the first few fields that a step changed, each with its values before and after."""
    changed = ((name, (value, after[name])) for name, value in before.items() if after.get(name) != value)
    return dict(islice(changed, _MOST_CHANGES))
