"""The protocol of answerers: they take a sheet's questions and yield one answer after another.

An answerer knows the sheet and what the agent itself recorded and remembered, nothing else: truths
(`questions.paper`) and true states (`evaluation`) are fenced off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from pitwall_exam.questions.sheet import Answer, AnswererKind, SheetQuestion

ShouldStop = Callable[[], bool]
"""Called between answers, and while a model writes: returns whether to stop now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswererInfo:
    """The description of an answerer; see `Answers` for the same fields."""

    kind: AnswererKind
    name: str
    uses: tuple[str, ...]
    model: str = ""
    model_hash: str = ""
    memory: str = ""

    @property
    def is_person(self) -> bool:
        """Return whether a person answers, who sees each question only once."""
        return self.kind in ("person-closed", "person-open")


@dataclass(slots=True)
class Tokens:
    """The tokens of all model calls so far."""

    prompt: int = 0
    output: int = 0


class Answerer(Protocol):
    """Answers questions about one run. A context manager (see `answering.opening`); some hold a host."""

    @property
    def about(self) -> AnswererInfo: ...

    @property
    def tokens(self) -> Tokens: ...

    def answer(self, questions: Sequence[SheetQuestion], stopped: ShouldStop) -> Iterator[Answer]:
        """Answer the questions in order; end early without an error if stopped.

        A question that could not be answered (a model failed, the time was up) gets an answer with a problem.
        """
        ...

    def passes_over(self, question: SheetQuestion) -> bool:
        """Return whether this answerer is not asked such a question: persons give no reasons."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """An answer that was just given. left_s: estimated seconds for the rest; None: unknown yet."""

    answer: Answer
    done: int
    of: int
    left_s: float | None


def questions_left(
    answerer: Answerer, questions: Sequence[SheetQuestion], *, answered: Collection[str] = ()
) -> list[SheetQuestion]:
    """List the questions that an answerer has yet to be asked."""
    return [
        question
        for question in questions
        if question.id not in answered and not answerer.passes_over(question)
    ]
