"""Formats tasks and their results for a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pitwall.core.quantities import duration_text, share, tally
from pitwall.games.schema.profile import Game
from pitwall_bench.suites.results import TaskRun


def task_lines(game: Game) -> Iterator[str]:
    """Format a game's tasks."""
    profile = game.profile
    truth = profile.truth
    read = " (scores are read from the pixels, not verified)" if truth and not truth.verified else ""
    yield f"{game.game_id}: {profile.game.name}, {profile.game.genre}, level {profile.game.level}{read}"
    for task in profile.tasks:
        bounds = f"{task.steps} steps" + (f", {task.seconds:g} s" if task.seconds is not None else "")
        mark = f" [baseline: {task.baseline}]" if task.baseline else ""
        yield f"  {game.game_id}/{task.id}  ({bounds})  {task.instruction}{mark}"
    if not profile.tasks:
        yield "  none"


def result_lines(run: TaskRun, session: Path) -> Iterator[str]:
    """Describe a run's result in lines."""
    word = "success" if run.success else "no success" if run.played else "could not be played"
    yield f"{run.cell.game}/{run.cell.task} by {run.cell.agent}, seed {run.cell.seed}: {word}; {run.why}"
    if run.progress is not None:
        shown = "" if run.verified else " (read from the pixels, not verified)"
        score = "none" if run.score is None else f"{run.score:g}"
        yield (
            f"  progress {share(run.progress)}, score {score} of {run.target or 0:g} {run.unit}{shown}"
        ).rstrip()
        yield (
            f"  {run.steps} steps in {duration_text(run.seconds)}, opened in {run.unopened_s:.1f} s, "
            f"begun anew {run.resets} times, invalid {tally(run.invalid)} of {run.proposed}, "
            f"refused {tally(run.refusals)}"
        )
    if run.run_id is not None:
        yield f"  recorded; see: pitwall runs {run.run_id} --data {session}"
