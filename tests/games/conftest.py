"""A small whole game folder that tests damage one line at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

MANIFEST = """\
schema = 1

[game]
id = "pong"
name = "Pong"

[launch]
command = ["{python}", "{folder}/pong.py", "--seed", "{seed}", "--into", "{data}"]

[window]
title = "^Pong$"

[screen]
width = 200
height = 100

[controls]
keys = ["up", "down", "Space", "Shift"]
mouse = true
hold_ms = [20, 500]

[[actions]]
name = "serve"
aliases = ["start"]
keys = ["Space"]

[[actions]]
name = "move"
keys = ["Shift", "$way"]
hold_ms = "$ms"
duration_ms = 200
expect = "ball_x > 10"
parameters.way = { type = "choice", choices = ["up", "down"] }
parameters.ms = { type = "int", minimum = 20, maximum = 400, default = 100 }

[[actions]]
name = "combo"
sequence = ["up", "down"]
hold_ms = 40
gap_ms = 10

[[actions]]
name = "tap_at"
click = ["$x", "$y"]
parameters.x = { minimum = 0, maximum = 199 }
parameters.y = { minimum = 0, maximum = 99 }

[[actions]]
name = "tap_cell"
click = ["$column", "$row"]
cells = { box = [10, 20, 80, 40], columns = 8, rows = 4 }
parameters.column = { minimum = 0, maximum = 7 }
parameters.row = { minimum = 0, maximum = 3 }

[[actions]]
name = "watch"
wait = true

[[fields]]
name = "ball_x"
kind = "blob"
box = [0, 0, 200, 100]
colour = [255, 255, 255]

[[fields]]
name = "ball_share"
kind = "derived"
value = "ball_x / 200"

[status]
menu = "ball_x == none"

[progress]
position = ["ball_x"]

[[modules]]
name = "follow"
ends = "status != 'playing'"

[[modules.rules]]
when = "ball_x > 100"
action = "move(way=up)"

[[skills]]
name = "begin"
when = "status == 'menu'"
subgoal = "serve"
actions = ["serve", "move(way=down, ms=50)"]

[[skills]]
name = "play"
when = "status == 'playing'"
subgoal = "keep the ball"
module = "follow"

[[roles]]
name = "left"
prompt = "left.md"

[[roles]]
name = "server"
actions = ["serve", "watch"]
controls = { keys = ["Space"], hold_ms = [30, 60] }

[[tasks]]
id = "rally"
instruction = "Return the ball 5 times."
score = "game_state.score"
target = 5

[truth]
kind = "file"
score = "game_state.score"
"""

Damage = Callable[..., Path]


@pytest.fixture
def game_folder(tmp_path: Path) -> Path:
    """A folder without a fault."""
    folder = tmp_path / "pong"
    folder.mkdir()
    (folder / "plugin.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "left.md").write_text("You are the left one.\n", encoding="utf-8")
    (folder / "pong.py").write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    return folder


@pytest.fixture
def damaged(game_folder: Path) -> Damage:
    """Replaces texts of the manifest, each exactly once there; returns the folder."""

    def damage(*changes: tuple[str, str]) -> Path:
        file = game_folder / "plugin.toml"
        text = file.read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        return game_folder

    return damage
