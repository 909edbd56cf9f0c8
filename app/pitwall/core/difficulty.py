"""How hard a task is, and what it may therefore cost (SPEC §2)."""

from __future__ import annotations

from typing import Literal

Difficulty = Literal["easy", "medium", "hard"]

CALL_BUDGET: dict[Difficulty, int] = {"easy": 120, "medium": 200, "hard": 600}
"""Model calls of the source's tasks: four a step of STEP_CAP."""
STEP_CAP: dict[Difficulty, int] = {"easy": 30, "medium": 50, "hard": 150}
"""Steps of the source's tasks."""
