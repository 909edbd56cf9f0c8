"""Scores answers and sums them up: SPEC §7, after appendix A.5 of the exam's paper."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from pitwall.core.confidence_intervals import wilson
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_exam.marking.similarity import likeness, list_likeness
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.normalisation import (
    as_float,
    as_integer,
    digits_after_point,
    is_exact,
    normal,
    parts,
)
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answers

_RELATIVE = 0.01

Scored = tuple[Question, str, float]
"""A question, the answer's text, and its score."""


class Mark(BaseModel):
    """The score over one ability's questions, or over all questions.

    Attributes:
        ability: None: all questions.
        accuracy: mean score, 0 … 1; low, high: its 95 % interval (see `interval`). None without questions.
        f1: harmonic mean of precision (over the answered questions) and recall (over the answerable ones),
            with "not answerable" as the negative class; None if no question is answerable.
    """

    model_config = ConfigDict(frozen=True)

    ability: Ability | None
    n: int
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    f1: float | None = None


class Marks(BaseModel):
    """An answer sheet's marks.

    Attributes:
        overall: over all questions; abilities: all seven in order, even those without questions.
        scores: score of each question, 0 … 1, in the exam's order. unanswered: questions without any answer
            text.
    """

    model_config = ConfigDict(frozen=True)

    exam_id: str
    name: str
    overall: Mark
    abilities: tuple[Mark, ...]
    scores: dict[str, float]
    unanswered: int = 0

    def of(self, ability: Ability) -> Mark:
        """Return the mark of one ability."""
        return next(mark for mark in self.abilities if mark.ability is ability)


def score(question: Question, answer_text: str) -> float:
    """Score an answer, 0 … 1, by its likeness to the nearest truth.

    Any text can be scored; none, and a blank one, is 0.
    """
    if not question.answerable:
        return 1.0 if is_refusal(answer_text) else _as_text(NOT_ANSWERABLE, answer_text)
    return max(_against(truth, question, answer_text) for truth in question.truth)


def is_refusal(answer_text: str) -> bool:
    """Return whether an answer says that the question is not answerable."""
    return normal(answer_text).rstrip(".! ") == NOT_ANSWERABLE


def marks(exam: Exam, answers: Answers) -> Marks:
    """Mark an answer sheet; a question that it leaves out or fails to answer counts as wrong."""
    return pooled([(exam, answers)])


def pooled(sheets: Sequence[tuple[Exam, Answers]]) -> Marks:
    """Mark several sheets of one answerer together; each question counts once.

    Args:
        sheets: at least one, each with its exam. For several, question ids become "EXAM/QUESTION".
    """
    scored = [scored_question for exam, answers in sheets for scored_question in _scored(exam, answers)]
    alone = len(sheets) == 1
    names = [
        question.id if alone else f"{exam.exam_id}/{question.id}"
        for exam, _ in sheets
        for question in exam.questions
    ]
    return Marks(
        exam_id="+".join(exam.exam_id for exam, _ in sheets),
        name=sheets[0][1].name,
        overall=_mark(None, scored),
        abilities=tuple(
            _mark(
                ability,
                [scored_question for scored_question in scored if scored_question[0].ability is ability],
            )
            for ability in Ability
        ),
        scores={name: value for name, (_, _, value) in zip(names, scored, strict=True)},
        unanswered=sum(not text.strip() for _, text, _ in scored),
    )


def _scored(exam: Exam, answers: Answers) -> list[Scored]:
    given = {answer.id: answer.text for answer in answers.answers}
    return [
        (question, given.get(question.id, ""), score(question, given.get(question.id, "")))
        for question in exam.questions
    ]


def _mark(ability: Ability | None, scored: Sequence[Scored]) -> Mark:
    if not scored:
        return Mark(ability=ability, n=0)
    values = [value for _, _, value in scored]
    low, high = interval(values)
    return Mark(ability=ability, n=len(values), accuracy=fmean(values), low=low, high=high, f1=_f1(scored))


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """Compute the 95 % interval of a mean score: Wilson's if every score is 0 or 1, else `mean_interval`.

    Args:
        scores: at least one.
    """
    if all(score in (0.0, 1.0) for score in scores):
        return wilson(sum(score == 1.0 for score in scores), len(scores))
    return mean_interval(scores, within=(0.0, 1.0))


def _f1(scored: Sequence[Scored]) -> float | None:
    """Compute F1 with "not answerable" as the negative class (A.5); a wrong answer lowers both parts."""
    positive = [value for question, _, value in scored if question.answerable]
    if not positive:
        return None
    claimed = [
        value if question.answerable else 0.0 for question, text, value in scored if not is_refusal(text)
    ]
    recall = fmean(positive)
    precision = fmean(claimed) if claimed else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _against(truth: str, question: Question, answer_text: str) -> float:
    match question.kind:
        case "integer":
            given = as_integer(answer_text)
            return float(given is not None and given == as_integer(truth))
        case "float":
            return float(_same_number(truth, answer_text))
        case "yes-no":
            return float(normal(answer_text).rstrip(".!") == normal(truth))
        case "list":
            as_list = list_likeness(truth, answer_text)
            numbers = all(as_integer(part) is not None for part in parts(truth))
            return as_list if numbers else max(_as_text(truth, answer_text), as_list)
    return _as_text(truth, answer_text)


def _same_number(truth: str, answer_text: str) -> bool:
    """Compare numbers rounded as the truth is (at least two digits), or within 1 %, also as per cents.

    A hundredth smaller than the last of these digits does not count as equal by rounding: 0 is not 0.4.
    """
    wanted, given = as_float(truth), as_float(answer_text)
    if wanted is None or given is None:
        return False
    digits = max(2, min(digits_after_point(truth), digits_after_point(answer_text)))
    if round(wanted, digits) == round(given, digits):
        return True
    return any(
        isclose(meant, given, rel_tol=_RELATIVE)
        or (abs(meant) >= 10.0**-digits and round(meant, digits) == round(given, digits))
        for meant in (wanted / 100, wanted, wanted * 100)
    )


def _as_text(truth: str, answer_text: str) -> float:
    wanted, given = normal(truth), normal(answer_text)
    if not given:
        return 0.0
    return float(wanted == given) if is_exact(wanted) else likeness(wanted, given)
