"""Defines a reactive controller with a model: asked for one action without waiting, and polled (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pitwall.core.actions import Effect, Invalid, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Signals
from pitwall.engine.control.planner import PastStep
from pitwall.engine.control.slow_controller import SlowController
from pitwall.engine.control.tabu import Bars


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactRequest:
    """Holds everything a reactive controller may know.

    Attributes:
        proposal: the plan in force; None under "reactive only".
        candidate: position of the candidate that is next in turn; without a plan, of what stands instead.
        last_effect: what became of the last action, None where there was none.
        override: it may correct locally (another legal action); else only the proposal's candidates.
        hints: what memory has to say, best first.
        bars: what cannot be chosen.
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
    bars: Bars = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactReply:
    """Exactly one legal action, or an escalation.

    Attributes:
        action: None together with `escalate`; None without it: no usable answer, `why` says why, and
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
        """Whether it can be asked now (a model is chosen, calls are left)."""
        ...
