"""Compares two answer sheets of one exam, ability by ability, on the questions that both were asked."""

from __future__ import annotations

from statistics import fmean

from pydantic import BaseModel, ConfigDict

from pitwall.core.confidence_intervals import bootstrap_mean
from pitwall.core.errors import PitwallError
from pitwall_exam.marking.scoring import Marks
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.paper import Exam

_FEWEST = 6


class Difference(BaseModel):
    """The comparison of two sheets' scores on the same questions.

    Attributes:
        ability: None: all questions. n: number of questions.
        a, b: mean scores, 0 … 1. difference: a − b; low, high: its 95 % interval, a bootstrap over the pairs.
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
    for marks in (a, b):
        if set(marks.scores) != {question.id for question in exam.questions}:
            raise PitwallError(
                f"{marks.name!r} answered the exam {marks.exam_id}, not {exam.exam_id}.",
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
    low, high = bootstrap_mean(paired)
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
