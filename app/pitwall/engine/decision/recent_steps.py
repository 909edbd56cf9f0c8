"""The recent window: the last actions and what became of them (global memory's short part, SPEC §3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from pitwall.core.actions import NO_OP, SemanticAction
from pitwall.core.observations import Value
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.planner import PastStep

RECENT = 5
"""Steps that the controllers are told of (SPEC §2)."""
_MOST = 50


class RecentSteps:
    """Newest last.

    Attributes:
        limit: how many of them a controller is told.
    """

    def __init__(self) -> None:
        self.limit = RECENT
        self._steps: deque[PastStep] = deque(maxlen=_MOST)

    @property
    def steps(self) -> tuple[PastStep, ...]:
        return tuple(self._steps)[-self.limit :] if self.limit else ()

    @property
    def actions(self) -> tuple[SemanticAction, ...]:
        return tuple(step.action for step in self._steps)[-RECENT:]

    def add(self, outcome: Outcome, changed: Mapping[str, tuple[Value, Value]]) -> None:
        """Note a step; one in which nobody acted is no news."""
        if outcome.action == NO_OP:
            return
        problem = f"invalid ({outcome.invalid.value})" if outcome.invalid is not None else ""
        if outcome.refusals and not problem:
            problem = f"refused ({', '.join(sorted({refusal.value for refusal in outcome.refusals}))})"
        self._steps.append(
            PastStep(
                step=outcome.step,
                action=outcome.action,
                effect=outcome.effect,
                progressed=outcome.progressed,
                changed=dict(changed),
                problem=problem,
            )
        )

    def clear(self) -> None:
        self._steps.clear()
