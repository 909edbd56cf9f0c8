"""Folders of suites as a runner leaves them: specs, results and boards in the product's own types."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml
from PIL import Image

from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary, Spread, TierFigures
from pitwall.store.lease import FileLock
from pitwall_bench.suites.folder import LOCK_FILE
from pitwall_bench.suites.results import Cell, EndReason, RunningSession, SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec

GAMES = (
    ("flappy", "runner", 1, "pipes"),
    ("dino", "runner", 1, "points"),
    ("breakout", "arcade", 2, "bricks"),
    ("snake", "arcade", 2, "apples"),
    ("shooting", "arcade", 2, "hits"),
    ("platformer", "platformer", 3, "coins"),
    ("maze", "puzzle", 3, "cells"),
    ("dodge", "arcade", 3, "rooms"),
    ("tiles", "puzzle", 4, "points"),
    ("mines", "puzzle", 4, "cells"),
    ("crafter", "simulation", 5, "unlocks"),
    ("shop", "simulation", 5, "coins"),
)
SKILL = {"planner": 0.62, "skills": 0.5, "random": 0.12, "idle": 0.03}


def spec(name: str = "ladder-of-levels", agents: Sequence[str] = tuple(SKILL)) -> SuiteSpec:
    return SuiteSpec.model_validate(
        {
            "name": name,
            "description": "Twelve games over the five levels.",
            "games": [{"game": game, "tasks": ["reach", "far"]} for game, *_ in GAMES],
            "agents": [{"name": agent, "kind": {"planner": "model"}.get(agent, agent)} for agent in agents],
            "seeds": [1, 2],
            "repeats": 2,
            "parallel": 2,
        }
    )


def task_run(
    game: str = "flappy",
    task: str = "reach",
    agent: str = "skills",
    seed: int = 1,
    wave: int = 0,
    *,
    ended: EndReason = "steps",
    success: bool = False,
    progress: float | None = 0.4,
    tokens: int = 0,
    **more: object,
) -> TaskRun:
    """One result."""
    genre, level, unit = next(((g, lv, u) for name, g, lv, u in GAMES if name == game), ("arcade", 2, ""))
    tiers = {
        "strategic": TierFigures(model="small", calls=8, prompt_tokens=tokens, output_tokens=tokens // 9)
    }
    summary = RunSummary(
        outcome="finished", seconds=30, steps=80, tiers=tiers if tokens else {}, loop_ms=Spread(p50=2, n=9)
    )
    body: dict[str, object] = {
        "cell": Cell(game=game, task=task, agent=agent, seed=seed, wave=wave),
        "genre": genre,
        "level": level,
        "ended": "target" if success else ended,
        "success": success,
        "progress": 1.0 if success else progress,
        "score": 20.0 if success else 20 * (progress or 0),
        "start": 0.0,
        "target": 20.0,
        "unit": unit,
        "steps": 80,
        "seconds": 31.5,
        "proposed": 80,
        "summary": summary,
        "at": time.time(),
    }
    return TaskRun.model_validate({**body, **more})


def duel(blue: float, red: float, seed: int = 1) -> TaskRun:
    """Blue, by skills, against Red, by chance: goals of each."""
    sides = [
        {"role": "blue", "agent": "skills", "score": blue, "steps": 80, "run_id": 1},
        {"role": "red", "agent": "random", "score": red, "steps": 64, "run_id": 1, "refusals": {"focus": 2}},
    ]
    return task_run("carball", "duel_blue", seed=seed, success=blue >= 2, unit="goals", sides=sides)


def many_runs(seed: int = 5, agents: Sequence[str] = tuple(SKILL), waves: int = 2) -> list[TaskRun]:
    """A whole suite's results: agents of unlike skill, a few not played, a few not verified."""
    chance = random.Random(seed)
    runs = []
    for wave in range(waves):
        for game, _, level, _ in GAMES:
            for task, harder in (("reach", 0.0), ("far", 0.2)):
                for agent in agents:
                    for number in (1, 2):
                        able = max(0.02, SKILL[agent] * 1.5 - 0.13 * level - harder)
                        far = min(0.97, max(0.0, chance.gauss(able, 0.2)))
                        won = chance.random() < able
                        steps = chance.randint(20, 100)
                        unplayed = game == "dodge" and agent == "planner" and number == 2
                        runs.append(
                            task_run(
                                game,
                                task,
                                agent,
                                number,
                                wave,
                                ended="launch" if unplayed else "terminal" if far < 0.2 else "steps",
                                success=won and not unplayed,
                                progress=None if unplayed else far,
                                why="chromium did not open a window within 90 s" if unplayed else "",
                                steps=0 if unplayed else steps,
                                seconds=0.0 if unplayed else steps * (1.9 if agent == "planner" else 0.34),
                                tokens=chance.randint(9_000, 30_000) if agent == "planner" else 0,
                                invalid={"out_of_space": chance.randint(0, 4)} if agent == "planner" else {},
                                refusals={"focus": 1} if chance.random() < 0.1 else {},
                                verified=game != "shooting",
                            )
                        )
    return runs


def write_suite(
    data: DataFolder,
    key: str,
    runs: Sequence[TaskRun],
    *,
    board: SuiteProgress | None = None,
    asked: SuiteSpec | None = None,
) -> Path:
    """A suite's folder, as its runner would leave it."""
    folder = data.suites / key
    folder.mkdir(parents=True, exist_ok=True)
    body = (asked or spec(key)).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    (folder / "suite.yaml").write_text(yaml.safe_dump(body, sort_keys=False), encoding="utf-8")
    lines = "".join(run.model_dump_json() + "\n" for run in runs)
    (folder / "results.jsonl").write_text(lines, encoding="utf-8")
    message = board or SuiteProgress(state="done", done=len(runs), of=len(runs), at=time.time())
    (folder / "board.json").write_text(message.model_dump_json(), encoding="utf-8")
    return folder


def playing_board(folder: Path, done: int, of: int, count: int = 2) -> SuiteProgress:
    """A board with sessions that play, and their pictures in the folder."""
    playing = []
    for at, (game, *_) in enumerate(GAMES[:count]):
        cell = Cell(game=game, task="reach", agent="planner", seed=1)
        picture = f"sessions/{cell.key}/picture.png"
        _picture(folder / picture, at)
        playing.append(
            RunningSession(
                cell=cell,
                state="playing",
                steps=34 + 20 * at,
                budget=100,
                progress=0.3 + 0.2 * at,
                score=6.0 + at,
                seconds=31.0 + at,
                picture=picture,
            )
        )
    return SuiteProgress(
        playing=tuple(playing), done=done, of=of, left_s=422.0, state="playing", at=time.time(), pid=1
    )


def _picture(path: Path, at: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shade = np.zeros((180, 320, 3), np.uint8)
    shade[..., 0] = np.linspace(20, 90, 320).astype(np.uint8)
    shade[..., 1 + at % 2] = np.linspace(50, 190, 180).astype(np.uint8)[:, None]
    shade[60:120, 120 + 30 * at : 170 + 30 * at] = (240, 200, 70)
    Image.fromarray(shade).save(path)


def hold(folder: Path) -> FileLock:
    """The lock that a runner holds while it plays."""
    lock = FileLock(folder / LOCK_FILE, role="suite", subject="the suite")
    lock.acquire()
    return lock
