"""Compares the default agent with random play on bundled games, without their skills and modules.

Each run is a real `pitwall run`; its gain is the rise of the score on the screen over all its games. The
agents alternate seed by seed, so that a busy machine affects both alike.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.registry import Registry
from pitwall.store.run_reader import RunReader
from workshop.benchmarks.child_command import PITWALL, last_object
from workshop.benchmarks.report import check, figure, report

GAMES = ("flappy", "snake", "breakout", "tiles", "dodge")
_QUICK, _FULL = (("breakout",), 20.0, 2), (GAMES, 600.0, 5)
_DRAWN = 5_000


def run(*, quick: bool) -> dict[str, Any]:
    """Play both agents on each game; the interval of the ratio of their mean gains has to reach 1."""
    games, seconds, runs = _QUICK if quick else _FULL
    checks = []
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        data = DataFolder(Path(scratch))
        for game in games:
            gains: dict[str, list[float]] = {"explore": [], "random": []}
            for seed in range(1, runs + 1):
                for planner, known in gains.items():
                    known.append(_gain(data, game, planner, seconds, seed))
            checks.append(_check(game, gains["explore"], gains["random"]))
    return report("default-agent", checks, seconds=seconds, runs=runs, load_average=os.getloadavg()[0])


def _check(game: str, ours: list[float], chance: list[float]) -> dict[str, Any]:
    low, high = ratio_interval(ours, chance)
    mean = float(np.mean(chance))
    return check(
        f"{game}: gain of a run (ratio {low:.2f} … {high:.2f})",
        "points",
        figure(float(np.mean(ours))),
        aim="not worse than chance",
        met=high >= 1.0,
        peer=("random", mean),
        ratio=float(np.mean(ours)) / mean if mean else None,
    )


def ratio_interval(ours: list[float], chance: list[float]) -> tuple[float, float]:
    """Return the bootstrap interval of a ratio of means; it is open above if random play gained nothing."""
    dice = np.random.default_rng(0)
    sides = (np.asarray(ours), np.asarray(chance))
    means = [side[dice.integers(0, len(side), (_DRAWN, len(side)))].mean(axis=1) for side in sides]
    ratios = np.divide(means[0], means[1], out=np.full(_DRAWN, np.inf), where=means[1] > 0)
    ratios[(means[0] == 0) & (means[1] == 0)] = 1.0
    low, high = np.percentile(ratios, (2.5, 97.5), method="nearest")
    return float(low), float(high)


def _gain(data: DataFolder, game: str, planner: str, seconds: float, seed: int) -> float:
    command = [*PITWALL, "run", "--game", game, "--planner", planner, "--json"]
    command += ["--seconds", str(seconds), "--seed", str(seed), "--data", str(data.root)]
    run_id = last_object(command)["run_id"]
    scores = Registry(data).load(game).profile.gain_fields
    with closing(RunReader.open(data)) as reader:
        return gain_of(reader.steps(run_id), scores)


def gain_of(steps: list[StepRecord], scores: list[str]) -> float:
    """Sum the rises of the score fields from step to step; a fall begins a new game and is no loss."""
    gained, before = 0.0, dict[str, float]()
    for step in steps:
        for name in scores:
            value = step.fields.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                gained += max(0.0, value - before.get(name, value))
                before[name] = float(value)
    return gained
