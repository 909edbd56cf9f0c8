"""A game so small that a few hundred decisions teach it: walk along a line to its right end.

The walker begins somewhere left of the middle; the goal is at 10. A step right or left, or none; over after
40 decisions. Its twin draws 16×16 pixels: the walker's column is bright.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game
from pitwall.gsm.versions import ModuleFolder

MANIFEST = """\
schema = 1

[game]
id = "line"
name = "Line"

[launch]
command = ["{python}", "{folder}/line.py"]

[window]
title = "^Line$"

[screen]
width = 16
height = 16

[controls]
keys = ["Left", "Right"]

[[actions]]
name = "left"
keys = ["Left"]

[[actions]]
name = "right"
keys = ["Right"]

[[fields]]
name = "x"
kind = "blob"
colour = [255, 255, 255]
value = "x"

[[modules]]
name = "walk"
ends = "status != 'playing'"

[[modules.rules]]
when = "x < 10"
action = "right"

[modules.learned]
state = [{ field = "x", low = 0, high = 10 }]
actions = ["", "left", "right"]
history = 3
reward = "reward.py"
twin = "line_twin.py"

[modules.learned.training]
steps = 800
environments = 4
learn_from = 60
train_every = 4
batch = 16
replay = 400
epsilon_steps = 400
hidden = [16, 16]
delay_ms = 50
jitter_ms = 50
noise = { x = 0.1 }
drop = 0.02
evaluate_every = 300
evaluate_runs = 3

[[modules.trials]]
name = "goal"
score = "reached"
success = 10
seconds = 2
"""

TWIN = """
import random

import gymnasium
import numpy as np
from line_rules import GOAL


def make_twin(*, module, scenario, actions, render):
    if scenario == "broken":
        raise RuntimeError("this scenario is broken")
    return Line(tuple(actions), render)


class Line(gymnasium.Env):
    metadata = {"step_ms": 50.0}

    def __init__(self, actions, render):
        self.moves = [{"": 0, "left": -1, "right": 1}[action] for action in actions]
        self.drawn = render

    def reset(self, *, seed=None, options=None):
        self.x = float(random.Random(seed).randrange(5))
        self.played = []
        return {"x": self.x}, {"score": self.x}

    def step(self, action):
        self.played.append(action)
        if len(self.played) == 13 and self.x == -3.0:
            raise ValueError("fell off the edge")
        self.x = max(-3.0, self.x + self.moves[action])
        over = self.x >= GOAL
        return {"x": self.x}, 0.0, over, False, {"score": self.x, "outcome": "win" if over else ""}

    def render(self):
        if not self.drawn:
            return None
        picture = np.zeros((16, 16, 3), np.uint8)
        picture[:, int(max(0, min(15, self.x)))] = 255
        return picture
"""

REWARD = """
def reward(prev_state, next_state, action_idx, done, action_history, action_state_changes,
           episode_start_time, step_time, step):
    return {"way": next_state["x"] - prev_state["x"], "goal": 5.0 if done else -0.1}
"""


@pytest.fixture
def line(tmp_path: Path) -> Game:
    """The game, in a folder of its own."""
    return write_line(tmp_path / "line")


@pytest.fixture
def line_data(tmp_path: Path) -> DataFolder:
    """An empty data folder."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def walk(line: Game, line_data: DataFolder) -> ModuleFolder:
    """Versions of its module."""
    return ModuleFolder(line_data, line, "walk")


def write_line(folder: Path, *changes: tuple[str, str]) -> Game:
    """Write the game, with texts of its manifest replaced."""
    text = MANIFEST
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    folder.mkdir()
    files = {"plugin.toml": text, "line_twin.py": TWIN, "line_rules.py": "GOAL = 10\n", "reward.py": REWARD}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return Game(profile=load_profile(folder), folder=folder, profile_hash="tiny", trusted=True, source="path")
