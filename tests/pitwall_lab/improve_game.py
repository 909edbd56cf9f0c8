"""A game small enough to be improved in a second: a marker drifts, and has to be kept near the middle.

Two modules play it: `hold` by rules with unfit numbers, `steer` learned. Score: decisions near the middle.
"""

from __future__ import annotations

from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game
from pitwall.gsm.versions import ModuleFolder

MANIFEST = """
schema = 1
[game]
id = "drift"
name = "Drift"
[window]
title = "Drift"
[screen]
width = 200
height = 100
[controls]
keys = ["a", "d"]

[[actions]]
name = "left"
keys = ["a"]
[[actions]]
name = "right"
keys = ["d"]

[[fields]]
name = "x"
kind = "blob"
colour = [255, 0, 0]
unit = "px"
description = "How far from the middle"
[[fields]]
name = "wind"
kind = "blob"
colour = [0, 255, 0]
unit = "px"

[[detectors]]
name = "eyes"
kind = "onnx"
model = "things.onnx"
labels = ["marker"]

[[modules]]
name = "hold"
description = "Keep the marker near the middle"
ends = "status != 'playing'"
rules = [
    { when = "x > 4", action = "left" },
    { when = "x < -4", action = "right", cooldown_ms = 300 },
]
[modules.learned]
state = [{ field = "x", low = -20, high = 20 }]
actions = ["", "left", "right"]
reward = "reward.py"
twin = "drift_twin.py"
[[modules.trials]]
name = "near"
score = "near"
unit = "decisions"
success = 30
seconds = 4
first_seed = 1_000

[[modules]]
name = "steer"
ends = "status != 'playing'"
[modules.learned]
state = [{ field = "x", low = -20, high = 20 }, { field = "wind", low = -1, high = 1 }]
actions = ["", "left", "right"]
history = 2
reward = "reward.py"
twin = "drift_twin.py"
[modules.learned.training]
steps = 400
environments = 4
batch = 16
replay = 1_000
learn_from = 50
train_every = 8
epsilon_steps = 200
hidden = [8]
evaluate_every = 200
evaluate_runs = 5
[[modules.trials]]
name = "near"
score = "near"
unit = "decisions"
success = 30
seconds = 4
first_seed = 1_000
"""
TWIN = '''
import random
from gymnasium import Env, spaces


class Drift(Env):
    """The marker drifts with the wind and a gust; a key moves it by 2."""

    metadata = {"step_ms": 100.0}

    def __init__(self, actions):
        self.actions = tuple(actions)
        self.observation_space = spaces.Dict(
            {name: spaces.Box(-1e3, 1e3, (), float) for name in ("x", "wind")}
        )
        self.action_space = spaces.Discrete(len(self.actions))

    def reset(self, *, seed=None, options=None):
        self._chance = random.Random(seed)
        self.x, self.wind, self.near = 0.0, self._chance.uniform(-1, 1), 0
        return self._seen(), {}

    def step(self, index):
        push = {"left": -2.0, "right": 2.0}.get(self.actions[int(index)], 0.0)
        self.x += push + self.wind + self._chance.gauss(0, 0.3)
        self.near += abs(self.x) < 3
        over = abs(self.x) > 15
        return self._seen(), 0.0, over, False, {"score": float(self.near), "outcome": "loss" if over else ""}

    def render(self):
        return None

    def _seen(self):
        return {"x": self.x, "wind": self.wind}


def make_twin(*, module, scenario, actions, render):
    return Drift(actions)
'''
REWARD = """def reward(prev_state, next_state, action_idx, done, action_history, action_state_changes,
           episode_start_time, step_time, step):
    if done:
        return -1.0
    return 0.1 - 0.02 * abs(next_state["x"])
"""


def drift(root: Path) -> Game:
    """The game, in a folder of its own."""
    folder = root / "drift"
    folder.mkdir()
    for name, text in (("plugin.toml", MANIFEST), ("drift_twin.py", TWIN), ("reward.py", REWARD)):
        (folder / name).write_text(text, encoding="utf-8")
    return Game(
        profile=load_profile(folder), folder=folder, profile_hash="0" * 64, trusted=True, source="user"
    )


def hold(root: Path) -> ModuleFolder:
    """The rule module, with a data folder beside the game."""
    return ModuleFolder(DataFolder(root / "data"), drift(root), "hold")


def steer(root: Path) -> ModuleFolder:
    """The learned module, with a data folder beside the game."""
    return ModuleFolder(DataFolder(root / "data"), drift(root), "steer")
