"""The checker of detectors, learned modules, trials and scenarios: each fault, alone in a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.games.checks.folder import check_game

Damage = Callable[..., Path]

LEARNED = """

[[detectors]]
name = "things"
kind = "colour"
box = [0, 0, 200, 80]
colours = { ball = [255, 255, 255], wall = [90, 90, 90] }

[[detectors]]
name = "signs"
kind = "template"
templates = { arrow = "arrow.png" }
scales = [0.5, 1.0]

[[detectors]]
name = "moving"
kind = "motion"

[[detectors]]
name = "eyes"
kind = "onnx"
model = "eyes.onnx"
labels = ["paddle", "net"]

[[detectors]]
name = "big_eyes"
kind = "onnx"
model = "yolo-large"
labels = ["person"]

[[fields]]
name = "wall_x"
kind = "detected"
detector = "things"
label = "wall"

[[fields]]
name = "moving_count"
kind = "detected"
detector = "moving"
label = "motion"
value = "count"

[[fields]]
name = "net_y"
kind = "detected"
detector = "eyes"
label = "net"
value = "y"
box = [0, 0, 100, 100]

[[scenarios]]
name = "fast"
arguments = ["--speed", "{seed}"]

[[modules]]
name = "return_ball"
ends = "status == 'menu'"

[modules.learned]
state = [{ field = "ball_x", high = 200 }, { field = "net_y", high = 100 }]
vision = { box = [0, 0, 100, 100] }
actions = ["", "serve", "move(way=down)"]
reward = "reward.py"
twin = "code/twin.py"
policy = "policies/first"
training = { scenarios = ["fast"], noise = { wall_x = 2.0 }, learn_from = 100, replay = 1000 }

