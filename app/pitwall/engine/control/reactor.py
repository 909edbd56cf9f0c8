"""The contract of a reactive controller with a model: asked for one action, then polled (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pitwall.core.actions import Effect, Invalid, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.retrieval import Fragment
from pitwall.core.signals import Signals
from pitwall.engine.control.planner import PastStep, SlowController
from pitwall.engine.control.tabu import Bars


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactRequest:
    """Everything a reactive controller may know.

    Attributes:
        proposal: the plan in force; None under "reactive only".
        candidate: index of the candidate that is next in turn; without a plan, of the action in its place.
        last_effect: the effect of the last action; None where there was none.
        override: it may correct locally (another legal action); else only the proposal's candidates.
        hints: of the action bank, best first. fragments: of the knowledge graph, best first.
        bars: choices that are barred. doubt: something speaks against the plan's next action.
    """

    request_id: int
    step: int
    now_ns: int
    values: Mapping[str, Value]
    status: GameStatus
    signals: Signals
    proposal: Proposal | None
    candidate: int = 0
    last_effect: Effect | None = None
    history: tuple[PastStep, ...] = ()
    override: bool = True
    hints: tuple[str, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    bars: Bars = field(default_factory=dict)
    doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactReply:
    """Exactly one legal action, or an escalation.

    Attributes:
        action: None where it escalates. None without `escalate`: no usable answer (see `why`), and
            the rule-based controller grounds this step.
        call: number of the model call, 0 for none.
    """

    request_id: int
    action: SemanticAction | None
    escalate: bool = False
    why: str = ""
    invalid: Invalid | None = None
    call: int = 0


class Reactor(SlowController[ReactRequest, ReactReply], Protocol):
    """A reactive controller that takes time."""

    @property
    def available(self) -> bool:
        """Return whether it can be asked now (a model is chosen, calls are left)."""
        ...
