"""Defines how controllers ask a model: without waiting, and with every call recorded by somebody else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pitwall.core.actions import Invalid
from pitwall.core.calls import CallOutcome, CallTimes, CallTokens, Purpose
from pitwall.core.prompts import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """Holds the request for one completion.

    Attributes:
        grammar: GBNF for local models. schema: the same as JSON schema, for endpoints.
        image: send the newest frame with the prompt (it stands where a message says `image`).
        earlier: pictures of the messages before it that say so too, in turn.
        options: the only replies there are, to be chosen from by how likely each is; empty: it is written.
        left_out: what its prompt leaves out for the budget, in words.
    """

    purpose: Purpose
    step: int
    prompt: Prompt
    grammar: str = ""
    schema: str = ""
    image: bool = False
    earlier: tuple[bytes, ...] = ()
    options: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionReply:
    """Holds a model's reply to one request.

    Attributes:
        text: the reply; also a partial one (finish "length", "deadline").
        problem: why there is no usable text (the host died, the model cannot be loaded), a sentence
            for the operator; empty where there is.
    """

    call: int
    text: str
    finish: str = ""
    problem: str = ""
    tokens: CallTokens = field(default_factory=CallTokens)
    times: CallTimes = field(default_factory=CallTimes)


class SettleCall(Protocol):
    """Says what became of an answered call: it is then recorded. Every answered call is settled once.

    Args:
        step: the step that its reply decided; 0: the one it was asked for.
    """

    def __call__(
        self,
        call: int,
        outcome: CallOutcome,
        *,
        problem: str = "",
        invalid: Invalid | None = None,
        proposed: int = 0,
        illegal: int = 0,
        step: int = 0,
    ) -> None: ...


class ModelCaller(Protocol):
    """Asks models. No method waits."""

    def available(self, purpose: Purpose) -> bool:
        """Whether a model is chosen for the purpose's tier, and calls are left in the budget."""
        ...

    def sees(self, purpose: Purpose) -> bool: ...

    def chooses(self, purpose: Purpose) -> bool:
        """Whether its model is given options where there are some, and asked for no text beside them."""
        ...

    def no_text(self, purpose: Purpose) -> str:
        """Say why its model is asked for no free text; empty where it may be, or the purpose wants none."""
        ...

    def ask(self, ask: CompletionRequest) -> int:
        """Ask; returns the call's number within the run. Counts as one call at once."""
        ...

    def answer(self, call: int) -> CompletionReply | None:
        """The answer, once; None while there is none. Deadlines and a dead host come as `problem`."""
        ...

    @property
    def settle(self) -> SettleCall: ...

    def cancel(self, call: int) -> None:
        """Drop a call that is not answered yet: recorded as cancelled, never answered."""
        ...

    def count(self, purpose: Purpose, text: str) -> int:
        """Tokens of a text for the tier's model: exact where `counted`, else a careful estimate."""
        ...

    def room(self, purpose: Purpose) -> int:
        """Tokens that a prompt may take: the model's context less the longest reply and what the chat
        template adds. 0 where it is not known (an endpoint): the layers' caps alone hold."""
        ...

    def prompt_budget(self, purpose: Purpose) -> int:
        """Tokens that a prompt may have read afresh, by the model's measured speed and the time that reading
        may take; 0: as many as there are."""
        ...

    def counted(self, purpose: Purpose, texts: Iterable[str]) -> bool:
        """Whether every text's count is exact; asks for those that are not. True also where the
        tokeniser cannot be had (a fault, an endpoint): the estimate then stands."""
        ...
