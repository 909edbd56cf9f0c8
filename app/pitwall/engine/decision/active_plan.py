"""The plan in force: adopted, carried out, extended by its skill, outdated by an edit; and its fallback."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import count

from pitwall.core.actions import Proposal
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.control.legality import LegalActions, nameable
from pitwall.engine.control.planner import SkillSource
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState

FALLBACK_SOURCE = "standing"
_FALLBACK_STEPS = 1_000_000
"""More steps than any run has."""


def fallback_proposal(space: LegalActions) -> Proposal:
    """Return the proposal for a run without a planner: every legal action that needs no argument, in turn."""
    return Proposal(
        proposal_id=0,
        situation="nobody plans",
        subgoal="act on what is seen",
        candidates=tuple(nameable(space).values()),
        steps=_FALLBACK_STEPS,
        source=FALLBACK_SOURCE,
    )


class ActivePlan:
    """Holds at most one plan and its progress.

    Args:
        skills: the skills that plans may follow; None: none is known.

    Attributes:
        state: the plan's progress; None for no plan.
        fallback: the proposal to follow when no planner may be asked.
        taken_from: the plan that the current step's action came from.
    """

    def __init__(self, skills: SkillSource | None) -> None:
        self.state: ProposalState | None = None
        self.fallback: Proposal | None = None
        self.taken_from: ProposalState | None = None
        self._skills = skills
        self._outdated: set[str] = set()
        self._replaced: ProposalState | None = None
        self._numbers = count(1)

    @property
    def proposal(self) -> Proposal | None:
        return self.state.proposal if self.state else None

    @property
    def is_fallback(self) -> bool:
        """Return whether the fallback is followed, not a plan."""
        return self.state is not None and self.state.proposal is self.fallback

    def use_fallback(self, fallback: Proposal | None) -> None:
        """Set the proposal to follow when there is no plan; None for none."""
        if self.is_fallback:
            self.state = None
        self.fallback = fallback

    def current(self) -> ProposalState | None:
        """Return the plan for the next step, else the fallback."""
        if self.fallback is not None and self.state is None:
            self.state = ProposalState(self.fallback)
        return self.state

    def asked(self) -> None:
        """Note that a new plan is being made: only edits from now on make it outdated."""
        self._outdated.clear()
        self._replaced = self.state

    def repeats(self, proposal: Proposal | None) -> bool:
        """Return whether a plan follows the same skill as the plan it replaces."""
        before = self._replaced.proposal.skill if self._replaced is not None else ""
        return proposal is not None and bool(before) and proposal.skill == before

    def adopt(self, proposal: Proposal | None, status: GameStatus, values: Mapping[str, Value]) -> None:
        """Put a plan in force under a number of its own; None ends the plan."""
        before, flushed = self._replaced, self.state is None
        self.state = None
        if proposal is None:
            return
        self.state = ProposalState(replace(proposal, proposal_id=next(self._numbers)), status=status.value)
        self.state.outdated = proposal.skill in self._outdated
        if before is not None and self.repeats(proposal):
            broken_off = not before.proposal.named and not before.over(values)
            self.state.follow_on(before, flushed=flushed, broken_off=broken_off)

    def outdate(self, skills: Collection[str]) -> None:
        """End plans that follow one of these edited or deleted skills, also a plan being made."""
        self._outdated.update(skills)
        if self.state is not None and self.state.proposal.skill in skills:
            self.state.outdated = True

    def renew_actions(self, values: Mapping[str, Value]) -> bool:
        """Continue with the actions that the plan's skill names next; return whether there are any."""
        if self._skills is None or self.state is None or not self.state.goes_on:
            return False
        candidates = self._skills.next_actions(self.state.proposal.skill, values)
        if candidates:
            self.state.renew_actions(candidates)
        return bool(candidates)

    def take(self, grounded: GroundedAction) -> bool:
        """Note the step's action (or a step of the driving module); return whether it is the plan's."""
        self.taken_from = self.state
        if self.state is None or (grounded.action is None and not self.state.proposal.module):
            return False
        self.state.take(grounded)
        return True

    def take_back(self) -> None:
        """Undo `take`: the step's action never reached the game."""
        if self.taken_from is not None and self.taken_from is self.state:
            self.taken_from.take_back()

    def forget(self) -> None:
        self.state = self.taken_from = None
