"""Reads a published log of Crafter, and its map."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from pitwall.core.errors import ExamError
from pitwall_exam.compat.episode import Episode, LoggedStep, Tile
from pitwall_exam.compat.json_lines import STRICT, StepRow, lines_of, step_rows
from pitwall_exam.compat.routes import Grid

_FIX = "A published log holds one JSON object a step, as its run wrote it."


class _Info(BaseModel):
    model_config = STRICT

    inventory: dict[str, int]
    achievements: dict[str, int]
    player_pos: list[int]


class _Row(StepRow):
    """The part of a row that the rules need; the map has its own file."""

    action_name: str
    reason: str | None = ""
    info: _Info


def read_episode(log: Path, ground: Path) -> Episode:
    """Read an episode from its log and its map.

    Raises:
        ExamError: as `step_rows`; or the map is invalid, or the player leaves it.
    """
    grid = read_map(ground)
    width, height = len(grid[0]), len(grid)
    steps: list[LoggedStep] = []
    for number, row in step_rows(log, _Row, _FIX):
        x, y = at = _tile(log, number, row)
        if not (0 <= x < width and 0 <= y < height):
            raise ExamError(
                f"{log}:{number}: the player is at ({x}, {y}), outside the map of {width} × {height} tiles.",
                f"Give this log's own map in place of {ground}.",
            )
        info = row.info
        steps.append(LoggedStep(row.action_name, at, info.inventory, info.achievements, row.reason or ""))
    return Episode(tuple(steps), grid)


def read_map(file: Path) -> Grid:
    """Read a map: one digit per tile, one line per row from the top.

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


def _tile(file: Path, number: int, row: _Row) -> Tile:
    place = row.info.player_pos
    if len(place) != 2:
        raise ExamError(f"{file}:{number}: 'info.player_pos' holds {len(place)} numbers; expected x and y.")
    return place[0], place[1]
