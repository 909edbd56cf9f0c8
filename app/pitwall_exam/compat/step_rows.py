"""Reads the rows of a published log, one per step, in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwall.core.errors import ExamError
from pitwall_exam.compat.json_lines import objects_of, unlike

STRICT = ConfigDict(strict=True, frozen=True)


class StepRow(BaseModel):
    """The fields that the rows of every log have."""

    model_config = STRICT

    episode: int = 0
    step: int


R = TypeVar("R", bound=StepRow)


def step_rows(log: Path, kind: type[R], fix: str) -> Iterator[tuple[int, R]]:
    """Yield the line number and row of each step; a closing line about how the game ended is skipped.

    Args:
        fix: what the operator can do about a line that is no such row.

    Raises:
        ExamError: the log is missing, empty, damaged, foreign or cut off, or steps are out of order; names
            file and line.
    """
    episode, last = 0, 0
    for number, fields in objects_of(log):
        if fields.get("final") is True and "step" not in fields:
            continue
        try:
            row = kind.model_validate(fields)
        except ValidationError as error:
            raise ExamError(f"{log}:{number}: the step {unlike(error)}.", fix) from error
        if last and row.episode != episode:
            raise ExamError(
                f"{log}:{number}: episode {row.episode} begins after episode {episode}.",
                "Give one episode's lines: questions are about one.",
            )
        if row.step != last + 1:
            came = f"after step {last}" if last else "first"
            raise ExamError(
                f"{log}:{number}: step {row.step} comes {came}; expected step {last + 1}.",
                "Give the log in order, without gaps, from step 1 on.",
            )
        episode, last = row.episode, row.step
        yield number, row
    if not last:
        raise ExamError(f"{log} is empty.", fix)
