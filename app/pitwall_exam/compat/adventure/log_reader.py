"""Reads the published log of a text adventure."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from pitwall_exam.compat.adventure.episode import AdventureStep
from pitwall_exam.compat.json_lines import STRICT, StepRow, step_rows

_FIX = "A log without a map is read as a text adventure's; Crafter's needs its map_*.txt beside it, or --map."


class _Game(BaseModel):
    model_config = STRICT

    location: str | None = None
    inventory: list[str] | None = None
    valid_actions: list[str] | None = None


class _Agent(BaseModel):
    model_config = STRICT

    action: str
    reason: str | None = None


class _Feedback(BaseModel):
    model_config = STRICT

    text: str
    reward: float | None = None


class _Row(StepRow):
    game: _Game
    observation: str
    agent: _Agent
    env_feedback: _Feedback


def read_adventure(log: Path) -> tuple[AdventureStep, ...]:
    """Read the steps of a log, with accumulated rewards. Raises ExamError as `step_rows`."""
    steps: list[AdventureStep] = []
    total = 0.0
    for _, row in step_rows(log, _Row, _FIX):
        game, agent, feedback = row.game, row.agent, row.env_feedback
        total += feedback.reward or 0.0
        steps.append(
            AdventureStep(
                location=(game.location or "").strip(),
                inventory=tuple(item.strip() for item in game.inventory or ()),
                valid=tuple(game.valid_actions or ()),
                observation=row.observation.strip(),
                action=agent.action,
                reason=agent.reason or "",
                outcome=feedback.text.strip(),
                total=total,
            )
        )
    return tuple(steps)
