"""The planner's open question: asked, listened for, taken up, or dropped when it came too late."""

from __future__ import annotations

from typing import Protocol

from pitwall.core.calls import CallOutcome
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest


class SettleCall(Protocol):
    """Says what became of a model call (engine.control.caller.Caller.settle)."""

    def __call__(
        self,
        call: int,
        outcome: CallOutcome,
        *,
        problem: str = "",
        proposed: int = 0,
        illegal: int = 0,
        step: int = 0,
    ) -> None: ...


class PlanQuery:
    """At most one question to the planner, and its answer until somebody takes it.

    Args:
        planner: who is asked; may be replaced by `use`.
        budget: counts answers and drops.
        settle: told what became of the calls whose replies were used or dropped.

    Attributes:
        dropped_in_a_row: late answers that are dropped before one is taken all the same.
    """

    def __init__(self, planner: Planner, budget: Budget, settle: SettleCall | None) -> None:
        self.planner = planner
        self.dropped_in_a_row = 2
        self._budget = budget
        self._settle = settle
        self._dropped = 0
        self.asked: PlanRequest | None = None
        self.reply: PlanReply | None = None

    @property
    def thinking(self) -> bool:
        """Whether it was asked and the answer has not come."""
        return self.asked is not None and self.reply is None

    def ask(self, request: PlanRequest) -> None:
        """Ask, and take an answer that comes at once."""
        self.asked = request
        self.planner.request(request)
        self.listen()

    def listen(self) -> None:
        """Take the answer if it has come."""
        if not self.thinking:
            return
        reply = self.planner.poll()
        if reply is not None and self.asked is not None and reply.request_id == self.asked.request_id:
            self.reply = reply
            self._budget.count_plan()

    def take(self, step: int) -> PlanReply:
        """The answer decides a step."""
        reply, self.asked, self.reply = self.reply, None, None
        assert reply is not None
        self._dropped = 0
        self._tell(reply, CallOutcome.USED, step)
        return reply

    def drop_late(self) -> bool:
        """The answer is for a scene that is gone: drop it, unless too many in a row were. Whether it was."""
        if self.reply is None or self._dropped >= self.dropped_in_a_row:
            return False
        self._dropped += 1
        self._budget.count_dropped()
        self.forget()
        return True

    def forget(self) -> None:
        """Drop the question, or an answer that nobody took up."""
        asked, reply, self.asked, self.reply = self.asked, self.reply, None, None
        if reply is not None:
            self._tell(reply, CallOutcome.DROPPED)
        elif asked is not None:
            self.planner.cancel()

    def use(self, planner: Planner) -> None:
        """Ask another planner from now on; what is open is dropped."""
        if planner is not self.planner:
            self.forget()
            self.planner = planner

    def _tell(self, reply: PlanReply, outcome: CallOutcome, step: int = 0) -> None:
        if reply.call and self._settle is not None:
            self._settle(reply.call, outcome, proposed=reply.proposed, illegal=reply.illegal, step=step)
