"""The agreement of two answerers over the abilities: accuracy and time (EMemBench, Tables 10 and 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from pitwall_exam.marking.scoring import Marks
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answers


class Agreement(BaseModel):
    """The agreement of two answerers, over one value for each ability.

    Attributes:
        of: accuracy (0 … 1) or seconds of a question. n: abilities that both answered.
        pearson: correlation. icc: intraclass correlation for absolute agreement of single ratings, two-way
            random effects, ICC(2,1) of Shrout and Fleiss (1979); the paper does not state its form.
        mae, rmse: mean absolute and root mean squared difference, in the values' unit.
        None with fewer than two abilities, or without any spread.
    """

    model_config = ConfigDict(frozen=True)

    of: Literal["accuracy", "seconds"]
    n: int
    pearson: float | None = None
    icc: float | None = None
    mae: float | None = None
    rmse: float | None = None


def agreements(
    exam: Exam, first: tuple[Marks, Answers], other: tuple[Marks, Answers]
) -> tuple[Agreement, ...]:
    """Compute the agreement in accuracy and in time over the abilities that both answered."""
    both = [
        ability
        for ability in Ability
        if all(marks.of(ability).accuracy is not None for marks, _ in (first, other))
    ]
    accuracies, seconds = (
        [[value(ability, marks, answers) for ability in both] for marks, answers in (first, other)]
        for value in (
            lambda ability, marks, _: marks.of(ability).accuracy,
            lambda ability, _, answers: _seconds(exam, ability, answers),
        )
    )
    return agreement("accuracy", *accuracies), agreement("seconds", *seconds)


def agreement(
    of: Literal["accuracy", "seconds"], first: Sequence[float], other: Sequence[float]
) -> Agreement:
    """Compute the agreement of paired values, n in each sequence."""
    values = np.asarray([first, other], np.float64)
    n = values.shape[1]
    if n < 2:
        return Agreement(of=of, n=n)
    gap = values[0] - values[1]
    has_spread = all(float(np.ptp(row)) > 0 for row in values)
    pearson = float(np.corrcoef(first, other)[0][1]) if has_spread else None
    return Agreement(
        of=of,
        n=n,
        pearson=pearson,
        icc=intraclass_correlation(values),
        mae=float(np.abs(gap).mean()),
        rmse=math.sqrt(float((gap**2).mean())),
    )


def intraclass_correlation(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float | None:
    """Return ICC(2,1) of values by rater and target; None without any spread."""
    k, n = values.shape
    mean = values.mean()
    between_targets = k * float(((values.mean(axis=0) - mean) ** 2).sum())
    between_raters = n * float(((values.mean(axis=1) - mean) ** 2).sum())
    rest = float(((values - mean) ** 2).sum()) - between_targets - between_raters
    msr, msc, mse = between_targets / (n - 1), between_raters / (k - 1), rest / ((n - 1) * (k - 1))
    below = msr + (k - 1) * mse + k * (msc - mse) / n
    return (msr - mse) / below if below > 0 else None


def _seconds(exam: Exam, ability: Ability, answers: Answers) -> float:
    ids = {question.id for question in exam.questions if question.ability is ability}
    return fmean([answer.seconds for answer in answers.answers if answer.id in ids] or [0.0])
