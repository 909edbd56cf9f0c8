"""The model planner: the strategic controller with a local model (SPEC §2, §8)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from pitwall.core.settings import Settings
from pitwall.engine.control.caller import Caller
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.control.thinking import LegalActions

if TYPE_CHECKING:
    from pitwall.memory.book import LayerBook


class ModelPlanner:
    """Plans with the strategic tier's model; a `Planner`.

    Every call but the one whose reply is the plan (`PlanReply.call`) is settled here; that one is left
    to whoever takes the plan up or drops it.

    Args:
        caller: asks models.
        book: the layers for the settings in force; asked at each request, so it may be another one.
        space: which actions are legal.
        fields: names of the state-reader fields, for stop conditions.
        modules: names of the game sense modules that a plan may start.
        settings: in force; read at each request.
        stand_in: answers where the model cannot or does not; None: then nobody does.
        instruction: the task as the operator gave it; empty: it is inferred.
    """

    name = "model"

    def __init__(
        self,
        *,
        caller: Caller,
        book: Callable[[], LayerBook],
        space: LegalActions,
        fields: Collection[str],
        modules: Collection[str],
        settings: Callable[[], Settings],
        stand_in: Planner | None,
        instruction: str = "",
    ) -> None:
        raise NotImplementedError

    def request(self, request: PlanRequest) -> None:
        """See `Planner.request`."""
        raise NotImplementedError

    def poll(self) -> PlanReply | None:
        """See `Planner.poll`."""
        raise NotImplementedError

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        raise NotImplementedError
