"""Thinking without waiting: what the model controllers share.

A train of thought is a generator: it reads from top to bottom like the workflow it carries out, yields
at each model call, and goes on when the answer has come. `Thinking.poll` moves it; nothing ever waits.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Generic, Protocol, TypeAlias, TypeVar

from pitwall.core.actions import ActionForm
from pitwall.engine.control.caller import Answer, Caller
from pitwall.engine.control.legality import ActionSpace

T = TypeVar("T")

Thought: TypeAlias = Generator[int | None, Answer | None, T]
"""Yields the number of the call it waits for (and gets its answer), or None: go on at the next poll."""


class LegalActions(ActionSpace, Protocol):
    """What the role may do, with the forms that prompts and grammars need; `Vocabulary` is one."""

    @property
    def forms(self) -> tuple[ActionForm, ...]:
        """The legal actions with their arguments."""
        ...


class Thinking(Generic[T]):
    """One train of thought on its way."""

    def __init__(self, caller: Caller, thought: Thought[T]) -> None:
        self._caller = caller
        self._thought = thought
        self._call: int | None = None

    def poll(self) -> T | None:
        """Go on as far as answers have come. What it came to, once; None while it goes on."""
        while True:
            answer: Answer | None = None
            if self._call is not None:
                answer = self._caller.answer(self._call)
                if answer is None:
                    return None
                self._call = None
            try:
                self._call = self._thought.send(answer)
            except StopIteration as done:
                result: T = done.value
                return result
            if self._call is None:
                return None

    def drop(self) -> None:
        """Give it up: a call that is open is cancelled."""
        if self._call is not None:
            self._caller.cancel(self._call)
            self._call = None
        self._thought.close()
