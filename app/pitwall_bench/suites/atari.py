"""The human-normalised score of a run in an Atari game."""

from __future__ import annotations

from pitwall.evaluation.published_scores import published
from pitwall_bench.suites.results import TaskRun

_NEARLY = 0.99
"""A task whose target is at least this share of the way to the human score continues up to that score."""


def human_normalised(run: TaskRun) -> float | None:
    """Return a run's human-normalised score.

    Returns:
        None if no score is published, nothing was played, or the task ends before the human's score.
    """
    scores = published(run.cell.game)
    if scores is None or not run.played or run.score is None or run.target is None:
        return None
    return scores.normalised(run.score) if scores.normalised(run.target) >= _NEARLY else None
