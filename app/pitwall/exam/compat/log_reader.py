"""Reads a published log and its map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwall.core.errors import ExamError
from pitwall.exam.compat.episode import Episode, LoggedStep, Tile
from pitwall.exam.compat.json_lines import lines_of, objects_of, unlike
from pitwall.exam.compat.routes import Grid

_STRICT = ConfigDict(strict=True, frozen=True)
_LOG_FIX = "A published log holds one JSON object a step, as its run wrote it."


class _Info(BaseModel):
    model_config = _STRICT

    inventory: dict[str, int]
    achievements: dict[str, int]
    player_pos: list[int]


class _Row(BaseModel):
    """Reads the part of a row that the rules need; the map itself has a file of its own."""

    model_config = _STRICT

    episode: int = 0
    step: int
    action_name: str
    reason: str | None = ""
    info: _Info


def read_episode(log: Path, ground: Path) -> Episode:
    """An episode from its log and its map.

    Raises:
        ExamError: one of them is missing, empty, damaged, foreign or cut off, steps are out of order, or the
            player leaves the map; names file and line.
    """
    grid = read_map(ground)
    width, height = len(grid[0]), len(grid)
    steps: list[LoggedStep] = []
    episode = 0
    for number, found in objects_of(log):
        row = _row(log, number, found)
        if steps and row.episode != episode:
            raise ExamError(
                f"{log}:{number}: episode {row.episode} begins after episode {episode}.",
                "Give one episode's lines: questions are about one.",
            )
        if row.step != len(steps) + 1:
            came = f"after step {len(steps)}" if steps else "first"
            raise ExamError(
                f"{log}:{number}: step {row.step} comes {came}; expected step {len(steps) + 1}.",
                "Give the log in order, without gaps, from step 1 on.",
            )
        x, y = at = _tile(log, number, row)
        if not (0 <= x < width and 0 <= y < height):
            raise ExamError(
                f"{log}:{number}: the player is at ({x}, {y}), outside the map of {width} × {height} tiles.",
                f"Give this log's own map in place of {ground}.",
            )
        episode = row.episode
        info = row.info
        steps.append(LoggedStep(row.action_name, at, info.inventory, info.achievements, row.reason or ""))
    if not steps:
        raise ExamError(f"{log} is empty.", _LOG_FIX)
    return Episode(tuple(steps), grid)


def read_map(file: Path) -> Grid:
    """A map: one digit a tile, one line a row from the top.

    Raises:
        ExamError: it is missing or empty, or a line is no row of digits as long as the others.
    """
    rows: list[tuple[int, ...]] = []
    for number, text in lines_of(file):
        if not text.strip():
            continue
        if not (text.isascii() and text.isdigit()):
            strange = next(sign for sign in text if sign not in "0123456789")
            raise ExamError(
                f"{file}:{number}: {strange!r} is no tile.", "A map holds one digit a tile, one line a row."
            )
        if rows and len(text) != len(rows[0]):
            raise ExamError(f"{file}:{number}: the row has {len(text)} tiles; expected {len(rows[0])}.")
        rows.append(tuple(map(int, text)))
    if not rows:
        raise ExamError(f"{file} is empty.", "A map holds one digit a tile, one line a row.")
    return tuple(rows)


def _row(file: Path, number: int, found: dict[str, Any]) -> _Row:
    try:
        return _Row.model_validate(found)
    except ValidationError as error:
        raise ExamError(f"{file}:{number}: the step {unlike(error)}.", _LOG_FIX) from error


def _tile(file: Path, number: int, row: _Row) -> Tile:
    place = row.info.player_pos
    if len(place) != 2:
        raise ExamError(f"{file}:{number}: 'info.player_pos' holds {len(place)} numbers; expected x and y.")
    return place[0], place[1]
