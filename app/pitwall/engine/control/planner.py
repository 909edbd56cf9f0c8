"""The contracts of controllers that take time, and of the strategic planner: asked, then polled (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.model_telemetry import Driver
from pitwall.core.observations import GameStatus, Value
from pitwall.core.retrieval import Fragment
from pitwall.core.signals import Reason, Signals
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.tabu import Bars
from pitwall.models.replies.plan import Reflection

Request = TypeVar("Request", contravariant=True)
Answer = TypeVar("Answer", covariant=True)
Reply = TypeVar("Reply")


class SlowController(Protocol[Request, Answer]):
    """Answers one request at a time. No method waits."""

    def request(self, request: Request) -> None:
        """Send a request; a request still open is dropped."""
        ...

    def poll(self) -> Answer | None:
        """Return the answer to the open request, once; None until it has come."""
        ...

    def cancel(self) -> None:
        """Drop the open request, if there is one."""
        ...


class KeptReply(Generic[Reply]):
    """The polling half of a controller whose `request` answers at once: it keeps the reply until polled."""

    _reply: Reply | None = None

    def poll(self) -> Reply | None:
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        self._reply = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastStep:
    """A step of the recent window, for prompts.

    Attributes:
        changed: fields whose value the step changed: name → (before, after).
        problem: the problem (refused, invalid) in words; empty for none.
    """

    step: int
    action: SemanticAction
    effect: Effect
    progressed: bool = False
    changed: Mapping[str, tuple[Value, Value]] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """Everything a planner may know.

    Attributes:
        values: the observation's fields, `status` among them.
        trace: failures, newest last: negative evidence.
        recent: the last actions of this run, newest last. history: the same with their outcomes.
        running: the proposal still being carried out; None where it is over or there was none.
        hints: of the action bank, best first. fragments: of the knowledge graph, best first.
        flush: F3: plan from the top; the trace is all that remains of the dropped context.
        bars: choices that are barred.
        now_ns: monotonic nanoseconds.
    """

    request_id: int
    step: int
    now_ns: int
    values: Mapping[str, Value]
    status: GameStatus
    signals: Signals
    reasons: tuple[Reason, ...]
    trace: tuple[FailureNote, ...] = ()
    recent: tuple[SemanticAction, ...] = ()
    history: tuple[PastStep, ...] = ()
    hints: tuple[str, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    running: Proposal | None = None
    flush: bool = False
    bars: Bars = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReply:
    """A planner's answer.

    Attributes:
        proposal: the new plan; None together with `keep` continues the running plan; None without it: the
            agent holds.
        took_ms: from request to answer; 0 for a planner that answers within the poll.
        calls: number of completions; 0 without a model.
        call: number of the model call whose reply this is, 0 for none; to be settled as dropped where
            the answer is not used.
        proposed, illegal: actions that the reply proposed, and how many of them were illegal.
        failed: the model gave no usable answer; the plan (if any) is the stand-in's.
        unanswered: it gave none because its endpoint or host failed.
        driver: who made the decision, where control is earned; else None. tokens: that it took.
        reflection: the model's sure verdict on the step `reflected`; None where it was unsure or not asked.
    """

    request_id: int
    proposal: Proposal | None
    why: str
    keep: bool = False
    took_ms: float = 0.0
    calls: int = 0
    call: int = 0
    proposed: int = 0
    illegal: int = 0
    failed: bool = False
    unanswered: bool = False
    driver: Driver | None = None
    tokens: int = 0
    reflection: Reflection | None = None
    reflected: int = 0


class Planner(SlowController[PlanRequest, PlanReply], Protocol):
    """A strategic planner."""

    @property
    def name(self) -> str: ...


class SkillSource(Protocol):
    """Reports the present state of a skill to the plan that follows it."""

    def news(self, name: str, before: Mapping[str, Value], now: Mapping[str, Value]) -> str | None:
        """Return a reason against continuing the skill; empty for none, None if there is no such skill."""
        ...

    def next_actions(self, name: str, values: Mapping[str, Value]) -> tuple[SemanticAction, ...]:
        """Return the actions that fields name for the skill now; empty where only a new plan can decide."""
        ...
