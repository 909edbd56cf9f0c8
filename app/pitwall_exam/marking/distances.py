"""Marks by distance: how far the newest evidence of a question lies before the last step asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from pitwall_exam.marking.scoring import interval
from pitwall_exam.questions.paper import Exam

DISTANCES = (10, 25, 50, 100)
"""Upper ends of the groups by distance, in steps; the last group is open."""


class DistanceMark(BaseModel):
    """The mean score of questions whose newest evidence lies this far before the last step asked about.

    Attributes:
        from_steps, to_steps: the distance, inclusive; to_steps None: open.
        accuracy, low, high: with its 95 % interval; None without questions.
    """

    model_config = ConfigDict(frozen=True)

    from_steps: int
    to_steps: int | None
    n: int
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def span(self) -> str:
        """Return the distance in words, without its unit."""
        return (
            f"over {self.from_steps - 1}"
            if self.to_steps is None
            else f"{self.from_steps} to {self.to_steps}"
        )


def by_distance(exams: Sequence[tuple[Exam, Mapping[str, float]]]) -> tuple[DistanceMark, ...]:
    """Group the answerable questions of exams by the distance of their newest evidence.

    Args:
        exams: each with the scores of its questions by their ids; a question without a score is left out.
    """
    known = [
        (exam.last_step - max(question.evidence), scores[question.id])
        for exam, scores in exams
        for question in exam.questions
        if question.answerable and question.evidence and question.id in scores
    ]
    groups, low = [], 0
    for high in (*DISTANCES, None):
        values = [
            score for distance, score in known if low <= distance and (high is None or distance <= high)
        ]
        bounds = interval(values) if values else (None, None)
        groups.append(
            DistanceMark(
                from_steps=low,
                to_steps=high,
                n=len(values),
                accuracy=fmean(values) if values else None,
                low=bounds[0],
                high=bounds[1],
            )
        )
        low = high + 1 if high is not None else low
    return tuple(groups)
