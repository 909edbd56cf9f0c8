"""Games for the tests of grammars and replies: the bundled ones, and one as odd as the checker allows."""

from __future__ import annotations

from pathlib import Path

from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"

_ODD = """
schema = 1
[game]
id = "odd"
name = "Odd"
[window]
title = "Odd"
[screen]
width = 800
height = 600
[controls]
keys = [",", "'", "=", "-", "\\\\", "Space", "a", "ArrowLeft"]
mouse = true
hold_ms = [20, 4000]

[[actions]]
name = "press"
keys = ["$key"]
parameters.key = { type = "choice", choices = [",", "'", "=", "-", "\\\\", "Space", "ArrowLeft"] }

[[actions]]
name = "say"
sequence = ["a", "$Word_2"]
parameters.Word_2 = { type = "choice", choices = ["a", "left", " "], default = "a" }

[[actions]]
name = "hold"
keys = ["a"]
hold_ms = "$t"
parameters.t = { type = "float", minimum = 20.5, maximum = 3999.75 }

[[actions]]
name = "nudge"
keys = ["a"]
hold_ms = "$t"
parameters.t = { type = "int", minimum = 20, maximum = 1203, default = 100 }

[[actions]]
name = "tap_cell"
click = ["$column", "$row"]
cells = { box = [0, 0, 800, 600], columns = 10, rows = 137 }
parameters.column = { type = "int", minimum = 0, maximum = 9 }
parameters.row = { type = "int", minimum = 0, maximum = 136 }

[[actions]]
name = "tap_at"
click = ["$x", "$y"]
parameters.x = { type = "float", minimum = -0.5, maximum = 0.75, default = 0.5 }
parameters.y = { type = "int", minimum = -7, maximum = 600 }

[[fields]]
name = "health"
kind = "bar"
box = [0, 0, 100, 10]
colour = [255, 0, 0]
"""


def odd_folder(folder: Path, actions: int = 94) -> Path:
    """A checked game with odd choices, ranges and cells, and many more actions."""
    more = "".join(
        f'\n[[actions]]\nname = "deed_{number}_{"x" * (number % 40)}"\nwait = true\n'
        for number in range(actions)
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plugin.toml").write_text(_ODD + more, encoding="utf-8")
    faults = check_game(folder)
    assert not faults, [str(fault) for fault in faults]
    return folder


def bundled() -> list[str]:
    """Ids of the bundled games whose manifests can be read."""
    return sorted(path.parent.name for path in PLUGINS.glob("*/plugin.toml"))


def words_of(folder: Path) -> tuple[Profile, Vocabulary]:
    profile = load_profile(folder)
    return profile, Vocabulary(profile)
