"""Episodes and maps made by hand, small enough that every answer can be worked out on paper."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pitwall_exam.compat.answers import asked
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.episode import Episode, LoggedStep, Span, Tile
from pitwall_exam.compat.routes import Grid
from pitwall_exam.compat.template import PublishedQuestion, Truth
from pitwall_exam.compat.world import MOVES, World

SIDE = 64
STATS = {"health": 9, "food": 9, "drink": 9, "energy": 9}
ITEMS = ("sapling", "wood", "stone", "coal", "iron", "diamond", "wood_pickaxe", "stone_pickaxe")


def ground(patches: Mapping[Tile, int] | None = None, *, fill: int = 1) -> Grid:
    """A map of grass, or of something else, with single tiles of other digits."""
    there = patches or {}
    return tuple(tuple(there.get((x, y), fill) for x in range(SIDE)) for y in range(SIDE))


class Play:
    """An episode, step by step, from the spawn at (32, 32)."""

    def __init__(self, at: Tile = (32, 32)) -> None:
        self.at = at
        self.inventory = {**STATS, **dict.fromkeys(ITEMS, 0)}
        self.achievements: dict[str, int] = {}
        self.steps: list[LoggedStep] = []

    def go(
        self, action: str, *, blocked: bool = False, earn: str = "", reason: str = "", **inventory: int
    ) -> Play:
        """One step: a move goes one tile unless it is blocked; named amounts hold from then on."""
        if action in MOVES and not blocked:
            self.at = (self.at[0] + MOVES[action][0], self.at[1] + MOVES[action][1])
        self.inventory = {**self.inventory, **inventory}
        if earn:
            self.achievements = {**self.achievements, earn: self.achievements.get(earn, 0) + 1}
        self.steps.append(LoggedStep(action, self.at, self.inventory, self.achievements, reason))
        return self

    def has(self, inventory: Mapping[str, int]) -> Play:
        """Amounts that hold from the next step on."""
        self.inventory = {**self.inventory, **inventory}
        return self

    def many(self, *actions: str) -> Play:
        """Steps of which nothing but the action matters."""
        for action in actions:
            self.go(action)
        return self

    def world(self, on: Grid | None = None) -> World:
        """The episode over a map, of grass where none is given."""
        return World(Episode(tuple(self.steps), on or ground()))

    def rows(self) -> list[dict[str, Any]]:
        """Its lines, as published."""
        return [
            {
                "episode": 0,
                "step": number,
                "env": "crafter",
                "action_name": row.action,
                "done": number == len(self.steps),
                "info": {
                    "inventory": row.inventory,
                    "achievements": row.achievements,
                    "semantic": {"type": "ndarray", "shape": [64, 64], "dtype": "uint8"},
                    "player_pos": list(row.at),
                },
                "reason": row.reason,
            }
            for number, row in enumerate(self.steps, start=1)
        ]

    def written(self, folder: Path, on: Grid | None = None) -> tuple[Path, Path]:
        """Its log and its map, as files."""
        log, chart = folder / "logs.jsonl", folder / "map_seed1.txt"
        write_lines(log, self.rows())
        chart.write_text("".join("".join(map(str, row)) + "\n" for row in on or ground()), encoding="utf-8")
        return log, chart


def line(world: World, template: str, horizon: int = -1, **slots: str | int) -> PublishedQuestion:
    """The whole published line of a question."""
    return asked(TEMPLATES[template], world, Span.until(world.last, horizon), slots)


def answer(world: World, template: str, horizon: int = -1, **slots: str | int) -> Truth:
    """The answer to a question."""
    return line(world, template, horizon, **slots).gt  # type: ignore[return-value]


def write_lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    """JSON lines."""
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file
