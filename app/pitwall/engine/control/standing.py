"""What there is to act by where nobody plans (reactive only).

A skill's first action; and what stands in the place of a plan: every legal action that needs no argument, in
turn.
"""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.observations import Value
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.skills import proposal_of
from pitwall.engine.control.thinking import LegalActions
from pitwall.engine.control.thinking_scene import nameable
from pitwall.games.profile import Skill
from pitwall.memory.state import left_in_turn as in_turn

SOURCE = "standing"
_STEPS = 1_000_000


def standing_proposal(space: LegalActions) -> Proposal:
    """A proposal that outlasts any run."""
    return Proposal(
        proposal_id=0,
        situation="nobody plans",
        subgoal="act on what is seen",
        candidates=tuple(nameable(space).values()),
        steps=_STEPS,
        source=SOURCE,
    )


def first_action(skill: Skill, values: Mapping[str, Value], space: LegalActions) -> SemanticAction | None:
    """What a skill does first on these values; None where it has no action now, or a module plays it."""
    made = proposal_of(skill, values, space, proposal_id=0, source=SOURCE, planned_ns=0)
    return next(iter(made.candidates), None)


def left_in_turn(request: ReactRequest, space: LegalActions) -> tuple[str, ...]:
    """Names of what stands, what is next in turn first (`memory.state.left_in_turn`)."""
    return in_turn(list(nameable(space)), request.history, request.candidate)
