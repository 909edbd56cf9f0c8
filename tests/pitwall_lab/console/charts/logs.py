"""Training logs written as the trainer writes them: a fixture for widgets, no measurement of anything."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from pitwall.gsm.version_record import VersionRecord
from pitwall_lab.console.charts.log_reader import TrainingRun
from pitwall_lab.training_log import LOG, Evaluated, Point, State, TrainingLog

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


def about(version: str = "v1", title: str = "") -> VersionRecord:
    """A version of flappy's module."""
    return VersionRecord(game_id="flappy", module="fly", version=version, kind="policy", title=title)


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
) -> TrainingRun:
    """A version's training, written and read."""
    made = points(count, seed=colour, top=top)
    write(folder, made)
    if count:
        write(folder, evaluations(max(1, count // 25), top=top))
    write(folder, [state(made[-1].step if made else 0, 300_000)])
    log = TrainingLog(folder / LOG)
    log.follow()
    return TrainingRun.of(about(version), log, colour, label)


def write_clip(file: Path, frames: int = 24, size: tuple[int, int] = (144, 256)) -> Path:
    """An animated WebP of a ball that moves."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pictures = []
    for at in range(frames):
        picture = Image.new("RGB", size, (28, 70, 80))
        place = round(at / frames * (size[1] - 20))
        ImageDraw.Draw(picture).ellipse((60, place, 80, place + 20), fill=(250, 190, 60))
        pictures.append(picture)
    pictures[0].save(file, "WEBP", save_all=True, append_images=pictures[1:], duration=40, loop=0)
    return file


ANALYSIS: dict[str, Any] = {
    "game_id": "flappy",
    "module": "fly",
    "version": "v2",
    "parent": "v1",
    "kind": "policy",
    "standing": "trained",
    "unit": "pipes",
    "steps": 212_400,
    "steps_wanted": 300_000,
    "wall_s": 331.0,
    "curve": {
        "shape": "rising",
        "first": 4.1,
        "middle": 61.0,
        "last": 148.0,
        "best": 155.2,
        "best_step": 198_000,
        "swing": 0.08,
    },
    "actions": [
        {"action": "", "share": 0.81, "first": 0.72, "last": 0.83},
        {"action": "flap()", "share": 0.19, "first": 0.28, "last": 0.17},
    ],
    "rewards": [
        {"name": "alive", "unit": "reward", "first": 0.1, "last": 0.1, "mean": 0.1, "weight": 0.52},
        {"name": "pass", "unit": "reward", "first": 0.02, "last": 0.07, "mean": 0.05, "weight": 0.26},
        {"name": "crash", "unit": "reward", "first": -0.09, "last": -0.01, "mean": -0.04, "weight": 0.22},
    ],
    "states": [
        {"name": "bird_y", "unit": "px", "first": 241.0, "last": 212.0, "mean": 225.0},
        {"name": "gap_dx", "unit": "px", "first": 70.0, "last": 80.0, "mean": 75.0},
    ],
    "stability": {
        "evaluations": 8,
        "mean": 128.0,
        "deviation": 11.2,
        "largest_drop": 14.0,
        "loss_growth": 0.31,
        "q_growth": 1.9,
    },
    "regression": {"best": 151.0, "best_step": 175_000, "now": 139.0, "now_step": 200_000, "certain": False},
    "comparison": {"parent": "v1", "parent_mean": 64.7, "mean": 151.0, "verdict": "better"},
    "sentences": [
        "The version is better than v1 on held-out seeds: 151 against 64.7 pipes.",
        "The newest evaluation is below the best, which may be chance.",
    ],
    "text": "flappy/fly v2 …",
}
"""As `pitwall gsm analyse … --json` tells it; the figures are made up."""
