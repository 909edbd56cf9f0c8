"""A clone of play by the mouse turns the way that the person turned."""

from __future__ import annotations

import random
from pathlib import Path

import torch

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.manifest import Demonstration
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.games.actions.press_reading import PressReader
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game, Profile
from pitwall.games.watched_modules import watch, with_watched
from pitwall.gsm.cloned_module import learned_module
from pitwall.gsm.cloned_space import CloningRecipe
from pitwall.gsm.inference import Policy, read_policy
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cloning.clone import begin_clone, clone

FRAME_MS = 40
MIDDLE = 160
PROFILE = Profile.model_validate(
    {
        "schema": 1,
        "game": {"id": "aim", "name": "Aim", "version": "1.0.0", "genre": "simulation"},
        "window": {"title": "^Aim$"},
        "screen": {"width": 320, "height": 240},
        "controls": {"mouse": True},
        "mouse_look": {"units_per_degree": 8.0},
        "actions": [
            {
                "name": "turn",
                "turn": "$degrees",
                "parameters": {"degrees": {"type": "float", "minimum": -180, "maximum": 180}},
            }
        ],
        "fields": [
            {"name": "target", "kind": "blob", "box": [0, 0, 320, 240], "colour": [9, 9, 9], "value": "x"}
        ],
    }
)
GAME = Game(profile=PROFILE, folder=Path("/nowhere"), profile_hash="0" * 64, trusted=True, source="user")

torch.set_num_threads(1)  # as training does: several wait for each other on a busy machine


def _played(data: DataFolder, targets: int) -> str:
    """Keep play: a target comes left or right, and 160 ms later the person turns 15 degrees to it."""
    chance, reader = random.Random(1), PressReader(PROFILE)
    begun = Demonstration(
        id="20261128-150000-aim", game="aim", kind="play", picture_size=(32, 24), window_size=(320, 240),
        rate_fps=25, started_at="2026-11-28T15:00:00+00:00",
    )  # fmt: skip
    now = 1_000 * NS_PER_S
    with DemonstrationWriter(data.demonstrations / begun.id, begun) as writer:
        for _ in range(targets):
            side = chance.choice((-1, 1))
            for frame in range(12):
                now += FRAME_MS * NS_PER_MS
                seen = MIDDLE + side * chance.randint(80, 110) if frame < 6 else MIDDLE
                writer.moment(now, 0, "playing", {"target": float(seen)})
                for part in range(5) if frame == 4 else ():  # a hand moves a mouse in many small ways
                    reader.take(now + part * 8 * NS_PER_MS, InputEvent(kind="mouse_look", dx=24 * side))
                for press in reader.ready(now, begun.window_size):
                    writer.event(press.at_ns, press.event, press.action)
    return begun.id


def test_a_clone_of_turns_by_the_mouse_turns_to_the_side_that_it_was_shown(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    name = _played(data, targets=40)
    watch(data, GAME, "watched", ["turn"])
    folder = ModuleFolder(data, with_watched(GAME, data), "watched")
    recipe = CloningRecipe(epochs=10, batch=16, hidden=[32], learning_rate=3e-3)
    about = clone(data, folder, begin_clone(data, folder, [name], recipe=recipe))
    assert about.learned is not None
    assert sorted(about.learned.actions) == ["", "turn(degrees=-15)", "turn(degrees=15)"]

    policy = Policy(
        read_policy(folder.folder(about.version) / "policy.onnx", about.policy_sha256), about.learned
    )
    module = learned_module(folder.declared, about, policy, screen=PROFILE.screen)
    words = Vocabulary(PROFILE)
    for side in (1, -1):
        module.begin()
        seen = [MIDDLE] * 10 + [MIDDLE + side * 95] * 6
        acts = [
            module.act({"target": float(x)}, (frame + 1) * FRAME_MS * NS_PER_MS)
            for frame, x in enumerate(seen)
        ]
        turns = [words.resolve(words.parse(text), width=320, height=240) for text in acts if text]
        moved = [sum(timed.event.dx for timed in turn.events) for turn in turns]
        assert moved, "it turns"
        assert {dx * side > 0 for dx in moved} == {True}, moved
