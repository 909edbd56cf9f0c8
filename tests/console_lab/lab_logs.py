"""Training logs written as the trainer writes them: a fixture for widgets, no measurement of anything."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from pitwall.console.lab.reading import LabRun
from pitwall.gsm.about import About
from pitwall.gsm.training_log import LOG, Evaluated, Point, State, TrainingLog

BEGAN = 1_790_000_000.0
"""Seconds since 1970 at which the made-up trainings began."""


def points(count: int, *, seed: int = 0, top: float = 120.0, every: int = 1_000) -> list[Point]:
    """A training that learns: noisy, with no episode ended before the third point."""
    random = np.random.default_rng(seed)
    made = []
    for at in range(count):
        share = at / max(1, count - 1)
        score = top / (1 + math.exp(-10 * (share - 0.45))) * float(random.uniform(0.7, 1.3))
        flaps = int(random.integers(170, 230))
        wall_s = (at + 1) * every / 900
        made.append(
            Point(
                step=(at + 1) * every,
                wall_s=wall_s,
                at=BEGAN + wall_s,
                episodes=0 if at < 2 else 3,
                episode_return=None if at < 2 else score * 1.1 - 8,
                length=None if at < 2 else 40 + score * 36,
                score=None if at < 2 else score,
                loss=None if at < 1 else 2.1 * math.exp(-3 * share) * float(random.uniform(0.8, 1.2)),
                q=None if at < 1 else 42 * share**0.7 * float(random.uniform(0.95, 1.05)),
                epsilon=max(0.02, 1 - 4 * share),
                fps=float(random.normal(900, 40)),
                actions=(every - flaps, flaps),
                states={"bird_y": 240 - 30 * share + float(random.normal(0, 6)), "gap_dx": 70 + 10 * share},
                rewards={"alive": 0.1, "pass": 0.02 + 0.05 * share, "crash": -0.09 * (1 - share)},
            )
        )
    return made


def evaluations(count: int, *, top: float = 130.0, every: int = 25_000, best: int = -1) -> list[Evaluated]:
    """Evaluations that get better until `best`, the last where it is negative."""
    made = []
    best = count - 1 if best < 0 else best
    for at in range(count):
        mean = top * (at + 1) / count * (1.0 if at <= best else 0.7)
        made.append(
            Evaluated(
                step=(at + 1) * every,
                wall_s=(at + 1) * every / 900,
                at=BEGAN + (at + 1) * every / 900,
                runs=20,
                mean=mean,
                low=mean * 0.8,
                high=mean * 1.15,
                wins=15,
                best=at <= best,
                clip=f"clips/{(at + 1) * every}.webp",
            )
        )
    return made


def write(folder: Path, lines: list[Point] | list[Evaluated] | list[State]) -> Path:
    """Append lines to a version's log; the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / LOG
    with file.open("a", encoding="utf-8") as log:
        for line in lines:
            log.write(line.model_dump_json() + "\n")
    return file


def about(version: str = "v1", title: str = "") -> About:
    """A version of flappy's module."""
    return About(game_id="flappy", module="fly", version=version, kind="policy", title=title)


def state(step: int, steps: int, what: str = "running", why: str = "") -> State:
    """What a training says of itself."""
    return State.model_validate(
        {"state": what, "step": step, "steps": steps, "at": BEGAN + step / 900, "why": why}
    )


def run(
    folder: Path,
    version: str = "v1",
    count: int = 200,
    *,
    colour: int = 0,
    top: float = 120.0,
    label: str = "",
) -> LabRun:
    """A version's training, written and read."""
    made = points(count, seed=colour, top=top)
    write(folder, made)
    write(folder, evaluations(max(1, count // 25), top=top))
    write(folder, [state(made[-1].step if made else 0, 300_000)])
    log = TrainingLog(folder / LOG)
    log.follow()
    return LabRun.of(about(version), log, colour, label)
