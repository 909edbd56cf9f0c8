"""How controllers ask a model: without waiting, and with every call recorded elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pitwall.core.actions import Invalid
from pitwall.core.calls import CallOutcome, CallTimes, CallTokens, Purpose
from pitwall.core.prompts import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A request for one completion.

    Attributes:
        grammar: GBNF for local models. schema: the same as JSON schema, for endpoints.
        tools: functions that the model may call, as a JSON list; empty for none. must_call: it must call one.
        image: send the newest frame with the prompt (where a message has `image` set).
        before: send the frame that the last step was decided on, for the message before.
        earlier: pictures for the earlier messages that have `image` set, in order.
        options: the only possible replies, of which the model scores the likeliest; empty: it writes.
        left_out: descriptions of the parts that the prompt leaves out for the budget.
    """

    purpose: Purpose
    step: int
    prompt: Prompt
    grammar: str = ""
    schema: str = ""
    tools: str = ""
    must_call: bool = False
    image: bool = False
    before: bool = False
    earlier: tuple[bytes, ...] = ()
    options: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionReply:
    """A model's reply to one request.

    Attributes:
        text: the reply; also a partial reply (finish "length", "deadline").
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
    """Reports the outcome of an answered call, which is then recorded. Every answered call is settled once.

    Args:
        step: the step that its reply decided; 0: the step it was asked for.
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
        """Return whether a model is chosen for the purpose's tier, and calls are left in the budget."""
        ...

    def sees(self, purpose: Purpose) -> bool: ...

    def picture_size(self, *, before: bool = False) -> tuple[int, int]:
        """Return width and height of the picture as it would be sent, in px; (0, 0) where there is none.

        Args:
            before: of the frame that the last step was decided on.
        """
        ...

    def picture_tokens(self, purpose: Purpose) -> int:
        """Return the tokens that a picture takes; 0 where the model does not see."""
        ...

    def chooses(self, purpose: Purpose) -> bool:
        """Return whether the model chooses among options where there are some, instead of writing text."""
        ...

    def no_text(self, purpose: Purpose) -> str:
        """Return why the model may not write free text for this purpose; empty where it may or need not."""
        ...

    def ask(self, ask: CompletionRequest) -> int:
        """Ask, and return the call's number within the run. It counts as one call at once."""
        ...

    def answer(self, call: int) -> CompletionReply | None:
        """Return the answer, once; None until it has come. Deadlines and a dead host come as `problem`."""
        ...

    @property
    def settle(self) -> SettleCall: ...

    def cancel(self, call: int) -> None:
        """Drop a call that is not answered yet: recorded as cancelled, never answered."""
        ...

    def count(self, purpose: Purpose, text: str) -> int:
        """Return a text's tokens for the tier's model: exact where `counted`, else a careful estimate."""
        ...

    def room(self, purpose: Purpose) -> int:
        """Return the tokens that a prompt may take; 0 where unknown: only the layers' caps hold.

        It is the model's context less the longest reply and the tokens of the chat template.
        """
        ...

    def prompt_budget(self, purpose: Purpose) -> int:
        """Return the tokens that may be read without the cache, by the measured speed; 0: any number.

        A picture's tokens are among them.
        """
        ...

    def counted(self, purpose: Purpose, texts: Iterable[str]) -> bool:
        """Return whether every text's count is exact; ask for the missing counts.

        Also true where no tokeniser can be had (a fault, an endpoint): the estimate is then used.
        """
        ...
