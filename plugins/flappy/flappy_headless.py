"""Flappy without a window: the program's own session and pictures, for lessons and examinations."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame  # its greeting is switched off first
from flappy_art import Painter
from flappy_rules import HEIGHT, WIDTH
from game import Session, paint


class FlappyWorld:
    """The game at thirty frames a second, with its menu and crashes."""

    def __init__(self, seed: int, *, steep: bool) -> None:
        self._session = Session(seed, steep=steep)
        self._surface = pygame.Surface((WIDTH, HEIGHT))
        self._painter = Painter(self._surface)
        self._space = False

    def down(self, key: str) -> None:
        """Press a key."""
        self._space = self._space or key == "Space"
        if key == "p":
            self._session.pause()

    def up(self, key: str) -> None:
        """Release a key; nothing happens."""

    def frame(self) -> None:
        """Advance by a frame."""
        self._session.step(self._space)
        self._space = False

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture that the window would show, BGRX."""
        paint(self._painter, self._session)
        return bgrx(self._surface)

    @property
    def score(self) -> float:
        """Pipes of the best flight."""
        return float(self._session.best)


def bgrx(surface: pygame.Surface) -> NDArray[np.uint8]:
    """Return a surface's pixels in the format of captures."""
    picture = pygame.surfarray.array3d(surface).transpose(1, 0, 2)
    return np.dstack([picture[..., ::-1], np.zeros(picture.shape[:2], np.uint8)])


def make_world(*, seed: int, scenario: str) -> FlappyWorld:
    """See games.plugin_loader.load_world."""
    return FlappyWorld(seed, steep=scenario == "steep")
