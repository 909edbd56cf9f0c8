"""Collects pictures to train a detector: unseen fights, with vizdoom's own labels of the monsters.

The labels are for training alone: while the agent plays, it has the picture and nothing else.
"""

from __future__ import annotations

import os
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import vizdoom
from numpy.typing import NDArray
from shooting_world import MONSTERS, WIDTH, Speed, begin_fight, new_game

STRIP = (0, 152, WIDTH, 96)
"""The detector's part of the screen: x, y, width, height. Everybody on the floor crosses it."""
SIZE = (320, 48)
"""Width and height of its input: the strip at half its size."""
LABELS = ("marine", "demon")
_KEPT = 0.25
"""Share of the tics of a fight that are kept, because neighbours are alike."""
_MOST_TICS = 700
_LEAST = 3.0
"""Smallest width and height, in input pixels, of a part of a monster that is an example."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Examples.

    Attributes:
        pixels: (n, 48, 320, 3) uint8, BGR.
        boxes: for each picture (k, 5): label's number, left, top, right, bottom in input pixels.
    """

    pixels: NDArray[np.uint8]
    boxes: list[NDArray[np.float32]]


def gather(speed: Speed, count: int, seed: int) -> Pictures:
    """Play fights at random and keep some of their pictures; the same seed gives the same pictures."""
    chance = random.Random(seed)
    pixels: list[NDArray[np.uint8]] = []
    boxes: list[NDArray[np.float32]] = []
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        game = new_game(speed, seed, Path(folder), visible=False)
        game.set_labels_buffer_enabled(True)
        game.init()
        try:
            while len(pixels) < count:
                begin_fight(game, chance.getrandbits(31))
                _play(game, chance, pixels, boxes)
        finally:
            game.close()
            os.chdir(before)
    return Pictures(np.stack(pixels[:count]), boxes[:count])


def _play(
    game: vizdoom.DoomGame,
    chance: random.Random,
    pixels: list[NDArray[np.uint8]],
    boxes: list[NDArray[np.float32]],
) -> None:
    game.send_game_command("give Clip 60")
    keys, left = [0, 0, 0, 0], 0
    for _ in range(_MOST_TICS):
        if left <= 0:
            turn, left = chance.random(), chance.randint(2, 25)
            keys = [int(turn < 0.35), int(0.35 <= turn < 0.7), int(chance.random() < 0.4), 0]
        left -= 1
        game.make_action(keys)
        if game.is_episode_finished():
            return
        if chance.random() < _KEPT:
            state = game.get_state()
            pixels.append(strip_of(state.screen_buffer))
            boxes.append(_boxes(state.labels or []))


def strip_of(screen: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the detector's part of a screen, (480, 640, 3) BGR."""
    x, y, width, height = STRIP
    return np.asarray(cv2.resize(screen[y : y + height, x : x + width], SIZE), np.uint8)


def _boxes(labels: list[vizdoom.Label]) -> NDArray[np.float32]:
    x, y, width, height = STRIP
    scale = SIZE[0] / width
    rows = []
    for label in labels:
        if label.object_name not in MONSTERS:
            continue
        left, right = max(label.x, x) - x, min(label.x + label.width, x + width) - x
        top, bottom = max(label.y, y) - y, min(label.y + label.height, y + height) - y
        if (right - left) * scale >= _LEAST and (bottom - top) * scale >= _LEAST:
            kind = 0 if "Marine" in label.object_name or "Slow" in label.object_name else 1
            rows.append((kind, left * scale, top * scale, right * scale, bottom * scale))
    return np.asarray(rows, np.float32).reshape(-1, 5)
