"""The results of a study by game, horizon and answerer: marks by ability and distance, and cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pitwall_exam.marking.scoring import Mark, interval, pooled
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answers
from pitwall_exam.study.plan import StudyPlan

DISTANCES = (10, 25, 50, 100)
"""Upper ends of the groups by distance, in steps; the last group is open."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """The answers of an answerer to an exam of a study."""

    game: str
    horizon: int
    answerer: str
    exam: Exam
    answers: Answers


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


class SittingResult(BaseModel):
    """An answerer's marks over all episodes of a game under one horizon.

    Attributes:
        name: the answerer's name in its sheets; uses: what it was given, from its last sheet.
        marks: overall, then by ability. distances: answerable questions, by distance of the evidence.
        seconds: a question, median. tokens: prompt and output tokens of a question; 0 without a model.
        problems: questions that got no answer.
    """

    model_config = ConfigDict(frozen=True)

    game: str
    horizon: int
    answerer: str
    name: str
    uses: tuple[str, ...]
    episodes: int
    marks: tuple[Mark, ...]
    distances: tuple[DistanceMark, ...]
    seconds: float
    tokens: float
    problems: int


class EmembenchResult(BaseModel):
    """A whole study.

    Attributes:
        runs: run of each episode, by its key. unplayed: episode → why it gave no exam.
    """

    model_config = ConfigDict(frozen=True)

    plan: StudyPlan
    state: Literal["done", "stopped"]
    runs: dict[str, int]
    unplayed: dict[str, str]
    sittings: tuple[SittingResult, ...]


def results_of(sittings: Sequence[Sitting]) -> tuple[SittingResult, ...]:
    """Mark the sittings of each game, horizon and answerer together, in their order."""
    groups: dict[tuple[str, int, str], list[Sitting]] = {}
    for sitting in sittings:
        groups.setdefault((sitting.game, sitting.horizon, sitting.answerer), []).append(sitting)
    return tuple(_result(group) for group in groups.values())


def _result(group: Sequence[Sitting]) -> SittingResult:
    first, last = group[0], group[-1]
    marks = pooled([(sitting.exam, sitting.answers) for sitting in group])
    answers = [answer for sitting in group for answer in sitting.answers.answers]
    tokens = sum(sitting.answers.prompt_tokens + sitting.answers.output_tokens for sitting in group)
    return SittingResult(
        game=first.game,
        horizon=first.horizon,
        answerer=first.answerer,
        name=first.answers.name,
        uses=last.answers.uses,
        episodes=len(group),
        marks=(marks.overall, *marks.abilities),
        distances=tuple(_distances(group, marks.scores)),
        seconds=median([answer.seconds for answer in answers] or [0.0]),
        tokens=tokens / max(1, len(answers)),
        problems=sum(1 for answer in answers if answer.problem),
    )


def _distances(group: Sequence[Sitting], scores: dict[str, float]) -> Iterable[DistanceMark]:
    """Group the answerable questions by how far their newest evidence lies back."""
    alone = len(group) == 1
    known = [
        (
            sitting.exam.last_step - max(question.evidence),
            scores[question.id if alone else f"{sitting.exam.exam_id}/{question.id}"],
        )
        for sitting in group
        for question in sitting.exam.questions
        if question.answerable and question.evidence
    ]
    low = 0
    for high in (*DISTANCES, None):
        values = [
            score for distance, score in known if distance >= low and (high is None or distance <= high)
        ]
        bounds = interval(values) if values else (None, None)
        yield DistanceMark(
            from_steps=low,
            to_steps=high,
            n=len(values),
            accuracy=fmean(values) if values else None,
            low=bounds[0],
            high=bounds[1],
        )
        low = high + 1 if high is not None else low
