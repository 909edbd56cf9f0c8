"""The life of the current proposal: its age, its taken and failed candidates, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.conditions import parse_condition
from pitwall.core.observations import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedAction:
    """The reactive controller's choice from the proposal for this step.

    Attributes:
        action: one legal action, or None (it asks for a plan, or a module drives).
        why: half a sentence for the operator.
        request: it asks for escalation ("requested").
        position: index of the candidate.
        retry: the same action is repeated, because its effect was not seen.
        given_up: text of the action that failed for good within this proposal, empty for none.
        failed: it asks because its local corrections failed, not because the proposal is done.
        correction: a model chose an action outside the proposal's candidates.
        call: number of the model call it came from, 0 for none.
        escalated: a model asked for a plan, not a rule.
        deviates: a model chose another action than the rules.
        recalled: the memory chose it.
    """

    action: SemanticAction | None
    why: str
    request: bool = False
    position: int = -1
    retry: bool = False
    given_up: str = ""
    failed: bool = False
    correction: bool = False
    call: int = 0
    escalated: bool = False
    deviates: bool = False
    recalled: bool = False


class ProposalState:
    """A proposal that is being carried out.

    Args:
        status: the game's status it was planned for; in another status it is over. Empty: any.

    Attributes:
        outdated: the skill that it follows was changed or removed: it is over.
        tried: steps used by it and by the plans of the same skill right before it.

    Raises:
        ConditionError: its stop condition does not parse.
    """

    def __init__(self, proposal: Proposal, *, status: str = "") -> None:
        self.proposal = proposal
        self.steps_used = 0
        self.corrections = 0
        self.failed: frozenset[str] = frozenset()
        self.outdated = False
        self._tried_before = 0
        self.last: GroundedAction | None = None
        self._named_at = 0
        self._status = status
        self._stop = parse_condition(proposal.stop) if proposal.stop else None
        self._before: tuple[int, int, frozenset[str], GroundedAction | None] = (0, 0, self.failed, None)

    def over(self, values: Mapping[str, Value]) -> str:
        """Return why the proposal is over on these values, as half a sentence; empty while it is not."""
        if self.outdated:
            return f"the skill {self.proposal.skill!r} was changed"
        if self._stop is not None and self._stop.holds(values):
            return f"{self.proposal.subgoal!r} is done: {self._stop.text}"
        if self._status and not self.proposal.module and values.get("status") != self._status:
            return f"it was planned for {self._status}, the game is now {values.get('status')}"
        if self.steps_used >= self.proposal.steps:
            return f"the {self.proposal.steps} steps of {self.proposal.subgoal!r} are used up"
        if self.spent:
            return f"the actions named for {self.proposal.subgoal!r} are used up"
        return ""

    @property
    def spent(self) -> bool:
        """Return whether all actions that a field named have been used."""
        return self.proposal.named and self.steps_used - self._named_at >= len(self.proposal.candidates)

    @property
    def goes_on(self) -> bool:
        """Return whether its named actions are done without failure and steps are left for more."""
        return self.spent and not self.outdated and not self.failed and self.steps_used < self.proposal.steps

    @property
    def tried(self) -> int:
        return self._tried_before + self.steps_used

    def follow_on(self, before: ProposalState, *, flushed: bool, broken_off: bool) -> None:
        """Take over from an earlier plan of the same skill.

        Its used steps count on, unless all was flushed; interrupted actions continue where they were broken
        off, so that the last ones get their turn too.
        """
        if not flushed:
            self._tried_before = before.tried
        if broken_off and before.last is not None and before.proposal.candidates == self.proposal.candidates:
            self.last = replace(before.last, action=None)

    def renew_actions(self, candidates: tuple[SemanticAction, ...]) -> None:
        """Continue with these candidates, from the first."""
        self.proposal = replace(self.proposal, candidates=candidates)
        self._named_at, self.last = self.steps_used, None

    def take(self, grounded: GroundedAction) -> None:
        """Take this as the step's action (or, while a module drives, as one of its steps)."""
        self._before = (self.steps_used, self.corrections, self.failed, self.last)
        self.steps_used += 1
        self.corrections += grounded.retry or grounded.correction
        if grounded.given_up:
            self.failed |= {grounded.given_up}
        self.last = grounded

    def take_back(self) -> None:
        """Undo the last `take`: its action never reached the game. Once per take, before `renew_actions`."""
        self.steps_used, self.corrections, self.failed, self.last = self._before


def without_met_stop(proposal: Proposal | None, values: Mapping[str, Value]) -> Proposal | None:
    """Return the plan without its stop condition if that holds already; it would be over at once."""
    if proposal is None or not proposal.stop or not parse_condition(proposal.stop).holds(values):
        return proposal
    return replace(proposal, stop="")
