"""Grounding by a model: the reactive controller's question for one step, and what its answer means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pitwall.core.actions import SemanticAction
from pitwall.core.calls import CallOutcome
from pitwall.engine.control.proposal_state import GroundedAction
from pitwall.engine.control.reactor import Reactor, ReactReply, ReactRequest
from pitwall.engine.decision.plan_query import SettleCall


class GroundingQuery:
    """At most one open question to the reactive model.

    Args:
        settle: told what became of the calls whose replies were used or dropped.

    Attributes:
        reactor: who is asked, None for nobody; replaced by `use`.
    """

    def __init__(self, settle: SettleCall | None) -> None:
        self.reactor: Reactor | None = None
        self._settle = settle
        self._open: tuple[ReactRequest, GroundedAction] | None = None
        self._doubt = ""
        self._reply: ReactReply | None = None

    @property
    def open(self) -> ReactRequest | None:
        """The question whose answer was not taken yet."""
        return self._open[0] if self._open is not None else None

    @property
    def possible(self) -> bool:
        return self.reactor is not None and self.reactor.available

    def ask(self, request: ReactRequest, rules: GroundedAction, *, doubt: str = "") -> None:
        """Ask; `rules` is what stands where the model gives no usable answer.

        Args:
            doubt: what speaks against what is next in turn, for the operator; empty: it is asked anyway.
        """
        assert self.reactor is not None
        self._open, self._doubt = (request, rules), doubt
        self.reactor.request(request)

    @property
    def thinking(self) -> bool:
        """Whether the model was asked and its answer has not come."""
        if self._open is None or self.reactor is None or self._reply is not None:
            return False
        reply = self.reactor.poll()
        if reply is not None and reply.request_id == self._open[0].request_id:
            self._reply = reply
        return self._reply is None

    def take(self) -> GroundedAction | None:
        """The answer, once; None while the model thinks."""
        if self._open is None or self.thinking or self._reply is None:
            return None
        (request, rules), reply = self._open, self._reply
        self._open = self._reply = None
        grounded = self._grounded(reply, request, rules)
        return replace(grounded, why=f"{grounded.why} (asked: {self._doubt})") if self._doubt else grounded

    def settle(self, grounded: GroundedAction, *, used: bool) -> None:
        """Say whether the action of an answer became the step's."""
        if grounded.call and self._settle is not None:
            outcome = CallOutcome.USED if used else CallOutcome.DROPPED
            self._settle(grounded.call, outcome, proposed=int(grounded.action is not None))

    def forget(self) -> None:
        """Drop the question."""
        if self._open is not None and self.reactor is not None:
            reply, self._open, self._reply = self._reply, None, None
            self.reactor.cancel()
            if reply is not None and reply.call and self._settle is not None:
                self._settle(reply.call, CallOutcome.DROPPED, proposed=int(reply.action is not None))

    def use(self, reactor: Reactor | None) -> None:
        """Ask somebody else from now on; what is open is dropped."""
        if reactor is not self.reactor:
            self.forget()
            self.reactor = reactor

    def _grounded(self, reply: ReactReply, request: ReactRequest, rules: GroundedAction) -> GroundedAction:
        if reply.escalate:
            why = reply.why or "the reactive model asks for a plan"
            asks = GroundedAction(action=None, why=why, request=True, call=reply.call)
            self.settle(asks, used=True)
            return replace(asks, call=0)
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
        )


def _place(action: SemanticAction, candidates: Sequence[SemanticAction], upcoming: int) -> int:
    """Where an action stands next, from the upcoming candidate on: one plan may name it several times."""
    places = ((upcoming + offset) % len(candidates) for offset in range(len(candidates)))
    return next(place for place in places if candidates[place] == action)
