"""The result of a strategic workflow."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.models.replies.plan import PlanDraft, Reflection


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowResult:
    """The result of a strategic workflow.

    Attributes:
        draft: the plan; None: `problem` says why there is none.
        call: number of the call whose reply it is, not settled yet; 0 for none.
        observation: an observation made on the way, as a sentence for the operator; may be empty.
        reflection: a sure verdict on the last step; None for none.
        unanswered: there is none because a call failed at the endpoint or the host.
    """

    draft: PlanDraft | None
    call: int = 0
    observation: str = ""
    problem: str = ""
    unanswered: bool = False
    reflection: Reflection | None = None
