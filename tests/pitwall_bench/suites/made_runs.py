"""Runs as a suite keeps them, made by hand."""

from __future__ import annotations

from typing import Any

from pitwall_bench.suites.results import Cell, EndReason, TaskRun


def run(
    agent: str = "skills",
    *,
    game: str = "flappy",
    task: str = "first_pipe",
    seed: int = 1,
    wave: int = 0,
    progress: float = 0.0,
    ended: EndReason = "steps",
    **more: Any,
) -> TaskRun:
    """A run that was played; a success where its progress is 1."""
    cell = Cell(game=game, task=task, agent=agent, seed=seed, wave=wave)
    played: dict[str, Any] = {"success": progress >= 1.0, "progress": progress, "steps": 10, "seconds": 5.0}
    unplayed = {"why": "it was not to be"}
    message = played if ended in ("target", "terminal", "end_field", "steps", "time") else unplayed
    return TaskRun.model_validate(
        {"cell": cell, "genre": "runner", "level": 1, "ended": ended, **message, **more}
    )
