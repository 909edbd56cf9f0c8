"""The moving window as a game folder, for benchmarks that play it."""

from __future__ import annotations

import sys
from pathlib import Path

TITLE = "pitwall-bench-motion"

_MANIFEST = """
schema = 1
[game]
id = "motion"
name = "Motion"
[launch]
command = ['{python}', "-m", "workshop.benchmarks.engine.motion_window", "--title", "pitwall-bench-motion"]
[window]
title = "^pitwall-bench-motion$"
[screen]
width = 960
height = 540
[controls]
keys = ["Space", "ArrowLeft"]
[[actions]]
name = "hit"
keys = ["Space"]
hold_ms = 40
duration_ms = 200
[[actions]]
name = "left"
keys = ["ArrowLeft"]
hold_ms = 120
duration_ms = 200
[[fields]]
name = "white"
kind = "colour"
box = [360, 180, 240, 180]
colour = [255, 255, 255]
at_least = 50
[[fields]]
name = "moved"
kind = "change"
[trigger]
scene_change = 2.0
[[skills]]
name = "hit and turn"
when = "status == 'playing'"
subgoal = "keep busy"
actions = ["hit", "left"]
"""


def make_game(folder: Path) -> Path:
    """Write the folder. The caller's data folder has to trust it before its program may run."""
    game = folder / "motion"
    game.mkdir(parents=True, exist_ok=True)
    (game / "plugin.toml").write_text(_MANIFEST.replace("{python}", sys.executable), encoding="utf-8")
    return game
