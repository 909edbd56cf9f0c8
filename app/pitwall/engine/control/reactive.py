"""The reactive controller: one legal action of the current proposal, or a request for a new plan."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.core.actions import Effect
from pitwall.core.observations import Value
from pitwall.engine.control.legality import ActionSpace, legal
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState

MAX_CORRECTIONS = 2
"""Local retries within one proposal (choice)."""


class ReactiveController:
    """Takes a proposal's candidates in turn, and from the first again, until the proposal is over.

    Candidates that are not legal are skipped. An action whose effect was not seen is tried once
    more; if that fails too it is given up for this proposal. The subgoal is never changed.

    Args:
        max_corrections: retries within one proposal; one more failure asks for a plan.

    Attributes:
        override: it may repeat an action whose effect was not seen (SPEC §2; an ablation forbids it).
        persist: a proposal that is over is continued (where no new plan may be asked for).
    """

    def __init__(self, space: ActionSpace, *, max_corrections: int = MAX_CORRECTIONS) -> None:
        self._space = space
        self._max_corrections = max_corrections
        self.override = True
        self.persist = False

    def decide(
        self, values: Mapping[str, Value], state: ProposalState | None, last_effect: Effect | None
    ) -> GroundedAction:
        """Ground one action. It changes no state: `state.take` makes it the step's action.

        Args:
            values: field name → value, `status` among them.
            last_effect: the effect of this proposal's last action; None for its first.
        """
        if state is None:
            return GroundedAction(action=None, why="there is no proposal", request=True)
        over = state.over(values)
        if over and not self.persist:
            return GroundedAction(action=None, why=over, request=True)
        if state.proposal.module:
            return GroundedAction(action=None, why=f"the module {state.proposal.module} drives")
        last = state.last
        unseen = last_effect is Effect.UNVERIFIED and self.override
        if unseen and last is not None and last.action is not None:
            return self._correct(state, last)
        return self._next(state, state.failed)

    def _correct(self, state: ProposalState, last: GroundedAction) -> GroundedAction:
        text = str(last.action)
        if last.retry:
            return self._next(state, state.failed | {text}, given_up=text)
        if state.corrections >= self._max_corrections:
            why = f"no effect seen from {text}, and all {self._max_corrections} local retries are used"
            return GroundedAction(action=None, why=why, request=True, failed=True)
        why = f"no effect seen from {text}: once more"
        return GroundedAction(action=last.action, why=why, position=last.position, retry=True)

    def _next(self, state: ProposalState, failed: frozenset[str], given_up: str = "") -> GroundedAction:
        candidates = state.proposal.candidates
        start = state.last.position + 1 if state.last is not None else 0
        for offset in range(len(candidates)):
            position = (start + offset) % len(candidates)
            text = str(candidates[position])
            action = legal(text, self._space) if text not in failed else None
            if action is not None:
                why = f"for {state.proposal.subgoal!r}"
                if given_up and given_up != text:
                    why = f"{given_up} shows no effect; instead, {why}"
                return GroundedAction(action=action, why=why, position=position, given_up=given_up)
        why = f"no candidate of {state.proposal.subgoal!r} is left"
        return GroundedAction(action=None, why=why, request=True, given_up=given_up, failed=True)
