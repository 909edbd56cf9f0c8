"""The results of a study by game, agent, horizon and answerer: marks by ability and distance, and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pitwall_exam.marking.distances import DistanceMark, by_distance
from pitwall_exam.marking.scoring import Mark, pooled
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answers
from pitwall_exam.study.plan import StudyPlan


@dataclass(frozen=True, slots=True)
class Sitting:
    """The answers of an answerer to an exam of a study."""

    game: str
    agent: str
    horizon: int
    answerer: str
    exam: Exam
    answers: Answers


class SittingResult(BaseModel):
    """An answerer's marks over all episodes of a game and an agent under one horizon.

    Attributes:
        name: the answerer's name in its sheets; uses: what it was given, from its last sheet.
        marks: overall, then by ability. distances: answerable questions, by distance of the evidence.
        seconds: a question, median. tokens: prompt and output tokens of a question; 0 without a model.
        problems: questions that got no answer.
    """

    model_config = ConfigDict(frozen=True)

    game: str
    agent: str
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
    """Mark the sittings of each game, agent, horizon and answerer together, in their order."""
    groups: dict[tuple[str, str, int, str], list[Sitting]] = {}
    for sitting in sittings:
        key = (sitting.game, sitting.agent, sitting.horizon, sitting.answerer)
        groups.setdefault(key, []).append(sitting)
    return tuple(_result(group) for group in groups.values())


def _result(group: Sequence[Sitting]) -> SittingResult:
    first, last = group[0], group[-1]
    marks = pooled([(sitting.exam, sitting.answers) for sitting in group])
    answers = [answer for sitting in group for answer in sitting.answers.answers]
    tokens = sum(sitting.answers.prompt_tokens + sitting.answers.output_tokens for sitting in group)
    return SittingResult(
        game=first.game,
        agent=first.agent,
        horizon=first.horizon,
        answerer=first.answerer,
        name=first.answers.name,
        uses=last.answers.uses,
        episodes=len(group),
        marks=(marks.overall, *marks.abilities),
        distances=by_distance([(sitting.exam, _scores(sitting, marks.scores)) for sitting in group]),
        seconds=median([answer.seconds for answer in answers] or [0.0]),
        tokens=tokens / max(1, len(answers)),
        problems=sum(1 for answer in answers if answer.problem),
    )


def _scores(sitting: Sitting, pooled_scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of one exam out of pooled marks, by the ids of its questions."""
    ids = {question.id: f"{sitting.exam.exam_id}/{question.id}" for question in sitting.exam.questions}
    return {key: pooled_scores[key if key in pooled_scores else long] for key, long in ids.items()}
