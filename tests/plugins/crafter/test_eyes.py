"""What Crafter's eyes make of the package's own pictures, by day, at night, asleep and at the end."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest
from crafter_eyes import reader
from crafter_eyes.eyes import Eyes
from crafter_eyes.sprites import ITEMS
from crafter_game import SIDE, UNIT, Painter
from crafter_world import Life
from tests.plugins.crafter.twin import play

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game

CRAFTER = Path(__file__).resolve().parents[3] / "plugins" / "crafter"
SIGNS = {
    "grass": ".", "sand": ":", "path": "_", "water": "~", "stone": "#", "tree": "T", "lava": "!", "coal": "c",
    "iron": "i", "diamond": "d", "table": "B", "furnace": "F", None: " ",
    "Cow": "C", "Zombie": "Z", "Skeleton": "S", "Arrow": "-", "Plant": "p",
}  # fmt: skip
SHOWN = ("stone", "coal", "iron", "diamond", "lava", "table", "furnace", "sand", "path")
MOVES = ("move_left", "move_right", "move_up", "move_down")


@pytest.fixture
def eyes() -> Eyes:
    return reader(CRAFTER)


def pixels_of(life: Life) -> Pixels:
    """The window as it is captured."""
    surface = pygame.Surface((SIDE, SIDE))
    Painter(surface).paint(life)
    colours = pygame.surfarray.array3d(surface).transpose(1, 0, 2)
    pixels = np.zeros((*colours.shape[:2], 4), np.uint8)
    pixels[..., :3] = colours[..., ::-1]
    return pixels


def true_view(life: Life) -> str:
    """The view as the world has it."""
    x, y = life.player.pos
    rows = []
    for dy in range(-3, 4):
        row = ""
        for dx in range(-4, 5):
            material, thing = life.world[(x + dx, y + dy)]
            row += SIGNS[type(thing).__name__ if thing is not None and (dx or dy) else material]
        rows.append(row if dy else f"{row[:4]}@{row[5:]}")
    return "/".join(rows)


def put(life: Life, **things: Any) -> None:
    """Change the world around the player: material by place, "x_y" to the right and down."""
    for place, material in things.items():
        dx, dy = (int(part.replace("m", "-")) for part in place.removeprefix("at").split("_"))
        life.world[life.player.pos + np.array([dx, dy])] = material


@pytest.mark.parametrize(("start", "least_told"), [(0, 1.0), (140, 1.0), (205, 0.97)])
def test_the_view_is_read_at_every_hour(eyes: Eyes, start: int, least_told: float) -> None:
    chosen, life = random.Random(start), Life(seed=31, unit=UNIT)
    life._env._step = start
    counts: Counter[str] = Counter()
    for number, material in enumerate(
        ("stone", "coal", "iron", "diamond", "lava", "table", "furnace", "sand", "path")
    ):
        life.world[life.player.pos + np.array([number % 3 - 4, number // 3 - 3])] = material
    for _ in range(18):
        life.act(chosen.choice((*MOVES, "do")))
        life.player.health = 9
        seen, true = str(eyes.read(pixels_of(life))["view"]), true_view(life)
        for sign, right in zip(seen, true, strict=True):
            counts["dark" if sign == "?" else "right" if sign == right else f"{right} as {sign}"] += 1
    dark = counts.pop("dark", 0)
    assert set(counts) == {"right"}, counts
    assert counts["right"] / (counts["right"] + dark) >= least_told


def test_every_digit_of_every_item_is_read(eyes: Eyes) -> None:
    life = Life(seed=2, unit=UNIT)
    for first in range(10):
        amounts = {item: (first + number) % 10 for number, item in enumerate(ITEMS)}
        life.player.inventory.update(amounts)
        life.picture = life._env.render()
        values = eyes.read(pixels_of(life))
        assert {item: values[item] for item in ITEMS} == amounts


def test_the_place_is_known_from_the_view_alone(eyes: Eyes) -> None:
    chosen, life = random.Random(8), Life(seed=8, unit=UNIT)
    eyes.read(pixels_of(life))
    way = "move_up"
    for _ in range(90):
        way = chosen.choice(MOVES) if chosen.random() < 0.3 else way
        before = life.player.pos.copy()
        life.act(way)
        life.player.health = 9
        values = eyes.read(pixels_of(life))
        moved = bool((life.player.pos != before).any())
        assert (values["moved"] is not None) == moved
        assert (values["x"], values["y"]) == tuple(life.player.pos - 32)
        assert values["facing"] == way.removeprefix("move_")


def test_a_way_is_told_that_leads_there(eyes: Eyes) -> None:
    life = Life(seed=5, unit=UNIT)
    for _ in range(40):
        values = eyes.read(pixels_of(life))
        if values["wood"] == 1:
            break
        action = str(values["way_to_tree"] or values["way_to_unseen"]).split("; ")[0]
        life.act("do" if action == "interact" else action)
    assert life.achievements == {"collect_wood": 1}
    assert values["task_progress"] == 20


def test_what_is_near_and_what_can_be_done(eyes: Eyes) -> None:
    life = Life(seed=5, unit=UNIT)
    put(life, at1_1="table", at0_m1="water", at2_0="stone", at0_1="lava")
    life.player.facing = (0, -1)
    life.picture = life._env.render()
    values = eyes.read(pixels_of(life))
    assert (values["near_table"], values["near_furnace"], values["front"]) == (True, False, "water")
    assert (values["water_steps"], values["way_to_water"]) == (0, "interact")
    assert (values["stone_steps"], values["way_to_stone"]) == (2, "move_right; interact")
    assert "move_down" not in {str(values[f"way_to_{name}"]).split("; ")[0] for name in ("tree", "unseen")}


def test_a_shelter_is_dug_and_known(eyes: Eyes) -> None:
    life = Life(seed=5, unit=UNIT)
    rock = {f"at{dx}_{dy}".replace("-", "m"): "stone" for dx in range(1, 5) for dy in range(-3, 4)}
    put(life, **rock)
    life.player.inventory["wood_pickaxe"] = 1
    life.picture = life._env.render()
    values = eyes.read(pixels_of(life))
    assert values["sheltered"] is False
    for action in str(values["way_to_shelter"]).split("; "):
        life.act("do" if action == "interact" else action)
        values = eyes.read(pixels_of(life))
    assert life.achievements["place_stone"] == 1
    assert values["sheltered"] is True


def test_a_sleeper_and_the_end_are_seen() -> None:
    profile = load_profile(CRAFTER)
    game = Game(profile=profile, folder=CRAFTER, profile_hash="", trusted=True, source="bundled")
    state, life = StateReader(profile, CRAFTER, plugin_fields(game)), Life(seed=5, unit=UNIT)

    def read() -> dict[str, Any]:
        frame = Frame(
            frame_id=1, captured_ns=0, ready_ns=0, pixels=pixels_of(life), window=Rect(0, 0, SIDE, SIDE)
        )
        return {name: reading.value for name, reading in state.read(frame, None).items()}

    life.player.inventory["energy"] = 3
    life.act("sleep")
    asleep = read()
    assert (asleep["asleep"], asleep["facing"], asleep["energy"]) == (True, None, 3)
    assert status(profile.status, asleep) is GameStatus.PLAYING
    life.player.health = 0
    life.act("noop")
    end = read()
    assert status(profile.status, end) is GameStatus.TERMINAL
    assert (end["health"], end["energy"], end["view"], end["way_to_tree"]) == (0, 3, None, None)
    life.begin()
    again = read()
    assert (status(profile.status, again), again["health"], again["x"]) == (GameStatus.PLAYING, 9, 0)
    assert state.faults() == []


def test_the_skills_finish_the_long_task(tmp_path: Path) -> None:
    """One world of thirty; more by command (crafter_twin)."""
    played = play(1020, 40, tmp_path)
    assert played.finished, played.log[-3:]
    assert played.routes["reactive"] > played.routes["strategic"] / 2
