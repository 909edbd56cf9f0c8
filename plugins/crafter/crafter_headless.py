"""Crafter without a window: the game's own worlds and pictures, for lessons and examinations."""

from __future__ import annotations

import numpy as np
from crafter_world import Life
from numpy.typing import NDArray

UNIT = 96
_ACTIONS = {
    "ArrowLeft": "move_left", "ArrowRight": "move_right", "ArrowUp": "move_up", "ArrowDown": "move_down",
    "Space": "do", "z": "sleep", "n": "noop", "r": "place_stone", "t": "place_table", "f": "place_furnace",
    "p": "place_plant", "1": "make_wood_pickaxe", "2": "make_stone_pickaxe", "3": "make_iron_pickaxe",
    "4": "make_wood_sword", "5": "make_stone_sword", "6": "make_iron_sword",
}  # fmt: skip
_PANEL = (232, 214, 170)


class CrafterWorld:
    """Plays by turns: a key that is pressed is a turn."""

    def __init__(self, seed: int) -> None:
        self._life = Life(seed, UNIT)

    def down(self, key: str) -> None:
        """Press a key."""
        if key == "Enter" and self._life.cause:
            self._life.begin()
        elif key in _ACTIONS:
            self._life.act(_ACTIONS[key])

    def up(self, key: str) -> None:
        """Release a key; nothing happens."""

    def frame(self) -> None:
        """Let time pass; the world stands still."""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture that the window would show, BGRX."""
        picture = self._life.picture
        if self._life.cause:
            picture = picture.copy()
            picture[170:470, 160:704] = _PANEL
        return np.dstack([picture[..., ::-1], np.zeros(picture.shape[:2], np.uint8)])

    @property
    def score(self) -> float:
        """Share of the long task reached in this world, 0 to 1."""
        return self._life.long_task


def make_world(*, seed: int, scenario: str) -> CrafterWorld:  # noqa: ARG001  # there is one scenario
    """See games.plugin_loader.load_world."""
    return CrafterWorld(seed)
