"""Defines an answerer: it takes a sheet's questions and gives answer after answer.

It knows the sheet, what the agent itself recorded and remembered, and nothing else: this room is fenced
from truths (`exam.paper`) and from true states (`evaluation`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from pitwall_exam.questions.sheet import Answer, AnswererKind, SheetQuestion

ShouldStop = Callable[[], bool]
"""Asked between (and, where a model writes, within) answers: whether to end now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswererInfo:
    """Describes an answerer; see `Answers` for the same fields."""

    kind: AnswererKind
    name: str
    uses: tuple[str, ...]
    model: str = ""
    memory: str = ""

    @property
    def is_person(self) -> bool:
        """Whether somebody sits here who saw each question once."""
        return self.kind in ("person-closed", "person-open")


@dataclass(slots=True)
class Tokens:
    """Sums the tokens of all model calls."""

    prompt: int = 0
    output: int = 0


class Answerer(Protocol):
    """Answers questions about one run. Opened by `answering.open`; a context manager, as some hold a host."""

    @property
    def about(self) -> AnswererInfo: ...

    @property
    def tokens(self) -> Tokens: ...

    def answer(self, questions: Sequence[SheetQuestion], stopped: ShouldStop) -> Iterator[Answer]:
        """Answer the questions in their order. Ends early, without a word, if it is stopped.

        A question that could not be answered (a model failed, the time was up) has an answer with a problem.
        """
        ...

    def passes_over(self, question: SheetQuestion) -> bool:
        """Whether such a question is not asked of this answerer at all: persons give no reasons."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """An answer that was just given. left_s: about so long for the rest; None: nobody knows yet."""

    answer: Answer
    done: int
    of: int
    left_s: float | None


def questions_left(
    answerer: Answerer, questions: Sequence[SheetQuestion], *, answered: Collection[str] = ()
) -> list[SheetQuestion]:
    """The questions that an answerer is still to be asked."""
    return [
        question
        for question in questions
        if question.id not in answered and not answerer.passes_over(question)
    ]
