"""Plans a suite on this machine: its games and tasks, its waves and its climbs.

A wave is one repeat of the suite: it plays every cell once. A climb is one agent's way up a ladder of tasks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pitwall.games.schema.profile import Game, Task
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import AgentSpec, Evolution, SuiteSpec

ATTEMPT_SEEDS = 1000
"""Each further attempt of a climb adds this to its seed: the same play would lose the same world again."""


@dataclass(frozen=True, slots=True)
class Climb:
    """One agent's way up one ladder from one seed: it plays the rungs (tasks), easiest first.

    Attributes:
        attempts: most runs of the climb. wave: number of the suite's repeat, from 0.
    """

    game: str
    rungs: tuple[str, ...]
    attempts: int
    agent: str
    seed: int
    wave: int

    @property
    def name(self) -> str:
        """Return the name of the climb within its suite."""
        return f"{self.game}~{self.agent}~{self.seed}~{self.wave}"

    def standing(self, runs: Mapping[str, TaskRun]) -> ClimbState:
        """Return how far the climb is, from the finished runs by key (SPEC §4).

        A success leads to the next rung, a failure to the same rung again. A run that could not be played
        changes nothing, but counts as an attempt.
        """
        path = self.path(runs)
        rung, attempt = sum(run.success and run.played for run in path), len(path)
        over = rung == len(self.rungs) or attempt == self.attempts
        return ClimbState(rung, attempt, None if over else self.cell(rung, attempt))

    def path(self, runs: Mapping[str, TaskRun]) -> list[TaskRun]:
        """Return the runs that led to where the climb is, in order.

        Where an attempt was played again and ended otherwise, the runs after its first play lie on no path.
        """
        path: list[TaskRun] = []
        rung = 0
        while rung < len(self.rungs) and len(path) < self.attempts:
            run = runs.get(self.cell(rung, len(path)).key)
            if run is None:
                break
            path.append(run)
            rung += run.success and run.played
        return path

    def cell(self, rung: int, attempt: int) -> Cell:
        """Return the cell of an attempt at a rung."""
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
    """Rungs climbed, runs played for it, and the next cell; None: the climb is over."""

    climbed: int
    attempts: int
    next: Cell | None


@dataclass(frozen=True)
class Plan:
    """A suite that can be played here.

    Attributes:
        spec: with every "all" written out. games: by id. wanted: id → the id or path that opens it.
        memories: agent → the hash of the memory that its runs begin with.
    """

    spec: SuiteSpec
    games: Mapping[str, Game]
    wanted: Mapping[str, str]
    memories: Mapping[str, str] = field(default_factory=dict)

    @property
    def agents(self) -> dict[str, AgentSpec]:
        return {agent.name: agent for agent in self.spec.agents}

    def task(self, game: str, task: str) -> Task:
        """Return a task of one of its games.

        Raises:
            KeyError: there is none; a plan from a checked suite never has such a task.
        """
        return next(declared for declared in self.games[game].profile.tasks if declared.id == task)

    def cells(self, wave: int) -> list[Cell]:
        """List one wave's cells without the climbs': by seed, game, task, agent; each once.

        Tasks for two are left out for agents that play paused: the game can be held for one side only.
        """
        spec = self.spec
        named: dict[tuple[str, str, str], None] = {}
        for entry in spec.games:
            for task in entry.tasks:
                two = bool(self.task(entry.game, task).other_role)
                named |= {
                    (entry.game, task, agent.name): None
                    for agent in spec.agents
                    if not (two and (agent.protocol or spec.protocol) == "paused")
                }
        for preset in spec.presets:
            game, task, agent = preset.split("+")
            named[(game, task, agent)] = None
        return [
            Cell(game=game, task=task, agent=agent, seed=seed, wave=wave)
            for seed in spec.all_seeds
            for game, task, agent in named
        ]

    def chain(self, cell: Cell) -> str:
        """Return the name of the runs with which a cell shares its memory; empty if it shares none."""
        carry = self.agents[cell.agent].carry
        if carry == "none" or (carry == "climb" and cell.rung < 0):
            return ""
        if carry == "climb":
            return f"{cell.game}~{cell.agent}~{cell.seed - ATTEMPT_SEEDS * cell.attempt}~{cell.wave}"
        return f"{cell.game}~{cell.agent}" + (f"~wave-{cell.wave}" if carry == "wave" else "")

    def climbs(self, wave: int) -> list[Climb]:
        """List the climbs of one wave: every agent on every ladder, from every seed."""
        return [
            Climb(ladder.game, tuple(ladder.rungs), ladder.attempts, agent.name, seed, wave)
            for seed in self.spec.all_seeds
            for ladder in self.spec.ladders
            for agent in self.spec.agents
        ]

    def seconds(self, cell: Cell) -> float | None:
        """Return the longest time that a cell may play; None: only its steps limit it."""
        bounds = [self.task(cell.game, cell.task).seconds, self.spec.limits.seconds]
        return min((bound for bound in bounds if bound is not None), default=None)

    def identity(self) -> dict[str, Any]:
        """Collect everything that a result depends on, in named parts, so that a change can be reported."""
        spec = self.spec.model_dump(mode="json", by_alias=True)
        return {
            "protocol": spec["protocol"],
            "limits": {name: value for name, value in spec["limits"].items() if name != "again"},
            "agents": [self._agent(agent) for agent in spec["agents"]],
            "cells": [spec["games"], spec["presets"], spec["ladders"], spec["repeats"], self.spec.all_seeds],
            **{f"game {name}": self._game(game) for name, game in sorted(self.games.items())},
        }

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of each part of `identity`, and of all of them together under "suite"."""
        parts = {name: _hash(part) for name, part in self.identity().items()}
        return {**parts, "suite": _hash(parts)}

    def _agent(self, agent: Mapping[str, Any]) -> dict[str, Any]:
        """Return an agent with the hash of its first memory, wherever that lies."""
        return _identity({**agent, "memory": self.memories.get(agent["name"], agent["memory"])})

    def _game(self, game: Game) -> dict[str, Any]:
        return {"version": game.profile.game.version, "profile": game.profile_hash}


def _identity(agent: Mapping[str, Any]) -> dict[str, Any]:
    """Return an agent without later keys where they say nothing: suites begun before there were any go on."""
    return {name: value for name, value in agent.items() if name not in _LATER or value != _LATER[name]}


_LATER: Mapping[str, Any] = {
    "thresholds": {},
    "carry": "none",
    "accept": "operator",
    "evolution": Evolution().model_dump(mode="json"),
    "other": "same",
    "other_model": "",
}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=list).encode()).hexdigest()
