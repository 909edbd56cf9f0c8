"""The plan in force: adopted, carried out step by step, gone on with as its skill names more, outdated by an
edit; and what stands in its place where nobody plans."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import count

from pitwall.core.actions import Proposal
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.control.planner import SkillSource
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState


class ActivePlan:
    """At most one plan, and what has become of it.

    Args:
        skills: those that plans may follow; None: none that is known.

    Attributes:
        state: the plan's life; None for none.
        standing: the proposal that stands where nobody may be asked for one (reactive only).
        taken_from: whose action the step under way is.
    """

    def __init__(self, skills: SkillSource | None) -> None:
        self.state: ProposalState | None = None
        self.standing: Proposal | None = None
        self.taken_from: ProposalState | None = None
        self._skills = skills
        self._outdated: set[str] = set()
        self._numbers = count(1)

    @property
    def proposal(self) -> Proposal | None:
        """The plan."""
        return self.state.proposal if self.state else None

    @property
    def stands(self) -> bool:
        """Whether it is no plan, but what stands in its place."""
        return self.state is not None and self.state.proposal is self.standing

    def stand(self, standing: Proposal | None) -> None:
        """From now on this stands where there is no plan; None: nothing does."""
        if self.stands:
            self.state = None
        self.standing = standing

    def look(self) -> ProposalState | None:
        """The plan for a step that is to be decided, or what stands in its place."""
        if self.standing is not None and self.state is None:
            self.state = ProposalState(self.standing)
        return self.state

    def asked(self) -> None:
        """A plan is being made: only edits from now on make it outdated."""
        self._outdated.clear()

    def adopt(self, proposal: Proposal | None, status: GameStatus) -> None:
        """This plan is in force, under a number of its own; None: none is."""
        if proposal is None:
            self.state = None
            return
        self.state = ProposalState(replace(proposal, proposal_id=next(self._numbers)), status=status.value)
        self.state.outdated = proposal.skill in self._outdated

    def outdate(self, skills: Collection[str]) -> None:
        """Skills of these names are others by now, or gone: a plan that follows one is over, and one that is
        being made will be as it comes."""
        self._outdated.update(skills)
        if self.state is not None and self.state.proposal.skill in skills:
            self.state.outdated = True

    def name_anew(self, values: Mapping[str, Value]) -> bool:
        """Whether the plan's actions are done and its skill names the next ones: nothing speaks for a plan of
        somebody else's."""
        if self._skills is None or self.state is None or not self.state.goes_on:
            return False
        candidates = self._skills.named_anew(self.state.proposal.skill, values)
        if candidates:
            self.state.name_anew(candidates)
        return bool(candidates)

    def take(self, grounded: GroundedAction) -> bool:
        """This is the step's action, or a step of the module that drives. Whether it is the plan's."""
        self.taken_from = self.state
        if self.state is None or (grounded.action is None and not self.state.proposal.module):
            return False
        self.state.take(grounded)
        return True

    def take_back(self) -> None:
        """The step's action never reached the game."""
        if self.taken_from is not None and self.taken_from is self.state:
            self.taken_from.take_back()

    def forget(self) -> None:
        """There is no plan."""
        self.state = self.taken_from = None