[[modules.trials]]
name = "rallies"
scenario = "fast"
score = "game_state.score"
success = 10
cap = 50
"""


@pytest.fixture
def learned(game_folder: Path) -> Path:
    """The folder with detectors, scenarios and a learned module."""
    file = game_folder / "plugin.toml"
    file.write_text(file.read_text(encoding="utf-8") + LEARNED, encoding="utf-8")
    (game_folder / "arrow.png").write_bytes(b"\x89PNG\r\n\x1a\n and more")
    (game_folder / "eyes.onnx").write_bytes(b"a model")
    (game_folder / "reward.py").write_text("def reward(prev_state, next_state):\n    return 0.0\n")
    (game_folder / "code").mkdir()
    (game_folder / "code" / "twin.py").write_text("raise SystemExit('never run')\ndef make_twin(): ...\n")
    return game_folder


def test_a_sound_folder_has_no_faults(learned: Path) -> None:
    assert check_game(learned) == []


LEARNT, TRIALS = "modules.return_ball.learned", "modules.return_ball.trials"
ARROW = "detectors.signs.templates.arrow"
CASES: list[tuple[str, str, str, str, str]] = [
    # what is replaced, by what, the key that is blamed, a part of the sentence, the nearest name
    ('name = "signs"', 'name = "big_eyes"', "detectors", "'big_eyes' stands 2 times", ""),
    ("box = [0, 0, 200, 80]", "box = [0, 0, 200, 180]", "detectors.things.box", "180", ""),
    ('{ arrow = "arrow.png" }', '{ arrow = "arow.png" }', ARROW, "arow.png", "arrow.png"),
    ('{ arrow = "arrow.png" }', '{ arrow = "left.md" }', ARROW, "no picture", ""),
    ('{ arrow = "arrow.png" }', '{ arrow = "../a.png" }', ARROW, "outside", ""),
    ("scales = [0.5, 1.0]", "scales = []", "detectors.signs.scales", "empty", ""),
    ("scales = [0.5, 1.0]", "scales = [0.0]", "detectors.signs.scales", "found 0", ""),
    ('model = "eyes.onnx"', 'model = "eye.onnx"', "detectors.eyes.model", "eye.onnx", "eyes.onnx"),
    ('model = "yolo-large"', 'model = "models/yolo"', "detectors.big_eyes.model", "models/yolo", ""),
    ('["paddle", "net"]', '["net", "net"]', "detectors.eyes.labels", "'net' stands 2 times", ""),
    ('["person"]', '[" "]', "detectors.big_eyes.labels", "empty", ""),
    ('detector = "eyes"', 'detector = "eye"', "fields.net_y.detector", "no detector 'eye'", "eyes"),
    ('label = "wall"', 'label = "wal"', "fields.wall_x.label", "things finds no 'wal'", "wall"),
    ('label = "motion"', 'label = "ball"', "fields.moving_count.label", "moving finds no 'ball'", ""),
    ("{seed}", "{sed}", "scenarios.fast.arguments", "{sed}", "seed"),
    ('field = "ball_x"', 'field = "bal_x"', f"{LEARNT}.state", "bal_x", "ball_x"),
    ('["", "serve", ', '["", "srve", ', f"{LEARNT}.actions", "srve", ""),
    ('["", "serve", ', '["", "", ', f"{LEARNT}.actions", "'' stands 2 times", ""),
    ("vision = { box = [0, 0, 100, 100] }", "vision = { box = [150, 0, 100, 100] }",
     f"{LEARNT}.vision.box", "150", ""),
    ('reward = "reward.py"', 'reward = "rewards.py"', f"{LEARNT}.reward", "rewards.py", "reward.py"),
    ('reward = "reward.py"', 'reward = "left.md"', f"{LEARNT}.reward", "left.md", ""),
    ('reward = "reward.py"', 'reward = "pong.py"', f"{LEARNT}.reward", "defines no reward", ""),
    ('"code/twin.py"', '"reward.py"', f"{LEARNT}.twin", "defines no make_twin", ""),
    ('"code/twin.py"', '"__pycache__/twin.py"', f"{LEARNT}.twin", "trust leaves out", ""),
    ('"policies/first"', '"../first"', f"{LEARNT}.policy", "outside", ""),
    ('scenarios = ["fast"]', 'scenarios = ["fst"]', f"{LEARNT}.training.scenarios", "fst", "fast"),
    ("{ wall_x = 2.0 }", "{ wal_x = 2.0 }", f"{LEARNT}.training.noise", "wal_x", "wall_x"),
    ("learn_from = 100", "learn_from = 2000", f"{LEARNT}.training.learn_from", "1000", ""),
    ('scenario = "fast"', 'scenario = "slow"', f"{TRIALS}.rallies.scenario", "slow", ""),
    ("cap = 50", "cap = 5", f"{TRIALS}.rallies.cap", "ends at 5", ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "part", "near"), CASES, ids=[f"{c[2]}-{c[1]}" for c in CASES])
def test_each_fault_is_found(learned: Path, old: str, new: str, key: str, part: str, near: str) -> None:
    file = learned / "plugin.toml"
    text = file.read_text(encoding="utf-8")
    start = text.index("[[detectors]]")
    assert text.count(old, start) == 1, old
    file.write_text(text[:start] + text[start:].replace(old, new), encoding="utf-8")
    faults = check_game(learned)
    assert [fault.key for fault in faults] == [key], faults
    assert part in faults[0].problem
    assert faults[0].nearest == near
    assert faults[0].file.endswith("plugin.toml")
    assert faults[0].expected or faults[0].nearest


def test_code_that_does_not_parse_is_told_with_its_line(learned: Path) -> None:
    (learned / "reward.py").write_text("def reward(a):\n    return (\n")
    (fault,) = check_game(learned)
    assert (fault.key, fault.expected) == ("modules.return_ball.learned.reward", "Python")
    assert "reward.py does not parse" in fault.problem and "line 2" in fault.problem


def test_types_of_a_detector_are_told_by_their_keys(learned: Path) -> None:
    file = learned / "plugin.toml"
    text = file.read_text(encoding="utf-8").replace('kind = "motion"', 'kind = "motin"')
    text = text.replace("scales = [0.5, 1.0]", 'scales = "all"\ntreshold = 0.5')
    file.write_text(text, encoding="utf-8")
    faults = {fault.key: fault for fault in check_game(learned)}
    assert faults["detectors[3].kind"].nearest == "motion"
    assert faults["detectors[2].treshold"].nearest == "threshold"
    assert set(faults) == {"detectors[3].kind", "detectors[2].treshold", "detectors[2].scales"}, (
        "what leans on tables that are left out is not blamed"
    )


def test_a_game_that_is_not_started_has_no_scenarios(learned: Path) -> None:
    file = learned / "plugin.toml"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.strip() != "[launch]" and not line.startswith("command =")]
    file.write_text("".join(kept), encoding="utf-8")
    assert [fault.key for fault in check_game(learned)] == ["scenarios"]
