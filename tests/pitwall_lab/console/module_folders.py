"""Data folders for the lab: a game with modules that learn, and versions with real files."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Recipe
from pitwall.games.schema.profile import Game
from pitwall.games.trust import trust
from pitwall.gsm.version_record import Score, VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.training_log import LOG, Evaluated, Point, State

FIRST_REWARD = """def reward(prev_state, next_state, action_idx, done, action_history,
           action_state_changes, episode_start_time, step_time, step):
    # staying alive is worth a little
    total = 0.1
    if done:
        return -10.0
    total += 1.0 if next_state["score"] > prev_state["score"] else 0.0
    return total
"""
SECOND_REWARD = FIRST_REWARD.replace(
    'total += 1.0 if next_state["score"] > prev_state["score"] else 0.0',
    'total += 5.0 if next_state["score"] > prev_state["score"] else 0.0\n'
    '    total -= 0.02 * abs(next_state["bird_y"] - next_state["gap_bottom"])',
)
_GAME = """
schema = 1
[game]
id = "pond"
name = "Pond"
[launch]
command = ["true"]
[screen]
width = 100
height = 100
[controls]
keys = ["Space"]
[[actions]]
name = "hop"
keys = ["Space"]
hold_ms = 30
[[actions]]
name = "rest"
wait = true
[[fields]]
name = "height"
kind = "blob"
box = [0, 0, 100, 100]
colour = [250, 204, 46]
least_px = 4
value = "y"
unit = "px"
[[fields]]
name = "score"
kind = "digits"
box = [0, 0, 40, 20]
templates = "templates"
unit = "leaves"
[[fields]]
name = "over"
kind = "colour"
box = [0, 0, 10, 10]
colour = [1, 2, 3]
at_least = 40
[status]
terminal = "over"
[[modules]]
name = "frog"
description = "Hop over the leaves"
ends = "status != 'playing'"
rules = [
  { when = "height > 60", action = "hop", cooldown_ms = 60 },
  { when = "height > 90", action = "hop" },
]
trials = [{ name = "leaves", score = "metrics.best", unit = "leaves", success = 10, cap = 100 }]
[modules.learned]
state = [{ field = "height", low = 0, high = 100 }]
actions = ["", "hop"]
reward = "reward.py"
twin = "twin.py"
[modules.learned.training]
steps = 300000
noise = { height = 1.5 }
[[modules]]
name = "fish"
ends = "status != 'playing'"
rules = [{ when = "height < 20", action = "rest" }]
"""


_TWIN = '''
import numpy as np
from gymnasium import Env, spaces


class Pond(Env):
    """The frog sinks; a hop lifts it. Each step between the banks is a leaf."""

    metadata = {"step_ms": 33.0}

    def __init__(self, actions):
        number = lambda: spaces.Box(0.0, 1000.0, (), np.float64)
        self.observation_space = spaces.Dict({"height": number(), "score": number()})
        self.action_space = spaces.Discrete(len(actions))
        self.actions = actions

    def _seen(self):
        return {"height": np.float64(self.height), "score": np.float64(self.score)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.score = 40.0 + 20.0 * self.np_random.random(), 0
        return self._seen(), {"score": 0, "outcome": ""}

    def step(self, index):
        self.height += -9.0 if self.actions[index] == "hop" else 3.0
        over = not 5.0 < self.height < 95.0
        self.score += 0 if over else 1
        told = {"score": self.score, "outcome": "loss" if over else ""}
        return self._seen(), 0.0, over, self.score >= 60, told


def make_twin(*, module, scenario, actions, render):
    return Pond(actions)
'''


def make_game(data: DataFolder) -> Game:
    """The operator's own game Pond: one module that learns, one of rules alone."""
    import cv2
    import numpy as np

    folder = data.games / "pond"
    (folder / "templates").mkdir(parents=True)
    for digit in range(10):
        cv2.imwrite(str(folder / "templates" / f"{digit}.png"), np.full((8, 6, 3), digit, np.uint8))
    (folder / "plugin.toml").write_text(_GAME, encoding="utf-8")
    (folder / "reward.py").write_text(FIRST_REWARD, encoding="utf-8")
    (folder / "twin.py").write_text(_TWIN, encoding="utf-8")
    game = Registry(data).load(str(folder))
    trust(data, game)
    return game


def score(mean: float, half: float, *, where: str = "twin", unit: str = "leaves", at: float = 1.0) -> Score:
    return Score(
        where=where,
        trial="leaves",
        runs=20,
        mean=mean,
        low=mean - half,
        high=mean + half,
        unit=unit,
        wins=18,
        win_low=0.7,
        win_high=0.97,
        delay_ms=16.0,
        at=at,
    )


def add_version(
    folder: ModuleFolder,
    *,
    parent: str = "",
    title: str = "",
    standing: VersionStatus = VersionStatus.TRAINED,
    reward: str = FIRST_REWARD,
    scores: tuple[Score, ...] = (),
    **more: object,
) -> VersionRecord:
    """A learned version with its reward function, as a training leaves it."""
    about = folder.new(
        VersionRecord(
            game_id=folder.game.game_id,
            module=folder.declared.name,
            version="",
            kind="policy",
            parent=parent,
            title=title,
            learned=folder.declared.learned,
            standing=standing,
            scores=scores,
            **{"recipe": folder.declared.learned.training if folder.declared.learned else Recipe(), **more},
        )
    )
    (folder.folder(about.version) / "reward.py").write_text(reward, encoding="utf-8")
    return about


def write_log(
    where: Path,
    *,
    steps: int = 300_000,
    done: int = 200_000,
    points: int = 200,
    height: float = 100.0,
    state: str = "finished",
    why: str = "",
    reached: Callable[[float], float] = lambda share: 1 / (1 + math.exp(-10 * (share - 0.4))),
) -> None:
    """A training log with a plausible curve."""
    rng, now = random.Random(7), time.time()
    lines: list[Point | Evaluated | State] = []
    for at in range(1, points + 1):
        share = at / points
        step = round(done * share)
        level = height * reached(share)
        lines.append(
            Point(
                step=step,
                wall_s=step / 900,
                at=now - (points - at),
                episodes=4,
                episode_return=level * rng.uniform(0.6, 1.4),
                length=60 + level,
                score=level * rng.uniform(0.6, 1.4) / 2,
                loss=2 * math.exp(-2 * share) * rng.uniform(0.7, 1.3),
                q=40 * share * rng.uniform(0.9, 1.1),
                epsilon=max(0.02, 1 - 3 * share),
                fps=900 * rng.uniform(0.85, 1.1),
                actions=(81, 19),
                states={"height": 50 + 10 * rng.uniform(-1, 1)},
                rewards={"alive": 0.1, "passed": share},
            )
        )
        if at % (points // 8 or 1) == 0:
            mean = level / 2
            lines.append(
                Evaluated(
                    step=step,
                    wall_s=step / 900,
                    at=now,
                    runs=20,
                    mean=mean,
                    low=mean * 0.9,
                    high=mean * 1.1,
                    wins=9,
                )
            )
    lines.append(State(state=state, step=done, steps=steps, at=now, why=why))
    text = "".join(json.dumps(line.model_dump(mode="json")) + "\n" for line in lines)
    (where / LOG).write_text(text, encoding="utf-8")
