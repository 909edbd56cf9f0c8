"""Marks of the answerers of one exam: each alone, and two compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pitwall_exam.marking.comparison import Difference, compare
from pitwall_exam.marking.scoring import Marks, marks
from pitwall_exam.questions.attempt import for_persons
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answer, Answers

Correctness = Literal["all", "right", "partly", "wrong", "unanswered"]


@dataclass(frozen=True, slots=True)
class AnswererMarks:
    """An answerer's answers and their marks.

    Attributes:
        key: key of the sheet within its exam. name: its name in tables, unique within the exam.
        answers: question id → answer.
        marks: over the answered questions.
        of: number of questions for this answerer; persons are not asked about reasons.
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
    asked = for_persons(exam) if sheet.answerer.startswith("person") else exam.questions
    return AnswererMarks(key, name or sheet.name, sheet, answers, marks(part, sheet), len(asked))


def correctness(score: float) -> Correctness:
    """Name the class of a score."""
    if not math.isfinite(score):
        return "unanswered"
    return "right" if score >= 1 else "partly" if score > 0 else "wrong"


def differences(exam: Exam, first: AnswererMarks, second: AnswererMarks) -> tuple[Difference, ...]:
    """Compare two answerers over the questions that both answered; the overall difference comes first."""
    common = tuple(
        question
        for question in exam.questions
        if question.id in first.answers and question.id in second.answers
    )
    if not common:
        return ()
    part = exam.model_copy(update={"questions": common})
    return compare(part, marks(part, first.sheet), marks(part, second.sheet))
