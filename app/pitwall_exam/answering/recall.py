"""Structured recall as an answerer: by rules alone, or with a model that plans queries for free wordings."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from pitwall.core.errors import PitwallError
from pitwall_exam.answering.answerer import AnswererInfo, ShouldStop, Tokens
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.model_calls import ModelCaller
from pitwall_exam.answering.query_planning import PlannedQuery, plan_query
from pitwall_exam.answering.run_record import RunRecord, horizon_of
from pitwall_exam.questions.sheet import Answer, Sheet, SheetQuestion
from pitwall_exam.reading.recall import Recall


class RecallAnswerer:
    """Reads each question back into a query, and runs it over the agent's own record.

    Args:
        recorded: the run as its agent knows it.
        vectors: compares free wordings.
        asker: a model that reads free wordings; None: rules do.
    """

    def __init__(
        self, sheet: Sheet, recorded: RunRecord, vectors: SentenceVectors, *, asker: ModelCaller | None = None
    ) -> None:
        last = horizon_of(sheet, recorded)
        self._recall = Recall(
            recorded.records,
            last_step=last,
            words=recorded.words,
            vectors=vectors if vectors.understands else None,
        )
        self._published = recorded.published
        self._vectors = vectors
        self._asker = asker
        self._open = ExitStack()
        model = asker.name if asker is not None else ""
        planner = (
            f"the model {model}, which reads free wordings" if model else "rules that read free wordings"
        )
        shared = ("the published rules, by which the questions were made too",) if recorded.published else ()
        compared = f"sentence vectors ({vectors.name})" if vectors.understands else "words alone"
        self.about = AnswererInfo(
            kind="recall",
            name=f"recall · {model}" if model else "recall",
            model=model,
            model_hash=asker.identity if asker is not None else "",
            uses=(
                f"the run log: what the agent read off the screen, did and why, in steps 1 to {last}",
                *shared,
                planner,
                f"wordings compared by {compared}",
            ),
        )

    @property
    def tokens(self) -> Tokens:
        return self._asker.tokens if self._asker is not None else Tokens()

    def answer(self, questions: Sequence[SheetQuestion], stopped: ShouldStop) -> Iterator[Answer]:
        """Answer as `Answerer` says."""
        for question in questions:
            if stopped():
                return
            began = time.monotonic()
            answer = self._answer(question, stopped)
            if answer is not None:
                yield answer.model_copy(update={"seconds": time.monotonic() - began})

    def passes_over(self, question: SheetQuestion) -> bool:  # noqa: ARG002
        """Return False: the record contains the agent's reasons."""
        return False

    def __enter__(self) -> Self:
        self._open.enter_context(self._vectors)
        if self._asker is not None:
            self._open.enter_context(self._asker)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _answer(self, question: SheetQuestion, stopped: ShouldStop) -> Answer | None:
        if self._published is not None:
            published = self._published.answer(question.text, question_id=question.id)
            if published is not None:
                return published
        readings = self._recall.readings(question.text)
        if self._asker is None or (readings and readings[0].declared):
            return self._recall.best(readings, question_id=question.id)
        try:
            plan = plan_query(self._asker, question.text, readings, self._recall.vocabulary, stopped)
        except PitwallError as error:
            plan = PlannedQuery(problem=error.what)
        if plan is None:
            return None
        if plan.reading is not None:
            by = f"; read by the model {self._asker.name}"
            return self._recall.look_up(plan.reading, question_id=question.id, doubt=by)
        answer = self._recall.best(readings, question_id=question.id)
        why = f"; read by rules, as the model's plan could not be used: {plan.problem}"
        return answer.model_copy(update={"explanation": f"{answer.explanation}{why}"})
