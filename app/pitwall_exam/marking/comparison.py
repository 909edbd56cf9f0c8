"""Marks of the answerers of one exam, and comparisons of two of them, ability by ability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pitwall.core.errors import PitwallError
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_exam.marking.scoring import Marks, marks
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.attempt import asked_of
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answer, Answers

_FEWEST = 6


class Difference(BaseModel):
    """The comparison of two sheets' scores on the same questions.

    Attributes:
        ability: None: all questions. n: number of questions.
        a, b: mean scores, 0 … 1. difference: a − b; low, high: its 95 % interval, over the pairs.
        better_a, better_b: on how many questions either scored higher.
        None without questions.
    """

    model_config = ConfigDict(frozen=True)

    ability: Ability | None
    n: int
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    better_a: int = 0
    better_b: int = 0

    @property
    def differs(self) -> bool:
        """Return whether the interval excludes 0 and enough questions differ.

        An exact sign test of five questions that all favour one side has p = 0.06.
        """
        if self.low is None or self.high is None or self.better_a + self.better_b < _FEWEST:
            return False
        return self.low > 0 or self.high < 0


def compare(exam: Exam, a: Marks, b: Marks) -> tuple[Difference, ...]:
    """Compute the differences over all questions, then for each ability in order.

    Raises:
        PitwallError: the marks belong to other exams.
    """
    for side in (a, b):
        if set(side.scores) != {question.id for question in exam.questions}:
            raise PitwallError(
                f"{side.name!r} answered the exam {side.exam_id}, not {exam.exam_id}.",
                "Compare two answer sheets of one exam.",
            )
    wanted: list[Ability | None] = [None, *Ability]
    return tuple(_difference(exam, a, b, ability) for ability in wanted)


def _difference(exam: Exam, a: Marks, b: Marks, ability: Ability | None) -> Difference:
    ids = [question.id for question in exam.questions if ability is None or question.ability is ability]
    if not ids:
        return Difference(ability=ability, n=0)
    ours, theirs = (
        [a.scores[question_id] for question_id in ids],
        [b.scores[question_id] for question_id in ids],
    )
    paired = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    low, high = mean_interval(paired, within=(-1.0, 1.0))
    return Difference(
        ability=ability,
        n=len(ids),
        a=fmean(ours),
        b=fmean(theirs),
        difference=fmean(paired),
        low=low,
        high=high,
        better_a=sum(gap > 0 for gap in paired),
        better_b=sum(gap < 0 for gap in paired),
    )


Correctness = Literal["all", "right", "partly", "wrong", "unanswered"]


@dataclass(frozen=True, slots=True)
class AnswererMarks:
    """An answerer's answers and their marks.

    Attributes:
        key: key of the sheet within its exam. name: its name in tables, unique within the exam.
        answers: question id → answer.
        marks: over the answered questions.
        of: number of questions for this answerer: none about reasons for a person, ten of a short sitting.
    """

    key: str
    name: str
    sheet: Answers
    answers: Mapping[str, Answer]
    marks: Marks
    of: int

    @property
    def whole(self) -> bool:
        """Return whether every question is answered."""
        return len(self.answers) >= self.of

    @property
    def seconds(self) -> float:
        """Sum the seconds of all answers."""
        return sum(answer.seconds for answer in self.answers.values())


def marks_of(exam: Exam, sheet: Answers, key: str, name: str = "") -> AnswererMarks:
    """Mark an answer sheet; an unfinished sheet is marked over the questions answered so far."""
    answers = {answer.id: answer for answer in sheet.answers}
    answered = tuple(question for question in exam.questions if question.id in answers)
    part = exam if len(answered) == len(exam.questions) else exam.model_copy(update={"questions": answered})
    of = len(asked_of(exam, sheet))
    return AnswererMarks(key, name or sheet.name, sheet, answers, marks(part, sheet), of)


def answered_by_both(exam: Exam, first: Answers, other: Answers) -> Exam:
    """Return the exam with only the questions that both sheets answer."""
    common = {answer.id for answer in first.answers} & {answer.id for answer in other.answers}
    questions = tuple(question for question in exam.questions if question.id in common)
    return exam.model_copy(update={"questions": questions})


def correctness(score: float) -> Correctness:
    """Name the class of a score."""
    if not math.isfinite(score):
        return "unanswered"
    return "right" if score >= 1 else "partly" if score > 0 else "wrong"


def differences(exam: Exam, first: AnswererMarks, second: AnswererMarks) -> tuple[Difference, ...]:
    """Compare two answerers over the questions that both answered; the overall difference comes first."""
    part = answered_by_both(exam, first.sheet, second.sheet)
    if not part.questions:
        return ()
    return compare(part, marks(part, first.sheet), marks(part, second.sheet))
