"""Rows of the questions table: each question with the answers of up to two answerers. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pitwall_exam.marking.comparison import AnswererMarks, Correctness, correctness
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import Answer

NAN = math.nan


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as the table shows it, with up to two answerers' answers.

    Attributes:
        at: its number in the exam's order, from 1. score: NaN if it is not answered.
    """

    at: int
    question: Question
    answer: Answer | None = None
    score: float = NAN
    other: Answer | None = None
    other_score: float = NAN

    @property
    def words(self) -> str:
        """Return the text that a search looks in, in lower case."""
        texts = [self.question.text, self.question.paraphrase, self.question.template, *self.question.truth]
        texts += [answer.text for answer in (self.answer, self.other) if answer is not None]
        return "\n".join(texts).casefold()


@dataclass(frozen=True, slots=True)
class QuestionSelection:
    """Selects the shown questions.

    Attributes:
        ability: None: all. answerable: None: both. words: all must occur, in any case.
        differs: only questions for which the two answerers' scores differ.
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
    """Return the exam's questions with the answers of up to two answerers."""
    rows = []
    for at, question in enumerate(exam.questions, 1):
        answer, score = _of(first, question.id)
        other, other_score = _of(second, question.id)
        rows.append(QuestionRow(at, question, answer, score, other, other_score))
    return rows


def selected_rows(rows: Sequence[QuestionRow], wanted: QuestionSelection) -> list[QuestionRow]:
    """Return the rows that a selection shows, in their order."""
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


def _of(side: AnswererMarks | None, question: str) -> tuple[Answer | None, float]:
    if side is None:
        return None, NAN
    return side.answers.get(question), side.marks.scores.get(question, NAN)


def _both_nan(row: QuestionRow) -> bool:
    return not (math.isfinite(row.score) or math.isfinite(row.other_score))
