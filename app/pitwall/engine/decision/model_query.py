"""Questions to a controller that takes its time: asked, polled, then used or dropped.

`ModelQuery` is the life of any such question, `PlanQuery` the planner's, `GroundingQuery` the reactor's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from pitwall.core.actions import SemanticAction
from pitwall.core.calls import CallOutcome
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.model_caller import SettleCall
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest, SlowController
from pitwall.engine.control.proposal_state import GroundedAction
from pitwall.engine.control.reactor import Reactor, ReactReply, ReactRequest


class _Numbered(Protocol):
    @property
    def request_id(self) -> int: ...


Controller = TypeVar("Controller", bound=SlowController[Any, Any])
Request = TypeVar("Request", bound=_Numbered)
Reply = TypeVar("Reply", bound=_Numbered)


class ModelQuery(Generic[Controller, Request, Reply]):
    """At most one open question, and its reply until it is taken.

    Args:
        controller: answers the question; None for nobody; replaced by `use`.
        settle: takes the outcome of each call whose reply was used or dropped.
    """

    def __init__(self, controller: Controller | None, settle: SettleCall | None) -> None:
        self.controller = controller
        self.asked: Request | None = None
        self.reply: Reply | None = None
        self._settle = settle

    @property
    def thinking(self) -> bool:
        """Return whether a question is open without a reply."""
        return self.asked is not None and self.reply is None

    def ask(self, request: Request) -> None:
        """Ask, and take a reply that comes at once."""
        assert self.controller is not None
        self.asked = request
        self.controller.request(request)
        self.listen()

    def listen(self) -> bool:
        """Take the reply if it has come; return whether it came now."""
        if self.controller is None or self.asked is None or self.reply is not None:
            return False
        reply: Reply | None = self.controller.poll()
        if reply is not None and reply.request_id == self.asked.request_id:
            self.reply = reply
        return self.reply is not None

    def forget(self) -> None:
        """Drop the question, or a reply that nobody took."""
        asked, reply, self.asked, self.reply = self.asked, self.reply, None, None
        if reply is not None:
            self._settle_reply(reply, CallOutcome.DROPPED)
        elif asked is not None and self.controller is not None:
            self.controller.cancel()

    def use(self, controller: Controller | None) -> None:
        """Ask another controller from now on; an open question is dropped."""
        if controller is not self.controller:
            self.forget()
            self.controller = controller

    def _settle_reply(self, reply: Reply, outcome: CallOutcome, step: int = 0) -> None:
        raise NotImplementedError


class PlanQuery(ModelQuery[Planner, PlanRequest, PlanReply]):
    """The question to the planner.

    Attributes:
        dropped_in_a_row: how many late answers are dropped before one is used all the same.
    """

    def __init__(self, planner: Planner, budget: Budget, settle: SettleCall | None) -> None:
        super().__init__(planner, settle)
        self.dropped_in_a_row = 2
        self._budget = budget
        self._dropped = 0

    def listen(self) -> bool:
        came = super().listen()
        self._budget.strategic_calls += came
        return came

    def take(self, step: int) -> PlanReply:
        """Use the answer for a step."""
        reply, self.asked, self.reply = self.reply, None, None
        assert reply is not None
        self._dropped = 0
        self._settle_reply(reply, CallOutcome.USED, step)
        return reply

    def drop_late(self) -> bool:
        """Drop an answer for a scene that is gone, unless too many were; return whether it did."""
        if self.reply is None or self._dropped >= self.dropped_in_a_row:
            return False
        self._dropped += 1
        self._budget.plans_dropped += 1
        self.forget()
        return True

    def _settle_reply(self, reply: PlanReply, outcome: CallOutcome, step: int = 0) -> None:
        if reply.call and self._settle is not None:
            self._settle(reply.call, outcome, proposed=reply.proposed, illegal=reply.illegal, step=step)


class GroundingQuery(ModelQuery[Reactor, ReactRequest, ReactReply]):
    """The question to the reactive model for one step: which action it takes."""

    def __init__(self, settle: SettleCall | None) -> None:
        super().__init__(None, settle)
        self._rules: GroundedAction | None = None
        self._reason = ""

    @property
    def possible(self) -> bool:
        return self.controller is not None and self.controller.available

    def ask_model(self, request: ReactRequest, rules: GroundedAction, *, reason: str = "") -> None:
        """Ask for an action.

        Args:
            rules: the action to take if the model gives no usable answer.
            reason: the objection to the plan's next action, for the operator; empty: asked at every step.
        """
        self._rules, self._reason = rules, reason
        self.ask(request)

    def take(self) -> GroundedAction | None:
        """Return the answer, once; None while the model thinks."""
        self.listen()
        if self.asked is None or self.reply is None or self._rules is None:
            return None
        grounded = self._grounded(self.reply, self.asked, self._rules)
        self.asked = self.reply = None
        return replace(grounded, why=f"{grounded.why} (asked: {self._reason})") if self._reason else grounded

    def settle(self, grounded: GroundedAction, *, used: bool) -> None:
        """Note whether the answer's action became the step's."""
        if grounded.call and self._settle is not None:
            outcome = CallOutcome.USED if used else CallOutcome.DROPPED
            self._settle(grounded.call, outcome, proposed=int(grounded.action is not None))

    def _settle_reply(self, reply: ReactReply, outcome: CallOutcome, step: int = 0) -> None:
        if reply.call and self._settle is not None:
            self._settle(reply.call, outcome, proposed=int(reply.action is not None), step=step)

    def _grounded(self, reply: ReactReply, request: ReactRequest, rules: GroundedAction) -> GroundedAction:
        if reply.escalate:
            why = reply.why or "the reactive model asks for a plan"
            self._settle_reply(reply, CallOutcome.USED)
            return GroundedAction(action=None, why=why, request=True, escalated=True)
        if reply.action is None:
            return replace(rules, why=f"{rules.why} (by rule: {reply.why})")
        candidates = request.proposal.candidates if request.proposal is not None else ()
        inside = reply.action in candidates
        return GroundedAction(
            action=reply.action,
            why=reply.why or rules.why,
            position=_place(reply.action, candidates, request.candidate) if inside else rules.position,
            correction=bool(candidates) and not inside,
            call=reply.call,
            deviates=reply.action != rules.action,
        )


def _place(action: SemanticAction, candidates: Sequence[SemanticAction], upcoming: int) -> int:
    """Return an action's next place from the upcoming candidate on: a plan may name it twice."""
    places = ((upcoming + offset) % len(candidates) for offset in range(len(candidates)))
    return next(place for place in places if candidates[place] == action)
