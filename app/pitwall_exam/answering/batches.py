"""Asks a model several questions at once; a failed batch is asked again in halves."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from pitwall.core.errors import ChildDied, PitwallError, RequestFailed
from pitwall.models.replies.reply_object import BadReply, clean
from pitwall_exam.answering.answerer import AnswererInfo, ShouldStop, Tokens
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.model_calls import CUT, ModelCall, ModelCaller, prompts
from pitwall_exam.answering.replies import TOKENS_A_QUESTION, batch_shape, read_batch
from pitwall_exam.questions.sheet import Answer, SheetQuestion

MOST_TOKENS = 4096
_HOPELESS = frozenset({"ModelFailed", "WrongKind", "EndpointFault", "ModelWithoutVision", "BadGrammar"})
"""Errors of the host that fewer questions cannot avoid."""
_LONGEST_QUESTION = 2000
_LEAST_SHARE = 0.1


class BatchAnswerer(ABC):
    """An answerer that is a model with a context before the questions.

    Args:
        batch: most questions of one call.
        vectors: compares questions with memories; None: nothing is compared.
    """

    def __init__(self, asker: ModelCaller, *, batch: int, vectors: SentenceVectors | None = None) -> None:
        self._asker, self._vectors = asker, vectors
        self._batch = max(1, batch)
        self._open = ExitStack()

    @property
    @abstractmethod
    def about(self) -> AnswererInfo: ...

    @abstractmethod
    def context(self, questions: Sequence[SheetQuestion], share: float) -> ModelCall:
        """Return the system prompt and the text before the questions, for these questions.

        Args:
            share: the share of the context to include: 1, or less if the prompt was too long.
        """

    @property
    def tokens(self) -> Tokens:
        return self._asker.tokens

    def answer(self, questions: Sequence[SheetQuestion], stopped: ShouldStop) -> Iterator[Answer]:
        """Answer the questions (see `Answerer.answer`)."""
        for start in range(0, len(questions), self._batch):
            for answer in self._some(questions[start : start + self._batch], stopped):
                if answer is None:
                    return
                yield answer

    def passes_over(self, question: SheetQuestion) -> bool:  # noqa: ARG002
        """Return False: a model is asked everything."""
        return False

    def __enter__(self) -> Self:
        self._open.enter_context(self._asker)
        if self._vectors is not None:
            self._open.enter_context(self._vectors)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _some(
        self,
        questions: Sequence[SheetQuestion],
        stopped: ShouldStop,
        share: float = 1.0,
        spent_s: float = 0.0,
    ) -> Iterator[Answer | None]:
        """Yield one answer per question; None if stopped.

        Args:
            spent_s: seconds that failed calls for these questions took.
        """
        if stopped():
            yield None
            return
        began = time.monotonic() - spent_s
        try:
            answers_by_id = self._asked(questions, stopped, share)
        except (RequestFailed, BadReply) as error:
            yield from self._again(questions, stopped, share, time.monotonic() - began, error)
            return
        except (ChildDied, PitwallError) as error:
            yield from _failed(questions, time.monotonic() - began, error)
            return
        if answers_by_id is None:
            yield None
            return
        each_s = (time.monotonic() - began) / len(questions)
        for question in questions:
            answer = answers_by_id.get(question.id)
            if answer is None:
                answer = Answer(id=question.id, text="", problem="the model left this question out.")
            yield answer.model_copy(update={"seconds": each_s})

    def _again(
        self,
        questions: Sequence[SheetQuestion],
        stopped: ShouldStop,
        share: float,
        spent_s: float,
        error: PitwallError,
    ) -> Iterator[Answer | None]:
        """Ask an oversized batch in halves, and a single question with less of the context."""
        kind = error.error if isinstance(error, RequestFailed) else ""
        if kind not in _HOPELESS and len(questions) > 1:
            middle = len(questions) // 2
            for half in (questions[:middle], questions[middle:]):
                for answer in self._some(half, stopped, share, spent_s * len(half) / len(questions)):
                    yield answer
                    if answer is None:
                        return
        elif kind in ("PromptTooLong", CUT) and share > _LEAST_SHARE:
            yield from self._some(questions, stopped, share / 2, spent_s)
        else:
            yield from _failed(questions, spent_s, error)

    def _asked(
        self, questions: Sequence[SheetQuestion], stopped: ShouldStop, share: float
    ) -> dict[str, Answer] | None:
        context = self.context(questions, share)
        listed = "\n".join(
            f"{question.id}: {clean(question.text, _LONGEST_QUESTION)}" for question in questions
        )
        reply = self._asker.ask(
            ModelCall(
                system=context.system,
                user=f"{context.user}{prompts()['batch'].format(questions=listed)}",
                pictures=context.pictures,
                shape=batch_shape(questions),
                max_tokens=min(MOST_TOKENS, TOKENS_A_QUESTION * len(questions)),
            ),
            stopped,
        )
        return None if reply is None else read_batch(reply, questions)


def _failed(questions: Sequence[SheetQuestion], spent_s: float, error: PitwallError) -> Iterator[Answer]:
    for question in questions:
        yield Answer(id=question.id, text="", problem=error.what, seconds=spent_s / len(questions))
