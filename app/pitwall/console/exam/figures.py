"""Marks of one exam's answers: by question, by ability, and of two answerers against one another. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pitwall.console.exam.attempt import for_persons
from pitwall.exam.marking.comparison import Difference, compare
from pitwall.exam.marking.scoring import Marks, marks
from pitwall.exam.questions.abilities import Ability
from pitwall.exam.questions.paper import Exam, Question
from pitwall.exam.questions.sheet import Answer, Answers

NAN = math.nan
Correctness = Literal["all", "right", "partly", "wrong", "unanswered"]


@dataclass(frozen=True, slots=True)
class AnswererMarks:
    """One answerer's answers with their marks.

    Attributes:
        key: of the sheet within its exam. name: how tables call it, unlike any other's of the exam.
        answers: question id → answer.
        marks: over the questions that are answered; of a whole sheet over all of them.
        of: questions that it is asked: of persons nothing about reasons.
    """

    key: str
    name: str
    sheet: Answers
    answers: Mapping[str, Answer]
    marks: Marks
    of: int

    @property
    def whole(self) -> bool:
        """Whether every question is answered."""
        return len(self.answers) >= self.of

    @property
    def seconds(self) -> float:
        """All answers together."""
        return sum(answer.seconds for answer in self.answers.values())


def marks_of(exam: Exam, sheet: Answers, key: str, name: str = "") -> AnswererMarks:
    """An answerer's side: of a sitting that is not finished the marks are of what is answered so far."""
    answers = {one.id: one for one in sheet.answers}
    answered = tuple(one for one in exam.questions if one.id in answers)
    part = exam if len(answered) == len(exam.questions) else exam.model_copy(update={"questions": answered})
    asked = for_persons(exam) if sheet.answerer.startswith("person") else exam.questions
    return AnswererMarks(key, name or sheet.name, sheet, answers, marks(part, sheet), len(asked))


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as the table shows it, with up to two answerers' answers.

    Attributes:
        at: its number in the exam's order, from 1. score: NaN where it is not answered.
    """

    at: int
    question: Question
    answer: Answer | None = None
    score: float = NAN
    other: Answer | None = None
    other_score: float = NAN

    @property
    def words(self) -> str:
        """Everything of it that a search looks at, in lower case."""
        texts = [self.question.text, self.question.paraphrase, self.question.template, *self.question.truth]
        texts += [one.text for one in (self.answer, self.other) if one is not None]
        return "\n".join(texts).casefold()


@dataclass(frozen=True, slots=True)
class QuestionSelection:
    """Which questions are shown.

    Attributes:
        ability: None: of all. answerable: None: both. words: all must occur, in any case.
        differs: only where the two answerers' scores differ.
    """

    ability: Ability | None = None
    right: Correctness = "all"
    answerable: bool | None = None
    words: str = ""
    differs: bool = False


def rows_of(
    exam: Exam,
    first: AnswererMarks | None,
    second: AnswererMarks | None = None,
) -> list[QuestionRow]:
    """The exam's questions with the answers of up to two answerers."""
    rows = []
    for at, question in enumerate(exam.questions, 1):
        answer, score = _of(first, question.id)
        other, other_score = _of(second, question.id)
        rows.append(QuestionRow(at, question, answer, score, other, other_score))
    return rows


def selected_rows(rows: Sequence[QuestionRow], wanted: QuestionSelection) -> list[QuestionRow]:
    """Those that are to be shown, in their order."""
    words = wanted.words.casefold().split()
    tests: list[Callable[[QuestionRow], bool]] = []
    if wanted.ability is not None:
        tests.append(lambda row: row.question.ability is wanted.ability)
    if wanted.right != "all":
        tests.append(lambda row: correctness(row.score) == wanted.right)
    if wanted.answerable is not None:
        tests.append(lambda row: row.question.answerable is wanted.answerable)
    if wanted.differs:
        tests.append(lambda row: row.score != row.other_score and not _both_nan(row))
    if words:
        tests.append(lambda row: all(word in row.words for word in words))
    return [row for row in rows if all(test(row) for test in tests)]


def correctness(score: float) -> Correctness:
    """What a score counts as."""
    if not math.isfinite(score):
        return "unanswered"
    return "right" if score >= 1 else "partly" if score > 0 else "wrong"


def differences(exam: Exam, first: AnswererMarks, second: AnswererMarks) -> tuple[Difference, ...]:
    """Two answerers over the questions that both answered, all of them first; empty where there are none."""
    common = tuple(one for one in exam.questions if one.id in first.answers and one.id in second.answers)
    if not common:
        return ()
    part = exam.model_copy(update={"questions": common})
    return compare(part, marks(part, first.sheet), marks(part, second.sheet))


def _of(side: AnswererMarks | None, question: str) -> tuple[Answer | None, float]:
    if side is None:
        return None, NAN
    return side.answers.get(question), side.marks.scores.get(question, NAN)


def _both_nan(row: QuestionRow) -> bool:
    return not (math.isfinite(row.score) or math.isfinite(row.other_score))
