"""Arena without a window: the program's own session and pictures, for lessons and examinations."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame  # its greeting is switched off first
from arena_art import Painter
from arena_game import Pressed, Session, paint
from arena_tables import HEIGHT, WIDTH

_ARROWS = {"ArrowLeft": -1, "ArrowRight": 1}
_PRESSES = {"Space": "dodge", "z": "light", "x": "heavy", "c": "potion"}


class ArenaWorld:
    """The game at thirty frames a second, with its menu and panels."""

    def __init__(self, seed: int, scenario: str) -> None:
        self._session = Session(seed, scenario)
        self._surface = pygame.Surface((WIDTH, HEIGHT))
        self._painter = Painter(self._surface)
        self._held: list[int] = []
        self._pressed = Pressed()

    def down(self, key: str) -> None:
        """Press a key; of two arrows the later counts."""
        if key in _ARROWS:
            self._held.append(_ARROWS[key])
        elif key in _PRESSES:
            self._pressed.press = _PRESSES[key]
        elif key == "Enter":
            self._pressed.start = True
        elif key == "p":
            self._session.pause()

    def up(self, key: str) -> None:
        """Release a key."""
        if key in _ARROWS:
            self._held = [side for side in self._held if side != _ARROWS[key]]

    def frame(self) -> None:
        """Advance by a frame."""
        self._pressed.direction = self._held[-1] if self._held else 0
        self._session.step(self._pressed)
        self._pressed = Pressed()

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture that the window would show, BGRX."""
        paint(self._painter, self._session)
        picture = pygame.surfarray.array3d(self._surface).transpose(1, 0, 2)
        return np.dstack([picture[..., ::-1], np.zeros(picture.shape[:2], np.uint8)])

    @property
    def score(self) -> float:
        """Share of the foes' health taken in the best fight, in percent."""
        return float(self._session.best)


def make_world(*, seed: int, scenario: str) -> ArenaWorld:
    """See games.plugin_loader.load_world."""
    return ArenaWorld(seed, scenario or "boss")
