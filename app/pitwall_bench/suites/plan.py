"""Plans a suite on this machine: its games and tasks, every cell in waves, and its climbs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pitwall.games.schema.profile import Game, Task
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import AgentSpec, SuiteSpec

ATTEMPT_SEEDS = 1000
"""An attempt of a climb is played with the climb's seed + this × the attempts before: a lost world would be
lost again by whoever plays it alike."""


@dataclass(frozen=True, slots=True)
class Climb:
    """Holds the climb of one agent on one ladder from one seed, in one wave."""

    game: str
    rungs: tuple[str, ...]
    attempts: int
    agent: str
    seed: int
    wave: int

    @property
    def name(self) -> str:
        """Names the climb within its suite."""
        return f"{self.game}~{self.agent}~{self.seed}~{self.wave}"

    def standing(self, runs: Mapping[str, TaskRun]) -> ClimbState:
        """Return how far the climb is, by the finished runs by key (SPEC §4).

        After a success the next rung, after a failure the same again. A run that could not be played
        changes nothing, but is one of the attempts.
        """
        rung = attempt = 0
        while rung < len(self.rungs) and attempt < self.attempts:
            run = runs.get(self.cell(rung, attempt).key)
            if run is None:
                return ClimbState(rung, attempt, self.cell(rung, attempt))
            attempt += 1
            rung += run.success and run.played
        return ClimbState(rung, attempt, None)

    def cell(self, rung: int, attempt: int) -> Cell:
        """The run of an attempt at a rung."""
        return Cell(
            game=self.game,
            task=self.rungs[rung],
            agent=self.agent,
            seed=self.seed + ATTEMPT_SEEDS * attempt,
            wave=self.wave,
            rung=rung,
            attempt=attempt,
        )


@dataclass(frozen=True, slots=True)
class ClimbState:
    """Rungs climbed, runs played for it, and what is played next; None: it is over."""

    climbed: int
    attempts: int
    next: Cell | None


@dataclass(frozen=True)
class Plan:
    """A suite that can be played here.

    Attributes:
        spec: with every "all" spelled out. games: by id. wanted: id → what opens it (the id, or a path).
    """

    spec: SuiteSpec
    games: Mapping[str, Game]
    wanted: Mapping[str, str]

    @property
    def agents(self) -> dict[str, AgentSpec]:
        return {agent.name: agent for agent in self.spec.agents}

    def task(self, game: str, task: str) -> Task:
        """A task of one of its games.

        Raises:
            KeyError: there is none; a plan that was read has none of these.
        """
        return next(declared for declared in self.games[game].profile.tasks if declared.id == task)

    def cells(self, wave: int) -> list[Cell]:
        """List one wave's cells without the climbs': by seed, game, task, agent; each once."""
        spec = self.spec
        named: dict[tuple[str, str, str], None] = {}
        for game in spec.games:
            for task in game.tasks:
                named |= {(game.game, task, agent.name): None for agent in spec.agents}
        for preset in spec.presets:
            game, task, agent = preset.split("+")
            named[(game, task, agent)] = None
        return [
            Cell(game=game, task=task, agent=agent, seed=seed, wave=wave)
            for seed in spec.all_seeds
            for game, task, agent in named
        ]

    def climbs(self, wave: int) -> list[Climb]:
        """List one wave's climbs."""
        return [
            Climb(ladder.game, tuple(ladder.rungs), ladder.attempts, agent.name, seed, wave)
            for seed in self.spec.all_seeds
            for ladder in self.spec.ladders
            for agent in self.spec.agents
        ]

    def seconds(self, cell: Cell) -> float | None:
        """The longest that a cell may play; None: only its steps bound it."""
        bounds = [self.task(cell.game, cell.task).seconds, self.spec.limits.seconds]
        return min((bound for bound in bounds if bound is not None), default=None)

    def identity(self) -> dict[str, Any]:
        """Collect everything that a result depends on, in named parts, so that a change can be named."""
        spec = self.spec.model_dump(mode="json", by_alias=True)
        return {
            "protocol": spec["protocol"],
            "limits": {name: value for name, value in spec["limits"].items() if name != "again"},
            "agents": spec["agents"],
            "cells": [spec["games"], spec["presets"], spec["ladders"], spec["repeats"], self.spec.all_seeds],
            **{f"game {name}": self._game(game) for name, game in sorted(self.games.items())},
        }

    def hashes(self) -> dict[str, str]:
        """SHA-256 of each part of `identity`, and of all of them together under "suite"."""
        parts = {name: _hash(part) for name, part in self.identity().items()}
        return {**parts, "suite": _hash(parts)}

    def _game(self, game: Game) -> dict[str, Any]:
        return {"version": game.profile.game.version, "profile": game.profile_hash}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=list).encode()).hexdigest()
