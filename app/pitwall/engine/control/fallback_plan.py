"""What there is to act by where nobody plans (reactive only).

In the place of a plan: every legal action that needs no argument, in turn.
"""

from __future__ import annotations

from pitwall.core.actions import Proposal
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.workflows.scene import nameable
from pitwall.engine.control.workflows.workflow import LegalActions
from pitwall.memory.prompt.state_format import left_in_turn as in_turn

SOURCE = "standing"
_STEPS = 1_000_000


def fallback_proposal(space: LegalActions) -> Proposal:
    """A proposal that outlasts any run."""
    return Proposal(
        proposal_id=0,
        situation="nobody plans",
        subgoal="act on what is seen",
        candidates=tuple(nameable(space).values()),
        steps=_STEPS,
        source=SOURCE,
    )


def left_in_turn(request: ReactRequest, space: LegalActions) -> tuple[str, ...]:
    """Names of what stands, what is next in turn first (`memory.state.left_in_turn`)."""
    return in_turn(list(nameable(space)), request.history, request.candidate)
